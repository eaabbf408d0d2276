// The sum of each row, by a workgroup whose invocations read neighbours.
alias Result = f32;

var<workgroup> sums: array<f32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = invocation(group, 0u) / WORKGROUP;
    var sum = Unit();
    if row < ROWS {
        for (var at = local; at < ROW_UNITS; at += WORKGROUP) {
            sum += term(row * ROW_UNITS + at);
        }
    }
    sums[local] = total(sum);
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            sums[local] += sums[local + half];
        }
    }
    if local == 0u && row < ROWS {
        result[row] = sums[0];
    }
}

