//! The kernels that JAX's programs take.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use indim::plan::PlanLimits;
use indim_stablehlo::Module;

/// `jax/kernels.txt` has the number for each program, on WebGPU's default limits. Where one is another
/// now, this writes it, and fails.
#[test]
fn programs_take_the_committed_numbers_of_kernels() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jax");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".mlir") && !name.ends_with(".export.mlir"))
        .collect();
    names.sort_unstable();
    assert!(names.len() > 40, "{names:?}");
    let mut table = String::new();
    for name in names {
        let text = fs::read_to_string(folder.join(&name)).unwrap();
        let program = Module::parse(&name, &text).unwrap().program("main").unwrap();
        let explanation = PlanLimits::default().explain(program.computation()).unwrap();
        let name = name.trim_end_matches(".mlir");
        let _ = writeln!(table, "{name} {}", explanation.kernels.len());
    }
    let committed = folder.join("kernels.txt");
    if fs::read_to_string(&committed).unwrap_or_default() != table {
        fs::write(&committed, &table).unwrap();
        panic!("{} was another; it has these numbers now:\n{table}", committed.display());
    }
}
