//! Tests the messages of builders and expressions that are misused, and operands at the edge of
//! what can be counted.

use indim::ElementType::{F32, Pred};
use indim::plan::PlanLimits;
use indim::{ArrayError, Builder, Error, Expr, Opcode, Rule, Scalar, numpy};

use super::{gpu, still_computes};
use indim_testing::messages::{refused, says};

#[test]
fn builder_misuse() {
    let mut other = Builder::new();
    let foreign = other.constant(Scalar::new(1.0f32)).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(F32, [2]).unwrap();
    let told = |op| {
        format!(
            "an operand of {op} comes from another builder; an Op is good only for the builder \
             that gave it"
        )
    };
    assert_eq!(refused(&mut b, |b| b.add(x, foreign, &[])), told("add"));
    assert_eq!(refused(&mut b, |b| b.select(foreign, x, x)), told("select"));
    says(b.shape(foreign), &told("shape"));
    says(b.element_type(foreign), &told("element_type"));
    assert_eq!(
        refused(&mut b, |b| b.unary(Opcode::Add, x)),
        "add is not a unary operation; call it by its own name"
    );
    assert_eq!(
        refused(&mut b, |b| b.binary(Opcode::ConvertElementType, x, x, &[])),
        "convert_element_type is not a binary operation; call it by its own name"
    );
    says(b.build(foreign), &told("build"));
}

#[test]
fn expressions_keep_the_first_error_and_its_place() {
    let v = Expr::<f32>::iota(&[3], 0);
    let (wrong, line) = (Expr::<f32>::iota(&[2, 3], 0) + &v, line!());
    // Nothing that is built on it panics or reports another error.
    let all = [
        wrong.clone(),
        -&wrong,
        wrong.exp() * 2.0,
        v.in_dim([7]) - &wrong,
        wrong.broadcast_in_dim(&[-1], &[i64::MAX]),
        wrong.gt(&v).select(&v, &wrong).convert_element_type::<i32>().bitcast_convert_type(),
    ];
    for expr in &all {
        let error = expr.eval().unwrap_err();
        let Error::Expression { location, source } = &error else { panic!("{error}") };
        assert_eq!((location.file(), location.line()), (file!(), line));
        assert_eq!(error.rule(), Some(Rule::B1));
        assert_eq!(error.rule(), source.rule());
        assert_eq!(
            error.to_string(),
            format!(
                "add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but rhs carries no in_dim; say \
                 which dimension of lhs each dimension of rhs matches, such as rhs.in_dim([1]) (in \
                 the expression built at {}:{line}:{})",
                file!(),
                location.column(),
            )
        );
        assert_eq!(expr.shape().unwrap_err().to_string(), error.to_string());
        assert_eq!(format!("{expr:?}"), format!("Expr({error})"));
    }
}

/// An expression has no `broadcast_dimensions`, and its operands carry `in_dim`.
#[test]
fn expressions_speak_of_in_dim() {
    let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
    let text = |expr: Expr<f32>| {
        let text = expr.shape().unwrap_err().to_string();
        text.split(" (in the expression").next().unwrap().to_owned()
    };
    let cases = [
        (
            text(&v + &x),
            "add: lhs [3] has rank 1 and rhs [2, 3] has rank 2, but lhs carries no in_dim; say which dimension of rhs each dimension of lhs matches, such as lhs.in_dim([1])",
        ),
        (
            text(&x + Expr::iota([5], 0)),
            "add: lhs [2, 3] has rank 2 and rhs [5] has rank 1, but rhs carries no in_dim; no choice fits either: each size of rhs must, in order, equal one of lhs, or one of the two be 1; change one of the operands",
        ),
        (
            text(&x + v.in_dim([0, 1])),
            "add: in_dim([0, 1]) has length 2, but rhs [3] has rank 1; give one dimension of lhs for each dimension of rhs, such as [1]",
        ),
        (
            text(&x + Expr::full(1.0, []).in_dim([1])),
            "add: in_dim([1]) has length 1, but rhs [] has rank 0; a scalar broadcasts freely, so take in_dim off",
        ),
        (
            text(&x + v.in_dim([-1])),
            "add: in_dim[0] is -1; dimensions count from 0, and those of lhs [2, 3] are 0 to 1",
        ),
        (
            text(&x + v.in_dim([2])),
            "add: in_dim[0] is 2, but lhs [2, 3] has rank 2; its dimensions are 0 to 1",
        ),
        (
            text(&x + x.in_dim([1, 0])),
            "add: lhs [2, 3] and rhs [2, 3] have the same rank, so that in_dim([1, 0]) has nothing to say; take it off",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    let cube = Expr::<f32>::iota([2, 2, 2], 0);
    assert!(
        text(cube + Expr::iota([2, 2], 0).in_dim([1, 0]))
            .starts_with("add: in_dim [1, 0] is not strictly increasing")
    );
}

/// Each way to build an expression reports the line that calls it.
#[test]
fn each_face_tells_the_callers_line() {
    #[track_caller]
    fn here<T: indim::Element>(expr: &Expr<T>) {
        let caller = std::panic::Location::caller();
        match expr.shape() {
            Err(Error::Expression { location, .. }) => {
                assert_eq!((location.file(), location.line()), (caller.file(), caller.line()));
            }
            other => panic!("{other:?} at {caller}"),
        }
    }
    let (v, w) = (Expr::<f32>::iota(&[3], 0), Expr::<f32>::iota(&[4], 0));
    let (i, j) = (Expr::<i32>::iota(&[3], 0), Expr::<i32>::iota(&[4], 0));
    here(&(&v + &w));
    here(&(v.in_dim([1]) % &w));
    here(&(1.5 / v.in_dim([0, 1]) + &w));
    here(&(&w - (-v.in_dim([0])).exp()));
    here(&v.broadcast_like(&w, [0]));
    here(&Expr::full(1.0f32, [-1]));
    here(&(&i >> &j));
    here(&(&i & j.clone()));
    here(&v.atan2(&w));
    here(&v.le_total_order(&w));
    here(&v.clamp(&w, 1.0));
    here(&v.gt(0.0).select(&w, 0.0));
    here(&v.bitcast_convert_type::<bool>());
    here(&v.broadcast(&[-1]));
    here(&v.broadcast_in_dim(&[2], &[0]));
    here(&Expr::<u32>::iota(&[2], 1));
    here(&Expr::<bool>::iota(&[2], 0));
}

#[test]
fn an_expression_without_arrays_needs_a_context() {
    let numbers = Expr::<f32>::iota(&[2, 2], 1);
    let told = "the expression contains no array, so it has no context to run on; use Context::eval or Context::bind";
    says(numbers.eval(), told);
    says(indim::neg(&numbers), told);
    let gpu = gpu();
    assert_eq!(gpu.eval(&numbers).unwrap().to_vec_blocking().unwrap(), [0.0, 1.0, 0.0, 1.0]);
}

/// Sizes that are at the edge of what can be computed with, next to a size of 0.
#[test]
fn arrays_without_elements_may_have_any_other_sizes() {
    let max = i64::MAX;
    let shapes: [&[i64]; 5] = [&[max, max, 0], &[0, max, max], &[max, 0, max], &[0], &[0, 0]];
    for sizes in shapes {
        let dims: Vec<usize> = sizes.iter().map(|&s| s as usize).collect();
        let mut b = Builder::new();
        let x = b.parameter(F32, &dims[..]).unwrap();
        let one = b.constant(Scalar::new(1.0f32)).unwrap();
        let i = b.iota(F32, sizes, 0).unwrap();
        let row = b.parameter(F32, [1]).unwrap();
        let row = b.broadcast_in_dim(row, sizes, &[sizes.len() as i64 - 1]).unwrap();
        let sum = [one, i, row].into_iter().fold(x, |sum, term| b.add(sum, term, &[]).unwrap());
        let explanation = PlanLimits::default().explain(&b.build(sum).unwrap()).unwrap();
        let kernel = &explanation.kernels[0];
        assert_eq!((kernel.workgroups, kernel.bytes_written), ([0, 0], 0), "{sizes:?}");

        let gpu = gpu();
        let x = gpu.array::<f32>(&dims[..], &[]).unwrap();
        let y = ((&x + 1.0).sin() * Expr::iota(sizes, 0)).eval().unwrap();
        assert_eq!(y.shape().dims(), dims);
        assert!(y.to_vec_blocking().unwrap().is_empty());
        let filled = gpu.eval(&Expr::<f32>::iota(&[1], 0).broadcast(sizes)).unwrap();
        assert!(filled.to_vec_blocking().unwrap().is_empty());
        let alike = numpy::broadcast_to(1.0f32, [0, usize::MAX]).eval().unwrap_err();
        assert!(matches!(alike, Error::Array(ArrayError::NoContext)), "{alike}");
        still_computes(&gpu);
    }
}

#[test]
fn ranks_and_counts_at_the_edge() {
    // As many elements as there can be, in one dimension and in as many as there can be.
    for dims in [vec![i64::MAX as usize], vec![2; 62], vec![1; 1000]] {
        let mut b = Builder::new();
        let x = b.parameter(Pred, &dims[..]).unwrap();
        let y = b.not(x).unwrap();
        let kernels = PlanLimits::default().explain(&b.build(y).unwrap()).unwrap().kernels;
        assert_eq!((kernels.len(), kernels[0].iteration_space.len()), (1, 1));
    }
    // Nothing merges: every other dimension of the second operand is stretched.
    let (all, some) = (vec![2; 62], [[2, 1]; 31].concat());
    let mut b = Builder::new();
    let (x, y) = (b.parameter(Pred, &all[..]).unwrap(), b.parameter(Pred, &some[..]).unwrap());
    let both = b.and(x, y, &[]).unwrap();
    let kernels = PlanLimits::default().explain(&b.build(both).unwrap()).unwrap().kernels;
    assert_eq!(kernels[0].iteration_space.len(), 62);
    let gpu = gpu();
    let x = gpu.array(vec![1; 100], &[2.0f32]).unwrap();
    assert_eq!((&x + &x).eval().unwrap().to_vec_blocking().unwrap(), [4.0]);
    let mut b = Builder::new();
    let wide = b.parameter(F32, vec![1; 1000]).unwrap();
    let text = refused(&mut b, |b| b.broadcast_in_dim(wide, &[], &[]));
    assert!(text.ends_with(
        "has rank 1000 and the output [] only 0; the output needs at least the operand's rank"
    ));
}
