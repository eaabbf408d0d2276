@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read_write> result: array<Stored>;

fn before(row: u32) -> f32 {
    return 0.0;
}

fn before_block(block: u32, column: u32) -> Unit {
    return Unit();
}
