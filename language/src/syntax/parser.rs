//! Parses EXPR: turns tokens into a tree of statements.
//!
//! The tree is an arena with children before their parents, and the parser keeps its own stack. So
//! neither a long chain nor deep nesting can overflow the program's stack, here or in code that
//! walks the tree. Symbols and precedence are Python's.

use std::ops::Range;

use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::lexer::{Spanned, Symbol, Token, lex};
use crate::syntax::mask;
use crate::syntax::number::Number;
use crate::syntax::precedence::{ARGUMENT, COMPARE, POWER, PREFIX, level};

/// The nesting limit of brackets, signs and powers.
pub(crate) const MAX_DEPTH: usize = 1_000;

/// The remedy for an EXPR that is nested too deeply.
const NAME_A_PART: &str = "give an inner part a name, as in `t = tanh(x); t * t + t`";

/// The remedy for an EXPR that is too large.
const COMPUTE_A_PART: &str =
    "compute an inner part first, with `-o PART.npy`, and use it as an operand";

/// The index of a node in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(usize);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// A bare number, including its signs.
    Number(Number),
    /// An identifier; its text is the span's.
    Name,
    Unary(Symbol, NodeId),
    Binary(Symbol, NodeId, NodeId),
    /// A call of the function named at `at`.
    Call(Vec<NodeId>),
    /// `[a, b, c]`, accepted by some functions only.
    List(Vec<NodeId>),
    /// `axis=0` in a call, whose name is at `at`; the call's function reads it.
    Keyword(NodeId),
    /// Brackets after an array, at `at`. They are rejected once its shape is known.
    Part(NodeId),
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The range from the first to the last character.
    pub(crate) span: Range<usize>,
    /// Where errors point: the operator, the function's name, or the whole leaf.
    pub(crate) at: Range<usize>,
}

/// An expression, with its optional name.
#[derive(Debug)]
pub(crate) struct Statement {
    /// The range of the name in the text.
    pub(crate) name: Option<Range<usize>>,
    pub(crate) root: NodeId,
    /// The indices of its nodes.
    nodes: Range<usize>,
}

impl Statement {
    /// Returns its nodes, children before their parents.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        self.nodes.clone().map(NodeId)
    }
}

/// A parsed EXPR.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The statements before the last one.
    others: Vec<Statement>,
    last: Statement,
    tokens: usize,
}

impl Tree {
    /// Returns the statements before the last one.
    pub(crate) fn others(&self) -> &[Statement] {
        &self.others
    }

    /// Returns the last statement.
    pub(crate) fn last(&self) -> &Statement {
        &self.last
    }

    /// Returns the number of tokens of the text.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }

    /// Returns the text range of each name that is read as a value.
    pub(crate) fn names(&self) -> impl Iterator<Item = Range<usize>> {
        self.nodes.iter().filter(|node| node.kind == Kind::Name).map(|node| node.at.clone())
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        // Ids are made by `Parser::push` alone and belong to this tree.
        &self.nodes[id.0]
    }

    /// Returns the number of nodes; a [`NodeId`] indexes a list of this length.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// An unfinished construct.
#[derive(Debug)]
enum Frame {
    /// A sign or `~` without its operand yet.
    Prefix(Symbol, Range<usize>),
    /// A binary operator without its right operand yet.
    Infix(Symbol, Range<usize>, NodeId),
    /// An open `(`.
    Group(Range<usize>),
    /// An open call: name, `(` and the arguments so far.
    Call(Range<usize>, Range<usize>, Vec<NodeId>),
    /// The name of an argument without its value yet.
    Keyword(Range<usize>),
    /// An open `[` and its items so far.
    List(Range<usize>, Vec<NodeId>),
}

/// Parses an EXPR. Earlier EXPRs have `before` tokens.
pub(crate) fn parse(text: &str, before: usize) -> Result<Tree> {
    let tokens = lex(text, before, COMPUTE_A_PART)?;
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        nodes: Vec::with_capacity(tokens.len()),
        stack: Vec::new(),
        depth: 0,
    };
    let (mut others, mut last) = (Vec::new(), parser.statement()?);
    // A trailing semicolon is allowed, as in Python.
    while parser.at < tokens.len() {
        others.push(std::mem::replace(&mut last, parser.statement()?));
    }
    Ok(Tree { nodes: parser.nodes, others, last, tokens: tokens.len() })
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Spanned],
    /// The index of the next token.
    at: usize,
    nodes: Vec<Node>,
    stack: Vec<Frame>,
    /// The number of stack frames of the kinds that nest without bound.
    depth: usize,
}

impl Parser<'_> {
    /// Parses a statement and its semicolon, if there is one.
    fn statement(&mut self) -> Result<Statement> {
        let first = self.nodes.len();
        let name = match self.tokens.get(self.at..) {
            Some([name, assign, ..])
                if name.token == Token::Name && assign.token == Token::Assign =>
            {
                self.at += 2;
                Some(name.span.clone())
            }
            _ => None,
        };
        let root = self.expression()?;
        Ok(Statement { name, root, nodes: first..self.nodes.len() })
    }

    /// Parses an expression up to and including a semicolon, or up to the end.
    fn expression(&mut self) -> Result<NodeId> {
        let tokens = self.tokens;
        let mut at = self.at;
        loop {
            // Here a value is expected ...
            let mut value = loop {
                let token = tokens.get(at);
                let next = tokens.get(at + 1).map(|t| &t.token);
                at += 1;
                match token.map(|t| (&t.token, t.span.clone())) {
                    Some((&Token::Number(number), span)) => {
                        break self.leaf(Kind::Number(number), span);
                    }
                    Some((Token::Name, span)) if next == Some(&Token::Open) => {
                        let open = tokens[at].span.clone();
                        at += 1;
                        if let Some(close) = tokens.get(at).filter(|t| t.token == Token::Close) {
                            at += 1;
                            break self.push(
                                Kind::Call(Vec::new()),
                                span.start..close.span.end,
                                span,
                            );
                        }
                        self.open(Frame::Call(span, open.clone(), Vec::new()), open)?;
                    }
                    Some((Token::Name, span)) => break self.leaf(Kind::Name, span),
                    Some((Token::Open, span)) => self.open(Frame::Group(span.clone()), span)?,
                    Some((Token::OpenList, span)) => {
                        if let Some(close) = tokens.get(at).filter(|t| t.token == Token::CloseList)
                        {
                            at += 1;
                            break self.leaf(Kind::List(Vec::new()), span.start..close.span.end);
                        }
                        self.open(Frame::List(span.clone(), Vec::new()), span)?;
                    }
                    Some((
                        &Token::Symbol(sign @ (Symbol::Minus | Symbol::Plus | Symbol::Tilde)),
                        span,
                    )) => {
                        self.open(Frame::Prefix(sign, span.clone()), span)?;
                    }
                    Some((_, span)) => return Err(self.no_value(span)),
                    None => return Err(self.ends()),
                }
            };
            // ... and here an operator, or the end of the innermost open construct.
            loop {
                let Some(Spanned { token, span }) = tokens.get(at) else {
                    self.at = at;
                    let value = self.reduce(value, None);
                    return match self.stack.last() {
                        None => Ok(value),
                        Some(_) => Err(self.unclosed()),
                    };
                };
                at += 1;
                match *token {
                    Token::Symbol(Symbol::Tilde) => return Err(self.no_operator(span.clone())),
                    Token::Symbol(symbol) => {
                        value = self.reduce(value, Some(symbol));
                        if level(symbol) == COMPARE {
                            self.refuse_chain(value, at - 1)?;
                        }
                        let frame = Frame::Infix(symbol, span.clone(), value);
                        if symbol == Symbol::StarStar {
                            self.open(frame, span.clone())?;
                        } else {
                            self.stack.push(frame);
                        }
                        break;
                    }
                    Token::Comma => {
                        let item = self.reduce(value, None);
                        let (items, closes) = match self.stack.last_mut() {
                            Some(Frame::Call(_, _, items)) => (items, Token::Close),
                            Some(Frame::List(_, items)) => (items, Token::CloseList),
                            _ => return Err(self.stray(span.clone())),
                        };
                        items.push(item);
                        // A trailing comma is allowed, as in Python.
                        match tokens.get(at).filter(|t| t.token == closes) {
                            Some(close) => {
                                at += 1;
                                value = self.close(None, close.span.clone())?;
                            }
                            None => break,
                        }
                    }
                    Token::Close | Token::CloseList => {
                        let item = self.reduce(value, None);
                        let fits = match self.stack.last() {
                            Some(Frame::Group(_) | Frame::Call(..)) => *token == Token::Close,
                            Some(Frame::List(..)) => *token == Token::CloseList,
                            _ => false,
                        };
                        if !fits {
                            return Err(self.stray(span.clone()));
                        }
                        value = self.close(Some(item), span.clone())?;
                    }
                    Token::Semicolon => {
                        self.at = at;
                        let value = self.reduce(value, None);
                        return match self.stack.last() {
                            None => Ok(value),
                            Some(_) => Err(self.stray(span.clone())),
                        };
                    }
                    Token::Assign => match self.keyword(value) {
                        Some(name) => {
                            self.stack.push(Frame::Keyword(name));
                            break;
                        }
                        None => return Err(self.no_assignment(span.clone())),
                    },
                    Token::OpenList => match self.end_of_list(at) {
                        Some(end) => {
                            let brackets = span.start..tokens[end].span.end;
                            let all = self.nodes[value.0].span.start..brackets.end;
                            value = self.push(Kind::Part(value), all, brackets);
                            at = end + 1;
                        }
                        None => return Err(self.no_operator(span.clone())),
                    },
                    Token::Number(_) | Token::Name | Token::Open | Token::Colon => {
                        return Err(self.no_operator(span.clone()));
                    }
                }
            }
        }
    }

    /// Takes back a name that is all of an argument so far, and returns its range.
    fn keyword(&mut self, value: NodeId) -> Option<Range<usize>> {
        let is_argument = matches!(self.stack.last(), Some(Frame::Call(..)));
        let node = &self.nodes[value.0];
        let is_bare = node.kind == Kind::Name && node.span == node.at;
        // It is the latest node, as nothing stands behind it.
        if is_argument && is_bare { self.nodes.pop().map(|node| node.at) } else { None }
    }

    /// Returns the index of the token that closes the list open before token `from`.
    fn end_of_list(&self, from: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(from) {
            match token.token {
                Token::OpenList => depth += 1,
                Token::CloseList if depth == 0 => return Some(number),
                Token::CloseList => depth -= 1,
                _ => {}
            }
        }
        None
    }

    fn push(&mut self, kind: Kind, span: Range<usize>, at: Range<usize>) -> NodeId {
        self.nodes.push(Node { kind, span, at });
        NodeId(self.nodes.len() - 1)
    }

    fn leaf(&mut self, kind: Kind, span: Range<usize>) -> NodeId {
        self.push(kind, span.clone(), span)
    }

    /// Begins a construct that can nest without bound.
    fn open(&mut self, frame: Frame, span: Range<usize>) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!(
                "EXPR is nested too deeply: more than {MAX_DEPTH} brackets, signs or powers are open here"
            );
            return Err(Diagnostic::at(span, message).help(NAME_A_PART));
        }
        self.stack.push(frame);
        Ok(())
    }

    /// Finishes the operators on top of the stack that bind tighter than `next`, or all of them.
    fn reduce(&mut self, mut value: NodeId, next: Option<Symbol>) -> NodeId {
        while let Some(frame) = self.stack.pop() {
            let bound = match &frame {
                Frame::Prefix(..) => PREFIX,
                Frame::Infix(symbol, ..) => level(*symbol),
                Frame::Keyword(_) => ARGUMENT,
                Frame::Group(_) | Frame::Call(..) | Frame::List(..) => {
                    self.stack.push(frame);
                    break;
                }
            };
            // Equal operators group from the left, except powers; comparisons do not chain.
            let finish = next.is_none_or(|next| {
                bound > level(next) || (bound == level(next) && bound != POWER && bound != COMPARE)
            });
            match frame {
                Frame::Prefix(sign, at) if finish => {
                    self.depth -= 1;
                    value = self.prefixed(sign, at, value);
                }
                Frame::Infix(symbol, at, lhs) if finish => {
                    self.depth -= usize::from(symbol == Symbol::StarStar);
                    let span = self.nodes[lhs.0].span.start..self.nodes[value.0].span.end;
                    value = self.push(Kind::Binary(symbol, lhs, value), span, at);
                }
                Frame::Keyword(at) if finish => {
                    let span = at.start..self.nodes[value.0].span.end;
                    value = self.push(Kind::Keyword(value), span, at);
                }
                frame => {
                    self.stack.push(frame);
                    break;
                }
            }
        }
        value
    }

    fn prefixed(&mut self, sign: Symbol, at: Range<usize>, operand: NodeId) -> NodeId {
        let node = &mut self.nodes[operand.0];
        let span = at.start..node.span.end;
        match (sign, &mut node.kind) {
            // The sign is part of a bare number, so that -1 is rejected as u32.
            (Symbol::Minus, Kind::Number(number)) => {
                *number = number.negated();
                (node.span, node.at) = (span.clone(), span);
                operand
            }
            (Symbol::Plus, _) => operand,
            _ => self.push(Kind::Unary(sign, operand), span, at),
        }
    }

    /// Ends the bracket on top of the stack.
    fn close(&mut self, last: Option<NodeId>, close: Range<usize>) -> Result<NodeId> {
        self.depth -= 1;
        match (self.stack.pop(), last) {
            (Some(Frame::Group(open)), Some(value)) => {
                self.nodes[value.0].span = open.start..close.end;
                Ok(value)
            }
            (Some(Frame::Call(name, _, mut args)), last) => {
                args.extend(last);
                Ok(self.push(Kind::Call(args), name.start..close.end, name))
            }
            (Some(Frame::List(open, mut items)), last) => {
                items.extend(last);
                Ok(self.leaf(Kind::List(items), open.start..close.end))
            }
            // The caller ensures an open bracket on top of the stack.
            _ => Err(self.stray(close)),
        }
    }

    fn text(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Returns the operand's text for a hint, or `short` if it is long.
    fn quote(&self, id: NodeId, short: &str) -> String {
        let text = self.text(&self.nodes[id.0].span);
        let shown = text.len() <= 24 && !text.contains(char::is_control);
        if shown { text.to_owned() } else { short.to_owned() }
    }

    /// Rejects the compare at this token if the value before it is the operand of another compare.
    fn refuse_chain(&self, value: NodeId, number: usize) -> Result<()> {
        let Some(&Frame::Infix(first, ref at, lhs)) = self.stack.last() else {
            return Ok(());
        };
        if level(first) != COMPARE {
            return Ok(());
        }
        let span = &self.tokens[number].span;
        let error = Diagnostic::at(span.clone(), "comparisons do not chain");
        if let Some(bracketed) = mask::bracketed(self.text, self.tokens, number) {
            let symbol = bracketed.symbol;
            return Err(error.help(format!(
                "`{symbol}` binds tighter than comparisons, as in Python; write `{}`",
                bracketed.text
            )));
        }
        let (a, b) = (self.quote(lhs, "a"), self.quote(value, "b"));
        let c = match self.tokens.get(number + 1) {
            Some(Spanned { token: Token::Name | Token::Number(_), span }) => {
                self.text(span).to_owned()
            }
            _ => "c".to_owned(),
        };
        let (one, two) = (self.text(at), self.text(span));
        Err(error.help(format!(
            "write `({a} {one} {b}) & ({b} {two} {c})`, or put one comparison in parentheses"
        )))
    }

    fn no_value(&self, span: Range<usize>) -> Box<Diagnostic> {
        let found = self.text(&span);
        let error = Diagnostic::at(span.clone(), format!("expected a value, found `{found}`"));
        match found {
            "=" => error.help("write `x = x + 1` to name a value, `==` to compare"),
            "|" => error.help(self.magnitude(&span)),
            _ => error,
        }
    }

    /// Returns the replacement for `|x|`, with the user's operand if it is short.
    fn magnitude(&self, bar: &Range<usize>) -> String {
        let behind = self.text.get(bar.end..).unwrap_or_default();
        let inner = behind.split_once('|').map(|(inner, _)| inner.trim());
        let is_short = |inner: &&str| {
            !inner.is_empty() && inner.len() <= 24 && !inner.contains(char::is_control)
        };
        format!("the magnitude is written `abs({})`", inner.filter(is_short).unwrap_or("x"))
    }

    fn no_assignment(&self, span: Range<usize>) -> Box<Diagnostic> {
        Diagnostic::at(span, "`=` is not an operator here")
            .help("write `==` to compare; a name stands at the beginning, as in `y = x + 1; y * y`")
    }

    fn ends(&self) -> Box<Diagnostic> {
        let end = self.text.trim_end().len();
        if self.tokens.is_empty() {
            return Diagnostic::at(end..end, "EXPR is empty").help("such as `x * 2 + 1`");
        }
        Diagnostic::at(end..end, "expected a value, but EXPR ends here")
    }

    fn no_operator(&self, span: Range<usize>) -> Box<Diagnostic> {
        let found = self.text(&span);
        let error = Diagnostic::at(span.clone(), format!("expected an operator, found `{found}`"));
        match found {
            "and" => {
                error.help("write `&`, with parentheses around comparisons: `(a < b) & (c < d)`")
            }
            "or" => {
                error.help("write `|`, with parentheses around comparisons: `(a < b) | (c < d)`")
            }
            "if" => error.help(self.conditional()),
            _ if self.nodes.last().is_some_and(|node| self.text(&node.at) == "not") => {
                error.help(format!("write `~{found}` for the complement of a pred or integer"))
            }
            _ => error,
        }
    }

    /// Returns the replacement for `x if c else y`, with the user's operands if these make up the
    /// whole EXPR.
    fn conditional(&self) -> String {
        let parts = self.text.split_once(" if ").and_then(|(on_true, rest)| {
            let (pred, on_false) = rest.split_once(" else ")?;
            Some([pred, on_true, on_false].map(str::trim))
        });
        let is_whole = |part: &&str| {
            part.len() <= 24 && !part.is_empty() && !part.contains(['(', ')', ',', ';', '=', '\n'])
        };
        let [pred, on_true, on_false] =
            parts.filter(|parts| parts.iter().all(is_whole)).unwrap_or(["c", "x", "y"]);
        format!("write `select({pred}, {on_true}, {on_false})`")
    }

    fn stray(&self, span: Range<usize>) -> Box<Diagnostic> {
        let found = self.text(&span);
        let message = match self.stack.last() {
            Some(Frame::Group(_) | Frame::Call(..)) => format!("expected `)`, found `{found}`"),
            Some(Frame::List(..)) => format!("expected `]`, found `{found}`"),
            _ => format!("`{found}` closes or separates nothing"),
        };
        let error = Diagnostic::at(span, message);
        match *self.stack {
            [.., Frame::Call(..) | Frame::Keyword(_), Frame::Group(_)] if found == "," => {
                error.help("several dimensions or sizes are a list: `[0, 1]`")
            }
            _ => error,
        }
    }

    fn unclosed(&self) -> Box<Diagnostic> {
        let (span, bracket) = match self.stack.last() {
            Some(Frame::List(open, _)) => (open.clone(), '['),
            Some(Frame::Group(open) | Frame::Call(_, open, _)) => (open.clone(), '('),
            _ => (0..0, '('),
        };
        Diagnostic::at(span, format!("`{bracket}` is never closed"))
    }
}
