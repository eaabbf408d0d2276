//! Tests `indim adapters` on the available adapters, and the help.
use crate::common::{indim, outcome, without_gpu};

#[test]
fn adapters_are_listed_with_their_limits() {
    let outcome = indim(&["adapters"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let text = outcome.stdout;
    for row in [
        "backend",
        "type",
        "driver",
        "max_storage_buffer_binding_size",
        "max_buffer_size",
        "max_storage_buffers_per_shader_stage",
        "min_storage_buffer_offset_alignment",
        "max_compute_workgroups_per_dimension",
        "max_compute_invocations_per_workgroup",
        "timestamp query",
        "f16 in shaders",
        "f64 in shaders",
        "64-bit integers in shaders",
    ] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(row)), "no {row} in\n{text}");
    }
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("eval takes "), "{last}");
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn a_check_says_what_holds_on_each() {
    let outcome = indim(&["adapters", "--check"]);
    let text = outcome.stdout;
    let adapters = text.lines().filter(|line| line.trim_start().starts_with("backend")).count();
    let checks = text.lines().filter(|line| line.trim_start().starts_with("self-check")).count();
    assert_eq!(checks, adapters, "{text}");
    assert!(text.contains("    quotients are computed "), "{text}");
    assert!(text.contains("    +, - and * on f32 are correctly rounded: "), "{text}");
    // A broken assumption is named, and makes the command fail, and so does one that could not be
    // tested, except those on native quotients and roots.
    let is_in_doubt = |line: &str| {
        let line = line.trim_start();
        line.contains(": BROKEN: ")
            || line.starts_with("self-check  ") && line.contains(" none: ")
            || line.contains(": unanswered: ") && !line.starts_with("native ")
    };
    let in_doubt = text.lines().any(is_in_doubt);
    assert_eq!(outcome.code, Some(i32::from(in_doubt)), "{text}");
    let said = outcome.stderr.starts_with("error: an adapter breaks what results rest on");
    assert_eq!(said, in_doubt, "{}", outcome.stderr);
}

#[test]
fn without_any_it_says_what_to_install() {
    let outcome = outcome(without_gpu().arg("adapters"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    assert!(outcome.stderr.starts_with("error: no GPU adapter"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("apt-get install mesa-vulkan-drivers"), "{}", outcome.stderr);
}

#[test]
fn the_help_says_how_expressions_and_arrays_are_written() {
    for (command, parts) in [
        ("eval", ["EXPR:", "ARRAY:", "--cast", "in_dim(v, 1)", "WGPU_BACKEND", "-o, --output"]),
        ("explain", ["EXPR:", "ARRAY:", "--cast", "in_dim(v, 1)", "f32[2,3]", "--wgsl"]),
    ] {
        let outcome = indim(&[command, "--help"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        for part in parts {
            assert!(outcome.stdout.contains(part), "no {part} in\n{}", outcome.stdout);
        }
    }
    let version = indim(&["--version"]);
    assert_eq!(version.stdout, concat!("indim ", env!("CARGO_PKG_VERSION"), "\n"));
}
