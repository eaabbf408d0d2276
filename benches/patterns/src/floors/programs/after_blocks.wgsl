@group(0) @binding(0) var<storage, read> a: array<Stored>;
@group(0) @binding(1) var<storage, read> others: array<Stored>;
@group(0) @binding(2) var<storage, read_write> result: array<Stored>;

// Row n has the sums of block n.
fn before_block(block: u32, column: u32) -> Unit {
    var sum = Unit();
    for (var other = 0u; other < block; other++) {
        sum += unit(others[other * ROW_UNITS + column]);
    }
    return sum;
}
