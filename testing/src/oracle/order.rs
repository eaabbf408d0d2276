//! The order of float sums, a second time: by what docs/numerics.md says, with nothing of the library.

/// Returns the sum of floats with the bits that the library gives on every adapter.
pub fn sum(values: &[f32]) -> f32 {
    let [high, low] = sum_in_words(values);
    if high.is_finite() { high + low } else { high }
}

/// Returns the same in two words.
pub fn sum_in_words(values: &[f32]) -> [f32; 2] {
    let words = values.iter().map(|&value| [value, 0.0]).collect();
    tree(words, [0.0, 0.0], &add)
}

/// Returns the product of floats in two words.
pub fn product_in_words(values: &[f32]) -> [f32; 2] {
    let words = values.iter().map(|&value| [value, 0.0]).collect();
    tree(words, [1.0, 0.0], &multiply)
}

/// Returns the product of two products in two words.
fn multiply([a, a_low]: [f32; 2], [b, b_low]: [f32; 2]) -> [f32; 2] {
    let p = a * b;
    // A fused operation is rounded once, and so exact here.
    let rest = a.mul_add(b, -p);
    [p, ((a_low * b + a * b_low) + a_low * b_low) + rest]
}

/// Returns the sum of two sums in two words.
fn add([a, a_low]: [f32; 2], [b, b_low]: [f32; 2]) -> [f32; 2] {
    let s = a + b;
    let v = s - a;
    let rest = (a - (s - v)) + (b - v);
    [s, (a_low + b_low) + rest]
}

/// Combines values: 32 neighbours at a time, until one is left. Every fourth of these is of one strand,
/// in which one is combined after the other.
pub fn tree<T: Copy>(mut values: Vec<T>, identity: T, by: &impl Fn(T, T) -> T) -> T {
    loop {
        let node = |children: &[T]| {
            let strand = |first: usize| {
                children.iter().skip(first).step_by(4).fold(identity, |sum, &child| by(sum, child))
            };
            by(by(strand(0), strand(2)), by(strand(1), strand(3)))
        };
        values = values.chunks(32).map(node).collect();
        match values[..] {
            [] => return identity,
            [one] => return one,
            _ => {}
        }
    }
}
