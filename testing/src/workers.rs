//! Spreads a test's work over every core: `cargo test` runs one test a core, and a long one would
//! leave the others idle.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// Runs `work` on as many threads as the machine runs at once, and returns what each of them gave.
/// A panic in one of them is passed on to the caller.
pub fn on_every_core<T: Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.map(|given| given.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
