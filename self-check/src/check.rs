//! Runs the cases of every assumption on an adapter.

use indim::plan::{Arithmetic, Conversion, Rounding};
use indim::wgpu::{Backend, Features};
use indim::{
    AnyArray, Builder, Computation, Context, ContextOptions, DeviceError, ElementType, Error,
    Literal, Op, Precision, Result, Scalar,
};

use crate::case::{self, Assumption, Case};
use crate::report::{Counterexample, Finding, Outcome, SelfCheck};
use crate::{assumptions, wide};

/// Checks that this context's adapter computes as the library's results require.
///
/// It compiles some 80 small kernels on separate contexts on the same device, so that this one's
/// counts, pool and caches are unaffected. On Mesa's lavapipe it takes 0.3 s.
///
/// No setting repairs an assumption that it finds broken, except for quotients, square roots, F16,
/// conversions of integers to floats, and subnormals: for these the context uses a way that is
/// right ([`arithmetic`](indim::plan::PlanLimits::arithmetic)), which is determined, unless it is known, before anything is
/// tried ([`Context::calibrate`]).
///
/// # Errors
/// [`DeviceError::Lost`]; [`DeviceError::Wgpu`] or [`DeviceError::OutOfMemory`] if the device
/// cannot allocate even the small buffers of a context. Any other failure of a kernel or an array
/// is an [`Outcome::Unanswered`].
pub async fn check(gpu: &Context) -> Result<SelfCheck> {
    check_with_precision(gpu, Precision::Accurate).await
}

/// Blocking version of [`check`].
///
/// # Errors
/// It returns the same errors as [`check`].
#[cfg(not(target_arch = "wasm32"))]
pub fn check_blocking(gpu: &Context) -> Result<SelfCheck> {
    pollster::block_on(check(gpu))
}

/// Version of [`check`] for operations of any precision.
///
/// Relaxed operations break what accurate ones promise, which shows that the check finds something.
///
/// # Errors
/// It returns the same errors as [`check`].
pub async fn check_with_precision(gpu: &Context, precision: Precision) -> Result<SelfCheck> {
    gpu.calibrate().await?;
    let arithmetic = gpu.plan_limits().arithmetic.unwrap_or_default();
    let mut native = arithmetic;
    native.division = Rounding::Native;
    native.square_root = Rounding::Native;
    native.conversion = Conversion::Native;
    let ours = beside(gpu, arithmetic, precision)?;
    let native = beside(gpu, native, precision)?;
    let f64 = Features::SHADER_F64 | Features::SHADER_INT64;
    let has_f64 = gpu.device().features().contains(f64);
    let all = assumptions::ASSUMPTIONS.iter().chain(wide::ASSUMPTIONS);
    let mut findings = Vec::new();
    for assumption in all.filter(|assumption| has_f64 || !assumption.double) {
        let context = if assumption.native { &native } else { &ours };
        let outcome = outcome(context, assumption, precision).await?;
        // The other contexts are not notified of a loss that is reported to this one.
        gpu.calibrate().await?;
        findings.push(Finding { assumption: assumption.text, needed: !assumption.native, outcome });
    }
    Ok(SelfCheck { findings, arithmetic })
}

/// Returns a separate context on the same device that computes in this way.
fn beside(gpu: &Context, arithmetic: Arithmetic, precision: Precision) -> Result<Context> {
    let mut limits = gpu.plan_limits().clone();
    limits.arithmetic = Some(arithmetic);
    let mut options = ContextOptions::default();
    options.plan_limits = Some(limits);
    options.precision = precision;
    options.rewrite_kernels = gpu.rewrites_kernels();
    Context::from_device_with_options(gpu.device().clone(), gpu.queue().clone(), &options)
}

async fn outcome(
    context: &Context,
    assumption: &Assumption,
    precision: Precision,
) -> Result<Outcome> {
    if context.adapter_info().backend == Backend::Noop {
        return Ok(Outcome::Unanswered("the backend computes nothing".to_owned()));
    }
    for case in assumption.cases {
        match counterexample(context, case, precision).await {
            Ok(None) => (),
            Ok(Some(example)) => return Ok(Outcome::Broken(example)),
            Err(lost @ Error::Device(DeviceError::Lost { .. })) => return Err(lost),
            Err(error) => return Ok(Outcome::Unanswered(error.to_string())),
        }
    }
    Ok(Outcome::Holds)
}

/// Returns the first wrong result of a case.
async fn counterexample(
    context: &Context,
    case: &Case,
    precision: Precision,
) -> Result<Option<Counterexample>> {
    let rows = (case.operands)();
    let arrays = upload(context, case, &rows)?;
    let computation = computation(case, rows.len(), precision)?;
    let result = context.run(&computation, &arrays.iter().collect::<Vec<_>>())?;
    let literal = result.to_literal().await?;
    let element_type = literal.element_type();
    let words = literal
        .bytes()
        .chunks_exact(element_type.size_in_bytes())
        .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    for (row, got) in rows.iter().zip(words) {
        let expected = (case.expected)(row);
        if expected.is_met(got) {
            continue;
        }
        let operands = case.types.iter().zip(row);
        return Ok(Some(Counterexample {
            operation: case.operation,
            operands: operands
                .map(|(&ty, &bits)| Scalar::from_bits(ty, operand(ty, bits)))
                .collect(),
            got: Scalar::from_bits(element_type, got),
            want: Scalar::from_bits(element_type, expected.bits()),
            tolerance: expected.tolerance(),
        }));
    }
    Ok(None)
}

/// Returns an array for each column of the rows.
fn upload(context: &Context, case: &Case, rows: &[[u32; 2]]) -> Result<Vec<AnyArray>> {
    let array = |(column, &element_type): (usize, &ElementType)| {
        let width = element_type.size_in_bytes();
        let element = |row: &[u32; 2]| operand(element_type, row[column]).to_le_bytes();
        let bytes = rows.iter().flat_map(|row| element(row).into_iter().take(width)).collect();
        context.upload(&Literal::new(element_type, [rows.len()], bytes)?)
    };
    case.types.iter().enumerate().map(array).collect()
}

/// Returns the bits of an operand, given those in its row.
fn operand(element_type: ElementType, row: u32) -> u64 {
    if element_type.bits() == 64 { case::spread(row) } else { u64::from(row) }
}

fn computation(case: &Case, count: usize, precision: Precision) -> Result<Computation> {
    let mut b = Builder::new();
    b.set_precision(precision);
    let operands: Vec<Op> = case
        .types
        .iter()
        .map(|&element_type| b.parameter(element_type, [count]))
        .collect::<Result<_>>()?;
    let root = (case.build)(&mut b, &operands)?;
    b.build(root)
}
