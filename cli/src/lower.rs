//! Lowers the tree of EXPR to a computation, node by node.

use indim::{Computation, Precision};

use crate::calls;
use crate::diagnostic::{Diagnostic, Result};
use crate::lowering::{Declared, Lowering};
use crate::parser::{Kind, Tree};

/// The largest number of dimensions of all operations together; each takes up to some 60 bytes until
/// the end, besides what [`MAX_TOKENS`](crate::lexer::MAX_TOKENS) bounds.
const MAX_DIMENSIONS: usize = 1 << 22;

/// EXPR as a computation.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) computation: Computation,
    /// For each parameter of the computation, the number of its operand.
    pub(crate) parameters: Vec<usize>,
}

/// Lowers a tree, parsed from `text`, over these operands.
pub(crate) fn lower(
    tree: &Tree,
    text: &str,
    operands: &[Declared],
    numpy: bool,
    precision: Precision,
) -> Result<Lowered> {
    let mut lowering = Lowering::new(tree, text, operands, numpy, precision);
    let mut dimensions = 0;
    // Children stand before their parents, so no recursion is needed.
    for id in tree.ids() {
        let value = match &tree.node(id).kind {
            Kind::Number(_) | Kind::Name | Kind::List(_) => continue,
            &Kind::Unary(symbol, operand) => lowering.unary(id, symbol, operand)?,
            &Kind::Binary(symbol, lhs, rhs) => lowering.symbol(id, symbol, lhs, rhs)?,
            Kind::Call(args) => calls::call(&mut lowering, id, args)?,
        };
        lowering.set(id, value);
        dimensions += lowering.rank(value) + 1;
        if dimensions > MAX_DIMENSIONS {
            return Err(Diagnostic::at(
                tree.node(id).at.clone(),
                format!("EXPR is too large: its operations up to here have more than {MAX_DIMENSIONS} dimensions in all"),
            )
            .help("drop dimensions of size 1 from the operands, or compute it in parts"));
        }
    }
    let (computation, parameters) = lowering.finish()?;
    Ok(Lowered { computation, parameters })
}
