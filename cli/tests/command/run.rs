//! Tests `indim run`: programs in StableHLO.
use crate::common::{Scratch, indim, outcome, with_stdin, without_gpu};

/// A scaled sum of rows, with an argument that JAX names.
const SUMS: &str = "module @jit_f {
  func.func public @main(%arg0: tensor<2x3xf32> {jax.arg_info = \"params['w']\"}, %arg1: tensor<i32>) -> (tensor<2xf32>, tensor<i32> {jax.result_info = \"count\"}) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %scale = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.multiply %0, %scale : tensor<2xf32>
    return %1, %arg1 : tensor<2xf32>, tensor<i32>
  }
  func.func private @twice(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.add %x, %x : tensor<2xi32>
    check.expect_eq_const %0, dense<[2, 5]> : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}
";

const PRINTED: &str = "out0: f32[2]\n[ 6. 60.]\n\ncount: s32[]\n7\n";

#[test]
fn arguments_have_names_numbers_and_the_names_of_jax() {
    let file = Scratch::with("sums.mlir", SUMS);
    for x in ["arg0=[[1,2,3],[1,2,3]]", "0=[[1,2,3],[1,2,3]]", "params['w']=[[1,2,3],[1,2,3]]"] {
        let run = indim(&["run", file.path(), x, "1=s32:7"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{x}");
        assert_eq!(run.stdout, PRINTED);
    }
    let run = with_stdin(&["run", "-", "0=[[1,2,3],[1,2,3]]", "1=s32:7"], SUMS);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), PRINTED));
    let run = indim(&["run", file.path(), "--function", "twice", "x=s32:[1,2]", "--json"]);
    assert_eq!(
        run.stdout,
        "{\"element_type\":\"s32\",\"name\":null,\"shape\":[2],\"values\":[2,4]}\n"
    );
}

#[test]
fn results_are_written_by_their_names() {
    let (file, out) = (Scratch::with("sums.mlir", SUMS), Scratch::new("out.npy"));
    let to = format!("out0={}", out.path());
    let run = indim(&["run", file.path(), "0=iota:2x3", "1=s32:7", "-o", &to]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "out0: f32[2]\n\ncount: s32[]\n7\n"));
    let read = indim(&["eval", "x", &format!("x={}", out.path())]);
    assert_eq!(read.stdout, "f32[2]\n[  3. 120.]\n");
}

#[test]
fn kernels_are_shown_without_a_gpu_and_without_operands() {
    let file = Scratch::with("sums.mlir", SUMS);
    let shown = outcome(without_gpu().args(["run", file.path(), "--explain"]));
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    assert!(shown.stdout.contains("result out0: f32[2]\n"), "{}", shown.stdout);
    assert!(shown.stdout.contains("kernel 1 of 1: "), "{}", shown.stdout);
}

#[test]
fn the_programs_own_checks_are_made() {
    let file = Scratch::with("sums.mlir", SUMS);
    let function = ["run", file.path(), "--function", "twice", "--check"];
    let run = indim(&[&function[..], &["x=s32:[1,2]"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert_eq!(
        run.stderr,
        "error: 1 of 1 checks failed\nline 11: element 1 is Integer(4), not Integer(5)\n"
    );
    let right = SUMS.replace("[2, 5]", "[2, 4]");
    let file = Scratch::with("right.mlir", right);
    let run = indim(&["run", file.path(), "--function", "twice", "--check", "x=s32:[1,2]"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "line 11: as expected\n"));
}

/// Returns the standard error of a call that fails, without a GPU.
fn refused(args: &[&str]) -> String {
    let outcome = outcome(without_gpu().arg("run").args(args));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{args:?}");
    outcome.stderr
}

#[test]
fn what_does_not_fit_is_told_before_a_gpu_is_looked_for() {
    let file = Scratch::with("sums.mlir", SUMS);
    assert_eq!(
        refused(&[file.path(), "0=iota:2x3"]),
        "error: argument 1, `arg1`, s32[], is not given\n  = help: write `arg1=ARRAY` or `1=ARRAY`\n"
    );
    assert_eq!(
        refused(&[file.path(), "arg9=1"]),
        "error: the function has no argument `arg9`\n  = help: did you mean `arg0`?\n"
    );
    let given = refused(&[file.path(), "0=iota:2x4", "1=s32:7"]);
    assert!(
        given.starts_with("error: argument `0` is f32[2, 3], but f32[2, 4] is given\n"),
        "{given}"
    );
    assert!(
        refused(&[file.path(), "0=iota:2x3", "arg0=iota:2x3"])
            .contains("argument 0 is given twice")
    );
    assert!(refused(&["nowhere.mlir"]).starts_with("error: cannot open nowhere.mlir: "));
    let bytecode = Scratch::with("f.mlir", b"ML\xefR\x01");
    assert!(refused(&[bytecode.path()]).contains("MLIR bytecode"));
    let none = refused(&[file.path(), "--function", "main", "--check"]);
    assert!(none.contains("`@main` checks nothing"), "{none}");
}

#[test]
fn all_that_keeps_a_program_out_is_told_at_once() {
    let text = SUMS.replace("stablehlo.multiply %0", "stablehlo.sort %0").replace("= [1]", "= [2]");
    let told = with_stdin(&["run", "-"], &text).stderr;
    assert!(told.starts_with("error: <stdin> is refused for 2 reasons\n"), "{told}");
    assert!(told.contains("error: reduce (C4): dimension 2 is not one of the 2"), "{told}");
    assert!(
        told.contains(
            "error: stablehlo.sort: this operation is not implemented\n --> <stdin>:6:10\n"
        ),
        "{told}"
    );
}
