// The position of the largest element of each row, by one invocation: the largest of the elements'
// keys, integers in the order of the floats, and the quad where each lane found it.
@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

fn key(bits: vec4<u32>) -> vec4<i32> {
    let x = bitcast<vec4<i32>>(bits);
    return x ^ bitcast<vec4<i32>>(bitcast<vec4<u32>>(x >> vec4<u32>(31u)) >> vec4<u32>(1u));
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = invocation(group, local);
    if !EXACT && row >= INVOCATIONS { return; }
    var most = vec4<i32>(-2147483647i - 1i);
    var at = vec4<u32>(0u);
    for (var quad = 0u; quad < ROW_UNITS; quad += EACH) {
        //@ repeat EACH
        let x$k = key(a[row * ROW_UNITS + quad + $ku]);
        //@ end
        //@ repeat EACH
        at = select(at, vec4<u32>(quad + $ku), x$k > most);
        most = max(most, x$k);
        //@ end
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
