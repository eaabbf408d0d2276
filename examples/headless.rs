//! Shows the library's ways to call, without a window, on any adapter.
//!
//! `scripts/with-adapter cargo run --release --example headless`

use indim::{Builder, Context, ElementType, Literal, Rule, Scalar, numpy, wgpu};

fn main() -> indim::Result<()> {
    // Any executor works, because the context polls the device while futures wait.
    pollster::block_on(run())
}

async fn run() -> indim::Result<()> {
    // The environment chooses the adapter (WGPU_BACKEND, WGPU_ADAPTER_NAME, WGPU_POWER_PREF).
    // Context::with_options takes options, and Context::from_device a device of your own.
    let gpu = Context::new().await?;
    let info = gpu.adapter_info();
    println!("{} ({}, {})", info.name, info.backend, info.driver_info);

    let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
    let v = gpu.array([3], &[7_f32, 8., 9.])?;

    // Eager functions take XlaBuilder's arguments: dimension 0 of v matches dimension 1 of x.
    let sum = indim::add(&x, &v, &[1])?;
    assert_eq!(sum.to_vec().await?, [8., 10., 12., 11., 13., 15.]);

    // Operands of different ranks must name the dimensions that match; the error says how.
    let refused = indim::add(&x, &v, &[]).err().map(|error| (error.rule(), error.to_string()));
    let (rule, message) = refused.unwrap_or_default();
    assert_eq!(rule, Some(Rule::B1));
    println!("refused: {message}");

    // numpy::add aligns shapes at the last dimension instead.
    assert_eq!(numpy::add(&x, &v).eval()?.to_vec().await?, sum.to_vec().await?);

    // Expressions are lazy: operators build one, and eval computes it, here in one kernel.
    let before = gpu.stats().dispatches;
    let y = ((&x * 2.0 + v.in_dim([1])).gt(15.0)).select(&x, 0.0).eval()?;
    assert_eq!(gpu.stats().dispatches - before, 1);
    assert_eq!(y.to_vec().await?, [0., 0., 0., 0., 5., 6.]);
    println!("{y:?}");

    // Operators never panic: the expression keeps its first error, and its place in the source, for
    // eval.
    let error = (&x + &v).exp().eval().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("examples/headless.rs") || error.contains(r"examples\headless.rs"));
    println!("refused: {error}");

    // A Builder takes element types known at run time. Its computation can run again on other
    // arrays.
    let mut b = Builder::new();
    let p = b.parameter(ElementType::S32, [4, 1])?;
    let q = b.parameter(ElementType::S32, [1, 2])?;
    let ten = b.constant(Scalar::new(10))?;
    let outer = b.mul(p, q, &[])?;
    let root = b.add(outer, ten, &[])?;
    let computation = b.build(root)?;
    let column = gpu.upload(&Literal::from_slice([4, 1], &[1, 2, 3, 4])?)?;
    let row = gpu.upload(&Literal::from_slice([1, 2], &[5, 6])?)?;
    let result = gpu.run(&computation, &[&column, &row])?.to_literal().await?;
    assert_eq!((result.element_type(), result.shape().dims()), (ElementType::S32, &[4, 2][..]));
    assert_eq!(result.to_vec::<i32>()?, [15, 16, 20, 22, 25, 28, 30, 34]);

    // An array can live in a wgpu buffer of your own, here from byte 4 on, without a copy.
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("the caller's"),
        size: 16,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let words: Vec<u8> = [0.5f32, 1.0, 4.0, 9.0].iter().flat_map(|w| w.to_le_bytes()).collect();
    gpu.queue().write_buffer(&buffer, 0, &words);
    let squares = gpu.array_from_buffer::<f32>([3], buffer, 4)?;
    assert_eq!(indim::sqrt(&squares)?.to_vec().await?, [1., 2., 3.]);

    println!("{:?}", gpu.stats());
    Ok(())
}
