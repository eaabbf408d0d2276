// tanh(a * b + c) of arrays that lie alike.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> c: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    //@ repeat EACH
    let a$k = a[first + $ku * STEP];
    let b$k = b[first + $ku * STEP];
    let c$k = c[first + $ku * STEP];
    //@ end
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        result[first + $ku * STEP] = quad_tanh(a$k * b$k + c$k);
    }
    //@ end
}
