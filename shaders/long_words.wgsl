// S64 and U64 as pairs of words (x = low, y = high; S64 in two's complement), for adapters
// without 64-bit integers. long_native.wgsl defines the same functions on those.

fn xla_u64_of_words(w: vec2<u32>) -> vec2<u32> {
    return w;
}

fn xla_u64_to_words(a: vec2<u32>) -> vec2<u32> {
    return a;
}

fn xla_s64_to_words(a: vec2<u32>) -> vec2<u32> {
    return a;
}

fn xla_add_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn xla_add_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return xla_add_u64(a, b);
}

fn xla_sub_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn xla_sub_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return xla_sub_u64(a, b);
}

// The whole product of two words, by halves of them. The middle sum stays below 2^32:
// (2^16-1)^2 + 2 (2^16-1) = 2^32-1.
fn xla_mul_wide(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let middle = ah * bl + (low >> 16u);
    let other = al * bh + (middle & 0xffffu);
    return vec2<u32>((other << 16u) | (low & 0xffffu), ah * bh + (middle >> 16u) + (other >> 16u));
}

fn xla_mul_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = xla_mul_wide(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}

fn xla_mul_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return xla_mul_u64(a, b);
}

fn xla_neg_u64(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(0u - a.x, ~a.y + select(0u, 1u, a.x == 0u));
}

fn xla_neg_s64(a: vec2<u32>) -> vec2<u32> {
    return xla_neg_u64(a);
}

fn xla_is_negative_s64(a: vec2<u32>) -> bool {
    return bitcast<i32>(a.y) < 0;
}

// |MIN| is 2^63, the same bits.
fn xla_abs_s64(a: vec2<u32>) -> vec2<u32> {
    return select(a, xla_neg_u64(a), xla_is_negative_s64(a));
}

fn xla_sign_s64(a: vec2<u32>) -> vec2<u32> {
    let fill = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
    return vec2<u32>(select(0u, 1u, (a.x | a.y) != 0u) | fill, fill);
}

// Returns one digit, in base 2^16, of the quotient of `high` followed by `digit` and a divisor that
// exceeds `high` and has its top bit set. The guess from the divisor's leading digit is too large by
// at most two.
fn xla_quotient_digit(high: u32, digit: u32, divisor: u32) -> u32 {
    let leading = divisor >> 16u;
    let last = divisor & 0xffffu;
    var q = high / leading;
    var r = high - q * leading;
    for (var step = 0u; step < 2u; step++) {
        let above = (r <= 0xffffu) & ((q > 0xffffu) | (q * last > ((r << 16u) | digit)));
        q -= select(0u, 1u, above);
        r += select(0u, leading, above);
    }
    return q;
}

// Divides two words by one that exceeds the high word and has its top bit set: algorithm D (Knuth,
// "The Art of Computer Programming", 4.3.1) in base 2^16.
fn xla_div_wide(a: vec2<u32>, divisor: u32) -> u32 {
    let q1 = xla_quotient_digit(a.y, a.x >> 16u, divisor);
    let rest = ((a.y << 16u) | (a.x >> 16u)) - q1 * divisor;
    return (q1 << 16u) | xla_quotient_digit(rest, a.x & 0xffffu, divisor);
}

// Quotient and remainder (Warren, "Hacker's Delight", 9-5), for b != 0, without branches. A
// divisor of one word takes two divisions of two words by one, the first of which is
// one of words; of a longer one the leading word gives the quotient, at most one too large.
fn xla_divide_u64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
    let long = b.y != 0u;
    let n = countLeadingZeros(select(b.x, b.y, long)) & 31u;
    let divisor = select(b.x << n, (b.y << n) | ((b.x >> 1u) >> (31u - n)), long);
    // For a divisor of two words the dividend is halved, so that its high word stays below the divisor.
    let q1 = select(a.y / select(b.x, 1u, long), 0u, long);
    let rest = a.y - q1 * b.x;
    let high = select((rest << n) | ((a.x >> 1u) >> (31u - n)), a.y >> 1u, long);
    let low = select(a.x << n, (a.y << 31u) | (a.x >> 1u), long);
    var q0 = xla_div_wide(vec2<u32>(low, high), divisor);
    let guess = q0 >> (31u - n);
    q0 = select(q0, guess - select(0u, 1u, guess != 0u), long);
    // The quotient is now too small by at most one, and only for a divisor of two words.
    let left = xla_sub_u64(a, xla_mul_u64(vec2<u32>(q0, q1), b));
    let more = !xla_lt_u64(left, b);
    let r = select(left, xla_sub_u64(left, b), more);
    return vec4<u32>(q0 + select(0u, 1u, more), q1, r);
}

// x/0 = 2^64-1.
fn xla_div_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let zero = (b.x | b.y) == 0u;
    let q = xla_divide_u64(a, vec2<u32>(b.x | select(0u, 1u, zero), b.y)).xy;
    return select(q, vec2<u32>(0xffffffffu), zero);
}

// x%0 = x.
fn xla_rem_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let zero = (b.x | b.y) == 0u;
    let r = xla_divide_u64(a, vec2<u32>(b.x | select(0u, 1u, zero), b.y)).zw;
    return select(r, a, zero);
}

// Divides magnitudes, of which 2^63 is MIN's, so that MIN/-1 needs no case. x/0 = -1.
fn xla_div_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let q = xla_div_u64(xla_abs_s64(a), xla_abs_s64(b));
    let negative = (bitcast<i32>(a.y ^ b.y) < 0) & ((b.x | b.y) != 0u);
    return select(q, xla_neg_u64(q), negative);
}

// x%0 = x, MIN%-1 = 0, else the dividend's sign.
fn xla_rem_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let r = xla_rem_u64(xla_abs_s64(a), xla_abs_s64(b));
    return select(r, xla_neg_u64(r), xla_is_negative_s64(a));
}

// x//0 = 0.
fn xla_floor_divide_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(xla_div_u64(a, b), vec2<u32>(0u), (b.x | b.y) == 0u);
}

// x%0 = 0.
fn xla_remainder_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(xla_rem_u64(a, b), vec2<u32>(0u), (b.x | b.y) == 0u);
}

// The quotient rounded down: a negative one that leaves something is one less. x//0 = 0,
// MIN//-1 = MIN.
fn xla_floor_divide_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let zero = (b.x | b.y) == 0u;
    let n = xla_abs_s64(b);
    let parts = xla_divide_u64(xla_abs_s64(a), vec2<u32>(n.x | select(0u, 1u, zero), n.y));
    let turned = bitcast<i32>(a.y ^ b.y) < 0;
    let more = select(0u, 1u, turned & ((parts.z | parts.w) != 0u));
    let q = select(parts.xy, xla_neg_u64(xla_add_u64(parts.xy, vec2<u32>(more, 0u))), turned);
    return select(q, vec2<u32>(0u), zero);
}

// What that leaves, with the divisor's sign: x%0 = 0, MIN%-1 = 0.
fn xla_remainder_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let r = xla_rem_s64(a, b);
    let turned = ((r.x | r.y) != 0u) & (bitcast<i32>(r.y ^ b.y) < 0);
    let whole = xla_add_u64(r, select(vec2<u32>(0u), b, turned));
    return select(whole, vec2<u32>(0u), (b.x | b.y) == 0u);
}

// Square and multiply (Knuth, "The Art of Computer Programming", 4.6.3),
// modulo 2^64. 0^0 = 1.
fn xla_pow_u64(base: vec2<u32>, exponent: vec2<u32>) -> vec2<u32> {
    var r = vec2<u32>(1u, 0u);
    var square = base;
    var e = exponent;
    for (var bit = 0u; (bit < 64u) & ((e.x | e.y) != 0u); bit++) {
        r = xla_mul_u64(r, select(vec2<u32>(1u, 0u), square, (e.x & 1u) != 0u));
        square = xla_mul_u64(square, square);
        e = vec2<u32>((e.x >> 1u) | (e.y << 31u), e.y >> 1u);
    }
    return r;
}

// A negative exponent gives 1 for base 1, else 0: so (-1)^-1 is 0 in XLA.
fn xla_pow_s64(base: vec2<u32>, exponent: vec2<u32>) -> vec2<u32> {
    let negative = xla_is_negative_s64(exponent);
    let r = xla_pow_u64(base, select(exponent, vec2<u32>(0u), negative));
    let one = (base.x == 1u) & (base.y == 0u);
    return select(r, vec2<u32>(select(0u, 1u, one), 0u), negative);
}

fn xla_eq_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return ((a.x ^ b.x) | (a.y ^ b.y)) == 0u;
}

fn xla_eq_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return xla_eq_u64(a, b);
}

fn xla_ne_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return ((a.x ^ b.x) | (a.y ^ b.y)) != 0u;
}

fn xla_ne_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return xla_ne_u64(a, b);
}

fn xla_lt_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

fn xla_lt_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (bitcast<i32>(a.y) < bitcast<i32>(b.y)) | ((a.y == b.y) & (a.x < b.x));
}

fn xla_le_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return !xla_lt_u64(b, a);
}

fn xla_le_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return !xla_lt_s64(b, a);
}

fn xla_gt_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return xla_lt_u64(b, a);
}

fn xla_gt_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return xla_lt_s64(b, a);
}

fn xla_ge_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return !xla_lt_u64(a, b);
}

fn xla_ge_s64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return !xla_lt_s64(a, b);
}

fn xla_max_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a, b, xla_lt_u64(a, b));
}

fn xla_max_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a, b, xla_lt_s64(a, b));
}

fn xla_min_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, xla_lt_u64(a, b));
}

fn xla_min_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, xla_lt_s64(a, b));
}

fn xla_and_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a & b;
}

fn xla_and_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a & b;
}

fn xla_or_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a | b;
}

fn xla_or_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a | b;
}

fn xla_xor_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a ^ b;
}

fn xla_xor_s64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a ^ b;
}

fn xla_not_u64(a: vec2<u32>) -> vec2<u32> {
    return ~a;
}

fn xla_not_s64(a: vec2<u32>) -> vec2<u32> {
    return ~a;
}

// The shift amount is unsigned and may exceed 63.
fn xla_shift_left_u64(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let k = n.x & 31u;
    let low = a.x << k;
    let near = vec2<u32>(low, (a.y << k) | ((a.x >> 1u) >> (31u - k)));
    let r = select(near, vec2<u32>(0u, low), (n.x & 32u) != 0u);
    return select(r, vec2<u32>(0u), (n.y != 0u) | (n.x >= 64u));
}

fn xla_shift_left_s64(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    return xla_shift_left_u64(a, n);
}

fn xla_shift_left_by_word_u64(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(0u, a.x);
}

fn xla_shift_left_by_word_s64(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(0u, a.x);
}

fn xla_shift_right_logical_u64(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let k = n.x & 31u;
    let high = a.y >> k;
    let near = vec2<u32>((a.x >> k) | ((a.y << 1u) << (31u - k)), high);
    let r = select(near, vec2<u32>(high, 0u), (n.x & 32u) != 0u);
    return select(r, vec2<u32>(0u), (n.y != 0u) | (n.x >= 64u));
}

fn xla_shift_right_logical_s64(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    return xla_shift_right_logical_u64(a, n);
}

fn xla_shift_right_arithmetic_s64(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let k = n.x & 31u;
    let fill = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
    let high = bitcast<u32>(bitcast<i32>(a.y) >> k);
    let near = vec2<u32>((a.x >> k) | ((a.y << 1u) << (31u - k)), high);
    let r = select(near, vec2<u32>(high, fill), (n.x & 32u) != 0u);
    return select(r, vec2<u32>(fill), (n.y != 0u) | (n.x >= 64u));
}

// Fills with the top bit, as XLA does for unsigned operands too.
fn xla_shift_right_arithmetic_u64(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    return xla_shift_right_arithmetic_s64(a, n);
}

// Returns 64 for 0.
fn xla_clz_u64(a: vec2<u32>) -> vec2<u32> {
    let low = 32u + countLeadingZeros(a.x);
    return vec2<u32>(select(countLeadingZeros(a.y), low, a.y == 0u), 0u);
}

fn xla_clz_s64(a: vec2<u32>) -> vec2<u32> {
    return xla_clz_u64(a);
}

fn xla_population_count_u64(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(countOneBits(a.x) + countOneBits(a.y), 0u);
}

fn xla_population_count_s64(a: vec2<u32>) -> vec2<u32> {
    return xla_population_count_u64(a);
}

fn xla_pred_to_u64(a: bool) -> vec2<u32> {
    return vec2<u32>(select(0u, 1u, a), 0u);
}

fn xla_pred_to_s64(a: bool) -> vec2<u32> {
    return xla_pred_to_u64(a);
}

fn xla_u64_to_pred(a: vec2<u32>) -> bool {
    return (a.x | a.y) != 0u;
}

fn xla_s64_to_pred(a: vec2<u32>) -> bool {
    return xla_u64_to_pred(a);
}

fn xla_s32_to_s64(a: i32) -> vec2<u32> {
    return vec2<u32>(bitcast<u32>(a), bitcast<u32>(a >> 31u));
}

fn xla_s32_to_u64(a: i32) -> vec2<u32> {
    return xla_s32_to_s64(a);
}

fn xla_u32_to_u64(a: u32) -> vec2<u32> {
    return vec2<u32>(a, 0u);
}

fn xla_u32_to_s64(a: u32) -> vec2<u32> {
    return vec2<u32>(a, 0u);
}

fn xla_u64_to_u32(a: vec2<u32>) -> u32 {
    return a.x;
}

fn xla_u64_to_s32(a: vec2<u32>) -> i32 {
    return bitcast<i32>(a.x);
}

fn xla_s64_to_u32(a: vec2<u32>) -> u32 {
    return a.x;
}

fn xla_s64_to_s32(a: vec2<u32>) -> i32 {
    return bitcast<i32>(a.x);
}

fn xla_s64_to_u64(a: vec2<u32>) -> vec2<u32> {
    return a;
}

fn xla_u64_to_s64(a: vec2<u32>) -> vec2<u32> {
    return a;
}

// Converts to nearest, ties to even; the next two functions round to odd.
fn xla_u64_to_f32(a: vec2<u32>) -> f32 {
    return xla_magnitude_to_f32(a);
}

fn xla_s64_to_f32(a: vec2<u32>) -> f32 {
    let r = xla_magnitude_to_f32(xla_abs_s64(a));
    return select(r, -r, xla_is_negative_s64(a));
}

fn xla_u64_to_f32_odd(a: vec2<u32>) -> f32 {
    return xla_magnitude_to_f32_odd(a);
}

fn xla_s64_to_f32_odd(a: vec2<u32>) -> f32 {
    let r = xla_magnitude_to_f32_odd(xla_abs_s64(a));
    return select(r, -r, xla_is_negative_s64(a));
}

// Truncates and saturates; NaN and negative numbers give 0.
fn xla_f32_to_u64(x: f32) -> vec2<u32> {
    return select(xla_f32_to_magnitude(x), vec2<u32>(0u), bitcast<i32>(x) < 0);
}

// Truncates and saturates; NaN gives 0.
fn xla_f32_to_s64(x: f32) -> vec2<u32> {
    return xla_signed_s64(xla_f32_to_magnitude(x), bitcast<i32>(x) < 0);
}

// Applies a sign to a magnitude; from 2^63 on the result is MAX or MIN.
fn xla_signed_s64(m: vec2<u32>, negative: bool) -> vec2<u32> {
    let most = select(vec2<u32>(0xffffffffu, 0x7fffffffu), vec2<u32>(0u, 0x80000000u), negative);
    return select(select(m, xla_neg_u64(m), negative), most, m.y >= 0x80000000u);
}

// The high word and its product are exact in f64, so that the sum alone rounds.
fn xla_u64_to_f64(a: vec2<u32>) -> f64 {
    return f64(a.y) * 4294967296.0lf + f64(a.x);
}

fn xla_s64_to_f64(a: vec2<u32>) -> f64 {
    return f64(bitcast<i32>(a.y)) * 4294967296.0lf + f64(a.x);
}

fn xla_f64_to_u64(x: f64) -> vec2<u32> {
    let m = select(xla_f64_to_magnitude(x), 0lu, (bitcast<u64>(x) >> 63u) != 0lu);
    return vec2<u32>(u32(m), u32(m >> 32u));
}

fn xla_f64_to_s64(x: f64) -> vec2<u32> {
    let m = xla_f64_to_magnitude(x);
    return xla_signed_s64(vec2<u32>(u32(m), u32(m >> 32u)), (bitcast<u64>(x) >> 63u) != 0lu);
}
