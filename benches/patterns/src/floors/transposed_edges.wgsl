// a + b transposed, for a processor: an invocation turns a block of 4 by 4 in registers. The blocks
// of a workgroup are 8 by 8, so that it comes back to the cache lines that it has read.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

const WHOLE = ROWS % 32u == 0u && COLUMNS % 32u == 0u;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let tile = invocation(group, 0u) / WORKGROUP;
    let row = tile / COLUMN_TILES * 32u + local / 8u * 4u;
    let column = tile % COLUMN_TILES * 32u + local % 8u * 4u;
    if !(WHOLE && EXACT) && (row >= ROWS || column >= COLUMNS) { return; }
    let read = (column * ROWS + row) / 4u;
    let written = (row * COLUMNS + column) / 4u;
    //@ repeat FOUR
    let b$k = b[read + $ku * (ROWS / 4u)];
    let a$k = a[written + $ku * (COLUMNS / 4u)];
    //@ end
    //@ repeat FOUR
    result[written + $ku * (COLUMNS / 4u)] = a$k + vec4<f32>(b0.$c, b1.$c, b2.$c, b3.$c);
    //@ end
}
