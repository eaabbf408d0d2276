// Rows at computed indices: an invocation copies EACH units of one.
@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let to = id * EACH;
    let row = to / ROW_UNITS;
    let at = min(indices[row], ROWS - 1u) * ROW_UNITS + to % ROW_UNITS;
    //@ repeat EACH
    let a$k = a[at + $ku];
    //@ end
    //@ repeat EACH
    result[to + $ku] = a$k;
    //@ end
}
