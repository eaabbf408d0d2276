//! Floors for processors whose shaders have 64-bit integers: they move eight elements in one
//! access. On Mesa's lavapipe the cost is per access rather than per byte.

use crate::kernel::{Floor, Kernel, QUAD_TANH, Tuning, WORKGROUP, tile};
use crate::patterns::{Pattern, Sizes, count};
use crate::template::Constant;

/// Elements in a word.
const WORD: usize = 8;

/// Bytes of a word.
const WORD_BYTES: usize = 32;

/// Words per invocation of a flat kernel, and words of a row.
const EACH: usize = 2;

/// The declarations at the top of all kernels.
const WORDS: &str = include_str!("floors/wide/word.wgsl");

/// Returns the floor of a pattern, if there is a wide one.
pub(crate) fn floor(pattern: Pattern, sizes: &Sizes, tuning: Tuning) -> Option<Floor> {
    if !tuning.wide || pattern.is_latency() {
        return None;
    }
    let elements = count(&sizes.result);
    let one = |kernel| Floor::one(kernel, sizes.operands.len());
    let flat = |template| tuning.wide_flat(template, elements);
    if let Ok(sizes) = <[usize; 5]>::try_from(sizes.result.as_slice()) {
        return Some(tuning.wide_rank5(sizes));
    }
    let &[rows, columns] = sizes.result.as_slice() else { return None };
    let tiles = |template, most| tuning.wide_rows(template, [rows, columns], most);
    Some(match pattern {
        Pattern::Same => one(flat(include_str!("floors/wide/same.wgsl"))),
        Pattern::Scalar => one(flat(include_str!("floors/wide/scalar.wgsl"))),
        Pattern::One => one(flat(include_str!("floors/wide/one.wgsl"))),
        Pattern::Chain => one(flat(include_str!("floors/wide/chain.wgsl")).with(QUAD_TANH)),
        Pattern::Adam => {
            let kernel = flat(include_str!("floors/wide/adam.wgsl"));
            Floor::several(kernel, 4, 2, elements as u64 * 4)
        }
        Pattern::Tanh => one(flat(include_str!("floors/wide/tanh.wgsl")).with(QUAD_TANH)),
        Pattern::Strided => one(flat(include_str!("floors/wide/strided.wgsl"))),
        Pattern::Row => one(tiles(include_str!("floors/wide/row.wgsl"), 4)),
        Pattern::Column => one(tiles(include_str!("floors/wide/column.wgsl"), 1)),
        Pattern::ChainBroadcast => {
            one(tiles(include_str!("floors/wide/chain_broadcast.wgsl"), 2).with(QUAD_TANH))
        }
        Pattern::Select => one(tiles(include_str!("floors/wide/select.wgsl"), 2)),
        Pattern::Outer => one(tiles(include_str!("floors/wide/outer.wgsl"), 8)),
        Pattern::OuterChain => {
            let product = tiles(include_str!("floors/wide/outer_product.wgsl"), 8);
            tuning.outer_chain(product, [rows, columns])
        }
        Pattern::Odd => tuning.wide_odd([rows, columns]),
        Pattern::OddColumn => {
            let constants = [("COLUMNS", columns), ("EACH", EACH)];
            let template = include_str!("floors/wide/odd_column.wgsl");
            let invocations = elements.div_ceil(WORD * EACH);
            tuning.spacious(template, invocations, &constants, |covered| covered * EACH)
        }
        Pattern::Inner3 => {
            let template = include_str!("floors/wide/inner3.wgsl");
            let invocations = elements.div_ceil(3 * WORD);
            tuning.spacious(template, invocations, &[], |covered| covered * 3)
        }
        Pattern::Transposed => {
            let constants = [("ROWS", rows), ("COLUMNS", columns)];
            let template = include_str!("floors/wide/transposed.wgsl");
            one(tuning.wide_kernel(template, rows / WORD * (columns / WORD), &constants))
        }
        _ => return None,
    })
}

impl Tuning {
    fn wide_kernel(self, template: &str, invocations: usize, constants: &[Constant]) -> Kernel {
        let template = format!("{WORDS}{template}");
        self.kernel(&template, [invocations, 1, WORKGROUP], constants)
    }

    /// Makes a kernel of adjacent words.
    fn wide_flat(self, template: &str, elements: usize) -> Kernel {
        self.wide_kernel(template, elements.div_ceil(WORD * EACH), &[("EACH", EACH)])
    }

    /// Makes a kernel whose invocations compute two words of a row in each of TILE rows.
    fn wide_rows(self, template: &str, [rows, columns]: [usize; 2], most: usize) -> Kernel {
        let (tile, row_words) = (tile(rows, most), columns / WORD);
        let constants = [("ROW_WORDS", row_words), ("TILE", tile)];
        self.wide_kernel(template, row_words / EACH * (rows / tile), &constants)
    }

    /// Makes a floor that adds words of the first operand to those of the second.
    fn wide_rank5(self, sizes: [usize; 5]) -> Floor {
        let [_, b, c, d, e] = sizes;
        let tile = tile(d, 32);
        let constants = [("B", b), ("C", c), ("D", d), ("E_WORDS", e / WORD), ("TILE", tile)];
        self.in_parts(sizes, |part| {
            let invocations = part * b * c * (d / tile) * (e / WORD);
            self.wide_kernel(include_str!("floors/wide/rank5.wgsl"), invocations, &constants)
        })
    }

    /// Makes a kernel whose invocations compute one word in each of TILE times 8 rows.
    fn wide_odd(self, [rows, columns]: [usize; 2]) -> Floor {
        let tile = 8;
        let constants = [("COLUMNS", columns), ("TILE", tile)];
        let invocations = columns * rows.div_ceil(WORD * tile);
        let words = |covered: usize| covered.div_ceil(columns) * tile * columns;
        self.spacious(include_str!("floors/wide/odd.wgsl"), invocations, &constants, words)
    }

    /// Makes a floor of a kernel of two operands without a bounds check, which writes the given
    /// number of words with the given number of invocations.
    fn spacious(
        self,
        template: &str,
        invocations: usize,
        constants: &[Constant],
        words: impl Fn(usize) -> usize,
    ) -> Floor {
        let kernel = self.wide_kernel(template, invocations, constants);
        let covered = kernel.groups.iter().map(|&n| n as usize).product::<usize>() * WORKGROUP;
        Floor { room: (words(covered) * WORD_BYTES) as u64, ..Floor::one(kernel, 2) }
    }
}
