//! Shortens long texts by leaving out their middle.

/// Returns the text if it has at most `most` characters, otherwise its beginning and end, `most`
/// characters together.
pub fn shorten(text: &str, most: usize) -> String {
    // A character has at least one byte, so most texts need no count of characters.
    let count = if text.len() > most { text.chars().count() } else { 0 };
    if count <= most {
        return text.to_owned();
    }
    let head = text.chars().take(most / 2);
    let tail = text.chars().skip(count - most / 2);
    head.chain(" ... ".chars()).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_kept() {
        assert_eq!(shorten("abcdefgh", 8), "abcdefgh");
        assert_eq!(shorten("äöüäöüäö", 8), "äöüäöüäö");
        assert_eq!(shorten("äöüabcdefgh", 8), "äöüa ... efgh");
        assert_eq!(shorten("", 0), "");
    }
}
