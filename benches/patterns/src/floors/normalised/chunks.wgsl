// Two numbers of each chunk of a row.
@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read_write> pairs: array<vec2<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let chunk = invocation(group, local) / LANES;
    let lane = local % LANES;
    if LANES == 1u && !EXACT && chunk >= ROWS { return; }
    let found = pair_of(min(chunk, ROWS - 1u) * ROW_UNITS, lane, local);
    if lane == 0u && chunk < ROWS {
        pairs[chunk] = found;
    }
}

