//! Constants, whose elements are in the text or in a resource at its end.

use std::rc::Rc;

use crate::lower::state::{Lowering, result_types};
use crate::lower::value::{Kind, Value, array_type};
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::dense::{self, Elements};
use crate::syntax::module::{Named, Operation, OperationId};
use crate::syntax::types::Type;

/// Lowers a constant.
pub(crate) fn constant<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
) -> Result<Vec<Value<'a>>> {
    let (Some(named), Some(of)) =
        (operation.attribute("value"), result_types(operation).first().copied().cloned())
    else {
        let message = "a constant has elements, such as `dense<0.0> : tensor<f32>`";
        return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
    };
    let kind = read(l, id, operation, named, &of)?;
    Ok(vec![Value { of, kind, iota: None }])
}

/// Reads the elements that an operation names, as an array of this type: once for all calls of its
/// function, and once for all operations of one type and resource.
pub(crate) fn read<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    named: &Named<'a>,
    of: &Type<'a>,
) -> Result<Kind> {
    let resource = match named.value {
        Attribute::Resource(name, _) => Some((name, of.to_string())),
        _ => None,
    };
    let known = l.read.get(&id).or_else(|| l.resources.get(resource.as_ref()?)).cloned();
    if let Some(kind) = known {
        return Ok(kind);
    }
    if let Attribute::Dense(_, Some(within)) | Attribute::Resource(_, Some(within)) = &named.value
        && within != of
    {
        let message = format!("the elements are {within}, but the result is {of}");
        return Err(Finding::rule(operation.place(), "C1", message));
    }
    let kind = match elements(l, operation, named, of)? {
        Elements::Splat(value) => Kind::Splat(value),
        Elements::List(list) => Kind::List(Rc::new(list), id),
    };
    if let Some(key) = resource {
        l.resources.insert(key, kind.clone());
    }
    l.read.insert(id, kind.clone());
    Ok(kind)
}

/// Returns the elements of an attribute, as an array of this type.
fn elements<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    named: &Named<'a>,
    of: &Type<'a>,
) -> Result<Elements> {
    let unsupported = |message: String| Finding::unsupported(operation.place(), message);
    let (element_type, shape) = array_type(of).map_err(unsupported)?;
    match named.value {
        Attribute::Dense(text, _) => dense::read(text, &named.span, element_type, &shape),
        Attribute::Resource(name, _) => {
            let source = l.source;
            let blob = source.resources.find(name, &named.span)?;
            // A resource is copied for each type that it is read in.
            l.resource_bytes = l.resource_bytes.saturating_add(blob.size());
            if l.resource_bytes > l.text.len() {
                let message = "resources are read in too many types to keep all in memory";
                return Err(unsupported(message.to_owned())
                    .help("read each resource in one type, and use reshape or bitcast_convert"));
            }
            blob.elements(&named.span, element_type, &shape)
        }
        _ => {
            let message = "only `dense<...>` and `dense_resource<...>` are implemented";
            Err(unsupported(message.to_owned()).help("print the program with one of them"))
        }
    }
}
