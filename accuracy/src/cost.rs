//! Measures what accurate functions cost against relaxed ones, by turns in one run, by medians.
//!
//! Each function is measured alone, as a kernel that reads an array, computes and writes, and as
//! the sum of eight applications, where memory counts for little.

use std::fmt::Write as _;
use std::time::Instant;

use indim::{AnyArray, Builder, Computation, Context, ElementType, Op, Opcode, Precision, Scalar};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::column::Adapter;
use crate::function::{Function, Operation};
use crate::special::mix;

/// Elements of each array.
const ELEMENTS: usize = 1 << 22;

/// Samples of each kernel.
const SAMPLES: usize = 31;

/// Applications whose sum is the longer kernel.
const MANY: u8 = 8;

/// The two precisions, the two kernels of each.
const KINDS: [(Precision, u8); 4] = [
    (Precision::Accurate, 1),
    (Precision::Relaxed, 1),
    (Precision::Accurate, MANY),
    (Precision::Relaxed, MANY),
];

/// The cost of one function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Its name.
    pub op: String,
    /// The adapter's name.
    pub adapter: String,
    /// Its backend.
    pub backend: String,
    /// Elements of each array.
    pub elements: usize,
    /// Median of the accurate kernel in ms.
    pub accurate_ms: f64,
    /// Median of the relaxed one.
    pub relaxed_ms: f64,
    /// Accurate by relaxed.
    pub ratio: f64,
    /// Medians of the kernels with eight applications, in ms.
    pub accurate_eight_ms: f64,
    /// The same, relaxed.
    pub relaxed_eight_ms: f64,
    /// Accurate by relaxed.
    pub ratio_eight: f64,
}

/// Measures a function; returns nothing if both precisions give the same kernel.
///
/// # Errors
/// The error that the device reports.
pub fn measure(function: &Function, context: &Context) -> Result<Option<Cost>> {
    // Conversions and the like have one precision only.
    if !matches!(function.operation, Operation::Unary(_) | Operation::Binary(_))
        || function.operation == Operation::Binary(Opcode::NextAfter)
    {
        return Ok(None);
    }
    let mut kernels = Vec::new();
    for (precision, times) in KINDS {
        kernels.push(kernel(function, precision, times)?);
    }
    if text(&kernels[0], context)? == text(&kernels[1], context)? {
        return Ok(None);
    }
    let (low, high) = range(&function.name);
    let array = |seed: u64| -> Result<AnyArray> {
        let at = |i: usize| (mix(seed + i as u64) >> 40) as f32 / (1 << 24) as f32;
        let data: Vec<f32> = (0..ELEMENTS).map(|i| low + at(i) * (high - low)).collect();
        Ok(context.array([ELEMENTS], &data)?.as_any().clone())
    };
    let arguments = [array(0)?, array(1 << 32)?];
    let operands = if function.is_binary() { 2 } else { 1 };
    let arguments: Vec<&AnyArray> = arguments.iter().take(operands).collect();
    let mut samples: [Vec<f64>; KINDS.len()] = std::array::from_fn(|_| Vec::new());
    for turn in 0..=SAMPLES {
        for (kernel, samples) in kernels.iter().zip(&mut samples) {
            let begin = Instant::now();
            let result = context.run(kernel, &arguments)?;
            context.wait()?;
            let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
            drop(result);
            // The first turn compiles.
            if turn > 0 {
                samples.push(milliseconds);
            }
        }
    }
    let [accurate, relaxed, accurate_eight, relaxed_eight] = samples.map(median);
    let Adapter { name, backend, .. } = Adapter::of(context);
    Ok(Some(Cost {
        op: function.name.clone(),
        adapter: name,
        backend,
        elements: ELEMENTS,
        accurate_ms: rounded(accurate),
        relaxed_ms: rounded(relaxed),
        ratio: rounded(accurate / relaxed),
        accurate_eight_ms: rounded(accurate_eight),
        relaxed_eight_ms: rounded(relaxed_eight),
        ratio_eight: rounded(accurate_eight / relaxed_eight),
    }))
}

/// Returns the WGSL of a computation's kernels.
fn text(computation: &Computation, context: &Context) -> Result<Vec<String>> {
    let explanation = context.plan_limits().explain(computation)?;
    Ok(explanation.kernels.into_iter().map(|kernel| kernel.wgsl).collect())
}

/// Returns operands for which results are numbers.
fn range(name: &str) -> (f32, f32) {
    match name {
        "Asin" | "Acos" | "Atanh" | "ErfInv" => (-1.0, 1.0),
        "Acosh" => (1.0, 16.0),
        "Log" | "Sqrt" | "Rsqrt" | "Pow" | "Lgamma" | "Digamma" => (0.01, 16.0),
        "Log1p" => (-0.99, 16.0),
        _ => (-8.0, 8.0),
    }
}

/// Returns the sum of `times` applications: to x alone for one, else to x, 2x, 3x and so on.
fn kernel(function: &Function, precision: Precision, times: u8) -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [ELEMENTS])?;
    let y =
        if function.is_binary() { Some(b.parameter(ElementType::F32, [ELEMENTS])?) } else { None };
    b.set_precision(precision);
    let mut sum: Option<Op> = None;
    for time in 0..times {
        // Slightly different, so that nothing is computed once for all.
        let factor = b.constant(Scalar::new(1.0 - f32::from(time) / 64.0))?;
        let x = if time == 0 { x } else { b.binary(Opcode::Mul, x, factor, &[])? };
        let result = match (function.operation, y) {
            (Operation::Binary(opcode), Some(y)) => b.binary(opcode, x, y, &[])?,
            (Operation::Unary(opcode), _) => b.unary(opcode, x)?,
            _ => return Err(format!("{} has no cost", function.name).into()),
        };
        sum = Some(match sum {
            Some(sum) => b.binary(Opcode::Add, sum, result, &[])?,
            None => result,
        });
    }
    Ok(b.build(sum.unwrap_or(x))?)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Rounds to a thousandth.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Returns the geometric mean.
fn mean(ratios: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = ratios.len() as f64;
    (ratios.map(f64::ln).sum::<f64>() / count).exp()
}

/// Returns a table in Markdown, with the geometric means at its end.
///
/// # Errors
/// None today.
pub fn table(costs: &[Cost]) -> Result<String> {
    let mut text = String::from("# Cost of accurate functions\n\n");
    if let Some(first) = costs.first() {
        writeln!(text, "{}, {}; {} elements.", first.adapter, first.backend, first.elements)?;
    }
    text.push_str(
        "Medians in ms of kernels that ran by turns, and accurate by relaxed: one application, read \
         from\nmemory and written to it, and the sum of eight. Functions that are one \
         kernel in both\nprecisions are left out.\n\n\
         | function | accurate | relaxed | ratio | eight accurate | eight relaxed | ratio |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for c in costs {
        let times = [c.accurate_ms, c.relaxed_ms, c.accurate_eight_ms, c.relaxed_eight_ms];
        let [accurate, relaxed, accurate_eight, relaxed_eight] = times;
        writeln!(
            text,
            "| {} | {accurate:.2} | {relaxed:.2} | {:.2} | {accurate_eight:.2} | {relaxed_eight:.2} | {:.2} |",
            c.op, c.ratio, c.ratio_eight
        )?;
    }
    let (one, eight) =
        (mean(costs.iter().map(|c| c.ratio)), mean(costs.iter().map(|c| c.ratio_eight)));
    writeln!(text, "| geometric mean | | | {one:.2} | | | {eight:.2} |")?;
    Ok(text)
}
