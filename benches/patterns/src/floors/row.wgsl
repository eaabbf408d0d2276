// A matrix and a row: an invocation adds one quad of the row to TILE rows.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> row: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let column = id % ROW_QUADS;
    let first = id / ROW_QUADS * (TILE * ROW_QUADS) + column;
    let v = row[column];
    //@ repeat TILE
    let a$k = a[first + $ku * ROW_QUADS];
    //@ end
    //@ repeat TILE
    result[first + $ku * ROW_QUADS] = a$k + v;
    //@ end
}
