//! Holds the findings of a check, and writes them as text.

use std::fmt;

use indim::Scalar;
use indim::plan::Arithmetic;

/// The findings of [`check`](crate::check()) on one adapter.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SelfCheck {
    /// The findings, one for each assumption.
    pub findings: Vec<Finding>,
    /// How the context computes what adapters compute differently.
    pub arithmetic: Arithmetic,
}

/// The finding about one assumption.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finding {
    /// The assumption, in words.
    pub assumption: &'static str,
    /// True if results rest on the assumption. They do not rest on native quotients and roots,
    /// which can be computed in other ways.
    pub needed: bool,
    /// Whether the assumption holds.
    pub outcome: Outcome,
}

/// The outcome for an assumption.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Outcome {
    /// All tested operands gave the right result.
    Holds,
    /// These operands gave wrong results.
    Broken(Counterexample),
    /// The assumption could not be tested, for this reason.
    Unanswered(String),
}

/// The first operands that break an assumption. The order of the operands is arbitrary.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Counterexample {
    /// The operation that was computed, on operands `x` and `y`.
    pub operation: &'static str,
    /// These are `x` and, where there is one, `y`.
    pub operands: Vec<Scalar>,
    /// The result that it gave.
    pub got: Scalar,
    /// The result that it should have given.
    pub want: Scalar,
    /// The result may differ from `want` by this many units in the last place of `want`, 0 for
    /// none.
    pub tolerance: f32,
}

impl SelfCheck {
    /// Returns whether everything that results rest on was tested and holds.
    pub fn holds(&self) -> bool {
        self.needed().all(|f| matches!(f.outcome, Outcome::Holds))
    }

    /// Returns the findings that results rest on and that are broken.
    pub fn broken(&self) -> impl Iterator<Item = &Finding> {
        self.needed().filter(|f| matches!(f.outcome, Outcome::Broken(_)))
    }

    /// Returns the findings that results rest on and that could not be tested.
    pub fn unanswered(&self) -> impl Iterator<Item = &Finding> {
        self.needed().filter(|f| matches!(f.outcome, Outcome::Unanswered(_)))
    }

    fn needed(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.needed)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.pad("holds"),
            Self::Broken(example) => write!(f, "BROKEN: {example}"),
            Self::Unanswered(why) => write!(f, "unanswered: {why}"),
        }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        for (name, operand) in ["x", "y"].iter().zip(&self.operands) {
            write!(f, ", {name} = {}", shown(*operand))?;
        }
        write!(f, ": {}, not {}", shown(self.got), shown(self.want))?;
        if self.tolerance > 0.0 {
            write!(f, " within {} ULP", self.tolerance)?;
        }
        Ok(())
    }
}

/// Returns a value in as many digits as tell it from its neighbours, and a NaN with its bits.
fn shown(value: Scalar) -> String {
    let digits = value.element_type().bits() / 4;
    let nan = || format!("NaN ({:#0width$x})", value.bits(), width = digits + 2);
    if let Some(x) = value.get::<f32>() {
        return if x.is_nan() { nan() } else { format!("{x:?}") };
    }
    if let Some(x) = value.get::<f64>() {
        return if x.is_nan() { nan() } else { format!("{x:?}") };
    }
    // The others are written as their type and their value, of which the latter is taken.
    let typed = format!("{value:?}");
    typed.split_once(' ').map_or(typed.clone(), |(_, text)| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_tried_holds() {
        let example = Counterexample {
            operation: "-x",
            operands: vec![Scalar::new(1.0f32)],
            got: Scalar::new(1.0f32),
            want: Scalar::new(-1.0f32),
            tolerance: 0.0,
        };
        let unanswered = Outcome::Unanswered(String::new());
        for (needed, outcome, counts) in [
            (true, Outcome::Holds, (true, 0, 0)),
            (true, Outcome::Broken(example.clone()), (false, 1, 0)),
            (true, unanswered.clone(), (false, 0, 1)),
            (false, Outcome::Broken(example), (true, 0, 0)),
            (false, unanswered, (true, 0, 0)),
        ] {
            let holds = Finding { assumption: "", needed: true, outcome: Outcome::Holds };
            let check = SelfCheck {
                findings: vec![holds, Finding { assumption: "", needed, outcome }],
                arithmetic: Arithmetic::default(),
            };
            let found = (check.holds(), check.broken().count(), check.unanswered().count());
            assert_eq!(found, counts, "{:?}", check.findings);
        }
    }

    #[test]
    fn counterexamples_are_written() {
        let example = Counterexample {
            operation: "x / y",
            operands: vec![Scalar::new(1.5f32), Scalar::new(-0.0f32)],
            got: Scalar::new(f32::from_bits(0x7fc0_0001)),
            want: Scalar::new(f32::NEG_INFINITY),
            tolerance: 0.0,
        };
        assert_eq!(example.to_string(), "x / y, x = 1.5, y = -0.0: NaN (0x7fc00001), not -inf");
        let values = [Scalar::new(-7i64), Scalar::new(u64::MAX), Scalar::new(0.1f64)];
        assert_eq!(values.map(shown), ["-7", "18446744073709551615", "0.1"]);
        assert_eq!([Scalar::new(7u32), Scalar::new(true)].map(shown), ["7", "true"]);
    }
}
