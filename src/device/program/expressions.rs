//! Keeps the computations of expressions, so that an expression of the same structure on other arrays
//! and scalars is not made a computation again.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use crate::device::guard::lock::lock;
use crate::device::lru::Lru;
use indim_core::graph::build::node_graph::FunctionCall;
use indim_core::graph::computation::{Computation, NodeId};
use indim_core::graph::known_operand::KnownOperand;
use indim_core::graph::operation::Operation;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;

/// The largest total number of values of kept expressions.
const MAX_VALUES: usize = 1 << 16;

/// An expression counts as at least this many values, so that at most 2,048 are kept.
const MIN_WEIGHT: usize = 32;

/// The structure of an expression: its values, operands first, and the computation made of it.
#[derive(Debug)]
pub(crate) struct KeptExpression {
    pub(crate) values: Vec<KeptValue>,
    /// The numbers of the results among the values.
    pub(crate) roots: Vec<usize>,
    pub(crate) computation: Arc<Computation>,
    /// The instruction of each value.
    pub(crate) ids: Arc<[NodeId]>,
}

/// A value of an expression.
#[derive(Debug)]
pub(crate) struct KeptValue {
    pub(crate) kind: KeptKind<'static>,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
    /// The precision that is requested around it.
    pub(crate) precision: Option<Precision>,
    /// The operands, by their numbers among the values.
    pub(crate) inputs: Vec<u32>,
}

/// What a value is computed by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum KeptKind<'a> {
    /// The array of this number, each array having one.
    Array(usize),
    /// The scalar of this number, each value having one.
    Constant(usize),
    /// An operation that is not a constant.
    Operation(Cow<'a, Operation>),
    /// An operation whose second operand is this constant, one of those that belong to the structure.
    WithKnown(Cow<'a, Operation>, KnownOperand),
    Call(Cow<'a, FunctionCall>),
    /// It is its first operand.
    Same,
}

#[derive(Debug)]
pub(crate) struct ExpressionCache(Mutex<Lru<Arc<KeptExpression>>>);

impl Default for ExpressionCache {
    fn default() -> Self {
        Self(Mutex::new(Lru::new(MAX_VALUES)))
    }
}

impl ExpressionCache {
    /// Returns the expression of this hash, if `is_it` returns true for it.
    pub(crate) fn get(
        &self,
        hash: u64,
        is_it: impl FnOnce(&KeptExpression) -> bool,
    ) -> Option<Arc<KeptExpression>> {
        lock(&self.0).get(hash, |kept| is_it(kept)).cloned()
    }

    pub(crate) fn insert(&self, hash: u64, kept: KeptExpression) {
        let weight = kept.values.len().max(MIN_WEIGHT);
        lock(&self.0).insert(hash, Arc::new(kept), weight);
    }

    /// Drops all.
    pub(crate) fn trim(&self) {
        lock(&self.0).clear();
    }
}
