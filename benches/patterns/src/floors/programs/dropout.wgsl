
// Dropout in one pass: the elements that stay are divided by the share of those.
@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let at = invocation(group, local);
    if !EXACT && at >= INVOCATIONS { return; }
    result[at] = stored(dropped(unit(a[at]), at * UNIT));
}

alias Result = Stored;
