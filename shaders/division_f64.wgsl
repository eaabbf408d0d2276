// Quotient and square root by way of 64-bit floats, for adapters whose own are
// not rounded correctly. A second rounding does no harm where the first one
// leaves 2 * 24 + 2 bits (S. A. Figueroa, "When is double rounding innocuous?",
// 1995). A quotient of 24-bit significands is at least 2^-49 of itself away from
// the middle of two floats, so that it may even be off by some of the 53 bits.

fn xla_quotient(a: f32, b: f32) -> f32 {
    return f32(f64(a) / f64(b));
}

fn xla_root(x: f32) -> f32 {
    return f32(sqrt(f64(x)));
}
