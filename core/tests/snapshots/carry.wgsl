// x - in_dim(v, 1); x: s32[5,7,3], v: s32[7]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    start: u32,
    result_offset: u32,
    size_0: u32,
    size_1: u32,
    size_2: u32,
    offset_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    stride_1_1: u32,
    stride_1_2: u32,
    carry_1_0: u32,
    carry_1_1: u32,
    pad_15: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in_1: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let first = (line * 64u + local) * 4u;
    if first >= params.total { return; }
    let flat = params.start + first * 4u;
    var i2 = flat % params.size_2;
    let rest_2 = flat / params.size_2;
    var i1 = rest_2 % params.size_1;
    let rest_1 = rest_2 / params.size_1;
    let i0 = rest_1;
    var p1 = params.offset_1 + i0 * params.stride_1_0 + i1 * params.stride_1_1 + i2 * params.stride_1_2;
    let units = min(4u, params.total - first);
    for (var k = 0u; k < units; k++) {
        let unit = params.start / 4u + first + k;
        let o0 = params.offset_0 + unit * 1u;
        let w0_0 = in_0[o0];
        let x0 = bitcast<vec4<i32>>(w0_0);
        let e1_0_x = bitcast<i32>(in_1[p1]);
        i2++;
        p1 += params.stride_1_2;
        if i2 == params.size_2 {
            i2 = 0u;
            i1++;
            p1 += params.carry_1_1;
            if i1 == params.size_1 {
                i1 = 0u;
                p1 += params.carry_1_0;
            }
        }
        let e1_0_y = bitcast<i32>(in_1[p1]);
        i2++;
        p1 += params.stride_1_2;
        if i2 == params.size_2 {
            i2 = 0u;
            i1++;
            p1 += params.carry_1_1;
            if i1 == params.size_1 {
                i1 = 0u;
                p1 += params.carry_1_0;
            }
        }
        let e1_0_z = bitcast<i32>(in_1[p1]);
        i2++;
        p1 += params.stride_1_2;
        if i2 == params.size_2 {
            i2 = 0u;
            i1++;
            p1 += params.carry_1_1;
            if i1 == params.size_1 {
                i1 = 0u;
                p1 += params.carry_1_0;
            }
        }
        let e1_0_w = bitcast<i32>(in_1[p1]);
        i2++;
        p1 += params.stride_1_2;
        if i2 == params.size_2 {
            i2 = 0u;
            i1++;
            p1 += params.carry_1_1;
            if i1 == params.size_1 {
                i1 = 0u;
                p1 += params.carry_1_0;
            }
        }
        let x1 = vec4<i32>(e1_0_x, e1_0_y, e1_0_z, e1_0_w);
        let at = params.result_offset + (first + k) * 1u;
        let v0 = (x0 - x1);
        let r0 = bitcast<vec4<u32>>(v0);
        result[at] = r0;
    }
}
