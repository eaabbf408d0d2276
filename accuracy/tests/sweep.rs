//! Tests a small sweep: every 1,021st input of either sign and all boundaries, for every function
//! on the adapter that there is. No error may be above the committed table's where that has the
//! adapter, nor above the function's limit anywhere; nor may there be a mistake or a wrong bit.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

use std::sync::{Arc, Mutex};
use std::thread;

use indim::ElementType;
use indim_accuracy::chunk::Chunk;
use indim_accuracy::column::{Adapter, Column as _, Library};
use indim_accuracy::function::Function;
use indim_accuracy::judge::{Tally, Verdict, judge};
use indim_accuracy::pairs::{self, Pairs};
use indim_accuracy::record::{self, Record};
use indim_accuracy::special;
use indim_testing::{contexts, fast_math};

/// The figures that were measured over all inputs.
const TABLE: &str = include_str!("../../benches/results/accuracy-llvmpipe.jsonl");

/// The distance from one input to the next. 1,021 is a prime, so that no bit of the inputs stays
/// the same.
const STEP: usize = 1021;

/// Every fifth of the pairs of special values is taken, and then these many more.
const SPECIAL_STEP: usize = 5;
const MORE_PAIRS: u64 = 1 << 20;

fn inputs() -> Chunk {
    let mut lhs: Vec<u32> = (0..=u32::MAX).step_by(STEP).collect();
    lhs.extend(special::boundaries());
    Chunk::Listed { lhs: lhs.into(), rhs: Arc::from([]) }
}

fn pairs() -> Chunk {
    let pairs = Pairs::default();
    let special = (0..pairs::SPECIAL).step_by(SPECIAL_STEP);
    let numbers = special.chain(pairs::SPECIAL..pairs::SPECIAL + MORE_PAIRS);
    let (lhs, rhs): (Vec<u32>, Vec<u32>) =
        numbers.map(|number| pairs.get(number)).map(|[a, b]| (a, b)).unzip();
    Chunk::Listed { lhs: lhs.into(), rhs: rhs.into() }
}

/// The largest error that the table has for this adapter, or else the limit. Where a unary function
/// was not measured on all inputs, the table may not have seen those measured here.
fn allowed(function: &Function, adapter: &Adapter, table: &[Record]) -> f64 {
    // The table is of kernels as they are.
    let table = if fast_math::from_env().is_some() { &[] } else { table };
    let measured = table.iter().find(|record| {
        record.op == function.name
            && record::OWN_COLUMNS.contains(&record.column.as_str())
            && (&record.adapter, &record.backend) == (&adapter.name, &adapter.backend)
            && (function.is_binary() || record.inputs == 1 << 32)
    });
    measured.map_or(function.limit, |record| record.max_ulp.min(function.limit))
}

#[test]
fn every_function_keeps_to_the_table() {
    let gpu = contexts::blocking().unwrap();
    let table = record::parse(TABLE).unwrap();
    let functions = Function::all().unwrap();
    let adapter = Adapter::of(&gpu);
    let (inputs, pairs) = (inputs(), pairs());
    let left = Mutex::new(functions.iter());
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from).min(4) {
            scope.spawn(|| {
                let mut column = Library::new("accurate", gpu.clone());
                loop {
                    let Some(function) = left.lock().unwrap().next() else { break };
                    let chunk = if function.is_binary() { &pairs } else { &inputs };
                    let results = column.compute(function, chunk).unwrap().unwrap();
                    let tally = chunk.judge(function, &[results]).remove(0);
                    let limit = allowed(function, &adapter, &table);
                    let column = ("accurate", adapter.clone());
                    let record =
                        Record::new(&function.listed(), ElementType::F32, column, tally, 0.0);
                    complaints.lock().unwrap().extend(record.complaint(limit));
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_table_has_every_function_within_its_limit() {
    let table = record::parse(TABLE).unwrap();
    for function in Function::all().unwrap() {
        let own = |r: &&Record| r.op == function.name && r.column == "accurate";
        let record = table.iter().find(own);
        let record = record.unwrap_or_else(|| panic!("{} is not in the table", function.name));
        assert_eq!(record.complaint(function.limit), None);
        // The figure matches the case beside it.
        if let Some(case) = &record.at {
            let truth = function.truth(case.operands.map(|bits| bits as u32));
            let Verdict::Error(error) = judge(f32::from_bits(case.got as u32), truth) else {
                panic!("{}: {case:?}", function.name)
            };
            assert!((error - record.max_ulp).abs() < 1e-3, "{}: {error}", function.name);
        }
    }
}

/// The comparison bites: a result that is one bit off is found wherever it is not hidden by the
/// error that is allowed.
#[test]
fn a_wrong_bit_is_found() {
    let gpu = contexts::blocking().unwrap();
    let chunk = Chunk::Signed { start: 0x3f00_0000, step: 3, count: 5000 };
    for name in ["Exp", "Sqrt", "Floor", "IsFinite"] {
        let function = &Function::select(&[name.to_owned()]).unwrap()[0];
        let mut column = Library::new("accurate", gpu.clone());
        let right = column.compute(function, &chunk).unwrap().unwrap();
        let found = |results: Vec<u32>| -> Tally { chunk.judge(function, &[results]).remove(0) };
        let complaint = |tally: Tally| {
            let column = ("accurate", Adapter::of(&gpu));
            let listed = function.listed();
            Record::new(&listed, ElementType::F32, column, tally, 0.0).complaint(function.limit)
        };
        assert_eq!(complaint(found(right.clone())), None, "{name}");
        for place in [0, 1023, 1024, 4999] {
            let mut wrong = right.clone();
            wrong[place] ^= 2;
            assert!(complaint(found(wrong)).is_some(), "{name}, result {place}");
        }
    }
}
