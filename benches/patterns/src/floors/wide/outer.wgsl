// A column and a row, each element with each: two words of the row with TILE elements of the column.
@group(0) @binding(0) var<storage, read> v: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<Word>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

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
    result[first + $ku * ROW_WORDS] = packed(v$k + even(w0), v$k + odd(w0));
    result[first + $ku * ROW_WORDS + 1u] = packed(v$k + even(w1), v$k + odd(w1));
    //@ end
}
