// Two arrays that lie alike, of elements of which a word holds several.
@group(0) @binding(0) var<storage, read> a: array<Word>;
@group(0) @binding(1) var<storage, read> b: array<Word>;
@group(0) @binding(2) var<storage, read_write> result: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let first = first_quad(group, local);
    //@ repeat EACH
    let a$k = a[first + $ku * STEP];
    let b$k = b[first + $ku * STEP];
    //@ end
    //@ repeat EACH
    if EXACT || first + $ku * STEP < QUADS {
        result[first + $ku * STEP] = sum(a$k, b$k);
    }
    //@ end
}
