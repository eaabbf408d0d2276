//! Promotes element types by NumPy's rules where `--numpy` is given: those of
//! [`indim::numpy::result_type`] among arrays, and those of NEP 50 for bare numbers, which are weak.

use indim::{DeviceError, ElementType, Error};

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
    /// NumPy's; without it that of the first array, which bare numbers take, too.
    pub(crate) fn common_type(&mut self, id: NodeId, values: &[NodeValue]) -> Result<ElementType> {
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
        let to = values.iter().fold(arrays, |to, value| beside(to, *value));
        // NumPy's `/` is true division.
        let divides = matches!(self.node(id).kind, Kind::Binary(Symbol::Slash, ..));
        Ok(if divides && is_whole(to) { ElementType::F64 } else { to })
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
fn is_whole(of: ElementType) -> bool {
    of == ElementType::Pred || narrow::range(of).is_some()
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
