// a * 2 where a > row, else column.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<Word>;
@group(0) @binding(3) var<storage, read_write> result: array<Word>;

fn chosen(a: vec4<f32>, v: f32, w: vec4<f32>) -> vec4<f32> {
    return select(vec4<f32>(v), a * 2.0, a > w);
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let pair = id % (ROW_WORDS / 2u) * 2u;
    let row = id / (ROW_WORDS / 2u) * TILE;
    let first = row * ROW_WORDS + pair;
    let w0 = w[pair];
    let w1 = w[pair + 1u];
    //@ repeat TILE
    let v$k = v[row + $ku];
    let a$k = a[first + $ku * ROW_WORDS];
    let b$k = a[first + $ku * ROW_WORDS + 1u];
    result[first + $ku * ROW_WORDS] =
        packed(chosen(even(a$k), v$k, even(w0)), chosen(odd(a$k), v$k, odd(w0)));
    result[first + $ku * ROW_WORDS + 1u] =
        packed(chosen(even(b$k), v$k, even(w1)), chosen(odd(b$k), v$k, odd(w1)));
    //@ end
}
