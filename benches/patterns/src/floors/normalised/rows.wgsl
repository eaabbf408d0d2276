// Normalises each row, in three passes.
@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read_write> result: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = invocation(group, local) / LANES;
    let lane = local % LANES;
    if LANES == 1u && !EXACT && row >= ROWS { return; }
    let first = min(row, ROWS - 1u) * ROW_UNITS;
    let found = of_all(pair_of(first, lane, local));
    if row >= ROWS { return; }
    for (var at = lane; at < ROW_UNITS; at += LANES) {
        result[first + at] = stored(normalised(unit(a[first + at]), found));
    }
}

