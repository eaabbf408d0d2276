//! The names that statements of EXPRs give to values.

use std::collections::HashMap;

/// The most unused names to mention one by one.
const MAX_MENTIONED: usize = 8;

/// The values of names at the current statement: for each name, the latest one.
#[derive(Debug)]
pub(crate) struct Scope<'a, V> {
    values: HashMap<&'a str, Named<V>>,
    /// The names, each once, in the order of their first assignment.
    order: Vec<&'a str>,
    /// The names whose values were reassigned without being used, up to the number that is
    /// mentioned.
    unused: Vec<&'a str>,
    /// The number of all unused values.
    unused_count: usize,
}

#[derive(Debug)]
struct Named<V> {
    value: V,
    /// True if the value is read, or is a result.
    used: bool,
}

impl<'a, V: Copy> Scope<'a, V> {
    pub(crate) fn new() -> Self {
        Self { values: HashMap::new(), order: Vec::new(), unused: Vec::new(), unused_count: 0 }
    }

    /// Binds a name to a value. A result counts as used.
    pub(crate) fn give(&mut self, name: &'a str, value: V, is_result: bool) {
        match self.values.insert(name, Named { value, used: is_result }) {
            None => self.order.push(name),
            Some(before) => self.leave(name, before.used),
        }
    }

    /// Returns the value of a name, and marks it as used.
    pub(crate) fn take(&mut self, name: &str) -> Option<V> {
        let named = self.values.get_mut(name)?;
        named.used = true;
        Some(named.value)
    }

    /// Returns the names, in the order of their first assignment.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.order.iter().copied()
    }

    /// Returns the notes about unused values.
    pub(crate) fn finish(mut self) -> Vec<String> {
        for name in std::mem::take(&mut self.order) {
            let used = self.values.get(name).is_none_or(|named| named.used);
            self.leave(name, used);
        }
        let note = |name: &&str| format!("warning: the value that EXPR names `{name}` is not used");
        let mut notes: Vec<String> = self.unused.iter().map(note).collect();
        let more = self.unused_count - notes.len();
        if more > 0 {
            let (plural, are) = if more == 1 { ("", "is") } else { ("s", "are") };
            notes.push(format!("warning: {more} more value{plural} {are} named and not used"));
        }
        notes
    }

    /// Records that a name's value is gone, and counts it if it was not used.
    fn leave(&mut self, name: &'a str, used: bool) {
        if used {
            return;
        }
        self.unused_count += 1;
        if self.unused.len() < MAX_MENTIONED {
            self.unused.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_counts_and_unused_ones_are_told() {
        let mut scope = Scope::new();
        scope.give("a", 1, false);
        assert_eq!((scope.take("a"), scope.take("b")), (Some(1), None));
        scope.give("a", 2, false);
        assert_eq!(scope.take("a"), Some(2));
        scope.give("b", 3, false);
        scope.give("b", 4, true);
        scope.give("c", 5, false);
        assert_eq!(scope.names().collect::<Vec<_>>(), ["a", "b", "c"]);
        let note = |name| format!("warning: the value that EXPR names `{name}` is not used");
        assert_eq!(scope.finish(), [note("b"), note("c")]);
    }

    #[test]
    fn not_all_of_many_are_mentioned() {
        let mut scope = Scope::new();
        (0..10).for_each(|value| scope.give("t", value, false));
        let notes = scope.finish();
        assert_eq!(notes.len(), 9);
        assert_eq!(notes[8], "warning: 2 more values are named and not used");
    }
}
