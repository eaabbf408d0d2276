// The variance and the mean of each row, by one invocation that reads it twice.
@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<storage, read_write> means: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = invocation(group, local);
    if !EXACT && row >= INVOCATIONS { return; }
    let first = row * ROW_UNITS;
    var sum0 = Unit();
    var sum1 = Unit();
    for (var at = 0u; at < ROW_UNITS; at += 2u) {
        sum0 += unit(a[first + at]);
        sum1 += unit(a[first + at + 1u]);
    }
    let mean = total(sum0 + sum1) / f32(ROW_UNITS * UNIT);
    means[row] = mean;
    sum0 = Unit();
    sum1 = Unit();
    for (var at = 0u; at < ROW_UNITS; at += 2u) {
        sum0 += squared(unit(a[first + at]) - splat(mean));
        sum1 += squared(unit(a[first + at + 1u]) - splat(mean));
    }
    result[row] = total(sum0 + sum1) / f32(ROW_UNITS * UNIT);
}

