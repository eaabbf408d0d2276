//! Checks `Builder` under hostile calls: each is accepted or refused as the rules say, handles of
//! other builders are refused by name, and every computation can be explained under any limits.

use indim::{Builder, BuilderError, Computation, Error, Op, Opcode};

use crate::fuzz::hostile;
use crate::programs::build::{Attempts, apply};
use crate::programs::plans;
use crate::programs::program::Type;
use crate::random::Random;

/// Calls on one builder.
const MOST_CALLS: usize = 60;

pub fn check(random: &mut Random) -> Result<(), String> {
    let strangers = strangers()?;
    let mut builder = Builder::new();
    let mut attempts = Attempts::default();
    attempts.make(&hostile::parameter(random), &mut builder)?;
    let calls = 1 + random.below(MOST_CALLS);
    for _ in 0..calls {
        if random.is_over() {
            break;
        }
        if attempts.ops.is_empty() || random.percent(10) {
            attempts.make(&hostile::parameter(random), &mut builder)?;
            continue;
        }
        match random.weighted(&[80, 12, 8]) {
            0 => attempts.make(&hostile::call(random, &attempts.types), &mut builder)?,
            1 => foreign(random, &mut builder, &attempts, &strangers)?,
            _ => wrong_method(random, &mut builder, &attempts)?,
        }
    }
    finish(random, builder, &attempts, &strangers)
}

/// Handles of a live builder, of a dropped one, and of one that has built.
fn strangers() -> Result<Vec<Op>, String> {
    let mut ops = Vec::new();
    for build in [false, true] {
        let mut other = Builder::new();
        for number in 0..3 {
            let op = other.constant(indim::Scalar::new(number));
            ops.push(op.map_err(|e| e.to_string())?);
        }
        if build {
            other.build(ops[3]).map_err(|e| e.to_string())?;
        }
    }
    Ok(ops)
}

/// A call with an operand of another builder is refused for that.
fn foreign(
    random: &mut Random,
    builder: &mut Builder,
    attempts: &Attempts,
    strangers: &[Op],
) -> Result<(), String> {
    let call = hostile::call(random, &attempts.types);
    let operands = call.operands();
    if operands.is_empty() {
        return Ok(());
    }
    let mut ops = attempts.ops.clone();
    ops[random.pick(&operands)] = random.pick(strangers);
    match apply(builder, &ops, &call) {
        Err(Error::Builder(BuilderError::ForeignOp { .. })) => Ok(()),
        other => Err(format!("{call} with another builder's operand gives {other:?}")),
    }
}

/// Operations of another number of operands are refused by name.
fn wrong_method(
    random: &mut Random,
    builder: &mut Builder,
    attempts: &Attempts,
) -> Result<(), String> {
    use indim::OpClass::{Binary, Compare, Unary};
    let opcode = random.pick(Opcode::ALL);
    let (a, b) = (random.pick(&attempts.ops), random.pick(&attempts.ops));
    let given = match opcode.class() {
        Binary | Compare => builder.unary(opcode, a),
        Unary => builder.binary(opcode, a, b, &[]),
        _ if random.percent(50) => builder.unary(opcode, a),
        _ => builder.binary(opcode, a, b, &[random.bits().cast_signed()]),
    };
    match given {
        Err(Error::Builder(BuilderError::WrongMethod { .. })) => Ok(()),
        other => Err(format!("{} by the wrong method gives {other:?}", opcode.name())),
    }
}

fn finish(
    random: &mut Random,
    builder: Builder,
    attempts: &Attempts,
    strangers: &[Op],
) -> Result<(), String> {
    let stranger = random.pick(strangers);
    let queries = [builder.shape(stranger).err(), builder.element_type(stranger).err()];
    for answer in queries {
        if !matches!(answer, Some(Error::Builder(BuilderError::ForeignOp { .. }))) {
            return Err(format!("a question about another builder's value gives {answer:?}"));
        }
    }
    if attempts.ops.is_empty() || random.percent(5) {
        return match builder.build(stranger) {
            Err(Error::Builder(BuilderError::ForeignOp { .. })) => Ok(()),
            other => Err(format!("another builder's root gives {other:?}")),
        };
    }
    // The last value most often: it rests on most of the others.
    let last = attempts.ops.len() - 1;
    let root = if random.percent(60) { last } else { random.below(last + 1) };
    let computation = builder.build(attempts.ops[root]).map_err(|e| format!("build: {e}"))?;
    explained(random, &computation, &attempts.types[root])
}

/// The computation is of the type that the rules say, and is explained: twice alike, with valid
/// shaders, or refused as too large.
fn explained(random: &mut Random, computation: &Computation, ty: &Type) -> Result<(), String> {
    let built = Type::new(computation.element_type(), computation.shape().dims());
    if built != *ty {
        return Err(format!("built as {built}, which is {ty}"));
    }
    let limits = plans::tight(random);
    let first = limits.explain(computation);
    let again = limits.explain(&computation.clone());
    match (first, again) {
        (Ok(first), Ok(again)) => {
            if format!("{first:?}") != format!("{again:?}") {
                return Err(format!("explained twice, in two ways:\n{first:?}\n{again:?}"));
            }
            plans::validate(&first)
        }
        (Err(first), Err(again)) if first.to_string() == again.to_string() => {
            let too_large = ["max_", "counted", "elements"];
            let why = first.to_string();
            let fits = too_large.iter().any(|word| why.contains(word));
            if fits { Ok(()) } else { Err(format!("explain: {why}")) }
        }
        (first, again) => Err(format!("explained twice, in two ways:\n{first:?}\n{again:?}")),
    }
}

/// Their bytes have no next multiple of anything, which planning once did not expect.
#[test]
fn the_largest_arrays_that_can_be_counted_are_explained() {
    for &element in indim::ElementType::ALL {
        let most = i64::MAX as u64 / element.size_in_bytes() as u64;
        let most = most as usize;
        for dims in [vec![most], vec![most / 3, 3], vec![2, most / 2], vec![most, 1, 1]] {
            let mut builder = Builder::new();
            let x = builder.parameter(element, dims.as_slice()).unwrap();
            let row = builder.parameter(element, &dims[dims.len() - 1..]).unwrap();
            let root = builder.binary(Opcode::Add, x, row, &[dims.len() as i64 - 1]).unwrap();
            let computation = builder.build(root).unwrap();
            for limits in
                [indim::plan::PlanLimits::default(), indim::plan::PlanLimits::for_cpu(true)]
            {
                let explanation = limits.explain(&computation).unwrap();
                assert_eq!(explanation.kernels.len(), 1, "{element}{dims:?}");
            }
        }
    }
}
