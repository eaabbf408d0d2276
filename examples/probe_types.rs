use indim::*;
fn main() -> Result<()> {
    let gpu = Context::blocking()?;
    for n in [1usize, 3, 5, 8, 16, 17, 31, 64, 100, 1000] {
        macro_rules! t { ($($ty:ty),*) => {$({
            let a: Vec<$ty> = (0..n).map(|i| Scalar::from_bits(<$ty>::ELEMENT_TYPE, (i as u64 * 7 + 3) & 0x3f3f).get::<$ty>().unwrap()).collect();
            let x = gpu.array([n], &a)?;
            let back = x.to_vec_blocking()?;
            assert!(a.iter().zip(&back).all(|(p, q)| Scalar::new(*p) == Scalar::new(*q)), "{} roundtrip {n}", <$ty>::ELEMENT_TYPE);
            // a move through a kernel: reverse twice stored
            let r = indim::reverse(&x, &[0])?.to_vec_blocking()?;
            assert!(a.iter().rev().zip(&r).all(|(p, q)| Scalar::new(*p) == Scalar::new(*q)), "{} reverse {n}", <$ty>::ELEMENT_TYPE);
            let s = indim::add(&x, &x, &[]).and_then(|y| y.to_vec_blocking());
            match s { Ok(s) => if n == 5 { println!("{} {:?} + = {:?}", <$ty>::ELEMENT_TYPE, a, s) }, Err(e) => println!("{} {e}", <$ty>::ELEMENT_TYPE) }
        })*} }
        t!(bool, S4, i8, i16, i32, i64, U4, u8, u16, u32, u64, half::f16, half::bf16, f32, f64, num_complex::Complex32);
    }
    Ok(())
}
