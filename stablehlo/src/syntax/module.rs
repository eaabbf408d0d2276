//! A program as it was read: functions, their operations and regions, each kind in one list.

use std::collections::HashMap;
use std::ops::Range;

use crate::syntax::attribute::Attribute;
use crate::syntax::resources::Resources;
use crate::syntax::types::Type;

/// The number of an operation in [`Source::operations`].
pub(crate) type OperationId = usize;

/// The number of a region in [`Source::regions`].
pub(crate) type RegionId = usize;

/// A program.
#[derive(Debug, Default)]
pub(crate) struct Source<'a> {
    pub(crate) functions: Vec<Function<'a>>,
    /// The number of each function, by its name.
    pub(crate) numbers: HashMap<&'a str, usize>,
    pub(crate) regions: Vec<Region<'a>>,
    pub(crate) operations: Vec<Operation<'a>>,
    /// The texts of locations, `loc(...)`, by the names that they are given.
    pub(crate) locations: HashMap<&'a str, &'a str>,
    pub(crate) resources: Resources<'a>,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Range<usize>,
    pub(crate) is_public: bool,
    /// The attribute that names each argument, if any.
    pub(crate) labels: Vec<Option<&'a str>>,
    /// The types of the results, where the function has them, and the attribute that names each.
    pub(crate) results: Option<Vec<(Type<'a>, Option<&'a str>)>>,
    /// The body; `None` of a function that is declared only.
    pub(crate) body: Option<RegionId>,
}

/// The body of a function, or of an operation.
#[derive(Debug, Default)]
pub(crate) struct Region<'a> {
    /// The names and types of the arguments, which are the first values.
    pub(crate) arguments: Vec<(&'a str, Type<'a>)>,
    /// The number of values, of arguments and results.
    pub(crate) values: usize,
    pub(crate) operations: Vec<OperationId>,
}

/// An operation.
#[derive(Debug)]
pub(crate) struct Operation<'a> {
    pub(crate) name: &'a str,
    /// The place of the name.
    pub(crate) span: Range<usize>,
    /// The numbers of the results among the region's values.
    pub(crate) results: Range<usize>,
    pub(crate) operands: Vec<Operand<'a>>,
    pub(crate) attributes: Vec<Named<'a>>,
    pub(crate) regions: Vec<RegionId>,
    pub(crate) types: Types<'a>,
    /// The text of its `loc(...)`, if it has one.
    pub(crate) location: Option<&'a str>,
    /// True if it is not known here and was skipped: only the name and the results are known.
    pub(crate) is_skipped: bool,
}

/// An operand.
#[derive(Debug, Clone)]
pub(crate) struct Operand<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Range<usize>,
    /// The number of regions from the operation's own one outward to the one that has the value.
    pub(crate) depth: usize,
    /// The value's number in that region.
    pub(crate) value: usize,
}

/// An attribute with its name.
#[derive(Debug)]
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Range<usize>,
    pub(crate) value: Attribute<'a>,
}

/// The types after the colon of an operation.
#[derive(Debug, Default)]
pub(crate) enum Types<'a> {
    /// None are written.
    #[default]
    None,
    /// A list: what it says depends on the operation.
    List(Vec<Type<'a>>),
    /// `(operands) -> results`.
    Function(Vec<Type<'a>>, Vec<Type<'a>>),
}

impl<'a> Operation<'a> {
    /// Returns the attribute of this name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&Named<'a>> {
        self.attributes.iter().find(|named| named.name == name)
    }

    /// Returns the operation as errors take it: its name and place.
    pub(crate) fn place(&self) -> (&'a str, Range<usize>) {
        (self.name, self.span.clone())
    }
}
