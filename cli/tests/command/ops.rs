//! Tests `indim ops`.
use indim::{ElementType, Opcode};
use serde_json::Value;

use crate::common::indim;

#[test]
fn every_operation_is_listed() {
    let outcome = indim(&["ops"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert_eq!(outcome.stdout.lines().count(), Opcode::ALL.len());
    let line = outcome.stdout.lines().find(|line| line.starts_with("atan2(")).unwrap();
    let (call, says) = line.split_once(')').unwrap();
    assert_eq!(call, "atan2(lhs, rhs, broadcast_dimensions");
    assert_eq!(says.trim(), "The angle of the point (`rhs`, `lhs`), in radians.");
}

#[test]
fn rows_are_json() {
    let outcome = indim(&["ops", "--json"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let rows: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), Opcode::ALL.len());
    let row = |method: &str| rows.iter().find(|row| row["method"] == method).unwrap();
    let abs = row("abs");
    assert_eq!((&abs["name"], &abs["class"]), (&"Abs".into(), &"unary".into()));
    assert_eq!(abs["relaxes"], false);
    let place = |row: &Value, of: ElementType| {
        let types = row["types"].as_array().unwrap();
        types.iter().position(|known| *known == of.name()).unwrap()
    };
    assert_eq!(abs["results"][place(abs, ElementType::C64)], "f32");
    assert_eq!(abs["results"][place(abs, ElementType::F64)], "f64");
    assert_eq!(row("lt")["results"][0], "pred");
    assert_eq!(row("convert_element_type")["results"][0], Value::Null);
    assert_eq!(row("exp")["relaxes"], true);
    let roll = row("roll");
    assert_eq!(roll["arguments"], serde_json::json!(["operand", "shifts", "dimensions"]));
    assert!(roll["description"].as_str().unwrap().starts_with("The operand with"));
}
