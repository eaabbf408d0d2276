//! Counts what the random programs had in them, so that a test which passes can show that it
//! looked everywhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use indim::plan::{Explanation, KernelExplanation, PlanLimits, Schedule, Source};
use indim::{ElementType, Opcode};

use indim_testing::programs::build::Attempts;
use indim_testing::programs::compare::Tally;
use indim_testing::programs::program::{Call, Place, Program};
use indim_testing::programs::shapes::{HIGHEST_RANK, INNER_SIZES};

/// Counts how often each thing was seen, by its name.
type Counts = BTreeMap<String, u64>;

#[derive(Default)]
pub(crate) struct Coverage {
    pub(crate) programs: u64,
    pub(crate) tally: Tally,
    counts: BTreeMap<&'static str, Counts>,
}

impl Coverage {
    pub(crate) fn count(&mut self, topic: &'static str, name: impl fmt::Display) {
        *self.counts.entry(topic).or_default().entry(name.to_string()).or_default() += 1;
    }

    /// Adds what was seen elsewhere.
    pub(crate) fn add(&mut self, other: Self) {
        self.programs += other.programs;
        self.tally.add(other.tally);
        for (topic, counts) in other.counts {
            let own = self.counts.entry(topic).or_default();
            for (name, count) in counts {
                *own.entry(name).or_default() += count;
            }
        }
    }

    /// Counts what is in the program itself, which has nothing that its result does not need.
    pub(crate) fn program(&mut self, program: &Program) {
        self.programs += 1;
        let root = &program.root().ty;
        self.count("result", root.element);
        self.count("rank", root.dims.len());
        if let Some(&inner) = root.dims.last() {
            self.count("inner size", inner);
        }
        if root.dims.contains(&0) {
            self.count("shape", "zero elements");
        }
        self.count("operands", program.parameters().count());
        self.count("depth", depth(program));
        let mut uses: BTreeMap<usize, (usize, BTreeSet<String>)> = BTreeMap::new();
        let mut calls: HashMap<_, BTreeSet<String>> = HashMap::new();
        for node in &program.nodes {
            self.count("op", node.call.opcode().name());
            if let Call::Reshape { x, .. } = &node.call {
                self.count("reshape", reshaped(&program.nodes[*x].ty.dims, &node.ty.dims));
            }
            let dims = match &node.call {
                Call::Binary { dims, .. } | Call::BroadcastInDim { dims, .. } => {
                    format!("{dims:?}")
                }
                Call::Transpose { .. }
                | Call::Slice { .. }
                | Call::Reverse { .. }
                | Call::Reshape { .. } => {
                    // Without the operand, which differs anyway.
                    indim_testing::programs::views::of(node.call.clone(), 0).to_string()
                }
                _ => String::new(),
            };
            if !dims.is_empty() && dims != "[]" {
                let call = (node.call.opcode(), node.call.operands(), &node.ty);
                calls.entry(call).or_default().insert(dims.clone());
            }
            for operand in node.call.operands() {
                // The way in which an operand broadcasts is known by its target and dims.
                let map = format!("{dims} into {:?}", node.ty.dims);
                let entry = uses.entry(operand).or_default();
                entry.0 += 1;
                entry.1.insert(map);
            }
        }
        for (id, (times, maps)) in &uses {
            let operation = !program.nodes[*id].call.operands().is_empty();
            if *times > 1 {
                self.count("sharing", if operation { "operation" } else { "leaf" });
            }
            if maps.len() > 1 && !program.nodes[*id].ty.dims.is_empty() {
                self.count("sharing", "under two broadcasts");
            }
            let viewed = maps.iter().filter(|map| map.contains("(%0)")).count();
            if viewed > 0 && maps.len() > 1 {
                let what = if operation { "an operation" } else { "a leaf" };
                self.count("sharing", format!("{what} under two views"));
            }
        }
        if calls.values().any(|dims| dims.len() > 1) {
            self.count("sharing", "calls that differ in dims only");
        }
        let parameters: Vec<_> = program.parameters().collect();
        for parameter in &parameters {
            let own = parameter.place == Place::Uploaded;
            self.count("place", if own { "uploaded" } else { "foreign" });
        }
        if (1..parameters.len()).any(|i| parameters[..i].contains(&parameters[i])) {
            self.count("sharing", "one array for two parameters");
        }
    }

    /// Counts what the library made of it.
    pub(crate) fn explanation(&mut self, explanation: &Explanation, limits: &PlanLimits) {
        let kernels = &explanation.kernels;
        self.count("kernels", kernels.len().min(4));
        for kernel in kernels {
            self.ends(kernel, limits);
            self.count("schedule", kernel.schedule);
            self.reduction(kernel, kernels);
            self.count("merged rank", kernel.iteration_space.len());
            if kernel.space != kernel.shape.dims() {
                let how = if kernel.space.len() > kernel.shape.rank() { "more" } else { "other" };
                self.count("space", format!("{how} dimensions than the result"));
            }
            if kernel.ops == 0 && matches!(kernel.writes[0].array, Source::Temporary(_)) {
                self.count("space", "a copy as a temporary");
            }
            let mut sources: Vec<_> = kernel.operands.iter().map(|o| o.source).collect();
            let reads = sources.len();
            sources.sort_unstable();
            sources.dedup();
            if sources.len() < reads {
                self.count("view", "one source in several");
            }
            for operand in &kernel.operands {
                self.count("access", operand.access);
                let negative = operand.strides.iter().any(|&stride| stride < 0);
                let source = if operand.source == Source::Iota { " of an iota" } else { "" };
                if negative {
                    self.count("view", format!("negative stride{source}"));
                }
                if operand.offset > 0 {
                    self.count("view", format!("offset{source}"));
                }
                if operand.merged_strides.last().is_some_and(|&stride| stride.abs() > 1) {
                    self.count("view", format!("{} with an inner stride", kernel.schedule));
                }
                let hoisted = if operand.hoisted { " hoisted" } else { "" };
                self.count("walk", format!("{} {}{hoisted}", kernel.schedule, operand.access));
                self.count("walk of type", format!("{} {}", operand.element_type, operand.access));
            }
        }
    }

    /// Counts how a kernel reduces, if it does.
    fn reduction(&mut self, kernel: &KernelExplanation, all: &[KernelExplanation]) {
        if kernel.reduced.is_empty() {
            return;
        }
        let is_reduced = |source: Source| match source {
            Source::Temporary(number) => !all[number].reduced.is_empty(),
            _ => false,
        };
        for (name, seen) in [
            ("along several dimensions", kernel.reduced.len() > 1),
            ("of another one's results", kernel.operands.iter().any(|o| is_reduced(o.source))),
            ("with operations", kernel.ops > 0),
            ("by a workgroup together", kernel.wgsl.contains("workgroupBarrier")),
            ("in windows", kernel.dispatches > 1),
            ("beside its rows", kernel.passes > 1),
            ("of nothing", kernel.reduced.contains(&0)),
        ] {
            if seen {
                self.count("reduction", name);
            }
        }
    }

    /// Counts where a kernel's tiles, periods and invocations do not come out even, and its
    /// windows.
    fn ends(&mut self, kernel: &KernelExplanation, limits: &PlanLimits) {
        let KernelExplanation { schedule, unit, tile, workgroups: [x, y], .. } = *kernel;
        let count: usize = kernel.iteration_space.iter().product();
        if kernel.dispatches > 1 {
            // Boxes meet where quads do, which rows of other sizes do not have in common: of those
            // elements are stored one by one, and PRED, less than a word, in ranges.
            let whole = kernel.space.last().is_some_and(|inner| inner.is_multiple_of(4));
            self.count(
                "windows",
                match kernel.writes[0].element_type {
                    _ if whole => "boxes",
                    ElementType::Pred => "ranges",
                    _ => "boxes of odd rows",
                },
            );
            if kernel.operands.iter().any(|o| o.offset > 0 || o.strides.iter().any(|&s| s < 0)) {
                self.count("windows", "of a view");
            }
        }
        let inner = kernel.iteration_space.last().copied().unwrap_or(1);
        let rows = kernel.iteration_space.iter().rev().nth(1).copied().unwrap_or(1);
        let period = if schedule == Schedule::Periods { unit / gcd(inner, unit) } else { 1 };
        if schedule == Schedule::Periods && !rows.is_multiple_of(period) {
            self.count("ends", "a last period that ends within");
        }
        if matches!(schedule, Schedule::Rows | Schedule::Periods)
            && tile > 1
            && !rows.div_ceil(period).is_multiple_of(tile)
        {
            self.count("ends", format!("{schedule} that are not whole tiles"));
        }
        if schedule == Schedule::Flat && count > 0 && !count.is_multiple_of(unit) {
            self.count("ends", "a last unit that ends within");
        }
        let invocations = x as usize * y as usize * limits.tuning.workgroup_size as usize;
        // Without branches, invocations past the end also compute, and write after the result.
        let goes_on = !kernel.wgsl.contains("return;");
        if count > 0 && goes_on && invocations > count.div_ceil(unit) {
            self.count("ends", format!("{schedule} with invocations past the end"));
        }
        if y > 1 {
            self.count("ends", "a folded dispatch");
        }
    }

    pub(crate) fn attempts(&mut self, attempts: &Attempts) {
        for label in &attempts.refused {
            self.count("refused", label);
        }
    }

    /// Everything seen less often than required.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut want = |topic: &'static str, name: String, least: u64| {
            let seen = self.counts.get(topic).and_then(|c| c.get(&name)).copied().unwrap_or(0);
            if seen < least {
                missing.push(format!("{topic} {name}: {seen}, less than {least}"));
            }
        };
        for &opcode in Opcode::ALL {
            want("op", opcode.name().to_owned(), 3);
        }
        for element in ElementType::ALL {
            let usual = ["pred", "s32", "u32", "f32"].contains(&element.name());
            want("result", element.name().to_owned(), if usual { 40 } else { 15 });
            for access in ["contiguous", "splat", "gather"] {
                want("walk of type", format!("{element} {access}"), if usual { 10 } else { 3 });
            }
            for access in ["strided", "transposed"] {
                want("walk of type", format!("{element} {access}"), u64::from(usual));
            }
        }
        for rank in 0..=HIGHEST_RANK {
            want("rank", rank.to_string(), 10);
        }
        for &size in INNER_SIZES {
            want("inner size", size.to_string(), 10);
        }
        want("shape", "zero elements".to_owned(), 10);
        for operands in 0..=5 {
            want("operands", operands.to_string(), 5);
        }
        for depth in 0..=6 {
            want("depth", depth.to_string(), 5);
        }
        for sharing in [
            "operation",
            "leaf",
            "under two broadcasts",
            "calls that differ in dims only",
            "one array for two parameters",
        ] {
            want("sharing", sharing.to_owned(), 10);
        }
        for sharing in ["an operation under two views", "a leaf under two views"] {
            want("sharing", sharing.to_owned(), 10);
        }
        for reshape in ["merges", "splits", "both at once", "sizes of 1", "no elements"] {
            want("reshape", reshape.to_owned(), 3);
        }
        for space in [
            "more dimensions than the result",
            "other dimensions than the result",
            "a copy as a temporary",
        ] {
            want("space", space.to_owned(), 5);
        }
        for view in VIEWS {
            want("view", (*view).to_owned(), 3);
        }
        for schedule in REDUCTIONS {
            want("reduction", (*schedule).to_owned(), 3);
        }
        for schedule in ["fold_rows", "fold_columns"] {
            want("schedule", schedule.to_owned(), 20);
        }
        want("schedule", "passes".to_owned(), 5);
        for schedule in ["flat", "rows", "periods", "blocks", "carry"] {
            want("schedule", schedule.to_owned(), 20);
        }
        // Results of at most 512 bytes have no spare memory, and most of those here have no more.
        want("schedule", "short".to_owned(), 10);
        for end in ENDS {
            want("ends", (*end).to_owned(), 3);
        }
        for window in ["boxes", "boxes of odd rows", "ranges", "of a view"] {
            want("windows", window.to_owned(), 1);
        }
        for rank in 1..=5 {
            want("merged rank", rank.to_string(), 10);
        }
        for kernels in 1..=3 {
            want("kernels", kernels.to_string(), 5);
        }
        for walk in WALKS {
            want("walk", (*walk).to_owned(), 2);
        }
        missing
    }

    /// The rules by which nothing was refused.
    pub(crate) fn missing_refusals(&self) -> Vec<&'static str> {
        let seen = |label: &str| self.counts.get("refused").is_some_and(|c| c.contains_key(label));
        LABELS.iter().copied().filter(|label| !seen(label)).collect()
    }
}

/// Views make these of operands.
const VIEWS: &[&str] = &[
    "negative stride",
    "negative stride of an iota",
    "offset",
    "offset of an iota",
    "one source in several",
    "flat with an inner stride",
    "rows with an inner stride",
    "blocks with an inner stride",
];

/// These do not come out even.
const ENDS: &[&str] = &[
    // Whenever the number of rows (of periods) is not a multiple of the tile's, which on lavapipe
    // has several only where a row is kept from one to the next.
    "rows that are not whole tiles",
    "periods that are not whole tiles",
    // Odd rows, a few of which make whole units, and one or two too many of them.
    "a last period that ends within",
    "a last unit that ends within",
    // Without branches, in a last workgroup that is not full.
    "flat with invocations past the end",
    "rows with invocations past the end",
    "periods with invocations past the end",
];

/// An operand of a kernel can be one of these, by the kernel's schedule.
const WALKS: &[&str] = &[
    "flat contiguous",
    "flat splat hoisted",
    "flat strided",
    "flat gather",
    "rows contiguous",
    "rows contiguous hoisted",
    "rows splat",
    "rows splat hoisted",
    "rows strided",
    "rows gather",
    "periods contiguous",
    "periods splat hoisted",
    "periods split",
    "periods gather",
    "periods gather hoisted",
    // A transposed operand, and others beside it.
    "blocks transposed",
    "blocks contiguous",
    "blocks splat",
    "carry gather",
];

/// Reductions are of these kinds.
const REDUCTIONS: &[&str] = &[
    "along several dimensions",
    "of another one's results",
    "with operations",
    "by a workgroup together",
    "in windows",
    "beside its rows",
    "of nothing",
];

/// The rules that a builder can refuse by.
const LABELS: &[&str] = &[
    "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "T1", "T2", "T3", "T4", "S1", "D1", "D2", "D3",
    "D4", "D5", "V1", "V2", "V3", "V4", "V5", "V6", "V7", "V8", "V9", "V10", "R1", "R2", "R3",
    "N1", "I1", "C1",
];

/// Returns what a reshape does to the sizes other than 1.
fn reshaped(from: &[usize], to: &[usize]) -> &'static str {
    let products = |sizes: &[usize]| -> BTreeSet<usize> {
        let product = |n: &mut usize, &size: &usize| {
            *n *= size;
            Some(*n)
        };
        sizes.iter().scan(1, product).collect()
    };
    let (from, to) = (products(from), products(to));
    match (from.is_subset(&to), to.is_subset(&from)) {
        _ if from.contains(&0) => "no elements",
        (true, true) => "sizes of 1",
        (true, false) => "splits",
        (false, true) => "merges",
        (false, false) => "both at once",
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// Operations on the longest way from a leaf to the result.
fn depth(program: &Program) -> usize {
    let mut depths: Vec<usize> = Vec::new();
    for node in &program.nodes {
        depths.push(node.call.operands().iter().map(|&id| depths[id] + 1).max().unwrap_or(0));
    }
    depths.last().copied().unwrap_or(0)
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { elements, vague, exact } = self.tally;
        let percent = |part: u64| 100.0 * part as f64 / elements.max(1) as f64;
        writeln!(f, "{} programs, {elements} elements compared:", self.programs)?;
        writeln!(f, "  {:.1} % known to the bit, {:.2} % vague", percent(exact), percent(vague))?;
        for (topic, counts) in &self.counts {
            let shown: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
            writeln!(f, "  {topic}: {}", shown.join(", "))?;
        }
        Ok(())
    }
}
