//! Widens the rows that a kernel writes to a destination to whole units: surplus elements are
//! replaced by those already there.
//!
//! Rows that begin or end within a unit would be stored element by element. Since one invocation
//! writes a whole unit, it can read it first. Only the first and the last unit of a row need to.

use crate::kernel::body::{KernelConstant, KernelOp, ValueRef};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{Load, LoadSource, leaves};
use crate::kernel::output::{Edges, Placed};
use crate::layout::QUAD;
use crate::limits::PlanLimits;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;

/// Multiples of elements at which rows are made to begin and end, the best first: from the largest
/// unit of most types down to a quad.
const GRANULES: [usize; 4] = [32, 16, 8, 4];

/// The rows of an array between two kernels are made longer by at most one element of this many.
const MOST_ADDED: usize = 8;

/// Arrays allocated by the library are padded to a multiple of this number of bits.
const PADDING_BITS: u64 = 64 * 8;

/// Returns a kernel with a destination whose rows are widened; `None` if they are whole already, or
/// cannot be widened.
pub(crate) fn widened(ir: &KernelIr, limits: &PlanLimits) -> Option<KernelIr> {
    // A fold stores what it has folded, not its map's values.
    if ir.fold.is_some() {
        return None;
    }
    let rows = Rows::of(ir)?;
    let mut wide = ir.clone();
    stretch(&mut wide, &rows);
    let width = ir.space.dims()[rows.inner];
    keep_edges(&mut wide, rows.inner, [rows.before, rows.before + width]);
    // Its parameters must not take a binding that does not exist.
    (!wide.may_need_table(limits) || ir.may_need_table(limits)).then_some(wide)
}

/// Widens the rows of a kernel with a destination, and those of the kernel of one output that it
/// copies, which nothing else reads, so that both write whole units. Returns false, and changes
/// nothing, if they cannot be widened, or if that would take much memory.
pub(crate) fn widen_both(from: &mut KernelIr, copy: &mut KernelIr, limits: &PlanLimits) -> bool {
    let Some(rows) = Rows::of(copy) else { return false };
    let width = copy.space.dims()[rows.inner];
    let is_in_order =
        copy.map.loads[0].offset == 0 && copy.map.loads[0].strides == signed(copy.space.strides());
    let are_alike = is_in_order && from.outputs.len() == 1 && from.space == copy.space;
    // Functions with loops must not see elements outside.
    if !are_alike
        || from.fold.is_some()
        || from.has_loops()
        || rows.size - width > width / MOST_ADDED
    {
        return false;
    }
    let (mut wide, mut wide_copy) = (from.clone(), copy.clone());
    stretch(&mut wide, &rows);
    wide.shape = wide.space.clone();
    wide.outputs[0].strides = wide.space.strides();
    stretch(&mut wide_copy, &rows);
    let load = &mut wide_copy.map.loads[0];
    load.shape = wide.space.clone();
    load.strides = signed(wide.space.strides());
    (load.offset, load.clamped) = (0, false);
    keep_edges(&mut wide_copy, rows.inner, [rows.before, rows.before + width]);
    let needs_table = |ir: &KernelIr| ir.may_need_table(limits);
    if needs_table(&wide) && !needs_table(from) || needs_table(&wide_copy) {
        return false;
    }
    (*from, *copy) = (wide, wide_copy);
    true
}

/// Adds elements before and after each row. Where they lead outside of an operand, any element of
/// it is read.
fn stretch(ir: &mut KernelIr, &Rows { inner, before, size }: &Rows) {
    let mut dims = ir.space.dims().to_vec();
    dims[inner] = size;
    for load in &mut ir.map.loads {
        load.offset =
            load.offset.wrapping_sub(load.strides[inner].wrapping_mul(before.cast_signed()));
        load.clamped |=
            load.array().is_some() && leaves(load.offset, &load.strides, &dims, &load.shape);
        load.dimensions = None;
    }
    ir.space = Shape::from(dims);
    if let Some(placed) = &mut ir.destination {
        placed.offset -= before;
    }
}

pub(super) fn signed(strides: Vec<usize>) -> Vec<isize> {
    strides.into_iter().map(usize::cast_signed).collect()
}

/// The rows of a kernel's destination.
struct Rows {
    /// The dimension of the space along which a row goes.
    inner: usize,
    /// Elements that are added before each row.
    before: usize,
    /// Elements of the widened rows.
    size: usize,
}

impl Rows {
    /// Returns how the rows are widened; `None` if they are whole already, or cannot be widened.
    fn of(ir: &KernelIr) -> Option<Self> {
        let Placed { begin, offset, end, is_own, is_whole, .. } = ir.destination.as_ref()?;
        let (element_type, strides) = (ir.outputs[0].element_type, ir.output_strides());
        let dims = ir.space.dims();
        if *is_whole && *is_own || dims.contains(&0) {
            return None;
        }
        let inner = dims.iter().rposition(|&size| size > 1)?;
        if strides[inner] != 1 {
            return None;
        }
        // The lower bits of an iota would be those of negative numbers.
        let is_long = |load: &Load| load.source == LoadSource::Iota && load.is_long_as_iota();
        if ir.map.loads.iter().any(|load| is_long(load) && load.strides[inner] != 0) {
            return None;
        }
        let outer = || (0..inner).filter(|&d| dims[d] > 1).map(|d| strides[d]);
        let nearest = outer().min().unwrap_or(usize::MAX);
        let last = dims.iter().zip(strides).map(|(&size, &stride)| (size - 1) * stride);
        let last_row = offset + last.sum::<usize>() - (dims[inner] - 1);
        let padded = if *is_own {
            end.next_multiple_of(PADDING_BITS / element_type.bits() as u64)
        } else {
            *end
        };
        let least = element_type.elements_per_word().max(QUAD);
        if offset.is_multiple_of(least) && dims[inner].is_multiple_of(least) {
            return None;
        }
        GRANULES.into_iter().filter(|&granule| granule >= least).find_map(|granule| {
            let before = offset % granule;
            let size = (before + dims[inner]).next_multiple_of(granule);
            let fits = outer().all(|stride| stride.is_multiple_of(granule))
                && size <= nearest
                && u32::try_from(size).is_ok()
                // Memory before the array belongs to the caller.
                && before <= offset - begin
                && (last_row - before + size) as u64 <= padded;
            let is_wider = size > dims[inner];
            (fits && is_wider).then_some(Self { inner, before, size })
        })
    }
}

/// Selects the existing values before the first and after the last element of each row.
fn keep_edges(ir: &mut KernelIr, inner: usize, [first, behind]: [usize; 2]) {
    let (mut value, of) = (ir.outputs[0].value, ir.outputs[0].element_type);
    // Storing a narrow float makes a NaN quiet, so its bits are kept as those of an integer.
    let as_bits = match of {
        ElementType::F16 | ElementType::Bf16 => ElementType::U16,
        other => other,
    };
    if as_bits != of {
        value = add(ir, Opcode::BitcastConvertType, [of, as_bits], vec![value]);
    }
    let mut along = vec![0; ir.space.rank()];
    along[inner] = 1;
    let index = add_load(ir, LoadSource::Iota, ElementType::U32, along);
    let loads = ir.map.loads.len();
    let strides = ir.output_strides().iter().map(|stride| stride.cast_signed()).collect();
    let there = add_load(ir, LoadSource::Destination(0), as_bits, strides);
    let first_op = ir.map.ops.len();
    let bounds = [(Opcode::Ge, first), (Opcode::Lt, behind)];
    let ends = bounds.into_iter().filter(|&(_, at)| at != 0 && at != ir.space.dims()[inner]);
    let mut is_inside = None;
    for (opcode, at) in ends.collect::<Vec<_>>() {
        ir.map.constants.push(KernelConstant { value: Scalar::new(at as u32), node: None });
        let bound = ValueRef::Constant(ir.map.constants.len() - 1);
        let operands = vec![ValueRef::Load(index), bound];
        let compared = add(ir, opcode, [ElementType::U32, ElementType::Pred], operands);
        is_inside = Some(match is_inside {
            Some(other) => add(ir, Opcode::And, [ElementType::Pred; 2], vec![other, compared]),
            None => compared,
        });
    }
    // Rows that are wider have an end.
    let Some(is_inside) = is_inside else { return };
    let operands = vec![is_inside, value, ValueRef::Load(there)];
    let kept = add(ir, Opcode::Select, [as_bits; 2], operands);
    let is_new = there == loads;
    let edges = Edges { index, there: is_new.then_some(there), first_op };
    let output = &mut ir.outputs[0];
    (output.value, output.element_type, output.edges) = (kept, as_bits, Some(edges));
}

/// Returns the number of a load, which is added unless it is one of existing memory that is there.
fn add_load(
    ir: &mut KernelIr,
    source: LoadSource,
    element_type: ElementType,
    strides: Vec<isize>,
) -> usize {
    let is_it = |load: &Load| load.source == source && load.element_type == element_type;
    if source == LoadSource::Destination(0)
        && let Some(known) = ir.map.loads.iter().position(is_it)
    {
        return known;
    }
    let shape = ir.space.clone();
    let load = Load {
        source,
        element_type,
        shape,
        dimensions: None,
        offset: 0,
        strides,
        folded: Vec::new(),
        clamped: false,
        table: false,
    };
    ir.map.loads.push(load);
    ir.map.loads.len() - 1
}

/// Adds an operation on elements of one type whose result has another.
fn add(
    ir: &mut KernelIr,
    opcode: Opcode,
    [from, element_type]: [ElementType; 2],
    operands: Vec<ValueRef>,
) -> ValueRef {
    let precision = Precision::default();
    ir.map.ops.push(KernelOp { opcode, from, element_type, operands, precision, call: None });
    ValueRef::Op(ir.map.ops.len() - 1)
}
