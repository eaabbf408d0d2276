//! Numbers and lists in messages.

use std::fmt::Display;

/// Returns a number of things in words.
pub(crate) fn count(n: usize, unit: &str) -> String {
    if n == 1 { format!("1 {unit}") } else { format!("{n} {unit}s") }
}

/// Returns the verb for a number of things.
pub(crate) fn were(n: usize) -> &'static str {
    if n == 1 { "was" } else { "were" }
}

/// Returns the names of things as a list: `a, b and c`.
pub(crate) fn list<T: Display>(things: &[T]) -> String {
    let names: Vec<String> = things.iter().map(T::to_string).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
