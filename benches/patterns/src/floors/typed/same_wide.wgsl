// Two arrays that lie alike, in words of 32 bytes. Past the end, the last invocation writes to where
// the result's buffer has room for it.
@group(0) @binding(0) var<storage, read> a: array<Wide>;
@group(0) @binding(1) var<storage, read> b: array<Wide>;
@group(0) @binding(2) var<storage, read_write> result: array<Wide>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let first = id * EACH;
    //@ repeat EACH
    let a$k = a[first + $ku];
    let b$k = b[first + $ku];
    result[first + $ku] = wide_sum(a$k, b$k);
    //@ end
}
