//! The memory and time that checking a function's text takes, whatever the text claims.

use indim::Function;
use indim_testing::fuzz::function_texts::KINDS;
use indim_testing::process::{self, processor_seconds};

use super::instructions::memory;

/// The longest text.
const SIZE: usize = 65_536;

/// The most memory that a check takes, in bytes, and the most processor time, in seconds.
const MAX_BYTES: i64 = 64 << 20;
const MAX_SECONDS: f64 = 1.0;

/// The memory's peak is over all texts so far.
#[test]
#[ignore = "long: in `.ci/run`"]
fn checking_a_text_takes_memory_and_time_by_its_length() {
    if !process::alone(
        "allocations::functions::checking_a_text_takes_memory_and_time_by_its_length",
        Some(4 << 20),
    ) {
        return;
    }
    let mut sizes = vec![2_000, 8_000, 12_000, 16_000, 24_000, 32_000, 48_000, SIZE - 512];
    sizes.extend((8..48).map(|lines| lines * 30));
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = memory("VmRSS:");
    let mut slow = Vec::new();
    for &(kind, text) in KINDS {
        for &size in &sizes {
            let text = text(size);
            let begin = processor_seconds();
            let taken = Function::wgsl(&text);
            let (seconds, bytes) = (processor_seconds() - begin, memory("VmHWM:") - before);
            let said = taken.as_ref().map_or_else(|error| error.reason(), |_| "taken");
            if size > 2000 {
                println!("{kind}, {} bytes: {seconds:.2} s, {bytes}: {said:.100}", text.len());
            }
            if bytes > MAX_BYTES || seconds > MAX_SECONDS {
                slow.push(format!("{kind}, {} bytes: {seconds} s, {bytes} bytes", text.len()));
                std::fs::write("/proc/self/clear_refs", "5").unwrap();
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
