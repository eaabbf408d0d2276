//! Draws how an operand is stretched, like XLA's document on broadcasting, and how a view reads it.

use std::collections::{BTreeMap, BTreeSet};

use indim::plan::{OperandExplanation, Source};
use indim::{Literal, ScalarValue, Shape};

/// Rows and columns beyond these are cut off.
const MAX_ROWS: usize = 6;
const MAX_COLUMNS: usize = 8;

/// Dimensions of a space and of what is reduced that are drawn.
const MAX_FOLDED: usize = 5;

/// Results that are named of an element that goes to several.
const MAX_NUMBERS: usize = 3;

/// In a space of more dimensions than this, only the first and last ones are aligned.
const MAX_DIMENSIONS: usize = 32;

/// The text drawn for an operand's elements: their values, or names such as `v0`.
pub(crate) enum Labels<'a> {
    Values(&'a Literal),
    /// The prefix of the elements' names.
    Names(&'a str),
    /// Label elements by their row-major index if names would fill the picture.
    Places,
}

impl Labels<'_> {
    fn label(&self, element: usize) -> String {
        match self {
            Self::Names(name) => format!("{name}{element}"),
            Self::Places => element.to_string(),
            Self::Values(literal) => value(literal, element).unwrap_or_else(|| "?".to_owned()),
        }
    }
}

/// Returns a short form of an element.
fn value(literal: &Literal, place: usize) -> Option<String> {
    let short = |x: f64| {
        let text = format!("{}", x as f32).to_lowercase();
        if text.len() <= 9 { text } else { format!("{x:.3e}") }
    };
    Some(match literal.element(place)?.value() {
        ScalarValue::Pred(pred) => pred.to_string(),
        ScalarValue::Integer(n) => n.to_string(),
        ScalarValue::Float(x) => short(x),
        ScalarValue::Complex(re, im) => {
            let sign = if im.is_sign_negative() { "" } else { "+" };
            format!("{}{sign}{}i", short(re), short(im))
        }
    })
}

/// Returns true if the space reads the operand other than unchanged.
pub(crate) fn is_seen(operand: &OperandExplanation, space: &Shape) -> bool {
    operand.shape != *space || !is_stretched(operand, space)
}

/// Returns true if the operand is read in its own order, apart from stretched dimensions: a
/// broadcast, and no other view.
pub(crate) fn is_stretched(operand: &OperandExplanation, space: &Shape) -> bool {
    let dimensions = &operand.broadcast_dimensions;
    let strides = operand.shape.strides();
    // An iota lies along one dimension, in steps of 1.
    let lies = |own: usize, stride: isize| match operand.source {
        Source::Iota => stride == 0 || stride == 1,
        _ => stride == own.cast_signed(),
    };
    let goes = |((&size, &d), own): ((&usize, &usize), usize)| {
        size == 1 || (space.dims().get(d) == Some(&size) && lies(own, operand.strides[d]))
    };
    operand.offset == 0
        && dimensions.len() == operand.shape.rank()
        && dimensions.is_sorted()
        && operand.shape.dims().iter().zip(dimensions).zip(strides).all(goes)
}

/// Returns the operand's elements, an arrow, and how the space reads them. Only for rank 1 and 2
/// with elements; a larger picture would not fit a page.
pub(crate) fn seeing(
    operand: &OperandExplanation,
    space: &Shape,
    labels: &Labels<'_>,
) -> Option<Vec<String>> {
    let (rows, columns) = matrix(space.dims())?;
    let at = |row: usize, column: usize| {
        let steps = match *operand.strides.as_slice() {
            [inner] => inner.wrapping_mul(column.cast_signed()),
            [outer, inner] => outer
                .wrapping_mul(row.cast_signed())
                .wrapping_add(inner.wrapping_mul(column.cast_signed())),
            _ => 0,
        };
        operand.offset.wrapping_add(steps)
    };
    // Outside of the array, another value is selected instead of an element.
    let count = match operand.source {
        Source::Iota => usize::MAX,
        _ => operand.shape.element_count().unwrap_or(usize::MAX),
    };
    let label = |place: isize| match usize::try_from(place) {
        Ok(element) if element < count => labels.label(element),
        _ => ".".to_owned(),
    };
    let seen = table(rows, columns, |row, column| label(at(row, column)));
    let alone = if operand.shape.rank() == 0 {
        vec![labels.label(0)]
    } else if is_stretched(operand, space) {
        // Turned according to its matched dimension: a vector on dimension 0 is upright.
        let mut own = [1; 2];
        let rank = space.rank();
        for (&size, &dimension) in operand.shape.dims().iter().zip(&operand.broadcast_dimensions) {
            *own.get_mut(dimension + 2 - rank)? = size;
        }
        matrix(&own)?;
        // Along a dimension of size 1 the operand's index is 0, whatever the stride.
        table(own[0], own[1], |row, column| label(at(row.min(own[0] - 1), column.min(own[1] - 1))))
    } else {
        // The operand is drawn as it is stored; elements of an iota are labelled by their index
        // along its dimension.
        if operand.source == Source::Iota && operand.shape.rank() > 1 {
            return None;
        }
        let (rows, columns) = matrix(operand.shape.dims())?;
        table(rows, columns, |row, column| labels.label(row * columns + column))
    };
    let width = alone.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for row in 0..seen.len().max(alone.len()) {
        let left = alone.get(row).map_or("", String::as_str);
        let right = seen.get(row).map_or("", String::as_str);
        let arrow = if row == 0 { " ==> " } else { "     " };
        let padding = " ".repeat(width - left.chars().count());
        lines.push(format!("{left}{padding}{arrow}{right}"));
    }
    Some(lines)
}

/// Returns an operand of rank 1 or 2 that is reduced: for each element the numbers of the elements of
/// the result that it goes to, as far as they are among the first ones along each dimension.
pub(crate) fn folding(
    operand: &OperandExplanation,
    space: &Shape,
    reduced: &[usize],
) -> Option<Vec<String>> {
    let (rows, columns) = matrix(operand.shape.dims())?;
    let sizes: Vec<usize> =
        space.dims().iter().chain(reduced).map(|&size| size.min(MAX_COLUMNS)).collect();
    if sizes.len() > MAX_FOLDED {
        return None;
    }
    let results = space.strides();
    let mut goes: BTreeMap<isize, BTreeSet<usize>> = BTreeMap::new();
    for number in 0..sizes.iter().product::<usize>() {
        let (mut rest, mut element, mut result) = (number, operand.offset, 0);
        for d in (0..sizes.len()).rev() {
            let index = rest % sizes[d];
            rest /= sizes[d];
            let stride = operand.strides.iter().chain(&operand.folded).nth(d)?;
            element = element.wrapping_add(stride.wrapping_mul(index.cast_signed()));
            result += results.get(d).map_or(0, |stride| stride * index);
        }
        goes.entry(element).or_default().insert(result);
    }
    Some(table(rows, columns, |row, column| {
        match goes.get(&(row * columns + column).cast_signed()) {
            None => ".".to_owned(),
            Some(numbers) => {
                let shown = numbers.iter().take(MAX_NUMBERS).map(usize::to_string);
                let more = (numbers.len() > MAX_NUMBERS).then(|| "..".to_owned());
                shown.chain(more).collect::<Vec<_>>().join(",")
            }
        }
    }))
}

/// Returns the rows and columns of an array of rank 1 or 2 with elements.
fn matrix(dims: &[usize]) -> Option<(usize, usize)> {
    let (rows, columns) = match *dims {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => return None,
    };
    (rows > 0 && columns > 0).then_some((rows, columns))
}

/// Returns rows between bars, with aligned columns.
fn table(rows: usize, columns: usize, label: impl Fn(usize, usize) -> String) -> Vec<String> {
    let (shown_rows, shown_columns) = (rows.min(MAX_ROWS), columns.min(MAX_COLUMNS));
    let mut cells: Vec<Vec<String>> =
        (0..shown_rows).map(|r| (0..shown_columns).map(|c| label(r, c)).collect()).collect();
    if rows > shown_rows {
        cells.push(vec!["...".to_owned(); shown_columns]);
    }
    if columns > shown_columns {
        for row in &mut cells {
            row.push("...".to_owned());
        }
    }
    let width_of = |column: usize| {
        cells
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..cells.first().map_or(0, Vec::len)).map(width_of).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        format!("|{}|", cells.join(" "))
    };
    cells.iter().map(line).collect()
}

/// Shows where each dimension goes, like the formal definition in XLA's document: sizes for one
/// dimension of the space are aligned in a column.
pub(crate) fn alignment(space: &Shape, operands: &[(String, &OperandExplanation)]) -> Vec<String> {
    let width_of = |d: usize| {
        let sizes = operands.iter().filter_map(|(_, o)| {
            o.broadcast_dimensions.iter().position(|&to| to == d).map(|i| o.shape.dims()[i])
        });
        sizes.chain([space.dims()[d]]).map(|size| size.to_string().len()).max().unwrap_or(1)
    };
    let rank = space.rank();
    let ends = if rank > MAX_DIMENSIONS { MAX_DIMENSIONS / 2 } else { rank };
    let tail = (rank - ends).max(ends);
    let shown = (0..ends).chain(tail..rank);
    let widths: Vec<(usize, usize)> = shown.map(|d| (d, width_of(d))).collect();
    let name_width =
        operands.iter().map(|(name, _)| name.chars().count()).chain([6]).max().unwrap_or(6);
    let line = |name: &str, size_at: &dyn Fn(usize) -> Option<usize>| {
        let mut text = format!("{name:<name_width$}  ");
        for &(d, width) in &widths {
            let size = size_at(d);
            let joined = d > 0 && size.is_some() && size_at(d - 1).is_some();
            text.push_str(if d == 0 {
                ""
            } else if d == tail {
                " ... "
            } else if joined {
                "x"
            } else {
                " "
            });
            let size = size.map_or(String::new(), |size| size.to_string());
            text.push_str(&format!("{size:>width$}"));
        }
        text.trim_end().to_owned()
    };
    let mut lines = vec![line("result", &|d| space.dims().get(d).copied())];
    for (name, operand) in operands {
        let size_at = |d: usize| {
            let place = operand.broadcast_dimensions.iter().position(|&to| to == d)?;
            operand.shape.dims().get(place).copied()
        };
        lines.push(line(name, &size_at));
    }
    lines
}
