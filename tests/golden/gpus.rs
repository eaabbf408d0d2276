//! Judges golden lines on contexts that pose as the common classes of GPUs: the plan, the features
//! and the limits of each. Each class judges its share of the lines; `INDIM_GPU_CLASSES=all` has each
//! judge every line.

use std::sync::atomic::{AtomicUsize, Ordering};

use indim_testing::contexts;
use indim_testing::golden::judge::Judge;
use indim_testing::golden::runner;
use indim_testing::gpu_classes;

/// One line in this many is judged by a class.
const EVERY: u64 = 64;

#[test]
fn golden_on_common_gpus() {
    let classes = gpu_classes::all();
    let every = if contexts::all_on_every_class() { 1 } else { EVERY };
    let judged: Vec<AtomicUsize> = classes.iter().map(|_| AtomicUsize::new(0)).collect();
    let judge = || {
        let judges: Vec<Judge> =
            classes.iter().map(|class| Judge::on(contexts::posing_as(class))).collect();
        let (judged, classes) = (&judged, &classes);
        move |line: &[u8]| {
            let share = hash(line) % every;
            for (number, judge) in judges.iter().enumerate() {
                if share == number as u64 % every {
                    judged[number].fetch_add(1, Ordering::Relaxed);
                    judge.judge(line).map_err(|mut failure| {
                        failure.got += &format!(", posing as {}", classes[number].name);
                        failure
                    })?;
                }
            }
            Ok(())
        }
    };
    let tally = runner::run(&runner::files("", "INDIM_GOLDEN"), judge);
    let lines = tally.passed / tally.every;
    let judged: Vec<usize> = judged.into_iter().map(AtomicUsize::into_inner).collect();
    tally.report(&format!("golden on common GPUs, each with its share of the lines, {judged:?}"));
    for (class, judged) in classes.iter().zip(judged) {
        assert!(judged * 2 * every as usize > lines, "{}: {judged} lines", class.name);
    }
}

/// FNV-1a, so that a line belongs to the same class in every run.
fn hash(line: &[u8]) -> u64 {
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    // Upper bits are mixed best.
    line.iter().fold(0xcbf2_9ce4_8422_2325, fold) >> 32
}
