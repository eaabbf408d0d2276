//! Tests files that are read and written in pieces: regions are parts of the whole, in every order,
//! type and compression.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use std::io::Cursor;
use std::ops::Range;
use std::path::PathBuf;

use indim::{ChunkSink, ElementType, Literal, Shape};
use indim_npy::{Compression, NpyError, NpyPieces, NpySink, NpySource, NpzWriter};

/// A file of one test, which is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn with(name: &str, bytes: &[u8]) -> Self {
        let name = format!("indim-npy-pieces-{}-{name}", std::process::id());
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

/// The value of an element, as a number of so many bytes.
fn value(index: [usize; 3], size: usize) -> Vec<u8> {
    let number = ((index[0] * SIZES[1] + index[1]) * SIZES[2] + index[2]) as u64 * 40_503;
    number.to_le_bytes().repeat(2)[..size].to_vec()
}

/// A file of elements of `size` bytes in any order.
fn file(descr: &str, size: usize, fortran: bool) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': (13, 60, 70), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&u16::try_from(header.len() + 1).unwrap().to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.push(b'\n');
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
        // In pieces, and at once.
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

#[test]
fn a_compressed_member_that_was_changed_is_refused() {
    let x = Literal::from_slice([100_000], &vec![7u8; 100_000]).unwrap();
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()), Compression::Deflated);
    writer.write("x", &x).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    // The checksum stands at both ends of the archive; what is unpacked stays.
    let mut hasher = crc32fast::Hasher::new();
    let mut plain = Vec::new();
    indim_npy::write(&mut plain, &x).unwrap();
    hasher.update(&plain);
    let checksum = hasher.finalize().to_le_bytes();
    let mut changed = archive.clone();
    for at in 0..changed.len() - 4 {
        if changed[at..at + 4] == checksum {
            changed[at] ^= 1;
        }
    }
    assert!(changed != archive);
    let file = Scratch::with("changed.npz", &changed);
    let mut pieces = NpyPieces::open_member(&file.0, "x").unwrap();
    let error = pieces.read_all().unwrap_err();
    assert_eq!(error.to_string(), "cannot read it: its checksum is wrong");
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
    for region in [vec![0..1, 0..1], vec![0..1, 0..1, 70..71], vec![0..1, 0..1, 0..2]] {
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
