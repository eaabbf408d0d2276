// reduce_sum(x, 0), as on a software adapter; x: f32[64,128]
// Kernel 1 of 2
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    folded: u32,
    of_parts: u32,
    size_0: u32,
    result_offset: u32,
    result_stride_0: u32,
    offset_0: u32,
    stride_0_0: u32,
    stride_0_1: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u64>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u64>>;

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

fn xla_keep_bits(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | params.zero);
}

fn xla_keep_4(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) | vec4<u32>(params.zero));
}

fn xla_sum_rest_4(a: vec4<f32>, b: vec4<f32>, s: vec4<f32>) -> vec4<f32> {
    let v = xla_keep_4(s - a);
    return (a - (s - v)) + (b - v);
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
    let outer = unit / params.columns;
    let column = unit - outer * params.columns;
    let i0 = outer;
    let b0 = params.offset_0 + column * 1u + i0 * params.stride_0_0;
    let count = params.folded;
    let identity0 = bitcast<f32>((0u | params.zero));
    var a0_0_0_h = vec4<f32>(identity0);
    var a0_0_0_l = vec4<f32>(0f);
    var a0_0_1_h = vec4<f32>(identity0);
    var a0_0_1_l = vec4<f32>(0f);
    var a0_1_0_h = vec4<f32>(identity0);
    var a0_1_0_l = vec4<f32>(0f);
    var a0_1_1_h = vec4<f32>(identity0);
    var a0_1_1_l = vec4<f32>(0f);
    var a0_2_0_h = vec4<f32>(identity0);
    var a0_2_0_l = vec4<f32>(0f);
    var a0_2_1_h = vec4<f32>(identity0);
    var a0_2_1_l = vec4<f32>(0f);
    var a0_3_0_h = vec4<f32>(identity0);
    var a0_3_0_l = vec4<f32>(0f);
    var a0_3_1_h = vec4<f32>(identity0);
    var a0_3_1_l = vec4<f32>(0f);
    for (var first = 0u; first < count; first += 4u) {
        let row_k0 = first + 0u;
        let o0_k0 = b0 + row_k0 * params.stride_0_1;
        let w0_0_k0 = in_0[o0_k0];
        let x0_0_k0 = bitcast<vec4<f32>>(word_low(w0_0_k0));
        let x0_1_k0 = bitcast<vec4<f32>>(word_high(w0_0_k0));
        let row_k1 = first + 1u;
        let o0_k1 = b0 + row_k1 * params.stride_0_1;
        let w0_0_k1 = in_0[o0_k1];
        let x0_0_k1 = bitcast<vec4<f32>>(word_low(w0_0_k1));
        let x0_1_k1 = bitcast<vec4<f32>>(word_high(w0_0_k1));
        let row_k2 = first + 2u;
        let o0_k2 = b0 + row_k2 * params.stride_0_1;
        let w0_0_k2 = in_0[o0_k2];
        let x0_0_k2 = bitcast<vec4<f32>>(word_low(w0_0_k2));
        let x0_1_k2 = bitcast<vec4<f32>>(word_high(w0_0_k2));
        let row_k3 = first + 3u;
        let o0_k3 = b0 + row_k3 * params.stride_0_1;
        let w0_0_k3 = in_0[o0_k3];
        let x0_0_k3 = bitcast<vec4<f32>>(word_low(w0_0_k3));
        let x0_1_k3 = bitcast<vec4<f32>>(word_high(w0_0_k3));
        {
            let t_k0 = x0_0_k0;
            let s_k0 = xla_keep_4(a0_0_0_h + t_k0);
            a0_0_0_l = xla_errors_4(a0_0_0_l + xla_sum_rest_4(a0_0_0_h, t_k0, s_k0));
            a0_0_0_h = s_k0;
        }
        {
            let t_k0 = x0_1_k0;
            let s_k0 = xla_keep_4(a0_0_1_h + t_k0);
            a0_0_1_l = xla_errors_4(a0_0_1_l + xla_sum_rest_4(a0_0_1_h, t_k0, s_k0));
            a0_0_1_h = s_k0;
        }
        {
            let t_k1 = x0_0_k1;
            let s_k1 = xla_keep_4(a0_1_0_h + t_k1);
            a0_1_0_l = xla_errors_4(a0_1_0_l + xla_sum_rest_4(a0_1_0_h, t_k1, s_k1));
            a0_1_0_h = s_k1;
        }
        {
            let t_k1 = x0_1_k1;
            let s_k1 = xla_keep_4(a0_1_1_h + t_k1);
            a0_1_1_l = xla_errors_4(a0_1_1_l + xla_sum_rest_4(a0_1_1_h, t_k1, s_k1));
            a0_1_1_h = s_k1;
        }
        {
            let t_k2 = x0_0_k2;
            let s_k2 = xla_keep_4(a0_2_0_h + t_k2);
            a0_2_0_l = xla_errors_4(a0_2_0_l + xla_sum_rest_4(a0_2_0_h, t_k2, s_k2));
            a0_2_0_h = s_k2;
        }
        {
            let t_k2 = x0_1_k2;
            let s_k2 = xla_keep_4(a0_2_1_h + t_k2);
            a0_2_1_l = xla_errors_4(a0_2_1_l + xla_sum_rest_4(a0_2_1_h, t_k2, s_k2));
            a0_2_1_h = s_k2;
        }
        {
            let t_k3 = x0_0_k3;
            let s_k3 = xla_keep_4(a0_3_0_h + t_k3);
            a0_3_0_l = xla_errors_4(a0_3_0_l + xla_sum_rest_4(a0_3_0_h, t_k3, s_k3));
            a0_3_0_h = s_k3;
        }
        {
            let t_k3 = x0_1_k3;
            let s_k3 = xla_keep_4(a0_3_1_h + t_k3);
            a0_3_1_l = xla_errors_4(a0_3_1_l + xla_sum_rest_4(a0_3_1_h, t_k3, s_k3));
            a0_3_1_h = s_k3;
        }
    }
    {
        let t = a0_2_0_h;
        let s = xla_keep_4(a0_0_0_h + t);
        a0_0_0_l = xla_errors_4(xla_errors_4(a0_0_0_l + a0_2_0_l) + xla_sum_rest_4(a0_0_0_h, t, s));
        a0_0_0_h = s;
    }
    {
        let t = a0_3_0_h;
        let s = xla_keep_4(a0_1_0_h + t);
        a0_1_0_l = xla_errors_4(xla_errors_4(a0_1_0_l + a0_3_0_l) + xla_sum_rest_4(a0_1_0_h, t, s));
        a0_1_0_h = s;
    }
    {
        let t = a0_1_0_h;
        let s = xla_keep_4(a0_0_0_h + t);
        a0_0_0_l = xla_errors_4(xla_errors_4(a0_0_0_l + a0_1_0_l) + xla_sum_rest_4(a0_0_0_h, t, s));
        a0_0_0_h = s;
    }
    let folded0_0 = vec4<f32>(xla_sum_of_words(a0_0_0_h.x, a0_0_0_l.x), xla_sum_of_words(a0_0_0_h.y, a0_0_0_l.y), xla_sum_of_words(a0_0_0_h.z, a0_0_0_l.z), xla_sum_of_words(a0_0_0_h.w, a0_0_0_l.w));
    let folded0_0_0 = a0_0_0_h;
    let folded0_1_0 = a0_0_0_l;
    {
        let t = a0_2_1_h;
        let s = xla_keep_4(a0_0_1_h + t);
        a0_0_1_l = xla_errors_4(xla_errors_4(a0_0_1_l + a0_2_1_l) + xla_sum_rest_4(a0_0_1_h, t, s));
        a0_0_1_h = s;
    }
    {
        let t = a0_3_1_h;
        let s = xla_keep_4(a0_1_1_h + t);
        a0_1_1_l = xla_errors_4(xla_errors_4(a0_1_1_l + a0_3_1_l) + xla_sum_rest_4(a0_1_1_h, t, s));
        a0_1_1_h = s;
    }
    {
        let t = a0_1_1_h;
        let s = xla_keep_4(a0_0_1_h + t);
        a0_0_1_l = xla_errors_4(xla_errors_4(a0_0_1_l + a0_1_1_l) + xla_sum_rest_4(a0_0_1_h, t, s));
        a0_0_1_h = s;
    }
    let folded0_1 = vec4<f32>(xla_sum_of_words(a0_0_1_h.x, a0_0_1_l.x), xla_sum_of_words(a0_0_1_h.y, a0_0_1_l.y), xla_sum_of_words(a0_0_1_h.z, a0_0_1_l.z), xla_sum_of_words(a0_0_1_h.w, a0_0_1_l.w));
    let folded0_0_1 = a0_0_1_h;
    let folded0_1_1 = a0_0_1_l;
    let to = params.result_offset + column * 2u + i0 * params.result_stride_0;
    let y0_0 = array<vec2<f32>, 4>(vec2<f32>(folded0_0_0.x, folded0_1_0.x), vec2<f32>(folded0_0_0.y, folded0_1_0.y), vec2<f32>(folded0_0_0.z, folded0_1_0.z), vec2<f32>(folded0_0_0.w, folded0_1_0.w));
    let r0 = array<vec2<u32>, 4>(bitcast<vec2<u32>>(y0_0[0]), bitcast<vec2<u32>>(y0_0[1]), bitcast<vec2<u32>>(y0_0[2]), bitcast<vec2<u32>>(y0_0[3]));
    result[to] = word_of(vec4<u32>(r0[0], r0[1]), vec4<u32>(r0[2], r0[3]));
    let y0_1 = array<vec2<f32>, 4>(vec2<f32>(folded0_0_1.x, folded0_1_1.x), vec2<f32>(folded0_0_1.y, folded0_1_1.y), vec2<f32>(folded0_0_1.z, folded0_1_1.z), vec2<f32>(folded0_0_1.w, folded0_1_1.w));
    let r1 = array<vec2<u32>, 4>(bitcast<vec2<u32>>(y0_1[0]), bitcast<vec2<u32>>(y0_1[1]), bitcast<vec2<u32>>(y0_1[2]), bitcast<vec2<u32>>(y0_1[3]));
    result[to + 1u] = word_of(vec4<u32>(r1[0], r1[1]), vec4<u32>(r1[2], r1[3]));
}
// Kernel 2 of 2
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    folded: u32,
    of_parts: u32,
    result_offset: u32,
    offset_0: u32,
    stride_0_0: u32,
    pad_9: u32,
    pad_10: u32,
    pad_11: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u64>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u64>>;

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

fn xla_keep_bits(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | params.zero);
}

fn xla_keep_4(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) | vec4<u32>(params.zero));
}

fn xla_sum_rest_4(a: vec4<f32>, b: vec4<f32>, s: vec4<f32>) -> vec4<f32> {
    let v = xla_keep_4(s - a);
    return (a - (s - v)) + (b - v);
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
    let outer = unit / params.columns;
    let column = unit - outer * params.columns;
    let b0 = params.offset_0 + column * 2u;
    let count = params.folded;
    let identity0 = bitcast<f32>((0u | params.zero));
    var a0_0_0_h = vec4<f32>(identity0);
    var a0_0_0_l = vec4<f32>(0f);
    var a0_0_1_h = vec4<f32>(identity0);
    var a0_0_1_l = vec4<f32>(0f);
    var a0_1_0_h = vec4<f32>(identity0);
    var a0_1_0_l = vec4<f32>(0f);
    var a0_1_1_h = vec4<f32>(identity0);
    var a0_1_1_l = vec4<f32>(0f);
    var a0_2_0_h = vec4<f32>(identity0);
    var a0_2_0_l = vec4<f32>(0f);
    var a0_2_1_h = vec4<f32>(identity0);
    var a0_2_1_l = vec4<f32>(0f);
    var a0_3_0_h = vec4<f32>(identity0);
    var a0_3_0_l = vec4<f32>(0f);
    var a0_3_1_h = vec4<f32>(identity0);
    var a0_3_1_l = vec4<f32>(0f);
    for (var first = 0u; first < count; first += 4u) {
        let row_k0 = min(first + 0u, count - 1u);
        let o0_k0 = b0 + row_k0 * params.stride_0_0;
        let w0_0_k0 = in_0[o0_k0];
        let w0_1_k0 = in_0[o0_k0 + 1u];
        let x0_0_k0 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_0_k0).xy), bitcast<vec2<f32>>(word_low(w0_0_k0).zw), bitcast<vec2<f32>>(word_high(w0_0_k0).xy), bitcast<vec2<f32>>(word_high(w0_0_k0).zw));
        let x0_1_k0 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_1_k0).xy), bitcast<vec2<f32>>(word_low(w0_1_k0).zw), bitcast<vec2<f32>>(word_high(w0_1_k0).xy), bitcast<vec2<f32>>(word_high(w0_1_k0).zw));
        let row_k1 = min(first + 1u, count - 1u);
        let o0_k1 = b0 + row_k1 * params.stride_0_0;
        let w0_0_k1 = in_0[o0_k1];
        let w0_1_k1 = in_0[o0_k1 + 1u];
        let x0_0_k1 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_0_k1).xy), bitcast<vec2<f32>>(word_low(w0_0_k1).zw), bitcast<vec2<f32>>(word_high(w0_0_k1).xy), bitcast<vec2<f32>>(word_high(w0_0_k1).zw));
        let x0_1_k1 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_1_k1).xy), bitcast<vec2<f32>>(word_low(w0_1_k1).zw), bitcast<vec2<f32>>(word_high(w0_1_k1).xy), bitcast<vec2<f32>>(word_high(w0_1_k1).zw));
        let row_k2 = min(first + 2u, count - 1u);
        let o0_k2 = b0 + row_k2 * params.stride_0_0;
        let w0_0_k2 = in_0[o0_k2];
        let w0_1_k2 = in_0[o0_k2 + 1u];
        let x0_0_k2 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_0_k2).xy), bitcast<vec2<f32>>(word_low(w0_0_k2).zw), bitcast<vec2<f32>>(word_high(w0_0_k2).xy), bitcast<vec2<f32>>(word_high(w0_0_k2).zw));
        let x0_1_k2 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_1_k2).xy), bitcast<vec2<f32>>(word_low(w0_1_k2).zw), bitcast<vec2<f32>>(word_high(w0_1_k2).xy), bitcast<vec2<f32>>(word_high(w0_1_k2).zw));
        let row_k3 = min(first + 3u, count - 1u);
        let o0_k3 = b0 + row_k3 * params.stride_0_0;
        let w0_0_k3 = in_0[o0_k3];
        let w0_1_k3 = in_0[o0_k3 + 1u];
        let x0_0_k3 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_0_k3).xy), bitcast<vec2<f32>>(word_low(w0_0_k3).zw), bitcast<vec2<f32>>(word_high(w0_0_k3).xy), bitcast<vec2<f32>>(word_high(w0_0_k3).zw));
        let x0_1_k3 = array<vec2<f32>, 4>(bitcast<vec2<f32>>(word_low(w0_1_k3).xy), bitcast<vec2<f32>>(word_low(w0_1_k3).zw), bitcast<vec2<f32>>(word_high(w0_1_k3).xy), bitcast<vec2<f32>>(word_high(w0_1_k3).zw));
        let v0_0_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k0[0].x, x0_0_k0[1].x, x0_0_k0[2].x, x0_0_k0[3].x)) | vec4<u32>(params.zero));
        let v0_1_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k0[0].x, x0_1_k0[1].x, x0_1_k0[2].x, x0_1_k0[3].x)) | vec4<u32>(params.zero));
        let v1_0_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k0[0].y, x0_0_k0[1].y, x0_0_k0[2].y, x0_0_k0[3].y)) | vec4<u32>(params.zero));
        let v1_1_k0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k0[0].y, x0_1_k0[1].y, x0_1_k0[2].y, x0_1_k0[3].y)) | vec4<u32>(params.zero));
        let inside_k0 = vec4<bool>(first + 0u < count);
        {
            let t_k0 = select(vec4<f32>(identity0), v0_0_k0, inside_k0);
            let s_k0 = xla_keep_4(a0_0_0_h + t_k0);
            a0_0_0_l = xla_errors_4(xla_errors_4(a0_0_0_l + select(vec4<f32>(0f), v1_0_k0, inside_k0)) + xla_sum_rest_4(a0_0_0_h, t_k0, s_k0));
            a0_0_0_h = s_k0;
        }
        {
            let t_k0 = select(vec4<f32>(identity0), v0_1_k0, inside_k0);
            let s_k0 = xla_keep_4(a0_0_1_h + t_k0);
            a0_0_1_l = xla_errors_4(xla_errors_4(a0_0_1_l + select(vec4<f32>(0f), v1_1_k0, inside_k0)) + xla_sum_rest_4(a0_0_1_h, t_k0, s_k0));
            a0_0_1_h = s_k0;
        }
        let v0_0_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k1[0].x, x0_0_k1[1].x, x0_0_k1[2].x, x0_0_k1[3].x)) | vec4<u32>(params.zero));
        let v0_1_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k1[0].x, x0_1_k1[1].x, x0_1_k1[2].x, x0_1_k1[3].x)) | vec4<u32>(params.zero));
        let v1_0_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k1[0].y, x0_0_k1[1].y, x0_0_k1[2].y, x0_0_k1[3].y)) | vec4<u32>(params.zero));
        let v1_1_k1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k1[0].y, x0_1_k1[1].y, x0_1_k1[2].y, x0_1_k1[3].y)) | vec4<u32>(params.zero));
        let inside_k1 = vec4<bool>(first + 1u < count);
        {
            let t_k1 = select(vec4<f32>(identity0), v0_0_k1, inside_k1);
            let s_k1 = xla_keep_4(a0_1_0_h + t_k1);
            a0_1_0_l = xla_errors_4(xla_errors_4(a0_1_0_l + select(vec4<f32>(0f), v1_0_k1, inside_k1)) + xla_sum_rest_4(a0_1_0_h, t_k1, s_k1));
            a0_1_0_h = s_k1;
        }
        {
            let t_k1 = select(vec4<f32>(identity0), v0_1_k1, inside_k1);
            let s_k1 = xla_keep_4(a0_1_1_h + t_k1);
            a0_1_1_l = xla_errors_4(xla_errors_4(a0_1_1_l + select(vec4<f32>(0f), v1_1_k1, inside_k1)) + xla_sum_rest_4(a0_1_1_h, t_k1, s_k1));
            a0_1_1_h = s_k1;
        }
        let v0_0_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k2[0].x, x0_0_k2[1].x, x0_0_k2[2].x, x0_0_k2[3].x)) | vec4<u32>(params.zero));
        let v0_1_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k2[0].x, x0_1_k2[1].x, x0_1_k2[2].x, x0_1_k2[3].x)) | vec4<u32>(params.zero));
        let v1_0_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k2[0].y, x0_0_k2[1].y, x0_0_k2[2].y, x0_0_k2[3].y)) | vec4<u32>(params.zero));
        let v1_1_k2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k2[0].y, x0_1_k2[1].y, x0_1_k2[2].y, x0_1_k2[3].y)) | vec4<u32>(params.zero));
        let inside_k2 = vec4<bool>(first + 2u < count);
        {
            let t_k2 = select(vec4<f32>(identity0), v0_0_k2, inside_k2);
            let s_k2 = xla_keep_4(a0_2_0_h + t_k2);
            a0_2_0_l = xla_errors_4(xla_errors_4(a0_2_0_l + select(vec4<f32>(0f), v1_0_k2, inside_k2)) + xla_sum_rest_4(a0_2_0_h, t_k2, s_k2));
            a0_2_0_h = s_k2;
        }
        {
            let t_k2 = select(vec4<f32>(identity0), v0_1_k2, inside_k2);
            let s_k2 = xla_keep_4(a0_2_1_h + t_k2);
            a0_2_1_l = xla_errors_4(xla_errors_4(a0_2_1_l + select(vec4<f32>(0f), v1_1_k2, inside_k2)) + xla_sum_rest_4(a0_2_1_h, t_k2, s_k2));
            a0_2_1_h = s_k2;
        }
        let v0_0_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k3[0].x, x0_0_k3[1].x, x0_0_k3[2].x, x0_0_k3[3].x)) | vec4<u32>(params.zero));
        let v0_1_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k3[0].x, x0_1_k3[1].x, x0_1_k3[2].x, x0_1_k3[3].x)) | vec4<u32>(params.zero));
        let v1_0_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_0_k3[0].y, x0_0_k3[1].y, x0_0_k3[2].y, x0_0_k3[3].y)) | vec4<u32>(params.zero));
        let v1_1_k3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>(vec4<f32>(x0_1_k3[0].y, x0_1_k3[1].y, x0_1_k3[2].y, x0_1_k3[3].y)) | vec4<u32>(params.zero));
        let inside_k3 = vec4<bool>(first + 3u < count);
        {
            let t_k3 = select(vec4<f32>(identity0), v0_0_k3, inside_k3);
            let s_k3 = xla_keep_4(a0_3_0_h + t_k3);
            a0_3_0_l = xla_errors_4(xla_errors_4(a0_3_0_l + select(vec4<f32>(0f), v1_0_k3, inside_k3)) + xla_sum_rest_4(a0_3_0_h, t_k3, s_k3));
            a0_3_0_h = s_k3;
        }
        {
            let t_k3 = select(vec4<f32>(identity0), v0_1_k3, inside_k3);
            let s_k3 = xla_keep_4(a0_3_1_h + t_k3);
            a0_3_1_l = xla_errors_4(xla_errors_4(a0_3_1_l + select(vec4<f32>(0f), v1_1_k3, inside_k3)) + xla_sum_rest_4(a0_3_1_h, t_k3, s_k3));
            a0_3_1_h = s_k3;
        }
    }
    {
        let t = a0_2_0_h;
        let s = xla_keep_4(a0_0_0_h + t);
        a0_0_0_l = xla_errors_4(xla_errors_4(a0_0_0_l + a0_2_0_l) + xla_sum_rest_4(a0_0_0_h, t, s));
        a0_0_0_h = s;
    }
    {
        let t = a0_3_0_h;
        let s = xla_keep_4(a0_1_0_h + t);
        a0_1_0_l = xla_errors_4(xla_errors_4(a0_1_0_l + a0_3_0_l) + xla_sum_rest_4(a0_1_0_h, t, s));
        a0_1_0_h = s;
    }
    {
        let t = a0_1_0_h;
        let s = xla_keep_4(a0_0_0_h + t);
        a0_0_0_l = xla_errors_4(xla_errors_4(a0_0_0_l + a0_1_0_l) + xla_sum_rest_4(a0_0_0_h, t, s));
        a0_0_0_h = s;
    }
    let folded0_0 = vec4<f32>(xla_sum_of_words(a0_0_0_h.x, a0_0_0_l.x), xla_sum_of_words(a0_0_0_h.y, a0_0_0_l.y), xla_sum_of_words(a0_0_0_h.z, a0_0_0_l.z), xla_sum_of_words(a0_0_0_h.w, a0_0_0_l.w));
    let folded0_0_0 = a0_0_0_h;
    let folded0_1_0 = a0_0_0_l;
    {
        let t = a0_2_1_h;
        let s = xla_keep_4(a0_0_1_h + t);
        a0_0_1_l = xla_errors_4(xla_errors_4(a0_0_1_l + a0_2_1_l) + xla_sum_rest_4(a0_0_1_h, t, s));
        a0_0_1_h = s;
    }
    {
        let t = a0_3_1_h;
        let s = xla_keep_4(a0_1_1_h + t);
        a0_1_1_l = xla_errors_4(xla_errors_4(a0_1_1_l + a0_3_1_l) + xla_sum_rest_4(a0_1_1_h, t, s));
        a0_1_1_h = s;
    }
    {
        let t = a0_1_1_h;
        let s = xla_keep_4(a0_0_1_h + t);
        a0_0_1_l = xla_errors_4(xla_errors_4(a0_0_1_l + a0_1_1_l) + xla_sum_rest_4(a0_0_1_h, t, s));
        a0_0_1_h = s;
    }
    let folded0_1 = vec4<f32>(xla_sum_of_words(a0_0_1_h.x, a0_0_1_l.x), xla_sum_of_words(a0_0_1_h.y, a0_0_1_l.y), xla_sum_of_words(a0_0_1_h.z, a0_0_1_l.z), xla_sum_of_words(a0_0_1_h.w, a0_0_1_l.w));
    let folded0_0_1 = a0_0_1_h;
    let folded0_1_1 = a0_0_1_l;
    let to = params.result_offset + column * 1u;
    let r0 = bitcast<vec4<u32>>(folded0_0);
    let r1 = bitcast<vec4<u32>>(folded0_1);
    result[to] = word_of(r0, r1);
}
