//! Tests results written into an existing archive: its other arrays stay, and it is replaced as a
//! whole or not at all.

#[cfg(unix)]
use std::io::Write as _;
use std::process::Stdio;

use indim::Literal;
use indim_npy::{Compression, NpzReader, NpzWriter};

#[cfg(unix)]
use crate::common::on_a_full_disk;
use crate::common::{Folder, Scratch, command, error, eval, outcome, without_gpu};

/// A memory limit for computing at once, and one that forces chunks.
const BOUNDS: [&str; 2] = ["1G", "64K"];

/// Writes an archive of compressed arrays `x`, `y` and `w`, of 200 KB each.
fn archive(path: &str) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = NpzWriter::new(file, Compression::Deflated);
    for (number, name) in ["x", "y", "w"].into_iter().enumerate() {
        writer.write(name, &filled(number as i32)).unwrap();
    }
    writer.finish().unwrap();
}

fn filled(value: i32) -> Literal {
    Literal::from_slice([50_000], &vec![value; 50_000]).unwrap()
}

/// Returns the arrays of an archive, each with its name.
fn arrays(path: &str) -> Vec<(String, Literal)> {
    NpzReader::open(path, 1 << 30).unwrap().read_all().unwrap()
}

fn named(values: &[(&str, i32)]) -> Vec<(String, Literal)> {
    values.iter().map(|&(name, value)| (name.to_owned(), filled(value))).collect()
}

#[test]
fn other_arrays_of_an_archive_stay() {
    for bound in BOUNDS {
        let folder = Folder::new();
        let path = folder.path("data.npz");
        archive(&path);
        let run = |words: &[&str]| eval(&[words, &["--max-memory", bound]].concat());
        let at = |name: &str| format!("{name}={path}:{name}");
        // Replace one that is an operand, too.
        assert_eq!(run(&["y = y + 6", &at("y"), "-o", &at("y")]), "y: s32[50000]\n");
        assert_eq!(arrays(&path), named(&[("x", 0), ("w", 2), ("y", 7)]));
        // Add one, and write two together, one of them under another name.
        run(&["new = y + 1", &at("y"), "-o", &at("new")]);
        assert_eq!(arrays(&path), named(&[("x", 0), ("w", 2), ("y", 7), ("new", 8)]));
        let to_w = format!("b={path}:w");
        run(&["a = y + 2", "b = a + 1", &at("y"), "-o", &at("a"), "-o", &to_w]);
        let all = named(&[("x", 0), ("y", 7), ("new", 8), ("a", 9), ("w", 10)]);
        assert_eq!(arrays(&path), all);
        // A single result has no name to use.
        run(&["y + 4", &at("y"), "-o", &format!("{path}:only")]);
        assert_eq!(arrays(&path).len(), 6);
        // Compressed arrays stay compressed.
        let length = std::fs::metadata(&path).unwrap().len();
        assert!((800_000..1_100_000).contains(&length), "{length}");
        // Without the name of an array, the archive is a new one.
        run(&["y = y + 1", &at("y"), "-o", &path]);
        assert_eq!(arrays(&path), named(&[("y", 8)]));
        assert_eq!(folder.count(), 1);
    }
}

#[test]
fn what_is_no_archive_keeps_no_arrays() {
    let text = Scratch::with("text.npz", "no archive");
    let path = text.path();
    let refused =
        outcome(without_gpu().args(["eval", "y = x", "x=1", "-o", &format!("y={path}:y")]));
    let said = &refused.stderr;
    let begins = format!(
        "error: cannot write {path}: its other arrays cannot be kept: the .npz archive cannot be used: "
    );
    assert!(said.starts_with(&begins), "{said}");
    let help = format!("  = help: `-o {path}`, without a name behind it, writes a new archive\n");
    assert!(said.ends_with(&help), "{said}");
    assert_eq!(
        (refused.code, std::fs::read(path).unwrap().as_slice()),
        (Some(1), &b"no archive"[..])
    );
    eval(&["y = x", "x=[1]", "-o", path]);
}

/// Nothing can be copied from a truncated archive.
#[test]
fn an_archive_that_is_cut_stays_as_it_is() {
    let folder = Folder::new();
    let path = folder.path("data.npz");
    archive(&path);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 10]).unwrap();
    for bound in BOUNDS {
        let to = format!("y={path}:y");
        let said = error(&["eval", "y = x", "x=iota:50000", "--max-memory", bound, "-o", &to]);
        assert!(said.contains("its other arrays cannot be kept"), "{said}");
    }
    assert!(std::fs::read(&path).unwrap() == bytes[..bytes.len() - 10]);
    assert_eq!(folder.count(), 1);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_archive() {
    for bound in BOUNDS {
        let folder = Folder::new();
        let path = folder.path("data.npz");
        archive(&path);
        let old = std::fs::read(&path).unwrap();
        let to = format!("y={path}:y");
        let full =
            on_a_full_disk("", &["y = x", "x=iota:1000000", "--max-memory", bound, "-o", &to]);
        assert!(full.stderr.starts_with(&format!("error: cannot write {path}: ")), "{full:?}");
        assert!(full.code == Some(1) && std::fs::read(&path).unwrap() == old);
        assert_eq!(folder.count(), 1);
    }
}

/// Writes concurrently, as `make -j` and `xargs -P` do.
#[test]
fn parallel_writers_into_archives_lose_nothing() {
    for bound in BOUNDS {
        let folder = Folder::new();
        let [a, b] = ["a.npz", "b.npz"].map(|name| folder.path(name));
        // One of the archives exists.
        eval(&["x", "x=iota:10", "-o", &format!("{a}:old")]);
        let writers: Vec<_> = (0..8)
            .map(|number| {
                // Every other writer writes to both, in the other order.
                let mut outputs = [format!("m={a}:m{number}"), format!("n={b}:n{number}")];
                if number % 2 == 1 {
                    outputs.reverse();
                }
                let mut writer = command();
                writer.args(["eval", "m = x", "n = x + 1", "--max-memory", bound]);
                writer.arg("x=iota:40000");
                writer.args(outputs.iter().flat_map(|output| ["-o", output]));
                writer.stdout(Stdio::null()).spawn().unwrap()
            })
            .collect();
        for mut writer in writers {
            assert!(writer.wait().unwrap().success());
        }
        let names = |path: &str| {
            let arrays = arrays(path).into_iter();
            let mut names: Vec<String> = arrays.map(|(name, _)| name).collect();
            names.sort();
            names
        };
        let all = |letter: char| (0..8).map(move |number| format!("{letter}{number}"));
        assert_eq!(names(&a), all('m').chain(["old".to_owned()]).collect::<Vec<_>>());
        assert_eq!(names(&b), all('n').collect::<Vec<_>>());
        assert_eq!(folder.count(), 2, "something is left behind");
    }
}

/// Waits until the archive's replacement has at least the given size.
#[cfg(unix)]
fn wait_for_bytes(folder: &Folder, bytes: u64) {
    let begin = std::time::Instant::now();
    let is_begun = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        let is_beside = entry.file_name().to_str().unwrap().ends_with('~');
        // It may be gone by now, as the file of a mere trial is.
        is_beside && entry.metadata().is_ok_and(|there| there.len() >= bytes)
    };
    while !std::fs::read_dir(&folder.0.0).unwrap().any(is_begun) {
        assert!(begin.elapsed().as_secs() < 60, "nothing is written");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Other processes replace an archive after it was copied and before the copy replaces it.
#[cfg(unix)]
#[test]
fn what_others_write_to_an_archive_that_was_copied_stays() {
    let folder = Folder::new();
    let (path, pipe) = (folder.path("data.npz"), folder.path("pipe"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let begin = |words: &[&str]| {
        archive(&path);
        let mut first = command();
        first.args(["eval", "y = x"]).args(words).args(["-o", &format!("y={path}:y")]);
        first.stdout(Stdio::null()).spawn().unwrap()
    };
    let others_write = || {
        eval(&["x", "x=[1,2]", "-o", &format!("{path}:q")]);
        eval(&["x", "x=[3]", "-o", &format!("{path}:x")]);
    };
    let end = |mut first: std::process::Child| {
        assert!(first.wait().unwrap().success());
        let count = |array: &Literal| array.shape().element_count().unwrap();
        let found: Vec<(String, usize)> =
            arrays(&path).iter().map(|(name, array)| (name.clone(), count(array))).collect();
        let wanted = [("w", 50_000), ("q", 2), ("x", 1), ("y", 50_000)];
        assert_eq!(found, wanted.map(|(name, count)| (name.to_owned(), count)));
        assert_eq!(folder.count(), 2, "something is left behind");
    };

    // When results are computed at once, pipes are written after all other files.
    let first = begin(&["z = x", "x=iota:50000", "-o", &format!("z={pipe}")]);
    wait_for_bytes(&folder, 200_000);
    others_write();
    std::fs::read(&pipe).unwrap();
    end(first);

    // In chunks the archive is copied before the operands are read.
    let first = begin(&[&format!("x={pipe}"), "--max-memory", BOUNDS[1]]);
    let values: Vec<f32> = (0..50_000).map(|value| value as f32).collect();
    let mut file = Vec::new();
    indim_npy::write(&mut file, &Literal::from_slice([50_000], &values).unwrap()).unwrap();
    let mut to_pipe = std::fs::File::options().write(true).open(&pipe).unwrap();
    to_pipe.write_all(&file[..100_000]).unwrap();
    wait_for_bytes(&folder, 10_000);
    others_write();
    to_pipe.write_all(&file[100_000..]).unwrap();
    drop(to_pipe);
    end(first);
}
