//! Records computations in caller-owned encoders; the caller submits them.

use std::sync::Arc;

use crate::device::arrays::array::AnyArray;
use crate::device::context::Context;
use crate::device::memory::bind_groups::{BindGroupKey, Binding};
use crate::device::memory::encoding::{DropObserver, Encoding, Role};
use crate::device::memory::pool::BufferUse;
use crate::device::program::bind::{self, ParamBuffer};
use crate::device::program::cache::{Program, StepPart};
use crate::device::program::commands::{self, EncodedDispatch};
use crate::device::program::params::ProgramParams;
use crate::device::recording::reclaim;
use crate::device::run::bound::Bound;
use crate::device::run::encoded::Encoded;
use crate::device::run::execute::{self, DispatchSink};
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::{FastMap, hash_of};
use indim_core::semantics::shape::Shape;

impl Bound<'_> {
    /// Records the computation as one compute pass of its name in your encoder on the context's
    /// device. You submit it; [`Encoded::results`] are the results, for further commands in the
    /// encoder and, after [`Encoded::submitted`], for any use.
    ///
    /// An argument may be written by earlier commands that are not submitted yet, in the same
    /// encoder or in one that you submit before it. This call submits nothing, unless the context
    /// has pending commands that write an argument, or that may access an argument's buffer that
    /// you hold ([`AnyArray::buffer`],
    /// [`Context::array_from_buffer`](crate::Context::array_from_buffer)): these are submitted
    /// first. It does not wait, except on software adapters if a readback of an argument was
    /// abandoned while the device was at work.
    ///
    /// wgpu does not reveal which device an encoder belongs to, or whether a pass is open in it
    /// (`ComputePass::forget_lifetime`): if either is wrong, wgpu reports the error to the
    /// encoder's device when you finish it. Here the caller is responsible for the bound on the
    /// work of one submission
    /// ([`Tuning::max_work_per_submission`](crate::plan::Tuning::max_work_per_submission)).
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let p = b.parameter(indim::ElementType::F32, [8])?;
    /// # let y = b.exp(p)?;
    /// # let f = b.build(y)?;
    /// # let x = gpu.zeros::<f32>([8])?;
    /// let mut encoder = gpu.device().create_command_encoder(&Default::default());
    /// // ... your passes before
    /// let encoded = f.on(&gpu, &[x.as_any()])?.encode(&mut encoder)?;
    /// // ... your passes after
    /// gpu.queue().submit([encoder.finish()]);
    /// encoded.submitted();
    /// let values = encoded.results()[0].to_literal_blocking()?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted) if an argument is the result of
    /// commands that were dropped; those of [`Bound::eval`].
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> Result<Encoded> {
        let (context, computation) = (self.context()?, &*self.computation);
        context.gpu().device.lost.check()?;
        let arguments = self.borrowed();
        let inputs = execute::inputs(self, &arguments);
        let before = check_encoded(&arguments)?;
        execute::join_loops(&arguments)?;
        let call = || {
            let mut sink = EncoderSink::new(context);
            let recorded = execute::record(context, computation, inputs, None, &mut sink)?;
            Ok((sink, recorded.results))
        };
        let (sink, results) = reclaim::recorded_with_retry(&context.inner.stream, call)?;
        let commands =
            EncoderCommands { sink, before, name: computation.name().map(|name| &**name) };
        let operands = arguments.iter().map(|&array| (array, Role::Operand));
        // A result may alias an argument.
        let is_made = |result: &&AnyArray| {
            arguments.iter().all(|argument| argument.address() != result.address())
        };
        let made = results.iter().filter(is_made).map(|array| (array, Role::Result));
        let encoding = commands.encode(context, encoder, operands.chain(made).collect())?;
        Ok(Encoded::new(encoding, results))
    }

    /// Records the computation as [`Bound::encode`] does, in a new encoder, and returns its command
    /// buffer, for frameworks that submit command buffers for you.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// let (commands, encoded) = (&x * 2.0).bind()?.command_buffer()?;
    /// gpu.queue().submit([commands]);
    /// encoded.submitted();
    /// let doubled = encoded.results()[0].to_literal_blocking()?;
    /// assert_eq!(doubled.to_vec::<f32>()?, [2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Bound::encode`].
    pub fn command_buffer(&self) -> Result<(wgpu::CommandBuffer, Encoded)> {
        let device = &self.context()?.gpu().device;
        device.lost.check()?;
        let label = Some(device.labels.encoded.as_str());
        let descriptor = wgpu::CommandEncoderDescriptor { label };
        let mut encoder =
            device.checked("an encoder", None, || device.create_command_encoder(&descriptor))?;
        let encoded = self.encode(&mut encoder)?;
        let finished = device.checked("a command buffer", None, || encoder.finish());
        Ok((device.check_loss(finished)?, encoded))
    }
}

/// Checks that commands in an encoder can use the arrays, and returns the encodings that must be
/// submitted before or with them.
pub(crate) fn check_encoded(arrays: &[&AnyArray]) -> Result<Vec<Arc<Encoding>>> {
    let mut before = Vec::new();
    for array in arrays {
        before.extend(array.storage().encodings().check_encoded()?);
        array.storage().check_poison()?;
    }
    Ok(before)
}

/// Returns a number that identifies an encoder.
pub(crate) fn number_of(encoder: &wgpu::CommandEncoder) -> u64 {
    hash_of(encoder)
}

/// Collects dispatches for an encoder.
pub(crate) struct EncoderSink<'a> {
    context: &'a Context,
    key: BindGroupKey,
    dispatches: Vec<EncodedDispatch>,
    /// Arrays that only these dispatches use. They are kept until submission, so that the context's
    /// commands, which may run earlier, do not get the memory.
    temporaries: Vec<AnyArray>,
    /// The words for loops, which these commands first set to 0.
    loop_words: Vec<AnyArray>,
}

impl<'a> EncoderSink<'a> {
    pub(crate) fn new(context: &'a Context) -> Self {
        let key = BindGroupKey::default();
        let (dispatches, temporaries, loop_words) = (Vec::new(), Vec::new(), Vec::new());
        Self { context, key, dispatches, temporaries, loop_words }
    }
}

impl DispatchSink for EncoderSink<'_> {
    const BUFFER_USE: BufferUse = BufferUse::Encoded;
    /// Nothing is recorded in the encoder until the whole call has been taken.
    const KEEPS: bool = false;

    fn loop_words(&mut self, context: &Context, count: usize) -> Result<AnyArray> {
        let (of, shape) = (ElementType::U32, Shape::from([count]));
        let words = AnyArray::uninitialized(context, of, &shape, Self::BUFFER_USE)?;
        self.loop_words.push(words.clone());
        Ok(words)
    }

    fn record(
        &mut self,
        program: &Program,
        (number, part): (usize, &StepPart),
        words: Option<&[u32]>,
        bindings: &[Binding<'_>],
        name: Option<&Arc<str>>,
    ) -> Result<()> {
        let (gpu, dispatch) = (self.context.gpu(), &part.dispatch);
        let (layout, count) = (&dispatch.pipeline.layout, dispatch.words.len());
        let (bindings, offset) = match words {
            None => {
                let ProgramParams { id, buffer, offsets, .. } = program.params(gpu)?;
                let params = ParamBuffer { id: *id, buffer };
                let group = bind::cached(gpu, &mut self.key, layout, params, count, bindings)?;
                (group, offsets[number])
            }
            Some(words) => {
                let (page, offset) = self.context.inner.param_pages.insert(gpu, dispatch, words)?;
                let params = ParamBuffer { id: page.id, buffer: &page.buffer };
                let group = bind::cached(gpu, &mut self.key, layout, params, count, bindings)?;
                (group, offset)
            }
        };
        dispatch.count(&gpu.device.counters);
        self.dispatches.push(EncodedDispatch {
            pipeline: Arc::clone(&dispatch.pipeline),
            bindings,
            params: offset,
            workgroups: dispatch.workgroups,
            arrays: 0..0,
            name: name.cloned(),
        });
        Ok(())
    }

    fn free(&mut self, arrays: &mut Vec<AnyArray>) {
        self.temporaries.append(arrays);
    }
}

/// Dispatches that are ready to be recorded in an encoder.
pub(crate) struct EncoderCommands<'a> {
    pub(crate) sink: EncoderSink<'a>,
    /// The encodings that must be submitted before or with these commands.
    pub(crate) before: Vec<Arc<Encoding>>,
    pub(crate) name: Option<&'a str>,
}

impl EncoderCommands<'_> {
    /// Records the dispatches, which use these arrays and their temporaries. Returns `None` if
    /// there is nothing to submit, neither dispatches nor earlier encodings. An array may appear
    /// several times; its last role counts.
    pub(crate) fn encode(
        self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        arrays: Vec<(&AnyArray, Role)>,
    ) -> Result<Option<Arc<Encoding>>> {
        let Self { sink, before, name } = self;
        let EncoderSink { dispatches, temporaries, loop_words, .. } = sink;
        let device = &context.gpu().device;
        let label = name.unwrap_or(&device.labels.encoded);
        if dispatches.is_empty() {
            // The results are the arguments themselves, complete once the earlier encodings have
            // run.
            return if before.is_empty() {
                Ok(None)
            } else {
                encode_uses(context, encoder, Vec::new(), before, |_| ()).map(Some)
            };
        }
        let record = |encoder: &mut wgpu::CommandEncoder| {
            let timer = context.gpu().timer.as_ref();
            for words in &loop_words {
                let bytes = 4 * words.shape().dims()[0] as u64;
                encoder.clear_buffer(words.storage().place().0, 0, Some(bytes));
            }
            commands::encode_dispatches(device, timer, encoder, label, &dispatches);
        };
        let made = temporaries.iter().chain(&loop_words).map(|array| (array, Role::Result));
        let uses = arrays.into_iter().chain(made).collect();
        encode_uses(context, encoder, uses, before, record).map(Some)
    }
}

/// Records commands that use these arrays in an encoder. An array may appear several times; its
/// last role counts. `before` are the encodings that must be submitted before or with these
/// commands.
pub(crate) fn encode_uses(
    context: &Context,
    encoder: &mut wgpu::CommandEncoder,
    uses: Vec<(&AnyArray, Role)>,
    before: Vec<Arc<Encoding>>,
    record: impl FnOnce(&mut wgpu::CommandEncoder),
) -> Result<Arc<Encoding>> {
    let gpu = context.gpu();
    let encoding = Encoding::new(number_of(encoder), before);
    let observer = DropObserver::new(&encoding);
    note_uses(context, &encoding, &last_roles(uses))?;
    let recorded = gpu.device.checked("commands in an encoder", None, || {
        record(encoder);
        // The callback is dropped with an encoder that is not submitted.
        encoder.on_submitted_work_done(move || observer.ran());
    });
    if recorded.is_err() {
        encoding.dropped();
    }
    gpu.device.check_failure(recorded)?;
    Ok(encoding)
}

/// Returns each array once, with its last role.
fn last_roles(uses: Vec<(&AnyArray, Role)>) -> Vec<(&AnyArray, Role)> {
    let mut last: Vec<(&AnyArray, Role)> = Vec::with_capacity(uses.len());
    let mut places = FastMap::default();
    for (array, role) in uses {
        let place = *places.entry(array.address()).or_insert(last.len());
        match last.get_mut(place) {
            Some(entry) => entry.1 = role,
            None => last.push((array, role)),
        }
    }
    last
}

/// Submits what must be submitted before commands that use these arrays, and notes the uses.
fn note_uses(
    context: &Context,
    encoding: &Arc<Encoding>,
    uses: &[(&AnyArray, Role)],
) -> Result<()> {
    let stream = &context.inner.stream;
    let gpu = &stream.gpu;
    let mut batch = stream.batch()?;
    // A page may encode indefinitely without ever waiting.
    #[cfg(target_arch = "wasm32")]
    batch.take_answers(gpu);
    let goes_first = |&(array, role): &(&AnyArray, Role)| match role {
        Role::Operand if array.storage().is_known_outside() => !batch.is_empty(),
        Role::Operand => batch.writes(array.storage().buffer_id()),
        Role::Result => false,
        // Commands recorded by the context must read the earlier contents.
        Role::Target if array.storage().is_known_outside() => !batch.is_empty(),
        Role::Target => batch.uses(array.storage().buffer_id()),
    };
    if uses.iter().any(goes_first) {
        // If the batch is rejected, its arrays carry the error.
        let _ = batch.submit(gpu, &[]);
    }
    for (array, _) in uses {
        array.storage().check_poison()?;
    }
    for &(array, role) in uses {
        array.note(encoding, role);
    }
    #[cfg(target_arch = "wasm32")]
    batch.encoded(encoding, uses.iter().map(|(array, role)| array.storage().used(*role)).collect());
    // From here on no mapping of them begins; see `Mappings::begin_read`.
    gpu.mappings
        .end(&gpu.device, |id, _| uses.iter().any(|(array, _)| array.storage().buffer_id() == id));
    drop(batch);
    #[cfg(not(target_arch = "wasm32"))]
    stream.forget_mappings(uses.iter().filter_map(|(array, _)| array.storage().pooled_memory()))?;
    Ok(())
}
