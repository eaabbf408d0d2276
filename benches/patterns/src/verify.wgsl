// Counts the elements in which two arrays differ by more than one part in PARTS, if EXACT the words
// in which they differ at all, and finds the first.
@group(0) @binding(0) var<storage, read> ours: array<u32>;
@group(0) @binding(1) var<storage, read> floor: array<u32>;
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>, 2>;

fn is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = group.x * 1024u + local;
    for (var k = 0u; k < 16u; k++) {
        let i = first + k * 64u;
        if i >= ELEMENTS { return; }
        let a = bitcast<f32>(ours[i]);
        let b = bitcast<f32>(floor[i]);
        let near = abs(a - b) <= max(1.0, abs(a)) / f32(PARTS);
        let finite = EXACT == 0u && is_finite(a) && is_finite(b);
        if select(ours[i] != floor[i], !near, finite) {
            atomicAdd(&found[0], 1u);
            atomicMin(&found[1], FIRST + i);
        }
    }
}
