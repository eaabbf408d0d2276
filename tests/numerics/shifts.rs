//! Shifts of 64 bits to the left by a constant 32, which only move a word: the bits of other shifts, and
//! kernels of their own.

use indim::plan::PlanLimits;
use indim::{
    AnyArray, AnyExpr, Builder, Computation, Context, ElementType, Expr, Literal, Opcode,
    Precision, Scalar,
};
use indim_testing::contexts::{foreign, gpu, options};

/// Each of 32 is between others, so that a kernel of one must not serve the next.
const DISTANCES: [i64; 12] = [31, 32, 33, 32, 0, 64, 32, (1 << 32) + 32, -32, 63, 1 << 32, 32];

const ELEMENTS: [u64; 7] = [
    0,
    1,
    0x8000_0000,
    0x1234_5678_9abc_def0,
    0xffff_ffff_0000_0000,
    0x8000_0000_0000_0001,
    u64::MAX,
];

const TYPES: [ElementType; 2] = [ElementType::S64, ElementType::U64];

/// Returns elements shifted by a distance, which is unsigned.
fn shifted(distance: i64) -> Vec<u64> {
    let by = |x: u64| u32::try_from(distance).ok().and_then(|by| x.checked_shl(by)).unwrap_or(0);
    ELEMENTS.map(by).to_vec()
}

fn literal(of: ElementType, elements: &[u64]) -> Literal {
    let shape = [elements.len()];
    let signed: Vec<i64> = elements.iter().map(|&x| x.cast_signed()).collect();
    match of {
        ElementType::S64 => Literal::from_slice(shape, &signed).unwrap(),
        _ => Literal::from_slice(shape, elements).unwrap(),
    }
}

fn bits(array: &AnyArray) -> Vec<u64> {
    let literal = array.to_literal_blocking().unwrap();
    (0..literal.len()).map(|i| literal.element(i).unwrap().bits()).collect()
}

/// Returns a constant of these bits.
fn constant(of: ElementType, distance: i64) -> Scalar {
    Scalar::from_bits(of, distance.cast_unsigned())
}

/// Returns the shift by a constant: the distance itself, broadcast, or a parameter's elements.
fn computation(of: ElementType, distance: Distance) -> Computation {
    let count = ELEMENTS.len();
    let mut b = Builder::new();
    let x = b.parameter(of, [count]).unwrap();
    let by = match distance {
        Distance::Scalar(distance) => b.constant(constant(of, distance)).unwrap(),
        Distance::Broadcast(distance) => {
            let by = b.constant(constant(of, distance)).unwrap();
            b.broadcast(by, &[count as i64]).unwrap()
        }
        Distance::Parameter => b.parameter(of, [count]).unwrap(),
    };
    let root = b.shift_left(x, by, []).unwrap();
    b.build(root).unwrap()
}

#[derive(Clone, Copy)]
enum Distance {
    Scalar(i64),
    Broadcast(i64),
    Parameter,
}

/// Returns a computation after it was stored and read.
fn stored(computation: &Computation) -> Computation {
    serde_json::from_str(&serde_json::to_string(computation).unwrap()).unwrap()
}

fn shifts_have_all_bits(gpu: &Context) {
    for of in TYPES {
        let array = gpu.upload(&literal(of, &ELEMENTS)).unwrap();
        let x = AnyExpr::from(&array);
        for distance in DISTANCES {
            let expected = shifted(distance);
            let elements = vec![distance.cast_unsigned(); ELEMENTS.len()];
            let by = gpu.upload(&literal(of, &elements)).unwrap();
            let scalar = AnyExpr::constant(constant(of, distance));
            for (name, distance_as) in [
                ("a scalar", scalar.clone()),
                ("a scalar of a precision", scalar.with_precision(Precision::Relaxed)),
                ("broadcast", AnyExpr::full(constant(of, distance), [ELEMENTS.len()]).unwrap()),
                ("a literal", AnyExpr::literal(literal(of, &elements))),
                ("an array", AnyExpr::from(&by)),
            ] {
                let shift = AnyExpr::binary(Opcode::ShiftLeft, &x, &distance_as, []).unwrap();
                // The second time the expression has its computation.
                for _ in 0..2 {
                    let found = bits(&gpu.eval(&shift).unwrap());
                    assert_eq!(found, expected, "{of} by {distance}, {name}");
                }
            }
            for distance_as in [Distance::Scalar(distance), Distance::Broadcast(distance)] {
                let computation = computation(of, distance_as);
                for computation in [&computation, &stored(&computation)] {
                    let found = bits(&gpu.run(computation, &[&array]).unwrap());
                    assert_eq!(found, expected, "{of} by {distance}, built");
                }
            }
            let found = gpu.run(&computation(of, Distance::Parameter), &[&array, &by]).unwrap();
            assert_eq!(bits(&found), expected, "{of} by {distance}, a parameter");
        }
    }
}

#[test]
fn shifts_by_a_word_have_the_bits_of_shifts() {
    shifts_have_all_bits(&gpu());
}

/// The same on a device whose integers of 64 bits are pairs of words.
#[test]
fn shifts_by_a_word_have_the_bits_of_shifts_in_words() {
    shifts_have_all_bits(&foreign(&options()));
}

#[test]
fn what_is_shifted_by_a_word_may_be_broadcast() {
    let gpu = gpu();
    let x = gpu.array([2], &[3_i64, -1]).unwrap();
    let [low, high] = [3 << 32, -1 << 32];
    let of_column = x.in_dim([0]) << Expr::full(32_i64, [2, 3]);
    let expected = [low, low, low, high, high, high];
    assert_eq!(of_column.eval().unwrap().to_vec_blocking().unwrap(), expected);
    let of_scalar = gpu.eval(Expr::full(3_i64, []) << Expr::full(32_i64, [2])).unwrap();
    assert_eq!(of_scalar.to_vec_blocking().unwrap(), [low, low]);
    let of_indices = gpu.eval(Expr::<i64>::iota([3], 0) << 32).unwrap();
    assert_eq!(of_indices.to_vec_blocking().unwrap(), [0, 1 << 32, 2 << 32]);
    // Two that differ in the distance alone, in one kernel.
    let both = gpu.eval((&x << 32) ^ (&x << 31)).unwrap();
    assert_eq!(both.to_vec_blocking().unwrap(), [low ^ (3 << 31), high ^ (-1 << 31)]);
}

/// Expressions that differ in constants alone share a kernel; a shift by 32 has its own.
#[test]
fn a_shift_by_a_word_is_a_kernel_of_its_own() {
    let text = |of, distance| {
        let explanation = PlanLimits::default().explain(&computation(of, distance)).unwrap();
        explanation.kernels.iter().map(|kernel| kernel.wgsl.clone()).collect::<String>()
    };
    for of in TYPES {
        for known in [Distance::Scalar(32), Distance::Broadcast(32)] {
            assert!(text(of, known).contains("xla_shift_left_by_word"), "{of}");
        }
        for other in [Distance::Scalar(31), Distance::Scalar(64), Distance::Parameter] {
            assert!(!text(of, other).contains("xla_shift_left_by_word"), "{of}");
        }
        assert_eq!(text(of, Distance::Scalar(31)), text(of, Distance::Scalar(33)));
    }
    for of in [ElementType::S32, ElementType::U32] {
        assert!(!text(of, Distance::Scalar(32)).contains("by_word"), "{of}");
    }
    let gpu = gpu();
    let x = gpu.array([2], &[3_i64, -1]).unwrap();
    let compilations = || {
        let values = [31, 32, 33, 32, 0].map(|by| (&x << by).eval().unwrap());
        assert_eq!(values[1].to_vec_blocking().unwrap(), [3 << 32, -1 << 32]);
        gpu.stats().compilations
    };
    let first = compilations();
    assert_eq!(compilations(), first);
}
