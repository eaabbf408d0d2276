// The cos of an array.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        result[first + $ku * STEP] = cos(a[first + $ku * STEP]);
    }
    //@ end
}
