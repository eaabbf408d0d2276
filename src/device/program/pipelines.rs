//! Compiles kernels, and keeps their pipelines by structure, so that a new shape, stride or
//! constant compiles nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use crate::device::guard::panics::catch_panic;
use crate::device::guard::span::span;
use crate::device::lru::last_dropped;
use crate::device::program::compile_threads::CompileThreads;
use indim_compiler::plan::kernel::Kernel;
use indim_compiler::wgsl::module;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::FastMap;

/// The largest number of compiled kernels to keep. When exceeded, the least recently used are
/// evicted until half remain.
const MAX_KEPT: usize = 1024;

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: Arc<BindingLayout>,
    /// The number of its last use among all uses of kernels.
    last_use: AtomicU64,
    /// False once it is evicted; then programs that contain it are evicted, too.
    is_kept: AtomicBool,
    /// True once [`warm`](crate::device::recording::warm) has dispatched it.
    pub(crate) has_run: AtomicBool,
}

impl Pipeline {
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Acquire)
    }
}

/// The layout of a kernel's bindings: one for all kernels with the same number of arrays, so that
/// they also share bind groups.
#[derive(Debug)]
pub(crate) struct BindingLayout {
    pub(crate) groups: wgpu::BindGroupLayout,
    pipelines: wgpu::PipelineLayout,
    pub(crate) kind: LayoutKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LayoutKind {
    /// Number of the buffers that are read.
    pub(crate) inputs: usize,
    /// Number of the buffers that are written.
    pub(crate) outputs: usize,
    /// True if the parameter block is bound as storage instead of uniform.
    pub(crate) params_in_storage: bool,
}

impl LayoutKind {
    /// Returns a number that no other layout has.
    pub(crate) fn code(self) -> u64 {
        let buffers = (self.inputs as u64) << 32 | (self.outputs as u64) << 1;
        buffers | u64::from(self.params_in_storage)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    by_kernel: Mutex<FastMap<Kernel, Slot>>,
    layouts: Mutex<FastMap<LayoutKind, Arc<BindingLayout>>>,
    threads: CompileThreads,
    /// The number of uses of kernels so far, which orders them.
    clock: AtomicU64,
    /// True if kernels were dropped since [`Pipelines::has_dropped`] was asked.
    dropped: AtomicBool,
}

#[derive(Debug)]
enum Slot {
    Compiled(Arc<Pipeline>),
    UnderWay(Arc<Compilation>),
}

/// A kernel that one thread compiles while others may wait for it.
#[derive(Debug, Default)]
struct Compilation {
    outcome: Mutex<Option<Result<Arc<Pipeline>>>>,
    done: Condvar,
}

impl Compilation {
    fn end(&self, outcome: Result<Arc<Pipeline>>) {
        *lock(&self.outcome) = Some(outcome);
        self.done.notify_all();
    }

    fn wait(&self) -> Result<Arc<Pipeline>> {
        let mut outcome = lock(&self.outcome);
        loop {
            if let Some(outcome) = &*outcome {
                return outcome.clone();
            }
            outcome = self.done.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pipelines {
    /// Returns the kernel's pipeline. It is compiled without the lock, so that other kernels do not
    /// wait for it. Concurrent requests for the same kernel wait, and get the pipeline or the same
    /// error.
    pub(crate) fn get(&self, device: &GuardedDevice, kernel: &Kernel) -> Result<Arc<Pipeline>> {
        let compilation = Arc::new(Compilation::default());
        let mut by_kernel = lock(&self.by_kernel);
        match by_kernel.get(kernel) {
            Some(Slot::Compiled(pipeline)) => return Ok(Arc::clone(pipeline)),
            Some(Slot::UnderWay(others)) => {
                let others = Arc::clone(others);
                drop(by_kernel);
                return others.wait();
            }
            None => by_kernel.insert(kernel.clone(), Slot::UnderWay(Arc::clone(&compilation))),
        };
        drop(by_kernel);
        let compiled = catch_panic(|| self.compile(device, kernel)).unwrap_or_else(panicked);
        let mut by_kernel = lock(&self.by_kernel);
        match &compiled {
            Ok(pipeline) => {
                by_kernel.insert(kernel.clone(), Slot::Compiled(Arc::clone(pipeline)));
                self.drop_oldest(&mut by_kernel);
            }
            // The next request compiles again.
            Err(_) => drop(by_kernel.remove(kernel)),
        }
        drop(by_kernel);
        compilation.end(compiled.clone());
        compiled
    }

    fn compile(&self, device: &GuardedDevice, kernel: &Kernel) -> Result<Arc<Pipeline>> {
        span!("compile");
        let layout = self.layout(device, kernel)?;
        let stack = STACK_BYTES + kernel.map.ops.len() * STACK_BYTES_PER_OPERATION;
        let work = {
            let (device, kernel) = (device.clone(), kernel.clone());
            let layout = Arc::clone(&layout);
            move || compile(&device, &kernel, &layout)
        };
        let pipeline = self.threads.run(stack, work).unwrap_or_else(panicked)?;
        device.counters.compilations.add(1);
        let last_use = AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed));
        let is_kept = AtomicBool::new(true);
        let has_run = AtomicBool::new(false);
        Ok(Arc::new(Pipeline { pipeline, layout, last_use, is_kept, has_run }))
    }

    /// Drops the least recently used kernels if there are too many.
    fn drop_oldest(&self, by_kernel: &mut FastMap<Kernel, Slot>) {
        let uses = by_kernel.values().filter_map(Slot::last_use);
        let Some(last) = last_dropped(uses.map(|last_use| (last_use, 1)), MAX_KEPT) else {
            return;
        };
        by_kernel.retain(|_, slot| match slot {
            Slot::Compiled(pipeline) if pipeline.last_use.load(Ordering::Relaxed) <= last => {
                pipeline.is_kept.store(false, Ordering::Release);
                false
            }
            _ => true,
        });
        self.dropped.store(true, Ordering::Release);
    }

    /// Notes that a program uses these kernels.
    pub(crate) fn touch<'a>(&self, kernels: impl Iterator<Item = &'a Arc<Pipeline>>) {
        for pipeline in kernels {
            let now = self.clock.fetch_add(1, Ordering::Relaxed);
            pipeline.last_use.store(now, Ordering::Relaxed);
        }
    }

    /// Returns true if kernels were dropped since the last call, so that programs may contain
    /// evicted ones.
    pub(crate) fn has_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire) && self.dropped.swap(false, Ordering::AcqRel)
    }

    fn layout(&self, device: &GuardedDevice, kernel: &Kernel) -> Result<Arc<BindingLayout>> {
        let kind = LayoutKind {
            inputs: kernel.bindings.len(),
            outputs: kernel.written_buffers(),
            params_in_storage: kernel.params_in_storage(),
        };
        if let Some(layout) = lock(&self.layouts).get(&kind) {
            return Ok(Arc::clone(layout));
        }
        let layout = Arc::new(binding_layout(device, kind)?);
        Ok(Arc::clone(lock(&self.layouts).entry(kind).or_insert(layout)))
    }

    /// Drops all pipelines; recorded dispatches keep theirs alive.
    pub(crate) fn trim(&self) {
        lock(&self.by_kernel).retain(|_, slot| match slot {
            Slot::Compiled(pipeline) => {
                pipeline.is_kept.store(false, Ordering::Release);
                false
            }
            Slot::UnderWay(_) => true,
        });
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.by_kernel).values().filter_map(Slot::last_use).count()
    }

    /// Returns how many threads wait for another thread to compile.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        let by_kernel = lock(&self.by_kernel);
        let waiting = by_kernel.values().map(|slot| match slot {
            // The slot and the compiling thread also hold one.
            Slot::UnderWay(compilation) => Arc::strong_count(compilation).saturating_sub(2),
            Slot::Compiled(_) => 0,
        });
        waiting.sum()
    }
}

impl Slot {
    /// Returns the number of the last use, if the kernel is compiled.
    fn last_use(&self) -> Option<u64> {
        match self {
            Self::Compiled(pipeline) => Some(pipeline.last_use.load(Ordering::Relaxed)),
            Self::UnderWay(_) => None,
        }
    }
}

/// The stack for compiling: drivers recurse as deep as a kernel is long. (Measured on Mesa's
/// OpenGL: 1,000 additions of floats take more than the 2 MiB of a Rust thread, and less than 4
/// MiB.)
const STACK_BYTES: usize = 4 << 20;
const STACK_BYTES_PER_OPERATION: usize = 16 << 10;

/// Returns a panic's message as an error.
fn panicked<T>(panic: String) -> Result<T> {
    let reason = format!("panicked: {panic}");
    Err(DeviceError::Wgpu { what: "a kernel", reason }.into())
}

fn compile(
    device: &GuardedDevice,
    kernel: &Kernel,
    layout: &BindingLayout,
) -> Result<wgpu::ComputePipeline> {
    let text = module::text(kernel);
    let text = match device.rewrite_kernels {
        Some(rewrite) => rewrite(&text),
        None => text,
    };
    #[cfg(test)]
    let text = device.fault.kernel(text);
    device.checked("a kernel", None, || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(&device.labels.kernel),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&device.labels.kernel),
            layout: Some(&layout.pipelines),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Kernels write a workgroup's memory before they read it.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        })
    })
}

fn binding_layout(device: &GuardedDevice, kind: LayoutKind) -> Result<BindingLayout> {
    let entries = entries(kind);
    device.checked("the layout of a kernel's bindings", None, || {
        let groups = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(&device.labels.kernel),
            entries: &entries,
        });
        let pipelines = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(&device.labels.kernel),
            bind_group_layouts: &[Some(&groups)],
            immediate_size: 0,
        });
        BindingLayout { groups, pipelines, kind }
    })
}

/// Lists the entries explicitly, because a layout derived by wgpu omits unused ones.
fn entries(kind: LayoutKind) -> Vec<wgpu::BindGroupLayoutEntry> {
    let params = if kind.params_in_storage {
        wgpu::BufferBindingType::Storage { read_only: true }
    } else {
        wgpu::BufferBindingType::Uniform
    };
    let input = wgpu::BufferBindingType::Storage { read_only: true };
    let result = wgpu::BufferBindingType::Storage { read_only: false };
    std::iter::once((params, true))
        .chain((0..kind.inputs).map(|_| (input, false)))
        .chain((0..kind.outputs).map(|_| (result, false)))
        .zip(0..)
        .map(|((ty, has_dynamic_offset), binding)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        })
        .collect()
}
