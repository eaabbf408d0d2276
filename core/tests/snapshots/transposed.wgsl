// x + transpose(y, [1, 0]); x: f32[64,64], y: f32[64,64]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    rows: u32,
    result_offset: u32,
    result_stride_0: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    stride_1_1: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in_1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    if line >= params.total { return; }
    let across = (params.columns + 7u) / 8u;
    let down = (params.rows + 7u) / 8u;
    let column = line % across * 8u + local % 8u;
    let block = line / across % down * 8u + local / 8u;
    if column >= params.columns || block >= params.rows { return; }
    let to = params.result_offset + column;
    let b0 = params.offset_0 + column;
    let b1 = params.offset_1 + column * 4u * params.stride_1_1;
    let t1_0 = in_1[b1 + block + 0u * params.stride_1_1];
    let t1_1 = in_1[b1 + block + 1u * params.stride_1_1];
    let t1_2 = in_1[b1 + block + 2u * params.stride_1_1];
    let t1_3 = in_1[b1 + block + 3u * params.stride_1_1];
    let row_k0 = block * 4u + 0u;
    let o0_k0 = b0 + row_k0 * params.stride_0_0;
    let w0_0_k0 = in_0[o0_k0];
    let x0_k0 = bitcast<vec4<f32>>(w0_0_k0);
    let x1_k0 = vec4<f32>(bitcast<f32>(t1_0.x), bitcast<f32>(t1_1.x), bitcast<f32>(t1_2.x), bitcast<f32>(t1_3.x));
    let row_k1 = block * 4u + 1u;
    let o0_k1 = b0 + row_k1 * params.stride_0_0;
    let w0_0_k1 = in_0[o0_k1];
    let x0_k1 = bitcast<vec4<f32>>(w0_0_k1);
    let x1_k1 = vec4<f32>(bitcast<f32>(t1_0.y), bitcast<f32>(t1_1.y), bitcast<f32>(t1_2.y), bitcast<f32>(t1_3.y));
    let row_k2 = block * 4u + 2u;
    let o0_k2 = b0 + row_k2 * params.stride_0_0;
    let w0_0_k2 = in_0[o0_k2];
    let x0_k2 = bitcast<vec4<f32>>(w0_0_k2);
    let x1_k2 = vec4<f32>(bitcast<f32>(t1_0.z), bitcast<f32>(t1_1.z), bitcast<f32>(t1_2.z), bitcast<f32>(t1_3.z));
    let row_k3 = block * 4u + 3u;
    let o0_k3 = b0 + row_k3 * params.stride_0_0;
    let w0_0_k3 = in_0[o0_k3];
    let x0_k3 = bitcast<vec4<f32>>(w0_0_k3);
    let x1_k3 = vec4<f32>(bitcast<f32>(t1_0.w), bitcast<f32>(t1_1.w), bitcast<f32>(t1_2.w), bitcast<f32>(t1_3.w));
    let at_k0 = to + row_k0 * params.result_stride_0;
    let v0_k0 = (x0_k0 + x1_k0);
    let r0_k0 = bitcast<vec4<u32>>(v0_k0);
    result[at_k0] = r0_k0;
    let at_k1 = to + row_k1 * params.result_stride_0;
    let v0_k1 = (x0_k1 + x1_k1);
    let r0_k1 = bitcast<vec4<u32>>(v0_k1);
    result[at_k1] = r0_k1;
    let at_k2 = to + row_k2 * params.result_stride_0;
    let v0_k2 = (x0_k2 + x1_k2);
    let r0_k2 = bitcast<vec4<u32>>(v0_k2);
    result[at_k2] = r0_k2;
    let at_k3 = to + row_k3 * params.result_stride_0;
    let v0_k3 = (x0_k3 + x1_k3);
    let r0_k3 = bitcast<vec4<u32>>(v0_k3);
    result[at_k3] = r0_k3;
}
