// The position of the largest element of each row, by one invocation.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = invocation(group, local);
    if !EXACT && row >= INVOCATIONS { return; }
    var most = a[row * ROW_UNITS];
    var at = vec4<u32>(0u);
    for (var quad = 1u; quad < ROW_UNITS; quad++) {
        let x = a[row * ROW_UNITS + quad];
        let larger = x > most;
        most = select(most, x, larger);
        at = select(at, vec4<u32>(quad), larger);
    }
    at = at * 4u + vec4<u32>(0u, 1u, 2u, 3u);
    var best = most.x;
    var first = at.x;
    //@ repeat THREE
    if most[$ku + 1u] > best || (most[$ku + 1u] == best && at[$ku + 1u] < first) {
        best = most[$ku + 1u];
        first = at[$ku + 1u];
    }
    //@ end
    result[row] = first;
}

