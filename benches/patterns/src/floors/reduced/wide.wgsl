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

