//! Tests results that go into an archive that is there: its other arrays stay, and it is replaced
//! whole or not at all.

use indim::Literal;
use indim_npy::{Compression, NpzReader, NpzWriter};

#[cfg(unix)]
use crate::common::on_a_full_disk;
use crate::common::{Folder, Scratch, error, eval, outcome, without_gpu};

/// The bound of a computation at once, and one by which it is done in chunks.
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
        // One is replaced, which is an operand, too.
        assert_eq!(run(&["y = y + 6", &at("y"), "-o", &at("y")]), "y: s32[50000]\n");
        assert_eq!(arrays(&path), named(&[("x", 0), ("w", 2), ("y", 7)]));
        // One is added, and two go in together, one of them under another name.
        run(&["new = y + 1", &at("y"), "-o", &at("new")]);
        assert_eq!(arrays(&path), named(&[("x", 0), ("w", 2), ("y", 7), ("new", 8)]));
        let to_w = format!("b={path}:w");
        run(&["a = y + 2", "b = a + 1", &at("y"), "-o", &at("a"), "-o", &to_w]);
        let all = named(&[("x", 0), ("y", 7), ("new", 8), ("a", 9), ("w", 10)]);
        assert_eq!(arrays(&path), all);
        // A result alone has no name to give.
        run(&["y + 4", &at("y"), "-o", &format!("{path}:only")]);
        assert_eq!(arrays(&path).len(), 6);
        // What was compressed still is.
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

/// Of a cut archive nothing is known that could be copied.
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
