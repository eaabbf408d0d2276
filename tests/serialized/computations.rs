//! Tests that computations come back as they were.

use indim::plan::PlanLimits;
use indim::{AnyArray, Builder, Computation, ElementType, Op, Opcode, Precision, Scalar};
use indim_testing::contexts;
use indim_testing::programs::arguments::arguments;
use indim_testing::programs::{build, generate, run};
use indim_testing::random::Random;
use indim_testing::share;
use serde_json::{Value, from_str, json, to_string, to_value};

use crate::samples::samples;

/// Programs that are stored and built again.
const PROGRAMS: u64 = 1_500;
/// Programs whose results are also compared.
const RUN: u64 = 24;
const FIRST_SEED: u64 = 20_261_123;

/// Returns the computation after it was stored in text and in bytes; both have to be stored as the
/// first was.
pub(crate) fn stored(computation: &Computation) -> Computation {
    let text = to_string(computation).unwrap();
    let read: Computation = from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(to_string(&read).unwrap(), text);
    let mut bytes = Vec::new();
    ciborium::into_writer(computation, &mut bytes).unwrap();
    let from_bytes: Computation = ciborium::from_reader(bytes.as_slice()).unwrap();
    assert_eq!(to_string(&from_bytes).unwrap(), text);
    read
}

pub(crate) fn types(computation: &Computation) -> Vec<String> {
    let results = computation.results().map(|(ty, shape)| format!("{ty}{shape}"));
    let parameters =
        computation.parameters().iter().map(|p| format!("{}{}", p.element_type, p.shape));
    results.chain(parameters).collect()
}

/// Returns the kernels' texts, and how each operand is read, but for `broadcast_dimensions`: version 1
/// of the format has lost which dimension of the result one of size 1 belongs to.
pub(crate) fn kernels(computation: &Computation) -> String {
    let explanation = PlanLimits::default().explain(computation);
    let text = format!("{:?}", explanation.map_err(|error| error.to_string()));
    let mut parts = text.split("broadcast_dimensions: ");
    let first = parts.next().unwrap_or_default().to_owned();
    let behind = |part: &str| part.split_once(']').map_or("", |(_, rest)| rest).to_owned();
    parts.fold(first, |all, part| all + &behind(part))
}

#[test]
fn random_computations_become_the_same_kernels() {
    let mut moves = 0;
    for seed in FIRST_SEED..FIRST_SEED + PROGRAMS / share::one_of(12) as u64 {
        let case = generate::case(&mut Random::new(seed));
        let computation = build::build(&case.program).unwrap();
        let read = stored(&computation);
        let shapes = computation.parameters().iter().map(|parameter| parameter.shape.clone());
        let again = computation.for_shapes(shapes).unwrap();
        assert_eq!(types(&again), types(&computation), "seed {seed}\n{}", case.program);
        assert_eq!(types(&read), types(&computation), "seed {seed}\n{}", case.program);
        if seed % 4 == 0 {
            for made in [&read, &again] {
                assert_eq!(kernels(made), kernels(&computation), "seed {seed}\n{}", case.program);
            }
        }
        moves += case.program.nodes.iter().filter(|node| node.call.is_move()).count();
    }
    assert!(moves > 100 / share::one_of(12), "{moves}");
}

#[test]
fn random_computations_give_the_same_bits() {
    let gpu = contexts::gpu();
    let mut compared = 0;
    for seed in FIRST_SEED..FIRST_SEED + RUN {
        let case = generate::small_case(&mut Random::new(seed));
        if run::lacks_f64(&gpu, &case.program) {
            continue;
        }
        let computation = build::build(&case.program).unwrap();
        let arguments = arguments(&gpu, &case.program).unwrap();
        let arguments: Vec<&AnyArray> = arguments.iter().collect();
        let shapes = computation.parameters().iter().map(|parameter| parameter.shape.clone());
        let for_shapes = computation.for_shapes(shapes).unwrap();
        let [first, again, for_shapes] = [&computation, &stored(&computation), &for_shapes]
            .map(|computation| gpu.run(computation, &arguments).unwrap())
            .map(|array| array.to_literal_blocking().unwrap());
        assert_eq!(first, again, "seed {seed}\n{}", case.program);
        assert_eq!(first, for_shapes, "seed {seed}\n{}", case.program);
        compared += 1;
    }
    assert!(compared >= RUN / 2, "{compared}");
}

/// Every operation comes back with its attributes.
#[test]
fn samples_come_back() {
    for (name, computation) in samples() {
        let read = stored(&computation);
        assert_eq!(types(&read), types(&computation), "{name}");
        assert_eq!(kernels(&read), kernels(&computation), "{name}");
    }
}

#[test]
fn several_results_keep_their_order() {
    for seed in FIRST_SEED..FIRST_SEED + 100 {
        let case = generate::case(&mut Random::new(seed));
        let last = case.program.nodes.len() - 1;
        let computation = build::build_results(&case.program, &[last, 0, last / 2, last]).unwrap();
        assert_eq!(types(&stored(&computation)), types(&computation), "seed {seed}");
    }
}

/// Each precision holds for its operations alone.
#[test]
fn precisions_and_names_are_kept() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [4]).unwrap();
    let plain = b.sin(x).unwrap();
    b.set_precision(Precision::Relaxed);
    let rough = b.cos(plain).unwrap();
    b.set_precision(Precision::Accurate);
    let exact = b.exp(rough).unwrap();
    let computation = b.build(exact).unwrap().named("waves");
    stored(&computation);
    let value = to_value(&computation).unwrap();
    assert_eq!(value["name"], "waves");
    let precisions: Vec<&Value> = (1..4).map(|i| &value["instructions"][i]["precision"]).collect();
    assert_eq!(precisions, [&Value::Null, &json!("relaxed"), &json!("accurate")]);
}

/// The text that the documentation shows is written.
#[test]
fn the_format_is_as_documented() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [2, 3]).unwrap();
    let v = b.parameter(ElementType::F32, [3]).unwrap();
    let sum = b.add(x, v, &[1]).unwrap();
    let computation = b.build(sum).unwrap();
    assert_eq!(
        to_value(&computation).unwrap(),
        json!({
            "version": 2,
            "name": null,
            "functions": [],
            "instructions": [
                {
                    "operation": {"parameter": 0}, "operands": [],
                    "element_type": "f32", "shape": [2, 3], "precision": null,
                },
                {
                    "operation": {"parameter": 1}, "operands": [],
                    "element_type": "f32", "shape": [3], "precision": null,
                },
                {
                    "operation": {"binary": {"opcode": "add", "broadcast_dimensions": [1]}},
                    "operands": [0, 1],
                    "element_type": "f32", "shape": [2, 3], "precision": null,
                },
            ],
            "results": [2],
        })
    );
}

/// Parameters that no result needs are arguments all the same.
#[test]
fn unused_parameters_stay() {
    let mut b = Builder::new();
    let [_, x, _] = [ElementType::F16, ElementType::S8, ElementType::S8]
        .map(|element_type| b.parameter(element_type, [2]).unwrap());
    let computation = b.build(x).unwrap();
    assert_eq!(types(&stored(&computation)), types(&computation));
}

/// Views of views, of moves and of arrays without elements.
#[test]
fn composed_views_come_back() {
    let make: &[fn(&mut Builder, Op) -> indim::Result<Op>] = &[
        |b, x| {
            let t = b.transpose(x, &[2, 0, 1])?;
            let s = b.slice(t, &[1, 0, 0], &[5, 2, 3], &[3, 1, 2])?;
            b.reverse(s, &[0, 2])
        },
        |b, x| {
            let s = b.slice(x, &[0, 1, 0], &[2, 2, 5], &[1, 1, 1])?;
            let r = b.reshape(s, &[2, 5])?;
            b.broadcast_in_dim(r, &[2, 7, 5], &[0, 2])
        },
        |b, x| {
            let flat = b.reshape(x, &[6, 5])?;
            let s = b.slice(flat, &[1, 0], &[6, 5], &[2, 1])?;
            b.reshape(s, &[15])
        },
        |b, x| b.slice(x, &[0, 0, 0], &[0, 3, 5], &[1, 1, 1]),
        |b, x| {
            let none = b.slice(x, &[0, 2, 0], &[2, 2, 5], &[1, 1, 1])?;
            let none = b.reshape(none, &[7, 0])?;
            b.neg(none)
        },
        |b, x| {
            let scalar = b.constant(Scalar::new(1.5f32))?;
            let none = b.broadcast_in_dim(scalar, &[0, 3], &[])?;
            let sum = b.add(none, scalar, &[])?;
            let back = b.reshape(sum, &[0])?;
            let shape = b.reshape(x, &[30])?;
            b.concatenate(&[back, shape, back], 0)
        },
        |b, x| {
            let value = b.constant(Scalar::new(-0.0f32))?;
            let turned = b.transpose(x, &[1, 0, 2])?;
            let padded = b.pad(turned, value, &[1, -1, 0], &[2, 0, -2], &[0, 2, 1])?;
            let rolled = b.roll(padded, &[2, -1], &[0, 2])?;
            let part = b.slice(rolled, &[1, 0, 0], &[5, 2, 3], &[2, 1, 1])?;
            b.roll(part, &[1], &[2])
        },
        |b, x| {
            let parts: Vec<Op> = (0..5)
                .map(|i| b.slice(x, &[0, 0, i], &[2, 3, i + 1], &[1, 1, 1]))
                .collect::<indim::Result<_>>()?;
            let turned: Vec<Op> = parts.iter().rev().copied().collect();
            let all = b.concatenate(&turned, 2)?;
            let more = b.concatenate(&[all, x, all, all], 1)?;
            b.roll(more, &[4], &[1])
        },
        |b, x| {
            let halves = b.bitcast_convert_type(x, ElementType::U16)?;
            let part = b.slice(halves, &[0, 0, 0, 0], &[2, 3, 5, 2], &[1, 1, 2, 1])?;
            let back = b.bitcast_convert_type(part, ElementType::F32)?;
            let reduced = b.reduce_precision(back, 5, 10)?;
            b.convert_element_type(reduced, ElementType::C64)
        },
        |b, x| {
            let i = b.iota(ElementType::S32, &[2, 3, 5], 1)?;
            let zero = b.constant(Scalar::new(1i32))?;
            let p = b.binary(Opcode::Gt, i, zero, &[])?;
            let low = b.constant(Scalar::new(0.0f32))?;
            let c = b.clamp(low, x, x)?;
            let n = b.next_after(c, low)?;
            b.select(p, n, low)
        },
    ];
    for (number, make) in make.iter().enumerate() {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [2, 3, 5]).unwrap();
        let root = make(&mut b, x).unwrap_or_else(|e| panic!("{number}: {e}"));
        let computation = b.build(root).unwrap();
        let read = stored(&computation);
        assert_eq!(types(&read), types(&computation), "{number}");
        assert_eq!(kernels(&read), kernels(&computation), "{number}");
    }
}
