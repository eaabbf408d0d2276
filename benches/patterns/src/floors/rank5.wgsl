// (A,1,C,1,E) + (1,B,1,D,E): an invocation adds one quad of the first operand to TILE of the second,
// which lie E apart, as do their results.
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let id = invocation(group, local);
    if !EXACT && id >= INVOCATIONS { return; }
    let e = id % E_QUADS;
    let tile = id / E_QUADS;
    let d = tile % (D / TILE) * TILE;
    let outer = tile / (D / TILE);
    let c = outer % C;
    let b = outer / C % B;
    let a = outer / (C * B);
    let v = x[(a * C + c) * E_QUADS + e];
    let first = (b * D + d) * E_QUADS + e;
    let written = (outer * D + d) * E_QUADS + e;
    //@ repeat TILE
    let y$k = y[first + $ku * E_QUADS];
    //@ end
    //@ repeat TILE
    result[written + $ku * E_QUADS] = v + y$k;
    //@ end
}
