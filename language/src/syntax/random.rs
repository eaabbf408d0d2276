//! Random operations: their names, with the arguments of an example.

/// The random operations, by their names.
pub(crate) const RANDOM: [(&str, &str); 8] = [
    ("random_key", "42"),
    ("random_split", "key, 3"),
    ("random_fold_in", "key, 7"),
    ("random_bits", "key, u32, [2, 3]"),
    ("random_uniform", "key, 0, 1, [2, 3]"),
    ("random_normal", "key, f32, [2, 3]"),
    ("random_bernoulli", "key, 0.25, [2, 3]"),
    ("random_randint", "key, 1, 7, [2, 3]"),
];

/// Returns the arguments of an example of the operation of this name.
pub(crate) fn example(name: &str) -> Option<&'static str> {
    RANDOM.iter().find(|(known, _)| *known == name).map(|&(_, arguments)| arguments)
}
