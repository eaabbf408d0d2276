//! Elementwise operations, conversions, comparisons and choices.

use std::rc::Rc;

use indim_core::num_complex::Complex32;
use indim_core::{ElementType, Op, Opcode, Scalar};

use crate::lower::attributes::list;
use crate::lower::state::{Lowering, result_types};
use crate::lower::value::{Value, array_type, type_of};
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::Operation;
use crate::syntax::names::{Meaning, Sign};
use crate::syntax::types::Type;

/// Lowers an elementwise operation.
pub(crate) fn elementwise<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    meaning: Meaning,
    operands: &[Rc<Value<'a>>],
) -> Result<Vec<Value<'a>>> {
    count(operation, meaning, operands.len())?;
    let ops = l.ops(operation, operands)?;
    let op = match (meaning, ops.as_slice()) {
        (Meaning::Unary(opcode), &[x]) => l.build(operation, |b| b.unary(opcode, x)),
        (Meaning::Binary(opcode), &[lhs, rhs]) => {
            l.build(operation, |b| b.binary(opcode, lhs, rhs, [0_i64; 0]))
        }
        (Meaning::NextAfter, &[from, to]) => l.build(operation, |b| b.next_after(from, to)),
        (Meaning::Broadcasting(opcode), &[lhs, rhs]) => {
            broadcasting(l, operation, opcode, [lhs, rhs])
        }
        (Meaning::BroadcastingCompare, &[lhs, rhs]) => {
            let opcode = comparison(operation, &operands[0])?;
            broadcasting(l, operation, opcode, [lhs, rhs])
        }
        (Meaning::Compare, &[lhs, rhs]) => {
            let opcode = comparison(operation, &operands[0])?;
            l.build(operation, |b| b.binary(opcode, lhs, rhs, [0_i64; 0]))
        }
        (Meaning::BroadcastingNextAfter | Meaning::BroadcastingSelect, _) => {
            stretched(l, operation, meaning, &ops)
        }
        (Meaning::Select, &[pred, on_true, on_false]) => {
            l.build(operation, |b| b.select(pred, on_true, on_false))
        }
        (Meaning::Clamp, &[min, x, max]) => l.build(operation, |b| b.clamp(min, x, max)),
        (Meaning::IsInfinity(sign), &[x]) => is_infinity(l, operation, x, sign),
        (Meaning::Convert | Meaning::BitcastConvert, &[x]) => convert(l, operation, meaning, x),
        (Meaning::ReducePrecision, &[x]) => reduce_precision(l, operation, x),
        _ => Err(Finding::unsupported(operation.place(), "this operation is not implemented")),
    }?;
    value(l, operation, op).map(|value| vec![value])
}

/// Checks the constraints on the types of an elementwise operation, which hold for sizes that are not
/// known, too.
pub(crate) fn check(
    operation: &Operation<'_>,
    meaning: Meaning,
    operands: &[Rc<Value<'_>>],
) -> Result<()> {
    let is_known = |operand: &Rc<Value<'_>>| !matches!(operand.of, Type::Other(_));
    match meaning {
        Meaning::Binary(_)
        | Meaning::NextAfter
        | Meaning::Compare
        | Meaning::Select
        | Meaning::Clamp => {
            count(operation, meaning, operands.len())?;
            if operands.iter().all(is_known) {
                check_types(operation, meaning, operands)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns a value of the builder with its type.
pub(crate) fn value<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    op: Op,
) -> Result<Value<'a>> {
    let b = l.builder();
    let of = b.element_type(op).and_then(|of| Ok(type_of(of, b.shape(op)?)));
    let of = of.map_err(|error| Finding::unsupported(operation.place(), error.to_string()))?;
    Ok(Value::new(of, op))
}

/// Checks the number of operands.
fn count(operation: &Operation<'_>, meaning: Meaning, given: usize) -> Result<()> {
    let takes = match meaning {
        Meaning::Select | Meaning::Clamp | Meaning::BroadcastingSelect => 3,
        Meaning::Binary(_)
        | Meaning::Broadcasting(_)
        | Meaning::Compare
        | Meaning::BroadcastingCompare
        | Meaning::NextAfter
        | Meaning::BroadcastingNextAfter => 2,
        _ => 1,
    };
    expect_count(operation, takes, given)
}

/// Checks a number of operands.
pub(crate) fn expect_count(operation: &Operation<'_>, takes: usize, given: usize) -> Result<()> {
    if takes == given {
        return Ok(());
    }
    let message = format!("the operation takes {takes} operands, but {given} are given");
    Err(Finding::syntax(operation.span.clone(), message).of(operation.name))
}

/// Checks the constraints on types that are stricter than the library's rules, which let sizes of 1
/// stretch.
fn check_types(
    operation: &Operation<'_>,
    meaning: Meaning,
    operands: &[Rc<Value<'_>>],
) -> Result<()> {
    let place = || operation.place();
    let differ = |constraint, [a, b]: [usize; 2]| {
        let (first, second) = (&operation.operands[a].name, &operation.operands[b].name);
        let (x, y) = (&operands[a].of, &operands[b].of);
        let message = format!("`%{first}` is {x}, but `%{second}` is {y}");
        Err(Finding::rule(place(), constraint, message)
            .help("broadcast one with `stablehlo.broadcast_in_dim`, or convert it"))
    };
    let same_shape = |a: usize, b: usize| match (operands[a].of.tensor(), operands[b].of.tensor()) {
        (Some(a), Some(b)) => a.fits_shape(b),
        _ => false,
    };
    let is_scalar = |a: usize| operands[a].of.tensor().is_some_and(|of| of.sizes.is_empty());
    match meaning {
        Meaning::Binary(_) | Meaning::NextAfter if !operands[0].of.fits(&operands[1].of) => {
            differ("C1", [0, 1])
        }
        Meaning::Compare if !operands[0].of.fits(&operands[1].of) => {
            differ(if same_shape(0, 1) { "C1" } else { "C2" }, [0, 1])
        }
        Meaning::Select if !operands[1].of.fits(&operands[2].of) => differ("C2", [1, 2]),
        Meaning::Select if !is_scalar(0) && !same_shape(0, 1) => differ("C1", [0, 1]),
        Meaning::Clamp if !is_scalar(0) && !same_shape(0, 1) => differ("C1", [0, 1]),
        Meaning::Clamp if !is_scalar(2) && !same_shape(2, 1) => differ("C2", [2, 1]),
        Meaning::Clamp => {
            let element = |a: usize| operands[a].of.tensor().map(|of| of.element);
            match (0..3).find(|&a| element(a) != element(1)) {
                Some(other) => differ("C3", [other, 1]),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Returns the opcode of a comparison.
fn comparison(operation: &Operation<'_>, operand: &Value<'_>) -> Result<Opcode> {
    let keyword = |name| operation.attribute(name).and_then(|named| named.value.keyword());
    let Some(direction) = keyword("comparison_direction") else {
        let message = "the direction is missing: EQ, NE, GE, GT, LE or LT";
        return Err(Finding::syntax(operation.span.clone(), message)
            .of(operation.name)
            .help("write it before the operands, such as `compare LT, %x, %y`"));
    };
    let element_type = operand.of.tensor().and_then(|of| of.element_type());
    let is_integer = |of: ElementType| of.integer_range();
    let fits: &[&str] = match element_type {
        Some(ElementType::C64) => &["FLOAT"],
        Some(ElementType::Pred) => &["UNSIGNED"],
        Some(of) => match is_integer(of) {
            Some((least, _)) if least < 0 => &["SIGNED"],
            Some(_) => &["UNSIGNED"],
            None => &["FLOAT", "TOTALORDER"],
        },
        None => &[],
    };
    let compare_type = keyword("compare_type").filter(|of| *of != "NOTYPE");
    if let Some(found) = compare_type.filter(|found| !fits.contains(found)) {
        let message =
            format!("the compare_type of {} is {}, not {found}", operand.of, fits.join(" or "));
        return Err(Finding::rule(operation.place(), "C3", message)
            .help("leave it out: it follows from the element type"));
    }
    let is_total = compare_type == Some("TOTALORDER");
    Ok(match (direction, is_total) {
        ("EQ", false) => Opcode::Eq,
        ("NE", false) => Opcode::Ne,
        ("GE", false) => Opcode::Ge,
        ("GT", false) => Opcode::Gt,
        ("LE", false) => Opcode::Le,
        ("LT", false) => Opcode::Lt,
        ("EQ", true) => Opcode::EqTotalOrder,
        ("NE", true) => Opcode::NeTotalOrder,
        ("GE", true) => Opcode::GeTotalOrder,
        ("GT", true) => Opcode::GtTotalOrder,
        ("LE", true) => Opcode::LeTotalOrder,
        ("LT", true) => Opcode::LtTotalOrder,
        _ => {
            let message =
                format!("unknown direction `{direction}`; it is EQ, NE, GE, GT, LE or LT");
            return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
        }
    })
}

/// Lowers an operation of `chlo` on two operands that broadcast: by `broadcast_dimensions`, or aligned
/// at the last dimension.
fn broadcasting(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    opcode: Opcode,
    [lhs, rhs]: [Op; 2],
) -> Result<Op> {
    let place = || operation.place();
    let wrong = |error: indim_core::Error| Finding::unsupported(place(), error.to_string());
    let b = l.builder();
    let ranks = [b.shape(lhs).map_err(wrong)?.rank(), b.shape(rhs).map_err(wrong)?.rank()];
    let (low, high) = (ranks[0].min(ranks[1]), ranks[0].max(ranks[1]));
    let given = match operation.attribute(BROADCAST_DIMENSIONS) {
        Some(_) => list(operation, &[BROADCAST_DIMENSIONS])?,
        None if low == 0 || low == high => Vec::new(),
        None => (high - low..high).map(|d| d as i64).collect(),
    };
    let finding = |error: indim_core::Error| {
        let text = error.to_string();
        let message = text.split_once(": ").map_or(text.as_str(), |(_, message)| message);
        Finding::rule(place(), "", message)
    };
    b.binary(opcode, lhs, rhs, given).map_err(finding)
}

/// The attribute with the dimensions of the result that those of the operand of lower rank match.
const BROADCAST_DIMENSIONS: &str = "broadcast_dimensions";

/// Lowers an operation of `chlo` whose operands are first broadcast to the result's shape: by
/// `broadcast_dimensions`, or aligned at the last dimension.
fn stretched(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    meaning: Meaning,
    operands: &[Op],
) -> Result<Op> {
    let Some((_, shape)) = result_types(operation).first().and_then(|of| array_type(of).ok())
    else {
        return Err(Finding::unsupported(operation.place(), "the type of the result is missing"));
    };
    let given = match operation.attribute(BROADCAST_DIMENSIONS) {
        Some(_) => Some(list(operation, &[BROADCAST_DIMENSIONS])?),
        None => None,
    };
    let stretched = operands.iter().map(|&operand| {
        l.build(operation, |b| {
            let rank = b.shape(operand)?.rank();
            let first = shape.rank().saturating_sub(rank);
            let is_lower = 0 < rank && rank < shape.rank();
            let dimensions = match &given {
                Some(given) if is_lower => given.clone(),
                _ => (first..first + rank).map(|d| d as i64).collect(),
            };
            b.broadcast_in_dim(operand, &shape, dimensions)
        })
    });
    let stretched: Vec<Op> = stretched.collect::<Result<_>>()?;
    match (meaning, stretched.as_slice()) {
        (Meaning::BroadcastingSelect, &[pred, on_true, on_false]) => {
            l.build(operation, |b| b.select(pred, on_true, on_false))
        }
        (_, &[from, to]) => l.build(operation, |b| b.next_after(from, to)),
        _ => Err(Finding::unsupported(operation.place(), "this operation is not implemented")),
    }
}

/// Lowers a comparison with an infinity.
fn is_infinity(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    x: Op,
    sign: Sign,
) -> Result<Op> {
    l.build(operation, |b| {
        let infinity = match sign {
            Sign::Plus => f64::INFINITY,
            Sign::Minus => f64::NEG_INFINITY,
        };
        let infinity = Scalar::from_f64(b.element_type(x)?, infinity);
        let infinity = b.constant(infinity.unwrap_or(Scalar::new(Complex32::new(0.0, 0.0))))?;
        b.eq(x, infinity, [0_i64; 0])
    })
}

/// Lowers a conversion of values or of bits to the type of the result.
fn convert(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    meaning: Meaning,
    x: Op,
) -> Result<Op> {
    let of = result_types(operation).first().and_then(|of| array_type(of).ok());
    let Some((to, _)) = of else {
        return Err(Finding::syntax(operation.span.clone(), "the type of the result is missing"));
    };
    if meaning == Meaning::BitcastConvert {
        check_bitcast(l, operation, x, to)?;
    }
    l.build(operation, |b| match meaning {
        Meaning::Convert => b.convert_element_type(x, to),
        _ => b.bitcast_convert_type(x, to),
    })
}

/// Checks that both types of a bitcast are complex or none is (C2), and that the last dimension has
/// the bits of one element of a wider type (C1). Shapes of results are compared once they are known.
fn check_bitcast(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    x: Op,
    to: ElementType,
) -> Result<()> {
    let b = l.builder();
    let (Ok(from), Ok(shape)) = (b.element_type(x), b.shape(x)) else { return Ok(()) };
    if (from == ElementType::C64) != (to == ElementType::C64) {
        let message = format!("{from} and {to} are not both complex types");
        return Err(Finding::rule(operation.place(), "C2", message));
    }
    let is_known = from != ElementType::Pred && to != ElementType::Pred;
    let count = to.bits() / from.bits();
    if is_known && count > 1 && shape.dims().last() != Some(&count) {
        let message =
            format!("{count} of {from} make one {to}, but the last size of {shape} is not {count}");
        return Err(Finding::rule(operation.place(), "C1", message));
    }
    Ok(())
}

/// Lowers a rounding to a format, which is written `e5m10` in the operation's own form.
fn reduce_precision(l: &mut Lowering<'_, '_>, operation: &Operation<'_>, x: Op) -> Result<Op> {
    let bits = |name| match operation.attribute(name).map(|named| &named.value) {
        Some(Attribute::Integer(bits)) => i64::try_from(*bits).ok(),
        _ => None,
    };
    let format = operation.attribute("format").and_then(|named| named.value.keyword());
    let written = format.and_then(|format| {
        let (exponent, mantissa) = format.strip_prefix('e')?.split_once('m')?;
        Some((exponent.parse().ok()?, mantissa.parse().ok()?))
    });
    let given = bits("exponent_bits").zip(bits("mantissa_bits"));
    let Some((exponent, mantissa)) = written.or(given) else {
        let message = "the format is missing, such as `format = e5m10`";
        return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
    };
    let constraint = if exponent < 1 { "C2" } else { "C3" };
    let built = l.builder().reduce_precision(x, exponent, mantissa);
    built.map_err(|error| match error.rule() {
        Some(indim_core::Rule::T5) => {
            Finding::rule(operation.place(), constraint, error.to_string())
        }
        _ => crate::lower::rules::finding(operation, &error),
    })
}
