//! Tests arrays that are always written in place.

use indim::{Expr, Result};
use indim_testing::contexts::{gpu, iota, values};

#[test]
fn an_array_may_be_written_in_place_whoever_holds_it() -> Result<()> {
    let gpu = gpu();
    let mut u = gpu.array([2, 2], &iota(4))?;
    let before = u.clone();
    (&u + 1.0).eval_into(&mut u)?;
    assert_eq!((values(&before), values(&u)), (iota(4), vec![1., 2., 3., 4.]));
    let (seen, later) = (u.clone(), u.expr().reshape([4]) * 2.0);
    // By any of the holders, and without a submission.
    let submissions = gpu.stats().submissions;
    seen.always_in_place();
    (&u * 10.0).eval_into(&mut u)?;
    gpu.full([1, 1], -1.0f32)?.expr().eval_into(u.slice_mut([0, 0], [1, 1])?)?;
    assert_eq!(gpu.stats().submissions, submissions);
    assert_eq!(values(&seen), [-1., 20., 30., 40.]);
    assert_eq!(values(&later.eval()?), [-2., 40., 60., 80.]);
    // A value that depends on other elements of the array.
    u.expr().reverse(&[0, 1]).eval_into(&mut u)?;
    assert_eq!(values(&seen), [40., 30., 20., -1.]);
    Expr::full(5f32, [2, 2]).eval_into(&mut u)?;
    assert_eq!(values(&seen), [5.; 4]);
    // In an encoder.
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let encoded = (&u + 1.0).encode_into(&mut encoder, &mut u)?;
    gpu.queue().submit([encoder.finish()]);
    encoded.submitted();
    assert_eq!(values(&seen), [6.; 4]);
    // The memory belongs to the pool: the next array of this size takes it.
    let buffer_count = gpu.stats().allocations;
    drop((u, seen, later));
    let next = (&before + 1.0).eval()?;
    assert_eq!(gpu.stats().allocations, buffer_count);
    // Where that array is an ordinary one.
    let (mut next, held) = (next.clone(), next);
    (&next - 1.0).eval_into(&mut next)?;
    assert_eq!(values(&held), [1., 2., 3., 4.]);
    Ok(())
}
