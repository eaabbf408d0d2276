//! Tests products of matrices: their elements in every type, in the order of sums, by any dimension
//! numbers; and that no array of the products is stored.

use indim::plan::{PlanLimits, Schedule};
use indim::{
    AnyExpr, Array, Builder, Context, DotDimensionNumbers, ElementType, Scalar, dot, dot_general,
};
use indim_testing::compute;
use indim_testing::contexts::{dispatches, gpu};
use indim_testing::host_array::HostArray;
use indim_testing::oracle::order;
use indim_testing::oracle::value::mask;
use indim_testing::random::Random;

/// An operand on the host: the sizes of its dimensions, and small integers in row-major order.
struct Operand {
    sizes: Vec<usize>,
    numbers: Vec<i64>,
}

impl Operand {
    fn at(&self, index: &[usize]) -> i64 {
        self.numbers[index.iter().zip(&self.sizes).fold(0, |flat, (&i, &size)| flat * size + i)]
    }
}

/// Returns all indices below these sizes, in row-major order.
fn indices(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |all, &size| {
        let longer = |index: &Vec<usize>| {
            let each = (0..size).map(|i| [&index[..], &[i]].concat());
            each.collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

/// Sums products by their definition, with loops.
fn by_definition(operands: [&Operand; 2], numbers: &DotDimensionNumbers) -> (Vec<usize>, Vec<i64>) {
    let lists = |list: &[i64]| list.iter().map(|&d| d as usize).collect::<Vec<_>>();
    let batch = [lists(&numbers.lhs_batch), lists(&numbers.rhs_batch)];
    let summed = [lists(&numbers.lhs_contracting), lists(&numbers.rhs_contracting)];
    let free = [0, 1].map(|side: usize| {
        let others = 0..operands[side].sizes.len();
        others.filter(|d| !batch[side].contains(d) && !summed[side].contains(d)).collect::<Vec<_>>()
    });
    let size = |side: usize, list: &[usize]| -> Vec<usize> {
        list.iter().map(|&d| operands[side].sizes[d]).collect()
    };
    let parts = [size(0, &batch[0]), size(0, &free[0]), size(1, &free[1])];
    let element = |index: &Vec<usize>| {
        let (of_batch, rest) = index.split_at(parts[0].len());
        let of_free = rest.split_at(parts[1].len());
        let products = indices(&size(0, &summed[0])).into_iter().map(|of_summed| {
            let read = |side: usize, of_free: &[usize]| {
                let mut place = vec![0; operands[side].sizes.len()];
                for (list, index) in
                    [(&batch[side], of_batch), (&free[side], of_free), (&summed[side], &of_summed)]
                {
                    list.iter().zip(index).for_each(|(&d, &i)| place[d] = i);
                }
                operands[side].at(&place)
            };
            read(0, of_free.0) * read(1, of_free.1)
        });
        products.sum()
    };
    let shape = parts.concat();
    let elements = indices(&shape).iter().map(element).collect();
    (shape, elements)
}

/// Draws shapes that fit each other: up to two batch, contracting and free dimensions of each, in any
/// order.
fn drawn(random: &mut Random) -> ([Vec<usize>; 2], DotDimensionNumbers) {
    let mut sizes = |most: usize| -> Vec<usize> {
        (0..random.below(most + 1)).map(|_| random.pick(&[0, 1, 1, 2, 3, 5, 33])).collect()
    };
    let (batch, summed, free) = (sizes(1), sizes(2), [sizes(1), sizes(1)]);
    let mut numbers = DotDimensionNumbers::default();
    let shapes = [0, 1].map(|side: usize| {
        let all = [&batch[..], &summed, &free[side]].concat();
        let mut order: Vec<usize> = (0..all.len()).collect();
        random.shuffle(&mut order);
        let place = |k: usize| order.iter().position(|&other| other == k).unwrap() as i64;
        let of_batch = (0..batch.len()).map(place).collect();
        let of_summed = (batch.len()..batch.len() + summed.len()).map(place).collect();
        if side == 0 {
            (numbers.lhs_batch, numbers.lhs_contracting) = (of_batch, of_summed);
        } else {
            (numbers.rhs_batch, numbers.rhs_contracting) = (of_batch, of_summed);
        }
        order.into_iter().map(|k| all[k]).collect()
    });
    (shapes, numbers)
}

#[test]
fn sums_of_products_are_those_of_the_definition_in_every_type() {
    let gpu = gpu();
    let mut random = Random::new(20_261_129);
    let types = compute::supported(&gpu);
    for case in 0..64 {
        let element_type = types[case % types.len()];
        let (shapes, numbers) = drawn(&mut random);
        // Of PRED a product is and, and a sum or; all others are exact.
        let most = if element_type == ElementType::Pred { 2 } else { 3 };
        let operands = shapes.map(|sizes| {
            let count = sizes.iter().product();
            let numbers = (0..count).map(|_| random.below(most) as i64).collect();
            Operand { sizes, numbers }
        });
        let bits = |&value: &i64| match Scalar::from_f64(element_type, value as f64) {
            Some(scalar) => scalar.bits(),
            None if element_type == ElementType::Pred => (value != 0).into(),
            // Integers wrap.
            None => value as u64 & mask(element_type),
        };
        let host = |shape: &[usize], numbers: &[i64]| HostArray {
            element_type,
            shape: shape.to_vec(),
            bits: numbers.iter().map(bits).collect(),
        };
        let [lhs, rhs] = operands.each_ref().map(|x| {
            let literal = host(&x.sizes, &x.numbers).to_literal().unwrap();
            AnyExpr::from(&gpu.upload(&literal).unwrap())
        });
        let result = lhs.dot_general(&rhs, &numbers).unwrap();
        let (shape, expected) = by_definition(operands.each_ref(), &numbers);
        let found = gpu.eval(&result).unwrap().to_literal_blocking().unwrap();
        let what = format!("case {case}: {element_type} {numbers:?}");
        assert_eq!(HostArray::from_literal(&found), host(&shape, &expected), "{what}");
    }
}

/// Returns elements whose products and sums are rounded.
fn tenths<const N: usize>(gpu: &Context, sizes: [usize; N]) -> Array<f32> {
    let elements: Vec<f32> =
        (0..sizes.iter().product()).map(|i: usize| (i % 97) as f32 / 10.0 - 4.0).collect();
    gpu.array(sizes.as_slice(), &elements).unwrap()
}

/// Rows and columns of a matrix, and both layouts of its right operand. Sums have one node of the tree,
/// several, the last of which is not whole, and parts of 1,024; quads of columns, and others.
#[test]
fn floats_are_added_in_the_order_of_sums() {
    let gpu = gpu();
    for [m, k, n] in [[3, 31, 12], [3, 64, 8], [2, 997, 4], [3, 1100, 5], [2, 1100, 8]] {
        let (x, y) = (tenths(&gpu, [m, k]), tenths(&gpu, [k, n]));
        let (host_x, host_y) = (x.to_vec_blocking().unwrap(), y.to_vec_blocking().unwrap());
        let sum = |index: &Vec<usize>| {
            let product = |i: usize| host_x[index[0] * k + i] * host_y[i * n + index[1]];
            order::sum(&(0..k).map(product).collect::<Vec<f32>>())
        };
        let expected: Vec<f32> = indices(&[m, n]).iter().map(sum).collect();
        assert_eq!(dot(&x, &y).unwrap().to_vec_blocking().unwrap(), expected, "{k}");
        let columns: Array<f32> = y.transpose([1, 0]).eval().unwrap();
        let rows = DotDimensionNumbers::contracting([1], [1]);
        let by_rows = dot_general(&x, &columns, &rows).unwrap();
        assert_eq!(by_rows.to_vec_blocking().unwrap(), expected, "{k}");
        let column = y.slice([0, 1], [k, 2]).reshape([k]);
        let one: Vec<f32> = (0..m).map(|i| expected[i * n + 1]).collect();
        assert_eq!(x.dot(&column).eval().unwrap().to_vec_blocking().unwrap(), one);
        let turned = column.dot(x.transpose([1, 0])).eval().unwrap();
        assert_eq!(turned.to_vec_blocking().unwrap(), one);
    }
}

/// An invocation of a GPU steps down the columns of four neighbours of the result.
#[test]
fn columns_are_folded_where_rows_are_shared() {
    for (inner, schedule) in [
        (3, Schedule::FoldColumns),
        (64, Schedule::FoldColumns),
        (1000, Schedule::FoldColumns),
        (1025, Schedule::FoldRows),
    ] {
        let mut b = Builder::new();
        let shapes = [[256, inner], [inner, 256]];
        let [x, y] = shapes.map(|sizes| b.parameter(ElementType::F32, sizes).unwrap());
        let product = b.dot(x, y).unwrap();
        let plan = PlanLimits::default().explain(&b.build(product).unwrap()).unwrap();
        assert_eq!(plan.kernels[0].schedule, schedule, "{inner}: {plan}");
    }
}

#[test]
fn a_product_is_one_kernel_with_what_stands_around_it() {
    let gpu = gpu();
    let (x, y, v) = (tenths(&gpu, [8, 16]), tenths(&gpu, [16, 4]), tenths(&gpu, [4]));
    let layer = ((&x * 2.0).dot(&y) + v.in_dim([1])).max(0.0);
    assert_eq!(dispatches(&gpu, || drop(layer.eval().unwrap())), 1);
    let mut b = Builder::new();
    let [x, y] = [[512, 64], [64, 512]].map(|sizes| b.parameter(ElementType::F32, sizes).unwrap());
    let product = b.dot(x, y).unwrap();
    let plan = PlanLimits::default().explain(&b.build(product).unwrap()).unwrap();
    let [kernel] = plan.kernels.as_slice() else { panic!("{plan}") };
    assert_eq!((kernel.bytes_read, kernel.bytes_written), (4 * 2 * 64 * 512, 4 * 512 * 512));
}
