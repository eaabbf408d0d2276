//! Tests iotas of any length: they take no memory, so that views reach what no array could hold.

use indim::{AnyArray, Builder, Context, ElementType, Literal, Op, Result, wgpu};
use indim_testing::contexts;

const TWO_TO_THE_32: i64 = 1 << 32;

/// Returns contexts with 64-bit integers as the device has them, and in two words.
fn contexts() -> Vec<Context> {
    let own = contexts::blocking().unwrap_or_else(|error| panic!("{error}"));
    let mut in_words = own.plan_limits().clone();
    in_words.tuning.int64 = false;
    let mut options = contexts::options();
    options.plan_limits = Some(in_words);
    vec![own, Context::blocking_with_options(options).unwrap()]
}

/// Returns all element types that an iota may have.
fn types(gpu: &Context) -> Vec<ElementType> {
    let f64s = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    let has_f64 = gpu.device().features().contains(f64s) && gpu.plan_limits().tuning.int64;
    let all = ElementType::ALL.iter().copied();
    all.filter(|&t| t != ElementType::Pred && (t != ElementType::F64 || has_f64)).collect()
}

fn run(gpu: &Context, build: impl FnOnce(&mut Builder) -> Result<Op>, of: &[&AnyArray]) -> Literal {
    let mut builder = Builder::new();
    let root = build(&mut builder).unwrap();
    let computation = builder.build(root).unwrap();
    gpu.run(&computation, of).and_then(|array| array.to_literal_blocking()).unwrap()
}

/// These numbers in this type, by way of an array of them; conversions are held to XLA's elsewhere.
fn converted(gpu: &Context, numbers: &[u64], to: ElementType) -> Literal {
    let literal = Literal::from_slice([numbers.len()], numbers).unwrap();
    let array = gpu.upload(&literal).unwrap();
    let convert = |b: &mut Builder| {
        let x = b.parameter(ElementType::U64, [numbers.len()])?;
        b.convert_element_type(x, to)
    };
    run(gpu, convert, &[&array])
}

fn is(gpu: &Context, got: &Literal, numbers: &[u64], what: &str) {
    let element_type = got.element_type();
    let expected = converted(gpu, numbers, element_type);
    assert_eq!(got.bytes(), expected.bytes(), "{what} of {element_type}");
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn slices_have_their_values() {
    let starts = [5, TWO_TO_THE_32 - 3, 3 * TWO_TO_THE_32 - 37, (1 << 40) + 1, i64::MAX - 100];
    for gpu in contexts() {
        for element_type in types(&gpu) {
            for start in starts {
                let numbers: Vec<u64> = (start as u64..start as u64 + 70).collect();
                let slice = |b: &mut Builder| {
                    let iota = b.iota(element_type, &[i64::MAX], 0)?;
                    b.slice(iota, &[start], &[start + 70], &[1])
                };
                is(&gpu, &run(&gpu, slice, &[]), &numbers, "a slice");
                let backwards = |b: &mut Builder| {
                    let part = slice(b)?;
                    b.reverse(part, &[0])
                };
                let reversed: Vec<u64> = numbers.iter().rev().copied().collect();
                is(&gpu, &run(&gpu, backwards, &[]), &reversed, "a reversed slice");
                // In two dimensions, along either, next to an array that varies along both.
                let table = |b: &mut Builder| {
                    let part = slice(b)?;
                    let part = b.reshape(part, &[7, 10])?;
                    b.transpose(part, &[1, 0])
                };
                let turned: Vec<u64> = (0..70).map(|i| numbers[i % 7 * 10 + i / 7]).collect();
                is(&gpu, &run(&gpu, table, &[]), &turned, "a transposed table");
            }
        }
    }
}

#[test]
fn strides_reach_from_word_to_word() {
    for gpu in contexts() {
        for element_type in types(&gpu) {
            for stride in [TWO_TO_THE_32, 3 << 30, (1 << 33) + 7] {
                let slice = |b: &mut Builder| {
                    let iota = b.iota(element_type, &[1_i64 << 40], 0)?;
                    b.slice(iota, &[9], &[9 + 12 * stride], &[stride])
                };
                let numbers: Vec<u64> = (0..12).map(|i| 9 + i * stride as u64).collect();
                is(&gpu, &run(&gpu, slice, &[]), &numbers, "a slice with steps");
            }
        }
    }
}

/// An operand that is stretched beside it keeps its values, whatever the windows are.
#[test]
fn operands_beside_a_long_iota_are_right() {
    for gpu in contexts() {
        let row: Vec<u64> = (0..33).map(|i| i * i).collect();
        let row_array = gpu.upload(&Literal::from_slice([33], &row).unwrap()).unwrap();
        let start = TWO_TO_THE_32 - 4;
        let sum = |b: &mut Builder| {
            let iota = b.iota(ElementType::U64, &[1_i64 << 34], 0)?;
            let part = b.slice(iota, &[start], &[start + 9], &[1])?;
            let column = b.broadcast_in_dim(part, &[9, 33], &[0])?;
            let row = b.parameter(ElementType::U64, [33])?;
            b.binary(indim::Opcode::Add, column, row, &[1])
        };
        let got = run(&gpu, sum, &[&row_array]).to_vec::<u64>().unwrap();
        for (i, got) in got.into_iter().enumerate() {
            assert_eq!(got, start as u64 + i as u64 / 33 + row[i % 33]);
        }
    }
}
