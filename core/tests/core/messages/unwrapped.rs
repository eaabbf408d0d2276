//! Tests the text of an error that is unwrapped, returned from `main`, or printed with its sources.

use std::process::Command;

use indim::{
    AnyExpr, BroadcastError, BuilderError, CallError, DeviceError, ElementType, Error, Expr, Shape,
    ShapeError, Side, TextureError, TypeError, ViewError,
};

use indim_testing::messages::message;

/// README's program ends by this message where it returns the error of its sum.
#[test]
fn a_main_that_returns_an_error_prints_its_message() {
    let name = "messages::unwrapped::returns_the_error";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let told = stderr.lines().find(|line| line.starts_with("Error: ")).unwrap_or_default();
    let expected = "Error: add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but rhs carries no \
                    in_dim; say which dimension of lhs each dimension of rhs matches, such as \
                    rhs.in_dim([1]) (in the expression built at ";
    assert!(told.starts_with(expected), "{stderr}");
    assert!(told.contains("unwrapped.rs:") && told.ends_with(')'), "{stderr}");
    assert!(!output.status.success(), "it fails");
}

/// What a program's `main` returns is written by the same code as what a test returns.
#[test]
#[ignore = "fails, as it should: a_main_that_returns_an_error_prints_its_message runs it"]
fn returns_the_error() -> indim::Result<()> {
    let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
    (&x + &v).exp().eval()?;
    Ok(())
}

#[test]
#[should_panic(expected = "an `Err` value: iota: size 1 is -2; sizes are 0 or more")]
fn who_unwraps_sees_the_message() {
    AnyExpr::iota(ElementType::F32, &[3, -2], 0).unwrap();
}

#[test]
fn data_is_written_on_request() {
    let error = Error::Builder(BuilderError::ArgumentCount { expected: 2, given: 1 });
    assert_eq!(
        format!("{error:#?}"),
        "Builder(\n    ArgumentCount {\n        expected: 2,\n        given: 1,\n    },\n)"
    );
    assert_eq!(format!("{:#?}", DeviceError::NoAdapter), "NoAdapter");
    let unknown = "f23".parse::<ElementType>().unwrap_err();
    assert_eq!(format!("{unknown:?}"), unknown.to_string());
    assert_eq!(format!("{unknown:#?}"), "UnknownElementType {\n    name: \"f23\",\n}");
}

/// Errors of which each is part of another one.
#[test]
fn an_error_within_an_error_is_told_once() {
    let shapes = || (Shape::from([2, 3]), Shape::from([3]));
    let ranks = || {
        let (lhs, rhs) = shapes();
        BroadcastError::RanksDiffer { lhs, rhs }
    };
    let given = vec![0];
    let length = BroadcastError::DimensionsLength {
        lower: Side::Rhs,
        lower_shape: shapes().1,
        higher_shape: shapes().0,
        given: given.clone(),
    };
    let view = ViewError::PermutationLength { operand: shapes().0, given };
    let call = |in_dim| CallError::Broadcast {
        index: 1,
        parameter: "y".to_owned(),
        lhs: Some(0),
        in_dim,
        source: ranks(),
    };
    let location = std::panic::Location::caller();
    let within = |source| Error::Expression { location, source: Box::new(source) };
    let function = || "smooth".to_owned();
    let all = [
        Error::Broadcast { op: "add", source: ranks() },
        Error::View { op: "transpose", source: view },
        Error::Type { op: "add", source: TypeError::NoTypes },
        Error::Shape { op: "iota", source: ShapeError::NegativeSize { index: 0, size: -1 } },
        Error::Call { function: function(), source: Box::new(call(false)) },
        Error::Builder(BuilderError::NoResult),
        Error::Array(indim::ArrayError::NoContext),
        Error::Texture(TextureError::OtherDevice),
        Error::Device(DeviceError::NoAdapter),
        within(Error::Broadcast { op: "add", source: length }),
        within(Error::Call { function: function(), source: Box::new(call(true)) }),
    ];
    for error in &all {
        message(error);
    }
    message(&call(true));
    message(&ranks());
}
