//! The precision that a product of matrices asks for: `precision_config` and `algorithm`.

use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Named, Operation};

/// The algorithms that StableHLO knows: the precision of both operands, the type of sums, and the
/// numbers of primitive operations. `f8` is any type of 8 bits.
const ALGORITHMS: [(&str, &str, &[i128]); 8] = [
    ("f8", "f32", &[1]),
    ("f16", "f16", &[1]),
    ("f16", "f32", &[1]),
    ("bf16", "bf16", &[1]),
    ("bf16", "f32", &[1, 3, 6, 9]),
    ("tf32", "f32", &[1, 3]),
    ("f32", "f32", &[1]),
    ("f64", "f64", &[1]),
];

/// Checks the precision (C11, C21 to C24), and returns true if an algorithm asks for products and sums
/// in F64. Without that, what is computed is at least as precise as any that is known.
pub(crate) fn check(operation: &Operation<'_>) -> Result<bool> {
    let words = precisions(operation)?;
    let Some(named) = operation.attribute("algorithm") else { return Ok(false) };
    if let Some(word) = words.iter().find(|word| **word != "DEFAULT") {
        let message = format!("an algorithm is given, and the precision {word}");
        return Err(Finding::rule(operation.place(), "C21", message)
            .help("write DEFAULT for both operands, or leave the algorithm out"));
    }
    let counts = [
        ("C22", "lhs_component_count"),
        ("C23", "rhs_component_count"),
        ("C24", "num_primitive_operations"),
    ];
    let mut numbers = [0; 3];
    for (number, (constraint, name)) in numbers.iter_mut().zip(counts) {
        *number = count(operation, named, constraint, name)?;
    }
    let parts = ["lhs_precision_type", "rhs_precision_type", "accumulation_type"];
    let [lhs, rhs, sums] = parts.map(|name| part(operation, named, name));
    let (lhs, rhs, sums) = (lhs?, rhs?, sums?);
    let is_imprecise = part(operation, named, "allow_imprecise_accumulation")? == "true";
    let family = |of: &'static str, text: &str| text == of || of == "f8" && text.starts_with("f8");
    let is_known = ALGORITHMS.iter().any(|(of, to, primitives)| {
        family(of, lhs)
            && family(of, rhs)
            && sums == *to
            && numbers[..2] == [1, 1]
            && primitives.contains(&numbers[2])
            && (!is_imprecise || *of == "f8")
    });
    if is_known {
        return Ok(sums == "f64");
    }
    let [left, right, primitives] = numbers;
    let message = format!(
        "the algorithm of {lhs}, {rhs} and {sums}, with {left} and {right} components and {primitives} \
         primitive operations, is not known"
    );
    let known = ALGORITHMS.map(|(of, to, primitives)| format!("{of} to {to} by {primitives:?}"));
    let help = format!("known are {}, with 1 component of each operand", known.join(", "));
    Err(Finding::unsupported(operation.place(), message).help(help))
}

/// Returns the precision of each operand; none where the attribute is missing or empty, as MLIR
/// writes the default.
fn precisions<'o, 'a>(operation: &'o Operation<'a>) -> Result<&'o [&'a str]> {
    let named = operation.attribute("precision_config").or(operation.attribute("precision"));
    let Some(named) = named else { return Ok(&[]) };
    let known = |word: &&str| matches!(*word, "DEFAULT" | "HIGH" | "HIGHEST");
    match &named.value {
        Attribute::Integers(list) if list.is_empty() => Ok(&[]),
        Attribute::Words(words) if words.iter().all(known) && words.len() == 2 => Ok(words),
        Attribute::Words(words) if words.iter().all(known) => {
            let message = format!("{} precisions are given for two operands", words.len());
            Err(Finding::rule(operation.place(), "C11", message)
                .help("write one for each operand, such as `[DEFAULT, DEFAULT]`"))
        }
        _ => {
            let message = "the precision of each operand must be DEFAULT, HIGH or HIGHEST";
            Err(Finding::syntax(named.span.clone(), message).of(operation.name))
        }
    }
}

/// Returns a number of an algorithm, which must be positive.
fn count(operation: &Operation<'_>, named: &Named<'_>, rule: &str, name: &str) -> Result<i128> {
    let text = part(operation, named, name)?;
    match text.parse::<i128>() {
        Ok(count) if count > 0 => Ok(count),
        Ok(count) => {
            let message = format!("`{name}` of the algorithm is {count}, not positive");
            Err(Finding::rule(operation.place(), rule, message).help("write 1"))
        }
        Err(_) => {
            let message = format!("`{name}` of the algorithm must be an integer, not `{text}`");
            Err(Finding::syntax(named.span.clone(), message).of(operation.name))
        }
    }
}

/// Returns the text of a part of an algorithm.
fn part<'a>(operation: &Operation<'_>, named: &Named<'a>, name: &str) -> Result<&'a str> {
    named.value.text_within(name).ok_or_else(|| {
        let message = format!("the algorithm has no `{name}`");
        Finding::syntax(named.span.clone(), message)
            .of(operation.name)
            .help("write `algorithm = <lhs_precision_type = f32, ...>` with all its parts")
    })
}
