//! The floors: for each pattern kernels written by hand for exactly its shapes, to measure ours
//! against. Every size is a constant of their texts, `floors/*.wgsl`.
//!
//! A floor may do what ours cannot know to do, but reads the same operands, writes the whole result
//! and is a checked module, too.

use super::patterns::{BATCH, Pattern, Sizes, count};
use super::template::{self, Constant};
use super::wide;

/// Invocations in a workgroup.
pub(crate) const WORKGROUP: usize = 64;

/// Quads of a flat kernel's invocation.
const EACH: usize = 4;

/// What the texts are tuned to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tuning {
    /// A processor, where each invocation had best walk through neighbours; on a GPU, invocations
    /// that run together had.
    pub(crate) software: bool,
    /// Eight elements in one access, as 64-bit integers.
    pub(crate) wide: bool,
    pub(crate) max_compute_workgroups_per_dimension: usize,
    pub(crate) max_storage_buffer_binding_size: u64,
}

/// Kernels that run one after the other.
#[derive(Debug)]
pub(crate) struct Floor {
    /// Sizes of the buffers between them, in bytes.
    pub(crate) temporaries: Vec<u64>,
    /// What the result's buffer must have room for, in bytes: the last invocations may write past
    /// the result's end, which costs less than to ask.
    pub(crate) room: u64,
    pub(crate) steps: Vec<Step>,
}

/// One dispatch. Inputs are bound from 0 on in their order, then the output.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) text: String,
    pub(crate) groups: [u32; 2],
    pub(crate) inputs: Vec<Part>,
    pub(crate) output: Part,
}

/// A part of an array, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) array: Place,
    pub(crate) offset: u64,
    /// `None` for all the rest.
    pub(crate) size: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Operand(usize),
    Temporary(usize),
    Result,
}

impl Part {
    fn whole(array: Place) -> Self {
        Self { array, offset: 0, size: None }
    }
}

pub(crate) const QUAD_TANH: &str = include_str!("floors/quad_tanh.wgsl");

/// The floor of a pattern at these sizes. `None` where that is no kernel of its own: `new_shapes` is
/// measured against as many evaluations of one shape.
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
        Pattern::NewShapes => None,
    }
}

/// The text of a kernel and its workgroups.
pub(crate) struct Kernel {
    text: String,
    pub(crate) groups: [u32; 2],
}

impl Kernel {
    /// With a function that its template calls.
    pub(crate) fn with(mut self, function: &str) -> Self {
        self.text.push_str(function);
        self
    }

    pub(crate) fn step(self, inputs: &[Place], output: Place) -> Step {
        Step {
            text: self.text,
            groups: self.groups,
            inputs: inputs.iter().copied().map(Part::whole).collect(),
            output: Part::whole(output),
        }
    }
}

impl Floor {
    /// One kernel from all operands to the result.
    pub(crate) fn one(kernel: Kernel, operands: usize) -> Self {
        let inputs: Vec<Place> = (0..operands).map(Place::Operand).collect();
        Self { temporaries: Vec::new(), room: 0, steps: vec![kernel.step(&inputs, Place::Result)] }
    }
}

impl Tuning {
    /// A kernel for so many units of work, of which an invocation does `each`.
    pub(crate) fn kernel(
        self,
        template: &str,
        [units, each, workgroup]: [usize; 3],
        more: &[Constant],
    ) -> Kernel {
        let invocations = units.div_ceil(each);
        let groups = invocations.div_ceil(workgroup);
        let least = groups.div_ceil(self.max_compute_workgroups_per_dimension.max(1)).max(1);
        // Lines of one length, if that takes not many more.
        let lines = (least..=2 * least).find(|lines| groups % lines == 0).unwrap_or(least);
        let line = groups.div_ceil(lines);
        // Whether there is not one unit too many, so that nothing needs to be asked.
        let exact = line * lines * workgroup * each == units;
        let prelude = format!(
            "const EXACT = {exact};\n\n\
             fn invocation(group: vec3<u32>, local: u32) -> u32 {{\n    \
             return {} * WORKGROUP + local;\n}}\n\n",
            if lines > 1 { "(group.y * GROUPS_X + group.x)" } else { "group.x" },
        );
        let mut constants =
            vec![("WORKGROUP", workgroup), ("GROUPS_X", line), ("INVOCATIONS", invocations)];
        constants.extend_from_slice(more);
        Kernel {
            text: template::text(&constants, &prelude, template),
            groups: [line as u32, lines as u32],
        }
    }

    /// Flat words of 16 bytes, as quads are walked through.
    pub(crate) fn words(self, template: &str, words: usize, more: &[Constant]) -> Kernel {
        self.flat(template, words * 4, EACH, more)
    }

    /// Flat quads, EACH of them an invocation and STEP apart.
    fn flat(self, template: &str, elements: usize, each: usize, more: &[Constant]) -> Kernel {
        self.flat_in(WORKGROUP, template, elements, each, more)
    }

    fn flat_in(
        self,
        workgroup: usize,
        template: &str,
        elements: usize,
        each: usize,
        more: &[Constant],
    ) -> Kernel {
        let quads = elements.div_ceil(4);
        let (step, first) = if self.software {
            (1, "invocation(group, local) * EACH")
        } else {
            (workgroup, "invocation(group, 0u) * EACH + local")
        };
        let first = format!(
            "fn first_quad(group: vec3<u32>, local: u32) -> u32 {{\n    return {first};\n}}\n\n"
        );
        let mut constants = vec![("QUADS", quads), ("EACH", each), ("STEP", step)];
        constants.extend_from_slice(more);
        self.kernel(&(first + template), [quads, each, workgroup], &constants)
    }

    /// A quad of a row in each of TILE rows.
    fn rows(self, template: &str, [rows, columns]: [usize; 2], most: usize) -> Kernel {
        let tile = tile(rows, most);
        let row_quads = columns / 4;
        let constants = [("ROW_QUADS", row_quads), ("TILE", tile), ("TILE_QUADS", tile / 4)];
        self.kernel(template, [row_quads * (rows / tile), 1, WORKGROUP], &constants)
    }

    /// Flat quads of rows that are no multiple of 4; all of an invocation lie within one row's size.
    fn odd(self, template: &str, [rows, columns]: [usize; 2]) -> Kernel {
        let step = if self.software { 1 } else { WORKGROUP };
        let each = (columns / (4 * step)).clamp(1, EACH);
        self.flat(template, rows * columns, each, &[("COLUMNS", columns)])
    }

    /// Workgroups and invocations of multiples of 3 quads, so that all begin at the same column.
    fn inner3(self, elements: usize) -> Kernel {
        let (workgroup, each) = if self.software { (WORKGROUP, 6) } else { (96, EACH) };
        self.flat_in(workgroup, include_str!("floors/inner3.wgsl"), elements, each, &[])
    }

    /// In blocks of 16 rows by 4 columns, or in tiles of 32 by 32, four quads an invocation.
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

    /// Quads of the first operand with those of the second.
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

    /// In as many parts along the first dimension as it takes to bind the result.
    pub(crate) fn in_parts(
        self,
        [a, b, c, d, e]: [usize; 5],
        kernel: impl Fn(usize) -> Kernel,
    ) -> Floor {
        let slice = (b * c * d * e * 4) as u64;
        let most = (self.max_storage_buffer_binding_size / slice.max(1)).max(1);
        let parts = (1..=a).find(|n| a % n == 0 && (a / n) as u64 <= most).unwrap_or(a);
        let part = a / parts;
        let (x, result) = ((part * c * e * 4) as u64, part as u64 * slice);
        let steps = (0..parts as u64)
            .map(|number| {
                let mut step =
                    kernel(part).step(&[Place::Operand(0), Place::Operand(1)], Place::Result);
                if parts > 1 {
                    step.inputs[0].offset = number * x;
                    step.inputs[0].size = Some(x);
                    step.output.offset = number * result;
                    step.output.size = Some(result);
                }
                step
            })
            .collect();
        Floor { temporaries: Vec::new(), room: 0, steps }
    }

    /// The sines and cosines once, then their products.
    pub(crate) fn outer_chain(self, product: Kernel, [rows, columns]: [usize; 2]) -> Floor {
        let sine = self.flat(include_str!("floors/sin.wgsl"), rows, 1, &[]);
        let cosine = self.flat(include_str!("floors/cos.wgsl"), columns, 1, &[]);
        Floor {
            temporaries: vec![(rows * 4) as u64, (columns * 4) as u64],
            room: 0,
            steps: vec![
                sine.step(&[Place::Operand(0)], Place::Temporary(0)),
                cosine.step(&[Place::Operand(1)], Place::Temporary(1)),
                product.step(&[Place::Temporary(0), Place::Temporary(1)], Place::Result),
            ],
        }
    }

    /// Each addition a dispatch of its own, to and fro between two buffers.
    fn batch(self, elements: usize) -> Floor {
        let steps = (0..BATCH)
            .map(|number| {
                let from = match number {
                    0 => Place::Operand(0),
                    _ => Place::Temporary((number - 1) % 2),
                };
                let to =
                    if number + 1 == BATCH { Place::Result } else { Place::Temporary(number % 2) };
                self.flat(include_str!("floors/same.wgsl"), elements, 1, &[])
                    .step(&[from, Place::Operand(1)], to)
            })
            .collect();
        Floor { temporaries: vec![(elements * 4) as u64; 2], room: 0, steps }
    }
}

/// The largest power of two up to `most` that divides `rows`.
pub(crate) fn tile(rows: usize, most: usize) -> usize {
    let mut tile = most;
    while !rows.is_multiple_of(tile) {
        tile /= 2;
    }
    tile
}

#[cfg(test)]
mod tests {
    use indim::wgpu::naga;

    use super::*;

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
        assert_eq!(bound, step.inputs.len() + 1, "{text}");
        let most = tuning.max_compute_workgroups_per_dimension as u32;
        assert!(step.groups.iter().all(|n| (1..=most).contains(n)), "{:?}", step.groups);
    }

    #[test]
    fn every_type_has_a_floor_of_sums() {
        use super::super::typed;
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
                    assert_eq!(floor.is_none(), pattern == Pattern::NewShapes);
                    floor.iter().flat_map(|floor| &floor.steps).for_each(|s| check(s, tuning));
                }
            }
        }
    }

    /// The parts of a result that no binding holds lie side by side.
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
