//! The floors of the patterns that array programs are made of. On processors an invocation reads a row
//! or a column, on GPUs a workgroup; sums are plain, in one word.

use crate::kernel::{Floor, Kernel, Slot, Tuning, WORKGROUP};
use crate::patterns::{Pattern, Sizes, count};
use crate::programs::{SEED, SHARE};
use crate::reduced::{self, CHUNK, MATRIX};
use crate::template::Constant;

const ALONE: &str = include_str!("floors/programs/alone.wgsl");
const AFTER_OTHERS: &str = include_str!("floors/programs/after_others.wgsl");
const AFTER_BLOCKS: &str = include_str!("floors/programs/after_blocks.wgsl");

/// Returns the floor of a pattern, if it is one of these.
pub(crate) fn floor(pattern: Pattern, sizes: &Sizes, tuning: Tuning) -> Option<Floor> {
    let operand = sizes.operands.first()?;
    let (&columns, outer) = operand.split_last()?;
    let rows: usize = outer.iter().product();
    Some(match pattern {
        Pattern::Take => tuning.take([rows, columns]),
        Pattern::CumsumRows => Floor::one(tuning.scan_rows(ALONE, [rows, columns]), 1),
        Pattern::CumsumAll => tuning.scan(columns),
        Pattern::CumsumColumns => tuning.scan_columns([rows, columns]),
        Pattern::Dropout => tuning.dropout(count(operand)),
        Pattern::Dot | Pattern::DotTall => {
            tuning.dot([rows, columns, sizes.result.last().copied()?])
        }
        _ => return None,
    })
}

impl Tuning {
    /// Makes a kernel that reads units, with functions on these for processors or for GPUs.
    fn program(
        self,
        [of_quads, of_words]: [&str; 2],
        template: &str,
        invocations: usize,
        constants: &[Constant],
    ) -> Kernel {
        let functions = if self.wide { of_words } else { of_quads };
        self.reduced(&format!("{functions}{template}"), invocations, constants)
    }

    fn take(self, [rows, columns]: [usize; 2]) -> Floor {
        let (units, each) = (columns / self.unit(), if self.software { 2 } else { 1 });
        let constants = [("ROWS", rows), ("ROW_UNITS", units), ("EACH", each)];
        let text = include_str!("floors/programs/take.wgsl");
        Floor::one(self.reduced(text, rows * units / each, &constants), 2)
    }

    fn dropout(self, elements: usize) -> Floor {
        let functions = [
            include_str!("floors/programs/dropped_narrow.wgsl"),
            include_str!("floors/programs/dropped_wide.wgsl"),
        ];
        let hash = include_str!("floors/programs/threefry.wgsl");
        let text = format!("{MATRIX}{hash}{}", include_str!("floors/programs/dropout.wgsl"));
        let kept = (f64::from(SHARE) * f64::from(1 << 23)).ceil() as usize;
        let constants = [
            ("KEY_HIGH", 0),
            ("KEY_LOW", SEED as usize),
            ("KEPT", kept),
            ("SHARE", SHARE.to_bits() as usize),
        ];
        Floor::one(self.program(functions, &text, elements / self.unit(), &constants), 1)
    }

    /// Makes a kernel of the sums up to each element of rows, with what is `before` each of them.
    fn scan_rows(self, before: &str, [rows, columns]: [usize; 2]) -> Kernel {
        let (text, lanes) = if self.software {
            (include_str!("floors/programs/scan_rows.wgsl"), 1)
        } else {
            (include_str!("floors/programs/scan_rows_gpu.wgsl"), WORKGROUP)
        };
        let constants = [("ROWS", rows), ("ROW_UNITS", columns / self.unit())];
        self.scanned(&format!("{before}{text}"), rows * lanes, &constants)
    }

    fn scanned(self, text: &str, invocations: usize, constants: &[Constant]) -> Kernel {
        let functions = [
            include_str!("floors/programs/sums_narrow.wgsl"),
            include_str!("floors/programs/sums_wide.wgsl"),
        ];
        self.program(functions, text, invocations, constants)
    }

    /// Makes a floor that adds up chunks, scans their sums, and then each chunk.
    fn scan(self, elements: usize) -> Floor {
        let chunks = elements / CHUNK;
        if !elements.is_multiple_of(CHUNK * self.unit()) {
            return Floor::one(self.scan_rows(ALONE, [1, elements]), 1);
        }
        let [operand, sums, up_to] = [Slot::Operand(0), Slot::Temporary(0), Slot::Temporary(1)];
        let steps = vec![
            self.rows_of(MATRIX, [chunks, CHUNK]).step(&[operand], sums),
            self.scan_rows(ALONE, [1, chunks]).step(&[sums], up_to),
            self.scan_rows(AFTER_OTHERS, [chunks, CHUNK]).step(&[operand, up_to], Slot::Result),
        ];
        Floor { temporaries: vec![(chunks * 4) as u64; 2], room: 0, steps }
    }

    /// Makes a floor that scans columns: on GPUs, whose invocations are many, in blocks of rows after
    /// the sums of these.
    fn scan_columns(self, [rows, columns]: [usize; 2]) -> Floor {
        let units = columns / self.unit();
        let scan = |before: &str, block: usize| {
            let constants = [("ROW_UNITS", units), ("BLOCK", block)];
            let text = format!("{before}{}", include_str!("floors/programs/scan_columns.wgsl"));
            self.scanned(&text, rows / block * units, &constants)
        };
        let block = reduced::block(rows);
        if self.software || block == rows {
            return Floor::one(scan(ALONE, rows), 1);
        }
        let between = Slot::Temporary(0);
        let blocks = rows / block;
        let sums = self.columns_of([blocks, block, columns]);
        Floor {
            temporaries: vec![(blocks * columns * 4) as u64],
            room: 0,
            steps: vec![
                sums.step(&[Slot::Operand(0)], between),
                scan(AFTER_BLOCKS, block).step(&[Slot::Operand(0), between], Slot::Result),
            ],
        }
    }

    /// Makes a floor of a product of matrices: in registers, on GPUs in workgroups' memory.
    fn dot(self, [rows, inner, columns]: [usize; 3]) -> Floor {
        let units = columns / self.unit();
        let constants = [("INNER", inner), ("ROW_UNITS", units)];
        if self.software {
            let tile = 4;
            let text = include_str!("floors/programs/dot.wgsl");
            let constants = [&constants[..], &[("TILE", tile)]].concat();
            return Floor::one(self.reduced(text, rows / tile * units, &constants), 2);
        }
        let column_tiles = columns / 16;
        let tiles = rows / 64 * column_tiles;
        let more = [("TILES", tiles), ("COLUMN_TILES", column_tiles), ("FOUR", 4)];
        let text = include_str!("floors/programs/dot_gpu.wgsl");
        let constants = [&constants[..], &more].concat();
        Floor::one(self.reduced(text, tiles * WORKGROUP, &constants), 2)
    }
}
