//! The formulas that a step of the random model computes from two arrays: as an expression, as a
//! computation, and by a loop on the host.

use std::ops::Range;

use indim::{Builder, Computation, ElementType, Expr, Function};
use indim_testing::oracle::order;

/// The elements of each array.
pub(super) const COUNT: usize = 6;

/// The elements of an array, or why reading them is an error.
#[derive(Clone, Copy, Debug)]
pub(super) enum Elements {
    Are([f32; COUNT]),
    /// A loop passed its bound.
    Looped,
    /// They rest on commands that never ran.
    Lost,
}

/// The formula that a step computes from two arrays.
#[derive(Clone, Copy, Debug)]
pub(super) enum Formula {
    Mean,
    Less,
    /// Each element depends on another one, so that it cannot be computed in place.
    Reversed,
    /// Each element depends on all of one array.
    Summed,
    /// Always passes its bound.
    Endless,
}

/// The elements of a target that are written: from the first on, up to the last, or backwards.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Whole,
    Middle,
    Backwards,
}

impl Part {
    pub(super) fn range(self) -> Range<usize> {
        match self {
            Part::Whole => 0..COUNT,
            Part::Middle | Part::Backwards => 1..COUNT - 1,
        }
    }
}

impl Formula {
    pub(super) fn expression(self, [a, b]: [Expr<f32>; 2], endless: &Function) -> Expr<f32> {
        match self {
            Formula::Mean => (a + b) * 0.5,
            Formula::Less => a * 0.5 - b,
            Formula::Reversed => a.reverse([0]) - b,
            Formula::Summed => a * 0.5 - b.reduce_sum([0]) * 0.0625,
            Formula::Endless => endless.call::<f32>((a + b,)).unwrap(),
        }
    }

    /// Returns what it makes of this part of a target with these elements.
    pub(super) fn written(self, [a, b]: [Elements; 2], target: Elements, part: Part) -> Elements {
        let (Elements::Are(a), Elements::Are(b)) = (a, b) else { return Elements::Looped };
        let mut elements = match (part, target) {
            (_, Elements::Are(elements)) => elements,
            (Part::Whole, _) => [0.0; COUNT],
            _ => return Elements::Looped,
        };
        let Range { start, end } = part.range();
        for i in start..end {
            let value = match self {
                Formula::Mean => (a[i] + b[i]) * 0.5,
                Formula::Less => a[i] * 0.5 - b[i],
                Formula::Reversed => a[start + end - 1 - i] - b[i],
                Formula::Summed => a[i] * 0.5 - order::sum(&b[start..end]) * 0.0625,
                Formula::Endless => return Elements::Looped,
            };
            let place = if matches!(part, Part::Backwards) { start + end - 1 - i } else { i };
            elements[place] = value;
        }
        Elements::Are(elements)
    }
}

/// Returns the computation of these results from two arrays.
pub(super) fn computation(
    results: impl Fn(&mut Builder, [indim::Op; 2]) -> Vec<indim::Op>,
) -> Computation {
    let mut builder = Builder::new();
    let parameters = [0, 1].map(|_| builder.parameter(ElementType::F32, [COUNT]).unwrap());
    let results = results(&mut builder, parameters);
    builder.build_all(&results).unwrap()
}

/// Returns the mean of two arrays as a computation.
pub(super) fn mean() -> Computation {
    computation(|builder, [a, b]| {
        let sum = builder.add(a, b, &[]).unwrap();
        let half = builder.constant(0.5f32.into()).unwrap();
        vec![builder.mul(sum, half, &[]).unwrap()]
    })
}
