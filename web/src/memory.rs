//! The memory of WebAssembly, which ends at 4 GiB. Memory for what is as large as users' data is asked
//! for, so that its lack is an error; other allocations that fail would end the program.

use std::hint::black_box;

use wasm_bindgen::JsValue;

use crate::thrown;

/// Bytes that stay free for other allocations.
const SPARE: usize = 16 << 20;

/// Returns a list of no bytes that holds as many without another allocation.
pub(crate) fn reserve(bytes: usize) -> Result<Vec<u8>, JsValue> {
    let mut list = Vec::new();
    let mut spare = Vec::<u8>::new();
    let reserved = list.try_reserve_exact(bytes).and_then(|()| spare.try_reserve_exact(SPARE));
    // An allocation that nobody looks at would be left out.
    black_box(&mut spare);
    match reserved {
        Ok(()) => Ok(list),
        Err(_) => Err(thrown(format!(
            "out of WebAssembly's memory for {bytes} bytes; it is 4 GiB for all values, and 2 GiB for \
             one; free values that are no longer used"
        ))),
    }
}
