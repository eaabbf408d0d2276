// cumsum(x, 1); x: f32[64,8]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    size_0: u32,
    result_offset: u32,
    result_stride_0: u32,
    offset_0: u32,
    stride_0_0: u32,
    stride_0_1: u32,
    offset_1: u32,
    stride_1_0: u32,
    stride_1_1: u32,
    offset_2: u32,
    stride_2_0: u32,
    pad_14: u32,
    pad_15: u32,
    constants: array<vec4<u32>, 1>,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u32>>;

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
    let column = 0u;
    let i0 = unit;
    let b2 = params.offset_2 + column * 2u + i0 * params.stride_2_0;
    let c0 = bitcast<f32>(params.constants[0].x);
    let identity0 = bitcast<f32>((0u | params.zero));
    let first_of_block = params.result_offset + column * 2u + i0 * params.result_stride_0;
    let o2 = b2;
    let w2_0 = in_0[o2];
    let w2_1 = in_0[o2 + 1u];
    let x2_0 = bitcast<vec4<f32>>(w2_0);
    let x2_1 = bitcast<vec4<f32>>(w2_1);
    var a0_h = vec4<f32>(identity0);
    var a0_l = vec4<f32>(0f);
    let p0_0_h = a0_h;
    let p0_0_l = a0_l;
    a0_h = x2_0;
    a0_l = vec4<f32>(0f);
    var s0_0_0_h = vec4<f32>(a0_h.x, a0_h.x, a0_h.x, a0_h.x);
    var s0_0_0_l = vec4<f32>(a0_l.x, a0_l.x, a0_l.x, a0_l.x);
    var s0_0_1_h = vec4<f32>(p0_0_h.y, a0_h.y, a0_h.y, a0_h.y);
    var s0_0_1_l = vec4<f32>(p0_0_l.y, a0_l.y, a0_l.y, a0_l.y);
    var s0_0_2_h = vec4<f32>(p0_0_h.z, p0_0_h.z, a0_h.z, a0_h.z);
    var s0_0_2_l = vec4<f32>(p0_0_l.z, p0_0_l.z, a0_l.z, a0_l.z);
    var s0_0_3_h = vec4<f32>(p0_0_h.w, p0_0_h.w, p0_0_h.w, a0_h.w);
    var s0_0_3_l = vec4<f32>(p0_0_l.w, p0_0_l.w, p0_0_l.w, a0_l.w);
    {
        let t = s0_0_2_h;
        let s = xla_keep_4(s0_0_0_h + t);
        s0_0_0_l = xla_errors_4(xla_errors_4(s0_0_0_l + s0_0_2_l) + xla_sum_rest_4(s0_0_0_h, t, s));
        s0_0_0_h = s;
    }
    {
        let t = s0_0_3_h;
        let s = xla_keep_4(s0_0_1_h + t);
        s0_0_1_l = xla_errors_4(xla_errors_4(s0_0_1_l + s0_0_3_l) + xla_sum_rest_4(s0_0_1_h, t, s));
        s0_0_1_h = s;
    }
    {
        let t = s0_0_1_h;
        let s = xla_keep_4(s0_0_0_h + t);
        s0_0_0_l = xla_errors_4(xla_errors_4(s0_0_0_l + s0_0_1_l) + xla_sum_rest_4(s0_0_0_h, t, s));
        s0_0_0_h = s;
    }
    let folded0_0 = vec4<f32>(xla_sum_of_words(s0_0_0_h.x, s0_0_0_l.x), xla_sum_of_words(s0_0_0_h.y, s0_0_0_l.y), xla_sum_of_words(s0_0_0_h.z, s0_0_0_l.z), xla_sum_of_words(s0_0_0_h.w, s0_0_0_l.w));
    let folded0_0_0 = s0_0_0_h;
    let folded0_1_0 = s0_0_0_l;
    let p0_1_h = a0_h;
    let p0_1_l = a0_l;
    {
        let t = x2_1;
        let s = xla_keep_4(a0_h + t);
        a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
        a0_h = s;
    }
    var s0_1_0_h = vec4<f32>(a0_h.x, a0_h.x, a0_h.x, a0_h.x);
    var s0_1_0_l = vec4<f32>(a0_l.x, a0_l.x, a0_l.x, a0_l.x);
    var s0_1_1_h = vec4<f32>(p0_1_h.y, a0_h.y, a0_h.y, a0_h.y);
    var s0_1_1_l = vec4<f32>(p0_1_l.y, a0_l.y, a0_l.y, a0_l.y);
    var s0_1_2_h = vec4<f32>(p0_1_h.z, p0_1_h.z, a0_h.z, a0_h.z);
    var s0_1_2_l = vec4<f32>(p0_1_l.z, p0_1_l.z, a0_l.z, a0_l.z);
    var s0_1_3_h = vec4<f32>(p0_1_h.w, p0_1_h.w, p0_1_h.w, a0_h.w);
    var s0_1_3_l = vec4<f32>(p0_1_l.w, p0_1_l.w, p0_1_l.w, a0_l.w);
    {
        let t = s0_1_2_h;
        let s = xla_keep_4(s0_1_0_h + t);
        s0_1_0_l = xla_errors_4(xla_errors_4(s0_1_0_l + s0_1_2_l) + xla_sum_rest_4(s0_1_0_h, t, s));
        s0_1_0_h = s;
    }
    {
        let t = s0_1_3_h;
        let s = xla_keep_4(s0_1_1_h + t);
        s0_1_1_l = xla_errors_4(xla_errors_4(s0_1_1_l + s0_1_3_l) + xla_sum_rest_4(s0_1_1_h, t, s));
        s0_1_1_h = s;
    }
    {
        let t = s0_1_1_h;
        let s = xla_keep_4(s0_1_0_h + t);
        s0_1_0_l = xla_errors_4(xla_errors_4(s0_1_0_l + s0_1_1_l) + xla_sum_rest_4(s0_1_0_h, t, s));
        s0_1_0_h = s;
    }
    let folded0_1 = vec4<f32>(xla_sum_of_words(s0_1_0_h.x, s0_1_0_l.x), xla_sum_of_words(s0_1_0_h.y, s0_1_0_l.y), xla_sum_of_words(s0_1_0_h.z, s0_1_0_l.z), xla_sum_of_words(s0_1_0_h.w, s0_1_0_l.w));
    let folded0_0_1 = s0_1_0_h;
    let folded0_1_1 = s0_1_0_l;
    let r0 = bitcast<vec4<u32>>(folded0_0);
    result[first_of_block] = r0;
    let r1 = bitcast<vec4<u32>>(folded0_1);
    result[first_of_block + 1u] = r1;
}
