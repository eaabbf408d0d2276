// A matrix and a row of a size that is not a multiple of 4. The row's index is found once, and wraps by
// the smaller of two numbers: below 0 the other one is very large.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> row: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

fn wrapped(column: u32) -> u32 {
    return min(column, column - COLUMNS);
}

fn row_quad(column: u32) -> vec4<f32> {
    return vec4<f32>(
        row[column],
        row[wrapped(column + 1u)],
        row[wrapped(column + 2u)],
        row[wrapped(column + 3u)],
    );
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    let c0 = first * 4u % COLUMNS;
    //@ repeat EACH
    let a$k = a[first + $ku * STEP];
    let v$k = row_quad(wrapped(c0 + $ku * 4u * STEP));
    //@ end
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        result[first + $ku * STEP] = a$k + v$k;
    }
    //@ end
}
