//! Writes accumulators: how values are combined, in the order that `kernel::fold` describes.

use super::guards::guard_by;
use super::narrowing::Narrowing;
use super::spelling::{SpelledOp, spelling};
use super::subnormals::Flush;
use super::wgsl_type::{COMPONENTS, GuardBy, OperandText, WgslType};
use super::writer::{Writer, line};
use crate::kernel::body::{Folded, KernelOp, ValueRef};
use crate::kernel::fold::{Accumulator, STRANDS};
use indim_core::semantics::element::Form;
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::reduce;
use std::fmt::Write as _;

/// The names of an accumulator's words, or of what is combined with one.
pub(super) type WordNames = Vec<String>;

/// How an accumulator is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// As a value of its type.
    Value,
    /// As a sum or a product and the rounding errors of its operations.
    Words,
    /// As the largest and the smallest key of a float: integers in the order of the floats, with
    /// negative NaN before all numbers and positive NaN behind them. (Two operations of integers an
    /// element; a comparison that finds NaN takes ten.)
    Keys,
}

impl<'a> Writer<'a> {
    fn held(&self, accumulator: &Accumulator) -> Held {
        match accumulator.by {
            _ if accumulator.words == 2 => Held::Words,
            Opcode::Max | Opcode::Min
                if self.wgsl_type(accumulator.element_type) == WgslType::F32 =>
            {
                Held::Keys
            }
            _ => Held::Value,
        }
    }

    /// Returns the names of the words that hold an accumulator.
    pub(super) fn words(&self, accumulator: &Accumulator, name: &str) -> WordNames {
        let count = if self.held(accumulator) == Held::Value { 1 } else { 2 };
        ["h", "l"].into_iter().take(count).map(|word| format!("{name}_{word}")).collect()
    }

    /// Returns the type of these words.
    pub(super) fn word_type(&self, accumulator: &Accumulator) -> WgslType {
        match self.held(accumulator) {
            Held::Keys => WgslType::I32,
            _ => self.wgsl_type(accumulator.element_type),
        }
    }

    /// Returns the value of a word that changes nothing.
    pub(super) fn word_identity(
        &self,
        number: usize,
        accumulator: &Accumulator,
        word: usize,
    ) -> String {
        match (self.held(accumulator), word) {
            (Held::Keys, 0) => "XLA_LEAST_KEY".to_owned(),
            (Held::Keys, _) => "XLA_MOST_KEY".to_owned(),
            _ => self.value_identity(number, accumulator, word),
        }
    }

    /// Returns what stands in place of a word of a value that is missing.
    fn value_identity(&self, number: usize, accumulator: &Accumulator, word: usize) -> String {
        match (self.held(accumulator), word) {
            (Held::Words, 1) => "0f".to_owned(),
            _ => format!("identity{number}"),
        }
    }

    /// Returns the accumulators, by number; those of the pass that is written, if there are several.
    pub(super) fn accumulators(&self) -> impl Iterator<Item = (usize, &'a Accumulator)> + use<'a> {
        let all = self.kernel.fold.iter().flat_map(|fold| &fold.accumulators).enumerate();
        let pass = self.pass();
        all.filter(move |(_, accumulator)| pass.is_none_or(|pass| accumulator.pass == pass))
    }

    /// Declares `identity{number}`, the value of each accumulator that changes nothing.
    pub(super) fn identities(&self, out: &mut String) {
        for (number, accumulator) in self.accumulators() {
            let bits = reduce::identity(accumulator.by, accumulator.element_type).bits();
            // Compilers refuse constants that are infinite.
            let word = |word: u64| format!("({}u | params.zero)", word as u32);
            let text = self.constant(accumulator.element_type, &word(bits), &word(bits >> 32));
            line!(out, "    let identity{number} = {text};");
        }
    }

    /// Declares the words of an accumulator, quads or single values, as those of its identity.
    pub(super) fn declare_words(
        &self,
        out: &mut String,
        (indent, quad): (&str, bool),
        (number, accumulator): (usize, &Accumulator),
        names: &WordNames,
    ) {
        for (word, name) in names.iter().enumerate() {
            let mut identity = self.word_identity(number, accumulator, word);
            if quad {
                identity = self.word_type(accumulator).splat(&identity);
            }
            line!(out, "{indent}var {name} = {identity};");
        }
    }

    /// Returns the words of a value of the map in one quad; an accumulator's identity where `mask`, a
    /// vector of conditions, is false.
    pub(super) fn folded_value(
        &self,
        (number, accumulator): (usize, &Accumulator),
        quad: usize,
        mask: Option<&str>,
    ) -> WordNames {
        let ty = self.wgsl_type(accumulator.element_type);
        let words = accumulator.values.iter().flatten().enumerate().map(|(word, &value)| {
            let text = self.operand(value, quad).quad();
            let Some(mask) = mask else { return text };
            let identity = self.value_identity(number, accumulator, word);
            if ty.is_vector() {
                let lanes = [0, 1, 2, 3].map(|lane| {
                    let value = self.operand(value, quad).lane(lane);
                    format!("select({identity}, {value}, {mask}.{})", COMPONENTS[lane])
                });
                return ty.join_lanes(&lanes);
            }
            format!("select({}, {text}, {mask})", ty.splat(&identity))
        });
        words.collect()
    }

    /// Sets an accumulator's quads of words `into` to what a value gives with its identity.
    pub(super) fn begin(
        &self,
        out: &mut String,
        indent: &str,
        (number, accumulator): (usize, &Accumulator),
        into: &WordNames,
        value: &WordNames,
    ) {
        let ty = self.word_type(accumulator);
        let identity = |word| ty.splat(&self.word_identity(number, accumulator, word));
        match (self.held(accumulator), accumulator.by, &value[..]) {
            (Held::Keys, _, [value]) => {
                line!(out, "{indent}{} = xla_total_order_key_4({value});", into[0]);
                line!(out, "{indent}{} = {};", into[1], into[0]);
            }
            (Held::Words, _, [high]) => {
                line!(out, "{indent}{} = {high};", into[0]);
                line!(out, "{indent}{} = {};", into[1], identity(1));
            }
            // A sum of -0 alone is 0.
            (Held::Value, by, [value]) if by != Opcode::Add => {
                line!(out, "{indent}{} = {value};", into[0]);
            }
            _ => {
                for (word, name) in into.iter().enumerate() {
                    line!(out, "{indent}{name} = {};", identity(word));
                }
                self.combine(out, (indent, true), accumulator, into, value);
            }
        }
    }

    /// Combines an accumulator's words `into` with a value of one word or as many.
    pub(super) fn combine(
        &self,
        out: &mut String,
        (indent, quad): (&str, bool),
        accumulator: &Accumulator,
        into: &WordNames,
        value: &WordNames,
    ) {
        if self.held(accumulator) == Held::Keys {
            let many = if quad { "_4" } else { "" };
            let keys = match &value[..] {
                [value] => vec![format!("xla_total_order_key{many}({value})"); 2],
                keys => keys.to_vec(),
            };
            for ((into, key), choice) in into.iter().zip(keys).zip(["max", "min"]) {
                line!(out, "{indent}{into} = {choice}({into}, {key});");
            }
            return;
        }
        if let [high, low] = &into[..] {
            let (keep, many) = if quad { ("xla_keep_4", "_4") } else { ("xla_keep_bits", "") };
            let (x, is_product) = (&value[0], accumulator.by == Opcode::Mul);
            let (symbol, rest, errors) = if is_product {
                ('*', "product", keep.to_owned())
            } else {
                ('+', "sum", format!("xla_errors{many}"))
            };
            let before = match (is_product, value.get(1)) {
                (true, None) => format!("{keep}({low} * t)"),
                (true, Some(other)) => {
                    let parts = format!("{keep}({low} * t) + {keep}({high} * {other})");
                    // Of thousands of factors the low words are large enough for their own product.
                    format!("{keep}({keep}({parts}) + {keep}({low} * {other}))")
                }
                (false, None) => low.clone(),
                (false, Some(other)) => format!("{errors}({low} + {other})"),
            };
            line!(out, "{indent}{{");
            line!(out, "{indent}    let t = {x};");
            line!(out, "{indent}    let s = {keep}({high} {symbol} t);");
            line!(
                out,
                "{indent}    {low} = {errors}({before} + xla_{rest}_rest{many}({high}, t, s));"
            );
            line!(out, "{indent}    {high} = s;");
            line!(out, "{indent}}}");
            return;
        }
        let text = self.combined(accumulator, [&into[0], &value[0]], quad);
        line!(out, "{indent}{} = {text};", into[0]);
    }

    /// Returns an accumulator's operation on two values.
    fn combined(&self, accumulator: &Accumulator, operands: [&String; 2], quad: bool) -> String {
        let of = accumulator.element_type;
        let op = KernelOp {
            opcode: accumulator.by,
            from: of,
            element_type: of,
            operands: Vec::new(),
            precision: accumulator.precision,
            call: None,
        };
        let is_float = matches!(of.form(), Form::F32 | Form::F64 | Form::C64);
        let spelled = SpelledOp {
            spelling: spelling(op.opcode, of),
            opcode: op.opcode,
            from: of,
            to: of,
            // Integers that wrap may do so at the end.
            narrowing: Narrowing::Keep,
            guarded: is_float.then_some(guard_by(&op, true).unwrap_or(GuardBy::Xor)),
            flush: Flush::of(&op, true, self.kernel.arithmetic.subnormals),
        };
        let ty = self.wgsl_type(of);
        let operands = operands.map(|name| OperandText { name: name.clone(), is_quad: quad, ty });
        self.spelled(spelled, &operands, quad)
    }

    /// Combines four strands, the words of each, into the first one: 0 with 2, 1 with 3, then these.
    pub(super) fn join_strands(
        &self,
        out: &mut String,
        place: (&str, bool),
        accumulator: &Accumulator,
        strands: &[WordNames; STRANDS],
    ) {
        for [into, from] in [[0, 2], [1, 3], [0, 1]] {
            self.combine(out, place, accumulator, &strands[into], &strands[from]);
        }
    }

    /// Returns the four lanes of words that are quads.
    pub(super) fn lanes_of(&self, accumulator: &Accumulator, words: &WordNames) -> [WordNames; 4] {
        let ty = self.word_type(accumulator);
        [0, 1, 2, 3].map(|lane| words.iter().map(|name| ty.lane(name, lane)).collect())
    }

    /// Declares the results of an accumulator from its words.
    pub(super) fn declare_folded(
        &self,
        out: &mut String,
        indent: &str,
        (number, accumulator): (usize, &Accumulator),
        words: &WordNames,
        quad: usize,
    ) {
        let value = |folded| self.name(ValueRef::Folded(folded), quad);
        let is_quad = self.info(ValueRef::Folded(Folded::Result(number))).vector;
        let ty = self.wgsl_type(accumulator.element_type);
        let result = value(Folded::Result(number));
        let [high, low] = &words[..] else {
            let narrowing = match accumulator.element_type.form() {
                Form::S32 | Form::U32 => Narrowing::to_type(accumulator.element_type),
                _ => Narrowing::Keep,
            };
            let text = narrowing.apply(words[0].clone(), accumulator.element_type, is_quad);
            line!(out, "{indent}let {result} = {text};");
            return;
        };
        let function = match (self.held(accumulator), accumulator.by) {
            (Held::Keys, Opcode::Max) => "xla_max_of_keys",
            (Held::Keys, _) => "xla_min_of_keys",
            (_, Opcode::Mul) if accumulator.to_odd => "xla_product_of_words_to_odd",
            (_, Opcode::Mul) => "xla_product_of_words",
            _ if accumulator.to_odd => "xla_sum_of_words_to_odd",
            _ => "xla_sum_of_words",
        };
        let of = self.word_type(accumulator);
        let text = if is_quad {
            let lanes = [0, 1, 2, 3]
                .map(|lane| format!("{function}({}, {})", of.lane(high, lane), of.lane(low, lane)));
            ty.join_lanes(&lanes)
        } else {
            format!("{function}({high}, {low})")
        };
        line!(out, "{indent}let {result} = {text};");
        if self.held(accumulator) == Held::Words {
            for (word, name) in words.iter().enumerate() {
                line!(out, "{indent}let {} = {name};", value(Folded::Word(number, word)));
            }
        }
    }
}
