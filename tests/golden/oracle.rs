//! Tests the oracle: its rules and interpreter against XLA's results. Since they agree with XLA
//! here, they may judge the library on expressions that XLA was never asked.

use indim::{ElementType, Opcode};
use serde_json::Value as Json;

use indim_testing::oracle::integer;
use indim_testing::oracle::value::{Span, Value, show};
use indim_testing::programs::interpreter;
use indim_testing::programs::program::{Call, Node, Place, Program, Type};
use indim_testing::programs::rules;

/// Data in which XLA itself is farther away from the exact value than the library may be: by more
/// than 16 ULP, of half precision by more than one.
#[rustfmt::skip]
const XLA_IS_OFF: &[(Opcode, &[ElementType])] = {
    use ElementType::{Bf16, C64, F16, F32, F64};
    &[
        (Opcode::Sinh, &[F32]),
        (Opcode::Cosh, &[F32]),
        (Opcode::Erfc, &[F32]),
        // Around 1.
        (Opcode::Acos, &[Bf16]),
        (Opcode::Acosh, &[F16, F64]),
        // exp(w log z) in F32.
        (Opcode::Pow, &[C64]),
        // Beside zeros.
        (Opcode::Lgamma, &[F16, Bf16, F32]),
        (Opcode::Digamma, &[F32]),
    ]
};

fn numbers(json: &Json) -> Vec<i64> {
    json.as_array().expect("a list").iter().map(|n| n.as_i64().expect("an integer")).collect()
}

fn element(json: &Json) -> ElementType {
    json.as_str().expect("an element type").parse().expect("one that we have")
}

/// Type and bit patterns of an array in the data.
fn array(json: &Json) -> (Type, Vec<u64>) {
    let dims: Vec<usize> = numbers(&json["shape"]).into_iter().map(|d| d as usize).collect();
    let element = element(&json["dtype"]);
    let hexadecimal = |digits: &Json| {
        u64::from_str_radix(digits.as_str().expect("a string"), 16).expect("digits")
    };
    let whole = |number: &Json| {
        let unsigned = number.as_u64().map(i128::from);
        unsigned.or(number.as_i64().map(i128::from)).expect("an integer")
    };
    let bits = match (json.get("bits"), json.get("data")) {
        (Some(bits), _) if element == ElementType::C64 => {
            let parts = bits.as_array().expect("a list").chunks(2);
            parts.map(|part| hexadecimal(&part[0]) | hexadecimal(&part[1]) << 32).collect()
        }
        (Some(bits), _) => bits.as_array().expect("a list").iter().map(hexadecimal).collect(),
        (None, data) => {
            let data = data.and_then(Json::as_array).expect("a list").iter();
            data.map(|number| integer::encode(element, whole(number))).collect()
        }
    };
    (Type::new(element, &dims), bits)
}

/// The call of a line, its operands as parameters before it.
fn program(line: &Json) -> Program {
    let mut nodes = Vec::new();
    let operands = ["lhs", "rhs"].iter().filter_map(|name| line.get(name));
    for operand in operands.chain(line["operands"].as_array().into_iter().flatten()) {
        let (ty, data) = array(operand);
        nodes.push(Node {
            call: Call::Parameter { ty: ty.clone(), data, place: Place::Uploaded },
            ty,
        });
    }
    let name = line["op"].as_str().expect("an op");
    let opcode = Opcode::from_name(name).unwrap_or_else(|| panic!("no opcode {name}"));
    let dims = line.get("broadcast_dimensions").filter(|d| !d.is_null()).map(numbers);
    let dims = dims.unwrap_or_default();
    let call = match line["kind"].as_str().expect("a kind") {
        "binary" if opcode == Opcode::NextAfter => Call::NextAfter { from: 0, to: 1 },
        "binary" => Call::Binary { opcode, lhs: 0, rhs: 1, dims },
        "unary" => Call::Unary { opcode, x: 0 },
        "convert" if opcode == Opcode::BitcastConvertType => {
            Call::Bitcast { x: 0, to: element(&line["to"]) }
        }
        "convert" => Call::Convert { x: 0, to: element(&line["to"]) },
        "select" => Call::Select { pred: 0, on_true: 1, on_false: 2 },
        "clamp" => Call::Clamp { min: 0, x: 1, max: 2 },
        "broadcast" => Call::Broadcast { x: 0, sizes: numbers(&line["sizes"]) },
        "broadcast_in_dim" => {
            Call::BroadcastInDim { x: 0, sizes: numbers(&line["out_shape"]), dims }
        }
        "iota" => Call::Iota {
            element: element(&line["dtype"]),
            sizes: numbers(&line["shape"]),
            dimension: line["iota_dimension"].as_i64().expect("a dimension"),
        },
        "pad" => Call::Pad {
            x: 0,
            value: 1,
            low: numbers(&line["low"]),
            high: numbers(&line["high"]),
            interior: numbers(&line["interior"]),
        },
        "concatenate" => Call::Concatenate {
            operands: (0..nodes.len()).collect(),
            dimension: line["dimension"].as_i64().expect("a dimension"),
        },
        "roll" => Call::Roll {
            x: 0,
            shifts: numbers(&line["shifts"]),
            dims: numbers(&line["dimensions"]),
        },
        other => panic!("no kind {other}"),
    };
    // The type is filled in by the rules, if they accept the call.
    nodes.push(Node { call, ty: Type::new(ElementType::Pred, &[]) });
    Program { nodes }
}

/// The labels of each of the classes into which the data sorts XLA's messages.
fn labels(error_kind: &str, opcode: Opcode) -> &'static [&'static str] {
    match error_kind {
        "rank_mismatch_needs_dims" => &["B1"],
        "dims_wrong_length" => &["B2"],
        "dim_negative" => &["B3"],
        "dim_out_of_range" => &["B4"],
        "dim_size_mismatch" => &["B5"],
        "dims_not_strictly_increasing" if opcode == Opcode::BroadcastInDim => &["D5"],
        "dims_not_strictly_increasing" => &["B6"],
        "same_rank_dims_not_identity" => &["B7"],
        "incompatible_shapes" => &["B8"],
        "dtype_not_accepted" => &["T1"],
        "dtype_mismatch" => &["T2"],
        "select_pred_not_pred" => &["T3"],
        "ternary_implicit_broadcast" => &["S1"],
        "bid_rank_too_small" => &["D1"],
        "bid_dims_wrong_length" => &["D2"],
        "bid_dim_out_of_range" => &["D3"],
        "bid_dim_size_mismatch" => &["D4"],
        "negative_size" => &["N1"],
        // One class for all that is about types.
        "type" => &["T1", "T2", "T3", "T4"],
        "bitcast_ratio" => &["T4"],
        "pad_lists" => &["V7"],
        "pad_amounts" => &["V8"],
        "concatenate_shapes" => &["V9"],
        other => panic!("no class {other}"),
    }
}

/// Returns what is wrong with the oracle's answer to this line, if anything.
fn complaint(line: &Json) -> Option<String> {
    let mut program = program(line);
    let last = program.nodes.len() - 1;
    let call = program.nodes[last].call.clone();
    let inferred = rules::infer(&call, &|id| program.nodes[id].ty.clone());
    if !line["ok"].as_bool().expect("a truth value") {
        let kind = line["error_kind"].as_str().expect("a class of errors");
        let labels = labels(kind, call.opcode());
        return match inferred {
            Ok(ty) => Some(format!("accepted as {ty}, XLA says {kind}")),
            Err(broken) if broken.iter().any(|label| labels.contains(label)) => None,
            Err(broken) => Some(format!("refused by {broken:?}, XLA says {labels:?} {kind}")),
        };
    }
    let (ty, want) = array(&line["result"]);
    match inferred {
        Ok(inferred) if inferred == ty => program.nodes[last].ty = inferred,
        other => return Some(format!("inferred as {other:?}, XLA says {ty}")),
    }
    let of = program.nodes.first().map_or(ty.element, |first| first.ty.element);
    let result = interpreter::evaluate(&program).pop().expect("the last node's");
    let known = |v: Value| v.bits().is_some() || v == Value::Span(Span::NAN);
    if line["exact"] == Json::Bool(true)
        && line.get("tags").is_none()
        && !result.values.iter().all(|&v| known(v))
    {
        return Some("an exact result is not known exactly".to_owned());
    }
    let alternative = line.get("alt").map_or_else(Vec::new, |alt| array(alt).1);
    let right = |i: usize| {
        let value = result.values[i];
        let alternative = alternative.get(i).is_some_and(|&alt| value.admits(alt, ty.element));
        value.admits(want[i], ty.element) || alternative
    };
    let wrong = (0..want.len()).find(|&i| !right(i))?;
    // Two ways that XLA has, or an approximation that subnormal numbers go through.
    let tagged = |tag: &str| line["tags"].as_array().is_some_and(|tags| tags.contains(&tag.into()));
    let off = XLA_IS_OFF.iter().any(|(op, types)| *op == call.opcode() && types.contains(&of));
    if line["exact"] == Json::Bool(false) && (off || tagged("impl") || tagged("subnormal")) {
        return None;
    }
    let operands = program.nodes[..last].iter().map(|node| node.call.to_string());
    Some(format!(
        "element {wrong} is {}, XLA says {}, of {}",
        result.values[wrong].show(ty.element),
        show(ty.element, want[wrong]),
        operands.collect::<Vec<_>>().join(" and "),
    ))
}

/// Returns how many lines there are, and what is wrong with the oracle's answers.
fn complaints(path: &str) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).expect("the golden data");
    let complaints = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).expect("a line of JSON"))
        .filter_map(|line| {
            complaint(&line).map(|text| format!("{} {}: {text}", line["id"], line["op"]))
        })
        .collect();
    (text.lines().count(), complaints)
}

#[test]
fn the_oracle_agrees_with_xla_and_numpy() {
    let files = [("xla", 5_000), ("types", 11_000), ("moves", 500), ("numpy_operations", 80)];
    for (file, least) in files {
        let path = indim_testing::repository().join(format!("tests/golden/{file}.jsonl"));
        let (lines, complaints) = complaints(&path.display().to_string());
        assert!(lines > least, "{} is shorter than it was", path.display());
        assert!(complaints.is_empty(), "{} lines:\n{}", complaints.len(), complaints.join("\n"));
    }
}
