//! Tests `.npz` archives: those of NumPy are read, those that are written are read back, and those
//! that would unpack to too much are refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use indim::Literal;
use indim_npy::{Compression, NpyError, NpzReader, NpzWriter};

/// The limit where a test is not about it.
const ENOUGH: u64 = 1 << 20;

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}.npz", env!("CARGO_MANIFEST_DIR"))
}

fn archive(arrays: &[(&str, &Literal)], compression: Compression) -> Vec<u8> {
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()), compression);
    for (name, array) in arrays {
        writer.write(name, array).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn open(bytes: &[u8], limit: u64) -> NpzReader<Cursor<&[u8]>> {
    NpzReader::new(Cursor::new(bytes), limit).unwrap()
}

#[test]
fn archives_of_numpy_are_read() {
    for name in ["stored", "compressed"] {
        let mut reader = NpzReader::open(data(name), ENOUGH).unwrap();
        let names = ["weights", "fortran", "flags", "scalar", "empty", "zeros"];
        assert_eq!(reader.names(), names, "{name}");
        let weights = [0.0f32, 0.25, 0.5, 0.75, 1.0, 1.25];
        let wanted = [
            Literal::from_slice([2, 3], &weights),
            Literal::from_slice([2, 3], &[0i64, 1, 2, 3, 4, 5]),
            Literal::from_slice([3], &[true, false, true]),
            Literal::from_slice([], &[2.5f64]),
            Literal::from_slice::<u8>([0, 3], &[]),
            Literal::from_slice([4096], &[0i16; 4096]),
        ];
        let wanted: Vec<_> =
            names.iter().map(|name| name.to_string()).zip(wanted.map(Result::unwrap)).collect();
        assert_eq!(reader.read_all().unwrap(), wanted, "{name}");
    }
}

#[test]
fn what_is_written_is_read() {
    let x = Literal::from_slice([3], &[1u8, 2, 3]).unwrap();
    let y = Literal::from_slice([], &[-1i64]).unwrap();
    for compression in [Compression::Stored, Compression::Deflated] {
        let bytes = archive(&[("x", &x), ("a folder/y", &y)], compression);
        let mut reader = open(&bytes, ENOUGH);
        assert_eq!(reader.names(), ["x", "a folder/y"]);
        assert_eq!(reader.read("a folder/y").unwrap(), y);
        assert_eq!(reader.read("x").unwrap(), x);
    }
    let zeros = Literal::from_slice([1 << 16], &[0.0f32; 1 << 16]).unwrap();
    let sizes = [Compression::Stored, Compression::Deflated]
        .map(|compression| archive(&[("x", &zeros)], compression).len());
    assert!(sizes[0] > 1 << 18 && sizes[1] < 1 << 12, "{sizes:?}");
}

#[test]
fn a_bomb_is_refused() {
    let zeros = Literal::from_slice([1 << 20], &[0u8; 1 << 20]).unwrap();
    let bytes = archive(&[("x", &zeros), ("y", &zeros)], Compression::Deflated);
    assert!(bytes.len() < 1 << 14, "{}", bytes.len());
    // Arrays already read count.
    let mut reader = open(&bytes, 3 << 19);
    assert_eq!(reader.read("y").unwrap(), zeros);
    assert_eq!(
        reader.read("x").unwrap_err().to_string(),
        "array \"x\" takes 1048576 bytes unpacked, but 524288 of the 1572864 bytes that the caller allows are left; allow more if the archive is to be trusted"
    );
    assert!(matches!(open(&bytes, (1 << 20) - 1).read("x"), Err(NpyError::Limit { .. })));
    assert_eq!(open(&bytes, 2 << 20).read_all().unwrap().len(), 2);
}

/// Members are copied as they are, compressed or not, with the comment and files that are not
/// arrays.
#[test]
fn other_arrays_are_copied() {
    let [x, y, z] = [1u8, 2, 3].map(|value| Literal::from_slice([1000], &[value; 1000]).unwrap());
    let mut old = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, array, method) in [
        ("x.npy", &x, zip::CompressionMethod::Deflated),
        ("y.npy", &y, zip::CompressionMethod::Deflated),
        ("folder/x.npy", &x, zip::CompressionMethod::Stored),
    ] {
        old.start_file(name, options.compression_method(method)).unwrap();
        indim_npy::write(&mut old, array).unwrap();
    }
    old.start_file("read me", options).unwrap();
    old.write_all(b"please").unwrap();
    old.set_comment("a comment").unwrap();
    let old = old.finish().unwrap().into_inner();

    let mut writer = NpzWriter::new(Cursor::new(Vec::new()), Compression::Stored);
    writer.copy_others(Cursor::new(&old), &["y", "z"]).unwrap();
    let twice = writer.copy_others(Cursor::new(&old), &["y"]).unwrap_err();
    assert!(matches!(twice, NpyError::Archive(_)), "{twice}");
    writer.write("y", &z).unwrap();
    writer.write("z", &z).unwrap();
    let new = writer.finish().unwrap().into_inner();
    let mut reader = open(&new, ENOUGH);
    assert_eq!(reader.names(), ["x", "folder/x", "y", "z"]);
    for (name, array) in [("x", &x), ("folder/x", &x), ("y", &z), ("z", &z)] {
        assert_eq!(&reader.read(name).unwrap(), array, "{name}");
    }
    let [mut old, mut new] =
        [old, new].map(|bytes| zip::ZipArchive::new(Cursor::new(bytes)).unwrap());
    assert_eq!(new.comment(), b"a comment");
    for name in ["x.npy", "folder/x.npy", "read me"] {
        let [old, new] = [&mut old, &mut new].map(|archive| {
            let file = archive.by_name(name).unwrap();
            (file.compression(), file.compressed_size(), file.crc32(), file.last_modified())
        });
        assert_eq!(old, new, "{name}");
    }
    let none = NpzWriter::new(Cursor::new(Vec::new()), Compression::Stored)
        .copy_others(Cursor::new(b"no archive"), &[])
        .unwrap_err();
    assert!(matches!(none, NpyError::Archive(_)), "{none}");
}

#[test]
fn names_that_are_not_there() {
    let x = Literal::from_slice([1], &[1u8]).unwrap();
    let bytes = archive(&[("x", &x)], Compression::Stored);
    assert_eq!(
        open(&bytes, ENOUGH).read("y").unwrap_err().to_string(),
        "the .npz archive has no array \"y\"; it has \"x\""
    );
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()), Compression::Stored);
    writer.write("x", &x).unwrap();
    let twice = writer.write("x", &x).unwrap_err();
    assert!(matches!(twice, NpyError::Archive(_)), "{twice}");
}

#[test]
fn an_array_that_is_refused_is_named() {
    let error = NpzReader::open(data("complex128"), ENOUGH).unwrap().read("z").unwrap_err();
    assert!(error.to_string().starts_with("array \"z\": its dtype is complex128"), "{error}");
    // `unwrap` shows it, and a chain of errors contains it once.
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(
        format!("{error:#?}").starts_with("Array {\n    name: \"z\",\n    source: "),
        "{error:#?}"
    );
    assert!(std::error::Error::source(&error).is_none());
    let brain = Literal::from_slice([1], &[indim::half::bf16::ONE]).unwrap();
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()), Compression::Stored);
    let error = writer.write("brain", &brain).unwrap_err();
    assert!(error.to_string().starts_with("array \"brain\": .npy files have no dtype"), "{error}");
    // The archive is as it was.
    let bytes = writer.finish().unwrap().into_inner();
    assert_eq!(open(&bytes, ENOUGH).names(), [""; 0]);
    assert!(matches!(NpzReader::new(Cursor::new(b"no archive"), 0), Err(NpyError::Archive(_))));
    assert!(matches!(NpzReader::open(data("none"), 0), Err(NpyError::Open(_))));
}

/// A disk that is full after some bytes.
struct Full(Cursor<Vec<u8>>);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.position() + bytes.len() as u64 > 500 {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            self.0.write(bytes)
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn an_archive_that_could_not_be_written_is_never_finished() {
    let x = Literal::from_slice([1000], &[7u8; 1000]).unwrap();
    let small = Literal::from_slice([1], &[7u8]).unwrap();
    let mut writer = NpzWriter::new(Full(Cursor::default()), Compression::Stored);
    writer.write("small", &small).unwrap();
    let full = io::Error::from(writer.write("x", &x).unwrap_err());
    assert!(full.to_string().contains("array \"x\": cannot write it: "), "{full}");
    let Err(error) = writer.finish() else { panic!("an archive without x is finished") };
    // Nothing else failed on the way; dropping it would print that.
    assert_eq!(
        error.to_string(),
        "cannot write it: the archive is not whole, since writing it failed before"
    );
}

/// Each byte of an archive is changed in turn, and the archive is cut at each: there are the same
/// arrays or an error, and nothing panics. The checksum keeps changed elements from being taken.
#[test]
fn changed_archives_do_no_harm() {
    let x = Literal::from_slice([8], &[7u16; 8]).unwrap();
    for compression in [Compression::Stored, Compression::Deflated] {
        let whole = archive(&[("x", &x)], compression);
        let read = |bytes: &[u8]| NpzReader::new(Cursor::new(bytes), ENOUGH)?.read("x");
        let mut refused = 0;
        for at in 0..whole.len() {
            for byte in [0, 1, 0xff, whole[at] ^ 0x10] {
                let mut changed = whole.clone();
                changed[at] = byte;
                match read(&changed) {
                    Ok(array) => assert_eq!(array, x, "byte {at} is {byte}"),
                    Err(_) => refused += 1,
                }
            }
            assert!(read(&whole[..at]).is_err(), "cut at {at}");
        }
        assert!(refused > whole.len(), "{refused}");
    }
}
