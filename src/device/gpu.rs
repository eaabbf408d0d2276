//! Defines [`Gpu`]: a device with what every command on it needs (memory, mappings, the thread that
//! polls). It does not decide which commands are issued.

use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::task::Poll;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;

use crate::device::adapter::options::ContextOptions;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::labels::Labels;
use crate::device::guard::lost::LostFlag;
use crate::device::guard::span;
use crate::device::memory::mapping::{self, Mappings};
use crate::device::memory::pool::{self, BufferUse, Pool, PooledBuffer};
use crate::device::timer::Timer;
use crate::device::wait::channel;
use crate::device::wait::poller::Poller;
use crate::device::wait::tasks::Registration;
use indim_compiler::layout::ALIGNMENT;
use indim_core::errors::device::DeviceError;
use indim_core::graph::function::body::FunctionBody;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::device_bytes;
use indim_core::semantics::shape::Shape;

/// A device with what all commands on it share.
#[derive(Debug)]
pub(crate) struct Gpu {
    pub(crate) device: GuardedDevice,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    pub(crate) pool: Arc<Pool>,
    pub(crate) mappings: Mappings,
    pub(crate) poller: Poller,
    /// Times passes, if the options ask for it.
    pub(crate) timer: Option<Timer>,
}

/// Returns the device's limits as far as kernels can use them: they count elements in 32 bits, and
/// an element of S4 or U4 takes half a byte.
pub(crate) fn usable_limits(device: &wgpu::Device) -> wgpu::Limits {
    let mut limits = device.limits();
    let countable = u64::from(u32::MAX) / 2 / ALIGNMENT * ALIGNMENT;
    limits.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size.min(countable);
    limits
}

impl Gpu {
    /// Makes a GPU of a device. `limits` are the device's [`usable_limits`]. Kernels may write to
    /// `spare` bytes after each array, whose buffers also have these `usages`.
    pub(crate) fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        lost: Arc<LostFlag>,
        limits: wgpu::Limits,
        spare: u64,
        options: &ContextOptions,
        usages: wgpu::BufferUsages,
    ) -> Self {
        let mappable = mapping::suits(device.adapter_info().device_type)
            && device.features().contains(mapping::FEATURE);
        let is_timed =
            options.timings && device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let device = GuardedDevice::new(device, lost, Labels::new(options.label.as_deref()));
        Self {
            pool: Arc::new(Pool::new(&limits, spare, mappable, options.max_pooled_bytes, usages)),
            mappings: Mappings::default(),
            poller: Poller::new(device.clone()),
            timer: is_timed.then(|| Timer::new(&queue)),
            device,
            queue,
            limits,
        }
    }

    /// Returns false on wgpu's noop backend, which runs no kernel: no result there is right.
    pub(crate) fn computes(&self) -> bool {
        self.device.adapter_info().backend != wgpu::Backend::Noop
    }

    /// Takes a buffer for an array from the pool, and also returns whether it is mapped. Its
    /// contents are undefined.
    pub(crate) fn allocate(
        &self,
        element_type: ElementType,
        shape: &Shape,
        buffer_use: BufferUse,
    ) -> Result<(PooledBuffer, bool)> {
        self.check_supported(element_type)?;
        self.check_size(element_type, shape)?;
        self.pool.take(&self.device, pool::padded_bytes(element_type, shape)?, buffer_use)
    }

    /// Checks that the device's shaders have the element type.
    pub(crate) fn check_supported(&self, element_type: ElementType) -> Result<()> {
        const NEEDED: wgpu::Features =
            wgpu::Features::SHADER_F64.union(wgpu::Features::SHADER_INT64);
        if element_type != ElementType::F64 {
            return Ok(());
        }
        let missing = NEEDED - self.device.features();
        if missing.is_empty() {
            return Ok(());
        }
        Err(DeviceError::Unsupported {
            element_type,
            needed: "the features SHADER_F64 and SHADER_INT64",
            missing: feature_names(missing),
            instead: ElementType::F32,
        }
        .into())
    }

    /// Checks that the device's shaders have the types that a user-defined function computes with.
    /// (Other operations use pairs of words if the device lacks 64-bit integers.)
    pub(crate) fn check_callable(&self, function: &FunctionBody) -> Result<()> {
        const NEEDED: wgpu::Features = wgpu::Features::SHADER_INT64;
        for &element_type in &function.wide {
            self.check_supported(element_type)?;
            if element_type != ElementType::F64 && !self.device.features().contains(NEEDED) {
                return Err(DeviceError::Unsupported {
                    element_type,
                    needed: "the feature SHADER_INT64 in a function",
                    missing: feature_names(NEEDED),
                    instead: match element_type {
                        ElementType::S64 => ElementType::S32,
                        _ => ElementType::U32,
                    },
                }
                .into());
            }
        }
        Ok(())
    }

    /// Checks that one buffer of the device can hold such an array.
    pub(crate) fn check_size(&self, element_type: ElementType, shape: &Shape) -> Result<()> {
        let bytes = device_bytes(element_type, shape)?;
        let padded = pool::padded_bytes(element_type, shape)?;
        let allowed = self.limits.max_buffer_size;
        if padded <= allowed {
            return Ok(());
        }
        let (limit, shape) = ("max_buffer_size", shape.clone());
        // If only the padding makes it too large, report the padded size.
        let bytes = if bytes > allowed { bytes } else { padded };
        Err(DeviceError::TooLarge { element_type, shape, bytes, limit, allowed }.into())
    }

    /// Returns how many bytes after such an array kernels may write to: 0 if kernels do not write
    /// there, or if the device has no room.
    pub(crate) fn spare_bytes(&self, element_type: ElementType, shape: &Shape) -> Result<u32> {
        let padded = pool::padded_bytes(element_type, shape)?;
        let max = self.limits.max_buffer_size.min(self.limits.max_storage_buffer_binding_size);
        let spare = self.pool.spare_behind(padded);
        let has_room = spare > 0 && padded.saturating_add(spare) <= max;
        Ok(if has_room { spare as u32 } else { 0 })
    }

    /// Waits until all that was submitted before this call has run.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait(&self) -> Result<()> {
        self.wait_until(None).map(drop)
    }

    /// Version of [`Gpu::wait`] with a deadline. Returns true if everything has run.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait_until(&self, deadline: Option<Instant>) -> Result<bool> {
        span::span!("wait");
        loop {
            let (sender, receiver) = channel::for_thread();
            self.queue.on_submitted_work_done(move || sender.send(()));
            let mut answer = Poll::Pending;
            // wgpu may drop the callback, which must then be requested again; see
            // `GuardedDevice::poll`.
            while answer != Poll::Ready(None) {
                let is_done = || {
                    answer = receiver.try_recv();
                    answer == Poll::Ready(Some(()))
                };
                if self.poller.poll(deadline, is_done)? {
                    return Ok(true);
                }
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return Ok(false);
                }
            }
        }
    }

    /// Version of [`Gpu::wait`] for the registered task.
    pub(crate) async fn wait_async(&self, registration: &Registration) -> Result<()> {
        let (sender, receiver) = channel::for_task(registration);
        self.queue.on_submitted_work_done(move || sender.send(()));
        span::waiting(receiver.recv(registration, &self.device.lost)).await?;
        Ok(())
    }
}

fn feature_names(features: wgpu::Features) -> String {
    features.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" and ")
}
