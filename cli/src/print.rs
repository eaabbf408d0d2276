//! Arrays as NumPy prints them: aligned columns, the shortest digits that tell an f32 from its
//! neighbours, long arrays abbreviated. It follows NumPy 2.4 with its default options.

use std::fmt::Write as _;

use indim::{ElementType, Literal};

/// More elements than this are abbreviated.
const THRESHOLD: usize = 1000;
/// How many elements are shown at each end of an abbreviated dimension.
const EDGE: usize = 3;
const LINE_WIDTH: usize = 75;
/// The most digits behind the point.
const PRECISION: usize = 8;
/// From here on f32 is printed with an exponent: its 6 certain digits do not reach further.
const LARGE: f64 = 1e6;
const SMALL: f64 = 1e-4;

/// The array as `print` in Python would show it, without a newline at the end.
pub(crate) fn print(literal: &Literal) -> String {
    let sizes = literal.shape().dims();
    if sizes.contains(&0) {
        return "[]".to_owned();
    }
    let abbreviated = literal.shape().element_count().is_ok_and(|count| count > THRESHOLD);
    let visible: Vec<Vec<Option<usize>>> =
        sizes.iter().map(|&size| shown(size, abbreviated)).collect();
    let offsets = visible_offsets(sizes, &visible);
    let words = match literal.element_type() {
        ElementType::F32 if sizes.is_empty() => {
            vec![scalar(value(literal, 0).map_or(0.0, f32::from_le_bytes))]
        }
        ElementType::F32 => {
            let values: Vec<f32> =
                offsets.iter().filter_map(|&i| value(literal, i)).map(f32::from_le_bytes).collect();
            Floats::new(&values).words(&values)
        }
        ElementType::S32 => aligned(
            offsets
                .iter()
                .filter_map(|&i| value(literal, i))
                .map(|b| i32::from_le_bytes(b).to_string()),
        ),
        ElementType::U32 => aligned(
            offsets
                .iter()
                .filter_map(|&i| value(literal, i))
                .map(|b| u32::from_le_bytes(b).to_string()),
        ),
        _ => {
            // Also where all are true, each takes the room of `False`.
            let truth = |&i: &usize| {
                if literal.bytes().get(i) == Some(&0) { "False" } else { " True" }
            };
            aligned(offsets.iter().map(truth).map(str::to_owned))
        }
    };
    lay_out(&visible, &words)
}

/// The four bytes of an element.
fn value(literal: &Literal, element: usize) -> Option<[u8; 4]> {
    literal.bytes().get(element * 4..element * 4 + 4)?.try_into().ok()
}

/// The indices of a dimension that are shown; `None` is the gap between them.
fn shown(size: usize, abbreviated: bool) -> Vec<Option<usize>> {
    if abbreviated && size > 2 * EDGE {
        (0..EDGE).map(Some).chain([None]).chain((size - EDGE..size).map(Some)).collect()
    } else {
        (0..size).map(Some).collect()
    }
}

/// The places in the array of the elements that are shown, in row-major order.
fn visible_offsets(sizes: &[usize], visible: &[Vec<Option<usize>>]) -> Vec<usize> {
    let mut offsets = vec![0];
    for (&size, indices) in sizes.iter().zip(visible) {
        let indices: Vec<usize> = indices.iter().copied().flatten().collect();
        offsets = offsets
            .iter()
            .flat_map(|&offset| indices.iter().map(move |&i| offset * size + i))
            .collect();
    }
    offsets
}

/// Words padded on the left to one width.
fn aligned(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    let width = words.iter().map(String::len).max().unwrap_or(0);
    for word in &mut words {
        word.insert_str(0, &" ".repeat(width - word.len()));
    }
    words
}

/// Puts brackets and line breaks around the words.
fn lay_out(visible: &[Vec<Option<usize>>], words: &[String]) -> String {
    let rank = visible.len();
    let mut words = words.iter();
    let Some((row, outer)) = visible.split_last() else {
        // A rank-0 array is its element alone.
        return words.next().cloned().unwrap_or_default().trim().to_owned();
    };
    let width = LINE_WIDTH.saturating_sub(rank);
    let mut out = "[".repeat(rank);
    // Positions among what is shown, the gaps included, one for each outer dimension.
    let mut at = vec![0; outer.len()];
    loop {
        write_row(&mut out, row, &mut words, rank, width);
        // To the next row: from the innermost dimension that has one.
        let Some(axis) = (0..outer.len()).rev().find(|&d| at[d] + 1 < outer[d].len()) else {
            out.push_str(&"]".repeat(rank));
            return out;
        };
        out.push_str(&"]".repeat(rank - 1 - axis));
        loop {
            at[axis] += 1;
            at[axis + 1..].fill(0);
            out.push_str(&"\n".repeat(rank - 1 - axis));
            out.push_str(&" ".repeat(axis + 1));
            if outer[axis][at[axis]].is_some() {
                break;
            }
            out.push_str("...");
            // Behind a gap there is always another index.
        }
        out.push_str(&"[".repeat(rank - 1 - axis));
    }
}

/// The innermost dimension: words with a space between them, broken into lines.
fn write_row<'a>(
    out: &mut String,
    row: &[Option<usize>],
    words: &mut impl Iterator<Item = &'a String>,
    indent: usize,
    width: usize,
) {
    let mut column = indent;
    for (i, item) in row.iter().enumerate() {
        let word = match item {
            Some(_) => words.next().map_or("", String::as_str),
            None => "...",
        };
        if i > 0 {
            out.push(' ');
            column += 1;
        }
        if column + word.len() > width && column > indent {
            out.truncate(out.trim_end().len());
            let _ = write!(out, "\n{}", " ".repeat(indent));
            column = indent;
        }
        out.push_str(word);
        column += word.len();
    }
}

/// A rank-0 f32, which NumPy prints as `str` of its scalar.
fn scalar(x: f32) -> String {
    let magnitude = f64::from(x).abs();
    if !x.is_finite() {
        return not_finite(x).to_owned();
    }
    if x != 0.0 && !(SMALL..LARGE).contains(&magnitude) {
        let (mantissa, exponent) = scientific(x);
        return format!("{}{exponent}", mantissa.trim_end_matches('.'));
    }
    let text = shortest(x);
    if text.contains('.') { text } else { format!("{text}.0") }
}

fn not_finite(x: f32) -> &'static str {
    match (x.is_nan(), x > 0.0) {
        (true, _) => "nan",
        (false, true) => "inf",
        (false, false) => "-inf",
    }
}

/// The shortest mantissa, with its point, and the exponent, as in `1.5` and `e-07`.
fn scientific(x: f32) -> (String, String) {
    let text = format!("{x:e}");
    let digits = text.split_once('e').map_or(0, |(mantissa, _)| mantissa.len().saturating_sub(2));
    let digits = digits.saturating_sub(usize::from(x < 0.0));
    with_exponent(&even(x, text, |x| format!("{x:.digits$e}")))
}

/// The shortest digits that are read back as this value, without an exponent.
fn shortest(x: f32) -> String {
    let text = format!("{x}");
    match text.split_once('.').map(|(_, fraction)| fraction.len()) {
        Some(digits) => even(x, text, |x| format!("{x:.digits$}")),
        None => text,
    }
}

/// Of two shortest spellings that are equally near, NumPy takes the one with the even last digit,
/// as correct rounding does, and Rust the larger one.
fn even(x: f32, shortest: String, rounded: impl Fn(f32) -> String) -> String {
    let candidate = rounded(x);
    if candidate.parse() == Ok(x) { candidate } else { shortest }
}

/// C's spelling of what Rust spells as `1e5`.
fn with_exponent(text: &str) -> (String, String) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if mantissa.contains('.') { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    (format!("{mantissa}{point}"), format!("e{sign}{:02}", exponent.abs()))
}

/// The shortest digits without an exponent, at most [`PRECISION`] of them behind the point.
fn positional(x: f32) -> String {
    let text = shortest(x);
    match text.split_once('.') {
        None => text + ".",
        Some((_, fraction)) if fraction.len() <= PRECISION => text,
        Some(_) => format!("{x:.PRECISION$}").trim_end_matches('0').to_owned(),
    }
}

/// How the f32 elements of an array are printed, so that their points are aligned.
struct Floats {
    exponent: bool,
    /// Characters before the point, and behind it, an exponent included.
    left: usize,
    right: usize,
    /// Digits behind the point, with an exponent.
    digits: usize,
}

impl Floats {
    fn new(values: &[f32]) -> Self {
        let finite = || values.iter().copied().filter(|x| x.is_finite());
        let nonzero = || finite().map(f32::abs).filter(|&x| x != 0.0);
        let (largest, smallest) =
            (nonzero().fold(0.0, f32::max), nonzero().fold(f32::INFINITY, f32::min));
        // In f32, as NumPy compares.
        let exponent =
            largest >= LARGE as f32 || smallest < SMALL as f32 || largest / smallest > 1000.0;

        let parts = |x: f32| -> (usize, usize, usize) {
            let (number, tail) =
                if exponent { scientific(x) } else { (positional(x), String::new()) };
            let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
            (whole.len(), fraction.len(), tail.len())
        };
        let (mut left, mut digits, mut tail) = (0, 0, 0);
        for x in finite() {
            let (l, d, t) = parts(x);
            (left, digits, tail) = (left.max(l), digits.max(d), tail.max(t));
        }
        let right = digits + tail;
        for word in values.iter().filter(|x| !x.is_finite()).map(|&x| not_finite(x)) {
            left = left.max(word.len().saturating_sub(right + 1));
        }
        Self { exponent, left, right, digits }
    }

    fn words(&self, values: &[f32]) -> Vec<String> {
        values.iter().map(|&x| self.word(x)).collect()
    }

    fn word(&self, x: f32) -> String {
        let Self { left, right, digits, .. } = *self;
        if !x.is_finite() {
            return format!("{:>width$}", not_finite(x), width = left + right + 1);
        }
        let text = if self.exponent {
            // Digits that the shortest mantissa lacks are the value's own, not zeros.
            let (mantissa, exponent) = with_exponent(&format!("{x:.digits$e}"));
            mantissa + &exponent
        } else {
            positional(x)
        };
        let before = text.find('.').unwrap_or(text.len());
        let after = (text.len() - before).saturating_sub(1);
        format!(
            "{}{text}{}",
            " ".repeat(left.saturating_sub(before)),
            " ".repeat(right.saturating_sub(after))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indim::Shape;

    /// What NumPy printed, as `tests/data/make.py` wrote it down.
    const CASES: &str = include_str!("../tests/data/print.txt");

    #[test]
    fn arrays_look_as_in_numpy() {
        let mut count = 0;
        for case in CASES.split("\n---\n").filter(|case| !case.is_empty()) {
            let (head, expected) = case.split_once('\n').unwrap_or_default();
            let mut fields = head.split(' ');
            let element_type: ElementType =
                fields.next().unwrap_or_default().parse().unwrap_or_else(|e| panic!("{e}"));
            let sizes: Vec<usize> = fields
                .next()
                .unwrap_or_default()
                .split('x')
                .filter_map(|n| n.parse().ok())
                .collect();
            let hex = fields.next().unwrap_or_default().as_bytes();
            let bytes: Vec<u8> = hex
                .chunks(2)
                .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect();
            let literal = Literal::new(element_type, Shape::from(sizes), bytes)
                .unwrap_or_else(|e| panic!("{head}: {e}"));
            assert_eq!(print(&literal), expected, "{head}");
            count += 1;
        }
        assert!(count >= 40, "{count}");
    }
}
