//! The memory of WebAssembly, which ends at 4 GiB. Memory for users' data is requested fallibly, so
//! that its lack is an error; other failed allocations would end the program.

use std::hint::black_box;

use wasm_bindgen::JsValue;

use crate::thrown;

/// Bytes that stay free for other allocations.
const SPARE: usize = 16 << 20;

/// Returns an empty list of bytes with room for this many.
pub(crate) fn reserve(bytes: usize) -> Result<Vec<u8>, JsValue> {
    let mut list = Vec::new();
    let mut spare = Vec::<u8>::new();
    let reserved = list.try_reserve_exact(bytes).and_then(|()| spare.try_reserve_exact(SPARE));
    // An unused allocation would be optimized away.
    black_box(&mut spare);
    match reserved {
        Ok(()) => Ok(list),
        Err(_) => Err(thrown(format!(
            "out of WebAssembly's memory for {bytes} bytes; it is 4 GiB for all values, and 2 GiB for \
             one; free values that are no longer used"
        ))),
    }
}
