//! [`Target`]: an array, or a part of one, that a computation writes. Decides by who else holds it
//! where its new elements go, and records the commands, for the context itself and for caller-owned
//! encoders. What the computation reads there decides in `compiler/src/kernel/destination.rs`
//! whether a kernel writes the result directly.

use std::sync::Arc;

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::view_mut::AnyViewMut;
use crate::device::context::Context;
use crate::device::memory::encoding::{Encoding, Role};
use crate::device::memory::pool::BufferUse;
use crate::device::recording::reclaim;
use crate::device::run::bound::Bound;
use crate::device::run::encode::check_encoded;
use crate::device::run::execute::{self, DispatchSink, Existing, Inputs, Recorded};
use indim_compiler::kernel::destination::Destination;
use indim_core::errors::array::ArrayError;
use indim_core::graph::builder::Builder;
use indim_core::graph::computation::Computation;
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::device_bytes;
use indim_core::semantics::shape::Shape;

/// An array that a computation is written to, or a part of it.
pub(crate) struct Target<'a> {
    /// Reassigned after the last step that can fail, if the elements are in other memory.
    pub(crate) array: &'a mut AnyArray,
    pub(crate) destination: Destination,
    /// The number of arguments that are the array itself.
    pub(crate) self_arguments: usize,
}

/// How a target is written without other holders of its memory seeing it change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// In its own memory: nobody else holds it, or all holders are to see the change.
    InPlace,
    /// In new memory, without the elements that it has: all of it is written.
    Fresh,
    /// In new memory, to which the commands first copy its elements: a part of it is written.
    CopyFirst,
    /// In a copy of it, which has its elements whether or not the commands are ever submitted: they
    /// are in a caller-owned encoder.
    CopyBefore,
}

/// The place of a target's new elements.
pub(crate) struct Site {
    /// The array to be written: the target itself, or one that takes its place once all is
    /// recorded. `None` for whichever array the result is in.
    pub(crate) array: Option<AnyArray>,
    /// The commands' use of that array.
    pub(crate) role: Role,
    /// The array whose elements the commands first copy there.
    pub(crate) copied: Option<AnyArray>,
    /// True if another array may take the target's place, if it cannot be written directly.
    may_move: bool,
    /// True if there is nothing to write.
    is_empty: bool,
}

impl Site {
    /// Returns true if commands of the context may write the target's own memory. (In an encoder a
    /// copy has the same role.)
    pub(crate) fn is_in_place(&self) -> bool {
        self.role == Role::Target
    }
}

impl<'a> Target<'a> {
    /// Returns the target of a computation on these arguments.
    pub(crate) fn new(view: AnyViewMut<'a>, arguments: &[AnyArray]) -> Self {
        let destination = view.destination();
        let array = view.array;
        let is_it = |argument: &&AnyArray| argument.address() == array.address();
        let self_arguments = arguments.iter().filter(is_it).count();
        Self { array, destination, self_arguments }
    }

    /// Returns true if it has no elements, so that there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.destination.shape.dims().contains(&0)
    }

    /// Returns true if all elements are written, and none of the earlier ones is read.
    pub(crate) fn is_overwritten(&self) -> bool {
        self.destination.is_whole() && self.self_arguments == 0
    }

    fn is_always_in_place(&self) -> bool {
        self.array.storage().is_always_in_place()
    }

    /// Decides how it is written by commands of the context, or in the encoder of a number. Adds
    /// the encodings that must be submitted before or with these commands to `before`.
    ///
    /// In an encoder the target must keep its elements even if the commands are never submitted.
    fn placement(
        &self,
        encoder: Option<u64>,
        before: &mut Vec<Arc<Encoding>>,
    ) -> Result<Placement> {
        let (array, is_whole) = (&*self.array, self.destination.is_whole());
        let (storage, encodings) = (array.storage(), array.storage().encodings());
        // Other holders are those besides the target and the arguments that are the target.
        let is_held = array.holders() > 1 + self.self_arguments;
        let Some(encoder) = encoder else {
            encodings.check()?;
            let is_shared = is_held || encodings.is_any_unsettled() || storage.is_poisoned();
            if !is_shared || self.is_always_in_place() {
                return Ok(Placement::InPlace);
            }
            return Ok(if is_whole { Placement::Fresh } else { Placement::CopyFirst });
        };
        let is_lost = storage.is_poisoned() && is_whole;
        let is_shared = is_held || encodings.is_any_unsettled_outside(encoder) || is_lost;
        if !is_shared || self.is_always_in_place() {
            before.append(&mut check_encoded(&[array])?);
            return Ok(Placement::InPlace);
        }
        if is_lost || encodings.is_written() {
            if encodings.is_written_outside(encoder) {
                return Err(ArrayError::NotSubmitted.into());
            }
            before.extend(encodings.check_encoded()?);
        } else {
            encodings.check()?;
        }
        if is_lost || encodings.is_made() {
            // It has no elements to keep yet.
            return Ok(if is_whole { Placement::Fresh } else { Placement::CopyFirst });
        }
        storage.check_poison()?;
        Ok(Placement::CopyBefore)
    }

    /// Returns the place of its new elements, written by commands of the context, or in the encoder
    /// of a number; see [`Target::placement`].
    pub(crate) fn site(
        &self,
        context: &Context,
        encoder: Option<u64>,
        before: &mut Vec<Arc<Encoding>>,
    ) -> Result<Site> {
        let (old, is_whole) = (&*self.array, self.destination.is_whole());
        let mut site = Site {
            array: None,
            role: Role::Result,
            copied: None,
            may_move: is_whole && !self.is_always_in_place() && encoder.is_none(),
            is_empty: self.is_empty(),
        };
        if site.is_empty {
            (site.array, site.role) = (Some(old.clone()), Role::Operand);
            return Ok(site);
        }
        match self.placement(encoder, before)? {
            Placement::InPlace => {
                site.array = Some(old.clone());
                site.role = Role::Target;
            }
            Placement::Fresh => {}
            Placement::CopyFirst => {
                let buffer_use = encoder.map_or(BufferUse::Result, |_| BufferUse::Encoded);
                site.array = Some(reclaim::checked_with_retry(&context.inner.stream, || {
                    let (element_type, shape) = (old.element_type(), old.shape());
                    AnyArray::uninitialized(context, element_type, shape, buffer_use)
                })?);
                site.copied = Some(old.clone());
            }
            Placement::CopyBefore => {
                let copy = copy_of(context, old)?;
                copy.loop_statuses().restore(old.loop_statuses().kept());
                // It lacks what commands in the same encoder write to the target before these.
                let is_written = old.storage().encodings().is_written();
                site.copied = (is_written && !is_whole).then(|| old.clone());
                site.array = Some(copy);
                site.role = Role::Target;
            }
        }
        Ok(site)
    }

    /// Returns the elements of an array that are written, if it is the one of its site.
    fn destination_in(&self, array: &AnyArray, arguments: &[AnyArray]) -> Destination {
        let mut destination = self.destination.clone();
        destination.layout = array.storage().layout();
        destination.aliases = aliases(array, arguments);
        destination
    }
}

/// Returns the arguments that are in the same buffer as an array, each with the bits from the array's
/// first element to its own.
fn aliases(array: &AnyArray, arguments: &[AnyArray]) -> Vec<(usize, i64)> {
    let (buffer, start) = array.storage().place();
    let alias = |(number, argument): (usize, &AnyArray)| {
        let (other, offset) = argument.storage().place();
        let bits = offset.cast_signed().wrapping_sub(start.cast_signed()).wrapping_mul(8);
        (other == buffer).then_some((number, bits))
    };
    arguments.iter().enumerate().filter_map(alias).collect()
}

/// Returns the targets of a computation, after checking that they fit its results and that no two
/// of them are the same memory.
pub(crate) fn targets<'a>(
    context: &Context,
    bound: &Bound<'_>,
    views: Vec<AnyViewMut<'a>>,
) -> Result<Vec<Target<'a>>> {
    let (targets, results) = (views.len(), bound.computation.results().len());
    if targets != results {
        return Err(ArrayError::TargetCount { targets, results }.into());
    }
    for (view, (element_type, shape)) in views.iter().zip(bound.computation.results()) {
        view.check(element_type, shape)?;
        if !view.array.context().is(context) {
            return Err(ArrayError::TwoContexts.into());
        }
    }
    for (second, view) in views.iter().enumerate() {
        if let Some(first) = views[..second].iter().position(|other| overlap(other, view)) {
            return Err(ArrayError::SameTarget { first, second }.into());
        }
    }
    Ok(views.into_iter().map(|view| Target::new(view, &bound.arguments)).collect())
}

/// Returns the error of a computation that is given no targets; all have results.
pub(crate) fn none(bound: &Bound<'_>) -> Result<()> {
    let results = bound.computation.results().len();
    Err(ArrayError::TargetCount { targets: 0, results }.into())
}

/// Returns true if two arrays are always written in place and share memory. Any other array gets new
/// memory while two arrays hold its own.
fn overlap(a: &AnyViewMut<'_>, b: &AnyViewMut<'_>) -> bool {
    if ![a, b].iter().all(|view| view.array.storage().is_always_in_place()) {
        return false;
    }
    let [(buffer, range), (other, other_range)] = [a, b].map(|view| {
        let (buffer, start) = view.array.storage().place();
        let bytes = device_bytes(view.element_type(), view.array.shape()).unwrap_or(u64::MAX);
        (buffer, start..start.saturating_add(bytes))
    });
    buffer == other && range.start < other_range.end && other_range.start < range.end
}

/// Returns the memory that the results of a computation on these arguments are written to, given the
/// sites of all targets.
pub(crate) fn existing(targets: &[Target<'_>], sites: &[Site], arguments: &[AnyArray]) -> Existing {
    let mut existing = Existing::default();
    for (target, site) in targets.iter().zip(sites) {
        let array = site.array.clone().filter(|_| !site.is_empty);
        let destination = array.as_ref().map(|array| Destination {
            is_final: !site.may_move,
            ..target.destination_in(array, arguments)
        });
        existing.arrays.push(array);
        existing.destinations.push(destination);
    }
    existing
}

/// Records a computation whose results are written to these sites, and returns the arrays that then
/// hold the targets' elements.
pub(crate) fn write<S: DispatchSink>(
    context: &Context,
    bound: &Bound<'_>,
    (sites, existing): (&[Site], &Existing),
    sink: &mut S,
) -> Result<Vec<AnyArray>> {
    for site in sites {
        if let (Some(from), Some(array)) = (&site.copied, &site.array) {
            let whole = array.clone().view_mut().destination();
            copy(context, from, (array, &whole), sink)?;
        }
    }
    let arguments = bound.borrowed();
    let inputs = execute::inputs(bound, &arguments);
    let Recorded { results, in_place } =
        execute::record(context, &bound.computation, inputs, Some(existing), sink)?;
    let placed = place(context, (sites, existing), (&results, &in_place), sink);
    if let (Err(error), true) = (&placed, S::KEEPS) {
        // Do not compute again from what has been written.
        let overwritten = results.iter().zip(&in_place).filter(|(_, in_place)| **in_place);
        overwritten.for_each(|(array, _)| array.storage().poison(error));
    }
    placed
}

/// Returns the arrays that then hold the targets' elements: those that are written, and those that
/// take a target's place. Records copies of a value that is several results.
fn place<S: DispatchSink>(
    context: &Context,
    (sites, existing): (&[Site], &Existing),
    (results, in_place): (&[AnyArray], &[bool]),
    sink: &mut S,
) -> Result<Vec<AnyArray>> {
    let mut placed: Vec<AnyArray> = Vec::with_capacity(sites.len());
    let mut elsewhere = Vec::new();
    for (number, (site, result)) in sites.iter().zip(results).enumerate() {
        if let (Some(array), true) = (&site.array, in_place[number] || site.is_empty) {
            placed.push(array.clone());
            continue;
        }
        // One value may be several results, and each target has memory of its own.
        let is_taken = results.iter().enumerate().any(|(other, array)| {
            array.address() == result.address() && (other < number || in_place[other])
        });
        if !is_taken && (site.may_move || site.array.is_none()) {
            placed.push(result.clone());
            continue;
        }
        let array = match &site.array {
            Some(array) => array.clone(),
            None => {
                let (element_type, shape) = (result.element_type(), result.shape());
                AnyArray::uninitialized(context, element_type, shape, S::BUFFER_USE)?
            }
        };
        let destination = match &existing.destinations[number] {
            Some(destination) => destination.clone(),
            None => array.clone().view_mut().destination(),
        };
        copy(context, result, (&array, &destination), sink)?;
        elsewhere.push(result.clone());
        placed.push(array);
    }
    sink.free(&mut elsewhere);
    Ok(placed)
}

/// Records that an array of the destination's shape is copied to it.
fn copy<S: DispatchSink>(
    context: &Context,
    from: &AnyArray,
    (array, destination): (&AnyArray, &Destination),
    sink: &mut S,
) -> Result<()> {
    let destination = Destination { aliases: Vec::new(), ..destination.clone() };
    let computation = copying(from, &destination.shape)?;
    let (arrays, destinations) = (vec![Some(array.clone())], vec![Some(destination)]);
    let existing = Existing { arrays, destinations };
    let recorded =
        execute::record(context, &computation, Inputs::new(&[from]), Some(&existing), sink)?;
    if recorded.in_place == [true] { Ok(()) } else { Err(execute::no_kernel()) }
}

/// Returns a copy, in new memory, of an array's elements before the commands in caller-owned
/// encoders that are not yet submitted. It does not check that they are valid.
fn copy_of(context: &Context, array: &AnyArray) -> Result<AnyArray> {
    let computation = copying(array, array.shape())?;
    let existing = Existing { arrays: vec![None], destinations: vec![None] };
    let mut recorded = execute::on_stream(context, &[], |sink| {
        execute::record(context, &computation, Inputs::new(&[array]), Some(&existing), sink)
    })?;
    recorded.results.pop().ok_or_else(execute::no_kernel)
}

/// Returns the computation whose result equals its parameter, an array of this shape.
pub(crate) fn copying(array: &AnyArray, shape: &Shape) -> Result<Computation> {
    let mut builder = Builder::new();
    let parameter = builder.parameter(array.element_type(), shape.clone())?;
    builder.build(parameter)
}
