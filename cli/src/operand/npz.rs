//! Splits `data.npz:x` into an archive and the name of an array in it.

use std::path::{Path, PathBuf};

/// The extension of an archive.
const SUFFIX: &str = ".npz";

/// Returns the archive that a path leads into, with the array's name if the path has one. Returns
/// `None` for other paths, and if a file exists under the whole name.
pub(crate) fn split(path: &Path) -> Option<(PathBuf, Option<String>)> {
    let text = path.to_string_lossy();
    if text.ends_with(SUFFIX) {
        return Some((path.to_owned(), None));
    }
    // In a path that is not UTF-8, no array name is looked for.
    let text = path.to_str()?;
    let end = text.find(".npz:")? + SUFFIX.len();
    let (archive, name) = (&text[..end], &text[end + 1..]);
    (!path.exists() && !name.is_empty()).then(|| (archive.into(), Some(name.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_separates_archive_and_array() {
        let split = |text: &str| split(Path::new(text));
        assert_eq!(split("a/data.npz:x"), Some(("a/data.npz".into(), Some("x".to_owned()))));
        assert_eq!(split("data.npz:a:b"), Some(("data.npz".into(), Some("a:b".to_owned()))));
        assert_eq!(split("data.npz"), Some(("data.npz".into(), None)));
        assert_eq!([split("data.npy"), split("data.npz:"), split("f32:[1]")], [None, None, None]);
    }
}
