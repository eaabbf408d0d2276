//! Operands that are no arrays: bad literals, fills and files, and every word of the answer. None of
//! it needs a GPU.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    reason = "a test fails by panicking"
)]

mod common;

use common::{error, outcome, refused, without_gpu};

#[test]
fn operands_are_checked_one_by_one() {
    let forms = "an array is a literal (`[[1, 2], [3, 4]]`, `s32:[1, 2]`), a path to a .npy file, or a fill (`iota:2x3`, `random:2x3`)";
    let missing = outcome(without_gpu().args(["eval", "x", "x=no/such.npy"]));
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.starts_with("error: operand `x`: no/such.npy: cannot open it: "),
        "{missing:?}"
    );
    assert!(missing.stderr.ends_with(&format!("\n  = help: {forms}\n")), "{missing:?}");

    refused(&[
        (
            &["x", "x="],
            &format!("error: operand `x`: there is nothing behind the `=`\n  = help: {forms}\n"),
        ),
        (&["x", "x=1", "x=2"], "error: operand `x` is given twice\n"),
        (
            &["x", "x=[[1,2,3],[4,5]]"],
            "error: operand `x`: this list has length 2, but those before it at its depth have length 3\n  |\n  | [[1,2,3],[4,5]]\n  |          ^^^^^\n  = help: an array's lists are of one length at each depth\n",
        ),
        (
            &["x", "x=s32:[1, 2.5]"],
            "error: operand `x`: 2.5 is not a value of s32: it is not a whole number\n  |\n  | s32:[1, 2.5]\n  |         ^^^\n",
        ),
        (
            &["x", "x=[true]"],
            "error: operand `x`: true is not a value of f32\n  |\n  | [true]\n  |  ^^^^\n  = help: write the element type in front, as in `pred:[true, false]`\n",
        ),
        (
            &["x", "x=f64:[1]"],
            "error: operand `x`: unknown element type `f64`\n  |\n  | f64:[1]\n  | ^^^\n  = help: the element types are pred, s32, u32, f32\n",
        ),
        (
            &["x", "x=2x3"],
            "error: operand `x`: this is a shape, but eval needs the elements, too\n  |\n  | 2x3\n  | ^^^\n  = help: fill it: `iota:2x3` or `random:2x3`; `explain` takes shapes\n",
        ),
        (
            &["x", "x=s32[2,3]"],
            "error: operand `x`: this is a shape, but eval needs the elements, too\n  |\n  | s32[2,3]\n  | ^^^^^^^^\n  = help: fill it: `s32:iota:2x3` or `s32:random:2x3`; `explain` takes shapes\n",
        ),
        (
            &["x", "x=iota:4294967296x4294967296"],
            "error: operand `x`: a fill of shape [4294967296, 4294967296] has too many elements; the most are 1073741824\n  |\n  | iota:4294967296x4294967296\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^\n",
        ),
        (
            &["x", "x=random:99999999999999999999"],
            "error: operand `x`: a size is too large\n  |\n  | random:99999999999999999999\n  |        ^^^^^^^^^^^^^^^^^^^^\n",
        ),
        (
            &["x", "x=iota:2,3"],
            "error: operand `x`: expected sizes such as 2x3 behind `iota:`\n  |\n  | iota:2,3\n  |      ^^^\n",
        ),
        (
            &["x", "x=pred:iota:3"],
            "error: operand `x`: iota counts up, which pred cannot\n  |\n  | pred:iota:3\n  |      ^^^^^^\n  = help: write `pred:random:...`, or compare: `x > 2`\n",
        ),
        (
            &["x", "x=f32:f4.npy"],
            "error: operand `x`: `f4.npy` is no literal and no fill\n  |\n  | f32:f4.npy\n  |     ^^^^^^\n  = help: a type stands in front of those only; to convert a file, write `--cast x=f32`\n",
        ),
        (
            &["x", "x=1", "--cast", "y=f32"],
            "error: --cast names `y`, but there is no such operand\n",
        ),
    ]);
}

#[test]
fn files_that_are_no_arrays_are_refused() {
    let header = "its .npy header is malformed:";
    for (file, reason) in [
        (
            "truncated",
            "its header claims shape [2, 3] of float32, 24 bytes, but only 20 bytes follow",
        ),
        ("cut_in_magic", "it is not a .npy file (it does not begin with \\x93NUMPY)"),
        ("no_magic", "it is not a .npy file (it does not begin with \\x93NUMPY)"),
        ("cut_in_header", &format!("{header} the file ends inside it")),
        ("version_9", &format!("{header} version 9.0 is unknown; 1.0, 2.0 and 3.0 are read")),
        (
            "lie_header_length",
            &format!("{header} it claims to be 4294967295 bytes long; the most are 65536"),
        ),
        ("nested", &format!("{header} it is nested too deeply")),
        ("no_shape", &format!("{header} dict is missing key 'shape'")),
        ("negative_size", &format!("{header} dimension cannot be negative")),
        (
            "lie_2_60",
            "its header claims shape [1152921504606846976] of float32, 4611686018427387904 bytes, but only 8 bytes follow",
        ),
        ("lie_overflow", "its header claims more elements than can be counted"),
        ("lie_overflow_zero", "its header claims more elements than can be counted"),
        ("lie_2_70", "its header claims more elements than can be counted"),
        ("c8", "its dtype is '<c8', which is no plain number or bool"),
        ("str", "its dtype is '<U2', which is no plain number or bool"),
        ("record", "its dtype is [('a', '<i4'), ('b', '<f4'), ], which is no plain number or bool"),
    ] {
        let expected = format!("error: operand `x`: {file}.npy: {reason}\n");
        refused(&[(&["x", &format!("x={file}.npy")], &expected)]);
    }
    let syntax = error(&["eval", "x", "x=no_dictionary.npy"]);
    assert!(
        syntax.starts_with(&format!("error: operand `x`: no_dictionary.npy: {header} ")),
        "{syntax}"
    );
}

#[test]
fn types_that_the_engine_lacks_are_refused_with_the_remedy() {
    refused(&[
        (
            &["x", "x=f8.npy"],
            "error: operand `x`: f8.npy holds float64, NumPy's default, which the engine does not have\n  \
             = help: convert it with `--cast f32` (or s32 or u32), which says how many values changed; for this operand alone `--cast x=f32`\n",
        ),
        (
            &["x", "x=i8.npy"],
            "error: operand `x`: i8.npy holds int64, NumPy's default, which the engine does not have\n  \
             = help: convert it with `--cast s32` (or u32 or f32), which says how many values changed; for this operand alone `--cast x=s32`\n",
        ),
        (
            &["x", "x=u1.npy"],
            "error: operand `x`: u1.npy holds uint8, which the engine does not have\n  \
             = help: convert it with `--cast u32` (or s32 or f32), which says how many values changed; for this operand alone `--cast x=u32`\n",
        ),
    ]);
}
