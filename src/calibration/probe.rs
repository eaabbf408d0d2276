//! Reads results of probes back.

use crate::device::arrays::array::AnyArray;
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::Literal;

/// Returns the array's elements. Off the web it waits for them, so that a context is made without
/// the thread that polls for futures.
pub(super) async fn read(array: &AnyArray) -> Result<Literal> {
    #[cfg(not(target_arch = "wasm32"))]
    return array.to_literal_blocking();
    #[cfg(target_arch = "wasm32")]
    array.to_literal().await
}
