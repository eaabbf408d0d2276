//! Draws the chart, with a bar for each pattern: the ratio of its time to its floor's.

use std::fmt::Write as _;
use std::time::Duration;

use crate::measure::Measured;
use crate::report::{digits, limit, ms};
use crate::tasks::label;

const BAR: usize = 16;
const LINE: usize = 26;
const TOP: usize = 64;
/// The x coordinate at which bars begin, then the widths of the bars and of the figures after them.
const LEFT: usize = 150;
const WIDTH: usize = 480;
const RIGHT: usize = 190;

/// Returns an SVG that is readable on light and dark backgrounds.
pub(crate) fn svg(title: &str, rows: &[&Measured]) -> String {
    let rows: Vec<(&Measured, Duration, f64)> =
        rows.iter().filter_map(|&row| Some((row, row.floor?, row.ratio()?))).collect();
    let most = rows.iter().map(|(.., ratio)| *ratio).fold(1.5, f64::max);
    let x = |ratio: f64| LEFT as f64 + ratio / most * WIDTH as f64;
    let bottom = TOP + rows.len() * LINE;
    let (width, height) = (LEFT + WIDTH + RIGHT, bottom + 52);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>Time of each pattern in those of its floor</title>\n{STYLE}"
    );
    let mut text = |class: &str, x: f64, y: usize, text: &str| {
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y}\">{}</text>",
            escaped(text)
        );
    };
    text("title", 12.0, 22, "Time against a kernel written by hand for the shape");
    text("", 12.0, 42, title);
    text("", LEFT as f64, bottom + 38, "orange: more than the pattern is to take");
    for (number, &(row, floor, ratio)) in rows.iter().enumerate() {
        let y = TOP + number * LINE + BAR - 3;
        text("name", LEFT as f64 - 8.0, y, &label((row.pattern, row.element_type)));
        let [ours, floor] = [row.median, floor].map(|time| digits(ms(time)));
        let figures = format!("{ratio:.2}  ({ours} ms, floor {floor})");
        text("", x(ratio) + 6.0, y, &figures);
    }
    for tick in 0..=(most / tick_step(most)) as usize {
        let ratio = tick as f64 * tick_step(most);
        text("tick", x(ratio), bottom + 16, &format!("{ratio}"));
    }
    for (number, &(row, _, ratio)) in rows.iter().enumerate() {
        let over = limit(row.pattern).is_some_and(|most| ratio > most);
        let class = if over { "bar over" } else { "bar" };
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{:.1}\" height=\"{BAR}\"/>",
            TOP + number * LINE,
            x(ratio) - LEFT as f64,
        );
    }
    let _ = writeln!(
        out,
        "<line class=\"floor\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1}\" y2=\"{bottom}\"/>",
        x(1.0),
        TOP - 8,
    );
    out.push_str("</svg>\n");
    out
}

/// Returns the spacing of the axis labels, which limits their number.
fn tick_step(most: f64) -> f64 {
    [0.25, 0.5, 1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|step| most / step <= 10.0)
        .unwrap_or(most / 8.0)
}

const STYLE: &str = "<style>
text { font: 12px system-ui, sans-serif; fill: #24292f; white-space: pre }
.title { font-size: 15px; font-weight: 600 }
.name { font-family: ui-monospace, monospace; text-anchor: end }
.tick { text-anchor: middle }
.bar { fill: #2f81c7 }
.over { fill: #d1703c }
.floor { stroke: #24292f; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #d8dee4 }
  .bar { fill: #4393d8 }
  .over { fill: #e08a5b }
  .floor { stroke: #d8dee4 }
}
</style>
";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
