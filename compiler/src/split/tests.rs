//! Tests windows on plans alone: they partition the space exactly, and bind the bytes that the
//! kernel reads and writes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::rc::Rc;

use super::bind::bind;
use super::boxes::{Splitter, dot};
use super::window_planner::{FittedWindow, SplitError, WindowPlanner};
use super::windows;
use crate::kernel::body::{Body, ValueRef};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, Load, LoadSource, leaves};
use crate::kernel::output::Output;
use crate::layout::Layout;
use crate::limits::{DeviceLimits, PlanLimits};
use crate::plan::planner::Launch;
use crate::plan::window::{Bindings, Window, elements};
use indim_core::graph::region;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::shape::Shape;

fn parameter(number: usize) -> LoadSource {
    LoadSource::Array(ArrayId::Parameter(number))
}

fn load(source: LoadSource, shape: &[usize], offset: isize, strides: &[isize]) -> Load {
    Load {
        source,
        element_type: ElementType::F32,
        shape: Shape::from(shape),
        dimensions: None,
        offset,
        strides: strides.to_vec(),
        folded: Vec::new(),
        clamped: false,
        table: false,
    }
}

fn kernel(space: &[usize], element_type: ElementType, mut loads: Vec<Load>) -> KernelIr {
    for load in loads.iter_mut().filter(|load| load.source != LoadSource::Iota) {
        load.clamped = leaves(load.offset, &load.strides, space, &load.shape);
    }
    KernelIr {
        outputs: vec![Output {
            node: 0,
            is_result: true,
            element_type,
            value: ValueRef::Load(0),
            strides: Shape::from(space).strides(),
            edges: None,
            existing: None,
        }],
        loop_calls: Vec::new(),
        shape: Shape::from(space),
        space: Shape::from(space),
        map: Body { loads, ..Body::default() },
        fold: None,
        destination: None,
    }
}

fn limits(most: u64, alignment: u32) -> PlanLimits {
    PlanLimits {
        device: DeviceLimits {
            max_storage_buffer_binding_size: most,
            min_storage_buffer_offset_alignment: alignment,
            ..DeviceLimits::default()
        },
        ..PlanLimits::default()
    }
}

/// The index in the space of a position in its row-major order.
fn index(dims: &[usize], mut position: u64) -> Vec<usize> {
    let mut index = vec![0; dims.len()];
    for (place, &size) in index.iter_mut().zip(dims).rev() {
        *place = (position % size as u64) as usize;
        position /= size as u64;
    }
    index
}

/// Cuts a kernel whose arrays all have the same layout into windows.
fn cut(
    ir: &KernelIr,
    limits: &PlanLimits,
    layout: Layout,
) -> Result<Vec<FittedWindow>, SplitError> {
    windows::windows(&WindowPlanner::new(ir, limits, &|_| layout, 0))
}

/// Checks one element of a window, by its position in it: it is read and written at the position of
/// the element at an index of the space. Returns that index.
#[track_caller]
fn check_element(
    ir: &KernelIr,
    window: &Window,
    position: u64,
    layout: Layout,
    most: u64,
) -> Vec<usize> {
    let position_in_box = position + window.range.as_ref().map_or(0, |r| u64::from(r.start));
    assert!(u32::try_from(position_in_box).is_ok(), "kernels count in 32 bits");
    let in_box = index(region::sizes(&window.region).dims(), position_in_box);
    let at: Vec<usize> =
        in_box.iter().zip(&window.region).map(|(a, range)| a + range.start).collect();
    for (number, load) in ir.map.loads.iter().enumerate() {
        let steps = in_box.iter().zip(&load.strides);
        // The kernel computes the position in the same way.
        let place = steps.fold(window.offsets[number] as u32, |sum, (&i, &stride)| {
            sum.wrapping_add((i as u32).wrapping_mul(stride as u32))
        });
        let truly = at
            .iter()
            .zip(&load.strides)
            .fold(load.offset as i64, |sum, (&i, &s)| sum + i as i64 * s as i64);
        match window.bindings.of_loads[number] {
            None => {
                assert_eq!(place, truly as u32, "an iota's value");
                let high = if load.is_long_as_iota() { window.offsets[number] >> 32 } else { 0 };
                assert!(!load.is_long_as_iota() || high == truly >> 32, "its upper bits");
            }
            // Outside of the array, any value may be read.
            Some(_) if load.clamped && !(0..elements(&load.shape) as i64).contains(&truly) => {}
            Some(binding) => {
                assert_eq!(Some(window.bindings.arrays[binding]), load.array());
                let width = load.element_type.bits() as u64;
                let bytes = &window.bytes[binding];
                let truly = truly as u64 * width + u64::from(layout.offset) * 8;
                assert_eq!(bytes.start * 8 + u64::from(place) * width, truly, "load {number}");
                assert!(truly + width <= bytes.end * 8 && bytes.end - bytes.start <= most);
            }
        }
    }
    let width = ir.outputs[0].element_type.bits() as u64;
    let truly = dot(&at, &ir.space.strides());
    let from_origin = match &window.range {
        Some(_) => position,
        None if region::is_contiguous(&window.region, &ir.space) => position,
        None => dot(&in_box, &ir.space.strides()),
    };
    let place = u64::from(window.result_offset) + from_origin;
    assert_eq!(window.output_bytes[0].start * 8 + place * width, truly * width, "the result");
    assert!((truly + 1) * width <= window.output_bytes[0].end * 8);
    assert!(window.output_bytes[0].end - window.output_bytes[0].start <= most);
    let word = (32 / width).max(1) as u32;
    assert_eq!(window.range.as_ref().map_or(0, |range| range.start) % word.max(4), 0);
    at
}

/// Returns the windows with their launches. Every element of the space is in one window, no word is
/// in two unless both store its elements one by one, and each dispatch is within the limits.
#[track_caller]
fn check(ir: &KernelIr, limits: &PlanLimits, layout: Layout) -> Vec<(Window, Launch)> {
    let max_bytes = limits.device.max_storage_buffer_binding_size;
    let alignment = limits.device.min_storage_buffer_offset_alignment;
    let parts = cut(ir, limits, layout)
        .unwrap_or_else(|why| panic!("{why:?}: {ir:?} in {max_bytes} bytes"));
    let lies = |_| layout;
    let planner = WindowPlanner::new(ir, limits, &lies, 0);
    let windows: Vec<(Window, Launch)> = planner.launches(parts).collect();
    let dims = ir.space.dims();
    let elements: usize = dims.iter().product();
    let mut owner = vec![None; elements];
    for (number, (window, launch)) in windows.iter().enumerate() {
        assert_eq!(window.has_neighbours, windows.len() > 1);
        for bytes in window.bytes.iter().chain(&window.output_bytes) {
            assert!(bytes.start.is_multiple_of(alignment.into()) && bytes.end % 4 == 0);
        }
        let max = limits.device.max_compute_workgroups_per_dimension;
        assert!(launch.groups.iter().all(|groups| (1..=max).contains(groups)), "{launch:?}");
        let word = ir.outputs[0].element_type.elements_per_word() as u32;
        assert!(launch.kernel.walk.stores_elements() || window.result_offset.is_multiple_of(word));
        for position in 0..window.count() {
            let at = check_element(ir, window, position, layout, max_bytes);
            let place = &mut owner[dot(&at, &ir.space.strides()) as usize];
            assert_eq!(*place, None, "{at:?} is in two windows");
            *place = Some(number);
        }
    }
    assert!(owner.iter().all(Option::is_some), "an element is in no window");
    for word in owner.chunks((32 / ir.outputs[0].element_type.bits()).max(1)) {
        let alone = word.iter().all(|owner| owner == &word[0]);
        let stores_elements = |&owner: &usize| windows[owner].1.kernel.walk.stores_elements();
        let one_by_one = word.iter().flatten().all(stores_elements);
        assert!(alone || one_by_one, "two windows write one word");
    }
    windows
}

const ODD: Layout = Layout { offset: 12, granularity: 4, spare: 0 };

#[test]
fn small_spaces_are_cut_exactly() {
    let spaces: [&[usize]; 11] = [
        &[],
        &[1],
        &[129],
        &[512],
        &[16, 16],
        &[15, 17],
        &[3, 40, 8],
        &[5, 9, 7],
        &[1, 2, 300],
        &[64, 1, 3],
        &[2, 2, 2, 2, 2, 2, 2, 2],
    ];
    use ElementType::{Bf16, F32, F64, Pred, S4};
    let (mut cut, mut ranges, mut pieces, mut in_words) = (0, 0, 0, 0);
    for dims in spaces {
        let strides = Shape::from(dims).strides();
        let own: Vec<isize> = strides.iter().map(|&s| s as isize).collect();
        let backwards: Vec<isize> = own.iter().map(|s| -s).collect();
        let last = dims.iter().product::<usize>() as isize - 1;
        // Column-major, as a transposed array is read.
        let mut step = 1;
        let turned: Vec<isize> = dims
            .iter()
            .map(|&size| {
                step *= size;
                (step / size) as isize
            })
            .collect();
        let inner: Vec<isize> = (0..dims.len()).map(|d| isize::from(d + 1 == dims.len())).collect();
        let p = parameter;
        let loads = vec![
            load(p(0), dims, 0, &own),
            load(p(1), dims, 0, &turned),
            load(p(0), dims, last, &backwards),
            load(p(2), &dims[dims.len().saturating_sub(1)..], 0, &inner),
            load(LoadSource::Iota, dims, 0, &inner),
        ];
        // Loads as in moves: shifted by an element, by rows to either side, and past all elements.
        let row = own.first().map_or(1, |&row| 2 * row);
        let shifts = [-1, row, row - last - 1, 2 * last + 1];
        let moved: Vec<Load> = shifts.map(|shift| load(p(0), dims, shift, &own)).into();
        for most in [1 << 20, 1024, 512, 256, 96] {
            for element_type in [F32, Pred, S4, Bf16, F64] {
                for layout in [Layout::OWN, ODD] {
                    let alone = kernel(dims, element_type, loads[..1].to_vec());
                    let all = kernel(dims, element_type, loads.clone());
                    // Loads near each other share a binding, which holds two aligned parts then.
                    let moved = (most > 96).then(|| kernel(dims, element_type, moved.clone()));
                    for ir in [alone, all].into_iter().chain(moved) {
                        let limits = limits(most, 32);
                        let done = check(&ir, &limits, layout);
                        in_words += usize::from(
                            done.iter()
                                .any(|(_, l)| l.kernel.stores_in_words(&l.kernel.outputs[0])),
                        );
                        cut += usize::from(done.len() > 1);
                        ranges += usize::from(done[0].0.range.is_some());
                        let whole =
                            |(w, _): &(Window, _)| region::is_contiguous(&w.region, &ir.space);
                        pieces += usize::from(!done.iter().all(whole));
                        assert!(done.len() == 1 || most < 1 << 20);
                    }
                }
            }
        }
    }
    let seen = [cut, ranges, pieces, in_words];
    assert!(seen.iter().all(|&n| n > 5), "{seen:?}");
}

/// A space that fits into its bindings may take more workgroups than a dispatch has.
#[test]
fn dispatches_keep_to_their_limit() {
    use ElementType::{F32, F64, Pred, S4, U16};
    let mut parts = 0;
    for dims in [&[5000][..], &[77, 64], &[64, 64], &[63, 65], &[300, 3], &[11, 13, 17]] {
        let own: Vec<isize> =
            Shape::from(dims).strides().iter().map(|&stride| stride as isize).collect();
        let mut turned = own.clone();
        turned.reverse();
        let row: Vec<isize> = (0..dims.len()).map(|d| isize::from(d + 1 == dims.len())).collect();
        let elements: Vec<usize> = vec![dims.iter().product()];
        let loads = [
            load(parameter(0), &elements, 0, &own),
            load(parameter(1), &elements, 0, &turned),
            load(parameter(2), &dims[dims.len() - 1..], 0, &row),
        ];
        for (most, workgroup_size) in [(1, 64), (2, 64), (3, 1), (8, 1), (8, 16)] {
            for (cpu, element_type) in
                [false, true].iter().flat_map(|&cpu| [F32, F64, Pred, S4, U16].map(|t| (cpu, t)))
            {
                let mut limits =
                    if cpu { PlanLimits::for_cpu(true) } else { PlanLimits::default() };
                limits.device.max_compute_workgroups_per_dimension = most;
                limits.tuning.workgroup_size = workgroup_size;
                let square =
                    loads[..if dims.len() == 2 && dims[0] == dims[1] { 2 } else { 1 }].to_vec();
                let with_row = [&loads[..1], &loads[2..]].concat();
                for loads in [square, with_row] {
                    let ir = kernel(dims, element_type, loads);
                    parts += check(&ir, &limits, Layout::OWN).len();
                }
            }
        }
    }
    assert!(parts > 5_000, "{parts}");
}

#[test]
fn what_fits_is_one_window() {
    let dims = [100, 7];
    let row = load(parameter(1), &[7], 0, &[0, 1]);
    let ir = kernel(&dims, ElementType::F32, vec![load(parameter(0), &dims, 0, &[7, 1]), row]);
    let (window, _) = &check(&ir, &limits(128 << 20, 256), Layout::OWN)[0];
    assert_eq!(window.bindings.arrays, [0, 1].map(ArrayId::Parameter));
    assert_eq!(window.bindings.of_loads, [Some(0), Some(1)]);
    assert_eq!(
        (region::sizes(&window.region).dims(), &window.offsets[..]),
        (&dims[..], &[0, 0][..])
    );
    assert_eq!((&window.bytes[..], &window.output_bytes[0]), (&[0..2816, 0..64][..], &(0..2816)));
    // A space without elements has no windows.
    let none = self::kernel(&[3, 0], ElementType::F32, Vec::new());
    assert!(cut(&none, &PlanLimits::default(), ODD).unwrap().is_empty());
}

/// An array is too large for a binding, and only the part that is read is bound.
#[test]
fn only_what_is_read_is_bound() {
    let rows = load(parameter(0), &[1 << 20, 1 << 10], 5 << 20, &[2 << 10, 1]);
    let ir = kernel(&[4, 1024], ElementType::F32, vec![rows]);
    let (window, _) = &check(&ir, &limits(128 << 20, 256), Layout::OWN)[0];
    let start = 4 * (5 << 20);
    assert_eq!(window.bytes[0], start..start + 4 * (3 * (2 << 10) + 1024));
    assert_eq!(window.offsets, [0]);
}

/// Two loads read an array that does not fit into a binding.
#[test]
fn views_far_from_each_other_are_bound_apart() {
    let dims = [1 << 10, 1 << 10];
    let p = parameter(0);
    let loads =
        vec![load(p, &dims, 0, &[1 << 10, 1]), load(p, &dims, (1 << 20) - 1, &[-(1 << 10), -1])];
    let ir = kernel(&dims, ElementType::F32, loads);
    let (window, _) = &check(&ir, &limits(1 << 20, 256), Layout::OWN)[0];
    let Bindings { arrays, of_loads } = &*window.bindings;
    assert_eq!(
        (&arrays[..], &of_loads[..]),
        (&[ArrayId::Parameter(0); 2][..], &[Some(0), Some(1)][..])
    );
    // With only one binding for the array this is impossible; the caller then makes smaller
    // kernels.
    let mut few = limits(1 << 20, 256);
    few.device.max_storage_buffers_per_shader_stage = 2;
    assert_eq!(cut(&ir, &few, Layout::OWN).err(), Some(SplitError::TooSmall));
}

/// A stencil reads the same array shifted. It is bound once, even if its views are far from others.
#[test]
fn views_near_each_other_are_bound_together() {
    let dims = [1 << 10, 1 << 10];
    let p = parameter(0);
    let shifted = |offset| load(p, &[1 << 10, 1 << 11], offset, &[1 << 11, 1]);
    let mut loads: Vec<Load> = [0, 1, 2, 1 << 11, 2 << 11].map(shifted).into();
    loads.push(load(p, &[1 << 10, 1 << 11], 0, &[1, 1 << 11]));
    let ir = kernel(&dims, ElementType::F32, loads);
    let bound = &check(&ir, &limits(1 << 20, 256), Layout::OWN)[0].0.bindings;
    assert_eq!(bound.arrays, [ArrayId::Parameter(0); 2]);
    let near = Some(0);
    assert_eq!(bound.of_loads, [near, near, near, near, near, Some(1)]);
}

/// Spaces have 2^31, 2^32 and more elements; some elements of each window are checked, on the plan
/// alone.
#[test]
fn large_spaces_are_cut_exactly() {
    use ElementType::{F32, F64, Pred, S4, U16};
    let most = 128 << 20;
    let cases: [(&[usize], bool, ElementType); 20] = [
        (&[1 << 31], false, F32),
        (&[(1 << 31) + 4], false, F32),
        (&[(1 << 32) + 1], false, F32),
        (&[(1 << 32) + 1], false, F64),
        (&[(1 << 32) + 1], false, Pred),
        (&[(1 << 33) + 3], false, S4),
        (&[3, (1 << 32) + 4], false, F32),
        (&[3, (1 << 32) + 1], false, U16),
        (&[70_000, 70_001], false, F32),
        (&[1 << 17, 1 << 17], false, F32),
        (&[40_000, 40_000], true, F32),
        (&[40_001, 40_001], true, F32),
        (&[46_341, 46_341], true, Pred),
        (&[46_341, 46_341], true, S4),
        (&[66_000, 66_001], true, Pred),
        (&[46_340, 46_341], true, U16),
        (&[30_001, 30_001], true, F64),
        (&[5, (1 << 30) + 1], false, S4),
        (&[5, (1 << 30) + 1], false, Pred),
        (&[1 << 20, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3], false, Pred),
    ];
    for (dims, transposed, element_type) in cases {
        let own: Vec<isize> = Shape::from(dims).strides().iter().map(|&s| s as isize).collect();
        let inner: Vec<isize> = (0..dims.len()).map(|d| isize::from(d + 1 == dims.len())).collect();
        let mut loads =
            vec![load(parameter(0), dims, 0, &own), load(LoadSource::Iota, dims, 0, &inner)];
        if transposed {
            loads.push(load(parameter(1), dims, 0, &[1, dims[0] as isize]));
        }
        for load in loads.iter_mut().filter(|load| load.source != LoadSource::Iota) {
            load.element_type = element_type;
        }
        let ir = kernel(dims, element_type, loads);
        let windows = cut(&ir, &limits(most, 256), Layout::OWN).unwrap();
        let whole: u64 = dims.iter().map(|&n| n as u64).product();
        assert_eq!(windows.iter().map(|part| part.window.count()).sum::<u64>(), whole, "{dims:?}");
        let bytes = whole * element_type.bits() as u64 / 8;
        assert!(windows.len() as u64 >= bytes.div_ceil(most));
        // It takes few dispatches, however large the space is.
        assert!(windows.len() < 5_000, "{dims:?}: {}", windows.len());
        let mut firsts = Vec::new();
        for FittedWindow { window, .. } in &windows {
            let last = window.count() - 1;
            for position in [0, 1, 1023, last / 3, last].map(|n| n.min(last)) {
                let at = check_element(&ir, window, position, Layout::OWN, most);
                if position == 0 {
                    firsts.push(dot(&at, &ir.space.strides()));
                }
            }
        }
        // Windows are in the order of the result, as far as boxes allow.
        assert!(transposed || firsts.is_sorted(), "{dims:?}");
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), windows.len());
    }
}

/// The values of an iota that a window computes have the same upper 32 bits.
#[test]
fn long_iotas_are_cut_at_multiples_of_two_to_the_32() {
    use ElementType::{F32, S4, S32, S64};
    let most = 128 << 20;
    let three = 3 << 30;
    // Sizes and strides of the space, the first value, the result's type, and the minimum number of
    // windows.
    let cases = [
        (vec![(10, 1)], (1 << 32) - 5, F32, 2),
        (vec![(10, 1)], (1 << 32) - 5, S4, 2),
        (vec![(10, 1)], 1 << 40, F32, 1),
        (vec![(9, -three)], 8 * three, S64, 7),
        (vec![(4, 1), (5, 0)], (1 << 32) - 2, F32, 2),
        (vec![(4, 0), (5, 1)], (1 << 32) - 2, F32, 2),
        // An iota of a 32-bit type needs only the lower 32 bits, so one window may be enough.
        (vec![(10, 1)], (1 << 32) - 5, S32, 1),
    ];
    for (space, offset, element_type, windows) in cases {
        let (dims, strides): (Vec<usize>, Vec<isize>) = space.into_iter().unzip();
        let mut iota = load(LoadSource::Iota, &[1 << 60], offset, &strides);
        iota.element_type = if element_type == S4 { F32 } else { element_type };
        let ir = kernel(&dims, element_type, vec![iota]);
        let cut = check(&ir, &limits(most, 256), Layout::OWN);
        assert!(cut.len() >= windows, "{dims:?}: {}", cut.len());
        assert!(cut.len() <= dims.iter().product(), "{dims:?}");
    }
}

/// A load's span for a range goes exactly from the first to the last element read.
#[test]
fn ranges_are_spanned_exactly() {
    let mut ranges = 0;
    for dims in [&[7][..], &[3, 5], &[2, 3, 4], &[3, 1, 2, 3], &[1, 1], &[2, 2, 2, 2]] {
        let strides = Shape::from(dims).strides();
        let own: Vec<isize> = strides.iter().map(|&s| s as isize).collect();
        let turned: Vec<isize> = own.iter().rev().copied().collect();
        let signs = (0..dims.len()).map(|d| if d % 2 == 0 { -1 } else { 1 });
        let signed: Vec<isize> = own.iter().zip(signs.clone()).map(|(s, sign)| s * sign).collect();
        let other: Vec<isize> = turned.iter().zip(signs).map(|(s, sign)| -3 * s * sign).collect();
        let stretched: Vec<isize> =
            own.iter().enumerate().map(|(d, s)| if d % 2 == 0 { 0 } else { *s }).collect();
        let views = [own, turned, signed, other, stretched];
        let loads = views.iter().map(|view| load(parameter(0), dims, 1000, view));
        let ir = kernel(dims, ElementType::F32, loads.collect());
        let limits = limits(128 << 20, 256);
        let layout = |_| Layout::OWN;
        let planner = WindowPlanner::new(&ir, &limits, &layout, 0);
        let splitter = Splitter::new(&planner, Rc::new(bind(&ir, &limits, &layout)));
        let count: u64 = dims.iter().map(|&size| size as u64).product();
        for first in 0..count {
            for end in first + 1..=count {
                for (number, view) in views.iter().enumerate() {
                    let read: Vec<i64> = (first..end)
                        .map(|position| {
                            let at = index(dims, position);
                            let steps = at.iter().zip(view).map(|(&i, &s)| i as i64 * s as i64);
                            1000 + steps.sum::<i64>()
                        })
                        .collect();
                    let ends = (*read.iter().min().unwrap(), *read.iter().max().unwrap());
                    assert_eq!(
                        splitter.read_in(number, &(first..end)),
                        ends,
                        "{dims:?} {first} {end}"
                    );
                    ranges += 1;
                }
            }
        }
    }
    assert!(ranges > 2_000, "{ranges}");
}

/// The arrays of the bench's pattern `big` are exactly two bindings large.
#[test]
fn big_is_two_windows() {
    let dims = [32, 16, 64, 32, 64];
    let x = load(parameter(0), &[32, 1, 64, 1, 64], 0, &[4096, 0, 64, 0, 1]);
    let y = load(parameter(1), &[1, 16, 1, 32, 64], 0, &[0, 2048, 0, 64, 1]);
    let ir = kernel(&dims, ElementType::F32, vec![x, y]);
    let windows = cut(&ir, &PlanLimits::default(), Layout::OWN).unwrap();
    let half = 128 << 20;
    let [FittedWindow { window: low, .. }, FittedWindow { window: high, .. }] = &windows[..] else {
        panic!("{windows:?}")
    };
    assert_eq!((&low.output_bytes[0], &high.output_bytes[0]), (&(0..half), &(half..2 * half)));
    assert_eq!((&high.offsets[..], high.result_offset), (&[0, 0][..], 0));
    assert_eq!(high.region[0], 16..32);
    for window in [low, high] {
        assert!(region::is_contiguous(&window.region, &ir.space));
    }
}
