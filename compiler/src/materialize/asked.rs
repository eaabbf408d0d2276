//! Finds the elements of a value that are needed: those that results are computed from.
//! A kernel may store more of a value than that. A function with loops must not be called on the
//! surplus elements: on operands that nobody chose it might not end.

use crate::normalize::normalized::{Input, NormalInstruction, Normalized};
use indim_core::semantics::shape::Shape;
use indim_core::semantics::view::{DimIndex, View, blocks};

/// The maximum number of parts of a value; more are merged into the box around all.
const MAX_PARTS: usize = 16;

/// Indices along a dimension: `start`, `start + step` and so on, `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Indices {
    pub(crate) start: usize,
    /// It is 1 for a single index.
    pub(crate) step: usize,
    pub(crate) count: usize,
}

/// A part of an array: some indices along each of its dimensions.
pub(crate) type Part = Vec<Indices>;

/// The needed elements of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    All,
    /// Those of these parts, which may overlap.
    Parts(Vec<Part>),
}

impl Indices {
    fn all(size: usize) -> Self {
        Self { start: 0, step: 1, count: size }
    }

    fn new(start: usize, step: usize, count: usize) -> Self {
        Self { start, step: if count > 1 { step } else { 1 }, count }
    }

    fn last(self) -> usize {
        self.start + self.step * self.count.saturating_sub(1)
    }

    /// Returns the indices in both, if they can be written in this form; neither is empty.
    fn joined(self, other: Self) -> Option<Self> {
        let (first, second) = if self.start <= other.start { (self, other) } else { (other, self) };
        let apart = second.start - first.start;
        let step = match (first.count, second.count) {
            (1, 1) => apart.max(1),
            (1, _) => second.step,
            _ => first.step,
        };
        let is_of_step = |indices: Self| indices.count == 1 || indices.step == step;
        let follows = apart.is_multiple_of(step) && second.start <= first.last() + step;
        let count = (first.last().max(second.last()) - first.start) / step + 1;
        (is_of_step(first) && is_of_step(second) && follows)
            .then(|| Self::new(first.start, step, count))
    }

    fn around(self, other: Self) -> Self {
        let start = self.start.min(other.start);
        Self::new(start, 1, self.last().max(other.last()) - start + 1)
    }

    /// Returns the indices of an operand's dimension that a view reads for these of its result's.
    fn through(self, index: &DimIndex, size: usize) -> Option<Self> {
        let (count, size) = (self.count as i128, size as i128);
        let first = index.start as i128 + index.step as i128 * self.start as i128;
        let step = index.step as i128 * self.step as i128;
        if step == 0 {
            return (0..size).contains(&first).then(|| Self::new(first as usize, 1, 1));
        }
        // Reversed, so that they ascend.
        let (first, step) =
            if step < 0 { (first + step * (count - 1), -step) } else { (first, step) };
        let steps_to = |index: i128| (index - first + step - 1).max(0) / step;
        let (from, to) = (steps_to(0), steps_to(size).min(count));
        (from < to)
            .then(|| Self::new((first + from * step) as usize, step as usize, (to - from) as usize))
    }
}

impl Asked {
    const NONE: Self = Self::Parts(Vec::new());

    /// Adds a part of a value of this shape.
    fn add(&mut self, mut part: Part, shape: &Shape) {
        let Self::Parts(parts) = self else { return };
        // A part merged from two may merge with a third.
        while let Some((number, joined)) = parts
            .iter()
            .enumerate()
            .find_map(|(number, known)| Some((number, joined(known, &part)?)))
        {
            part = joined;
            parts.swap_remove(number);
        }
        if part.iter().zip(shape.dims()).all(|(&along, &size)| along == Indices::all(size)) {
            *self = Self::All;
            return;
        }
        parts.push(part);
        if parts.len() > MAX_PARTS {
            let around = |all: Part, part: Part| -> Part {
                all.into_iter().zip(part).map(|(all, part)| all.around(part)).collect()
            };
            let all = std::mem::take(parts).into_iter().reduce(around);
            parts.extend(all);
        }
    }
}

/// Returns the union of two parts, if it is one part.
fn joined(one: &Part, other: &Part) -> Option<Part> {
    let mut differ = (0..one.len()).filter(|&d| one[d] != other[d]);
    let Some(along) = differ.next() else { return Some(one.clone()) };
    match differ.next() {
        None => {
            let mut both = one.clone();
            both[along] = one[along].joined(other[along])?;
            Some(both)
        }
        // One contains the other.
        Some(_) => {
            let holds = |one: &Part, other: &Part| {
                one.iter().zip(other).all(|(&a, &b)| a.joined(b) == Some(a))
            };
            [(one, other), (other, one)]
                .into_iter()
                .find(|(a, b)| holds(a, b))
                .map(|(a, _)| a.clone())
        }
    }
}

/// Returns the needed elements of each value, as far as it depends on a loop; all elements of
/// others.
pub(crate) fn asked(computation: &Normalized, rests_on_loops: &[bool]) -> Vec<Asked> {
    let instructions = &computation.instructions;
    let all_or_none = |&rests: &bool| if rests { Asked::NONE } else { Asked::All };
    let mut asked: Vec<Asked> = rests_on_loops.iter().map(all_or_none).collect();
    for &root in &computation.roots {
        asked[root] = Asked::All;
    }
    for (node, instruction) in instructions.iter().enumerate().rev() {
        let own = match &asked[node] {
            Asked::All => vec![whole(instruction.domain())],
            Asked::Parts(parts) => parts.iter().map(|part| of_domain(instruction, part)).collect(),
        };
        if let Some(table) = instruction.table() {
            asked[table] = Asked::All;
        }
        for input in instruction.inputs.iter().filter(|input| rests_on_loops[input.node]) {
            let operand = &instructions[input.node].shape;
            for part in &own {
                if let Some(read) = read(input, instruction, part, operand) {
                    asked[input.node].add(read, operand);
                }
            }
        }
    }
    asked
}

/// Returns the part of an instruction's domain that belongs to a part of its value.
fn of_domain(instruction: &NormalInstruction, part: &Part) -> Part {
    let reduction = instruction.reduction();
    reduction.map_or_else(|| part.clone(), |reduction| reduction.of_domain(part, Indices::all))
}

fn whole(shape: &Shape) -> Part {
    shape.dims().iter().map(|&size| Indices::all(size)).collect()
}

/// Returns the part of an operand that is read for a part of an instruction's value; `None` if the
/// view leaves the operand there.
fn read(
    input: &Input,
    instruction: &NormalInstruction,
    part: &Part,
    operand: &Shape,
) -> Option<Part> {
    match &input.view {
        View::Strided(indices) => {
            let along = |(index, &size): (&DimIndex, &usize)| {
                let along = part.get(index.dimension).copied().unwrap_or(Indices::all(1));
                along.through(index, size)
            };
            indices.iter().zip(operand.dims()).map(along).collect()
        }
        View::Reshape => Some(reshaped(operand, instruction.domain(), part)),
        // One of the two may have an additional last dimension.
        View::Bitcast => {
            let sizes = operand.dims().iter().enumerate();
            Some(sizes.map(|(d, &size)| *part.get(d).unwrap_or(&Indices::all(size))).collect())
        }
    }
}

/// Returns the smallest part of a reshape's operand that has the elements of a part of its result.
fn reshaped(operand: &Shape, result: &Shape, part: &Part) -> Part {
    let mut read = whole(operand);
    for (from, to) in blocks(operand.dims(), result.dims()) {
        let long = |dims: &[usize], range: std::ops::Range<usize>| -> Vec<usize> {
            range.filter(|&d| dims[d] != 1).collect()
        };
        // A dimension of both sides keeps its indices; others are taken in full.
        if let ([from], [to]) =
            (long(operand.dims(), from).as_slice(), long(result.dims(), to).as_slice())
        {
            read[*from] = part[*to];
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(start: usize, step: usize, count: usize) -> Indices {
        Indices { start, step, count }
    }

    #[test]
    fn views_are_followed_up_to_the_ends_of_their_operand() {
        let through = |(start, step): (isize, isize), size, of: Indices| {
            of.through(&DimIndex { dimension: 0, start, step }, size)
        };
        assert_eq!(through((-2, 1), 5, Indices::all(9)), Some(indices(0, 1, 5)));
        assert_eq!(through((3, 1), 5, Indices::all(9)), Some(indices(3, 1, 2)));
        assert_eq!(through((5, 1), 5, Indices::all(9)), None);
        assert_eq!(through((8, -2), 9, Indices::all(5)), Some(indices(0, 2, 5)));
        assert_eq!(through((-3, 2), 4, Indices::all(4)), Some(indices(1, 2, 2)));
        assert_eq!(through((2, 0), 4, Indices::all(4)), Some(indices(2, 1, 1)));
        assert_eq!(through((1, 3), 20, indices(1, 2, 3)), Some(indices(4, 6, 3)));
    }

    #[test]
    fn parts_become_one_where_they_are() {
        let shape = Shape::from([6, 4]);
        let rows = |start, count| vec![indices(start, 1, count), Indices::all(4)];
        let mut asked = Asked::NONE;
        asked.add(rows(0, 2), &shape);
        asked.add(rows(4, 2), &shape);
        assert_eq!(asked, Asked::Parts(vec![rows(0, 2), rows(4, 2)]));
        asked.add(rows(2, 2), &shape);
        assert_eq!(asked, Asked::All);
        let mut odd = Asked::NONE;
        odd.add(vec![indices(1, 2, 3)], &Shape::from([6]));
        odd.add(vec![indices(3, 1, 1)], &Shape::from([6]));
        assert_eq!(odd, Asked::Parts(vec![vec![indices(1, 2, 3)]]));
        odd.add(vec![indices(0, 2, 3)], &Shape::from([6]));
        assert_eq!(odd, Asked::Parts(vec![vec![indices(1, 2, 3)], vec![indices(0, 2, 3)]]));
    }
}
