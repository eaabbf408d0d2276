//! Random numbers by counter, composed of operations on U32. The hash is Threefry-2x32 with 20 rounds
//! (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
//! 2011). Keys and numbers have the bits of `jax.random` with `jax_threefry_partitionable`: an element
//! depends on the key and on its own position in row-major order, never on other elements.

use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{
    binary, broadcast_to, concatenate, constant, convert, in_type, index, iota, reshape, select,
    unary,
};
use crate::semantics::broadcast_error::BroadcastError;
use crate::semantics::dims::Dims as _;
use crate::semantics::element::ElementType::{self, Bf16, F16, F32, F64, S32, U8, U16, U32, U64};
use crate::semantics::element::Scalar;
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;
use crate::semantics::type_error::TypeError;

/// Two words of a key, a counter or a hash. Each is a scalar or has the shape of the numbers.
type Words<V> = [V; 2];

/// The amounts of the rotations of the even and of the odd groups of four rounds.
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];

/// The third word of the key is the exclusive or of the others and of this one.
const PARITY: u32 = 0x1bd1_1bda;

const UNSIGNED: [ElementType; 4] = [U8, U16, U32, U64];
const FLOATS: [ElementType; 4] = [F16, Bf16, F32, F64];

/// Adds the key of a seed, U32\[2\]: the high word, then the low word. Kernels are the same for all
/// seeds: the words are constants of types that nothing else here has, so that no seed merges a word
/// with another constant.
pub fn random_key<G: Graph>(g: &mut G, seed: u64) -> Result<G::Value> {
    let high = constant(g, Scalar::new((seed >> 32) as i32));
    let low = constant(g, Scalar::new(i64::from(seed as u32)));
    let high = convert(g, Opcode::BitcastConvertType, &high, U32)?;
    let low = in_type(g, &low, U32)?;
    stacked(g, &[high, low])
}

/// Adds independent keys of a key: an array of these sizes and a last dimension of 2 (rules T1, N1,
/// C1).
pub fn random_split<G: Graph>(g: &mut G, key: &G::Value, sizes: &[i64]) -> Result<G::Value> {
    let name = "random_split";
    check(g, name, key)?;
    let counter = positions(g, name, sizes)?;
    let keys = hash(g, key, &counter)?;
    stacked(g, &keys)
}

/// Adds a key for each number of `data`: its sizes and a last dimension of 2 (rule T1).
pub fn random_fold_in<G: Graph>(g: &mut G, key: &G::Value, data: &G::Value) -> Result<G::Value> {
    let name = "random_fold_in";
    check(g, name, key)?;
    accept(g, name, ("data", data), &[U32])?;
    let high = number(g, U32, 0);
    let keys = hash(g, key, &[high, data.clone()])?;
    stacked(g, &keys)
}

/// Adds random bits in an unsigned type of at least 8 bits (rules T1, N1, C1).
pub fn random_bits<G: Graph>(
    g: &mut G,
    key: &G::Value,
    element_type: ElementType,
    sizes: &[i64],
) -> Result<G::Value> {
    let name = "random_bits";
    check(g, name, key)?;
    accept_type(name, ("the result", element_type), &UNSIGNED)?;
    let counter = positions(g, name, sizes)?;
    bits(g, key, &counter, element_type)
}

/// Adds floats from `minval` up to, but without, `maxval`, which are scalars or have the sizes of the
/// result (rules T1, T2, S1, N1, C1).
pub fn random_uniform<G: Graph>(
    g: &mut G,
    key: &G::Value,
    minval: &G::Value,
    maxval: &G::Value,
    sizes: &[i64],
) -> Result<G::Value> {
    let name = "random_uniform";
    check(g, name, key)?;
    accept(g, name, ("minval", minval), &FLOATS)?;
    fit(g, name, &[("minval", minval), ("maxval", maxval)], sizes)?;
    let counter = positions(g, name, sizes)?;
    uniform(g, key, &counter, [minval, maxval])
}

/// Adds floats of the standard normal distribution (rules T1, N1, C1).
pub fn random_normal<G: Graph>(
    g: &mut G,
    key: &G::Value,
    element_type: ElementType,
    sizes: &[i64],
) -> Result<G::Value> {
    let name = "random_normal";
    check(g, name, key)?;
    accept_type(name, ("the result", element_type), &FLOATS)?;
    // The float after -1, so that no number is infinite.
    let (_, mantissa_bits) = float_bits(element_type);
    let minval = float(g, element_type, 0.5_f64.powi(mantissa_bits + 1) - 1.0);
    let maxval = float(g, element_type, 1.0);
    let counter = positions(g, name, sizes)?;
    let x = uniform(g, key, &counter, [&minval, &maxval])?;
    let x = unary(g, Opcode::ErfInv, &x)?;
    let scale = float(g, element_type, std::f64::consts::SQRT_2);
    binary(g, Opcode::Mul, &scale, &x, &[])
}

/// Adds PREDs that are true with probability `p`, a scalar or an array of the sizes of the result
/// (rules T1, S1, N1, C1).
pub fn random_bernoulli<G: Graph>(
    g: &mut G,
    key: &G::Value,
    p: &G::Value,
    sizes: &[i64],
) -> Result<G::Value> {
    let name = "random_bernoulli";
    check(g, name, key)?;
    let of = accept(g, name, ("p", p), &FLOATS)?;
    fit(g, name, &[("p", p)], sizes)?;
    let [zero, one] = [0.0, 1.0].map(|value| float(g, of, value));
    let counter = positions(g, name, sizes)?;
    let x = uniform(g, key, &counter, [&zero, &one])?;
    binary(g, Opcode::Lt, &x, p, &[])
}

/// Adds integers from `minval` up to, but without, `maxval`, which are scalars or have the sizes of the
/// result; `minval` where it is not below `maxval` (rules T1, T2, S1, N1, C1).
pub fn random_randint<G: Graph>(
    g: &mut G,
    key: &G::Value,
    minval: &G::Value,
    maxval: &G::Value,
    sizes: &[i64],
) -> Result<G::Value> {
    let name = "random_randint";
    check(g, name, key)?;
    let is_wide = |of: &ElementType| of.bits() >= 8 && of.integer_range().is_some();
    let integers: Vec<ElementType> = ElementType::ALL.iter().copied().filter(is_wide).collect();
    let of = accept(g, name, ("minval", minval), &integers)?;
    fit(g, name, &[("minval", minval), ("maxval", maxval)], sizes)?;
    // As in JAX, narrower integers are drawn in S32.
    let wide = if of.bits() < 32 { S32 } else { of };
    let unsigned = unsigned(wide.bits());
    let [minval, maxval] = [in_type(g, minval, wide)?, in_type(g, maxval, wide)?];
    let counter = positions(g, name, sizes)?;
    // Twice the bits of the result, so that the remainder favours few numbers.
    let keys = random_split(g, key, &[2])?;
    let mut halves = Vec::with_capacity(2);
    for number in [0, 1] {
        let key = index(g, &keys, 0, number)?;
        halves.push(bits(g, &key, &counter, unsigned)?);
    }
    let span = span(g, unsigned, &minval, &maxval)?;
    let rem = |g: &mut G, x: &G::Value| binary(g, Opcode::Rem, x, &span, &[]);
    // 2^bits mod span, without 2^bits: (a b) mod n = ((a mod n) (b mod n)) mod n.
    let root = number(g, unsigned, 1 << (wide.bits() / 2));
    let root = rem(g, &root)?;
    let square = binary(g, Opcode::Mul, &root, &root, &[])?;
    let multiplier = rem(g, &square)?;
    let [high, low] = [rem(g, &halves[0])?, rem(g, &halves[1])?];
    let high = binary(g, Opcode::Mul, &high, &multiplier, &[])?;
    let sum = binary(g, Opcode::Add, &high, &low, &[])?;
    let offset = rem(g, &sum)?;
    let offset = as_type(g, &offset, wide)?;
    let integer = binary(g, Opcode::Add, &minval, &offset, &[])?;
    in_type(g, &integer, of)
}

/// Returns the number of integers from `minval` to `maxval`, 1 if there is none, in an unsigned type.
fn span<G: Graph>(
    g: &mut G,
    unsigned: ElementType,
    minval: &G::Value,
    maxval: &G::Value,
) -> Result<G::Value> {
    let difference = binary(g, Opcode::Sub, maxval, minval, &[])?;
    let span = as_type(g, &difference, unsigned)?;
    let is_empty = binary(g, Opcode::Le, maxval, minval, &[])?;
    let one = number(g, unsigned, 1);
    select(g, &is_empty, &one, &span)
}

/// Returns floats between these two.
fn uniform<G: Graph>(
    g: &mut G,
    key: &G::Value,
    counter: &Words<G::Value>,
    [minval, maxval]: [&G::Value; 2],
) -> Result<G::Value> {
    let of = g.tensor_type(minval).element_type;
    let (random, mantissa_bits) = float_bits(of);
    let unsigned = unsigned(of.bits());
    // Random bits in the mantissa of a float from 1 to 2.
    let x = bits(g, key, counter, random)?;
    let x = in_type(g, &x, unsigned)?;
    let by = number(g, unsigned, random.bits() as u64 - mantissa_bits as u64);
    let x = binary(g, Opcode::ShiftRightLogical, &x, &by, &[])?;
    let one = float(g, of, 1.0);
    let exponent = as_type(g, &one, unsigned)?;
    let x = binary(g, Opcode::Or, &x, &exponent, &[])?;
    let x = as_type(g, &x, of)?;
    let x = binary(g, Opcode::Sub, &x, &one, &[])?;
    let width = binary(g, Opcode::Sub, maxval, minval, &[])?;
    let x = binary(g, Opcode::Mul, &x, &width, &[])?;
    let x = binary(g, Opcode::Add, &x, minval, &[])?;
    binary(g, Opcode::Max, minval, &x, &[])
}

/// Returns the type of the random bits of a float, and the number of bits of its mantissa. As in JAX,
/// a mantissa of less than 8 bits takes 8.
fn float_bits(of: ElementType) -> (ElementType, i32) {
    match of {
        F16 => (U16, 10),
        Bf16 => (U8, 7),
        F64 => (U64, 52),
        _ => (U32, 23),
    }
}

/// Returns random bits.
fn bits<G: Graph>(
    g: &mut G,
    key: &G::Value,
    counter: &Words<G::Value>,
    of: ElementType,
) -> Result<G::Value> {
    let [high, low] = hash(g, key, counter)?;
    if of != U64 {
        let both = binary(g, Opcode::Xor, &high, &low, &[])?;
        return in_type(g, &both, of);
    }
    let [high, low] = [in_type(g, &high, of)?, in_type(g, &low, of)?];
    let by = number(g, of, 32);
    let high = binary(g, Opcode::ShiftLeft, &high, &by, &[])?;
    binary(g, Opcode::Or, &high, &low, &[])
}

/// Returns each position in row-major order as a counter, high word first (rules N1 and C1). Positions
/// count along one dimension, so that kernels count elements, whatever the rank.
fn positions<G: Graph>(g: &mut G, name: &'static str, sizes: &[i64]) -> Result<Words<G::Value>> {
    let shape = Shape::from_signed(sizes).map_err(Error::shape(name))?;
    let count = shape.element_count().map_err(Error::shape(name))?;
    let of = if u32::try_from(count.saturating_sub(1)).is_ok() { U32 } else { U64 };
    let flat = iota(g, of, &[count as i64], 0)?;
    let position = reshape(g, &flat, sizes)?;
    if of == U32 {
        return Ok([number(g, U32, 0), position]);
    }
    let by = number(g, U64, 32);
    let high = binary(g, Opcode::ShiftRightLogical, &position, &by, &[])?;
    Ok([in_type(g, &high, U32)?, in_type(g, &position, U32)?])
}

/// Returns the hash of a counter. The words of the key take the shape of the counter first: what is
/// computed of them alone would be stored if they are derived from another key, each value by itself.
fn hash<G: Graph>(g: &mut G, key: &G::Value, counter: &Words<G::Value>) -> Result<Words<G::Value>> {
    let shape = g.tensor_type(&counter[1]).shape.clone();
    let [first, second] = words(g, key)?;
    let first = broadcast_to(g, &first, &shape, &[])?;
    let second = broadcast_to(g, &second, &shape, &[])?;
    let parity = number(g, U32, PARITY.into());
    let third = binary(g, Opcode::Xor, &first, &second, &[])?;
    let third = binary(g, Opcode::Xor, &third, &parity, &[])?;
    let key = [first, second, third];
    let mut x = binary(g, Opcode::Add, &counter[0], &key[0], &[])?;
    let mut y = binary(g, Opcode::Add, &counter[1], &key[1], &[])?;
    for group in 0..5 {
        for by in ROTATIONS[group % 2] {
            x = binary(g, Opcode::Add, &x, &y, &[])?;
            y = rotated(g, &y, by)?;
            y = binary(g, Opcode::Xor, &y, &x, &[])?;
        }
        let next = group + 1;
        x = binary(g, Opcode::Add, &x, &key[next % 3], &[])?;
        let by = number(g, U32, next as u64);
        let word = binary(g, Opcode::Add, &key[(next + 1) % 3], &by, &[])?;
        y = binary(g, Opcode::Add, &y, &word, &[])?;
    }
    Ok([x, y])
}

/// Returns the bits moved left, and those that leave at the right.
fn rotated<G: Graph>(g: &mut G, x: &G::Value, by: u32) -> Result<G::Value> {
    let [left, right] = [by, 32 - by].map(|by| number(g, U32, by.into()));
    let left = binary(g, Opcode::ShiftLeft, x, &left, &[])?;
    let right = binary(g, Opcode::ShiftRightLogical, x, &right, &[])?;
    binary(g, Opcode::Or, &left, &right, &[])
}

/// Returns two values beside each other along a new last dimension.
fn stacked<G: Graph>(g: &mut G, words: &Words<G::Value>) -> Result<G::Value> {
    let shape = g.tensor_type(&words[1]).shape.clone();
    let mut sizes = shape.to_signed().into_owned();
    sizes.push(1);
    let mut parts = Vec::with_capacity(2);
    for word in words {
        let word = match g.tensor_type(word).shape.rank() {
            0 => broadcast_to(g, word, &shape, &[])?,
            _ => word.clone(),
        };
        parts.push(reshape(g, &word, &sizes)?);
    }
    concatenate(g, &parts, shape.rank() as i64)
}

/// Returns the words of a key.
fn words<G: Graph>(g: &mut G, key: &G::Value) -> Result<Words<G::Value>> {
    Ok([index(g, key, 0, 0)?, index(g, key, 0, 1)?])
}

/// Checks that a value is a key (rule T1).
fn check<G: Graph>(g: &G, op: &'static str, key: &G::Value) -> Result<()> {
    accept(g, op, ("key", key), &[U32])?;
    let shape = g.tensor_type(key).shape;
    match shape.dims() {
        [2] => Ok(()),
        _ => Err(BuilderError::Key { op, shape: shape.clone() }.into()),
    }
}

/// Checks rule T1 for an operand, and returns its type.
fn accept<G: Graph>(
    g: &G,
    op: &'static str,
    (operand, value): (&'static str, &G::Value),
    accepted: &[ElementType],
) -> Result<ElementType> {
    let found = g.operand(Opcode::Iota, value)?.element_type;
    accept_type(op, (operand, found), accepted)
}

fn accept_type(
    op: &'static str,
    (operand, found): (&'static str, ElementType),
    accepted: &[ElementType],
) -> Result<ElementType> {
    if accepted.contains(&found) {
        return Ok(found);
    }
    let source = TypeError::NotAccepted { operand, found, accepted: accepted.to_vec() };
    Err(Error::Type { op, source })
}

/// Checks that operands have the type of the first one (rule T2), and are scalars or of these sizes
/// (rules S1 and N1).
fn fit<G: Graph>(
    g: &G,
    op: &'static str,
    operands: &[(&'static str, &G::Value)],
    sizes: &[i64],
) -> Result<()> {
    let result = Shape::from_signed(sizes).map_err(Error::shape(op))?;
    let (first, first_type) = (operands[0].0, g.tensor_type(operands[0].1).element_type);
    for &(second, value) in operands {
        let operand = g.operand(Opcode::Iota, value)?;
        let second_type = operand.element_type;
        if second_type != first_type {
            let source = TypeError::Differ { first, first_type, second, second_type };
            return Err(Error::Type { op, source });
        }
        if operand.shape.rank() > 0 && *operand.shape != result {
            let (shape, other, other_shape) = (operand.shape.clone(), "the result", result);
            let source = BroadcastError::NotScalar { operand: second, shape, other, other_shape };
            return Err(Error::Broadcast { op, source });
        }
    }
    Ok(())
}

/// Returns the unsigned type of a number of bits.
fn unsigned(bits: usize) -> ElementType {
    UNSIGNED.into_iter().find(|of| of.bits() == bits).unwrap_or(U32)
}

/// Returns the bits of a value in a type of as many bits.
fn as_type<G: Graph>(g: &mut G, x: &G::Value, to: ElementType) -> Result<G::Value> {
    if g.tensor_type(x).element_type == to {
        return Ok(x.clone());
    }
    convert(g, Opcode::BitcastConvertType, x, to)
}

fn number<G: Graph>(g: &mut G, of: ElementType, value: u64) -> G::Value {
    constant(g, Scalar::from_bits(of, value))
}

fn float<G: Graph>(g: &mut G, of: ElementType, value: f64) -> G::Value {
    let zero = Scalar::from_bits(of, 0);
    constant(g, Scalar::from_f64(of, value).unwrap_or(zero))
}
