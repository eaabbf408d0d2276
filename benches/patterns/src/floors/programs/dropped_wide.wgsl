
// Keeps the elements of a unit whose random numbers are small enough.
fn dropped(x: Unit, position: u32) -> Unit {
    let even = kept(x[0], position + vec4<u32>(0u, 2u, 4u, 6u));
    return Unit(even, kept(x[1], position + vec4<u32>(1u, 3u, 5u, 7u)));
}
