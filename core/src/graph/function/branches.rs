//! Rewrites the branches of a text as `if` without `else`, so that each leaves one way around it.
//! SwiftShader's compiler follows every path through a loop's body, and 24 of `if` and `else` in a
//! row, of switches, or of calls that return amid their statements, have 16 million.

use std::fmt::Write as _;
use std::ops::{BitOrAssign, Range};

use crate::graph::function::tokens::{self, Token};

/// Returns a valid text with ifs for the branches of its functions. Added names have this prefix.
/// Returns `None` if the text has something unsupported.
pub(super) fn as_ifs(text: &str, prefix: &str) -> Option<String> {
    let words = tokens::tokens(text);
    let mut written = String::with_capacity(2 * text.len());
    let (mut copied, mut aliases) = (0, String::new());
    let keywords = words.iter().enumerate().filter(|(_, word)| word.depth == 0);
    for (keyword, _) in keywords.filter(|(_, word)| word.text == "fn") {
        let open = opening(&words, keyword)?;
        let close = closing(&words, open)?;
        written.push_str(&text[copied..words[open].at]);
        let body = Body::new(text, &words, prefix, keyword, open, close);
        written.push_str(&body.write(open, close)?);
        if let Some(result) = body.result.filter(|_| body.returns_amid) {
            let _ = write!(aliases, " alias {} = {result};", body.result_type);
        }
        copied = words[close].place().end;
    }
    written.push_str(&text[copied..]);
    written.push_str(&aliases);
    Some(written)
}

/// The body of a function. Words are identified by their numbers.
struct Body<'a> {
    text: &'a str,
    words: &'a [Token<'a>],
    prefix: &'a str,
    /// The type of the result, if there is one.
    result: Option<&'a str>,
    /// A name for that type which no parameter hides.
    result_type: String,
    /// True if a `return` is not the last statement.
    returns_amid: bool,
}

/// The surroundings of a statement.
#[derive(Clone, Copy)]
struct Around<'a> {
    in_loop: bool,
    /// The variable that a `break` sets, if it belongs to a switch.
    broken: Option<&'a str>,
}

/// The ways in which a statement may have been left, so that the statements after it do not run.
#[derive(Clone, Copy, Default)]
struct Left {
    by_return: bool,
    by_break: bool,
}

impl BitOrAssign for Left {
    fn bitor_assign(&mut self, other: Self) {
        self.by_return |= other.by_return;
        self.by_break |= other.by_break;
    }
}

impl<'a> Body<'a> {
    fn new(
        text: &'a str,
        words: &'a [Token<'a>],
        prefix: &'a str,
        keyword: usize,
        open: usize,
        close: usize,
    ) -> Self {
        let arrow = (keyword..open).find(|&at| words[at].text == "-" && words[at + 1].text == ">");
        let result = arrow.map(|at| text[words[at + 1].place().end..words[open].at].trim());
        let returns = (open..close).filter(|&at| words[at].text == "return");
        let is_last = |&at: &usize| {
            words[at].depth == words[open].depth + 1 && statement_end(words, at) == Some(close)
        };
        let returns_amid = !returns.clone().all(|at| is_last(&at));
        let result_type = format!("{prefix}{keyword}result");
        Self { text, words, prefix, result, result_type, returns_amid }
    }

    fn write(&self, open: usize, close: usize) -> Option<String> {
        let around = Around { in_loop: false, broken: None };
        let (statements, _) = self.statements(open + 1..close, around)?;
        let n = self.prefix;
        Some(match (self.returns_amid, self.result) {
            (false, _) => format!("{{ {statements}}}"),
            (true, None) => format!("{{ var {n}returned = false; {statements}}}"),
            (true, Some(_)) => format!(
                "{{ var {n}result: {}; var {n}returned = false; {statements}return {n}result; }}",
                self.result_type
            ),
        })
    }

    /// Writes statements. After one that may have been left, the rest stands in an `if`: as a whole
    /// where it declares something, else each statement by itself, for naga nests no braces deeper
    /// than 127.
    fn statements(&self, all: Range<usize>, around: Around<'_>) -> Option<(String, Left)> {
        let (mut out, mut left, mut ifs) = (String::new(), Left::default(), 0);
        // The ways by which statements were left since the last `if` was opened around the rest.
        let mut since = Left::default();
        let mut at = all.start;
        while at < all.end {
            let flags = self.flags(since, around);
            let is_whole = !flags.is_empty() && self.declares(at..all.end);
            if !flags.is_empty() {
                let _ = write!(out, "if !({flags}) {{ ");
            }
            if is_whole {
                ifs += 1;
                since = Left::default();
            }
            let (left_here, next) = self.statement(at, around, &mut out)?;
            if !flags.is_empty() && !is_whole {
                out.push_str("} ");
            }
            left |= left_here;
            since |= left_here;
            at = next;
        }
        out.push_str(&"} ".repeat(ifs));
        Some((out, left))
    }

    /// Returns the condition by which statements were left.
    fn flags(&self, left: Left, around: Around<'_>) -> String {
        let returned = left.by_return.then(|| format!("{}returned", self.prefix));
        let broken = left.by_break.then(|| around.broken.unwrap_or_default().to_owned());
        returned.into_iter().chain(broken).collect::<Vec<_>>().join(" | ")
    }

    /// Returns true if one of these statements declares a name for those behind it.
    fn declares(&self, rest: Range<usize>) -> bool {
        let own = self.words[rest.start].depth;
        let declares = |word: &Token<'_>| matches!(word.text, "let" | "var" | "const");
        self.words[rest].iter().any(|word| word.depth == own && declares(word))
    }

    /// Writes the statement that begins at a word; returns how it may be left, and the next word
    /// after it.
    fn statement(&self, at: usize, around: Around<'_>, out: &mut String) -> Option<(Left, usize)> {
        match self.words[at].text {
            "{" => self.block(at, around, out),
            "if" => self.conditional(at, around, out),
            "switch" => self.switch(at, around, out),
            "loop" | "for" | "while" => self.repeated(at, around, out),
            "continuing" => {
                out.push_str("continuing ");
                let inside = Around { in_loop: true, broken: None };
                self.block(opening(self.words, at)?, inside, out)
            }
            "return" if self.returns_amid => {
                let end = statement_end(self.words, at)?;
                let n = self.prefix;
                if self.result.is_some() {
                    let _ = write!(out, "{n}result = {}; ", self.copy(at + 1..end - 1));
                }
                let leave = if around.in_loop { "break; " } else { "" };
                let _ = write!(out, "{n}returned = true; {leave}");
                Some((Left { by_return: !around.in_loop, ..Left::default() }, end))
            }
            "break" if around.broken.is_some() => {
                let _ = write!(out, "{} = true; ", around.broken?);
                Some((Left { by_break: true, ..Left::default() }, statement_end(self.words, at)?))
            }
            "@" => None,
            _ => {
                let end = statement_end(self.words, at)?;
                let _ = write!(out, "{} ", self.copy(at..end));
                Some((Left::default(), end))
            }
        }
    }

    fn copy(&self, range: Range<usize>) -> &'a str {
        if range.is_empty() {
            ""
        } else {
            &self.text[self.words[range.start].at..self.words[range.end - 1].place().end]
        }
    }

    fn block(&self, open: usize, around: Around<'_>, out: &mut String) -> Option<(Left, usize)> {
        let close = closing(self.words, open)?;
        let (statements, left) = self.statements(open + 1..close, around)?;
        let _ = write!(out, "{{ {statements}}} ");
        Some((left, close + 1))
    }

    /// Writes an `if`, with a second one of the opposite condition in place of an `else`. The
    /// variable is the opposite, for naga takes no `let` whose value is a local `const`.
    fn conditional(
        &self,
        keyword: usize,
        around: Around<'_>,
        out: &mut String,
    ) -> Option<(Left, usize)> {
        let open = opening(self.words, keyword)?;
        let condition = self.copy(keyword + 1..open);
        let close = closing(self.words, open)?;
        if self.words.get(close + 1)?.text != "else" {
            let _ = write!(out, "if {condition} ");
            return self.block(open, around, out);
        }
        let name = format!("{}{keyword}", self.prefix);
        let _ = write!(out, "let {name} = !({condition}); if !{name} ");
        let (mut left, _) = self.block(open, around, out)?;
        let otherwise = close + 2;
        let _ = write!(out, "if {name} ");
        let (left_otherwise, end) = match self.words[otherwise].text {
            "{" => self.block(otherwise, around, out)?,
            _ => {
                out.push_str("{ ");
                let both = self.conditional(otherwise, around, out)?;
                out.push_str("} ");
                both
            }
        };
        left |= left_otherwise;
        Some((left, end))
    }

    fn repeated(
        &self,
        keyword: usize,
        around: Around<'_>,
        out: &mut String,
    ) -> Option<(Left, usize)> {
        let open = opening(self.words, keyword)?;
        let _ = write!(out, "{} ", self.copy(keyword..open));
        let inside = Around { in_loop: true, broken: None };
        let (_, end) = self.block(open, inside, out)?;
        let returns = (open..end).any(|at| self.words[at].text == "return");
        if returns && around.in_loop {
            let _ = write!(out, "if {}returned {{ break; }} ", self.prefix);
        }
        Some((Left { by_return: returns && !around.in_loop, by_break: false }, end))
    }

    fn switch(
        &self,
        keyword: usize,
        around: Around<'_>,
        out: &mut String,
    ) -> Option<(Left, usize)> {
        let (words, open) = (self.words, opening(self.words, keyword)?);
        let close = closing(words, open)?;
        let [value, flag] =
            ["", "broken"].map(|suffix| format!("{}{keyword}{suffix}", self.prefix));
        let inside = Around { broken: Some(&flag), ..around };
        let clauses = self.clauses(open + 1..close)?;
        let others: Vec<&str> = clauses.iter().flat_map(|clause| &clause.values).copied().collect();
        let selector = self.copy(keyword + 1..open);
        // A constant selector without a type takes that of the cases.
        let _ = match others.first() {
            Some(other) => write!(out, "let {value} = ({selector}) ^ ({other}) ^ ({other}); "),
            None => write!(out, "_ = {selector}; "),
        };
        if (open..close).any(|at| words[at].text == "break") {
            let _ = write!(out, "var {flag} = false; ");
        }
        // The default is taken where no value is the selector. Compilers go through this chain by
        // recursion; a call has at most 85 cases, by their weight.
        let mut left = Left::default();
        for Clause { open, values, is_default } in &clauses {
            let (not, values) = if *is_default {
                ("!", others.iter().filter(|&value| !values.contains(value)).collect())
            } else {
                ("", values.iter().collect::<Vec<_>>())
            };
            let equal: Vec<String> =
                values.iter().map(|other| format!("({value} == ({other}))")).collect();
            if !equal.is_empty() {
                let _ = write!(out, "if {not}({}) ", equal.join(" | "));
            }
            let (left_here, _) = self.block(*open, inside, out)?;
            left |= left_here;
        }
        Some((Left { by_break: false, ..left }, close + 1))
    }

    fn clauses(&self, all: Range<usize>) -> Option<Vec<Clause<'a>>> {
        let (words, mut clauses, mut at) = (self.words, Vec::new(), all.start);
        while at < all.end {
            let open = opening(words, at)?;
            let mut clause = Clause { open, values: Vec::new(), is_default: false };
            let colon = usize::from(words[open - 1].text == ":");
            match words[at].text {
                "default" => clause.is_default = true,
                "case" => {
                    for label in tokens::split(words, at + 1..open - colon) {
                        match self.copy(label) {
                            "default" => clause.is_default = true,
                            value => clause.values.push(value),
                        }
                    }
                }
                _ => return None,
            }
            at = closing(words, open)? + 1;
            clauses.push(clause);
        }
        Some(clauses)
    }
}

/// A clause of a switch.
struct Clause<'a> {
    open: usize,
    /// The texts of the values, except `default`.
    values: Vec<&'a str>,
    is_default: bool,
}

/// Returns the next opening brace after a word. Expressions have no braces.
fn opening(words: &[Token<'_>], from: usize) -> Option<usize> {
    (from..words.len()).find(|&at| words[at].text == "{")
}

fn closing(words: &[Token<'_>], open: usize) -> Option<usize> {
    let depth = words[open].depth;
    (open..words.len()).find(|&at| words[at].text == "}" && words[at].depth == depth)
}

/// Returns the word after the semicolon that ends a statement without braces.
fn statement_end(words: &[Token<'_>], at: usize) -> Option<usize> {
    (at..words.len()).find(|&at| words[at].text == ";").map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ifs(text: &str) -> String {
        as_ifs(&format!("fn f(i: u32) -> u32 {{ {text} }}"), "n_").unwrap()
    }

    #[test]
    fn an_else_asks_for_the_contrary() {
        assert_eq!(
            ifs("var s = 0u; if i > 1u { s = 1u; } else if b { s = 2u; } else { } return s;"),
            "fn f(i: u32) -> u32 { var s = 0u; let n_16 = !(i > 1u); if !n_16 { s = 1u; } \
             if n_16 { let n_27 = !(b); if !n_27 { s = 2u; } if n_27 { } } return s; }"
        );
    }

    #[test]
    fn cases_become_ifs() {
        assert_eq!(
            ifs("switch i { case 1u, 2u: { a(); } case N { break; } default { b(); } } return 0u;"),
            "fn f(i: u32) -> u32 { let n_11 = (i) ^ (1u) ^ (1u); var n_11broken = false; \
             if ((n_11 == (1u)) | (n_11 == (2u))) { a(); } if ((n_11 == (N))) { n_11broken = true; } \
             if !((n_11 == (1u)) | (n_11 == (2u)) | (n_11 == (N))) { b(); } return 0u; }"
        );
        assert_eq!(
            ifs("switch i { case 0, default { } } return 0u;"),
            "fn f(i: u32) -> u32 { let n_11 = (i) ^ (0) ^ (0); { } return 0u; }"
        );
    }

    #[test]
    fn what_is_written_is_valid() {
        let text = "fn g(x: f32) -> f32 { if x > 1.0 { return 0.5; } return x; }
            fn f(x: f32) -> f32 {
                var s = x;
                loop {
                    if s > 1.0 && s < 2.0 { s = g(s); } else if s > 9.0 || s < 3.0 { return s; } else { s = 1.0; }
                    switch i32(s) { case 1, 2 { if s > 1.5 { break; } s = 2.0; } default { continue; } }
                    for (var k = 0; k < 4; k++) { while g(s) > 0.5 { if s == 2.5 { return 3.0; } s -= 1.0; } }
                    continuing { s += 1.0; break if s > 100.0; }
                }
                if s > 1.0 { return 1.0; } else { return 2.0; }
            }";
        let compiled = crate::graph::function::source::check(text).unwrap().wgsl;
        for word in ["else", "switch", "&&", "||"] {
            assert!(!compiled.contains(word), "{word} in {compiled}");
        }
        assert_eq!(compiled.matches("return ").count(), 2, "{compiled}");
    }

    #[test]
    fn what_follows_a_return_runs_where_it_was_not_taken() {
        assert_eq!(
            ifs("if i > 1u { return 1u; } let x = 2u; return x;"),
            "fn f(i: u32) -> u32 { var n_result: n_0result; var n_returned = false; \
             if i > 1u { n_result = 1u; n_returned = true; } if !(n_returned) { let x = 2u; \
             n_result = x; n_returned = true; } return n_result; } alias n_0result = u32;"
        );
        let many =
            ifs(&"if i == 1u { return 1u; } ".repeat(300).replace("return 1u;", "return 2u;"));
        assert_eq!(many.matches("if !(n_returned) { if i == 1u {").count(), 299);
        let nested = ifs("loop { loop { return 1u; } s++; } return 2u;");
        assert!(
            nested.contains("n_returned = true; break; } if n_returned { break; } s++; } if !(")
        );
    }
}
