//! The checks that a program makes of its own values: `check.expect_...`.

use std::rc::Rc;

use indim_core::Literal;

use crate::lower::constants;
use crate::lower::program::{Check, Checked, Measure};
use crate::lower::state::Lowering;
use crate::lower::value::{Kind, Value};
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Operation, OperationId};
use crate::syntax::types::Type;

/// The most bytes of elements that checks compare with: each check has a copy of them.
const MAX_BYTES: usize = 1 << 26;

/// Keeps a check, whose values become results of the computation.
pub(crate) fn check<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    name: &str,
    operands: &[Rc<Value<'a>>],
) -> Result<()> {
    if l.checks.is_none() || l.builders.len() > 1 {
        return Ok(());
    }
    let measure = measure(operation, name)?;
    let (actual, expected) = match operands {
        [actual] => (checked(l, operation, actual)?, constant(l, id, operation, &actual.of)?),
        [actual, expected] if actual.of != expected.of => {
            let message = format!("{} is compared with {}", actual.of, expected.of);
            return Err(Finding::rule(operation.place(), "", message));
        }
        [actual, expected] => (checked(l, operation, actual)?, checked(l, operation, expected)?),
        _ => {
            let message = "a check has one value and a constant, or two values";
            return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
        }
    };
    let line = l.text[..operation.span.start].matches('\n').count() + 1;
    if let Some(checks) = &mut l.checks {
        checks.push(Check { measure, actual, expected, line });
    }
    Ok(())
}

/// Adds to the numbers of results.
pub(crate) fn shift(check: &mut Check, by: usize) {
    for side in [&mut check.actual, &mut check.expected] {
        if let Checked::Result(number) = side {
            *number += by;
        }
    }
}

/// Returns how a check compares.
fn measure(operation: &Operation<'_>, name: &str) -> Result<Measure> {
    let number = |attribute: &str| {
        let named = operation.attribute(attribute)?;
        match named.value {
            Attribute::Integer(number) => Some(number as f64),
            Attribute::Number(text) => text.parse().ok(),
            _ => None,
        }
    };
    let distance = |attribute: &str, otherwise: u64| match operation.attribute(attribute) {
        Some(named) => match named.value {
            // Written as a signed number in some programs.
            Attribute::Integer(number) => number as u64,
            _ => otherwise,
        },
        None => otherwise,
    };
    Ok(match name {
        "check.expect_eq" | "check.expect_eq_const" => Measure::Equal,
        "check.expect_almost_eq" | "check.expect_almost_eq_const" => {
            let otherwise = if name.ends_with("const") { 1e-4 } else { 1e-3 };
            Measure::Almost { tolerance: number("tolerance").unwrap_or(otherwise) }
        }
        "check.expect_close" => Measure::Close {
            least: distance("min_ulp_difference", 0),
            most: distance("max_ulp_difference", 3),
        },
        _ => {
            let message = format!("the check `{name}` is not implemented");
            return Err(Finding::unsupported(operation.place(), message));
        }
    })
}

/// Returns a value as a side of a check.
fn checked<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    value: &Value<'a>,
) -> Result<Checked> {
    if let Kind::List(literal, _) = &value.kind {
        l.checked_bytes = l.checked_bytes.saturating_add(literal.bytes().len());
        if l.checked_bytes > MAX_BYTES {
            let message =
                format!("the checks compare with more than {MAX_BYTES} bytes of elements");
            return Err(Finding::unsupported(operation.place(), message).help("use fewer checks"));
        }
        return Ok(Checked::Elements(Literal::clone(literal)));
    }
    let op = l.op(operation, value)?;
    let known = l.roots.iter().position(|&root| root == op);
    Ok(Checked::Result(known.unwrap_or_else(|| {
        l.roots.push(op);
        l.roots.len() - 1
    })))
}

/// Returns the elements that a check names itself.
fn constant<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    of: &Type<'a>,
) -> Result<Checked> {
    let Some(named) = operation.attribute("value") else {
        let message = "the elements to compare with are missing";
        return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
    };
    let kind = constants::read(l, id, operation, named, of)?;
    checked(l, operation, &Value { of: of.clone(), kind, iota: None })
}
