// cumsum(x, 0); x: f32[8,64]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    folded: u32,
    size_0: u32,
    result_offset: u32,
    result_stride_0: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
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
    let outer = unit / params.columns;
    let column = unit - outer * params.columns;
    let b2 = params.offset_2 + column * 1u;
    let c0 = bitcast<f32>(params.constants[0].x);
    let identity0 = bitcast<f32>((0u | params.zero));
    let first_of_block = params.result_offset + column * 1u;
    var a0_0_0_h = vec4<f32>(identity0);
    var a0_0_0_l = vec4<f32>(0f);
    var a0_1_0_h = vec4<f32>(identity0);
    var a0_1_0_l = vec4<f32>(0f);
    var a0_2_0_h = vec4<f32>(identity0);
    var a0_2_0_l = vec4<f32>(0f);
    var a0_3_0_h = vec4<f32>(identity0);
    var a0_3_0_l = vec4<f32>(0f);
    for (var first = 0u; first < params.folded; first += 4u) {
        let row_k0 = first + 0u;
        let o2_k0 = b2 + row_k0 * params.stride_2_0;
        let w2_0_k0 = in_0[o2_k0];
        let x2_k0 = bitcast<vec4<f32>>(w2_0_k0);
        let row_k1 = first + 1u;
        let o2_k1 = b2 + row_k1 * params.stride_2_0;
        let w2_0_k1 = in_0[o2_k1];
        let x2_k1 = bitcast<vec4<f32>>(w2_0_k1);
        let row_k2 = first + 2u;
        let o2_k2 = b2 + row_k2 * params.stride_2_0;
        let w2_0_k2 = in_0[o2_k2];
        let x2_k2 = bitcast<vec4<f32>>(w2_0_k2);
        let row_k3 = first + 3u;
        let o2_k3 = b2 + row_k3 * params.stride_2_0;
        let w2_0_k3 = in_0[o2_k3];
        let x2_k3 = bitcast<vec4<f32>>(w2_0_k3);
        {
            let t_k0 = x2_k0;
            let s_k0 = xla_keep_4(a0_0_0_h + t_k0);
            a0_0_0_l = xla_errors_4(a0_0_0_l + xla_sum_rest_4(a0_0_0_h, t_k0, s_k0));
            a0_0_0_h = s_k0;
        }
        var s0_0_0_h_k0 = a0_0_0_h;
        var s0_0_0_l_k0 = a0_0_0_l;
        var s0_1_0_h_k0 = a0_1_0_h;
        var s0_1_0_l_k0 = a0_1_0_l;
        var s0_2_0_h_k0 = a0_2_0_h;
        var s0_2_0_l_k0 = a0_2_0_l;
        var s0_3_0_h_k0 = a0_3_0_h;
        var s0_3_0_l_k0 = a0_3_0_l;
        {
            let t_k0 = s0_2_0_h_k0;
            let s_k0 = xla_keep_4(s0_0_0_h_k0 + t_k0);
            s0_0_0_l_k0 = xla_errors_4(xla_errors_4(s0_0_0_l_k0 + s0_2_0_l_k0) + xla_sum_rest_4(s0_0_0_h_k0, t_k0, s_k0));
            s0_0_0_h_k0 = s_k0;
        }
        {
            let t_k0 = s0_3_0_h_k0;
            let s_k0 = xla_keep_4(s0_1_0_h_k0 + t_k0);
            s0_1_0_l_k0 = xla_errors_4(xla_errors_4(s0_1_0_l_k0 + s0_3_0_l_k0) + xla_sum_rest_4(s0_1_0_h_k0, t_k0, s_k0));
            s0_1_0_h_k0 = s_k0;
        }
        {
            let t_k0 = s0_1_0_h_k0;
            let s_k0 = xla_keep_4(s0_0_0_h_k0 + t_k0);
            s0_0_0_l_k0 = xla_errors_4(xla_errors_4(s0_0_0_l_k0 + s0_1_0_l_k0) + xla_sum_rest_4(s0_0_0_h_k0, t_k0, s_k0));
            s0_0_0_h_k0 = s_k0;
        }
        let folded0_k0 = vec4<f32>(xla_sum_of_words(s0_0_0_h_k0.x, s0_0_0_l_k0.x), xla_sum_of_words(s0_0_0_h_k0.y, s0_0_0_l_k0.y), xla_sum_of_words(s0_0_0_h_k0.z, s0_0_0_l_k0.z), xla_sum_of_words(s0_0_0_h_k0.w, s0_0_0_l_k0.w));
        let folded0_0_k0 = s0_0_0_h_k0;
        let folded0_1_k0 = s0_0_0_l_k0;
        let to_k0 = first_of_block + row_k0 * params.result_stride_0;
        let r0_k0 = bitcast<vec4<u32>>(folded0_k0);
        result[to_k0] = r0_k0;
        {
            let t_k1 = x2_k1;
            let s_k1 = xla_keep_4(a0_1_0_h + t_k1);
            a0_1_0_l = xla_errors_4(a0_1_0_l + xla_sum_rest_4(a0_1_0_h, t_k1, s_k1));
            a0_1_0_h = s_k1;
        }
        var s0_0_0_h_k1 = a0_0_0_h;
        var s0_0_0_l_k1 = a0_0_0_l;
        var s0_1_0_h_k1 = a0_1_0_h;
        var s0_1_0_l_k1 = a0_1_0_l;
        var s0_2_0_h_k1 = a0_2_0_h;
        var s0_2_0_l_k1 = a0_2_0_l;
        var s0_3_0_h_k1 = a0_3_0_h;
        var s0_3_0_l_k1 = a0_3_0_l;
        {
            let t_k1 = s0_2_0_h_k1;
            let s_k1 = xla_keep_4(s0_0_0_h_k1 + t_k1);
            s0_0_0_l_k1 = xla_errors_4(xla_errors_4(s0_0_0_l_k1 + s0_2_0_l_k1) + xla_sum_rest_4(s0_0_0_h_k1, t_k1, s_k1));
            s0_0_0_h_k1 = s_k1;
        }
        {
            let t_k1 = s0_3_0_h_k1;
            let s_k1 = xla_keep_4(s0_1_0_h_k1 + t_k1);
            s0_1_0_l_k1 = xla_errors_4(xla_errors_4(s0_1_0_l_k1 + s0_3_0_l_k1) + xla_sum_rest_4(s0_1_0_h_k1, t_k1, s_k1));
            s0_1_0_h_k1 = s_k1;
        }
        {
            let t_k1 = s0_1_0_h_k1;
            let s_k1 = xla_keep_4(s0_0_0_h_k1 + t_k1);
            s0_0_0_l_k1 = xla_errors_4(xla_errors_4(s0_0_0_l_k1 + s0_1_0_l_k1) + xla_sum_rest_4(s0_0_0_h_k1, t_k1, s_k1));
            s0_0_0_h_k1 = s_k1;
        }
        let folded0_k1 = vec4<f32>(xla_sum_of_words(s0_0_0_h_k1.x, s0_0_0_l_k1.x), xla_sum_of_words(s0_0_0_h_k1.y, s0_0_0_l_k1.y), xla_sum_of_words(s0_0_0_h_k1.z, s0_0_0_l_k1.z), xla_sum_of_words(s0_0_0_h_k1.w, s0_0_0_l_k1.w));
        let folded0_0_k1 = s0_0_0_h_k1;
        let folded0_1_k1 = s0_0_0_l_k1;
        let to_k1 = first_of_block + row_k1 * params.result_stride_0;
        let r0_k1 = bitcast<vec4<u32>>(folded0_k1);
        result[to_k1] = r0_k1;
        {
            let t_k2 = x2_k2;
            let s_k2 = xla_keep_4(a0_2_0_h + t_k2);
            a0_2_0_l = xla_errors_4(a0_2_0_l + xla_sum_rest_4(a0_2_0_h, t_k2, s_k2));
            a0_2_0_h = s_k2;
        }
        var s0_0_0_h_k2 = a0_0_0_h;
        var s0_0_0_l_k2 = a0_0_0_l;
        var s0_1_0_h_k2 = a0_1_0_h;
        var s0_1_0_l_k2 = a0_1_0_l;
        var s0_2_0_h_k2 = a0_2_0_h;
        var s0_2_0_l_k2 = a0_2_0_l;
        var s0_3_0_h_k2 = a0_3_0_h;
        var s0_3_0_l_k2 = a0_3_0_l;
        {
            let t_k2 = s0_2_0_h_k2;
            let s_k2 = xla_keep_4(s0_0_0_h_k2 + t_k2);
            s0_0_0_l_k2 = xla_errors_4(xla_errors_4(s0_0_0_l_k2 + s0_2_0_l_k2) + xla_sum_rest_4(s0_0_0_h_k2, t_k2, s_k2));
            s0_0_0_h_k2 = s_k2;
        }
        {
            let t_k2 = s0_3_0_h_k2;
            let s_k2 = xla_keep_4(s0_1_0_h_k2 + t_k2);
            s0_1_0_l_k2 = xla_errors_4(xla_errors_4(s0_1_0_l_k2 + s0_3_0_l_k2) + xla_sum_rest_4(s0_1_0_h_k2, t_k2, s_k2));
            s0_1_0_h_k2 = s_k2;
        }
        {
            let t_k2 = s0_1_0_h_k2;
            let s_k2 = xla_keep_4(s0_0_0_h_k2 + t_k2);
            s0_0_0_l_k2 = xla_errors_4(xla_errors_4(s0_0_0_l_k2 + s0_1_0_l_k2) + xla_sum_rest_4(s0_0_0_h_k2, t_k2, s_k2));
            s0_0_0_h_k2 = s_k2;
        }
        let folded0_k2 = vec4<f32>(xla_sum_of_words(s0_0_0_h_k2.x, s0_0_0_l_k2.x), xla_sum_of_words(s0_0_0_h_k2.y, s0_0_0_l_k2.y), xla_sum_of_words(s0_0_0_h_k2.z, s0_0_0_l_k2.z), xla_sum_of_words(s0_0_0_h_k2.w, s0_0_0_l_k2.w));
        let folded0_0_k2 = s0_0_0_h_k2;
        let folded0_1_k2 = s0_0_0_l_k2;
        let to_k2 = first_of_block + row_k2 * params.result_stride_0;
        let r0_k2 = bitcast<vec4<u32>>(folded0_k2);
        result[to_k2] = r0_k2;
        {
            let t_k3 = x2_k3;
            let s_k3 = xla_keep_4(a0_3_0_h + t_k3);
            a0_3_0_l = xla_errors_4(a0_3_0_l + xla_sum_rest_4(a0_3_0_h, t_k3, s_k3));
            a0_3_0_h = s_k3;
        }
        var s0_0_0_h_k3 = a0_0_0_h;
        var s0_0_0_l_k3 = a0_0_0_l;
        var s0_1_0_h_k3 = a0_1_0_h;
        var s0_1_0_l_k3 = a0_1_0_l;
        var s0_2_0_h_k3 = a0_2_0_h;
        var s0_2_0_l_k3 = a0_2_0_l;
        var s0_3_0_h_k3 = a0_3_0_h;
        var s0_3_0_l_k3 = a0_3_0_l;
        {
            let t_k3 = s0_2_0_h_k3;
            let s_k3 = xla_keep_4(s0_0_0_h_k3 + t_k3);
            s0_0_0_l_k3 = xla_errors_4(xla_errors_4(s0_0_0_l_k3 + s0_2_0_l_k3) + xla_sum_rest_4(s0_0_0_h_k3, t_k3, s_k3));
            s0_0_0_h_k3 = s_k3;
        }
        {
            let t_k3 = s0_3_0_h_k3;
            let s_k3 = xla_keep_4(s0_1_0_h_k3 + t_k3);
            s0_1_0_l_k3 = xla_errors_4(xla_errors_4(s0_1_0_l_k3 + s0_3_0_l_k3) + xla_sum_rest_4(s0_1_0_h_k3, t_k3, s_k3));
            s0_1_0_h_k3 = s_k3;
        }
        {
            let t_k3 = s0_1_0_h_k3;
            let s_k3 = xla_keep_4(s0_0_0_h_k3 + t_k3);
            s0_0_0_l_k3 = xla_errors_4(xla_errors_4(s0_0_0_l_k3 + s0_1_0_l_k3) + xla_sum_rest_4(s0_0_0_h_k3, t_k3, s_k3));
            s0_0_0_h_k3 = s_k3;
        }
        let folded0_k3 = vec4<f32>(xla_sum_of_words(s0_0_0_h_k3.x, s0_0_0_l_k3.x), xla_sum_of_words(s0_0_0_h_k3.y, s0_0_0_l_k3.y), xla_sum_of_words(s0_0_0_h_k3.z, s0_0_0_l_k3.z), xla_sum_of_words(s0_0_0_h_k3.w, s0_0_0_l_k3.w));
        let folded0_0_k3 = s0_0_0_h_k3;
        let folded0_1_k3 = s0_0_0_l_k3;
        let to_k3 = first_of_block + row_k3 * params.result_stride_0;
        let r0_k3 = bitcast<vec4<u32>>(folded0_k3);
        result[to_k3] = r0_k3;
    }
}
