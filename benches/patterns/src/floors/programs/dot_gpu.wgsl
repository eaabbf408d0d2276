// A product of matrices: a workgroup computes a tile of 64 rows by 16 columns, of parts of 16 terms that
// it reads once. An invocation adds up FOUR rows of a quad.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

var<workgroup> left: array<vec4<f32>, 256>;
var<workgroup> right: array<vec4<f32>, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let tile = min(invocation(group, 0u) / WORKGROUP, TILES - 1u);
    let tile_row = tile / COLUMN_TILES * 64u;
    let tile_quad = tile % COLUMN_TILES * 4u;
    let row = local / 4u * 4u;
    let quad = local % 4u;
    //@ repeat FOUR
    var sum$k = vec4<f32>();
    //@ end
    for (var first = 0u; first < INNER; first += 16u) {
        workgroupBarrier();
        //@ repeat FOUR
        left[local + $ku * WORKGROUP] =
            a[((tile_row + (local + $ku * WORKGROUP) / 4u) * INNER + first) / 4u + quad];
        //@ end
        right[local] = b[(first + local / 4u) * ROW_UNITS + tile_quad + quad];
        workgroupBarrier();
        for (var k = 0u; k < 4u; k++) {
            let at = k * WORKGROUP / 4u + quad;
            //@ repeat FOUR
            let b$k = right[at + $ku * 4u];
            //@ end
            //@ repeat FOUR
            let a$k = left[(row + $ku) * 4u + k];
            sum$k += a$k.x * b0 + a$k.y * b1 + a$k.z * b2 + a$k.w * b3;
            //@ end
        }
    }
    //@ repeat FOUR
    result[(tile_row + row + $ku) * ROW_UNITS + tile_quad + quad] = sum$k;
    //@ end
}
