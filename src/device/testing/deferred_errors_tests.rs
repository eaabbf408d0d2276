//! Tests the consequences of errors that a browser reports later, with answers timed by the test.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::future::ready;
use std::sync::Arc;

use crate::Array;
use crate::device::context::Context;
use crate::device::guard::deferred_errors::{BatchAnswer, Blamed, DeferredErrors};
use crate::device::memory::encoding::{Encoding, Role};
use crate::device::program::commands::{Copy, Upload};
use crate::device::recording::pending_batches::{PendingBatches, Submitted};
use indim_compiler::wgsl::texture::{TexelAccess, TexelFormat, TextureKernel};
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::Error;

fn noop() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    Context::from_device(device, queue).unwrap()
}

fn arrays<const N: usize>(gpu: &Context) -> [Array<f32>; N] {
    std::array::from_fn(|_| gpu.array([4], &[1.0f32; 4]).unwrap())
}

fn rejection() -> Error {
    DeviceError::Wgpu { what: "a batch", reason: "the browser says so".to_owned() }.into()
}

/// The commands of a batch that uploads these arrays.
fn uploads(gpu: &Context, arrays: &[&Array<f32>]) -> Submitted {
    let upload = |array: &&Array<f32>| {
        let storage = array.as_any().storage();
        let used = storage.used(Role::Result);
        let (from, to) = (storage.place().0.clone(), storage.place().0.clone());
        Upload {
            copy: Copy { from, from_offset: 0, to, bytes: 16 },
            to: used.buffer,
            poison: used.poison,
            _reservation: gpu.gpu().pool.usage.reserve(0),
        }
    };
    Submitted { uploads: arrays.iter().map(upload).collect(), ..Submitted::default() }
}

/// Notes commands in a caller-owned encoder that read and write these arrays.
fn encode(
    batches: &mut PendingBatches,
    reads: &[&Array<f32>],
    writes: &[(&Array<f32>, Role)],
) -> Arc<Encoding> {
    let encoding = Encoding::new(7, Vec::new());
    let reads = reads.iter().map(|array| array.as_any().storage().used(Role::Operand));
    let writes = writes.iter().map(|(array, role)| array.as_any().storage().used(*role));
    batches.encoded(&encoding, reads.chain(writes).collect());
    encoding
}

fn is_poisoned(array: &Array<f32>) -> bool {
    array.as_any().storage().is_poisoned()
}

/// The effect of `Batch::answered` for a rejected batch that may run again.
fn reject(batches: &mut PendingBatches, deferred: &DeferredErrors, number: u64) -> bool {
    let answer = BatchAnswer { number, error: Some(rejection()) };
    let batch = batches.take(&answer).unwrap();
    let runs_again = batches.leave_alone(&batch) && batch.may_run_again(deferred);
    if runs_again {
        batches.poison_readers_of(&batch, &rejection())
    } else {
        batch.poison_all(&rejection())
    }
    batches.poison_encoded();
    runs_again
}

/// Results in a caller-owned encoder that have read an array poisoned later are poisoned, and so is
/// what is computed from them, in whichever encoder; what has read other arrays is not.
#[test]
fn encoded_results_that_read_a_poisoned_array_are_poisoned() {
    let gpu = noop();
    let deferred = DeferredErrors::default();
    for submitted in [false, true] {
        let [u, v, result, next, target, other] = arrays(&gpu);
        let mut batches = PendingBatches::default();
        batches.push(&deferred, uploads(&gpu, &[&u, &v]), false);
        let encodings = [
            encode(&mut batches, &[&u], &[(&result, Role::Result)]),
            encode(&mut batches, &[&result], &[(&next, Role::Result)]),
            encode(&mut batches, &[&next], &[(&target, Role::Target)]),
            encode(&mut batches, &[], &[(&other, Role::Result)]),
        ];
        if submitted {
            encodings.iter().for_each(Encoding::submitted);
        }
        // The batch runs again, after these commands, so that its own results will be right.
        assert!(reject(&mut batches, &deferred, 0));
        assert_eq!([&u, &v].map(is_poisoned), [false; 2]);
        assert_eq!([&result, &next, &target].map(is_poisoned), [true; 3]);
        assert!(!is_poisoned(&other));
    }
}

/// Where the batch cannot run again, its results are poisoned, and the encoded ones with them.
#[test]
fn a_batch_whose_arrays_an_encoder_writes_does_not_run_again() {
    let gpu = noop();
    let deferred = DeferredErrors::default();
    let [u, v, result, other] = arrays(&gpu);
    let mut batches = PendingBatches::default();
    batches.push(&deferred, uploads(&gpu, &[&u, &v]), false);
    // It would overwrite what these commands wrote to v.
    let writes = encode(&mut batches, &[], &[(&v, Role::Target)]);
    let reads = encode(&mut batches, &[&u], &[(&result, Role::Result)]);
    [writes, reads].iter().for_each(Encoding::submitted);
    assert!(!reject(&mut batches, &deferred, 0));
    assert_eq!([&u, &v, &result].map(is_poisoned), [true; 3]);
    assert!(!is_poisoned(&other));
}

/// A batch that is submitted after an encoder has written nothing that the encoder read.
#[test]
fn an_encoder_that_was_submitted_before_a_batch_is_not_poisoned_by_it() {
    let gpu = noop();
    let deferred = DeferredErrors::default();
    let [u, before, after] = arrays(&gpu);
    let mut batches = PendingBatches::default();
    encode(&mut batches, &[&u], &[(&before, Role::Result)]).submitted();
    batches.push(&deferred, uploads(&gpu, &[&u]), false);
    let _open = encode(&mut batches, &[&u], &[(&after, Role::Result)]);
    reject(&mut batches, &deferred, 0);
    assert_eq!([&before, &after].map(is_poisoned), [false, true]);
}

/// An array whose own write was rejected, and not a batch.
#[test]
fn encoded_results_that_read_a_rejected_write_are_poisoned() {
    let gpu = noop();
    let [u, result] = arrays(&gpu);
    let mut batches = PendingBatches::default();
    encode(&mut batches, &[&u], &[(&result, Role::Result)]).submitted();
    u.as_any().storage().poison(&rejection());
    batches.poison_encoded();
    assert!(is_poisoned(&result));
}

/// Kernels between arrays and textures are dropped, like all kernels, when a cached one may have
/// been rejected.
#[test]
fn kernels_of_textures_are_let_go_of_after_an_error() {
    let gpu = noop();
    let kernel =
        TextureKernel { access: TexelAccess::Write(TexelFormat::R32Float), channels: 1, first: 0 };
    let get = || gpu.inner.textures.get(&gpu.gpu().device, kernel).unwrap();
    let deferred = DeferredErrors::default();
    let kept = get();
    gpu.inner.forget_tainted(&deferred);
    assert!(Arc::ptr_eq(&kept, &get()), "nothing was rejected");
    let error = wgpu::Error::Internal {
        source: "the compiler".into(),
        description: "the browser's compiler rejects it".to_owned(),
    };
    deferred.ask([ready(Some(error)), ready(None), ready(None)], |_| rejection(), Blamed::Object);
    assert!(deferred.next_now().is_none());
    gpu.inner.forget_tainted(&deferred);
    assert!(!Arc::ptr_eq(&kept, &get()));
}
