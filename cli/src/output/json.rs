//! Writes results and errors as JSON, one object per line, for scripts.

use std::io::{self, Write};

use indim::{ElementType, Literal, ScalarValue};
use indim_expr::{Diagnostic, short};
use serde_json::json;

use crate::output::printed::{Labelled, Printed};

/// Writes a result: its name or null, element type and shape, the line number in a batch, and
/// either the path of its file or its elements in row-major order.
pub(crate) fn result(
    out: &mut dyn Write,
    result: &Labelled,
    line: Option<usize>,
) -> io::Result<()> {
    let Labelled { name, array, path, .. } = result;
    let mut head = json!({
        "name": name,
        "element_type": array.element_type().to_string(),
        "shape": array.shape().dims(),
    });
    if let Some(line) = line {
        head["line"] = json!(line);
    }
    let mut head = head.to_string();
    // The object continues.
    head.pop();
    write!(out, "{head}")?;
    match (path, array) {
        (Some(path), _) => write!(out, ",\"path\":{}", json!(path))?,
        (None, Printed::Whole(literal)) => elements(out, literal)?,
        // Never requested as JSON: see `eval`.
        (None, Printed::Summary(_)) => {}
    }
    writeln!(out, "}}")
}

fn elements(out: &mut dyn Write, literal: &Literal) -> io::Result<()> {
    let of = literal.element_type();
    write!(out, ",\"values\":[")?;
    for place in 0..literal.shape().element_count().unwrap_or(0) {
        let Some(scalar) = literal.element(place) else { break };
        if place > 0 {
            write!(out, ",")?;
        }
        let spelled = match scalar.value() {
            ScalarValue::Pred(truth) => truth.to_string(),
            ScalarValue::Integer(number) => number.to_string(),
            ScalarValue::Float(number) => float(number, of),
            ScalarValue::Complex(re, im) => format!("[{},{}]", float(re, of), float(im, of)),
        };
        write!(out, "{spelled}")?;
    }
    write!(out, "]")
}

/// Returns a float with the fewest digits that identify it among values of its type, or of f32 for
/// a shorter type. NaN and infinities, which JSON lacks, become strings.
fn float(number: f64, of: ElementType) -> String {
    let spelled = match number {
        _ if number.is_nan() => return "\"NaN\"".to_owned(),
        f64::INFINITY => return "\"Infinity\"".to_owned(),
        f64::NEG_INFINITY => return "\"-Infinity\"".to_owned(),
        _ if of == ElementType::F64 => serde_json::to_string(&number),
        _ => serde_json::to_string(&(number as f32)),
    };
    // A finite number always has a text.
    spelled.unwrap_or_else(|_| "null".to_owned())
}

/// Returns the report of an error, as text or as JSON.
pub(crate) fn report(diagnostic: &Diagnostic, as_json: bool) -> String {
    if as_json { error(diagnostic, None) } else { diagnostic.render() }
}

/// Returns an error as a one-line object: its message, its help if it has one, and the number of
/// the batch line that it answers.
pub(crate) fn error(diagnostic: &Diagnostic, line: Option<usize>) -> String {
    let mut object = json!({ "error": short(diagnostic.message()) });
    if let Some(help) = diagnostic.help_text() {
        object["help"] = json!(short(help));
    }
    if let Some(line) = line {
        object["line"] = json!(line);
    }
    if let Some((source, span)) = diagnostic.place() {
        object["at"] = json!({ "in": source, "start": span.start, "end": span.end });
    }
    format!("{object}\n")
}
