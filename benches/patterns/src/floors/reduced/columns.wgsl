// Sums of BLOCK rows of each of some matrices. The sums of one matrix are rows of the result.
alias Result = Stored;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let block = id / ROW_UNITS;
    var at = block * BLOCK * ROW_UNITS + id % ROW_UNITS;
    //@ repeat EACH
    var sum$k = Unit();
    //@ end
    for (var row = 0u; row < BLOCK; row += EACH) {
        //@ repeat EACH
        sum$k += term(at + $ku * ROW_UNITS);
        //@ end
        at += EACH * ROW_UNITS;
    }
    var sum = Unit();
    //@ repeat EACH
    sum += sum$k;
    //@ end
    result[id] = stored(sum);
}

