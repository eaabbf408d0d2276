//! [`for_tuples`]: the tuples that calls take, of one to eight operands, results or targets.

/// Calls a macro with each tuple: its types, each with its place.
#[doc(hidden)]
#[macro_export]
macro_rules! for_tuples {
    ($callback:ident) => {
        $callback! {
            (A 0)
            (A 0 B 1)
            (A 0 B 1 C 2)
            (A 0 B 1 C 2 D 3)
            (A 0 B 1 C 2 D 3 E 4)
            (A 0 B 1 C 2 D 3 E 4 F 5)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
        }
    };
}

pub use for_tuples;
