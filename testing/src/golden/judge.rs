//! Runs one golden line through the library's public API and checks whether the answer is XLA's.

use indim::plan::Subnormals;
use indim::{Builder, Computation, Context, ElementType, Error, Op, Opcode};

use super::compare::{self, Closeness};
use super::line::{self, Case, Expected, Line};
use super::refusals;
use crate::compute;
#[cfg(not(target_arch = "wasm32"))]
use crate::contexts;
use crate::host_array::HostArray;

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

/// How a line is computed.
#[cfg(not(target_arch = "wasm32"))]
type Run = fn(&Context, &Computation, &[&HostArray]) -> Result<HostArray, Error>;

/// Judges lines on one device.
pub struct Judge {
    context: Context,
    #[cfg(not(target_arch = "wasm32"))]
    run: Run,
}

impl Judge {
    /// Makes a judge of the results that this context computes.
    pub fn on(context: Context) -> Judge {
        Judge {
            context,
            #[cfg(not(target_arch = "wasm32"))]
            run: compute::run,
        }
    }

    /// Takes the adapter that the environment names. Without one the test fails with the library's
    /// message, which explains how to get one: a golden test that skips itself proves nothing.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn here() -> Judge {
        match contexts::blocking() {
            Ok(context) => Judge::on(context),
            Err(error) => panic!("{error}"),
        }
    }

    /// The same, with results written into the middle of existing arrays.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn into_targets(self) -> Judge {
        Judge { run: compute::run_into, ..self }
    }

    /// Judges two lines that are results of one computation. Those that are refused, and those that
    /// the adapter has no type for, are for [`Judge::judge`]: then it returns false.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn judge_pair(&self, lines: [&[u8]; 2]) -> Result<bool, Failure> {
        let parsed = lines.map(line::parse);
        let [Ok(first), Ok(second)] = parsed else { return Ok(false) };
        let pair = [&first, &second];
        if pair.iter().any(|line| self.lacks(line)) {
            return Ok(false);
        }
        let mut builder = Builder::new();
        let (mut roots, mut operands) = (Vec::new(), Vec::new());
        for line in pair {
            let Expected::Acceptance { .. } = line.expected else { return Ok(false) };
            let root = add(&mut builder, &line.case);
            let error =
                |error: Error| failure(line, (String::from("acceptance"), error.to_string()));
            roots.push(root.map_err(error)?);
            operands.extend(operands_of(&line.case));
        }
        let results = builder
            .build_all(&roots)
            .and_then(|computation| compute::run_all(&self.context, &computation, &operands));
        let error = |error: Error| failure(&second, (String::from("a pair"), error.to_string()));
        let results = results.map_err(error)?;
        for (line, got) in pair.into_iter().zip(&results) {
            self.compare(line, got).map_err(|found| failure(line, found))?;
        }
        Ok(true)
    }

    /// Compares a result with that of an accepted line.
    fn compare(&self, line: &Line, got: &HostArray) -> Result<(), (String, String)> {
        let Expected::Acceptance { exact, result, .. } = &line.expected else { return Ok(()) };
        let arithmetic = self.context.plan_limits().arithmetic.unwrap_or_default();
        let flushes = arithmetic.subnormals != Subnormals::Kept;
        let wanted = || format!("{}{:?}", result.element_type, result.shape);
        let closeness = Closeness::of(&line.case, *exact, &result.shape, flushes)
            .map_err(|got| (wanted(), got))?;
        compare::compare(&line.expected, &closeness, got)
    }

    /// Judges one line: the way in for golden lines and mutated ones alike.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn judge(&self, line: &[u8]) -> Result<(), Failure> {
        let line = parsed(line)?;
        let judged = self.computation(&line).and_then(|computation| match computation {
            None => Ok(()),
            Some(computation) => {
                let got = (self.run)(&self.context, &computation, &operands_of(&line.case));
                self.judge_acceptance(&line, got)
            }
        });
        judged.map_err(|found| failure(&line, found))
    }

    /// Blocking version of [`Judge::judge`].
    pub async fn judge_async(&self, line: &[u8]) -> Result<(), Failure> {
        let line = parsed(line)?;
        let computation = self.computation(&line).map_err(|found| failure(&line, found))?;
        let Some(computation) = computation else { return Ok(()) };
        let operands = operands_of(&line.case);
        let got = compute::run_async(&self.context, &computation, &operands).await;
        self.judge_acceptance(&line, got).map_err(|found| failure(&line, found))
    }

    /// Returns the computation of a line that is accepted, and none for one that is refused as it
    /// should be. Else it returns what was expected and what came.
    fn computation(&self, line: &Line) -> Result<Option<Computation>, (String, String)> {
        let built = build(&line.case);
        let result = match &line.expected {
            Expected::Refusal { error_kind } => {
                return judge_refusal(error_kind, &line.op, built).map(|()| None);
            }
            Expected::Acceptance { result, .. } => result,
        };
        let wanted = || format!("{}{:?}", result.element_type, result.shape);
        let computation = built.map_err(|error| (wanted(), format!("a refusal: {error}")))?;
        // Inference is judged before anything is computed: a wrong shape must not decide what is
        // allocated.
        let inferred = (computation.element_type(), computation.shape().dims());
        if inferred != (result.element_type, &result.shape[..]) {
            return Err((wanted(), format!("{}{:?} inferred", inferred.0, inferred.1)));
        }
        Ok(Some(computation))
    }

    fn judge_acceptance(
        &self,
        line: &Line,
        got: Result<HostArray, Error>,
    ) -> Result<(), (String, String)> {
        let Expected::Acceptance { result, .. } = &line.expected else { return Ok(()) };
        if self.lacks(line) {
            return match got {
                Err(error) if compute::is_refused_f64(&error) => Ok(()),
                other => Err(("a refusal of f64 by name".to_owned(), format!("{:?}", other.err()))),
            };
        }
        let wanted = || format!("{}{:?}", result.element_type, result.shape);
        let got = got.map_err(|error| (wanted(), format!("an error: {error}")))?;
        self.compare(line, &got)
    }

    /// Returns whether the line is of F64 and the adapter has none: then no value of it is
    /// compared, and [`Judge::judge`] wants a refusal.
    fn lacks(&self, line: &Line) -> bool {
        let result = match &line.expected {
            Expected::Acceptance { result, .. } => Some(result),
            Expected::Refusal { .. } => None,
        };
        let mut arrays = operands_of(&line.case).into_iter().chain(result);
        !compute::has_f64(&self.context) && arrays.any(|a| a.element_type == ElementType::F64)
    }

    /// Returns whether the line can be computed here.
    pub fn computes(&self, line: &[u8]) -> bool {
        line::parse(line).is_ok_and(|line| !self.lacks(&line))
    }
}

fn parsed(line: &[u8]) -> Result<Line, Failure> {
    line::parse(line).map_err(|malformed| Failure {
        id: malformed.id,
        op: malformed.op,
        expected: "a golden line".to_owned(),
        got: malformed.reason,
        malformed: true,
    })
}

fn failure(line: &Line, (expected, got): (String, String)) -> Failure {
    let (id, op) = (line.id.clone(), line.op.clone());
    Failure { id, op, expected, got, malformed: false }
}

fn judge_refusal(
    error_kind: &str,
    op: &str,
    built: Result<Computation, Error>,
) -> Result<(), (String, String)> {
    let rules = refusals::rules_of(error_kind, op);
    if rules.is_empty() {
        return Err((
            format!("a refusal, {error_kind:?}"),
            "no rule for this error_kind in testing/src/golden/refusals.rs".to_owned(),
        ));
    }
    let wanted = || {
        let labels: Vec<&str> = rules.iter().map(|rule| rule.label()).collect();
        format!("a refusal by {} ({error_kind})", labels.join(" or "))
    };
    match built {
        Ok(computation) => Err((
            wanted(),
            format!("{}{:?} inferred", computation.element_type(), computation.shape().dims()),
        )),
        Err(error) if error.rule().is_some_and(|rule| rules.contains(&rule)) => Ok(()),
        Err(error) => {
            let named = error.rule().map_or("no rule", |rule| rule.label());
            Err((wanted(), format!("{named}: {error}")))
        }
    }
}

/// All inference happens in here, for refusals and for acceptance, and needs no GPU.
fn build(case: &Case) -> Result<Computation, Error> {
    let mut builder = Builder::new();
    let root = add(&mut builder, case)?;
    builder.build(root)
}

/// Adds the line's operation, of parameters of its own.
fn add(builder: &mut Builder, case: &Case) -> Result<Op, Error> {
    let parameters = operands_of(case)
        .into_iter()
        .map(|operand| builder.parameter(operand.element_type, &operand.shape[..]))
        .collect::<Result<Vec<_>, _>>()?;
    operation(builder, case, &parameters)
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
        Case::Pad { low, high, interior, .. } => {
            builder.pad(parameters[0], parameters[1], low, high, interior)
        }
        Case::Concatenate { dimension, .. } => builder.concatenate(parameters, *dimension),
        Case::Roll { shifts, dimensions, .. } => builder.roll(parameters[0], shifts, dimensions),
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
        | Case::Broadcast { operand, .. }
        | Case::Roll { operand, .. } => vec![operand],
        Case::Select(operands) | Case::Clamp(operands) => operands.iter().collect(),
        Case::Pad { operands, .. } => operands.iter().collect(),
        Case::Concatenate { operands, .. } => operands.iter().collect(),
        Case::Iota { .. } => Vec::new(),
    }
}
