//! Tests what kernels cost on the common classes of GPUs, counted from the SPIR-V that naga writes
//! of them.

use indim::plan::PlanLimits;
use indim_testing::{gpu_classes, kernel_cost, patterns};

/// Integer operations an element of the patterns that only move and add. A GPU that moves 4 TB/s
/// has time for some 40 an element of F32, of which the other half is left to what is computed.
const MOST: f64 = 20.0;

const PLAIN: [&str; 8] = ["same", "row", "column", "scalar", "one", "outer", "rank5", "transposed"];

#[test]
fn plain_patterns_take_few_integer_operations() {
    for class in gpu_classes::all() {
        for name in PLAIN {
            let cost = kernel_cost::of_pattern(name, &class);
            assert!(cost.integer_operations <= MOST, "{name}, {}: {cost:?}", class.name);
            assert_eq!(cost.loop_counters, 0.0, "{name}, {}", class.name);
            let accesses = cost.bounds_checks > 0.0;
            assert_eq!(accesses, !class.robust_buffers, "{name}, {}: {cost:?}", class.name);
        }
    }
}

/// An H100 reads 3.35 TB/s and computes 33.5 million million operations of F32 a second (NVIDIA's data
/// sheet of the SXM version: 67 teraFLOPS, a multiplication and an addition each): 40 an element of F32.
const OPERATIONS_A_BYTE: f64 = 10.0;

#[test]
fn reductions_fit_the_time_that_reading_takes() {
    for class in gpu_classes::all() {
        let limits = class.plan_limits();
        for name in patterns::reductions() {
            let cost = kernel_cost::of_reduction(name, &class);
            let (computation, elements) = patterns::reduction(name);
            let kernels = limits.explain(&computation).unwrap().kernels;
            let bytes = kernels.iter().map(|kernel| kernel.bytes_read + kernel.bytes_written);
            let most = match name {
                // Two exponentials of each element.
                "softmax" => 117.0,
                _ => OPERATIONS_A_BYTE * bytes.sum::<u64>() as f64 / elements,
            };
            let operations = cost.float_operations + cost.integer_operations;
            assert!(operations <= most, "{name}, {}: {cost:?}, not {most}", class.name);
            // Two for each node of the tree, or for each of two folds.
            let folds =
                if ["softmax", "layer_norm", "mean_var"].contains(&name) { 2.0 } else { 1.0 };
            assert!(cost.barriers <= folds * 2.0 / 31.0, "{name}, {}: {cost:?}", class.name);
        }
    }
}

/// What an invocation loads comes before what it stores, so that no load waits for a store.
#[test]
fn loads_are_in_flight_before_stores() {
    for name in patterns::names() {
        // The first shapes of a thousand will do.
        for computation in patterns::computations(name).into_iter().take(3) {
            for kernel in PlanLimits::default().explain(&computation).unwrap().kernels {
                if kernel.wgsl.contains("for (var") {
                    continue;
                }
                let store = kernel.wgsl.find("result[").expect("a store");
                let late = kernel.wgsl[store..].contains(" in_");
                assert!(!late, "{name}:\n{}", kernel.wgsl);
            }
        }
    }
}
