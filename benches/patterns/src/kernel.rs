//! Builds handwritten kernels from a template's text and constants, and computes their dispatches.

use crate::template::{self, Constant};

/// Invocations in a workgroup.
pub(crate) const WORKGROUP: usize = 64;

/// Quads per invocation of a flat kernel.
pub(crate) const EACH: usize = 4;

/// The device properties that the texts are tuned to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tuning {
    /// True for a processor, on which an invocation should walk through neighbours; on a GPU,
    /// invocations that run together should.
    pub(crate) software: bool,
    /// Eight elements in one access, as 64-bit integers.
    pub(crate) wide: bool,
    pub(crate) max_compute_workgroups_per_dimension: usize,
    pub(crate) max_storage_buffer_binding_size: u64,
}

/// Kernels that run in sequence.
#[derive(Debug)]
pub(crate) struct Floor {
    /// Sizes of the buffers between them, in bytes.
    pub(crate) temporaries: Vec<u64>,
    /// The least size of the result's buffer in bytes: the last invocations may write past the
    /// result's end, which is cheaper than a bounds check.
    pub(crate) room: u64,
    pub(crate) steps: Vec<Step>,
}

/// One dispatch. Bindings from 0 on are the inputs in their order, then the outputs.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) text: String,
    pub(crate) groups: [u32; 2],
    pub(crate) inputs: Vec<BufferPart>,
    pub(crate) output: BufferPart,
    /// Additional buffers that it writes.
    pub(crate) others: Vec<BufferPart>,
}

/// A part of an array, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BufferPart {
    pub(crate) array: Slot,
    pub(crate) offset: u64,
    /// `None` for the rest of the array.
    pub(crate) size: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Slot {
    Operand(usize),
    Temporary(usize),
    Result,
}

impl BufferPart {
    fn whole(array: Slot) -> Self {
        Self { array, offset: 0, size: None }
    }
}

pub(crate) const QUAD_TANH: &str = include_str!("floors/quad_tanh.wgsl");

/// The text of a kernel and its workgroups.
pub(crate) struct Kernel {
    text: String,
    pub(crate) groups: [u32; 2],
}

impl Kernel {
    /// Adds a function called by the template.
    pub(crate) fn with(mut self, function: &str) -> Self {
        self.text.push_str(function);
        self
    }

    pub(crate) fn step(self, inputs: &[Slot], output: Slot) -> Step {
        Step {
            text: self.text,
            groups: self.groups,
            inputs: inputs.iter().copied().map(BufferPart::whole).collect(),
            output: BufferPart::whole(output),
            others: Vec::new(),
        }
    }
}

impl Floor {
    /// Returns a floor of one kernel from all operands to the result.
    pub(crate) fn one(kernel: Kernel, operands: usize) -> Self {
        let inputs: Vec<Slot> = (0..operands).map(Slot::Operand).collect();
        Self { temporaries: Vec::new(), room: 0, steps: vec![kernel.step(&inputs, Slot::Result)] }
    }

    /// Returns a floor of one kernel from all operands to the result and other arrays of its size.
    pub(crate) fn several(kernel: Kernel, operands: usize, others: usize, bytes: u64) -> Self {
        let mut floor = Self::one(kernel, operands);
        floor.temporaries = vec![bytes; others];
        let others = (0..others).map(|number| BufferPart::whole(Slot::Temporary(number)));
        floor.steps[0].others = others.collect();
        floor
    }
}

impl Tuning {
    /// Makes a kernel for the given units of work, `each` of them per invocation.
    pub(crate) fn kernel(
        self,
        template: &str,
        [units, each, workgroup]: [usize; 3],
        more: &[Constant],
    ) -> Kernel {
        let invocations = units.div_ceil(each);
        let groups = invocations.div_ceil(workgroup);
        let least = groups.div_ceil(self.max_compute_workgroups_per_dimension.max(1)).max(1);
        // Use lines of one length, if that takes few additional ones.
        let lines = (least..=2 * least).find(|lines| groups % lines == 0).unwrap_or(least);
        let line = groups.div_ceil(lines);
        // If no invocation lies past the end, the bounds check is left out.
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

    /// Makes a kernel of flat words of 16 bytes, walked through like quads.
    pub(crate) fn words(self, template: &str, words: usize, more: &[Constant]) -> Kernel {
        self.flat(template, words * 4, EACH, more)
    }

    /// Makes a kernel of flat quads, EACH per invocation at distances of STEP.
    pub(crate) fn flat(
        self,
        template: &str,
        elements: usize,
        each: usize,
        more: &[Constant],
    ) -> Kernel {
        self.flat_in(WORKGROUP, template, elements, each, more)
    }

    pub(crate) fn flat_in(
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

    /// Makes a floor, split along the first dimension into as many parts as binding the result
    /// requires.
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
                    kernel(part).step(&[Slot::Operand(0), Slot::Operand(1)], Slot::Result);
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

    /// Makes a floor that computes the sines and cosines once, then their products.
    pub(crate) fn outer_chain(self, product: Kernel, [rows, columns]: [usize; 2]) -> Floor {
        let sine = self.flat(include_str!("floors/sin.wgsl"), rows, 1, &[]);
        let cosine = self.flat(include_str!("floors/cos.wgsl"), columns, 1, &[]);
        Floor {
            temporaries: vec![(rows * 4) as u64, (columns * 4) as u64],
            room: 0,
            steps: vec![
                sine.step(&[Slot::Operand(0)], Slot::Temporary(0)),
                cosine.step(&[Slot::Operand(1)], Slot::Temporary(1)),
                product.step(&[Slot::Temporary(0), Slot::Temporary(1)], Slot::Result),
            ],
        }
    }
}

/// Returns the largest power of two up to `most` that divides `rows`.
pub(crate) fn tile(rows: usize, most: usize) -> usize {
    let mut tile = most;
    while !rows.is_multiple_of(tile) {
        tile /= 2;
    }
    tile
}
