@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read_write> result: array<Result>;

fn term(at: u32) -> Unit {
    return unit(a[at]);
}

