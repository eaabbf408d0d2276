//! Writes a kernel's WGSL. The only writer of WGSL; its text depends on the kernel's structure
//! alone, so that a new shape, stride or constant compiles nothing.
//!
//! Every buffer holds words of 4 to 32 bytes. An invocation computes a unit of one, two or four
//! quads at once: a value that is the same for all of them is one scalar, any other one a vector of
//! four for each quad. What does not vary along a tile of rows is loaded and computed before the
//! loop over them. [`schedule`] writes the loops, [`load`] the loads and the store, [`operation`]
//! what is between; [`values`] says how a quad of a type is spelled, [`bits`] how it lies in memory.

use std::fmt::Write as _;

use super::operation;
use super::packed::Packed;
use crate::compile::materialize::lower::ValueRef;
use crate::compile::plan::access::Access;
use crate::compile::plan::kernel::{Kernel, Schedule};
use crate::compile::wgsl::library;
use crate::semantics::element::ElementType;

/// The text of a kernel's module. Its entry point is `main`.
pub(crate) fn text(kernel: &Kernel) -> String {
    let body = Writer::new(kernel).main();
    let mut text = String::new();
    declarations(kernel, &mut text);
    text.push_str(&library::needed_by(&body, kernel.choices()));
    text.push_str(&body);
    text
}

// `writeln!` into a String cannot fail; the macro keeps the reader from wondering at each line.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => { let _ = writeln!($out, $($arg)*); };
}
pub(super) use line;

pub(super) fn declarations(kernel: &Kernel, out: &mut String) {
    if kernel.half {
        line!(out, "enable f16;\nenable wgpu_int16;");
    }
    line!(out, "struct Params {{");
    let fields = kernel.fields();
    for field in &fields {
        line!(out, "    {field}: u32,");
    }
    for pad in fields.len()..kernel.header_words() {
        line!(out, "    pad_{pad}: u32,");
    }
    if !kernel.constants.is_empty() {
        line!(out, "    constants: array<vec4<u32>, {}>,", kernel.constant_words() / 4);
    }
    line!(out, "}}");
    let space = if kernel.params_in_storage { "storage, read" } else { "uniform" };
    line!(out, "@group(0) @binding(0) var<{space}> params: Params;");
    for (number, word) in kernel.bindings.iter().enumerate() {
        line!(
            out,
            "@group(0) @binding({}) var<storage, read> in_{number}: array<{}>;",
            number + 1,
            word.wgsl()
        );
    }
    let in_words = kernel.stores_in_words();
    line!(
        out,
        "@group(0) @binding({}) var<storage, read_write> result: array<{}>;\n",
        kernel.bindings.len() + 1,
        if in_words { "atomic<u32>" } else { kernel.result_word.wgsl() }
    );
    if in_words {
        store_element(kernel.element_type, out);
    }
}

/// A function that stores an element's bits in their place within a word, of which other invocations
/// may store the others: those may come between the two steps, since each touches its own bits only.
pub(super) fn store_element(element_type: ElementType, out: &mut String) {
    let (bits, each) = (element_type.bits(), element_type.elements_per_word());
    let (mask, place) = ((1u32 << bits) - 1, each.trailing_zeros());
    line!(out, "fn store_element(at: u32, element: u32) {{");
    line!(out, "    let shift = (at & {}u) * {bits}u;", each - 1);
    line!(out, "    atomicAnd(&result[at >> {place}u], ~({mask}u << shift));");
    line!(out, "    atomicOr(&result[at >> {place}u], (element & {mask}u) << shift);");
    line!(out, "}}\n");
}

/// A value as text: its name and how it varies.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) name: String,
    /// A vector of four for each quad; else one scalar for the whole unit.
    pub(super) vector: bool,
    /// Known before the loop.
    pub(super) hoisted: bool,
}

pub(super) struct Writer<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) leaves: Vec<Known>,
    pub(super) values: Vec<Known>,
    /// If its elements stay in the words of memory.
    pub(super) packed: Option<Packed>,
    /// Whether a value must be kept from being rewritten together with its uses.
    pub(super) guarded: Vec<bool>,
}

impl<'a> Writer<'a> {
    fn new(kernel: &'a Kernel) -> Self {
        let leaves: Vec<Known> = kernel
            .leaves
            .iter()
            .enumerate()
            .map(|(number, leaf)| Known {
                name: format!("x{number}"),
                vector: leaf.access != Access::Splat,
                hoisted: leaf.hoisted,
            })
            .collect();
        let guarded = operation::guarded_values(kernel);
        let mut writer =
            Self { kernel, leaves, values: Vec::new(), packed: Packed::of(kernel), guarded };
        for (number, value) in kernel.values.iter().enumerate() {
            let operands: Vec<Known> = value.operands.iter().map(|&o| writer.known(o)).collect();
            writer.values.push(Known {
                name: format!("v{number}"),
                vector: operands.iter().any(|o| o.vector),
                hoisted: operands.iter().all(|o| o.hoisted),
            });
        }
        writer
    }

    pub(super) fn known(&self, value: ValueRef) -> Known {
        match value {
            ValueRef::Leaf(number) => self.leaves[number].clone(),
            ValueRef::Value(number) => self.values[number].clone(),
            ValueRef::Constant(number) => {
                Known { name: format!("c{number}"), vector: false, hoisted: true }
            }
        }
    }

    pub(super) fn type_of(&self, value: ValueRef) -> ElementType {
        match value {
            ValueRef::Leaf(number) => self.kernel.leaves[number].element_type,
            ValueRef::Constant(number) => self.kernel.constants[number],
            ValueRef::Value(number) => self.kernel.values[number].element_type,
        }
    }

    /// The name of a value in one quad of the unit.
    pub(super) fn in_quad(&self, known: &Known, quad: usize) -> String {
        if known.vector && self.kernel.quads > 1 {
            format!("{}_{quad}", known.name)
        } else {
            known.name.clone()
        }
    }

    pub(super) fn quads(&self) -> usize {
        self.kernel.quads as usize
    }

    pub(super) fn leaves_where(&self, hoisted: bool) -> impl Iterator<Item = usize> {
        (0..self.leaves.len()).filter(move |&number| self.leaves[number].hoisted == hoisted)
    }

    pub(super) fn leaves_of(&self, access: Access) -> impl Iterator<Item = usize> {
        let leaves = &self.kernel.leaves;
        (0..leaves.len()).filter(move |&number| leaves[number].access == access)
    }

    fn main(&self) -> String {
        let size = self.kernel.workgroup_size;
        let mut out = String::new();
        line!(out, "@compute @workgroup_size({size})");
        line!(
            out,
            "fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{"
        );
        line!(out, "    let line = group.y * params.fold + group.x;");
        match self.kernel.schedule {
            Schedule::Flat | Schedule::Short => self.flat(&mut out),
            Schedule::Rows | Schedule::Periods => self.rows(&mut out),
            Schedule::Blocks => self.blocks(&mut out),
            Schedule::Carry => self.carry(&mut out),
        }
        line!(out, "}}");
        out
    }
}
