
// Keeps the elements of a unit whose random numbers are small enough.
fn dropped(x: Unit, position: u32) -> Unit {
    return kept(x, position + vec4<u32>(0u, 1u, 2u, 3u));
}
