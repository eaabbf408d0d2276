//! Tests arrays of the `ndarray` crate, of every layout.

use ::ndarray::{
    Array1, Array2, Array3, ArrayD, ArrayViewD, Axis, IxDyn, ShapeBuilder, Slice, arr0,
};
use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{ArrayError, Element, Error};
use indim_testing::contexts;
use indim_testing::random::Random;

/// Random layouts.
const LAYOUTS: u64 = 150;

/// Returns an array of these sizes whose elements are all different, in C's or in Fortran's order.
fn numbered(sizes: &[usize], fortran: bool) -> ArrayD<i32> {
    let count: usize = sizes.iter().product();
    let elements = (0..count as i32).collect();
    ArrayD::from_shape_vec(IxDyn(sizes).set_f(fortran), elements).unwrap()
}

/// Returns the elements of a view in row-major order, as `ndarray` has them.
fn elements<T: Copy>(view: &ArrayViewD<'_, T>) -> Vec<T> {
    view.iter().copied().collect()
}

#[test]
fn every_layout_keeps_its_elements() {
    let gpu = contexts::gpu();
    for seed in 0..LAYOUTS {
        let random = &mut Random::new(seed);
        let rank = random.below(7);
        let sizes: Vec<usize> = (0..rank).map(|_| random.pick(&[1, 2, 3, 4])).collect();
        let base = numbered(&sizes, random.percent(50));
        let mut view = base.view();
        let mut order: Vec<usize> = (0..rank).collect();
        random.shuffle(&mut order);
        if random.percent(60) {
            view = view.permuted_axes(order);
        }
        for axis in 0..rank {
            if random.percent(25) {
                view.invert_axis(Axis(axis));
            }
            if random.percent(20) {
                let step = random.pick(&[-2, -1, 1, 2]);
                let start = random.below(view.len_of(Axis(axis)) + 1) as isize;
                view.slice_axis_inplace(Axis(axis), Slice::new(start.min(1), None, step));
            }
        }
        let mut stretched = view.shape().to_vec();
        for size in &mut stretched {
            if *size == 1 && random.percent(40) {
                *size = 5;
            }
        }
        let view = view.broadcast(stretched).unwrap();
        let strides = view.strides().to_vec();
        let array = gpu.array_from(&view).unwrap();
        assert_eq!(array.shape().dims(), view.shape(), "seed {seed}");
        assert_eq!(array.to_vec_blocking().unwrap(), elements(&view), "seed {seed}: {strides:?}");
        assert_eq!(array.to_ndarray_blocking().unwrap(), view, "seed {seed}: {strides:?}");
    }
}

#[test]
fn every_kind_of_array_is_taken() {
    let gpu = contexts::gpu();
    let table = Array2::from_shape_fn((3, 4), |(row, column)| (10 * row + column) as f32);
    let wanted = table.clone().into_dyn();
    // An array, a view, one that is shared, and one that is written.
    assert_eq!(gpu.array_from(&table).unwrap().to_ndarray_blocking().unwrap(), wanted);
    assert_eq!(gpu.array_from(&table.view()).unwrap().to_ndarray_blocking().unwrap(), wanted);
    let shared = table.clone().into_shared();
    assert_eq!(gpu.array_from(&shared).unwrap().to_ndarray_blocking().unwrap(), wanted);
    let mut other = table.clone();
    assert_eq!(gpu.array_from(&other.view_mut()).unwrap().to_ndarray_blocking().unwrap(), wanted);
    let scalar = gpu.array_from(&arr0(2.5f32)).unwrap();
    assert_eq!(scalar.to_ndarray_blocking().unwrap(), arr0(2.5).into_dyn());
    let back = pollster::block_on(scalar.to_ndarray()).unwrap();
    assert_eq!(back.ndim(), 0);
}

fn comes_back<T: Element>(values: [T; 3]) {
    let gpu = contexts::gpu();
    let values = Array1::from(values.to_vec());
    let mut backwards = values.view();
    backwards.invert_axis(Axis(0));
    assert_eq!(
        gpu.array_from(&backwards).unwrap().to_ndarray_blocking().unwrap(),
        backwards.into_dyn()
    );
}

#[test]
fn every_type_is_taken() {
    comes_back([true, false, false]);
    comes_back([-1i8, 2, 3]);
    comes_back([1u64, u64::MAX, 3]);
    comes_back([f16::ONE, f16::MAX, f16::ZERO]);
    comes_back([bf16::ONE, bf16::MAX, bf16::ZERO]);
    comes_back([Complex32::new(1.0, 2.0), Complex32::I, Complex32::ONE]);
}

/// An axis of stride 0 is never in host memory: it has more elements than there is memory for.
#[test]
fn a_stretched_axis_is_one_element() {
    let gpu = contexts::gpu();
    let row = Array1::from(vec![1.0f32, 2.0]);
    let wide = row.broadcast((1 << 40, 2)).unwrap();
    let before = gpu.stats().uploaded_bytes;
    let expr = gpu.expr_from(&wide).unwrap();
    assert_eq!(gpu.stats().uploaded_bytes - before, 8);
    assert_eq!(expr.shape().unwrap().dims(), [1 << 40, 2]);
    let part = expr.slice(&[1_i64 << 39, 0], &[(1_i64 << 39) + 2, 2]);
    assert_eq!(part.eval().unwrap().to_vec_blocking().unwrap(), [1.0, 2.0, 1.0, 2.0]);
}

/// A view of elements that lie next to each other is read where it is used, by its strides.
#[test]
fn no_kernel_is_for_a_view_alone() {
    let gpu = contexts::gpu();
    let cube = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (12 * i + 4 * j + k) as f32);
    let mut view = cube.view().permuted_axes([2, 0, 1]);
    view.invert_axis(Axis(1));
    let expr = gpu.expr_from(&view).unwrap();
    let explanation = (&expr * 2.0).explain().unwrap();
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    let strides: Vec<&[isize]> = kernel.operands.iter().map(|o| &o.strides[..]).collect();
    assert_eq!(strides, [[1, -12, 4]]);
    // Row-major elements are an array as they are.
    let plain = gpu.expr_from(&cube).unwrap();
    assert_eq!(plain.explain().unwrap().kernels.len(), 0);
}

/// Elements with gaps between them are uploaded without these.
#[test]
fn gaps_are_not_uploaded() {
    let gpu = contexts::gpu();
    let table = numbered(&[100, 100], false);
    let rows = table.slice_axis(Axis(0), Slice::new(0, None, 10));
    let part = rows.slice_axis(Axis(1), Slice::from(5..7));
    let before = gpu.stats().uploaded_bytes;
    let array = gpu.array_from(&part).unwrap();
    assert_eq!(gpu.stats().uploaded_bytes - before, 4 * 20);
    assert_eq!(array.to_ndarray_blocking().unwrap(), part.into_dyn());
}

#[test]
fn arrays_without_elements() {
    let gpu = contexts::gpu();
    for sizes in [vec![0], vec![2, 0, 3], vec![0, 0]] {
        for fortran in [false, true] {
            let base = numbered(&sizes, fortran);
            let stretched = base.view().insert_axis(Axis(0));
            let mut wide = stretched.shape().to_vec();
            wide[0] = 4;
            let array = gpu.array_from(&stretched.broadcast(wide.clone()).unwrap()).unwrap();
            assert_eq!(array.shape().dims(), wide);
            let back = gpu.array_from(&base.t()).unwrap().to_ndarray_blocking().unwrap();
            assert_eq!(back, base.t());
        }
    }
    // The library has shapes that ndarray lacks.
    let most = isize::MAX as usize;
    let array = gpu.array::<f32>([0, most, most], &[]).unwrap();
    let error = array.to_ndarray_blocking().unwrap_err();
    assert!(matches!(error, Error::Array(ArrayError::NdarrayShape { .. })), "{error}");
    assert_eq!(
        error.to_string(),
        format!(
            "ndarray has no shape [0, {most}, {most}], because it multiplies all sizes but 0; reshape the array, which has no elements, to [0]"
        )
    );
}
