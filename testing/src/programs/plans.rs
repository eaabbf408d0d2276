//! Checks the properties that every plan must have: order of kernels, caps, bounds of what is read,
//! and a shader that validates. It needs no device.

use indim::plan::{
    Access, Arithmetic, Explanation, KernelExplanation, OperandExplanation, PlanLimits, Schedule,
    Source, Written,
};
use indim::{Computation, ElementType, Shape};

use crate::oracle::value::width;
use crate::programs::program::{Call, Node, Program};
use crate::random::Random;

/// Limits so low that even small programs are cut.
pub fn tight(random: &mut Random) -> PlanLimits {
    let mut limits = PlanLimits::default();
    limits.tuning.max_ops_per_kernel = random.pick(&[1, 2, 3, 5, 8]);
    // Two dimensions of this many workgroups are enough for one element an invocation.
    limits.device.max_compute_workgroups_per_dimension = random.pick(&[256, 65_535]);
    // A ternary operation has three arrays and a result; a block of parameters that does not fit
    // a uniform is one binding more.
    let buffers = random.pick(&[(4, 16 << 10), (8, 16 << 10), (5, 100), (8, 100)]);
    (limits.device.max_storage_buffers_per_shader_stage, limits.device.max_uniform_bytes) = buffers;
    limits.tuning.workgroup_size = random.pick(&[1, 4, 32, 256]);
    limits.tuning.tile_rows = random.pick(&[1, 2, 3, 8]);
    limits.tuning.short_row_tile = random.pick(&[1, 2, 4]);
    limits.tuning.quads_per_unit = random.pick(&[1, 2, 4]);
    limits.tuning.quads_per_invocation = random.pick(&[1, 2, 4, 5]);
    limits.tuning.unroll = random.pick(&[1, 2, 3, 8]);
    let flag = |random: &mut Random| random.percent(50);
    limits.tuning.interleaved = flag(random);
    limits.tuning.wide = flag(random);
    limits.tuning.branchless = flag(random);
    limits.tuning.int64 = flag(random);
    limits.tuning.folds_together = flag(random);
    limits.device.max_compute_workgroup_storage_size = random.pick(&[0, 1 << 10, 16 << 10]);
    // Every second plan divides by integers, among others.
    limits.arithmetic = limits.tuning.wide.then(Arithmetic::portable);
    limits.device.max_storage_buffer_binding_size = random.pick(&[1 << 10, 1 << 14, 1 << 27]);
    limits.tuning.max_loads_per_kernel = random.pick(&[0, 8, 64]);
    limits.tuning.max_work_per_submission = random.pick(&[0, 1 << 16, u64::MAX]);
    limits
}

/// Explains the computation under these limits and checks the explanation.
pub fn explained(
    program: &Program,
    computation: &Computation,
    limits: &PlanLimits,
) -> Result<Explanation, String> {
    let explanation = limits.explain(computation).map_err(|e| e.to_string())?;
    // A kernel that sees small parts of large values may have some more operations.
    let moved = program.nodes.iter().any(|node| node.call.is_move());
    let sliced = moved || program.nodes.iter().any(|node| matches!(node.call, Call::Slice { .. }));
    let most_ops = limits.tuning.max_ops_per_kernel as usize * if sliced { 4 } else { 1 };
    for number in 0..explanation.kernels.len() {
        kernel(computation, limits, &explanation.kernels, number, most_ops)
            .and_then(|()| stays_inside(&explanation.kernels[number], moved))
            .map_err(|text| format!("kernel {number} under {limits:?}: {text}"))?;
    }
    if explanation.kernels.is_empty() {
        // A result that is an argument is passed through.
        let handed_through =
            is_parameter(program, program.root()) || are_like_parameters(computation);
        return if handed_through { Ok(explanation) } else { Err("no kernel".to_owned()) };
    }
    for (number, (element_type, shape)) in computation.results().enumerate() {
        let mut written = explanation
            .kernels
            .iter()
            .flat_map(|kernel| kernel.writes.iter().map(move |written| (written, &kernel.shape)));
        let is_it = |written: &(&Written, &Shape)| {
            written.0.array == Source::Result(number)
                && written.0.element_type == element_type
                && written.1 == shape
        };
        // One value may be several results, and others be arguments.
        if !written.any(|written| is_it(&written)) && computation.results().len() == 1 {
            return Err(format!("no kernel writes result {number}: {:?}", explanation.kernels));
        }
    }
    Ok(explanation)
}

/// Returns whether the results of a part of a program can be parameters: each is like one of them.
fn are_like_parameters(computation: &Computation) -> bool {
    let is_like = |(element, shape): (ElementType, &Shape)| {
        computation.parameters().iter().any(|parameter| {
            parameter.element_type == element
                && parameter.shape.element_count() == shape.element_count()
        })
    };
    computation.results().len() > 1 && computation.results().all(is_like)
}

/// Returns whether the result can be a parameter itself: nothing is done but to look at it.
fn is_parameter(program: &Program, node: &Node) -> bool {
    match &node.call {
        Call::Parameter { .. } => node.ty.count() == program.root().ty.count(),
        Call::Broadcast { .. }
        | Call::BroadcastInDim { .. }
        | Call::Transpose { .. }
        | Call::Slice { .. }
        | Call::Reverse { .. }
        | Call::Reshape { .. }
        | Call::Pad { .. }
        | Call::Concatenate { .. }
        | Call::Roll { .. } => {
            let operands = node.call.operands();
            operands.into_iter().any(|id| is_parameter(program, &program.nodes[id]))
        }
        _ => false,
    }
}

/// A kernel reads within its arrays. Moves read outside of them where they select something else:
/// then the shader keeps to the binding, and no operand is read otherwise than in it.
fn stays_inside(kernel: &KernelExplanation, moved: bool) -> Result<(), String> {
    for operand in &kernel.operands {
        let array = operand.shape.dims();
        let inside =
            bounds(&kernel.space, operand.offset, &operand.strides, array).and_then(|()| {
                bounds(&kernel.iteration_space, operand.offset, &operand.merged_strides, array)
            });
        // The last part of what is reduced may be shorter than others, of which it reads none.
        let kept = operand.source == Source::Iota
            || kernel.wgsl.contains("arrayLength")
            || kernel.wgsl.contains("params.of_parts");
        if let Err(text) = inside
            && !((moved || !kernel.reduced.is_empty()) && kept)
        {
            return Err(text);
        }
    }
    Ok(())
}

fn kernel(
    computation: &Computation,
    limits: &PlanLimits,
    kernels: &[KernelExplanation],
    number: usize,
    most_ops: usize,
) -> Result<(), String> {
    let kernel = &kernels[number];
    let own = |written: &Written| match written.array {
        Source::Result(_) => true,
        target => target == Source::Temporary(number) && kernel.writes.len() == 1,
    };
    if kernel.writes.is_empty() || !kernel.writes.iter().all(own) {
        return Err(format!("writes {:?}", kernel.writes));
    }
    // One that folds parts of sums takes the two words of each apart, and converts the sum.
    let words = |operand: &&OperandExplanation| operand.element_type == ElementType::C64;
    let taken_apart = if kernel.reduced.is_empty() { 0 } else { 3 };
    let parts = taken_apart * kernel.operands.iter().filter(words).count();
    if kernel.ops > most_ops.max(parts) {
        return Err(format!("has {} operations", kernel.ops));
    }
    // Its inputs can be bound, however little is bound at once, but for what is bound as a whole.
    let is_too_large = |operand: &OperandExplanation| {
        let bytes = operand.shape.element_count().unwrap() * operand.element_type.bits() / 8;
        let largest = limits.device.max_storage_buffer_binding_size.saturating_sub(256);
        operand.access == Access::Taken && bytes as u64 > largest
    };
    let is_bound = !kernel.operands.iter().any(is_too_large);
    if kernel.dispatches == 0 && is_bound && !kernel.shape.dims().contains(&0) {
        return Err("has no dispatch".to_owned());
    }
    let count = |sizes: &[usize]| sizes.iter().product::<usize>();
    let (space, written) = (count(&kernel.space), count(kernel.shape.dims()));
    let reduced = count(&kernel.reduced);
    let stores_rows = kernel.schedule == Schedule::Passes && space * reduced == written;
    if space != written && !stores_rows {
        return Err(format!("goes through {:?} for {}", kernel.space, kernel.shape));
    }
    if count(&kernel.iteration_space) != space * reduced {
        return Err(format!("walks {:?} for {}", kernel.iteration_space, kernel.shape));
    }
    let most = limits.device.max_compute_workgroups_per_dimension;
    if kernel.dispatches > 0 && kernel.workgroups.iter().any(|&groups| groups > most) {
        return Err(format!("takes {:?} workgroups", kernel.workgroups));
    }
    for operand in &kernel.operands {
        let (element_type, shape) = match operand.source {
            Source::Parameter(index) => {
                let parameter = &computation.parameters()[index];
                (parameter.element_type, &parameter.shape)
            }
            Source::Temporary(_) | Source::Result(_) => {
                let mut earlier = kernels[..number].iter().flat_map(|kernel| {
                    kernel.writes.iter().map(move |written| (written, &kernel.shape))
                });
                match earlier.find(|(written, _)| written.array == operand.source) {
                    Some((written, shape)) => (written.element_type, shape),
                    None => return Err(format!("reads {:?} before it is written", operand.source)),
                }
            }
            Source::Iota => (operand.element_type, &operand.shape),
            other => return Err(format!("reads {other:?}")),
        };
        // A bitcast to another width is the same memory as other elements.
        let bits = |element: ElementType, sizes: &[usize]| count(sizes) * width(element) as usize;
        let retyped = element_type != operand.element_type
            && bits(element_type, shape.dims()) == bits(operand.element_type, operand.shape.dims());
        if !retyped && (element_type, shape) != (operand.element_type, &operand.shape) {
            return Err(format!("reads {operand:?}, which is {element_type}{shape}"));
        }
    }
    let bindings = kernel.wgsl.matches("var<storage").count();
    if bindings > limits.device.max_storage_buffers_per_shader_stage as usize {
        return Err(format!("binds {bindings} storage buffers"));
    }
    Ok(())
}

/// No element of the space reads outside of the array.
fn bounds(
    space: &[usize],
    offset: isize,
    strides: &[isize],
    array: &[usize],
) -> Result<(), String> {
    if space.len() != strides.len() {
        return Err(format!("strides {strides:?} for a space of {space:?}"));
    }
    if space.contains(&0) {
        return Ok(());
    }
    let (mut first, mut last) = (offset as i128, offset as i128);
    for (&size, &stride) in space.iter().zip(strides) {
        let reach = (size as i128 - 1) * stride as i128;
        first += reach.min(0);
        last += reach.max(0);
    }
    let elements: i128 = array.iter().map(|&size| size as i128).product();
    if 0 <= first && last < elements {
        Ok(())
    } else {
        Err(format!("offset {offset} and strides {strides:?} over {space:?} leave {array:?}"))
    }
}

/// Returns whether every kernel's shader is valid by naga.
pub fn validate(explanation: &Explanation) -> Result<(), String> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    for KernelExplanation { wgsl, .. } in &explanation.kernels {
        let module = naga::front::wgsl::parse_str(wgsl)
            .map_err(|e| format!("{}\n{wgsl}", e.emit_to_string(wgsl)))?;
        let capabilities = Capabilities::SHADER_INT64 | Capabilities::FLOAT64;
        Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .map_err(|e| format!("{}\n{wgsl}", e.emit_to_string(wgsl)))?;
    }
    Ok(())
}
