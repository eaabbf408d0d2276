//! The floors: for each pattern, kernels written by hand for exactly its shapes, as a baseline for
//! ours. Every size is a constant in their texts, `floors/*.wgsl`.
//!
//! A floor may use knowledge that our kernels lack, but it reads the same operands, writes the
//! whole result and is a checked module, too.

use crate::kernel::{EACH, Floor, Kernel, QUAD_TANH, Slot, Tuning, WORKGROUP, tile};
use crate::patterns::{BATCH, Pattern, Sizes, count};
use crate::program_floors;
use crate::reduced;
use crate::template::Constant;
use crate::wide;

/// Returns the floor of a pattern at these sizes, or `None` if another of our workloads serves as
/// its floor.
pub(crate) fn floor(pattern: Pattern, sizes: &Sizes, tuning: Tuning) -> Option<Floor> {
    if let Some(floor) = wide::floor(pattern, sizes, tuning) {
        return Some(floor);
    }
    let elements = count(&sizes.result);
    let matrix = match *sizes.result.as_slice() {
        [rows, columns] => [rows, columns],
        _ => [1, elements],
    };
    let flat = |template| tuning.flat(template, elements, EACH, &[]);
    let rows = |template| tuning.rows(template, matrix, 8);
    let outer = |template| tuning.rows(template, matrix, 16);
    let one = |kernel: Kernel| Some(Floor::one(kernel, sizes.operands.len()));
    match pattern {
        Pattern::Same => one(flat(include_str!("floors/same.wgsl"))),
        Pattern::Row => one(rows(include_str!("floors/row.wgsl"))),
        Pattern::Column => one(rows(include_str!("floors/column.wgsl"))),
        Pattern::Scalar => one(flat(include_str!("floors/scalar.wgsl"))),
        Pattern::One => one(flat(include_str!("floors/one.wgsl"))),
        Pattern::Outer => one(outer(include_str!("floors/outer.wgsl"))),
        Pattern::Rank5 | Pattern::Big => {
            <[usize; 5]>::try_from(sizes.result.as_slice()).ok().map(|sizes| tuning.rank5(sizes))
        }
        Pattern::Odd => one(tuning.odd(include_str!("floors/odd.wgsl"), matrix)),
        Pattern::OddColumn => one(tuning.odd(include_str!("floors/odd_column.wgsl"), matrix)),
        Pattern::Inner3 => one(tuning.inner3(elements)),
        Pattern::Transposed => one(tuning.transposed(matrix)),
        Pattern::Strided => one(flat(include_str!("floors/strided.wgsl"))),
        Pattern::Chain => one(flat(include_str!("floors/chain.wgsl")).with(QUAD_TANH)),
        Pattern::ChainBroadcast => {
            one(rows(include_str!("floors/chain_broadcast.wgsl")).with(QUAD_TANH))
        }
        Pattern::Tanh => one(flat(include_str!("floors/tanh.wgsl")).with(QUAD_TANH)),
        Pattern::Select => one(rows(include_str!("floors/select.wgsl"))),
        Pattern::Small => one(tuning.flat(include_str!("floors/same.wgsl"), elements, 1, &[])),
        Pattern::Batch100 => Some(tuning.batch(elements)),
        Pattern::Batch100Expr => {
            let additions = [("ADDITIONS", BATCH)];
            one(tuning.flat(include_str!("floors/batch_expr.wgsl"), elements, 1, &additions))
        }
        Pattern::OuterChain => {
            Some(tuning.outer_chain(outer(include_str!("floors/outer_product.wgsl")), matrix))
        }
        Pattern::Adam => {
            let bytes = elements as u64 * 4;
            Some(Floor::several(flat(include_str!("floors/adam.wgsl")), 4, 2, bytes))
        }
        Pattern::Stencil => Some(tuning.stencil(matrix)),
        Pattern::IntoSlice => {
            let template = include_str!("floors/into_slice.wgsl");
            one(tuning.flat(template, elements, EACH, &edges(matrix)))
        }
        _ => program_floors::floor(pattern, sizes, tuning)
            .or_else(|| reduced::floor(pattern, sizes, tuning)),
    }
}

/// The constants of kernels that leave out the first and the last row and column.
fn edges([rows, columns]: [usize; 2]) -> [Constant; 2] {
    [("ROWS", rows), ("ROW_QUADS", columns / 4)]
}

impl Tuning {
    /// Makes a floor that computes a stencil into a temporary, and copies its inner part.
    fn stencil(self, matrix: [usize; 2]) -> Floor {
        let (elements, edges) = (matrix[0] * matrix[1], edges(matrix));
        let mean = self.flat(include_str!("floors/stencil.wgsl"), elements, EACH, &edges);
        let copy = self.flat(include_str!("floors/inner_copy.wgsl"), elements, EACH, &edges);
        Floor {
            temporaries: vec![elements as u64 * 4],
            room: 0,
            steps: vec![
                mean.step(&[Slot::Operand(0)], Slot::Temporary(0)),
                copy.step(&[Slot::Temporary(0)], Slot::Result),
            ],
        }
    }

    /// Makes a kernel whose invocations compute a quad of a row in each of TILE rows.
    fn rows(self, template: &str, [rows, columns]: [usize; 2], most: usize) -> Kernel {
        let tile = tile(rows, most);
        let row_quads = columns / 4;
        let constants = [("ROW_QUADS", row_quads), ("TILE", tile), ("TILE_QUADS", tile / 4)];
        self.kernel(template, [row_quads * (rows / tile), 1, WORKGROUP], &constants)
    }

    /// Makes a kernel of flat quads for rows whose size is not a multiple of 4; all elements of an
    /// invocation lie within a span of one row's size.
    fn odd(self, template: &str, [rows, columns]: [usize; 2]) -> Kernel {
        let step = if self.software { 1 } else { WORKGROUP };
        let each = (columns / (4 * step)).clamp(1, EACH);
        self.flat(template, rows * columns, each, &[("COLUMNS", columns)])
    }

    /// Makes a kernel with workgroups and invocations of multiples of 3 quads, so that all begin at
    /// the same column.
    fn inner3(self, elements: usize) -> Kernel {
        let (workgroup, each) = if self.software { (WORKGROUP, 6) } else { (96, EACH) };
        self.flat_in(workgroup, include_str!("floors/inner3.wgsl"), elements, each, &[])
    }

    /// Makes a kernel that transposes in blocks of 16 rows by 4 columns, or in tiles of 32 by 32,
    /// four quads per invocation.
    fn transposed(self, [rows, columns]: [usize; 2]) -> Kernel {
        let constants = [("ROWS", rows), ("COLUMNS", columns)];
        if self.software && rows.is_multiple_of(16) {
            let template = include_str!("floors/transposed.wgsl");
            return self.kernel(template, [rows / 16 * (columns / 4), 1, WORKGROUP], &constants);
        }
        let template = if self.software {
            include_str!("floors/transposed_edges.wgsl")
        } else {
            include_str!("floors/transposed_tile.wgsl")
        };
        let column_tiles = columns.div_ceil(32);
        let constants = [&constants[..], &[("COLUMN_TILES", column_tiles), ("FOUR", 4)]].concat();
        let tiles = rows.div_ceil(32) * column_tiles;
        self.kernel(template, [tiles * WORKGROUP, 1, WORKGROUP], &constants)
    }

    /// Makes a floor that adds quads of the first operand to those of the second.
    fn rank5(self, sizes: [usize; 5]) -> Floor {
        let [_, b, c, d, e] = sizes;
        let tile = tile(d, 16);
        let constants = [("B", b), ("C", c), ("D", d), ("E_QUADS", e / 4), ("TILE", tile)];
        self.in_parts(sizes, |part| {
            let invocations = part * b * c * (d / tile) * (e / 4);
            let template = include_str!("floors/rank5.wgsl");
            self.kernel(template, [invocations, 1, WORKGROUP], &constants)
        })
    }

    /// Makes a floor with one dispatch per addition, alternating between two buffers.
    fn batch(self, elements: usize) -> Floor {
        let steps = (0..BATCH)
            .map(|number| {
                let from = match number {
                    0 => Slot::Operand(0),
                    _ => Slot::Temporary((number - 1) % 2),
                };
                let to =
                    if number + 1 == BATCH { Slot::Result } else { Slot::Temporary(number % 2) };
                self.flat(include_str!("floors/same.wgsl"), elements, 1, &[])
                    .step(&[from, Slot::Operand(1)], to)
            })
            .collect();
        Floor { temporaries: vec![(elements * 4) as u64; 2], room: 0, steps }
    }
}

#[cfg(test)]
mod tests {
    use indim::wgpu::naga;

    use super::*;
    use crate::kernel::Step;
    use crate::typed;

    fn tunings() -> [Tuning; 4] {
        let tuning = |software, wide, groups, bytes| Tuning {
            software,
            wide,
            max_compute_workgroups_per_dimension: groups,
            max_storage_buffer_binding_size: bytes,
        };
        [
            tuning(true, true, 65_535, 128 << 20),
            tuning(true, false, 65_535, 128 << 20),
            tuning(false, false, 65_535, 1 << 32),
            tuning(false, false, 1_000, 1 << 16),
        ]
    }

    fn check(step: &Step, tuning: Tuning) {
        let text = &step.text;
        let module = naga::front::wgsl::parse_str(text)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
        use naga::valid::Capabilities;
        let all = Capabilities::SHADER_INT64
            | Capabilities::FLOAT64
            | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let bound = module.global_variables.iter().filter(|(_, v)| v.binding.is_some()).count();
        assert_eq!(bound, step.inputs.len() + 1 + step.others.len(), "{text}");
        let most = tuning.max_compute_workgroups_per_dimension as u32;
        assert!(step.groups.iter().all(|n| (1..=most).contains(n)), "{:?}", step.groups);
    }

    #[test]
    fn every_type_has_a_floor_of_sums() {
        for tuning in tunings() {
            for &of in indim::ElementType::ALL {
                for bytes in [64, 70_001, 4 << 20] {
                    let floor = typed::floor(of, bytes, tuning, true).unwrap();
                    floor.steps.iter().for_each(|step| check(step, tuning));
                }
                let native = typed::floor(of, 64, tuning, false).is_none();
                assert_eq!(native, matches!(of.name(), "s64" | "u64" | "f64"), "{of}");
            }
        }
    }

    #[test]
    fn every_text_is_a_module_and_its_dispatch_within_limits() {
        for tuning in tunings() {
            for &pattern in Pattern::ALL {
                for elements in [4096, 70_001, pattern.elements()] {
                    let floor = floor(pattern, &pattern.sizes(elements), tuning);
                    let is_ours = matches!(pattern, Pattern::AdamApart | Pattern::NewShapes);
                    assert_eq!(floor.is_none(), is_ours);
                    floor.iter().flat_map(|floor| &floor.steps).for_each(|s| check(s, tuning));
                }
            }
        }
    }

    /// The parts of a result too large for one binding are adjacent.
    #[test]
    fn a_large_result_is_written_in_parts() {
        let sizes = Pattern::Big.sizes(Pattern::Big.elements());
        assert_eq!(sizes.result, [32, 16, 64, 32, 64]);
        let floor = floor(Pattern::Big, &sizes, tunings()[1]).unwrap();
        let written: Vec<_> =
            floor.steps.iter().map(|s| (s.output.offset, s.output.size)).collect();
        assert_eq!(written, [(0, Some(128 << 20)), (128 << 20, Some(128 << 20))]);
        let read: Vec<_> =
            floor.steps.iter().map(|s| (s.inputs[0].offset, s.inputs[0].size)).collect();
        assert_eq!(read, [(0, Some(256 << 10)), (256 << 10, Some(256 << 10))]);
    }
}
