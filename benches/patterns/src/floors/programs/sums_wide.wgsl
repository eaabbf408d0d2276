
// The sums up to each element of a unit, after those that `before` adds up.
fn sums(terms: Unit, before: f32) -> Unit {
    let a = before + terms[0].x;
    let b = a + terms[1].x;
    let c = b + terms[0].y;
    let d = c + terms[1].y;
    let e = d + terms[0].z;
    let f = e + terms[1].z;
    let g = f + terms[0].w;
    return Unit(vec4<f32>(a, c, e, g), vec4<f32>(b, d, f, g + terms[1].w));
}

fn last(sums: Unit) -> f32 {
    return sums[1].w;
}
