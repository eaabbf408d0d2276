// A matrix whose rows are not a multiple of 4, and a column: all quads of an invocation lie in two rows.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> column: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    let row = first * 4u / COLUMNS;
    let at = vec4<u32>(first * 4u - row * COLUMNS) + vec4<u32>(0u, 1u, 2u, 3u);
    let here = vec4<f32>(column[row]);
    let below = vec4<f32>(column[row + 1u]);
    //@ repeat EACH
    let a$k = a[first + $ku * STEP];
    //@ end
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        let v = select(here, below, at >= vec4<u32>(COLUMNS - $ku * 4u * STEP));
        result[first + $ku * STEP] = a$k + v;
    }
    //@ end
}
