//! Writes a program as EXPR and operands: the same programs that the property test gives to
//! `Builder`, as a user would write them.

use std::fmt::Write as _;

use indim::{ElementType, OpClass, Opcode};

use crate::files::{self, Folder};
use indim_testing::oracle::format;
use indim_testing::oracle::value::{is_signed_integer, parts, width};
use indim_testing::programs::program::{Call, Id, Program, Type};
use indim_testing::random::Random;

/// Longest EXPR: values that are used twice are written twice, unless they have names.
const MOST_LETTERS: usize = 4_000;

/// Chooses how EXPR is written where there are several ways.
#[derive(Clone, Copy)]
pub struct Style {
    /// For each operand, its name's number.
    pub first_name: usize,
    /// Comments and white space between the calls.
    pub wordy: bool,
    /// Operators, and `in_dim`, where there are some.
    pub symbols: bool,
    /// A statement for each value, which gives it a name.
    pub named: bool,
}

/// A program as EXPR.
pub struct Text {
    /// The statements before the last one.
    pub statements: String,
    /// Each value of the program, as the last statement can write it.
    pub values: Vec<String>,
}

impl Text {
    /// EXPR with this as its last statement.
    pub fn ending_in(&self, last: &str) -> String {
        format!("{}{last}", self.statements)
    }
}

/// The name of an operand.
pub fn name(style: Style, parameter: usize) -> String {
    match style.first_name.checked_add(parameter) {
        Some(number) if style.wordy => {
            let some = crate::soup::NAMES;
            format!("{}{}", some[number % some.len()], "_".repeat(number / some.len()))
        }
        _ => format!("a{parameter}"),
    }
}

/// The program as EXPR; none if that is too long.
pub fn expression(program: &Program, style: Style) -> Option<Text> {
    let mut texts: Vec<String> = Vec::new();
    let mut statements = String::new();
    let mut parameters = 0;
    for node in &program.nodes {
        let mut text = match &node.call {
            Call::Parameter { .. } => {
                parameters += 1;
                name(style, parameters - 1)
            }
            call => spelled(program, call, &texts, style),
        };
        if style.wordy && texts.len() % 3 == 2 {
            text = format!("(# */ @compute fn main() {{}}\n\t{text} )");
        }
        if style.named && !matches!(node.call, Call::Parameter { .. }) {
            let name = format!("{}v", name(style, texts.len()));
            let _ = write!(statements, "{name} = {text};");
            text = name;
        }
        if text.len().max(statements.len()) > MOST_LETTERS {
            return None;
        }
        texts.push(text);
    }
    Some(Text { statements, values: texts })
}

fn spelled(program: &Program, call: &Call, texts: &[String], style: Style) -> String {
    let of = |id: &Id| texts[*id].as_str();
    let method = call.opcode().method();
    match call {
        Call::Parameter { .. } => String::new(),
        Call::Constant { element, bits } => constant(*element, *bits),
        Call::Iota { element, sizes, dimension } => {
            format!("iota({element}, {sizes:?}, {dimension})")
        }
        Call::Binary { opcode, lhs, rhs, dims } => {
            let rank = |id: &Id| program.nodes[*id].ty.dims.len();
            match symbol(*opcode, program.nodes[*lhs].ty.element).filter(|_| style.symbols) {
                Some(symbol) if dims.is_empty() => format!("({} {symbol} {})", of(lhs), of(rhs)),
                Some(symbol) if rank(lhs) > rank(rhs) => {
                    format!("({} {symbol} in_dim({}, {dims:?}))", of(lhs), of(rhs))
                }
                Some(symbol) if rank(lhs) < rank(rhs) => {
                    format!("(in_dim({}, {dims:?}) {symbol} {})", of(lhs), of(rhs))
                }
                _ if dims.is_empty() => format!("{method}({}, {})", of(lhs), of(rhs)),
                _ => format!("{method}({}, {}, {dims:?})", of(lhs), of(rhs)),
            }
        }
        Call::Unary { x, .. } => format!("{method}({})", of(x)),
        Call::Convert { x, to } => format!("convert({}, {to})", of(x)),
        Call::Bitcast { x, to } => format!("bitcast({}, {to})", of(x)),
        Call::Select { pred, on_true, on_false } => {
            format!("select({}, {}, {})", of(pred), of(on_true), of(on_false))
        }
        Call::Clamp { min, x, max } => format!("clamp({}, {}, {})", of(min), of(x), of(max)),
        Call::NextAfter { from, to } => format!("next_after({}, {})", of(from), of(to)),
        Call::ReducePrecision { x, exponent_bits, mantissa_bits } => {
            format!("reduce_precision({}, {exponent_bits}, {mantissa_bits})", of(x))
        }
        Call::Broadcast { x, sizes: list }
        | Call::Transpose { x, permutation: list }
        | Call::Reverse { x, dims: list }
        | Call::Reduce { x, dims: list, .. }
        | Call::Reshape { x, sizes: list } => format!("{method}({}, {list:?})", of(x)),
        Call::Position { largest, wide, x, dims } => {
            let extreme = if *largest { "argmax" } else { "argmin" };
            let of_type = if *wide { "_s64" } else { "" };
            format!("{extreme}{of_type}({}, {dims:?})", of(x))
        }
        Call::BroadcastInDim { x, sizes, dims } => {
            format!("{method}({}, {sizes:?}, {dims:?})", of(x))
        }
        Call::Slice { x, starts, limits, strides } => {
            format!("{method}({}, {starts:?}, {limits:?}, {strides:?})", of(x))
        }
        Call::Pad { x, value, low, high, interior } => {
            format!("{method}({}, {}, {low:?}, {high:?}, {interior:?})", of(x), of(value))
        }
        Call::Concatenate { operands, dimension } => {
            let operands: Vec<&str> = operands.iter().map(of).collect();
            format!("{method}({}, {dimension})", operands.join(", "))
        }
        Call::Roll { x, shifts, dims } => format!("{method}({}, {shifts:?}, {dims:?})", of(x)),
    }
}

/// The operator that an operation has on a type.
fn symbol(opcode: Opcode, element: ElementType) -> Option<&'static str> {
    Some(match opcode {
        Opcode::Add => "+",
        Opcode::Sub => "-",
        Opcode::Mul => "*",
        Opcode::Div => "/",
        Opcode::Rem => "%",
        Opcode::Pow => "**",
        Opcode::And => "&",
        Opcode::Or => "|",
        Opcode::Xor => "^",
        Opcode::ShiftLeft => "<<",
        Opcode::ShiftRightArithmetic if is_signed_integer(element) => ">>",
        Opcode::ShiftRightLogical if !is_signed_integer(element) => ">>",
        Opcode::Eq => "==",
        Opcode::Ne => "!=",
        Opcode::Lt => "<",
        Opcode::Le => "<=",
        Opcode::Gt => ">",
        Opcode::Ge => ">=",
        _ => return None,
    })
}

/// A constant whose type is written with it.
fn constant(element: ElementType, bits: u64) -> String {
    match format::of(element) {
        _ if element == ElementType::Pred => (bits != 0).to_string(),
        _ if element == ElementType::C64 => {
            let (re, im) = parts(bits);
            let part = |bits| constant(ElementType::F32, bits);
            format!("complex({}, {})", part(re), part(im))
        }
        Some(format) => {
            let value = format.decode(bits);
            if value.is_finite() {
                format!("({}{element})", digits(element, value))
            } else {
                format!("convert({}, {element})", not_finite(value))
            }
        }
        None => format!("({}{element})", whole(element, bits)),
    }
}

/// The shortest digits that are this value and no other, so that they are rounded to it again.
fn digits(element: ElementType, value: f64) -> String {
    match element {
        ElementType::F32 => format!("{:e}", value as f32),
        _ => format!("{value:e}"),
    }
}

fn not_finite(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => "nan",
        value if value < 0.0 => "-inf",
        _ => "inf",
    }
}

fn whole(element: ElementType, bits: u64) -> String {
    if is_signed_integer(element) {
        let unused = 64 - width(element);
        ((bits << unused).cast_signed() >> unused).to_string()
    } else {
        bits.to_string()
    }
}

/// An element of a literal that begins with its type.
fn element(of: ElementType, bits: u64) -> String {
    match format::of(of) {
        _ if of == ElementType::Pred => (bits != 0).to_string(),
        _ if of == ElementType::C64 => {
            let (re, im) = parts(bits);
            let part = |bits| {
                let value = format::F32.decode(bits);
                if value.is_finite() {
                    digits(ElementType::F32, value)
                } else {
                    not_finite(value).to_owned()
                }
            };
            let im = part(im);
            let sign = if im.starts_with('-') { "" } else { "+" };
            format!("{}{sign}{im}j", part(re))
        }
        Some(format) => {
            let value = format.decode(bits);
            if value.is_finite() { digits(of, value) } else { not_finite(value).to_owned() }
        }
        None => whole(of, bits),
    }
}

/// The array as a literal; none if it has no elements, since lists cannot distinguish such shapes.
pub fn literal(ty: &Type, bits: &[u64]) -> Option<String> {
    if bits.is_empty() {
        return None;
    }
    let mut text = format!("{}:", ty.element);
    if ty.dims.is_empty() && element(ty.element, bits[0]).starts_with(|c: char| c.is_ascii_digit())
    {
        // A bare 3 would be a shape where one will do.
        text.push('+');
    }
    for (place, &bits) in bits.iter().enumerate() {
        // Brackets where a row of some dimension begins and ends.
        let mut rows = Vec::new();
        let mut row = 1;
        for &size in ty.dims.iter().rev() {
            row *= size;
            rows.push(row);
        }
        let begins = rows.iter().filter(|&&row| place % row == 0).count();
        let ends = rows.iter().filter(|&&row| (place + 1) % row == 0).count();
        if place > 0 {
            text.push_str(", ");
        }
        let _ =
            write!(text, "{}{}{}", "[".repeat(begins), element(ty.element, bits), "]".repeat(ends));
    }
    Some(text)
}

/// The canonical NaN in the place of each one whose sign or payload cannot be written.
fn with_plain_nans(element: ElementType, bits: u64) -> u64 {
    match format::of(element) {
        _ if element == ElementType::C64 => {
            let (re, im) = parts(bits);
            let part = |bits| with_plain_nans(ElementType::F32, bits);
            part(re) | part(im) << 32
        }
        // The bits of a quiet NaN: all of the exponent, and the first bit of the mantissa.
        Some(format) if format.is_nan(bits) => {
            ((2u64 << format.exponent_bits) - 1) << (format.mantissa_bits - 1)
        }
        _ => bits,
    }
}

/// The program with none but plain NaNs in constants, and in parameters that literals will give.
pub fn writable(program: &Program, files: bool) -> Program {
    let mut copy = program.clone();
    for node in &mut copy.nodes {
        match &mut node.call {
            Call::Constant { element, bits } => *bits = with_plain_nans(*element, *bits),
            Call::Parameter { ty, data, .. } if !files || files::descr(ty.element).is_none() => {
                data.iter_mut().for_each(|bits| *bits = with_plain_nans(ty.element, *bits));
            }
            _ => {}
        }
    }
    copy
}

/// `NAME=ARRAY` for each parameter; none if one of them cannot be written.
pub fn operands(
    program: &Program,
    style: Style,
    folder: &Folder,
    files: bool,
) -> Option<Vec<String>> {
    let mut operands = Vec::new();
    for (number, parameter) in program.parameters().enumerate() {
        let file = files::array(parameter.ty, parameter.data).filter(|_| files);
        let array = match file {
            Some(bytes) => folder.write(&format!("{number}.npy"), &bytes),
            None => literal(parameter.ty, parameter.data)?,
        };
        operands.push(format!("{}={array}", name(style, number)));
    }
    Some(operands)
}

/// EXPR with a result that a file can hold: the same values or bits in another type.
pub fn storable(element: ElementType, text: &str) -> (ElementType, String) {
    match element {
        ElementType::Bf16 => (ElementType::U16, format!("bitcast({text}, u16)")),
        ElementType::S4 => (ElementType::S8, format!("convert({text}, s8)")),
        ElementType::U4 => (ElementType::U8, format!("convert({text}, u8)")),
        element => (element, text.to_owned()),
    }
}

/// A style for all of one text.
pub fn style(random: &mut Random) -> Style {
    Style {
        first_name: random.below(crate::soup::NAMES.len()),
        wordy: random.percent(50),
        symbols: random.percent(70),
        named: random.percent(50),
    }
}

/// Returns how many operations there are besides moves, which compile in no time.
pub fn operations(program: &Program) -> usize {
    use OpClass::{Broadcast, Move, Nullary, View};
    let moves = |class| matches!(class, Broadcast | View | Move | Nullary);
    program.nodes.iter().filter(|node| !moves(node.call.opcode().class())).count()
}
