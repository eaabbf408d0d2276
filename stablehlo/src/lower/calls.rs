//! Calls, which are inlined; composites; custom calls; and `return`.

use std::rc::Rc;

use crate::lower::state::{Frame, Lowering};
use crate::lower::value::Value;
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Operation, OperationId, Types};
use crate::syntax::names::{self, Meaning};

/// Custom calls whose result is their operand: they say where arrays are kept.
const IDENTITIES: [&str; 8] = [
    "Sharding",
    "xla.sdy.FuncResultSharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "annotate_device_placement",
];

/// Begins a call of a function.
pub(crate) fn call<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    operands: &[Rc<Value<'a>>],
) -> Result<()> {
    let callee = operation.attribute("callee").map(|named| &named.value);
    let Some(Attribute::Symbol(name)) = callee else {
        return Err(Finding::syntax(operation.span.clone(), "the name of the function is missing"));
    };
    enter(l, id, operation, name, operands)
}

/// Returns the operation that a composite stands for, if it is implemented.
pub(crate) fn known_composite(operation: &Operation<'_>) -> Option<Meaning> {
    let name = match operation.attribute("name")?.value {
        Attribute::String(name) => name,
        _ => return None,
    };
    if let Some(own) = names::own(name) {
        return Some(own);
    }
    let known = names::chlo(name.strip_prefix("chlo.")?)?;
    // The others have attributes.
    matches!(known, Meaning::Unary(_) | Meaning::NextAfter | Meaning::IsInfinity(_))
        .then_some(known)
}

/// Begins the decomposition of a composite.
pub(crate) fn composite<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    operands: &[Rc<Value<'a>>],
) -> Result<()> {
    let decomposition = operation.attribute("decomposition").map(|named| &named.value);
    let Some(Attribute::Symbol(name)) = decomposition else {
        return Err(Finding::syntax(operation.span.clone(), "a composite has a decomposition")
            .of(operation.name));
    };
    if let Some(Attribute::String(name)) = operation.attribute("name").map(|named| &named.value)
        && name.split_once('.').is_none_or(|(space, name)| space.is_empty() || name.is_empty())
    {
        let message = format!("the name `{name}` has no namespace");
        return Err(Finding::rule(operation.place(), "C1", message)
            .help("write a namespace before it, such as `my_namespace.my_op`"));
    }
    enter(l, id, operation, name, operands)
}

/// Begins the body of a function with these operands as its arguments.
fn enter<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    name: &str,
    operands: &[Rc<Value<'a>>],
) -> Result<()> {
    let source = l.source;
    // Of a composite these are constraints, of a call they are MLIR's.
    let wrong = |constraint: &str, message: String| match names::meaning(operation.name) {
        Some(Meaning::Composite) => Finding::rule(operation.place(), constraint, message),
        _ => Finding::syntax(operation.span.clone(), message).of(operation.name),
    };
    let Some(&number) = source.numbers.get(name) else {
        return Err(wrong("C2", format!("the program has no function `@{name}`")));
    };
    let function = &source.functions[number];
    if l.entered.contains(&number) {
        let message = format!("`@{name}` calls itself, and functions are inlined");
        return Err(Finding::unsupported(operation.place(), message)
            .help("StableHLO has no recursion: write the calls out, as many as there are"));
    }
    let Some(region) = function.body else {
        let message = format!("function `@{name}` is declared only, without a body");
        return Err(Finding::unsupported(operation.place(), message));
    };
    let body = &source.regions[region];
    if body.arguments.len() != operands.len() {
        let (takes, given) = (body.arguments.len(), operands.len());
        let message = format!("`@{name}` has {takes} arguments, but {given} operands are given");
        return Err(wrong("C3", message));
    }
    for (operand, (argument, of)) in operands.iter().zip(&body.arguments) {
        if operand.of != *of && !operand.is_refused() {
            let message =
                format!("argument `%{argument}` of `@{name}` is {of}, not {}", operand.of);
            return Err(wrong("C3", message));
        }
    }
    let mut values = vec![None; body.values];
    values.iter_mut().zip(operands).for_each(|(value, operand)| *value = Some(Rc::clone(operand)));
    let (function, for_operation) = (Some(number), Some(id));
    l.entered.insert(number);
    l.frames.push(Frame { region, next: 0, values, function, for_operation, is_scalar: false });
    Ok(())
}

/// Returns the operands of `return`, and checks their types against the function's.
pub(crate) fn returned<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
) -> Result<Vec<Rc<Value<'a>>>> {
    let values = l.operands(operation)?;
    let function = l.frames.last().and_then(|frame| frame.function);
    let results = function.and_then(|number| l.source.functions[number].results.as_deref());
    let Some(results) = results else { return Ok(values) };
    if results.len() != values.len() {
        let (has, given) = (results.len(), values.len());
        let message = format!("the function has {has} results, but {given} are returned");
        return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
    }
    for ((of, _), value) in results.iter().zip(&values) {
        if value.of != *of && !value.is_refused() {
            let message = format!("the function returns {of}, not {}", value.of);
            return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
        }
    }
    Ok(values)
}

/// Returns the name of the function that a custom call calls.
fn target<'a>(operation: &Operation<'a>) -> Option<&'a str> {
    let named = operation.attribute("callee").or(operation.attribute("call_target_name"))?;
    match named.value {
        Attribute::Symbol(name) | Attribute::String(name) => Some(name),
        _ => None,
    }
}

/// Returns the check that a custom call is, such as `check.expect_eq`.
pub(crate) fn check_of<'a>(operation: &Operation<'a>) -> Option<&'a str> {
    target(operation).filter(|name| name.starts_with("check.expect_"))
}

/// Returns the operation that a custom call is, if it is implemented.
pub(crate) fn known_custom_call(operation: &Operation<'_>) -> Result<Meaning> {
    let Some(target) = target(operation) else {
        return Err(Finding::syntax(operation.span.clone(), "a custom call has a target"));
    };
    let keeps_types = match &operation.types {
        Types::Function(operands, results) => operands == results,
        _ => false,
    };
    let known = match target.split_once('.') {
        Some(("mhlo" | "chlo", mnemonic)) => names::chlo(mnemonic),
        _ if IDENTITIES.contains(&target) && keeps_types => Some(Meaning::Identity),
        _ => None,
    };
    known.filter(|known| matches!(known, Meaning::Unary(_) | Meaning::Identity)).ok_or_else(|| {
        let message = format!("the custom call `@{target}` is not implemented");
        Finding::unsupported(operation.place(), message)
            .help("custom calls run a library's code: write what it computes in StableHLO")
    })
}
