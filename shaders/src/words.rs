//! Words of a text in WGSL.

/// Returns the words of a text (names, keywords and numbers), each with the text before it; the
/// rest after the last one comes with an empty word.
pub fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (before, from) = rest.split_at(rest.find(is_part).unwrap_or(rest.len()));
        let (word, behind) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        rest = behind;
        Some((before, word))
    })
}
