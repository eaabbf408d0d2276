// Squared distances between two lists of points: an invocation compares one of the first list
// with EACH of the second.
@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read> b: array<Stored>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let row = id / (COLUMNS / EACH);
    let column = id % (COLUMNS / EACH) * EACH;
    //@ repeat EACH
    var sum$k = Unit();
    //@ end
    for (var at = 0u; at < POINT_UNITS; at++) {
        let x = unit(a[row * POINT_UNITS + at]);
        //@ repeat EACH
        sum$k += squared(x - unit(b[(column + $ku) * POINT_UNITS + at]));
        //@ end
    }
    //@ repeat EACH
    result[row * COLUMNS + column + $ku] = total(sum$k);
    //@ end
}
