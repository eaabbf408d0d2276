//! Writes a kernel's module. The text depends on the kernel's structure alone, so that a new shape,
//! stride or constant compiles nothing.
//!
//! Every buffer holds words of 4 to 32 bytes. An invocation computes a unit of 1 to 8 quads at
//! once, or three times as many in rows of three elements: a value that is the same for all of them
//! is one scalar, any other one a vector of four for each quad. What does not vary along a tile of
//! rows is loaded and computed before the loop over them. walk/ has the loops, load.rs the
//! loads, store.rs the stores, operation.rs the operations between; wgsl_type.rs has the types of
//! quads, and bits.rs their layout in memory.

use std::fmt::Write as _;

use super::call;
use super::store;
use super::versions::versions;
use super::writer::{Writer, line};
use crate::kernel::body;
use crate::layout::LoadWidth;
use crate::plan::kernel::Kernel;
use indim_core::semantics::element::ElementType;

/// Returns the text of a kernel's module, whose entry point is `main`.
pub fn text(kernel: &Kernel) -> String {
    let versions = versions(kernel.arithmetic, kernel.int64, kernel.through_f64);
    let mut main = String::new();
    Writer::new(kernel).entry_point(&mut main);
    let mut text = String::new();
    declarations(kernel, &mut text);
    text.push_str(&indim_shaders::needed_by(&main, versions));
    text.push_str(&call::functions(kernel));
    text.push_str(&main);
    text
}

fn declarations(kernel: &Kernel, out: &mut String) {
    if kernel.is_half() {
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
    if !kernel.map.constants.is_empty() {
        line!(out, "    constants: array<vec4<u32>, {}>,", kernel.constant_words() / 4);
    }
    line!(out, "}}");
    let space = if kernel.params_in_storage() { "storage, read" } else { "uniform" };
    line!(out, "@group(0) @binding(0) var<{space}> params: Params;");
    for (number, width) in kernel.bindings.iter().enumerate() {
        line!(
            out,
            "@group(0) @binding({}) var<storage, read> in_{number}: array<{}>;",
            number + 1,
            word_type(*width)
        );
    }
    let first = kernel.bindings.len() + 1;
    for (number, output) in kernel.outputs.iter().enumerate() {
        line!(
            out,
            "@group(0) @binding({}) var<storage, read_write> {}: array<{}>;",
            first + number,
            store::buffer(number),
            if kernel.stores_in_words(output) { "atomic<u32>" } else { word_type(output.width) }
        );
    }
    if kernel.has_loops() {
        let (binding, name) = (first + kernel.outputs.len(), call::LOOP_STATUS);
        let words = body::loop_words(&kernel.map.ops).into_iter().flatten().max().unwrap_or(0) + 1;
        line!(
            out,
            "@group(0) @binding({binding}) var<storage, read_write> {name}: array<atomic<u32>, {words}>;"
        );
    }
    line!(out, "");
    for (number, output) in kernel.outputs.iter().enumerate() {
        if kernel.stores_in_words(output) {
            store_element(number, output.element_type, out);
        }
    }
}

/// Returns the type of which a buffer is an array.
pub(super) fn word_type(width: LoadWidth) -> &'static str {
    match width {
        LoadWidth::Bytes4 => "u32",
        LoadWidth::Bytes8 => "vec2<u32>",
        LoadWidth::Bytes16 => "vec4<u32>",
        LoadWidth::Bytes32 => "vec4<u64>",
    }
}

/// Writes a function that stores an element's bits in their lane of a word whose other elements
/// other invocations may store. They may do so between its two steps, since each changes only its
/// own bits.
fn store_element(number: usize, element_type: ElementType, out: &mut String) {
    let (name, result) = (store::store_element(number), store::buffer(number));
    let (bits, each) = (element_type.bits(), element_type.elements_per_word());
    let (mask, log2) = ((1u32 << bits) - 1, each.trailing_zeros());
    line!(out, "fn {name}(at: u32, element: u32) {{");
    line!(out, "    let shift = (at & {}u) * {bits}u;", each - 1);
    line!(out, "    atomicAnd(&{result}[at >> {log2}u], ~({mask}u << shift));");
    line!(out, "    atomicOr(&{result}[at >> {log2}u], (element & {mask}u) << shift);");
    line!(out, "}}\n");
}
