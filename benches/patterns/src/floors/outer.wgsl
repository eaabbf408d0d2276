// A column and a row, each element with each: one quad of the row with TILE elements of the column.
@group(0) @binding(0) var<storage, read> column: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> row: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let tile = id / ROW_QUADS;
    let first = tile * (TILE * ROW_QUADS) + id % ROW_QUADS;
    let w = row[id % ROW_QUADS];
    //@ repeat TILE_QUADS
    let v$k = column[tile * TILE_QUADS + $ku];
    //@ end
    //@ repeat TILE
    result[first + $ku * ROW_QUADS] = v$q.$c + w;
    //@ end
}
