//! The table of `--type`: patterns in element types other than F32, each measured in turns with
//! itself in F32.

use crate::measure::{Measured, Row};
use crate::report::{self, Header, aligned, digits, ms};

/// Returns a row for each pattern in each type; the ratio of elements per second to F32 comes
/// first.
pub(crate) fn table(header: &Header, rows: &[Row]) -> String {
    let mut cells = vec![
        [
            "pattern",
            "type",
            "of f32",
            "of floor",
            "10^9 elements/s",
            "GB/s",
            "bytes",
            "median ms",
            "f32 ms",
            "floor ms",
            "result elements",
            "clock",
        ]
        .map(str::to_owned),
    ];
    cells.extend(rows.iter().filter_map(|row| row.as_ref().ok()).map(cells_of));
    report::heading(header) + &aligned(&cells) + LEGEND + &report::failures(rows)
}

fn cells_of(row: &Measured) -> [String; 12] {
    let time = |time: Option<std::time::Duration>| time.map(|t| digits(ms(t))).unwrap_or_default();
    [
        format!("`{}`", row.pattern.name()),
        row.element_type.to_string(),
        format!("{:.2}", row.speed_of_f32()),
        row.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        digits(row.elements_per_s() / 1e9),
        digits(row.gb_per_s()),
        row.bytes.to_string(),
        digits(ms(row.median)),
        time(row.in_f32),
        time(row.floor),
        row.result_elements.to_string(),
        report::clock(row).to_owned(),
    ]
}

const LEGEND: &str = "
of f32: elements a second against those of the same pattern in f32, measured by turns
of floor: the time against that of kernels written by hand for exactly these shapes, where there are some
";
