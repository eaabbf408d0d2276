// Eight elements in one access: the even ones and the odd ones.
alias Unit = mat2x4<f32>;
alias Stored = vec4<u64>;
const UNIT = 8u;

fn unit(stored: Stored) -> Unit {
    let odd = vec4<u32>(stored >> vec4<u32>(32u));
    return Unit(bitcast<vec4<f32>>(vec4<u32>(stored)), bitcast<vec4<f32>>(odd));
}

fn stored(unit: Unit) -> Stored {
    let high = vec4<u64>(bitcast<vec4<u32>>(unit[1])) << vec4<u32>(32u);
    return vec4<u64>(bitcast<vec4<u32>>(unit[0])) | high;
}

fn squared(unit: Unit) -> Unit {
    return Unit(unit[0] * unit[0], unit[1] * unit[1]);
}

fn splat(x: f32) -> Unit {
    return Unit(vec4<f32>(x), vec4<f32>(x));
}

fn total(unit: Unit) -> f32 {
    let sum = unit[0] + unit[1];
    return (sum.x + sum.y) + (sum.z + sum.w);
}

fn larger(one: Unit, other: Unit) -> Unit {
    return Unit(max(one[0], other[0]), max(one[1], other[1]));
}

fn largest(unit: Unit) -> f32 {
    let most = max(unit[0], unit[1]);
    return max(max(most.x, most.y), max(most.z, most.w));
}

fn powers(unit: Unit) -> Unit {
    return Unit(quad_exp(unit[0]), quad_exp(unit[1]));
}

fn quotient(unit: Unit, by: f32) -> Unit {
    return Unit(unit[0] / by, unit[1] / by);
}

// The exponential of numbers of at most 0, within 2 ULP: 2^n * e^r, where e^r is a polynomial. (The
// coefficients of Cephes' expf.)
fn quad_exp(x: vec4<f32>) -> vec4<f32> {
    let t = max(x, vec4<f32>(-87.0));
    let n = round(t * 1.44269504);
    let r = (t - n * 0.693359375) + n * 2.12194440e-4;
    let p = ((((1.9875691500e-4 * r + 1.3981999507e-3) * r + 8.3334519073e-3) * r + 4.1665795894e-2) * r
        + 1.6666665459e-1) * r + 5.0000001201e-1;
    let power = p * r * r + r + 1.0;
    return bitcast<vec4<f32>>(bitcast<vec4<i32>>(power) + (vec4<i32>(n) << vec4<u32>(23u)));
}

