//! The oracle's own test: rules and interpreter against XLA's results. What agrees with XLA here
//! may judge the library on expressions that XLA was never asked.

use indim::{ElementType, Opcode};
use serde_json::Value as Json;

use crate::interpreter;
use crate::program::{Call, Node, Place, Program, Type, show};
use crate::rules;
use crate::value::{Span, Value};

/// Data in which XLA itself is more than 16 ULP away from the exact value (up to 23).
const XLA_IS_OFF: &[Opcode] = &[Opcode::Sinh, Opcode::Cosh];

fn numbers(json: &Json) -> Vec<i64> {
    json.as_array().expect("a list").iter().map(|n| n.as_i64().expect("an integer")).collect()
}

fn element(json: &Json) -> ElementType {
    json.as_str().expect("an element type").parse().expect("one that we have")
}

/// Type and bit patterns of an array in the data.
fn array(json: &Json) -> (Type, Vec<u32>) {
    let dims: Vec<usize> = numbers(&json["shape"]).into_iter().map(|d| d as usize).collect();
    let bits = match json.get("bits") {
        Some(bits) => bits
            .as_array()
            .expect("a list")
            .iter()
            .map(|b| u32::from_str_radix(b.as_str().expect("a string"), 16).expect("hex digits"))
            .collect(),
        None => numbers(&json["data"]).into_iter().map(|n| n as u32).collect(),
    };
    (Type::new(element(&json["dtype"]), &dims), bits)
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
        other => panic!("no kind {other}"),
    };
    // The type is filled in by the rules, if they accept the call.
    nodes.push(Node { call, ty: Type::new(ElementType::Pred, &[]) });
    Program { nodes }
}

/// The label of each of the classes into which the data sorts XLA's messages.
fn label(error_kind: &str, opcode: Opcode) -> &'static str {
    match error_kind {
        "rank_mismatch_needs_dims" => "B1",
        "dims_wrong_length" => "B2",
        "dim_negative" => "B3",
        "dim_out_of_range" => "B4",
        "dim_size_mismatch" => "B5",
        "dims_not_strictly_increasing" if opcode == Opcode::BroadcastInDim => "D5",
        "dims_not_strictly_increasing" => "B6",
        "same_rank_dims_not_identity" => "B7",
        "incompatible_shapes" => "B8",
        "dtype_not_accepted" => "T1",
        "dtype_mismatch" => "T2",
        "select_pred_not_pred" => "T3",
        "ternary_implicit_broadcast" => "S1",
        "bid_rank_too_small" => "D1",
        "bid_dims_wrong_length" => "D2",
        "bid_dim_out_of_range" => "D3",
        "bid_dim_size_mismatch" => "D4",
        "negative_size" => "N1",
        other => panic!("no class {other}"),
    }
}

/// What is wrong with the oracle's answer to this line, if anything.
fn complaint(line: &Json) -> Option<String> {
    let mut program = program(line);
    let last = program.nodes.len() - 1;
    let call = program.nodes[last].call.clone();
    let inferred = rules::infer(&call, &|id| program.nodes[id].ty.clone());
    if !line["ok"].as_bool().expect("a truth value") {
        let kind = line["error_kind"].as_str().expect("a class of errors");
        let label = label(kind, call.opcode());
        return match inferred {
            Ok(ty) => Some(format!("accepted as {ty}, XLA says {kind}")),
            Err(broken) if broken.contains(&label) => None,
            Err(broken) => Some(format!("refused by {broken:?}, XLA says {label} {kind}")),
        };
    }
    let (ty, want) = array(&line["result"]);
    match inferred {
        Ok(inferred) if inferred == ty => program.nodes[last].ty = inferred,
        other => return Some(format!("inferred as {other:?}, XLA says {ty}")),
    }
    let result = interpreter::evaluate(&program).pop().expect("the last node's");
    let known = |v: Value| v.bits().is_some() || v == Value::Span(Span::NAN);
    if line["exact"] == Json::Bool(true)
        && line.get("tags").is_none()
        && !result.values.iter().all(|&v| known(v))
    {
        return Some("an exact result is not known exactly".to_owned());
    }
    let alternative = line.get("alt").map(|alt| array(alt).1);
    let wrong = (0..want.len()).find(|&i| {
        let alternative =
            alternative.as_ref().is_some_and(|alt| !result.values[i].admits(alt[i], ty.element));
        !result.values[i].admits(want[i], ty.element) || alternative
    })?;
    if XLA_IS_OFF.contains(&call.opcode()) {
        return None;
    }
    Some(format!(
        "element {wrong} is {}, XLA says {}",
        result.values[wrong].show(ty.element),
        show(ty.element, want[wrong])
    ))
}

#[test]
fn the_oracle_agrees_with_xla() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/xla.jsonl");
    let text = std::fs::read_to_string(path).expect("the golden data");
    let complaints: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).expect("a line of JSON"))
        .filter_map(|line| {
            complaint(&line).map(|text| format!("{} {}: {text}", line["id"], line["op"]))
        })
        .collect();
    assert!(text.lines().count() > 5_000, "the golden data is shorter than it was");
    assert!(complaints.is_empty(), "{} lines:\n{}", complaints.len(), complaints.join("\n"));
}
