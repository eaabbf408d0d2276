//! [`Destination`]: existing memory into which kernels write results.

use crate::kernel::body::{Body, ValueRef};
use crate::kernel::edges::{self, signed};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, Load, LoadSource};
use crate::kernel::output::{Output, Placed};
use crate::layout::Layout;
use crate::limits::PlanLimits;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::shape::Shape;

/// A dense array, and the elements of it that are written. Positions and distances count elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The shape of the written part.
    pub shape: Shape,
    /// The position of its first element in the array.
    pub offset: usize,
    /// The distance between neighbours along each of its dimensions; negative where the array is
    /// traversed backwards.
    pub strides: Vec<isize>,
    /// The number of elements of the array.
    pub count: usize,
    /// The layout of the array in its binding.
    pub layout: Layout,
    /// The parameters in the same buffer, each with the distance in bits from the array's first
    /// element to its own.
    pub aliases: Vec<(usize, i64)>,
    /// True if the result must be in it at the end, if need be by a copy; false if the array in which
    /// a kernel stores the result may take its place.
    pub is_final: bool,
}

impl Destination {
    /// Returns true if all elements are written, in their order.
    pub fn is_whole(&self) -> bool {
        self.offset == 0
            && self.shape.element_count() == Ok(self.count)
            && are_alike(&self.strides, &signed(self.shape.strides()), self.shape.dims())
    }

    /// Makes a kernel that writes one array of this shape write to the destination. Returns `None`
    /// if it cannot: it would overwrite elements that it has yet to read, or the dimensions of its
    /// space are not the destination's.
    fn place(&self, mut ir: KernelIr) -> Option<KernelIr> {
        let mut strides = if self.is_whole() {
            signed(ir.output_strides().to_vec())
        } else if ir.stored() == 1 {
            self.strides_in(&ir.space)?
        } else {
            return None;
        };
        self.read_in_place(&mut ir, 0, &strides)?;
        let mut offset = self.offset;
        for (dimension, stride) in strides.iter_mut().enumerate().filter(|(_, s)| **s < 0) {
            // The same elements in the opposite order.
            let last = ir.space.dims()[dimension].saturating_sub(1).cast_signed();
            offset = offset.wrapping_add_signed(stride.wrapping_mul(last));
            *stride = stride.wrapping_neg();
            ir.map.loads.iter_mut().for_each(|load| turn(load, dimension, last));
        }
        let output = &mut ir.outputs[0];
        output.strides = strides.into_iter().map(isize::unsigned_abs).collect();
        let element_type = output.element_type;
        let before = element_type.elements_in(u64::from(self.layout.offset));
        ir.destination = Some(Placed {
            begin: before as usize,
            offset: before as usize + offset,
            end: before + self.count as u64,
            granularity: self.layout.granularity,
            is_own: self.layout == Layout::OWN,
            is_whole: self.is_whole(),
        });
        Some(ir)
    }

    /// Returns true if it is all of an array of the library, whose elements other kernels can read
    /// there.
    fn is_own_array(&self) -> bool {
        self.is_whole() && self.layout == Layout::OWN
    }

    /// Makes a kernel write one of its outputs to the destination. Returns `None` if it cannot, or
    /// if it would overwrite elements that it or one of the `later` kernels has yet to read.
    fn written_by(&self, kernel: &KernelIr, output: usize, later: &[KernelIr]) -> Option<KernelIr> {
        let mut later = later.iter().flat_map(|kernel| &kernel.map.loads);
        if later.any(|load| self.distance(load).is_some()) {
            return None;
        }
        match kernel.outputs.as_slice() {
            // If a destination's elements have neighbours, a kernel computes positions outside of
            // the result and keeps the values there; functions with loops must not see those.
            [_] if kernel.has_loops() => None,
            [_] => self.place(kernel.clone()),
            _ => self.place_one_of(kernel.clone(), output),
        }
    }

    /// Makes a kernel that copies an output of another one to the destination.
    fn copy(&self, from: &KernelIr, output: usize) -> Option<KernelIr> {
        let output = &from.outputs[output];
        let load = Load {
            source: LoadSource::Array(ArrayId::Stored(output.node)),
            element_type: output.element_type,
            shape: from.shape.clone(),
            dimensions: None,
            offset: 0,
            strides: signed(from.shape.strides()),
            folded: Vec::new(),
            clamped: false,
            table: false,
        };
        let copied = Output {
            value: ValueRef::Load(0),
            strides: from.shape.strides(),
            is_result: true,
            ..output.clone()
        };
        self.place(KernelIr {
            space: from.shape.clone(),
            map: Body { loads: vec![load], ..Body::default() },
            fold: None,
            loop_calls: Vec::new(),
            outputs: vec![copied],
            shape: from.shape.clone(),
            destination: None,
        })
    }

    /// Makes one of a kernel's several outputs be written to the destination. Returns `None` if that
    /// is not all of an array of the library, or if the kernel would overwrite elements that it has
    /// yet to read.
    fn place_one_of(&self, mut ir: KernelIr, output: usize) -> Option<KernelIr> {
        if !self.is_own_array() {
            return None;
        }
        let strides = signed(ir.output_strides().to_vec());
        self.read_in_place(&mut ir, output, &strides)?;
        Some(ir)
    }

    /// Makes loads of the destination's memory read it as an output, which has these strides.
    /// Returns `None` if one of them reads elements other than the one written at its position.
    fn read_in_place(&self, ir: &mut KernelIr, output: usize, strides: &[isize]) -> Option<()> {
        let written = ir.outputs[output].element_type;
        for load in &mut ir.map.loads {
            let Some(bits) = self.distance(load) else { continue };
            let each = load.element_type.bits() as i64;
            let place = (bits % each == 0).then_some(bits / each)?;
            let offset = place.checked_add(load.offset as i64)?;
            let is_own_place = offset == self.offset as i64
                && !load.table
                && load.folded.iter().all(|&stride| stride == 0)
                && load.element_type == written
                && are_alike(&load.strides, strides, ir.space.dims());
            if !is_own_place {
                return None;
            }
            load.source = LoadSource::Destination(output);
            // All positions of the kernel's space are in the destination.
            load.clamped = false;
        }
        Some(())
    }

    /// Returns the distance in bits from the first element of the array to that of the array that a
    /// load reads, if both are in one buffer.
    fn distance(&self, load: &Load) -> Option<i64> {
        let Some(ArrayId::Parameter(parameter)) = load.array() else { return None };
        self.aliases.iter().find(|alias| alias.0 == parameter).map(|&(_, bits)| bits)
    }

    /// Returns the distance for each dimension of a space whose dimensions are those of the shape,
    /// or parts of these.
    fn strides_in(&self, space: &Shape) -> Option<Vec<isize>> {
        let mut strides = vec![0; space.rank()];
        let mut dimension = space.rank();
        for (&size, &stride) in self.shape.dims().iter().zip(&self.strides).rev() {
            let mut inner = 1usize;
            while inner != size {
                dimension = dimension.checked_sub(1)?;
                strides[dimension] = stride.wrapping_mul(inner.cast_signed());
                inner = inner.checked_mul(space.dims()[dimension])?;
                if inner > size {
                    return None;
                }
            }
        }
        let rest = &space.dims()[..dimension];
        rest.iter().all(|&size| size == 1).then_some(strides)
    }
}

/// Makes kernels, given in order of execution, write results to existing memory. There is a
/// destination for each of the `roots`, or `None`. Where a kernel would overwrite elements that are
/// yet to be read, or one value is several results, a kernel at the end copies the result, unless the
/// destination need not hold it. Outputs of these have numbers from `first_number` on.
pub(crate) fn place(
    mut kernels: Vec<KernelIr>,
    roots: &[NodeId],
    destinations: &[Option<Destination>],
    first_number: NodeId,
    limits: &PlanLimits,
) -> Vec<KernelIr> {
    let mut copies = Vec::new();
    for (result, destination) in destinations.iter().enumerate() {
        let Some(destination) = destination else { continue };
        let root = roots[result];
        let output_of = |kernel: &KernelIr| kernel.outputs.iter().position(|o| o.node == root);
        let mut outputs = kernels.iter().map(output_of).enumerate();
        let Some((number, output)) = outputs.find_map(|(n, output)| Some((n, output?))) else {
            continue;
        };
        let is_repeated = roots.iter().filter(|&&other| other == root).count() > 1;
        let later = &kernels[number + 1..];
        let reads = |load: &Load| load.array() == Some(ArrayId::Stored(root));
        let is_read = is_repeated || later.iter().any(|kernel| kernel.map.loads.iter().any(reads));
        let is_first = roots.iter().position(|&other| other == root) == Some(result);
        let may_be_direct = is_first && (!is_read || destination.is_own_array());
        let direct = || destination.written_by(&kernels[number], output, later);
        if let Some(mut written) = may_be_direct.then(direct).flatten() {
            written.outputs[output].existing = Some(result);
            kernels[number] = edges::widened(&written, limits).unwrap_or(written);
        } else if destination.is_final
            && let Some(mut copy) = destination.copy(&kernels[number], output)
        {
            copy.outputs[0].node = first_number + result;
            copy.outputs[0].existing = Some(result);
            let kernel = &mut kernels[number];
            kernel.outputs[output].is_result = is_repeated;
            if is_read || !edges::widen_both(kernel, &mut copy, limits) {
                copy = edges::widened(&copy, limits).unwrap_or(copy);
            }
            copies.push(copy);
        }
    }
    kernels.extend(copies);
    kernels
}

/// Makes a load traverse a dimension backwards; `last` is the last index.
fn turn(load: &mut Load, dimension: usize, last: isize) {
    let stride = &mut load.strides[dimension];
    load.offset = load.offset.wrapping_add(stride.wrapping_mul(last));
    *stride = stride.wrapping_neg();
    load.dimensions = None;
}

/// Returns true if strides visit the same elements of a space of these sizes.
fn are_alike(a: &[isize], b: &[isize], sizes: &[usize]) -> bool {
    a.iter().zip(b).zip(sizes).all(|((a, b), &size)| size <= 1 || a == b)
}
