//! Promotes element types by NumPy's rules where `--numpy` is given: those of
//! [`indim::numpy::result_type`] among arrays, and those of NEP 50 for bare numbers, which are weak.

use indim::{DeviceError, ElementType, Error, Opcode};

use crate::diagnostic::{Diagnostic, Result};
use crate::lexer::Symbol;
use crate::lowering::{Lowering, NodeValue};
use crate::narrow;
use crate::parser::{Kind, NodeId};

/// Returns the error of a computation that did not run; `narrower` says how to do without the f64 that
/// operands were promoted to.
pub(crate) fn refused_run(error: &Error, narrower: Option<&str>) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(error.to_string());
    match (error, narrower) {
        (
            Error::Device(DeviceError::Unsupported { element_type: ElementType::F64, .. }),
            Some(narrower),
        ) => diagnostic.help(narrower),
        _ => diagnostic,
    }
}

impl Lowering<'_> {
    /// Returns the element type in which the operation `id` computes on these values: with `--numpy`
    /// NumPy's; without it that of the first array, which bare numbers take, too. `opcode` is the
    /// operation if it is one that may be for floats alone.
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
        let arrays = indim::numpy::result_type(&types).map_err(&at)?;
        let mut to = values.iter().fold(arrays, |to, value| beside(to, *value));
        if opcode.is_some_and(is_of_floats) {
            let floats: Vec<ElementType> = types.iter().map(|&of| float_of(of)).collect();
            to = match to == arrays {
                true => indim::numpy::result_type(&floats).map_err(&at)?,
                false => float_of(to),
            };
        }
        // NumPy's `/` is true division.
        let divides = matches!(self.node(id).kind, Kind::Binary(Symbol::Slash, ..));
        Ok(if divides && is_whole(to) { ElementType::F64 } else { to })
    }

    /// Tells whether an operation rounds integers, which with `--numpy` are rounded already.
    pub(crate) fn is_rounded(&self, opcode: Opcode, value: NodeValue) -> Result<bool> {
        let NodeValue::Op(op) = value else { return Ok(false) };
        let of = self.builder.element_type(op).map_err(|e| Diagnostic::new(e.to_string()))?;
        let rounds = matches!(opcode, Opcode::Floor | Opcode::Ceil | Opcode::Trunc);
        Ok(self.numpy && rounds && is_whole(of))
    }

    /// Returns an operand of the operation `id` as an array. With `--numpy` one of another element
    /// type is converted.
    pub(crate) fn promoted(
        &mut self,
        id: NodeId,
        operand: NodeId,
        value: NodeValue,
        to: ElementType,
    ) -> Result<indim::Op> {
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

/// Tells whether elements are truth values or integers.
pub(crate) fn is_whole(of: ElementType) -> bool {
    of == ElementType::Pred || narrow::range(of).is_some()
}

/// Tells whether NumPy computes an operation on whole numbers in floats, as it has it for floats alone.
/// Its `reciprocal` is one of integers, and it has no `complex`.
fn is_of_floats(opcode: Opcode) -> bool {
    let accepts_whole = opcode.accepts(ElementType::S32) || opcode.accepts(ElementType::Pred);
    let has_another_rule = matches!(opcode, Opcode::Reciprocal | Opcode::Complex);
    !accepts_whole && opcode.accepts(ElementType::F16) && !has_another_rule
}

/// Returns the type in which NumPy computes functions of floats on elements of this type: that of its
/// smallest loop which holds them all.
fn float_of(of: ElementType) -> ElementType {
    match of {
        _ if !is_whole(of) => of,
        _ if of.bits() <= 8 => ElementType::F16,
        _ if of.bits() <= 16 => ElementType::F32,
        _ => ElementType::F64,
    }
}

/// Returns the type of an array beside a value. A bare number has a kind alone: it turns truth values
/// into integers, and both into floats, of NumPy's default size.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_f64_is_helped_where_operands_were_promoted() {
        let error = |element_type| {
            Error::Device(DeviceError::Unsupported {
                element_type,
                needed: "a feature",
                missing: "a feature".to_owned(),
                instead: ElementType::F32,
            })
        };
        let wide = error(ElementType::F64);
        let help = |error, narrower| refused_run(error, narrower).help_text().map(str::to_owned);
        assert_eq!(help(&wide, Some("write it so")).as_deref(), Some("write it so"));
        assert_eq!(help(&wide, None), None);
        assert_eq!(help(&error(ElementType::S64), Some("write it so")), None);
    }
}
