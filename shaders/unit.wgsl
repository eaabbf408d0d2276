// Functions of a unit: up to sixteen elements that an invocation computes together.
// Each is a function f of which few operands need much more work than the others.
// xla_f_unit computes all elements in the quick way; then it computes those for which
// that is wrong, marked in `left`, one after the other with xla_f. A kernel for a CPU
// calls xla_f_unit in place of xla_f (Tuning::branchless).
//
// Drivers for CPUs, Mesa's lavapipe among them, run both sides of a branch and a
// loop's body at least once, even if no invocation takes it. So a unit whose elements
// are all quick pays for xla_f once, and not sixteen times.

// Packs the flags of sixteen elements, four quads, into the low bits of a word.
fn xla_marks(a: vec4<bool>, b: vec4<bool>, c: vec4<bool>, d: vec4<bool>) -> u32 {
    let none = vec4<u32>();
    let marks = (select(none, vec4<u32>(0x1u, 0x2u, 0x4u, 0x8u), a)
        | select(none, vec4<u32>(0x10u, 0x20u, 0x40u, 0x80u), b))
        | (select(none, vec4<u32>(0x100u, 0x200u, 0x400u, 0x800u), c)
        | select(none, vec4<u32>(0x1000u, 0x2000u, 0x4000u, 0x8000u), d));
    return (marks.x | marks.y) | (marks.z | marks.w);
}

// Returns the lowest bit that is set, as a mark.
fn xla_next_mark(left: u32) -> u32 {
    return left & (0u - left);
}

// Returns the element that the mark stands for.
fn xla_marked(x: array<vec4<f32>, 4>, mark: u32) -> f32 {
    let cd = select(bitcast<vec4<u32>>(x[3]), bitcast<vec4<u32>>(x[2]), mark < 0x1000u);
    let bcd = select(cd, bitcast<vec4<u32>>(x[1]), mark < 0x100u);
    let quad = select(bcd, bitcast<vec4<u32>>(x[0]), mark < 0x10u);
    let zw = select(quad.w, quad.z, (mark & 0x4444u) != 0u);
    let yzw = select(zw, quad.y, (mark & 0x2222u) != 0u);
    return bitcast<f32>(select(yzw, quad.x, (mark & 0x1111u) != 0u));
}

// Returns the unit with r as the element that the mark stands for.
fn xla_with(u: array<vec4<u32>, 4>, mark: u32, r: f32) -> array<vec4<u32>, 4> {
    let element = vec4<u32>(bitcast<u32>(r));
    let place = vec4<u32>(mark);
    return array<vec4<u32>, 4>(
        select(u[0], element, place == vec4<u32>(0x1u, 0x2u, 0x4u, 0x8u)),
        select(u[1], element, place == vec4<u32>(0x10u, 0x20u, 0x40u, 0x80u)),
        select(u[2], element, place == vec4<u32>(0x100u, 0x200u, 0x400u, 0x800u)),
        select(u[3], element, place == vec4<u32>(0x1000u, 0x2000u, 0x4000u, 0x8000u)),
    );
}

fn xla_of_bits(u: array<vec4<u32>, 4>) -> array<vec4<f32>, 4> {
    return array<vec4<f32>, 4>(
        bitcast<vec4<f32>>(u[0]),
        bitcast<vec4<f32>>(u[1]),
        bitcast<vec4<f32>>(u[2]),
        bitcast<vec4<f32>>(u[3]),
    );
}

// Checks which angles are too large for xla_reduce_medium, infinite or NaN.
fn xla_is_large_angle(x: vec4<f32>) -> vec4<bool> {
    return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) >= vec4<u32>(XLA_LARGE_ANGLE);
}

fn xla_large_angles(x: array<vec4<f32>, 4>) -> u32 {
    return xla_marks(
        xla_is_large_angle(x[0]),
        xla_is_large_angle(x[1]),
        xla_is_large_angle(x[2]),
        xla_is_large_angle(x[3]),
    );
}

fn xla_reduce_small(x: f32) -> vec3<u32> {
    return xla_reduce_medium(bitcast<f32>(min(xla_abs_bits(x), XLA_LARGE_ANGLE)));
}

fn xla_sin_quick(x: f32) -> u32 {
    let u = xla_unless_tiny(xla_sin_reduced(xla_reduce_small(x), 0u), xla_abs_bits(x));
    return u ^ (bitcast<u32>(x) & 0x80000000u);
}

fn xla_sin_quad(x: vec4<f32>) -> vec4<u32> {
    return vec4<u32>(xla_sin_quick(x.x), xla_sin_quick(x.y), xla_sin_quick(x.z), xla_sin_quick(x.w));
}

fn xla_sin_unit(x: array<vec4<f32>, 4>) -> array<vec4<f32>, 4> {
    var u = array<vec4<u32>, 4>(xla_sin_quad(x[0]), xla_sin_quad(x[1]), xla_sin_quad(x[2]), xla_sin_quad(x[3]));
    var left = xla_large_angles(x);
    while (left != 0u) {
        let mark = xla_next_mark(left);
        u = xla_with(u, mark, xla_sin(xla_marked(x, mark)));
        left ^= mark;
    }
    return xla_of_bits(u);
}

fn xla_cos_quick(x: f32) -> u32 {
    return xla_sin_reduced(xla_reduce_small(x), 1u);
}

fn xla_cos_quad(x: vec4<f32>) -> vec4<u32> {
    return vec4<u32>(xla_cos_quick(x.x), xla_cos_quick(x.y), xla_cos_quick(x.z), xla_cos_quick(x.w));
}

fn xla_cos_unit(x: array<vec4<f32>, 4>) -> array<vec4<f32>, 4> {
    var u = array<vec4<u32>, 4>(xla_cos_quad(x[0]), xla_cos_quad(x[1]), xla_cos_quad(x[2]), xla_cos_quad(x[3]));
    var left = xla_large_angles(x);
    while (left != 0u) {
        let mark = xla_next_mark(left);
        u = xla_with(u, mark, xla_cos(xla_marked(x, mark)));
        left ^= mark;
    }
    return xla_of_bits(u);
}

fn xla_tan_quick(x: f32) -> u32 {
    let u = xla_unless_tiny(xla_tan_reduced(xla_reduce_small(x)), xla_abs_bits(x));
    return u ^ (bitcast<u32>(x) & 0x80000000u);
}

fn xla_tan_quad(x: vec4<f32>) -> vec4<u32> {
    return vec4<u32>(xla_tan_quick(x.x), xla_tan_quick(x.y), xla_tan_quick(x.z), xla_tan_quick(x.w));
}

fn xla_tan_unit(x: array<vec4<f32>, 4>) -> array<vec4<f32>, 4> {
    var u = array<vec4<u32>, 4>(xla_tan_quad(x[0]), xla_tan_quad(x[1]), xla_tan_quad(x[2]), xla_tan_quad(x[3]));
    var left = xla_large_angles(x);
    while (left != 0u) {
        let mark = xla_next_mark(left);
        u = xla_with(u, mark, xla_tan(xla_marked(x, mark)));
        left ^= mark;
    }
    return xla_of_bits(u);
}

// Returns the truncated quotient of magnitudes, or one more: it is never too small,
// whatever error the division has.
fn xla_rem_quotient(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return trunc(abs(x) / abs(y) * 0x1.001p+0);
}

// The remainder where |x| < 2^91, 2^-100 <= |y| < 2^80 and the quotient q < 2^11:
// with y in two parts every step is exact.
fn xla_rem_quick(x: f32, y: f32, q: f32) -> u32 {
    let xb = bitcast<u32>(x);
    let ay = bitcast<f32>(xla_abs_bits(y));
    let y_hi = xla_head(ay);
    let r = xla_keep(xla_keep(bitcast<f32>(xb & 0x7fffffffu) - q * y_hi) - q * (ay - y_hi));
    let u = bitcast<u32>(select(r, r + ay, r < 0.0));
    return (u & 0x7fffffffu) | (xb & 0x80000000u);
}

fn xla_rem_quad(x: vec4<f32>, y: vec4<f32>) -> vec4<u32> {
    let q = xla_rem_quotient(x, y);
    return vec4<u32>(
        xla_rem_quick(x.x, y.x, q.x),
        xla_rem_quick(x.y, y.y, q.y),
        xla_rem_quick(x.z, y.z, q.z),
        xla_rem_quick(x.w, y.w, q.w),
    );
}

fn xla_is_hard_rem(x: vec4<f32>, y: vec4<f32>) -> vec4<bool> {
    let xm = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
    let ym = bitcast<vec4<u32>>(y) & vec4<u32>(0x7fffffffu);
    let q = bitcast<vec4<u32>>(xla_rem_quotient(x, y));
    let outside = (ym - vec4<u32>(0x0d800000u)) >= vec4<u32>(0x5a000000u);
    return outside | (xm >= vec4<u32>(0x6d000000u)) | (q >= vec4<u32>(0x45000000u));
}

fn xla_rem_unit(x: array<vec4<f32>, 4>, y: array<vec4<f32>, 4>) -> array<vec4<f32>, 4> {
    var u = array<vec4<u32>, 4>(
        xla_rem_quad(x[0], y[0]),
        xla_rem_quad(x[1], y[1]),
        xla_rem_quad(x[2], y[2]),
        xla_rem_quad(x[3], y[3]),
    );
    var left = xla_marks(
        xla_is_hard_rem(x[0], y[0]),
        xla_is_hard_rem(x[1], y[1]),
        xla_is_hard_rem(x[2], y[2]),
        xla_is_hard_rem(x[3], y[3]),
    );
    while (left != 0u) {
        let mark = xla_next_mark(left);
        u = xla_with(u, mark, xla_rem(xla_marked(x, mark), xla_marked(y, mark)));
        left ^= mark;
    }
    return xla_of_bits(u);
}

// x^y as bits, and n for its exponent: right where xla_is_hard_pow says nothing
// against it.
fn xla_pow_quick(x: f32, y: f32) -> vec2<u32> {
    let parts = xla_pow_parts(x, y);
    let u = bitcast<u32>(parts.x) + (bitcast<u32>(i32(parts.y)) << 23u);
    return vec2<u32>(u, bitcast<u32>(parts.y));
}

fn xla_pow_quad(x: vec4<f32>, y: vec4<f32>) -> array<vec4<u32>, 2> {
    let a = xla_pow_quick(x.x, y.x);
    let b = xla_pow_quick(x.y, y.y);
    let c = xla_pow_quick(x.z, y.z);
    let d = xla_pow_quick(x.w, y.w);
    return array<vec4<u32>, 2>(vec4<u32>(a.x, b.x, c.x, d.x), vec4<u32>(a.y, b.y, c.y, d.y));
}

// Checks where x is not positive and normal, y not below 2^32, or the exponent so large
// that the result may over- or underflow.
fn xla_is_hard_pow(x: vec4<f32>, y: vec4<f32>, n: vec4<u32>) -> vec4<bool> {
    let x_hard = (bitcast<vec4<u32>>(x) - vec4<u32>(0x00800000u)) >= vec4<u32>(0x7f000000u);
    let y_hard = (bitcast<vec4<u32>>(y) & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x4f800000u);
    return x_hard | y_hard | ((n & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x42f80000u));
}

fn xla_pow_unit(x: array<vec4<f32>, 4>, y: array<vec4<f32>, 4>) -> array<vec4<f32>, 4> {
    let a = xla_pow_quad(x[0], y[0]);
    let b = xla_pow_quad(x[1], y[1]);
    let c = xla_pow_quad(x[2], y[2]);
    let d = xla_pow_quad(x[3], y[3]);
    var u = array<vec4<u32>, 4>(a[0], b[0], c[0], d[0]);
    var left = xla_marks(
        xla_is_hard_pow(x[0], y[0], a[1]),
        xla_is_hard_pow(x[1], y[1], b[1]),
        xla_is_hard_pow(x[2], y[2], c[1]),
        xla_is_hard_pow(x[3], y[3], d[1]),
    );
    while (left != 0u) {
        let mark = xla_next_mark(left);
        u = xla_with(u, mark, xla_pow(xla_marked(x, mark), xla_marked(y, mark)));
        left ^= mark;
    }
    return xla_of_bits(u);
}
