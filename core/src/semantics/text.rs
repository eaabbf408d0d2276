//! Searching texts.
//!
//! `str::replace` and the other searches of the standard library for a text are made for long ones, and
//! take 4 kB of WebAssembly, 1.3 kB of the download.

/// Returns the text before and after the first `pattern`.
///
/// ```
/// use indim_core::semantics::text::parted;
///
/// assert_eq!(parted("a - b - c", " - "), Some(("a", "b - c")));
/// assert_eq!(parted("a", " - "), None);
/// ```
#[must_use]
pub fn parted<'a>(text: &'a str, pattern: &str) -> Option<(&'a str, &'a str)> {
    text.char_indices().find_map(|(at, _)| {
        let (before, rest) = text.split_at_checked(at)?;
        Some((before, rest.strip_prefix(pattern)?))
    })
}

/// Returns the text with `by` in place of each `pattern`, which is not empty.
///
/// ```
/// use indim_core::semantics::text::replaced;
///
/// assert_eq!(replaced("{n}a, {n}b {", "{n}", "f_"), "f_a, f_b {");
/// ```
#[must_use]
pub fn replaced(text: &str, pattern: &str, by: &str) -> String {
    let mut replaced = String::new();
    let mut rest = text;
    while !pattern.is_empty()
        && let Some((before, after)) = parted(rest, pattern)
    {
        replaced.push_str(before);
        replaced.push_str(by);
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}
