//! A new size compiles nothing new, but for what docs/planner.md names: how many invocations meet, the
//! levels of the tree, the unit of few elements, whether the last unit is whole, the words of rows, and on
//! SwiftShader whether columns are narrow.

use indim::{Array, Context};
use indim_testing::contexts::{self, gpu};
use indim_testing::gpu_classes;

/// Sizes, of which the first of each class may compile something.
type Classes = &'static [&'static [usize]];

/// The counts of elements in one sum. Beyond 1,024 the nodes of the level below are counted likewise.
const COUNTS: Classes = &[
    &[33, 40, 63],
    &[65, 100, 127],
    &[129, 250, 999, 1023],
    &[160, 256, 512, 1024],
    // 40 to 60 nodes, 137 to 977, and these of whole ones.
    &[40_000, 41_001, 61_003],
    &[140_000, 200_001, 500_003, 1_000_000],
    &[163_840, 262_144, 524_288],
    // Three levels.
    &[1_100_000, 1_200_001, 1_500_003],
];

/// The sizes of rows: those of 4, 8, 16 and 32 bytes at whole words.
const ROWS: Classes = &[
    &[33, 47, 63],
    &[129, 255, 999, 1023],
    &[130, 250, 1002, 1022],
    &[132, 204, 1004, 1020],
    &[136, 200, 1000],
    &[160, 256, 512, 1024],
    &[140_001, 201_001],
];

/// The numbers of rows that columns have; 32 of them are a node.
const COLUMNS: Classes =
    &[&[33, 50, 63], &[101, 250, 500, 999], &[160, 256, 512, 1024], &[40_000, 50_003]];

/// Sums arrays of zeros along a dimension, and checks that only the first of each class compiles.
fn check(gpu: &Context, name: &str, classes: Classes, of: impl Fn(usize) -> (Vec<usize>, i64)) {
    for class in classes {
        let mut first = None;
        for &size in *class {
            let (sizes, dimension) = of(size);
            let x: Array<f32> = gpu.zeros(sizes).unwrap();
            indim::reduce_sum(&x, [dimension]).unwrap();
            gpu.wait().unwrap();
            let now = gpu.stats().compilations;
            let compiled = now - *first.get_or_insert(now);
            assert_eq!(compiled, 0, "{name} of {size}, after {}", class[0]);
        }
    }
}

#[test]
fn new_sizes_compile_nothing_new() {
    for gpu in [gpu(), contexts::posing_as(&gpu_classes::all()[0])] {
        check(&gpu, "everything", COUNTS, |size| (vec![size], 0));
        check(&gpu, "rows", ROWS, |size| (vec![5, size], 1));
        check(&gpu, "columns", COLUMNS, |size| (vec![size, 8], 0));
        check(&gpu, "narrow columns", &[&[24, 64, 128]], |width| (vec![200, width], 0));
        // The number of rows and the width of columns are in the parameter block.
        let mut before = None;
        for kept in [7, 70, 1001, 5000] {
            let x: Array<f32> = gpu.zeros([kept, 200]).unwrap();
            indim::reduce_sum(&x, [1]).unwrap();
            let x: Array<f32> = gpu.zeros([200, 136 + 8 * kept]).unwrap();
            indim::reduce_sum(&x, [0]).unwrap();
            gpu.wait().unwrap();
            let now = gpu.stats().compilations;
            assert_eq!(now, *before.get_or_insert(now), "{kept} kept");
        }
    }
}
