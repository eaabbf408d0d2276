//! Checks sequences of calls on one context: arrays are made, computed with, written, cloned,
//! dropped, read in several ways and exported, with calls that fail in between. The interpreter
//! computes the elements of each array.
//!
//! An array whose buffer is known outside is written in place, so that its clones change with it,
//! and so do test-made arrays in that buffer. Only buffers show which arrays share memory, and
//! asking for a buffer makes it known. So the test asks only where a buffer may be known anyway: an
//! array may share memory with another one as long as both may hold the same.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Waking, Poll, Waker};

use indim::plan::PlanLimits;
use indim::{
    AnyArray, BufferRange, Builder, Computation, Context, ElementType, Literal, Op, OpClass,
};

use crate::contexts;
use crate::fuzz::expression::{self, Held};
use crate::fuzz::into;
use crate::oracle::format;
use crate::oracle::value::Value;
use crate::programs::arguments;
use crate::programs::build::Attempts;
use crate::programs::compare::{self, compare, literal};
use crate::programs::data;
use crate::programs::interpreter::{self, Tensor};
use crate::programs::invalid;
use crate::programs::program::{Call, Node, Place, Program, Type};
use crate::programs::shapes;
use crate::random::Random;

/// Calls of one sequence.
const MOST_CALLS: usize = 40;
/// Arrays that live at a time.
const MOST_ARRAYS: usize = 12;
/// Nothing larger is computed here: the interpreter is slow, and so is a fuzzer.
const MOST_ELEMENTS: usize = 600;
const HIGHEST_RANK: usize = 6;
/// Computations that are kept to be run again.
const MOST_KEPT: usize = 4;

/// A readback that was begun.
struct Reading {
    reading: Pin<Box<dyn Future<Output = indim::Result<Literal>>>>,
    /// What it has to give.
    tensor: Tensor,
    array: AnyArray,
    /// True once it was polled: from then on it may have read the array.
    is_polled: bool,
}

/// A computation of parameters of these types: its calls, the parameters among them.
struct Kept {
    computation: Computation,
    program: Program,
}

struct Sequence<'a> {
    context: &'a Context,
    random: &'a mut Random,
    arrays: Vec<Held>,
    readings: Vec<Reading>,
    kept: Vec<Kept>,
    trace: Vec<String>,
}

/// A context with short kernels, so that compiling takes less of the time; this check is not about
/// the planner.
pub fn context() -> Context {
    let mut plan = PlanLimits::default();
    (plan.tuning.tile_rows, plan.tuning.short_row_tile) = (1, 1);
    let mut options = contexts::options();
    options.plan_limits = Some(plan);
    Context::blocking_with_options(options).expect("an adapter")
}

pub fn check(context: &Context, random: &mut Random) -> Result<(), String> {
    let mut sequence = Sequence {
        context,
        random,
        arrays: Vec::new(),
        readings: Vec::new(),
        kept: Vec::new(),
        trace: Vec::new(),
    };
    sequence.run().map_err(|text| format!("{text}\nafter\n  {}", sequence.trace.join("\n  ")))
}

impl Sequence<'_> {
    fn run(&mut self) -> Result<(), String> {
        self.upload()?;
        for _ in 0..1 + self.random.below(MOST_CALLS) {
            if self.random.is_over() {
                break;
            }
            self.step()?;
            while self.arrays.len() > MOST_ARRAYS {
                self.arrays.remove(0);
            }
        }
        self.trace.push("read all".to_owned());
        for Reading { reading, tensor, .. } in self.readings.drain(..) {
            compared(&tensor, pollster::block_on(reading))?;
        }
        for Held { array, tensor, .. } in &self.arrays {
            compared(tensor, array.to_literal_blocking())?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        match self.random.weighted(&[30, 16, 8, 8, 6, 8, 6, 6, 4, 4, 3, 2, 2, 4, 6, 16]) {
            0 => self.compute(),
            1 => self.express(),
            2 => self.upload(),
            3 => self.again(),
            4 => self.clone_or_drop(),
            5 => self.read(),
            6 => self.begin_reading(),
            7 => self.poll_reading(),
            8 => self.end_reading(),
            9 => self.noted("drop a reading", |this| {
                let place = this.random.below(this.readings.len().max(1));
                if place < this.readings.len() {
                    drop(this.readings.swap_remove(place));
                }
                Ok(())
            }),
            10 => self.noted("flush", |this| done(this.context.flush())),
            11 => self.noted("trim", |this| {
                this.context.trim();
                Ok(())
            }),
            12 => self.noted("wait", |this| done(this.context.wait())),
            13 => self.alias(),
            14 => self.fail(),
            _ => self.write(),
        }
    }

    fn noted(
        &mut self,
        name: &str,
        call: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        self.trace.push(name.to_owned());
        call(self)
    }

    fn ty(&mut self) -> Type {
        let element = self.random.pick(ElementType::ALL);
        let mut dims = shapes::result(self.random);
        dims.truncate(HIGHEST_RANK);
        // The outer sizes shrink until it is small.
        for place in 0..dims.len() {
            while dims.iter().product::<usize>() > MOST_ELEMENTS && dims[place] > 1 {
                dims[place] = dims[place].div_ceil(2);
            }
        }
        Type { element, dims }
    }

    /// A new array: uploaded, or in a test-owned buffer.
    fn upload(&mut self) -> Result<(), String> {
        // Arrays of types already in use allow more calls.
        let ty = if self.arrays.is_empty() || self.random.percent(50) {
            self.ty()
        } else {
            self.held().tensor.ty.clone()
        };
        let bits = data::elements(self.random, ty.element, ty.count());
        let foreign = self.random.percent(25);
        let gap = self.random.below(6);
        let place = if foreign { Place::Foreign { gap } } else { Place::Uploaded };
        self.trace.push(format!("upload {ty}, {place:?}"));
        let call = Call::Parameter { ty: ty.clone(), data: bits.clone(), place };
        let program = Program { nodes: vec![Node { call, ty: ty.clone() }] };
        let array = arguments::arguments(self.context, &program)?.remove(0);
        let values = bits.into_iter().map(Value::Bits).collect();
        self.arrays.push(Held { array, tensor: Tensor { ty, values }, outside: foreign });
        Ok(())
    }

    fn held(&mut self) -> &Held {
        let place = self.random.below(self.arrays.len());
        &self.arrays[place]
    }

    /// One to three calls on arrays that are there, as one computation. Those that are wrong are
    /// refused in between.
    fn compute(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return self.upload();
        }
        let mut builder = Builder::new();
        let mut attempts = Attempts::default();
        let mut nodes: Vec<Node> = Vec::new();
        let mut tensors: Vec<Tensor> = Vec::new();
        let mut given: Vec<AnyArray> = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let Held { array, tensor, .. } = self.held();
            let (array, tensor) = (array.clone(), tensor.clone());
            let ty = tensor.ty.clone();
            let call = Call::Parameter { ty: ty.clone(), data: Vec::new(), place: Place::Uploaded };
            attempts.make(&call, &mut builder)?;
            nodes.push(Node { call, ty });
            tensors.push(tensor);
            given.push(array);
        }
        for _ in 0..1 + self.random.below(4) {
            let call = self.call(&attempts.types);
            self.trace.push(format!("in a computation: {call}"));
            let before = attempts.types.len();
            attempts.make(&call, &mut builder)?;
            let Some(ty) = attempts.types.get(before).cloned() else { continue };
            if ty.dims.len() > HIGHEST_RANK || ty.count() > MOST_ELEMENTS {
                // The call is valid, and its value stays unused in the builder.
                attempts.types.pop();
                attempts.ops.pop();
                continue;
            }
            let node = Node { call, ty };
            tensors.push(interpreter::apply(&node, &tensors));
            nodes.push(node);
        }
        let last = attempts.ops.len() - 1;
        let mut roots = vec![last];
        if self.random.percent(30) {
            roots.extend((0..1 + self.random.below(3)).map(|_| self.random.below(last + 1)));
        }
        let ops: Vec<Op> = roots.iter().map(|&root| attempts.ops[root]).collect();
        let computation = builder.build_all(&ops).map_err(|e| format!("build: {e}"))?;
        if self.random.percent(10) {
            self.trace.push("prewarm".to_owned());
            done(self.context.prewarm(&[&computation]))?;
        }
        let shown: Vec<String> = given.iter().map(|a| format!("{a:?}")).collect();
        self.trace.push(format!("run it on {} for {roots:?}", shown.join(", ")));
        let arguments: Vec<&AnyArray> = given.iter().collect();
        let arrays = self.context.run_all(&computation, &arguments);
        for (array, root) in arrays.map_err(|e| format!("run: {e}"))?.into_iter().zip(&roots) {
            self.push(array, tensors[*root].clone());
        }
        if roots.len() > 1 {
            return Ok(());
        }
        self.kept.push(Kept { computation, program: Program { nodes } });
        if self.kept.len() > MOST_KEPT {
            self.kept.remove(0);
        }
        Ok(())
    }

    /// A call, seldom of a function that fills a kernel.
    fn call(&mut self, types: &[Type]) -> Call {
        const TRIES: usize = 4;
        let long = |call: &Call| {
            let class = call.opcode().class();
            let Call::Unary { x, .. } = call else { return matches!(class, OpClass::Pair) };
            format::of(types[*x].element).is_some() || types[*x].element == ElementType::C64
        };
        let mut call = invalid::call(self.random, types);
        for _ in 0..TRIES {
            if !long(&call) || self.random.percent(10) {
                break;
            }
            call = invalid::call(self.random, types);
        }
        call
    }

    /// A kept computation on other arrays of its parameters' types, as far as there are some.
    fn again(&mut self) -> Result<(), String> {
        let place = self.random.below(self.kept.len().max(1));
        let Some(kept) = self.kept.get(place) else { return Ok(()) };
        let mut tensors: Vec<Tensor> = Vec::new();
        let mut arguments: Vec<&AnyArray> = Vec::new();
        for node in &kept.program.nodes {
            if !matches!(node.call, Call::Parameter { .. }) {
                tensors.push(interpreter::apply(node, &tensors));
                continue;
            }
            let fitting: Vec<&Held> =
                self.arrays.iter().filter(|held| held.tensor.ty == node.ty).collect();
            if fitting.is_empty() {
                return Ok(());
            }
            let held = self.random.pick(&fitting);
            arguments.push(&held.array);
            tensors.push(held.tensor.clone());
        }
        self.trace.push(format!("run on {arguments:?} again\n{}", kept.program));
        let array = self.context.run(&kept.computation, &arguments);
        let array = array.map_err(|e| format!("run: {e}"))?;
        let tensor = tensors.pop().ok_or("a computation has a result")?;
        self.push(array, tensor);
        Ok(())
    }

    /// Adds a result, which may be an existing array.
    fn push(&mut self, array: AnyArray, tensor: Tensor) {
        let outside = self.arrays.iter().any(|held| held.outside && may_share(held, &tensor));
        self.arrays.push(Held { array, tensor, outside });
    }

    /// A lazy expression of existing arrays.
    fn express(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return self.upload();
        }
        let held = self.held();
        let (array, tensor) = (held.array.clone(), held.tensor.clone());
        let others: Vec<(AnyArray, Tensor)> = self
            .arrays
            .iter()
            .filter(|held| held.tensor.ty.element == tensor.ty.element)
            .map(|held| (held.array.clone(), held.tensor.clone()))
            .collect();
        let leaves = [&[(array, tensor)], others.as_slice()].concat();
        let found = expression::evaluated(self.context, self.random, leaves, &mut self.trace)?;
        let small = |held: &Held| {
            let ty = &held.tensor.ty;
            ty.dims.len() <= HIGHEST_RANK && ty.count() <= MOST_ELEMENTS
        };
        for Held { array, tensor, .. } in found.into_iter().filter(small) {
            self.push(array, tensor);
        }
        Ok(())
    }

    /// An expression of existing arrays, evaluated into one of them or a part of it.
    fn write(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let place = self.random.below(self.arrays.len());
        let at = if self.arrays[place].outside { Some(self.export(place)?) } else { None };
        let Held { array, tensor, outside } = self.arrays.swap_remove(place);
        let element = tensor.ty.element;
        let others = self.arrays.iter().filter(|held| held.tensor.ty.element == element);
        let others = others.map(|held| (held.array.clone(), held.tensor.clone()));
        let mut leaves = vec![(array, tensor.clone())];
        leaves.extend(others.take(3));
        let (array, written) = into::written(self.random, leaves, &mut self.trace)?;
        let before = Held { array, tensor, outside };
        if let Some(at) = at {
            self.written_in_place(&before, &at, &written)?;
        }
        self.arrays.push(Held { tensor: written, ..before });
        Ok(())
    }

    /// Updates the arrays that share the memory at this place in a buffer, after it was written.
    fn written_in_place(
        &mut self,
        before: &Held,
        at: &BufferRange,
        written: &Tensor,
    ) -> Result<(), String> {
        let shares = |array: &AnyArray| {
            let range = array.buffer().map_err(|e| format!("buffer: {e}"))?;
            Ok::<bool, String>(range.buffer == at.buffer && range.offset == at.offset)
        };
        for held in &mut self.arrays {
            if held.outside && may_share(before, &held.tensor) && shares(&held.array)? {
                rewrite(&mut held.tensor, written);
            }
        }
        for Reading { tensor, array, is_polled, .. } in &mut self.readings {
            if !may_share(before, tensor) || !shares(array)? {
                continue;
            }
            let old = tensor.values.clone();
            rewrite(tensor, written);
            if *is_polled {
                let either = |(new, old): (&mut Value, Value)| {
                    *new = if *new == old { old } else { Value::Unknown };
                };
                tensor.values.iter_mut().zip(old).for_each(either);
            }
        }
        Ok(())
    }

    /// Exports the buffer of an array, and records which arrays may be in it.
    fn export(&mut self, place: usize) -> Result<BufferRange, String> {
        let tensor = self.arrays[place].tensor.clone();
        for held in &mut self.arrays {
            held.outside |= may_share(held, &tensor);
        }
        self.arrays[place].array.buffer().map_err(|e| format!("buffer: {e}"))
    }

    fn clone_or_drop(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let place = self.random.below(self.arrays.len());
        if self.random.percent(50) {
            self.trace.push(format!("clone {:?}", self.arrays[place].array));
            let Held { array, tensor, outside } = &self.arrays[place];
            let (array, tensor, outside) = (array.clone(), tensor.clone(), *outside);
            self.arrays.push(Held { array, tensor, outside });
        } else {
            self.trace.push(format!("drop {:?}", self.arrays[place].array));
            self.arrays.swap_remove(place);
        }
        Ok(())
    }

    /// Reads an array. From then on its bits are known.
    fn read(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let place = self.random.below(self.arrays.len());
        let Held { array, tensor, .. } = &mut self.arrays[place];
        self.trace.push(format!("read {array:?}"));
        let read = array.to_literal_blocking();
        if let Ok(literal) = &read {
            compare(tensor, literal)?;
            tensor.values = compare::bits(literal).into_iter().map(Value::Bits).collect();
        }
        compared(tensor, read)
    }

    fn begin_reading(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let held = self.held();
        let (array, tensor) = (held.array.clone(), held.tensor.clone());
        self.trace.push(format!("begin to read {array:?}"));
        let read = array.clone();
        let reading = Box::pin(async move { read.to_literal().await });
        self.readings.push(Reading { reading, tensor, array, is_polled: false });
        Ok(())
    }

    fn poll_reading(&mut self) -> Result<(), String> {
        let place = self.random.below(self.readings.len().max(1));
        let Some(Reading { reading, tensor, is_polled, .. }) = self.readings.get_mut(place) else {
            return Ok(());
        };
        *is_polled = true;
        self.trace.push(format!("poll the reading of {}", tensor.ty));
        if let Poll::Ready(read) = reading.as_mut().poll(&mut Waking::from_waker(Waker::noop())) {
            compared(tensor, read)?;
            drop(self.readings.swap_remove(place));
        }
        Ok(())
    }

    fn end_reading(&mut self) -> Result<(), String> {
        let place = self.random.below(self.readings.len().max(1));
        if place >= self.readings.len() {
            return Ok(());
        }
        let Reading { reading, tensor, .. } = self.readings.swap_remove(place);
        self.trace.push(format!("await the reading of {}", tensor.ty));
        compared(&tensor, pollster::block_on(reading))
    }

    /// The same memory as a test-made array.
    fn alias(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let place = self.random.below(self.arrays.len());
        self.trace.push(format!("give out the buffer of {:?}", self.arrays[place].array));
        let range = self.export(place)?;
        let tensor = self.arrays[place].tensor.clone();
        let array = arguments::in_buffer(self.context, &tensor.ty, range.buffer, range.offset)?;
        let alias = Held { array, tensor, outside: true };
        if self.random.percent(50) {
            self.arrays.swap_remove(place);
        }
        self.arrays.push(alias);
        Ok(())
    }

    /// A call that has to fail, and to leave no trace.
    fn fail(&mut self) -> Result<(), String> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let place = self.random.below(self.arrays.len());
        let Held { array, tensor, .. } = &self.arrays[place];
        let (array, ty) = (&array.clone(), &tensor.ty.clone());
        let (name, failed) = match self.random.below(7) {
            0 => {
                let short = literal(ty, &vec![0; ty.count() + 1]);
                ("a literal of one element too many", short.err())
            }
            1 => {
                let huge = Type::new(ty.element, &[1 << 40, 1 << 40]);
                ("a literal past all counting", literal(&huge, &[]).err())
            }
            2 | 3 => {
                let Some(kept) = self.kept.last() else { return Ok(()) };
                let parameters = kept.computation.parameters();
                let fits = |p: &indim::Parameter| {
                    p.element_type == ty.element && p.shape.dims() == ty.dims
                };
                let wrong = parameters.len() != 1 || !fits(&parameters[0]);
                if !wrong {
                    return Ok(());
                }
                let ran = self.context.run(&kept.computation, &[array]);
                ("a run on wrong arguments", said(ran))
            }
            4 => {
                let range = self.export(place)?;
                let at = range.offset + 1 + self.random.below(3) as u64;
                let odd = arguments::in_buffer(self.context, ty, range.buffer, at);
                ("an odd offset", odd.err())
            }
            5 => {
                let range = self.export(place)?;
                let wide = Type::new(ty.element, &[1 << 26, 2]);
                let past = arguments::in_buffer(self.context, &wide, range.buffer, range.offset);
                ("more than there is in a buffer", past.err())
            }
            _ => ("a huge result", self.huge(place)?),
        };
        self.trace.push(format!("to fail: {name} ({ty})"));
        match failed {
            Some(_) => Ok(()),
            None => Err(format!("{name} is accepted")),
        }
    }

    /// The error for a result that no buffer holds.
    fn huge(&self, place: usize) -> Result<Option<String>, String> {
        let Held { array, tensor, .. } = &self.arrays[place];
        if tensor.values.is_empty() {
            return Ok(Some("nothing is never too large".to_owned()));
        }
        let mut builder = Builder::new();
        let made = builder
            .parameter(tensor.ty.element, tensor.ty.dims.as_slice())
            .and_then(|x| builder.broadcast(x, &[1 << 20, 1 << 20]))
            .and_then(|wide| builder.build(wide));
        let Ok(computation) = made else { return Ok(made.err().map(|e| e.to_string())) };
        Ok(said(self.context.run(&computation, &[array])))
    }
}

/// Returns whether an array may share memory with one that holds this.
fn may_share(held: &Held, tensor: &Tensor) -> bool {
    let may_be_same = |(one, other): (&Value, &Value)| match (one, other) {
        (Value::Bits(one), Value::Bits(other)) => one == other,
        _ => true,
    };
    let (one, other) = (&held.tensor, tensor);
    one.ty.element.bits() == other.ty.element.bits()
        && one.values.len() == other.values.len()
        && one.values.iter().zip(&other.values).all(may_be_same)
}

/// Applies what was written to the same memory, possibly as another type.
fn rewrite(tensor: &mut Tensor, written: &Tensor) {
    let same = tensor.ty.element == written.ty.element;
    let known = |&value: &Value| match value {
        Value::Bits(_) => value,
        _ if same => value,
        _ => Value::Unknown,
    };
    tensor.values = written.values.iter().map(known).collect();
}

fn said<T>(answer: indim::Result<T>) -> Option<String> {
    answer.err().map(|error| error.to_string())
}

fn done(answer: indim::Result<()>) -> Result<(), String> {
    answer.map_err(|e| e.to_string())
}

fn compared(want: &Tensor, read: indim::Result<Literal>) -> Result<(), String> {
    let literal = read.map_err(|e| format!("read: {e}"))?;
    compare(want, &literal).map(drop)
}
