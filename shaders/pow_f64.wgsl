// The parts of a power by way of 64-bit floats, where these are cheaper than two
// floats for each value, as on CPUs. The same series as in exp_log.wgsl; what its
// terms are worth decides which of them are 64 bits wide.

fn xla_pow_parts(x: f32, y: f32) -> vec2<f32> {
    let normal = xla_normalized(xla_abs_bits(x));
    let xm = normal.x;
    let ki = (bitcast<i32>(xm) - 0x3f3504f3) >> 23u;
    let f = f64(bitcast<f32>(xm - (bitcast<u32>(ki) << 23u)) - 1.0);
    let s = f / (f + 2.0lf);
    let z = s * s;
    let z32 = f32(z);
    // (C: log2_atanh)
    var p = 0.336624831;
    p = p * z32 + 0.411921471;
    p = p * z32 + 0.577078879;
    let t = 2.8853900817779268lf + z * (0.9617967009544373lf + f64(z32 * p));
    // y log2|x| = n + r
    let product = f64(y) * (f64(ki - bitcast<i32>(normal.y)) + s * t);
    let n = round(f32(product));
    return vec2<f32>(xla_pow_exp2(f32(product - f64(n))), n);
}
