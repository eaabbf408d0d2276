//! Chooses how each load of a kernel is read: in whole words, one by one, or once for several
//! elements.

use std::fmt;

use super::schedule::{Schedule, ScheduleChoice};
use super::space::{MAX_STEP, Space, split_inner};
use super::window::Window;
use crate::compile::kernel::ir::KernelIr;
use crate::compile::kernel::load::{ArrayId, LoadSource};
use crate::compile::layout::{Layout, LoadWidth, elements};
use crate::semantics::element::ElementType;

/// How an operand is read for the neighbouring elements that an invocation computes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// The elements are also neighbours in the operand, and are loaded in whole words.
    Contiguous,
    /// All of them use one element of the operand.
    Splat,
    /// The elements are every second, third or fourth one of the operand, or in reverse order, or
    /// begin within a word: whole words are loaded, and a part of them is used.
    Strided,
    /// The elements are neighbours along another dimension: they are loaded along that one for a
    /// block of rows, and transposed in registers.
    Transposed,
    /// One element of the operand is used up to the end of a row, and another one from there on.
    Split,
    /// Each is loaded by itself.
    Gather,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contiguous => "contiguous",
            Self::Splat => "splat",
            Self::Strided => "strided",
            Self::Transposed => "transposed",
            Self::Split => "split",
            Self::Gather => "gather",
        })
    }
}

/// How one load is read, which depends on the width of its binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LoadMode {
    pub(crate) access: Access,
    /// The distance in elements between neighbours, if they are read in words. In short kernels it
    /// is 1 if the elements of a row differ, else 0.
    pub(crate) step: i32,
    /// The lane of the first element in its word, if they are read in words.
    pub(crate) phase: u32,
}

impl LoadMode {
    fn by(access: Access) -> Self {
        Self { access, step: 0, phase: 0 }
    }

    /// Returns true if whole words are loaded.
    pub(crate) fn in_words(self) -> bool {
        matches!(self.access, Access::Contiguous | Access::Strided | Access::Transposed)
    }
}

/// A load, as a kernel's text depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KernelLoad {
    /// The number of the binding: inputs first, then the outputs; `None` for an iota.
    pub(crate) binding: Option<usize>,
    pub(crate) element_type: ElementType,
    pub(crate) mode: LoadMode,
    /// True if it is the same in every row of a tile.
    pub(crate) hoisted: bool,
    /// True if its elements are in the same order as the result's.
    pub(crate) dense: bool,
    /// True for an iota whose values have upper 32 bits other than 0.
    pub(crate) high: bool,
    /// True if it reads within its binding even where its position is outside.
    pub(crate) clamped: bool,
}

/// The facts that determine load modes. Lists of loads are by their number.
pub(super) struct LoadPlanner<'a> {
    pub(super) ir: &'a KernelIr,
    pub(super) window: &'a Window,
    pub(super) space: &'a Space,
    pub(super) choice: ScheduleChoice,
    /// True if 32 bytes may be loaded at once.
    pub(super) wide: bool,
}

impl LoadPlanner<'_> {
    /// Returns the width of each input binding, and how each load is read. `written` are the
    /// widths of the outputs, which loads of existing memory have; empty if elements are stored one
    /// by one.
    pub(super) fn plan(
        &self,
        layout: impl Fn(ArrayId) -> Layout,
        written: &[LoadWidth],
    ) -> (Vec<LoadWidth>, Vec<KernelLoad>) {
        let count = self.ir.map.loads.len();
        let mut modes: Vec<LoadMode> = (0..count).map(|load| self.iota(load)).collect();
        let mut widths = Vec::with_capacity(self.window.bindings.arrays.len());
        for binding in 0..self.window.bindings.arrays.len() {
            let bound = |&load: &usize| self.window.bindings.of_loads[load] == Some(binding);
            let loads: Vec<usize> = (0..count).filter(bound).collect();
            let (width, chosen) =
                self.binding(layout(self.window.bindings.arrays[binding]), &loads);
            widths.push(width);
            for (load, mode) in loads.into_iter().zip(chosen) {
                modes[load] = mode;
            }
        }
        for (load, mode) in modes.iter_mut().enumerate() {
            let LoadSource::Destination(output) = self.ir.map.loads[load].source else { continue };
            let in_words = written.get(output).and_then(|&width| self.by_word(load, width));
            *mode = in_words.unwrap_or_else(|| self.by_element(load));
        }
        let loads = modes.into_iter().enumerate().map(|(load, mode)| self.load(load, mode));
        (widths, loads.collect())
    }

    fn load(&self, load: usize, mode: LoadMode) -> KernelLoad {
        let (binding, strides) = (self.window.bindings.of_loads[load], &self.space.strides[load]);
        let in_rows = !matches!(self.choice.schedule, Schedule::Flat | Schedule::Carry);
        KernelLoad {
            binding,
            element_type: self.ir.map.loads[load].element_type,
            mode,
            hoisted: if in_rows {
                strides[self.choice.row] == 0
            } else {
                mode.access == Access::Splat
            },
            dense: mode.access == Access::Contiguous
                && self.space.is_dense(strides, self.space.rank()),
            high: binding.is_none()
                && self.ir.map.loads[load].is_long_as_iota()
                && self.window.offsets[load] >> 32 != 0,
            clamped: self.ir.map.loads[load].clamped,
        }
    }

    /// Returns the width of a binding shared by these loads, and how each is read. As many as
    /// possible are read in whole words, and the words are as large as possible.
    fn binding(&self, layout: Layout, loads: &[usize]) -> (LoadWidth, Vec<LoadMode>) {
        // Loads of several element widths may share one array.
        let bits = loads.iter().map(|&load| self.ir.map.loads[load].element_type.bits());
        let (narrowest, widest) = (bits.clone().min().unwrap_or(32), bits.max().unwrap_or(32));
        let by_elements = loads.iter().map(|&load| self.by_element(load)).collect();
        let mut best = (0, LoadWidth::min_for(widest), by_elements);
        let unit_bytes = elements(self.choice.quads) * narrowest / 8;
        for width in LoadWidth::dividing(unit_bytes, self.wide) {
            if width.bytes() * 8 < widest
                || !(layout.granularity as usize).is_multiple_of(width.bytes())
            {
                continue;
            }
            let modes: Vec<LoadMode> = loads
                .iter()
                .map(|&load| self.by_word(load, width).unwrap_or_else(|| self.by_element(load)))
                .collect();
            let count = modes.iter().filter(|mode| mode.in_words()).count();
            if count > best.0 {
                best = (count, width, modes);
            }
        }
        (best.1, best.2)
    }

    /// Returns how an iota is read, which needs no memory.
    fn iota(&self, load: usize) -> LoadMode {
        let schedule = self.choice.schedule;
        let periodic = matches!(schedule, Schedule::Periods | Schedule::Short | Schedule::Carry);
        match self.space.strides[load].last() {
            Some(1) if !periodic => LoadMode { access: Access::Contiguous, step: 1, phase: 0 },
            _ => self.by_element(load),
        }
    }

    fn by_element(&self, load: usize) -> LoadMode {
        let strides = &self.space.strides[load];
        let (inner, outer) = split_inner(strides);
        let schedule = self.choice.schedule;
        let unit_in_a_row = matches!(schedule, Schedule::Flat | Schedule::Rows | Schedule::Blocks);
        LoadMode::by(match schedule {
            _ if inner == 0 && (unit_in_a_row || outer.iter().all(|&s| s == 0)) => Access::Splat,
            // At most one row ends within a unit.
            Schedule::Periods
                if inner == 0 && self.space.inner() >= elements(self.choice.quads) =>
            {
                if strides[self.choice.row] == 0 { Access::Splat } else { Access::Split }
            }
            Schedule::Short => {
                return LoadMode { access: Access::Gather, step: i32::from(inner != 0), phase: 0 };
            }
            _ => Access::Gather,
        })
    }

    fn by_word(&self, load: usize, width: LoadWidth) -> Option<LoadMode> {
        let (strides, offset) = (&self.space.strides[load], self.window.offsets[load]);
        let row = self.choice.row;
        let lanes = width.elements(self.ir.map.loads[load].element_type).cast_signed();
        let aligned = |stride: isize| stride % lanes == 0;
        let (inner, outer) = split_inner(strides);
        let contiguous = LoadMode { access: Access::Contiguous, step: 1, phase: 0 };
        let offset_aligned = offset % lanes as i64 == 0;
        match self.choice.schedule {
            Schedule::Carry => {
                let dense = self.space.is_dense(strides, self.space.rank());
                (dense && offset_aligned).then_some(contiguous)
            }
            Schedule::Periods | Schedule::Short => {
                let dense = self.space.is_dense(strides, 2);
                let fits = offset_aligned && strides[..row].iter().all(|&s| aligned(s));
                (dense && fits).then_some(contiguous)
            }
            Schedule::Blocks if inner.abs() > MAX_STEP => {
                let along_rows = strides[row] == 1 && lanes as usize == elements(self.choice.quads);
                let mut others = strides.iter().enumerate().filter(|(d, _)| *d != row);
                let fits = offset_aligned && others.all(|(_, &s)| aligned(s));
                (along_rows && fits).then_some(LoadMode::by(Access::Transposed))
            }
            Schedule::Flat | Schedule::Rows | Schedule::Blocks => {
                if inner == 0 || inner.abs() > MAX_STEP || !outer.iter().all(|&s| aligned(s)) {
                    return None;
                }
                let phase = offset.rem_euclid(lanes as i64) as u32;
                if inner == 1 && phase == 0 {
                    return Some(contiguous);
                }
                Some(LoadMode { access: Access::Strided, step: inner as i32, phase })
            }
        }
    }
}
