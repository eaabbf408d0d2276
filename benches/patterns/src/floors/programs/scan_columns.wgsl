
// The sums of each column up to each element, in blocks of BLOCK rows.
@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let block = id / ROW_UNITS;
    let column = id % ROW_UNITS;
    var sum = before_block(block, column);
    var at = block * BLOCK * ROW_UNITS + column;
    for (var row = 0u; row < BLOCK; row++) {
        sum += unit(a[at]);
        result[at] = stored(sum);
        at += ROW_UNITS;
    }
}
