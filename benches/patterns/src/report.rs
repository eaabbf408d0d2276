//! Writes the report: one JSON line per pattern, and the table.

use indim::wgpu::AdapterInfo;
use serde::Serialize;

use crate::measure::{Measured, Row};
use crate::patterns::Pattern;
use crate::tasks;

/// One line of the JSON file.
#[derive(Debug, Serialize)]
struct Line<'a> {
    pattern: &'a str,
    adapter: &'a str,
    backend: String,
    elements: usize,
    result_elements: usize,
    bytes: u64,
    median_ms: f64,
    gb_per_s: f64,
    copy_gb_per_s: f64,
    floor_ms: Option<f64>,
    #[serde(rename = "type")]
    element_type: &'static str,
    elements_per_s: f64,
    /// The time of the same in F32, if the element type is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    f32_ms: Option<f64>,
}

/// Returns the line of a pattern, with its line end.
pub(crate) fn json(measured: &Measured, adapter: &AdapterInfo, copy_gb_per_s: f64) -> String {
    let line = Line {
        pattern: measured.pattern.name(),
        adapter: &adapter.name,
        backend: adapter.backend.to_string(),
        elements: measured.elements,
        result_elements: measured.result_elements,
        bytes: measured.bytes,
        median_ms: ms(measured.median),
        gb_per_s: measured.gb_per_s(),
        copy_gb_per_s,
        floor_ms: measured.floor.map(ms),
        element_type: measured.element_type.name(),
        elements_per_s: measured.elements_per_s(),
        f32_ms: measured.in_f32.map(ms),
    };
    // Numbers and strings always convert to JSON.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

/// Returns the progress line of a measured pattern.
pub(crate) fn line(row: &Measured) -> String {
    let mut line = format!(" {:>8} ms", digits(ms(row.median)));
    if let (Some(floor), Some(ratio)) = (row.floor, row.ratio()) {
        line += &format!(", floor {:>8} ms, ratio {ratio:.2}", digits(ms(floor)));
    }
    if row.in_f32.is_some() {
        line += &format!(", {:.2} times the elements of f32", row.speed_of_f32());
    }
    line
}

/// Returns the name of the clock.
pub(crate) fn clock(row: &Measured) -> &'static str {
    if row.by_timestamps { "device" } else { "wall" }
}

pub(crate) fn ms(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns a time in milliseconds with three significant digits.
pub(crate) fn digits(ms: f64) -> String {
    let decimals = (2 - ms.max(1e-9).log10().floor() as i32).clamp(0, 6);
    format!("{ms:.*}", decimals as usize)
}

/// Returns the largest accepted ratio of a pattern's time to its floor's. An expression of a
/// hundred operations is traversed at each evaluation, a cost that its floor does not have.
pub(crate) fn limit(pattern: Pattern) -> Option<f64> {
    match pattern {
        Pattern::Odd | Pattern::OddColumn | Pattern::Inner3 | Pattern::Strided => Some(1.20),
        // They have no promised ratio yet.
        Pattern::Stencil | Pattern::IntoSlice => None,
        // It is expected to take longer than its floor, which is `adam`.
        Pattern::AdamApart => None,
        // The second word of a sum, and its stored parts, cost that much.
        Pattern::SumColumns | Pattern::SumMiddle => Some(1.40),
        // No value is kept for several results yet.
        Pattern::Pairwise | Pattern::Argmax => None,
        // They read twice what a row's floor reads once, and join four strands for each element, in two
        // words; products of matrices have no tile.
        Pattern::CumsumRows | Pattern::CumsumColumns | Pattern::CumsumAll => None,
        Pattern::Dot | Pattern::DotTall => None,
        // Its floor compares random bits, not the floats that are made of them.
        Pattern::Dropout => None,
        // Their floors add in one word, and hold the exponentials of all of a row.
        Pattern::Softmax | Pattern::SoftmaxShort | Pattern::SoftmaxLong => None,
        Pattern::LayerNormShort | Pattern::LayerNormLong => None,
        _ if pattern.reduces() => Some(1.20),
        Pattern::Chain => Some(1.15),
        Pattern::Small => Some(1.25),
        Pattern::Batch100 => Some(1.5),
        Pattern::Batch100Expr => None,
        _ => Some(1.10),
    }
}

/// The facts above the table.
pub(crate) struct Header {
    pub(crate) adapter: AdapterInfo,
    pub(crate) copy_gb_per_s: f64,
    pub(crate) copy_bytes: u64,
    /// The reason if timestamps are not used.
    pub(crate) without_timestamps: Option<String>,
}

/// Returns all measurements as an aligned Markdown table, ratios first.
pub(crate) fn table(header: &Header, rows: &[Row]) -> String {
    let mut out = heading(header);
    let mut cells = vec![
        [
            "pattern",
            "of floor",
            "at most",
            "per element",
            "of copy",
            "median ms",
            "floor ms",
            "GB/s",
            "result elements",
            "clock",
        ]
        .map(str::to_owned),
    ];
    // Relative to `same`, if that was measured, too.
    let measured = || rows.iter().filter_map(|row| row.as_ref().ok());
    let same = measured().find(|row| row.pattern == Pattern::Same).map(Measured::ns_per_element);
    for row in measured() {
        let latency = row.pattern.is_latency();
        let unless_latency = |text: String| if latency { String::new() } else { text };
        let against = |same: f64| format!("{:.2}", row.ns_per_element() / same);
        cells.push([
            format!("`{}`", row.pattern.name()),
            row.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            limit(row.pattern).map(|most| format!("{most:.2}")).unwrap_or_default(),
            unless_latency(same.map(against).unwrap_or_default()),
            unless_latency(format!("{:.2}", row.gb_per_s() / header.copy_gb_per_s)),
            digits(ms(row.median)),
            row.floor.map(|floor| digits(ms(floor))).unwrap_or_default(),
            unless_latency(digits(row.gb_per_s())),
            row.result_elements.to_string(),
            clock(row).to_owned(),
        ]);
    }
    out.push_str(&aligned(&cells));
    out.push_str(LEGEND);
    for row in measured().filter(|row| row.pattern == Pattern::NewShapes) {
        out.push_str(&format!("\nnew_shapes compiled {} pipelines (at most 4).\n", row.pipelines));
    }
    out + &failures(rows)
}

/// Returns a line for each pattern that could not be measured.
pub(crate) fn failures(rows: &[Row]) -> String {
    let failed = rows.iter().filter_map(|row| row.as_ref().err());
    failed
        .map(|(task, error)| format!("\n{} could not be measured: {error}\n", tasks::label(*task)))
        .collect()
}

const LEGEND: &str = "
of floor: the time against that of kernels written by hand for exactly these shapes
per element: the time of a result element against that of `same`
of copy: bytes a second against those of the device's own copy
";

/// Returns the adapter and the clock.
pub(crate) fn heading(header: &Header) -> String {
    let Header { adapter, copy_gb_per_s, copy_bytes, without_timestamps } = header;
    let driver = format!("{} {}", adapter.driver, adapter.driver_info);
    let clock = match without_timestamps {
        None => "its timestamps where `clock` says device, else by the wall clock around a wait"
            .to_owned(),
        Some(why) => format!("the wall clock around a wait ({why})"),
    };
    format!(
        "{} ({}; {})\nMedians by {clock}.\nIts own copy of {} MiB moves {} GB/s.\n\n",
        adapter.name,
        adapter.backend,
        driver.trim(),
        copy_bytes >> 20,
        digits(*copy_gb_per_s),
    )
}

/// Aligns a table. The first row is the head; all but the first and the last column hold numbers.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.len());
        }
    }
    let is_text = |column: usize| column == 0 || column + 1 == N;
    let line = |cells: &[String; N]| {
        let padded: Vec<String> = cells
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                if is_text(column) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            })
            .collect();
        format!("| {} |\n", padded.join(" | "))
    };
    let rule: Vec<String> = widths
        .iter()
        .enumerate()
        .map(
            |(column, &width)| {
                if is_text(column) { "-".repeat(width + 2) } else { "-".repeat(width + 1) + ":" }
            },
        )
        .collect();
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        out.push_str(&line(row));
        if number == 0 {
            out.push_str(&format!("|{}|\n", rule.join("|")));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        for (ms, text) in [
            (123.456, "123"),
            (12.345, "12.3"),
            (1.2345, "1.23"),
            (0.12345, "0.123"),
            (0.0, "0.000000"),
        ] {
            assert_eq!(digits(ms), text);
        }
    }

    #[test]
    fn tables_are_aligned() {
        let rows = [["a", "b", "c"], ["long", "1.5", "x"]].map(|row| row.map(str::to_owned));
        assert_eq!(aligned(&rows), "| a    |   b | c |\n|------|----:|---|\n| long | 1.5 | x |\n");
    }
}
