//! [`Passes`]: rows are walked several times, to fold them and then to store what their elements and
//! the results make.

use super::fold_rows::FoldRows;
use super::traverse::{Counts, Extent, Strided, Traverse};
use crate::kernel::body::{KernelOp, ValueRef, needed};
use crate::kernel::fold::Fold;
use crate::kernel::ir::KernelIr;
use crate::layout::{MAX_QUADS, elements};
use crate::plan::access::{KernelLoad, LoadMode};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::opcode::Cost;

/// The elements stored after the passes that fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stores {
    /// One element for each row.
    Once,
    /// A row, in whole units.
    Units,
    /// A row, element by element.
    Elements,
}

/// A walk in which each invocation, or those of a workgroup together, pass over a row several times.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Passes {
    /// How a pass folds a row.
    pub(crate) rows: FoldRows,
    /// The number of passes that fold.
    pub(crate) folds: usize,
    pub(crate) stores: Stores,
    /// The operation of the map that the last pass that folds stores in the result, and the one of the
    /// epilogue that reads it there.
    pub(crate) kept: Option<[usize; 2]>,
}

impl Passes {
    /// Returns the walk with the quads of its units, if the kernel passes over what it folds several
    /// times.
    pub(super) fn choose(input: &PlanInput<'_>) -> Option<(Self, u32)> {
        let fold = input.ir.fold.as_ref().filter(|fold| fold.has_passes())?;
        let (mut rows, mut quads) = FoldRows::choose(input);
        let count = input.space.folded_count;
        let is_whole = |quads: &u32| count.is_multiple_of(elements(*quads));
        let stores = if !fold.stores_each {
            Stores::Once
        } else if rows.spans_rows {
            Stores::Elements
        } else {
            let mut sizes = [MAX_QUADS, 4, 2, 1].into_iter();
            let whole = sizes.find(|size| *size <= quads && is_whole(size));
            match whole.filter(|&size| size >= input.min_quads()) {
                Some(whole) => {
                    quads = whole;
                    Stores::Units
                }
                None => Stores::Elements,
            }
        };
        rows.whole = is_whole(&quads);
        let folds = fold.passes() - usize::from(fold.stores_each);
        let may_keep = stores == Stores::Units && !input.limits.tuning.folds_together;
        let kept = if may_keep { kept(input.ir, fold) } else { None };
        Some((Self { rows, folds, stores, kept }, quads))
    }
}

/// Returns the last costly value that the last pass that folds computes and the epilogue needs again:
/// storing it in the result, and reading it, takes less than computing it. (Measured on lavapipe,
/// softmax of (4096,1024): 1.36 of its floor, and 1.49 if the exponentials are computed twice.)
fn kept(ir: &KernelIr, fold: &Fold) -> Option<[usize; 2]> {
    let [output] = &ir.outputs[..] else { return None };
    let last = fold.accumulators.iter().filter(|of| of.pass + 2 == fold.passes());
    let values = last.flat_map(|accumulator| accumulator.values.iter().flatten());
    let computed = needed(&ir.map.ops, values, None);
    // The operation of the map that equals each of the epilogue.
    let mut equal: Vec<Option<usize>> = Vec::with_capacity(fold.epilogue.len());
    for op in &fold.epilogue {
        let of_map = |operand: &ValueRef| match *operand {
            ValueRef::Op(number) => equal[number].map(ValueRef::Op),
            other => Some(other),
        };
        let operands: Option<Vec<ValueRef>> = op.operands.iter().map(of_map).collect();
        let same = operands.map(|operands| KernelOp { operands, ..op.clone() });
        equal.push(same.and_then(|same| ir.map.ops.iter().position(|op| *op == same)));
    }
    let varies = varies(ir, fold);
    let may_be_kept = |&(number, of_map): &(usize, usize)| {
        let op = &fold.epilogue[number];
        let is_alike =
            op.element_type == output.element_type && op.element_type == ElementType::F32;
        computed[of_map] && varies[of_map] && is_alike && op.cost().class != Cost::Cheap
    };
    let mut found =
        equal.iter().enumerate().filter_map(|(number, of_map)| Some((number, (*of_map)?)));
    found.rfind(may_be_kept).map(|(number, of_map)| [of_map, number])
}

/// Returns, for each operation of the map, whether it varies along what is folded.
fn varies(ir: &KernelIr, fold: &Fold) -> Vec<bool> {
    let mut varies: Vec<bool> = Vec::with_capacity(ir.map.ops.len());
    for op in &ir.map.ops {
        let of = |operand: &ValueRef| match *operand {
            ValueRef::Op(number) => varies[number],
            ValueRef::Load(number) => {
                let strides = ir.map.loads[number].folded.iter().zip(&fold.sizes);
                strides.into_iter().any(|(&stride, &size)| stride != 0 && size != 1)
            }
            ValueRef::Constant(_) | ValueRef::Folded(_) => false,
        };
        varies.push(op.operands.iter().any(of));
    }
    varies
}

impl Traverse for Passes {
    fn schedule(&self) -> Schedule {
        Schedule::Passes
    }

    fn row(&self, rank: usize) -> Option<usize> {
        self.rows.row(rank)
    }

    fn iota(&self, load: &Strided<'_>) -> LoadMode {
        self.rows.iota(load)
    }

    fn by_element(&self, load: &Strided<'_>) -> LoadMode {
        self.rows.by_element(load)
    }

    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        self.rows.by_word(load, lanes)
    }

    fn reads_past(&self) -> bool {
        self.rows.reads_past()
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        self.rows.fields(rank)
    }

    fn stride_fields(&self, number: usize, load: &KernelLoad, rank: usize) -> Vec<Field> {
        self.rows.stride_fields(number, load, rank)
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        self.rows.counts(extent)
    }
}
