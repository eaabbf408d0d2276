// (A,1,C,1,E) + (1,B,1,D,E): an invocation adds one word of the first operand to TILE of the second,
// which lie E apart, as do their results.
@group(0) @binding(0) var<storage, read> x: array<Word>;
@group(0) @binding(1) var<storage, read> y: array<Word>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let e = id % E_WORDS;
    let tile = id / E_WORDS;
    let d = tile % (D / TILE) * TILE;
    let outer = tile / (D / TILE);
    let c = outer % C;
    let b = outer / C % B;
    let a = outer / (C * B);
    let v = x[(a * C + c) * E_WORDS + e];
    let first = (b * D + d) * E_WORDS + e;
    let written = (outer * D + d) * E_WORDS + e;
    //@ repeat TILE
    let y$k = y[first + $ku * E_WORDS];
    result[written + $ku * E_WORDS] = packed(even(v) + even(y$k), odd(v) + odd(y$k));
    //@ end
}
