//! Tests small sweeps of F16, BF16 and F64: all operands of 16 bits, boundaries and stratified ones
//! of F64, and pairs. No error may be above the committed table's where that has the adapter and as
//! many inputs, nor above the function's limit anywhere; nor may there be a mistake or a wrong bit.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

use std::sync::Mutex;
use std::thread;

use indim::{Context, ElementType};
use indim_accuracy::column::Adapter;
use indim_accuracy::judge::Tally;
use indim_accuracy::listed::Listed;
use indim_accuracy::record::{self, Record};
use indim_accuracy::state::Settings;
use indim_accuracy::typed::function::Function;
use indim_accuracy::typed::inputs::Inputs;
use indim_accuracy::typed::library;
use indim_accuracy::typed::sweep::Sweep;
use indim_testing::contexts;

const TABLES: [(ElementType, &str); 3] = [
    (ElementType::F16, include_str!("../../benches/results/accuracy-llvmpipe-f16.jsonl")),
    (ElementType::Bf16, include_str!("../../benches/results/accuracy-llvmpipe-bf16.jsonl")),
    (ElementType::F64, include_str!("../../benches/results/accuracy-llvmpipe-f64.jsonl")),
];

/// The number of operands or pairs.
const INPUTS: u32 = 1 << 16;

fn measured(gpu: &Context, function: &Function, inputs: &Inputs) -> Tally {
    let element_type = function.operand.name().to_owned();
    let (inputs_asked, pairs) = (INPUTS.into(), INPUTS.into());
    let settings = Settings {
        columns: Vec::new(),
        step: 1,
        pairs,
        chunk: INPUTS,
        element_type,
        inputs: inputs_asked,
    };
    // The chunk has all inputs if they are few, else the first ones: boundaries, and pairs of
    // special values.
    let chunk = Sweep::new(function, &settings, inputs).chunk(0);
    function.judge(&chunk, &library::compute(gpu, function, &chunk).unwrap())
}

/// The largest error that the table has for this adapter; else the limit. Where not all inputs were
/// measured, the table may not have seen those measured here.
fn allowed(function: &Listed, adapter: &Adapter, table: &[Record]) -> f64 {
    let measured = table.iter().find(|record| {
        record.op == function.name
            && (&record.adapter, &record.backend) == (&adapter.name, &adapter.backend)
            && record.inputs == 1 << 16
    });
    measured.map_or(function.limit, |record| record.max_ulp.min(function.limit))
}

fn keeps_to_its_table(element_type: ElementType) {
    let gpu = contexts::blocking().unwrap();
    let (_, table) = TABLES.iter().find(|(known, _)| *known == element_type).unwrap();
    let table = record::parse(table).unwrap();
    let adapter = Adapter::of(&gpu);
    let inputs = Inputs::default();
    let mut functions = Function::all(element_type).unwrap();
    functions.retain(|function| function.runs_on(&gpu));
    let left = Mutex::new(functions.iter());
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from).min(4) {
            scope.spawn(|| {
                loop {
                    let Some(function) = left.lock().unwrap().next() else { break };
                    let tally = measured(&gpu, function, &inputs);
                    let (listed, column) = (function.listed(), ("accurate", adapter.clone()));
                    let limit = allowed(&listed, &adapter, &table);
                    let record = Record::new(&listed, element_type, column, tally, 0.0);
                    complaints.lock().unwrap().extend(record.complaint(limit));
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn f16_keeps_to_its_table() {
    keeps_to_its_table(ElementType::F16);
}

#[test]
fn bf16_keeps_to_its_table() {
    keeps_to_its_table(ElementType::Bf16);
}

#[test]
fn f64_keeps_to_its_table() {
    keeps_to_its_table(ElementType::F64);
}

#[test]
fn the_tables_have_every_function_within_its_limit() {
    for (element_type, table) in TABLES {
        let table = record::parse(table).unwrap();
        for function in record::listed(element_type).unwrap() {
            let record = table.iter().find(|record| record.op == function.name);
            let record = record.unwrap_or_else(|| panic!("{} is not in the table", function.name));
            assert_eq!(record.element_type, element_type.name());
            assert_eq!(record.complaint(function.limit), None);
        }
    }
}
