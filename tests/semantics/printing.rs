//! Tests that arrays in host memory are printed as NumPy prints them.

use indim::num_complex::Complex32;
use indim::{Element, ElementType, Literal, Result, S4, Shape};
use indim_testing::contexts::gpu;
use indim_testing::share;

/// NumPy's output, as `cli/tests/data/make.py` wrote it.
const CASES: &str = include_str!("../../cli/tests/data/print.txt");

#[test]
fn arrays_look_as_in_numpy() {
    let mut count = 0;
    for case in CASES.split("\n---\n").filter(|case| !case.is_empty()) {
        let (head, expected) = case.split_once('\n').unwrap_or_default();
        let mut fields = head.split(' ');
        let element_type: ElementType =
            fields.next().unwrap_or_default().parse().unwrap_or_else(|e| panic!("{e}"));
        let sizes: Vec<usize> =
            fields.next().unwrap_or_default().split('x').filter_map(|n| n.parse().ok()).collect();
        let hex = fields.next().unwrap_or_default().as_bytes();
        let bytes: Vec<u8> = hex
            .chunks(2)
            .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let literal = Literal::new(element_type, Shape::from(sizes), bytes)
            .unwrap_or_else(|e| panic!("{head}: {e}"));
        assert_eq!(literal.to_string(), expected, "{head}");
        count += 1;
    }
    assert!(count >= 120, "{count}");
}

#[test]
fn long_arrays_are_abbreviated() {
    let printed = |sizes: &[usize]| {
        let count = sizes.iter().product::<usize>() as u16;
        let numbers: Vec<u16> = (0..count).collect();
        Literal::from_slice(sizes, &numbers).unwrap().to_string()
    };
    assert_eq!(printed(&[1001]), "[   0    1    2 ...  998  999 1000]");
    assert!(!printed(&[1000]).contains("..."));
    let rows = printed(&[100, 11]);
    assert_eq!(rows.lines().count(), 7, "{rows}");
    assert_eq!(rows.lines().last(), Some(" [1089 1090 1091 ... 1097 1098 1099]]"));
    assert_eq!(Literal::from_slice([0, 3], &[0.0_f32; 0]).unwrap().to_string(), "[]");
    assert_eq!(Literal::from_slice([], &[i8::of(-7.0)]).unwrap().to_string(), "-7");
}

/// `{:?}` is one line, whatever is in the array and however large it is.
#[test]
fn literals_are_short_where_they_are_debugged() {
    let rows = Literal::from_slice([2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.5]).unwrap();
    assert_eq!(format!("{rows:?}"), "Literal(f32[2, 3], [[1. 2. 3. ] [4. 5. 6.5]])");
    let many: Vec<u16> = (0..1000).collect();
    let many = Literal::from_slice([1000], &many).unwrap();
    assert_eq!(format!("{many:?}"), "Literal(u16[1000], [ 0 1 2 ... 997 998 999])");
    let scalar = Literal::from_slice([], &[true]).unwrap();
    assert_eq!(format!("{scalar:?}"), "Literal(pred[], True)");
    let empty = Literal::from_slice([0, 3], &[0.0_f32; 0]).unwrap();
    assert_eq!(format!("{empty:?}"), "Literal(f32[0, 3], [])");
    let deep = Literal::from_slice([2; 12], &[0_u8; 1 << 12]).unwrap();
    assert_eq!(format!("{deep:?}"), "Literal(u8[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])");
}

#[test]
fn arrays_on_the_device_are_printed_as_those_of_the_host() -> Result<()> {
    fn check<T: Element>(gpu: &indim::Context, element: impl Fn(usize) -> T) -> Result<()> {
        let all: [&[usize]; 8] =
            [&[], &[5], &[0, 3], &[1001], &[40, 50], &[2, 700], &[3, 9, 50], &[7; 4]];
        for sizes in all.into_iter().step_by(share::one_of(3)) {
            let elements: Vec<T> = (0..sizes.iter().product()).map(&element).collect();
            let expected = Literal::from_slice(sizes, &elements)?.to_string();
            let array = gpu.array(sizes, &elements)?;
            assert_eq!(array.summary_blocking()?.to_string(), expected, "{sizes:?}");
            let summary = pollster::block_on(array.as_any().summary())?;
            assert_eq!(summary.to_string(), expected, "{sizes:?}");
            assert_eq!(summary.shape(), array.shape());
        }
        Ok(())
    }
    let gpu = gpu();
    check(&gpu, |i| i as f32 * 0.37 - 5.0)?;
    check(&gpu, |i| i % 3 == 0)?;
    check(&gpu, |i| S4::wrapping(i as i8))?;
    check(&gpu, |i| i as i64 - (1 << 40))?;
    check(&gpu, |i| Complex32::new(i as f32, -0.5))
}

#[test]
fn printing_reads_back_what_it_shows() -> Result<()> {
    let gpu = gpu();
    let long = gpu.arange::<i32>(1 << 20)?;
    let before = gpu.stats().downloaded_bytes;
    let printed = long.summary_blocking()?.to_string();
    assert_eq!(printed, "[      0       1       2 ... 1048573 1048574 1048575]");
    assert_eq!(gpu.stats().downloaded_bytes - before, 6 * 4);
    Ok(())
}
