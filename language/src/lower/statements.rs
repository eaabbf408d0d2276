//! Lowers the trees of EXPRs to one computation, node by node.

use crate::lower::calls;
use crate::lower::state::{Given, Lowered, Lowering};
use crate::lower::subscript;
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::parsed::Parsed;
use crate::syntax::parser::{Kind, Statement};

/// The most dimensions of all operations together; each takes up to some 60 bytes until the end, in
/// addition to the bound of [`MAX_TOKENS`](crate::syntax::lexer::MAX_TOKENS).
const MAX_DIMENSIONS: usize = 1 << 22;

/// Lowers EXPRs, one after the other. The last statement of each is a result.
pub fn lower(exprs: &[Parsed], given: Given<'_>) -> Result<Lowered> {
    let Some(first) = exprs.first() else { return Err(Diagnostic::new("there is no EXPR")) };
    let mut lowering = Lowering::new(first, given);
    let mut dimensions = 0;
    for expr in exprs {
        lower_one(&mut lowering, expr, &mut dimensions).map_err(|e| e.in_source(&expr.source))?;
    }
    lowering.finish()
}

fn lower_one<'a>(
    lowering: &mut Lowering<'a>,
    expr: &'a Parsed,
    dimensions: &mut usize,
) -> Result<()> {
    lowering.go_on(expr);
    for statement in expr.tree.others() {
        operations(lowering, statement, dimensions)?;
        lowering.assign(statement)?;
    }
    let last = expr.tree.last();
    operations(lowering, last, dimensions)?;
    lowering.add_result(last)
}

/// Lowers the operations of a statement.
fn operations(
    lowering: &mut Lowering<'_>,
    statement: &Statement,
    dimensions: &mut usize,
) -> Result<()> {
    // Children come before their parents, so no recursion is needed.
    for id in statement.ids() {
        let value = match &lowering.node(id).kind {
            Kind::Number(_) | Kind::Name | Kind::List(_) | Kind::Keyword(_) => continue,
            &Kind::Unary(symbol, operand) => lowering.unary(id, symbol, operand)?,
            &Kind::Binary(symbol, lhs, rhs) => lowering.symbol(id, symbol, lhs, rhs)?,
            Kind::Call(args) => calls::call(lowering, id, args)?,
            &Kind::Part(base) => subscript::refused(lowering, id, base)?,
        };
        lowering.set(id, value);
        *dimensions += lowering.rank(value) + 1;
        if *dimensions > MAX_DIMENSIONS {
            return Err(Diagnostic::at(
                lowering.node(id).at.clone(),
                format!("EXPR is too large: its operations up to here have more than {MAX_DIMENSIONS} dimensions in all"),
            )
            .help("drop dimensions of size 1 from the operands, or compute it in parts"));
        }
    }
    Ok(())
}
