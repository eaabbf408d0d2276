//! Tests `.npy` files: what NumPy wrote is read, what is written is read back, and false claims are
//! rejected by name.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use std::io::{self, Read, Write};
use std::path::Path;

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{ElementType, Literal, Shape};
use indim_npy::{Dtype, NpyError, NpyReader, check_shape, read, read_file, write, write_file};

/// The path of a file written by NumPy, which the command's tests also read.
fn data(name: &str) -> String {
    format!("{}/../cli/tests/data/{name}.npy", env!("CARGO_MANIFEST_DIR"))
}

fn file(header: &str, elements: &[u8]) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), elements].concat()
}

fn header(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
}

fn written(literal: &Literal) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, literal).unwrap();
    bytes
}

#[test]
fn files_of_numpy_are_read() {
    let six = [1.5f32, -2.0, 3.25, 4.0, 5.5, -6.75];
    for name in ["f4", "f4_big_endian", "f4_fortran", "f4_fortran_big_endian", "f4_version_2"] {
        let read = read_file(data(name)).unwrap();
        assert_eq!(read, Literal::from_slice([2, 3], &six).unwrap(), "{name}");
    }
    let cube: Vec<f32> = (0..24u8).map(f32::from).collect();
    let read = |name: &str| read_file(data(name)).unwrap();
    assert_eq!(read("f4_cube_fortran"), Literal::from_slice([2, 3, 4], &cube).unwrap());
    assert_eq!(read("f4_rank_0"), Literal::from_slice([], &[2.5f32]).unwrap());
    assert_eq!(read("f4_empty"), Literal::from_slice::<f32>([0, 3], &[]).unwrap());
    assert_eq!(read("i2_big_endian"), Literal::from_slice([2], &[-2i16, 32767]).unwrap());
    assert_eq!(read("u8"), Literal::from_slice([2], &[0u64, u64::MAX]).unwrap());
    let complex = [Complex32::new(1.0, 2.0), Complex32::new(-0.0, -3.0)];
    assert_eq!(read("c8_big_endian"), Literal::from_slice([2], &complex).unwrap());
}

#[test]
fn every_type_comes_back() {
    let mut writable = 0;
    for &element_type in ElementType::ALL {
        let bytes = (0..6 * element_type.size_in_bytes()).map(|i| (i * 37) as u8).collect();
        let literal = Literal::new(element_type, [2, 3], bytes).unwrap();
        let mut file = Vec::new();
        match write(&mut file, &literal) {
            Ok(()) => {
                writable += 1;
                assert_eq!(read(&mut file.as_slice()).unwrap(), literal, "{element_type}");
                assert_eq!(file.len() % 64, literal.bytes().len() % 64, "NumPy aligns elements");
            }
            Err(error) => {
                assert!(matches!(error, NpyError::NoDtype(of) if of == element_type), "{error}");
                assert!(file.is_empty());
            }
        }
    }
    assert_eq!(writable, 13);
}

#[test]
fn every_shape_comes_back() {
    for dims in [vec![], vec![0], vec![1], vec![7], vec![2, 0, 3], vec![1, 2, 1, 3, 1, 2]] {
        let shape = Shape::from(dims);
        let data: Vec<u16> = (0..shape.element_count().unwrap() as u16).collect();
        let literal = Literal::from_slice(&shape, &data).unwrap();
        assert_eq!(read(&mut written(&literal).as_slice()).unwrap(), literal, "{shape}");
    }
}

#[test]
fn arrays_may_stand_one_after_the_other() {
    let first = Literal::from_slice([2], &[f16::ONE, f16::MAX]).unwrap();
    let second = Literal::from_slice([], &[7i64]).unwrap();
    let stream = [written(&first), written(&second)].concat();
    let mut reader = stream.as_slice();
    assert_eq!(read(&mut reader).unwrap(), first);
    assert_eq!(read(&mut reader).unwrap(), second);
    assert!(matches!(read(&mut reader), Err(NpyError::NotNpy)));
}

#[test]
fn types_that_the_library_lacks_are_told_apart() {
    let error = read_file(data("c16")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "its dtype is complex128, which is not an element type of indim; save it as one that is, such as `x.astype(np.complex64)`"
    );
    // Its bytes can be had.
    let reader = NpyReader::open(Path::new(&data("c16"))).unwrap();
    assert_eq!(reader.dtype(), Dtype::Complex(16));
    let size = reader.size_in_bytes();
    assert_eq!(reader.read_contents().unwrap().bytes.len(), size);

    let message = |name: &str| read_file(data(name)).unwrap_err().to_string();
    assert_eq!(
        message("v2"),
        "its elements are 2 raw bytes each, as ml_dtypes saves bfloat16; save `x.view(np.uint16)` and bitcast it to bf16, or save `x.astype(np.float32)`"
    );
    assert!(message("v1").starts_with("its elements are raw bytes"), "{}", message("v1"));
    assert!(message("str").contains("which is not a plain number or bool"), "{}", message("str"));
    assert!(message("record").contains("which is not a plain number or bool"));
    let brain = Literal::from_slice([1], &[bf16::ONE]).unwrap();
    assert_eq!(
        write(&mut Vec::new(), &brain).unwrap_err().to_string(),
        ".npy files have no dtype for bf16; f32 has the same values, and a bitcast to u16 the same bits"
    );
}

#[test]
fn broken_files_are_refused() {
    for name in ["cut_in_magic", "no_magic"] {
        assert!(matches!(read_file(data(name)), Err(NpyError::NotNpy)), "{name}");
    }
    let headers = [
        "cut_in_header",
        "lie_header_length",
        "no_dictionary",
        "no_shape",
        "nested",
        "negative_size",
        "version_9",
    ];
    for name in headers {
        let error = read_file(data(name)).unwrap_err();
        assert!(matches!(error, NpyError::Header(_)), "{name}: {error}");
    }
    for name in ["lie_2_70", "lie_overflow", "lie_overflow_zero"] {
        assert!(matches!(read_file(data(name)), Err(NpyError::Uncountable)), "{name}");
    }
    for name in ["lie_2_60", "truncated"] {
        let error = read_file(data(name)).unwrap_err();
        assert!(matches!(error, NpyError::Truncated { .. }), "{name}: {error}");
    }
    assert!(matches!(read_file(data("none")), Err(NpyError::Open(_))));
}

/// The length of a pipe is unknown: bytes that its header claims are not allocated before they come.
#[test]
fn a_stream_that_lies_takes_no_memory() {
    let lie = file(&header("<f8", "False", "(1152921504606846975,)"), &[0; 24]);
    let reader = NpyReader::new(lie.as_slice()).unwrap();
    assert_eq!(reader.shape().dims(), [(1 << 60) - 1]);
    let error = reader.read_literal().unwrap_err();
    assert!(matches!(error, NpyError::Truncated { found: 24, .. }), "{error}");
}

#[test]
fn bytes_behind_the_array_are_counted() {
    let contents = NpyReader::open(Path::new(&data("left_over"))).unwrap().read_contents().unwrap();
    assert_eq!(contents.left_over, 4);
}

#[test]
fn shapes_that_no_header_holds_are_refused() {
    assert!(matches!(check_shape(&Shape::from(vec![1; 1 << 16])), Err(NpyError::Rank { .. })));
    let wide = Shape::from([0, usize::MAX, usize::MAX]);
    let empty = Literal::new(ElementType::F32, &wide, Vec::new()).unwrap();
    let error = write(&mut Vec::new(), &empty).unwrap_err();
    assert!(matches!(&error, NpyError::Shape(shape) if *shape == wide), "{error}");
    // Each has enough dimensions to make the header almost as long as possible.
    let long = Literal::new(ElementType::U8, vec![1; 16_000], vec![9]).unwrap();
    assert_eq!(read(&mut written(&long).as_slice()).unwrap(), long);
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

#[test]
fn errors_of_the_system_keep_their_kind() {
    let literal = Literal::from_slice([1], &[1u8]).unwrap();
    let error = io::Error::from(write(Full, &literal).unwrap_err());
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    let error = io::Error::from(read(&mut Broken).unwrap_err());
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}

#[test]
fn a_refused_array_leaves_no_file() {
    let path = std::env::temp_dir().join(format!("indim-npy-{}.npy", std::process::id()));
    let brain = Literal::from_slice([1], &[bf16::ONE]).unwrap();
    assert!(write_file(&path, &brain).is_err() && !path.exists());
    let whole = Literal::from_slice([1], &[1.0f64]).unwrap();
    write_file(&path, &whole).unwrap();
    assert_eq!(read_file(&path).unwrap(), whole);
    std::fs::remove_file(path).unwrap();
}

/// Each byte of a file is changed in turn, and the file is cut at each: there is an array or an
/// error, and nothing panics.
#[test]
fn changed_files_do_no_harm() {
    let whole = written(&Literal::from_slice([2, 3], &[1i32, 2, 3, 4, 5, 6]).unwrap());
    let mut refused = 0;
    for at in 0..whole.len() {
        for byte in [0, b'0', b'9', b'(', b'{', b'>', 0xff, whole[at] ^ 1] {
            let mut changed = whole.clone();
            changed[at] = byte;
            refused += usize::from(read(&mut changed.as_slice()).is_err());
        }
        assert!(read(&mut &whole[..at]).is_err(), "cut at {at}");
    }
    assert!(refused > 100, "{refused}");
}
