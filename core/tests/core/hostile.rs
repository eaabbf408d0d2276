//! Tests computations that were tampered with: each is an error, or one that a builder could also
//! make.

use indim::plan::PlanLimits;
use indim::{Builder, Computation, ElementType};
use indim_testing::programs::{build, generate};
use indim_testing::random::Random;
use serde_json::{Value, from_slice, from_value, json, to_value, to_vec};

/// Computations that are tampered with, and how often each.
const PROGRAMS: u64 = 60;
const CHANGES: usize = 120;
const FIRST_SEED: u64 = 20_261_124;

fn error(computation: Value) -> String {
    from_value::<Computation>(computation).unwrap_err().to_string()
}

fn parameter(shape: Value) -> Value {
    json!({"parameter": {"element_type": "f32", "shape": shape}})
}

fn unary(opcode: &str, operand: usize) -> Value {
    json!({"elementwise": {"opcode": opcode, "operands": [operand], "precision": null}})
}

fn computation(calls: &[Value], results: Value) -> Value {
    json!({"version": 1, "name": null, "calls": calls, "results": results})
}

/// Returns an instruction of version 2 that is a parameter.
fn given(number: usize, shape: Value) -> Value {
    instruction(json!({"parameter": number}), json!([]), shape)
}

fn instruction(operation: Value, operands: Value, shape: Value) -> Value {
    json!({
        "operation": operation, "operands": operands,
        "element_type": "f32", "shape": shape, "precision": null,
    })
}

fn stored(instructions: &[Value], results: Value) -> Value {
    json!({
        "version": 2, "name": null, "functions": [],
        "instructions": instructions, "results": results,
    })
}

/// The type that is stored with an instruction is the one that the rules give.
#[test]
fn other_types_of_results_are_refused() {
    let x = given(0, json!([2, 3]));
    let refused = |instruction: Value| error(stored(&[x.clone(), instruction], json!([1])));
    let exp = |shape| instruction(json!({"elementwise": "exp"}), json!([0]), shape);
    assert_eq!(
        refused(exp(json!([3, 2]))),
        "instruction 1: the result is f32[2, 3], but f32[3, 2] is stored"
    );
    let mut other = exp(json!([2, 3]));
    other["element_type"] = json!("f16");
    assert_eq!(refused(other), "instruction 1: the result is f32[2, 3], but f16[2, 3] is stored");
    let why = refused(instruction(json!("reshape"), json!([0]), json!([7])));
    assert!(why.starts_with("instruction 1: reshape: "), "{why}");
    let why = refused(instruction(json!("reshape"), json!([0, 0]), json!([6])));
    assert_eq!(why, "instruction 1: reshape does not take 2 operands");
    let why = refused(instruction(json!("reshape"), json!([1]), json!([6])));
    assert_eq!(why, "instruction 1: value 1 is used, but the values before this are 0 to 0");
    let why = refused(instruction(json!("broadcast"), json!([0]), json!([3])));
    assert_eq!(why, "instruction 1: the result is f32[2, 3], but f32[3] is stored");
    let why = refused(given(2, json!([2])));
    assert_eq!(why, "instruction 1: parameter 2 is given, and the next one is 1");
    let slice = json!({"slice": {"start_indices": [0], "limit_indices": [9], "strides": [0]}});
    let why = refused(instruction(slice, json!([0]), json!([9])));
    assert!(why.starts_with("instruction 1: slice: "), "{why}");
    let why = refused(instruction(json!({"elementwise": "pad"}), json!([0]), json!([2, 3])));
    assert!(why.starts_with("instruction 1: pad is not an elementwise operation"), "{why}");
    let call = json!({"call": {"function": 0, "result": 0, "broadcast_dimensions": [[]]}});
    let why = refused(instruction(call, json!([0]), json!([2, 3])));
    assert_eq!(why, "instruction 1: function 0 is called, and there are 0");
}

#[test]
fn another_version_is_refused() {
    let mut value = computation(&[parameter(json!([2]))], json!([0]));
    value["version"] = json!(3);
    assert_eq!(
        error(value.clone()),
        "the computation is of format version 3, and this library reads versions 1 to 2; read it with a library that knows version 3, or write it anew with this one"
    );
    value["version"] = json!(2);
    assert_eq!(error(value.clone()), "version 2 has instructions, and no calls");
    let mut older = stored(&[given(0, json!([2]))], json!([0]));
    older["version"] = json!(1);
    assert_eq!(error(older), "version 1 has calls, and no instructions");
    // In text that a newer library wrote the version comes first, and is what is complained of.
    let newer = r#"{"version": 7, "colour": "red"}"#;
    let why = serde_json::from_str::<Computation>(newer).unwrap_err().to_string();
    assert!(why.starts_with("the computation is of format version 7"), "{why}");
    value.as_object_mut().unwrap().remove("version");
    assert!(error(value).contains("missing field `version`"));
}

#[test]
fn values_that_are_not_there_are_refused() {
    let x = parameter(json!([2]));
    // A value of itself, of a later one, and of none.
    for (operand, most) in [(1, 0), (2, 0), (usize::MAX, 0)] {
        assert_eq!(
            error(computation(&[x.clone(), unary("neg", operand), unary("neg", 1)], json!([2]))),
            format!("call 1: value {operand} is used, but the values before this are 0 to {most}")
        );
    }
    assert_eq!(
        error(computation(&[unary("neg", 0)], json!([0]))),
        "call 0: value 0 is used, but no value stands before this"
    );
    assert_eq!(
        error(computation(std::slice::from_ref(&x), json!([1]))),
        "results: value 1 is used, but the values before this are 0 to 0"
    );
    let none = error(computation(&[x], json!([])));
    assert_eq!(none, "a computation has at least one result, but none is given");
}

#[test]
fn rules_are_the_builders() {
    let x = parameter(json!([2, 3]));
    let refused = |call: Value| error(computation(&[x.clone(), call], json!([1])));
    assert!(
        refused(unary("not", 0)).starts_with("call 1: not: operand has element type f32"),
        "{}",
        refused(unary("not", 0))
    );
    assert!(refused(unary("foo", 0)).contains("there is no operation \"foo\""));
    for (opcode, wanted) in [("add", 2), ("next_after", 2), ("select", 3), ("clamp", 3)] {
        let why = refused(unary(opcode, 0));
        let text = format!("call 1: {opcode} takes {wanted} operands, but 1 was given");
        assert!(why.starts_with(&text), "{why}");
    }
    for opcode in ["parameter", "constant", "pad", "reshape", "reduce_precision"] {
        let why = refused(unary(opcode, 0));
        let text = format!("call 1: {opcode} is not an elementwise operation");
        assert!(why.starts_with(&text), "{why}");
    }
    let call = json!({"reshape": {"operand": 0, "sizes": [7]}});
    assert!(refused(call).starts_with("call 1: reshape: "));
    let call = json!({"slice": {"operand": 0, "start_indices": [0], "limit_indices": [9], "strides": [0]}});
    assert!(refused(call).starts_with("call 1: slice: "));
    let call = json!({"iota": {"element_type": "f32", "sizes": [-1], "dimension": 0}});
    assert!(refused(call).starts_with("call 1: iota: size 0 is -1"));
    let call = json!({"broadcast_in_dim": {"operand": 0, "sizes": [1i64 << 62, 2, 3], "broadcast_dimensions": [1, 2]}});
    assert!(refused(call).contains("more elements than can be counted"));
    assert!(refused(parameter(json!([u64::MAX, 2]))).contains("more elements than can be counted"));
}

/// A few bytes may ask for much: moves of many dimensions are refused before they are made.
#[test]
fn calls_that_would_take_much_memory_are_refused() {
    let rank = 4_000;
    let ones = json!(vec![1; rank]);
    let calls = [
        parameter(json!(vec![3; 0])),
        parameter(ones.clone()),
        json!({"pad": {"operand": 1, "padding_value": 0, "low": ones, "high": ones, "interior": ones}}),
    ];
    let why = error(computation(&calls, json!([2])));
    assert!(why.starts_with("call 2: the computation costs more than 33554432"), "{why}");
    let shifts = json!(vec![0; 1_000_000]);
    let roll = json!({"roll": {"operand": 0, "shifts": shifts, "dimensions": shifts}});
    let why = error(computation(&[parameter(json!([3])), roll], json!([1])));
    assert!(why.starts_with("call 1: the computation costs more than"), "{why}");
    let roll = json!({"move": {"roll": {"shifts": shifts, "dimensions": shifts}}});
    let roll = instruction(roll, json!([0]), json!([3]));
    let why = error(stored(&[given(0, json!([3])), roll], json!([1])));
    assert!(why.starts_with("instruction 1: the computation costs more than"), "{why}");
}

/// Long chains take no stack, and lists that claim to be long no memory.
#[test]
fn a_long_chain_takes_no_stack() {
    let mut b = Builder::new();
    let mut x = b.parameter(ElementType::F32, [2]).unwrap();
    for _ in 0..50_000 {
        x = b.neg(x).unwrap();
    }
    let computation = b.build(x).unwrap();
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let read = small.spawn(move || {
        let bytes = to_vec(&computation).unwrap();
        let read: Computation = from_slice(&bytes).unwrap();
        (to_vec(&read).unwrap() == bytes, read.shape().dims().to_vec())
    });
    assert_eq!(read.unwrap().join().unwrap(), (true, vec![2]));
    // CBOR's head of a list of 2^60 entries, after the preceding fields.
    for (version, list) in [(0x01, "calls"), (0x02, "instructions")] {
        let mut bytes = vec![0xa4];
        for (name, value) in [("version", version), ("name", 0xf6)] {
            bytes.push(0x60 + name.len() as u8);
            bytes.extend(name.as_bytes());
            bytes.push(value);
        }
        bytes.push(0x60 + list.len() as u8);
        bytes.extend(list.as_bytes());
        bytes.extend(b"\x9b\x10\0\0\0\0\0\0\0");
        assert!(ciborium::from_reader::<Computation, _>(bytes.as_slice()).is_err());
    }
}

/// Changes one value somewhere in the data.
fn change(random: &mut Random, value: &mut Value) {
    match value {
        Value::Array(list) if !list.is_empty() && random.percent(85) => {
            let at = random.below(list.len());
            match random.below(20) {
                0 => drop(list.remove(at)),
                1 => {
                    let copy = list[at].clone();
                    list.push(copy);
                }
                2 => list.swap(0, at),
                _ => change(random, &mut list[at]),
            }
        }
        Value::Object(fields) if !fields.is_empty() && random.percent(95) => {
            let at = random.below(fields.len());
            if let Some(field) = fields.values_mut().nth(at) {
                change(random, field);
            }
        }
        other => {
            let numbers = [-1, 0, 1, 2, 3, 5, 64, 1 << 31, 1 << 32, i64::MAX, i64::MIN];
            *other = match random.below(8) {
                0 => json!(null),
                1 => json!(u64::MAX),
                2 => json!([1, 2]),
                3 => json!(random.pick(&["f32", "pred", "s4", "add", "select", "relaxed", ""])),
                4 => json!({}),
                _ => json!(random.pick(&numbers)),
            };
        }
    }
}

/// Returns true if it was accepted. It is a computation as any other then, which is stored as it was
/// read, and explained.
fn judge(read: Result<Computation, String>) -> bool {
    let Ok(read) = read else { return false };
    let value = to_value(&read).unwrap();
    let again: Computation = from_value(value.clone()).unwrap();
    assert_eq!(to_value(&again).unwrap(), value);
    // It may be too large for a device, which is an error.
    let _ = PlanLimits::default().explain(&read);
    true
}

#[test]
fn changed_computations_do_no_harm() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in FIRST_SEED..FIRST_SEED + PROGRAMS {
        let random = &mut Random::new(seed);
        let case = generate::small_case(random);
        let value = to_value(build::build(&case.program).unwrap()).unwrap();
        for _ in 0..CHANGES {
            let mut changed = value.clone();
            for _ in 0..1 + random.below(2) {
                change(random, &mut changed);
            }
            if judge(from_value(changed).map_err(|e| e.to_string())) {
                accepted += 1
            } else {
                refused += 1
            }
        }
    }
    println!("{accepted} were accepted, {refused} refused");
    assert!(accepted > 100 && refused > 1_000, "{accepted}, {refused}");
}

#[test]
fn changed_bytes_do_no_harm() {
    let mut refused = 0;
    for seed in FIRST_SEED..FIRST_SEED + PROGRAMS {
        let random = &mut Random::new(seed);
        let case = generate::small_case(random);
        let computation = build::build(&case.program).unwrap();
        let mut cbor = Vec::new();
        ciborium::into_writer(&computation, &mut cbor).unwrap();
        for bytes in [to_vec(&computation).unwrap(), cbor.clone()] {
            for _ in 0..CHANGES / 2 {
                let mut changed = bytes.clone();
                for _ in 0..1 + random.below(3) {
                    let at = random.below(changed.len());
                    changed[at] = random.bits() as u8;
                }
                if random.percent(10) {
                    changed.truncate(random.below(bytes.len()));
                }
                let read = if bytes == cbor {
                    ciborium::from_reader(changed.as_slice()).map_err(|e| format!("{e}"))
                } else {
                    from_slice(&changed).map_err(|e| e.to_string())
                };
                refused += usize::from(!judge(read));
            }
        }
    }
    assert!(refused > 1_000, "{refused}");
}
