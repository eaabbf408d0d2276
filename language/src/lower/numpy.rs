//! Lowers NumPy's reductions, under `--numpy`: their axes, and their arguments by name.

use indim_core::graph::build;
use indim_core::numpy::{Axis, NumpyReduction};
use indim_core::{ElementType, Op};

use crate::lower::integers::{element_type, number, spread};
use crate::lower::keywords::Arguments;
use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::parser::{Kind, NodeId};

/// Returns the reduction of this name by NumPy's rules, if `--numpy` is given. `max(x, y)` is the
/// larger one of two.
pub(crate) fn reduction(
    lowering: &Lowering<'_>,
    name: &str,
    args: &[NodeId],
) -> Option<NumpyReduction> {
    let by_position = args.iter().filter(|&&id| !lowering.is_keyword(id)).count();
    let is_pair = matches!(name, "max" | "min") && by_position > 1;
    NumpyReduction::of_name(name).filter(|_| lowering.numpy && !is_pair)
}

/// Lowers `sum(x)`, `sum(x, -1)`, `sum(x, [0, 1])` or `var(x, axis=0, ddof=1, keepdims=true)`.
pub(crate) fn call(
    lowering: &mut Lowering<'_>,
    id: NodeId,
    args: &[NodeId],
    reduction: NumpyReduction,
) -> Result<NodeValue> {
    let name = reduction.name();
    let names: &[&str] = match reduction {
        NumpyReduction::Var { .. } | NumpyReduction::Std { .. } => {
            &["axis", "keepdims", "dtype", "ddof"]
        }
        NumpyReduction::Sum { .. } | NumpyReduction::Prod { .. } | NumpyReduction::Mean { .. } => {
            &["axis", "keepdims", "dtype"]
        }
        _ => &["axis", "keepdims"],
    };
    let arguments = Arguments::of(lowering, name, args, names)?;
    let [x, ref list @ ..] = *arguments.by_position else {
        let span = lowering.node(id).span.clone();
        return Err(Diagnostic::at(
            span,
            format!("{name} takes an operand, and the axes to reduce"),
        )
        .help(format!("as in {name}(x), {name}(x, -1) or {name}(x, [0, 1])")));
    };
    let mut axis = match &arguments.listed(lowering, list, "axis")?[..] {
        [] => Axis::default(),
        &[none] if is_named(lowering, none, &["None"]) => Axis::default(),
        list => Axis::from(&spread(lowering, list)?[..]),
    };
    if let Some(keeps) = arguments.named("keepdims")
        && truth(lowering, keeps)?
    {
        axis = axis.keepdims();
    }
    let dtype = arguments.named("dtype").map(|id| element_type(lowering, id)).transpose()?;
    let ddof = arguments.named("ddof").map_or(Ok(0.0), |id| number(lowering, id))?;
    let reduction = match reduction {
        NumpyReduction::Sum { .. } => NumpyReduction::Sum { dtype },
        NumpyReduction::Prod { .. } => NumpyReduction::Prod { dtype },
        NumpyReduction::Mean { .. } => NumpyReduction::Mean { dtype },
        NumpyReduction::Var { .. } => NumpyReduction::Var { dtype, ddof },
        NumpyReduction::Std { .. } => NumpyReduction::Std { dtype, ddof },
        other => other,
    };
    let operand = lowering.array(x, ElementType::F32)?;
    let made = build::reduce_as_numpy(&mut lowering.builder, reduction, &operand, &axis);
    made.map(NodeValue::Op).map_err(lowering.at(id))
}

/// Returns the dimensions that axes mean, of which negative ones count from the last. One that the
/// operand lacks stays as it is.
pub(crate) fn dimensions(lowering: &Lowering<'_>, operand: Op, axes: &mut [i64]) {
    let rank = lowering.rank(NodeValue::Op(operand)) as i64;
    for axis in axes {
        if (-rank..0).contains(axis) {
            *axis += rank;
        }
    }
}

/// Returns an operand in the type in which NumPy adds and multiplies its elements.
pub(crate) fn widened(lowering: &mut Lowering<'_>, id: NodeId, operand: Op) -> Result<Op> {
    let at = lowering.at(id);
    let of = lowering.builder.element_type(operand).map_err(&at)?;
    let to = match of.integer_range() {
        Some((0, _)) => ElementType::U64,
        Some(_) => ElementType::S64,
        None if of == ElementType::Pred => ElementType::S64,
        None => return Ok(operand),
    };
    lowering.builder.convert_element_type(operand, to).map_err(at)
}

fn is_named(lowering: &Lowering<'_>, id: NodeId, names: &[&str]) -> bool {
    let node = lowering.node(id);
    node.kind == Kind::Name && names.contains(&lowering.text(&node.at))
}

/// Returns a truth value, which is written as one.
fn truth(lowering: &Lowering<'_>, id: NodeId) -> Result<bool> {
    if is_named(lowering, id, &["true", "True"]) {
        return Ok(true);
    }
    if is_named(lowering, id, &["false", "False"]) {
        return Ok(false);
    }
    Err(Diagnostic::at(lowering.node(id).span.clone(), "expected true or false"))
}
