//! Writes the units of one invocation one after the other: first the loads of all of them, so that
//! they are in flight together, then the operations and the store of each.
//!
//! A loop would process the units one by one, and naga, which must keep a loop from running
//! forever, adds a counter of two words to each.

use crate::wgsl::writer::line;
use indim_core::semantics::sorted::sorted;
use std::fmt::Write as _;

/// The text of one unit.
#[derive(Debug, Default)]
pub(super) struct UnitText {
    /// Positions and loads.
    pub(super) loads: String,
    /// Operations and the store.
    pub(super) rest: String,
}

impl UnitText {
    /// Returns the text of the copy with this number, whose names end in the number.
    fn numbered(self, copy: usize) -> Self {
        let [loads, rest] = parts([self.loads, self.rest], copy);
        Self { loads, rest }
    }
}

/// Returns the parts of a text as a copy has them: names that any of these declares end in the copy's
/// number.
pub(super) fn parts<const N: usize>(texts: [String; N], copy: usize) -> [String; N] {
    let names = sorted(texts.iter().flat_map(|text| text.lines()).filter_map(declared).collect());
    texts.each_ref().map(|text| numbered(text, &names, copy))
}

/// Returns the name that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("let ").or_else(|| line.strip_prefix("var "))?;
    rest.split([' ', ':']).next()
}

/// Writes a unit's copies; `unit` returns the copy of each number. In its text, a name of copy `n`
/// is [`of_copy`] of the name and `n`.
pub(super) fn write(out: &mut String, copies: usize, unit: impl Fn(usize) -> UnitText) {
    let mut rest = String::new();
    for copy in 0..copies {
        let text = unit(copy).numbered(copy);
        out.push_str(&text.loads);
        rest.push_str(&text.rest);
    }
    out.push_str(&rest);
}

/// Returns the name in a copy.
pub(super) fn of_copy(name: &str, copy: usize) -> String {
    format!("{name}_k{copy}")
}

/// Declares `name`, the position of a copy: the first one is at `first`, each other one `step`
/// after the previous, if that is within `bound`, a condition on `next`. Otherwise it is the
/// previous position again, where the invocation loads and stores the same values: so the end of an
/// array takes no branch, and no invocation writes what belongs to another one.
pub(super) fn place(unit: &mut UnitText, copy: usize, [name, first, step, bound]: [&str; 4]) {
    let Some(before) = copy.checked_sub(1).map(|before| of_copy(name, before)) else {
        line!(unit.loads, "    let {name} = {first};");
        return;
    };
    line!(unit.loads, "    let next = {before} + {step};");
    line!(unit.loads, "    let {name} = select({before}, next, next {bound});");
}

/// Returns the text with these names renamed for a copy. Members of structures keep theirs.
fn numbered(text: &str, names: &[&str], copy: usize) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    for (before, word) in indim_shaders::words(text) {
        out.push_str(before);
        if names.binary_search(&word).is_ok() && !before.ends_with('.') {
            out.push_str(&of_copy(word, copy));
        } else {
            out.push_str(word);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{UnitText, line, place, write};

    #[test]
    fn loads_of_all_copies_come_first() {
        let mut out = String::new();
        write(&mut out, 2, |copy| {
            let mut unit = UnitText::default();
            place(&mut unit, copy, ["row", "first", "params.row", "<= last"]);
            line!(unit.loads, "    let x = in_0[base + row].x;");
            line!(unit.rest, "    result[row] = x + c0;");
            unit
        });
        let lines: Vec<&str> = out.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "let row_k0 = first;",
                "let x_k0 = in_0[base + row_k0].x;",
                "let next_k1 = row_k0 + params.row;",
                "let row_k1 = select(row_k0, next_k1, next_k1 <= last);",
                "let x_k1 = in_0[base + row_k1].x;",
                "result[row_k0] = x_k0 + c0;",
                "result[row_k1] = x_k1 + c0;",
            ]
        );
    }
}
