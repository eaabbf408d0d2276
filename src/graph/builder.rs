//! [`Builder`], which makes a [`Computation`] and asks every rule meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::computation::{
    Computation, Input, Instruction, InstructionList, NodeId, Parameter, Payload,
};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::infer::{self, Inferred, Operand};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// A value in a [`Builder`]: its handle for further operations. Good only for that builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Op {
    builder: u64,
    node: NodeId,
}

/// Builds a [`Computation`] with element types known at run time. It mirrors `XlaBuilder`.
///
/// Every method checks its operands by XLA's rules at once, without a GPU; after an error the
/// builder is as it was before the call. `broadcast_dimensions` and sizes are signed, as in XLA, so
/// that its refusals of negative ones can be expressed; an empty `broadcast_dimensions` means none.
/// An [`Op`] of another builder is [`BuilderError::ForeignOp`], in every method.
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
/// let computation = b.build(sum)?;
/// assert_eq!(computation.parameters().len(), 2);
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    id: u64,
    list: InstructionList,
    parameters: Vec<Parameter>,
    precision: Option<Precision>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// An empty builder.
    pub fn new() -> Self {
        // Only distinctness matters; 2^64 builders do not fit in a process's life.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            list: InstructionList::default(),
            parameters: Vec::new(),
            precision: None,
        }
    }

    /// The precision of the operations that are added from now on; without it, the one of the
    /// context that runs the computation.
    pub fn set_precision(&mut self, precision: Precision) {
        self.precision = Some(precision);
    }

    /// An array that is given at run time. Parameters are numbered in the order of these calls.
    ///
    /// # Errors
    /// Rule C1.
    pub fn parameter(&mut self, element_type: ElementType, shape: impl Into<Shape>) -> Result<Op> {
        let shape = shape.into();
        shape.element_count().map_err(Error::shape(Opcode::Parameter.method()))?;
        let number = self.parameters.len();
        self.parameters.push(Parameter { element_type, shape: shape.clone() });
        let inferred = Inferred { element_type, shape, views: Vec::new() };
        Ok(self.push(Opcode::Parameter, inferred, &[], Payload::Parameter(number)))
    }

    /// A rank-0 constant.
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

    /// A binary operation or compare.
    ///
    /// # Errors
    /// Rules T1, T2, B1 to B8 in XLA's order; C1. [`BuilderError::WrongMethod`] for an operation of
    /// another kind.
    pub fn binary(
        &mut self,
        opcode: Opcode,
        lhs: Op,
        rhs: Op,
        broadcast_dimensions: &[i64],
    ) -> Result<Op> {
        let inferred = infer::binary(
            opcode,
            self.operand(opcode, lhs)?,
            self.operand(opcode, rhs)?,
            broadcast_dimensions,
        )?;
        Ok(self.push(opcode, inferred, &[lhs, rhs], Payload::None))
    }

    /// A unary operation.
    ///
    /// # Errors
    /// Rule T1; [`BuilderError::WrongMethod`] for an operation of another kind.
    pub fn unary(&mut self, opcode: Opcode, operand: Op) -> Result<Op> {
        let inferred = infer::unary(opcode, self.operand(opcode, operand)?)?;
        Ok(self.push(opcode, inferred, &[operand], Payload::None))
    }

    /// The same values in another element type.
    ///
    /// # Errors
    /// None of a rule; every pair of types converts.
    pub fn convert_element_type(&mut self, operand: Op, to: ElementType) -> Result<Op> {
        self.convert(Opcode::ConvertElementType, operand, to)
    }

    /// The same bits as another element type. Where that is narrower, the result has a last
    /// dimension more, of so many as an element holds, the lowest bits first; where it is wider,
    /// such a dimension less.
    ///
    /// # Errors
    /// Rules T4, C1.
    pub fn bitcast_convert_type(&mut self, operand: Op, to: ElementType) -> Result<Op> {
        self.convert(Opcode::BitcastConvertType, operand, to)
    }

    fn convert(&mut self, opcode: Opcode, operand: Op, to: ElementType) -> Result<Op> {
        let inferred = infer::convert(opcode, self.operand(opcode, operand)?, to)?;
        Ok(self.push(opcode, inferred, &[operand], Payload::None))
    }

    /// `on_true` where `pred` holds, else `on_false`.
    ///
    /// # Errors
    /// Rules S1, T2, T3.
    pub fn select(&mut self, pred: Op, on_true: Op, on_false: Op) -> Result<Op> {
        let op = Opcode::Select;
        let inferred = infer::select(
            self.operand(op, pred)?,
            self.operand(op, on_true)?,
            self.operand(op, on_false)?,
        )?;
        Ok(self.push(op, inferred, &[pred, on_true, on_false], Payload::None))
    }

    /// `min(max(min_bound, x), max_bound)`.
    ///
    /// # Errors
    /// Rules S1, T2, T1.
    pub fn clamp(&mut self, min: Op, x: Op, max: Op) -> Result<Op> {
        let op = Opcode::Clamp;
        let inferred =
            infer::clamp(self.operand(op, min)?, self.operand(op, x)?, self.operand(op, max)?)?;
        Ok(self.push(op, inferred, &[min, x, max], Payload::None))
    }

    /// The float next to `from` in the direction of `to`.
    ///
    /// # Errors
    /// Rules S1, T2, T1.
    pub fn next_after(&mut self, from: Op, to: Op) -> Result<Op> {
        let op = Opcode::NextAfter;
        let inferred = infer::next_after(self.operand(op, from)?, self.operand(op, to)?)?;
        Ok(self.push(op, inferred, &[from, to], Payload::None))
    }

    /// The operand rounded to a format with so many exponent and mantissa bits.
    ///
    /// # Errors
    /// Rules T1, T5.
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

    /// The operand repeated along new major dimensions of these sizes.
    ///
    /// # Errors
    /// Rules N1, C1.
    pub fn broadcast(&mut self, operand: Op, sizes: &[i64]) -> Result<Op> {
        let op = Opcode::Broadcast;
        let inferred = infer::broadcast(self.operand(op, operand)?, sizes)?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// The operand in a shape of these sizes; `broadcast_dimensions` says where its dimensions go.
    ///
    /// # Errors
    /// Rules N1, D1 to D5, C1.
    pub fn broadcast_in_dim(
        &mut self,
        operand: Op,
        out_sizes: &[i64],
        broadcast_dimensions: &[i64],
    ) -> Result<Op> {
        let op = Opcode::BroadcastInDim;
        let value = self.operand(op, operand)?;
        let output = Shape::from_signed(out_sizes).map_err(Error::shape(op.method()))?;
        let inferred = infer::broadcast_in_dim(value, &output, broadcast_dimensions)?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// The operand's dimensions in another order: dimension i of the result is dimension
    /// `permutation[i]` of the operand.
    ///
    /// # Errors
    /// Rule V1.
    pub fn transpose(&mut self, operand: Op, permutation: &[i64]) -> Result<Op> {
        let op = Opcode::Transpose;
        let inferred = infer::transpose(self.operand(op, operand)?, permutation)?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// In each dimension the elements from `start_indices` up to, but without, `limit_indices`,
    /// every `strides`-th one.
    ///
    /// # Errors
    /// Rules V2, V3, V4.
    pub fn slice(
        &mut self,
        operand: Op,
        start_indices: &[i64],
        limit_indices: &[i64],
        strides: &[i64],
    ) -> Result<Op> {
        let op = Opcode::Slice;
        let value = self.operand(op, operand)?;
        let inferred = infer::slice(value, start_indices, limit_indices, strides)?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// The operand backwards along these dimensions; XlaBuilder's `Rev`.
    ///
    /// # Errors
    /// Rule V5.
    pub fn reverse(&mut self, operand: Op, dimensions: &[i64]) -> Result<Op> {
        let op = Opcode::Reverse;
        let inferred = infer::reverse(self.operand(op, operand)?, dimensions)?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// The operand's elements, in the same row-major order, in a shape of these sizes.
    ///
    /// # Errors
    /// Rules N1, C1, V6.
    pub fn reshape(&mut self, operand: Op, new_sizes: &[i64]) -> Result<Op> {
        let op = Opcode::Reshape;
        let inferred = infer::reshape(self.operand(op, operand)?, new_sizes)?;
        Ok(self.push(op, inferred, &[operand], Payload::None))
    }

    /// 0, 1, 2, ... along one dimension of a shape of these sizes.
    ///
    /// # Errors
    /// Rules N1, T1, I1, C1.
    pub fn iota(
        &mut self,
        element_type: ElementType,
        sizes: &[i64],
        iota_dimension: i64,
    ) -> Result<Op> {
        let (inferred, dimension) = infer::iota(element_type, sizes, iota_dimension)?;
        Ok(self.push(Opcode::Iota, inferred, &[], Payload::Iota(dimension)))
    }

    /// Shape of a value.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn shape(&self, op: Op) -> Result<&Shape> {
        self.instruction("shape", op).map(|i| &i.shape)
    }

    /// Element type of a value.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn element_type(&self, op: Op) -> Result<ElementType> {
        self.instruction("element_type", op).map(|i| i.element_type)
    }

    /// The computation whose result is `root`.
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn build(self, root: Op) -> Result<Computation> {
        self.instruction("build", root)?;
        Ok(Computation {
            instructions: self.list.instructions,
            parameters: self.parameters,
            root: root.node,
        })
    }

    fn instruction(&self, op: &'static str, handle: Op) -> Result<&Instruction> {
        if handle.builder != self.id {
            return Err(BuilderError::ForeignOp { op }.into());
        }
        Ok(&self.list.instructions[handle.node])
    }

    fn operand(&self, op: Opcode, handle: Op) -> Result<Operand<'_>> {
        let instruction = self.instruction(op.method(), handle)?;
        Ok(Operand { element_type: instruction.element_type, shape: &instruction.shape })
    }

    fn push(
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

macro_rules! binary_methods {
    ($($name:ident $opcode:ident,)*) => {
        /// The binary operations by XlaBuilder's names; each is [`Builder::binary`].
        impl Builder {
            $(
                #[doc = concat!("[`Opcode::", stringify!($opcode), "`]; see [`Builder::binary`].")]
                ///
                /// # Errors
                /// Rules T1, T2, B1 to B8, C1.
                #[allow(clippy::should_implement_trait, reason = "XlaBuilder's name; it takes broadcast_dimensions")]
                pub fn $name(&mut self, lhs: Op, rhs: Op, broadcast_dimensions: &[i64]) -> Result<Op> {
                    self.binary(Opcode::$opcode, lhs, rhs, broadcast_dimensions)
                }
            )*
        }
    };
}

binary_methods! {
    add Add, sub Sub, mul Mul, div Div, rem Rem, pow Pow, max Max, min Min, atan2 Atan2, complex Complex,
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
                #[doc = concat!("[`Opcode::", stringify!($opcode), "`]; see [`Builder::unary`].")]
                ///
                /// # Errors
                /// Rule T1.
                #[allow(clippy::should_implement_trait, reason = "XlaBuilder's name")]
                pub fn $name(&mut self, operand: Op) -> Result<Op> {
                    self.unary(Opcode::$opcode, operand)
                }
            )*
        }
    };
}

unary_methods! {
    abs Abs, neg Neg, sign Sign, ceil Ceil, floor Floor, round Round,
    round_nearest_even RoundNearestEven, sqrt Sqrt, rsqrt Rsqrt, cbrt Cbrt, exp Exp, expm1 Expm1,
    log Log, log1p Log1p, logistic Logistic, sin Sin, cos Cos, tan Tan, tanh Tanh, sinh Sinh,
    cosh Cosh, asin Asin, acos Acos, atan Atan, asinh Asinh, acosh Acosh, atanh Atanh, erf Erf,
    erfc Erfc, erf_inv ErfInv, lgamma Lgamma, digamma Digamma, bessel_i0e BesselI0e,
    bessel_i1e BesselI1e, reciprocal Reciprocal, square Square, is_finite IsFinite, real Real, imag Imag, conj Conj, not Not,
    clz Clz, population_count PopulationCount,
}
