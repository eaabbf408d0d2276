//! Judges golden lines once more through what gives results in other ways: written into the middle
//! of an array that exists, and two by two as results of one computation.
//!
//! Only one line in several is taken; `INDIM_GOLDEN_RESULTS_EVERY=1` takes all.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use indim_testing::golden::judge::Judge;
use indim_testing::golden::runner;

/// One line in this many, or one block of neighbours in as many.
const EVERY: usize = 256;

/// Neighbours that are judged together.
const BLOCK: usize = 8;

fn every() -> usize {
    std::env::var("INDIM_GOLDEN_RESULTS_EVERY").map_or(EVERY, |text| match text.parse() {
        Ok(every) if every > 0 => every,
        _ => panic!("INDIM_GOLDEN_RESULTS_EVERY is {text}, which is not a number of lines"),
    })
}

#[test]
fn golden_into_slices() {
    let (every, asked, judged) = (every(), AtomicUsize::new(0), AtomicUsize::new(0));
    let judge = || {
        let judge = Judge::here().into_targets();
        let (asked, judged) = (&asked, &judged);
        move |line: &[u8]| {
            if !asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(every) {
                return Ok(());
            }
            judged.fetch_add(1, Ordering::Relaxed);
            judge.judge(line)
        }
    };
    let tally = runner::run(&runner::files("", "INDIM_GOLDEN"), judge);
    let enough = tally.passed / tally.every / every / 2;
    let judged = judged.into_inner();
    tally.report(&format!("golden, of which {judged} into slices"));
    assert!(judged >= enough, "{judged} lines");
}

#[test]
fn golden_in_pairs() {
    let (every, asked, judged) = (every(), AtomicUsize::new(0), AtomicUsize::new(0));
    let judge = || {
        let judge = Judge::here();
        let before = RefCell::new(Vec::new());
        let (asked, judged) = (&asked, &judged);
        move |line: &[u8]| {
            let block = asked.fetch_add(1, Ordering::Relaxed) / BLOCK;
            let before = before.replace(line.to_vec());
            if block.is_multiple_of(every) && judge.judge_pair([&before, line])? {
                judged.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }
    };
    let tally = runner::run(&runner::files("", "INDIM_GOLDEN"), judge);
    let enough = tally.passed / tally.every / every / 8;
    let judged = judged.into_inner();
    tally.report(&format!("golden, of which {judged} pairs"));
    assert!(judged >= enough, "{judged} pairs");
}
