//! Tests targets of commands in encoders: their elements when a call fails or an encoder is
//! dropped, and other holders of their memory.

use indim::{Array, Context, ContextOptions, Encoded, Error, Function};
use indim_testing::contexts::{foreign, gpu, values};

use crate::encoded::{counting, encoder, first, is_not_submitted, submit, twice, uploaded};

const COUNT: usize = 300;

fn times(factor: f32) -> Vec<f32> {
    counting(COUNT, 0.0).iter().map(|x| x * factor).collect()
}

/// A target that an encoder has doubled, and a clone of it, which no longer shares its memory.
struct Written {
    gpu: Context,
    encoder: indim::wgpu::CommandEncoder,
    target: Array<f32>,
    held: Array<f32>,
    first: Encoded,
}

impl Written {
    fn new(gpu: Context) -> Self {
        // The pool's next buffer does not hold zeros.
        drop((uploaded(&gpu, &[7.0; COUNT]), uploaded(&gpu, &[8.0; COUNT])));
        gpu.wait().unwrap();
        let mut encoder = encoder(&gpu);
        let mut target = uploaded(&gpu, &counting(COUNT, 0.0));
        let first = (&target * 2.0).encode_into(&mut encoder, &mut target).unwrap();
        let held = target.clone();
        Self { gpu, encoder, target, held, first }
    }
}

/// The device has no F64, so that recording fails after the target's new memory is known.
#[test]
fn a_call_that_fails_leaves_the_target_as_it_was() {
    for whole in [true, false] {
        let Written { gpu, mut encoder, mut target, held, first } =
            Written::new(foreign(&ContextOptions::default()));
        let end = if whole { COUNT } else { 10 };
        let part = target.expr().slice(&[0], &[end as i64]);
        let failing = part.convert_element_type::<f64>().convert_element_type::<f32>() + 1.0;
        let part = target.slice_mut([0], [end as i64]).unwrap();
        assert!(failing.encode_into(&mut encoder, part).is_err());
        submit(&gpu, encoder);
        first.submitted();
        assert_eq!(values(&target), times(2.0));
        assert_eq!(values(&held), times(2.0));
    }
}

#[test]
fn a_target_that_is_shared_in_between_keeps_its_elements_when_the_encoder_is_dropped() {
    for whole in [true, false] {
        for submitted in [false, true] {
            let Written { gpu, mut encoder, mut target, held, first } = Written::new(gpu());
            let end = if whole { COUNT } else { 10 } as i64;
            let value = target.expr().slice(&[0], &[end]) + 1.0;
            let part = target.slice_mut([0], [end]).unwrap();
            let second = value.encode_into(&mut encoder, part).unwrap();
            assert!(is_not_submitted(target.to_vec_blocking()));
            if submitted {
                submit(&gpu, encoder);
                second.submitted();
                let mut expected = times(2.0);
                expected[..end as usize].iter_mut().for_each(|x| *x += 1.0);
                assert_eq!(values(&target), expected);
                assert_eq!(values(&held), times(2.0));
                continue;
            }
            drop((first, second, encoder));
            assert_eq!(values(&target), times(1.0));
            assert_eq!(values(&held), times(1.0));
            (&target + 1.0).eval_into(&mut target).unwrap();
            assert_eq!(values(&target), counting(COUNT, 1.0));
        }
    }
}

/// A result of dropped commands has no elements, and neither has a target that replaced one.
#[test]
fn a_target_that_was_a_result_is_not_there_when_the_encoder_is_dropped() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(COUNT, 0.0));
    let mut encoder = encoder(&gpu);
    let made = twice(COUNT).on(&gpu, &[x.as_any()]).unwrap().encode(&mut encoder).unwrap();
    let mut result = first(&made);
    let step = (&result + 1.0).encode_into(&mut encoder, &mut result).unwrap();
    drop((made, step, encoder));
    assert!(is_not_submitted(result.to_vec_blocking()));
}

#[test]
fn a_chain_holds_through_steps_without_commands() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(COUNT, 0.0));
    let mut builder = indim::Builder::new();
    let p = builder.parameter(indim::ElementType::F32, [COUNT]).unwrap();
    let reshaped = builder.reshape(p, &[10, COUNT / 10]).unwrap();
    let reshape = builder.build(reshaped).unwrap();
    let mut encoder = encoder(&gpu);
    let double = twice(COUNT).on(&gpu, &[x.as_any()]).unwrap().encode(&mut encoder).unwrap();
    let second = reshape.on(&gpu, &[&double.results()[0]]).unwrap().encode(&mut encoder).unwrap();
    // Also for a chain into nothing.
    let mut nothing = gpu.array([0], &[0.0f32; 0]).unwrap();
    let other = twice(COUNT).on(&gpu, &[x.as_any()]).unwrap().encode(&mut encoder).unwrap();
    let none = first(&other).expr().slice(&[0], &[0]);
    let third = none.encode_into(&mut encoder, &mut nothing).unwrap();
    submit(&gpu, encoder);
    assert!(is_not_submitted(first(&double).to_vec_blocking()));
    second.submitted();
    assert_eq!(values(&second.results()[0].clone().downcast::<f32>().unwrap()), times(2.0));
    assert!(is_not_submitted(first(&other).to_vec_blocking()));
    third.submitted();
    assert_eq!(values(&first(&other)), times(2.0));
}

/// Also where there is nothing to write.
#[test]
fn a_target_without_elements_asks_for_its_arguments() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(COUNT, 0.0));
    let mut nothing = gpu.array([0], &[0.0f32; 0]).unwrap();
    let mut encoder = encoder(&gpu);
    let double = twice(COUNT).on(&gpu, &[x.as_any()]).unwrap().encode(&mut encoder).unwrap();
    let none = first(&double).expr().slice([0], [0]);
    assert!(is_not_submitted(none.clone().eval_into(&mut nothing)));
    drop((double, encoder));
    let mut other = crate::encoded::encoder(&gpu);
    assert!(is_not_submitted(none.clone().encode_into(&mut other, &mut nothing).map(drop)));
    assert!(is_not_submitted(none.eval_into(&mut nothing)));
}

#[test]
fn a_step_without_commands_in_a_dropped_encoder_says_nothing_of_others() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(COUNT, 0.0));
    let mut builder = indim::Builder::new();
    let p = builder.parameter(indim::ElementType::F32, [COUNT]).unwrap();
    let same = builder.build(p).unwrap();
    let (commands, waiting) =
        twice(COUNT).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let mut dropped = encoder(&gpu);
    let never = same.on(&gpu, &[&waiting.results()[0]]).unwrap().encode(&mut dropped).unwrap();
    drop(dropped);
    never.submitted();
    assert!(is_not_submitted(first(&waiting).to_vec_blocking()));
    gpu.queue().submit([commands]);
    waiting.submitted();
    assert_eq!(values(&first(&waiting)), times(2.0));
}

/// Also where the encoder between is submitted first, and by itself.
#[test]
fn what_rests_on_commands_that_never_ran_is_an_error_however_it_is_submitted() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(COUNT, 0.0));
    let (never, lost) = twice(COUNT).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let (between, second) =
        twice(COUNT).on(&gpu, &[&lost.results()[0]]).unwrap().command_buffer().unwrap();
    let mut target = uploaded(&gpu, &counting(COUNT, 0.0));
    let mut encoder = encoder(&gpu);
    let third = (&first(&second) + 1.0).encode_into(&mut encoder, &mut target).unwrap();
    drop(never);
    gpu.queue().submit([between]);
    second.submitted();
    assert!(first(&second).to_vec_blocking().is_err());
    submit(&gpu, encoder);
    third.submitted();
    assert!(target.to_vec_blocking().is_err());
    // Nor is a part of it written, without the other elements.
    let held = target.clone();
    let mut encoder = crate::encoded::encoder(&gpu);
    let part = target.slice_mut([0], [10]).unwrap();
    assert!(uploaded(&gpu, &[1.0; 10]).expr().encode_into(&mut encoder, part).is_err());
    assert!(target.to_vec_blocking().is_err());
    drop(held);
}

/// The elements that another encoder reads from a target stay as they are; the target gets other
/// memory.
#[test]
fn a_target_that_another_encoder_reads_goes_on_in_its_own() {
    let Written { gpu, mut encoder, mut target, held, first: _first } = Written::new(gpu());
    drop(held);
    let mut other = crate::encoded::encoder(&gpu);
    let reads = twice(COUNT).on(&gpu, &[target.as_any()]).unwrap().encode(&mut other).unwrap();
    let second = (&target + 1.0).encode_into(&mut encoder, &mut target).unwrap();
    gpu.queue().submit([encoder.finish(), other.finish()]);
    second.submitted();
    reads.submitted();
    assert_eq!(values(&first(&reads)), times(4.0));
    assert_eq!(values(&target)[1], 3.0);
}

fn is_of_a_loop(array: &Array<f32>) -> bool {
    matches!(array.to_vec_blocking(), Err(Error::Call { .. }))
}

#[test]
fn what_a_loop_refuses_is_that_of_commands_that_run() {
    let gpu = gpu();
    let text = "fn endless(x: f32) -> f32 { var n = x; while (n == n) { n = n + 1.0; } return n; }";
    let endless = Function::wgsl(text).unwrap().with_max_iterations(10);
    let x = uploaded(&gpu, &counting(COUNT, 0.0));
    let bad = endless.call::<f32>((&x,)).unwrap().eval().unwrap();
    let mut target = uploaded(&gpu, &counting(COUNT, 0.0));
    let record = |value: indim::Expr<f32>, target: &mut Array<f32>, runs: bool| {
        let mut encoder = encoder(&gpu);
        let step = value.encode_into(&mut encoder, target).unwrap();
        if runs {
            submit(&gpu, encoder);
            step.submitted();
        }
    };
    // The commands that would have written it are dropped.
    record(&bad + 1.0, &mut target, false);
    assert_eq!(values(&target), times(1.0));
    record(&bad + 1.0, &mut target, true);
    assert!(is_of_a_loop(&target));
    // All elements are written anew, if the commands run.
    record(&x * 2.0, &mut target, false);
    assert!(is_of_a_loop(&target));
    record(&x * 2.0, &mut target, true);
    assert_eq!(values(&target), times(2.0));
    record(&bad + 1.0, &mut target, true);
    let more = &target + 1.0;
    record(more, &mut target, true);
    assert!(is_of_a_loop(&target), "it depends on what was there");
}
