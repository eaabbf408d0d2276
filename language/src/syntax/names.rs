//! Names in EXPR other than operands: functions and element types. The functions are those of the
//! library's table of operations, under XlaBuilder's names.

use std::ops::Range;

use indim_core::{ElementType, OpClass, Opcode};

use crate::report::diagnostic::Diagnostic;
use crate::report::suggest::nearest;
use crate::syntax::composed::{COMPOSED, Takes, composed};
use crate::syntax::foreign;
use crate::syntax::random::{RANDOM, example};

/// The only function that is not an operation: it gives a binary operation its dimensions.
pub(crate) const IN_DIM: &str = "in_dim";

/// The product of two vectors or matrices.
pub(crate) const DOT: &str = "dot";
/// The same with the dimensions of both operands.
const DOT_GENERAL: &str = "dot_general";

/// Short names of operations, in addition to their long ones.
const SHORT: [(&str, Opcode); 3] = [
    ("convert", Opcode::ConvertElementType),
    ("bitcast_convert", Opcode::BitcastConvertType),
    ("bitcast", Opcode::BitcastConvertType),
];

/// Returns the operation for a function name.
pub(crate) fn opcode(name: &str) -> Option<Opcode> {
    let short = SHORT.iter().find(|(short, _)| *short == name).map(|(_, opcode)| *opcode);
    // Parameters and constants are written as names and numbers.
    short
        .or_else(|| Opcode::from_method(name))
        .filter(|opcode| !matches!(opcode, Opcode::Parameter | Opcode::Constant))
}

/// Returns true for the names of products of matrices.
pub(crate) fn is_product(name: &str) -> bool {
    name == DOT || name == DOT_GENERAL
}

/// Returns true if a function has this name.
pub fn is_function(name: &str) -> bool {
    let is_composed = composed(name).is_some() || is_product(name) || example(name).is_some();
    name == IN_DIM || opcode(name).is_some() || is_composed
}

/// Returns the name of every function.
pub fn functions() -> impl Iterator<Item = &'static str> {
    let table = Opcode::ALL.iter().map(|opcode| opcode.method()).filter(|name| is_function(name));
    let composed = COMPOSED.iter().map(|composed| composed.name);
    let random = RANDOM.iter().map(|(name, _)| *name);
    let products = [DOT, DOT_GENERAL].into_iter();
    let composed = composed.chain(products).chain(random);
    table.chain(composed).chain(SHORT.iter().map(|(short, _)| *short)).chain([IN_DIM])
}

/// Returns an example of a function's call.
pub(crate) fn usage(name: &str) -> String {
    if let Some(arguments) = example(name) {
        return format!("`{name}({arguments})`");
    }
    let arguments = match opcode(name) {
        None => match composed(name).map(|composed| composed.takes) {
            Some(Takes::Dimensions) => "x, [1]",
            Some(Takes::DimensionsAndNumber) => "x, [1], 1e-5",
            Some(Takes::Dimension) => "x, 1",
            None if name == DOT => "x, y",
            None if name == DOT_GENERAL => "x, y, [2], [1], [0], [0]",
            None => "v, 1",
        },
        Some(Opcode::Select) => "pred, on_true, on_false",
        Some(Opcode::Clamp) => "min, x, max",
        Some(Opcode::NextAfter) => "from, to",
        Some(Opcode::ReducePrecision) => "x, 5, 10",
        Some(Opcode::Broadcast) => "x, 2, 3",
        Some(Opcode::BroadcastInDim) => "v, [2, 3], [1]",
        Some(Opcode::Transpose) => "x, [1, 0]",
        Some(Opcode::Slice) => "x, [0, 1], [4, 9], [1, 2]",
        Some(Opcode::Reverse) => "x, [1]",
        Some(Opcode::Reshape) => "x, [2, 6]",
        Some(Opcode::Pad) => "x, 0, [1, 1], [1, 1]",
        Some(Opcode::Concatenate) => "x, y, 0",
        Some(Opcode::Roll) => "x, 1, 0",
        Some(Opcode::Take | Opcode::TakeAlongDimension) => "x, indices, 0",
        Some(Opcode::Iota) => "s32, [2, 3], 0",
        Some(opcode) => match opcode.class() {
            OpClass::Binary | OpClass::Compare => "x, y",
            OpClass::Convert => "x, s32",
            OpClass::Reduce => "x, [1]",
            _ => "x",
        },
    };
    format!("`{name}({arguments})`")
}

/// Returns true if an unknown name looks like an element type.
pub fn is_near_type(name: &str) -> bool {
    let known = ElementType::ALL.iter().map(|of| of.name());
    foreign::element_type(name).is_some() || nearest(name, known).is_some()
}

/// Returns the error for an unknown element type.
pub fn unknown_type(span: Range<usize>, name: &str) -> Box<Diagnostic> {
    let known: Vec<&str> = ElementType::ALL.iter().map(|t| t.name()).collect();
    let near = || Some(format!("did you mean `{}`?", nearest(name, known.iter().copied())?));
    let known_types = format!("the element types are {}", known.join(", "));
    let help = match foreign::element_type(name).map(|instead| instead + ";").or_else(near) {
        Some(instead) => format!("{instead} {known_types}"),
        None => known_types,
    };
    Diagnostic::at(span, format!("unknown element type `{name}`")).help(help)
}
