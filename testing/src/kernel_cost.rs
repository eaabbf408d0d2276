//! Counts what a kernel costs an element, on paper: over the SPIR-V that naga writes of it.
//!
//! The options are those of wgpu-hal's Vulkan backend, and the bounds checks those of a class of
//! GPUs; MSL and HLSL have the same loop counters, and checks as [`GpuClass::robust_buffers`] says.
//! What is counted:
//!
//! - instructions: all in a function but loads, stores and access chains, which are the memory's,
//!   and labels and declarations, which are not GPU instructions;
//! - integer operations: those among them that compute, compare, select, convert or shift integers,
//!   or ask for an array's length, and those on truth values; one for each component of a vector,
//!   and [`DIVISION`] for a quotient or a remainder;
//! - float operations: those among them that compute floats, one for each component of a vector;
//! - barriers, at which the invocations of a workgroup wait for each other;
//! - loop counters: rounds of loops, each of which counts down two words;
//! - bounds checks: indices that are compared with an array's length.
//!
//! Both sides of a branch count, and all invocations of a dispatch, those past the end as well: so
//! a count is the most that a kernel takes. A loop's body counts as often as the plan has it run.

use std::collections::BTreeMap;

use indim::Computation;
use indim::plan::{KernelExplanation, PlanLimits, Schedule};
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::gpu_classes::{self, GpuClass};
use crate::patterns;

/// Integer operations that one division of 32 bits counts as: GPUs compute it by a floating-point
/// reciprocal and corrections.
pub const DIVISION: f64 = 20.0;

/// Counts of one invocation, or an element's share of them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    pub instructions: f64,
    pub integer_operations: f64,
    pub float_operations: f64,
    pub barriers: f64,
    pub divisions: f64,
    pub loop_counters: f64,
    pub bounds_checks: f64,
}

impl Cost {
    fn add(&mut self, other: Self, times: f64) {
        self.instructions += other.instructions * times;
        self.integer_operations += other.integer_operations * times;
        self.float_operations += other.float_operations * times;
        self.barriers += other.barriers * times;
        self.divisions += other.divisions * times;
        self.loop_counters += other.loop_counters * times;
        self.bounds_checks += other.bounds_checks * times;
    }
}

/// Returns what a pattern that reduces costs an element of what it reduces, on a class of GPUs.
///
/// # Panics
/// If no pattern has this name, or a kernel cannot be counted.
pub fn of_reduction(name: &str, class: &GpuClass) -> Cost {
    let (computation, elements) = patterns::reduction(name);
    let (limits, robust) = (class.plan_limits(), class.robust_buffers);
    let mut each = Cost::default();
    each.add(of_computation(&computation, &limits, robust, &mut BTreeMap::new()), 1.0 / elements);
    each
}

/// Returns what a pattern of `indim bench` costs an element of its results on a class of GPUs.
///
/// # Panics
/// If no pattern has this name, or a kernel cannot be counted.
pub fn of_pattern(name: &str, class: &GpuClass) -> Cost {
    let (mut cost, mut elements) = (Cost::default(), 0.0);
    let mut known = BTreeMap::new();
    for computation in patterns::computations(name) {
        let limits = class.plan_limits();
        cost.add(of_computation(&computation, &limits, class.robust_buffers, &mut known), 1.0);
        let sizes = computation.shape().dims();
        elements += sizes.iter().map(|&size| size as f64).product::<f64>();
    }
    let mut each = Cost::default();
    each.add(cost, 1.0 / elements);
    each
}

/// Returns a table of the patterns in Markdown, for each set of classes that have the same one, and
/// then such tables of those that reduce.
pub fn tables() -> Vec<(Vec<&'static str>, Vec<String>)> {
    [table, table_of_reductions].into_iter().flat_map(by_classes).collect()
}

/// Returns each table with the classes that have it.
fn by_classes(table: fn(&GpuClass) -> Vec<String>) -> Vec<(Vec<&'static str>, Vec<String>)> {
    let mut tables: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for class in gpu_classes::all() {
        let table = table(&class);
        match tables.iter_mut().find(|(_, known)| *known == table) {
            Some((classes, _)) => classes.push(class.name),
            None => tables.push((vec![class.name], table)),
        }
    }
    tables
}

fn table(class: &GpuClass) -> Vec<String> {
    let head = "| pattern | instructions | integer operations | divisions | loop counters \
                | bounds checks |";
    let row = |name: &str, cost: Cost| {
        let Cost { instructions, integer_operations, divisions, loop_counters, .. } = cost;
        let checks = cost.bounds_checks;
        format!(
            "| `{name}` | {instructions:.1} | {integer_operations:.1} | {divisions:.2} \
             | {loop_counters:.2} | {checks:.1} |"
        )
    };
    let rows = patterns::names().into_iter().map(|name| row(name, of_pattern(name, class)));
    [head.to_owned(), "|---|---|---|---|---|---|".to_owned()].into_iter().chain(rows).collect()
}

fn table_of_reductions(class: &GpuClass) -> Vec<String> {
    let head = "| pattern | instructions | float operations | integer operations | loop counters \
                | barriers |";
    let row = |name: &str| {
        let cost = of_reduction(name, class);
        let Cost { instructions, float_operations, integer_operations, barriers, .. } = cost;
        let counters = cost.loop_counters;
        format!(
            "| `{name}` | {instructions:.1} | {float_operations:.1} | {integer_operations:.1} \
             | {counters:.2} | {barriers:.3} |"
        )
    };
    let rows = patterns::reductions().map(row);
    [head.to_owned(), "|---|---|---|---|---|---|".to_owned()].into_iter().chain(rows).collect()
}

/// Returns what all invocations of a computation's kernels cost. Texts that are `known` are not
/// counted again.
fn of_computation(
    computation: &Computation,
    limits: &PlanLimits,
    robust_buffers: bool,
    known: &mut BTreeMap<String, Cost>,
) -> Cost {
    let explanation = limits.explain(computation).unwrap_or_else(|error| panic!("{error}"));
    let mut cost = Cost::default();
    for kernel in &explanation.kernels {
        let count = || {
            let words = spirv(&kernel.wgsl, robust_buffers);
            Module::read(&words).entry_point(&rounds(kernel, limits))
        };
        let one = *known.entry(kernel.wgsl.clone()).or_insert_with(count);
        // Dispatches halve a space, so that all of them are as large as the first one.
        cost.add(one, invocations(kernel, limits) * kernel.dispatches as f64);
    }
    cost
}

/// Returns how often each loop in a kernel's entry point runs, of those that it has; one in another each
/// time that is run.
fn rounds(kernel: &KernelExplanation, limits: &PlanLimits) -> Vec<f64> {
    match kernel.schedule {
        Schedule::Rows | Schedule::Periods => vec![kernel.tile as f64],
        Schedule::FoldRows => match lanes(kernel, limits) {
            1.0 => vec![reduced(kernel) / kernel.unit as f64],
            // A node of the tree, and a strand of the nodes, of each block.
            lanes => {
                let blocks = (reduced(kernel) / (NODE * NODE)).ceil();
                let block = [NODE / kernel.unit as f64, lanes / STRANDS];
                let above = (blocks > 1.0).then_some(blocks);
                above.into_iter().chain(block).collect()
            }
        },
        // Nodes of the tree in turn.
        Schedule::FoldColumns if reduced(kernel) > NODE => {
            vec![reduced(kernel) / NODE, NODE / STRANDS]
        }
        Schedule::FoldColumns | Schedule::Scan => vec![reduced(kernel) / STRANDS],
        Schedule::Passes => match lanes(kernel, limits) {
            1.0 => vec![reduced(kernel) / kernel.unit as f64; kernel.passes],
            lanes => {
                let pass = [NODE / kernel.unit as f64, lanes / STRANDS];
                let last = reduced(kernel) / kernel.unit as f64 / lanes;
                let written: usize = kernel.shape.dims().iter().product();
                let stores_rows = written > kernel.space.iter().product();
                let folds = kernel.passes - usize::from(stores_rows);
                let all = std::iter::repeat_n(pass, folds).flatten().chain([last]);
                all.take(2 * folds + kernel.passes - folds).collect()
            }
        },
        _ => vec![f64::from(limits.tuning.quads_per_invocation) * 4.0 / kernel.unit as f64],
    }
}

/// Elements of a node of a reduction's tree, and its strands: docs/numerics.md, "Reductions".
const NODE: f64 = 32.0;
const STRANDS: f64 = 4.0;

/// Returns how many elements become one.
fn reduced(kernel: &KernelExplanation) -> f64 {
    kernel.reduced.iter().map(|&size| size as f64).product()
}

/// Returns how many invocations compute an element of the result.
fn lanes(kernel: &KernelExplanation, limits: &PlanLimits) -> f64 {
    let elements: f64 = kernel.space.as_slice().iter().map(|&size| size as f64).product();
    (invocations(kernel, limits) / elements).floor().clamp(1.0, NODE)
}

fn invocations(kernel: &KernelExplanation, limits: &PlanLimits) -> f64 {
    let workgroups: f64 = kernel.workgroups.iter().map(|&groups| f64::from(groups)).product();
    workgroups * f64::from(limits.tuning.workgroup_size)
}

/// Returns the SPIR-V of a kernel as wgpu has it written for Vulkan.
///
/// # Panics
/// If the text is not valid.
pub fn spirv(wgsl: &str, robust_buffers: bool) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(wgsl)));
    let capabilities = Capabilities::SHADER_INT64 | Capabilities::FLOAT64;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(wgsl)));
    let options = spv::Options {
        lang_version: (1, 3),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: if robust_buffers {
                BoundsCheckPolicy::Unchecked
            } else {
                BoundsCheckPolicy::Restrict
            },
            image_load: BoundsCheckPolicy::Unchecked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        force_loop_bounding: true,
        emit_int_div_checks: true,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..Default::default()
    };
    spv::write_vec(&module, &info, &options, None).unwrap_or_else(|error| panic!("{error}"))
}

/// The numbers of SPIR-V's instructions, as its specification has them in section 3.
mod op {
    pub(super) const EXT_INST: u32 = 12;
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const TYPE_BOOL: u32 = 20;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_FLOAT: u32 = 22;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const FUNCTION_PARAMETER: u32 = 55;
    pub(super) const FUNCTION_END: u32 = 56;
    pub(super) const FUNCTION_CALL: u32 = 57;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const STORE: u32 = 62;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const ARRAY_LENGTH: u32 = 68;
    pub(super) const SELECT: u32 = 169;
    pub(super) const BARRIER: u32 = 224;
    pub(super) const LOOP_MERGE: u32 = 246;
    pub(super) const SELECTION_MERGE: u32 = 247;
    pub(super) const LABEL: u32 = 248;
    /// Negation and arithmetic of floats, with dot products and what multiplies matrices.
    pub(super) const FLOATS: [u32; 7] = [127, 129, 131, 133, 136, 142, 148];
    /// Quotients and remainders of integers.
    pub(super) const DIVISIONS: [u32; 5] = [134, 135, 137, 138, 139];
    /// Conversions of and to integers; arithmetic; logic; compares; shifts and bits.
    pub(super) const INTEGERS: [std::ops::RangeInclusive<u32>; 8] =
        [109..=114, 126..=126, 128..=128, 130..=130, 132..=132, 149..=152, 154..=155, 164..=179];
    pub(super) const BITS: std::ops::RangeInclusive<u32> = 194..=205;
    /// Of GLSL.std.450: absolute values, signs, the least, the largest, bounds, places of bits.
    pub(super) const EXTENDED: [u32; 11] = [5, 7, 38, 39, 41, 42, 44, 45, 73, 74, 75];
}

/// The number of components of a value of each type.
type Types = BTreeMap<u32, f64>;

/// A function's instructions, each with its operands.
type Function<'a> = Vec<(u32, &'a [u32])>;

/// A module of SPIR-V, as far as counting needs it.
struct Module<'a> {
    functions: BTreeMap<u32, Function<'a>>,
    entry_point: u32,
    /// Integers and truth values.
    types: Types,
    floats: Types,
}

impl<'a> Module<'a> {
    fn read(words: &'a [u32]) -> Self {
        // The header has five words.
        let mut rest = words.get(5..).unwrap_or_default();
        let mut module = Self {
            functions: BTreeMap::new(),
            entry_point: 0,
            types: Types::new(),
            floats: Types::new(),
        };
        let mut current = None;
        while let Some(&first) = rest.first() {
            let (length, opcode) = ((first >> 16) as usize, first & 0xffff);
            let (instruction, after) = rest.split_at(length);
            let operands = &instruction[1..];
            rest = after;
            match (opcode, operands) {
                (op::ENTRY_POINT, [_, function, ..]) => module.entry_point = *function,
                (op::TYPE_BOOL | op::TYPE_INT, [id, ..]) => {
                    module.types.insert(*id, 1.0);
                }
                (op::TYPE_FLOAT, [id, ..]) => {
                    module.floats.insert(*id, 1.0);
                }
                (op::TYPE_VECTOR, [id, component, count])
                    if module.floats.contains_key(component) =>
                {
                    module.floats.insert(*id, f64::from(*count));
                }
                (op::TYPE_VECTOR, [id, component, count])
                    if module.types.contains_key(component) =>
                {
                    module.types.insert(*id, f64::from(*count));
                }
                (op::FUNCTION, [_, id, ..]) => current = Some(*id),
                (op::FUNCTION_END, _) => current = None,
                _ => {}
            }
            if let Some(id) = current {
                module.functions.entry(id).or_default().push((opcode, operands));
            }
        }
        module
    }

    /// Counts an invocation, given how often each loop of the entry point runs.
    fn entry_point(&self, rounds: &[f64]) -> Cost {
        self.function(self.entry_point, Some(rounds))
    }

    fn function(&self, id: u32, rounds: Option<&[f64]>) -> Cost {
        let (mut cost, mut times) = (Cost::default(), 1.0);
        // The ends of the loops that an instruction is in, and how often that before each is run.
        let mut within: Vec<(u32, f64)> = Vec::new();
        let mut loops = rounds.unwrap_or_default().iter();
        for &(opcode, operands) in &self.functions[&id] {
            match (opcode, operands) {
                (op::LABEL, [label]) if within.last().is_some_and(|(end, _)| end == label) => {
                    times = within.pop().map_or(1.0, |(_, before)| before);
                }
                (op::LOOP_MERGE, [merge, ..]) => {
                    within.push((*merge, times));
                    times *= *loops.next().expect("a loop whose rounds are not known");
                    cost.loop_counters += times;
                }
                (op::FUNCTION_CALL, [_, _, function, ..]) => {
                    cost.add(self.function(*function, None), times);
                }
                _ => cost.add(self.instruction(opcode, operands), times),
            }
        }
        cost
    }

    fn instruction(&self, opcode: u32, operands: &[u32]) -> Cost {
        let mut cost = Cost::default();
        let declares = [op::FUNCTION, op::FUNCTION_PARAMETER, op::VARIABLE, op::SELECTION_MERGE];
        let memory = [op::LABEL, op::LOAD, op::STORE, op::ACCESS_CHAIN];
        if declares.contains(&opcode) || memory.contains(&opcode) {
            return cost;
        }
        if opcode == op::BARRIER {
            cost.barriers = 1.0;
        }
        cost.instructions = 1.0;
        // The type of a result comes first.
        let integers = operands.first().and_then(|result| self.types.get(result));
        let components = integers.copied().unwrap_or(1.0);
        let extended = opcode == op::EXT_INST
            && operands.get(3).is_some_and(|number| op::EXTENDED.contains(number));
        let plain =
            op::INTEGERS.iter().any(|range| range.contains(&opcode) && opcode != op::SELECT)
                || op::BITS.contains(&opcode)
                || opcode == op::SELECT && integers.is_some();
        if op::FLOATS.contains(&opcode) {
            let floats = operands.first().and_then(|result| self.floats.get(result));
            cost.float_operations = floats.copied().unwrap_or(1.0);
        } else if op::DIVISIONS.contains(&opcode) {
            cost.divisions = components;
            cost.integer_operations = DIVISION * components;
        } else if opcode == op::ARRAY_LENGTH {
            cost.bounds_checks = 1.0;
            cost.integer_operations = 1.0;
        } else if plain || extended {
            cost.integer_operations = components;
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "
        @group(0) @binding(0) var<storage, read> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        fn half(x: u32) -> u32 { return x / a[0]; }
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            for (var k = 0u; k < a[1]; k++) { b[id.x] = half(a[id.x] + k); }
        }";

    #[test]
    fn each_round_counts() {
        let words = [true, false].map(|robust| spirv(LOOP, robust));
        let [unchecked, checked] = words.each_ref().map(|words| Module::read(words));
        for rounds in [1.0, 8.0] {
            let [unchecked, checked] =
                [&unchecked, &checked].map(|module| module.entry_point(&[rounds]));
            assert_eq!(unchecked.divisions, rounds);
            assert_eq!(unchecked.loop_counters, rounds);
            assert_eq!(unchecked.bounds_checks, 0.0);
            // Constant indices are also checked.
            assert_eq!(checked.bounds_checks, 4.0 * rounds);
            let more = checked.integer_operations - unchecked.integer_operations;
            assert!(more >= 2.0 * 4.0 * rounds, "{more}");
            assert!(unchecked.integer_operations >= (DIVISION + 4.0) * rounds, "{unchecked:?}");
        }
    }

    #[test]
    fn vectors_count_by_component() {
        let count = |of: &str| {
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> b: array<{of}>;
                @compute @workgroup_size(64)
                fn main(@builtin(local_invocation_index) id: u32) {{ b[id] = b[id] + b[id]; }}"
            );
            Module::read(&spirv(&text, true)).entry_point(&[1.0]).integer_operations
        };
        assert_eq!([count("u32"), count("vec4<u32>"), count("vec4<f32>")], [1.0, 4.0, 0.0]);
    }
}
