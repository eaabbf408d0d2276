//! Judges whether an adapter's arithmetic keeps subnormals, flushes them, or does either.

use super::tried::{Row, Tried, row};
use indim_compiler::arithmetic::Subnormals;

use Tried::{Ceiling, Less, Product, Quotient, Root, Sum};

/// Returns operations with a subnormal operand or result, which show whether it is kept or flushed.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let least = f32::MIN_POSITIVE;
    let subnormals = [1, 0x1000, 0x0040_0001, 0x007f_ffff].map(f32::from_bits);
    for tiny in subnormals.into_iter().flat_map(|x| [x, -x]) {
        let large = 1e30f32;
        rows.extend([
            row(Sum, tiny, tiny * 0.0),
            row(Sum, least, tiny - least),
            row(Product, tiny, large),
            row(Product, tiny * large, 1.0 / large),
            row(Quotient, tiny, least),
            row(Quotient, tiny * large, large),
            row(Root, tiny.abs(), 0.0),
            row(Ceiling, tiny.abs(), 0.0),
            row(Less, tiny, tiny * -0.5),
            row(Less, tiny * -0.5, tiny),
            row(Less, 0.0, tiny.abs()),
            row(Less, -tiny.abs(), 0.0),
        ]);
    }
    rows.retain(|row| kept(row).to_bits() != flushed(row).to_bits());
    rows
}

/// Returns the result that loses no subnormal.
fn kept(&(tried, operands): &Row) -> f32 {
    tried.of(operands)
}

/// Returns the result if operands and results are flushed.
fn flushed(&(tried, operands): &Row) -> f32 {
    let flush = |x: f32| if x.is_subnormal() { 0f32.copysign(x) } else { x };
    flush(tried.of(operands.map(|bits| flush(f32::from_bits(bits)).to_bits())))
}

/// Returns the rule that all results follow; if some are kept and others flushed, the one that is
/// the same on every adapter.
pub(super) fn judged(rows: &[Row], results: &[f32]) -> Subnormals {
    let all = |want: fn(&Row) -> f32| {
        let is_wanted = |(row, got): (&Row, &f32)| got.to_bits() == want(row).to_bits();
        results.len() == rows.len() && rows.iter().zip(results).all(is_wanted)
    };
    match (all(kept), all(flushed)) {
        (true, _) => Subnormals::Kept,
        (_, true) => Subnormals::Flushed,
        _ => Subnormals::FlushedByBits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Tried; 6] = [Sum, Product, Quotient, Root, Ceiling, Less];

    fn found(compute: impl Fn(&Row) -> f32) -> Subnormals {
        let rows = rows();
        let results: Vec<f32> = rows.iter().map(compute).collect();
        judged(&rows, &results)
    }

    #[test]
    fn adapters_are_told_apart() {
        assert_eq!(found(kept), Subnormals::Kept);
        assert_eq!(found(flushed), Subnormals::Flushed);
        // One operation alone that does otherwise is found.
        for other in ALL {
            let is_other = |row: &Row| row.0 == other;
            let kept_else = found(|row| if is_other(row) { flushed(row) } else { kept(row) });
            assert_eq!(kept_else, Subnormals::FlushedByBits, "{other:?}");
            let flushed_else = found(|row| if is_other(row) { kept(row) } else { flushed(row) });
            assert_eq!(flushed_else, Subnormals::FlushedByBits, "{other:?}");
        }
        assert_eq!(judged(&rows(), &[]), Subnormals::FlushedByBits);
    }

    #[test]
    fn every_operation_is_tried() {
        let rows = rows();
        for tried in ALL {
            let count = rows.iter().filter(|(each, _)| *each == tried).count();
            assert!(count >= 4, "{tried:?}: {count}");
        }
    }
}
