// Rows of 3: three words are 8 rows, and begin with each element of the row by turns.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> row: array<f32, 3>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = invocation(group, local) * 3u;
    let v = vec3<f32>(row[0], row[1], row[2]);
    let a0 = a[first];
    let a1 = a[first + 1u];
    let a2 = a[first + 2u];
    result[first] = packed(even(a0) + v.xzyx, odd(a0) + v.yxzy);
    result[first + 1u] = packed(even(a1) + v.zyxz, odd(a1) + v.xzyx);
    result[first + 2u] = packed(even(a2) + v.yxzy, odd(a2) + v.zyxz);
}
