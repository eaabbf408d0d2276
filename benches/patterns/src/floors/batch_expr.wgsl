// One array added to another a hundred times.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let quad = first_quad(group, local);
    if !EXACT && quad >= QUADS { return; }
    let v = b[quad];
    var sum = a[quad];
    //@ repeat ADDITIONS
    sum += v;
    //@ end
    result[quad] = sum;
}
