// The mean of the four neighbours of each element. In the first and the last row and column, what
// comes out means nothing.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    //@ repeat EACH
    let q$k = first + $ku * STEP;
    let a$k = a[q$k];
    let before$k = vec4<f32>(a[max(q$k, 1u) - 1u].w, a$k.xyz);
    let behind$k = vec4<f32>(a$k.yzw, a[min(q$k + 1u, QUADS - 1u)].x);
    let above$k = a[max(q$k, ROW_QUADS) - ROW_QUADS];
    let below$k = a[min(q$k + ROW_QUADS, QUADS - 1u)];
    //@ end
    //@ repeat EACH
    if EXACT || q$k < QUADS {
        result[q$k] = (before$k + behind$k + above$k + below$k) * 0.25;
    }
    //@ end
}
