//! Makes text that is nearly EXPR, or nearly an array.

use indim::{ElementType, OpClass, Opcode};

use indim_testing::random::Random;

/// Names that operands can have: plain, of other scripts, and such as WGSL and Rust know.
pub const NAMES: &[&str] = &[
    "x",
    "fn",
    "Ω",
    "workgroup_id",
    "日本語",
    "_",
    "main",
    "params",
    "in_0",
    "xla_exp_f32",
    "result",
];

const SYMBOLS: &[&str] = &[
    "+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "~",
];

/// Words of neither language, or with a meaning to a shader or a terminal.
const ODD: &[&str] = &[
    "&&",
    "//",
    ";",
    "=",
    "@",
    "{",
    "}",
    "\"",
    "\\",
    "\u{1b}[31m",
    "\0",
    "\r",
    "\n",
    "\t",
    "\u{a0}",
    "\u{202e}",
    "\u{feff}",
    "é",
    "#",
    "# */ fn main() {}\n",
    "..",
    "1e",
    "0x",
    "1__0",
    "3u7",
    "$",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "1.5",
    ".5",
    "1e3",
    "1e-50",
    "1e40",
    "1e99999999999999999999",
    "16777217",
    "2147483648",
    "18446744073709551615",
    "18446744073709551616",
    "0xff",
    "0b1",
    "0o7",
    "1_000",
    "3u8",
    "2.5bf16",
    "-8s4",
    "2i",
    "1j",
    "1f64",
    "nan",
    "inf",
    "true",
    "false",
    "340282366920938463463374607431768211456",
    "0.1f16",
    "1.00048828125f16",
    "inff16",
    "nanbf16",
    "x.T",
    "where(p, x, 0)",
];

/// Names that no operand has, for values of statements.
const VALUES: &[&str] = &["t", "t2", "inf", "exp", "s32", "x_"];

/// A text of expressions with mistakes: one, or statements with semicolons between them.
pub fn expression(random: &mut Random) -> String {
    let mut text = String::new();
    let mut left = 30;
    for _ in 0..random.weighted(&[60, 20, 15, 5]) {
        statement_begin(random, &mut text);
        value(random, &mut text, 4, &mut left);
        text.push_str(random.pick(&["; ", ";", " ;\n", "; # a = b;\n"]));
    }
    if random.percent(25) {
        statement_begin(random, &mut text);
    }
    value(random, &mut text, 5, &mut left);
    if random.percent(5) {
        text.push(';');
    }
    spoilt(random, text)
}

/// A name and a `=`. It may be that of an operand, which is hidden from then on.
fn statement_begin(random: &mut Random, text: &mut String) {
    let names = if random.percent(50) { VALUES } else { NAMES };
    text.push_str(random.pick(names));
    text.push_str(random.pick(&[" = ", "=", " =\t"]));
}

fn value(random: &mut Random, text: &mut String, depth: usize, left: &mut usize) {
    *left = left.saturating_sub(1);
    let kind = if depth == 0 || *left == 0 { random.below(2) } else { random.below(7) };
    match kind {
        0 if random.percent(20) => text.push_str(random.pick(VALUES)),
        0 => text.push_str(random.pick(NAMES)),
        1 => text.push_str(random.pick(NUMBERS)),
        2 | 3 => {
            value(random, text, depth - 1, left);
            text.push_str(random.pick(&[" ", "", "  "]));
            text.push_str(random.pick(SYMBOLS));
            value(random, text, depth - 1, left);
        }
        4 => {
            text.push_str(random.pick(&["(", "-(", "~(", "+("]));
            value(random, text, depth - 1, left);
            text.push(')');
        }
        5 => call(random, text, depth, left),
        _ => list(random, text),
    }
}

fn call(random: &mut Random, text: &mut String, depth: usize, left: &mut usize) {
    let opcode = random.pick(Opcode::ALL);
    let name = if random.percent(10) { "in_dim" } else { opcode.method() };
    text.push_str(name);
    text.push('(');
    let operands = match opcode.class() {
        OpClass::Binary | OpClass::Compare => 2,
        OpClass::Unary => 1,
        _ => 1 + random.below(3),
    };
    for number in 0..operands {
        if number > 0 {
            text.push_str(", ");
        }
        value(random, text, depth - 1, left);
    }
    for _ in 0..random.weighted(&[50, 30, 15, 5]) {
        text.push_str(", ");
        match random.below(3) {
            0 => text.push_str(random.pick(ElementType::ALL).name()),
            1 => text.push_str(random.pick(NUMBERS)),
            _ => list(random, text),
        }
    }
    text.push(')');
}

fn list(random: &mut Random, text: &mut String) {
    text.push('[');
    for number in 0..random.below(4) {
        if number > 0 {
            text.push_str(", ");
        }
        text.push_str(random.pick(NUMBERS));
    }
    text.push(']');
}

/// An operand's array: a literal, a shape, a fill, or nearly one. Without a path in it: whatever
/// file that named would be opened.
pub fn array(random: &mut Random) -> String {
    let mut text = String::new();
    if random.percent(40) {
        text.push_str(random.pick(ElementType::ALL).name());
        text.push(':');
    }
    match random.below(5) {
        0 => text.push_str(random.pick(NUMBERS)),
        1 => {
            text.push_str(random.pick(&["iota:2x3", "random:7", "iota:", "random:0x5", "iota:2,3"]))
        }
        2 => text.push_str(random.pick(&["2x3", "[2,3]", "f32[2,3]", "s4[7]", "1x2x", "[ 3 ]"])),
        _ => nested(random, &mut text, 4),
    }
    spoilt(random, text).replace('/', "_")
}

fn nested(random: &mut Random, text: &mut String, depth: usize) {
    if depth == 0 || random.percent(50) {
        text.push_str(random.pick(NUMBERS));
        return;
    }
    text.push('[');
    for _ in 0..random.below(4) {
        nested(random, text, depth - 1);
        text.push_str(random.pick(&[",", ", "]));
    }
    text.push(']');
}

/// The text, or one with characters inserted, removed or repeated.
fn spoilt(random: &mut Random, text: String) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..random.weighted(&[50, 30, 15, 5]) {
        let place = random.below(letters.len() + 1);
        match random.below(4) {
            0 => {
                let odd: Vec<char> = random.pick(ODD).chars().collect();
                letters.splice(place..place, odd);
            }
            1 if place < letters.len() => {
                letters.remove(place);
            }
            2 if place < letters.len() => letters.insert(place, letters[place]),
            _ => letters.truncate(place),
        }
    }
    letters.into_iter().collect()
}
