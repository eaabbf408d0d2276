//! Keeps run-time indices within their arrays, in the text itself: not every backend of wgpu does
//! so, and those that do return different elements.
//!
//! An index past the end, or a negative one, is that of the last element. An index into a constant
//! becomes a call of a function that chooses by the bits of the index: drivers take seconds to
//! compile an array of some hundred values, but little longer for these choices than for other
//! operations.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use naga::valid::ModuleInfo;
use naga::{
    Arena, ArraySize, Constant, Expression, Function, Handle, Literal, Module, Scalar, ScalarKind,
    Type, TypeInner, VectorSize,
};

use crate::graph::function::tokens;
use crate::semantics::function_error::Place;

/// A replacement of a part of a text.
struct Edit {
    place: Place,
    by: String,
}

/// Returns the text with its indices bounded; `None` if none is known only at run time. The
/// functions that it adds have names of this prefix. An index without a position in the text is the
/// error.
pub(super) fn bounded(
    text: &str,
    module: &Module,
    info: &ModuleInfo,
    prefix: &str,
) -> Result<Option<String>, naga::Span> {
    let brackets = brackets(text);
    let mut tables = Tables { prefix, written: HashMap::new(), text: String::new() };
    let mut edits = Vec::new();
    let mut seen = HashSet::new();
    for (handle, function) in module.functions.iter() {
        for (of, expression) in function.expressions.iter() {
            let Expression::Access { base, .. } = *expression else { continue };
            let span = function.expressions.get_span(of);
            let range = span.to_range().unwrap_or_default();
            let close = range.end.saturating_sub(1);
            let Some(&open) = brackets.get(&close).filter(|&&open| open > range.start) else {
                return Err(span);
            };
            if !seen.insert(close) {
                continue;
            }
            let whole = &text[range.start..open];
            let table = table(module, function, base).filter(|_| is_balanced(whole));
            let inner = info[handle][base].ty.inner_with(&module.types);
            let (from, begin, end) = match (table, length(module, inner)) {
                (Some(table), _) => {
                    (range.start, format!("{}(u32(", tables.name(&table)), "))".to_owned())
                }
                (None, Some(length)) => {
                    (open, "[min(u32(".to_owned(), format!("), {}u)]", length - 1))
                }
                (None, None) => return Err(span),
            };
            edits.push(Edit { place: Place { start: from, end: open + 1 }, by: begin });
            edits.push(Edit { place: Place { start: close, end: close + 1 }, by: end });
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    edits.sort_by_key(|edit| edit.place.start);
    let mut bounded = String::with_capacity(text.len() * 2);
    let mut copied = 0;
    for Edit { place, by } in edits {
        bounded.push_str(&text[copied..place.start]);
        bounded.push_str(&by);
        copied = place.end;
    }
    bounded.push_str(&text[copied..]);
    bounded.push('\n');
    bounded.push_str(&tables.text);
    Ok(Some(bounded))
}

/// Returns the opening brackets of indices, by their closing ones.
fn brackets(text: &str) -> HashMap<usize, usize> {
    let (mut open, mut pairs) = (Vec::new(), HashMap::new());
    for word in tokens::tokens(text) {
        match word.text {
            "[" => open.push(word.at),
            "]" => pairs.extend(open.pop().map(|from| (word.at, from))),
            _ => {}
        }
    }
    pairs
}

fn is_balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// Returns the number of elements, at least one, that an index into this may select.
fn length(module: &Module, inner: &TypeInner) -> Option<u32> {
    match *inner {
        TypeInner::Array { size: ArraySize::Constant(count), .. } => Some(count.get()),
        TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => {
            Some(size as u32)
        }
        TypeInner::Matrix { columns, .. } => Some(columns as u32),
        TypeInner::Pointer { base, .. } => match module.types[base].inner {
            TypeInner::Pointer { .. } => None,
            ref inner => length(module, inner),
        },
        _ => None,
    }
}

/// The entries of an indexed constant, as they are written, and their type.
struct Table {
    ty: String,
    entries: Vec<String>,
}

/// Returns true if this is a constant array of numbers or vectors, which a function can replace.
pub(super) fn is_table(module: &Module, function: &Function, base: Handle<Expression>) -> bool {
    table(module, function, base).is_some()
}

fn table(module: &Module, function: &Function, base: Handle<Expression>) -> Option<Table> {
    let value = Value { module, arena: &function.expressions, of: base }.resolved();
    match &value.arena[value.of] {
        Expression::Compose { ty, components } => {
            let (count, base) = array(module, *ty)?;
            let element = |&of: &Handle<Expression>| Value { of, ..value }.text(base);
            let entries: Vec<String> = components.iter().map(element).collect::<Option<_>>()?;
            (entries.len() == count).then_some(())?;
            Some(Table { ty: type_name(&module.types[base].inner)?, entries })
        }
        Expression::ZeroValue(ty) => {
            let (count, base) = array(module, *ty)?;
            let ty = type_name(&module.types[base].inner)?;
            Some(Table { entries: vec![format!("{ty}()"); count], ty })
        }
        _ => None,
    }
}

fn array(module: &Module, ty: Handle<Type>) -> Option<(usize, Handle<Type>)> {
    match module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            Some((count.get() as usize, base))
        }
        _ => None,
    }
}

/// An expression that may be a constant.
#[derive(Clone, Copy)]
struct Value<'a> {
    module: &'a Module,
    arena: &'a Arena<Expression>,
    of: Handle<Expression>,
}

impl Value<'_> {
    /// Returns the expression by which a constant is declared.
    fn resolved(self) -> Self {
        match self.arena[self.of] {
            Expression::Constant(constant) => {
                let Constant { init, .. } = self.module.constants[constant];
                Self { arena: &self.module.global_expressions, of: init, ..self }
            }
            _ => self,
        }
    }

    /// Returns the text of a number or a vector of this type.
    fn text(self, ty: Handle<Type>) -> Option<String> {
        let value = self.resolved();
        let name = type_name(&self.module.types[ty].inner)?;
        match &value.arena[value.of] {
            Expression::Literal(literal) => literal_text(*literal),
            Expression::ZeroValue(_) => Some(format!("{name}()")),
            Expression::Splat { value: of, .. } => {
                Some(format!("{name}({})", Value { of: *of, ..value }.number()?))
            }
            Expression::Compose { components, .. } => {
                let numbers = components.iter().map(|&of| Value { of, ..value }.number());
                Some(format!("{name}({})", numbers.collect::<Option<Vec<_>>>()?.join(", ")))
            }
            _ => None,
        }
    }

    fn number(self) -> Option<String> {
        let value = self.resolved();
        match value.arena[value.of] {
            Expression::Literal(literal) => literal_text(literal),
            _ => None,
        }
    }
}

fn type_name(inner: &TypeInner) -> Option<String> {
    let name = |scalar: Scalar| match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Some("bool"),
        (ScalarKind::Sint, 4) => Some("i32"),
        (ScalarKind::Uint, 4) => Some("u32"),
        (ScalarKind::Float, 4) => Some("f32"),
        (ScalarKind::Sint, 8) => Some("i64"),
        (ScalarKind::Uint, 8) => Some("u64"),
        (ScalarKind::Float, 8) => Some("f64"),
        _ => None,
    };
    match *inner {
        TypeInner::Scalar(scalar) => name(scalar).map(str::to_owned),
        TypeInner::Vector { size, scalar } => {
            let size = match size {
                VectorSize::Bi => 2,
                VectorSize::Tri => 3,
                VectorSize::Quad => 4,
            };
            Some(format!("vec{size}<{}>", name(scalar)?))
        }
        _ => None,
    }
}

fn literal_text(literal: Literal) -> Option<String> {
    Some(match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::I32(i32::MIN) => "(-2147483647i - 1i)".to_owned(),
        Literal::I64(i64::MIN) => "(-9223372036854775807li - 1li)".to_owned(),
        Literal::I32(value) => format!("{value}i"),
        Literal::I64(value) => format!("{value}li"),
        Literal::U32(value) => format!("{value}u"),
        Literal::U64(value) => format!("{value}lu"),
        // The fewest digits that parse to the same number.
        Literal::F32(value) => format!("{value:e}f"),
        Literal::F64(value) => format!("{value:e}lf"),
        _ => return None,
    })
}

/// The functions that replace constants.
struct Tables<'a> {
    prefix: &'a str,
    /// Their names, by the part of their texts after the name.
    written: HashMap<String, String>,
    text: String,
}

impl Tables<'_> {
    /// Returns the name of a table's function, which is written the first time.
    fn name(&mut self, table: &Table) -> String {
        let body = body(table);
        if let Some(name) = self.written.get(&body) {
            return name.clone();
        }
        let name = format!("{}at{}", self.prefix, self.written.len());
        // Writing to a string does not fail.
        let _ = write!(self.text, "fn {name}{body}");
        self.written.insert(body, name.clone());
        name
    }
}

/// Returns the parameters and the body of a function that returns the entry of an index.
fn body(table: &Table) -> String {
    let Table { ty, entries } = table;
    let mut chosen = entries.clone();
    let mut bits = String::new();
    for bit in 0.. {
        if chosen.len() == 1 {
            break;
        }
        let _ = writeln!(bits, "    let b{bit} = (i & {}u) != 0u;", 1u32 << bit);
        let choose = |pair: &[String]| match pair {
            [even, odd] => format!("select({even}, {odd}, b{bit})"),
            one => one.concat(),
        };
        chosen = chosen.chunks(2).map(choose).collect();
    }
    let last = entries.len() - 1;
    format!(
        "(index: u32) -> {ty} {{\n    let i = min(index, {last}u);\n{bits}    return {};\n}}\n",
        chosen.concat()
    )
}
