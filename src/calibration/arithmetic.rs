//! Probes an adapter's arithmetic of F32, all of it by one kernel, and by another where its own
//! quotients or roots are wrong.

use super::tried::{self, Row, Tried};
use super::{conversion, division, guard, subnormals};
use crate::device::adapter::open;
use crate::device::context::Context;
use indim_compiler::arithmetic::{Arithmetic, Rounding};
use std::ops::Range;

/// Returns how to compute quotients, roots and floats of integers, the rule for subnormals, and the
/// guard of sums.
///
/// On a backend that computes nothing, no result would be right, so the adapter's own are taken. If
/// the device fails, those that are right everywhere are taken untested.
pub(super) async fn choose(context: &Context) -> Arithmetic {
    if !context.gpu().computes() {
        return Arithmetic::default();
    }
    let rows = Rows::new();
    let native = Run::of(context, Rounding::Native, &rows).await;
    let mut ways = [None; 2];
    native.choose(&rows, &mut ways);
    let conversion = native.judged(&rows, &rows.conversion, conversion::judged);
    let guard = native.judged(&rows, &rows.guard, guard::judged);
    let mut runs = vec![native];
    if ways.contains(&None) && context.device().features().contains(open::F64) {
        let through_f64 = Run::of(context, Rounding::ThroughF64, &rows).await;
        through_f64.choose(&rows, &mut ways);
        runs.push(through_f64);
    }
    let [division, square_root] = ways.map(|found| found.unwrap_or(Rounding::ByIntegers));
    let results = results_in(&runs, &rows, [division, square_root]);
    let subnormals = subnormals::judged(&rows.all[rows.subnormals.clone()], &results);
    let mut chosen = Arithmetic::default();
    (chosen.division, chosen.square_root) = (division, square_root);
    (chosen.conversion, chosen.subnormals, chosen.guard) = (conversion, subnormals, guard);
    chosen
}

/// The rows of all questions, one after the other.
struct Rows {
    all: Vec<Row>,
    division: Range<usize>,
    conversion: Range<usize>,
    subnormals: Range<usize>,
    guard: Range<usize>,
}

impl Rows {
    fn new() -> Self {
        let mut all = Vec::new();
        let mut part = |rows: Vec<Row>| {
            let begin = all.len();
            all.extend(rows);
            begin..all.len()
        };
        Self {
            division: part(division::rows()),
            conversion: part(conversion::rows()),
            subnormals: part(subnormals::rows()),
            guard: part(guard::rows()),
            all,
        }
    }
}

/// The results of all rows with quotients and roots computed in one way.
struct Run {
    way: Rounding,
    /// Empty if the device failed; no judge accepts that.
    results: Vec<f32>,
}

impl Run {
    async fn of(context: &Context, way: Rounding, rows: &Rows) -> Self {
        let results = tried::compute(context, way, &rows.all).await.unwrap_or_default();
        Self { way, results }
    }

    fn judged<T>(
        &self,
        rows: &Rows,
        part: &Range<usize>,
        judged: impl FnOnce(&[Row], &[f32]) -> T,
    ) -> T {
        judged(&rows.all[part.clone()], self.results.get(part.clone()).unwrap_or_default())
    }

    /// Takes this way for quotients, and for roots, where they are right and none is chosen yet.
    fn choose(&self, rows: &Rows, chosen: &mut [Option<Rounding>; 2]) {
        let right = self.judged(rows, &rows.division, division::are_right);
        for (chosen, _) in chosen.iter_mut().zip(right).filter(|(_, right)| *right) {
            chosen.get_or_insert(self.way);
        }
    }
}

/// Returns the results of the rows for subnormals, with quotients and roots as they will be computed.
/// By integers they are computed as they are here.
fn results_in(runs: &[Run], rows: &Rows, [division, root]: [Rounding; 2]) -> Vec<f32> {
    let result = |index: usize| {
        let (tried, operands) = rows.all[index];
        let way = match tried {
            Tried::Quotient => division,
            Tried::Root => root,
            _ => Rounding::Native,
        };
        if way == Rounding::ByIntegers {
            return Some(tried.of(operands));
        }
        runs.iter().find(|run| run.way == way)?.results.get(index).copied()
    };
    rows.subnormals.clone().map(result).collect::<Option<_>>().unwrap_or_default()
}
