//! [`Writer`]: the kernel and the facts about its values from which every part of its text is
//! written. Also splits text into words.

use super::guards;
use super::packed::Packed;
use super::wgsl_type::WgslType;
use crate::kernel::body::{self, Folded, ValueRef};
use crate::kernel::output::Edges;
use crate::plan::access::Access;
use crate::plan::kernel::{Kernel, PlannedBody, PlannedFold};
use crate::plan::walk::kinds::Walk;
use indim_core::semantics::element::{ElementType, Form};

// `writeln!` into a String cannot fail; the macro avoids handling the result at each line.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => { let _ = writeln!($out, $($arg)*); };
}
pub(super) use line;

/// How a value of the kernel varies.
#[derive(Clone, Copy)]
pub(super) struct ValueInfo {
    /// True if it is a vector of four for each quad, and false if it is one scalar for the unit.
    pub(super) vector: bool,
    /// True if it is known before the loop over rows.
    pub(super) hoisted: bool,
}

/// A kernel, with the facts about its values that decide its text.
pub(super) struct Writer<'a> {
    pub(super) kernel: &'a Kernel,
    /// The body that is written.
    pub(super) body: &'a PlannedBody,
    /// How each operation's result varies.
    pub(super) ops: Vec<ValueInfo>,
    /// The type of a quad if elements stay in the words of memory, otherwise `None`.
    pub(super) packed: Option<Packed>,
    /// True for each operation whose result must not be rewritten together with its uses.
    pub(super) guarded: Vec<bool>,
    /// The number of the word for loops of each call.
    pub(super) loop_words: Vec<Option<usize>>,
    /// The elements that a branch keeps at the ends of rows.
    pub(super) edges: Option<Edges>,
    /// True for the operations on what was folded.
    is_epilogue: bool,
    /// The pass that is written, if the kernel has several.
    pass: Option<usize>,
    /// True for the operations that are written.
    written: Vec<bool>,
}

impl<'a> Writer<'a> {
    /// Returns the writer of a kernel's map.
    pub(super) fn new(kernel: &'a Kernel) -> Self {
        Self::of_body(kernel, &kernel.map, false)
    }

    /// Returns the writer of what a kernel computes of what was folded.
    pub(super) fn epilogue(&self, fold: &'a PlannedFold) -> Self {
        Self::of_body(self.kernel, &fold.epilogue, true)
    }

    /// Returns the writer of the pass of this number, which folds.
    pub(super) fn of_pass(&self, pass: usize) -> Self {
        let mut writer = Self::of_body(self.kernel, &self.kernel.map, false);
        let accumulators = self.kernel.fold.iter().flat_map(|fold| &fold.accumulators);
        let own = accumulators.filter(|accumulator| accumulator.pass == pass);
        let values = own.flat_map(|accumulator| accumulator.values.iter().flatten());
        writer.pass = Some(pass);
        writer.written = body::needed(&writer.body.ops, values, None);
        writer
    }

    /// Makes this the writer of what its kernel stores, given the result of one operation.
    pub(super) fn without(&mut self, given: usize) {
        let values = self.kernel.outputs.iter().map(|output| &output.value);
        self.written = body::needed(&self.body.ops, values, Some(given));
    }

    /// Returns true if this operation is written.
    pub(super) fn is_written(&self, number: usize) -> bool {
        self.written[number]
    }

    /// Returns the number of the pass that is written; `None` if the kernel has one.
    pub(super) fn pass(&self) -> Option<usize> {
        self.pass
    }

    fn of_body(kernel: &'a Kernel, body: &'a PlannedBody, is_epilogue: bool) -> Self {
        let mut guarded = guards::guarded_ops(body, kernel.is_half());
        if let Some(fold) = kernel.fold.as_ref().filter(|_| !is_epilogue) {
            guards::guard_folded(body, fold, &mut guarded);
        }
        let loop_words = body::loop_words(&body.ops);
        let packed = Packed::of(kernel);
        let edges = kernel.edges_of_units().filter(|_| packed.is_none());
        let mut writer = Self {
            kernel,
            body,
            ops: Vec::new(),
            packed,
            guarded,
            loop_words,
            edges,
            is_epilogue,
            pass: None,
            written: vec![true; body.ops.len()],
        };
        for op in &body.ops {
            let operands = op.operands.iter().map(|&operand| writer.info(operand));
            let info = operands.fold(ValueInfo { vector: false, hoisted: true }, |all, one| {
                ValueInfo { vector: all.vector || one.vector, hoisted: all.hoisted && one.hoisted }
            });
            writer.ops.push(info);
        }
        if let Some(edges) = edges {
            // The branch has them.
            writer.ops[edges.first_op..].iter_mut().for_each(|op| op.hoisted = false);
        }
        writer
    }

    /// Returns how a value varies.
    pub(super) fn info(&self, value: ValueRef) -> ValueInfo {
        match value {
            ValueRef::Load(number) => {
                let load = &self.body.loads[number];
                ValueInfo { vector: load.mode.access != Access::Splat, hoisted: load.hoisted }
            }
            ValueRef::Op(number) => self.ops[number],
            ValueRef::Constant(_) => ValueInfo { vector: false, hoisted: true },
            ValueRef::Folded(_) => {
                let vector = matches!(self.kernel.walk, Walk::FoldColumns(_) | Walk::Scan(_));
                // A pass has the results of those before it.
                ValueInfo { vector, hoisted: matches!(self.kernel.walk, Walk::Passes(_)) }
            }
        }
    }

    /// Returns the element type of a value.
    pub(super) fn type_of(&self, value: ValueRef) -> ElementType {
        match value {
            ValueRef::Load(number) => self.body.loads[number].element_type,
            ValueRef::Constant(number) => self.body.constants[number],
            ValueRef::Op(number) => self.body.ops[number].element_type,
            ValueRef::Folded(folded) => {
                let fold = self.kernel.fold.as_ref();
                let found = fold.and_then(|fold| fold.accumulators.get(folded.accumulator()));
                found.map_or(ElementType::F32, |accumulator| accumulator.element_type)
            }
        }
    }

    /// Returns the type that holds an element type's values in this kernel.
    pub(super) fn wgsl_type(&self, element_type: ElementType) -> WgslType {
        if let Some(packed) = self.packed {
            return WgslType::Packed(packed);
        }
        match element_type.form() {
            Form::Bool => WgslType::Bool,
            Form::S32 => WgslType::I32,
            Form::U32 => WgslType::U32,
            Form::F32 if element_type == ElementType::F16 && self.kernel.is_half() => WgslType::F16,
            Form::F32 => WgslType::F32,
            Form::F64 => WgslType::F64,
            Form::C64 => WgslType::Complex,
            Form::S64 if self.kernel.int64 => WgslType::I64,
            Form::U64 if self.kernel.int64 => WgslType::U64,
            Form::S64 | Form::U64 => WgslType::Words,
        }
    }

    /// Returns the name of a value in one quad of the unit.
    pub(super) fn name(&self, value: ValueRef, quad: usize) -> String {
        let name = match value {
            ValueRef::Load(number) => format!("x{number}"),
            ValueRef::Constant(number) => format!("c{number}"),
            ValueRef::Op(number) if self.is_epilogue => format!("y{number}"),
            ValueRef::Op(number) => format!("v{number}"),
            ValueRef::Folded(Folded::Result(number)) => format!("folded{number}"),
            ValueRef::Folded(Folded::Word(number, word)) => format!("folded{number}_{word}"),
        };
        if self.info(value).vector && self.kernel.quads > 1 {
            format!("{name}_{quad}")
        } else {
            name
        }
    }

    /// Returns true if the values that the kernel stores are among these operations.
    pub(super) fn has_outputs(&self) -> bool {
        self.is_epilogue || self.kernel.fold.is_none()
    }

    /// Returns the number of quads of a unit.
    pub(super) fn quads(&self) -> usize {
        self.kernel.quads as usize
    }

    /// Returns the loads that are hoisted, or, if `hoisted` is false, the others.
    pub(super) fn loads_where(&self, hoisted: bool) -> impl Iterator<Item = usize> {
        let loads = &self.body.loads;
        (0..loads.len()).filter(move |&number| loads[number].hoisted == hoisted)
    }

    /// Returns the loads of this access mode.
    pub(super) fn loads_by(&self, access: Access) -> impl Iterator<Item = usize> {
        let loads = &self.body.loads;
        (0..loads.len()).filter(move |&number| loads[number].mode.access == access)
    }
}
