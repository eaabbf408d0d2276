// The tanh of an array.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let first = id * EACH;
    //@ repeat EACH
    let a$k = a[first + $ku];
    result[first + $ku] = packed(quad_tanh(even(a$k)), quad_tanh(odd(a$k)));
    //@ end
}
