//! What an operation takes in a builder and in an expression, as `Builder` documents it.

use indim::{Builder, ElementType, Expr};
use indim_testing::process;

use super::allocated;

/// So many operations are in each.
const OPERATIONS: usize = 100_000;

/// Returns the bytes for each operation that this keeps.
fn each<T>(make: impl FnOnce() -> T) -> i64 {
    let before = allocated();
    let made = make();
    let bytes = (allocated() - before) / OPERATIONS as i64;
    drop(made);
    bytes
}

#[test]
fn an_operation_takes_as_much_as_is_documented() {
    if !process::alone(
        "allocations::instructions::an_operation_takes_as_much_as_is_documented",
        None,
    ) {
        return;
    }
    for (rank, most) in [(1, 400), (8, 1_000)] {
        let sizes = vec![2; rank];
        let built = each(|| {
            let mut b = Builder::new();
            let x = b.parameter(ElementType::F32, sizes.clone()).unwrap();
            (0..OPERATIONS).fold(x, |sum, _| b.sub(sum, x, &[]).unwrap());
            b
        });
        let signed: Vec<i64> = sizes.iter().map(|&size| size as i64).collect();
        let expressed = each(|| {
            let x = Expr::<f32>::iota(&signed, 0);
            (0..OPERATIONS).fold(x.clone(), |sum, _| sum - &x)
        });
        println!("rank {rank}: {built} bytes in a builder, {expressed} in an expression");
        assert!(built <= most && expressed <= most, "rank {rank}: {built}, {expressed}");
    }
}
