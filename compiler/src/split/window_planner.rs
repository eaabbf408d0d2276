//! Checks that one dispatch has enough workgroups for a window, and passes on windows with their
//! launches.

use std::rc::Rc;

use crate::kernel::ir::KernelIr;
use crate::kernel::load::ArrayId;
use crate::layout::Layout;
use crate::limits::PlanLimits;
use crate::plan::planner::{self, Launch};
use crate::plan::window::{Window, elements};

/// The maximum number of windows of one kernel: of 128 MiB each, they make 8 TiB.
pub const MAX_WINDOWS: usize = 1 << 16;

/// Windows are not cut below this number of elements to meet the bound on work: no real kernel is
/// heavy enough for this to matter.
const MIN_ELEMENTS: u64 = 4_096;

/// The reason why a kernel has no windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitError {
    /// Even a single element needs more bindings or bytes than the limits allow.
    TooSmall,
    /// The kernel would take more than [`MAX_WINDOWS`] windows.
    TooMany,
}

/// A window for which one dispatch has enough workgroups.
#[derive(Debug)]
pub struct FittedWindow {
    pub(crate) window: Window,
    /// The launch, if the window had to be planned to count its workgroups.
    launch: Option<Launch>,
}

/// Plans the windows of one kernel.
pub struct WindowPlanner<'a> {
    pub(crate) ir: &'a KernelIr,
    pub(crate) limits: &'a PlanLimits,
    /// Returns the layout of an array.
    pub(crate) layout: &'a dyn Fn(ArrayId) -> Layout,
    /// The number of spare bytes after the kernel's result.
    spare: u32,
    /// The maximum number of elements of a window by the bound on the work of a submission.
    most_elements: u64,
}

impl<'a> WindowPlanner<'a> {
    pub fn new(
        ir: &'a KernelIr,
        limits: &'a PlanLimits,
        layout: &'a dyn Fn(ArrayId) -> Layout,
        spare: u32,
    ) -> Self {
        Self { ir, limits, layout, spare, most_elements: most_elements(ir, limits) }
    }

    /// Returns the window, if one dispatch has enough workgroups for it. `before` is the previously
    /// accepted one.
    pub(super) fn try_fit(
        &self,
        window: Window,
        before: Option<&FittedWindow>,
    ) -> Option<FittedWindow> {
        if window.count() > self.most_elements {
            return None;
        }
        let max = self.limits.device.max_compute_workgroups_per_dimension;
        // A workgroup computes at least one element, so most windows need not be planned yet.
        if window.count() <= u64::from(max) * u64::from(max) {
            return Some(FittedWindow { window, launch: None });
        }
        let mut launch = self.launch(&window);
        if launch.groups.iter().any(|&groups| groups > max) {
            return None;
        }
        // Windows of one kernel are mostly alike, and there may be very many, so they share the
        // structure.
        if let Some(before) = before.and_then(|before| before.launch.as_ref())
            && before.kernel == launch.kernel
        {
            launch.kernel = Rc::clone(&before.kernel);
        }
        Some(FittedWindow { window, launch: Some(launch) })
    }

    /// Passes on each window once, with its launch.
    pub fn launches(
        &self,
        parts: Vec<FittedWindow>,
    ) -> impl Iterator<Item = (Window, Launch)> + use<'_> {
        parts.into_iter().map(|FittedWindow { window, launch }| {
            let launch = launch.unwrap_or_else(|| self.launch(&window));
            (window, launch)
        })
    }

    fn launch(&self, window: &Window) -> Launch {
        let result = window.result_layout(self.spare);
        planner::plan(self.ir, self.limits, window, self.layout, result)
    }
}

/// Returns the maximum number of elements of a window by the bound on the work of a submission.
fn most_elements(ir: &KernelIr, limits: &PlanLimits) -> u64 {
    let most = limits.tuning.max_work_per_submission;
    if most == u64::MAX {
        return most;
    }
    let few_windows = elements(&ir.space).div_ceil(MAX_WINDOWS as u64 / 8);
    (most / ir.element_work()).max(MIN_ELEMENTS).max(few_windows)
}
