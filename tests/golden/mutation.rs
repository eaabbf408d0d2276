//! Shows that the golden test bites: golden lines that are changed in one place must all be
//! reported as failed, by the judge that `xla.rs` uses, and not because the change made them
//! unreadable.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use indim::{ElementType, Opcode};
use indim_testing::golden::compare::{self, Closeness};
use indim_testing::golden::judge::Judge;
use indim_testing::golden::line::{self, Expected};
use indim_testing::golden::tolerance::{self, RealTolerance};
use indim_testing::golden::{operands, refusals};
use indim_testing::host_array::HostArray;
use indim_testing::oracle::format::{self, F32};
use indim_testing::oracle::integer;
use indim_testing::oracle::value::{mask, width};
use indim_testing::share;
use serde_json::{Value, json};

/// A change of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mutation {
    /// One bit of one element of an exact result.
    ResultBit,
    /// The result's shape, with as many elements as before.
    ResultShape,
    /// The result's element type, with as many elements as before.
    ResultType,
    /// The class of a refusal.
    ErrorKind,
    /// Accepted or refused.
    OkFlag,
    /// One element of an inexact result, moved past XLA's error.
    Inexact,
}

const MUTATIONS: [Mutation; 6] = [
    Mutation::ResultBit,
    Mutation::ResultShape,
    Mutation::ResultType,
    Mutation::ErrorKind,
    Mutation::OkFlag,
    Mutation::Inexact,
];

/// One line in this many is taken as a whole, besides one of each sort, or in the usual share of the
/// tests one for each op and error.
const STRIDE: usize = 40;

#[test]
fn every_mutated_line_fails() {
    let judge = Judge::here();
    let stride = STRIDE * share::one_of(128);
    let golden = indim_testing::repository().join("tests/golden");
    let files =
        ["xla.jsonl", "functions.jsonl", "types.jsonl", "moves.jsonl", "numpy_operations.jsonl"];
    let text = files
        .map(|name| fs::read_to_string(golden.join(name)).expect("the golden file is there"))
        .concat();

    let mut sorts = BTreeSet::new();
    let mut mutants: BTreeMap<(Mutation, String), usize> = BTreeMap::new();
    let mut survivors = Vec::new();
    // Accepted ops, and whether one of their values has been changed.
    let mut ops: BTreeMap<String, bool> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let golden: Value = serde_json::from_str(line).expect("a golden line is JSON");
        if !sorts.insert(sort(&golden)) && number % stride != 0 {
            continue;
        }
        // A line that fails by itself would let every mutant of it look detected.
        if let Err(failure) = judge.judge(line.as_bytes()) {
            panic!("unchanged, it must pass: {failure:?}");
        }
        // A line that the adapter refuses is also refused with other values.
        if !judge.computes(line.as_bytes()) {
            continue;
        }
        let value_changed = ops.entry(text_of(&golden, "op")).or_insert(false);
        for mutation in MUTATIONS {
            let Some(mutant) = mutate(&golden, mutation, number) else {
                continue;
            };
            *mutants.entry((mutation, text_of(&golden, "kind"))).or_default() += 1;
            *value_changed |= matches!(mutation, Mutation::ResultBit | Mutation::Inexact);
            match judge.judge(mutant.to_string().as_bytes()) {
                Ok(()) => survivors.push(format!("{mutation:?} passed: {mutant}")),
                Err(failure) if failure.malformed => {
                    survivors.push(format!("{mutation:?} made it unreadable: {failure:?}"));
                }
                Err(_) => {}
            }
        }
    }
    println!("mutants, all detected: {mutants:?}");
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
    assert_every_kind_is_covered(&mutants);
    assert!(ops.values().all(|&changed| changed), "no value of some op was changed: {ops:?}");
}

/// Checks that each kind of line had every mutation that its lines allow.
fn assert_every_kind_is_covered(mutants: &BTreeMap<(Mutation, String), usize>) {
    use Mutation::{ErrorKind, Inexact, OkFlag, ResultBit, ResultShape, ResultType};
    let all_kinds = [
        "binary",
        "unary",
        "reduce_precision",
        "convert",
        "select",
        "clamp",
        "broadcast_in_dim",
        "broadcast",
        "iota",
        "pad",
        "concatenate",
        "roll",
    ];
    let with_refusals =
        ["binary", "unary", "reduce_precision", "select", "clamp", "broadcast_in_dim", "broadcast"];
    for (mutation, kinds) in [
        (ResultBit, &all_kinds[..]),
        (ResultShape, &all_kinds[..]),
        (ResultType, &all_kinds[..]),
        (OkFlag, &all_kinds[..]),
        (ErrorKind, &with_refusals[..]),
        (Inexact, &["binary", "unary"][..]),
    ] {
        for kind in kinds {
            let count = mutants.get(&(mutation, (*kind).to_owned()));
            assert!(count.is_some(), "no {mutation:?} mutant of kind {kind}");
        }
    }
}

/// Returns what makes two lines alike: the op, and the element types that it works on or the error
/// that it makes.
fn sort(golden: &Value) -> Vec<String> {
    let asked = ["kind", "op", "error_kind"].map(|field| text_of(golden, field));
    if share::one_of(128) > 1 {
        return asked.to_vec();
    }
    let operand = match &golden["lhs"] {
        Value::Null => &golden["operands"][0],
        lhs => lhs,
    };
    let types = [operand, &golden["result"]].map(|value| text_of(value, "dtype"));
    [&asked[..], &types].concat()
}

fn text_of(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

/// The line with one change, or None where the line has nothing of that sort to change. `seed`
/// varies which element and which bit it is.
fn mutate(golden: &Value, mutation: Mutation, seed: usize) -> Option<Value> {
    let mut line = golden.clone();
    let accepted = golden["ok"] == true;
    match mutation {
        Mutation::ResultBit if golden["exact"] == true => change_bit(&mut line, seed)?,
        Mutation::ResultShape if accepted => {
            for name in ["result", "alt"] {
                if let Some(Value::Array(shape)) = line.pointer_mut(&format!("/{name}/shape")) {
                    shape.push(json!(1));
                }
            }
        }
        Mutation::ResultType if golden["exact"] == true => change_type(&mut line)?,
        Mutation::ErrorKind if !accepted => {
            line["error_kind"] = json!(other_error_kind(golden));
        }
        Mutation::OkFlag if accepted => {
            line["ok"] = json!(false);
            line["error_kind"] = json!(refusals::TABLE[seed % refusals::TABLE.len()].0);
            line["result"] = Value::Null;
        }
        Mutation::OkFlag => {
            line["ok"] = json!(true);
            line["error_kind"] = Value::Null;
            line["exact"] = json!(true);
            line["result"] = match &golden["lhs"] {
                Value::Null => golden["operands"].get(0)?.clone(),
                lhs => lhs.clone(),
            };
        }
        Mutation::Inexact if golden["exact"] == false => move_past_error(&mut line, seed)?,
        _ => return None,
    }
    Some(line)
}

/// Flips one bit of one element, in `alt` to the same value, so that neither is the right one.
fn change_bit(line: &mut Value, seed: usize) -> Option<()> {
    let element_type = part_type(&line["result"]);
    let width = width(element_type) as usize;
    let count = elements(&line["result"])?.len();
    if count == 0 {
        return None;
    }
    let index = seed % count;
    let right = right_bits(line, index);
    let is_nan = |bits: u64| format::of(element_type).is_some_and(|format| format.is_nan(bits));
    let any_nan = right.iter().any(|&bits| is_nan(bits));
    // Where the adapter flushes, a zero is right for a subnormal remainder.
    let is_flushed = |bits: u64| {
        let Some(format) = format::of(element_type).filter(|_| line["op"] == "Rem") else {
            return false;
        };
        let value = format.decode(bits);
        let zero = format.encode(0f64.copysign(value));
        value != 0.0 && value.abs() < format.smallest_normal() && right.contains(&zero)
    };
    // The other accepted value may be one flip away, and a NaN stays right whatever its payload is.
    let still_right =
        |&bits: &u64| right.contains(&bits) || (any_nan && is_nan(bits)) || is_flushed(bits);
    let mutant = (0..width)
        .map(|bit| right[0] ^ (1 << ((seed + bit) % width)))
        .find(|bits| !still_right(bits))?;
    set(line, index, mutant);
    Some(())
}

/// Moves one normal element up or down, in `alt` too, by a little more than XLA's own error can
/// span: from one side of the truth to the other, and twice that where an ULP is two steps below
/// a power of two.
fn move_past_error(line: &mut Value, seed: usize) -> Option<()> {
    let Ok(line::Line {
        case, expected: Expected::Acceptance { result, two_formulas, .. }, ..
    }) = line::parse(line.to_string().as_bytes())
    else {
        return None;
    };
    let line_of = tolerance::of(Opcode::from_name(&text_of(line, "op"))?)?;
    // A complex result may be near XLA's value or near the true one, and where XLA has two formulas
    // it need be near neither: such a line may accept a golden value that is wrong.
    let format = format::of(result.element_type).filter(|_| !two_formulas)?;
    let of_complex = line["operands"][0]["dtype"] == "c64";
    let tolerance = RealTolerance { line: line_of, format };
    let operands = operands::seen_from(&case, &result.shape)?;
    let count = result.bits.len();
    let is_normal = |bits: u64| {
        let value = format.decode(bits);
        value.is_finite() && value.abs() >= format.smallest_normal()
    };
    (0..count).filter(|_| !of_complex).map(|step| (seed + step) % count).find_map(|index| {
        let right = right_bits(line, index);
        // From a zero, the steps lead to a subnormal, or over the other sign's, which is a mutant
        // of another sort.
        if !is_normal(right[0]) {
            return None;
        }
        let operands: Vec<f64> =
            operands.iter().map(|values| format.decode(values[index])).collect();
        if tolerance.is_lost_in_xla(&operands) {
            return None;
        }
        let limit = tolerance.of_xla(&operands);
        let absolute = limit.absolute / format.decode(right[0]).abs();
        // So near to a zero of the function, all smaller values are within the limit.
        if absolute > 0.125 {
            return None;
        }
        let steps = absolute * 2f64.powi(format.mantissa_bits as i32 + 1);
        let far = (4.0 * limit.ulps.max(steps) + 8.0) as u64;
        let up = right[0].wrapping_add(far) & mask(result.element_type);
        let down = right[0].wrapping_sub(far) & mask(result.element_type);
        let order = if seed & 1 == 0 { [up, down] } else { [down, up] };
        let mutant = order.into_iter().find(|&bits| {
            let is_far = |&right: &u64| right.abs_diff(bits) >= far;
            is_normal(bits) && right.iter().all(is_far)
        })?;
        set(line, index, mutant);
        Some(())
    })
}

/// The type of what an array lists: of complex numbers, their parts.
fn part_type(array: &Value) -> ElementType {
    let name = text_of(array, "dtype");
    if name == "c64" { ElementType::F32 } else { name.parse().expect("a golden dtype is known") }
}

/// Another element type that can hold the same elements.
fn change_type(line: &mut Value) -> Option<()> {
    for name in ["result", "alt"] {
        let array = &line[name];
        if array.is_null() {
            continue;
        }
        let shape = array["shape"].clone();
        line[name] = match text_of(array, "dtype").as_str() {
            "c64" => {
                let zeros = vec![0; elements(array)?.len() / 2];
                json!({"dtype": "u64", "shape": shape, "data": zeros})
            }
            "f16" | "bf16" | "f32" | "f64" => {
                let zeros = vec![0; elements(array)?.len()];
                json!({"dtype": "u32", "shape": shape, "data": zeros})
            }
            "pred" => json!({"dtype": "i32", "shape": shape, "data": array["data"]}),
            _ => {
                let zeros = vec!["00000000"; elements(array)?.len()];
                json!({"dtype": "f32", "shape": shape, "bits": zeros})
            }
        };
    }
    Some(())
}

/// An error_kind of the table whose rule is not the golden one's.
fn other_error_kind(golden: &Value) -> &'static str {
    let op = text_of(golden, "op");
    let rules = refusals::rules_of(&text_of(golden, "error_kind"), &op);
    refusals::TABLE
        .iter()
        .map(|&(error_kind, _)| error_kind)
        .find(|error_kind| refusals::rules_of(error_kind, &op).iter().all(|r| !rules.contains(r)))
        .expect("the table has more than one rule")
}

fn elements(array: &Value) -> Option<&Vec<Value>> {
    array["bits"].as_array().or(array["data"].as_array())
}

/// The bits that are right at `index`: the result's, then alt's where there is one.
fn right_bits(line: &Value, index: usize) -> Vec<u64> {
    ["result", "alt"]
        .iter()
        .filter_map(|name| elements(&line[*name])?.get(index))
        .map(|element| match element {
            Value::String(digits) => {
                u64::from_str_radix(digits, 16).expect("golden bits are hexadecimal")
            }
            number => {
                let signed = number.as_i64().map(i64::cast_unsigned);
                let bits = number.as_u64().or(signed).expect("golden data are integers");
                bits & mask(part_type(&line["result"]))
            }
        })
        .collect()
}

/// Puts an element into the result, and into alt where there is one.
fn set(line: &mut Value, index: usize, bits: u64) {
    for name in ["result", "alt"] {
        let Some(array) = line.get_mut(name) else {
            continue;
        };
        let element_type = part_type(array);
        let digits = width(element_type) as usize / 4;
        if let Some(text) = array.pointer_mut(&format!("/bits/{index}")) {
            *text = json!(format!("{bits:0digits$x}"));
        } else if let Some(number) = array.pointer_mut(&format!("/data/{index}")) {
            let number_of = i64::try_from(integer::decode(element_type, bits));
            *number = number_of.map_or(json!(bits), |number| json!(number));
        }
    }
}

/// Malformed lines fail, and nothing panics.
#[test]
fn hostile_lines_fail() {
    let judge = Judge::here();
    let array = r#"{"dtype":"f32","shape":[1],"bits":["3f800000"]}"#;
    let accepted = |fields: &str| {
        format!(
            r#"{{"id":"x","ok":true,"error_kind":null,"exact":true,"result":{array},{fields}}}"#
        )
    };
    let unary =
        |operand: &str| accepted(&format!(r#""kind":"unary","op":"Abs","operands":[{operand}]"#));
    assert!(judge.judge(unary(array).as_bytes()).is_ok());

    let hostile = [
        "x".to_owned(),
        "{".to_owned(),
        "{}".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "[".repeat(100_000),
        r#"{"id":"x"}"#.to_owned(),
        // Shapes and elements that do not belong together, or that no memory could hold.
        unary(r#"{"dtype":"f32","shape":[2],"bits":["3f800000"]}"#),
        unary(r#"{"dtype":"f32","shape":[],"bits":[]}"#),
        unary(r#"{"dtype":"f32","shape":[0],"bits":["3f800000"]}"#),
        unary(r#"{"dtype":"f32","shape":[-1],"bits":[]}"#),
        unary(r#"{"dtype":"f32","shape":[4294967296,4294967296],"bits":[]}"#),
        unary(r#"{"dtype":"f32","shape":[1e30],"bits":[]}"#),
        unary(r#"{"dtype":"f32","shape":[1]}"#),
        // Elements that are none.
        unary(r#"{"dtype":"f32","shape":[1],"bits":["3f80000"]}"#),
        unary(r#"{"dtype":"f32","shape":[1],"bits":["+3f80000"]}"#),
        unary(r#"{"dtype":"f32","shape":[1],"bits":["3f80000é"]}"#),
        unary(r#"{"dtype":"f32","shape":[1],"data":[1]}"#),
        unary(r#"{"dtype":"i32","shape":[1],"data":[2147483648]}"#),
        unary(r#"{"dtype":"u32","shape":[1],"data":[-1]}"#),
        unary(r#"{"dtype":"pred","shape":[1],"data":[2]}"#),
        unary(r#"{"dtype":"q7","shape":[1],"data":[1]}"#),
        // Operations that are none.
        accepted(&format!(r#""kind":"unary","op":"Abs","operands":[{array},{array}]"#)),
        accepted(r#""kind":"unary","op":"Abs","operands":[]"#),
        accepted(&format!(r#""kind":"unary","op":"Frob","operands":[{array}]"#)),
        accepted(&format!(r#""kind":"frob","op":"Abs","operands":[{array}]"#)),
        accepted(&format!(r#""kind":"binary","op":"Abs","lhs":{array},"rhs":{array}"#)),
        accepted(&format!(r#""kind":"binary","op":"Parameter","lhs":{array},"rhs":{array}"#)),
        accepted(&format!(r#""kind":"binary","op":"Add","lhs":{array}"#)),
        accepted(r#""kind":"iota","op":"Iota","dtype":"f32","shape":[1]"#),
        // Answers that are none.
        unary(array).replace(r#""exact":true,"#, ""),
        unary(array).replace(r#""error_kind":null"#, r#""error_kind":"dim_negative""#),
        unary(array).replace("\"ok\":true", "\"ok\":1"),
        unary(array).replace("\"ok\":true", "\"ok\":false"),
    ];
    for line in hostile {
        let failure = judge.judge(line.as_bytes());
        let start: String = line.chars().take(300).collect();
        assert!(failure.is_err_and(|failure| failure.malformed), "{start}");
    }

    // Readable, but false: these reach the library.
    let iota = |shape: &str, answer: &str| {
        format!(
            r#"{{"id":"x","kind":"iota","op":"Iota","dtype":"f32","shape":{shape},"iota_dimension":0,{answer}}}"#
        )
    };
    let false_lines = [
        iota("[4294967296,4294967296]", &format!(r#""ok":true,"exact":true,"result":{array}"#)),
        iota("[1073741824]", &format!(r#""ok":true,"exact":true,"result":{array}"#)),
        iota("[-1]", r#""ok":false,"error_kind":"frob""#),
        unary(array).replace("\"exact\":true", "\"exact\":false"),
    ];
    for line in false_lines {
        let failure = judge.judge(line.as_bytes());
        assert!(failure.is_err_and(|failure| !failure.malformed), "{line}");
    }
}

/// One number.
fn one(value: u32) -> HostArray {
    HostArray { element_type: ElementType::F32, shape: Vec::new(), bits: vec![u64::from(value)] }
}

/// Returns whether `got` passes where the line has `golden` as XLA's result.
fn passes(closeness: &Closeness, golden: f32, got: f32) -> bool {
    compare::compare(&expected(golden.to_bits(), None), closeness, &one(got.to_bits())).is_ok()
}

/// An answer of XLA's, with an alternative or without.
fn expected(result: u32, alt: Option<u32>) -> Expected {
    let (result, alt) = (one(result), alt.map(one));
    Expected::Acceptance { exact: true, result, alt, two_formulas: false }
}

/// The comparator of exact results, where golden data alone would not show a mistake.
#[test]
fn exact_by_hand() {
    let matches = |golden, got| passes(&Closeness::Bits, golden, got);
    assert!(matches(f32::NAN, f32::from_bits(0xffc1_2345)), "any NaN for a NaN");
    assert!(matches(f32::INFINITY, f32::INFINITY));
    assert!(!matches(f32::INFINITY, f32::NAN));
    assert!(!matches(f32::NAN, f32::INFINITY));
    assert!(!matches(f32::INFINITY, f32::MAX), "saturated");
    assert!(!matches(f32::MAX, f32::INFINITY), "overflown");
    assert!(!matches(f32::INFINITY, f32::NEG_INFINITY));
    assert!(!matches(0.0, -0.0));
    assert!(!matches(1.0, 1f32.next_up()));
    assert!(!matches(f32::MIN_POSITIVE, 0.0), "a normal number flushed");
    assert!(!matches(f32::from_bits(0x1000), 0.0), "what XLA did not flush");

    let alt = |got| compare::compare(&expected(0, Some(1)), &Closeness::Bits, &one(got)).is_ok();
    assert!(alt(0) && alt(1) && !alt(2));
}

/// Returns what a result of these operands is held to.
fn near(opcode: Opcode, operands: &[f32]) -> Closeness {
    let line = tolerance::of(opcode).expect("it is in the table");
    let operands = operands.iter().map(|&x| vec![u64::from(x.to_bits())]).collect();
    Closeness::Real { tolerance: RealTolerance { line, format: F32 }, operands }
}

/// The comparator of inexact results at the limits: of the library and of XLA, in special values,
/// and in what may be flushed.
#[test]
fn inexact_by_hand() {
    let matches =
        |opcode, operands: &[f32], golden, got| passes(&near(opcode, operands), golden, got);
    let moved = |value: f32, steps: i32| f32::from_bits(value.to_bits().wrapping_add_signed(steps));
    let (inf, nan, tiny) = (f32::INFINITY, f32::NAN, f32::MIN_POSITIVE);
    let subnormal = f32::from_bits(0x1000);

    let exp = |x, golden, got| matches(Opcode::Exp, &[x], golden, got);
    assert!(exp(0.0, 1.0, 1.0) && exp(0.0, 1.0, moved(1.0, 1)));
    assert!(!exp(0.0, 1.0, moved(1.0, 2)), "past the library's limit");
    assert!(exp(0.0, moved(1.0, 2), 1.0) && !exp(0.0, moved(1.0, 3), 1.0), "past XLA's error");
    assert!(exp(nan, nan, f32::from_bits(0xffc1_2345)), "any NaN for a NaN");
    assert!(!exp(nan, inf, nan) && !exp(nan, nan, inf) && !exp(0.0, nan, 1.0));
    assert!(exp(inf, inf, inf) && exp(100.0, inf, inf));
    assert!(!exp(inf, inf, f32::MAX) && !exp(100.0, inf, f32::MAX), "saturated");
    assert!(!exp(100.0, inf, -inf) && !exp(100.0, f32::MAX, inf));
    let largest = 88.722_83;
    assert!(exp(largest, largest.exp(), largest.exp()), "below the end of the range");
    assert!(!exp(largest, largest.exp(), inf), "overflown");

    let small = f32::from_bits(27);
    assert!(exp(-100.0, 0.0, small) && exp(-100.0, small, 0.0), "a subnormal result");
    assert!(!exp(-100.0, 0.0, -0.0) && !exp(-100.0, 0.0, tiny));
    assert!(!exp(-87.0, 1.645_811_4e-38, 0.0), "a normal number flushed");
    let sin = |x, golden, got| matches(Opcode::Sin, &[x], golden, got);
    assert!(sin(-0.0, -0.0, -0.0) && !sin(-0.0, -0.0, 0.0) && !sin(0.0, 0.0, subnormal));
    assert!(!sin(-0.0, 0.0, -0.0), "another zero than XLA's");

    let lgamma = |golden, got| matches(Opcode::Lgamma, &[1.0], golden, got);
    assert!(lgamma(0.0, 0.0) && lgamma(4.8e-7, 0.0), "XLA's zero is none");
    assert!(!lgamma(1e-5, 0.0) && !lgamma(0.0, 4.8e-7) && !lgamma(0.0, -0.0));

    let log = |golden, got| matches(Opcode::Log, &[subnormal], golden, got);
    let truth = f64::from(subnormal).ln() as f32;
    assert!(log(-inf, truth) && log(truth, -inf) && !log(truth, f32::MIN), "a subnormal operand");
    let atan2 = |golden, got| matches(Opcode::Atan2, &[subnormal, 0.0], golden, got);
    let right = std::f32::consts::FRAC_PI_2;
    assert!(atan2(0.0, right) && atan2(right, 0.0) && !atan2(right, 1.0));
}

/// XLA's values pass where its formula loses digits, and only there; the library's must still be
/// right.
#[test]
fn drift_by_hand() {
    let xla = f32::from_bits(0x7e78_82ce);
    let closeness = |x| near(Opcode::Cosh, &[x]);
    let truth = 88f64.cosh() as f32;
    assert_eq!(xla.to_bits().abs_diff(truth.to_bits()), 23);
    assert!(passes(&closeness(88.0), xla, truth));
    assert!(!passes(&closeness(88.0), xla, xla));
    let moved = |value: f32, steps: i32| f32::from_bits(value.to_bits().wrapping_add_signed(steps));
    assert!(!passes(&closeness(88.0), moved(xla, 32), truth));
    assert!(!passes(&closeness(88.0), moved(xla, -64), truth));
    let at_one = |steps| moved(1f64.cosh() as f32, steps);
    assert!(passes(&closeness(1.0), at_one(3), at_one(0)));
    assert!(!passes(&closeness(1.0), at_one(23), at_one(0)));
    for (opcode, end) in [(Opcode::Acos, 1.0), (Opcode::Acosh, 1.0), (Opcode::Cbrt, 0.0)] {
        let line = tolerance::of(opcode).expect("it is in the table");
        let limit = RealTolerance { line, format: F32 }.of_xla(&[end]);
        assert_eq!(limit.ulps, line.xla, "{}", opcode.name());
    }
}

/// The table has one line an op, each with a reason, and nothing in it is large.
#[test]
fn tolerances_are_kept_small() {
    let mut seen = BTreeSet::new();
    for line in tolerance::TABLE {
        let name = line.opcode.name();
        assert!(seen.insert(name), "{name} twice");
        assert!(!line.reason.is_empty(), "{name} needs a reason");
        let own = indim_reference::limits::approximate(name).expect(name);
        assert!(own <= 4.0 && line.xla <= 12.0 && line.beside_zeros < 1e-5, "{name}");
    }
}

/// Checks which elements of broadcast operands each element of a result is computed from.
#[test]
fn operands_by_hand() {
    let array = |shape: &[usize], values: &[f32]| HostArray {
        element_type: ElementType::F32,
        shape: shape.to_vec(),
        bits: values.iter().map(|value| u64::from(value.to_bits())).collect(),
    };
    let seen =
        |rhs: HostArray, broadcast_dimensions: &[i64], shape: &[usize]| -> Option<Vec<f64>> {
            let case = line::Case::Binary {
                opcode: Opcode::Pow,
                lhs: array(&[2, 3], &[0.0; 6]),
                rhs,
                broadcast_dimensions: broadcast_dimensions.to_vec(),
            };
            let floats = |bits: Vec<u64>| bits.into_iter().map(|bits| F32.decode(bits)).collect();
            operands::seen_from(&case, shape).map(|mut operands| floats(operands.remove(1)))
        };
    let (column, row) = (array(&[2], &[1.0, 2.0]), array(&[3], &[1.0, 2.0, 3.0]));
    let scalar = array(&[], &[7.0]);
    assert_eq!(seen(column.clone(), &[0], &[2, 3]), Some(vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0]));
    assert_eq!(seen(row.clone(), &[1], &[2, 3]), Some(vec![1.0, 2.0, 3.0, 1.0, 2.0, 3.0]));
    assert_eq!(seen(scalar, &[], &[2, 3]), Some(vec![7.0; 6]));
    let degenerate = array(&[2, 1], &[1.0, 2.0]);
    assert_eq!(seen(degenerate, &[], &[2, 3]), Some(vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0]));
    assert_eq!(seen(row, &[2], &[2, 3]), None, "no such dimension");
    assert_eq!(seen(column, &[1], &[2, 3]), None, "too few elements");
}
