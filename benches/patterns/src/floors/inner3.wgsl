// Rows of 3: the quads of the result repeat the row in three ways, by turns.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> row: array<f32, 3>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    // A quad begins at the column that is its number modulo 3.
    let column = first % 3u;
    let v = vec3<f32>(row[column], row[(column + 1u) % 3u], row[(column + 2u) % 3u]);
    //@ repeat EACH
    let a$k = a[first + $ku * STEP];
    //@ end
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        let turned = select(
            select(v.xyzx, v.yzxy, $ku * STEP % 3u == 1u),
            v.zxyz,
            $ku * STEP % 3u == 2u,
        );
        result[first + $ku * STEP] = a$k + turned;
    }
    //@ end
}
