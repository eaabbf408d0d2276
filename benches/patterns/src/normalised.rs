//! The floors of the patterns that normalise rows. One kernel passes over a row three times, on
//! processors an invocation, on GPUs a workgroup; of long rows it takes what another one found in each
//! chunk.

use crate::kernel::{Floor, Kernel, Slot, Tuning, WORKGROUP};
use crate::patterns::Pattern;

/// Elements of a chunk of a long row.
const CHUNK: usize = 1024;

/// Rows of more elements are long.
const LONGEST: usize = 4096;

/// Returns the floor of a pattern, if it normalises rows.
pub(crate) fn floor(
    pattern: Pattern,
    [rows, columns]: [usize; 2],
    tuning: Tuning,
) -> Option<Floor> {
    use Pattern::{LayerNorm, LayerNormLong, LayerNormShort, Softmax, SoftmaxLong, SoftmaxShort};
    let is_softmax = matches!(pattern, Softmax | SoftmaxShort | SoftmaxLong);
    if !is_softmax && !matches!(pattern, LayerNorm | LayerNormShort | LayerNormLong) {
        return None;
    }
    let function = if is_softmax {
        include_str!("floors/normalised/softmax.wgsl")
    } else {
        include_str!("floors/normalised/layer_norm.wgsl")
    };
    if columns <= LONGEST {
        let rows_text = if is_softmax {
            include_str!("floors/normalised/softmax_rows.wgsl")
        } else {
            include_str!("floors/normalised/rows.wgsl")
        };
        let text = format!("{rows_text}{function}");
        return Some(Floor::one(tuning.of_rows(&text, [rows, columns], 1), 1));
    }
    let chunks = columns / CHUNK;
    let parts = format!("{}{function}", include_str!("floors/normalised/chunks.wgsl"));
    let rest = format!("{}{function}", include_str!("floors/normalised/of_chunks.wgsl"));
    let kernel = |text: &str| tuning.of_rows(text, [rows * chunks, CHUNK], chunks);
    Some(Floor {
        temporaries: vec![(rows * chunks * 8) as u64],
        room: 0,
        steps: vec![
            kernel(&parts).step(&[Slot::Operand(0)], Slot::Temporary(0)),
            kernel(&rest).step(&[Slot::Operand(0), Slot::Temporary(0)], Slot::Result),
        ],
    })
}

impl Tuning {
    /// Makes a kernel in which a few invocations walk a row, or a chunk of one.
    fn of_rows(self, template: &str, [rows, columns]: [usize; 2], chunks: usize) -> Kernel {
        let lanes = if self.software { 1 } else { WORKGROUP };
        let units = columns / self.unit();
        let constants =
            [("ROWS", rows), ("ROW_UNITS", units), ("LANES", lanes), ("CHUNKS", chunks)];
        let text = if self.software {
            include_str!("floors/normalised/alone.wgsl")
        } else {
            include_str!("floors/normalised/together.wgsl")
        };
        self.reduced(&format!("{text}{template}"), rows * lanes, &constants)
    }
}
