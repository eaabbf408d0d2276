//! Tests another program as a column, by way of its pipes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

use indim_accuracy::chunk::Chunk;
use indim_accuracy::column::Column as _;
use indim_accuracy::function::Function;
use indim_accuracy::peer::Peer;

fn function(name: &str) -> Function {
    Function::select(&[name.to_owned()]).unwrap().remove(0)
}

/// More than a pipe holds, so that writing and reading must go on together.
const CHUNK: Chunk = Chunk::Signed { start: 0x3f80_0000, step: 1, count: 100_000 };

#[test]
fn results_come_back_in_order() {
    // `cat real` would read a file of that name: the shell's comment hides it.
    let mut same = Peer::new("same=cat #").unwrap();
    let results = same.compute(&function("real"), &CHUNK).unwrap().unwrap();
    assert_eq!(results, CHUNK.lhs());
    let tally = CHUNK.judge(&function("real"), std::slice::from_ref(&results)).remove(0);
    assert_eq!((tally.inputs, tally.not_rounded), (200_000, 0));
    // The identity does not negate.
    let tally = CHUNK.judge(&function("neg"), &[results]).remove(0);
    assert_eq!(tally.not_rounded, 200_000);
}

#[test]
fn functions_that_it_has_not_are_left_out() {
    let mut none = Peer::new("none=exit 3 #").unwrap();
    assert!(none.compute(&function("exp"), &CHUNK).unwrap().is_none());
    let mut broken = Peer::new("broken=head -c 40; exit 0 #").unwrap();
    let error = broken.compute(&function("exp"), &CHUNK).unwrap_err().to_string();
    assert!(error.contains("10 results of 200000"), "{error}");
    assert!(Peer::new("nothing").is_err());
    assert_eq!(none.adapter().name, "its own");
    // printf takes what it is called with as more text.
    let told = Peer::new("told=printf 'a card\\nits driver\\nvulkan\\n%.0s'").unwrap();
    let adapter = told.adapter();
    assert_eq!([adapter.name, adapter.driver, adapter.backend], ["a card", "its driver", "vulkan"]);
}
