// The sum of each row, by one invocation.
alias Result = f32;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = invocation(group, local);
    if !EXACT && row >= INVOCATIONS { return; }
    //@ repeat EACH
    var sum$k = Unit();
    //@ end
    let end = (row + 1u) * ROW_UNITS;
    for (var at = row * ROW_UNITS; at < end; at += EACH) {
        //@ repeat EACH
        sum$k += term(at + $ku);
        //@ end
    }
    var sum = Unit();
    //@ repeat EACH
    sum += sum$k;
    //@ end
    result[row] = total(sum);
}

