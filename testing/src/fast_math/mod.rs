//! Rewrites kernels as compilers of GPUs rewrite floats, so that a software adapter, whose compiler
//! does not do so, computes as a GPU may.
//!
//! A [`Rewrite`] takes a kernel's WGSL, changes its sums in naga's intermediate representation, and
//! writes WGSL again. There every `let` is a value of its own and every use names it; `rebuild.rs`
//! replaces variables by their values and calls by the functions' bodies, so that `rules.rs` sees
//! as much as a compiler does. `ContextOptions::rewrite_kernels` has every kernel of a context
//! rewritten, those of its probes included.

mod arithmetic;
mod rebuild;
mod rules;

use indim::ContextOptions;
use indim::plan::PlanLimits;
use naga::back::wgsl::WriterFlags;
use naga::front::wgsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use arithmetic::{Grouping, Rules, Side};

/// One way of rewriting kernels, with its name in `INDIM_TEST_ARITHMETIC`.
#[derive(Clone, Copy, Debug)]
pub struct Rewrite {
    pub name: &'static str,
    pub function: fn(&str) -> String,
}

impl Rewrite {
    /// The options with this rewriting of all kernels.
    pub fn of(self, mut options: ContextOptions) -> ContextOptions {
        options.rewrite_kernels = Some(self.function);
        options
    }

    /// The same with the plan of a GPU, for which such compilers are.
    pub fn of_a_gpu(self, options: ContextOptions) -> ContextOptions {
        let mut options = self.of(options);
        let mut limits = PlanLimits::default();
        limits.tuning.int64 = true;
        options.plan_limits.get_or_insert(limits);
        options
    }
}

const NONE: Rules =
    Rules { contract: None, regroup: None, through_minimum: false, through_zero: false };
const LEFT: Rules = Rules { contract: Some(Side::Left), ..NONE };
const RIGHT: Rules = Rules { contract: Some(Side::Right), ..NONE };

macro_rules! rewrites {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $rules:expr;)*) => {
        $($(#[$doc])* pub const $name: Rewrite = Rewrite {
            name: $text,
            function: |wgsl| rewrite(wgsl, $rules),
        };)*
    };
}

rewrites! {
    /// Changes nothing: a control for the way through naga.
    UNCHANGED, "unchanged", NONE;
    /// A sum with a product in it is rounded once; of two products the first is exact.
    CONTRACTED, "contracted", LEFT;
    /// The same with the second one.
    CONTRACTED_RIGHT, "contracted-right", RIGHT;
    /// Sums are regrouped, those of three to `(a + b) + c`.
    REGROUPED_LEFT, "regrouped-left", Rules { regroup: Some(Grouping::Left), ..NONE };
    /// Sums are regrouped, those of three to `a + (b + c)`.
    REGROUPED_RIGHT, "regrouped-right", Rules { regroup: Some(Grouping::Right), ..NONE };
    /// Sums are regrouped, those of three to `(a + c) + b`.
    REGROUPED_MIDDLE, "regrouped-middle", Rules { regroup: Some(Grouping::MiddleLast), ..NONE };
    /// Also regroups across the minimum, which no known compiler does.
    THROUGH_MINIMUM, "through-minimum",
        Rules { regroup: Some(Grouping::Right), through_minimum: true, ..NONE };
    /// Contracts as if nothing were guarded.
    CONTRACTED_UNGUARDED, "contracted-unguarded",
        Rules { through_minimum: true, through_zero: true, ..LEFT };
    /// Regroups as if nothing were guarded.
    REGROUPED_UNGUARDED, "regrouped-unguarded", Rules {
        regroup: Some(Grouping::Right),
        through_minimum: true,
        through_zero: true,
        ..NONE
    };
}

/// The ways that GPU compilers rewrite. Every promise holds in each of them.
pub const ALLOWED: [Rewrite; 5] =
    [CONTRACTED, CONTRACTED_RIGHT, REGROUPED_LEFT, REGROUPED_RIGHT, REGROUPED_MIDDLE];

/// The rewriting that `INDIM_TEST_ARITHMETIC` names, if it names one.
pub fn from_env() -> Option<Rewrite> {
    let name = std::env::var("INDIM_TEST_ARITHMETIC").ok().filter(|name| !name.is_empty())?;
    let all = [UNCHANGED, THROUGH_MINIMUM, CONTRACTED_UNGUARDED, REGROUPED_UNGUARDED];
    let found = all.into_iter().chain(ALLOWED).find(|rewrite| rewrite.name == name);
    Some(found.unwrap_or_else(|| panic!("INDIM_TEST_ARITHMETIC is {name}, which no rewriting is")))
}

/// Returns a kernel's text, rewritten by the rules.
fn rewrite(text: &str, rules: Rules) -> String {
    let mut module =
        wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let old = module.clone();
    for (handle, function) in module.functions.iter_mut() {
        *function = rebuild::function(&old, &old.functions[handle], rules, true);
    }
    for (entry, old_entry) in module.entry_points.iter_mut().zip(&old.entry_points) {
        // Results of functions are guarded where operations use them.
        entry.function = rebuild::function(&old, &old_entry.function, rules, false);
    }
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    naga::back::wgsl::write_string(&module, &info, WriterFlags::empty())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}
