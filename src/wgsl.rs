//! Writes a kernel's WGSL. The only writer of WGSL; its text depends on the kernel's structure
//! alone, so that a new shape, stride or constant compiles nothing.
//!
//! Every buffer holds u32 words, bound as quads of 16 bytes where it can be: four elements, or one
//! word of four for PRED. Values inside the kernel have their own types, as scalars where they are
//! the same for the whole quad and as vectors of four where they are not; what does not vary along
//! a tile of rows is loaded and computed before the loop over them.

use std::fmt::Write as _;

use crate::element::ElementType;
use crate::lower::{Value, ValueRef};
use crate::opcode::{self, Opcode, Spelling};
use crate::plan::{Access, Kernel, Schedule};
use crate::shader_library;

/// The text of a kernel's module. Its entry point is `main`.
pub(crate) fn text(kernel: &Kernel) -> String {
    let body = Writer::new(kernel).main();
    let mut text = String::new();
    declarations(kernel, &mut text);
    text.push_str(&shader_library::needed_by(&body));
    text.push_str(&body);
    text
}

// `writeln!` into a String cannot fail; the macro keeps the reader from wondering at each line.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => { let _ = writeln!($out, $($arg)*); };
}

fn declarations(kernel: &Kernel, out: &mut String) {
    line!(out, "struct Params {{");
    let fields = kernel.fields();
    for field in &fields {
        line!(out, "    {field}: u32,");
    }
    for pad in fields.len()..kernel.header_words() {
        line!(out, "    pad_{pad}: u32,");
    }
    if !kernel.constants.is_empty() {
        line!(out, "    constants: array<vec4<u32>, {}>,", kernel.constants.len().div_ceil(4));
    }
    line!(out, "}}");
    let space = if kernel.params_in_storage { "storage, read" } else { "uniform" };
    line!(out, "@group(0) @binding(0) var<{space}> params: Params;");
    for (number, binding) in kernel.bindings.iter().enumerate() {
        let ty = if binding.quads { "vec4<u32>" } else { "u32" };
        line!(
            out,
            "@group(0) @binding({}) var<storage, read> in_{number}: array<{ty}>;",
            number + 1
        );
    }
    let ty = if kernel.element_type == ElementType::Pred { "u32" } else { "vec4<u32>" };
    line!(
        out,
        "@group(0) @binding({}) var<storage, read_write> result: array<{ty}>;\n",
        kernel.bindings.len() + 1
    );
}

/// A value as text: its name and how it varies.
#[derive(Clone)]
struct Known {
    name: String,
    /// A vector of four; else one scalar for the whole quad.
    vector: bool,
    /// Known before the loop.
    hoisted: bool,
}

struct Writer<'a> {
    kernel: &'a Kernel,
    leaves: Vec<Known>,
    values: Vec<Known>,
    /// Whether a value must be kept from being rewritten together with its uses.
    guarded: Vec<bool>,
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
        let mut writer =
            Self { kernel, leaves, values: Vec::new(), guarded: guarded_values(kernel) };
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

    fn known(&self, value: ValueRef) -> Known {
        match value {
            ValueRef::Leaf(number) => self.leaves[number].clone(),
            ValueRef::Value(number) => self.values[number].clone(),
            ValueRef::Constant(number) => {
                Known { name: format!("c{number}"), vector: false, hoisted: true }
            }
        }
    }

    // ---- the entry point, by schedule ----------------------------------------------------------

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
            Schedule::Flat => self.flat(&mut out),
            Schedule::Rows => self.rows(&mut out),
            Schedule::Carry => self.carry(&mut out),
        }
        line!(out, "}}");
        out
    }

    fn flat(&self, out: &mut String) {
        let (size, quads) = (self.kernel.workgroup_size, self.kernel.quads_per_invocation);
        let (first, count, step) = if self.kernel.interleaved {
            let count = format!("(params.total - first + {}u) / {size}u", size - 1);
            (format!("line * {}u + local", size * quads), count, format!("k * {size}u"))
        } else {
            let first = format!("(line * {size}u + local) * {quads}u");
            (first, "params.total - first".to_owned(), "k".to_owned())
        };
        line!(out, "    let first = {first};");
        line!(out, "    if first >= params.total {{ return; }}");
        line!(out, "    let quads = min({quads}u, {count});");
        self.constants(out);
        for (number, _) in self.leaves_where(true) {
            line!(out, "    let o{number} = params.offset_{number};");
            self.load(out, "    ", number);
        }
        self.operations(out, "    ", true);
        line!(out, "    for (var k = 0u; k < quads; k++) {{");
        line!(out, "        let quad = first + {step};");
        for (number, _) in self.leaves_where(false) {
            line!(
                out,
                "        let o{number} = params.offset_{number} + quad * 4u * params.stride_{number}_0;"
            );
            self.load(out, "        ", number);
        }
        self.operations(out, "        ", false);
        line!(out, "        result[quad] = {};", self.stored());
        line!(out, "    }}");
    }

    fn rows(&self, out: &mut String) {
        let rank = self.kernel.rank;
        let (row, inner) = (rank - 2, rank - 1);
        line!(out, "    let id = line * {}u + local;", self.kernel.workgroup_size);
        line!(out, "    if id >= params.total {{ return; }}");
        line!(out, "    let column = id % params.row_quads;");
        line!(out, "    let tiles = id / params.row_quads;");
        line!(out, "    let first = (tiles % params.row_tiles) * params.tile_rows;");
        line!(out, "    let outer = tiles / params.row_tiles;");
        line!(out, "    let rows = min(params.tile_rows, params.size_{row} - first);");
        self.coordinates(out, "outer", row);
        line!(
            out,
            "    var quad = (outer * params.size_{row} + first) * params.row_quads + column;"
        );
        for number in 0..self.leaves.len() {
            let mut offset = format!(
                "params.offset_{number} + column * 4u * params.stride_{number}_{inner} + first * params.stride_{number}_{row}"
            );
            for d in 0..row {
                let _ = write!(offset, " + i{d} * params.stride_{number}_{d}");
            }
            line!(out, "    var o{number} = {offset};");
        }
        self.constants(out);
        for (number, _) in self.leaves_where(true) {
            self.load(out, "    ", number);
        }
        self.operations(out, "    ", true);
        line!(out, "    for (var row = 0u; row < rows; row++) {{");
        for (number, _) in self.leaves_where(false) {
            self.load(out, "        ", number);
        }
        self.operations(out, "        ", false);
        line!(out, "        result[quad] = {};", self.stored());
        line!(out, "        quad += params.row_quads;");
        for (number, _) in self.leaves_where(false) {
            line!(out, "        o{number} += params.stride_{number}_{row};");
        }
        line!(out, "    }}");
    }

    fn carry(&self, out: &mut String) {
        let rank = self.kernel.rank;
        let quads = self.kernel.quads_per_invocation;
        line!(out, "    let first = (line * {}u + local) * {quads}u;", self.kernel.workgroup_size);
        line!(out, "    if first >= params.total {{ return; }}");
        line!(out, "    let flat = first * 4u;");
        self.coordinates(out, "flat", rank);
        let gathered: Vec<usize> = (0..self.leaves.len())
            .filter(|&n| self.kernel.leaves[n].access == Access::Gather)
            .collect();
        for &number in &gathered {
            let mut offset = format!("params.offset_{number}");
            for d in 0..rank {
                let _ = write!(offset, " + i{d} * params.stride_{number}_{d}");
            }
            line!(out, "    var o{number} = {offset};");
        }
        self.constants(out);
        for (number, _) in self.leaves_where(true) {
            line!(out, "    let o{number} = params.offset_{number};");
            self.load(out, "    ", number);
        }
        self.operations(out, "    ", true);
        line!(out, "    let quads = min({quads}u, params.total - first);");
        line!(out, "    for (var k = 0u; k < quads; k++) {{");
        line!(out, "        let quad = first + k;");
        for (number, _) in self.leaves_where(false) {
            if self.kernel.leaves[number].access == Access::Contiguous {
                line!(out, "        let o{number} = params.offset_{number} + quad * 4u;");
                self.load(out, "        ", number);
            }
        }
        for lane in 0..4 {
            for &number in &gathered {
                let element = self.element(number, &format!("o{number}"));
                line!(out, "        let x{number}_{lane} = {element};");
            }
            self.step(out, &gathered);
        }
        for &number in &gathered {
            let ty = vector_type(self.kernel.leaves[number].element_type);
            line!(
                out,
                "        let x{number} = {ty}(x{number}_0, x{number}_1, x{number}_2, x{number}_3);"
            );
        }
        self.operations(out, "        ", false);
        line!(out, "        result[quad] = {};", self.stored());
        line!(out, "    }}");
    }

    /// The coordinates along the first `rank` dimensions of position `index`.
    fn coordinates(&self, out: &mut String, index: &str, rank: usize) {
        let mut rest = index.to_owned();
        for d in (1..rank).rev() {
            let keyword = if self.kernel.schedule == Schedule::Carry { "var" } else { "let" };
            line!(out, "    {keyword} i{d} = {rest} % params.size_{d};");
            line!(out, "    let rest_{d} = {rest} / params.size_{d};");
            rest = format!("rest_{d}");
        }
        if rank > 0 {
            line!(out, "    let i0 = {rest};");
        }
    }

    /// One element further along the innermost dimension, with carry into the outer ones.
    fn step(&self, out: &mut String, gathered: &[usize]) {
        let inner = self.kernel.rank - 1;
        line!(out, "        i{inner}++;");
        for number in gathered {
            line!(out, "        o{number} += params.stride_{number}_{inner};");
        }
        let mut indent = "        ".to_owned();
        for d in (0..inner).rev() {
            line!(out, "{indent}if i{} == params.size_{} {{", d + 1, d + 1);
            indent.push_str("    ");
            line!(out, "{indent}i{} = 0u;", d + 1);
            // The outermost coordinate has nowhere to carry to, so nothing asks for it.
            if d > 0 {
                line!(out, "{indent}i{d}++;");
            }
            for number in gathered {
                line!(out, "{indent}o{number} += params.carry_{number}_{d};");
            }
        }
        for _ in 0..inner {
            indent.truncate(indent.len() - 4);
            line!(out, "{indent}}}");
        }
    }

    // ---- loads, operations, the store ----------------------------------------------------------

    fn leaves_where(&self, hoisted: bool) -> impl Iterator<Item = (usize, &Known)> {
        self.leaves.iter().enumerate().filter(move |(_, known)| known.hoisted == hoisted)
    }

    fn constants(&self, out: &mut String) {
        for (number, &element_type) in self.kernel.constants.iter().enumerate() {
            let component = ["x", "y", "z", "w"][number % 4];
            let word = format!("params.constants[{}].{component}", number / 4);
            line!(out, "    let c{number} = {};", from_bits(element_type, &word, false));
        }
    }

    /// Declares `x{number}`, read at element `o{number}`.
    fn load(&self, out: &mut String, indent: &str, number: usize) {
        let leaf = &self.kernel.leaves[number];
        let offset = format!("o{number}");
        let text = match (leaf.access, leaf.binding) {
            (Access::Splat, _) => self.element(number, &offset),
            (Access::Contiguous, Some(binding)) => {
                let quad = format!("in_{binding}[{offset} >> 2u]");
                if leaf.element_type == ElementType::Pred {
                    format!(
                        "((vec4<u32>({quad}) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u)"
                    )
                } else {
                    from_bits(leaf.element_type, &quad, true)
                }
            }
            // An iota's element is its offset.
            (Access::Contiguous, None) => iota(
                leaf.element_type,
                &format!("(vec4<u32>({offset}) + vec4<u32>(0u, 1u, 2u, 3u))"),
                true,
            ),
            (Access::Gather, _) => {
                let inner = self.kernel.rank - 1;
                let elements: Vec<String> = (0..4)
                    .map(|lane| {
                        let at = format!("{offset} + {lane}u * params.stride_{number}_{inner}");
                        self.element(number, &format!("({at})"))
                    })
                    .collect();
                format!("{}({})", vector_type(leaf.element_type), elements.join(", "))
            }
        };
        line!(out, "{indent}let x{number} = {text};");
    }

    /// The single element of leaf `number` at `offset`.
    fn element(&self, number: usize, offset: &str) -> String {
        let leaf = &self.kernel.leaves[number];
        let Some(binding) = leaf.binding else {
            return iota(leaf.element_type, offset, false);
        };
        if leaf.element_type == ElementType::Pred {
            return format!(
                "(((in_{binding}[{offset} >> 2u] >> (({offset} & 3u) * 8u)) & 255u) != 0u)"
            );
        }
        let word = if self.kernel.bindings[binding].quads {
            format!("in_{binding}[{offset} >> 2u][{offset} & 3u]")
        } else {
            format!("in_{binding}[{offset}]")
        };
        from_bits(leaf.element_type, &word, false)
    }

    fn operations(&self, out: &mut String, indent: &str, hoisted: bool) {
        for (number, value) in self.kernel.values.iter().enumerate() {
            let known = &self.values[number];
            if known.hoisted == hoisted {
                let mut text = self.operation(value, known.vector);
                if self.guarded[number] {
                    text = fill(GUARD, &[text], known.vector);
                }
                line!(out, "{indent}let {} = {text};", known.name);
            }
        }
    }

    fn operation(&self, value: &Value, vector: bool) -> String {
        let spelling = match value.opcode {
            Opcode::ConvertElementType => opcode::conversion(value.from, value.element_type),
            Opcode::BitcastConvertType => opcode::bitcast(value.element_type),
            op => op.spelling(value.from),
        };
        let operands: Vec<Known> = value.operands.iter().map(|&o| self.known(o)).collect();
        match spelling {
            Spelling::Scalar(template) if vector => {
                let lanes: Vec<String> = ["x", "y", "z", "w"]
                    .iter()
                    .map(|lane| {
                        let parts: Vec<String> = operands
                            .iter()
                            .map(|o| {
                                if o.vector { format!("{}.{lane}", o.name) } else { o.name.clone() }
                            })
                            .collect();
                        fill(template, &parts, false)
                    })
                    .collect();
                format!("{}({})", vector_type(value.element_type), lanes.join(", "))
            }
            Spelling::Any(template) | Spelling::Scalar(template) => {
                let mut parts: Vec<String> = operands
                    .iter()
                    .zip(&value.operands)
                    .map(|(known, &operand)| self.widened(known, operand, vector))
                    .collect();
                // `x - x` is not 0 and `x / x` not 1 where x is infinite.
                if value.from == ElementType::F32 && parts.len() == 2 && parts[0] == parts[1] {
                    parts[1] = fill(GUARD, &parts[1..], vector);
                }
                fill(template, &parts, vector)
            }
            // Inference refuses these, so that no kernel has one; the text would not compile.
            Spelling::No => String::new(),
        }
    }

    /// The operand at the width of the operation.
    fn widened(&self, known: &Known, operand: ValueRef, vector: bool) -> String {
        if known.vector || !vector {
            return known.name.clone();
        }
        format!("{}({})", vector_type(self.type_of(operand)), known.name)
    }

    fn type_of(&self, value: ValueRef) -> ElementType {
        match value {
            ValueRef::Leaf(number) => self.kernel.leaves[number].element_type,
            ValueRef::Constant(number) => self.kernel.constants[number],
            ValueRef::Value(number) => self.kernel.values[number].element_type,
        }
    }

    /// The result's quad as words.
    fn stored(&self) -> String {
        let result = self.kernel.result;
        let quad = self.widened(&self.known(result), result, true);
        match self.kernel.element_type {
            ElementType::Pred => {
                format!(
                    "dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), {quad}), vec4<u32>(1u))"
                )
            }
            ElementType::U32 => quad,
            ElementType::S32 | ElementType::F32 => format!("bitcast<vec4<u32>>({quad})"),
        }
    }
}

/// Whether an operation only passes on the bits of another value, or changes its sign.
fn moves_float(value: &Value) -> bool {
    use Opcode::{Abs, BitcastConvertType, Neg, Select};
    matches!(value.opcode, Abs | BitcastConvertType | Neg | Select)
}

/// The float values that pass through [`GUARD`]: those that something is computed from.
///
/// Compilers rewrite neighbouring operations together: they contract a product and a sum, cancel
/// `(x + y) - x` and `-(-x) - x`, take `1 / (1 / x)` for `x` and `0 * x` for 0. XLA rounds each by
/// itself. (Measured: lavapipe does all of these but the contraction, which GPUs do.) Moves are
/// seen through, so that they need no guard among themselves.
fn guarded_values(kernel: &Kernel) -> Vec<bool> {
    let mut guarded = vec![false; kernel.values.len()];
    for value in kernel.values.iter().filter(|value| !moves_float(value)) {
        for &operand in &value.operands {
            if let ValueRef::Value(number) = operand {
                guarded[number] = kernel.values[number].element_type == ElementType::F32;
            }
        }
    }
    guarded
}

/// The same value, by way of its bits and a zero that no compiler knows to be one.
const GUARD: &str = "bitcast<{F}>(bitcast<{U}>({a}) ^ {U}(params.zero))";

fn vector_type(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Pred => "vec4<bool>",
        ElementType::S32 => "vec4<i32>",
        ElementType::U32 => "vec4<u32>",
        ElementType::F32 => "vec4<f32>",
    }
}

/// A word, or a vector of words, as a value of this type.
fn from_bits(element_type: ElementType, word: &str, vector: bool) -> String {
    match element_type {
        ElementType::Pred => fill("({a} != {U}(0u))", &[word.to_owned()], vector),
        ElementType::U32 => word.to_owned(),
        ElementType::S32 => fill("bitcast<{I}>({a})", &[word.to_owned()], vector),
        ElementType::F32 => fill("bitcast<{F}>({a})", &[word.to_owned()], vector),
    }
}

/// A position as an iota's value. Inference refuses PRED, which has no spelling.
fn iota(element_type: ElementType, position: &str, vector: bool) -> String {
    match Opcode::Iota.spelling(element_type) {
        Spelling::Any(template) | Spelling::Scalar(template) => {
            fill(template, &[position.to_owned()], vector)
        }
        Spelling::No => String::new(),
    }
}

/// A spelling with its operands and types put in.
fn fill(template: &str, operands: &[String], vector: bool) -> String {
    let types = if vector {
        ["vec4<f32>", "vec4<i32>", "vec4<u32>", "vec4<bool>"]
    } else {
        ["f32", "i32", "u32", "bool"]
    };
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        // Every brace in a spelling is of the form {X}.
        let (key, after) = rest[start + 1..].split_once('}').unwrap_or((&rest[start + 1..], ""));
        out.push_str(match key {
            "a" => &operands[0],
            "b" => &operands[1],
            "c" => &operands[2],
            "F" => types[0],
            "I" => types[1],
            "U" => types[2],
            _ => types[3],
        });
        rest = after;
    }
    out.push_str(rest);
    out
}
