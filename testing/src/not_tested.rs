//! Reports and counts what a test leaves out for lack of something that not every machine has, and
//! fails where nothing may be lacking.

use std::io::{self, Write as _};
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

use indim::{Context, wgpu};

/// Counts what was left out in this process.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The reasons for which tests leave something out on SwiftShader by Vulkan.
const OUT_ON_SWIFTSHADER: [&str; 4] = [
    "a contraction is computed in F64",
    "its compiler may keep sums as they are",
    "its kernels bind fewer than 32 arrays",
    "no floor of 64-bit integers can be written for it",
];

/// Reports what the caller leaves out because of this context's adapter, and why.
///
/// # Panics
///
/// On lavapipe by Vulkan, which has all that a test can ask for, and on SwiftShader unless it is
/// known to lack this.
#[track_caller]
pub fn on_this_adapter(gpu: &Context, why: &str) {
    let info = gpu.adapter_info();
    let allowed = may_be_left_out(info.backend, &info.name, why);
    assert!(allowed, "{why}; but on {} nothing of that is left out", info.name);
    say(Location::caller(), &format!("on {} by {}", info.name, info.backend), why);
}

/// Returns whether an adapter is known to lack this, or not known well enough.
fn may_be_left_out(backend: wgpu::Backend, name: &str, why: &str) -> bool {
    match backend {
        wgpu::Backend::Vulkan if name.contains("llvmpipe") => false,
        wgpu::Backend::Vulkan if name.contains("SwiftShader") => OUT_ON_SWIFTSHADER.contains(&why),
        _ => true,
    }
}

/// Reports what the caller leaves out because of the operating system, and why.
///
/// # Panics
///
/// On Linux, which reports all that a test looks at.
#[track_caller]
pub fn on_this_system(why: &str) {
    if cfg!(target_os = "linux") {
        panic!("{why}; but on Linux nothing is left out");
    }
    say(Location::caller(), &format!("on {}", std::env::consts::OS), why);
}

/// Reports what the caller leaves out because this process may not have something, and why.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_adapters_leave_out_what_they_lack_and_nothing_else() {
        let (known, unknown) = (OUT_ON_SWIFTSHADER[0], "it is slow");
        for (backend, name, why, allowed) in [
            (wgpu::Backend::Vulkan, "llvmpipe (LLVM 15.0.6, 256 bits)", known, false),
            (wgpu::Backend::Vulkan, "SwiftShader Device (Subzero)", known, true),
            (wgpu::Backend::Vulkan, "SwiftShader Device (Subzero)", unknown, false),
            (wgpu::Backend::Gl, "llvmpipe (LLVM 15.0.6, 256 bits)", unknown, true),
            (wgpu::Backend::Metal, "Apple M1", unknown, true),
        ] {
            assert_eq!(may_be_left_out(backend, name, why), allowed, "{name}: {why}");
        }
    }
}
