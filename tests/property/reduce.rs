//! Makes a failing program small: cuts away what comes after the first wrong node, puts values in
//! the place of operations, and shrinks sizes, as long as it still fails.

use indim_testing::programs::interpreter;
use indim_testing::programs::program::{Call, Node, Place, Program};
use indim_testing::programs::rules;

/// Runs of the library that one reduction may take.
const MOST_TRIES: usize = 600;

/// The smallest program found that still fails, and what is wrong with it. `complaint` says what
/// is wrong with a program, if anything.
pub(crate) fn reduce(
    program: &Program,
    complaint: impl Fn(&Program) -> Option<String>,
) -> Option<(Program, String)> {
    let mut tries = 0;
    let mut fails = |program: &Program| {
        tries += 1;
        if tries > MOST_TRIES { None } else { complaint(program) }
    };
    // The first wrong node: all that it uses is right.
    let (mut program, mut text) = (0..program.nodes.len()).find_map(|id| {
        let program = program.rooted_at(id);
        fails(&program).map(|text| (program, text))
    })?;
    loop {
        let smaller = candidates(&program)
            .into_iter()
            .find_map(|candidate| fails(&candidate).map(|text| (candidate, text)));
        match smaller {
            Some(found) => (program, text) = found,
            None => return Some((program, text)),
        }
    }
}

/// Programs that are a step smaller, the largest steps first.
fn candidates(program: &Program) -> Vec<Program> {
    let last = program.nodes.len() - 1;
    let values = interpreter::evaluate(program);
    let is_operation = |id: &usize| !program.nodes[*id].call.operands().is_empty();
    // Values for an operation; late ones first, which make more of the program unneeded.
    let with_value = |id: usize| {
        let mut copy = program.clone();
        let ty = copy.nodes[id].ty.clone();
        let data = values[id].values.iter().map(|v| v.example(ty.element)).collect();
        copy.nodes[id].call = Call::Parameter { ty, data, place: Place::Uploaded };
        copy.rooted_at(last)
    };
    let mut found: Vec<Program> = (0..last).rev().filter(is_operation).map(with_value).collect();
    let mut sizes: Vec<usize> =
        program.nodes.iter().flat_map(|n| n.ty.dims.clone()).filter(|&size| size > 1).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for &from in sizes.iter().rev() {
        let mut smaller = vec![1, 2, from / 4, from / 2, from - 1];
        smaller.retain(|&to| to > 0 && to < from);
        smaller.dedup();
        found.extend(smaller.into_iter().filter_map(|to| resized(program, from, to)));
    }
    // A parameter that is uploaded like any other.
    found.extend((0..last).filter_map(|id| uploaded(program, id)));
    // Dead parameters change nothing but the numbers of the others.
    found.extend((program.rooted_at(last) != *program).then(|| program.rooted_at(last)));
    found
}

fn uploaded(program: &Program, id: usize) -> Option<Program> {
    let mut copy = program.clone();
    match &mut copy.nodes[id].call {
        Call::Parameter { place, .. } if *place != Place::Uploaded => *place = Place::Uploaded,
        _ => return None,
    }
    Some(copy)
}

/// The program with size `to` wherever it has size `from`.
fn resized(program: &Program, from: usize, to: usize) -> Option<Program> {
    let signed = |sizes: &mut Vec<i64>| {
        for size in sizes {
            if *size == from as i64 {
                *size = to as i64;
            }
        }
    };
    let mut copy = Program::default();
    for node in &program.nodes {
        let mut call = node.call.clone();
        match &mut call {
            Call::Parameter { ty, data, .. } => {
                for size in &mut ty.dims {
                    if *size == from {
                        *size = to;
                    }
                }
                data.truncate(ty.count());
            }
            Call::Iota { sizes, .. }
            | Call::Broadcast { sizes, .. }
            | Call::BroadcastInDim { sizes, .. }
            | Call::Reshape { sizes, .. } => signed(sizes),
            Call::Slice { limits, .. } => signed(limits),
            _ => {}
        }
        let ty = rules::infer(&call, &|id| copy.nodes[id].ty.clone()).ok()?;
        copy.nodes.push(Node { call, ty });
    }
    Some(copy)
}

#[test]
fn a_failure_is_cut_down_to_its_cause() {
    let mut random = indim_testing::random::Random::new(3);
    let square = |node: &Node| node.call.opcode() == indim::Opcode::Square;
    // A library that fails on every Square whose inner size is at least 2.
    let complaint = |program: &Program| {
        let bad = |node: &Node| square(node) && node.ty.dims.last().is_some_and(|&d| d > 1);
        program.nodes.iter().any(bad).then(|| "square".to_owned())
    };
    let mut reduced = 0;
    for _ in 0..200 {
        let case = indim_testing::programs::generate::case(&mut random);
        if let Some((small, _)) = reduce(&case.program, complaint) {
            reduced += 1;
            assert!(square(small.root()), "{small}");
            assert_eq!(small.nodes.len(), 2, "{small}");
            assert!(small.root().ty.dims.iter().all(|&size| size <= 2), "{small}");
        }
    }
    assert!(reduced > 5, "Square was hardly drawn");
}
