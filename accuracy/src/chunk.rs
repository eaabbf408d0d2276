//! Chunks: parts of a function's inputs that are computed and judged together.

use std::ops::Range;
use std::sync::Arc;

use crate::function::{Function, Operands};
use crate::judge::Tally;

/// The number of results that are judged at a time, so that the values in between fit into the
/// first-level cache.
const BLOCK: usize = 1024;

const SIGN: u32 = 0x8000_0000;

/// Operands, as bits.
#[derive(Debug, Clone)]
pub enum Chunk {
    /// `start`, `start + step`, ... `count` of them, none of which has its sign bit set; then as
    /// many again with it set. Devices make them by themselves.
    Signed {
        /// The first magnitude.
        start: u32,
        /// The distance from one magnitude to the next.
        step: u32,
        /// The number of magnitudes.
        count: u32,
    },
    /// Operands one by one.
    Listed {
        /// The first operands.
        lhs: Arc<[u32]>,
        /// The second ones; empty where there are none.
        rhs: Arc<[u32]>,
    },
}

impl Chunk {
    /// Returns how many inputs there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Signed { count, .. } => 2 * *count as usize,
            Self::Listed { lhs, .. } => lhs.len(),
        }
    }

    /// Tells whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the first operands.
    pub fn lhs(&self) -> Vec<u32> {
        match self {
            &Self::Signed { start, step, count } => {
                let magnitudes = (0..count).map(|i| start + i * step);
                magnitudes.clone().chain(magnitudes.map(|bits| bits | SIGN)).collect()
            }
            Self::Listed { lhs, .. } => lhs.to_vec(),
        }
    }

    /// Returns the second operands; none of a function of one operand.
    pub fn rhs(&self) -> &[u32] {
        match self {
            Self::Signed { .. } => &[],
            Self::Listed { rhs, .. } => rhs,
        }
    }

    /// Judges the results that each column has for these operands; equal ones once for all.
    pub fn judge(&self, function: &Function, results: &[Vec<u32>]) -> Vec<Tally> {
        let first_equal = |i: usize| results[..i].iter().position(|other| *other == results[i]);
        let equal: Vec<Option<usize>> = (0..results.len()).map(first_equal).collect();
        let distinct: Vec<&[u32]> = results
            .iter()
            .zip(&equal)
            .map(|(results, equal)| if equal.is_none() { results.as_slice() } else { &[] })
            .collect();
        let mut tallies = self.judge_each(function, &distinct);
        for (i, equal) in equal.into_iter().enumerate() {
            if let Some(first) = equal {
                tallies[i] = tallies[first].clone();
            }
        }
        tallies
    }

    fn judge_each(&self, function: &Function, results: &[&[u32]]) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(); results.len()];
        let mut truths = [0.0; BLOCK];
        match self {
            &Self::Signed { start, step, count } => {
                let mut lhs = [0; BLOCK];
                for at in (0..count as usize).step_by(BLOCK) {
                    let length = BLOCK.min(count as usize - at);
                    let (lhs, truths) = (&mut lhs[..length], &mut truths[..length]);
                    for (i, bits) in (at as u32..).zip(lhs.iter_mut()) {
                        *bits = start + i * step;
                    }
                    function.truths(Operands { lhs, rhs: &[] }, truths);
                    let upper = at..at + length;
                    judge_block(
                        function,
                        Operands { lhs, rhs: &[] },
                        truths,
                        results,
                        &mut tallies,
                        upper,
                    );
                    lhs.iter_mut().for_each(|bits| *bits |= SIGN);
                    if function.has_parity() {
                        function.turn(truths)
                    } else {
                        function.truths(Operands { lhs, rhs: &[] }, truths)
                    }
                    let lower = at + count as usize..at + count as usize + length;
                    judge_block(
                        function,
                        Operands { lhs, rhs: &[] },
                        truths,
                        results,
                        &mut tallies,
                        lower,
                    );
                }
            }
            Self::Listed { lhs, rhs } => {
                for at in (0..lhs.len()).step_by(BLOCK) {
                    let range = at..lhs.len().min(at + BLOCK);
                    let truths = &mut truths[..range.len()];
                    let rhs = rhs.get(range.clone()).unwrap_or_default();
                    let operands = Operands { lhs: &lhs[range.clone()], rhs };
                    function.truths(operands, truths);
                    judge_block(function, operands, truths, results, &mut tallies, range);
                }
            }
        }
        tallies
    }
}

fn judge_block(
    function: &Function,
    operands: Operands<'_>,
    truths: &[f64],
    results: &[&[u32]],
    tallies: &mut [Tally],
    range: Range<usize>,
) {
    for (got, tally) in results.iter().zip(tallies) {
        // A column without this function gives nothing.
        if let Some(got) = got.get(range.clone()) {
            function.judge(operands, truths, got, tally);
        }
    }
}
