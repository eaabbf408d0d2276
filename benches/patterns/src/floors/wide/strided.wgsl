// Every second element of an array: the low halves of its words.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let first = id * EACH;
    //@ repeat EACH
    let a$k = even(a[2u * (first + $ku)]);
    let b$k = even(a[2u * (first + $ku) + 1u]);
    result[first + $ku] = packed(vec4<f32>(a$k.xz, b$k.xz), vec4<f32>(a$k.yw, b$k.yw));
    //@ end
}
