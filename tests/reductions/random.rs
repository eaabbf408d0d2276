//! Random reductions of every type: of views and maps, judged by the oracle and by the order.

use indim::{AnyExpr, Context, ElementType, Literal, OpClass, Opcode, Scalar};
use indim_testing::contexts::{self, gpu};
use indim_testing::gpu_classes;
use indim_testing::oracle::reduce::{position, reduced};
use indim_testing::random::Random;
use indim_testing::share;

use crate::values::groups;

/// Bits of an element, for floats from time to time a special one.
fn element(random: &mut Random, opcode: Opcode, of: ElementType, special: &[f64]) -> u64 {
    let float = |random: &mut Random| match opcode {
        Opcode::ReduceProd => 1.0 + (random.unit() - 0.5) * 0.05,
        _ => (random.unit() - 0.5) * 2f64.powi(random.below(12) as i32),
    };
    match of {
        ElementType::Pred => random.bits() & 1,
        ElementType::C64 => {
            let parts = [(); 2].map(|()| u64::from((float(random) as f32).to_bits()));
            parts[0] | parts[1] << 32
        }
        ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64 => {
            if !special.is_empty() && random.percent(5) {
                return Scalar::from_f64(of, random.pick(special)).unwrap().bits();
            }
            Scalar::from_f64(of, float(random)).unwrap().bits()
        }
        _ => random.bits() & (u64::MAX >> (64 - of.bits())),
    }
}

fn literal(random: &mut Random, opcode: Opcode, of: ElementType, sizes: &[usize]) -> Literal {
    let count: usize = sizes.iter().product();
    let each = of.bits().div_ceil(8);
    // Of few kinds in sums and products: one NaN would decide all.
    let special: &[f64] = match opcode {
        Opcode::ReduceMax | Opcode::ReduceMin => {
            &[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
        }
        _ => match random.below(8) {
            0 | 1 => &[0.0, -0.0],
            2 => &[0.0, f64::INFINITY],
            3 => &[-0.0, f64::NEG_INFINITY],
            4 if count < 100 => &[f64::INFINITY, f64::NEG_INFINITY, f64::NAN],
            _ => &[],
        },
    };
    let element = |_| element(random, opcode, of, special).to_le_bytes()[..each].to_vec();
    let bytes = (0..count).flat_map(element);
    Literal::new(of, sizes, bytes.collect::<Vec<u8>>()).unwrap()
}

fn elements(literal: &Literal) -> Vec<u64> {
    (0..literal.len()).map(|number| literal.element(number).unwrap().bits()).collect()
}

/// A random operand: an array, or a view of one, or what is computed from two.
fn operand(random: &mut Random, opcode: Opcode, of: ElementType, sizes: &[usize]) -> AnyExpr {
    let rank = sizes.len();
    match random.below(6) {
        0 if rank > 1 => {
            let mut order: Vec<usize> = (0..rank).collect();
            random.shuffle(&mut order);
            let mut stored = vec![0; rank];
            (0..rank).for_each(|i| stored[order[i]] = sizes[i]);
            let permutation: Vec<i64> = order.iter().map(|&d| d as i64).collect();
            let x = AnyExpr::literal(literal(random, opcode, of, &stored));
            x.transpose(permutation).unwrap()
        }
        1 if rank > 0 => {
            let dimension = random.below(rank) as i64;
            AnyExpr::literal(literal(random, opcode, of, sizes)).reverse([dimension]).unwrap()
        }
        2 if rank > 0 => {
            let larger: Vec<usize> = sizes.iter().map(|size| size + 1).collect();
            let x = AnyExpr::literal(literal(random, opcode, of, &larger));
            let limits: Vec<i64> = larger.iter().map(|&size| size as i64).collect();
            x.slice(vec![1; rank], limits).unwrap()
        }
        3 if rank > 0 => {
            let dimension = random.below(rank);
            let row = AnyExpr::literal(literal(random, opcode, of, &sizes[dimension..=dimension]));
            row.broadcast_in_dim(sizes, [dimension as i64]).unwrap()
        }
        4 if of != ElementType::Pred && rank > 0 => {
            let dimension = random.below(rank);
            let x = AnyExpr::literal(literal(random, opcode, of, sizes));
            let row = AnyExpr::literal(literal(random, opcode, of, &sizes[dimension..=dimension]));
            let op = if of.integer_range().is_some() { Opcode::Xor } else { Opcode::Mul };
            AnyExpr::binary(op, &x, &row, [dimension as i64]).unwrap()
        }
        5 if rank > 1 => {
            let count = sizes.iter().product::<usize>();
            AnyExpr::literal(literal(random, opcode, of, &[count])).reshape(sizes).unwrap()
        }
        _ => AnyExpr::literal(literal(random, opcode, of, sizes)),
    }
}

fn one(gpu: &Context, random: &mut Random) {
    let all = Opcode::ALL.iter().copied().filter(|opcode| opcode.class() == OpClass::Reduce);
    let opcode = random.pick(&all.collect::<Vec<_>>());
    let types: Vec<ElementType> = opcode.accepted().filter(|&of| gpu.supports(of)).collect();
    let of = random.pick(&types);
    let mut sizes: Vec<usize> = Vec::new();
    for _ in 0..random.below(5) {
        let room = 60_000 / sizes.iter().product::<usize>().max(1);
        let some = [1, 2, 3, 4, 5, 8, 12, 31, 32, 33, 64, 100, 128, 1000, 1024, 1030, 40_000];
        let fit: Vec<usize> = some.into_iter().filter(|&size| size <= room.max(1)).collect();
        sizes.push(random.pick(&fit));
    }
    let mut dimensions: Vec<i64> = Vec::new();
    for d in 0..sizes.len() {
        if random.percent(50) {
            dimensions.push(d as i64);
        }
    }
    random.shuffle(&mut dimensions);
    let x = operand(random, opcode, of, &sizes);
    let label = format!("{opcode:?} of {of} {sizes:?} along {dimensions:?}");
    // First, before the operand has an array.
    let result = AnyExpr::reduce(opcode, &x, &dimensions).unwrap();
    let result = gpu.eval(&result).expect(&label);
    let of_operand = elements(&gpu.eval(&x).unwrap().to_literal_blocking().unwrap());
    let found = elements(&result.to_literal_blocking().unwrap());
    let groups = groups(&sizes, &dimensions, &of_operand);
    assert_eq!(found.len(), groups.len(), "{label}");
    for (number, (&found, group)) in found.iter().zip(&groups).enumerate() {
        let expected = reduced(opcode, of, group);
        let admitted = expected.admits(found, of);
        assert!(admitted, "{label}, element {number}: {found:x}, not {expected:?}");
    }
    let find = match opcode {
        Opcode::ReduceMax => AnyExpr::argmax,
        Opcode::ReduceMin => AnyExpr::argmin,
        _ => return,
    };
    if groups.iter().any(Vec::is_empty) {
        return;
    }
    let found = gpu.eval(&find(&x, dimensions).unwrap()).expect(&label);
    let found: Vec<i32> = found.to_literal_blocking().unwrap().to_vec().unwrap();
    for (number, (&found, group)) in found.iter().zip(&groups).enumerate() {
        let expected = position(opcode == Opcode::ReduceMax, of, group);
        assert_eq!(found as usize, expected, "{label}, position {number}");
    }
}

fn several(gpu: &Context, seed: u64, count: usize) {
    let mut random = Random::new(seed);
    for number in 0..count {
        let mut random = random.apart(|random| Random::new(random.bits()));
        let tried = std::panic::AssertUnwindSafe(|| one(gpu, &mut random));
        if let Err(panic) = std::panic::catch_unwind(tried) {
            eprintln!("reduction {number} from seed {seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn random_reductions() {
    several(&gpu(), 36, 1_600 / share::one_of(64));
}

/// The plans of all common GPUs give the bits of the order.
#[test]
fn plans_of_gpus_keep_the_order() {
    for (number, class) in gpu_classes::all().iter().enumerate() {
        several(&contexts::posing_as(class), 100 + number as u64, 160 / share::one_of(64));
    }
}
