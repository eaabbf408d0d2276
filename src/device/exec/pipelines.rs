//! Compiles kernels, and keeps their pipelines by structure, so that a new shape, stride or
//! constant compiles nothing.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crate::compile::plan::kernel::Kernel;
use crate::compile::wgsl::module;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use crate::semantics::error::Result;
use crate::semantics::hash::FastMap;

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: Arc<BindingLayout>,
    /// True once [`warm`](super::warm) has dispatched it.
    pub(crate) has_run: AtomicBool,
}

/// The layout of a kernel's bindings: one for all kernels of as many arrays, so that they share
/// bind groups, too.
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
    /// The parameter block is bound as storage, and not as a uniform.
    pub(crate) params_in_storage: bool,
}

impl LayoutKind {
    /// Returns a number that no other layout has.
    pub(crate) fn code(self) -> u64 {
        self.inputs as u64 * 2 + u64::from(self.params_in_storage)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    by_kernel: Mutex<FastMap<Kernel, Arc<Pipeline>>>,
    layouts: Mutex<FastMap<LayoutKind, Arc<BindingLayout>>>,
}

impl Pipelines {
    pub(crate) fn get(&self, device: &GuardedDevice, kernel: &Kernel) -> Result<Arc<Pipeline>> {
        if let Some(pipeline) = lock(&self.by_kernel).get(kernel) {
            return Ok(Arc::clone(pipeline));
        }
        // Compiled without the lock: others' kernels need not wait for this one. If two threads
        // compile the same kernel, the second one's is dropped.
        let layout = self.layout(device, kernel)?;
        let stack = STACK_BYTES + kernel.ops.len() * STACK_BYTES_PER_OPERATION;
        let pipeline = Arc::new(with_stack(stack, || compile(device, kernel, &layout))?);
        device.counters.compilations.add(1);
        let mut by_kernel = lock(&self.by_kernel);
        Ok(Arc::clone(by_kernel.entry(kernel.clone()).or_insert(pipeline)))
    }

    fn layout(&self, device: &GuardedDevice, kernel: &Kernel) -> Result<Arc<BindingLayout>> {
        let kind = LayoutKind {
            inputs: kernel.bindings.len(),
            params_in_storage: kernel.params_in_storage(),
        };
        if let Some(layout) = lock(&self.layouts).get(&kind) {
            return Ok(Arc::clone(layout));
        }
        let layout = Arc::new(binding_layout(device, kind)?);
        Ok(Arc::clone(lock(&self.layouts).entry(kind).or_insert(layout)))
    }

    /// Drops all pipelines; those of recorded dispatches live on with them.
    pub(crate) fn trim(&self) {
        lock(&self.by_kernel).clear();
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.by_kernel).len()
    }
}

/// Stack that compiling needs: drivers recurse as deep as a kernel is long. (Measured on Mesa's
/// OpenGL: 1,000 additions of floats take more than the 2 MiB that Rust's threads have, and less
/// than 4.)
const STACK_BYTES: usize = 4 << 20;
const STACK_BYTES_PER_OPERATION: usize = 16 << 10;

/// Runs `work` on a stack of `bytes` bytes, however little the caller has left of its own.
#[cfg(not(target_arch = "wasm32"))]
fn with_stack<T: Send>(bytes: usize, work: impl Fn() -> T + Sync) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("indim compile".to_owned());
        match thread.stack_size(bytes).spawn_scoped(scope, &work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // No thread could be started, so that the caller's stack must do.
            Err(_) => work(),
        }
    })
}

/// In a browser, compiling does not use this stack.
#[cfg(target_arch = "wasm32")]
fn with_stack<T>(_: usize, work: impl Fn() -> T) -> T {
    work()
}

fn compile(
    device: &GuardedDevice,
    kernel: &Kernel,
    layout: &Arc<BindingLayout>,
) -> Result<Pipeline> {
    let text = module::text(kernel);
    device.checked("a kernel", None, || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("indim kernel"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("indim kernel"),
            layout: Some(&layout.pipelines),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // There is no workgroup memory to clear.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        Pipeline { pipeline, layout: Arc::clone(layout), has_run: AtomicBool::new(false) }
    })
}

fn binding_layout(device: &GuardedDevice, kind: LayoutKind) -> Result<BindingLayout> {
    let entries = entries(kind);
    device.checked("the layout of a kernel's bindings", None, || {
        let groups = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("indim kernel"),
            entries: &entries,
        });
        let pipelines = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("indim kernel"),
            bind_group_layouts: &[Some(&groups)],
            immediate_size: 0,
        });
        BindingLayout { groups, pipelines, kind }
    })
}

/// Names the entries one by one, because a layout that wgpu derives leaves out what a kernel does
/// not use.
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
        .chain(std::iter::once((result, false)))
        .zip(0..)
        .map(|((ty, has_dynamic_offset), binding)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        })
        .collect()
}
