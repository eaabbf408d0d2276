//! [`Conditions`]: where in a kernel's space the value of a use is needed. Functions with loops are
//! called only there.
//!
//! A view may leave its operand: the kernel then selects another value, but also computes the
//! operand. And only a part of a stored value may be needed.

use crate::materialize::affine::AffineIndex;
use crate::materialize::asked::Asked;
use indim_core::semantics::hash::FastMap;
use indim_core::semantics::shape::Shape;

/// The number of a condition, larger than the numbers of its parts.
pub(crate) type ConditionId = usize;

/// A condition that holds at some points of a space.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Condition {
    /// `index / divisor % modulus` is one of `start`, `start + step` and so on, `count` of them. A
    /// `modulus` of 0 takes no remainder.
    Among {
        index: AffineIndex,
        divisor: usize,
        modulus: usize,
        start: usize,
        step: usize,
        count: usize,
    },
    Both(ConditionId, ConditionId),
    Either(ConditionId, ConditionId),
}

/// The conditions of one kernel, each once.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    pub(crate) list: Vec<Condition>,
    known: FastMap<Condition, ConditionId>,
}

impl Conditions {
    fn number(&mut self, condition: Condition) -> ConditionId {
        let next = self.list.len();
        let number = *self.known.entry(condition.clone()).or_insert(next);
        if number == next {
            self.list.push(condition);
        }
        number
    }

    /// Returns the conjunction of two conditions; `None` is one that always holds.
    pub(crate) fn both(
        &mut self,
        one: Option<ConditionId>,
        other: Option<ConditionId>,
    ) -> Option<ConditionId> {
        match (one, other) {
            (Some(one), Some(other)) if one != other => {
                Some(self.number(Condition::Both(one.min(other), one.max(other))))
            }
            (one, other) => one.or(other),
        }
    }

    /// Returns the disjunction of two conditions.
    pub(crate) fn either(
        &mut self,
        one: Option<ConditionId>,
        other: Option<ConditionId>,
    ) -> Option<ConditionId> {
        match (one?, other?) {
            (one, other) if one == other => Some(one),
            (one, other) => Some(self.number(Condition::Either(one.min(other), one.max(other)))),
        }
    }

    /// Returns the condition that an index is one of `count`.
    pub(crate) fn below(&mut self, index: AffineIndex, count: usize) -> ConditionId {
        self.number(Condition::Among { index, divisor: 1, modulus: 0, start: 0, step: 1, count })
    }

    /// Returns the condition that an element is needed; `element` is its index among all elements
    /// of the array of this shape, `written`, in which a kernel stores a value of `shape`: it has
    /// size 1 along dimensions in which the value does not vary.
    pub(crate) fn asked(
        &mut self,
        asked: &Asked,
        element: &AffineIndex,
        (shape, written): (&Shape, &Shape),
    ) -> Option<ConditionId> {
        let Asked::Parts(parts) = asked else { return None };
        let strides = written.strides();
        let mut any: Option<ConditionId> = None;
        for part in parts {
            let mut all = None;
            for (d, (along, &size)) in part.iter().zip(shape.dims()).enumerate() {
                if written.dims()[d] != size || along.count == size {
                    continue;
                }
                let among = self.number(Condition::Among {
                    index: element.clone(),
                    divisor: strides[d].max(1),
                    modulus: if d == 0 { 0 } else { size },
                    start: along.start,
                    step: along.step,
                    count: along.count,
                });
                all = self.both(all, Some(among));
            }
            // A part that is complete along all varying dimensions needs each value.
            let all = all?;
            any = match any {
                None => Some(all),
                any => self.either(any, Some(all)),
            };
        }
        // No element is needed.
        Some(any.unwrap_or_else(|| self.below(AffineIndex::ZERO, 0)))
    }

    /// Marks this condition and its parts.
    pub(crate) fn closure(&self, wanted: ConditionId) -> Vec<bool> {
        let mut marks = vec![false; wanted + 1];
        marks[wanted] = true;
        for number in (0..=wanted).rev() {
            if let (true, Condition::Both(one, other) | Condition::Either(one, other)) =
                (marks[number], &self.list[number])
            {
                (marks[*one], marks[*other]) = (true, true);
            }
        }
        marks
    }
}
