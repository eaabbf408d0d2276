//! Checks user-defined functions with mutated texts: each is refused with a place within it, or is
//! a function whose kernels the device takes.

use indim::{AnyExpr, CallError, Context, DeviceError, ElementType, Error, Function, Literal};

use super::function_texts::KINDS;
use crate::random::Random;

const TEXTS: &[&str] = &[
    "fn smooth(a: f32, b: f32, t: f32) -> f32 { let s = t * t * (3.0 - 2.0 * t); return mix(a, b, s); }",
    "struct polar { radius: f32, angle: f32 }\nfn to_polar(x: f32, y: f32) -> polar { return polar(length(vec2(x, y)), atan2(y, x)); }",
    "fn hash(x: u32) -> u32 { let s = x * 747796405u + 2891336453u; return ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u; }\nfn noise(x: u32, y: u32) -> f32 { return f32(hash(x ^ hash(y)) >> 8u) / 16777216.0; }",
    "const LIMITS = array(1, 10, 100);\nfn digits(x: i32) -> i32 { var n = 0; if x >= LIMITS[0] { n = 1; } else if x > 5 { n = 2; } switch n { case 0: { return -1; } default: { return n; } } }",
    "alias complex = vec2<f32>;\nfn product(a: complex, b: complex) -> complex { return complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }",
    "fn pick(which: bool, a: i32, b: i32) -> i32 { /* the first */ return select(b, a, which && a < b || !which); } // or the second",
    "fn table(x: u32) -> f32 { var a: array<f32, 4>; a[x & 3u] = f32(x); a[x] += 1.0; return a[1] + a[x % 7u]; }",
    "fn gcd(x: u32, y: u32) -> u32 { var a = x; var b = y; while b != 0u { let c = a % b; a = b; b = c; } return a; }",
    "fn sum(n: u32) -> u32 { var s = 0u; for (var i = 0u; i < n; i++) { if i % 3u == 1u { continue; } loop { s++; if s % 2u == 0u { break; } } } return s; }",
    "fn root(x: f32) -> f32 { var y = x; loop { y = 0.5 * (y + x / y); switch i32(y) { case 0: { break; } default: { } } continuing { break if abs(y * y - x) < 1e-3; } } return y; }",
    "fn odd(x: i32, y: i32) -> i32 { return (x / y) + (x % y) + (x << u32(y)) + i32(f32(x)) - (-2147483647 - 1); }",
];

/// Words and signs that a mutation puts into a text.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "f32", "i32", "u32", "bool", "vec2<f32>", "vec4<f32>", "mat2x2<f32>", "array<f32, 9>", "f64", "i64",
    "loop {", "while x > 1 {", "for (;;) {", "break;", "continue;", "break if x == 1;", "continuing {", "f16", "ptr<function, f32>", "atomic<u32>", "fn", "struct", "const", "let", "var", "return", "if",
    "else", "switch", "loop", "for", "while", "break", "discard", "@compute", "@must_use", "enable f16;",
    "var<private>", "var<workgroup>", "override", "{", "}", "(", ")", "[", "]", "<", ">", ";", ",", ".",
    "->", "=", "==", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "<<", ">>", "0", "1", "-1", "2.5",
    "1e38", "0x7fffffff", "4294967295u", "1lf", "3li", "x", "y", "a", "b", "smooth", "params", "main",
    "xla_exp", "in_0", "u_", "_", "é", "\u{0}", "\n", "//", "/*", "*/", "dpdx(x)", "workgroupBarrier();",
    "bitcast<f32>", "pack2x16float", "select", "mix", "sqrt", "length", "exp", "true", "x.y", "x[0]",
];

/// The longest text that mutations make, in bytes.
const MAX_TEXT: usize = 4096;

/// The longest text that claims more than it is long, about: all that are taken are compiled.
const MAX_KIND: usize = 1200;

/// Elements of each operand.
const COUNT: usize = 5;

pub fn check(gpu: &Context, random: &mut Random) -> Result<(), String> {
    let text = mutated(random);
    match Function::wgsl(&text) {
        Ok(function) => call(gpu, &function).map_err(|error| format!("{error}, of {text:?}")),
        Err(error) => {
            let inside = error
                .range()
                .is_none_or(|range| range.start <= range.end && text.get(range.clone()).is_some());
            let lines = text.matches('\n').count() + 1;
            let is_line = error.line().is_none_or(|line| (1..=lines).contains(&line));
            if inside && is_line && !error.reason().is_empty() {
                Ok(())
            } else {
                Err(format!("{error:?} is not a place in {text:?}"))
            }
        }
    }
}

fn mutated(random: &mut Random) -> String {
    let mut text = if random.percent(20) {
        let (_, write) = random.pick(KINDS);
        write(40 + random.below(MAX_KIND))
    } else {
        random.pick(TEXTS).to_owned()
    };
    for _ in 0..random.below(5) {
        if random.is_over() || text.len() > MAX_TEXT {
            break;
        }
        let (from, to) = (place(random, &text), place(random, &text));
        let (from, to) = (from.min(to), from.max(to));
        // Most changes are small, so that many texts stay functions.
        let near = if random.percent(80) { next_place(&text, from, 6) } else { to };
        match random.below(4) {
            0 => text.replace_range(from..near, ""),
            1 => text.insert_str(from, random.pick(PIECES)),
            2 => text.replace_range(from..near, random.pick(PIECES)),
            _ => {
                let copy = text[from..to].to_owned();
                text.insert_str(to, &copy);
            }
        }
    }
    text
}

/// Returns the start of a character, most often of a word or a sign.
fn place(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if random.percent(70) {
        at = text[..at].rfind(|c| !is_part(c)).map_or(0, |before| before + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    at
}

fn next_place(text: &str, from: usize, most: usize) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = &text[from..];
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(1).min(rest.len());
    let mut end = from + end.max(most.min(1)).min(rest.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// Calls an accepted function: the device must accept its kernel, or the error names a type that it
/// lacks.
fn call(gpu: &Context, function: &Function) -> Result<(), String> {
    let operands = function.parameters().map(|(_, element_type)| operand(element_type));
    let operands = operands.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let dimensions = vec![&[][..]; operands.len()];
    let operands: Vec<&AnyExpr> = operands.iter().collect();
    let results = function.call_any(&operands, &dimensions).map_err(|error| error.to_string())?;
    for result in &results {
        let read = gpu.eval(result).and_then(|array| array.to_literal_blocking());
        match read {
            Ok(literal) if literal.shape().dims() == [COUNT] => {}
            Ok(literal) => return Err(format!("the result has shape {}", literal.shape())),
            Err(Error::Device(DeviceError::Unsupported { .. })) => {}
            Err(Error::Call { source, .. }) if is_of_loop(&source) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// Returns true if a loop of the text did not end.
fn is_of_loop(error: &CallError) -> bool {
    matches!(error, CallError::Loop { .. } | CallError::LoopOfDriver { .. })
}

/// Returns an operand whose bits are numbers of all sizes.
fn operand(element_type: ElementType) -> indim::Result<AnyExpr> {
    let bytes = element_type.size_in_bytes();
    let element = |i: usize| match element_type {
        ElementType::Pred => vec![(i % 2) as u8],
        _ => {
            let bits = [0u64, 0x3f80_0000_3f80_0000, u64::MAX, 7, 0x8000_0000_0000_0000][i];
            bits.to_le_bytes()[..bytes].to_vec()
        }
    };
    let literal = Literal::new(element_type, [COUNT], (0..COUNT).flat_map(element).collect())?;
    Ok(AnyExpr::literal(literal))
}
