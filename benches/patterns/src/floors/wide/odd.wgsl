// A matrix and a row of any size. 8 rows are COLUMNS words, so that COLUMNS words further on the row
// is met at the same place: an invocation reads its 8 elements of the row once for TILE times 8 rows.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

fn wrapped(column: u32) -> u32 {
    return select(column, column - COLUMNS, column >= COLUMNS);
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    let place = id % COLUMNS;
    let first = id / COLUMNS * (TILE * COLUMNS) + place;
    let c = place * 8u % COLUMNS;
    let v_even = vec4<f32>(v[c], v[wrapped(c + 2u)], v[wrapped(c + 4u)], v[wrapped(c + 6u)]);
    let v_odd = vec4<f32>(
        v[wrapped(c + 1u)],
        v[wrapped(c + 3u)],
        v[wrapped(c + 5u)],
        v[wrapped(c + 7u)],
    );
    //@ repeat TILE
    let a$k = a[first + $ku * COLUMNS];
    result[first + $ku * COLUMNS] = packed(even(a$k) + v_even, odd(a$k) + v_odd);
    //@ end
}
