// Four elements in one access.
alias Unit = vec4<f32>;
alias Stored = vec4<f32>;
const UNIT = 4u;

fn unit(stored: Stored) -> Unit {
    return stored;
}

fn stored(unit: Unit) -> Stored {
    return unit;
}

fn squared(unit: Unit) -> Unit {
    return unit * unit;
}

fn splat(x: f32) -> Unit {
    return vec4<f32>(x);
}

fn total(unit: Unit) -> f32 {
    return (unit.x + unit.y) + (unit.z + unit.w);
}

fn larger(one: Unit, other: Unit) -> Unit {
    return max(one, other);
}

fn largest(unit: Unit) -> f32 {
    return max(max(unit.x, unit.y), max(unit.z, unit.w));
}

fn powers(unit: Unit) -> Unit {
    return quad_exp(unit);
}

fn quotient(unit: Unit, by: f32) -> Unit {
    return unit / by;
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

