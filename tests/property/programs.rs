//! Tests random expressions through the library, compared with an interpreter of XLA's semantics
//! that shares nothing with it but the names of element types and opcodes.
//!
//! The interpreter copies every broadcast out, has its own shape rules, and says for each element
//! which values are right: one, for what XLA gives to the bit; a span, where a function is
//! approximate or a subnormal may be flushed. It is itself compared with XLA's recorded results.
//!
//! `INDIM_PROPERTY_CASES` sets the number of programs, `INDIM_PROPERTY_SEED` the seed. A failure
//! prints the seed of its one program and a reduced version of it. Coverage is asserted for runs
//! of the length of `INDIM_TEST_SHARES=all` or longer.

use std::sync::atomic::{AtomicU64, Ordering};

use indim::plan::PlanLimits;
use indim::{AnyArray, Context, ContextOptions, ElementType, wgpu};
use indim_testing::oracle::value::is_same;
use indim_testing::programs::generate::{self, Case};
use indim_testing::programs::program::Program;
use indim_testing::programs::{build, plans, run};
use indim_testing::random::Random;
use indim_testing::workers::on_every_core;
use indim_testing::{contexts, gpu_classes, share};

use crate::coverage::Coverage;
use crate::{algebra, reduce};

/// Programs on the device by default: some 75 s on two cores of lavapipe, most of it in its
/// compiler, and a few seconds where its cache has the kernels.
const CASES: u64 = 1_600;
/// Programs that are only built, for the rules of shapes and types; they take no device.
const BUILT_CASES: u64 = 3_000;
/// One in this many is also planned, which takes longer.
const PLANNED_EVERY: u64 = 8;
/// Programs on each common class of GPUs by default.
const CASES_ON_A_CLASS: u64 = 16;
/// Results that are on their way at a time.
const BATCH: usize = 3;
/// Programs of which several nodes are results.
const RESULTS: u64 = 40;
/// Elements of an array that a result is a slice of.
const MOST_AROUND: usize = 1 << 20;
/// Programs that run by several plans.
const SAME_BITS: u64 = 60;
/// The bytes of one array that the context with windows binds.
const WINDOW_BYTES: u64 = 2048;
/// Short programs in one kernel.
const TOGETHER: usize = 24;
/// Most vague elements among all, in percent: a test of nothing would otherwise pass.
const MOST_VAGUE_PERCENT: u64 = 5;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is {text}, which is not a number"))
    })
}

struct Started {
    seed: u64,
    case: Case,
    result: AnyArray,
}

#[test]
fn random_expressions_give_what_the_interpreter_gives() {
    let cases = variable("INDIM_PROPERTY_CASES", CASES / share::one_of(48) as u64);
    let first = variable("INDIM_PROPERTY_SEED", 20_240_611);
    let next = AtomicU64::new(first);
    let mut coverage = Coverage::default();
    for part in on_every_core(|| some_programs(&next, first + cases)) {
        coverage.add(part);
    }
    println!("{coverage}");
    assert_eq!(coverage.programs, cases);
    if cases >= CASES {
        let missing = coverage.missing();
        assert!(missing.is_empty(), "too rare:\n{}", missing.join("\n"));
        let tally = coverage.tally;
        assert!(tally.vague * 100 <= tally.elements * MOST_VAGUE_PERCENT, "too vague: {tally:?}");
    }
}

/// Runs programs one after the other, from the next unused seed, until there are no more.
fn some_programs(next: &AtomicU64, end: u64) -> Coverage {
    let contexts = Contexts::new();
    let mut coverage = Coverage::default();
    let mut batch: Vec<Started> = Vec::new();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed < end {
            let case = generate::case(&mut Random::new(seed));
            let context = contexts.of(seed);
            match run::caught(|| start(context, seed, &case, &mut coverage)) {
                Ok(None) => {}
                Ok(Some(result)) => batch.push(Started { seed, case, result }),
                Err(text) => fail(context, seed, &case, &text),
            }
        }
        if batch.len() >= BATCH || seed >= end {
            for Started { seed, case, result } in batch.drain(..) {
                let want = case.tensors.last().expect("a program has a result");
                match run::caught(|| run::finish(&result, want)) {
                    Ok(tally) => coverage.tally.add(tally),
                    Err(text) => fail(contexts.of(seed), seed, &case, &text),
                }
            }
        }
        if seed >= end {
            return coverage;
        }
    }
}

/// The plan, the features and the limits of each common class of GPUs; with
/// `INDIM_GPU_CLASSES=all`, as many programs as above on each.
#[test]
#[ignore = "long: in `.ci/run`"]
fn random_expressions_on_common_gpus() {
    let all = contexts::all_on_every_class();
    let cases = if all { variable("INDIM_PROPERTY_CASES", CASES) } else { CASES_ON_A_CLASS };
    let first = variable("INDIM_PROPERTY_SEED", 20_261_122);
    let classes = gpu_classes::all();
    let next = AtomicU64::new(0);
    let counts = on_every_core(|| {
        let contexts: Vec<Context> = classes.iter().map(contexts::posing_as).collect();
        let mut coverage = Coverage::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= cases * contexts.len() as u64 {
                return coverage.programs;
            }
            let seed = first + number;
            let case = generate::case(&mut Random::new(seed));
            let context = &contexts[number as usize % contexts.len()];
            let outcome = run::caught(|| {
                let Some(result) = start(context, seed, &case, &mut coverage)? else {
                    return Ok(());
                };
                let want = case.tensors.last().expect("a program has a result");
                run::finish(&result, want).map(drop)
            });
            if let Err(text) = outcome {
                fail(context, seed, &case, &text);
            }
        }
    });
    assert_eq!(counts.into_iter().sum::<u64>(), cases * classes.len() as u64);
}

/// Several nodes of a program are results of one computation, and its result goes into a slice of
/// an array that exists.
#[test]
#[ignore = "long: in `.ci/run`"]
fn results_of_random_expressions_go_where_they_are_wanted() {
    let cases = variable("INDIM_PROPERTY_RESULTS", RESULTS);
    let next = AtomicU64::new(0);
    let joined = on_every_core(|| {
        let contexts = Contexts::new();
        let mut joined = 0;
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= cases {
                return joined;
            }
            let random = &mut Random::new(seed ^ 0x5eed);
            let case = generate::case(random);
            let (context, program) = (contexts.of(seed), &case.program);
            if run::lacks_f64(context, program) {
                continue;
            }
            let outcome = run::caught(|| {
                let count = 2 + random.below(7);
                let ids: Vec<usize> =
                    (0..count).map(|_| random.below(program.nodes.len())).collect();
                let several = build::build_results(program, &ids)?;
                let plan = plans::explained(program, &several, context.plan_limits())?;
                joined += plan.kernels.iter().filter(|kernel| kernel.writes.len() > 1).count();
                let wanted: Vec<_> = ids.iter().map(|&id| &case.tensors[id]).collect();
                run::compare_results(context, program, &several, &wanted)
                    .map_err(|text| format!("results {ids:?}: {text}"))?;
                let one = build::build(program)?;
                let want = case.tensors.last().expect("a program has a result");
                let mut margins: Vec<(usize, usize)> =
                    want.ty.dims.iter().map(|_| (random.below(3), random.below(9))).collect();
                let sizes = want.ty.dims.iter().zip(&margins);
                let count: usize = sizes.map(|(&size, &(low, high))| low + size + high).product();
                if count > MOST_AROUND {
                    margins.iter_mut().skip(1).for_each(|margin| *margin = (0, 0));
                }
                run::compare_into(context, program, &one, want, &margins)
                    .map_err(|text| format!("into a slice with margins {margins:?}: {text}"))
            });
            match outcome {
                Err(text) if !run::may_refuse(context, program, &text) => {
                    panic!("seed {seed} under {:?}: {text}\n{program}", context.plan_limits());
                }
                _ => {}
            }
        }
    });
    let joined: usize = joined.into_iter().sum();
    assert!(joined as u64 * 8 > cases, "{joined} kernels of {cases} programs have several results");
}

/// In one kernel and cut into many, in windows, in other tiles and units: the same bits, even where
/// an approximate function may have others.
#[test]
fn plans_of_one_adapter_give_the_same_bits() {
    let contexts = Contexts::new();
    let other_tiles = {
        let mut plan = contexts.usual.plan_limits().clone();
        (plan.tuning.tile_rows, plan.tuning.short_row_tile) = (3, 2);
        (plan.tuning.quads_per_unit, plan.tuning.quads_per_invocation) = (2, 2);
        (plan.tuning.workgroup_size, plan.tuning.interleaved) = (32, true);
        let mut options = contexts::options();
        options.plan_limits = Some(plan);
        Context::blocking_with_options(options).expect("an adapter")
    };
    let mut compared = 0;
    let seeds = variable("INDIM_PROPERTY_SAME_BITS", SAME_BITS / share::one_of(20) as u64);
    for seed in 0..seeds {
        let Case { program, .. } = generate::case(&mut Random::new(!seed));
        // Some are refused, others are not.
        if run::lacks_f64(&contexts.usual, &program) {
            continue;
        }
        let computation = build::build(&program).expect("the program is right");
        let once = run::bits(&contexts.usual, &program, &computation).expect("it runs");
        for other in [&contexts.tight, &contexts.windows, &other_tiles] {
            let again = match run::bits(other, &program, &computation) {
                Err(text) if run::may_refuse(other, &program, &text) => continue,
                again => again.expect("it runs"),
            };
            compared += 1;
            let element = program.root().ty.element;
            let differ = (0..once.len()).find(|&i| !is_same(element, once[i], again[i]));
            if let Some(i) = differ {
                panic!(
                    "seed {seed}: element {i} is {:#x}, and {:#x} under {:?}\n{program}",
                    once[i],
                    again[i],
                    other.plan_limits()
                );
            }
        }
    }
    assert!(compared as u64 > 2 * seeds, "{compared} results");
}

#[test]
fn what_compilers_like_to_simplify_is_computed() {
    let context = contexts::blocking().expect("an adapter");
    let (preds, floats): (Vec<Program>, Vec<Program>) =
        algebra::programs().into_iter().partition(|p| p.root().ty.element == ElementType::Pred);
    let mut complaints = Vec::new();
    let chunks = preds.chunks(TOGETHER).chain(floats.chunks(TOGETHER));
    for some in chunks.step_by(share::one_of(160)) {
        let Some(text) = run::complaint(&context, &algebra::together(some)) else {
            continue;
        };
        let alone =
            some.iter().filter_map(|p| Some(format!("{p}{}", run::complaint(&context, p)?)));
        let before = complaints.len();
        complaints.extend(alone);
        if complaints.len() == before {
            // Right one by one, wrong all together.
            complaints.push(format!("{}{text}", algebra::together(some)));
        }
    }
    let (failed, all) = (complaints.len(), preds.len() + floats.len());
    assert!(failed == 0, "{failed} of {all} programs fail:\n{}", complaints.join("\n"));
}

/// The adapter as it is, and as others would be. All give the same results.
struct Contexts {
    /// The choices for this adapter's type: of lavapipe, units of four quads, words of 32 bytes and
    /// no branches.
    usual: Context,
    /// Binds little, so that every other operation goes through a temporary and most blocks of
    /// parameters are too large for a uniform.
    tight: Context,
    /// The choices for a GPU: quads in words of 16 bytes, interleaved.
    like_a_gpu: Context,
    /// Choices that no table has.
    odd: Context,
    /// Binds so few bytes at once, and dispatches so few workgroups, that arrays of some thousand
    /// elements are computed in parts.
    windows: Context,
}

impl Contexts {
    fn new() -> Self {
        let with = |set: &dyn Fn(&mut ContextOptions)| {
            let mut options = contexts::options();
            set(&mut options);
            Context::blocking_with_options(options).expect("an adapter")
        };
        let limits = wgpu::Limits::default();
        Self {
            usual: with(&|_| {}),
            tight: with(&|options| {
                options.max_ops_per_kernel = Some(2);
                options.required_limits = Some(wgpu::Limits {
                    max_storage_buffers_per_shader_stage: 5,
                    max_uniform_buffer_binding_size: 96,
                    ..limits.clone()
                });
            }),
            like_a_gpu: with(&|options| options.plan_limits = Some(PlanLimits::default())),
            odd: with(&|options| {
                let mut plan = PlanLimits::default();
                (plan.tuning.tile_rows, plan.tuning.short_row_tile, plan.tuning.quads_per_unit) =
                    (3, 2, 2);
                (plan.tuning.workgroup_size, plan.tuning.wide, plan.tuning.branchless) =
                    (32, false, true);
                (plan.tuning.max_loads_per_kernel, plan.tuning.max_work_per_submission) =
                    (8, 1 << 12);
                options.plan_limits = Some(plan);
            }),
            windows: with(&|options| {
                options.required_limits = Some(wgpu::Limits {
                    max_storage_buffer_binding_size: WINDOW_BYTES,
                    max_compute_workgroups_per_dimension: 1,
                    ..limits.clone()
                });
            }),
        }
    }

    /// The one on which the program of this seed runs.
    fn of(&self, seed: u64) -> &Context {
        match seed % 8 {
            0 | 4 => &self.tight,
            1 => &self.like_a_gpu,
            3 => &self.odd,
            5 => &self.windows,
            _ => &self.usual,
        }
    }
}

fn start(
    context: &Context,
    seed: u64,
    case: &Case,
    coverage: &mut Coverage,
) -> Result<Option<AnyArray>, String> {
    let mut random = Random::new(!seed);
    let (computation, attempts) = build::build_with_wrong_calls(&case.program, &mut random, 30)?;
    let explanation = plans::explained(&case.program, &computation, context.plan_limits())?;
    coverage.program(&case.program.rooted_at(case.program.nodes.len() - 1));
    coverage.explanation(&explanation, context.plan_limits());
    coverage.attempts(&attempts);
    let launched = run::launch(context, &case.program, &computation);
    match launched {
        Err(text) if run::may_refuse(context, &case.program, &text) => {
            coverage.count("outcome", "refused for a limit of the device");
            Ok(None)
        }
        launched => launched.map(Some),
    }
}

fn fail(context: &Context, seed: u64, case: &Case, text: &str) -> ! {
    let reduced = match reduce::reduce(&case.program, |p| run::complaint(context, p)) {
        Some((program, text)) => format!("reduced to\n{program}  where {text}"),
        None => "it did not fail again by itself, without others before it".to_owned(),
    };
    panic!(
        "seed {seed} under {:?}: {text}\n{}{reduced}\n\
         again: INDIM_PROPERTY_SEED={seed} INDIM_PROPERTY_CASES=1 \
         cargo test --release --test property programs::\n",
        context.plan_limits(),
        case.program
    );
}

#[test]
fn rules_and_plans_hold_without_a_device() {
    let mut coverage = Coverage::default();
    for seed in 0..BUILT_CASES / share::one_of(24) as u64 {
        let mut random = Random::new(seed);
        let Case { program, .. } = generate::case(&mut random);
        let result = run::caught(|| {
            let (computation, attempts) =
                build::build_with_wrong_calls(&program, &mut random, 300)?;
            coverage.attempts(&attempts);
            if seed.is_multiple_of(PLANNED_EVERY) {
                let limits = plans::tight(&mut random);
                let explanation = plans::explained(&program, &computation, &limits)?;
                coverage.explanation(&explanation, &limits);
                plans::validate(&explanation)?;
            }
            Ok(())
        });
        if let Err(text) = result {
            panic!("seed {seed}: {text}\n{program}");
        }
    }
    println!("{coverage}");
    assert_eq!(coverage.missing_refusals(), [""; 0], "rules by which nothing was refused");
}
