//! The answers of `jax.random`, which `answers.py` writes.

use indim::{AnyExpr, Context, ElementType, Literal, Result, Shape};
use indim_reference::{ulps, unary};
use indim_testing::contexts::{self, gpu};
use indim_testing::{gpu_classes, share};
use serde_json::Value;

/// One call of `jax.random`, with its result.
struct Answer {
    function: String,
    key: Literal,
    element_type: ElementType,
    sizes: Vec<usize>,
    operands: Vec<Literal>,
    expected: Vec<u64>,
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn literal(of: &str, sizes: &Value, elements: &Value) -> Literal {
    let of: ElementType = of.parse().unwrap();
    let sizes: Vec<usize> = numbers(sizes).iter().map(|&size| size as usize).collect();
    let bytes = of.size_in_bytes();
    let elements = numbers(elements);
    let bytes = elements.iter().flat_map(|element| element.to_le_bytes()[..bytes].to_vec());
    Literal::new(of, sizes, bytes.collect()).unwrap()
}

fn answers() -> Vec<Answer> {
    let lines = include_str!("answers.jsonl").lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let operand =
            |operand: &Value| literal(operand[0].as_str().unwrap(), &operand[1], &operand[2]);
        Answer {
            function: line["function"].as_str().unwrap().to_owned(),
            key: literal("u32", &serde_json::json!([2]), &line["key"]),
            element_type: line["type"].as_str().unwrap().parse().unwrap(),
            sizes: numbers(&line["sizes"]).iter().map(|&size| size as usize).collect(),
            operands: line["operands"].as_array().unwrap().iter().map(operand).collect(),
            expected: numbers(&line["expected"]),
        }
    });
    lines.collect()
}

impl Answer {
    /// Makes the call on a key, which is an array.
    fn call(&self, key: &AnyExpr) -> Result<AnyExpr> {
        let (of, sizes) = (self.element_type, self.sizes.clone());
        let operands: Vec<AnyExpr> =
            self.operands.iter().map(|literal| AnyExpr::literal(literal.clone())).collect();
        match (self.function.as_str(), operands.as_slice()) {
            ("key", []) => {
                let words = self.key.to_vec::<u32>()?;
                AnyExpr::random_key(u64::from(words[0]) << 32 | u64::from(words[1]))
            }
            ("split", []) => key.random_split(&sizes[..sizes.len() - 1]),
            ("fold_in", [data]) => key.random_fold_in(data),
            ("bits", []) => key.random_bits(of, sizes),
            ("bits_from_2_32", []) => {
                let all = key.random_bits(of, [1_i64 << 33])?;
                let start = (1_i64 << 32) + 3;
                all.slice([start], [start + sizes[0] as i64])
            }
            ("uniform", [minval, maxval]) => key.random_uniform(minval, maxval, sizes),
            ("normal", []) => key.random_normal(of, sizes),
            ("bernoulli", [p]) => key.random_bernoulli(p, sizes),
            ("randint", [minval, maxval]) => key.random_randint(minval, maxval, sizes),
            (other, _) => panic!("{other}"),
        }
    }

    /// Returns the bits of the elements here.
    fn found(&self, gpu: &Context) -> Vec<u64> {
        let key = AnyExpr::literal(self.key.clone());
        let found = gpu.eval(self.call(&key).unwrap()).unwrap().to_literal_blocking().unwrap();
        assert_eq!(found.element_type(), self.element_type, "{}", self.function);
        assert_eq!(*found.shape(), Shape::from(self.sizes.clone()), "{}", self.function);
        let element = |number| found.element(number).unwrap().bits();
        (0..found.len()).map(element).collect()
    }

    fn takes_f64(&self) -> bool {
        let of_operands = self.operands.iter().map(Literal::element_type);
        of_operands.chain([self.element_type]).any(|of| of == ElementType::F64)
    }
}

#[test]
fn bits_keys_uniform_floats_and_integers_are_those_of_jax() {
    let gpu = gpu();
    let mut count = 0;
    for (number, answer) in answers().iter().enumerate().step_by(share::one_of(3)) {
        if answer.function == "normal" || answer.takes_f64() && !gpu.supports(ElementType::F64) {
            continue;
        }
        assert_eq!(answer.found(&gpu), answer.expected, "{number}: {}", answer.function);
        count += answer.expected.len();
    }
    assert!(count > 2_000 / share::one_of(3), "{count}");
}

/// Checks how far normal numbers are from those of the uniform ones' true inverse error function, and
/// from JAX's.
#[test]
fn normal_numbers_are_near_the_truth_and_those_of_jax() {
    let gpu = gpu();
    let inverse = unary("ErfInv").unwrap();
    let mut checked = 0;
    for answer in answers().iter().filter(|answer| answer.function == "normal") {
        if answer.takes_f64() && !gpu.supports(ElementType::F64) {
            continue;
        }
        let found = answer.found(&gpu);
        let apart = |bits: (&u64, &u64)| bits.0.abs_diff(*bits.1);
        let from_jax = found.iter().zip(&answer.expected).map(apart).max().unwrap();
        // A difference of bits is one of ULP, the signs being equal. Measured: 0, 0, 21 and 3.
        let most = match answer.element_type {
            ElementType::F32 => 32,
            ElementType::F64 => 8,
            _ => 1,
        };
        assert!(from_jax <= most, "{}: {from_jax} ULP from JAX", answer.element_type);
        checked += 1;
        if answer.element_type != ElementType::F32 {
            continue;
        }
        let least = -1.0 + 2_f32.powi(-24);
        let [low, high] = [least, 1.0].map(|x| AnyExpr::constant(indim::Scalar::new(x)));
        let key = AnyExpr::literal(answer.key.clone());
        let uniform = key.random_uniform(&low, &high, answer.sizes.clone()).unwrap();
        let uniform = gpu.eval(&uniform).unwrap().to_literal_blocking().unwrap();
        let uniform = uniform.to_vec::<f32>().unwrap();
        let furthest = |bits: &[u64]| {
            let of = |(&bits, &x): (&u64, &f32)| {
                let truth = std::f64::consts::SQRT_2 * inverse(f64::from(x));
                ulps(f32::from_bits(bits as u32), truth)
            };
            bits.iter().zip(&uniform).map(of).fold(0.0, f64::max)
        };
        let [ours, theirs] = [furthest(&found), furthest(&answer.expected)];
        // Measured: 3.07 and 21.55.
        assert!(ours <= 4.0 && theirs > 16.0, "{ours:.2} ULP here, {theirs:.2} in JAX");
    }
    assert!(checked >= 3);
}

#[test]
fn every_class_of_gpus_makes_the_same_numbers() {
    let answers = answers();
    let chosen = |answer: &&Answer| {
        matches!(answer.function.as_str(), "bits" | "randint" | "uniform" | "bernoulli")
            && matches!(
                answer.element_type,
                ElementType::U16 | ElementType::F32 | ElementType::Pred
            )
            && !answer.takes_f64()
    };
    let chosen: Vec<&Answer> = answers.iter().filter(chosen).step_by(3).collect();
    assert!(chosen.len() >= 3, "{}", chosen.len());
    for class in gpu_classes::all().into_iter().step_by(share::one_of(4)) {
        let gpu = contexts::posing_as(&class);
        for answer in &chosen {
            assert_eq!(answer.found(&gpu), answer.expected, "{}: {}", class.name, answer.function);
        }
    }
}
