// x + in_dim(v, 1), as on a software adapter; x: f32[65,33], v: f32[33]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    size_1: u32,
    result_offset: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    stride_1_1: u32,
    row_stride_1: u32,
    pad_11: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u64>>;
@group(0) @binding(2) var<storage, read> in_1: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u64>>;

fn word_low(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.x), u32(w.x >> 32u), u32(w.y), u32(w.y >> 32u));
}

fn word_high(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.z), u32(w.z >> 32u), u32(w.w), u32(w.w >> 32u));
}

fn word_pair(low: u32, high: u32) -> u64 {
    return u64(low) | (u64(high) << 32u);
}

fn word_of(a: vec4<u32>, b: vec4<u32>) -> vec4<u64> {
    return vec4<u64>(word_pair(a.x, a.y), word_pair(a.z, a.w), word_pair(b.x, b.y), word_pair(b.z, b.w));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let unit = line * 64u + local;
    let column = unit;
    let row_in_period = column * 16u / params.size_1;
    let j_0 = column * 16u - row_in_period * params.size_1;
    let wraps_1 = j_0 + 1u == params.size_1;
    let j_1 = select(j_0 + 1u, 0u, wraps_1);
    let wraps_2 = j_1 + 1u == params.size_1;
    let j_2 = select(j_1 + 1u, 0u, wraps_2);
    let wraps_3 = j_2 + 1u == params.size_1;
    let j_3 = select(j_2 + 1u, 0u, wraps_3);
    let wraps_4 = j_3 + 1u == params.size_1;
    let j_4 = select(j_3 + 1u, 0u, wraps_4);
    let wraps_5 = j_4 + 1u == params.size_1;
    let j_5 = select(j_4 + 1u, 0u, wraps_5);
    let wraps_6 = j_5 + 1u == params.size_1;
    let j_6 = select(j_5 + 1u, 0u, wraps_6);
    let wraps_7 = j_6 + 1u == params.size_1;
    let j_7 = select(j_6 + 1u, 0u, wraps_7);
    let wraps_8 = j_7 + 1u == params.size_1;
    let j_8 = select(j_7 + 1u, 0u, wraps_8);
    let wraps_9 = j_8 + 1u == params.size_1;
    let j_9 = select(j_8 + 1u, 0u, wraps_9);
    let wraps_10 = j_9 + 1u == params.size_1;
    let j_10 = select(j_9 + 1u, 0u, wraps_10);
    let wraps_11 = j_10 + 1u == params.size_1;
    let j_11 = select(j_10 + 1u, 0u, wraps_11);
    let wraps_12 = j_11 + 1u == params.size_1;
    let j_12 = select(j_11 + 1u, 0u, wraps_12);
    let wraps_13 = j_12 + 1u == params.size_1;
    let j_13 = select(j_12 + 1u, 0u, wraps_13);
    let wraps_14 = j_13 + 1u == params.size_1;
    let j_14 = select(j_13 + 1u, 0u, wraps_14);
    let wraps_15 = j_14 + 1u == params.size_1;
    let j_15 = select(j_14 + 1u, 0u, wraps_15);
    let o0 = params.offset_0 + unit * 2u;
    let w0_0 = in_0[o0];
    let w0_1 = in_0[o0 + 1u];
    let x0_0 = bitcast<vec4<f32>>(word_low(w0_0));
    let x0_1 = bitcast<vec4<f32>>(word_high(w0_0));
    let x0_2 = bitcast<vec4<f32>>(word_low(w0_1));
    let x0_3 = bitcast<vec4<f32>>(word_high(w0_1));
    let b1 = params.offset_1;
    let d1_0 = row_in_period * params.row_stride_1 + j_0 * params.stride_1_1;
    let e1 = params.row_stride_1 - (params.size_1 - 1u) * params.stride_1_1;
    let d1_1 = d1_0 + select(params.stride_1_1, e1, wraps_1);
    let d1_2 = d1_1 + select(params.stride_1_1, e1, wraps_2);
    let d1_3 = d1_2 + select(params.stride_1_1, e1, wraps_3);
    let d1_4 = d1_3 + select(params.stride_1_1, e1, wraps_4);
    let d1_5 = d1_4 + select(params.stride_1_1, e1, wraps_5);
    let d1_6 = d1_5 + select(params.stride_1_1, e1, wraps_6);
    let d1_7 = d1_6 + select(params.stride_1_1, e1, wraps_7);
    let d1_8 = d1_7 + select(params.stride_1_1, e1, wraps_8);
    let d1_9 = d1_8 + select(params.stride_1_1, e1, wraps_9);
    let d1_10 = d1_9 + select(params.stride_1_1, e1, wraps_10);
    let d1_11 = d1_10 + select(params.stride_1_1, e1, wraps_11);
    let d1_12 = d1_11 + select(params.stride_1_1, e1, wraps_12);
    let d1_13 = d1_12 + select(params.stride_1_1, e1, wraps_13);
    let d1_14 = d1_13 + select(params.stride_1_1, e1, wraps_14);
    let d1_15 = d1_14 + select(params.stride_1_1, e1, wraps_15);
    let o1 = b1;
    let x1_0 = vec4<f32>(bitcast<f32>(in_1[(o1 + d1_0)]), bitcast<f32>(in_1[(o1 + d1_1)]), bitcast<f32>(in_1[(o1 + d1_2)]), bitcast<f32>(in_1[(o1 + d1_3)]));
    let x1_1 = vec4<f32>(bitcast<f32>(in_1[(o1 + d1_4)]), bitcast<f32>(in_1[(o1 + d1_5)]), bitcast<f32>(in_1[(o1 + d1_6)]), bitcast<f32>(in_1[(o1 + d1_7)]));
    let x1_2 = vec4<f32>(bitcast<f32>(in_1[(o1 + d1_8)]), bitcast<f32>(in_1[(o1 + d1_9)]), bitcast<f32>(in_1[(o1 + d1_10)]), bitcast<f32>(in_1[(o1 + d1_11)]));
    let x1_3 = vec4<f32>(bitcast<f32>(in_1[(o1 + d1_12)]), bitcast<f32>(in_1[(o1 + d1_13)]), bitcast<f32>(in_1[(o1 + d1_14)]), bitcast<f32>(in_1[(o1 + d1_15)]));
    let to = params.result_offset + unit * 2u;
    let v0_0 = (x0_0 + x1_0);
    let v0_1 = (x0_1 + x1_1);
    let r0 = bitcast<vec4<u32>>(v0_0);
    let r1 = bitcast<vec4<u32>>(v0_1);
    result[to] = word_of(r0, r1);
    let v0_2 = (x0_2 + x1_2);
    let v0_3 = (x0_3 + x1_3);
    let r2 = bitcast<vec4<u32>>(v0_2);
    let r3 = bitcast<vec4<u32>>(v0_3);
    result[to + 1u] = word_of(r2, r3);
}
