//! Help on library errors: how to write in EXPR what they ask for.

use indim_core::{BroadcastError, CallError, ElementType, Error, Shape, TypeError, WgslFunction};

use crate::lower::promote::is_whole;
use crate::lower::state::Lowering;
use crate::syntax::lexer::Symbol;
use crate::syntax::names::IN_DIM;
use crate::syntax::parser::{Kind, NodeId};

impl Lowering<'_> {
    /// Returns the help on an error of a binary operation.
    pub(crate) fn binary_help(
        &self,
        error: &Error,
        id: NodeId,
        operands: [NodeId; 2],
        bare_numbers: bool,
    ) -> Option<String> {
        if let Some(help) = self.bits_of_floats(error, id, operands, bare_numbers) {
            return Some(help);
        }
        match error {
            Error::Broadcast { source: BroadcastError::RanksDiffer { lhs, rhs }, .. } => {
                let lower = operands[usize::from(lhs.rank() > rhs.rank())];
                self.ranks_help(lower, lhs, rhs)
            }
            Error::Type { source: TypeError::NotAccepted { .. }, .. } if bare_numbers => Some(
                "two bare numbers are f32; give one another type with `convert(1, s32)`".to_owned(),
            ),
            Error::Type { source: TypeError::Differ { first_type, second_type, .. }, .. } => {
                let (id, to) = if generality(*second_type) > generality(*first_type) {
                    (operands[0], second_type)
                } else {
                    (operands[1], first_type)
                };
                Some(format!("in EXPR that is `{}`", self.converted(id, *to)))
            }
            _ => None,
        }
    }

    /// Returns the help on `^`, `&` and `|` with a float operand.
    fn bits_of_floats(
        &self,
        error: &Error,
        id: NodeId,
        operands: [NodeId; 2],
        bare_numbers: bool,
    ) -> Option<String> {
        let Kind::Binary(symbol, ..) = self.node(id).kind else { return None };
        let Error::Type { source, .. } = error else { return None };
        let of_floats = match source {
            TypeError::NotAccepted { .. } => true,
            TypeError::Differ { first_type, second_type, .. } => {
                !is_whole(*first_type) || !is_whole(*second_type)
            }
            _ => false,
        };
        let [a, b] = operands.map(|operand| self.quote(operand, "..."));
        match symbol {
            Symbol::Caret if of_floats => Some(format!(
                "`^` is the exclusive or of integers and truth values, as in Python; a power is `{a} ** {b}`"
            )),
            Symbol::Ampersand | Symbol::Bar if of_floats && !bare_numbers => {
                let symbol = if symbol == Symbol::Bar { '|' } else { '&' };
                Some(format!(
                    "`{symbol}` is for integers and truth values, and binds tighter than comparisons, as in Python: `(a < b) {symbol} (c < d)`"
                ))
            }
            _ => None,
        }
    }

    /// Returns the help on an error of a call of a user-defined function.
    pub(crate) fn call_help(
        &self,
        error: &Error,
        function: &WgslFunction,
        operands: &[NodeId],
    ) -> Option<String> {
        let Error::Call { source, .. } = error else { return None };
        match &**source {
            CallError::OperandCount { .. } => {
                let names: Vec<&str> = function.parameters().map(|(name, _)| name).collect();
                Some(format!("as in `{}({})`", function.name(), names.join(", ")))
            }
            CallError::OperandType { index, .. } => {
                let (_, to) = function.parameters().nth(*index)?;
                Some(format!("in EXPR that is `{}`", self.converted(*operands.get(*index)?, to)))
            }
            CallError::Broadcast {
                index,
                source: BroadcastError::RanksDiffer { lhs, rhs },
                ..
            } => self.ranks_help(*operands.get(*index)?, lhs, rhs),
            CallError::NoHigherRank { given, .. } => {
                let dimensions = list(given);
                Some(format!(
                    "take `in_dim` off; around the call, as in `x + in_dim({}(...){dimensions})`, it says where the result goes",
                    function.name()
                ))
            }
            CallError::Broadcast { .. } => Some(
                "`in_dim(v, 1)` says which dimension of the result each dimension of v matches"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Returns the help on operands of different ranks: `in_dim` on the one of lower rank.
    fn ranks_help(&self, lower: NodeId, lhs: &Shape, rhs: &Shape) -> Option<String> {
        let (low, high) = if lhs.rank() < rhs.rank() { (lhs, rhs) } else { (rhs, lhs) };
        let dimensions = list(&matching(low, high)?);
        let trailing = indim_core::numpy::broadcast_shapes(&[low, high]).is_ok();
        let numpy =
            if trailing { ", or `--numpy` to align dimensions from the last one" } else { "" };
        let quoted = self.quote(lower, "...");
        Some(format!("write `in_dim({quoted}{dimensions})` for that operand{numpy}"))
    }

    /// Returns the text that converts an operand. An `in_dim` stays outermost, as it is valid only
    /// directly on an operand.
    pub(crate) fn converted(&self, id: NodeId, to: ElementType) -> String {
        let node = self.node(id);
        if let Kind::Call(args) = &node.kind
            && self.text(&node.at) == IN_DIM
            && let Some((&inner, _)) = args.split_first()
        {
            // The span includes brackets around the whole.
            let behind = self.text(&(self.node(inner).span.end..node.span.end));
            let behind = behind.split_once(')').map_or(behind, |(behind, _)| behind);
            return format!("in_dim(convert({}, {to}){behind})", self.quote(inner, "..."));
        }
        format!("convert({}, {to})", self.quote(id, "..."))
    }
}

/// Returns dimensions as written after an operand of `in_dim`.
fn list(dimensions: &[i64]) -> String {
    dimensions.iter().map(|d| format!(", {d}")).collect()
}

/// Orders types: greater types hold more values of others.
fn generality(of: ElementType) -> (u8, usize) {
    let kind = match of {
        ElementType::Pred => 0,
        ElementType::C64 => 3,
        of if of.integer_range().is_some() => 1,
        _ => 2,
    };
    (kind, if kind == 1 { 0 } else { of.bits() })
}

/// Matches dimensions of `low` to those of `high`, as far to the right as possible.
fn matching(low: &Shape, high: &Shape) -> Option<Vec<i64>> {
    let mut free = high.rank();
    let mut dimensions = Vec::with_capacity(low.rank());
    for &size in low.dims().iter().rev() {
        let fits = |d: &usize| high.dims()[*d] == size || size == 1 || high.dims()[*d] == 1;
        free = (0..free).rev().find(fits)?;
        dimensions.push(i64::try_from(free).ok()?);
    }
    dimensions.reverse();
    Some(dimensions)
}
