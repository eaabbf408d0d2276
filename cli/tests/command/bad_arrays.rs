//! Tests invalid operands: bad literals, fills and files, with the complete messages. No test needs
//! a GPU.
use crate::common::{Scratch, error, outcome, refused, without_gpu};

#[test]
fn operands_are_checked_one_by_one() {
    let forms = "an array is a literal (`[[1, 2], [3, 4]]`, `s32:[1, 2]`), a path to a .npy or .npz file, or a fill (`iota:2x3`, `random:2x3`)";
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
            &["x", "x=f32:[true]"],
            "error: operand `x`: true is not a value of f32\n  |\n  | f32:[true]\n  |      ^^^^\n  = help: write the element type in front, as in `pred:[true, false]`\n",
        ),
        (
            &["x", "x=f46:[1]"],
            "error: operand `x`: unknown element type `f46`\n  |\n  | f46:[1]\n  | ^^^\n  = help: did you mean `f16`? the element types are pred, s4, s8, s16, s32, s64, u4, u8, u16, u32, u64, f16, bf16, f32, f64, c64\n",
        ),
        (
            &["x", "x=u8:[1, 256]"],
            "error: operand `x`: 256 is not a value of u8, which holds 0 to 255\n  |\n  | u8:[1, 256]\n  |        ^^^\n",
        ),
        (
            &["x", "x=[1u8, 2s8]"],
            "error: operand `x`: 2s8 is of s8, not of u8\n  |\n  | [1u8, 2s8]\n  |       ^^^\n",
        ),
        (
            &["x", "x=f32:[1, -2i]"],
            "error: operand `x`: -2i is imaginary, and not a value of f32\n  |\n  | f32:[1, -2i]\n  |         ^^^\n",
        ),
        (
            &["x", "x=[1+2i, 2i+1]"],
            "error: operand `x`: a complex number is a real part and behind it an imaginary one\n  |\n  | [1+2i, 2i+1]\n  |        ^^^^\n  = help: such as 1+2i\n",
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
            "error: operand `x`: `f4.npy` is not a literal and no fill\n  |\n  | f32:f4.npy\n  |     ^^^^^^\n  = help: a type stands in front of those only; to convert a file, write `--cast x=f32`\n",
        ),
        (
            &["x", "x=1", "--cast", "y=f32"],
            "error: --cast names `y`, but no operand has this name\n",
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
        (
            "v2",
            "its elements are 2 raw bytes each, as ml_dtypes saves bfloat16; save `x.view(np.uint16)` and write `bitcast_convert(x, bf16)`, or save `x.astype(np.float32)`",
        ),
        (
            "v1",
            "its elements are raw bytes, as NumPy saves types that it does not know, such as ml_dtypes' int4; save them as one that it knows, such as `x.astype(np.int8)`",
        ),
        ("str", "its dtype is '<U2', which is not a plain number or bool"),
        (
            "record",
            "its dtype is [('a', '<i4'), ('b', '<f4'), ], which is not a plain number or bool",
        ),
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
fn a_file_does_not_drive_the_terminal() {
    for (header, reason) in [
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\x1b[31m\0",
            "its .npy header is malformed: could not parse Python expression: syntax error: --> 1:58, expected EOI",
        ),
        (
            "{'descr': [('\x1b[31ma', '<i4')], 'fortran_order': False, 'shape': (1,), }",
            "its dtype is [('\u{fffd}[31ma', '<i4'), ], which is not a plain number or bool",
        ),
    ] {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        let file = Scratch::with("x.npy", &bytes);
        let expected = format!("error: operand `x`: {}: {reason}\n", file.path());
        refused(&[(&["x", &format!("x={}", file.path())], &expected)]);
    }
}

#[test]
fn types_that_the_engine_lacks_are_refused_with_the_remedy() {
    refused(&[(
        &["x", "x=c16.npy"],
        "error: operand `x`: c16.npy holds complex128, which the engine does not have\n  \
         = help: convert it with `--cast c64`, which says how many values changed; for this operand alone `--cast x=c64`\n",
    )]);
}

#[test]
fn results_that_no_file_can_hold_are_refused_before_they_are_computed() {
    for (to, instead) in [
        (
            "bf16",
            "`convert(EXPR, f32)` has the same values, `bitcast_convert(EXPR, u16)` the same bits",
        ),
        ("s4", "`convert(EXPR, s8)` has the same values"),
        ("u4", "`convert(EXPR, u8)` has the same values"),
    ] {
        let expr = format!("convert(x, {to})");
        let expected = format!(
            "error: cannot write out.npy: .npy files have no dtype for {to}\n  = help: {instead}\n"
        );
        refused(&[(&[&expr, "x=1", "-o", "out.npy"], &expected)]);
    }
}

#[test]
fn where_no_file_can_be_written_nothing_is_computed() {
    // NumPy's own arrays have at most 64 dimensions.
    let (out, ones) = (Scratch::new("out.npy"), vec!["1"; 22_000].join(", "));
    let file = Scratch::with("rank.txt", format!("reshape(x, [{ones}])"));
    let expected = format!(
        "error: cannot write {}: a .npy header has no room for 22000 dimensions; drop those of size 1 by `reshape`\n",
        out.path()
    );
    refused(&[(&[&file.at_path(), "x=1", "-o", out.path()], &expected)]);
    assert!(!out.0.exists());

    let folder = std::env::temp_dir();
    let folder = folder.to_str().unwrap();
    let expected = format!("error: cannot write {folder}: is a directory\n");
    refused(&[(&["x", "x=1", "-o", folder], &expected)]);
    let shown = outcome(without_gpu().args(["eval", "x", "x=1", "-o", "no/such/out.npy"])).stderr;
    assert!(shown.starts_with("error: cannot write no/such/out.npy: "), "{shown}");
}

#[test]
fn only_files_are_cast() {
    for array in ["[1, 2]", "f32:iota:2"] {
        let expected = "error: --cast names `x`, but only files are converted, and that is f32 as it was written\n  = help: write the type in front of the array, as in `x=s32:[1, 2]`, or `convert(x, s32)` in EXPR\n";
        refused(&[(&["x", &format!("x={array}"), "--cast", "x=s32"], expected)]);
    }
    // The file has that type already, or the last of two `--cast` says so.
    let explained = ["explain", "x", "x=2x3", "--cast", "x=s32", "--cast", "x=f32", "--cast", "s8"];
    let outcome = outcome(without_gpu().args(explained));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}
