// tanh(x + in_dim(v, 0)); x: f32[64,128], v: f32[64]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    tiles: u32,
    rows: u32,
    row_step: u32,
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
@group(0) @binding(2) var<storage, read> in_1: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

fn xla_keep(x: f32) -> f32 {
    return min(x, 0x1p+100);
}

fn xla_keep_nan(r: f32, x: f32) -> f32 {
    let b = bitcast<u32>(x);
    return bitcast<f32>(select(bitcast<u32>(r), b | 0x00400000u, (b & 0x7fffffffu) > 0x7f800000u));
}

fn xla_quotient(a: f32, b: f32) -> f32 {
    return a / b;
}

const XLA_LN2_HI: f32 = 0x1.62e4p-1;

const XLA_LN2_LO: f32 = 0x1.7f7d1cp-20;

fn xla_exp_tail(hi: f32, lo: f32) -> f32 {
    let r = hi - lo;
    var p = 0.00139225973;
    p = p * r + 0.00836946815;
    p = p * r + 0.0416665822;
    p = p * r + 0.166665137;
    p = p * r + 0.5;
    return hi + xla_keep(r * r * p - lo);
}

fn xla_exp2_whole(n: f32, more: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(n + 12582912.0) * 0x800000u + more);
}

fn xla_exp_and_one(x: f32) -> f32 {
    let n = round(x * 1.44269504);
    let scale = xla_exp2_whole(n, 0x3f800000u);
    let tail = xla_exp_tail(xla_keep(x - n * XLA_LN2_HI), n * XLA_LN2_LO);
    return (scale + 1.0) + scale * tail;
}

fn xla_odd(r: f32, x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(r) | (bitcast<u32>(x) & 0x80000000u));
}

fn xla_tanh(x: f32) -> f32 {
    let ax = abs(x);
    let z = ax * ax;
    var p = -0.00624284893;
    p = p * z + 0.021050714;
    p = p * z - 0.0538475476;
    p = p * z + 0.133325443;
    p = p * z - 0.333333164;
    let small = ax + ax * z * p;
    let large = 1.0 - xla_quotient(2.0, xla_exp_and_one(min(2.0 * ax, 20.0)));
    return xla_keep_nan(xla_odd(select(large, small, ax < 0.55), x), x);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let id = line * 64u + local;
    if id >= params.total { return; }
    let place = id;
    let tiles = place / params.columns;
    let column = place - tiles * params.columns;
    let block = tiles / params.row_step;
    let first = block * (8u * params.row_step) + (tiles - block * params.row_step);
    let to = params.result_offset + column * 1u;
    let b0 = params.offset_0 + column * 1u;
    let b1 = params.offset_1;
    let last = min(first + 8u * params.row_step, params.rows);
    for (var row = first; row < last; row += params.row_step) {
        let o0 = b0 + row * params.stride_0_0;
        let w0_0 = in_0[o0];
        let x0 = bitcast<vec4<f32>>(w0_0);
        let o1 = b1 + row * params.stride_1_0;
        let x1 = bitcast<f32>(in_1[o1]);
        let at = to + row * params.result_stride_0;
        let v0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0 + vec4<f32>(x1))) ^ vec4<u32>(params.zero));
        let v1 = vec4<f32>(xla_tanh(v0.x), xla_tanh(v0.y), xla_tanh(v0.z), xla_tanh(v0.w));
        let r0 = bitcast<vec4<u32>>(v1);
        result[at] = r0;
    }
}
