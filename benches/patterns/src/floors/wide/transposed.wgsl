// a + b transposed: an invocation turns a block of 8 by 8 in registers.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> b: array<Word>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

const LINE = ROWS / 8u;
const ROW = COLUMNS / 8u;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let read = id % ROW * ROWS + id / ROW;
    let first = id / ROW * COLUMNS + id % ROW;
    let b0 = b[read + 0u * LINE];
    let b1 = b[read + 1u * LINE];
    let b2 = b[read + 2u * LINE];
    let b3 = b[read + 3u * LINE];
    let b4 = b[read + 4u * LINE];
    let b5 = b[read + 5u * LINE];
    let b6 = b[read + 6u * LINE];
    let b7 = b[read + 7u * LINE];
    let l0 = even(b0);
    let h0 = odd(b0);
    let l1 = even(b1);
    let h1 = odd(b1);
    let l2 = even(b2);
    let h2 = odd(b2);
    let l3 = even(b3);
    let h3 = odd(b3);
    let l4 = even(b4);
    let h4 = odd(b4);
    let l5 = even(b5);
    let h5 = odd(b5);
    let l6 = even(b6);
    let h6 = odd(b6);
    let l7 = even(b7);
    let h7 = odd(b7);
    let a0 = a[first + 0u * ROW];
    result[first + 0u * ROW] =
        packed(even(a0) + vec4<f32>(l0.x, l2.x, l4.x, l6.x), odd(a0) + vec4<f32>(l1.x, l3.x, l5.x, l7.x));
    let a1 = a[first + 1u * ROW];
    result[first + 1u * ROW] =
        packed(even(a1) + vec4<f32>(h0.x, h2.x, h4.x, h6.x), odd(a1) + vec4<f32>(h1.x, h3.x, h5.x, h7.x));
    let a2 = a[first + 2u * ROW];
    result[first + 2u * ROW] =
        packed(even(a2) + vec4<f32>(l0.y, l2.y, l4.y, l6.y), odd(a2) + vec4<f32>(l1.y, l3.y, l5.y, l7.y));
    let a3 = a[first + 3u * ROW];
    result[first + 3u * ROW] =
        packed(even(a3) + vec4<f32>(h0.y, h2.y, h4.y, h6.y), odd(a3) + vec4<f32>(h1.y, h3.y, h5.y, h7.y));
    let a4 = a[first + 4u * ROW];
    result[first + 4u * ROW] =
        packed(even(a4) + vec4<f32>(l0.z, l2.z, l4.z, l6.z), odd(a4) + vec4<f32>(l1.z, l3.z, l5.z, l7.z));
    let a5 = a[first + 5u * ROW];
    result[first + 5u * ROW] =
        packed(even(a5) + vec4<f32>(h0.z, h2.z, h4.z, h6.z), odd(a5) + vec4<f32>(h1.z, h3.z, h5.z, h7.z));
    let a6 = a[first + 6u * ROW];
    result[first + 6u * ROW] =
        packed(even(a6) + vec4<f32>(l0.w, l2.w, l4.w, l6.w), odd(a6) + vec4<f32>(l1.w, l3.w, l5.w, l7.w));
    let a7 = a[first + 7u * ROW];
    result[first + 7u * ROW] =
        packed(even(a7) + vec4<f32>(h0.w, h2.w, h4.w, h6.w), odd(a7) + vec4<f32>(h1.w, h3.w, h5.w, h7.w));
}
