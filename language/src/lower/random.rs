//! Lowers calls of random operations.

use indim_core::ElementType;

use crate::lower::integers::{element_type, integer, spread};
use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::names;
use crate::syntax::parser::NodeId;

/// Lowers a call of the random operation of this name. Sizes are a list or integers at the end; bare
/// numbers are F32, integers of `random_randint` S32, and those of `random_fold_in` U32.
pub(crate) fn call(
    lowering: &mut Lowering<'_>,
    id: NodeId,
    name: &str,
    args: &[NodeId],
) -> Result<NodeValue> {
    let made = match (name, args) {
        ("random_key", &[seed]) => {
            let seed = integer(lowering, seed)?;
            lowering.builder.random_key(seed.cast_unsigned())
        }
        ("random_split", &[key, ref sizes @ ..]) if !sizes.is_empty() => {
            let sizes = spread(lowering, sizes)?;
            let key = lowering.array(key, ElementType::U32)?;
            lowering.builder.random_split(key, &sizes)
        }
        ("random_fold_in", &[key, data]) => {
            let key = lowering.array(key, ElementType::U32)?;
            let data = lowering.array(data, ElementType::U32)?;
            lowering.builder.random_fold_in(key, data)
        }
        ("random_bits" | "random_normal", &[key, of, ref sizes @ ..]) if !sizes.is_empty() => {
            let of = element_type(lowering, of)?;
            let sizes = spread(lowering, sizes)?;
            let key = lowering.array(key, ElementType::U32)?;
            match name {
                "random_bits" => lowering.builder.random_bits(key, of, &sizes),
                _ => lowering.builder.random_normal(key, of, &sizes),
            }
        }
        ("random_bernoulli", &[key, p, ref sizes @ ..]) if !sizes.is_empty() => {
            let sizes = spread(lowering, sizes)?;
            let key = lowering.array(key, ElementType::U32)?;
            let p = lowering.array(p, ElementType::F32)?;
            lowering.builder.random_bernoulli(key, p, &sizes)
        }
        ("random_uniform" | "random_randint", &[key, min, max, ref sizes @ ..])
            if !sizes.is_empty() =>
        {
            let sizes = spread(lowering, sizes)?;
            let key = lowering.array(key, ElementType::U32)?;
            let values = [lowering.value(min)?, lowering.value(max)?];
            let are_numbers = values.iter().all(|value| !matches!(value, NodeValue::Op(_)));
            let number_type = match name {
                "random_randint" if are_numbers => ElementType::S32,
                _ => lowering.type_among(&values)?,
            };
            let min = lowering.typed(min, values[0], number_type)?;
            let max = lowering.typed(max, values[1], number_type)?;
            match name {
                "random_uniform" => lowering.builder.random_uniform(key, min, max, &sizes),
                _ => lowering.builder.random_randint(key, min, max, &sizes),
            }
        }
        _ => {
            let span = lowering.node(id).span.clone();
            let message = format!("{name} takes other arguments");
            return Err(Diagnostic::at(span, message).help(format!("as in {}", names::usage(name))));
        }
    };
    made.map(NodeValue::Op).map_err(lowering.at(id))
}
