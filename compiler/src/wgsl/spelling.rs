//! The table of operations in WGSL, by the form that holds their operands.
//!
//! The op table in `semantics` lists the types that an operation accepts; a test here compares the
//! two tables.

use super::narrowing::{Narrowing, mask};
use super::subnormals::Flush;
use super::wgsl_type::GuardBy;
use indim_core::semantics::element::{ElementType, Form};
use indim_core::semantics::opcode::Opcode;

/// The template of an operation in WGSL for one form.
///
/// `{a}`, `{b}`, `{c}` stand for the operands; `{F}`, `{I}`, `{U}`, `{D}` and `{W}` for the f32,
/// i32, u32, f64 and u64 type of the operands' width (a scalar or a vector of four); `{m}` for the
/// operation's method, `{T}` for the form's name, `{to}` for that of the result's form, `{narrow}`
/// for `_f16` or `_bf16` where the type is one of these; `{mask}` for the bits that a narrow
/// integer has, `{above}` for the number of bits that it lacks to 32; `{iota}` for the function
/// that makes a float of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Works on a scalar and on a vector of four alike.
    Any(&'static str),
    /// Works on scalars; a vector is split.
    Each(&'static str),
}

use Spelling::{Any, Each};

/// Spellings by the forms that they are for, as bits; each form is in at most one of them.
type ByForm = &'static [(u8, Spelling)];

const fn bit(form: Form) -> u8 {
    1 << form as u8
}

// These are the forms of the table: B is bool, S and U are integers of up to 32 bits, I is both, L
// is 64 bits, F is f32, D is f64 and C is complex.
const B: u8 = bit(Form::Bool);
const S: u8 = bit(Form::S32);
const U: u8 = bit(Form::U32);
const I: u8 = S | U;
const L: u8 = bit(Form::S64) | bit(Form::U64);
const F: u8 = bit(Form::F32);
const D: u8 = bit(Form::F64);
const C: u8 = bit(Form::C64);

// These call functions of shaders/ by the operation's name; those on f32 carry no type.
const F32_1: Spelling = Each("xla_{m}({a})");
const F32_2: Spelling = Each("xla_{m}({a}, {b})");
const NAMED_1: Spelling = Each("xla_{m}_{T}({a})");
const NAMED_2: Spelling = Each("xla_{m}_{T}({a}, {b})");
const FUNCTION: ByForm = &[(F, F32_1), (D | C, NAMED_1)];

// The table has one operation per line where it fits.
#[rustfmt::skip]
fn by_form(opcode: Opcode) -> ByForm {
    use Opcode::*;
    match opcode {
        Add => &[
            (B, Any("({a} | {b})")), (I | F | D, Any("({a} + {b})")), (C, Each("({a} + {b})")),
            (L, NAMED_2),
        ],
        Sub => &[(I | F | D, Any("({a} - {b})")), (C, Each("({a} - {b})")), (L, NAMED_2)],
        Mul => &[(B, Any("({a} & {b})")), (I | F | D, Any("({a} * {b})")), (L | C, NAMED_2)],
        Div => &[(F | D, Any("({a} / {b})")), (I | L | C, NAMED_2)],
        Rem => &[(F, F32_2), (I | L | D, NAMED_2)],
        Pow => &[(F, F32_2), (I | L | D | C, NAMED_2)],
        Max => &[(B, Any("({a} | {b})")), (I, Any("max({a}, {b})")), (F, F32_2), (L | D, NAMED_2)],
        Min => &[(B, Any("({a} & {b})")), (I, Any("min({a}, {b})")), (F, F32_2), (L | D, NAMED_2)],
        Atan2 => &[(F, F32_2), (D | C, NAMED_2)],
        FloorDivide | Remainder => &[(F, F32_2), (I | L | D, NAMED_2)],
        Hypot | Logaddexp => &[(F, F32_2), (D, NAMED_2)],
        Copysign => &[
            (F, Any("bitcast<{F}>((bitcast<{U}>({a}) & {U}(0x7fffffffu)) | (bitcast<{U}>({b}) & {U}(0x80000000u)))")),
            (D, NAMED_2),
        ],
        Complex => &[(F, Each("vec2<f32>({a}, {b})"))],
        And => &[(B | I, Any("({a} & {b})")), (L, NAMED_2)],
        Or => &[(B | I, Any("({a} | {b})")), (L, NAMED_2)],
        Xor => &[(B, Any("({a} != {b})")), (I, Any("({a} ^ {b})")), (L, NAMED_2)],
        ShiftLeft => &[(I | L, NAMED_2)],
        ShiftRightLogical => &[
            (S, Each("bitcast<i32>(xla_{m}_u32(bitcast<u32>({a}) & {mask}, bitcast<u32>({b})))")),
            (U | L, NAMED_2),
        ],
        ShiftRightArithmetic => &[
            (U, Each("xla_{m}_u32(bitcast<u32>(bitcast<i32>({a} << {above}) >> {above}), {b})")),
            (S | L, NAMED_2),
        ],
        Eq => &[(B | I, Any("({a} == {b})")), (L | F | D | C, NAMED_2)],
        Ne => &[(B | I, Any("({a} != {b})")), (L | F | D | C, NAMED_2)],
        Lt => &[(B, Any("(!{a} & {b})")), (I, Any("({a} < {b})")), (L | F | D, NAMED_2)],
        Le => &[(B, Any("(!{a} | {b})")), (I, Any("({a} <= {b})")), (L | F | D, NAMED_2)],
        Gt => &[(B, Any("({a} & !{b})")), (I, Any("({a} > {b})")), (L | F | D, NAMED_2)],
        Ge => &[(B, Any("({a} | !{b})")), (I, Any("({a} >= {b})")), (L | F | D, NAMED_2)],
        EqTotalOrder => &[
            (B | I, Any("({a} == {b})")), (L, Each("xla_eq_{T}({a}, {b})")),
            (F, Any("(bitcast<{U}>({a}) == bitcast<{U}>({b}))")),
            (D, Any("(bitcast<{W}>({a}) == bitcast<{W}>({b}))")),
        ],
        NeTotalOrder => &[
            (B | I, Any("({a} != {b})")), (L, Each("xla_ne_{T}({a}, {b})")),
            (F, Any("(bitcast<{U}>({a}) != bitcast<{U}>({b}))")),
            (D, Any("(bitcast<{W}>({a}) != bitcast<{W}>({b}))")),
        ],
        LtTotalOrder => &[
            (B, Any("(!{a} & {b})")), (I, Any("({a} < {b})")), (L, Each("xla_lt_{T}({a}, {b})")),
            (F, Each("(xla_total_order_key({a}) < xla_total_order_key({b}))")),
            (D, Each("(xla_total_order_key_f64({a}) < xla_total_order_key_f64({b}))")),
        ],
        LeTotalOrder => &[
            (B, Any("(!{a} | {b})")), (I, Any("({a} <= {b})")), (L, Each("xla_le_{T}({a}, {b})")),
            (F, Each("(xla_total_order_key({a}) <= xla_total_order_key({b}))")),
            (D, Each("(xla_total_order_key_f64({a}) <= xla_total_order_key_f64({b}))")),
        ],
        GtTotalOrder => &[
            (B, Any("({a} & !{b})")), (I, Any("({a} > {b})")), (L, Each("xla_gt_{T}({a}, {b})")),
            (F, Each("(xla_total_order_key({a}) > xla_total_order_key({b}))")),
            (D, Each("(xla_total_order_key_f64({a}) > xla_total_order_key_f64({b}))")),
        ],
        GeTotalOrder => &[
            (B, Any("({a} | !{b})")), (I, Any("({a} >= {b})")), (L, Each("xla_ge_{T}({a}, {b})")),
            (F, Each("(xla_total_order_key({a}) >= xla_total_order_key({b}))")),
            (D, Each("(xla_total_order_key_f64({a}) >= xla_total_order_key_f64({b}))")),
        ],
        NextAfter => &[(F, Each("xla_{m}{narrow}({a}, {b})")), (D, NAMED_2)],
        Abs => &[
            (S, Any("abs({a})")), (F, Any("bitcast<{F}>(bitcast<{U}>({a}) & {U}(0x7fffffffu))")),
            (L | D | C, NAMED_1),
        ],
        Neg => &[
            (S, Any("(-{a})")), (U, Any("(~{a} + {U}(1u))")),
            (F, Any("bitcast<{F}>(bitcast<{U}>({a}) ^ {U}(0x80000000u))")), (L | D | C, NAMED_1),
        ],
        Sign => &[(S, Any("sign({a})")), (F, F32_1), (L | D | C, NAMED_1)],
        Ceil | Floor | Trunc | Round | RoundNearestEven | Rsqrt | Cbrt | Exp | Expm1 | Log | Log2
        | Log10 | Log1p | Logistic | Sin | Cos | Tan | Tanh | Sinh | Cosh | Asin | Acos | Atan | Asinh | Acosh
        | Atanh | Erf | Erfc | ErfInv | Lgamma | Digamma | BesselI0e | BesselI1e => FUNCTION,
        Sqrt => &[(F | D, Any("sqrt({a})")), (C, NAMED_1)],
        Reciprocal => &[(F, Any("({F}(1.0) / {a})")), (D, Any("({D}(1.0) / {a})")), (C, NAMED_1)],
        Square => &[
            (B, Any("{a}")), (I | F | D, Any("({a} * {a})")), (L, Each("xla_mul_{T}({a}, {a})")),
            (C, NAMED_1),
        ],
        IsFinite => &[
            (F, Any("((bitcast<{U}>({a}) & {U}(0x7f800000u)) != {U}(0x7f800000u))")), (D, NAMED_1),
        ],
        IsInf => &[
            (F, Any("((bitcast<{U}>({a}) & {U}(0x7fffffffu)) == {U}(0x7f800000u))")),
            (D | C, NAMED_1),
        ],
        IsNan => &[
            (F, Any("((bitcast<{U}>({a}) & {U}(0x7fffffffu)) > {U}(0x7f800000u))")),
            (D | C, NAMED_1),
        ],
        Signbit => &[(F, Any("(bitcast<{U}>({a}) >= {U}(0x80000000u))")), (D, NAMED_1)],
        Real => &[(F | D, Any("{a}")), (C, Each("{a}.x"))],
        // The zero is not a literal: compilers simplify products with a literal zero, and lose NaN
        // and signs.
        Imag => &[
            (F, Any("bitcast<{F}>(bitcast<{U}>({a}) & {U}(params.zero))")),
            (D, Each("bitcast<f64>(bitcast<u64>({a}) & u64(params.zero))")), (C, Each("{a}.y")),
        ],
        Conj => &[(F, Each("vec2<f32>({a}, bitcast<f32>(0x80000000u))")), (C, NAMED_1)],
        Not => &[(B, Any("(!{a})")), (I, Any("(~{a})")), (L, NAMED_1)],
        Clz => &[
            (S, Any("(countLeadingZeros(bitcast<{I}>(bitcast<{U}>({a}) & {U}({mask}))) - bitcast<{I}>({U}({above})))")),
            (U, Any("(countLeadingZeros({a}) - {U}({above}))")), (L, NAMED_1),
        ],
        PopulationCount => &[
            (S, Any("countOneBits(bitcast<{I}>(bitcast<{U}>({a}) & {U}({mask})))")),
            (U, Any("countOneBits({a})")), (L, NAMED_1),
        ],
        // Operands b and c are the format's numbers of bits.
        ReducePrecision => &[
            (F, Each("xla_{m}{narrow}({a}, {b}, {c})")), (D, Each("xla_{m}_f64({a}, {b}, {c})")),
        ],
        // The spelling depends on the form of the values, not of the predicate.
        Select => &[
            (B | I | F | D, Any("select({c}, {b}, {a})")), (L | C, Each("select({c}, {b}, {a})")),
        ],
        Clamp => &[
            (I, Any("min(max({a}, {b}), {c})")),
            (L, Each("xla_min_{T}(xla_max_{T}({a}, {b}), {c})")),
            (F, Each("xla_{m}({a}, {b}, {c})")), (D, Each("xla_{m}_{T}({a}, {b}, {c})")),
        ],
        // The imaginary part is not a literal, for the same reason as in Imag.
        Iota => &[
            (S, Any("{I}({a})")), (U, Any("{a}")), (L, Each("xla_u32_to_{T}({a})")),
            (F, Each("{iota}({a})")), (D, Each("f64({a})")),
            (C, Each("vec2<f32>(xla_u32_to_f32({a}), bitcast<f32>(params.zero))")),
        ],
        // Conversions are written by their two types; the others do not become operations of a
        // kernel. A test requires a spelling of all that do.
        _ => &[],
    }
}

/// Returns how an operation on this type is written.
pub(super) fn spelling(opcode: Opcode, element_type: ElementType) -> Spelling {
    let form = bit(element_type.form());
    let found = by_form(opcode).iter().find(|(forms, _)| forms & form != 0);
    // Inference refuses the types without one, so kernels never need them.
    found.map_or(Any(""), |&(_, spelling)| spelling)
}

/// An operation's spelling with the values for its template.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpelledOp {
    pub(super) spelling: Spelling,
    pub(super) opcode: Opcode,
    /// The type of the operands that determines the spelling.
    pub(super) from: ElementType,
    pub(super) to: ElementType,
    /// The narrowing that brings the result into its type.
    pub(super) narrowing: Narrowing,
    /// True if compilers must not rewrite the result together with its uses.
    pub(super) guarded: Option<GuardBy>,
    /// The parts that are flushed by bits.
    pub(super) flush: Flush,
}

impl SpelledOp {
    /// Fills a template of this operation with operands, types and names.
    pub(super) fn fill(&self, template: &str, operands: &[String], quad: bool) -> String {
        let types = if quad {
            ["vec4<f32>", "vec4<i32>", "vec4<u32>", "vec4<f64>", "vec4<u64>"]
        } else {
            ["f32", "i32", "u32", "f64", "u64"]
        };
        let bits = self.from.bits();
        let mut out = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some(start) = rest.find('{') {
            out.push_str(&rest[..start]);
            // Every brace in a spelling is of the form {X}.
            let (key, after) =
                rest[start + 1..].split_once('}').unwrap_or((&rest[start + 1..], ""));
            match key {
                "a" => out.push_str(&operands[0]),
                "b" => out.push_str(&operands[1]),
                "c" => out.push_str(&operands[2]),
                "F" => out.push_str(types[0]),
                "I" => out.push_str(types[1]),
                "U" => out.push_str(types[2]),
                "D" => out.push_str(types[3]),
                "W" => out.push_str(types[4]),
                "m" => out.push_str(self.opcode.method()),
                "T" => out.push_str(self.from.form().name()),
                "to" => out.push_str(self.to.form().name()),
                "mask" => out.push_str(&format!("{}u", mask(bits))),
                "above" => out.push_str(&format!("{}u", 32_usize.saturating_sub(bits))),
                "narrow" if self.from.is_narrow() => out.push_str(&format!("_{}", self.from)),
                "narrow" => {}
                _ => out.push_str(match self.from {
                    ElementType::F32 => "xla_u32_to_f32",
                    _ => "xla_u32_to_f32_odd",
                }),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indim_core::semantics::opcode::OpClass;

    #[test]
    fn spellings_are_there_for_the_accepted_types_and_no_others() {
        for &opcode in Opcode::ALL {
            let leaves_no_operation = matches!(
                opcode.class(),
                OpClass::Convert
                    | OpClass::Broadcast
                    | OpClass::View
                    | OpClass::Move
                    | OpClass::Take
                    | OpClass::Reduce
            ) || matches!(opcode, Opcode::Parameter | Opcode::Constant);
            let has = |&forms: &u8, accepted: ElementType| forms & bit(accepted.form()) != 0;
            for accepted in opcode.accepted().filter(|_| !leaves_no_operation) {
                let entries = by_form(opcode).iter().filter(|(forms, _)| has(forms, accepted));
                assert_eq!(entries.count(), 1, "{opcode:?} of {accepted}");
            }
            for (forms, _) in by_form(opcode) {
                let used = opcode.accepted().any(|accepted| has(forms, accepted));
                assert!(used, "{opcode:?} does not accept a type of {forms:#b}");
            }
        }
    }

    #[test]
    fn templates_are_filled_whole() {
        for &opcode in Opcode::ALL {
            for from in opcode.accepted() {
                for quad in [false, true] {
                    let spelling = spelling(opcode, from);
                    let (Any(template) | Each(template)) = spelling;
                    let narrowing = Narrowing::Keep;
                    let op = SpelledOp {
                        spelling,
                        opcode,
                        from,
                        to: from,
                        narrowing,
                        guarded: None,
                        flush: Flush::NEVER,
                    };
                    let operands = ["p", "q", "r"].map(str::to_owned);
                    let text = op.fill(template, &operands, quad);
                    assert!(!text.contains(['{', '}']), "{opcode:?} of {from}: {text}");
                }
            }
        }
    }
}
