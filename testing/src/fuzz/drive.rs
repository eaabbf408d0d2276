//! Runs a check on the inputs that fuzzers kept, and then on random inputs for a while.

use std::time::{Duration, Instant};

use crate::random::Random;
use crate::{compute, contexts};

/// The seed of the first random input.
const FIRST_SEED: u64 = 20_261_121;

/// The message of a refusal of F64 begins so.
const NO_F64: &str = "f64 needs the features SHADER_F64 and SHADER_INT64";

/// How long a check runs by default.
const SECONDS: f64 = 1.0;

/// Returns whether the adapter lacks the features for F64.
fn without_f64_here() -> bool {
    contexts::blocking().is_ok_and(|gpu| !compute::has_f64(&gpu))
}

/// Runs the check, which returns any failure, for `INDIM_FUZZ_SECONDS`: for up to half of that on
/// the corpus of the fuzz target of this name, then on random inputs. Or, if `INDIM_FUZZ_SEED` is
/// set, on the one input of this seed.
pub fn for_a_while(
    target: &str,
    test: &str,
    mut check: impl FnMut(&mut Random) -> Result<(), String>,
) {
    let mut without_f64 = 0;
    let mut judge = |random: &mut Random, again: &str| match caught(|| check(random)) {
        Ok(()) => (),
        // An adapter without 64-bit floats can do no more than refuse it.
        Err(text) if text.contains(NO_F64) && without_f64_here() => without_f64 += 1,
        Err(text) => panic!("{target}, {again}: {text}"),
    };
    let again = |seed: u64| format!("again: INDIM_FUZZ_SEED={seed} cargo test --release {test}");
    if let Some(seed) = number("INDIM_FUZZ_SEED") {
        return judge(&mut Random::new(seed), &again(seed));
    }
    let (begin, seconds) = (Instant::now(), number("INDIM_FUZZ_SECONDS").unwrap_or(SECONDS));
    let time = Duration::try_from_secs_f64(seconds).expect("INDIM_FUZZ_SECONDS");
    let mut kept = 0;
    for (name, bytes) in corpus(target) {
        judge(&mut Random::from_bytes(&bytes), &format!("fuzz/corpus/{target}/{name}"));
        kept += 1;
        // Findings have separate tests; where kernels are slow to compile, part of the corpus is
        // enough.
        if begin.elapsed() > time / 2 {
            break;
        }
    }
    let mut seed = FIRST_SEED;
    while seed == FIRST_SEED || begin.elapsed() < time {
        judge(&mut Random::new(seed), &again(seed));
        seed += 1;
    }
    let random = seed - FIRST_SEED;
    println!(
        "{target}: {kept} inputs of the corpus, {random} random ones, of which {without_f64} came to \
         F64, which the adapter lacks"
    );
}

/// The inputs that are in the repository, in a settled order.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = crate::repository().join("fuzz/corpus").join(target);
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("a file"))
        })
        .collect();
    found.sort();
    found
}

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text}, which is not a number")))
}

/// The answer of the check, its panic as an error.
fn caught(check: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Err(format!("panicked: {}", text.unwrap_or_default()))
    })
}
