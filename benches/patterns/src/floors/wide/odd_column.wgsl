// A matrix with rows of any size, and a column: both words of an invocation lie in two rows.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = invocation(group, local) * EACH;
    let row = first * 8u / COLUMNS;
    let at = first * 8u - row * COLUMNS;
    let here = vec4<f32>(v[row]);
    let below = vec4<f32>(v[row + 1u]);
    //@ repeat EACH
    let a$k = a[first + $ku];
    let e$k = vec4<u32>(at + 8u * $ku) + vec4<u32>(0u, 2u, 4u, 6u);
    result[first + $ku] = packed(
        even(a$k) + select(here, below, e$k >= vec4<u32>(COLUMNS)),
        odd(a$k) + select(here, below, e$k >= vec4<u32>(COLUMNS - 1u)),
    );
    //@ end
}
