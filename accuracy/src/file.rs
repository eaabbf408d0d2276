//! Writes files whole or not at all.

use std::fs;
use std::path::Path;

use crate::Result;

/// Writes a file so that an interruption leaves the old one or the new one.
pub(crate) fn replace_file(path: &Path, text: &str) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    fs::write(&beside, text)?;
    Ok(fs::rename(&beside, path)?)
}
