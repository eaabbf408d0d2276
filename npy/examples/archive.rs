//! Writes two arrays to an archive and reads them back.
//!
//!     cargo run -p indim-npy --example archive

use std::error::Error;

use indim::Literal;
use indim_npy::{Compression, NpzReader, NpzWriter};

/// The largest total size of the arrays to read, in bytes.
const LIMIT: u64 = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("indim-archive-{}.npz", std::process::id()));
    let weights = Literal::from_slice([2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let steps = Literal::from_slice([], &[7i64])?;

    let mut writer = NpzWriter::create(&path, Compression::Deflated)?;
    writer.write("weights", &weights)?;
    writer.write("steps", &steps)?;
    writer.finish()?;

    let mut reader = NpzReader::open(&path, LIMIT)?;
    for (name, array) in reader.read_all()? {
        println!("{name}: {}{}", array.element_type(), array.shape());
    }
    assert_eq!(reader.read("weights")?, weights);
    std::fs::remove_file(&path)?;
    Ok(())
}
