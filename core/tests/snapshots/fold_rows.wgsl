// reduce_sum(x * y, 1); x, y: f32[64,96]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    folded: u32,
    of_parts: u32,
    first_folded: u32,
    size_1: u32,
    result_offset: u32,
    result_stride_0: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    pad_13: u32,
    pad_14: u32,
    pad_15: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in_1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

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

var<workgroup> node_0_h: array<f32, 64>;
var<workgroup> strand_0_h: array<f32, 64>;
var<workgroup> node_0_l: array<f32, 64>;
var<workgroup> strand_0_l: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let lane = local % 4u;
    let element = line * 16u + local / 4u;
    let unit = min(element, params.total - 1u);
    let i0 = unit;
    let b0 = params.offset_0 + i0 * params.stride_0_0;
    let b1 = params.offset_1 + i0 * params.stride_1_0;
    let count = params.folded;
    let identity0 = bitcast<f32>((0u | params.zero));
    var a0_h = vec4<f32>(identity0);
    var a0_l = vec4<f32>(0f);
    let begin = lane * 32u;
    let end = min(count, begin + 32u);
    for (var done = begin; done < end; done += 32u) {
        let f1 = done;
        let o0 = b0 + f1 / 32u * 8u;
        let o1 = b1 + f1 / 32u * 8u;
        let w0_0 = in_0[o0];
        let w0_1 = in_0[o0 + 1u];
        let w0_2 = in_0[o0 + 2u];
        let w0_3 = in_0[o0 + 3u];
        let w0_4 = in_0[o0 + 4u];
        let w0_5 = in_0[o0 + 5u];
        let w0_6 = in_0[o0 + 6u];
        let w0_7 = in_0[o0 + 7u];
        let x0_0 = bitcast<vec4<f32>>(w0_0);
        let x0_1 = bitcast<vec4<f32>>(w0_1);
        let x0_2 = bitcast<vec4<f32>>(w0_2);
        let x0_3 = bitcast<vec4<f32>>(w0_3);
        let x0_4 = bitcast<vec4<f32>>(w0_4);
        let x0_5 = bitcast<vec4<f32>>(w0_5);
        let x0_6 = bitcast<vec4<f32>>(w0_6);
        let x0_7 = bitcast<vec4<f32>>(w0_7);
        let w1_0 = in_1[o1];
        let w1_1 = in_1[o1 + 1u];
        let w1_2 = in_1[o1 + 2u];
        let w1_3 = in_1[o1 + 3u];
        let w1_4 = in_1[o1 + 4u];
        let w1_5 = in_1[o1 + 5u];
        let w1_6 = in_1[o1 + 6u];
        let w1_7 = in_1[o1 + 7u];
        let x1_0 = bitcast<vec4<f32>>(w1_0);
        let x1_1 = bitcast<vec4<f32>>(w1_1);
        let x1_2 = bitcast<vec4<f32>>(w1_2);
        let x1_3 = bitcast<vec4<f32>>(w1_3);
        let x1_4 = bitcast<vec4<f32>>(w1_4);
        let x1_5 = bitcast<vec4<f32>>(w1_5);
        let x1_6 = bitcast<vec4<f32>>(w1_6);
        let x1_7 = bitcast<vec4<f32>>(w1_7);
        let v0_0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_0 * x1_0)) ^ vec4<u32>(params.zero));
        let v0_1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_1 * x1_1)) ^ vec4<u32>(params.zero));
        let v0_2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_2 * x1_2)) ^ vec4<u32>(params.zero));
        let v0_3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_3 * x1_3)) ^ vec4<u32>(params.zero));
        let v0_4 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_4 * x1_4)) ^ vec4<u32>(params.zero));
        let v0_5 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_5 * x1_5)) ^ vec4<u32>(params.zero));
        let v0_6 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_6 * x1_6)) ^ vec4<u32>(params.zero));
        let v0_7 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_7 * x1_7)) ^ vec4<u32>(params.zero));
        a0_h = v0_0;
        a0_l = vec4<f32>(0f);
        {
            let t = v0_1;
            let s = xla_keep_4(a0_h + t);
            a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
            a0_h = s;
        }
        {
            let t = v0_2;
            let s = xla_keep_4(a0_h + t);
            a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
            a0_h = s;
        }
        {
            let t = v0_3;
            let s = xla_keep_4(a0_h + t);
            a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
            a0_h = s;
        }
        {
            let t = v0_4;
            let s = xla_keep_4(a0_h + t);
            a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
            a0_h = s;
        }
        {
            let t = v0_5;
            let s = xla_keep_4(a0_h + t);
            a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
            a0_h = s;
        }
        {
            let t = v0_6;
            let s = xla_keep_4(a0_h + t);
            a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
            a0_h = s;
        }
        {
            let t = v0_7;
            let s = xla_keep_4(a0_h + t);
            a0_l = xla_errors_4(a0_l + xla_sum_rest_4(a0_h, t, s));
            a0_h = s;
        }
    }
    {
        let t = a0_h.z;
        let s = xla_keep_bits(a0_h.x + t);
        a0_l.x = xla_errors(xla_errors(a0_l.x + a0_l.z) + xla_sum_rest(a0_h.x, t, s));
        a0_h.x = s;
    }
    {
        let t = a0_h.w;
        let s = xla_keep_bits(a0_h.y + t);
        a0_l.y = xla_errors(xla_errors(a0_l.y + a0_l.w) + xla_sum_rest(a0_h.y, t, s));
        a0_h.y = s;
    }
    {
        let t = a0_h.y;
        let s = xla_keep_bits(a0_h.x + t);
        a0_l.x = xla_errors(xla_errors(a0_l.x + a0_l.y) + xla_sum_rest(a0_h.x, t, s));
        a0_h.x = s;
    }
    node_0_h[local] = a0_h.x;
    node_0_l[local] = a0_l.x;
    let first_strand = local / 4u * 4u;
    workgroupBarrier();
    if lane < 4u {
        var n0_0_h = identity0;
        var n0_0_l = 0f;
        let nodes = (count + 32u - 1u) / 32u;
        for (var node = lane; node < nodes; node += 4u) {
            let of_node_0_h = node_0_h[local - lane + node];
            let of_node_0_l = node_0_l[local - lane + node];
            {
                let t = of_node_0_h;
                let s = xla_keep_bits(n0_0_h + t);
                n0_0_l = xla_errors(xla_errors(n0_0_l + of_node_0_l) + xla_sum_rest(n0_0_h, t, s));
                n0_0_h = s;
            }
        }
        strand_0_h[first_strand + lane] = n0_0_h;
        strand_0_l[first_strand + lane] = n0_0_l;
    }
    workgroupBarrier();
    if lane != 0u || element >= params.total { return; }
    var n0_0_h = strand_0_h[first_strand + 0u];
    var n0_0_l = strand_0_l[first_strand + 0u];
    var n0_1_h = strand_0_h[first_strand + 1u];
    var n0_1_l = strand_0_l[first_strand + 1u];
    var n0_2_h = strand_0_h[first_strand + 2u];
    var n0_2_l = strand_0_l[first_strand + 2u];
    var n0_3_h = strand_0_h[first_strand + 3u];
    var n0_3_l = strand_0_l[first_strand + 3u];
    {
        let t = n0_2_h;
        let s = xla_keep_bits(n0_0_h + t);
        n0_0_l = xla_errors(xla_errors(n0_0_l + n0_2_l) + xla_sum_rest(n0_0_h, t, s));
        n0_0_h = s;
    }
    {
        let t = n0_3_h;
        let s = xla_keep_bits(n0_1_h + t);
        n0_1_l = xla_errors(xla_errors(n0_1_l + n0_3_l) + xla_sum_rest(n0_1_h, t, s));
        n0_1_h = s;
    }
    {
        let t = n0_1_h;
        let s = xla_keep_bits(n0_0_h + t);
        n0_0_l = xla_errors(xla_errors(n0_0_l + n0_1_l) + xla_sum_rest(n0_0_h, t, s));
        n0_0_h = s;
    }
    let folded0 = xla_sum_of_words(n0_0_h, n0_0_l);
    let folded0_0 = n0_0_h;
    let folded0_1 = n0_0_l;
    let to = params.result_offset + i0 * params.result_stride_0;
    let q0 = vec4<f32>(folded0);
    let r0 = bitcast<vec4<u32>>(q0);
    result[to] = r0.x;
}
