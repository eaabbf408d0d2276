//! `indim ops`: lists the library's table of operations.

use std::fmt::Write as _;

use indim::{ElementType, Opcode};
use serde_json::json;

/// Returns a line for each operation: the call and what it computes, or an object of JSON with
/// everything that the table says.
pub(crate) fn ops(as_json: bool) -> String {
    let mut out = String::new();
    for &opcode in Opcode::ALL {
        // Writing to a string cannot fail.
        let _ = if as_json {
            writeln!(out, "{}", row(opcode))
        } else {
            let call = format!("{}({})", opcode.method(), opcode.arguments().join(", "));
            writeln!(out, "{call:<44} {}", opcode.description())
        };
    }
    out
}

fn row(opcode: Opcode) -> serde_json::Value {
    let name = |of: ElementType| of.name();
    let results = opcode.accepted().map(|of| opcode.result_type(of).map(name));
    json!({
        "name": opcode.name(),
        "method": opcode.method(),
        "class": format!("{:?}", opcode.class()).to_lowercase(),
        "arguments": opcode.arguments(),
        "types": opcode.accepted().map(name).collect::<Vec<_>>(),
        "results": results.collect::<Vec<_>>(),
        "relaxes": opcode.rounds(),
        "description": opcode.description(),
    })
}
