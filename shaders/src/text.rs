//! The texts of the files, without comments in browsers, which save the download.

/// Returns the text of a file of this crate: unchanged, or in a browser without its comments and
/// the white space before them.
macro_rules! shader {
    ($file:literal) => {{
        const TEXT: &str = include_str!(concat!("../", $file));
        #[cfg(not(target_arch = "wasm32"))]
        let text = TEXT;
        #[cfg(target_arch = "wasm32")]
        let text = {
            use $crate::text::{bare, bare_length};
            const BARE: &[u8] = &bare::<{ bare_length(TEXT) }>(TEXT);
            // Whole characters are removed, so the rest is UTF-8.
            const { if let Ok(text) = std::str::from_utf8(BARE) { text } else { TEXT } }
        };
        text
    }};
}
pub(crate) use shader;

/// Returns the text of a file of functions on 64-bit types, or none in a browser, whose shaders lack
/// these types.
macro_rules! shader_of_64_bits {
    ($file:literal) => {
        if cfg!(target_arch = "wasm32") { "" } else { $crate::text::shader!($file) }
    };
}
pub(crate) use shader_of_64_bits;

/// Returns the number of bytes of a text without its comments.
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) const fn bare_length(text: &str) -> usize {
    let (text, mut at, mut length) = (text.as_bytes(), 0, 0);
    while at < text.len() {
        let (skipped, kept) = step(text, at);
        at += skipped;
        length += kept;
    }
    length
}

/// Returns a text without its comments, which has this many bytes.
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) const fn bare<const LENGTH: usize>(text: &str) -> [u8; LENGTH] {
    let (text, mut at, mut length) = (text.as_bytes(), 0, 0);
    let mut bare = [0; LENGTH];
    while at < text.len() {
        let (skipped, kept) = step(text, at);
        if kept == 1 {
            bare[length] = text[at];
            length += 1;
        }
        at += skipped;
    }
    bare
}

/// Returns how many bytes to advance from here, and how many of them are kept: one kept byte, or a
/// comment with the spaces before it.
#[cfg(any(test, target_arch = "wasm32"))]
const fn step(text: &[u8], at: usize) -> (usize, usize) {
    let mut end = at;
    while end < text.len() && text[end] == b' ' {
        end += 1;
    }
    if end + 1 >= text.len() || text[end] != b'/' || text[end + 1] != b'/' {
        return (1, 1);
    }
    while end < text.len() && text[end] != b'\n' {
        end += 1;
    }
    // A line that is only a comment is removed with its end.
    if end < text.len() && (at == 0 || text[at - 1] == b'\n') {
        end += 1;
    }
    (end - at, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_all_else_stays() {
        const TEXT: &str =
            "// one\nfn f() {\n    // two, with ü\n    a();  // three\n\n    b / c;\n}\n// end";
        const BARE: &[u8] = &bare::<{ bare_length(TEXT) }>(TEXT);
        assert_eq!(std::str::from_utf8(BARE), Ok("fn f() {\n    a();\n\n    b / c;\n}\n"));
    }
}
