//! Lowers a function: one operation after the other, in the innermost region.

use std::rc::Rc;

use indim_core::{Builder, Computation};

use crate::lower::program::{Argument, Program};
use crate::lower::results::finish;
use crate::lower::state::{Frame, Lowering, MAX_OPERATIONS, result_types};
use crate::lower::value::{Kind, Value, array_type};
use crate::lower::{
    calls, checks, constants, dot, elementwise, gather, map, reduce, rules, shapes,
};
use crate::report::problem::Finding;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Function, Operation, OperationId, Source, Types};
use crate::syntax::names::{Meaning, meaning};
use crate::syntax::types::Type;

/// Lowers a function to a program, or returns all that keeps it from being one.
pub(crate) fn lower<'a>(
    source: &Source<'a>,
    text: &'a str,
    function: usize,
    with_checks: bool,
) -> std::result::Result<Program, Vec<Finding>> {
    let mut l = Lowering::new(source, text, with_checks);
    let entry = &source.functions[function];
    let lowered = begin(&mut l, function).and_then(|arguments| Ok((arguments, run(&mut l)?)));
    let (arguments, results) = match lowered {
        Ok(lowered) => lowered,
        Err(finding) => {
            l.report(finding);
            return Err(l.findings);
        }
    };
    match end(&mut l, entry, arguments, &results) {
        Ok(program) if l.findings.is_empty() => Ok(program),
        Ok(_) => Err(l.findings),
        Err(finding) => {
            // What follows from a refusal is not a reason of its own.
            if l.findings.is_empty() {
                l.report(finding);
            }
            Err(l.findings)
        }
    }
}

/// Adds the function's arguments as parameters.
fn begin(l: &mut Lowering<'_, '_>, function: usize) -> Result<Vec<Argument>> {
    let source = l.source;
    let entry = &source.functions[function];
    let Some(region) = entry.body else {
        let message = format!("function `@{}` is declared only, without a body", entry.name);
        return Err(Finding::syntax(entry.span.clone(), message));
    };
    let body = &source.regions[region];
    let mut values = vec![None; body.values];
    let mut arguments = Vec::new();
    for (number, (name, of)) in body.arguments.iter().enumerate() {
        let place = ("func.func", entry.span.clone());
        let value = match array_type(of) {
            Ok((element_type, shape)) => {
                let op = l.builder().parameter(element_type, &shape);
                let op = op.map_err(|error| Finding::unsupported(place, error.to_string()))?;
                let label = entry.labels.get(number).copied().flatten().map(str::to_owned);
                arguments.push(Argument { name: (*name).to_owned(), label, element_type, shape });
                Value::new(of.clone(), op)
            }
            Err(message) => {
                l.report(Finding::unsupported(place, message));
                Value::refused(of.clone())
            }
        };
        values[number] = Some(Rc::new(value));
    }
    l.entered.insert(function);
    let (next, function, is_scalar) = (0, Some(function), false);
    l.frames.push(Frame { region, next, values, function, for_operation: None, is_scalar });
    Ok(arguments)
}

/// Lowers all operations, and returns the function's results.
fn run<'a>(l: &mut Lowering<'_, 'a>) -> Result<Vec<Rc<Value<'a>>>> {
    let source = l.source;
    while let Some(frame) = l.frames.last_mut() {
        let Some(&id) = source.regions[frame.region].operations.get(frame.next) else {
            let span = frame.function.map_or(0..0, |number| source.functions[number].span.clone());
            return Err(Finding::syntax(span, "a region does not end in `return`"));
        };
        frame.next += 1;
        let operation = &source.operations[id];
        l.lowered += weight(operation);
        if l.lowered > MAX_OPERATIONS {
            let message = format!(
                "the program has more than {MAX_OPERATIONS} operations, counted at each call"
            );
            return Err(Finding::unsupported(operation.place(), message));
        }
        if meaning(operation.name) == Some(Meaning::Return) && !operation.is_skipped {
            let results = calls::returned(l, operation)?;
            let Some(frame) = l.frames.pop() else { break };
            if let Some(function) = frame.function {
                l.entered.remove(&function);
            }
            let Some(id) = frame.for_operation else { return Ok(results) };
            let operation = &source.operations[id];
            if frame.is_scalar {
                region_end(l, operation, &results);
            } else {
                let results = results.iter().map(|value| Value::clone(value)).collect();
                finish(l, operation, results);
            }
            continue;
        }
        if let Err(finding) = step(l, id, operation) {
            l.report_of(operation, finding);
            l.refuse(operation);
        }
    }
    Err(Finding::syntax(0..0, "the function does not return"))
}

/// Returns how many operations an operation counts as: long lists and types of high rank take longer.
/// A constant is read once.
fn weight(operation: &Operation<'_>) -> usize {
    let attributes = operation.attributes.iter().filter(|named| named.name != "value");
    let bytes: usize = attributes.map(|named| named.span.len()).sum();
    let types = result_types(operation);
    let sizes = types.iter().filter_map(|of| of.tensor()).map(|of| of.sizes.len()).sum::<usize>();
    1 + (bytes + sizes) / 256 + operation.results.len() / 16
}

/// Lowers one operation. Calls and regions are begun; the others set their results.
fn step<'a>(l: &mut Lowering<'_, 'a>, id: OperationId, operation: &Operation<'a>) -> Result<()> {
    let Some(meaning) = meaning(operation.name).filter(|_| !operation.is_skipped) else {
        let message = "this operation is not implemented";
        return Err(Finding::unsupported(operation.place(), message)
            .help("stablehlo/README.md lists those that are; compute its result in another way"));
    };
    let operands = l.operands(operation)?;
    check_operand_types(operation, meaning, &operands)?;
    elementwise::check(operation, meaning, &operands)?;
    let is_refused = operands.iter().any(|operand| operand.is_refused());
    match meaning {
        // These check types, and lower what else they call.
        Meaning::Reduce => return reduce::begin(l, id, operation, &operands),
        Meaning::Call => return calls::call(l, id, operation, &operands),
        Meaning::Composite => {
            if let Some(known) = calls::known_composite(operation).filter(|_| !is_refused) {
                let results = by_meaning(l, id, operation, known, &operands)?;
                finish(l, operation, results);
                return Ok(());
            }
            return calls::composite(l, id, operation, &operands);
        }
        _ => {}
    }
    let result_types = result_types(operation);
    if meaning != Meaning::Check && !operation.results.is_empty() {
        for of in &result_types {
            array_type(of).map_err(|message| Finding::unsupported(operation.place(), message))?;
        }
    }
    if is_refused {
        l.refuse(operation);
        return Ok(());
    }
    match meaning {
        Meaning::Map => return map::begin(l, id, operation, &operands),
        Meaning::Check => return checks::check(l, id, operation, operation.name, &operands),
        Meaning::CustomCall => {
            if let Some(name) = calls::check_of(operation) {
                return checks::check(l, id, operation, name, &operands);
            }
        }
        _ => {}
    }
    let results = by_meaning(l, id, operation, meaning, &operands)?;
    finish(l, operation, results);
    Ok(())
}

/// Lowers an operation without regions.
fn by_meaning<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    meaning: Meaning,
    operands: &[Rc<Value<'a>>],
) -> Result<Vec<Value<'a>>> {
    match meaning {
        Meaning::Constant => constants::constant(l, id, operation),
        Meaning::Identity => Ok(operands.iter().map(|value| Value::clone(value)).collect()),
        Meaning::CustomCall => {
            let known = calls::known_custom_call(operation)?;
            by_meaning(l, id, operation, known, operands)
        }
        Meaning::DotGeneral | Meaning::Dot => dot::dot(l, operation, meaning, operands),
        Meaning::Gather => gather::gather(l, operation, operands),
        Meaning::Iota
        | Meaning::BroadcastInDim
        | Meaning::Broadcast
        | Meaning::Transpose
        | Meaning::Reshape
        | Meaning::Slice
        | Meaning::DynamicSlice
        | Meaning::Reverse
        | Meaning::Pad
        | Meaning::Concatenate => shapes::shaped(l, operation, meaning, operands),
        _ => elementwise::elementwise(l, operation, meaning, operands),
    }
}

/// Ends a region on scalars, whose results these are.
fn region_end<'a>(l: &mut Lowering<'_, 'a>, operation: &Operation<'a>, results: &[Rc<Value<'a>>]) {
    let computation = scalar_computation(l, operation, results);
    let ended = match (computation, meaning(operation.name)) {
        (Ok(Some(computation)), Some(Meaning::Map)) => map::end(l, operation, &computation),
        (Ok(Some(computation)), _) => reduce::end(l, operation, &computation),
        (Ok(None), _) => {
            l.refuse(operation);
            return;
        }
        (Err(finding), _) => Err(finding),
    };
    match ended {
        Ok(values) => finish(l, operation, values),
        Err(finding) => {
            l.report_of(operation, finding);
            l.refuse(operation);
        }
    }
}

/// Returns a region as a computation on scalars; `None` if something in it was refused.
fn scalar_computation<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    results: &[Rc<Value<'a>>],
) -> Result<Option<Computation>> {
    let is_refused = results.iter().any(|value| value.is_refused());
    let roots = if is_refused { Ok(Vec::new()) } else { l.ops(operation, results) };
    let builder = l.builders.pop().unwrap_or_default();
    if is_refused {
        return Ok(None);
    }
    let built: indim_core::Result<Computation> = Builder::build_all(builder, &roots?);
    built.map(Some).map_err(|error| rules::finding(operation, &error))
}

/// Checks that operands have the types that are written for them.
fn check_operand_types<'a>(
    operation: &Operation<'a>,
    meaning: Meaning,
    operands: &[Rc<Value<'a>>],
) -> Result<()> {
    let types: Vec<&Type<'a>> = match &operation.types {
        Types::Function(types, _) => {
            if types.len() != operands.len() {
                let (types, found) = (types.len(), operands.len());
                let message = format!("{types} operands have types, but {found} are given");
                return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
            }
            types.iter().collect()
        }
        Types::List(list) => match (meaning, list.as_slice()) {
            (Meaning::Select, [pred, of]) => vec![pred, of, of],
            (Meaning::Identity | Meaning::Return | Meaning::Check, _) => list.iter().collect(),
            (Meaning::Constant | Meaning::Iota, _) => Vec::new(),
            // The type of the result stands for those of the operands, which have its parts.
            (Meaning::Binary(indim_core::Opcode::Complex), _) => Vec::new(),
            (_, [of]) => vec![of; operands.len()],
            _ => list.iter().collect(),
        },
        Types::None => Vec::new(),
    };
    for ((operand, value), of) in operation.operands.iter().zip(operands).zip(types) {
        // The types of refused values may be unknown.
        if value.of != *of && !matches!(value.of, Type::Other("unknown")) {
            let message = format!("`%{}` is {}, but {of} is written", operand.name, value.of);
            // One type for all makes the operands equal in type; otherwise the rule is MLIR's.
            let constraint = match (meaning, &operation.types) {
                (Meaning::Binary(_), Types::List(_)) => "C1",
                _ => "",
            };
            return Err(Finding::rule((operation.name, operand.span.clone()), constraint, message)
                .help("operands have the types that are written after the colon"));
        }
    }
    Ok(())
}

/// Returns the program of the lowered function.
fn end<'a>(
    l: &mut Lowering<'_, 'a>,
    entry: &Function<'a>,
    arguments: Vec<Argument>,
    results: &[Rc<Value<'a>>],
) -> Result<Program> {
    let source = l.source;
    let last = entry.body.and_then(|body| source.regions[body].operations.last());
    let Some(operation) = last.map(|&id| &source.operations[id]) else {
        return Err(Finding::syntax(entry.span.clone(), "the function does not return"));
    };
    if results.iter().any(|value| matches!(value.kind, Kind::Refused)) {
        return Err(Finding::unsupported(operation.place(), "a result was refused"));
    }
    let mut roots = l.ops(operation, results)?;
    let offset = roots.len();
    roots.append(&mut l.roots);
    let mut checks = l.checks.take().unwrap_or_default();
    checks.iter_mut().for_each(|check| checks::shift(check, offset));
    let labels = entry.results.as_deref().unwrap_or(&[]).iter().map(|(_, label)| *label);
    let mut names: Vec<Option<String>> = labels.map(|label| label.map(str::to_owned)).collect();
    names.resize(offset, None);
    let builder = l.builders.pop().unwrap_or_default();
    let place = ("func.return", operation.span.clone());
    let computation = builder.build_all(&roots).map_err(|error| {
        Finding::unsupported(place, error.to_string())
            .help("the function has no result; checks are results, if they are asked for")
    })?;
    let constants = std::mem::take(&mut l.constants);
    Ok(Program { computation, arguments, constants, results: names, checks })
}
