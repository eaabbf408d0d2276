// A product of matrices: an invocation adds up TILE rows of one unit.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<Stored>;
@group(0) @binding(2) var<storage, read_write> result: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let column = id % ROW_UNITS;
    let row = id / ROW_UNITS * TILE;
    //@ repeat TILE
    var sum$k = Unit();
    //@ end
    for (var k = 0u; k < INNER; k++) {
        let right = unit(b[k * ROW_UNITS + column]);
        //@ repeat TILE
        sum$k += right * a[(row + $ku) * INNER + k];
        //@ end
    }
    //@ repeat TILE
    result[(row + $ku) * ROW_UNITS + column] = stored(sum$k);
    //@ end
}
