@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read> others: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<Stored>;

// Element n is the sum of the rows up to n.
fn before(row: u32) -> f32 {
    if row == 0u { return 0.0; }
    return others[row - 1u];
}
