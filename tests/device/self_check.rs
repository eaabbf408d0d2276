//! Tests that `indim-self-check` passes where all tests pass, and finds what is broken.
//! `Context::calibrate` applies what it finds to be right.

use std::sync::atomic::{AtomicUsize, Ordering};

use indim::plan::{Arithmetic, Conversion, PlanLimits, Rounding};
use indim::{Context, Precision, wgpu};
use indim_self_check::{Outcome, SelfCheck, check_blocking, check_with_precision};
use indim_testing::{contexts, not_tested};

fn checked(precision: Precision) -> SelfCheck {
    let gpu = contexts::blocking().unwrap();
    pollster::block_on(check_with_precision(&gpu, precision)).unwrap()
}

#[test]
fn every_assumption_holds_here() {
    let gpu = contexts::blocking().unwrap();
    let check = check_blocking(&gpu).unwrap();
    // Two of them are about F64.
    let needed = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    let has_f64 = gpu.device().features().contains(needed);
    assert_eq!(check.findings.len(), 17 + 2 * usize::from(has_f64));
    for finding in &check.findings {
        if finding.needed {
            let outcome = finding.outcome.to_string();
            assert_eq!(outcome, "holds", "{}", finding.assumption);
        }
    }
    assert!(check.holds());
    // The context computes as the check found.
    let SelfCheck { arithmetic, .. } = check;
    assert_eq!(gpu.plan_limits().arithmetic, Some(arithmetic));
    // Native quotients are taken where they are right, and only there.
    for (what, chosen) in
        [("quotients", arithmetic.division), ("square roots", arithmetic.square_root)]
    {
        let name = format!("native {what} are correctly rounded");
        let native = check.findings.iter().find(|f| f.assumption == name).unwrap();
        let right = matches!(native.outcome, Outcome::Holds);
        assert_eq!(right, chosen == Rounding::Native, "{what}");
    }
    let name = "native conversions of integers are rounded to nearest even";
    let native = check.findings.iter().find(|f| f.assumption == name).unwrap();
    let right = matches!(native.outcome, Outcome::Holds);
    assert_eq!(right, arithmetic.conversion == Conversion::Native);
    // It leaves no trace.
    let fresh = contexts::blocking().unwrap();
    assert_eq!((gpu.stats(), fresh.stats().compilations), (fresh.stats(), 0));
}

#[test]
fn a_context_finds_out_by_three_kernels_at_most() {
    static KERNELS: AtomicUsize = AtomicUsize::new(0);
    fn counted(text: &str) -> String {
        KERNELS.fetch_add(1, Ordering::Relaxed);
        text.to_owned()
    }
    let count = |plan_limits: Option<PlanLimits>| {
        let before = KERNELS.load(Ordering::Relaxed);
        let mut options = contexts::options();
        options.plan_limits = plan_limits;
        options.rewrite_kernels = Some(counted);
        let gpu = Context::blocking_with_options(options).unwrap();
        (KERNELS.load(Ordering::Relaxed) - before, gpu)
    };
    let (kernels, gpu) = count(None);
    assert!((1..=3).contains(&kernels), "{kernels}");
    // Told the arithmetic, it tries nothing.
    let (kernels, _) = count(Some(gpu.plan_limits().clone()));
    assert_eq!(kernels, 0);
}

/// Relaxed kernels are made of WGSL's own functions, without guards: they break what the check asks
/// for, in functions on every adapter, and the check reports where.
#[test]
fn what_is_broken_is_found_and_named() {
    let check = checked(Precision::Relaxed);
    assert!(!check.holds());
    let broken: Vec<&str> = check.broken().map(|finding| finding.assumption).collect();
    assert!(broken.contains(&"no compiler regroups the parts of a function"), "{broken:?}");
    for finding in check.broken() {
        let Outcome::Broken(example) = &finding.outcome else { panic!("{finding:?}") };
        assert!(!example.operands.is_empty());
        assert_ne!(example.got, example.want, "{example}");
        assert!(finding.outcome.to_string().starts_with("BROKEN: "), "{}", finding.outcome);
    }
    // Integers and moves have no relaxed form.
    for text in ["integers wrap, and shift by any amount", "bits survive moves"] {
        assert!(!broken.contains(&text), "{text}");
    }
}

/// Mesa's lavapipe cancels sums where nothing guards them.
#[test]
fn a_missing_guard_is_found_on_lavapipe() {
    let gpu = contexts::blocking().unwrap();
    let info = gpu.adapter_info();
    if !info.name.contains("llvmpipe") || info.backend != wgpu::Backend::Vulkan {
        return not_tested::on_this_adapter(&gpu, "its compiler may keep sums as they are");
    }
    let check = checked(Precision::Relaxed);
    let guards = "no compiler rewrites operations across a guard";
    let finding = check.broken().find(|f| f.assumption == guards).expect("a broken guard");
    let Outcome::Broken(example) = &finding.outcome else { panic!("{finding:?}") };
    assert!(example.operation.starts_with("(x + y) - x") || example.operation.starts_with("x * y"));
}

/// The backend computes nothing, which is not a reason to compute in another way.
#[test]
fn a_backend_that_computes_nothing_gives_no_answer() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let gpu = Context::from_device(device, queue).unwrap();
    assert_eq!(gpu.plan_limits().arithmetic, Some(Arithmetic::default()));
    let check = check_blocking(&gpu).unwrap();
    assert!(!check.holds());
    let needed = check.findings.iter().filter(|finding| finding.needed).count();
    assert_eq!((check.broken().count(), check.unanswered().count()), (0, needed));
    for finding in &check.findings {
        assert!(matches!(finding.outcome, Outcome::Unanswered(_)), "{finding:?}");
    }
}

#[test]
fn a_lost_device_is_an_error() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let gpu = Context::from_device(device, queue).unwrap();
    gpu.notify_lost("by hand");
    let lost = gpu.flush().unwrap_err().to_string();
    assert_eq!(check_blocking(&gpu).unwrap_err().to_string(), lost);
    assert_eq!(pollster::block_on(gpu.calibrate()).unwrap_err().to_string(), lost);
}
