// Integer functions with XLA's answers where WGSL's differ, and conversions.

// x/0 = -1, MIN/-1 = MIN.
fn xla_div_s32(a: i32, b: i32) -> i32 {
    let special = (b == 0) | ((b == -1) & (a == bitcast<i32>(0x80000000u)));
    let q = a / select(b, 1, special);
    return select(q, -1, b == 0);
}

// x%0 = x, MIN%-1 = 0, else the dividend's sign.
fn xla_rem_s32(a: i32, b: i32) -> i32 {
    // x%1 equals x%-1 and cannot overflow. The quotient gives the remainder, because GLSL and Vulkan
    // leave that of a negative operand open (OpenGL on llvmpipe: 29 % -8 gives 29).
    let d = select(b, 1, (b == 0) | (b == -1));
    return select(a - (a / d) * d, a, b == 0);
}

// x/0 = 2^32-1.
fn xla_div_u32(a: u32, b: u32) -> u32 {
    return select(a / select(b, 1u, b == 0u), 0xffffffffu, b == 0u);
}

// x%0 = x.
fn xla_rem_u32(a: u32, b: u32) -> u32 {
    return select(a % select(b, 1u, b == 0u), a, b == 0u);
}

// The quotient rounded down, as Python's and NumPy's: x//0 = 0, MIN//-1 = MIN.
fn xla_floor_divide_s32(a: i32, b: i32) -> i32 {
    let q = xla_div_s32(a, b);
    let r = a - q * b;
    let down = (r != 0) & ((r ^ b) < 0);
    return select(q - select(0, 1, down), 0, b == 0);
}

// What that leaves, with the divisor's sign: x%0 = 0, MIN%-1 = 0.
fn xla_remainder_s32(a: i32, b: i32) -> i32 {
    let r = xla_rem_s32(a, b);
    let turned = (r != 0) & ((r ^ b) < 0);
    return select(r + select(0, b, turned), 0, b == 0);
}

// x//0 = 0.
fn xla_floor_divide_u32(a: u32, b: u32) -> u32 {
    return select(xla_div_u32(a, b), 0u, b == 0u);
}

// x%0 = 0.
fn xla_remainder_u32(a: u32, b: u32) -> u32 {
    return select(xla_rem_u32(a, b), 0u, b == 0u);
}

// Square and multiply (Knuth, "The Art of Computer Programming", 4.6.3),
// modulo 2^32. 0^0 = 1.
fn xla_pow_u32(base: u32, exponent: u32) -> u32 {
    var r = 1u;
    var square = base;
    var e = exponent;
    for (var bit = 0u; (bit < 32u) & (e != 0u); bit++) {
        r *= select(1u, square, (e & 1u) != 0u);
        square *= square;
        e >>= 1u;
    }
    return r;
}

// A negative exponent gives 1 for base 1, else 0: so (-1)^-1 is 0 in XLA.
fn xla_pow_s32(base: i32, exponent: i32) -> i32 {
    let r = xla_pow_u32(bitcast<u32>(base), bitcast<u32>(max(exponent, 0)));
    return select(bitcast<i32>(r), select(0, 1, base == 1), exponent < 0);
}

// WGSL takes the shift amount modulo 32; XLA's is unsigned and may exceed it.
fn xla_shift_left_u32(a: u32, n: u32) -> u32 {
    return select(a << (n & 31u), 0u, n >= 32u);
}

fn xla_shift_left_s32(a: i32, n: i32) -> i32 {
    return bitcast<i32>(xla_shift_left_u32(bitcast<u32>(a), bitcast<u32>(n)));
}

fn xla_shift_right_logical_u32(a: u32, n: u32) -> u32 {
    return select(a >> (n & 31u), 0u, n >= 32u);
}

fn xla_shift_right_logical_s32(a: i32, n: i32) -> i32 {
    return bitcast<i32>(xla_shift_right_logical_u32(bitcast<u32>(a), bitcast<u32>(n)));
}

fn xla_shift_right_arithmetic_s32(a: i32, n: i32) -> i32 {
    return a >> min(bitcast<u32>(n), 31u);
}

// Fills with the top bit, as XLA does for unsigned operands too.
fn xla_shift_right_arithmetic_u32(a: u32, n: u32) -> u32 {
    return bitcast<u32>(bitcast<i32>(a) >> min(n, 31u));
}

// Truncates and saturates; NaN gives 0.
fn xla_f32_to_s32(x: f32) -> i32 {
    // The largest float below 2^31, so that the conversion is always defined.
    var r = i32(clamp(x, -2147483648.0, 2147483520.0));
    r = select(r, 0x7fffffff, x >= 2147483648.0);
    return select(r, 0, xla_is_nan(x));
}

// Truncates and saturates; NaN and negative numbers give 0.
fn xla_f32_to_u32(x: f32) -> u32 {
    var r = u32(clamp(x, 0.0, 4294967040.0));
    r = select(r, 0xffffffffu, x >= 4294967296.0);
    return select(r, 0u, xla_is_nan(x));
}

// Converts with rounding to odd: truncates to 24 bits, and sets the last of them if that lost
// anything, so that rounding once more to F16 or BF16 gives what rounding the integer
// itself does (Boldo and Melquiond, "When double rounding is odd").
fn xla_u32_to_f32_odd(x: u32) -> f32 {
    let below = 0xffu >> min(countLeadingZeros(x), 8u);
    return f32((x & ~below) | select(0u, below + 1u, (x & below) != 0u));
}

fn xla_s32_to_f32_odd(x: i32) -> f32 {
    let r = xla_u32_to_f32_odd(bitcast<u32>(select(x, -x, x < 0)));
    return select(r, -r, x < 0);
}

// Returns x != 0. The test is on bits, so that NaN and subnormals are true.
fn xla_f32_to_pred(x: f32) -> bool {
    return xla_abs_bits(x) != 0u;
}
