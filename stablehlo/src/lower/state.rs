//! [`Lowering`]: the state of lowering a function, with the parts that each operation needs. Calls and
//! regions that are being lowered are a list, so that their depth takes no stack.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use indim_core::{Builder, Literal, Op};

use crate::lower::program::Check;
use crate::lower::rules;
use crate::lower::value::{Kind, Value, array_type};
use crate::report::problem::{Finding, MAX_PROBLEMS};
use crate::syntax::cursor::Result;
use crate::syntax::location::origin;
use crate::syntax::module::{Operand, Operation, OperationId, RegionId, Source, Types};
use crate::syntax::names::{Meaning, meaning};
use crate::syntax::types::Type;

/// The most operations that are lowered, those of functions counted at each call: a chain of
/// functions that each call the next one twice would otherwise double at each step.
pub(crate) const MAX_OPERATIONS: usize = 1 << 20;

/// The most calls in which the place of a problem in the source is looked for.
const MAX_CALLS: usize = 16;

/// A function or a region that is being lowered.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) region: RegionId,
    /// The position of the next operation in the region.
    pub(crate) next: usize,
    /// The values of the region, by number.
    pub(crate) values: Vec<Option<Rc<Value<'a>>>>,
    /// The function that the region is the body of.
    pub(crate) function: Option<usize>,
    /// The operation that gets the results; `None` of the function that is read.
    pub(crate) for_operation: Option<OperationId>,
    /// True if the region is on scalars, in a builder of its own.
    pub(crate) is_scalar: bool,
}

/// The state of lowering a function.
pub(crate) struct Lowering<'s, 'a> {
    pub(crate) source: &'s Source<'a>,
    pub(crate) text: &'a str,
    pub(crate) frames: Vec<Frame<'a>>,
    /// The functions that are being lowered.
    pub(crate) entered: HashSet<usize>,
    /// The builder of the computation, and one for each region on scalars that is being lowered.
    pub(crate) builders: Vec<Builder>,
    pub(crate) findings: Vec<Finding>,
    known: HashSet<(usize, String, Option<String>)>,
    /// The places of operations in the source that the program was made from, by those of their names.
    origins: HashMap<usize, Option<String>>,
    /// The elements of constants that became parameters.
    pub(crate) constants: Vec<Literal>,
    /// The parameter of each such constant.
    parameters: HashMap<OperationId, Op>,
    /// Each constant that was read, by its operation.
    pub(crate) read: HashMap<OperationId, Kind>,
    /// Each resource that was read, by its name and type.
    pub(crate) resources: HashMap<(&'a str, String), Kind>,
    /// The bytes of these resources.
    pub(crate) resource_bytes: usize,
    /// The bytes of elements that checks have.
    pub(crate) checked_bytes: usize,
    pub(crate) lowered: usize,
    /// The checks, if they are wanted, with values that become results.
    pub(crate) checks: Option<Vec<Check>>,
    pub(crate) roots: Vec<Op>,
}

impl<'s, 'a> Lowering<'s, 'a> {
    /// Begins to lower a function of a program.
    pub(crate) fn new(source: &'s Source<'a>, text: &'a str, with_checks: bool) -> Self {
        Self {
            source,
            text,
            frames: Vec::new(),
            entered: HashSet::new(),
            builders: vec![Builder::new()],
            findings: Vec::new(),
            known: HashSet::new(),
            origins: HashMap::new(),
            constants: Vec::new(),
            parameters: HashMap::new(),
            read: HashMap::new(),
            resources: HashMap::new(),
            resource_bytes: 0,
            checked_bytes: 0,
            lowered: 0,
            checks: with_checks.then(Vec::new),
            roots: Vec::new(),
        }
    }

    /// Keeps a problem, unless the same is known at the same place: functions are lowered at each
    /// call.
    #[allow(clippy::boxed_local, reason = "errors are boxed everywhere")]
    pub(crate) fn report(&mut self, finding: Box<Finding>) {
        let key = (finding.span.start, finding.message.clone(), finding.origin.clone());
        // Some more are kept, so that their number can be told.
        if self.findings.len() < 2 * MAX_PROBLEMS && self.known.insert(key) {
            self.findings.push(*finding);
        }
    }

    /// Keeps a problem of an operation, with the place in the source that the program was made from.
    pub(crate) fn report_of(&mut self, operation: &Operation<'a>, mut finding: Box<Finding>) {
        finding.origin = self.origin(operation);
        self.report(finding);
    }

    /// Returns the place in the source of an operation, or else that of the innermost call with one:
    /// JAX gives none to the functions that it adds.
    fn origin(&mut self, operation: &Operation<'a>) -> Option<String> {
        let source = self.source;
        let calls = self.frames.iter().rev().filter_map(|frame| frame.for_operation);
        let calls = calls.take(MAX_CALLS).map(|id| &source.operations[id]);
        for operation in std::iter::once(operation).chain(calls) {
            let find = || operation.location.and_then(|text| origin(text, &source.locations));
            if let Some(found) = self.origins.entry(operation.span.start).or_insert_with(find) {
                return Some(found.clone());
            }
        }
        None
    }

    /// Returns the innermost builder.
    pub(crate) fn builder(&mut self) -> &mut Builder {
        if self.builders.is_empty() {
            self.builders.push(Builder::new());
        }
        let last = self.builders.len() - 1;
        &mut self.builders[last]
    }

    /// Builds an operation; an error of the library gets its place and the specification's name.
    pub(crate) fn build(
        &mut self,
        operation: &Operation<'_>,
        build: impl FnOnce(&mut Builder) -> indim_core::Result<Op>,
    ) -> Result<Op> {
        build(self.builder()).map_err(|error| rules::finding(operation, &error))
    }

    /// Returns a value as one of the builder: constants are added where they are used.
    pub(crate) fn op(&mut self, operation: &Operation<'a>, value: &Value<'a>) -> Result<Op> {
        let refusal = |message: String| Finding::unsupported(operation.place(), message);
        match &value.kind {
            Kind::Op(op) => Ok(*op),
            Kind::Splat(scalar) => {
                let (_, shape) = array_type(&value.of).map_err(refusal)?;
                self.build(operation, |b| {
                    let constant = b.constant(*scalar)?;
                    if shape.rank() == 0 {
                        return Ok(constant);
                    }
                    b.broadcast_in_dim(constant, &shape, [0_i64; 0])
                })
            }
            Kind::List(literal, id) => {
                if self.builders.len() > 1 {
                    return Err(refusal(
                        "an array in a region on scalars is not implemented".into(),
                    ));
                }
                if let Some(&op) = self.parameters.get(id) {
                    return Ok(op);
                }
                let literal = Literal::clone(literal);
                let op = self
                    .build(operation, |b| b.parameter(literal.element_type(), literal.shape()))?;
                self.constants.push(literal);
                self.parameters.insert(*id, op);
                Ok(op)
            }
            Kind::Refused => Err(refusal("an operand was refused".to_owned())),
        }
    }

    /// Returns values as those of the builder.
    pub(crate) fn ops(
        &mut self,
        operation: &Operation<'a>,
        values: &[Rc<Value<'a>>],
    ) -> Result<Vec<Op>> {
        values.iter().map(|value| self.op(operation, value)).collect()
    }

    /// Returns the operands of an operation of the innermost region.
    pub(crate) fn operands(&self, operation: &Operation<'a>) -> Result<Vec<Rc<Value<'a>>>> {
        let operand = |operand: &Operand<'a>| {
            let frame = self.frames.iter().rev().nth(operand.depth);
            let value = frame.and_then(|frame| frame.values.get(operand.value)?.clone());
            let value = value.ok_or_else(|| {
                Finding::syntax(operand.span.clone(), format!("`%{}` has no value", operand.name))
            })?;
            let is_free = value.is_refused() || value.is_scalar_constant();
            if operand.depth == 0 || is_free {
                Ok(value)
            } else {
                Err(self.capture(operation, operand))
            }
        };
        operation.operands.iter().map(operand).collect()
    }

    /// Returns the refusal of a value from outside of a region, which is a computation of its own.
    fn capture(&self, operation: &Operation<'a>, operand: &Operand<'a>) -> Box<Finding> {
        let id = self.frames.last().and_then(|frame| frame.for_operation);
        let owner = id.map_or("an operation", |id| self.source.operations[id].name);
        let name = operand.name;
        let message =
            format!("the region of {owner} uses `%{name}`, which is defined outside of it");
        let help = match meaning(owner) {
            Some(Meaning::Map) => format!(
                "give `%{name}` to the map as one more operand, broadcast to the shape of the others"
            ),
            _ => format!("use the region's arguments and scalar constants, and `%{name}` after it"),
        };
        Finding::unsupported((operation.name, operand.span.clone()), message).help(help)
    }

    /// Sets a result of an operation of the innermost region.
    pub(crate) fn set(&mut self, operation: &Operation<'a>, index: usize, value: Value<'a>) {
        let number = operation.results.start + index;
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some(place) =
            frame.values.get_mut(number).filter(|_| operation.results.len() > index)
        {
            *place = Some(Rc::new(value));
        }
    }

    /// Marks all results of an operation as refused.
    pub(crate) fn refuse(&mut self, operation: &Operation<'a>) {
        let types = result_types(operation);
        for index in 0..operation.results.len() {
            let of = types.get(index).cloned().cloned().unwrap_or(Type::Other("unknown"));
            self.set(operation, index, Value::refused(of));
        }
    }
}

/// Returns the types that are written for an operation's results.
pub(crate) fn result_types<'s, 'a>(operation: &'s Operation<'a>) -> Vec<&'s Type<'a>> {
    match &operation.types {
        Types::Function(_, results) => results.iter().collect(),
        Types::List(list) if meaning(operation.name) == Some(Meaning::Identity) => {
            list.iter().collect()
        }
        // Of `select` the type of the predicate stands before it.
        Types::List(list) => list.last().into_iter().collect(),
        Types::None => Vec::new(),
    }
}
