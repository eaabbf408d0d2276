//! Arguments that are given by name, as NumPy's functions take them under `--numpy`.

use crate::lower::state::Lowering;
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::parser::{Kind, NodeId};

/// The arguments of a call: those by position, and those by name.
pub(crate) struct Arguments<'a> {
    pub(crate) by_position: &'a [NodeId],
    by_name: Vec<Keyword<'a>>,
}

struct Keyword<'a> {
    id: NodeId,
    name: &'a str,
    value: NodeId,
}

impl<'a> Arguments<'a> {
    /// Takes the arguments of a call apart, whose function takes those of `names` by name.
    pub(crate) fn of(
        lowering: &Lowering<'a>,
        function: &str,
        args: &'a [NodeId],
        names: &[&str],
    ) -> Result<Self> {
        let first = args.iter().position(|&id| lowering.is_keyword(id)).unwrap_or(args.len());
        let (by_position, rest) = args.split_at(first);
        let mut by_name: Vec<Keyword<'a>> = Vec::with_capacity(rest.len());
        for &id in rest {
            let node = lowering.node(id);
            let Kind::Keyword(value) = node.kind else {
                let message = "an argument by position stands behind one by name";
                return Err(Diagnostic::at(node.span.clone(), message));
            };
            let name = lowering.text(&node.at);
            let wrong = |message: String| Err(Diagnostic::at(node.at.clone(), message));
            if by_name.iter().any(|other| other.name == name) {
                return wrong(format!("`{name}` is given twice"));
            }
            if !names.contains(&name) {
                let known = names.join("`, `");
                return wrong(format!("{function} takes no `{name}`"))
                    .map_err(|error| error.help(format!("by name it takes `{known}`")));
            }
            by_name.push(Keyword { id, name, value });
        }
        Ok(Self { by_position, by_name })
    }

    /// Returns the value of a name.
    pub(crate) fn named(&self, name: &str) -> Option<NodeId> {
        self.by_name.iter().find(|keyword| keyword.name == name).map(|keyword| keyword.value)
    }

    /// Returns the values of an argument by position or by this name, which is given once at most.
    pub(crate) fn listed(
        &self,
        lowering: &Lowering<'_>,
        list: &[NodeId],
        name: &str,
    ) -> Result<Vec<NodeId>> {
        match self.by_name.iter().find(|keyword| keyword.name == name) {
            Some(keyword) if !list.is_empty() => Err(Diagnostic::at(
                lowering.node(keyword.id).at.clone(),
                format!("`{name}` is given twice"),
            )),
            Some(keyword) => Ok(vec![keyword.value]),
            None => Ok(list.to_vec()),
        }
    }
}

impl Lowering<'_> {
    /// Returns whether an argument is given by name.
    pub(crate) fn is_keyword(&self, id: NodeId) -> bool {
        matches!(self.node(id).kind, Kind::Keyword(_))
    }

    /// Refuses arguments by name, for functions that take none.
    pub(crate) fn refuse_keywords(&self, function: &str, args: &[NodeId]) -> Result<()> {
        let Some(&id) = args.iter().find(|&&id| self.is_keyword(id)) else { return Ok(()) };
        let at = self.node(id).at.clone();
        let error = Diagnostic::at(at, format!("{function} takes no arguments by name"));
        let name = self.text(&self.node(id).at);
        Err(if ["axis", "keepdims", "dtype", "ddof"].contains(&name) {
            error.help(format!(
                "`--numpy` gives reductions NumPy's arguments, such as `{name}`; without it the dimensions are a list, as in `reduce_sum(x, [0])`"
            ))
        } else {
            error.help(
                "write `==` to compare; a name stands at the beginning, as in `y = x + 1; y * y`",
            )
        })
    }
}
