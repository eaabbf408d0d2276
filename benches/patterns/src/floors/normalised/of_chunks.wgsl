// Normalises each chunk of a row, by the numbers of all of the row.
@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read> pairs: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let chunk = invocation(group, local) / LANES;
    let lane = local % LANES;
    if chunk >= ROWS { return; }
    let row = chunk / CHUNKS * CHUNKS;
    var all = pairs[row];
    for (var other = 1u; other < CHUNKS; other++) {
        all = joined(all, pairs[row + other], f32(other));
    }
    let found = of_all(all);
    let first = chunk * ROW_UNITS;
    for (var at = lane; at < ROW_UNITS; at += LANES) {
        result[first + at] = stored(normalised(unit(a[first + at]), found));
    }
}

