// a + b transposed, for a GPU: a workgroup turns a tile of 32 by 32 in its memory, whose lines are
// one longer, so that neither way of walking through it meets one bank again and again.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

const WHOLE = ROWS % 32u == 0u && COLUMNS % 32u == 0u;

var<workgroup> turned: array<f32, 1056>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let tile = invocation(group, 0u) / WORKGROUP;
    let row = tile / COLUMN_TILES * 32u;
    let column = tile % COLUMN_TILES * 32u;
    let line = local / 8u;
    let quad = local % 8u * 4u;
    //@ repeat FOUR
    if (WHOLE && EXACT) || (column + line + $ku * 8u < COLUMNS && row + quad < ROWS) {
        let v = b[((column + line + $ku * 8u) * ROWS + row + quad) / 4u];
        let to = quad * 33u + line + $ku * 8u;
        turned[to] = v.x;
        turned[to + 33u] = v.y;
        turned[to + 66u] = v.z;
        turned[to + 99u] = v.w;
    }
    //@ end
    workgroupBarrier();
    //@ repeat FOUR
    if (WHOLE && EXACT) || (row + line + $ku * 8u < ROWS && column + quad < COLUMNS) {
        let at = (line + $ku * 8u) * 33u + quad;
        let v = vec4<f32>(turned[at], turned[at + 1u], turned[at + 2u], turned[at + 3u]);
        let place = ((row + line + $ku * 8u) * COLUMNS + column + quad) / 4u;
        result[place] = a[place] + v;
    }
    //@ end
}
