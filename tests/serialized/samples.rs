//! Computations of every kind, whose stored forms are in the folder `version_1`.

use indim::ElementType::{C64, F32, Pred, S32, U8, U32};
use indim::{
    Builder, Computation, ElementType, Function, FunctionCost, Op, OpClass, Opcode, Precision,
    Result, Scalar,
};

/// A name and what makes the computation.
type Sample = (&'static str, fn() -> Result<Computation>);

/// Two results, a constant, comments, and some of the library's names.
const ROTATE: &str = "
/* Rotates a point. */
struct Point { x: f32, select: f32 } // Here is the result.
const SCALE = 2.0;
fn scaled(x: f32) -> f32 { return SCALE * x; }
fn rotate(x: f32, y: f32, angle: f32) -> Point {
    let c = cos(angle);
    let s = sin(angle);
    return Point(scaled(c * x - s * y), s * x + c * y);
}";

const COUNT: &str = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";

/// Returns each computation with its name.
pub(crate) fn samples() -> Vec<(&'static str, Computation)> {
    let all: &[Sample] = &[
        ("elementwise_f32", || elementwise(F32)),
        ("elementwise_s32", || elementwise(S32)),
        ("elementwise_c64", || elementwise(C64)),
        ("broadcasts", broadcasts),
        ("views", views),
        ("nothing", nothing),
        ("pads", pads),
        ("rolls", rolls),
        ("joins", joins),
        ("conversions", conversions),
        ("complex", complex),
        ("functions", functions),
        ("precisions", precisions),
    ];
    all.iter().map(|(name, make)| (*name, make().unwrap())).collect()
}

/// Every elementwise operation on this type, each a result.
fn elementwise(of: ElementType) -> Result<Computation> {
    let mut b = Builder::new();
    let [x, y, z] = [b.parameter(of, [2, 3])?, b.parameter(of, [2, 3])?, b.parameter(of, [])?];
    let pred = b.parameter(Pred, [2, 3])?;
    let mut roots = Vec::new();
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.accepts(of)) {
        roots.push(match opcode.class() {
            OpClass::Binary | OpClass::Compare => b.binary(opcode, x, y, &[])?,
            OpClass::Unary => b.unary(opcode, y)?,
            OpClass::Format => b.reduce_precision(x, 5, 7)?,
            _ => match opcode {
                Opcode::NextAfter => b.next_after(x, z)?,
                Opcode::Select => b.select(pred, x, z)?,
                Opcode::Clamp => b.clamp(z, x, y)?,
                _ => continue,
            },
        });
    }
    b.build_all(&roots)
}

fn broadcasts() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [4, 2, 3])?;
    let [row, column] = [b.parameter(F32, [3])?, b.parameter(F32, [2, 1])?];
    let half = b.constant(Scalar::new(0.5_f32))?;
    let scaled = b.mul(half, row, &[])?;
    let low = b.sub(x, scaled, &[2])?;
    let stretched = b.add(column, low, &[1, 2])?;
    let repeated = b.broadcast(row, &[2, 2])?;
    let flat = b.broadcast_in_dim(column, &[2, 5, 3], &[0, 2])?;
    let filled = b.broadcast_in_dim(half, &[3, 1], &[])?;
    b.build_all(&[stretched, repeated, flat, filled])
}

fn views() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [2, 3, 5])?;
    let turned = b.transpose(x, &[2, 0, 1])?;
    let part = b.slice(turned, &[1, 0, 0], &[5, 2, 3], &[3, 1, 2])?;
    let back = b.reverse(part, &[0, 2])?;
    let flat = b.reshape(x, &[6, 5])?;
    let odd = b.slice(flat, &[1, 0], &[6, 5], &[2, 1])?;
    let line = b.reshape(odd, &[15])?;
    let wide = b.reshape(x, &[10, 3])?;
    let sum = b.exp(wide)?;
    let whole = b.slice(x, &[0, 0, 0], &[2, 3, 5], &[1, 1, 1])?;
    let counted = b.iota(F32, &[2, 3, 5], 1)?;
    let last = b.mul(whole, counted, &[])?;
    b.build_all(&[back, line, sum, last])
}

/// Arrays without elements.
fn nothing() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [2, 3])?;
    let none = b.slice(x, &[0, 2], &[2, 2], &[1, 1])?;
    let shaped = b.reshape(none, &[7, 0])?;
    let negative = b.neg(shaped)?;
    let one = b.constant(Scalar::new(1.5_f32))?;
    let filled = b.broadcast_in_dim(one, &[0, 3], &[])?;
    let sum = b.add(filled, one, &[])?;
    let joined = b.concatenate(&[sum, x, sum], 0)?;
    let padded = b.pad(shaped, one, &[0, 2], &[0, 1], &[0, 3])?;
    let rolled = b.roll(shaped, &[3], &[0])?;
    b.build_all(&[negative, sum, joined, padded, rolled])
}

fn pads() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(S32, [3, 4])?;
    let [zero, value] = [b.constant(Scalar::new(0_i32))?, b.parameter(S32, [])?];
    let around = b.pad(x, zero, &[1, 2], &[2, 0], &[0, 0])?;
    let between = b.pad(x, value, &[0, 1], &[1, 0], &[2, 1])?;
    let cut = b.pad(x, value, &[-1, 2], &[3, -2], &[1, 0])?;
    let one = b.pad(x, zero, &[-1, 0], &[-1, 3], &[0, 0])?;
    let away = b.pad(x, value, &[-5, 0], &[4, 1], &[0, 0])?;
    let twice = b.pad(around, value, &[1, 1], &[1, 1], &[1, 1])?;
    let sum = b.add(twice, value, &[])?;
    b.build_all(&[around, between, cut, one, away, sum])
}

fn rolls() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [4, 5])?;
    let one = b.roll(x, &[2], &[1])?;
    let both = b.roll(x, &[-1, 7, 1], &[0, 1, 0])?;
    let turned = b.transpose(both, &[1, 0])?;
    let again = b.roll(turned, &[3, -2], &[1, 0])?;
    let none = b.roll(x, &[4], &[0])?;
    let part = b.slice(one, &[1, 1], &[4, 5], &[1, 2])?;
    b.build_all(&[one, again, none, part])
}

fn joins() -> Result<Computation> {
    let mut b = Builder::new();
    let [x, y] = [b.parameter(U8, [2, 3])?, b.parameter(U8, [2, 1])?];
    let columns: Vec<Op> =
        (0..3).map(|i| b.slice(x, &[0, i], &[2, i + 1], &[1, 1])).collect::<Result<_>>()?;
    let turned: Vec<Op> = columns.iter().rev().chain([&y, &x, &y]).copied().collect();
    let all = b.concatenate(&turned, 1)?;
    let alone = b.concatenate(&[y], 0)?;
    let both = b.concatenate(&[all, all], 0)?;
    let shifted = b.roll(both, &[1], &[0])?;
    b.build_all(&[shifted, alone])
}

fn conversions() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [2, 3])?;
    let bytes = b.bitcast_convert_type(x, U8)?;
    let part = b.slice(bytes, &[0, 0, 0], &[2, 3, 4], &[1, 2, 1])?;
    let back = b.bitcast_convert_type(part, F32)?;
    let bits = b.bitcast_convert_type(x, S32)?;
    let reduced = b.reduce_precision(back, 5, 10)?;
    let whole = b.convert_element_type(reduced, S32)?;
    let truth = b.convert_element_type(x, Pred)?;
    let same = b.convert_element_type(x, F32)?;
    b.build_all(&[bytes, bits, whole, truth, same])
}

fn complex() -> Result<Computation> {
    let mut b = Builder::new();
    let [re, im] = [b.parameter(F32, [3])?, b.parameter(F32, [3])?];
    let z = b.complex(re, im, &[])?;
    let w = b.constant(Scalar::new(indim::num_complex::Complex32::new(-0.0, 2.5)))?;
    let product = b.mul(z, w, &[])?;
    let shifted = b.roll(product, &[1], &[0])?;
    let padded = b.pad(shifted, w, &[1], &[0], &[1])?;
    let conjugate = b.conj(padded)?;
    let [real, size] = [b.real(conjugate)?, b.abs(conjugate)?];
    b.build_all(&[conjugate, real, size])
}

fn functions() -> Result<Computation> {
    let rotate = Function::wgsl(ROTATE).unwrap();
    let half = Function::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }").unwrap();
    let half = half.with_cost(FunctionCost::Heavy);
    let count = Function::wgsl(COUNT).unwrap().with_max_iterations(100);
    let mut b = Builder::new();
    let [x, v] = [b.parameter(F32, [2, 3])?, b.parameter(F32, [3])?];
    let n = b.parameter(U32, [3])?;
    let angle = b.constant(Scalar::new(0.5_f32))?;
    let first = b.call_all(&rotate, &[x, v, angle], &[&[], &[1], &[]])?;
    let halved = b.call(&half, &[first[1]], &[&[]])?;
    let again = b.call_all(&rotate, &[halved, first[0], x], &[&[], &[], &[]])?;
    let sum = b.add(again[0], first[0], &[])?;
    let counted = b.call(&count, &[n], &[&[]])?;
    let zero = b.constant(Scalar::new(0_u32))?;
    let padded = b.pad(counted, zero, &[1], &[1], &[0])?;
    Ok(b.build_all(&[sum, again[1], halved, padded])?.named("rotated"))
}

/// Each precision holds for its operations alone; parameters that no result needs stay.
fn precisions() -> Result<Computation> {
    let mut b = Builder::new();
    let [_, x] = [b.parameter(U8, [1])?, b.parameter(F32, [4])?];
    let plain = b.sin(x)?;
    b.set_precision(Precision::Relaxed);
    let rough = b.cos(plain)?;
    let _ = b.tan(rough)?;
    b.set_precision(Precision::Accurate);
    let exact = b.exp(rough)?;
    b.build_all(&[exact, x, exact])
}
