//! Runs every call that wgpu may reject in error scopes, so that no error reaches wgpu's handler of
//! uncaptured errors, which panics.
//!
//! Scopes belong to a thread: they are pushed and popped within one call, never across an await.

use std::future::Future;
use std::ops::Deref;
#[cfg(not(target_arch = "wasm32"))]
use std::pin::pin;
use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::{Mutex, Weak};
#[cfg(not(target_arch = "wasm32"))]
use std::task::{Context, Poll, Waker};

#[cfg(target_arch = "wasm32")]
use crate::device::guard::deferred_errors::{Blamed, DeferredErrors};
use crate::device::guard::labels::Labels;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::guard::lock::lock;
use crate::device::guard::lost::LostFlag;
use crate::device::guard::panics::catch_panic;
use crate::device::guard::stats::Counters;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::guard::uncaptured;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::text::replaced;

/// A device counts as lost when this many consecutive polls panic.
const MAX_PANICS: usize = 16;

/// A device with its loss flag and counts of its work.
#[derive(Debug, Clone)]
pub(crate) struct GuardedDevice {
    pub(crate) raw: wgpu::Device,
    pub(crate) lost: Arc<LostFlag>,
    pub(crate) counters: Arc<Counters>,
    /// The device's entry in [`DEVICES`].
    #[cfg(not(target_arch = "wasm32"))]
    _registered: Arc<wgpu::Device>,
    pub(crate) labels: Arc<Labels>,
    /// The calls whose errors are not yet known.
    #[cfg(target_arch = "wasm32")]
    pub(crate) deferred_errors: Arc<DeferredErrors>,
    /// [`ContextOptions::rewrite_kernels`](crate::ContextOptions::rewrite_kernels).
    pub(crate) rewrite_kernels: Option<fn(&str) -> String>,
    /// The allocations that fail, in tests.
    #[cfg(test)]
    pub(crate) shortage: Arc<crate::device::testing::shortage::Shortage>,
    /// The polls that fail, in tests.
    #[cfg(test)]
    pub(crate) fault: Arc<crate::device::testing::faults::Fault>,
}

/// The devices of living contexts, used to identify the device of an error.
#[cfg(not(target_arch = "wasm32"))]
static DEVICES: Mutex<Vec<Weak<wgpu::Device>>> = Mutex::new(Vec::new());

#[cfg(not(target_arch = "wasm32"))]
fn register(device: &wgpu::Device) -> Arc<wgpu::Device> {
    let registered = Arc::new(device.clone());
    let mut devices = lock(&DEVICES);
    devices.retain(|device| device.strong_count() > 0);
    devices.push(Arc::downgrade(&registered));
    registered
}

#[cfg(not(target_arch = "wasm32"))]
fn registered() -> Vec<Arc<wgpu::Device>> {
    lock(&DEVICES).iter().filter_map(Weak::upgrade).collect()
}

/// The device that receives an error.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Raised {
    /// The device that was asked.
    Here,
    /// Another one.
    Elsewhere,
    /// There was no error, or its device is unknown.
    Nowhere,
}

impl Deref for GuardedDevice {
    type Target = wgpu::Device;

    fn deref(&self) -> &wgpu::Device {
        &self.raw
    }
}

impl GuardedDevice {
    pub(crate) fn new(raw: wgpu::Device, lost: Arc<LostFlag>, labels: Labels) -> Self {
        Self {
            #[cfg(not(target_arch = "wasm32"))]
            _registered: register(&raw),
            raw,
            lost,
            counters: Arc::default(),
            labels: Arc::new(labels),
            #[cfg(target_arch = "wasm32")]
            deferred_errors: Arc::default(),
            rewrite_kernels: None,
            #[cfg(test)]
            shortage: Arc::default(),
            #[cfg(test)]
            fault: Arc::default(),
        }
    }

    /// Runs `work` and returns its result, or wgpu's error. A panic in wgpu, or in a callback that
    /// it runs meanwhile, is also returned as an error: the caller may hold a lock, and must be
    /// able to restore the guarded data.
    ///
    /// If `work` allocates, `bytes` is the size of the allocation, for the message.
    ///
    /// In a browser wgpu's error comes later; see [`GuardedDevice::checked_later`].
    pub(crate) fn checked<T>(
        &self,
        what: &'static str,
        bytes: Option<u64>,
        work: impl FnOnce() -> T,
    ) -> Result<T> {
        #[cfg(target_arch = "wasm32")]
        return self.checked_later(what, bytes, Blamed::Object, work);
        #[cfg(not(target_arch = "wasm32"))]
        {
            let scopes = Scopes::push(&self.raw);
            let result = catch_panic(work);
            let found = scopes.pop().map(now);
            let result = result.map_err(|panic| panicked(what, &panic))?;
            let error = found.into_iter().flatten().next();
            error.map_or(Ok(result), |error| Err(told(what, bytes, error)))
        }
    }

    /// Version of [`GuardedDevice::checked`] whose wgpu error comes when [`DeferredErrors::next`] is
    /// awaited, and goes to the given blame.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn checked_later<T>(
        &self,
        what: &'static str,
        bytes: Option<u64>,
        blamed: Blamed,
        work: impl FnOnce() -> T,
    ) -> Result<T> {
        let scopes = Scopes::push(&self.raw);
        let result = catch_panic(work);
        self.deferred_errors.ask(scopes.pop(), move |error| told(what, bytes, error), blamed);
        result.map_err(|panic| panicked(what, &panic))
    }

    /// Makes a buffer; all buffers are made here. `bytes` is the requested size, for the message.
    pub(crate) fn allocate(
        &self,
        bytes: u64,
        descriptor: &wgpu::BufferDescriptor<'_>,
    ) -> Result<wgpu::Buffer> {
        #[cfg(test)]
        self.shortage.check(bytes)?;
        self.checked("an allocation", Some(bytes), || self.raw.create_buffer(descriptor))
    }

    /// Returns the result of a whole call, or the loss of the device: on a lost device every object
    /// that is made is invalid, with or without an error, and wgpu reports the loss only when
    /// polled.
    ///
    /// Must not be called under a lock: polling runs callbacks, including those of the device's
    /// owner.
    pub(crate) fn check_loss<T>(&self, result: Result<T>) -> Result<T> {
        let polls = match &result {
            Ok(_) => true,
            Err(Error::Device(error)) => {
                matches!(error, DeviceError::Wgpu { .. } | DeviceError::OutOfMemory { .. })
            }
            Err(_) => false,
        };
        if polls {
            self.poll(wgpu::PollType::Poll)?;
        }
        if polls && result.is_err() {
            self.probe()?;
        }
        result
    }

    /// Version of [`GuardedDevice::check_loss`] that checks only failed calls, to keep calls that
    /// only record cheap.
    pub(crate) fn check_failure<T>(&self, result: Result<T>) -> Result<T> {
        if result.is_ok() { result } else { self.check_loss(result) }
    }

    /// Checks that the device is alive. A device that was destroyed reports its loss only when all
    /// work is done, and only to the callback that its owner installed. Until then, objects made on
    /// it are invalid, without an error before they are used.
    ///
    /// Other errors do not count: a device without memory is alive, and so is one whose probe
    /// panics because another thread uses it.
    pub(crate) fn probe(&self) -> Result<(), DeviceError> {
        let made = self.allocate(
            4,
            &wgpu::BufferDescriptor {
                label: Some(&self.labels.probe),
                size: 4,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            },
        );
        if let Ok(buffer) = made {
            let used = self.checked("a buffer", None, || {
                // The buffer is dropped, not unmapped: unmapping is an error while another thread
                // that polls is about to map it.
                catch_panic(|| buffer.slice(..).map_async(wgpu::MapMode::Read, |_| ()))
            });
            if let Err(Error::Device(DeviceError::Wgpu { .. })) = used {
                self.lost.set("it was destroyed");
            }
        }
        self.lost.check()
    }

    /// Runs `work` and returns the device that receives its validation error.
    ///
    /// The error stays hidden, unless it goes to a device without a living context whose owner
    /// handles its errors.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn raised_on(&self, work: impl FnOnce()) -> Raised {
        let filter = wgpu::ErrorFilter::Validation;
        let others = registered();
        let others: Vec<_> = others.iter().map(|device| device.push_error_scope(filter)).collect();
        // The innermost scope of a device receives its errors; `others` may include this device.
        let own = self.raw.push_error_scope(filter);
        let elsewhere = uncaptured::was_raised(work);
        let here = now(own.pop()).is_some();
        // All are popped, in the opposite order.
        let heard = others.into_iter().rev().filter_map(|scope| now(scope.pop())).count();
        match (here, elsewhere || heard > 0) {
            (true, _) => Raised::Here,
            (false, true) => Raised::Elsewhere,
            (false, false) => Raised::Nowhere,
        }
    }

    /// Polls the device; no other function does. Returns true if the submission that was waited for
    /// has run, or, if none was given, all of them.
    ///
    /// wgpu panics here on some errors of the device. The panic is caught, so that the process goes
    /// on, and the device counts as lost. A callback of the device's owner may also panic here:
    /// then the next poll succeeds. Callbacks may be lost in a panic. On OpenGL it panics if
    /// another thread holds the context for some seconds, as a compiler may.
    pub(crate) fn poll(&self, how: wgpu::PollType) -> Result<bool, DeviceError> {
        let polled = self.poll_once(how, false);
        self.lost.check()?;
        let reason = match polled {
            Ok(Ok(status)) => return Ok(status.wait_finished()),
            Ok(Err(wgpu::PollError::Timeout)) => return Ok(false),
            Ok(Err(error)) => error.to_string(),
            Err(_) if self.recovers_from_panic() => return Ok(false),
            Err(panic) => format!("polling it panicked: {}", one_line(&panic)),
        };
        self.lost.set(&reason);
        Err(DeviceError::Lost { reason })
    }

    /// Polls again after a poll that panicked, and returns true on success. Each such poll removes
    /// one panicking callback of the device's owner; wgpu's own panics recur.
    fn recovers_from_panic(&self) -> bool {
        for _ in 1..MAX_PANICS {
            match self.poll_once(wgpu::PollType::Poll, true) {
                Ok(polled) => return polled.is_ok(),
                Err(busy) if busy.contains("Could not lock adapter context") => return true,
                Err(_) => {}
            }
        }
        false
    }

    /// Polls; the outer error is wgpu's panic message. `again` is true if the poll just before
    /// panicked.
    #[cfg_attr(not(test), expect(unused_variables, reason = "faults are made up in tests only"))]
    fn poll_once(
        &self,
        how: wgpu::PollType,
        again: bool,
    ) -> Result<Result<wgpu::PollStatus, wgpu::PollError>, String> {
        catch_panic(|| {
            #[cfg(test)]
            self.fault.strike(again);
            self.raw.poll(how)
        })
    }
}

/// The scopes around a call, for each kind of error.
struct Scopes {
    internal: wgpu::ErrorScopeGuard,
    memory: wgpu::ErrorScopeGuard,
    validation: wgpu::ErrorScopeGuard,
}

impl Scopes {
    fn push(device: &wgpu::Device) -> Self {
        Self {
            internal: device.push_error_scope(wgpu::ErrorFilter::Internal),
            memory: device.push_error_scope(wgpu::ErrorFilter::OutOfMemory),
            validation: device.push_error_scope(wgpu::ErrorFilter::Validation),
        }
    }

    /// Pops all of them, whatever they hold, in the order required by wgpu.
    fn pop(self) -> [impl Future<Output = Option<wgpu::Error>>; 3] {
        [self.validation.pop(), self.memory.pop(), self.internal.pop()]
    }
}

fn panicked(what: &'static str, panic: &str) -> Error {
    DeviceError::Wgpu { what, reason: format!("panicked: {panic}") }.into()
}

/// Returns wgpu's error of a call.
fn told(what: &'static str, bytes: Option<u64>, error: wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => {
            DeviceError::OutOfMemory { bytes: bytes.unwrap_or_default() }
        }
        other => DeviceError::Wgpu { what, reason: one_line(&other.to_string()) },
    }
    .into()
}

/// Returns the error, which is available at once except in a browser.
#[cfg(not(target_arch = "wasm32"))]
fn now(scope: impl Future<Output = Option<wgpu::Error>>) -> Option<wgpu::Error> {
    match pin!(scope).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => error,
        Poll::Pending => None,
    }
}

/// Joins the lines of wgpu's texts, one for each cause.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    replaced(&lines.join(" "), "Caused by: ", "")
}
