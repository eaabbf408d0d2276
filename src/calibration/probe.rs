//! Reads results of probes back, and judges them.

use crate::device::array::AnyArray;
use crate::semantics::error::Result;
use crate::semantics::literal::Literal;

/// Returns the array's elements. Off the web it waits for them, so that a context is made without
/// the thread that polls for futures.
pub(super) async fn read(array: &AnyArray) -> Result<Literal> {
    #[cfg(not(target_arch = "wasm32"))]
    return array.to_literal_blocking();
    #[cfg(target_arch = "wasm32")]
    array.to_literal().await
}

/// Tells whether a result is the exact one, rounded once; a subnormal one may be flushed to zero.
pub(super) fn is_correctly_rounded(got: f32, exact: f64) -> bool {
    let nearest = exact as f32;
    let flushed = exact.abs() < f64::from(f32::MIN_POSITIVE)
        && got == 0.0
        && got.is_sign_negative() == exact.is_sign_negative();
    got.to_bits() == nearest.to_bits() || (got.is_nan() && nearest.is_nan()) || flushed
}
