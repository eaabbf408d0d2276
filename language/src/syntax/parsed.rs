//! A parsed EXPR with its text.

use std::ops::Range;
use std::rc::Rc;

use crate::report::diagnostic::{Result, Source};
use crate::syntax::parser::{Kind, Tree, parse};

/// A parsed EXPR.
#[derive(Debug)]
pub struct Parsed {
    pub(crate) source: Rc<Source>,
    pub(crate) tree: Tree,
}

impl Parsed {
    /// Parses an EXPR. Earlier ones that are lowered with it have `before` tokens.
    pub fn new(source: Rc<Source>, before: usize) -> Result<Self> {
        let tree = parse(&source.text, before).map_err(|error| error.in_source(&source))?;
        Ok(Self { source, tree })
    }

    /// Returns the number of tokens of the text.
    pub fn tokens(&self) -> usize {
        self.tree.tokens()
    }

    /// Returns each name that is read as a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tree.names().filter_map(|span| self.text(&span))
    }

    /// Returns whether it has an operation or a statement, and is more than a name, a number or a
    /// list.
    pub fn computes(&self) -> bool {
        let root = &self.tree.node(self.tree.last().root).kind;
        let is_operation = matches!(root, Kind::Unary(..) | Kind::Binary(..) | Kind::Call(_));
        is_operation || !self.tree.others().is_empty()
    }

    /// Returns a part of the text.
    pub(crate) fn text(&self, span: &Range<usize>) -> Option<&str> {
        self.source.text.get(span.clone())
    }
}
