// Every second element of an array: a quad of the result is half of two quads.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    //@ repeat EACH
    let a$k = a[2u * (first + $ku * STEP)];
    let b$k = a[2u * (first + $ku * STEP) + 1u];
    //@ end
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        result[first + $ku * STEP] = vec4<f32>(a$k.xz, b$k.xz);
    }
    //@ end
}
