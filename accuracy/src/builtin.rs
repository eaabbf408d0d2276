//! Computes the column of WGSL's plain built-ins, in kernels of our own, to show a function's
//! accuracy without the library.

use indim::Context;
use indim::wgpu::{self, BufferUsages};

use crate::Result;
use crate::chunk::Chunk;
use crate::column::{Adapter, Column};
use crate::function::Function;

/// WGSL's spellings of operations that have a built-in or an operator; `a` and `b` are the
/// operands.
const SPELLINGS: &[(&str, &str)] = &[
    ("Add", "a + b"),
    ("Sub", "a - b"),
    ("Mul", "a * b"),
    ("Div", "a / b"),
    ("Rem", "a % b"),
    ("Pow", "pow(a, b)"),
    ("Atan2", "atan2(a, b)"),
    ("Max", "max(a, b)"),
    ("Min", "min(a, b)"),
    ("Eq", "a == b"),
    ("Ne", "a != b"),
    ("Lt", "a < b"),
    ("Le", "a <= b"),
    ("Gt", "a > b"),
    ("Ge", "a >= b"),
    ("Abs", "abs(a)"),
    ("Neg", "-a"),
    ("Sign", "sign(a)"),
    ("Ceil", "ceil(a)"),
    ("Floor", "floor(a)"),
    ("RoundNearestEven", "round(a)"),
    ("Sqrt", "sqrt(a)"),
    ("Rsqrt", "inverseSqrt(a)"),
    ("Exp", "exp(a)"),
    ("Log", "log(a)"),
    ("Sin", "sin(a)"),
    ("Cos", "cos(a)"),
    ("Tan", "tan(a)"),
    ("Tanh", "tanh(a)"),
    ("Sinh", "sinh(a)"),
    ("Cosh", "cosh(a)"),
    ("Asin", "asin(a)"),
    ("Acos", "acos(a)"),
    ("Atan", "atan(a)"),
    ("Asinh", "asinh(a)"),
    ("Acosh", "acosh(a)"),
    ("Atanh", "atanh(a)"),
    ("Reciprocal", "1.0 / a"),
    ("Square", "a * a"),
];

const WORKGROUP: u32 = 64;

/// Workgroups along x; the rest is along y.
const ROW: u32 = 32_768;

/// Returns the built-in for the function of this XLA name, if there is one.
pub fn spelling(name: &str) -> Option<&'static str> {
    SPELLINGS.iter().find(|(known, _)| *known == name).map(|(_, spelling)| *spelling)
}

/// WGSL's built-ins on the device of a context.
#[derive(Debug)]
pub struct Builtin {
    context: Context,
    pipeline: Option<(String, wgpu::ComputePipeline)>,
    buffers: Option<Buffers>,
}

/// Buffers for results of a given number of words.
#[derive(Debug, Clone)]
struct Buffers {
    words: u64,
    numbers: wgpu::Buffer,
    operands: [wgpu::Buffer; 2],
    result: wgpu::Buffer,
}

impl Builtin {
    /// Returns the column on this context's device.
    pub fn new(context: Context) -> Self {
        Self { context, pipeline: None, buffers: None }
    }

    fn pipeline(
        &mut self,
        function: &Function,
        spelling: &str,
        made: bool,
    ) -> wgpu::ComputePipeline {
        let text = text(spelling, function.gives_pred(), made);
        match &self.pipeline {
            Some((known, pipeline)) if *known == text => pipeline.clone(),
            _ => {
                let pipeline = compiled(self.context.device(), &text);
                self.pipeline = Some((text, pipeline.clone()));
                pipeline
            }
        }
    }

    /// Returns buffers of at least this many words, which are kept for the next chunk.
    fn buffers(&mut self, words: u64) -> Buffers {
        if let Some(buffers) = self.buffers.as_ref().filter(|buffers| buffers.words >= words) {
            return buffers.clone();
        }
        let device = self.context.device();
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("accuracy"),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let read = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let buffers = Buffers {
            words,
            numbers: buffer(16, BufferUsages::UNIFORM | BufferUsages::COPY_DST),
            operands: [buffer(words * 4, read), buffer(words * 4, read)],
            result: buffer(words * 4, BufferUsages::STORAGE | BufferUsages::COPY_SRC),
        };
        self.buffers = Some(buffers.clone());
        buffers
    }

    fn run(&mut self, pipeline: &wgpu::ComputePipeline, chunk: &Chunk) -> Result<Vec<u32>> {
        let queue = self.context.queue().clone();
        let length = chunk.len();
        let buffers = self.buffers(length as u64);
        let numbers = match chunk {
            &Chunk::Signed { start, step, count } => [start, step, count, length as u32],
            Chunk::Listed { lhs, rhs } => {
                for (buffer, words) in buffers.operands.iter().zip([lhs, rhs]) {
                    queue.write_buffer(buffer, 0, &bytes(words));
                }
                [0, 0, 0, length as u32]
            }
        };
        queue.write_buffer(&buffers.numbers, 0, &bytes(&numbers));
        let bound = [&buffers.numbers, &buffers.operands[0], &buffers.operands[1], &buffers.result];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(bound)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let device = self.context.device();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("accuracy"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            let groups = (length as u32).div_ceil(WORKGROUP);
            pass.dispatch_workgroups(groups.min(ROW), groups.div_ceil(ROW), 1);
        }
        queue.submit([encoder.finish()]);
        let result = self.context.array_from_buffer::<u32>([length], buffers.result, 0)?;
        Ok(result.to_vec_blocking()?)
    }
}

impl Column for Builtin {
    fn name(&self) -> &str {
        "builtin"
    }

    fn adapter(&self) -> Adapter {
        Adapter::of(&self.context)
    }

    fn compute(&mut self, function: &Function, chunk: &Chunk) -> Result<Option<Vec<u32>>> {
        let Some(spelling) = spelling(&function.name) else { return Ok(None) };
        let made = matches!(chunk, Chunk::Signed { .. });
        let pipeline = self.pipeline(function, spelling, made);
        self.run(&pipeline, chunk).map(Some)
    }
}

/// Returns a kernel; its operands are `made` from numbers in a row, or else read.
fn text(spelling: &str, pred: bool, made: bool) -> String {
    let operands = if made {
        "let second = i >= numbers.count;
    let bits = numbers.start + select(i, i - numbers.count, second) * numbers.step;
    let a = bitcast<f32>(bits | select(0u, 0x80000000u, second));
    let b = a;"
    } else {
        "let a = bitcast<f32>(lhs[i]);
    let b = bitcast<f32>(rhs[i]);"
    };
    let result = if pred {
        format!("select(0u, 1u, {spelling})")
    } else {
        format!("bitcast<u32>({spelling})")
    };
    format!(
        "struct Numbers {{ start: u32, step: u32, count: u32, length: u32 }}
@group(0) @binding(0) var<uniform> numbers: Numbers;
@group(0) @binding(1) var<storage, read> lhs: array<u32>;
@group(0) @binding(2) var<storage, read> rhs: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size({WORKGROUP})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{
    let i = (group.y * {ROW}u + group.x) * {WORKGROUP}u + local;
    if (i >= numbers.length) {{ return; }}
    {operands}
    result[i] = {result};
}}
"
    )
}

fn compiled(device: &wgpu::Device, text: &str) -> wgpu::ComputePipeline {
    let binding = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("accuracy"),
        entries: &[
            binding(0, wgpu::BufferBindingType::Uniform),
            binding(1, storage(true)),
            binding(2, storage(true)),
            binding(3, storage(false)),
        ],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("accuracy"),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("accuracy"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("accuracy"),
        layout: Some(&layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
