
// The sums up to each element of a row, by one invocation.
@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = invocation(group, local);
    if !EXACT && row >= INVOCATIONS { return; }
    var sum = before(row);
    let end = (row + 1u) * ROW_UNITS;
    for (var at = row * ROW_UNITS; at < end; at++) {
        let found = sums(unit(a[at]), sum);
        result[at] = stored(found);
        sum = last(found);
    }
}
