//! Tests what our commands in a caller-owned encoder compute, and when: before, between and after
//! the caller's commands, on results of each other, and into existing arrays.

use indim::{
    Array, ArrayError, Builder, Computation, Context, ElementType, Encoded, Error, Opcode, wgpu,
};
use indim_testing::contexts::{gpu, values};

pub(crate) fn encoder(gpu: &Context) -> wgpu::CommandEncoder {
    gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

pub(crate) fn submit(gpu: &Context, encoder: wgpu::CommandEncoder) {
    gpu.queue().submit([encoder.finish()]);
}

pub(crate) fn is_not_submitted<T>(returned: Result<T, Error>) -> bool {
    matches!(returned, Err(Error::Array(ArrayError::NotSubmitted)))
}

/// Returns the computation x + x of `count` elements.
pub(crate) fn twice(count: usize) -> Computation {
    let mut builder = Builder::new();
    let x = builder.parameter(ElementType::F32, [count]).unwrap();
    let sum = builder.binary(Opcode::Add, x, x, &[]).unwrap();
    builder.build(sum).unwrap()
}

/// Returns the first result.
pub(crate) fn first(encoded: &Encoded) -> Array<f32> {
    encoded.results()[0].clone().downcast().unwrap()
}

/// Returns elements 0, 1, 2 and so on, with `add` added to each.
pub(crate) fn counting(count: usize, add: f32) -> Vec<f32> {
    (0..count).map(|i| i as f32 + add).collect()
}

pub(crate) fn uploaded(gpu: &Context, elements: &[f32]) -> Array<f32> {
    gpu.array([elements.len()], elements).unwrap()
}

fn map(elements: &[f32], f: impl Fn(f32) -> f32) -> Vec<f32> {
    elements.iter().map(|&x| f(x)).collect()
}

#[test]
fn between_two_commands_of_the_callers_in_one_submission() {
    let gpu = gpu();
    let count = 1000;
    let theirs = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4 * count as u64,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let behind = uploaded(&gpu, &counting(count, 0.5));
    let given = behind.buffer().unwrap();
    let x = gpu.array_from_buffer::<f32>([count], theirs.clone(), 0).unwrap();
    let before = gpu.stats().submissions;
    let mut encoder = encoder(&gpu);
    // Their pass, ours, and theirs again.
    encoder.copy_buffer_to_buffer(&given.buffer, given.offset, &theirs, 0, Some(given.size));
    let encoded = twice(count).on(&gpu, &[x.as_any()]).unwrap().encode(&mut encoder).unwrap();
    let result = first(&encoded);
    let range = result.buffer().unwrap();
    encoder.copy_buffer_to_buffer(&range.buffer, range.offset, &given.buffer, 0, Some(range.size));
    assert!(is_not_submitted(result.to_vec_blocking()));
    assert!(is_not_submitted((&result + 1.0).eval()));
    submit(&gpu, encoder);
    assert!(is_not_submitted(result.to_vec_blocking()), "not before it was said");
    assert_eq!(gpu.stats().submissions, before, "none of the context's own");
    encoded.submitted();
    let expected = map(&counting(count, 0.5), |x| x + x);
    assert_eq!(values(&result), expected);
    assert_eq!(values(&behind), expected);
    let sum = (&result + 1.0).eval().unwrap();
    assert_eq!(values(&sum), map(&expected, |x| x + 1.0));
}

#[test]
fn one_computation_is_in_flight_twice() {
    let gpu = gpu();
    let (count, computation) = (3000, twice(3000));
    let [a, b] = [0.0, 100.0].map(|add| uploaded(&gpu, &counting(count, add)));
    let (one, of_a) = computation.on(&gpu, &[a.as_any()]).unwrap().command_buffer().unwrap();
    let (other, of_b) = computation.on(&gpu, &[b.as_any()]).unwrap().command_buffer().unwrap();
    // In the other order.
    gpu.queue().submit([other, one]);
    for (encoded, add) in [(of_a, 0.0), (of_b, 100.0)] {
        encoded.submitted();
        let result = first(&encoded);
        assert_eq!(values(&result), map(&counting(count, add), |x| x + x), "of {add}");
    }
}

#[test]
fn results_are_operands_in_the_same_encoder() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(500, 0.0));
    let mut encoder = encoder(&gpu);
    let mut encoded =
        vec![twice(500).on(&gpu, &[x.as_any()]).unwrap().encode(&mut encoder).unwrap()];
    for _ in 0..3 {
        let operand = encoded.last().unwrap().results()[0].clone();
        encoded.push(twice(500).on(&gpu, &[&operand]).unwrap().encode(&mut encoder).unwrap());
    }
    submit(&gpu, encoder);
    // What the last one reads is submitted with it.
    encoded.last().unwrap().submitted();
    for (times, encoded) in encoded.iter().enumerate() {
        let result = first(encoded);
        let expected = map(&counting(500, 0.0), |x| x * 2.0_f32.powi(times as i32 + 1));
        assert_eq!(values(&result), expected, "{times}");
    }
}

#[test]
fn several_steps_write_into_one_array() {
    let gpu = gpu();
    for exported in [false, true] {
        let mut u = gpu.array([64, 64], &counting(64 * 64, 0.0)).unwrap();
        if exported {
            u.buffer().unwrap();
        }
        let mut expected = counting(64 * 64, 0.0);
        let before = gpu.stats();
        let mut encoder = encoder(&gpu);
        let mut all = Vec::new();
        for step in 0..4 {
            let add = step as f32;
            all.push((&u * 0.5 + add).encode_into(&mut encoder, &mut u).unwrap());
            // The inner part depends on its neighbours, and so goes through new memory.
            let left = u.expr().slice(&[1, 0], &[63, 62]);
            let right = u.expr().slice(&[1, 2], &[63, 64]);
            let target = u.slice_mut([1, 1], [63, 63]).unwrap();
            all.push((left + right).encode_into(&mut encoder, target).unwrap());
            expected.iter_mut().for_each(|x| *x = *x * 0.5 + add);
            let old = expected.clone();
            for (row, column) in (1..63).flat_map(|row| (1..63).map(move |column| (row, column))) {
                let at = row * 64 + column;
                expected[at] = old[at - 1] + old[at + 1];
            }
        }
        submit(&gpu, encoder);
        all.iter().for_each(Encoded::submitted);
        assert_eq!(gpu.stats().submissions, before.submissions);
        assert_eq!(values(&u), expected, "exported: {exported}");
    }
}

#[test]
fn whoever_else_holds_the_target_keeps_its_elements() {
    let gpu = gpu();
    let mut u = uploaded(&gpu, &counting(300, 0.0));
    let clone = u.clone();
    let mut encoder = encoder(&gpu);
    let encoded = (&u * 3.0).encode_into(&mut encoder, &mut u).unwrap();
    assert_eq!(values(&clone), counting(300, 0.0));
    assert!(is_not_submitted(u.to_vec_blocking()));
    submit(&gpu, encoder);
    encoded.submitted();
    assert_eq!(values(&u), map(&counting(300, 0.0), |x| x * 3.0));
    assert_eq!(values(&clone), counting(300, 0.0));
}

#[test]
fn an_operand_that_is_written_meanwhile_is_read_as_it_was() {
    let gpu = gpu();
    let mut x = uploaded(&gpu, &counting(300, 0.0));
    let (commands, encoded) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    (&x + 1000.0).eval_into(&mut x).unwrap();
    assert_eq!(values(&x), counting(300, 1000.0));
    gpu.queue().submit([commands]);
    encoded.submitted();
    let result = first(&encoded);
    assert_eq!(values(&result), map(&counting(300, 0.0), |x| x + x));
}

#[test]
fn a_target_is_the_encoders_until_it_is_submitted() {
    let gpu = gpu();
    let mut u = uploaded(&gpu, &counting(300, 0.0));
    let mut one = encoder(&gpu);
    let encoded = (&u * 3.0).encode_into(&mut one, &mut u).unwrap();
    assert!(is_not_submitted(u.to_vec_blocking()));
    assert!(is_not_submitted((&u + 1.0).eval_into(&mut u)));
    // Another encoder may go before the first one.
    let mut other = encoder(&gpu);
    assert!(is_not_submitted((&u + 1.0).encode_into(&mut other, &mut u)));
    submit(&gpu, one);
    encoded.submitted();
    (&u + 1.0).eval_into(&mut u).unwrap();
    assert_eq!(values(&u), map(&counting(300, 0.0), |x| x * 3.0 + 1.0));
}

#[test]
fn what_the_context_recorded_goes_first_and_nothing_else() {
    let gpu = gpu();
    let (x, y) = (uploaded(&gpu, &counting(300, 0.0)), uploaded(&gpu, &counting(300, 5.0)));
    gpu.flush().unwrap();
    let other = (&y + 1.0).eval().unwrap();
    let before = gpu.stats().submissions;
    let (one, of_x) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    assert_eq!(gpu.stats().submissions, before, "nothing that it reads is recorded");
    let recorded = (&x + 1.0).eval().unwrap();
    let (another, of_recorded) =
        twice(300).on(&gpu, &[recorded.as_any()]).unwrap().command_buffer().unwrap();
    assert_eq!(gpu.stats().submissions, before + 1);
    // The caller's first: results took no memory that what is recorded uses.
    gpu.queue().submit([one, another]);
    of_x.submitted();
    of_recorded.submitted();
    let elements = |encoded: &Encoded| values(&first(encoded));
    assert_eq!(elements(&of_x), map(&counting(300, 0.0), |x| x + x));
    assert_eq!(elements(&of_recorded), map(&counting(300, 1.0), |x| x + x));
    assert_eq!(values(&other), counting(300, 6.0));
}

#[test]
fn what_is_recorded_on_a_target_reads_what_was_there_before() {
    let gpu = gpu();
    let mut x = uploaded(&gpu, &counting(300, 0.0));
    gpu.flush().unwrap();
    let recorded = (&x + 1.0).eval().unwrap();
    let mut encoder = encoder(&gpu);
    let encoded = (&x * 7.0).encode_into(&mut encoder, &mut x).unwrap();
    submit(&gpu, encoder);
    encoded.submitted();
    assert_eq!(values(&recorded), counting(300, 1.0));
    assert_eq!(values(&x), map(&counting(300, 0.0), |x| x * 7.0));
}

#[test]
fn empty_arrays_and_results_that_are_arguments_need_no_commands() {
    let gpu = gpu();
    let empty = gpu.array::<f32>([0], &[]).unwrap();
    let (commands, encoded) =
        twice(0).on(&gpu, &[empty.as_any()]).unwrap().command_buffer().unwrap();
    gpu.queue().submit([commands]);
    encoded.submitted();
    let result = first(&encoded);
    assert_eq!(values(&result), Vec::<f32>::new());

    let mut builder = Builder::new();
    let x = builder.parameter(ElementType::F32, [6]).unwrap();
    let reshaped = builder.reshape(x, &[2, 3]).unwrap();
    let computation = builder.build(reshaped).unwrap();
    let argument = uploaded(&gpu, &counting(6, 0.0));
    let encoded = computation.on(&gpu, &[argument.as_any()]).unwrap().command_buffer().unwrap().1;
    let result = first(&encoded);
    assert_eq!(values(&result), counting(6, 0.0), "the argument itself");
}

/// An argument that is also a result is read after what the context has recorded on it.
#[test]
fn results_that_are_arguments_are_read_in_order() {
    let gpu = gpu();
    let mut builder = Builder::new();
    let p = builder.parameter(ElementType::F32, [300]).unwrap();
    let sum = builder.binary(Opcode::Add, p, p, &[]).unwrap();
    let computation = builder.build_all(&[p, sum]).unwrap();
    let x = (uploaded(&gpu, &counting(300, 0.0)) + 1.0).eval().unwrap();
    let (commands, encoded) =
        computation.on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    gpu.queue().submit([commands]);
    encoded.submitted();
    let result = encoded.results()[1].clone().downcast::<f32>().unwrap();
    assert_eq!(values(&result), map(&counting(300, 1.0), |x| x + x));
    // The argument stays the caller's, whatever happens to the commands.
    let (commands, encoded) =
        computation.on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    drop((encoded, commands));
    assert_eq!(values(&x), counting(300, 1.0));
}

#[test]
fn a_result_is_a_target_in_the_same_encoder() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(300, 0.0));
    let mut encoder = encoder(&gpu);
    let first_step = twice(300).on(&gpu, &[x.as_any()]).unwrap().encode(&mut encoder).unwrap();
    let mut result = first(&first_step);
    let target = result.slice_mut([100], [200]).unwrap();
    let second_step =
        (uploaded(&gpu, &[7.0; 100]) + 1.0).encode_into(&mut encoder, target).unwrap();
    submit(&gpu, encoder);
    second_step.submitted();
    let mut expected = map(&counting(300, 0.0), |x| x + x);
    assert_eq!(values(&first(&first_step)), expected, "who else holds it");
    expected[100..200].fill(8.0);
    assert_eq!(values(&result), expected);
}

/// `buffer` submits what is recorded on the array, under whatever name.
#[test]
fn the_buffer_of_an_array_that_an_encoder_reads_has_what_was_recorded() {
    let gpu = gpu();
    let memory = uploaded(&gpu, &counting(300, 0.0));
    let range = memory.buffer().unwrap();
    let mut x = gpu.array_from_buffer::<f32>([300], range.buffer.clone(), range.offset).unwrap();
    let (commands, encoded) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let y = uploaded(&gpu, &counting(300, 50.0));
    (&y + 1.0).eval_into(&mut x).unwrap();
    x.buffer().unwrap();
    let copy = uploaded(&gpu, &[0.0; 300]);
    let to = copy.buffer().unwrap();
    let mut encoder = encoder(&gpu);
    encoder.copy_buffer_to_buffer(&range.buffer, range.offset, &to.buffer, to.offset, Some(1200));
    submit(&gpu, encoder);
    assert_eq!(values(&copy), counting(300, 51.0));
    drop((commands, encoded));
}
