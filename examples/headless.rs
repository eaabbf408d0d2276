//! A tour of the library, without a window, on whatever adapter there is.
//!
//! `scripts/with-adapter cargo run --release --example headless`

use indim::{Builder, Context, ElementType, Literal, Rule, Scalar, numpy, wgpu};

fn main() -> indim::Result<()> {
    // Any executor will do: the context polls the device while futures wait.
    pollster::block_on(run())
}

async fn run() -> indim::Result<()> {
    // From the environment (WGPU_BACKEND, WGPU_ADAPTER_NAME, WGPU_POWER_PREF). Others:
    // Context::with_options, and Context::from_device for a device that there is already.
    let gpu = Context::new().await?;
    let info = gpu.adapter_info();
    println!("{} ({}, {})", info.name, info.backend, info.driver_info);

    let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
    let v = gpu.array([3], &[7_f32, 8., 9.])?;

    // At once, with XlaBuilder's arguments: dimension 0 of v is dimension 1 of x.
    let sum = indim::add(&x, &v, &[1])?;
    assert_eq!(sum.to_vec().await?, [8., 10., 12., 11., 13., 15.]);

    // Between different ranks the dimensions must be named; the error says how.
    let refused = indim::add(&x, &v, &[]).err().map(|error| (error.rule(), error.to_string()));
    let (rule, message) = refused.unwrap_or_default();
    assert_eq!(rule, Some(Rule::B1));
    println!("refused: {message}");

    // NumPy's rule is there by name.
    assert_eq!(numpy::add(&x, &v)?.to_vec().await?, sum.to_vec().await?);

    // Lazily: operators build, eval computes, in one kernel here.
    let before = gpu.stats().dispatches;
    let y = ((&x * 2.0 + v.in_dim([1])).gt(15.0)).select(&x, 0.0).eval()?;
    assert_eq!(gpu.stats().dispatches - before, 1);
    assert_eq!(y.to_vec().await?, [0., 0., 0., 0., 5., 6.]);
    println!("{y:?}");

    // Operators never panic: an expression keeps its first error, with the place, until eval.
    let error = (&x + &v).exp().eval().err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("examples/headless.rs") || error.contains(r"examples\headless.rs"));
    println!("refused: {error}");

    // With element types known at run time; the computation runs again on other arrays.
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

    // Elements in a buffer of the caller's, from byte 4 on: no copy.
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
