//! Defines the one-shot channels that carry the answers of wgpu's callbacks.
//!
//! The channel comes from futures-intrusive, which calls a receiver's waker under the channel's
//! lock: a user's waker that immediately polls or drops its task would deadlock. So the channel
//! gets our waker, which sets a flag and locks nothing, and the user's waker is called later (see
//! [`tasks`](crate::device::wait::tasks)).

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Context;
#[cfg(not(target_arch = "wasm32"))]
use std::task::{Poll, Waker};

use futures_intrusive::channel::shared::{OneshotReceiver, OneshotSender, oneshot_channel};

use crate::device::guard::lost::LostFlag;
use crate::device::wait::tasks::{Registration, Tasks};
use indim_core::errors::device::DeviceError;

/// Makes a channel whose answer a task awaits.
pub(crate) fn for_task<T: Send>(registration: &Registration) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = oneshot_channel();
    let _wakes = registration.tasks_to_wake().map(WakesWhenDropped);
    (Sender { channel: sender, _wakes }, Receiver(receiver))
}

/// Makes a channel whose answer a thread checks for while it polls the device.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn for_thread<T: Send>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = oneshot_channel();
    (Sender { channel: sender, _wakes: None }, Receiver(receiver))
}

/// The end owned by a wgpu callback. It must not own any part of the device: wgpu keeps the
/// callback, and would otherwise keep itself alive.
#[derive(Debug)]
pub(crate) struct Sender<T: 'static> {
    /// Dropping it closes the channel, which, like sending, wakes under the channel's lock.
    channel: OneshotSender<T>,
    /// The field is dropped after the channel's sender, when the channel's lock is free.
    _wakes: Option<WakesWhenDropped>,
}

impl<T> Sender<T> {
    pub(crate) fn send(self, answer: T) {
        // Sending fails only if the receiver is dropped; then the answer is not needed.
        let _ = self.channel.send(answer);
    }
}

/// Wakes the tasks, if no thread polls and does so.
#[derive(Debug)]
struct WakesWhenDropped(Arc<Tasks>);

impl Drop for WakesWhenDropped {
    fn drop(&mut self) {
        self.0.wake_signalled();
    }
}

/// The end that waits for the answer.
#[derive(Debug)]
pub(crate) struct Receiver<T: 'static>(OneshotReceiver<T>);

impl<T: Send> Receiver<T> {
    /// Waits for the answer in the registered task. Returns `None` if wgpu dropped the callback, as
    /// it does when it panics.
    ///
    /// # Errors
    /// [`DeviceError::Lost`]: a lost device may never answer.
    pub(crate) async fn recv(
        self,
        registration: &Registration,
        lost: &LostFlag,
    ) -> Result<Option<T>, DeviceError> {
        let mut receiving = pin!(self.0.receive());
        poll_fn(|task| {
            registration.set_waker(task.waker());
            // This is checked after the waker is set, so that neither a loss nor an answer in
            // between is missed.
            lost.check()?;
            receiving.as_mut().poll(&mut Context::from_waker(registration.signal())).map(Ok)
        })
        .await
    }

    /// Returns the answer if it has arrived; it is returned only once. Returns `None` if wgpu
    /// dropped the callback.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn try_recv(&self) -> Poll<Option<T>> {
        pin!(self.0.receive()).poll(&mut Context::from_waker(Waker::noop()))
    }
}
