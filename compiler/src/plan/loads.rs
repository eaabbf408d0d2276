//! Chooses how each load of a kernel is read.

use super::access::{Access, KernelLoad, LoadMode};
use super::input::PlanInput;
use super::walk::kinds::Walk;
use super::walk::traverse::{Strided, Traverse};
use crate::kernel::load::{ArrayId, Load, LoadSource};
use crate::layout::{Layout, LoadWidth, elements};

/// The facts that determine load modes. Lists of loads are by their number.
pub(super) struct LoadPlanner<'a> {
    input: &'a PlanInput<'a>,
    walk: &'a dyn Traverse,
    /// The elements of a unit.
    unit: usize,
}

impl<'a> LoadPlanner<'a> {
    pub(super) fn new(input: &'a PlanInput<'_>, walk: &'a Walk, quads: u32) -> Self {
        Self { input, walk: walk.traverse(), unit: elements(quads) }
    }

    /// Returns the width of each input binding, and how each load is read. `written` are the
    /// widths of the outputs, which loads of existing memory have; empty if elements are stored one
    /// by one.
    pub(super) fn plan(
        &self,
        layout: impl Fn(ArrayId) -> Layout,
        written: &[LoadWidth],
    ) -> (Vec<LoadWidth>, Vec<KernelLoad>) {
        let (ir, bindings) = (self.input.ir, &self.input.window.bindings);
        let count = ir.map.loads.len();
        let mut modes: Vec<LoadMode> =
            (0..count).map(|load| self.walk.iota(&self.strided(load))).collect();
        let mut widths = Vec::with_capacity(bindings.arrays.len());
        for binding in 0..bindings.arrays.len() {
            let bound = |&load: &usize| bindings.of_loads[load] == Some(binding);
            let loads: Vec<usize> = (0..count).filter(bound).collect();
            let (width, chosen) = self.binding(layout(bindings.arrays[binding]), &loads);
            widths.push(width);
            for (load, mode) in loads.into_iter().zip(chosen) {
                modes[load] = mode;
            }
        }
        for (load, mode) in modes.iter_mut().enumerate() {
            let LoadSource::Destination(output) = ir.map.loads[load].source else { continue };
            let in_words = written.get(output).and_then(|&width| self.by_word(load, width));
            *mode = in_words.unwrap_or_else(|| self.by_element(load));
        }
        let loads = modes.into_iter().enumerate().map(|(load, mode)| self.load(load, mode));
        (widths, loads.collect())
    }

    fn load(&self, load: usize, mode: LoadMode) -> KernelLoad {
        let PlanInput { ir, window, space, .. } = *self.input;
        let (binding, strides) = (window.bindings.of_loads[load], &space.strides[load]);
        KernelLoad {
            binding,
            element_type: ir.map.loads[load].element_type,
            mode,
            hoisted: match self.walk.row(space.rank()) {
                Some(row) => strides[row] == 0,
                None => mode.access == Access::Splat,
            },
            dense: mode.access == Access::Contiguous && space.is_dense(strides, space.rank()),
            high: binding.is_none()
                && ir.map.loads[load].is_long_as_iota()
                && window.offsets[load] >> 32 != 0,
            clamped: ir.map.loads[load].clamped || self.walk.reads_past(),
            table: ir.map.loads[load].table,
        }
    }

    /// Returns the width of a binding shared by these loads, and how each is read. As many as
    /// possible are read in whole words, and the words are as large as possible.
    fn binding(&self, layout: Layout, loads: &[usize]) -> (LoadWidth, Vec<LoadMode>) {
        // Loads of several element widths may share one array.
        let bits = loads.iter().map(|&load| self.input.ir.map.loads[load].element_type.bits());
        let (narrowest, widest) = (bits.clone().min().unwrap_or(32), bits.max().unwrap_or(32));
        let by_elements = loads.iter().map(|&load| self.by_element(load)).collect();
        let mut best = (0, LoadWidth::min_for(widest), by_elements);
        let unit_bytes = self.unit * narrowest / 8;
        for width in LoadWidth::dividing(unit_bytes, self.input.limits.tuning.wide) {
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

    fn by_element(&self, load: usize) -> LoadMode {
        if self.input.ir.map.loads[load].table {
            return LoadMode::by(Access::Splat);
        }
        self.walk.by_element(&self.strided(load))
    }

    fn by_word(&self, load: usize, width: LoadWidth) -> Option<LoadMode> {
        let Load { element_type, clamped, table, .. } = self.input.ir.map.loads[load];
        let lanes = width.elements(element_type);
        // In words of several elements, the text depends on where in a word the first one is.
        if table || lanes > 1 && clamped && self.input.is_small_shift() {
            return None;
        }
        self.walk.by_word(&self.strided(load), lanes.cast_signed())
    }

    fn strided(&self, load: usize) -> Strided<'a> {
        let PlanInput { window, space, .. } = *self.input;
        let (strides, offset) = (&space.strides[load][..], window.offsets[load]);
        Strided { strides, offset, space, unit: self.unit }
    }
}
