//! Rejects result file names that promise another format than the one written.

use std::path::Path;

use indim_expr::Result;

use crate::output::whole_files::cannot_write;

/// File extensions that promise another format than NumPy's. Any other extension, or none, is
/// allowed.
const FOREIGN: [&str; 70] = [
    "arrow",
    "avi",
    "avro",
    "bin",
    "bmp",
    "bz2",
    "csv",
    "db",
    "dds",
    "exr",
    "feather",
    "fits",
    "flac",
    "gif",
    "gz",
    "h5",
    "hdf",
    "hdf5",
    "hdr",
    "html",
    "jpeg",
    "jpg",
    "json",
    "jsonl",
    "ktx2",
    "lz4",
    "mat",
    "md",
    "mp3",
    "mp4",
    "nc",
    "ndjson",
    "nii",
    "obj",
    "ods",
    "ogg",
    "onnx",
    "orc",
    "parquet",
    "pdf",
    "pfm",
    "pgm",
    "pickle",
    "pkl",
    "ply",
    "png",
    "ppm",
    "pt",
    "pth",
    "raw",
    "safetensors",
    "sqlite",
    "svg",
    "tar",
    "tif",
    "tiff",
    "toml",
    "tsv",
    "txt",
    "wav",
    "webp",
    "xls",
    "xlsx",
    "xml",
    "xz",
    "yaml",
    "yml",
    "zarr",
    "zip",
    "zst",
];

/// Rejects a path whose name promises another format.
pub(crate) fn check(path: &Path) -> Result<()> {
    let Some(end) = path.extension().and_then(|end| end.to_str()) else { return Ok(()) };
    let small = end.to_ascii_lowercase();
    // Archives are recognized by lower-case names only.
    let is_archive = small == "npz" && end != "npz";
    if !is_archive && !FOREIGN.contains(&small.as_str()) {
        return Ok(());
    }
    let why = format!("its name promises .{end}, and results are written as .npy and .npz");
    let instead = match path.file_stem().map(Path::new) {
        // Without its extension, as in x.npy.gz, the name ends in a format that is written.
        Some(stem) if stem.extension().is_some_and(|end| end == "npy" || end == "npz") => {
            path.with_extension("")
        }
        _ => path.with_extension(if is_archive { "npz" } else { "npy" }),
    };
    let print = match small.as_str() {
        "json" | "jsonl" | "ndjson" => "; `--json` without -o prints the elements as JSON",
        _ => "",
    };
    Err(cannot_write(path, &why).help(format!("write to {}{print}", instead.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_a_format_are_allowed() {
        let allowed = |name: &str| check(Path::new(name)).is_ok();
        for name in
            ["out", "out.npy", "out.NPY", "a.csv/out", "out.dat", "v1.5", ".json", "out.npz"]
        {
            assert!(allowed(name), "{name}");
        }
        for name in
            ["out.csv", "OUT.JSON", "out.npy.gz", "a.b/out.h5", "out.NPZ", "out.Npz", "o.zip"]
        {
            assert!(!allowed(name), "{name}");
        }
    }
}
