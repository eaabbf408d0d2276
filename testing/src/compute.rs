//! Computes on the device with arrays of any type.

use indim::ElementType::{self, F64};
use indim::{AnyArray, Builder, Computation, Context, DeviceError, Error, Literal, Op, wgpu};

use crate::host_array::HostArray;

fn uploaded(context: &Context, operands: &[&HostArray]) -> Result<Vec<AnyArray>, Error> {
    operands.iter().map(|operand| context.upload(&operand.to_literal()?)).collect()
}

fn submitted(
    context: &Context,
    computation: &Computation,
    operands: &[&HostArray],
) -> Result<AnyArray, Error> {
    let uploaded = uploaded(context, operands)?;
    context.run(computation, &uploaded.iter().collect::<Vec<_>>())
}

/// The result of a computation of these arguments.
#[cfg(not(target_arch = "wasm32"))]
pub fn run(
    context: &Context,
    computation: &Computation,
    operands: &[&HostArray],
) -> Result<HostArray, Error> {
    let result = submitted(context, computation, operands)?;
    Ok(HostArray::from_literal(&result.to_literal_blocking()?))
}

/// The same, where nothing can wait.
pub async fn run_async(
    context: &Context,
    computation: &Computation,
    operands: &[&HostArray],
) -> Result<HostArray, Error> {
    let result = submitted(context, computation, operands)?;
    Ok(HostArray::from_literal(&result.to_literal().await?))
}

/// The result, written into the middle of an existing array, whose other elements stay.
#[cfg(not(target_arch = "wasm32"))]
pub fn run_into(
    context: &Context,
    computation: &Computation,
    operands: &[&HostArray],
) -> Result<HostArray, Error> {
    let uploaded = uploaded(context, operands)?;
    let arguments: Vec<_> = uploaded.iter().collect();
    let margins = vec![(1, 2); computation.shape().rank()];
    let written = into_slice(context, computation, &arguments, &margins)?;
    Ok(HostArray::from_literal(&written))
}

/// The result of a computation, written into a slice of an array. The array has this many more
/// elements before and after it along each dimension.
///
/// # Panics
/// If an element around the slice changes.
#[cfg(not(target_arch = "wasm32"))]
pub fn into_slice(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
    margins: &[(usize, usize)],
) -> Result<Literal, Error> {
    let (element, inner) = (computation.element_type(), computation.shape().dims());
    let along = inner.iter().zip(margins);
    let sizes: Vec<usize> = along.map(|(&size, &(low, high))| low + size + high).collect();
    let bytes = sizes.iter().product::<usize>() * element.size_in_bytes();
    let mut target = context.upload(&Literal::new(element, sizes.as_slice(), vec![1; bytes])?)?;
    let start: Vec<i64> = margins.iter().map(|&(low, _)| low as i64).collect();
    let limit: Vec<i64> = start.iter().zip(inner).map(|(at, &size)| at + size as i64).collect();
    let part = target.view_mut().slice(&start, &limit)?;
    computation.on(context, arguments)?.eval_into(part)?;
    let all = target.to_literal_blocking()?;
    let is_inner = |element: usize| {
        let mut rest = element;
        sizes.iter().zip(start.iter().zip(&limit)).rev().all(|(&size, (&start, &limit))| {
            let index = (rest % size) as i64;
            rest /= size;
            (start..limit).contains(&index)
        })
    };
    let elements = all.bytes().chunks(element.size_in_bytes()).enumerate();
    let (written, kept): (Vec<_>, Vec<_>) = elements.partition(|&(place, _)| is_inner(place));
    let changed = kept.iter().find(|(_, bytes)| bytes.iter().any(|&byte| byte != 1));
    assert!(changed.is_none(), "an element beside the slice of {sizes:?} changed: {changed:?}");
    let written = written.into_iter().flat_map(|(_, bytes)| bytes).copied().collect();
    Literal::new(element, inner, written)
}

/// The results of a computation of several, in their order.
#[cfg(not(target_arch = "wasm32"))]
pub fn run_all(
    context: &Context,
    computation: &Computation,
    operands: &[&HostArray],
) -> Result<Vec<HostArray>, Error> {
    let uploaded = uploaded(context, operands)?;
    let arguments: Vec<_> = uploaded.iter().collect();
    let results = context.run_all(computation, &arguments)?;
    results.iter().map(|r| Ok(HostArray::from_literal(&r.to_literal_blocking()?))).collect()
}

/// The computation that `build` makes of parameters like the operands.
pub fn built(
    operands: &[&HostArray],
    build: impl FnOnce(&mut Builder, &[Op]) -> Result<Op, Error>,
) -> Result<Computation, Error> {
    let mut builder = Builder::new();
    let parameters = operands
        .iter()
        .map(|operand| builder.parameter(operand.element_type, &operand.shape[..]))
        .collect::<Result<Vec<_>, _>>()?;
    let root = build(&mut builder, &parameters)?;
    builder.build(root)
}

/// The element types that the adapter has; where it lacks F64, that is refused by name.
pub fn supported(context: &Context) -> Vec<ElementType> {
    if !has_f64(context) {
        let refused = context.array([1], &[1f64]).err().is_some_and(|e| is_refused_f64(&e));
        assert!(refused, "an adapter without F64 says so");
    }
    let is_there = |element: &ElementType| *element != F64 || has_f64(context);
    ElementType::ALL.iter().copied().filter(is_there).collect()
}

/// Returns whether the adapter has the features for F64.
pub fn has_f64(context: &Context) -> bool {
    let needed = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    context.device().features().contains(needed)
}

/// Returns whether this is the refusal of F64 by an adapter without the features for it: it names
/// the type and each missing feature.
pub fn is_refused_f64(error: &Error) -> bool {
    let Error::Device(DeviceError::Unsupported { element_type: F64, missing, .. }) = error else {
        return false;
    };
    let text = error.to_string();
    text.starts_with("f64 needs ") && missing.contains("SHADER_") && text.contains(missing)
}
