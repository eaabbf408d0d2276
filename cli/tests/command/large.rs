//! Tests arrays larger than the command's memory limit: with a tiny limit, every expression gives
//! the same bytes as in one piece, and failures leave the files unchanged.

#[cfg(unix)]
use std::path::Path;

use indim::ChunkSink as _;

#[cfg(target_os = "linux")]
use crate::common::below_a_gib_by;
#[cfg(unix)]
use crate::common::on_a_full_disk;
use crate::common::{Folder, command, error, eval, indim, outcome};

/// Writes a `.npy` file with the given elements, in either byte order.
fn npy(path: &str, descr: &str, fortran: bool, shape: &str, elements: &[u8]) {
    let order = if fortran { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let bytes = [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), elements].concat();
    std::fs::write(path, bytes).unwrap();
}

/// Evaluates with and without a limit of 64 KiB, and compares files and printed output.
#[track_caller]
fn same(folder: &Folder, args: &[&str], results: &[&str]) {
    let run = |kind: &str, bound: &str| {
        let outputs: Vec<String> = match results {
            [] => vec![folder.path(kind)],
            names => names
                .iter()
                .map(|n| format!("{n}={}", folder.path(&format!("{kind}-{n}"))))
                .collect(),
        };
        let mut all = args.to_vec();
        outputs.iter().for_each(|output| all.extend(["-o", output]));
        let (without, with) = (args.to_vec(), [&all[..], &["--max-memory", bound]].concat());
        let printed = indim(&[&["eval"], &with[..]].concat());
        assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{with:?}");
        // Results with a file are printed as type and shape only.
        let alone = indim(&[&["eval"], &without[..], &["--max-memory", bound]].concat());
        assert_eq!((alone.code, alone.stderr.as_str()), (Some(0), ""), "{without:?}");
        let heads = |line: &&str| !line.is_empty() && !line.starts_with(['[', ' ']);
        let heads: Vec<&str> = alone.stdout.lines().filter(heads).collect();
        let written: Vec<&str> = printed.stdout.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(written, heads, "{without:?}");
        let paths = outputs.iter().map(|o| o.split_once('=').map_or(o.as_str(), |(_, path)| path));
        let files: Vec<Vec<u8>> = paths.map(|path| std::fs::read(path).unwrap()).collect();
        (alone.stdout, files)
    };
    let (whole, chunked) = (run("whole.npy", "1G"), run("chunked.npy", "64K"));
    assert_eq!(whole.0, chunked.0, "{args:?}");
    assert!(whole.1 == chunked.1, "{args:?}");
}

/// Files of 120 KB in every order, and smaller ones: none of the expressions fits into 64 KiB.
fn operands(folder: &Folder) -> Vec<String> {
    let floats: Vec<f32> = (0..30_000).map(|i| (i as f32).sin() * 100.0).collect();
    let little: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    let big: Vec<u8> = floats.iter().flat_map(|x| x.to_be_bytes()).collect();
    let shape = "(200, 150)";
    npy(&folder.path("x.npy"), "<f4", false, shape, &little);
    npy(&folder.path("f.npy"), "<f4", true, shape, &little);
    npy(&folder.path("b.npy"), ">f4", false, shape, &big);
    npy(&folder.path("fb.npy"), ">f4", true, shape, &big);
    npy(&folder.path("v.npy"), "<f4", false, "(150,)", &little[..600]);
    npy(&folder.path("w.npy"), "<f4", false, "(200, 1)", &little[..800]);
    npy(&folder.path("long.npy"), "<f4", false, "(30000,)", &little);
    npy(&folder.path("cube.npy"), "<f4", true, "(20, 30, 50)", &little);
    npy(&folder.path("s.npy"), "<f4", false, "()", &little[4..8]);
    let bytes: Vec<u8> = (0..30_000_u32).map(|i| (i % 251) as u8).collect();
    npy(&folder.path("u.npy"), "|u1", false, shape, &bytes);
    npy(&folder.path("empty.npy"), "<f4", false, "(0, 150)", &[]);
    ["x", "f", "b", "fb", "v", "w", "long", "cube", "s", "u", "empty"]
        .iter()
        .map(|name| format!("{name}={}", folder.path(&format!("{name}.npy"))))
        .collect()
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn expressions_have_the_same_bytes_in_chunks() {
    let folder = Folder::new();
    let operands = operands(&folder);
    let operand =
        |name: &str| operands.iter().find(|o| o.starts_with(&format!("{name}="))).unwrap().as_str();
    let cases: &[(&str, &[&str])] = &[
        ("x * 2 + in_dim(v, 1)", &["x", "v"]),
        ("x + f - b * fb", &["x", "f", "b", "fb"]),
        ("x * w + s", &["x", "w", "s"]),
        ("transpose(x, [1, 0]) * 3", &["x"]),
        ("transpose(f, [1, 0]) + in_dim(v, 0)", &["f", "v"]),
        ("reverse(x, [0, 1])", &["x"]),
        ("reverse(long, [0])", &["long"]),
        ("slice(x, [3, 1], [199, 140], [5, 2]) + 1", &["x"]),
        ("in_dim(v, 1) * broadcast_in_dim(w, [200, 150], [0, 1])", &["v", "w"]),
        ("broadcast_in_dim(v, [150, 150, 3], [0]) + in_dim(v, 1)", &["v"]),
        ("reshape(long, [300, 100])", &["long"]),
        ("reshape(transpose(x, [1, 0]), [30000])", &["x"]),
        ("concatenate(x, f, reverse(x, [0]), 0)", &["x", "f"]),
        ("roll(x, 37, 0)", &["x"]),
        ("pad(x, 0, [2, 3], [4, -5], [1, 0])", &["x"]),
        ("transpose(cube, [2, 0, 1]) * s", &["cube", "s"]),
        ("select(convert(u, pred), x, -x)", &["u", "x"]),
        ("bitcast(x, u8)", &["x"]),
        ("convert(u, f32) + x", &["u", "x"]),
        ("concatenate(empty, x, 0)", &["empty", "x"]),
        ("x", &["x"]),
        ("iota(s32, [300, 150], 0) + iota(s32, [300, 150], 1)", &[]),
        ("r + i", &["r", "i"]),
        ("mean(x, [0])", &["x"]),
        ("mean(f, [1])", &["f"]),
        ("reshape(reduce_sum(x, [0, 1]), [1])", &["x"]),
        ("reshape(reduce_max(long, [0]), [1])", &["long"]),
        ("mean(cube, [0, 2])", &["cube"]),
        ("x - mean(x, [0, 1])", &["x"]),
        ("sqrt(var(b, [0]))", &["b"]),
        ("argmax(u, [0])", &["u"]),
    ];
    for (expr, names) in cases {
        let mut args = vec![*expr];
        for name in *names {
            args.push(match *name {
                "r" => "r=random:200x151",
                "i" => "i=iota:200x151",
                name => operand(name),
            });
        }
        same(&folder, &args, &[]);
    }
    // Several results, of one shape and of others.
    let args = ["t = x * 2; y = t + 1", "z = transpose(t, [1, 0])", "p = y > 3", operand("x")];
    same(&folder, &args, &["y", "z", "p"]);
    let empty = ["empty * 2", operand("empty")];
    same(&folder, &empty, &[]);
}

#[test]
fn conversions_are_counted_in_pieces() {
    let folder = Folder::new();
    let doubles: Vec<u8> = (0..20_000).flat_map(|i| (f64::from(i) * 1e35).to_le_bytes()).collect();
    npy(&folder.path("d.npy"), "<f8", false, "(20000,)", &doubles);
    let d = format!("d={}", folder.path("d.npy"));
    let out = folder.path("out.npy");
    let run =
        |bound: &str| indim(&["eval", "d", &d, "--cast", "f32", "-o", &out, "--max-memory", bound]);
    let whole = run("1G");
    let bytes = std::fs::read(&out).unwrap();
    let chunked = run("64K");
    assert_eq!(whole.stdout, chunked.stdout);
    assert_eq!(std::fs::read(&out).unwrap(), bytes);
    assert_eq!(
        chunked.stderr,
        "note: operand `d`: float64 converted to f32; 16597 of 20000 values that were read changed by more than rounding; the first is 3.403e38, which became inf\n"
    );
}

#[test]
fn an_output_may_be_an_input_and_an_input_a_pipe() {
    let folder = Folder::new();
    let path = folder.path("x.npy");
    eval(&["x", "x=iota:40000", "-o", &path]);
    let x = format!("x={path}");
    let small = ["--max-memory", "64K"];
    eval(&[&["reverse(x, [0]) + 1", &x, "-o", &path][..], &small].concat());
    assert_eq!(
        eval(&[&["x", &x][..], &small].concat()),
        "f32[40000]\n[4.0000e+04 3.9999e+04 3.9998e+04 ... 3.0000e+00 2.0000e+00 1.0000e+00]\n"
    );
    assert_eq!(folder.count(), 1);
    #[cfg(unix)]
    {
        let piped = |expr: &str| {
            let script = "cat \"$2\" | \"$0\" eval \"$1\" x=/dev/stdin --max-memory 64K -o \"$3\"";
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", script, env!("CARGO_BIN_EXE_indim"), expr, &path]);
            shell.arg(folder.path("out.npy")).env("XDG_RUNTIME_DIR", std::env::temp_dir());
            outcome(&mut shell)
        };
        let ok = piped("x + 1");
        assert_eq!(ok.stderr, "");
        assert_eq!(ok.stdout, "f32[40000]\n");
        assert_eq!(
            eval(&["x", &format!("x={}", folder.path("out.npy"))])[..32],
            "f32[40000]\n[4.0001e+04 4.0000e+0"[..32]
        );
        let refused = piped("reverse(x, [0])");
        assert_eq!(
            refused.stderr,
            "error: operand `x`: /dev/stdin: it is a pipe, which gives its elements once and in their order, but they are needed twice or in another order; write them to a file first\n"
        );
    }
}

/// A function does not end for elements that are not printed, so computing one of them is an error.
#[test]
fn what_is_not_printed_is_not_computed() {
    let folder = Folder::new();
    let path = folder.path("picky.wgsl");
    let text = "fn picky(x: f32) -> f32 { while x > 2.0 && x < 3997.0 { } return -x; }";
    std::fs::write(&path, text).unwrap();
    let of = ["picky(x)", "x=iota:4000", "--fn", &path];
    let shown =
        "f32[4000]\n[-0.000e+00 -1.000e+00 -2.000e+00 ... -3.997e+03 -3.998e+03 -3.999e+03]\n";
    assert_eq!(eval(&of), shown);
    let all = error(&[&["eval"][..], &of, &["-o", &folder.path("out.npy")]].concat());
    assert!(all.starts_with("error: picky: "), "{all}");
    // Pipes, archives and converted files fit as a whole.
    let x = folder.path("x.npz");
    eval(&["x = x + 0", "x=iota:4000", "-o", &x]);
    assert_eq!(eval(&["-x", &format!("x={x}")]), shown);
    let doubles = folder.path("f64.npy");
    let elements: Vec<u8> = (0..4000).flat_map(|i| (f64::from(i) + 1e-9).to_le_bytes()).collect();
    npy(&doubles, "<f8", false, "(4000,)", &elements);
    let cast = indim(&["eval", "-x", &format!("x={doubles}"), "--cast", "f32"]);
    assert_eq!(cast.stdout.replace("1.e-09", "0.0e+00").lines().next(), Some("f32[4000]"));
    assert!(cast.stderr.contains("4000 values"), "{}", cast.stderr);
    #[cfg(unix)]
    {
        let script = "cat \"$1\" | \"$0\" eval 'reverse(x, [0])' x=/dev/stdin";
        let mut shell = std::process::Command::new("sh");
        let path = folder.path("plain.npy");
        eval(&["x", "x=iota:4000", "-o", &path]);
        shell.args(["-c", script, env!("CARGO_BIN_EXE_indim"), &path]);
        let piped = outcome(shell.env("XDG_RUNTIME_DIR", std::env::temp_dir()));
        assert_eq!(piped.stdout, eval(&["reverse(x, [0])", "x=iota:4000"]), "{piped:?}");
    }
}

#[test]
fn archives_are_read_and_written() {
    let folder = Folder::new();
    let archive = folder.path("data.npz");
    let small = ["--max-memory", "64K"];
    for (archive, bound) in [(&archive, &small[..]), (&folder.path("whole.npz"), &[])] {
        let args = ["y = x * 2", "z = transpose(y, [1, 0])", "x=iota:200x150", "-o", archive];
        eval(&[&args[..], bound].concat());
    }
    assert!(std::fs::read(&archive).unwrap() == std::fs::read(folder.path("whole.npz")).unwrap());
    for bound in [&small[..], &[]] {
        let read = |operand: &str| eval(&[&["y + 1", operand][..], bound].concat());
        let named = read(&format!("y={archive}:y"));
        assert!(named.starts_with("f32[200,150]\n[[1.0000e+00 3.0000e+00"), "{named}");
        assert_eq!(read(&format!("y={archive}")), named);
        assert!(read(&format!("y={archive}:z")).starts_with("f32[150,200]\n"));
    }
    assert_eq!(
        error(&["eval", "q", &format!("q={archive}")]),
        format!(
            "error: operand `q`: {archive}: the .npz archive has no array \"q\"; it has \"y\", \"z\"\n  = help: name one of them behind the archive, as in `q=data.npz:x`\n"
        )
    );
    // One of them by name, and an archive that is an operand.
    eval(
        &[
            &["z = y - 1", &format!("y={archive}:z"), "-o", &format!("z={archive}:only")][..],
            &small,
        ]
        .concat(),
    );
    assert!(eval(&["only", &format!("only={archive}")]).starts_with("f32[150,200]\n[[-1."));
    let taken = ["eval", "a = x", "b = x + 1", "x=3", "-o"];
    let both = [&taken[..], &["a=o.npz:c", "-o", "b=o.npz:c"]].concat();
    assert_eq!(
        error(&both),
        "error: result a and result b are both to be written to o.npz\n  = help: each result has a name of its own in an archive\n"
    );
}

/// An archive of one array of zeros, with a claimed and an actual size.
fn archive_of_zeros(path: &str, claimed: usize, count: usize) {
    let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let mut writer = indim_npy::NpzWriter::new(file, indim_npy::Compression::Deflated);
    let shape = indim::Shape::from([claimed]);
    let mut member = writer.member("zeros", indim::ElementType::U8, &shape).unwrap();
    let zeros = vec![0; 1 << 20];
    let mut left = count;
    while left > 0 {
        let piece = left.min(zeros.len());
        member.write(&[], &zeros[..piece]).unwrap();
        left -= piece;
    }
    assert_eq!(member.finish().is_ok(), claimed == count);
    writer.finish().unwrap();
}

#[test]
fn an_archive_that_unpacks_to_much_is_read_in_pieces() {
    let folder = Folder::new();
    let path = folder.path("bomb.npz");
    archive_of_zeros(&path, 40_000_000, 40_000_000);
    assert!(std::fs::metadata(&path).unwrap().len() < 100_000);
    let operand = format!("zeros={path}");
    let out = folder.path("out.npy");
    let printed = eval(&["zeros + 1", &operand, "--max-memory", "1M", "-o", &out]);
    assert_eq!(printed, "u8[40000000]\n");
    let ones = std::fs::read(&out).unwrap();
    assert!(ones.len() >= 40_000_000 && ones[ones.len() - 40_000_000..].iter().all(|&x| x == 1));
    // In reverse, each piece is unpacked from the beginning.
    let printed = eval(&["reverse(zeros, [0])", &operand, "--max-memory", "64M", "-o", &out]);
    assert_eq!(printed, "u8[40000000]\n");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&path, bytes).unwrap();
    let refused = error(&["eval", "zeros + 1", &operand, "--max-memory", "1M", "-o", &out]);
    assert!(refused.starts_with(&format!("error: operand `zeros`: {path}: ")), "{refused}");
    assert_eq!(folder.count(), 2);
}

/// A zip bomb takes time but no memory, and neither does a member that misstates its size in the
/// archive's list, too.
#[cfg(target_os = "linux")]
#[test]
fn an_archive_takes_no_memory_for_what_it_claims() {
    const MANY: usize = 1_600_000_000;
    let folder = Folder::new();
    let path = folder.path("bomb.npz");
    let operand = format!("zeros={path}");
    archive_of_zeros(&path, MANY, MANY);
    let bomb = below_a_gib_by(&command(), &["eval", "zeros + 1", &operand]);
    assert_eq!((bomb.code, bomb.stderr.as_str()), (Some(0), ""));
    assert_eq!(bomb.stdout, "u8[1600000000]\n[1 1 1 ... 1 1 1]\n");

    archive_of_zeros(&path, MANY, 1_000);
    let refused = |args: &[&str]| {
        let ended = below_a_gib_by(&command(), args);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{}", ended.stderr);
        ended.stderr
    };
    let claims = "its header claims shape [1600000000] of uint8, 1600000000 bytes, but only 1000 bytes follow\n";
    let found = format!("error: operand `zeros`: {path}: array \"zeros\": {claims}");
    assert_eq!(refused(&["eval", "zeros + 1", &operand]), found);
    // The list of files and this member's header have its size, of which 128 bytes are NumPy's
    // header.
    let mut bytes = std::fs::read(&path).unwrap();
    let [size, lie] = [1_000, MANY].map(|count| u32::try_from(128 + count).unwrap().to_le_bytes());
    let mut places = 0;
    for at in 0..bytes.len() - 4 {
        if bytes[at..].starts_with(&size) {
            bytes[at..at + 4].copy_from_slice(&lie);
            places += 1;
        }
    }
    assert_eq!(places, 2);
    std::fs::write(&path, bytes).unwrap();
    let found = format!("error: operand `zeros`: {path}: {claims}");
    for bound in ["512M", "8G"] {
        let said = refused(&["eval", "zeros + 1", &operand, "--max-memory", bound]);
        assert_eq!(said, found, "{bound}");
    }
}

#[test]
fn what_cannot_be_cut_names_its_operand() {
    let folder = Folder::new();
    let path = folder.path("x.npy");
    eval(&["x", "x=iota:40000", "-o", &path]);
    let x = format!("x={path}");
    let expr = "slice(x, [0], [20000], [1]) + slice(x, [20000], [40000], [1])";
    assert_eq!(
        error(&["eval", expr, &x, "--max-memory", "64K", "-o", &folder.path("out.npy")]),
        "error: result: 80004 bytes of operand `x` are needed for a single element, but a chunk takes a tenth of --max-memory, 65536 bytes\n  = help: allow more by `--max-memory 809360`, or compute EXPR in parts, with a file between them\n"
    );
    let enough = folder.path("out.npy");
    eval(&[expr, &x, "--max-memory", "809360", "-o", &enough]);
    assert_eq!(folder.count(), 2);
    let usage = indim(&["eval", "x", &x, "--max-memory", "lots"]);
    assert_eq!(usage.code, Some(2));
    assert!(usage.stderr.contains("such as 512M"), "{}", usage.stderr);
}

/// The size of a file with NumPy's header and this many zeros, mostly a hole.
#[cfg(unix)]
fn zeros(path: &str, count: usize) {
    npy(path, "|u1", false, &format!("({count},)"), &[]);
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let header = file.metadata().unwrap().len();
    file.set_len(header + count as u64).unwrap();
}

/// Waits for a non-empty temporary file of the command beside its output.
#[cfg(unix)]
fn wait_for_temporary(folder: &Path) {
    for _ in 0..2_000 {
        let begun = std::fs::read_dir(folder).unwrap().any(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            name.ends_with('~') && entry.metadata().is_ok_and(|file| file.len() > 1 << 20)
        });
        if begun {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("nothing was written in 10 s");
}

/// Starts a long evaluation, with `old` in its output file.
#[cfg(unix)]
fn start(folder: &Folder) -> std::process::Child {
    // The tests may run where these signals are ignored, as behind `nohup`.
    let command = if cfg!(target_os = "linux") {
        let mut env = std::process::Command::new("env");
        env.args(["--default-signal=INT,HUP,TERM", env!("CARGO_BIN_EXE_indim")]);
        env.env("XDG_RUNTIME_DIR", std::env::temp_dir());
        env
    } else {
        command()
    };
    start_by(command, folder)
}

/// Starts it by a command that takes the arguments after its own.
#[cfg(unix)]
fn start_by(mut command: std::process::Command, folder: &Folder) -> std::process::Child {
    zeros(&folder.path("x.npy"), 1 << 30);
    std::fs::write(folder.path("out.npy"), "old").unwrap();
    command.args(["eval", "x + 1", &format!("x={}", folder.path("x.npy"))]);
    command.args(["--max-memory", "4M", "-o", &folder.path("out.npy")]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for_temporary(&folder.0.0);
    child
}

/// Sends a signal, by its name, to a process.
#[cfg(unix)]
fn send(signal: &str, to: &std::process::Child) {
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-s", signal, &to.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_the_old_file_and_no_other() {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = Folder::new();
        let child = start(&folder);
        send(signal, &child);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{signal}");
        assert_eq!(std::fs::read(folder.path("out.npy")).unwrap(), b"old");
        assert_eq!(folder.count(), 2, "{signal}");
    }
}

/// `nohup` ignores SIGHUP, and shells ignore SIGINT for background jobs.
#[cfg(unix)]
#[test]
#[ignore = "long: in `.ci/run`"]
fn a_signal_that_the_caller_ignores_ends_nothing() {
    let folder = Folder::new();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' INT HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_indim")]);
    shell.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    let child = start_by(shell, &folder);
    send("INT", &child);
    send("HUP", &child);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
    assert_eq!(ended.stdout, b"u8[1073741824]\n");
    assert!(std::fs::metadata(folder.path("out.npy")).unwrap().len() > 1 << 30);
    assert_eq!(folder.count(), 2);
}

#[cfg(unix)]
#[test]
fn a_file_that_becomes_shorter_is_an_error() {
    let folder = Folder::new();
    let child = start(&folder);
    let file = std::fs::File::options().write(true).open(folder.path("x.npy")).unwrap();
    file.set_len(64 + 1000).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8(ended.stderr).unwrap(),
        format!(
            "error: operand `x`: {}: its header claims shape [1073741824] of uint8, 1073741824 bytes, but only 936 bytes follow\n",
            folder.path("x.npy")
        )
    );
    assert_eq!(std::fs::read(folder.path("out.npy")).unwrap(), b"old");
    assert_eq!(folder.count(), 2);
}

#[cfg(unix)]
#[test]
fn a_full_disk_and_a_protected_target_leave_the_old_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let out = folder.path("out.npy");
    std::fs::write(&out, "old").unwrap();
    let full = on_a_full_disk("", &["x", "x=iota:1000000", "--max-memory", "64K", "-o", &out]);
    assert!(full.stderr.starts_with(&format!("error: cannot write {out}: ")), "{full:?}");
    assert_eq!((full.code, std::fs::read(&out).unwrap().as_slice()), (Some(1), &b"old"[..]));
    assert_eq!(folder.count(), 1);
    // A device that is full, written directly.
    #[cfg(target_os = "linux")]
    {
        let full = error(&["eval", "x", "x=iota:100000", "--max-memory", "64K", "-o", "/dev/full"]);
        assert!(full.starts_with("error: cannot write /dev/full: "), "{full}");
    }
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o444)).unwrap();
    let question = ["eval", "x", "x=iota:100000", "--max-memory", "64K", "-o", &out];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_indim"));
    // Root may write everything unless it drops that capability.
    if std::fs::File::options().write(true).open(&out).is_ok() {
        command = std::process::Command::new("setpriv");
        command.args(["--bounding-set=-dac_override", env!("CARGO_BIN_EXE_indim")]);
    }
    let refused = outcome(command.args(question).env("XDG_RUNTIME_DIR", std::env::temp_dir()));
    assert!(refused.stderr.starts_with(&format!("error: cannot write {out}: ")), "{refused:?}");
    assert_eq!((refused.code, std::fs::read(&out).unwrap().as_slice()), (Some(1), &b"old"[..]));
    assert_eq!(folder.count(), 1);
}

/// An element far from the diagonal needs all of the operand.
#[test]
fn the_memory_that_an_error_asks_for_suffices() {
    let folder = Folder::new();
    let out = folder.path("out.npy");
    let run = |memory: &str| {
        let sum = "transpose(x, [1, 0]) + x";
        indim(&["eval", sum, "x=iota:2000x2000", "--max-memory", memory, "-o", &out])
    };
    let refused = run("2M");
    assert_eq!(
        refused.stderr,
        "error: result: 16000000 bytes of operand `x` are needed for a single element, but a chunk takes a tenth of --max-memory, 2097152 bytes\n  = help: allow more by `--max-memory 160000080`, or compute EXPR in parts, with a file between them\n"
    );
    assert_eq!((refused.code, folder.count()), (Some(1), 0));
    let done = run("160000080");
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
}

/// The error names the element that needs the most memory among all results, wherever they go,
/// before anything is computed.
#[test]
fn all_results_are_looked_at_before_any_is_computed() {
    let folder = Folder::new();
    let path = |name: &str| folder.path(name);
    let outputs = [format!("a={}", path("a.npy")), format!("b={}:b", path("b.npz"))];
    // Two of these are refused.
    let part = "slice(x, [0, 0], [100, 100])";
    let values =
        ["transpose(x, [1, 0]) + x", &format!("transpose({part}, [1, 0]) + {part}"), "x + 1"];
    let names = ["a", "b", "c"];
    for (number, most) in names.into_iter().enumerate() {
        let exprs: Vec<String> =
            (0..3).map(|i| format!("{} = {}", names[(number + i) % 3], values[i])).collect();
        let run = |memory: &str| {
            let exprs: Vec<&str> = exprs.iter().map(String::as_str).collect();
            let files = ["-o", &outputs[0], "-o", &outputs[1], "--max-memory", memory];
            indim(&[&["eval"], &exprs[..], &["x=iota:300x300"], &files].concat())
        };
        let refused = run("64K");
        assert_eq!((refused.code, folder.count()), (Some(1), 0));
        let begin = format!("error: result {most}: ");
        assert!(refused.stderr.starts_with(&begin), "{refused:?}");
        let (_, needed) = refused.stderr.split_once("`--max-memory ").unwrap();
        let (needed, _) = needed.split_once('`').unwrap();
        let done = run(needed);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{needed}");
        for output in ["a.npy", "b.npz"] {
            std::fs::remove_file(path(output)).unwrap();
        }
    }
}
