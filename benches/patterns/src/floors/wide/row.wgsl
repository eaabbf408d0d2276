// A matrix and a row: an invocation adds two words of the row to those of TILE rows.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> v: array<Word>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let pair = id % (ROW_WORDS / 2u) * 2u;
    let row = id / (ROW_WORDS / 2u) * TILE;
    let first = row * ROW_WORDS + pair;
    let v0 = v[pair];
    let v1 = v[pair + 1u];
    //@ repeat TILE
    let a$k = a[first + $ku * ROW_WORDS];
    let b$k = a[first + $ku * ROW_WORDS + 1u];
    result[first + $ku * ROW_WORDS] = packed(even(a$k) + even(v0), odd(a$k) + odd(v0));
    result[first + $ku * ROW_WORDS + 1u] = packed(even(b$k) + even(v1), odd(b$k) + odd(v1));
    //@ end
}
