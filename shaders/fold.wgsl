// Sums and products in two words: the second one has the rounding errors of the first one's operations
// (the error of a sum by D. E. Knuth, "The Art of Computer Programming", 4.2.2; sums of such
// errors by T. Ogita, S. M. Rump and S. Oishi, "Accurate sum and dot product", 2005, Sum2).
// The guards are by bits, since sums may be as large as floats are.

fn xla_keep_4(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) | vec4<u32>(params.zero));
}

// What the sum s of a and b leaves out, exactly. s is guarded, and so is v here, since compilers
// cancel (a + b) - a: those that also regroup sums take the functions of fold_regrouped.wgsl.
fn xla_sum_rest(a: f32, b: f32, s: f32) -> f32 {
    let v = xla_keep_bits(s - a);
    return (a - (s - v)) + (b - v);
}

fn xla_sum_rest_4(a: vec4<f32>, b: vec4<f32>, s: vec4<f32>) -> vec4<f32> {
    let v = xla_keep_4(s - a);
    return (a - (s - v)) + (b - v);
}

// A sum of rounding errors.
fn xla_errors(x: f32) -> f32 {
    return x;
}

fn xla_errors_4(x: vec4<f32>) -> vec4<f32> {
    return x;
}

// The first half of the bits of a float. The rest has as few, so that products of halves are exact
// (T. J. Dekker, "A floating-point technique for extending the available precision", 1971, who
// rounds where this truncates: each sum below still fits 24 bits).
fn xla_first_half(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

fn xla_first_half_4(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) & vec4<u32>(0xfffff000u));
}

// What the product p of a and b leaves out: exactly, unless parts of it are too small for a float.
fn xla_product_rest(a: f32, b: f32, p: f32) -> f32 {
    let a1 = xla_first_half(a);
    let b1 = xla_first_half(b);
    let a2 = xla_keep_bits(a - a1);
    let b2 = xla_keep_bits(b - b1);
    var rest = xla_keep_bits(xla_keep_bits(a1 * b1) - p);
    rest = xla_keep_bits(rest + xla_keep_bits(a1 * b2));
    rest = xla_keep_bits(rest + xla_keep_bits(a2 * b1));
    return xla_keep_bits(rest + xla_keep_bits(a2 * b2));
}

fn xla_product_rest_4(a: vec4<f32>, b: vec4<f32>, p: vec4<f32>) -> vec4<f32> {
    let a1 = xla_first_half_4(a);
    let b1 = xla_first_half_4(b);
    let a2 = xla_keep_4(a - a1);
    let b2 = xla_keep_4(b - b1);
    var rest = xla_keep_4(xla_keep_4(a1 * b1) - p);
    rest = xla_keep_4(rest + xla_keep_4(a1 * b2));
    rest = xla_keep_4(rest + xla_keep_4(a2 * b1));
    return xla_keep_4(rest + xla_keep_4(a2 * b2));
}

// The float nearest to the sum of two words. Where the first one is infinite or NaN, the second
// one is NaN.
fn xla_sum_of_words(high: f32, low: f32) -> f32 {
    let s = bitcast<u32>(xla_keep_bits(high + low));
    let b = bitcast<u32>(high);
    return bitcast<f32>(select(s, b, (b & 0x7f800000u) == 0x7f800000u));
}

// The same of a product, which may be -0.
fn xla_product_of_words(high: f32, low: f32) -> f32 {
    let is_whole = (bitcast<u32>(low) & 0x7fffffffu) == 0u;
    return select(xla_sum_of_words(high, low), high, is_whole);
}

// The same rounded to odd, so that rounding it once more to a shorter float gives what rounding the
// sum itself gives: S. Boldo and G. Melquiond, "When double rounding is odd", 2005.
fn xla_sum_of_words_to_odd(high: f32, low: f32) -> f32 {
    return xla_to_odd(high, low, xla_sum_of_words(high, low));
}

fn xla_product_of_words_to_odd(high: f32, low: f32) -> f32 {
    return xla_to_odd(high, low, xla_product_of_words(high, low));
}

fn xla_to_odd(high: f32, low: f32, s: f32) -> f32 {
    let rest = bitcast<u32>(xla_sum_rest(high, low, s));
    let b = bitcast<u32>(s);
    let is_exact = ((rest & 0x7fffffffu) == 0u) | ((b & 0x7f800000u) == 0x7f800000u);
    // Towards the rest: to the next larger magnitude if both have one sign.
    let next = select(b - 1u, b + 1u, ((rest ^ b) & 0x80000000u) == 0u);
    return bitcast<f32>(select(next, b, is_exact | ((b & 1u) == 1u)));
}

// Extremes of floats as those of keys, which are integers in the total order of the floats. The
// largest and the smallest key together tell whether a NaN of either sign was there.

// The keys of -inf and inf.
const XLA_LEAST_KEY: i32 = -0x7f800001;
const XLA_MOST_KEY: i32 = 0x7f800000;

// No shift: SwiftShader shifts the components of a vector one by one.
fn xla_total_order_key_4(x: vec4<f32>) -> vec4<i32> {
    let b = bitcast<vec4<i32>>(x);
    return b ^ select(vec4<i32>(0), vec4<i32>(0x7fffffff), b < vec4<i32>(0));
}

// The float of a key. The order of keys is its own inverse.
fn xla_of_key(key: i32) -> f32 {
    return bitcast<f32>(key ^ ((key >> 31u) & 0x7fffffff));
}

fn xla_max_of_keys(most: i32, least: i32) -> f32 {
    return xla_of_key(select(most, least, least < XLA_LEAST_KEY));
}

fn xla_min_of_keys(most: i32, least: i32) -> f32 {
    return xla_of_key(select(least, most, most > XLA_MOST_KEY));
}
