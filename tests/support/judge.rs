//! Runs one golden line through the library's public API and says whether the answer is XLA's.

use indim::{Builder, Computation, Context, Error, Op, Opcode};

use super::compare::{self, Closeness};
use super::golden::{self, Case, Expected, HostArray, Line};
use super::{operands, refusals, tolerance};

/// A line that did not pass.
#[derive(Debug)]
pub struct Failure {
    pub id: String,
    pub op: String,
    pub expected: String,
    pub got: String,
    /// The line itself is broken; the library was not asked.
    pub malformed: bool,
}

/// Judges lines on one device.
pub struct Judge {
    context: Context,
}

impl Judge {
    /// Takes the adapter that the environment names. Without one the test fails, with the library's
    /// message, which says how to get one: a golden test that skips itself shows nothing.
    pub fn new() -> Judge {
        match Context::blocking() {
            Ok(context) => Judge { context },
            Err(error) => panic!("{error}"),
        }
    }

    /// Judges one line: the only way in, for golden lines and mutated ones alike.
    pub fn judge(&self, line: &[u8]) -> Result<(), Failure> {
        let line = golden::parse(line).map_err(|malformed| Failure {
            id: malformed.id,
            op: malformed.op,
            expected: "a golden line".to_owned(),
            got: malformed.reason,
            malformed: true,
        })?;
        self.answer(&line).map_err(|(expected, got)| Failure {
            id: line.id,
            op: line.op,
            expected,
            got,
            malformed: false,
        })
    }

    /// Ok, or what was expected and what came.
    fn answer(&self, line: &Line) -> Result<(), (String, String)> {
        let built = build(&line.case);
        match &line.expected {
            Expected::Refusal { error_kind } => judge_refusal(error_kind, &line.op, built),
            Expected::Acceptance { exact, result, alt } => {
                let computation = built.map_err(|error| {
                    (
                        format!("{}{:?}", result.element_type, result.shape),
                        format!("a refusal: {error}"),
                    )
                })?;
                self.judge_acceptance(line, &computation, *exact, result, alt.as_ref())
            }
        }
    }

    fn judge_acceptance(
        &self,
        line: &Line,
        computation: &Computation,
        exact: bool,
        result: &HostArray,
        alt: Option<&HostArray>,
    ) -> Result<(), (String, String)> {
        let wanted = || format!("{}{:?}", result.element_type, result.shape);
        // Inference is judged before anything is computed: a wrong shape must not decide what is
        // allocated.
        let inferred = (computation.element_type(), computation.shape().dims());
        if inferred != (result.element_type, &result.shape[..]) {
            return Err((wanted(), format!("{}{:?} inferred", inferred.0, inferred.1)));
        }
        let closeness =
            closeness(&line.case, exact, &result.shape).map_err(|got| (wanted(), got))?;
        let got = self
            .compute(computation, operands_of(&line.case))
            .map_err(|error| (wanted(), format!("an error: {error}")))?;
        compare::compare(result, alt, &closeness, &got)
    }

    fn compute(
        &self,
        computation: &Computation,
        operands: Vec<&HostArray>,
    ) -> Result<HostArray, Error> {
        let uploaded = operands
            .into_iter()
            .map(|operand| self.context.upload(&operand.to_literal()?))
            .collect::<Result<Vec<_>, _>>()?;
        let arguments: Vec<_> = uploaded.iter().collect();
        let result = self.context.run(computation, &arguments)?;
        Ok(HostArray::from_literal(&result.to_literal_blocking()?))
    }
}

fn judge_refusal(
    error_kind: &str,
    op: &str,
    built: Result<Computation, Error>,
) -> Result<(), (String, String)> {
    let rule = refusals::rule_of(error_kind, op).ok_or_else(|| {
        (
            format!("a refusal, {error_kind:?}"),
            "no rule for this error_kind in tests/support/refusals.rs".to_owned(),
        )
    })?;
    let wanted = || format!("a refusal by {} ({error_kind})", rule.label());
    match built {
        Ok(computation) => Err((
            wanted(),
            format!("{}{:?} inferred", computation.element_type(), computation.shape().dims()),
        )),
        Err(error) if error.rule() == Some(rule) => Ok(()),
        Err(error) => {
            let named = error.rule().map_or("no rule", |rule| rule.label());
            Err((wanted(), format!("{named}: {error}")))
        }
    }
}

/// All inference happens in here, for refusals and for acceptance, and needs no GPU.
fn build(case: &Case) -> Result<Computation, Error> {
    let mut builder = Builder::new();
    let parameters = operands_of(case)
        .into_iter()
        .map(|operand| builder.parameter(operand.element_type, &operand.shape[..]))
        .collect::<Result<Vec<_>, _>>()?;
    let root = operation(&mut builder, case, &parameters)?;
    builder.build(root)
}

fn operation(builder: &mut Builder, case: &Case, parameters: &[Op]) -> Result<Op, Error> {
    match case {
        // It takes no broadcast_dimensions, in XLA neither.
        Case::Binary { opcode: Opcode::NextAfter, .. } => {
            builder.next_after(parameters[0], parameters[1])
        }
        Case::Binary { opcode, broadcast_dimensions, .. } => {
            builder.binary(*opcode, parameters[0], parameters[1], broadcast_dimensions)
        }
        Case::Unary { opcode, .. } => builder.unary(*opcode, parameters[0]),
        Case::ReducePrecision { exponent_bits, mantissa_bits, .. } => {
            builder.reduce_precision(parameters[0], *exponent_bits, *mantissa_bits)
        }
        Case::Convert { opcode, to, .. } => match opcode {
            Opcode::BitcastConvertType => builder.bitcast_convert_type(parameters[0], *to),
            _ => builder.convert_element_type(parameters[0], *to),
        },
        Case::Select(_) => builder.select(parameters[0], parameters[1], parameters[2]),
        Case::Clamp(_) => builder.clamp(parameters[0], parameters[1], parameters[2]),
        Case::BroadcastInDim { out_shape, broadcast_dimensions, .. } => {
            builder.broadcast_in_dim(parameters[0], out_shape, broadcast_dimensions)
        }
        Case::Broadcast { sizes, .. } => builder.broadcast(parameters[0], sizes),
        Case::Iota { element_type, shape, iota_dimension } => {
            builder.iota(*element_type, shape, *iota_dimension)
        }
    }
}

/// The operands, in the order of the parameters.
fn operands_of(case: &Case) -> Vec<&HostArray> {
    match case {
        Case::Binary { lhs, rhs, .. } => vec![lhs, rhs],
        Case::Unary { operand, .. }
        | Case::ReducePrecision { operand, .. }
        | Case::Convert { operand, .. }
        | Case::BroadcastInDim { operand, .. }
        | Case::Broadcast { operand, .. } => vec![operand],
        Case::Select(operands) | Case::Clamp(operands) => operands.iter().collect(),
        Case::Iota { .. } => Vec::new(),
    }
}

fn closeness(case: &Case, exact: bool, shape: &[usize]) -> Result<Closeness, String> {
    if exact {
        return Ok(Closeness::Bits);
    }
    let opcode = match case {
        Case::Binary { opcode, .. } | Case::Unary { opcode, .. } => *opcode,
        _ => return Err("only binary and unary operations have a tolerance".to_owned()),
    };
    let Some(tolerance) = tolerance::of(opcode) else {
        return Err(format!("{} has no line in tests/support/tolerance.rs", opcode.name()));
    };
    match operands::seen_from(case, shape) {
        Some(operands) => Ok(Closeness::Near { tolerance, operands }),
        None => Err(format!("operands that give no {shape:?} of floats")),
    }
}
