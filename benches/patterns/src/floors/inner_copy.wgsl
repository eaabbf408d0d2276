// Copies all but the first and the last row and column.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    //@ repeat EACH
    {
        let q = first + $ku * STEP;
        let row = q / ROW_QUADS;
        let column = q - row * ROW_QUADS;
        if row > 0u && row < ROWS - 1u {
            var value = a[q];
            if column == 0u { value.x = result[q].x; }
            if column == ROW_QUADS - 1u { value.w = result[q].w; }
            result[q] = value;
        }
    }
    //@ end
}
