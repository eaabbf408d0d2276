//! The JavaScript module of indim: arrays on WebGPU, by typed arrays, expressions and promises.
//!
//! `indim.js` beside this crate is the module that users import. It gives these functions methods,
//! and operands that are plain numbers.

mod context;
mod expr;
#[cfg(feature = "functions")]
mod function;
#[cfg(feature = "guests")]
mod guest;
mod memory;
mod number;
mod plan;

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use indim::{ElementType, OpClass, Opcode, UnknownElementType};
use indim_core::semantics::text::replaced;

/// Returns an error of JavaScript with this message.
fn thrown(message: impl std::fmt::Display) -> JsValue {
    js_sys::Error::new(&message.to_string()).into()
}

/// Returns a text of the library with WebAssembly's limits in place of those of all machines.
fn of_this_machine(text: &str) -> String {
    let words = [
        ("2^63 - 1, or what this machine can address", "2^31 - 1 in WebAssembly"),
        ("this machine", "WebAssembly"),
        ("2^63 - 1", "2^31 - 1"),
    ];
    words.iter().fold(text.to_owned(), |text, (from, to)| replaced(&text, from, to))
}

/// Returns the library's error as one of JavaScript, whose property `rule` is the label of the rule
/// that is broken, if it is one of those.
fn refused(error: indim::Error) -> JsValue {
    let thrown = thrown(of_this_machine(&error.to_string()));
    if let Some(rule) = error.rule() {
        // It fails on frozen objects only.
        let _ = Reflect::set(&thrown, &"rule".into(), &rule.label().into());
    }
    thrown
}

/// Returns the names of all operations that have one operand (`"unary"`), two (`"binary"`), one and
/// dimensions along which they reduce (`"reduce"`), or one and a dimension along which they accumulate
/// (`"cumulative"`).
#[wasm_bindgen]
pub fn operations(operands: &str) -> Vec<String> {
    let has = |class| match operands {
        "unary" => class == OpClass::Unary,
        "reduce" => class == OpClass::Reduce,
        "cumulative" => false,
        _ => matches!(class, OpClass::Binary | OpClass::Compare | OpClass::Pair),
    };
    let names = Opcode::ALL.iter().filter(|opcode| has(opcode.class()));
    let composed = match operands {
        "reduce" => expr::COMPOSED,
        "cumulative" => expr::CUMULATIVE,
        _ => &[],
    };
    names.map(|opcode| opcode.method()).chain(composed.iter().copied()).map(str::to_owned).collect()
}

/// Returns the rules of shapes and types, each as its label and its statement, one after the other.
#[wasm_bindgen]
pub fn rules() -> Vec<String> {
    let rules = indim::Rule::ALL.iter();
    rules.flat_map(|rule| [rule.label().to_owned(), of_this_machine(rule.statement())]).collect()
}

/// Returns the operation of this name.
fn opcode(name: &str) -> Result<Opcode, JsValue> {
    let found = Opcode::ALL.iter().find(|opcode| opcode.method() == name);
    found.copied().ok_or_else(|| thrown(format!("there is no operation {name:?}")))
}

/// Returns the element type of this name, such as `f32`.
fn element_type(name: &str) -> Result<ElementType, JsValue> {
    name.parse().map_err(|error: UnknownElementType| thrown(error))
}
