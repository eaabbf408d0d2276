//! [`Builder`], which makes a [`Computation`] and checks every rule at each call.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::computation::{
    Computation, Input, Instruction, Instructions, NodeId, Parameter, Payload,
};
use crate::graph::instruction_list::InstructionList;
use crate::graph::move_call::{MoveCall, MoveCalls};
use crate::graph::moves::{self, Assembler};
use crate::semantics::dims::Dims;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// A handle of a value in a [`Builder`], as `XlaOp` is in XLA. It is valid for that builder only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Op {
    builder: u64,
    node: NodeId,
}

/// Builds a [`Computation`] with element types known at run time. It mirrors `XlaBuilder`.
///
/// Every method checks its operands by XLA's rules at once, without a GPU; a failed call leaves the
/// builder unchanged. `broadcast_dimensions`, sizes and indices are lists of any integers
/// ([`Dims`](crate::Dims)), signed as in XLA, and count elements; negative ones are refused, as in
/// XLA. An empty `broadcast_dimensions` means none.
///
/// A builder does not limit the number of operations: each takes less than 400 bytes, or less than
/// 1,000 at rank 8, until the builder or its computation is dropped. An [`Expr`](crate::Expr) takes
/// as much. Count the operations when building from untrusted text.
///
/// Errors carry the broken [`Rule`](crate::Rule) ([`Error::rule`](crate::Error::rule)). Every
/// method that takes an [`Op`] fails with [`BuilderError::ForeignOp`] if it belongs to another
/// builder.
///
/// ```
/// use indim::{Builder, ElementType, Opcode};
///
/// let mut b = Builder::new();
/// let x = b.parameter(ElementType::F32, [2, 3])?;
/// let v = b.parameter(ElementType::F32, [3])?;
/// let sum = b.binary(Opcode::Add, x, v, &[1])?;
/// assert_eq!(b.shape(sum)?.dims(), [2, 3]);
///
/// let refused = b.binary(Opcode::Add, x, v, &[]).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty; \
///      say which dimension of lhs each dimension of rhs matches, such as [1]"
/// );
/// let column = b.reshape(v, [3_usize, 1])?;
/// assert_eq!(b.shape(column)?.dims(), [3, 1]);
/// let computation = b.build(sum)?;
/// assert_eq!(computation.parameters().len(), 2);
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    id: u64,
    list: InstructionList,
    parameters: Vec<Parameter>,
    /// The calls of moves.
    move_calls: MoveCalls,
    precision: Option<Precision>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Returns an empty builder.
    pub fn new() -> Self {
        // The numbers must only differ, and no process lives long enough to make 2^64 builders.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            list: InstructionList::default(),
            parameters: Vec::new(),
            move_calls: MoveCalls::default(),
            precision: None,
        }
    }

    /// Sets the precision of the operations that are added from now on. Operations added before
    /// take the precision of the context that runs the computation.
    pub fn set_precision(&mut self, precision: Precision) {
        self.precision = Some(precision);
    }

    /// Sets the precision of the operations added from now on; `None` requests none.
    #[cfg(feature = "serde")]
    pub(crate) fn request_precision(&mut self, precision: Option<Precision>) {
        self.precision = precision;
    }

    /// Adds a parameter: an array that is given when the computation runs. Parameters are numbered
    /// in the order of these calls, from 0.
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn parameter(&mut self, element_type: ElementType, shape: impl Into<Shape>) -> Result<Op> {
        let shape = shape.into();
        shape.element_count().map_err(Error::shape(Opcode::Parameter.method()))?;
        let number = self.parameters.len();
        self.parameters.push(Parameter { element_type, shape: shape.clone() });
        let inferred = Inferred { element_type, shape, views: Vec::new() };
        Ok(self.push(Opcode::Parameter, inferred, &[], Payload::Parameter(number)))
    }

    /// Adds a constant of rank 0.
    ///
    /// # Errors
    /// None today.
    pub fn constant(&mut self, value: Scalar) -> Result<Op> {
        let inferred = Inferred {
            element_type: value.element_type(),
            shape: Shape::scalar(),
            views: Vec::new(),
        };
        Ok(self.push(Opcode::Constant, inferred, &[], Payload::Constant(value)))
    }

    /// Adds a binary operation or a comparison, of class
    /// [`OpClass::Binary`](crate::OpClass::Binary) or
    /// [`OpClass::Compare`](crate::OpClass::Compare).
    ///
    /// `broadcast_dimensions[i]` is the dimension of the higher-rank operand that dimension i of
    /// the lower-rank one matches. It is empty for operands of equal rank and for scalars. In
    /// matched dimensions, size 1 stretches to the other size.
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rules T1 and T2;
    /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8;
    /// [`ShapeError`](crate::ShapeError) by rule C1; [`BuilderError::WrongMethod`] for an operation
    /// of another class.
    pub fn binary(
        &mut self,
        opcode: Opcode,
        lhs: Op,
        rhs: Op,
        broadcast_dimensions: impl Dims,
    ) -> Result<Op> {
        let inferred = infer::binary(
            opcode,
            self.operand(opcode, lhs)?,
            self.operand(opcode, rhs)?,
            &broadcast_dimensions.to_signed(),
        )?;
        Ok(self.push(opcode, inferred, &[lhs, rhs], Payload::None))
    }

    /// Adds a unary operation, of class [`OpClass::Unary`](crate::OpClass::Unary). The result has
    /// the operand's shape.
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rule T1; [`BuilderError::WrongMethod`] for an operation
    /// of another class.
    pub fn unary(&mut self, opcode: Opcode, operand: Op) -> Result<Op> {
        let inferred = infer::unary(opcode, self.operand(opcode, operand)?)?;
        Ok(self.push(opcode, inferred, &[operand], Payload::None))
    }

    /// Adds a conversion of the operand's values to another element type. The shape stays. Every
    /// pair of types converts; [`Opcode::ConvertElementType`] describes how.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn convert_element_type(&mut self, operand: Op, to: ElementType) -> Result<Op> {
        self.convert(Opcode::ConvertElementType, operand, to)
    }

    /// Adds a bitcast: the operand's bits as elements of another type. To a narrower type, the
    /// result has an additional last dimension, of as many elements as fit into one of the
    /// operand's, the lowest bits first. To a wider type, the operand must have such a last
    /// dimension, which is removed.
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rule T4; [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn bitcast_convert_type(&mut self, operand: Op, to: ElementType) -> Result<Op> {
        self.convert(Opcode::BitcastConvertType, operand, to)
    }

    fn convert(&mut self, opcode: Opcode, operand: Op, to: ElementType) -> Result<Op> {
        let inferred = infer::convert(opcode, self.operand(opcode, operand)?, to)?;
        Ok(self.push(opcode, inferred, &[operand], Payload::None))
    }

    /// Adds a select: elements of `on_true` where `pred` is true, else of `on_false`. The operands
    /// have one shape or are scalars.
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by
    /// rules T2 and T3.
    pub fn select(&mut self, pred: Op, on_true: Op, on_false: Op) -> Result<Op> {
        let op = Opcode::Select;
        let inferred = infer::select(
            self.operand(op, pred)?,
            self.operand(op, on_true)?,
            self.operand(op, on_false)?,
        )?;
        Ok(self.push(op, inferred, &[pred, on_true, on_false], Payload::None))
    }

    /// Adds a clamp: the smaller one of `max` and the larger one of `min` and `x`. The operands
    /// have one shape or are scalars.
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by
    /// rules T1 and T2.
    pub fn clamp(&mut self, min: Op, x: Op, max: Op) -> Result<Op> {
        let op = Opcode::Clamp;
        let inferred =
            infer::clamp(self.operand(op, min)?, self.operand(op, x)?, self.operand(op, max)?)?;
        Ok(self.push(op, inferred, &[min, x, max], Payload::None))
    }

    /// Adds the float next to `from` in the direction of `to`, as C's `nextafter`. The operands
    /// have one shape or are scalars.
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by
    /// rules T1 and T2.
    pub fn next_after(&mut self, from: Op, to: Op) -> Result<Op> {
        let op = Opcode::NextAfter;
        let inferred = infer::next_after(self.operand(op, from)?, self.operand(op, to)?)?;
        Ok(self.push(op, inferred, &[from, to], Payload::None))
    }

    /// Adds a rounding of the operand to a format with `exponent_bits` and `mantissa_bits` bits;
    /// F16 has 5 and 10, BF16 has 8 and 7. Element type and shape stay.
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rules T1 and T5.
    pub fn reduce_precision(
        &mut self,
        operand: Op,
        exponent_bits: i64,
        mantissa_bits: i64,
    ) -> Result<Op> {
        let op = Opcode::ReducePrecision;
        let value = self.operand(op, operand)?;
        let (inferred, format) = infer::reduce_precision(value, exponent_bits, mantissa_bits)?;
        let [exponent, mantissa] = format;
        let format = [self.constant(exponent)?, self.constant(mantissa)?];
        Ok(self.push(op, inferred, &[format[0], format[1], operand], Payload::None))
    }

    /// Adds a broadcast that repeats the operand along new dimensions of these sizes, in elements,
    /// which stand before its own.
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rules N1 and C1.
    pub fn broadcast(&mut self, operand: Op, sizes: impl Dims) -> Result<Op> {
        let op = Opcode::Broadcast;
        let inferred = infer::broadcast(self.operand(op, operand)?, &sizes.to_signed())?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// Adds a broadcast of the operand to the output sizes, in elements: dimension i of the operand
    /// becomes dimension `broadcast_dimensions[i]` of the output. Size 1 stretches.
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rules D1 to D5;
    /// [`ShapeError`](crate::ShapeError) by rules N1 and C1.
    pub fn broadcast_in_dim(
        &mut self,
        operand: Op,
        out_sizes: impl Dims,
        broadcast_dimensions: impl Dims,
    ) -> Result<Op> {
        let op = Opcode::BroadcastInDim;
        let value = self.operand(op, operand)?;
        let output =
            Shape::from_signed(&out_sizes.to_signed()).map_err(Error::shape(op.method()))?;
        let inferred = infer::broadcast_in_dim(value, &output, &broadcast_dimensions.to_signed())?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// Adds a transpose: dimension i of the result is dimension `permutation[i]` of the operand.
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rule V1.
    pub fn transpose(&mut self, operand: Op, permutation: impl Dims) -> Result<Op> {
        let op = Opcode::Transpose;
        let inferred = infer::transpose(self.operand(op, operand)?, &permutation.to_signed())?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// Adds a slice: in dimension d, the elements from index `start_indices[d]` up to, but without,
    /// `limit_indices[d]`, every `strides[d]`-th one.
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V2, V3 and V4.
    pub fn slice(
        &mut self,
        operand: Op,
        start_indices: impl Dims,
        limit_indices: impl Dims,
        strides: impl Dims,
    ) -> Result<Op> {
        let op = Opcode::Slice;
        let value = self.operand(op, operand)?;
        let inferred = infer::slice(
            value,
            &start_indices.to_signed(),
            &limit_indices.to_signed(),
            &strides.to_signed(),
        )?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// Adds a reversal of the operand's elements along these dimensions; XlaBuilder's `Rev`.
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rule V5.
    pub fn reverse(&mut self, operand: Op, dimensions: impl Dims) -> Result<Op> {
        let op = Opcode::Reverse;
        let inferred = infer::reverse(self.operand(op, operand)?, &dimensions.to_signed())?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// Adds a reshape: the operand's elements, in the same row-major order, in a shape of these
    /// sizes.
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rules N1 and C1; [`ViewError`](crate::ViewError) by
    /// rule V6.
    pub fn reshape(&mut self, operand: Op, new_sizes: impl Dims) -> Result<Op> {
        let op = Opcode::Reshape;
        let inferred = infer::reshape(self.operand(op, operand)?, &new_sizes.to_signed())?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// Adds a pad: the operand with the padding value, a scalar, around it. In dimension d,
    /// `low[d]` elements come before the operand's, `high[d]` after them, and `interior[d]` between
    /// any two neighbours. A negative low or high amount removes as many elements at that end.
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V7 and V8; [`TypeError`](crate::TypeError) by rule
    /// T2; [`ShapeError`](crate::ShapeError) by rule C1, where sizes with interior elements are
    /// rounded up to whole groups of an element and those after it.
    pub fn pad(
        &mut self,
        operand: Op,
        padding_value: Op,
        low: impl Dims,
        high: impl Dims,
        interior: impl Dims,
    ) -> Result<Op> {
        for value in [operand, padding_value] {
            self.operand(Opcode::Pad, value)?;
        }
        moves::pad(
            self,
            &operand,
            &padding_value,
            [&low.to_signed(), &high.to_signed(), &interior.to_signed()],
        )
    }

    /// Adds a concatenation: the operands one after the other along a dimension; XlaBuilder's
    /// `ConcatInDim`. An operand may have size 0 along it.
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rule V9; [`TypeError`](crate::TypeError) by rule T2;
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn concatenate(&mut self, operands: &[Op], dimension: i64) -> Result<Op> {
        for &operand in operands {
            self.operand(Opcode::Concatenate, operand)?;
        }
        moves::concatenate(self, operands, dimension)
    }

    /// Adds a roll, like NumPy's: in dimension `dimensions[k]`, the element at index i goes to
    /// index i + `shifts[k]`, modulo the size, so that elements which leave at one end come back at
    /// the other. Shifts may be negative, and larger than the size; shifts of a repeated dimension
    /// add up.
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rule V10.
    pub fn roll(&mut self, operand: Op, shifts: impl Dims, dimensions: impl Dims) -> Result<Op> {
        self.operand(Opcode::Roll, operand)?;
        moves::roll(self, &operand, &shifts.to_signed(), &dimensions.to_signed())
    }

    /// Adds an iota: an array of these sizes, in which each element is its index along
    /// `iota_dimension`.
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rules N1, I1 and C1; [`TypeError`](crate::TypeError) by
    /// rule T1.
    pub fn iota(
        &mut self,
        element_type: ElementType,
        sizes: impl Dims,
        iota_dimension: i64,
    ) -> Result<Op> {
        let (inferred, dimension) = infer::iota(element_type, &sizes.to_signed(), iota_dimension)?;
        Ok(self.push(Opcode::Iota, inferred, &[], Payload::Iota(dimension)))
    }

    /// Returns the shape of a value.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn shape(&self, op: Op) -> Result<&Shape> {
        self.known("shape", op).map(|i| &i.shape)
    }

    /// Returns the element type of a value.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn element_type(&self, op: Op) -> Result<ElementType> {
        self.known("element_type", op).map(|i| i.element_type)
    }

    /// Returns the computation whose result is `root`.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn build(self, root: Op) -> Result<Computation> {
        self.build_all(&[root])
    }

    /// Returns the computation whose results are `roots`, in this order; XLA's tuple. A value may
    /// occur several times. What the results share is computed once, where that costs less than
    /// computing it for each.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`]; [`BuilderError::NoResult`] if `roots` is empty.
    pub fn build_all(self, roots: &[Op]) -> Result<Computation> {
        for &root in roots {
            self.known("build", root)?;
        }
        if roots.is_empty() {
            return Err(BuilderError::NoResult.into());
        }
        Ok(Computation {
            instructions: Instructions::new(self.list.instructions),
            parameters: self.parameters,
            roots: roots.iter().map(|root| root.node).collect(),
            name: None,
            move_calls: self.move_calls,
        })
    }

    fn known(&self, op: &'static str, handle: Op) -> Result<&Instruction> {
        if handle.builder != self.id {
            return Err(BuilderError::ForeignOp { op }.into());
        }
        Ok(&self.list.instructions[handle.node])
    }

    pub(super) fn operand(&self, op: Opcode, handle: Op) -> Result<TensorType<'_>> {
        let instruction = self.known(op.method(), handle)?;
        Ok(TensorType { element_type: instruction.element_type, shape: &instruction.shape })
    }

    pub(super) fn push(
        &mut self,
        opcode: Opcode,
        inferred: Inferred,
        operands: &[Op],
        payload: Payload,
    ) -> Op {
        let inputs = operands
            .iter()
            .zip(inferred.views)
            .map(|(op, view)| Input { node: op.node, view })
            .collect();
        let node = self.list.push(Instruction {
            opcode,
            element_type: inferred.element_type,
            shape: inferred.shape,
            inputs,
            payload,
            precision: Precision::of(self.precision, opcode, inferred.element_type),
        });
        Op { builder: self.id, node }
    }
}

impl Assembler for Builder {
    type Value = Op;

    fn tensor_type<'a>(&'a self, value: &'a Op) -> TensorType<'a> {
        let Instruction { element_type, shape, .. } = &self.list.instructions[value.node];
        TensorType { element_type: *element_type, shape }
    }

    fn instruction(
        &mut self,
        opcode: Opcode,
        inferred: Inferred,
        operands: &[&Op],
        payload: Payload,
    ) -> Op {
        let operands: Vec<Op> = operands.iter().map(|&&operand| operand).collect();
        self.push(opcode, inferred, &operands, payload)
    }

    fn beside(&mut self, value: Op, _operands: &[&Op]) -> Op {
        value
    }

    fn assembled(&mut self, value: &Op, call: MoveCall<Op>) {
        // An existing value was already assembled by the first call that gave it.
        self.move_calls.entry(value.node).or_insert_with(|| call.map(|operand| operand.node));
    }
}

macro_rules! binary_methods {
    ($($name:ident $opcode:ident,)*) => {
        /// The binary operations by XlaBuilder's names; each is [`Builder::binary`].
        impl Builder {
            $(
                #[doc = concat!("Adds the operation [`Opcode::", stringify!($opcode), "`]; see [`Builder::binary`].")]
                ///
                /// # Errors
                /// [`TypeError`](crate::TypeError) by rules T1 and T2;
                /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8;
                /// [`ShapeError`](crate::ShapeError) by rule C1.
                #[allow(clippy::should_implement_trait, reason = "XlaBuilder's name; it takes broadcast_dimensions")]
                pub fn $name(&mut self, lhs: Op, rhs: Op, broadcast_dimensions: impl Dims) -> Result<Op> {
                    self.binary(Opcode::$opcode, lhs, rhs, broadcast_dimensions)
                }
            )*
        }
    };
}

binary_methods! {
    add Add, sub Sub, mul Mul, div Div, rem Rem, pow Pow, max Max, min Min, atan2 Atan2, complex Complex,
    floor_divide FloorDivide, remainder Remainder, copysign Copysign, hypot Hypot,
    logaddexp Logaddexp,
    and And, or Or, xor Xor, shift_left ShiftLeft, shift_right_logical ShiftRightLogical,
    shift_right_arithmetic ShiftRightArithmetic, eq Eq, ne Ne, lt Lt, le Le, gt Gt, ge Ge,
    eq_total_order EqTotalOrder, ne_total_order NeTotalOrder, lt_total_order LtTotalOrder,
    le_total_order LeTotalOrder, gt_total_order GtTotalOrder, ge_total_order GeTotalOrder,
}

macro_rules! unary_methods {
    ($($name:ident $opcode:ident,)*) => {
        /// The unary operations by XlaBuilder's names; each is [`Builder::unary`].
        impl Builder {
            $(
                #[doc = concat!("Adds the operation [`Opcode::", stringify!($opcode), "`]; see [`Builder::unary`].")]
                ///
                /// # Errors
                /// [`TypeError`](crate::TypeError) by rule T1.
                #[allow(clippy::should_implement_trait, reason = "XlaBuilder's name")]
                pub fn $name(&mut self, operand: Op) -> Result<Op> {
                    self.unary(Opcode::$opcode, operand)
                }
            )*
        }
    };
}

unary_methods! {
    abs Abs, neg Neg, sign Sign, ceil Ceil, floor Floor, trunc Trunc, round Round,
    round_nearest_even RoundNearestEven, sqrt Sqrt, rsqrt Rsqrt, cbrt Cbrt, exp Exp, expm1 Expm1,
    log Log, log2 Log2, log10 Log10, log1p Log1p, logistic Logistic, sin Sin, cos Cos, tan Tan, tanh Tanh, sinh Sinh,
    cosh Cosh, asin Asin, acos Acos, atan Atan, asinh Asinh, acosh Acosh, atanh Atanh, erf Erf,
    erfc Erfc, erf_inv ErfInv, lgamma Lgamma, digamma Digamma, bessel_i0e BesselI0e,
    bessel_i1e BesselI1e, reciprocal Reciprocal, square Square, is_finite IsFinite,
    is_inf IsInf, is_nan IsNan, signbit Signbit, real Real, imag Imag, conj Conj, not Not,
    clz Clz, population_count PopulationCount,
}
