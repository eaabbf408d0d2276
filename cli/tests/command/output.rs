//! Tests where results go: files, pipes, and the text that is printed.
use std::process::Stdio;

use crate::common::{Scratch, command, error, eval};

#[test]
fn results_are_written_as_numpy_writes_them() {
    for (array, descr, data) in [
        ("[[1.5,-2]]", "<f4", [1.5f32.to_le_bytes(), (-2f32).to_le_bytes()].concat()),
        ("s32:[[1,-2]]", "<i4", [1i32.to_le_bytes(), (-2i32).to_le_bytes()].concat()),
        ("u32:[[1,4294967295]]", "<u4", [1u32.to_le_bytes(), u32::MAX.to_le_bytes()].concat()),
        ("pred:[[1,0]]", "|b1", vec![1, 0]),
        ("s8:[[1,-2]]", "|i1", vec![1, 0xfe]),
        ("s16:[[1,-2]]", "<i2", vec![1, 0, 0xfe, 0xff]),
        ("s64:[[1,-2]]", "<i8", [1i64.to_le_bytes(), (-2i64).to_le_bytes()].concat()),
        ("u8:[[1,255]]", "|u1", vec![1, 255]),
        ("u16:[[1,258]]", "<u2", vec![1, 0, 2, 1]),
        ("u64:[[1,2]]", "<u8", [1u64.to_le_bytes(), 2u64.to_le_bytes()].concat()),
        ("f16:[[1,-2]]", "<f2", vec![0, 0x3c, 0, 0xc0]),
        (
            "c64:[[1-2i,3]]",
            "<c8",
            [1f32, -2.0, 3.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect(),
        ),
    ] {
        let out = Scratch::new("out.npy");
        let printed = eval(&["x", &format!("x={array}"), "-o", out.path()]);
        let bytes = std::fs::read(&out.0).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
        assert!(
            header.starts_with(&format!(
                "{{'descr': '{descr}', 'fortran_order': False, 'shape': (1, 2, ), }}"
            )),
            "{header}"
        );
        assert!(header.ends_with(" \n"));
        assert_eq!(bytes[10 + length..], data);
        // The file is read back.
        assert_eq!(eval(&["x", &format!("x={}", out.path())]), printed);
    }
}

#[test]
fn a_result_may_replace_its_operand() {
    let file = Scratch::with(
        "x.npy",
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/i4.npy")).unwrap(),
    );
    let x = format!("x={}", file.path());
    eval(&["x + 1", &x, "--output", file.path()]);
    let printed = eval(&["x", &x]);
    let values: Vec<&str> = printed.split_whitespace().skip(1).collect();
    assert_eq!(values.join(" "), "[[ 2 -1 4] [ 5 6 -5]]");
}

/// The disk is full, for this process, after a file has 512 KiB or so: less than the result, and more
/// than SwiftShader writes its code to.
#[cfg(unix)]
#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = Scratch::new("folder");
    std::fs::create_dir(&folder.0).unwrap();
    let out = folder.0.join("out.npy");
    std::fs::write(&out, "what was there").unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1024; exec \"$0\" eval x x=iota:1000000 -o \"$1\""]);
    shell.arg(env!("CARGO_BIN_EXE_indim")).arg(&out).env("XDG_RUNTIME_DIR", std::env::temp_dir());
    let full = crate::common::outcome(&mut shell);
    let failed = full.stderr.starts_with(&format!("error: cannot write {}: ", out.display()));
    assert!(failed && full.code == Some(1), "{full:?}");
    assert_eq!(std::fs::read(&out).unwrap(), b"what was there");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "something is left behind");

    // Links to the file still lead to it, and its permissions stay.
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let link = folder.0.join("link.npy");
    symlink("out.npy", &link).unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o604)).unwrap();
    eval(&["x", "x=[1,2]", "-o", link.to_str().unwrap()]);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o604);
    assert_eq!(eval(&["x", &format!("x={}", out.display())]), "f32[2]\n[1. 2.]\n");
    std::fs::remove_dir_all(&folder.0).unwrap();
}

#[cfg(unix)]
#[test]
fn a_result_may_go_to_a_pipe() {
    let output = command().args(["eval", "x", "x=u8:[7]", "-o", "/dev/stdout"]).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(output.stdout.starts_with(b"\x93NUMPY\x01\x00"), "{:?}", output.stdout);
    assert!(output.stdout.ends_with(b"\n\x07u8[1]\n[7]\n"), "{:?}", output.stdout);
}

#[test]
fn long_arrays_are_abbreviated() {
    assert_eq!(
        eval(&["x * 2", "x=s32:iota:2000"]),
        "s32[2000]\n[   0    2    4 ... 3994 3996 3998]\n"
    );
}

/// NumPy shows all of an array of which no dimension is longer than 6, and so do we: 70 MB of text
/// here, for 4 MB of elements.
#[cfg(target_os = "linux")]
#[test]
fn what_is_printed_is_not_kept_in_memory() {
    use std::io::Read as _;
    let sizes = ["2"; 22].join("x");
    let mut child = command()
        .args(["eval", "x", &format!("x=s8:iota:{sizes}")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The rest does not fit into a pipe, so that the command waits.
    let mut printed = Vec::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.by_ref().take(60_000_000).read_to_end(&mut printed).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // 90 MB are the driver's.
    assert!(kib < 300_000, "{kib} KiB");
    stdout.read_to_end(&mut printed).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(printed.ends_with(format!("  -2   -1{}\n", "]".repeat(22)).as_bytes()));
    // One for each row, and so on, and the one of the shape.
    assert_eq!(printed.iter().filter(|&&byte| byte == b'[').count(), 1 << 22);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = command()
        .args(["eval", "x", "x=iota:100x100x10"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let refused = error(&["eval", "x", "x=[1]", "-o", "no/such/folder/out.npy"]);
    assert!(refused.starts_with("error: cannot write no/such/folder/out.npy: "), "{refused}");
}
