//! Reads a photograph of many pixels and few bytes. It is alone in its process, whose memory it looks
//! at.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{BufWriter, Write as _};

use tonemap::Photograph;

/// Returns the most memory that the process has had, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let number = line.split_whitespace().nth(1).unwrap();
    number.parse::<usize>().unwrap() << 10
}

/// Grey pixels of 12,000 x 12,000 are 144 MB, and 2.3 GB as four floats each.
#[test]
fn a_large_photograph_is_read_row_by_row() {
    const SIDE: u32 = 12_000;
    let path = std::env::temp_dir().join(format!("tonemap-large-{}.png", std::process::id()));
    let file = BufWriter::new(File::create(&path).unwrap());
    let mut encoder = png::Encoder::new(file, SIDE, SIDE);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().unwrap();
    let mut rows = writer.stream_writer().unwrap();
    for _ in 0..SIDE {
        rows.write_all(&[255; SIDE as usize]).unwrap();
    }
    rows.finish().unwrap();
    writer.finish().unwrap();

    let before = peak();
    let photograph = Photograph::read(&path).unwrap();
    let taken = peak() - before;
    std::fs::remove_file(&path).unwrap();
    assert_eq!(photograph.size(), [2000, 2000]);
    assert!(photograph.pixels.iter().all(|pixel| *pixel == [1.0; 4]), "white");
    // The result has 64 MB.
    assert!(taken < 200_000_000, "{taken} bytes");
}
