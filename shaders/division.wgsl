// Quotient and square root, correctly rounded. Functions of other files call them
// where a quotient or a root is part of the result. Where it only starts an
// iteration, they divide natively, to WGSL's 2.5 ULP.
//
// This file is for adapters whose native quotient or root is correctly rounded, which
// a probe in src/calibration finds out. Other adapters take the function from division_f64.wgsl or
// division_integer.wgsl instead; the choice is made for each of the two.

fn xla_quotient(a: f32, b: f32) -> f32 {
    return a / b;
}

fn xla_root(x: f32) -> f32 {
    return sqrt(x);
}
