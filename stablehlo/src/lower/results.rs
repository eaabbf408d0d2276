//! Sets the results of operations, after checks of the types that are written for them.

use indim_core::Opcode;

use crate::lower::state::{Lowering, result_types};
use crate::lower::value::Value;
use crate::report::problem::Finding;
use crate::syntax::module::Operation;
use crate::syntax::names::{Meaning, meaning};
use crate::syntax::types::Type;

/// Checks the results of an operation against the types that are written for them, and sets them.
pub(crate) fn finish<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    results: Vec<Value<'a>>,
) {
    if operation.results.len() != results.len() && !operation.results.is_empty() {
        let (found, named) = (results.len(), operation.results.len());
        let message = format!("the operation has {found} results, but {named} have names");
        let finding = Finding::syntax(operation.span.clone(), message);
        l.report_of(operation, finding.of(operation.name));
        return l.refuse(operation);
    }
    for (index, value) in results.into_iter().enumerate() {
        finish_one(l, operation, index, value);
    }
}

/// Checks one result of an operation against the type that is written for it, and sets it.
pub(crate) fn finish_one<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    index: usize,
    mut value: Value<'a>,
) {
    if let Some(&of) = result_types(operation).get(index) {
        if value.is_refused() {
            value.of = of.clone();
        } else if value.of != *of {
            l.report_of(operation, result_mismatch(operation, of, &value));
            value = Value::refused(of.clone());
        }
    }
    l.set(operation, index, value);
}

/// Returns the error for a result of another type than the written one.
fn result_mismatch<'a>(
    operation: &Operation<'a>,
    of: &Type<'a>,
    value: &Value<'a>,
) -> Box<Finding> {
    let same_elements = match (of.tensor(), value.of.tensor()) {
        (Some(written), Some(found)) => written.element == found.element,
        _ => false,
    };
    let constraint = match meaning(operation.name) {
        Some(Meaning::Unary(Opcode::IsFinite) | Meaning::Compare) if !same_elements => "",
        Some(Meaning::Unary(Opcode::Abs | Opcode::Imag | Opcode::Real)) if !same_elements => "C2",
        Some(Meaning::Binary(Opcode::Complex)) if !same_elements => "C3",
        Some(Meaning::Binary(Opcode::Complex) | Meaning::Compare | Meaning::Select) => "C2",
        Some(Meaning::Clamp | Meaning::Composite) => "C4",
        Some(Meaning::Map) if !same_elements => "C4",
        Some(Meaning::Reduce) if same_elements => "C7",
        Some(Meaning::Reduce) => "C8",
        Some(Meaning::Concatenate) if same_elements => "C6",
        Some(Meaning::Concatenate) => "C5",
        Some(Meaning::DotGeneral) => "C12",
        Some(Meaning::Gather) if same_elements => "C22",
        Some(Meaning::Gather) => "C23",
        _ if !same_elements => "C1",
        Some(Meaning::Slice | Meaning::DynamicSlice) => "C5",
        Some(Meaning::Pad) => "C4",
        Some(Meaning::Transpose) => "C3",
        _ => "C1",
    };
    let message = format!("the result is {}, but {of} is written", value.of);
    Finding::rule(operation.place(), constraint, message)
        .help(format!("write {} as the type of the result", value.of))
}
