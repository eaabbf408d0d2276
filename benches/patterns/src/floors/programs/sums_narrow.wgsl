
// The sums up to each element of a unit, after those that `before` adds up.
fn sums(terms: Unit, before: f32) -> Unit {
    let a = before + terms.x;
    let b = a + terms.y;
    let c = b + terms.z;
    return Unit(a, b, c, c + terms.w);
}

fn last(sums: Unit) -> f32 {
    return sums.w;
}
