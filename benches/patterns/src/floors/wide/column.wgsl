// A matrix and a column: an invocation adds one element to two words, in each of TILE rows.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> v: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let pair = id % (ROW_WORDS / 2u) * 2u;
    let row = id / (ROW_WORDS / 2u) * TILE;
    let first = row * ROW_WORDS + pair;
    //@ repeat TILE
    let v$k = v[row + $ku];
    let a$k = a[first + $ku * ROW_WORDS];
    let b$k = a[first + $ku * ROW_WORDS + 1u];
    result[first + $ku * ROW_WORDS] = packed(even(a$k) + v$k, odd(a$k) + v$k);
    result[first + $ku * ROW_WORDS + 1u] = packed(even(b$k) + v$k, odd(b$k) + v$k);
    //@ end
}
