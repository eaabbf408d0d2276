// A step of Adam: parameters, both moments and gradients in, the first three out.
@group(0) @binding(0) var<storage, read> p: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> m: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> result: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> new_m: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> new_v: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    //@ repeat EACH
    let p$k = p[first + $ku * STEP];
    let g$k = g[first + $ku * STEP];
    let m$k = m[first + $ku * STEP] * 0.9 + g$k * 0.1;
    let v$k = v[first + $ku * STEP] * 0.999 + g$k * g$k * 0.001;
    //@ end
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        result[first + $ku * STEP] = p$k - m$k * 0.01 / (sqrt(v$k) + 1e-8);
        new_m[first + $ku * STEP] = m$k;
        new_v[first + $ku * STEP] = v$k;
    }
    //@ end
}
