//! Records the findings, as lines of JSON and as a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use indim::ElementType;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::column::Adapter;
use crate::file::replace_file;
use crate::function::Function;
use crate::judge::{Case, Tally};
use crate::listed::Listed;
use crate::typed;
use crate::typed::format::Format;

/// The library's columns, in the precision it promises.
pub const OWN_COLUMNS: [&str; 3] = ["accurate", "gl", "swiftshader"];

/// The finding about one function in one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The function's name.
    pub op: String,
    /// The type that it is measured on.
    #[serde(rename = "type", default = "f32_name")]
    pub element_type: String,
    /// The column's.
    pub column: String,
    /// The adapter's.
    pub adapter: String,
    /// Its driver.
    pub driver: String,
    /// Its backend.
    pub backend: String,
    /// The number of operands, or pairs of them, that were computed.
    pub inputs: u64,
    /// The largest error in ULP.
    pub max_ulp: f64,
    /// Operands that have it.
    pub at: Option<Case>,
    /// The largest error above the limit that is allowed as it stands, beside zeros; 0 for most.
    #[serde(default)]
    pub beside_zeros_ulp: f64,
    /// NaN where a number is expected or the reverse, wrong infinities, wrong signs of zero.
    pub special_mistakes: u64,
    /// The first of them.
    pub first_mistake: Option<Case>,
    /// The number of results that differ in some bit, for a function that must be exact; else none.
    pub not_rounded: Option<u64>,
    /// The first of them.
    pub first_not_rounded: Option<Case>,
    /// Seconds spent computing and comparing, over all columns.
    pub seconds: f64,
    /// The day, UTC.
    pub date: String,
}

impl Record {
    /// Returns the record of a tally.
    pub fn new(
        function: &Listed,
        element_type: ElementType,
        (column, adapter): (&str, Adapter),
        tally: Tally,
        seconds: f64,
    ) -> Self {
        Self {
            op: function.name.clone(),
            element_type: element_type.name().to_owned(),
            column: column.to_owned(),
            adapter: adapter.name,
            driver: adapter.driver,
            backend: adapter.backend,
            inputs: tally.inputs,
            max_ulp: tally.max_ulp,
            at: tally.at,
            beside_zeros_ulp: tally.beside_zeros_ulp,
            special_mistakes: tally.special_mistakes,
            first_mistake: tally.first_mistake,
            not_rounded: function.exact.then_some(tally.not_rounded),
            first_not_rounded: tally.first_not_rounded,
            seconds: (seconds * 10.0).round() / 10.0,
            date: today(),
        }
    }

    /// Returns whether the other one is about the same function, in the same place.
    fn replaces(&self, other: &Self) -> bool {
        let key = |r: &Self| {
            [&r.op, &r.element_type, &r.column, &r.adapter, &r.backend].map(String::clone)
        };
        key(self) == key(other)
    }

    /// Returns the fault, if any: an error above the limit, a mistake, or a wrong bit.
    pub fn complaint(&self, limit: f64) -> Option<String> {
        let mut wrong = Vec::new();
        if self.max_ulp > limit {
            let at = self.shown(&self.at);
            wrong.push(format!("{:.3} ULP, {limit} allowed, at {at}", self.max_ulp));
        }
        if self.special_mistakes > 0 {
            wrong.push(format!(
                "{} mistakes, at {}",
                self.special_mistakes,
                self.shown(&self.first_mistake)
            ));
        }
        if let Some(count) = self.not_rounded.filter(|&count| count > 0) {
            wrong.push(format!("{count} wrong bits, at {}", self.shown(&self.first_not_rounded)));
        }
        (!wrong.is_empty()).then(|| format!("{} ({}): {}", self.op, self.column, wrong.join("; ")))
    }

    /// One line for the terminal.
    pub fn summary(&self) -> String {
        let rounded = self.not_rounded.map_or(String::new(), |n| format!(", {n} not the bits due"));
        format!(
            "{} ({}): {:.4} ULP at {}; {} mistakes{rounded}; {} inputs, {:.1} s",
            self.op,
            self.column,
            self.max_ulp,
            self.shown(&self.at),
            self.special_mistakes,
            self.inputs,
            self.seconds
        )
    }

    /// Returns a case in readable form: the operands, the result and the true value. A conversion's
    /// bits are of two types, and stay bits.
    fn shown(&self, case: &Option<Case>) -> String {
        let Some(case) = case else { return "none".to_owned() };
        let [a, b] = case.operands;
        let truth = case.truth.map_or("NaN or infinity".to_owned(), |truth| format!("{truth:e}"));
        let format = self.element_type.parse().ok().and_then(Format::of);
        match format.filter(|_| !self.op.starts_with("Convert")) {
            Some(format) => {
                let [x, y, got] = [a, b, case.got].map(|bits| format.decode(bits));
                format!("({x:e}, {y:e}), {a:#x} and {b:#x}: {got:e} for {truth}")
            }
            None => format!("{a:#x} and {b:#x}: {:#x} for {truth}", case.got),
        }
    }
}

fn f32_name() -> String {
    ElementType::F32.name().to_owned()
}

/// Returns the functions that are measured on a type.
///
/// # Errors
/// An operation without a reference.
pub fn listed(element_type: ElementType) -> Result<Vec<Listed>> {
    Ok(if element_type == ElementType::F32 {
        Function::all()?.iter().map(Function::listed).collect()
    } else {
        typed::function::Function::all(element_type)?.iter().map(|f| f.listed()).collect()
    })
}

/// Reads lines of JSON; none where there is no file.
///
/// # Errors
/// A file that cannot be read, or another format.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    parse(&std::fs::read_to_string(path)?)
}

/// Records of lines of JSON.
///
/// # Errors
/// Another format.
pub fn parse(text: &str) -> Result<Vec<Record>> {
    let line = |line: &str| serde_json::from_str(line).map_err(crate::Error::from);
    text.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

/// Writes records to a file of such lines, in place of those that it has of the same functions.
///
/// # Errors
/// A file that cannot be written, or has another format.
pub fn update(path: &Path, new: &[Record], functions: &[Listed]) -> Result<Vec<Record>> {
    let mut records = read(path)?;
    for record in new {
        match records.iter().position(|old| record.replaces(old)) {
            Some(place) => records[place] = record.clone(),
            None => records.push(record.clone()),
        }
    }
    records.sort_by_key(|record| functions.iter().position(|f| f.name == record.op));
    let mut text = String::new();
    for record in &records {
        writeln!(text, "{}", serde_json::to_string(record)?)?;
    }
    replace_file(path, &text)?;
    Ok(records)
}

/// A column of the table.
struct Heading<'a> {
    name: &'a str,
    /// The numbers of inputs and of pairs on which most unary and most binary functions were
    /// measured.
    usual: [u64; 2],
}

impl<'a> Heading<'a> {
    /// Returns those of the records, in the order of the table.
    fn all(records: &'a [Record], functions: &[Listed]) -> Vec<Self> {
        const ORDER: [&str; 5] = ["accurate", "relaxed", "builtin", "gl", "swiftshader"];
        let mut names: Vec<&str> = Vec::new();
        for record in records {
            if !names.contains(&record.column.as_str()) {
                names.push(&record.column);
            }
        }
        names.sort_by_key(|name| ORDER.iter().position(|o| o == name).unwrap_or(ORDER.len()));
        let usual = |name: &str, binary: bool| {
            let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
            for function in functions.iter().filter(|function| function.binary == binary) {
                let of = |r: &&Record| r.column == name && r.op == function.name;
                if let Some(record) = records.iter().find(of) {
                    *counts.entry(record.inputs).or_default() += 1;
                }
            }
            counts.into_iter().max_by_key(|&(_, times)| times).map_or(0, |(inputs, _)| inputs)
        };
        let heading = |name| Self { name, usual: [usual(name, false), usual(name, true)] };
        names.into_iter().map(heading).collect()
    }

    /// Returns it as a line of a list.
    fn line(&self, records: &[Record]) -> String {
        let Some(r) = records.iter().find(|record| record.column == self.name) else {
            return String::new();
        };
        let told = [&r.adapter, &r.driver, &r.backend].map(String::as_str);
        let told: Vec<&str> = told.into_iter().filter(|text| !text.is_empty()).collect();
        let mut line = format!("- `{}`: {}", self.name, told.join(", "));
        for (usual, what) in self.usual.into_iter().zip(["inputs", "pairs"]) {
            if usual > 0 {
                line += &format!("; {} {what}", count(usual));
            }
        }
        line
    }
}

/// Returns a table in Markdown: a line a function, and for each column the largest error and the
/// mistakes.
///
/// # Errors
/// None today.
pub fn table(
    records: &[Record],
    functions: &[Listed],
    element_type: ElementType,
) -> Result<String> {
    let headings = Heading::all(records, functions);
    let mut text = match element_type {
        ElementType::F32 => "# Accuracy\n\n".to_owned(),
        other => format!("# Accuracy on {}\n\n", other.name().to_uppercase()),
    };
    for heading in &headings {
        writeln!(text, "{}", heading.line(records))?;
    }
    text.push_str(
        "\nLargest error in ULP over these numbers of inputs, or of pairs; after \"of\" where a function \
         has another count.\nThen what is wrong besides: mistakes (NaN for a number or the reverse, a \
         wrong infinity, the wrong sign of\na zero), and for functions that are correctly rounded or \
         exact (limit 0.5 or 0), results with other bits.\n",
    );
    if element_type == ElementType::F64 {
        text.push_str("Of these the error is the distance from the bits due.\n");
    }
    text.push_str("\n| function | limit |");
    for heading in &headings {
        write!(text, " {} |", heading.name)?;
    }
    text.push_str("\n|---|---:|");
    text.push_str(&"---:|".repeat(headings.len()));
    text.push('\n');
    for function in functions {
        let of: Vec<&Record> = records.iter().filter(|record| record.op == function.name).collect();
        if of.is_empty() {
            continue;
        }
        write!(text, "| {} | {} |", function.name, function.limit)?;
        for heading in &headings {
            let usual = heading.usual[usize::from(function.binary)];
            let cell = of.iter().find(|record| record.column == heading.name);
            write!(text, " {} |", cell.map_or(String::new(), |record| cell_text(record, usual)))?;
        }
        text.push('\n');
    }
    Ok(text)
}

fn cell_text(record: &Record, usual: u64) -> String {
    let mut parts = vec![error_text(record.max_ulp)];
    if record.beside_zeros_ulp > 0.0 {
        parts.push(format!("{} beside zeros", error_text(record.beside_zeros_ulp)));
    }
    if record.special_mistakes > 0 {
        parts.push(format!("{} mistakes", count(record.special_mistakes)));
    }
    // A mistake has other bits in any case.
    if let Some(wrong) = record.not_rounded.filter(|&wrong| wrong > record.special_mistakes) {
        parts.push(format!("{} other bits", count(wrong)));
    }
    if record.inputs != usual {
        parts.push(format!("of {}", count(record.inputs)));
    }
    parts.join(", ")
}

/// Never below the error itself.
fn error_text(error: f64) -> String {
    if error == 0.0 {
        "0".to_owned()
    } else if error < 1000.0 {
        format!("{:.3}", (error * 1000.0).ceil() / 1000.0)
    } else {
        format!("{error:.1e}")
    }
}

/// Returns a count, with its power of two where it is one.
fn count(n: u64) -> String {
    if n >= 1 << 16 && n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// Returns the day in UTC, by Howard Hinnant, "chrono-compatible low-level date algorithms".
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
