//! Words of a text in WGSL.

/// Returns the words of a text (names, keywords and numbers), each with the text before it; the
/// rest after the last one comes with an empty word.
///
/// ```
/// let words: Vec<_> = indim_shaders::words("let größe = 2u;").map(|(_, word)| word).collect();
/// assert_eq!(words, ["let", "größe", "2u", ""]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
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

/// Returns true for a character of a word. Outside of comments all beyond ASCII are, except white
/// space, so that the module needs no tables of Unicode, which are 2 kB of download.
fn is_part(c: char) -> bool {
    let is_blank = matches!(c, '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}');
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() && !is_blank
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn white_space_of_wgsl_ends_words() {
        let words: Vec<_> = words("let\u{2028}größe\u{200e}=\u{85}变量_1;").collect();
        let expected =
            [("", "let"), ("\u{2028}", "größe"), ("\u{200e}=\u{85}", "变量_1"), (";", "")];
        assert_eq!(words, expected);
    }
}
