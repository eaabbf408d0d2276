// Quotient and square root, rounded once. The functions beside this file call
// them where a quotient or a root is part of the result; where it only begins a
// correction, they divide natively, which WGSL promises to 2.5 ULP.

fn xla_quotient(a: f32, b: f32) -> f32 {
    return a / b;
}

fn xla_root(x: f32) -> f32 {
    return sqrt(x);
}
