//! The constraints on types of `reduce`, which hold for sizes that are not known, too.

use std::rc::Rc;

use crate::lower::attributes::list;
use crate::lower::shapes::check_unique;
use crate::lower::state::{Lowering, result_types};
use crate::lower::value::Value;
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Operation, Types};
use crate::syntax::names::{Meaning, binary, meaning};
use crate::syntax::types::{Tensor, Type};

/// Checks all constraints, and returns the dimensions.
pub(crate) fn check<'a>(
    l: &Lowering<'_, 'a>,
    operation: &Operation<'a>,
    operands: &[Rc<Value<'a>>],
) -> Result<Vec<i64>> {
    let count = operands.len() / 2;
    let rule = |constraint, message: String| Finding::rule(operation.place(), constraint, message);
    if count == 0 {
        return Err(rule("C3", "the operation has no operand".to_owned()));
    }
    let (inputs, inits) = operands.split_at(count);
    let results = result_types(operation);
    let Some(first) = inputs[0].of.tensor() else {
        return Err(rule("I1", format!("an input is {}, not an array", inputs[0].of)));
    };
    if operation.attribute("applies").is_none() {
        check_region(l, operation, inputs, inits)?;
    }
    if !operands.len().is_multiple_of(2) || results.len() != count {
        let (given, results) = (operands.len(), results.len());
        let message = format!("{given} inputs and initial values are given for {results} results");
        return Err(rule("C3", message));
    }
    for input in inputs {
        if input.of.tensor().is_none_or(|of| !of.fits_shape(first)) {
            return Err(rule("C1", format!("inputs have different shapes: {first}, {}", input.of)));
        }
    }
    for (input, init) in inputs.iter().zip(inits) {
        let element = |value: &Value<'a>| value.of.tensor().map(|of| of.element);
        if element(input) != element(init) {
            let message = format!("an input is {}, its initial value {}", input.of, init.of);
            return Err(rule("C2", message));
        }
    }
    let dimensions = list(operation, &["dimensions"])?;
    let rank = first.sizes.len();
    let is_known = |d: &i64| usize::try_from(*d).is_ok_and(|d| d < rank);
    if let Some(wrong) = dimensions.iter().find(|d| !is_known(d)) {
        let message = format!("dimension {wrong} is not one of the {rank} of {first}");
        return Err(rule("C4", message).help("dimensions count from 0"));
    }
    check_unique(operation, "C5", &dimensions)?;
    check_shapes(l, operation, first, &dimensions)?;
    for of in &results {
        check_result(operation, of, first, &dimensions)?;
    }
    let element = |of: &Type<'a>| of.tensor().map(|of| of.element);
    let Some(named) = operation.attribute("applies") else {
        let returned = returned(l, operation).unwrap_or(&[]);
        let mut pairs = results.iter().zip(returned);
        if let Some((of, by)) = pairs.find(|(of, by)| element(of) != element(by)) {
            return Err(rule("C8", format!("a result is {of}, but the region returns {by}")));
        }
        return Ok(dimensions);
    };
    let wrong = |message: String| {
        Finding::syntax(operation.span.clone(), message)
            .of(operation.name)
            .help("write add, multiply, maximum, minimum, and, or, xor, or a region")
    };
    let Attribute::Word(name) = named.value else {
        return Err(wrong("`applies` names an operation".to_owned()));
    };
    if by(name).is_none() {
        let message = format!("`applies {name}` does not name a commutative binary operation");
        return Err(wrong(message));
    }
    // The short form's body has the element types of the results.
    for (input, of) in inputs.iter().zip(&results) {
        let pair = element(&input.of).zip(element(of));
        if pair.is_some_and(|(from, to)| !from.is_promotable(to)) {
            let message = format!("an input is {}, and not promotable to {of}", input.of);
            return Err(rule("C6", message));
        }
    }
    Ok(dimensions)
}

/// Returns the opcode by which `applies` combines elements.
pub(crate) fn by(name: &str) -> Option<indim_core::Opcode> {
    use indim_core::Opcode;
    let opcode = binary(name.strip_prefix("stablehlo.")?)?;
    let is_monoid = matches!(
        opcode,
        Opcode::Add
            | Opcode::Mul
            | Opcode::Max
            | Opcode::Min
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
    );
    is_monoid.then_some(opcode)
}

/// Returns the types of what a region returns.
fn returned<'s, 'a>(l: &Lowering<'s, 'a>, operation: &Operation<'a>) -> Option<&'s [Type<'a>]> {
    let source = l.source;
    let region = &source.regions[*operation.regions.first()?];
    let last = &source.operations[*region.operations.last()?];
    if meaning(last.name) != Some(Meaning::Return) {
        return None;
    }
    match &last.types {
        Types::None => Some(&[]),
        Types::List(types) | Types::Function(types, _) => Some(types),
    }
}

/// Checks the region's arguments and results (C6).
fn check_region<'a>(
    l: &Lowering<'_, 'a>,
    operation: &Operation<'a>,
    inputs: &[Rc<Value<'a>>],
    inits: &[Rc<Value<'a>>],
) -> Result<()> {
    let count = inputs.len();
    let rule = |message: String| Err(Finding::rule(operation.place(), "C6", message));
    let [region] = operation.regions.as_slice() else {
        return rule(format!("there is one region, but {} are given", operation.regions.len()));
    };
    let arguments = &l.source.regions[*region].arguments;
    if arguments.len() != 2 * count {
        let found = arguments.len();
        return rule(format!("the region takes {} arguments, but has {found}", 2 * count));
    }
    let Some(returned) = returned(l, operation) else {
        return rule("the region does not end in `stablehlo.return`".to_owned());
    };
    if returned.len() != count {
        return rule(format!("the region returns {} values, not {count}", returned.len()));
    }
    for (number, (name, of)) in arguments.iter().enumerate() {
        let result = &returned[number % count];
        let (Some(tensor), Some(_)) = (of.tensor(), result.tensor()) else {
            return rule(format!("`%{name}` is {of} and the result is {result}, not arrays"));
        };
        if !of.fits(result) {
            return rule(format!("`%{name}` is {of}, but result {} is {result}", number % count));
        }
        let given = if number < count { &inputs[number] } else { &inits[number - count] };
        let Some(given) = given.of.tensor() else {
            return rule(format!("an operand is {}, not an array", given.of));
        };
        if !given.element.is_promotable(tensor.element) {
            let element = given.element;
            return rule(format!("`%{name}` is {of}, to which {element} is not promotable"));
        }
    }
    Ok(())
}

/// Checks that the region's arguments are scalars, or have sizes of the result, in order (C6).
fn check_shapes(
    l: &Lowering<'_, '_>,
    operation: &Operation<'_>,
    first: &Tensor<'_>,
    dimensions: &[i64],
) -> Result<()> {
    let kept: Vec<Option<i64>> = kept(first, dimensions);
    let arguments = operation.regions.first().map(|&region| &l.source.regions[region].arguments);
    for (name, of) in arguments.into_iter().flatten() {
        let sizes = of.tensor().map_or(&[][..], |of| &of.sizes);
        let mut rest = kept.iter();
        let fits = sizes
            .iter()
            .all(|size| rest.any(|kept| size.is_none() || kept.is_none() || kept == size));
        if !fits {
            let message = format!("`%{name}` is {of}, not a scalar");
            return Err(Finding::rule(operation.place(), "C6", message));
        }
    }
    Ok(())
}

/// Returns the sizes of the dimensions that are not reduced.
fn kept(first: &Tensor<'_>, dimensions: &[i64]) -> Vec<Option<i64>> {
    let is_kept = |&(d, _): &(usize, &Option<i64>)| !dimensions.contains(&(d as i64));
    first.sizes.iter().enumerate().filter(is_kept).map(|(_, size)| *size).collect()
}

/// Checks the shape of a result (C7).
fn check_result(
    operation: &Operation<'_>,
    of: &Type<'_>,
    first: &Tensor<'_>,
    dimensions: &[i64],
) -> Result<()> {
    let Some(result) = of.tensor() else {
        let message = format!("a result is {of}, not an array");
        return Err(Finding::rule(operation.place(), "C7", message));
    };
    let sizes = kept(first, dimensions);
    let expected = Tensor { sizes, element: result.element, is_encoded: false };
    if expected.fits_shape(result) {
        return Ok(());
    }
    let message =
        format!("a result is {of}, but {first} without dimensions {dimensions:?} is {expected}");
    Err(Finding::rule(operation.place(), "C7", message))
}
