//! Results of a command, as far as they are printed.

use std::fmt;

use indim::{ElementType, Literal, Shape, Summary};

use crate::output::result_file::{ResultFile, path_of};
use crate::output::result_names::Results;

/// A result of a command.
pub(crate) struct Labelled {
    /// The label before the result's type.
    pub(crate) label: String,
    pub(crate) array: Printed,
    pub(crate) name: Option<String>,
    /// The file that holds the elements, if any; then they are not printed.
    pub(crate) path: Option<String>,
}

impl Labelled {
    /// Labels the arrays of all results; some of them are in files, and some may be missing.
    pub(crate) fn all(
        results: &Results,
        files: &[ResultFile],
        arrays: impl IntoIterator<Item = Option<Printed>>,
    ) -> Vec<Self> {
        let labelled = |(number, array): (usize, Option<Printed>)| {
            Some(Self {
                label: results.label(number),
                name: results.name(number),
                array: array?,
                path: path_of(files, number),
            })
        };
        arrays.into_iter().enumerate().filter_map(labelled).collect()
    }
}

/// A result that is printed.
#[derive(Debug)]
pub(crate) enum Printed {
    Whole(Literal),
    /// The elements that are shown when it is printed.
    Summary(Summary),
}

impl Printed {
    pub(crate) fn element_type(&self) -> ElementType {
        match self {
            Self::Whole(literal) => literal.element_type(),
            Self::Summary(summary) => summary.element_type(),
        }
    }

    pub(crate) fn shape(&self) -> &Shape {
        match self {
            Self::Whole(literal) => literal.shape(),
            Self::Summary(summary) => summary.shape(),
        }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(literal) => literal.fmt(f),
            Self::Summary(summary) => summary.fmt(f),
        }
    }
}
