// a + b transposed, for a processor: an invocation turns a block of 16 rows by 4 columns in registers.
// The 16 elements that it reads of a line of b are a whole line of the cache, read at once: lines of b
// lie so far apart that few of them fit into the nearest cache together.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

const LINE = ROWS / 4u;
const ROW = COLUMNS / 4u;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let column = id % ROW;
    let read = column * ROWS + id / ROW * 4u;
    let written = id / ROW * (16u * ROW) + column;
    let b00 = b[read + 0u * LINE + 0u];
    let b01 = b[read + 0u * LINE + 1u];
    let b02 = b[read + 0u * LINE + 2u];
    let b03 = b[read + 0u * LINE + 3u];
    let b10 = b[read + 1u * LINE + 0u];
    let b11 = b[read + 1u * LINE + 1u];
    let b12 = b[read + 1u * LINE + 2u];
    let b13 = b[read + 1u * LINE + 3u];
    let b20 = b[read + 2u * LINE + 0u];
    let b21 = b[read + 2u * LINE + 1u];
    let b22 = b[read + 2u * LINE + 2u];
    let b23 = b[read + 2u * LINE + 3u];
    let b30 = b[read + 3u * LINE + 0u];
    let b31 = b[read + 3u * LINE + 1u];
    let b32 = b[read + 3u * LINE + 2u];
    let b33 = b[read + 3u * LINE + 3u];
    result[written + 0u * ROW] = a[written + 0u * ROW] + vec4<f32>(b00.x, b10.x, b20.x, b30.x);
    result[written + 1u * ROW] = a[written + 1u * ROW] + vec4<f32>(b00.y, b10.y, b20.y, b30.y);
    result[written + 2u * ROW] = a[written + 2u * ROW] + vec4<f32>(b00.z, b10.z, b20.z, b30.z);
    result[written + 3u * ROW] = a[written + 3u * ROW] + vec4<f32>(b00.w, b10.w, b20.w, b30.w);
    result[written + 4u * ROW] = a[written + 4u * ROW] + vec4<f32>(b01.x, b11.x, b21.x, b31.x);
    result[written + 5u * ROW] = a[written + 5u * ROW] + vec4<f32>(b01.y, b11.y, b21.y, b31.y);
    result[written + 6u * ROW] = a[written + 6u * ROW] + vec4<f32>(b01.z, b11.z, b21.z, b31.z);
    result[written + 7u * ROW] = a[written + 7u * ROW] + vec4<f32>(b01.w, b11.w, b21.w, b31.w);
    result[written + 8u * ROW] = a[written + 8u * ROW] + vec4<f32>(b02.x, b12.x, b22.x, b32.x);
    result[written + 9u * ROW] = a[written + 9u * ROW] + vec4<f32>(b02.y, b12.y, b22.y, b32.y);
    result[written + 10u * ROW] = a[written + 10u * ROW] + vec4<f32>(b02.z, b12.z, b22.z, b32.z);
    result[written + 11u * ROW] = a[written + 11u * ROW] + vec4<f32>(b02.w, b12.w, b22.w, b32.w);
    result[written + 12u * ROW] = a[written + 12u * ROW] + vec4<f32>(b03.x, b13.x, b23.x, b33.x);
    result[written + 13u * ROW] = a[written + 13u * ROW] + vec4<f32>(b03.y, b13.y, b23.y, b33.y);
    result[written + 14u * ROW] = a[written + 14u * ROW] + vec4<f32>(b03.z, b13.z, b23.z, b33.z);
    result[written + 15u * ROW] = a[written + 15u * ROW] + vec4<f32>(b03.w, b13.w, b23.w, b33.w);
}
