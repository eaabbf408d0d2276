// reduce_sum(square(in_dim(x, [0, 2]) - in_dim(y, [1, 2])), 2), as on a software adapter; x: f32[5,64], y: f32[6,64]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    folded: u32,
    of_parts: u32,
    first_folded: u32,
    columns: u32,
    size_1: u32,
    size_2: u32,
    result_offset: u32,
    result_stride_0: u32,
    result_stride_1: u32,
    offset_0: u32,
    stride_0_0: u32,
    stride_0_1: u32,
    offset_1: u32,
    stride_1_0: u32,
    stride_1_1: u32,
    pad_18: u32,
    pad_19: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u64>>;
@group(0) @binding(2) var<storage, read> in_1: array<vec4<u64>>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

fn word_low(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.x), u32(w.x >> 32u), u32(w.y), u32(w.y >> 32u));
}

fn word_high(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.z), u32(w.z >> 32u), u32(w.w), u32(w.w >> 32u));
}

fn xla_keep_bits(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | params.zero);
}

fn xla_keep_4(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) | vec4<u32>(params.zero));
}

fn xla_sum_rest(a: f32, b: f32, s: f32) -> f32 {
    let v = xla_keep_bits(s - a);
    return (a - (s - v)) + (b - v);
}

fn xla_sum_rest_4(a: vec4<f32>, b: vec4<f32>, s: vec4<f32>) -> vec4<f32> {
    let v = xla_keep_4(s - a);
    return (a - (s - v)) + (b - v);
}

fn xla_errors(x: f32) -> f32 {
    return x;
}

fn xla_errors_4(x: vec4<f32>) -> vec4<f32> {
    return x;
}

fn xla_sum_of_words(high: f32, low: f32) -> f32 {
    let s = bitcast<u32>(xla_keep_bits(high + low));
    let b = bitcast<u32>(high);
    return bitcast<f32>(select(s, b, (b & 0x7f800000u) == 0x7f800000u));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let unit = line * 64u + local;
    if unit >= params.total { return; }
    let groups = unit / params.columns;
    let first_element = (unit - groups * params.columns) * 4u;
    let i0 = groups;
    let b0 = params.offset_0 + i0 * params.stride_0_0;
    let i1_k0 = min(first_element + 0u, params.size_1 - 1u);
    let b1_k0 = params.offset_1 + i0 * params.stride_1_0 + i1_k0 * params.stride_1_1;
    let i1_k1 = min(first_element + 1u, params.size_1 - 1u);
    let b1_k1 = params.offset_1 + i0 * params.stride_1_0 + i1_k1 * params.stride_1_1;
    let i1_k2 = min(first_element + 2u, params.size_1 - 1u);
    let b1_k2 = params.offset_1 + i0 * params.stride_1_0 + i1_k2 * params.stride_1_1;
    let i1_k3 = min(first_element + 3u, params.size_1 - 1u);
    let b1_k3 = params.offset_1 + i0 * params.stride_1_0 + i1_k3 * params.stride_1_1;
    let count = params.folded;
    let identity0 = bitcast<f32>((0u | params.zero));
    var a0_h_k0 = vec4<f32>(identity0);
    var a0_l_k0 = vec4<f32>(0f);
    var n0_0_h_k0 = identity0;
    var n0_0_l_k0 = 0f;
    var n0_1_h_k0 = identity0;
    var n0_1_l_k0 = 0f;
    var n0_2_h_k0 = identity0;
    var n0_2_l_k0 = 0f;
    var n0_3_h_k0 = identity0;
    var n0_3_l_k0 = 0f;
    var a0_h_k1 = vec4<f32>(identity0);
    var a0_l_k1 = vec4<f32>(0f);
    var n0_0_h_k1 = identity0;
    var n0_0_l_k1 = 0f;
    var n0_1_h_k1 = identity0;
    var n0_1_l_k1 = 0f;
    var n0_2_h_k1 = identity0;
    var n0_2_l_k1 = 0f;
    var n0_3_h_k1 = identity0;
    var n0_3_l_k1 = 0f;
    var a0_h_k2 = vec4<f32>(identity0);
    var a0_l_k2 = vec4<f32>(0f);
    var n0_0_h_k2 = identity0;
    var n0_0_l_k2 = 0f;
    var n0_1_h_k2 = identity0;
    var n0_1_l_k2 = 0f;
    var n0_2_h_k2 = identity0;
    var n0_2_l_k2 = 0f;
    var n0_3_h_k2 = identity0;
    var n0_3_l_k2 = 0f;
    var a0_h_k3 = vec4<f32>(identity0);
    var a0_l_k3 = vec4<f32>(0f);
    var n0_0_h_k3 = identity0;
    var n0_0_l_k3 = 0f;
    var n0_1_h_k3 = identity0;
    var n0_1_l_k3 = 0f;
    var n0_2_h_k3 = identity0;
    var n0_2_l_k3 = 0f;
    var n0_3_h_k3 = identity0;
    var n0_3_l_k3 = 0f;
    for (var done = 0u; done < count; done += 32u) {
        let f2 = done;
        let o0 = b0 + f2 / 32u * 4u;
        let w0_0 = in_0[o0];
        let w0_1 = in_0[o0 + 1u];
        let w0_2 = in_0[o0 + 2u];
        let w0_3 = in_0[o0 + 3u];
        let x0_0 = bitcast<vec4<f32>>(word_low(w0_0));
        let x0_1 = bitcast<vec4<f32>>(word_high(w0_0));
        let x0_2 = bitcast<vec4<f32>>(word_low(w0_1));
        let x0_3 = bitcast<vec4<f32>>(word_high(w0_1));
        let x0_4 = bitcast<vec4<f32>>(word_low(w0_2));
        let x0_5 = bitcast<vec4<f32>>(word_high(w0_2));
        let x0_6 = bitcast<vec4<f32>>(word_low(w0_3));
        let x0_7 = bitcast<vec4<f32>>(word_high(w0_3));
        let o1_k0 = b1_k0 + f2 / 32u * 4u;
        let w1_0_k0 = in_1[o1_k0];
        let w1_1_k0 = in_1[o1_k0 + 1u];
        let w1_2_k0 = in_1[o1_k0 + 2u];
        let w1_3_k0 = in_1[o1_k0 + 3u];
        let x1_0_k0 = bitcast<vec4<f32>>(word_low(w1_0_k0));
        let x1_1_k0 = bitcast<vec4<f32>>(word_high(w1_0_k0));
        let x1_2_k0 = bitcast<vec4<f32>>(word_low(w1_1_k0));
        let x1_3_k0 = bitcast<vec4<f32>>(word_high(w1_1_k0));
        let x1_4_k0 = bitcast<vec4<f32>>(word_low(w1_2_k0));
        let x1_5_k0 = bitcast<vec4<f32>>(word_high(w1_2_k0));
        let x1_6_k0 = bitcast<vec4<f32>>(word_low(w1_3_k0));
        let x1_7_k0 = bitcast<vec4<f32>>(word_high(w1_3_k0));
        let o1_k1 = b1_k1 + f2 / 32u * 4u;
        let w1_0_k1 = in_1[o1_k1];
        let w1_1_k1 = in_1[o1_k1 + 1u];
        let w1_2_k1 = in_1[o1_k1 + 2u];
        let w1_3_k1 = in_1[o1_k1 + 3u];
        let x1_0_k1 = bitcast<vec4<f32>>(word_low(w1_0_k1));
        let x1_1_k1 = bitcast<vec4<f32>>(word_high(w1_0_k1));
        let x1_2_k1 = bitcast<vec4<f32>>(word_low(w1_1_k1));
        let x1_3_k1 = bitcast<vec4<f32>>(word_high(w1_1_k1));
        let x1_4_k1 = bitcast<vec4<f32>>(word_low(w1_2_k1));
        let x1_5_k1 = bitcast<vec4<f32>>(word_high(w1_2_k1));
        let x1_6_k1 = bitcast<vec4<f32>>(word_low(w1_3_k1));
        let x1_7_k1 = bitcast<vec4<f32>>(word_high(w1_3_k1));
        let o1_k2 = b1_k2 + f2 / 32u * 4u;
        let w1_0_k2 = in_1[o1_k2];
        let w1_1_k2 = in_1[o1_k2 + 1u];
        let w1_2_k2 = in_1[o1_k2 + 2u];
        let w1_3_k2 = in_1[o1_k2 + 3u];
        let x1_0_k2 = bitcast<vec4<f32>>(word_low(w1_0_k2));
        let x1_1_k2 = bitcast<vec4<f32>>(word_high(w1_0_k2));
        let x1_2_k2 = bitcast<vec4<f32>>(word_low(w1_1_k2));
        let x1_3_k2 = bitcast<vec4<f32>>(word_high(w1_1_k2));
        let x1_4_k2 = bitcast<vec4<f32>>(word_low(w1_2_k2));
        let x1_5_k2 = bitcast<vec4<f32>>(word_high(w1_2_k2));
        let x1_6_k2 = bitcast<vec4<f32>>(word_low(w1_3_k2));
        let x1_7_k2 = bitcast<vec4<f32>>(word_high(w1_3_k2));
        let o1_k3 = b1_k3 + f2 / 32u * 4u;
        let w1_0_k3 = in_1[o1_k3];
        let w1_1_k3 = in_1[o1_k3 + 1u];
        let w1_2_k3 = in_1[o1_k3 + 2u];
        let w1_3_k3 = in_1[o1_k3 + 3u];
        let x1_0_k3 = bitcast<vec4<f32>>(word_low(w1_0_k3));
        let x1_1_k3 = bitcast<vec4<f32>>(word_high(w1_0_k3));
        let x1_2_k3 = bitcast<vec4<f32>>(word_low(w1_1_k3));
        let x1_3_k3 = bitcast<vec4<f32>>(word_high(w1_1_k3));
        let x1_4_k3 = bitcast<vec4<f32>>(word_low(w1_2_k3));
        let x1_5_k3 = bitcast<vec4<f32>>(word_high(w1_2_k3));
        let x1_6_k3 = bitcast<vec4<f32>>(word_low(w1_3_k3));
        let x1_7_k3 = bitcast<vec4<f32>>(word_high(w1_3_k3));
        let v0_0_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_0 - x1_0_k0)) ^ vec4<u32>(params.zero));
        let v0_1_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_1 - x1_1_k0)) ^ vec4<u32>(params.zero));
        let v0_2_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_2 - x1_2_k0)) ^ vec4<u32>(params.zero));
        let v0_3_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_3 - x1_3_k0)) ^ vec4<u32>(params.zero));
        let v0_4_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_4 - x1_4_k0)) ^ vec4<u32>(params.zero));
        let v0_5_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_5 - x1_5_k0)) ^ vec4<u32>(params.zero));
        let v0_6_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_6 - x1_6_k0)) ^ vec4<u32>(params.zero));
        let v0_7_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_7 - x1_7_k0)) ^ vec4<u32>(params.zero));
        let v1_0_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_0_k0 * v0_0_k0)) ^ vec4<u32>(params.zero));
        let v1_1_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_1_k0 * v0_1_k0)) ^ vec4<u32>(params.zero));
        let v1_2_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_2_k0 * v0_2_k0)) ^ vec4<u32>(params.zero));
        let v1_3_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_3_k0 * v0_3_k0)) ^ vec4<u32>(params.zero));
        let v1_4_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_4_k0 * v0_4_k0)) ^ vec4<u32>(params.zero));
        let v1_5_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_5_k0 * v0_5_k0)) ^ vec4<u32>(params.zero));
        let v1_6_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_6_k0 * v0_6_k0)) ^ vec4<u32>(params.zero));
        let v1_7_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_7_k0 * v0_7_k0)) ^ vec4<u32>(params.zero));
        a0_h_k0 = v1_0_k0;
        a0_l_k0 = vec4<f32>(0f);
        {
            let t_k0 = v1_1_k0;
            let s_k0 = xla_keep_4(a0_h_k0 + t_k0);
            a0_l_k0 = xla_errors_4(a0_l_k0 + xla_sum_rest_4(a0_h_k0, t_k0, s_k0));
            a0_h_k0 = s_k0;
        }
        {
            let t_k0 = v1_2_k0;
            let s_k0 = xla_keep_4(a0_h_k0 + t_k0);
            a0_l_k0 = xla_errors_4(a0_l_k0 + xla_sum_rest_4(a0_h_k0, t_k0, s_k0));
            a0_h_k0 = s_k0;
        }
        {
            let t_k0 = v1_3_k0;
            let s_k0 = xla_keep_4(a0_h_k0 + t_k0);
            a0_l_k0 = xla_errors_4(a0_l_k0 + xla_sum_rest_4(a0_h_k0, t_k0, s_k0));
            a0_h_k0 = s_k0;
        }
        {
            let t_k0 = v1_4_k0;
            let s_k0 = xla_keep_4(a0_h_k0 + t_k0);
            a0_l_k0 = xla_errors_4(a0_l_k0 + xla_sum_rest_4(a0_h_k0, t_k0, s_k0));
            a0_h_k0 = s_k0;
        }
        {
            let t_k0 = v1_5_k0;
            let s_k0 = xla_keep_4(a0_h_k0 + t_k0);
            a0_l_k0 = xla_errors_4(a0_l_k0 + xla_sum_rest_4(a0_h_k0, t_k0, s_k0));
            a0_h_k0 = s_k0;
        }
        {
            let t_k0 = v1_6_k0;
            let s_k0 = xla_keep_4(a0_h_k0 + t_k0);
            a0_l_k0 = xla_errors_4(a0_l_k0 + xla_sum_rest_4(a0_h_k0, t_k0, s_k0));
            a0_h_k0 = s_k0;
        }
        {
            let t_k0 = v1_7_k0;
            let s_k0 = xla_keep_4(a0_h_k0 + t_k0);
            a0_l_k0 = xla_errors_4(a0_l_k0 + xla_sum_rest_4(a0_h_k0, t_k0, s_k0));
            a0_h_k0 = s_k0;
        }
        {
            {
                let t_k0 = a0_h_k0.z;
                let s_k0 = xla_keep_bits(a0_h_k0.x + t_k0);
                a0_l_k0.x = xla_errors(xla_errors(a0_l_k0.x + a0_l_k0.z) + xla_sum_rest(a0_h_k0.x, t_k0, s_k0));
                a0_h_k0.x = s_k0;
            }
            {
                let t_k0 = a0_h_k0.w;
                let s_k0 = xla_keep_bits(a0_h_k0.y + t_k0);
                a0_l_k0.y = xla_errors(xla_errors(a0_l_k0.y + a0_l_k0.w) + xla_sum_rest(a0_h_k0.y, t_k0, s_k0));
                a0_h_k0.y = s_k0;
            }
            {
                let t_k0 = a0_h_k0.y;
                let s_k0 = xla_keep_bits(a0_h_k0.x + t_k0);
                a0_l_k0.x = xla_errors(xla_errors(a0_l_k0.x + a0_l_k0.y) + xla_sum_rest(a0_h_k0.x, t_k0, s_k0));
                a0_h_k0.x = s_k0;
            }
            {
                let t_k0 = a0_h_k0.x;
                let s_k0 = xla_keep_bits(n0_0_h_k0 + t_k0);
                n0_0_l_k0 = xla_errors(xla_errors(n0_0_l_k0 + a0_l_k0.x) + xla_sum_rest(n0_0_h_k0, t_k0, s_k0));
                n0_0_h_k0 = s_k0;
            }
            let turned_n0_0_h_k0 = n0_0_h_k0;
            n0_0_h_k0 = n0_1_h_k0;
            n0_1_h_k0 = n0_2_h_k0;
            n0_2_h_k0 = n0_3_h_k0;
            n0_3_h_k0 = turned_n0_0_h_k0;
            let turned_n0_0_l_k0 = n0_0_l_k0;
            n0_0_l_k0 = n0_1_l_k0;
            n0_1_l_k0 = n0_2_l_k0;
            n0_2_l_k0 = n0_3_l_k0;
            n0_3_l_k0 = turned_n0_0_l_k0;
        }
        let v0_0_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_0 - x1_0_k1)) ^ vec4<u32>(params.zero));
        let v0_1_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_1 - x1_1_k1)) ^ vec4<u32>(params.zero));
        let v0_2_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_2 - x1_2_k1)) ^ vec4<u32>(params.zero));
        let v0_3_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_3 - x1_3_k1)) ^ vec4<u32>(params.zero));
        let v0_4_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_4 - x1_4_k1)) ^ vec4<u32>(params.zero));
        let v0_5_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_5 - x1_5_k1)) ^ vec4<u32>(params.zero));
        let v0_6_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_6 - x1_6_k1)) ^ vec4<u32>(params.zero));
        let v0_7_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_7 - x1_7_k1)) ^ vec4<u32>(params.zero));
        let v1_0_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_0_k1 * v0_0_k1)) ^ vec4<u32>(params.zero));
        let v1_1_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_1_k1 * v0_1_k1)) ^ vec4<u32>(params.zero));
        let v1_2_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_2_k1 * v0_2_k1)) ^ vec4<u32>(params.zero));
        let v1_3_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_3_k1 * v0_3_k1)) ^ vec4<u32>(params.zero));
        let v1_4_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_4_k1 * v0_4_k1)) ^ vec4<u32>(params.zero));
        let v1_5_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_5_k1 * v0_5_k1)) ^ vec4<u32>(params.zero));
        let v1_6_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_6_k1 * v0_6_k1)) ^ vec4<u32>(params.zero));
        let v1_7_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_7_k1 * v0_7_k1)) ^ vec4<u32>(params.zero));
        a0_h_k1 = v1_0_k1;
        a0_l_k1 = vec4<f32>(0f);
        {
            let t_k1 = v1_1_k1;
            let s_k1 = xla_keep_4(a0_h_k1 + t_k1);
            a0_l_k1 = xla_errors_4(a0_l_k1 + xla_sum_rest_4(a0_h_k1, t_k1, s_k1));
            a0_h_k1 = s_k1;
        }
        {
            let t_k1 = v1_2_k1;
            let s_k1 = xla_keep_4(a0_h_k1 + t_k1);
            a0_l_k1 = xla_errors_4(a0_l_k1 + xla_sum_rest_4(a0_h_k1, t_k1, s_k1));
            a0_h_k1 = s_k1;
        }
        {
            let t_k1 = v1_3_k1;
            let s_k1 = xla_keep_4(a0_h_k1 + t_k1);
            a0_l_k1 = xla_errors_4(a0_l_k1 + xla_sum_rest_4(a0_h_k1, t_k1, s_k1));
            a0_h_k1 = s_k1;
        }
        {
            let t_k1 = v1_4_k1;
            let s_k1 = xla_keep_4(a0_h_k1 + t_k1);
            a0_l_k1 = xla_errors_4(a0_l_k1 + xla_sum_rest_4(a0_h_k1, t_k1, s_k1));
            a0_h_k1 = s_k1;
        }
        {
            let t_k1 = v1_5_k1;
            let s_k1 = xla_keep_4(a0_h_k1 + t_k1);
            a0_l_k1 = xla_errors_4(a0_l_k1 + xla_sum_rest_4(a0_h_k1, t_k1, s_k1));
            a0_h_k1 = s_k1;
        }
        {
            let t_k1 = v1_6_k1;
            let s_k1 = xla_keep_4(a0_h_k1 + t_k1);
            a0_l_k1 = xla_errors_4(a0_l_k1 + xla_sum_rest_4(a0_h_k1, t_k1, s_k1));
            a0_h_k1 = s_k1;
        }
        {
            let t_k1 = v1_7_k1;
            let s_k1 = xla_keep_4(a0_h_k1 + t_k1);
            a0_l_k1 = xla_errors_4(a0_l_k1 + xla_sum_rest_4(a0_h_k1, t_k1, s_k1));
            a0_h_k1 = s_k1;
        }
        {
            {
                let t_k1 = a0_h_k1.z;
                let s_k1 = xla_keep_bits(a0_h_k1.x + t_k1);
                a0_l_k1.x = xla_errors(xla_errors(a0_l_k1.x + a0_l_k1.z) + xla_sum_rest(a0_h_k1.x, t_k1, s_k1));
                a0_h_k1.x = s_k1;
            }
            {
                let t_k1 = a0_h_k1.w;
                let s_k1 = xla_keep_bits(a0_h_k1.y + t_k1);
                a0_l_k1.y = xla_errors(xla_errors(a0_l_k1.y + a0_l_k1.w) + xla_sum_rest(a0_h_k1.y, t_k1, s_k1));
                a0_h_k1.y = s_k1;
            }
            {
                let t_k1 = a0_h_k1.y;
                let s_k1 = xla_keep_bits(a0_h_k1.x + t_k1);
                a0_l_k1.x = xla_errors(xla_errors(a0_l_k1.x + a0_l_k1.y) + xla_sum_rest(a0_h_k1.x, t_k1, s_k1));
                a0_h_k1.x = s_k1;
            }
            {
                let t_k1 = a0_h_k1.x;
                let s_k1 = xla_keep_bits(n0_0_h_k1 + t_k1);
                n0_0_l_k1 = xla_errors(xla_errors(n0_0_l_k1 + a0_l_k1.x) + xla_sum_rest(n0_0_h_k1, t_k1, s_k1));
                n0_0_h_k1 = s_k1;
            }
            let turned_n0_0_h_k1 = n0_0_h_k1;
            n0_0_h_k1 = n0_1_h_k1;
            n0_1_h_k1 = n0_2_h_k1;
            n0_2_h_k1 = n0_3_h_k1;
            n0_3_h_k1 = turned_n0_0_h_k1;
            let turned_n0_0_l_k1 = n0_0_l_k1;
            n0_0_l_k1 = n0_1_l_k1;
            n0_1_l_k1 = n0_2_l_k1;
            n0_2_l_k1 = n0_3_l_k1;
            n0_3_l_k1 = turned_n0_0_l_k1;
        }
        let v0_0_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_0 - x1_0_k2)) ^ vec4<u32>(params.zero));
        let v0_1_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_1 - x1_1_k2)) ^ vec4<u32>(params.zero));
        let v0_2_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_2 - x1_2_k2)) ^ vec4<u32>(params.zero));
        let v0_3_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_3 - x1_3_k2)) ^ vec4<u32>(params.zero));
        let v0_4_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_4 - x1_4_k2)) ^ vec4<u32>(params.zero));
        let v0_5_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_5 - x1_5_k2)) ^ vec4<u32>(params.zero));
        let v0_6_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_6 - x1_6_k2)) ^ vec4<u32>(params.zero));
        let v0_7_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_7 - x1_7_k2)) ^ vec4<u32>(params.zero));
        let v1_0_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_0_k2 * v0_0_k2)) ^ vec4<u32>(params.zero));
        let v1_1_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_1_k2 * v0_1_k2)) ^ vec4<u32>(params.zero));
        let v1_2_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_2_k2 * v0_2_k2)) ^ vec4<u32>(params.zero));
        let v1_3_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_3_k2 * v0_3_k2)) ^ vec4<u32>(params.zero));
        let v1_4_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_4_k2 * v0_4_k2)) ^ vec4<u32>(params.zero));
        let v1_5_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_5_k2 * v0_5_k2)) ^ vec4<u32>(params.zero));
        let v1_6_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_6_k2 * v0_6_k2)) ^ vec4<u32>(params.zero));
        let v1_7_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_7_k2 * v0_7_k2)) ^ vec4<u32>(params.zero));
        a0_h_k2 = v1_0_k2;
        a0_l_k2 = vec4<f32>(0f);
        {
            let t_k2 = v1_1_k2;
            let s_k2 = xla_keep_4(a0_h_k2 + t_k2);
            a0_l_k2 = xla_errors_4(a0_l_k2 + xla_sum_rest_4(a0_h_k2, t_k2, s_k2));
            a0_h_k2 = s_k2;
        }
        {
            let t_k2 = v1_2_k2;
            let s_k2 = xla_keep_4(a0_h_k2 + t_k2);
            a0_l_k2 = xla_errors_4(a0_l_k2 + xla_sum_rest_4(a0_h_k2, t_k2, s_k2));
            a0_h_k2 = s_k2;
        }
        {
            let t_k2 = v1_3_k2;
            let s_k2 = xla_keep_4(a0_h_k2 + t_k2);
            a0_l_k2 = xla_errors_4(a0_l_k2 + xla_sum_rest_4(a0_h_k2, t_k2, s_k2));
            a0_h_k2 = s_k2;
        }
        {
            let t_k2 = v1_4_k2;
            let s_k2 = xla_keep_4(a0_h_k2 + t_k2);
            a0_l_k2 = xla_errors_4(a0_l_k2 + xla_sum_rest_4(a0_h_k2, t_k2, s_k2));
            a0_h_k2 = s_k2;
        }
        {
            let t_k2 = v1_5_k2;
            let s_k2 = xla_keep_4(a0_h_k2 + t_k2);
            a0_l_k2 = xla_errors_4(a0_l_k2 + xla_sum_rest_4(a0_h_k2, t_k2, s_k2));
            a0_h_k2 = s_k2;
        }
        {
            let t_k2 = v1_6_k2;
            let s_k2 = xla_keep_4(a0_h_k2 + t_k2);
            a0_l_k2 = xla_errors_4(a0_l_k2 + xla_sum_rest_4(a0_h_k2, t_k2, s_k2));
            a0_h_k2 = s_k2;
        }
        {
            let t_k2 = v1_7_k2;
            let s_k2 = xla_keep_4(a0_h_k2 + t_k2);
            a0_l_k2 = xla_errors_4(a0_l_k2 + xla_sum_rest_4(a0_h_k2, t_k2, s_k2));
            a0_h_k2 = s_k2;
        }
        {
            {
                let t_k2 = a0_h_k2.z;
                let s_k2 = xla_keep_bits(a0_h_k2.x + t_k2);
                a0_l_k2.x = xla_errors(xla_errors(a0_l_k2.x + a0_l_k2.z) + xla_sum_rest(a0_h_k2.x, t_k2, s_k2));
                a0_h_k2.x = s_k2;
            }
            {
                let t_k2 = a0_h_k2.w;
                let s_k2 = xla_keep_bits(a0_h_k2.y + t_k2);
                a0_l_k2.y = xla_errors(xla_errors(a0_l_k2.y + a0_l_k2.w) + xla_sum_rest(a0_h_k2.y, t_k2, s_k2));
                a0_h_k2.y = s_k2;
            }
            {
                let t_k2 = a0_h_k2.y;
                let s_k2 = xla_keep_bits(a0_h_k2.x + t_k2);
                a0_l_k2.x = xla_errors(xla_errors(a0_l_k2.x + a0_l_k2.y) + xla_sum_rest(a0_h_k2.x, t_k2, s_k2));
                a0_h_k2.x = s_k2;
            }
            {
                let t_k2 = a0_h_k2.x;
                let s_k2 = xla_keep_bits(n0_0_h_k2 + t_k2);
                n0_0_l_k2 = xla_errors(xla_errors(n0_0_l_k2 + a0_l_k2.x) + xla_sum_rest(n0_0_h_k2, t_k2, s_k2));
                n0_0_h_k2 = s_k2;
            }
            let turned_n0_0_h_k2 = n0_0_h_k2;
            n0_0_h_k2 = n0_1_h_k2;
            n0_1_h_k2 = n0_2_h_k2;
            n0_2_h_k2 = n0_3_h_k2;
            n0_3_h_k2 = turned_n0_0_h_k2;
            let turned_n0_0_l_k2 = n0_0_l_k2;
            n0_0_l_k2 = n0_1_l_k2;
            n0_1_l_k2 = n0_2_l_k2;
            n0_2_l_k2 = n0_3_l_k2;
            n0_3_l_k2 = turned_n0_0_l_k2;
        }
        let v0_0_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_0 - x1_0_k3)) ^ vec4<u32>(params.zero));
        let v0_1_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_1 - x1_1_k3)) ^ vec4<u32>(params.zero));
        let v0_2_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_2 - x1_2_k3)) ^ vec4<u32>(params.zero));
        let v0_3_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_3 - x1_3_k3)) ^ vec4<u32>(params.zero));
        let v0_4_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_4 - x1_4_k3)) ^ vec4<u32>(params.zero));
        let v0_5_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_5 - x1_5_k3)) ^ vec4<u32>(params.zero));
        let v0_6_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_6 - x1_6_k3)) ^ vec4<u32>(params.zero));
        let v0_7_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_7 - x1_7_k3)) ^ vec4<u32>(params.zero));
        let v1_0_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_0_k3 * v0_0_k3)) ^ vec4<u32>(params.zero));
        let v1_1_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_1_k3 * v0_1_k3)) ^ vec4<u32>(params.zero));
        let v1_2_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_2_k3 * v0_2_k3)) ^ vec4<u32>(params.zero));
        let v1_3_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_3_k3 * v0_3_k3)) ^ vec4<u32>(params.zero));
        let v1_4_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_4_k3 * v0_4_k3)) ^ vec4<u32>(params.zero));
        let v1_5_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_5_k3 * v0_5_k3)) ^ vec4<u32>(params.zero));
        let v1_6_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_6_k3 * v0_6_k3)) ^ vec4<u32>(params.zero));
        let v1_7_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((v0_7_k3 * v0_7_k3)) ^ vec4<u32>(params.zero));
        a0_h_k3 = v1_0_k3;
        a0_l_k3 = vec4<f32>(0f);
        {
            let t_k3 = v1_1_k3;
            let s_k3 = xla_keep_4(a0_h_k3 + t_k3);
            a0_l_k3 = xla_errors_4(a0_l_k3 + xla_sum_rest_4(a0_h_k3, t_k3, s_k3));
            a0_h_k3 = s_k3;
        }
        {
            let t_k3 = v1_2_k3;
            let s_k3 = xla_keep_4(a0_h_k3 + t_k3);
            a0_l_k3 = xla_errors_4(a0_l_k3 + xla_sum_rest_4(a0_h_k3, t_k3, s_k3));
            a0_h_k3 = s_k3;
        }
        {
            let t_k3 = v1_3_k3;
            let s_k3 = xla_keep_4(a0_h_k3 + t_k3);
            a0_l_k3 = xla_errors_4(a0_l_k3 + xla_sum_rest_4(a0_h_k3, t_k3, s_k3));
            a0_h_k3 = s_k3;
        }
        {
            let t_k3 = v1_4_k3;
            let s_k3 = xla_keep_4(a0_h_k3 + t_k3);
            a0_l_k3 = xla_errors_4(a0_l_k3 + xla_sum_rest_4(a0_h_k3, t_k3, s_k3));
            a0_h_k3 = s_k3;
        }
        {
            let t_k3 = v1_5_k3;
            let s_k3 = xla_keep_4(a0_h_k3 + t_k3);
            a0_l_k3 = xla_errors_4(a0_l_k3 + xla_sum_rest_4(a0_h_k3, t_k3, s_k3));
            a0_h_k3 = s_k3;
        }
        {
            let t_k3 = v1_6_k3;
            let s_k3 = xla_keep_4(a0_h_k3 + t_k3);
            a0_l_k3 = xla_errors_4(a0_l_k3 + xla_sum_rest_4(a0_h_k3, t_k3, s_k3));
            a0_h_k3 = s_k3;
        }
        {
            let t_k3 = v1_7_k3;
            let s_k3 = xla_keep_4(a0_h_k3 + t_k3);
            a0_l_k3 = xla_errors_4(a0_l_k3 + xla_sum_rest_4(a0_h_k3, t_k3, s_k3));
            a0_h_k3 = s_k3;
        }
        {
            {
                let t_k3 = a0_h_k3.z;
                let s_k3 = xla_keep_bits(a0_h_k3.x + t_k3);
                a0_l_k3.x = xla_errors(xla_errors(a0_l_k3.x + a0_l_k3.z) + xla_sum_rest(a0_h_k3.x, t_k3, s_k3));
                a0_h_k3.x = s_k3;
            }
            {
                let t_k3 = a0_h_k3.w;
                let s_k3 = xla_keep_bits(a0_h_k3.y + t_k3);
                a0_l_k3.y = xla_errors(xla_errors(a0_l_k3.y + a0_l_k3.w) + xla_sum_rest(a0_h_k3.y, t_k3, s_k3));
                a0_h_k3.y = s_k3;
            }
            {
                let t_k3 = a0_h_k3.y;
                let s_k3 = xla_keep_bits(a0_h_k3.x + t_k3);
                a0_l_k3.x = xla_errors(xla_errors(a0_l_k3.x + a0_l_k3.y) + xla_sum_rest(a0_h_k3.x, t_k3, s_k3));
                a0_h_k3.x = s_k3;
            }
            {
                let t_k3 = a0_h_k3.x;
                let s_k3 = xla_keep_bits(n0_0_h_k3 + t_k3);
                n0_0_l_k3 = xla_errors(xla_errors(n0_0_l_k3 + a0_l_k3.x) + xla_sum_rest(n0_0_h_k3, t_k3, s_k3));
                n0_0_h_k3 = s_k3;
            }
            let turned_n0_0_h_k3 = n0_0_h_k3;
            n0_0_h_k3 = n0_1_h_k3;
            n0_1_h_k3 = n0_2_h_k3;
            n0_2_h_k3 = n0_3_h_k3;
            n0_3_h_k3 = turned_n0_0_h_k3;
            let turned_n0_0_l_k3 = n0_0_l_k3;
            n0_0_l_k3 = n0_1_l_k3;
            n0_1_l_k3 = n0_2_l_k3;
            n0_2_l_k3 = n0_3_l_k3;
            n0_3_l_k3 = turned_n0_0_l_k3;
        }
    }
    let turns_k0 = (32u - 1u + count) / 32u;
    let by_one_k0 = turns_k0 % 2u != 0u;
    let by_two_k0 = (turns_k0 + 1u) / 2u % 2u != 0u;
    let one_n0_0_h_k0 = select(n0_0_h_k0, n0_1_h_k0, by_one_k0);
    let one_n0_1_h_k0 = select(n0_1_h_k0, n0_2_h_k0, by_one_k0);
    let one_n0_2_h_k0 = select(n0_2_h_k0, n0_3_h_k0, by_one_k0);
    let one_n0_3_h_k0 = select(n0_3_h_k0, n0_0_h_k0, by_one_k0);
    n0_0_h_k0 = select(one_n0_0_h_k0, one_n0_2_h_k0, by_two_k0);
    n0_1_h_k0 = select(one_n0_1_h_k0, one_n0_3_h_k0, by_two_k0);
    n0_2_h_k0 = select(one_n0_2_h_k0, one_n0_0_h_k0, by_two_k0);
    n0_3_h_k0 = select(one_n0_3_h_k0, one_n0_1_h_k0, by_two_k0);
    let one_n0_0_l_k0 = select(n0_0_l_k0, n0_1_l_k0, by_one_k0);
    let one_n0_1_l_k0 = select(n0_1_l_k0, n0_2_l_k0, by_one_k0);
    let one_n0_2_l_k0 = select(n0_2_l_k0, n0_3_l_k0, by_one_k0);
    let one_n0_3_l_k0 = select(n0_3_l_k0, n0_0_l_k0, by_one_k0);
    n0_0_l_k0 = select(one_n0_0_l_k0, one_n0_2_l_k0, by_two_k0);
    n0_1_l_k0 = select(one_n0_1_l_k0, one_n0_3_l_k0, by_two_k0);
    n0_2_l_k0 = select(one_n0_2_l_k0, one_n0_0_l_k0, by_two_k0);
    n0_3_l_k0 = select(one_n0_3_l_k0, one_n0_1_l_k0, by_two_k0);
    {
        let t_k0 = n0_2_h_k0;
        let s_k0 = xla_keep_bits(n0_0_h_k0 + t_k0);
        n0_0_l_k0 = xla_errors(xla_errors(n0_0_l_k0 + n0_2_l_k0) + xla_sum_rest(n0_0_h_k0, t_k0, s_k0));
        n0_0_h_k0 = s_k0;
    }
    {
        let t_k0 = n0_3_h_k0;
        let s_k0 = xla_keep_bits(n0_1_h_k0 + t_k0);
        n0_1_l_k0 = xla_errors(xla_errors(n0_1_l_k0 + n0_3_l_k0) + xla_sum_rest(n0_1_h_k0, t_k0, s_k0));
        n0_1_h_k0 = s_k0;
    }
    {
        let t_k0 = n0_1_h_k0;
        let s_k0 = xla_keep_bits(n0_0_h_k0 + t_k0);
        n0_0_l_k0 = xla_errors(xla_errors(n0_0_l_k0 + n0_1_l_k0) + xla_sum_rest(n0_0_h_k0, t_k0, s_k0));
        n0_0_h_k0 = s_k0;
    }
    let folded0_k0 = xla_sum_of_words(n0_0_h_k0, n0_0_l_k0);
    let folded0_0_k0 = n0_0_h_k0;
    let folded0_1_k0 = n0_0_l_k0;
    let to_k0 = params.result_offset + i0 * params.result_stride_0 + i1_k0 * params.result_stride_1;
    let q0_k0 = vec4<f32>(folded0_k0);
    let r0_k0 = bitcast<vec4<u32>>(q0_k0);
    result[to_k0] = r0_k0.x;
    let turns_k1 = (32u - 1u + count) / 32u;
    let by_one_k1 = turns_k1 % 2u != 0u;
    let by_two_k1 = (turns_k1 + 1u) / 2u % 2u != 0u;
    let one_n0_0_h_k1 = select(n0_0_h_k1, n0_1_h_k1, by_one_k1);
    let one_n0_1_h_k1 = select(n0_1_h_k1, n0_2_h_k1, by_one_k1);
    let one_n0_2_h_k1 = select(n0_2_h_k1, n0_3_h_k1, by_one_k1);
    let one_n0_3_h_k1 = select(n0_3_h_k1, n0_0_h_k1, by_one_k1);
    n0_0_h_k1 = select(one_n0_0_h_k1, one_n0_2_h_k1, by_two_k1);
    n0_1_h_k1 = select(one_n0_1_h_k1, one_n0_3_h_k1, by_two_k1);
    n0_2_h_k1 = select(one_n0_2_h_k1, one_n0_0_h_k1, by_two_k1);
    n0_3_h_k1 = select(one_n0_3_h_k1, one_n0_1_h_k1, by_two_k1);
    let one_n0_0_l_k1 = select(n0_0_l_k1, n0_1_l_k1, by_one_k1);
    let one_n0_1_l_k1 = select(n0_1_l_k1, n0_2_l_k1, by_one_k1);
    let one_n0_2_l_k1 = select(n0_2_l_k1, n0_3_l_k1, by_one_k1);
    let one_n0_3_l_k1 = select(n0_3_l_k1, n0_0_l_k1, by_one_k1);
    n0_0_l_k1 = select(one_n0_0_l_k1, one_n0_2_l_k1, by_two_k1);
    n0_1_l_k1 = select(one_n0_1_l_k1, one_n0_3_l_k1, by_two_k1);
    n0_2_l_k1 = select(one_n0_2_l_k1, one_n0_0_l_k1, by_two_k1);
    n0_3_l_k1 = select(one_n0_3_l_k1, one_n0_1_l_k1, by_two_k1);
    {
        let t_k1 = n0_2_h_k1;
        let s_k1 = xla_keep_bits(n0_0_h_k1 + t_k1);
        n0_0_l_k1 = xla_errors(xla_errors(n0_0_l_k1 + n0_2_l_k1) + xla_sum_rest(n0_0_h_k1, t_k1, s_k1));
        n0_0_h_k1 = s_k1;
    }
    {
        let t_k1 = n0_3_h_k1;
        let s_k1 = xla_keep_bits(n0_1_h_k1 + t_k1);
        n0_1_l_k1 = xla_errors(xla_errors(n0_1_l_k1 + n0_3_l_k1) + xla_sum_rest(n0_1_h_k1, t_k1, s_k1));
        n0_1_h_k1 = s_k1;
    }
    {
        let t_k1 = n0_1_h_k1;
        let s_k1 = xla_keep_bits(n0_0_h_k1 + t_k1);
        n0_0_l_k1 = xla_errors(xla_errors(n0_0_l_k1 + n0_1_l_k1) + xla_sum_rest(n0_0_h_k1, t_k1, s_k1));
        n0_0_h_k1 = s_k1;
    }
    let folded0_k1 = xla_sum_of_words(n0_0_h_k1, n0_0_l_k1);
    let folded0_0_k1 = n0_0_h_k1;
    let folded0_1_k1 = n0_0_l_k1;
    let to_k1 = params.result_offset + i0 * params.result_stride_0 + i1_k1 * params.result_stride_1;
    let q0_k1 = vec4<f32>(folded0_k1);
    let r0_k1 = bitcast<vec4<u32>>(q0_k1);
    result[to_k1] = r0_k1.x;
    let turns_k2 = (32u - 1u + count) / 32u;
    let by_one_k2 = turns_k2 % 2u != 0u;
    let by_two_k2 = (turns_k2 + 1u) / 2u % 2u != 0u;
    let one_n0_0_h_k2 = select(n0_0_h_k2, n0_1_h_k2, by_one_k2);
    let one_n0_1_h_k2 = select(n0_1_h_k2, n0_2_h_k2, by_one_k2);
    let one_n0_2_h_k2 = select(n0_2_h_k2, n0_3_h_k2, by_one_k2);
    let one_n0_3_h_k2 = select(n0_3_h_k2, n0_0_h_k2, by_one_k2);
    n0_0_h_k2 = select(one_n0_0_h_k2, one_n0_2_h_k2, by_two_k2);
    n0_1_h_k2 = select(one_n0_1_h_k2, one_n0_3_h_k2, by_two_k2);
    n0_2_h_k2 = select(one_n0_2_h_k2, one_n0_0_h_k2, by_two_k2);
    n0_3_h_k2 = select(one_n0_3_h_k2, one_n0_1_h_k2, by_two_k2);
    let one_n0_0_l_k2 = select(n0_0_l_k2, n0_1_l_k2, by_one_k2);
    let one_n0_1_l_k2 = select(n0_1_l_k2, n0_2_l_k2, by_one_k2);
    let one_n0_2_l_k2 = select(n0_2_l_k2, n0_3_l_k2, by_one_k2);
    let one_n0_3_l_k2 = select(n0_3_l_k2, n0_0_l_k2, by_one_k2);
    n0_0_l_k2 = select(one_n0_0_l_k2, one_n0_2_l_k2, by_two_k2);
    n0_1_l_k2 = select(one_n0_1_l_k2, one_n0_3_l_k2, by_two_k2);
    n0_2_l_k2 = select(one_n0_2_l_k2, one_n0_0_l_k2, by_two_k2);
    n0_3_l_k2 = select(one_n0_3_l_k2, one_n0_1_l_k2, by_two_k2);
    {
        let t_k2 = n0_2_h_k2;
        let s_k2 = xla_keep_bits(n0_0_h_k2 + t_k2);
        n0_0_l_k2 = xla_errors(xla_errors(n0_0_l_k2 + n0_2_l_k2) + xla_sum_rest(n0_0_h_k2, t_k2, s_k2));
        n0_0_h_k2 = s_k2;
    }
    {
        let t_k2 = n0_3_h_k2;
        let s_k2 = xla_keep_bits(n0_1_h_k2 + t_k2);
        n0_1_l_k2 = xla_errors(xla_errors(n0_1_l_k2 + n0_3_l_k2) + xla_sum_rest(n0_1_h_k2, t_k2, s_k2));
        n0_1_h_k2 = s_k2;
    }
    {
        let t_k2 = n0_1_h_k2;
        let s_k2 = xla_keep_bits(n0_0_h_k2 + t_k2);
        n0_0_l_k2 = xla_errors(xla_errors(n0_0_l_k2 + n0_1_l_k2) + xla_sum_rest(n0_0_h_k2, t_k2, s_k2));
        n0_0_h_k2 = s_k2;
    }
    let folded0_k2 = xla_sum_of_words(n0_0_h_k2, n0_0_l_k2);
    let folded0_0_k2 = n0_0_h_k2;
    let folded0_1_k2 = n0_0_l_k2;
    let to_k2 = params.result_offset + i0 * params.result_stride_0 + i1_k2 * params.result_stride_1;
    let q0_k2 = vec4<f32>(folded0_k2);
    let r0_k2 = bitcast<vec4<u32>>(q0_k2);
    result[to_k2] = r0_k2.x;
    let turns_k3 = (32u - 1u + count) / 32u;
    let by_one_k3 = turns_k3 % 2u != 0u;
    let by_two_k3 = (turns_k3 + 1u) / 2u % 2u != 0u;
    let one_n0_0_h_k3 = select(n0_0_h_k3, n0_1_h_k3, by_one_k3);
    let one_n0_1_h_k3 = select(n0_1_h_k3, n0_2_h_k3, by_one_k3);
    let one_n0_2_h_k3 = select(n0_2_h_k3, n0_3_h_k3, by_one_k3);
    let one_n0_3_h_k3 = select(n0_3_h_k3, n0_0_h_k3, by_one_k3);
    n0_0_h_k3 = select(one_n0_0_h_k3, one_n0_2_h_k3, by_two_k3);
    n0_1_h_k3 = select(one_n0_1_h_k3, one_n0_3_h_k3, by_two_k3);
    n0_2_h_k3 = select(one_n0_2_h_k3, one_n0_0_h_k3, by_two_k3);
    n0_3_h_k3 = select(one_n0_3_h_k3, one_n0_1_h_k3, by_two_k3);
    let one_n0_0_l_k3 = select(n0_0_l_k3, n0_1_l_k3, by_one_k3);
    let one_n0_1_l_k3 = select(n0_1_l_k3, n0_2_l_k3, by_one_k3);
    let one_n0_2_l_k3 = select(n0_2_l_k3, n0_3_l_k3, by_one_k3);
    let one_n0_3_l_k3 = select(n0_3_l_k3, n0_0_l_k3, by_one_k3);
    n0_0_l_k3 = select(one_n0_0_l_k3, one_n0_2_l_k3, by_two_k3);
    n0_1_l_k3 = select(one_n0_1_l_k3, one_n0_3_l_k3, by_two_k3);
    n0_2_l_k3 = select(one_n0_2_l_k3, one_n0_0_l_k3, by_two_k3);
    n0_3_l_k3 = select(one_n0_3_l_k3, one_n0_1_l_k3, by_two_k3);
    {
        let t_k3 = n0_2_h_k3;
        let s_k3 = xla_keep_bits(n0_0_h_k3 + t_k3);
        n0_0_l_k3 = xla_errors(xla_errors(n0_0_l_k3 + n0_2_l_k3) + xla_sum_rest(n0_0_h_k3, t_k3, s_k3));
        n0_0_h_k3 = s_k3;
    }
    {
        let t_k3 = n0_3_h_k3;
        let s_k3 = xla_keep_bits(n0_1_h_k3 + t_k3);
        n0_1_l_k3 = xla_errors(xla_errors(n0_1_l_k3 + n0_3_l_k3) + xla_sum_rest(n0_1_h_k3, t_k3, s_k3));
        n0_1_h_k3 = s_k3;
    }
    {
        let t_k3 = n0_1_h_k3;
        let s_k3 = xla_keep_bits(n0_0_h_k3 + t_k3);
        n0_0_l_k3 = xla_errors(xla_errors(n0_0_l_k3 + n0_1_l_k3) + xla_sum_rest(n0_0_h_k3, t_k3, s_k3));
        n0_0_h_k3 = s_k3;
    }
    let folded0_k3 = xla_sum_of_words(n0_0_h_k3, n0_0_l_k3);
    let folded0_0_k3 = n0_0_h_k3;
    let folded0_1_k3 = n0_0_l_k3;
    let to_k3 = params.result_offset + i0 * params.result_stride_0 + i1_k3 * params.result_stride_1;
    let q0_k3 = vec4<f32>(folded0_k3);
    let r0_k3 = bitcast<vec4<u32>>(q0_k3);
    result[to_k3] = r0_k3.x;
}
