//! JAX's answers to takes and cumulative operations, which `generate/gen_jax.py` writes.

use std::fs;
use std::path::Path;

use indim::{AnyExpr, ElementType, Literal, Result};
use indim_testing::contexts::gpu;
use indim_testing::share;
use serde_json::Value;

/// One call, with its result.
struct Answer {
    operation: String,
    dimension: i64,
    operands: Vec<Literal>,
    result: Literal,
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn literal(value: &Value) -> Literal {
    let of: ElementType = value[0].as_str().unwrap().parse().unwrap();
    let sizes: Vec<usize> = numbers(&value[1]).iter().map(|&size| size as usize).collect();
    let bytes = of.size_in_bytes();
    let elements = numbers(&value[2]);
    let bytes = elements.iter().flat_map(|element| element.to_le_bytes()[..bytes].to_vec());
    Literal::new(of, sizes, bytes.collect()).unwrap()
}

fn answers() -> Vec<Answer> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/jax/answers.jsonl");
    let answer = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        Answer {
            operation: line["operation"].as_str().unwrap().to_owned(),
            dimension: line["dimension"].as_i64().unwrap(),
            operands: line["operands"].as_array().unwrap().iter().map(literal).collect(),
            result: literal(&line["result"]),
        }
    };
    fs::read_to_string(file).unwrap().lines().map(answer).collect()
}

impl Answer {
    fn call(&self) -> Result<AnyExpr> {
        let operands: Vec<AnyExpr> =
            self.operands.iter().map(|literal| AnyExpr::literal(literal.clone())).collect();
        match (self.operation.as_str(), operands.as_slice()) {
            ("take", [x, indices]) => x.take(indices, self.dimension),
            ("take_along_dimension", [x, i]) => x.take_along_dimension(i, self.dimension),
            ("cumsum", [x]) => x.cumsum(self.dimension),
            ("cumprod", [x]) => x.cumprod(self.dimension),
            ("cummax", [x]) => x.cummax(self.dimension),
            ("cummin", [x]) => x.cummin(self.dimension),
            (other, _) => panic!("{other}"),
        }
    }

    fn has(&self, of: ElementType) -> bool {
        self.operands.iter().any(|operand| operand.element_type() == of)
    }
}

/// Bits of an element. Those of a NaN are not promised.
fn bits(literal: &Literal) -> Vec<Option<u64>> {
    let is_nan = |bits: u64| {
        literal.element_type() == ElementType::F32 && f32::from_bits(bits as u32).is_nan()
    };
    let element = |number| Some(literal.element(number).unwrap().bits()).filter(|&b| !is_nan(b));
    (0..literal.len()).map(element).collect()
}

#[test]
fn takes_and_cumulative_operations_are_those_of_jax() {
    let gpu = gpu();
    let (answers, step) = (answers(), share::one_of(48));
    let mut checked = 0;
    for (number, answer) in answers.iter().enumerate().step_by(step) {
        if answer.has(ElementType::F64) && !gpu.supports(ElementType::F64) {
            continue;
        }
        let found = gpu.eval(answer.call().unwrap()).unwrap().to_literal_blocking().unwrap();
        let name = format!("line {}: {}", number + 1, answer.operation);
        assert_eq!(found.element_type(), answer.result.element_type(), "{name}");
        assert_eq!(found.shape(), answer.result.shape(), "{name}");
        assert_eq!(bits(&found), bits(&answer.result), "{name}");
        checked += 1;
    }
    assert!(checked > answers.len() / step / 2, "{checked}");
}
