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

