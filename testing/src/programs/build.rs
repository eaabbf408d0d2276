//! Builds a program with the library's builder. Each call's inference is compared with the rules
//! here, also that of wrong calls, after which the builder must be as it was before.

use indim::{Builder, Computation, Error, Op, Scalar};

use crate::programs::invalid;
use crate::programs::program::{Call, Program, Type};
use crate::programs::rules;
use crate::random::Random;

/// The findings of the calls in between, and the values that they left in the builder.
#[derive(Debug, Default)]
pub struct Attempts {
    /// Labels of the rules by which wrong calls were refused.
    pub refused: Vec<&'static str>,
    /// Values for further calls: the program's, and those of calls that turned out valid. They are
    /// operands with shapes that do not meet in a valid program.
    pub ops: Vec<Op>,
    pub types: Vec<Type>,
}

/// The library's computation for the program, or how it disagreed with the rules.
pub fn build(program: &Program) -> Result<Computation, String> {
    build_and(program, |_, _, _| Ok(()))
}

/// The same with calls that may be wrong in between: `percent` of 100 after each node on average.
pub fn build_with_wrong_calls(
    program: &Program,
    random: &mut Random,
    percent: usize,
) -> Result<(Computation, Attempts), String> {
    let mut attempts = Attempts::default();
    let computation = build_and(program, |builder, op, ty| {
        attempts.ops.push(op);
        attempts.types.push(ty.clone());
        for _ in 0..percent / 100 + usize::from(random.percent(percent % 100)) {
            attempts.make(&invalid::call(random, &attempts.types), builder)?;
        }
        Ok(())
    })?;
    Ok((computation, attempts))
}

/// The computation whose results are these nodes of the program.
pub fn build_results(program: &Program, results: &[usize]) -> Result<Computation, String> {
    let (mut builder, mut ops) = (Builder::new(), Vec::new());
    for node in &program.nodes {
        let op = apply(&mut builder, &ops, &node.call).map_err(|e| e.to_string())?;
        ops.push(op);
    }
    let roots: Vec<Op> = results.iter().map(|&id| ops[id]).collect();
    builder.build_all(&roots).map_err(|e| e.to_string())
}

fn build_and(
    program: &Program,
    mut after_each: impl FnMut(&mut Builder, Op, &Type) -> Result<(), String>,
) -> Result<Computation, String> {
    let mut builder = Builder::new();
    let mut ops = Vec::new();
    for (id, node) in program.nodes.iter().enumerate() {
        let op = apply(&mut builder, &ops, &node.call)
            .map_err(|e| format!("%{id} is valid and was refused: {e}"))?;
        let inferred = type_of(&builder, op)?;
        if inferred != node.ty {
            return Err(format!("%{id} is {} and was inferred as {inferred}", node.ty));
        }
        ops.push(op);
        after_each(&mut builder, op, &node.ty)?;
    }
    let root = *ops.last().ok_or("a program without nodes")?;
    builder.build(root).map_err(|e| format!("build was refused: {e}"))
}

fn type_of(builder: &Builder, op: Op) -> Result<Type, String> {
    let element = builder.element_type(op).map_err(|e| e.to_string())?;
    let shape = builder.shape(op).map_err(|e| e.to_string())?;
    Ok(Type::new(element, shape.dims()))
}

impl Attempts {
    /// Makes a call that may be wrong, and compares the answer with the rules'.
    pub fn make(&mut self, call: &Call, builder: &mut Builder) -> Result<(), String> {
        let types = &self.types;
        let shown = || {
            let operands = call.operands().into_iter().map(|id| format!("%{id}: {}", types[id]));
            format!("{call} with {}", operands.collect::<Vec<_>>().join(", "))
        };
        let ruled = rules::infer(call, &|id| types[id].clone());
        match (ruled, apply(builder, &self.ops, call)) {
            (Ok(want), Ok(op)) => {
                let got = type_of(builder, op)?;
                if got != want {
                    return Err(format!("{} is {want} and was inferred as {got}", shown()));
                }
                self.ops.push(op);
                self.types.push(want);
            }
            (Err(broken), Err(error)) => {
                let label = error.rule().map(|rule| rule.label());
                if !label.is_some_and(|label| broken.contains(&label)) {
                    let shown = shown();
                    return Err(format!("{shown} breaks {broken:?}, not {label:?}: {error}"));
                }
                self.refused.extend(label);
            }
            (Err(broken), Ok(_)) => {
                return Err(format!("{} breaks {broken:?} and was accepted", shown()));
            }
            (Ok(ty), Err(error)) => {
                return Err(format!("{} is {ty} and was refused: {error}", shown()));
            }
        }
        Ok(())
    }
}

pub fn apply(builder: &mut Builder, ops: &[Op], call: &Call) -> Result<Op, Error> {
    match call {
        Call::Parameter { ty, .. } => builder.parameter(ty.element, ty.dims.as_slice()),
        Call::Constant { element, bits } => builder.constant(Scalar::from_bits(*element, *bits)),
        Call::Iota { element, sizes, dimension } => builder.iota(*element, sizes, *dimension),
        Call::Binary { opcode, lhs, rhs, dims } => {
            builder.binary(*opcode, ops[*lhs], ops[*rhs], dims)
        }
        Call::Unary { opcode, x } => builder.unary(*opcode, ops[*x]),
        Call::Convert { x, to } => builder.convert_element_type(ops[*x], *to),
        Call::Bitcast { x, to } => builder.bitcast_convert_type(ops[*x], *to),
        Call::Select { pred, on_true, on_false } => {
            builder.select(ops[*pred], ops[*on_true], ops[*on_false])
        }
        Call::Clamp { min, x, max } => builder.clamp(ops[*min], ops[*x], ops[*max]),
        Call::NextAfter { from, to } => builder.next_after(ops[*from], ops[*to]),
        Call::ReducePrecision { x, exponent_bits, mantissa_bits } => {
            builder.reduce_precision(ops[*x], *exponent_bits, *mantissa_bits)
        }
        Call::Broadcast { x, sizes } => builder.broadcast(ops[*x], sizes),
        Call::BroadcastInDim { x, sizes, dims } => builder.broadcast_in_dim(ops[*x], sizes, dims),
        Call::Transpose { x, permutation } => builder.transpose(ops[*x], permutation),
        Call::Slice { x, starts, limits, strides } => {
            builder.slice(ops[*x], starts, limits, strides)
        }
        Call::Reverse { x, dims } => builder.reverse(ops[*x], dims),
        Call::Reshape { x, sizes } => builder.reshape(ops[*x], sizes),
        Call::Pad { x, value, low, high, interior } => {
            builder.pad(ops[*x], ops[*value], low, high, interior)
        }
        Call::Concatenate { operands, dimension } => {
            let operands: Vec<Op> = operands.iter().map(|&id| ops[id]).collect();
            builder.concatenate(&operands, *dimension)
        }
        Call::Roll { x, shifts, dims } => builder.roll(ops[*x], shifts, dims),
        Call::Reduce { opcode, x, dims } => builder.reduce(*opcode, ops[*x], dims),
        Call::Position { largest, wide, x, dims } => match (largest, wide) {
            (true, false) => builder.argmax(ops[*x], dims),
            (true, true) => builder.argmax_s64(ops[*x], dims),
            (false, false) => builder.argmin(ops[*x], dims),
            (false, true) => builder.argmin_s64(ops[*x], dims),
        },
    }
}
