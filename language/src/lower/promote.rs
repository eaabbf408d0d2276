//! Promotes element types by NumPy's rules if `--numpy` is given: [`indim_core::numpy::result_type`]
//! among arrays, and NEP 50 for bare numbers, which are weak.

use indim_core::{ElementType, Error, Opcode, Scalar};

use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::lexer::Symbol;
use crate::syntax::parser::{Kind, NodeId};

impl Lowering<'_> {
    /// Returns the element type in which the operation `id` computes on these values: NumPy's with
    /// `--numpy`, otherwise that of the first array, also for bare numbers. `opcode` is given for
    /// operations that may be restricted to floats.
    pub(crate) fn common_type(
        &mut self,
        id: NodeId,
        opcode: Option<Opcode>,
        values: &[NodeValue],
    ) -> Result<ElementType> {
        if !self.numpy {
            return self.type_among(values);
        }
        let at = self.at(id);
        let mut types = Vec::with_capacity(values.len());
        for value in values {
            if let NodeValue::Op(op) = value {
                types.push(self.builder.element_type(*op).map_err(&at)?);
            }
        }
        if types.is_empty() {
            return self.type_among(values);
        }
        let arrays = indim_core::numpy::result_type(&types).map_err(&at)?;
        let mut to = values.iter().fold(arrays, |to, value| beside(to, *value));
        if opcode.is_some_and(is_of_floats) {
            let floats: Vec<ElementType> = types.iter().map(|&of| float_of(of)).collect();
            to = if to == arrays {
                indim_core::numpy::result_type(&floats).map_err(&at)?
            } else {
                float_of(to)
            };
        }
        if to == ElementType::Pred && opcode.is_some_and(is_of_small_integers) {
            return Ok(ElementType::S8);
        }
        // NumPy's `/` is true division.
        let divides = matches!(self.node(id).kind, Kind::Binary(Symbol::Slash, ..));
        Ok(if divides && is_whole(to) { ElementType::F64 } else { to })
    }

    /// Returns the value of a function that `--numpy` extends to more types than XLA's: integers
    /// are already rounded, unsigned numbers are their own magnitude, and real numbers have no
    /// imaginary part. `None` for other functions.
    pub(crate) fn of_more_types(
        &mut self,
        opcode: Opcode,
        value: NodeValue,
    ) -> Result<Option<NodeValue>> {
        let NodeValue::Op(op) = value else { return Ok(None) };
        let failed = |e: Error| Diagnostic::new(e.to_string());
        let of = self.builder.element_type(op).map_err(failed)?;
        let is_unsigned = of.integer_range().is_some_and(|(least, _)| least == 0);
        match opcode {
            _ if !self.numpy => Ok(None),
            Opcode::Conj if !matches!(of, ElementType::Pred | ElementType::C64) => Ok(Some(value)),
            _ if !is_whole(of) => Ok(None),
            Opcode::Floor | Opcode::Ceil | Opcode::Trunc | Opcode::Real => Ok(Some(value)),
            Opcode::Imag => {
                let zero = self.builder.binary(Opcode::Xor, op, op, &[]).map_err(failed)?;
                Ok(Some(NodeValue::Op(zero)))
            }
            Opcode::Abs if is_unsigned || of == ElementType::Pred => Ok(Some(value)),
            Opcode::Sign if is_unsigned => {
                let one = self.builder.constant(Scalar::from_bits(of, 1)).map_err(failed)?;
                let sign = self.builder.binary(Opcode::Min, op, one, &[]).map_err(failed)?;
                Ok(Some(NodeValue::Op(sign)))
            }
            _ => Ok(None),
        }
    }

    /// Rejects an integer power with a negative exponent, as NumPy does.
    pub(crate) fn refuse_negative_power(
        &self,
        id: NodeId,
        opcode: Opcode,
        exponent: NodeId,
        value: NodeValue,
        common_type: ElementType,
    ) -> Result<()> {
        let is_negative = matches!(value, NodeValue::Number(number) if number.is_negative());
        let is_power = self.numpy && opcode == Opcode::Pow && is_whole(common_type);
        if !is_power || !is_negative {
            return Ok(());
        }
        let number = self.quote(exponent, "...");
        let message = format!("pow: NumPy has no integer to the power {number}");
        Err(Diagnostic::at(self.node(id).at.clone(), message)
            .help(format!("a power of floats is written `{number}.0`")))
    }

    /// Returns an operand of the operation `id` as an array, converted to the element type with
    /// `--numpy`.
    pub(crate) fn promoted(
        &mut self,
        id: NodeId,
        operand: NodeId,
        value: NodeValue,
        to: ElementType,
    ) -> Result<indim_core::Op> {
        let op = self.typed(operand, value, to)?;
        let at = self.at(id);
        let from = self.builder.element_type(op).map_err(&at)?;
        if !self.numpy || from == to {
            return Ok(op);
        }
        let (text, whole) = (self.quote(operand, "..."), self.quote(id, "..."));
        if to == ElementType::F64 {
            let narrower = self.converted(operand, ElementType::F32);
            self.promotions.narrower.get_or_insert_with(|| {
                format!(
                    "NumPy computes `{whole}` in f64; write `{narrower}` there to compute it in f32"
                )
            });
        }
        self.promotions
            .add(format!("note: `{text}` is converted from {from} to {to} in `{whole}`"));
        self.builder.convert_element_type(op, to).map_err(at)
    }
}

/// Returns true for truth values and integers.
pub(crate) fn is_whole(of: ElementType) -> bool {
    of == ElementType::Pred || of.integer_range().is_some()
}

/// Returns true if NumPy computes an operation on integers in floats, because it is defined for
/// floats only. NumPy's `reciprocal` keeps integers, and NumPy has no `complex`.
fn is_of_floats(opcode: Opcode) -> bool {
    let accepts_whole = opcode.accepts(ElementType::S32) || opcode.accepts(ElementType::Pred);
    let has_another_rule = matches!(opcode, Opcode::Reciprocal | Opcode::Complex);
    !accepts_whole && opcode.accepts(ElementType::F16) && !has_another_rule
}

/// Returns true if NumPy computes an operation on truth values alone in its smallest integers.
fn is_of_small_integers(opcode: Opcode) -> bool {
    use Opcode::{
        FloorDivide, Pow, Rem, Remainder, ShiftLeft, ShiftRightArithmetic, ShiftRightLogical,
        Square,
    };
    matches!(
        opcode,
        FloorDivide
            | Pow
            | Rem
            | Remainder
            | ShiftLeft
            | ShiftRightArithmetic
            | ShiftRightLogical
            | Square
    )
}

/// Returns the type in which NumPy computes float functions on elements of this type: that of its
/// smallest loop that holds them all.
fn float_of(of: ElementType) -> ElementType {
    match of {
        _ if !is_whole(of) => of,
        _ if of.bits() <= 8 => ElementType::F16,
        _ if of.bits() <= 16 => ElementType::F32,
        _ => ElementType::F64,
    }
}

/// Returns the type of an array combined with a value. A bare number has only a kind: it turns
/// truth values into integers, and both into floats, of NumPy's default size.
fn beside(array: ElementType, value: NodeValue) -> ElementType {
    match value {
        NodeValue::Number(number) if number.is_written_whole() => match array {
            ElementType::Pred => ElementType::S64,
            _ => array,
        },
        NodeValue::Number(_) | NodeValue::NotFinite(_) if is_whole(array) => ElementType::F64,
        _ => array,
    }
}
