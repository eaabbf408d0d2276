// An array and one element.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> one: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let first = id * EACH;
    let b = one[0];
    //@ repeat EACH
    let a$k = a[first + $ku];
    result[first + $ku] = packed(even(a$k) + b, odd(a$k) + b);
    //@ end
}
