//! Tests the destinations of results: files, pipes, and printed text.
use std::process::Stdio;

#[cfg(target_os = "linux")]
use indim_testing::{not_tested, share};

#[cfg(target_os = "linux")]
use crate::common::outcome;
#[cfg(unix)]
use crate::common::{Outcome, on_a_full_disk};
use crate::common::{Scratch, command, error, eval};

#[test]
fn results_are_written_as_numpy_writes_them() {
    let all = [
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
    ];
    for (array, descr, data) in all.into_iter().step_by(share::one_of(4)) {
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
        // Only type and shape are printed, and the file is read back.
        assert_eq!(printed.lines().count(), 1);
        let whole = eval(&["x", &format!("x={array}")]);
        assert!(whole.starts_with(&printed), "{printed}");
        assert_eq!(eval(&["x", &format!("x={}", out.path())]), whole);
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

/// Runs `indim eval x x=FILL -o out` on a disk that limits files to 512 KiB.
#[cfg(unix)]
fn eval_on_a_full_disk(runner: &str, fill: &str, out: &std::path::Path) -> Outcome {
    on_a_full_disk(runner, &["x", &format!("x={fill}"), "-o", out.to_str().unwrap()])
}

/// Runs it with a result that is too large, then with one that fits; checks that the file keeps its
/// contents, then that it holds the result.
#[cfg(unix)]
#[track_caller]
fn stays_or_is_whole(runner: &str, out: &std::path::Path) {
    let folder = out.parent().unwrap();
    std::fs::write(out, "what was there").unwrap();
    let count = std::fs::read_dir(folder).unwrap().count();
    let full = eval_on_a_full_disk(runner, "iota:1000000", out);
    let failed = full.stderr.starts_with(&format!("error: cannot write {}: ", out.display()));
    assert!(failed && full.code == Some(1), "{full:?}");
    assert_eq!(std::fs::read(out).unwrap(), b"what was there");
    let fits = eval_on_a_full_disk(runner, "iota:3", out);
    assert_eq!((fits.code, fits.stderr.as_str()), (Some(0), ""));
    let whole = std::fs::read(out).unwrap();
    assert!(whole.starts_with(b"\x93NUMPY") && whole.ends_with(&2_f32.to_le_bytes()));
    let left = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(left, count, "something is left behind");
}

#[cfg(unix)]
#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = Scratch::new("folder");
    std::fs::create_dir(&folder.0).unwrap();
    let out = folder.0.join("out.npy");
    stays_or_is_whole("", &out);
    // No name can be longer, so temporary names must not be derived from it by adding to it.
    stays_or_is_whole("", &folder.0.join(format!("{}.npy", "n".repeat(250 - 4))));
    stays_or_is_whole("", &folder.0.join("n".repeat(255)));

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

/// A container's first process always has the number 1, and a killed one may have left a temporary
/// file whose name contains that.
#[cfg(target_os = "linux")]
#[test]
fn the_first_process_of_a_container_replaces_files_whole() {
    const RUNNER: &str = "unshare --user --map-root-user --pid --fork --mount-proc ";
    let mut tried = std::process::Command::new("sh");
    let tried = outcome(tried.args(["-c", &format!("exec {RUNNER}sh -c 'echo $$'")]));
    if tried.stdout != "1\n" {
        return not_tested::without("a process with the number 1", &tried.stderr);
    }
    let folder = Scratch::new("container");
    std::fs::create_dir(&folder.0).unwrap();
    let stale = folder.0.join(".out.npy.1.part");
    std::fs::write(&stale, "stale").unwrap();
    stays_or_is_whole(RUNNER, &folder.0.join("out.npy"));
    assert_eq!(std::fs::read(&stale).unwrap(), b"stale");

    // A file that is itself a mount point cannot be replaced.
    let out = folder.0.join("mounted.npy");
    std::fs::write(&out, "what was there").unwrap();
    let mounts = format!("{RUNNER}sh -c 'mount --bind \"$5\" \"$5\" && exec \"$0\" \"$@\"' ");
    let refused = eval_on_a_full_disk(&mounts, "iota:3", &out);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.starts_with(&format!("error: cannot write {}: ", out.display())),
        "{refused:?}"
    );
    assert_eq!(std::fs::read(&out).unwrap(), b"what was there");
    std::fs::remove_dir_all(&folder.0).unwrap();
}

/// Nobody can create a file in a process's folder of /proc.
#[cfg(target_os = "linux")]
#[test]
fn where_no_file_can_be_made_beside_it_nothing_is_computed() {
    let refused =
        outcome(crate::common::without_gpu().args(["eval", "x", "x=1", "-o", "/proc/self/comm"]));
    assert_eq!(
        (refused.code, refused.stderr.as_str()),
        (
            Some(1),
            "error: cannot write /proc/self/comm: no file can be made beside it, which would replace it when it is whole: No such file or directory (os error 2); write to another folder\n"
        )
    );
}

/// The file behind the standard output may be deleted already.
#[cfg(target_os = "linux")]
#[test]
fn a_result_may_go_to_a_file_without_a_name() {
    use std::io::{Read as _, Seek as _};
    let file = Scratch::with("deleted", "");
    let mut open = std::fs::File::options().read(true).write(true).open(&file.0).unwrap();
    std::fs::remove_file(&file.0).unwrap();
    let stdout = Stdio::from(open.try_clone().unwrap());
    let status =
        command().args(["eval", "x", "x=u8:[7]", "-o", "/dev/stdout"]).stdout(stdout).status();
    assert!(status.unwrap().success());
    open.rewind().unwrap();
    let mut bytes = Vec::new();
    open.read_to_end(&mut bytes).unwrap();
    assert!(!bytes.is_empty());
    let nameless = format!("{} (deleted)", file.path());
    assert!(!std::path::Path::new(&nameless).exists());
}

#[cfg(unix)]
#[test]
fn a_result_may_go_to_a_pipe() {
    let output = command().args(["eval", "x", "x=u8:[7]", "-o", "/dev/stdout"]).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(output.stdout.starts_with(b"\x93NUMPY\x01\x00"), "{:?}", output.stdout);
    assert!(output.stdout.ends_with(b"\n\x07u8[1]\n"), "{:?}", output.stdout);
}

#[test]
fn long_arrays_are_abbreviated() {
    assert_eq!(
        eval(&["x * 2", "x=s32:iota:2000"]),
        "s32[2000]\n[   0    2    4 ... 3994 3996 3998]\n"
    );
}

/// NumPy does not abbreviate an array whose dimensions are all at most 6, and neither do we: here
/// 70 MB of text for 4 MB of elements.
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
    // The rest does not fit into a pipe, so the command waits.
    let mut printed = Vec::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.by_ref().take(60_000_000).read_to_end(&mut printed).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    // The driver takes 90 MB.
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

/// Runs something as root with files owned by another user.
#[cfg(target_os = "linux")]
#[test]
fn a_replaced_file_keeps_its_owner_where_the_system_allows() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    const OWNER: u32 = 12_345;
    const GROUP: u32 = 23_456;
    let folder = crate::common::Folder::new();
    let out = folder.path("out.npy");
    let is_of = || {
        let there = std::fs::metadata(&out).unwrap();
        (there.uid(), there.gid(), there.mode() & 0o7777)
    };
    for bound in ["1G", "64K"] {
        std::fs::write(&out, "what was there").unwrap();
        std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o640)).unwrap();
        if let Err(why) = chown(&out, Some(OWNER), Some(GROUP)) {
            return not_tested::without("a file of another user", &why.to_string());
        }
        eval(&["x", "x=iota:50000", "--max-memory", bound, "-o", &out]);
        assert_eq!(is_of(), (OWNER, GROUP, 0o640), "{bound}");

        // One who may write and not give away: what the group might do, only a member of it may.
        let folder_mode = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(&folder.0.0, folder_mode).unwrap();
        std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o4666)).unwrap();
        let mut other = std::process::Command::new("setpriv");
        other.args(["--reuid=54321", "--regid=54321", "--clear-groups"]);
        other.args([env!("CARGO_BIN_EXE_indim"), "eval", "x", "x=iota:50000"]);
        other.args(["--max-memory", bound, "-o", &out]);
        other.env("XDG_RUNTIME_DIR", std::env::temp_dir());
        let done = outcome(&mut other);
        if done.code == Some(1) && done.stderr.contains("adapter") {
            return not_tested::without("a GPU for another user", &done.stderr);
        }
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(is_of(), (54_321, 54_321, 0o666), "{bound}");
    }
    assert_eq!(folder.count(), 1);
}

/// A hard link keeps the old contents, as docs/guarantees.md says.
#[cfg(unix)]
#[test]
fn a_hard_link_keeps_the_old_contents() {
    let folder = crate::common::Folder::new();
    let (out, second) = (folder.path("out.npy"), folder.path("second.npy"));
    std::fs::write(&out, "what was there").unwrap();
    std::fs::hard_link(&out, &second).unwrap();
    eval(&["x", "x=[1]", "-o", &out]);
    assert_eq!(std::fs::read(&second).unwrap(), b"what was there");
}
