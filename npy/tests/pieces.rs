//! Tests files that are read and written in pieces: regions are parts of the whole, in every order,
//! type and compression, and what is wrong with a file, a member of an archive or a pipe is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use std::io::{Cursor, Write as _};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use indim::{ChunkSink, ElementType, Literal, Shape};
use indim_npy::{Compression, NpyError, NpyPieces, NpySink, NpySource, NpzWriter};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A file of one test, which is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn with(name: &str, bytes: &[u8]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("indim-npy-pieces-{}-{number}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const SIZES: [usize; 3] = [13, 60, 70];

/// The value of an element, as a number of `size` bytes.
fn value(index: [usize; 3], size: usize) -> Vec<u8> {
    let number = ((index[0] * SIZES[1] + index[1]) * SIZES[2] + index[2]) as u64 * 40_503;
    number.to_le_bytes().repeat(2)[..size].to_vec()
}

/// A file's header.
fn head(descr: &str, fortran: bool, shape: &str) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
}

/// A file of elements of `size` bytes in any order.
fn file(descr: &str, size: usize, fortran: bool) -> Vec<u8> {
    let mut bytes = head(descr, fortran, "(13, 60, 70)");
    let parts = if descr.contains('c') { 2 } else { 1 };
    let [a, b, c] = SIZES;
    let mut push = |index: [usize; 3]| {
        let mut element = value(index, size);
        if descr.starts_with('>') {
            element.chunks_exact_mut(size / parts).for_each(<[u8]>::reverse);
        }
        bytes.extend_from_slice(&element);
    };
    if fortran {
        (0..c).for_each(|k| (0..b).for_each(|j| (0..a).for_each(|i| push([i, j, k]))));
    } else {
        (0..a).for_each(|i| (0..b).for_each(|j| (0..c).for_each(|k| push([i, j, k]))));
    }
    bytes
}

fn wanted(region: &[Range<usize>; 3], size: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for i in region[0].clone() {
        for j in region[1].clone() {
            region[2].clone().for_each(|k| bytes.extend_from_slice(&value([i, j, k], size)));
        }
    }
    bytes
}

const REGIONS: [[Range<usize>; 3]; 8] = [
    [0..13, 0..60, 0..70],
    [5..6, 0..60, 0..70],
    [0..13, 7..9, 0..70],
    [0..13, 0..60, 31..32],
    [3..9, 11..40, 5..66],
    [12..13, 59..60, 69..70],
    [2..2, 0..60, 0..70],
    [0..1, 0..1, 0..1],
];

#[track_caller]
fn check(pieces: &mut NpyPieces, size: usize) {
    for region in &REGIONS {
        let expected = wanted(region, size);
        let mut read = vec![0xee; expected.len()];
        pieces.read(region, &mut read).unwrap();
        assert!(read == expected, "{region:?} of {pieces:?}");
    }
}

#[test]
fn regions_are_parts_of_the_whole() {
    for (descr, size) in
        [("|u1", 1), ("<i2", 2), (">i2", 2), (">f4", 4), ("<f8", 8), (">c8", 8), (">c16", 16)]
    {
        for fortran in [false, true] {
            let file = Scratch::with(
                &format!("{}{fortran}.npy", &descr[1..]),
                &file(descr, size, fortran),
            );
            let mut pieces = NpyPieces::open(&file.0).unwrap();
            assert_eq!((pieces.shape(), pieces.left_over()), (&Shape::from(SIZES), 0));
            check(&mut pieces, size);
            assert!(pieces.read_all().unwrap() == wanted(&REGIONS[0], size));
        }
    }
}

#[test]
fn members_of_archives_are_read_in_pieces() {
    let bytes = wanted(&REGIONS[0], 4);
    let x = Literal::new(ElementType::U32, SIZES, bytes).unwrap();
    let other = Literal::from_slice([3], &[1u8, 2, 3]).unwrap();
    for compression in [Compression::Stored, Compression::Deflated] {
        let mut writer = NpzWriter::new(Cursor::new(Vec::new()), compression);
        writer.write("other", &other).unwrap();
        // An array that is written in pieces is the array that is written at once.
        let mut member = writer.member("x", x.element_type(), x.shape()).unwrap();
        for piece in x.bytes().chunks(10_000) {
            member.write(&[], piece).unwrap();
        }
        member.finish().unwrap();
        writer.write("again", &x).unwrap();
        let archive = writer.finish().unwrap().into_inner();
        let file = Scratch::with(&format!("{compression:?}.npz"), &archive);
        for name in ["x", "again"] {
            let mut pieces = NpyPieces::open_member(&file.0, name).unwrap();
            check(&mut pieces, 4);
        }
        let missing = NpyPieces::open_member(&file.0, "y").unwrap_err();
        assert_eq!(
            missing.to_string(),
            "the .npz archive has no array \"y\"; it has \"other\", \"x\", \"again\""
        );
    }
}

/// An archive of one file `x.npy`.
fn archive(contents: &[u8], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    writer.start_file("x.npy", options).unwrap();
    writer.write_all(contents).unwrap();
    writer.finish().unwrap().into_inner()
}

/// Puts other bytes in the place of these, wherever they stand.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            changed[at..at + from.len()].copy_from_slice(to);
        }
    }
    assert!(changed != bytes);
    changed
}

/// A file of the given number of bytes, all 7.
fn sevens(count: usize) -> Vec<u8> {
    [head("|u1", false, &format!("({count},)")), vec![7; count]].concat()
}

/// Changes the checksum of a file in its archive, in both places.
fn with_another_checksum(contents: &[u8], method: CompressionMethod) -> Vec<u8> {
    let checksum = crc32fast::hash(contents);
    let archive = archive(contents, method);
    replaced(&archive, &checksum.to_le_bytes(), &(!checksum).to_le_bytes())
}

/// The regions of an array of 100,000 elements that are its halves.
const HALVES: [Range<usize>; 2] = [0..50_000, 50_000..100_000];

const WRONG: &str = "cannot read it: its checksum is wrong";

#[test]
fn a_compressed_member_that_was_changed_is_refused() {
    let changed = with_another_checksum(&sevens(100_000), CompressionMethod::Deflated);
    let file = Scratch::with("changed.npz", &changed);
    let mut pieces = NpyPieces::open_member(&file.0, "x").unwrap();
    assert_eq!(pieces.read_all().unwrap_err().to_string(), WRONG);
    // It is detected at the end, which pieces also reach.
    let mut half = vec![0; 50_000];
    pieces.read(&HALVES[..1], &mut half).unwrap();
    let error = pieces.read(&HALVES[1..], &mut half).unwrap_err();
    assert_eq!(error.to_string(), WRONG);
}

#[test]
fn a_stored_member_that_was_changed_is_refused() {
    let mut bytes = archive(&sevens(100_000), CompressionMethod::Stored);
    let whole = Scratch::with("whole.npz", &bytes);
    let mut pieces = NpyPieces::open_member(&whole.0, "x").unwrap();
    let mut half = vec![0; 50_000];
    for region in [50_000..100_000, 0..50_000, 50_000..100_000, 25_000..75_000] {
        pieces.read(&[region], &mut half).unwrap();
        assert!(half.iter().all(|&byte| byte == 7));
    }
    assert!(pieces.read_all().unwrap() == [7; 100_000]);

    bytes[60_000] ^= 1;
    let file = Scratch::with("flipped.npz", &bytes);
    let open = || NpyPieces::open_member(&file.0, "x").unwrap();
    assert_eq!(open().read_all().map(|_| ()).unwrap_err().to_string(), WRONG);
    let mut pieces = open();
    // The later half alone is not compared, but it is after the first one.
    pieces.read(&HALVES[1..], &mut half).unwrap();
    pieces.read(&HALVES[..1], &mut half).unwrap();
    for _ in 0..2 {
        let error = pieces.read(&HALVES[1..], &mut half).unwrap_err();
        assert_eq!(error.to_string(), WRONG);
    }
    // An array without elements has a header that may have been changed.
    let empty = with_another_checksum(&sevens(0), CompressionMethod::Stored);
    let file = Scratch::with("empty.npz", &empty);
    let error = NpyPieces::open_member(&file.0, "x").unwrap().read_all().unwrap_err();
    assert_eq!(error.to_string(), WRONG);
}

#[test]
fn bytes_behind_a_member_s_array_are_refused() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let contents = [sevens(1_000), vec![7; 4]].concat();
        let file = Scratch::with(&format!("behind-{method}.npz"), &archive(&contents, method));
        let error = NpyPieces::open_member(&file.0, "x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the .npz archive cannot be used: array \"x\" has bytes behind its last element"
        );
    }
    // The list of this archive leaves them out.
    let contents = [sevens(1_000), vec![7; 4]].concat();
    let [long, short] =
        [contents.len(), contents.len() - 4].map(|size| (size as u32).to_le_bytes());
    let bytes = replaced(&archive(&contents, CompressionMethod::Deflated), &long, &short);
    let file = Scratch::with("behind-lie.npz", &bytes);
    let error = NpyPieces::open_member(&file.0, "x").unwrap().read_all().unwrap_err();
    assert_eq!(error.to_string(), "cannot read it: it has bytes behind its last element");
}

/// No allocator gives as many bytes as these headers claim, and what comes is less.
#[test]
fn members_that_lie_take_no_memory() {
    const SIZE: u64 = (1 << 60) - 1;
    let contents = [head("|u1", false, &format!("({SIZE},)")), vec![7; 24]].concat();
    let [true_size, size] = [contents.len() as u64, contents.len() as u64 - 24 + SIZE];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let file = Scratch::with(&format!("true-{method}.npz"), &archive(&contents, method));
        let error = NpyPieces::open_member(&file.0, "x").unwrap_err().to_string();
        assert!(error.ends_with("but only 24 bytes follow"), "{error}");
        // The sizes of a large file have 64 bits.
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        writer.start_file("x.npy", options).unwrap();
        writer.write_all(&contents).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        let bytes = replaced(&bytes, &true_size.to_le_bytes(), &size.to_le_bytes());
        let file = Scratch::with(&format!("lie-{method}.npz"), &bytes);
        let opened = NpyPieces::open_member(&file.0, "x");
        let error = match method {
            CompressionMethod::Stored => opened.unwrap_err(),
            _ => opened.unwrap().read_all().unwrap_err(),
        };
        let why = match method {
            CompressionMethod::Stored => "array \"x\" ends behind the end of the archive",
            _ => "but only 24 bytes follow",
        };
        assert!(error.to_string().ends_with(why), "{error}");
    }
}

/// A compressed member is unpacked again only where an earlier byte is read after a later one, which
/// fails here, since the archive has no name any more.
#[cfg(unix)]
#[test]
fn pieces_in_order_unpack_a_member_once() {
    let file = Scratch::with("once.npz", &archive(&rows(), CompressionMethod::Deflated));
    let mut pieces = NpyPieces::open_member(&file.0, "x").unwrap();
    std::fs::remove_file(&file.0).unwrap();
    read_in_order(&mut pieces);
    let error = pieces.read(&[0..1, 0..1], &mut [0]).unwrap_err();
    assert!(matches!(error, NpyError::Read(_)), "{error}");
}

/// The bytes of a pipe can be read only once.
#[cfg(unix)]
#[test]
fn pieces_in_order_are_read_from_a_pipe() {
    let piped = |contents: Vec<u8>| {
        let pipe = Scratch::with("pipe.npy", b"");
        std::fs::remove_file(&pipe.0).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe.0).status().unwrap();
        assert!(made.success());
        let path = pipe.0.clone();
        let writer = std::thread::spawn(move || std::fs::write(path, contents));
        let pieces = NpyPieces::open(&pipe.0).unwrap();
        (pieces, writer, pipe)
    };
    let (mut pieces, writer, _pipe) = piped(rows());
    assert!(pieces.is_sequential());
    read_in_order(&mut pieces);
    for error in [pieces.read(&[0..1, 0..1], &mut [0]), pieces.read_all().map(|_| ())] {
        assert!(matches!(error, Err(NpyError::Again)), "{error:?}");
    }
    writer.join().unwrap().unwrap();
    // One that ends early gives an error, and takes no memory for its header's claims.
    let lie = [head("<f8", false, &format!("({},)", (1_u64 << 60) - 1)), vec![0; 24]].concat();
    let (mut pieces, writer, _pipe) = piped(lie);
    let error = pieces.read_all().unwrap_err();
    assert!(matches!(error, NpyError::Truncated { found: 24, .. }), "{error}");
    writer.join().unwrap().unwrap();
}

/// A file of 1,000 rows of 40 bytes, which are the lowest bytes of their numbers.
#[cfg(unix)]
fn rows() -> Vec<u8> {
    let elements = (0..40_000_u32).map(|number| number as u8).collect();
    [head("|u1", false, "(1000, 40)"), elements].concat()
}

/// Reads parts of rows, and of several rows, each starting after the end of the previous one.
#[cfg(unix)]
#[track_caller]
fn read_in_order(pieces: &mut NpyPieces) {
    let mut next = 0;
    for (rows, columns) in [
        (0..1, 0..2),
        (0..1, 2..4),
        (0..1, 4..40),
        (1..3, 0..4),
        (2..3, 4..8),
        (3..4, 0..40),
        (4..900, 7..9),
        (899..900, 9..11),
        (900..1000, 0..40),
    ] {
        let mut read = vec![0; rows.len() * columns.len()];
        pieces.read(&[rows.clone(), columns.clone()], &mut read).unwrap();
        let numbers = rows.clone().flat_map(|i| columns.clone().map(move |j| (i * 40 + j) as u8));
        assert!(numbers.eq(read.iter().copied()), "{rows:?}, {columns:?}");
        assert!(rows.start * 40 + columns.start >= next, "the test reads in order");
        next = (rows.end - 1) * 40 + columns.end;
    }
}

#[test]
fn what_is_written_in_pieces_is_the_file() {
    let x = Literal::from_slice([4, 5], &(0..20i16).collect::<Vec<_>>()).unwrap();
    let mut at_once = Vec::new();
    indim_npy::write(&mut at_once, &x).unwrap();
    let mut sink = NpySink::new(Vec::new(), x.element_type(), x.shape()).unwrap();
    sink.write(&[0..1, 0..5], &x.bytes()[..10]).unwrap();
    let unfinished = NpySink::new(Vec::new(), x.element_type(), x.shape()).unwrap().finish();
    assert_eq!(unfinished.unwrap_err().to_string(), "40 bytes of its elements were not written");
    assert!(sink.write(&[], &[0; 31]).is_err());
    sink.write(&[1..4, 0..5], &x.bytes()[10..]).unwrap();
    assert_eq!(sink.finish().unwrap(), at_once);
    let bf16 = NpySink::new(Vec::new(), ElementType::Bf16, &Shape::from([1])).unwrap_err();
    assert!(matches!(bf16, NpyError::NoDtype(ElementType::Bf16)));
}

#[test]
fn what_is_no_region_or_no_longer_there_is_refused() {
    let bytes = file("<f4", 4, false);
    let scratch = Scratch::with("short.npy", &bytes);
    let mut pieces = NpyPieces::open(&scratch.0).unwrap();
    let mut four = [0; 4];
    let most = usize::MAX;
    for region in [
        vec![0..1, 0..1],
        vec![0..1, 0..1, 70..71],
        vec![0..1, 0..1, 0..2],
        // The product of these sizes cannot be counted.
        vec![0..most, 0..2, 0..1],
        vec![0..most, 0..most, 0..0],
    ] {
        let error = pieces.read(&region, &mut four).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "shape [13, 60, 70] has no region {region:?}, or it takes another number of bytes"
            )
        );
    }
    let shorter = std::fs::File::options().write(true).open(&scratch.0).unwrap();
    shorter.set_len(bytes.len() as u64 - 100).unwrap();
    pieces.read(&[0..1, 0..1, 0..1], &mut four).unwrap();
    let error = pieces.read(&[12..13, 59..60, 69..70], &mut four).unwrap_err();
    assert_eq!(
        error.to_string(),
        "its header claims shape [13, 60, 70] of float32, 218400 bytes, but only 218300 bytes follow"
    );
    let wide = Scratch::with("wide.npy", &file("<c16", 16, false));
    let wide = NpySource::new(NpyPieces::open(&wide.0).unwrap()).unwrap_err();
    assert!(matches!(wide, NpyError::NoElementType(_)), "{wide}");
}
