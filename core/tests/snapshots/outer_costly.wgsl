// sin(u) * v; u: f32[64,1], v: f32[1,128]
// Kernel 1 of 2
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    result_offset: u32,
    offset_0: u32,
    pad_5: u32,
    pad_6: u32,
    pad_7: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u32>>;

fn xla_abs_bits(x: f32) -> u32 {
    return bitcast<u32>(x) & 0x7fffffffu;
}

fn xla_head(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

fn xla_keep(x: f32) -> f32 {
    return min(x, 0x1p+100);
}

const XLA_PIO2_1: f32 = 0x1.922p+0;

const XLA_PIO2_2: f32 = -0x1.2afp-18;

const XLA_PIO2_3: f32 = 0x1.0b4p-34;

const XLA_PIO2_4: f32 = 0x1.84698ap-48;

const XLA_PIO2_HI: f32 = 0x1.921fb6p+0;

const XLA_LARGE_ANGLE: u32 = 0x45400000u;

fn xla_reduce_medium(x: f32) -> vec3<u32> {
    let n = round(x * 0.636619772);
    let t = xla_keep(x - n * XLA_PIO2_1);
    let w2 = n * XLA_PIO2_2;
    let a_hi = xla_head(t - w2);
    let a_lo = xla_keep(xla_keep(t - a_hi) - w2);
    let w3 = n * XLA_PIO2_3;
    let hi = xla_head(a_hi - w3);
    let lo = xla_keep(xla_keep(a_hi - hi) - w3) + (a_lo - n * XLA_PIO2_4);
    return vec3<u32>(bitcast<u32>(hi), bitcast<u32>(lo), bitcast<u32>(n + 0x1p+23) & 3u);
}

fn xla_mul_high(a: u32, b: u32) -> u32 {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let m1 = ah * bl + ((al * bl) >> 16u);
    let m2 = al * bh + (m1 & 0xffffu);
    return ah * bh + (m1 >> 16u) + (m2 >> 16u);
}

fn xla_pick(i: u32, a: u32, b: u32, c: u32, d: u32, e: u32) -> u32 {
    return select(select(select(select(a, b, i == 1u), c, i == 2u), d, i == 3u), e, i >= 4u);
}

fn xla_two_over_pi(b: u32) -> vec3<u32> {
    let start = (b >> 23u) - 120u;
    let i = start >> 5u;
    let w0 = xla_pick(i, 0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u);
    let w1 = xla_pick(i, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u);
    let w2 = xla_pick(i, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u);
    let w3 = xla_pick(i, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
    let shift = start & 31u;
    let back = 31u - shift;
    return vec3<u32>(
        (w0 << shift) | ((w1 >> 1u) >> back),
        (w1 << shift) | ((w2 >> 1u) >> back),
        (w2 << shift) | ((w3 >> 1u) >> back),
    );
}

fn xla_large_turn(m: u32, a: vec3<u32>, high: u32) -> vec4<u32> {
    let m1 = m * a.y;
    let p1 = m1 + high;
    let p0 = m * a.x + xla_mul_high(m, a.y) + select(0u, 1u, p1 < m1);
    let negative = (p0 >> 29u) & 1u;
    let quadrant = ((p0 >> 30u) + negative) & 3u;
    let flip = 0u - negative;
    return vec4<u32>(((p0 << 2u) | (p1 >> 30u)) ^ flip, (p1 << 2u) ^ flip, quadrant, negative << 31u);
}

fn xla_reduce_large(b: u32) -> vec3<u32> {
    let a = xla_two_over_pi(b);
    let m = (b & 0x007fffffu) | 0x00800000u;
    let turn = xla_large_turn(m, a, ((m >> 8u) * (a.z >> 16u)) >> 8u);
    let f0 = turn.x;
    let f1 = turn.y;
    let top = f32(i32(f0 >> 20u)) * 0x1p-12;
    let middle = f32(i32((f0 >> 8u) & 0xfffu)) * 0x1p-24;
    let last = f32(i32(((f0 & 0xffu) << 23u) | (f1 >> 9u))) * 0x1p-55;
    let hi = top * XLA_PIO2_1;
    let lo = middle * XLA_PIO2_1 + ((top + middle) * (XLA_PIO2_2 + XLA_PIO2_3) + last * XLA_PIO2_HI);
    return vec3<u32>(bitcast<u32>(hi) ^ turn.w, bitcast<u32>(lo) ^ turn.w, turn.z);
}

fn xla_reduce(b: u32) -> vec3<u32> {
    var r = xla_reduce_medium(bitcast<f32>(min(b, XLA_LARGE_ANGLE)));
    if (b >= XLA_LARGE_ANGLE) {
        r = xla_reduce_large(b);
    }
    return r;
}

fn xla_sin_reduced(reduced: vec3<u32>, turn: u32) -> u32 {
    let hi = bitcast<f32>(reduced.x);
    let lo = bitcast<f32>(reduced.y);
    let quadrant = reduced.z + turn;
    let r = hi + lo;
    let z = r * r;
    var p = 2.83251029e-6;
    p = p * z - 0.000198530644;
    p = p * z + 0.0083333794;
    p = p * z - 0.166666672;
    let sine = hi + xla_keep(lo + r * z * p);
    var q = 2.44306702e-5;
    q = q * z - 0.00138873013;
    q = q * z + 0.0416666456;
    let cosine = 1.0 - xla_keep(0.5 * z - z * z * q);
    let u = bitcast<u32>(select(sine, cosine, (quadrant & 1u) != 0u));
    return u ^ ((quadrant & 2u) << 30u);
}

fn xla_unless_tiny(u: u32, b: u32) -> u32 {
    return select(u, b, b < 0x39800000u);
}

fn xla_unless_infinite(u: u32, b: u32) -> u32 {
    return select(u, b | 0x7fc00000u, b >= 0x7f800000u);
}

fn xla_sin(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let u = xla_unless_tiny(xla_unless_infinite(xla_sin_reduced(xla_reduce(b), 0u), b), b);
    return bitcast<f32>(u ^ (bitcast<u32>(x) & 0x80000000u));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let first = line * 256u + local;
    if first >= params.total { return; }
    let units = min(4u, (params.total - first + 63u) / 64u);
    for (var k = 0u; k < units; k++) {
        let unit = first + k * 64u;
        let o0 = params.offset_0 + unit * 1u;
        let w0_0 = in_0[o0];
        let x0 = bitcast<vec4<f32>>(w0_0);
        let to = params.result_offset + unit * 1u;
        let v0 = vec4<f32>(xla_sin(x0.x), xla_sin(x0.y), xla_sin(x0.z), xla_sin(x0.w));
        let r0 = bitcast<vec4<u32>>(v0);
        result[to] = r0;
    }
}
// Kernel 2 of 2
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

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let id = line * 64u + local;
    if id >= params.total { return; }
    let place = id;
    let tiles = place / params.columns;
    let column = place - tiles * params.columns;
    let first = tiles;
    let to = params.result_offset + column;
    let b0 = params.offset_0;
    let b1 = params.offset_1 + column;
    let o1 = b1;
    let w1_0 = in_0[o1];
    let x1 = bitcast<vec4<f32>>(w1_0);
    let last = params.rows - 1u;
    let row_k0 = first;
    let o0_k0 = b0 + row_k0 * params.stride_0_0;
    let x0_k0 = bitcast<f32>(in_1[o0_k0]);
    let next_k1 = row_k0 + params.row_step;
    let row_k1 = select(row_k0, next_k1, next_k1 <= last);
    let o0_k1 = b0 + row_k1 * params.stride_0_0;
    let x0_k1 = bitcast<f32>(in_1[o0_k1]);
    let at_k0 = to + row_k0 * params.result_stride_0;
    let v0_k0 = (vec4<f32>(x0_k0) * x1);
    let r0_k0 = bitcast<vec4<u32>>(v0_k0);
    result[at_k0] = r0_k0;
    let at_k1 = to + row_k1 * params.result_stride_0;
    let v0_k1 = (vec4<f32>(x0_k1) * x1);
    let r0_k1 = bitcast<vec4<u32>>(v0_k1);
    result[at_k1] = r0_k1;
}
