
// The sums up to each element of a row, by a workgroup whose invocations read neighbours.
var<workgroup> totals: array<f32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = min(invocation(group, 0u) / WORKGROUP, ROWS - 1u);
    var sum = before(row);
    for (var first = 0u; first < ROW_UNITS; first += WORKGROUP) {
        let is_inside = first + local < ROW_UNITS;
        let at = row * ROW_UNITS + first + local;
        var found = Unit();
        if is_inside {
            found = sums(unit(a[at]), 0.0);
        }
        totals[local] = last(found);
        for (var step = 1u; step < WORKGROUP; step *= 2u) {
            workgroupBarrier();
            var other = 0.0;
            if local >= step {
                other = totals[local - step];
            }
            workgroupBarrier();
            totals[local] += other;
        }
        workgroupBarrier();
        if is_inside {
            let of_others = totals[local] - last(found);
            result[at] = stored(found + splat(sum + of_others));
        }
        sum += totals[WORKGROUP - 1u];
        workgroupBarrier();
    }
}
