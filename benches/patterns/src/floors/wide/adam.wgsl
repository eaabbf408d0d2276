// A step of Adam: parameters, both moments and gradients in, the first three out.
@group(0) @binding(0) var<storage, read> p: array<Word>;
@group(0) @binding(1) var<storage, read> m: array<Word>;
@group(0) @binding(2) var<storage, read> v: array<Word>;
@group(0) @binding(3) var<storage, read> g: array<Word>;
@group(0) @binding(4) var<storage, read_write> result: array<Word>;
@group(0) @binding(5) var<storage, read_write> new_m: array<Word>;
@group(0) @binding(6) var<storage, read_write> new_v: array<Word>;

fn moment(m: vec4<f32>, g: vec4<f32>) -> vec4<f32> {
    return m * 0.9 + g * 0.1;
}

fn variance(v: vec4<f32>, g: vec4<f32>) -> vec4<f32> {
    return v * 0.999 + g * g * 0.001;
}

fn stepped(p: vec4<f32>, m: vec4<f32>, v: vec4<f32>) -> vec4<f32> {
    return p - m * 0.01 / (sqrt(v) + 1e-8);
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let first = id * EACH;
    //@ repeat EACH
    let p$k = p[first + $ku];
    let g$k = g[first + $ku];
    let old_m$k = m[first + $ku];
    let old_v$k = v[first + $ku];
    let even_m$k = moment(even(old_m$k), even(g$k));
    let odd_m$k = moment(odd(old_m$k), odd(g$k));
    let even_v$k = variance(even(old_v$k), even(g$k));
    let odd_v$k = variance(odd(old_v$k), odd(g$k));
    result[first + $ku] = packed(
        stepped(even(p$k), even_m$k, even_v$k),
        stepped(odd(p$k), odd_m$k, odd_v$k),
    );
    new_m[first + $ku] = packed(even_m$k, odd_m$k);
    new_v[first + $ku] = packed(even_v$k, odd_v$k);
    //@ end
}
