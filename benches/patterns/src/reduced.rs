//! The floors of the patterns that reduce. On processors an invocation reads a row, on GPUs a
//! workgroup; columns are read in blocks of rows. Their sums are plain, in one word.

use crate::kernel::{Floor, Kernel, Slot, Step, Tuning, WORKGROUP};
use crate::normalised;
use crate::patterns::{Pattern, Sizes};
use crate::template::Constant;

/// Elements that one invocation adds before the next level.
pub(crate) const CHUNK: usize = 1024;

/// Units that are read side by side.
const EACH: usize = 4;

pub(crate) const MATRIX: &str = include_str!("floors/reduced/matrix.wgsl");
const DIFFERENCE: &str = include_str!("floors/reduced/difference.wgsl");

/// Returns the floor of a pattern, if it reduces.
pub(crate) fn floor(pattern: Pattern, sizes: &Sizes, tuning: Tuning) -> Option<Floor> {
    let operand = sizes.operands.first().map_or(&[][..], Vec::as_slice);
    let (&inner, outer) = operand.split_last()?;
    let rows: usize = outer.iter().product();
    let matrix = [rows, inner];
    Some(match pattern {
        Pattern::SumRows | Pattern::SumShortRows | Pattern::SumLongRows => {
            tuning.sum_rows(MATRIX, matrix, 1)
        }
        Pattern::Distance => tuning.sum_rows(DIFFERENCE, matrix, 2),
        Pattern::SumAll => tuning.sum_rows(MATRIX, [1, rows * inner], 1),
        Pattern::SumColumns => tuning.sum_columns([1, rows, inner]),
        Pattern::SumMiddle => tuning.sum_columns([outer[0], outer[1], inner]),
        Pattern::MeanVar => {
            let text = include_str!("floors/reduced/mean_var.wgsl");
            let units = ("ROW_UNITS", inner / tuning.unit());
            Floor::several(tuning.reduced(text, rows, &[units]), 1, 1, rows as u64 * 4)
        }
        Pattern::Argmax => {
            let text = include_str!("floors/reduced/argmax.wgsl");
            let units = inner / 4;
            let each = if units.is_multiple_of(EACH) { EACH } else { 1 };
            let constants = [("ROW_UNITS", units), ("THREE", 3), ("EACH", each)];
            Floor::one(tuning.kernel(text, [rows, 1, WORKGROUP], &constants), 1)
        }
        Pattern::Pairwise => {
            let text = include_str!("floors/reduced/pairwise.wgsl");
            let constants =
                [("POINT_UNITS", inner / tuning.unit()), ("COLUMNS", rows), ("EACH", EACH)];
            Floor::one(tuning.reduced(text, rows * rows / EACH, &constants), 2)
        }
        _ => return normalised::floor(pattern, matrix, tuning),
    })
}

/// Returns the number of elements that a floor adds into one: in one step, or in steps of chunks.
pub(crate) fn terms(pattern: Pattern, sizes: &Sizes) -> usize {
    let Some([outer @ .., inner]) = sizes.operands.first().map(Vec::as_slice) else { return 1 };
    match pattern {
        Pattern::SumAll | Pattern::SumLongRows | Pattern::LayerNormLong => CHUNK,
        Pattern::SumColumns | Pattern::SumMiddle | Pattern::CumsumColumns => {
            outer.last().copied().unwrap_or(1)
        }
        _ => *inner,
    }
}

impl Tuning {
    /// Returns the elements of an access.
    pub(crate) fn unit(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Makes a kernel that reads units.
    pub(crate) fn reduced(
        self,
        template: &str,
        invocations: usize,
        constants: &[Constant],
    ) -> Kernel {
        let units = if self.wide {
            include_str!("floors/reduced/wide.wgsl")
        } else {
            include_str!("floors/reduced/narrow.wgsl")
        };
        self.kernel(&format!("{units}{template}"), [invocations, 1, WORKGROUP], constants)
    }

    /// Makes a floor that adds rows: long ones in chunks, whose sums it adds in turn.
    fn sum_rows(self, terms: &str, [rows, columns]: [usize; 2], operands: usize) -> Floor {
        let inputs: Vec<Slot> = (0..operands).map(Slot::Operand).collect();
        let least = self.unit() * EACH * CHUNK;
        // The sums of the chunks are a row of whole units.
        let whole = columns.is_multiple_of(self.unit() * CHUNK);
        if rows > FEW_ROWS || columns < least || !whole {
            return Floor::one(self.rows_of(terms, [rows, columns]), operands);
        }
        let chunks = columns / CHUNK;
        let first = self.rows_of(terms, [rows * chunks, CHUNK]);
        let mut rest = self.sum_rows(MATRIX, [rows, chunks], 1);
        // The sums of the first kernel are the temporary after those of the rest.
        let between = Slot::Temporary(rest.temporaries.len());
        rest.temporaries.push((rows * chunks * 4) as u64);
        if let Some(input) = rest.steps.first_mut().and_then(|step| step.inputs.first_mut()) {
            input.array = between;
        }
        rest.steps.insert(0, first.step(&inputs, between));
        rest
    }

    /// Makes a kernel that adds rows.
    pub(crate) fn rows_of(self, terms: &str, [rows, columns]: [usize; 2]) -> Kernel {
        let units = columns / self.unit();
        let constants = [("ROWS", rows), ("ROW_UNITS", units), ("EACH", each(units))];
        if self.software || columns <= WORKGROUP {
            let text = include_str!("floors/reduced/rows.wgsl");
            return self.reduced(&format!("{text}{terms}"), rows, &constants);
        }
        let text = include_str!("floors/reduced/rows_gpu.wgsl");
        self.reduced(&format!("{text}{terms}"), rows * WORKGROUP, &constants)
    }

    /// Makes a kernel that adds the columns of some blocks of rows.
    pub(crate) fn columns_of(self, [blocks, rows, columns]: [usize; 3]) -> Kernel {
        let units = columns / self.unit();
        let constants = [("ROW_UNITS", units), ("BLOCK", rows), ("EACH", each(rows))];
        let text = format!("{}{MATRIX}", include_str!("floors/reduced/columns.wgsl"));
        self.reduced(&text, blocks * units, &constants)
    }

    /// Makes a floor that adds the columns of some matrices, in two steps.
    fn sum_columns(self, [matrices, rows, columns]: [usize; 3]) -> Floor {
        let blocks = rows / block(rows);
        let step = |blocks: usize, rows: usize, from, to| -> Step {
            self.columns_of([matrices * blocks, rows, columns]).step(&[from], to)
        };
        if blocks == 1 {
            let steps = vec![step(1, rows, Slot::Operand(0), Slot::Result)];
            return Floor { temporaries: Vec::new(), room: 0, steps };
        }
        let between = Slot::Temporary(0);
        Floor {
            temporaries: vec![(matrices * blocks * columns * 4) as u64],
            room: 0,
            steps: vec![
                step(blocks, rows / blocks, Slot::Operand(0), between),
                step(1, blocks, between, Slot::Result),
            ],
        }
    }
}

/// Returns the number of rows that one invocation adds, if there may be several blocks of them.
pub(crate) fn block(rows: usize) -> usize {
    [BLOCK, 16, 8].into_iter().find(|block| rows.is_multiple_of(*block)).unwrap_or(rows)
}

/// Up to as many rows are added in chunks.
const FEW_ROWS: usize = 64;

/// Rows that one invocation of the first step adds.
const BLOCK: usize = 32;

/// Returns the largest number of terms that are read side by side and divides `count`.
fn each(count: usize) -> usize {
    [EACH, 2].into_iter().find(|each| count.is_multiple_of(*each)).unwrap_or(1)
}
