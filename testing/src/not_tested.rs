//! Says and counts what a test leaves out, for want of something that not every machine has, and
//! fails where nothing may be wanting.

use std::io::{self, Write as _};
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

use indim::{Context, wgpu};

/// Counts what was left out in this process.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Says that the caller leaves something out because of this context's adapter, and why.
///
/// # Panics
///
/// On lavapipe by Vulkan, which has all that a test can ask for.
#[track_caller]
pub fn on_this_adapter(gpu: &Context, why: &str) {
    let info = gpu.adapter_info();
    let complete = info.backend == wgpu::Backend::Vulkan && info.name.contains("llvmpipe");
    assert!(!complete, "{why}; but on lavapipe nothing is left out");
    say(Location::caller(), &format!("on {} by {}", info.name, info.backend), why);
}

/// Says that the caller leaves something out because of the operating system, and why.
///
/// # Panics
///
/// On Linux, which tells all that a test looks at.
#[track_caller]
pub fn on_this_system(why: &str) {
    if cfg!(target_os = "linux") {
        panic!("{why}; but on Linux nothing is left out");
    }
    say(Location::caller(), &format!("on {}", std::env::consts::OS), why);
}

/// Says that the caller leaves something out because this process may not have something, and why.
#[track_caller]
pub fn without(thing: &str, why: &str) {
    say(Location::caller(), &format!("without {thing}"), why.trim_end());
}

/// Writes to the process's own stdout, because `cargo test` hides what `println!` says in a test
/// that passes.
fn say(place: &Location<'_>, here: &str, why: &str) {
    let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    let mut out = io::stdout().lock();
    let text = format!("\nnot tested {here}, number {number}: {place}: {why}\n");
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    assert!(written.is_ok(), "stdout cannot be written");
}
