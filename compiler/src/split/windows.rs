//! Finds the windows of a kernel: if its arrays do not fit into one binding each, or it takes more
//! workgroups than one dispatch has, it is dispatched over parts of its iteration space.
//!
//! A window is a box of the space, halved until the byte span of every operand and of the result
//! fits. Boxes meet at quads of the flat result if possible; otherwise elements are stored one by
//! one. Elements of fewer than 32 bits share words of memory, so their boxes meet at whole words:
//! where the inner size forbids that, windows are ranges of the result's row-major order instead.
//! If even these are many, or none fits because one word has elements of rows that are far apart in
//! an operand, boxes meet anywhere, and words are assembled in memory.

use std::rc::Rc;

use super::bind::bind;
use super::boxes::Splitter;
use super::window_planner::{FittedWindow, MAX_WINDOWS, SplitError, WindowPlanner};
use crate::plan::window::elements;

/// Returns the windows of a kernel: one if everything fits; none if the kernel has no elements.
///
/// # Errors
/// The reason why there are none, as a [`SplitError`].
pub(crate) fn windows(planner: &WindowPlanner<'_>) -> Result<Vec<FittedWindow>, SplitError> {
    let WindowPlanner { ir, limits, layout, .. } = planner;
    if ir.space.dims().contains(&0) {
        return Ok(Vec::new());
    }
    let [_, widest] = ir.narrowest_and_widest_output();
    let bytes = elements(&ir.space).checked_mul(ir.stored() as u64);
    let bytes = bytes.and_then(|count| widest.device_bytes(count)).unwrap_or(u64::MAX);
    if bytes / limits.device.max_storage_buffer_binding_size.max(1) > MAX_WINDOWS as u64 {
        return Err(SplitError::TooMany);
    }
    let bindings = Rc::new(bind(ir, limits, layout));
    Splitter::new(planner, bindings).windows()
}
