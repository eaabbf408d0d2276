//! Runs the calls that stand in ```` ```text calls ```` blocks:
//!
//! ```text
//! add(f32[2,3], f32[3], [1]) -> f32[2,3]
//! add(f32[2,3], f32[3])
//! error[B1]: add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but
//!     broadcast_dimensions is empty; ...
//! ```
//!
//! An operand is written by type and shape, as in XLA's text; a list of numbers stands for itself.
//! A message may be wrapped: lines after it that are indented by four spaces belong to it.

use indim::{
    Builder, DotDimensionNumbers, ElementType, Error, Expr, Op, OpClass, Opcode, Result, Shape,
    numpy,
};

/// A call in a document, and its documented outcome.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) call: String,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The result's type and shape.
    Accepted(String),
    /// The rule's label and the message.
    Refused(String, String),
}

/// Reads the lines of a block.
pub(crate) fn parse(lines: &[&str]) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut call: Option<String> = None;
    for line in lines.iter().filter(|line| !line.is_empty()) {
        if let Some(rest) = line.strip_prefix("error[") {
            let (rule, message) = rest.split_once("]: ").expect("error[RULE]: message");
            let call = call.take().expect("a call before its error");
            let outcome = Outcome::Refused(rule.to_owned(), message.to_owned());
            examples.push(Example { call, outcome });
        } else if let Some(rest) = line.strip_prefix("    ") {
            match examples.last_mut() {
                Some(Example { outcome: Outcome::Refused(_, message), .. }) => {
                    *message = format!("{message} {}", rest.trim());
                }
                other => panic!("`{line}` goes on with {other:?}"),
            }
        } else {
            assert!(call.is_none(), "{call:?} has no outcome");
            match line.split_once("->") {
                Some((call, result)) => examples.push(Example {
                    call: call.trim().to_owned(),
                    outcome: Outcome::Accepted(result.trim().to_owned()),
                }),
                None => call = Some(line.trim().to_owned()),
            }
        }
    }
    assert!(call.is_none(), "{call:?} has no outcome");
    examples
}

/// Makes the call and returns what it gives.
pub(crate) fn run(call: &str) -> Outcome {
    match evaluate(call) {
        Ok(result) => Outcome::Accepted(result),
        Err(Error::Expression { source, .. }) => refused(&source),
        Err(error) => refused(&error),
    }
}

fn refused(error: &Error) -> Outcome {
    let rule = error.rule().map(|rule| rule.label().to_owned()).unwrap_or_default();
    Outcome::Refused(rule, error.to_string())
}

#[derive(Debug, Clone)]
enum Argument {
    Operand { element_type: ElementType, sizes: Vec<i64>, in_dim: Option<Vec<i64>> },
    List(Vec<i64>),
    Number(i64),
    Type(ElementType),
}

fn evaluate(call: &str) -> Result<String> {
    let (name, rest) = call.split_once('(').unwrap_or_else(|| panic!("`{call}` is not a call"));
    let inner = rest.strip_suffix(')').unwrap_or_else(|| panic!("`{call}` does not end with )"));
    let arguments: Vec<Argument> = split(inner).into_iter().map(argument).collect();
    match name {
        "numpy.broadcast_shapes" => {
            let shapes: Vec<Shape> = arguments.iter().map(|a| Shape::from(sizes(a))).collect();
            numpy::broadcast_shapes(&shapes.iter().collect::<Vec<_>>()).map(|shape| list(&shape))
        }
        "numpy.result_type" => {
            let types = arguments.iter().map(|argument| match argument {
                Argument::Type(element_type) => *element_type,
                other => panic!("{other:?} is not an element type"),
            });
            numpy::result_type(&types.collect::<Vec<_>>()).map(|found| found.to_string())
        }
        _ if arguments.iter().any(|a| matches!(a, Argument::Operand { in_dim: Some(_), .. })) => {
            with_in_dim(name, &arguments)
        }
        _ => with_builder(name, &arguments),
    }
}

/// Splits at the commas that stand in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn argument(text: &str) -> Argument {
    if let Ok(number) = text.parse() {
        return Argument::Number(number);
    }
    let (element_type, rest) = text.split_at(text.find('[').unwrap_or(text.len()));
    if element_type.is_empty() {
        return Argument::List(numbers(rest));
    }
    let element_type = element_type.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    if rest.is_empty() {
        return Argument::Type(element_type);
    }
    match rest.split_once(".in_dim(") {
        None => Argument::Operand { element_type, sizes: numbers(rest), in_dim: None },
        Some((shape, dims)) => {
            let dims = numbers(dims.strip_suffix(')').expect("the end of in_dim"));
            Argument::Operand { element_type, sizes: numbers(shape), in_dim: Some(dims) }
        }
    }
}

/// Reads `[1, 2]`.
fn numbers(text: &str) -> Vec<i64> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.unwrap_or_else(|| panic!("`{text}` is not a list"));
    let number = |part: &str| part.trim().parse().unwrap_or_else(|_| panic!("a number in {text}"));
    inner.split(',').filter(|part| !part.trim().is_empty()).map(number).collect()
}

fn sizes(argument: &Argument) -> Vec<usize> {
    match argument {
        Argument::List(sizes) | Argument::Operand { sizes, .. } => {
            sizes.iter().map(|&size| size.try_into().expect("a size")).collect()
        }
        other => panic!("{other:?} has no sizes"),
    }
}

fn list(shape: &Shape) -> String {
    shape.to_string().replace(' ', "")
}

/// Asks `Expr`'s operators, of f32.
fn with_in_dim(name: &str, arguments: &[Argument]) -> Result<String> {
    let operand = |argument: &Argument| match argument {
        Argument::Operand { element_type: ElementType::F32, sizes, in_dim } => {
            (Expr::<f32>::iota(sizes, 0), in_dim.clone())
        }
        other => panic!("{other:?} is not an operand of f32"),
    };
    let [lhs, rhs] = arguments else { panic!("{name} of {arguments:?}") };
    let ((lhs, lhs_dims), (rhs, rhs_dims)) = (operand(lhs), operand(rhs));
    assert_eq!(name, "add", "only `add` is asked with in_dim");
    let sum = match (lhs_dims, rhs_dims) {
        (Some(l), Some(r)) => lhs.in_dim(l) + rhs.in_dim(r),
        (Some(l), None) => lhs.in_dim(l) + rhs,
        (None, Some(r)) => lhs + rhs.in_dim(r),
        (None, None) => lhs + rhs,
    };
    sum.shape().map(|shape| format!("f32{}", list(shape)))
}

/// Asks a product, with the lists of `dot_general`: contracting dimensions of both operands, and batch
/// dimensions.
fn product(name: &str, operands: [&Argument; 2], lists: &[Argument]) -> Result<String> {
    let mut b = Builder::new();
    let [x, y] = operands.map(|operand| match operand {
        Argument::Operand { element_type, .. } => b.parameter(*element_type, sizes(operand)),
        other => panic!("{other:?} is not an operand"),
    });
    let list = |at: usize| match lists.get(at) {
        Some(Argument::List(list)) => list.as_slice(),
        None => &[],
        Some(other) => panic!("{other:?} is not a list"),
    };
    let numbers = DotDimensionNumbers::contracting(list(0), list(1)).batch(list(2), list(3));
    let made = match name {
        "dot" => b.dot(x?, y?),
        _ => b.dot_general(x?, y?, &numbers),
    }?;
    Ok(format!("{}{}", b.element_type(made)?, self::list(b.shape(made)?)))
}

fn with_builder(name: &str, arguments: &[Argument]) -> Result<String> {
    let mut b = Builder::new();
    // It is composed of others.
    if let ("argmax", [x @ Argument::Operand { element_type, .. }, Argument::List(dimensions)]) =
        (name, arguments)
    {
        let x = b.parameter(*element_type, sizes(x))?;
        let made = b.argmax(x, dimensions)?;
        return Ok(format!("{}{}", b.element_type(made)?, list(b.shape(made)?)));
    }
    if let ("dot" | "dot_general", [x, y, lists @ ..]) = (name, arguments) {
        return product(name, [x, y], lists);
    }
    let opcode = Opcode::from_method(name).unwrap_or_else(|| panic!("no operation `{name}`"));
    let mut operands: Vec<Op> = Vec::new();
    let mut lists: Vec<Vec<i64>> = Vec::new();
    let mut given: Vec<i64> = Vec::new();
    let mut types: Vec<ElementType> = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Operand { element_type, .. } => {
                operands.push(b.parameter(*element_type, sizes(argument))?);
            }
            Argument::List(list) => lists.push(list.clone()),
            Argument::Number(number) => given.push(*number),
            Argument::Type(element_type) => types.push(*element_type),
        }
    }
    let lists: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
    let (operands, lists, given) = (operands.as_slice(), lists.as_slice(), given.as_slice());
    let made = match (opcode, operands, lists, given, types.as_slice()) {
        (Opcode::Select, &[pred, on_true, on_false], [], [], []) => {
            b.select(pred, on_true, on_false)
        }
        (Opcode::Clamp, &[min, x, max], [], [], []) => b.clamp(min, x, max),
        (Opcode::NextAfter, &[from, to], [], [], []) => b.next_after(from, to),
        (Opcode::BroadcastInDim, &[x], [sizes, dims], [], []) => b.broadcast_in_dim(x, sizes, dims),
        (Opcode::Broadcast, &[x], [sizes], [], []) => b.broadcast(x, sizes),
        (Opcode::Transpose, &[x], [permutation], [], []) => b.transpose(x, permutation),
        (Opcode::Slice, &[x], [starts, limits, strides], [], []) => {
            b.slice(x, starts, limits, strides)
        }
        (Opcode::Reverse, &[x], [dimensions], [], []) => b.reverse(x, dimensions),
        (Opcode::Reshape, &[x], [sizes], [], []) => b.reshape(x, sizes),
        (Opcode::Pad, &[x, value], [low, high, interior], [], []) => {
            b.pad(x, value, low, high, interior)
        }
        (Opcode::Concatenate, operands, [], &[dimension], []) => b.concatenate(operands, dimension),
        (Opcode::Roll, &[x], [shifts, dimensions], [], []) => b.roll(x, shifts, dimensions),
        (Opcode::Take, &[x, indices], [], &[dimension], []) => b.take(x, indices, dimension),
        (Opcode::TakeAlongDimension, &[x, indices], [], &[dimension], []) => {
            b.take_along_dimension(x, indices, dimension)
        }
        (Opcode::Iota, [], [sizes], &[dimension], &[ty]) => b.iota(ty, sizes, dimension),
        (Opcode::ConvertElementType, &[x], [], [], &[to]) => b.convert_element_type(x, to),
        (Opcode::BitcastConvertType, &[x], [], [], &[to]) => b.bitcast_convert_type(x, to),
        (Opcode::ReducePrecision, &[x], [], &[exponent, mantissa], []) => {
            b.reduce_precision(x, exponent, mantissa)
        }
        (_, &[lhs, rhs], [] | [_], [], [])
            if matches!(opcode.class(), OpClass::Binary | OpClass::Compare) =>
        {
            b.binary(opcode, lhs, rhs, lists.first().copied().unwrap_or_default())
        }
        (_, &[x], [dimensions], [], []) if opcode.class() == OpClass::Reduce => {
            b.reduce(opcode, x, dimensions)
        }
        (_, &[x], [], [], []) if opcode.class() == OpClass::Unary => b.unary(opcode, x),
        _ => panic!("{name} does not take {arguments:?}"),
    }?;
    Ok(format!("{}{}", b.element_type(made)?, list(b.shape(made)?)))
}
