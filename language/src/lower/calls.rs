//! Lowers function calls in EXPR. Functions that take types, sizes or dimensions have their own
//! match arms; the others are looked up in the library's table of operations.

use indim_core::{BroadcastError, DotDimensionNumbers, ElementType, Error, OpClass, Opcode, Shape};

use crate::lower::integers::{bits, element_type, integer, integers, spread};
use crate::lower::state::{Lowering, NodeValue};
use crate::lower::{composed, functions, numpy, random};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::report::suggest::nearest;
use crate::syntax;
use crate::syntax::foreign;
use crate::syntax::names::{self, IN_DIM};
use crate::syntax::narrow;
use crate::syntax::parser::{Kind, NodeId};

/// Lowers a call.
pub(crate) fn call(lowering: &mut Lowering<'_>, id: NodeId, args: &[NodeId]) -> Result<NodeValue> {
    let at = lowering.node(id).at.clone();
    let name = lowering.text(&at);
    let call = Call { id, name, args };
    let own = lowering.function(name);
    let reduction = numpy::reduction(lowering, name, args).filter(|_| own.is_none());
    let composed = syntax::composed::composed(name).filter(|_| own.is_none());
    if reduction.is_none() && composed.is_none() && (own.is_some() || names::is_function(name)) {
        lowering.refuse_keywords(name, args)?;
    }
    if name == IN_DIM {
        return call.in_dim(lowering);
    }
    if let Some(function) = own {
        return functions::call(lowering, id, args, function);
    }
    if let Some(reduction) = reduction {
        return numpy::call(lowering, id, args, reduction);
    }
    if let Some(composed) = composed {
        return composed::call(lowering, id, args, composed);
    }
    if syntax::random::example(name).is_some() {
        return random::call(lowering, id, name, args);
    }
    if names::is_product(name) {
        return call.dot(lowering);
    }
    let Some(opcode) = names::opcode(name) else {
        let error = Diagnostic::at(at, format!("unknown function `{name}`"));
        let texts: Vec<&str> = args.iter().map(|&arg| lowering.quote(arg, "...")).collect();
        if let Some(help) = foreign::function(name, &texts) {
            return Err(error.help(help));
        }
        let others = lowering.functions();
        return Err(match nearest(name, names::functions()).or_else(|| nearest(name, others)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("functions are XlaBuilder's operations in snake case, such as exp, max, select, convert"),
        });
    };
    match opcode {
        Opcode::Select => call.select(lowering),
        Opcode::Clamp => call.clamp(lowering),
        Opcode::NextAfter => call.next_after(lowering),
        Opcode::ReducePrecision => call.reduce_precision(lowering),
        Opcode::Broadcast => call.broadcast(lowering),
        Opcode::BroadcastInDim => call.broadcast_in_dim(lowering),
        Opcode::Transpose | Opcode::Reverse | Opcode::Reshape => call.view(lowering, opcode),
        Opcode::Slice => call.slice(lowering),
        Opcode::Pad => call.pad(lowering),
        Opcode::Concatenate => call.concatenate(lowering),
        Opcode::Roll => call.roll(lowering),
        Opcode::Take | Opcode::TakeAlongDimension => call.take(lowering, opcode),
        Opcode::Iota => call.iota(lowering),
        Opcode::ConvertElementType | Opcode::BitcastConvertType => call.convert(lowering, opcode),
        _ => match opcode.class() {
            OpClass::Binary | OpClass::Compare => call.binary(lowering, opcode),
            OpClass::Reduce => call.view(lowering, opcode),
            _ => call.unary(lowering, opcode),
        },
    }
}

struct Call<'a> {
    id: NodeId,
    name: &'a str,
    args: &'a [NodeId],
}

impl Call<'_> {
    /// Returns the arguments if their number is what the function takes.
    fn exactly<const N: usize>(&self, lowering: &Lowering<'_>) -> Result<[NodeId; N]> {
        <[NodeId; N]>::try_from(self.args).map_err(|_| self.wrong_count(lowering, N))
    }

    fn wrong_count(&self, lowering: &Lowering<'_>, wanted: usize) -> Box<Diagnostic> {
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!(
            "{} takes {wanted} argument{plural}, but {} are given",
            self.name,
            self.args.len()
        );
        let message = message.replace("but 1 are given", "but 1 is given");
        let usage = names::usage(self.name);
        let reduces = self.args.len() == 1 && matches!(self.name, "max" | "min");
        let help = if reduces {
            format!(
                "as in {usage}; along dimensions of one array it is `reduce_{}(x, [0])`",
                self.name
            )
        } else {
            format!("as in {usage}")
        };
        Diagnostic::at(lowering.node(self.id).span.clone(), message).help(help)
    }

    fn unary(&self, lowering: &mut Lowering<'_>, opcode: Opcode) -> Result<NodeValue> {
        let [x] = self.exactly(lowering)?;
        let value = lowering.value(x)?;
        if let Some(value) = lowering.of_more_types(opcode, value)? {
            return Ok(value);
        }
        let computed_in = lowering.common_type(self.id, Some(opcode), &[value])?;
        let operand = lowering.promoted(self.id, x, value, computed_in)?;
        lowering.builder.unary(opcode, operand).map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Lowers `add(x, y)`, or `add(x, v, [1])` as in XlaBuilder.
    fn binary(&self, lowering: &mut Lowering<'_>, opcode: Opcode) -> Result<NodeValue> {
        match *self.args {
            [lhs, rhs] => lowering.binary(self.id, |_| opcode, lhs, rhs, &[]),
            [lhs, rhs, list] if matches!(lowering.node(list).kind, Kind::List(_)) => {
                let dimensions = integers(lowering, list)?;
                lowering.binary(self.id, |_| opcode, lhs, rhs, &dimensions)
            }
            _ => Err(self.wrong_count(lowering, 2)),
        }
    }

    fn convert(&self, lowering: &mut Lowering<'_>, opcode: Opcode) -> Result<NodeValue> {
        let [x, to] = self.exactly(lowering)?;
        let to = element_type(lowering, to)?;
        let value = lowering.value(x)?;
        // A number of the type means exactly that value, even if f32 cannot hold it.
        let held = match value {
            NodeValue::Number(number) => number.to_scalar(to).is_ok(),
            NodeValue::NotFinite(value) => narrow::float(value, to).is_some(),
            NodeValue::Op(_) => false,
        };
        let number_type =
            if held && opcode == Opcode::ConvertElementType { to } else { ElementType::F32 };
        let operand = lowering.typed(x, value, number_type)?;
        let made = match opcode {
            Opcode::BitcastConvertType => lowering.builder.bitcast_convert_type(operand, to),
            _ => lowering.builder.convert_element_type(operand, to),
        };
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    fn select(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let [pred, on_true, on_false] = self.exactly(lowering)?;
        let values = [lowering.value(on_true)?, lowering.value(on_false)?];
        let common_type = lowering.common_type(self.id, None, &values)?;
        let operands = [
            lowering.array(pred, ElementType::Pred)?,
            lowering.promoted(self.id, on_true, values[0], common_type)?,
            lowering.promoted(self.id, on_false, values[1], common_type)?,
        ];
        let [pred, on_true, on_false] = self.aligned(lowering, operands)?;
        let made = lowering.builder.select(pred, on_true, on_false);
        made.map(NodeValue::Op).map_err(|error| self.one_shape(lowering, error))
    }

    fn clamp(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let [min, x, max] = self.exactly(lowering)?;
        let values = [lowering.value(min)?, lowering.value(x)?, lowering.value(max)?];
        // The clamped array decides the type, or its bounds if it is a bare number.
        let values_of_x_first = [values[1], values[0], values[2]];
        let common_type = lowering.common_type(self.id, None, &values_of_x_first)?;
        let operands = [
            lowering.promoted(self.id, min, values[0], common_type)?,
            lowering.promoted(self.id, x, values[1], common_type)?,
            lowering.promoted(self.id, max, values[2], common_type)?,
        ];
        let [min, x, max] = self.aligned(lowering, operands)?;
        let made = lowering.builder.clamp(min, x, max);
        made.map(NodeValue::Op).map_err(|error| self.one_shape(lowering, error))
    }

    fn next_after(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let [from, to] = self.exactly(lowering)?;
        let values = [lowering.value(from)?, lowering.value(to)?];
        let common_type = lowering.common_type(self.id, Some(Opcode::NextAfter), &values)?;
        let operands = [
            lowering.promoted(self.id, from, values[0], common_type)?,
            lowering.promoted(self.id, to, values[1], common_type)?,
        ];
        let [from, to] = self.aligned(lowering, operands)?;
        let made = lowering.builder.next_after(from, to);
        made.map(NodeValue::Op).map_err(|error| self.one_shape(lowering, error))
    }

    fn reduce_precision(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let [x, exponent, mantissa] = self.exactly(lowering)?;
        let (exponent, mantissa) = (bits(lowering, exponent)?, bits(lowering, mantissa)?);
        let operand = lowering.array(x, ElementType::F32)?;
        let made = lowering.builder.reduce_precision(operand, exponent, mantissa);
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Returns the error of an operation whose operands must have one shape, with a hint if
    /// `--numpy` would broadcast them.
    fn one_shape(&self, lowering: &Lowering<'_>, error: Error) -> Box<Diagnostic> {
        let align = match &error {
            Error::Broadcast {
                source: BroadcastError::NotScalar { shape, other_shape, .. },
                ..
            } => indim_core::numpy::broadcast_shapes(&[shape, other_shape]).is_ok(),
            _ => false,
        };
        let diagnostic = lowering.at(self.id)(error);
        if align {
            diagnostic.help("or `--numpy`, which aligns dimensions from the last one")
        } else {
            diagnostic
        }
    }

    /// With `--numpy`, broadcasts the operands to their common shape by NumPy's rule. Scalars are
    /// left to XLA's rule.
    fn aligned<const N: usize>(
        &self,
        lowering: &mut Lowering<'_>,
        operands: [indim_core::Op; N],
    ) -> Result<[indim_core::Op; N]> {
        if !lowering.numpy {
            return Ok(operands);
        }
        let at = lowering.at(self.id);
        let mut shapes = Vec::with_capacity(N);
        for &operand in &operands {
            shapes.push(lowering.builder.shape(operand).map_err(&at)?.clone());
        }
        let common = indim_core::numpy::broadcast_shapes(&shapes.iter().collect::<Vec<&Shape>>())
            .map_err(&at)?;
        let sizes = signed(&common).map_err(|size| {
            Diagnostic::at(lowering.node(self.id).at.clone(), format!("size {size} is too large"))
        })?;
        let mut aligned = operands;
        for (operand, shape) in aligned.iter_mut().zip(&shapes) {
            if shape.rank() > 0 && *shape != common {
                let dimensions =
                    indim_core::numpy::broadcast_dimensions(shape.rank(), common.rank());
                *operand = lowering
                    .builder
                    .broadcast_in_dim(*operand, &sizes, &dimensions)
                    .map_err(&at)?;
            }
        }
        Ok(aligned)
    }

    fn broadcast(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let Some((&x, sizes)) = self.args.split_first() else {
            return Err(self.wrong_count(lowering, 2));
        };
        let sizes = spread(lowering, sizes)?;
        let operand = lowering.array(x, ElementType::F32)?;
        lowering.builder.broadcast(operand, &sizes).map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    fn broadcast_in_dim(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let [x, sizes, dimensions] = self.exactly(lowering)?;
        let (sizes, dimensions) = (integers(lowering, sizes)?, integers(lowering, dimensions)?);
        let operand = lowering.array(x, ElementType::F32)?;
        lowering
            .builder
            .broadcast_in_dim(operand, &sizes, &dimensions)
            .map(NodeValue::Op)
            .map_err(lowering.at(self.id))
    }

    /// Lowers a view that takes one list: `transpose(x, [1, 0])`, or `transpose(x, 1, 0)`.
    fn view(&self, lowering: &mut Lowering<'_>, opcode: Opcode) -> Result<NodeValue> {
        let Some((&x, list)) = self.args.split_first() else {
            return Err(self.wrong_count(lowering, 2));
        };
        if list.is_empty() && opcode.class() == OpClass::Reduce {
            return Err(self.wrong_count(lowering, 2));
        }
        let list = spread(lowering, list)?;
        let operand = lowering.array(x, ElementType::F32)?;
        let made = match opcode {
            Opcode::Transpose => lowering.builder.transpose(operand, &list),
            Opcode::Reverse => lowering.builder.reverse(operand, &list),
            Opcode::Reshape => lowering.builder.reshape(operand, &list),
            _ => lowering.builder.reduce(opcode, operand, &list),
        };
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Lowers `slice(x, starts, limits)`, with an optional list of strides.
    fn slice(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let (x, starts, limits, strides) = match *self.args {
            [x, starts, limits] => (x, starts, limits, None),
            [x, starts, limits, strides] => (x, starts, limits, Some(strides)),
            _ => return Err(self.wrong_count(lowering, 4)),
        };
        let (starts, limits) = (integers(lowering, starts)?, integers(lowering, limits)?);
        let strides = match strides {
            Some(strides) => integers(lowering, strides)?,
            None => vec![1; starts.len()],
        };
        let operand = lowering.array(x, ElementType::F32)?;
        let made = lowering.builder.slice(operand, &starts, &limits, &strides);
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Lowers `pad(x, value, low, high)`, with an optional list of interior amounts.
    fn pad(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let (x, value, low, high, interior) = match *self.args {
            [x, value, low, high] => (x, value, low, high, None),
            [x, value, low, high, interior] => (x, value, low, high, Some(interior)),
            _ => return Err(self.wrong_count(lowering, 5)),
        };
        let (low, high) = (integers(lowering, low)?, integers(lowering, high)?);
        let interior = match interior {
            Some(interior) => integers(lowering, interior)?,
            None => vec![0; low.len()],
        };
        let values = [lowering.value(x)?, lowering.value(value)?];
        let number_type = lowering.type_among(&values)?;
        let operand = lowering.typed(x, values[0], number_type)?;
        let value = lowering.typed(value, values[1], number_type)?;
        let made = lowering.builder.pad(operand, value, &low, &high, &interior);
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Lowers `concatenate(x, y, ..., dimension)`.
    fn concatenate(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let Some((&dimension, operands)) = self.args.split_last() else {
            return Err(self.wrong_count(lowering, 3));
        };
        let dimension = integer(lowering, dimension)?;
        let mut values = Vec::with_capacity(operands.len());
        for &operand in operands {
            values.push(lowering.value(operand)?);
        }
        let common_type = lowering.common_type(self.id, None, &values)?;
        let mut typed = Vec::with_capacity(operands.len());
        for (&operand, value) in operands.iter().zip(values) {
            typed.push(lowering.promoted(self.id, operand, value, common_type)?);
        }
        let made = lowering.builder.concatenate(&typed, dimension);
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Lowers `take(x, indices, dimension)`, and the same of `take_along_dimension`.
    fn take(&self, lowering: &mut Lowering<'_>, opcode: Opcode) -> Result<NodeValue> {
        let [x, indices, dimension] = self.exactly(lowering)?;
        let dimension = integer(lowering, dimension)?;
        let x = lowering.array(x, ElementType::F32)?;
        let indices = lowering.array(indices, ElementType::S32)?;
        let made = match opcode {
            Opcode::Take => lowering.builder.take(x, indices, dimension),
            _ => lowering.builder.take_along_dimension(x, indices, dimension),
        };
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Lowers `dot(x, y)`, or `dot_general(x, y, [2], [1], [0], [0])` with the contracting dimensions of
    /// both, and the batch dimensions, if there are any.
    fn dot(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let lists = self.args.get(2..).unwrap_or_default();
        let is_general = self.name != names::DOT;
        let (true, &[lhs, rhs, ..]) =
            (matches!((is_general, lists.len()), (false, 0) | (true, 2 | 4)), self.args)
        else {
            return Err(self.wrong_count(lowering, if is_general { 4 } else { 2 }));
        };
        let mut lists = lists.iter().map(|&list| integers(lowering, list));
        let mut next = || lists.next().unwrap_or_else(|| Ok(Vec::new()));
        let numbers = DotDimensionNumbers::contracting(next()?, next()?).batch(next()?, next()?);
        let values = [lowering.value(lhs)?, lowering.value(rhs)?];
        let common_type = lowering.common_type(self.id, None, &values)?;
        let x = lowering.promoted(self.id, lhs, values[0], common_type)?;
        let y = lowering.promoted(self.id, rhs, values[1], common_type)?;
        let made = if is_general {
            lowering.builder.dot_general(x, y, &numbers)
        } else {
            lowering.builder.dot(x, y)
        };
        made.map(NodeValue::Op).map_err(lowering.at(self.id))
    }

    /// Lowers `roll(x, shift, dimension)`, or with lists of both. Without a dimension, all elements
    /// are rolled in row-major order, as in NumPy.
    fn roll(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let (x, shift, dimension) = match *self.args {
            [x, shift] => (x, shift, None),
            [x, shift, dimension] => (x, shift, Some(dimension)),
            _ => return Err(self.wrong_count(lowering, 3)),
        };
        let shifts = spread(lowering, &[shift])?;
        let operand = lowering.array(x, ElementType::F32)?;
        let at = lowering.at(self.id);
        let Some(dimension) = dimension else {
            let shape = lowering.builder.shape(operand).map_err(&at)?.clone();
            // The sizes of an existing array fit into a signed integer.
            let count = shape.element_count().map_or(i64::MAX, |count| count as i64);
            let flat = lowering.builder.reshape(operand, &[count]).map_err(&at)?;
            let dimensions = vec![0; shifts.len()];
            let rolled = lowering.builder.roll(flat, &shifts, &dimensions).map_err(&at)?;
            let sizes: Vec<i64> = shape.dims().iter().map(|&size| size as i64).collect();
            return lowering.builder.reshape(rolled, &sizes).map(NodeValue::Op).map_err(at);
        };
        let dimensions = spread(lowering, &[dimension])?;
        lowering.builder.roll(operand, &shifts, &dimensions).map(NodeValue::Op).map_err(at)
    }

    fn iota(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let [of, sizes, dimension] = self.exactly(lowering)?;
        let of = element_type(lowering, of)?;
        let (sizes, dimension) = (integers(lowering, sizes)?, integer(lowering, dimension)?);
        lowering
            .builder
            .iota(of, &sizes, dimension)
            .map(NodeValue::Op)
            .map_err(lowering.at(self.id))
    }

    fn in_dim(&self, lowering: &mut Lowering<'_>) -> Result<NodeValue> {
        let Some((&v, dimensions)) = self.args.split_first() else {
            return Err(self.wrong_count(lowering, 2));
        };
        let dimensions = spread(lowering, dimensions)?;
        let value = lowering.value(v)?;
        lowering.annotate(self.id, dimensions);
        Ok(value)
    }
}

fn signed(shape: &Shape) -> std::result::Result<Vec<i64>, usize> {
    shape.dims().iter().map(|&size| i64::try_from(size).map_err(|_| size)).collect()
}
