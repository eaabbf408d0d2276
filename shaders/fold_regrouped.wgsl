// Sums in two words where the compiler may regroup sums: each operation is guarded.

fn xla_sum_rest(a: f32, b: f32, s: f32) -> f32 {
    let v = xla_keep_bits(s - a);
    return xla_keep_bits(xla_keep_bits(a - xla_keep_bits(s - v)) + xla_keep_bits(b - v));
}

fn xla_sum_rest_4(a: vec4<f32>, b: vec4<f32>, s: vec4<f32>) -> vec4<f32> {
    let v = xla_keep_4(s - a);
    return xla_keep_4(xla_keep_4(a - xla_keep_4(s - v)) + xla_keep_4(b - v));
}

fn xla_errors(x: f32) -> f32 {
    return xla_keep_bits(x);
}

fn xla_errors_4(x: vec4<f32>) -> vec4<f32> {
    return xla_keep_4(x);
}
