//! Everyday programs with reductions, as a new user writes them, beside the same numbers computed one by
//! one.

use indim::{Array, Context, Expr};
use indim_testing::contexts::gpu;

const ROWS: usize = 8;
const COLUMNS: usize = 3;

/// Eight rows of three elements, none of which is the same.
fn rows() -> Vec<[f64; COLUMNS]> {
    let element = |row: usize, column: usize| ((row * COLUMNS + column) as f64 * 1.7).sin() * 3.0;
    (0..ROWS).map(|row| [0, 1, 2].map(|column| element(row, column))).collect()
}

fn centres() -> Vec<[f64; COLUMNS]> {
    vec![[2.0, 0.5, -2.0], [-2.0, -1.0, 2.0]]
}

fn array(gpu: &Context, rows: &[[f64; COLUMNS]]) -> Array<f32> {
    let elements: Vec<f32> = rows.iter().flatten().map(|&element| element as f32).collect();
    gpu.array([rows.len(), COLUMNS], &elements).unwrap()
}

fn assert_close(found: &Array<f32>, expected: &[f64]) {
    let found = found.to_vec_blocking().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let apart = (f64::from(*found) - expected).abs();
        assert!(apart <= 4e-6 * expected.abs().max(1.0), "{found} {expected}");
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    mean(&values.iter().map(|value| (value - mean(values)).powi(2)).collect::<Vec<_>>())
}

fn square_distance(a: &[f64; COLUMNS], b: &[f64; COLUMNS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The centre that is nearest to each row.
fn nearest() -> Vec<usize> {
    let centres = centres();
    let is_second = |row: &[f64; COLUMNS]| {
        square_distance(row, &centres[1]) < square_distance(row, &centres[0])
    };
    let nearest: Vec<usize> = rows().iter().map(|row| usize::from(is_second(row))).collect();
    assert!(nearest.contains(&0) && nearest.contains(&1));
    nearest
}

/// The squares of the distances of all rows to all centres.
fn squares(x: &Array<f32>, centres: &Array<f32>) -> Expr<f32> {
    (x.reshape([ROWS, 1, COLUMNS]) - centres.reshape([1, 2, COLUMNS])).square().reduce_sum([2])
}

#[test]
fn an_image_is_standardised() {
    let gpu = gpu();
    let x = array(&gpu, &rows());
    let standard = ((&x - x.mean([0, 1])) / x.var([0, 1]).sqrt()).eval().unwrap();
    let pixels = rows().concat();
    let (mean, deviation) = (mean(&pixels), variance(&pixels).sqrt());
    let expected: Vec<f64> = pixels.iter().map(|pixel| (pixel - mean) / deviation).collect();
    assert_close(&standard, &expected);
}

#[test]
fn contrast_is_stretched() {
    let gpu = gpu();
    let x = array(&gpu, &rows());
    let (low, high) = (x.reduce_min([0, 1]), x.reduce_max([0, 1]));
    let stretched = ((&x - &low) / (high - &low)).eval().unwrap();
    let pixels = rows().concat();
    let low = pixels.iter().copied().fold(f64::INFINITY, f64::min);
    let high = pixels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let expected: Vec<f64> = pixels.iter().map(|pixel| (pixel - low) / (high - low)).collect();
    assert_close(&stretched, &expected);
}

#[test]
fn a_batch_is_normalised() {
    let gpu = gpu();
    let x = array(&gpu, &rows());
    let scale = gpu.array([COLUMNS], &[1_f32, 2., 3.]).unwrap();
    let normal = (x.layer_norm([0], 1e-5) * scale.in_dim([1]) - 0.5).eval().unwrap();
    let column = |column: usize| rows().iter().map(|row| row[column]).collect::<Vec<_>>();
    let one = |value: f64, place: usize| {
        let values = column(place);
        (value - mean(&values)) / (variance(&values) + 1e-5).sqrt() * (place + 1) as f64 - 0.5
    };
    let rows = rows();
    let elements = rows.iter().flat_map(|row| row.iter().enumerate());
    assert_close(&normal, &elements.map(|(place, &value)| one(value, place)).collect::<Vec<_>>());
}

#[test]
fn cross_entropy_of_labels() {
    let gpu = gpu();
    let x = array(&gpu, &rows());
    let labels = [2, 0, 1, 0, 1, 2, 2, 0];
    let given = gpu.array([ROWS], &labels).unwrap();
    let is_label = Expr::<i32>::iota(&[ROWS, COLUMNS], 1).eq(given.in_dim([0]));
    let loss = -is_label.select(x.log_softmax([1]), 0.0).reduce_sum([1]).mean([0]);
    let losses: Vec<f64> = rows()
        .iter()
        .zip(labels)
        .map(|(row, label)| row.iter().map(|x| x.exp()).sum::<f64>().ln() - row[label as usize])
        .collect();
    assert_close(&loss.eval().unwrap(), &[mean(&losses)]);
}

#[test]
fn distances_and_the_nearest() {
    let gpu = gpu();
    let (x, c) = (array(&gpu, &rows()), array(&gpu, &centres()));
    let distances = squares(&x, &c).sqrt().eval().unwrap();
    let expected: Vec<f64> = rows()
        .iter()
        .flat_map(|row| {
            centres().into_iter().map(move |centre| square_distance(row, &centre).sqrt())
        })
        .collect();
    assert_close(&distances, &expected);
    let found = squares(&x, &c).argmin([1]).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(found, nearest().into_iter().map(|place| place as i32).collect::<Vec<_>>());
}

#[test]
fn a_step_of_k_means() {
    let gpu = gpu();
    let (x, c) = (array(&gpu, &rows()), array(&gpu, &centres()));
    let places = squares(&x, &c).argmin([1]);
    let belongs = Expr::<i32>::iota(&[ROWS, 2], 1).eq(places.in_dim([0]));
    let belongs = belongs.convert_element_type::<f32>();
    let sums = (belongs.reshape([ROWS, 2, 1]) * x.reshape([ROWS, 1, COLUMNS])).reduce_sum([0]);
    let step = (sums / belongs.reduce_sum([0]).in_dim([0])).eval().unwrap();
    let mut expected = Vec::new();
    for centre in 0..2 {
        let own = rows().into_iter().zip(nearest()).filter(|(_, place)| *place == centre);
        let own: Vec<[f64; COLUMNS]> = own.map(|(row, _)| row).collect();
        for column in 0..COLUMNS {
            expected.push(mean(&own.iter().map(|row| row[column]).collect::<Vec<_>>()));
        }
    }
    assert_close(&step, &expected);
}

#[test]
fn forces_between_bodies() {
    let gpu = gpu();
    let x = array(&gpu, &rows());
    let apart = x.reshape([1, ROWS, COLUMNS]) - x.reshape([ROWS, 1, COLUMNS]);
    let cubes = (apart.square().reduce_sum([2]) + 0.01).pow(1.5);
    let forces = (&apart / cubes.in_dim([0, 1])).reduce_sum([1]).eval().unwrap();
    let rows = rows();
    let force = |body: &[f64; COLUMNS], axis: usize| -> f64 {
        let pull = |other: &[f64; COLUMNS]| {
            (other[axis] - body[axis]) / (square_distance(body, other) + 0.01).powf(1.5)
        };
        rows.iter().map(pull).sum()
    };
    let expected: Vec<f64> =
        rows.iter().flat_map(|body| (0..COLUMNS).map(move |axis| force(body, axis))).collect();
    assert_close(&forces, &expected);
}
