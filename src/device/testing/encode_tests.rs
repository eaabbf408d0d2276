//! Tests that a call which fails to record into a target leaves it as it was, wherever memory runs
//! out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use crate::{Array, Context, DeviceError, Encoded, Error, Result, wgpu};

/// A target with the other holders of its memory, and an encoder that may have written it.
struct Case {
    target: Array<f32>,
    encoder: wgpu::CommandEncoder,
    /// They keep the elements that commands in the encoder write.
    held: (Vec<Encoded>, Vec<Array<f32>>),
}

const COUNT: usize = 20_000;

impl Case {
    /// Makes a target, written in the encoder or not, shared or not.
    fn new(gpu: &Context, is_written: bool, is_shared: bool) -> Self {
        let mut target = gpu.array([COUNT], &vec![1.0f32; COUNT]).unwrap();
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut held = (Vec::new(), Vec::new());
        if is_written {
            held.0.push((&target * 2.0).encode_into(&mut encoder, &mut target).unwrap());
        }
        if is_shared {
            held.1.push(target.clone());
        }
        Self { target, encoder, held }
    }

    /// Records what depends on other elements of the target, into the whole or a part of it.
    fn record(&mut self, whole: bool) -> Result<Encoded> {
        let Self { target, encoder, .. } = self;
        let end = if whole { COUNT } else { COUNT - 1 };
        let value = target.expr().slice(&[0], &[end as i64]).reverse([0]) + 1.0;
        value.encode_into(encoder, target.slice_mut([0], [end as i64])?)
    }

    /// Submits the encoder, and returns the target's first and last element.
    fn submit(self, gpu: &Context, last: Option<Encoded>) -> [f32; 2] {
        let Self { target, encoder, held } = self;
        gpu.queue().submit([encoder.finish()]);
        held.0.iter().chain(&last).for_each(Encoded::submitted);
        let elements = target.to_vec_blocking().unwrap();
        [elements[0], elements[COUNT - 1]]
    }
}

#[test]
fn a_target_is_as_before_when_memory_runs_out() {
    let gpu = Context::blocking().unwrap();
    let shortage = &gpu.gpu().device.shortage;
    let flags = [false, true];
    let cases =
        flags.iter().flat_map(|w| flags.iter().flat_map(move |s| flags.map(|e| (*w, *s, e))));
    for (is_written, is_shared, whole) in cases {
        let old = if is_written { 2.0 } else { 1.0 };
        let new = [old + 1.0, if whole { old + 1.0 } else { old }];
        let begin = |fails| {
            let case = Case::new(&gpu, is_written, is_shared);
            gpu.wait().unwrap();
            gpu.gpu().pool.trim();
            shortage.set(fails);
            case
        };
        // Make everything that is cached first.
        drop(begin(None).record(whole).unwrap());
        let mut case = begin(None);
        let last = case.record(whole).unwrap();
        let allocations = shortage.asked();
        assert!(allocations > 0);
        assert_eq!(case.submit(&gpu, Some(last)), new);
        for failing in 0..allocations {
            let mut case = begin(Some(failing..u64::MAX));
            let Err(error) = case.record(whole) else { panic!("{failing} of {allocations}") };
            shortage.set(None);
            assert!(matches!(error, Error::Device(DeviceError::OutOfMemory { .. })), "{error}");
            let what = (is_written, is_shared, whole, failing);
            assert_eq!(case.submit(&gpu, None), [old; 2], "{what:?}");
            // Once only, so that the second try succeeds.
            let mut case = begin(Some(failing..failing + 1));
            let last = case.record(whole).unwrap();
            shortage.set(None);
            assert_eq!(case.submit(&gpu, Some(last)), new, "{what:?}");
        }
    }
}
