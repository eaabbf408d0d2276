// tanh(a * column + row).
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<Word>;
@group(0) @binding(3) var<storage, read_write> result: array<Word>;

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
    result[first + $ku * ROW_WORDS] = packed(
        quad_tanh(even(a$k) * v$k + even(w0)),
        quad_tanh(odd(a$k) * v$k + odd(w0)),
    );
    result[first + $ku * ROW_WORDS + 1u] = packed(
        quad_tanh(even(b$k) * v$k + even(w1)),
        quad_tanh(odd(b$k) * v$k + odd(w1)),
    );
    //@ end
}
