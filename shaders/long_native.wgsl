// S64 and U64 as the adapter's own 64-bit integers. long_words.wgsl defines the same
// functions on pairs of words, for adapters without; conversions and bit counts go through
// pairs here, too, because compilers have no 64-bit form of some and a wrong one of others.
//
// - i64 arithmetic is done in u64, where wrapping is defined in every target language.
// - Conversions between i64 and u64 are by value, which keeps the bits; one that also
//   widens goes by the source's sign first: naga extends by the target's.

fn xla_u64_of_words(w: vec2<u32>) -> u64 {
    return u64(w.x) | (u64(w.y) << 32u);
}

fn xla_u64_to_words(a: u64) -> vec2<u32> {
    return vec2<u32>(u32(a), u32(a >> 32u));
}

fn xla_s64_to_words(a: i64) -> vec2<u32> {
    return xla_u64_to_words(u64(a));
}

fn xla_add_u64(a: u64, b: u64) -> u64 {
    return a + b;
}

fn xla_add_s64(a: i64, b: i64) -> i64 {
    return i64(u64(a) + u64(b));
}

fn xla_sub_u64(a: u64, b: u64) -> u64 {
    return a - b;
}

fn xla_sub_s64(a: i64, b: i64) -> i64 {
    return i64(u64(a) - u64(b));
}

fn xla_mul_u64(a: u64, b: u64) -> u64 {
    return a * b;
}

fn xla_mul_s64(a: i64, b: i64) -> i64 {
    return i64(u64(a) * u64(b));
}

fn xla_neg_u64(a: u64) -> u64 {
    return 0lu - a;
}

fn xla_neg_s64(a: i64) -> i64 {
    return i64(0lu - u64(a));
}

// |MIN| is 2^63.
fn xla_magnitude_s64(a: i64) -> u64 {
    return select(u64(a), 0lu - u64(a), a < 0li);
}

fn xla_abs_s64(a: i64) -> i64 {
    return i64(xla_magnitude_s64(a));
}

fn xla_sign_s64(a: i64) -> i64 {
    return select(select(0li, 1li, a > 0li), -1li, a < 0li);
}

// x/0 = 2^64-1.
fn xla_div_u64(a: u64, b: u64) -> u64 {
    return select(a / select(b, 1lu, b == 0lu), 0xfffffffffffffffflu, b == 0lu);
}

// x%0 = x.
fn xla_rem_u64(a: u64, b: u64) -> u64 {
    return select(a % select(b, 1lu, b == 0lu), a, b == 0lu);
}

// Divides magnitudes, of which 2^63 is MIN's, so that MIN/-1 needs no case. x/0 = -1.
fn xla_div_s64(a: i64, b: i64) -> i64 {
    let q = xla_div_u64(xla_magnitude_s64(a), xla_magnitude_s64(b));
    return select(i64(select(q, 0lu - q, (a < 0li) != (b < 0li))), -1li, b == 0li);
}

// x%0 = x, MIN%-1 = 0, else the dividend's sign.
fn xla_rem_s64(a: i64, b: i64) -> i64 {
    let r = xla_rem_u64(xla_magnitude_s64(a), xla_magnitude_s64(b));
    return i64(select(r, 0lu - r, a < 0li));
}

// x//0 = 0.
fn xla_floor_divide_u64(a: u64, b: u64) -> u64 {
    return select(xla_div_u64(a, b), 0lu, b == 0lu);
}

// x%0 = 0.
fn xla_remainder_u64(a: u64, b: u64) -> u64 {
    return select(xla_rem_u64(a, b), 0lu, b == 0lu);
}

// The quotient rounded down: a negative one that leaves something is one less. x//0 = 0,
// MIN//-1 = MIN.
fn xla_floor_divide_s64(a: i64, b: i64) -> i64 {
    let m = xla_magnitude_s64(a);
    let n = xla_magnitude_s64(b);
    let q = xla_div_u64(m, n);
    let turned = (a < 0li) != (b < 0li);
    let more = select(0lu, 1lu, turned & (m != q * n));
    return select(i64(select(q, 0lu - (q + more), turned)), 0li, b == 0li);
}

// What that leaves, with the divisor's sign: x%0 = 0, MIN%-1 = 0.
fn xla_remainder_s64(a: i64, b: i64) -> i64 {
    let r = xla_rem_s64(a, b);
    let turned = (r != 0li) & ((r < 0li) != (b < 0li));
    return select(xla_add_s64(r, select(0li, b, turned)), 0li, b == 0li);
}

// Square and multiply (Knuth, "The Art of Computer Programming", 4.6.3),
// modulo 2^64. 0^0 = 1.
fn xla_pow_u64(base: u64, exponent: u64) -> u64 {
    var r = 1lu;
    var square = base;
    var e = exponent;
    for (var bit = 0u; (bit < 64u) & (e != 0lu); bit++) {
        r *= select(1lu, square, (e & 1lu) != 0lu);
        square *= square;
        e >>= 1u;
    }
    return r;
}

// A negative exponent gives 1 for base 1, else 0: so (-1)^-1 is 0 in XLA.
fn xla_pow_s64(base: i64, exponent: i64) -> i64 {
    let r = xla_pow_u64(u64(base), u64(select(exponent, 0li, exponent < 0li)));
    return select(i64(r), select(0li, 1li, base == 1li), exponent < 0li);
}

fn xla_eq_u64(a: u64, b: u64) -> bool {
    return a == b;
}

fn xla_eq_s64(a: i64, b: i64) -> bool {
    return a == b;
}

fn xla_ne_u64(a: u64, b: u64) -> bool {
    return a != b;
}

fn xla_ne_s64(a: i64, b: i64) -> bool {
    return a != b;
}

fn xla_lt_u64(a: u64, b: u64) -> bool {
    return a < b;
}

fn xla_lt_s64(a: i64, b: i64) -> bool {
    return a < b;
}

fn xla_le_u64(a: u64, b: u64) -> bool {
    return a <= b;
}

fn xla_le_s64(a: i64, b: i64) -> bool {
    return a <= b;
}

fn xla_gt_u64(a: u64, b: u64) -> bool {
    return a > b;
}

fn xla_gt_s64(a: i64, b: i64) -> bool {
    return a > b;
}

fn xla_ge_u64(a: u64, b: u64) -> bool {
    return a >= b;
}

fn xla_ge_s64(a: i64, b: i64) -> bool {
    return a >= b;
}

fn xla_max_u64(a: u64, b: u64) -> u64 {
    return select(b, a, a > b);
}

fn xla_max_s64(a: i64, b: i64) -> i64 {
    return select(b, a, a > b);
}

fn xla_min_u64(a: u64, b: u64) -> u64 {
    return select(b, a, a < b);
}

fn xla_min_s64(a: i64, b: i64) -> i64 {
    return select(b, a, a < b);
}

fn xla_and_u64(a: u64, b: u64) -> u64 {
    return a & b;
}

fn xla_and_s64(a: i64, b: i64) -> i64 {
    return a & b;
}

fn xla_or_u64(a: u64, b: u64) -> u64 {
    return a | b;
}

fn xla_or_s64(a: i64, b: i64) -> i64 {
    return a | b;
}

fn xla_xor_u64(a: u64, b: u64) -> u64 {
    return a ^ b;
}

fn xla_xor_s64(a: i64, b: i64) -> i64 {
    return a ^ b;
}

fn xla_not_u64(a: u64) -> u64 {
    return ~a;
}

fn xla_not_s64(a: i64) -> i64 {
    return ~a;
}

// The shift amount is unsigned and may exceed 63.
fn xla_shift_left_u64(a: u64, n: u64) -> u64 {
    return select(a << (u32(n) & 63u), 0lu, n >= 64lu);
}

fn xla_shift_left_s64(a: i64, n: i64) -> i64 {
    return i64(xla_shift_left_u64(u64(a), u64(n)));
}

fn xla_shift_left_by_word_u64(a: u64) -> u64 {
    return a << 32u;
}

fn xla_shift_left_by_word_s64(a: i64) -> i64 {
    return a << 32u;
}

fn xla_shift_right_logical_u64(a: u64, n: u64) -> u64 {
    return select(a >> (u32(n) & 63u), 0lu, n >= 64lu);
}

fn xla_shift_right_logical_s64(a: i64, n: i64) -> i64 {
    return i64(xla_shift_right_logical_u64(u64(a), u64(n)));
}

fn xla_shift_right_arithmetic_s64(a: i64, n: i64) -> i64 {
    return a >> select(u32(n), 63u, u64(n) >= 64lu);
}

// Fills with the top bit, as XLA does for unsigned operands too.
fn xla_shift_right_arithmetic_u64(a: u64, n: u64) -> u64 {
    return u64(xla_shift_right_arithmetic_s64(i64(a), i64(n)));
}

// Returns 64 for 0.
fn xla_clz_u64(a: u64) -> u64 {
    let w = xla_u64_to_words(a);
    return u64(select(countLeadingZeros(w.y), 32u + countLeadingZeros(w.x), w.y == 0u));
}

fn xla_clz_s64(a: i64) -> i64 {
    return i64(xla_clz_u64(u64(a)));
}

fn xla_population_count_u64(a: u64) -> u64 {
    let w = xla_u64_to_words(a);
    return u64(countOneBits(w.x) + countOneBits(w.y));
}

fn xla_population_count_s64(a: i64) -> i64 {
    return i64(xla_population_count_u64(u64(a)));
}

fn xla_pred_to_u64(a: bool) -> u64 {
    return select(0lu, 1lu, a);
}

fn xla_pred_to_s64(a: bool) -> i64 {
    return select(0li, 1li, a);
}

fn xla_u64_to_pred(a: u64) -> bool {
    return a != 0lu;
}

fn xla_s64_to_pred(a: i64) -> bool {
    return a != 0li;
}

// Converts by words, because Mesa's NIR folds `i64(x) < 0` to false and `i64(x) > 0` to true.
fn xla_s32_to_s64(a: i32) -> i64 {
    return i64(xla_s32_to_u64(a));
}

fn xla_s32_to_u64(a: i32) -> u64 {
    return xla_u64_of_words(vec2<u32>(bitcast<u32>(a), bitcast<u32>(a >> 31u)));
}

fn xla_u32_to_u64(a: u32) -> u64 {
    return u64(a);
}

fn xla_u32_to_s64(a: u32) -> i64 {
    return i64(u64(a));
}

fn xla_u64_to_u32(a: u64) -> u32 {
    return u32(a);
}

fn xla_u64_to_s32(a: u64) -> i32 {
    return bitcast<i32>(u32(a));
}

fn xla_s64_to_u32(a: i64) -> u32 {
    return u32(u64(a));
}

fn xla_s64_to_s32(a: i64) -> i32 {
    return bitcast<i32>(u32(u64(a)));
}

fn xla_s64_to_u64(a: i64) -> u64 {
    return u64(a);
}

fn xla_u64_to_s64(a: u64) -> i64 {
    return i64(a);
}

// Converts to nearest, ties to even; the next two functions round to odd.
fn xla_u64_to_f32(a: u64) -> f32 {
    return xla_magnitude_to_f32(xla_u64_to_words(a));
}

fn xla_s64_to_f32(a: i64) -> f32 {
    let r = xla_u64_to_f32(xla_magnitude_s64(a));
    return select(r, -r, a < 0li);
}

fn xla_u64_to_f32_odd(a: u64) -> f32 {
    return xla_magnitude_to_f32_odd(xla_u64_to_words(a));
}

fn xla_s64_to_f32_odd(a: i64) -> f32 {
    let r = xla_u64_to_f32_odd(xla_magnitude_s64(a));
    return select(r, -r, a < 0li);
}

// Truncates and saturates; NaN and negative numbers give 0.
fn xla_f32_to_u64(x: f32) -> u64 {
    let r = xla_u64_of_words(xla_f32_to_magnitude(x));
    return select(r, 0lu, bitcast<i32>(x) < 0);
}

// Truncates and saturates; NaN gives 0.
fn xla_f32_to_s64(x: f32) -> i64 {
    return xla_signed_s64(xla_u64_of_words(xla_f32_to_magnitude(x)), bitcast<i32>(x) < 0);
}

// Applies a sign to a magnitude; from 2^63 on the result is MAX or MIN.
fn xla_signed_s64(m: u64, negative: bool) -> i64 {
    let most = select(0x7ffffffffffffffflu, 0x8000000000000000lu, negative);
    return i64(select(select(m, 0lu - m, negative), most, m >= 0x8000000000000000lu));
}

// The high word and its product are exact in f64, so that the sum alone rounds.
fn xla_u64_to_f64(a: u64) -> f64 {
    return f64(u32(a >> 32u)) * 4294967296.0lf + f64(u32(a));
}

fn xla_s64_to_f64(a: i64) -> f64 {
    return f64(i32(a >> 32u)) * 4294967296.0lf + f64(u32(u64(a)));
}

fn xla_f64_to_u64(x: f64) -> u64 {
    return select(xla_f64_to_magnitude(x), 0lu, (bitcast<u64>(x) >> 63u) != 0lu);
}

fn xla_f64_to_s64(x: f64) -> i64 {
    return xla_signed_s64(xla_f64_to_magnitude(x), (bitcast<u64>(x) >> 63u) != 0lu);
}
