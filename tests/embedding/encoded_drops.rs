//! Tests commands in encoders that are never submitted, or whose handle, encoder, context or device
//! is dropped or lost.

use indim::{Context, ContextOptions, DeviceError, Error, wgpu};
use indim_testing::contexts::{blocking, foreign, gpu, values};

use crate::encoded::{counting, encoder, first, is_not_submitted, submit, twice, uploaded};

#[test]
fn results_of_commands_that_are_dropped_stay_unsubmitted() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(300, 0.0));
    let (commands, encoded) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let result = first(&encoded);
    // The handle goes, and then the commands.
    drop(encoded);
    assert!(is_not_submitted(result.to_vec_blocking()));
    assert!(is_not_submitted(
        twice(300).on(&gpu, &[result.as_any()]).and_then(|f| f.command_buffer())
    ));
    drop(commands);
    assert!(is_not_submitted(result.to_vec_blocking()));
    // The commands are dropped, and then reported as submitted, which is false.
    let (commands, encoded) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    drop(commands);
    encoded.submitted();
    assert!(is_not_submitted(first(&encoded).to_vec_blocking()));
    assert!(is_not_submitted((&first(&encoded) + 1.0).eval()));
}

#[test]
fn what_reads_results_of_commands_that_never_ran_is_an_error() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(300, 0.0));
    let mut target = uploaded(&gpu, &counting(300, 9.0));
    let (never, before) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let mut encoder = encoder(&gpu);
    let behind =
        twice(300).on(&gpu, &[&before.results()[0]]).unwrap().encode(&mut encoder).unwrap();
    let result = first(&behind);
    let into = (&result + 1.0).encode_into(&mut encoder, &mut target).unwrap();
    drop(never);
    submit(&gpu, encoder);
    // Also where the commands have run before that is reported.
    gpu.wait().unwrap();
    into.submitted();
    assert!(result.to_vec_blocking().is_err());
    assert!(target.to_vec_blocking().is_err());
    assert_eq!(values(&x), counting(300, 0.0));
}

#[test]
fn a_target_of_commands_that_are_dropped_keeps_its_elements() {
    let gpu = gpu();
    for held in [false, true] {
        let mut u = uploaded(&gpu, &counting(300, 0.0));
        let clone = held.then(|| u.clone());
        let mut dropped = encoder(&gpu);
        let encoded = (&u * 3.0).encode_into(&mut dropped, &mut u).unwrap();
        drop(encoded);
        drop(dropped);
        assert_eq!(values(&u), counting(300, 0.0));
        drop(clone);
        let mut dropped = encoder(&gpu);
        let encoded = (&u * 3.0).encode_into(&mut dropped, &mut u).unwrap();
        drop(dropped);
        encoded.submitted();
        assert_eq!(values(&u), counting(300, 0.0));
        (&u + 1.0).eval_into(&mut u).unwrap();
        assert_eq!(values(&u), counting(300, 1.0));
    }
}

#[test]
fn memory_of_commands_is_kept_until_they_are_gone() {
    let gpu = gpu();
    let count = 1 << 16;
    let idle = gpu.memory().in_use;
    let x = uploaded(&gpu, &counting(count, 0.0));
    let (commands, encoded) =
        twice(count).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    // A buffer that the commands write must not be reused, even if no array has it.
    drop(encoded);
    let result_and_x = gpu.memory().in_use;
    drop(x);
    assert_eq!(gpu.memory().in_use, result_and_x);
    let more = |i| (uploaded(&gpu, &counting(count, i as f32)) + 1.0).eval().unwrap();
    let others: Vec<_> = (0..4).map(more).collect();
    gpu.queue().submit([commands]);
    for (i, other) in others.iter().enumerate() {
        assert_eq!(values(other), counting(count, i as f32 + 1.0), "{i}");
    }
    gpu.wait().unwrap();
    drop(others);
    assert_eq!(gpu.memory().in_use, idle, "they have run");
}

#[test]
fn commands_that_are_submitted_when_the_context_is_gone_do_no_harm() {
    let gpu = gpu();
    let (device, queue) = (gpu.device().clone(), gpu.queue().clone());
    let x = uploaded(&gpu, &counting(300, 0.0));
    let (commands, encoded) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let result = first(&encoded);
    drop((gpu, x));
    queue.submit([commands]);
    encoded.submitted();
    drop(encoded);
    let expected: Vec<f32> = counting(300, 0.0).iter().map(|x| x + x).collect();
    assert_eq!(values(&result), expected);
    drop(result);
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    // Nothing was read before the context was dropped.
    let gpu = Context::from_device(device, queue.clone()).unwrap();
    let x = uploaded(&gpu, &counting(300, 0.0));
    let (commands, encoded) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    drop((gpu, x, encoded));
    queue.submit([commands]);
}

#[test]
fn a_lost_device_is_an_error() {
    let gpu = foreign(&ContextOptions::default());
    let x = uploaded(&gpu, &counting(300, 0.0));
    let mut pending = encoder(&gpu);
    let encoded = twice(300).on(&gpu, &[x.as_any()]).unwrap().encode(&mut pending).unwrap();
    gpu.notify_lost("the test says so");
    let lost = |error| matches!(error, Error::Device(DeviceError::Lost { .. }));
    assert!(lost(
        twice(300).on(&gpu, &[x.as_any()]).and_then(|f| f.encode(&mut pending)).unwrap_err()
    ));
    assert!(lost(twice(300).on(&gpu, &[x.as_any()]).and_then(|f| f.command_buffer()).unwrap_err()));
    let mut u = x.clone();
    assert!(lost((&x + 1.0).encode_into(&mut pending, &mut u).unwrap_err()));
    drop(pending);
    encoded.submitted();
    assert!(lost(first(&encoded).to_vec_blocking().unwrap_err()));
}

#[test]
fn commands_in_flight_when_the_device_is_destroyed_are_lost() {
    let gpu = blocking().unwrap();
    let x = uploaded(&gpu, &counting(300, 0.0));
    let (ran, before) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let (refused, after) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    gpu.queue().submit([ran]);
    before.submitted();
    gpu.device().destroy();
    // wgpu accepts these silently, since errors of a lost device go to no scope.
    gpu.queue().submit([refused]);
    after.submitted();
    // wgpu reports the loss when it is polled and the queue is empty.
    while gpu.wait().is_ok() {}
    let is_lost = |read| matches!(read, Err(Error::Device(DeviceError::Lost { .. })));
    for encoded in [&before, &after] {
        assert!(is_lost(first(encoded).to_vec_blocking()));
    }
    assert!(is_lost((&first(&after) + 1.0).eval().and_then(|sum| sum.to_vec_blocking())));
}

#[test]
fn arrays_of_two_contexts_and_other_shapes_are_refused() {
    let (one, other) = (gpu(), gpu());
    let x = uploaded(&one, &counting(300, 0.0));
    let theirs = uploaded(&other, &counting(300, 0.0));
    let mut commands = encoder(&one);
    let error =
        twice(300).on(&one, &[theirs.as_any()]).and_then(|f| f.encode(&mut commands)).unwrap_err();
    assert!(matches!(error, Error::Array(indim::ArrayError::TwoContexts)), "{error}");
    let error =
        twice(200).on(&one, &[x.as_any()]).and_then(|f| f.encode(&mut commands)).unwrap_err();
    assert!(error.to_string().contains("is f32 [300]"), "{error}");
    let mut short = uploaded(&one, &counting(200, 0.0));
    let error = (&x + 1.0).encode_into(&mut commands, &mut short).unwrap_err();
    assert!(matches!(error, Error::Array(indim::ArrayError::TargetShape { .. })), "{error}");
    // Nothing of it is in the encoder.
    submit(&one, commands);
    assert_eq!(values(&short), counting(200, 0.0));
}

/// wgpu does not expose the device of an encoder, so the error comes from the encoder.
#[test]
fn an_encoder_of_another_device_breaks_that_encoder_only() {
    let (one, other) = (gpu(), gpu());
    let x = uploaded(&one, &counting(300, 0.0));
    let mut theirs = encoder(&other);
    let encoded = twice(300).on(&one, &[x.as_any()]).and_then(|f| f.encode(&mut theirs));
    let scope = other.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let finished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| theirs.finish()));
    let told = pollster::block_on(scope.pop());
    assert!(encoded.is_err() || finished.is_err() || told.is_some());
    drop((encoded, finished));
    let encoded = twice(300).on(&one, &[x.as_any()]).unwrap().command_buffer().unwrap();
    one.queue().submit([encoded.0]);
    encoded.1.submitted();
    assert_eq!(values(&first(&encoded.1))[299], 598.0);
}

/// Nor whether a pass is open in it.
#[test]
fn an_open_pass_breaks_that_encoder_only() {
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(300, 0.0));
    let mut commands = encoder(&gpu);
    let pass =
        commands.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime();
    let encoded = twice(300).on(&gpu, &[x.as_any()]).and_then(|f| f.encode(&mut commands));
    drop(pass);
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let finished = commands.finish();
    let told = pollster::block_on(scope.pop());
    assert!(encoded.is_err() || told.is_some());
    drop((encoded, finished));
    assert_eq!(values(&(&x + 1.0).eval().unwrap()), counting(300, 1.0));
}

#[test]
fn what_is_said_of_a_dropped_encoder_is_said_of_no_other_commands() {
    let gpu = gpu();
    let count = 1 << 16;
    let x = uploaded(&gpu, &counting(count, 0.0));
    let (commands, waiting) =
        twice(count).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let mut dropped = encoder(&gpu);
    let never =
        twice(count).on(&gpu, &[&waiting.results()[0]]).unwrap().encode(&mut dropped).unwrap();
    drop(dropped);
    never.submitted();
    // Waiting commands still have their memory and their results.
    drop(x);
    let others: Vec<_> = (0..4)
        .map(|i| (uploaded(&gpu, &counting(count, i as f32)) + 1.0).eval().unwrap())
        .collect();
    assert!(is_not_submitted(first(&waiting).to_vec_blocking()));
    gpu.queue().submit([commands]);
    waiting.submitted();
    let expected: Vec<f32> = counting(count, 0.0).iter().map(|x| x + x).collect();
    assert!(values(&first(&waiting)) == expected);
    for (i, other) in others.iter().enumerate() {
        assert!(values(other) == counting(count, i as f32 + 1.0), "{i}");
    }
}

#[test]
fn results_of_commands_that_ran_are_there_though_others_did_not() {
    let gpu = gpu();
    let (x, y) = (uploaded(&gpu, &counting(300, 0.0)), uploaded(&gpu, &counting(300, 1.0)));
    let (never, lost) = twice(300).on(&gpu, &[x.as_any()]).unwrap().command_buffer().unwrap();
    let mut encoder = encoder(&gpu);
    let good = twice(300).on(&gpu, &[y.as_any()]).unwrap().encode(&mut encoder).unwrap();
    let mut builder = indim::Builder::new();
    let [p, q] = [0, 1].map(|_| builder.parameter(indim::ElementType::F32, [300]).unwrap());
    let sum = builder.add(p, q, &[]).unwrap();
    let both = builder.build(sum).unwrap();
    let of_both = both
        .on(&gpu, &[&lost.results()[0], &good.results()[0]])
        .unwrap()
        .encode(&mut encoder)
        .unwrap();
    drop(never);
    submit(&gpu, encoder);
    of_both.submitted();
    assert!(first(&of_both).to_vec_blocking().is_err());
    assert_eq!(values(&first(&good))[0], 2.0);
}

/// Neither time nor stack grows with the square of the steps in one encoder.
#[test]
fn thousands_of_steps_in_one_encoder_are_a_chain() {
    let gpu = gpu();
    let mut u = uploaded(&gpu, &counting(64, 0.0));
    let begin = std::time::Instant::now();
    let mut encoder = encoder(&gpu);
    let steps: Vec<_> =
        (0..4000).map(|_| (&u + 1.0).encode_into(&mut encoder, &mut u).unwrap()).collect();
    submit(&gpu, encoder);
    steps.last().unwrap().submitted();
    assert_eq!(values(&u), counting(64, 4000.0));
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
    drop(steps);
    // Now none of it is submitted, and all goes at once on a small stack.
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let work = move || {
        let mut encoder = crate::encoded::encoder(&gpu);
        let mut last = twice(64).on(&gpu, &[u.as_any()]).unwrap().encode(&mut encoder).unwrap();
        for _ in 0..4000 {
            let operand = last.results()[0].clone();
            last = twice(64).on(&gpu, &[&operand]).unwrap().encode(&mut encoder).unwrap();
        }
        drop(encoder);
        drop(last);
    };
    thread.spawn(work).unwrap().join().unwrap();
}
