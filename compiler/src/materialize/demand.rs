//! Finds which elements of which nodes a kernel needs: it works down from the node that the kernel
//! computes, and lists every other node at each index at which it is used.
//!
//! It also finds the reshapes for which no affine index exists, the nodes that would be computed
//! more than once, and whether storing those costs less.

use std::rc::Rc;

use crate::cost;
use crate::kernel::load::{ArrayId, Load, LoadSource, leaves};
use crate::limits::Caps;
use crate::materialize::affine::{AffineIndex, NodeIndex, NotAffine};
use crate::materialize::analysis::{Analysis, NodeDims};
use crate::materialize::axes::Axes;
use crate::materialize::conditions::{ConditionId, Conditions};
use crate::materialize::descending::Descending;
use crate::materialize::rows::are_rows;
use crate::normalize::normalized::{Attribute, Input, Reduction};
use indim_core::graph::computation::NodeId;
use indim_core::graph::function::body::Call;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::view::{DimIndex, View};

/// The outcome of an attempt to make a kernel of a node.
pub(crate) enum Lowering<T> {
    /// The finished kernel.
    Done(T),
    /// The kernel needs these axes instead.
    Refine(Axes),
    /// These nodes must or should be stored first: a reshape without an affine index, and nodes
    /// that would be computed too often.
    Materialize(Vec<NodeId>),
}

impl<T> Lowering<T> {
    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Lowering<U> {
        match self {
            Self::Done(kernel) => Lowering::Done(f(kernel)),
            Self::Refine(axes) => Lowering::Refine(axes),
            Self::Materialize(nodes) => Lowering::Materialize(nodes),
        }
    }
}

/// A node at one index at which it is used.
#[derive(Debug)]
pub(crate) struct IndexedNode {
    pub(crate) node: NodeId,
    index: Rc<NodeIndex>,
    /// The numbers of its operands' uses; empty for a load.
    pub(crate) operands: Vec<usize>,
    /// The load, if the value is loaded; `None` if it is computed or a constant.
    pub(crate) load: Option<Load>,
    /// Where the value is needed, if it depends on a function with loops; `None` is everywhere.
    pub(crate) condition: Option<ConditionId>,
}

/// The nodes of one kernel, each at every index at which it is used.
#[derive(Debug)]
pub(crate) struct Demand {
    pub(crate) uses: Vec<IndexedNode>,
    /// The numbers of the uses that are asked for.
    pub(crate) roots: Vec<usize>,
    /// The sizes of the iteration space.
    pub(crate) axes: Vec<usize>,
    /// The conditions of the uses.
    pub(crate) conditions: Conditions,
    /// The uses that are reductions at the position that the kernel stores, or, if they have an
    /// operand, of the rows in which it stores or folds, in the order in which they were found; all
    /// reduce the same dimensions of one shape.
    pub(crate) folds: Vec<usize>,
}

impl Demand {
    /// Returns true if its reductions are those of the rows of its space.
    pub(crate) fn has_rows(&self) -> bool {
        self.folds.iter().any(|&fold| !self.uses[fold].operands.is_empty())
    }
}

/// Tries to find what the kernel of `root` needs over these axes, with no more than `caps` allow.
pub(crate) fn demand(
    analysis: &Analysis<'_>,
    root: NodeId,
    axes: Axes,
    caps: Caps,
) -> Lowering<Demand> {
    let dims = analysis.dims(axes.node);
    let index = Rc::new(NodeIndex::of_axes(root, dims, &axes));
    let mut descent = Descent::new(analysis, root, &axes, caps);
    if axes.misfit.is_none() {
        descent.place = Some((dims.shape, Rc::clone(&index)));
        descent.rows = Some((axes.node, dims.shape, Rc::clone(&index)));
    }
    let condition = descent.asked();
    let number = descent.number(axes.node, index, condition);
    match (descent.run(), axes.misfit) {
        (Ok(()), _) if descent.worth_storing.is_empty() => {
            Lowering::Done(descent.demand(vec![number]))
        }
        (Ok(()), _) => Lowering::Materialize(descent.worth_storing),
        (Err(NotAffine::Split { axis, inner }), _) => Lowering::Refine(axes.split(axis, inner)),
        (Err(NotAffine::Reshape(reshape)), None) => {
            Lowering::Refine(Axes::flat(analysis, root, reshape))
        }
        (Err(NotAffine::Reshape(_)), Some(misfit)) => Lowering::Materialize(vec![misfit]),
    }
}

/// Tries to find what reductions of a kernel combine: their operands over the axes of the shape that
/// they reduce, all of them along the same dimensions.
pub(crate) fn demand_of_folds(
    analysis: &Analysis<'_>,
    folds: &[NodeId],
    axes: Axes,
    caps: Caps,
) -> Lowering<Demand> {
    let first = folds[0];
    let domain = analysis.computation.instructions[first].domain();
    let varies = vec![true; domain.rank()];
    let index = NodeIndex::of_axes(first, NodeDims { shape: domain, varies: &varies }, &axes);
    let index = Rc::new(index);
    let mut descent = Descent::new(analysis, first, &axes, caps);
    descent.rows = Some((first, domain, Rc::clone(&index)));
    let mut start = || {
        let mut roots = Vec::with_capacity(folds.len());
        for &fold in folds {
            let input = &analysis.computation.instructions[fold].inputs[0];
            let operand = analysis.dims(input.node);
            let at = index.through(&input.view, (fold, domain), operand, &descent.axes)?;
            roots.push(descent.number(input.node, at, None));
        }
        descent.run()?;
        Ok(roots)
    };
    let started = start();
    // A fold is a loop, in which such calls would take long to compile.
    let instructions = &analysis.computation.instructions;
    let is_long = |used: &IndexedNode| {
        used.load.is_none() && instructions[used.node].call().is_some_and(cost::is_long)
    };
    if started.is_ok() && descent.uses.iter().any(is_long) {
        let operands = folds.iter().map(|&fold| instructions[fold].inputs[0].node);
        let computed = operands.filter(|&operand| !analysis.is_leaf(operand));
        return Lowering::Materialize(computed.collect());
    }
    match started {
        Ok(roots) if descent.worth_storing.is_empty() => Lowering::Done(descent.demand(roots)),
        Ok(_) => Lowering::Materialize(descent.worth_storing),
        Err(NotAffine::Split { axis, inner }) => Lowering::Refine(axes.split(axis, inner)),
        Err(NotAffine::Reshape(reshape)) => Lowering::Materialize(vec![reshape]),
    }
}

/// The state of one traversal from a kernel's node down.
struct Descent<'a> {
    analysis: &'a Analysis<'a>,
    root: NodeId,
    axes: Vec<usize>,
    /// True if the axes are the sizes of what is written, dimension by dimension.
    is_plain: bool,
    caps: Caps,
    uses: Vec<IndexedNode>,
    /// The uses yet to be visited, by node.
    open: Descending<Open>,
    /// The weight of the operations so far.
    ops: usize,
    /// The weight of the loads so far.
    loads: usize,
    /// Nodes used at more indices than any node that uses them, with the number of used elements.
    shared: Vec<(NodeId, u64)>,
    /// The same for operations on indices alone, which are stored only if nothing else helps.
    counting: Vec<NodeId>,
    worth_storing: Vec<NodeId>,
    conditions: Conditions,
    /// The shape of what is stored, and its index: where a reduction of that shape may be folded.
    place: Option<(&'a Shape, Rc<NodeIndex>)>,
    /// The shape of the space, and a node that has it, with its index: where rows of that shape may be
    /// folded in a pass before.
    rows: Option<(NodeId, &'a Shape, Rc<NodeIndex>)>,
    folds: Vec<usize>,
    has_loops: bool,
}

/// A node that is used and not yet visited.
#[derive(Default)]
struct Open {
    uses: Vec<usize>,
    /// The largest number of indices at which any of its users is used.
    users: usize,
}

impl<'a> Descent<'a> {
    fn new(analysis: &'a Analysis<'a>, root: NodeId, axes: &Axes, caps: Caps) -> Self {
        Self {
            analysis,
            root,
            axes: axes.sizes(),
            is_plain: axes.is_plain,
            caps,
            uses: Vec::new(),
            open: Descending::default(),
            ops: 0,
            loads: 0,
            shared: Vec::new(),
            counting: Vec::new(),
            worth_storing: Vec::new(),
            conditions: Conditions::default(),
            place: None,
            rows: None,
            folds: Vec::new(),
            has_loops: false,
        }
    }

    fn demand(self, roots: Vec<usize>) -> Demand {
        let Self { uses, axes, conditions, folds, .. } = self;
        Demand { uses, roots, axes, conditions, folds }
    }

    /// Returns the number of the use of a node at an index.
    fn number(
        &mut self,
        node: NodeId,
        index: Rc<NodeIndex>,
        condition: Option<ConditionId>,
    ) -> usize {
        let numbers = &mut self.open.of(node).uses;
        let same = |&&number: &&usize| {
            let known = &self.uses[number].index;
            Rc::ptr_eq(known, &index) || known.is_same(&index)
        };
        if let Some(&number) = numbers.iter().find(same) {
            let known = &mut self.uses[number].condition;
            *known = self.conditions.either(*known, condition);
            return number;
        }
        let number = self.uses.len();
        numbers.push(number);
        self.uses.push(IndexedNode { node, index, operands: Vec::new(), load: None, condition });
        number
    }

    /// Visits the nodes from the last one on: operands have lower numbers than their users, so all
    /// uses of a node are known when its turn comes.
    fn run(&mut self) -> Result<(), NotAffine> {
        while let Some((node, Open { uses: numbers, users })) = self.open.take_last() {
            let instruction = &self.analysis.computation.instructions[node];
            let is_retyped = instruction.bitcast_operand().is_some();
            if self.analysis.is_leaf(node) || self.is_stored(node) || is_retyped {
                let is_constant = matches!(instruction.attribute, Attribute::Constant { .. });
                self.loads += if is_constant { 0 } else { cost::load_weight(numbers.len()) };
                for number in numbers {
                    self.uses[number].load = self.load(number)?;
                }
                if self.loads > self.caps.loads && self.store_shared() {
                    return Ok(());
                }
                continue;
            }
            if let Some(reduction) = instruction.reduction() {
                match numbers[..] {
                    [number] if self.may_fold(number) => self.folds.push(number),
                    [number] if self.is_of_row(number, reduction)? => self.fold_row(number)?,
                    _ => self.worth_storing.push(node),
                }
                continue;
            }
            self.has_loops |= instruction.call().is_some_and(Call::has_loops);
            // A view costs nothing: its operand is counted instead, at as many indices.
            let is_view = instruction.is_view();
            if numbers.len() > 1 && !is_view {
                let used = self.elements(&numbers);
                if self.analysis.pays_to_store(node, used) {
                    self.worth_storing.push(node);
                    continue;
                }
                if numbers.len() > users {
                    if self.counts_up(node) {
                        self.counting.push(node);
                    } else {
                        self.shared.push((node, used));
                    }
                }
            }
            // The weight is clamped, so that a kernel of one operation always fits.
            let weight = self.analysis.cost(node).weight.min(self.caps.ops);
            self.ops += if is_view { 0 } else { numbers.len() * weight };
            if self.ops > self.caps.ops && self.store_shared() {
                return Ok(());
            }
            let users = if is_view { users } else { numbers.len() };
            for number in numbers {
                self.use_operands(number, users)?;
            }
        }
        Ok(())
    }

    /// Returns true if a use is a reduction that this kernel can fold: at the position that it
    /// stores, and along the dimensions of the others.
    fn may_fold(&self, number: usize) -> bool {
        let IndexedNode { node, index, .. } = &self.uses[number];
        let instructions = &self.analysis.computation.instructions;
        let is_at_place = self.place.as_ref().is_some_and(|(shape, place)| {
            let is_own = || index.is_same(&place.at(self.analysis.dims(*node)));
            **shape == instructions[*node].shape && is_own()
        });
        let alike = |other: usize| {
            let [own, other] = [*node, self.uses[other].node].map(|n| instructions[n].reduction());
            let space = |r: Option<&'a Reduction>| r.map(|r| (&r.domain, &r.reduced));
            space(own) == space(other)
        };
        is_at_place && !self.has_loops && self.folds.iter().all(|&other| alike(other))
    }

    /// Returns true if a use is the reduction of the row in which it is used, so that this kernel can
    /// fold it in a pass before, along the dimensions of the others.
    fn is_of_row(&self, number: usize, reduction: &Reduction) -> Result<bool, NotAffine> {
        let Some((node, shape, place)) = &self.rows else { return Ok(false) };
        let is_whole = self.axes.iter().product::<usize>() == elements(shape);
        let instructions = &self.analysis.computation.instructions;
        let alike = |of: Option<&Reduction>| {
            of.is_some_and(|of| of.domain == reduction.domain && of.reduced == reduction.reduced)
        };
        let is_other = |of: &Reduction| of.domain == **shape && !alike(Some(of));
        if **shape != reduction.domain
            || !is_whole
            || self.has_loops
            || !are_rows(reduction, self.analysis.longest_row)
            || instructions[*node].reduction().is_some_and(is_other)
        {
            return Ok(false);
        }
        let IndexedNode { node: fold, index, .. } = &self.uses[number];
        let dims = self.analysis.dims(*fold);
        let kept =
            (0..dims.shape.rank()).map(|dimension| DimIndex { dimension, start: 0, step: 1 });
        let view = View::Strided(kept.collect());
        let own = place.through(&view, (*node, shape), dims, &self.axes)?;
        let others = |&other: &usize| alike(instructions[self.uses[other].node].reduction());
        Ok(index.is_same(&own) && self.folds.iter().all(others))
    }

    /// Folds a reduction in a pass over rows before: its operand is needed at each position.
    fn fold_row(&mut self, number: usize) -> Result<(), NotAffine> {
        let Some((_, shape, place)) = &self.rows else { return Ok(()) };
        let node = self.uses[number].node;
        let input = &self.analysis.computation.instructions[node].inputs[0];
        let operand = self.analysis.dims(input.node);
        let at = place.through(&input.view, (node, shape), operand, &self.axes)?;
        let operand = self.number(input.node, at, None);
        let users = &mut self.open.of(input.node).users;
        *users = (*users).max(1);
        self.uses[number].operands.push(operand);
        self.folds.push(number);
        Ok(())
    }

    /// Returns true if this kernel reads what another one stores of the node.
    fn is_stored(&self, node: NodeId) -> bool {
        self.analysis.materialized[node] && node != self.root
    }

    /// Returns the load of a use; `None` for a constant.
    fn load(&self, number: usize) -> Result<Option<Load>, NotAffine> {
        let IndexedNode { node, index, .. } = &self.uses[number];
        let (dims, is_stored) = (self.analysis.dims(*node), self.is_stored(*node));
        let instructions = &self.analysis.computation.instructions;
        let in_array = |array, shape: Shape| {
            let element = index.in_array(dims, &shape, &self.axes)?;
            Ok((LoadSource::Array(array), shape, element))
        };
        let (source, shape, element) =
            match (&instructions[*node].attribute, instructions[*node].bitcast_operand()) {
                (_, Some(operand)) if !is_stored => {
                    let array = match instructions[operand].attribute {
                        Attribute::Parameter(number) if !self.analysis.materialized[operand] => {
                            ArrayId::Parameter(number)
                        }
                        _ => ArrayId::Stored(operand),
                    };
                    (LoadSource::Array(array), dims.shape.clone(), index.element.clone())
                }
                (Attribute::Constant { .. }, _) => return Ok(None),
                (Attribute::Parameter(number), _) => {
                    in_array(ArrayId::Parameter(*number), dims.shape.clone())?
                }
                (Attribute::Iota(dimension), _) if !is_stored => {
                    let along = index.along(dims.shape, *dimension, &self.axes)?;
                    (LoadSource::Iota, dims.shape.clone(), along)
                }
                (
                    Attribute::Iota(_)
                    | Attribute::Call(_)
                    | Attribute::Reduction(_)
                    | Attribute::None,
                    _,
                ) => in_array(ArrayId::Stored(*node), self.analysis.written_shape(*node))?,
            };
        let mut strides = element.steps;
        strides.resize(self.axes.len(), 0);
        let clamped =
            source != LoadSource::Iota && { leaves(element.offset, &strides, &self.axes, &shape) };
        Ok(Some(Load {
            source,
            element_type: instructions[*node].element_type,
            shape,
            dimensions: index.dimensions.clone().filter(|_| self.is_plain),
            offset: element.offset,
            strides,
            folded: Vec::new(),
            clamped,
            table: false,
        }))
    }

    /// Adds the uses of the operands of a use, whose node counts as used at `indices` indices.
    fn use_operands(&mut self, number: usize, indices: usize) -> Result<(), NotAffine> {
        let node = self.uses[number].node;
        let index = Rc::clone(&self.uses[number].index);
        let instruction = &self.analysis.computation.instructions[node];
        let table = instruction.table();
        if let Some(table) = table {
            self.use_table(number, table);
        }
        for input in &instruction.inputs[usize::from(table.is_some())..] {
            let operand = self.analysis.dims(input.node);
            let user = (node, instruction.domain());
            let at = index.through(&input.view, user, operand, &self.axes)?;
            let condition = self.condition(number, input, &at)?;
            let operand = self.number(input.node, at, condition);
            let users = &mut self.open.of(input.node).users;
            *users = indices.max(*users);
            self.uses[number].operands.push(operand);
        }
        Ok(())
    }

    /// Adds the use of an array that is read at computed positions: none of its elements by itself.
    fn use_table(&mut self, number: usize, node: NodeId) {
        let instruction = &self.analysis.computation.instructions[node];
        let (array, shape) = match instruction.attribute {
            Attribute::Parameter(number) => (ArrayId::Parameter(number), instruction.shape.clone()),
            _ => (ArrayId::Stored(node), self.analysis.written_shape(node)),
        };
        let load = Load {
            source: LoadSource::Array(array),
            element_type: instruction.element_type,
            shape,
            dimensions: None,
            offset: 0,
            strides: vec![0; self.axes.len()],
            folded: Vec::new(),
            // Positions past the end of what is computed may lie outside.
            clamped: true,
            table: true,
        };
        let index = Rc::clone(&self.uses[number].index);
        let (operands, condition) = (Vec::new(), None);
        self.uses.push(IndexedNode { node, index, operands, load: Some(load), condition });
        let table = self.uses.len() - 1;
        self.uses[number].operands.push(table);
        self.loads += 1;
    }

    // ---- where values are asked for ------------------------------------------------------------

    /// Returns the condition that an element of the kernel's node is needed.
    fn asked(&mut self) -> Option<ConditionId> {
        let root = self.root;
        let (shape, written) = (self.analysis.dims(root).shape, self.analysis.written_shape(root));
        let element = AffineIndex::flat(&self.axes);
        self.conditions.asked(self.analysis.asked(root), &element, (shape, &written))
    }

    /// Returns the condition that the operand of a use is needed at this index.
    fn condition(
        &mut self,
        number: usize,
        input: &Input,
        at: &NodeIndex,
    ) -> Result<Option<ConditionId>, NotAffine> {
        let IndexedNode { node, condition, .. } = self.uses[number];
        if !self.analysis.rests_on_loops[input.node] || self.is_stored(input.node) {
            return Ok(None);
        }
        let mut condition = condition;
        let domain = self.analysis.computation.instructions[node].domain();
        let operand = self.analysis.dims(input.node);
        for d in input.view.leaves_along(operand.shape, domain) {
            // Along dimensions in which the value does not vary, it is the same at all indices.
            if operand.varies[d] && !self.axes.contains(&0) {
                let index = at.along(operand.shape, d, &self.axes)?;
                let inside = self.conditions.below(index, operand.shape.dims()[d]);
                condition = self.conditions.both(condition, Some(inside));
            }
        }
        Ok(condition)
    }

    // ---- values that are needed more than once -------------------------------------------------

    /// Returns true if a value is an operation on indices alone: if it were stored, loads of it would
    /// replace those of iotas, which need no memory.
    fn counts_up(&self, node: NodeId) -> bool {
        let instructions = &self.analysis.computation.instructions;
        let inputs = &instructions[node].inputs;
        inputs.iter().all(|input| {
            matches!(
                instructions[input.node].attribute,
                Attribute::Iota(_) | Attribute::Constant { .. }
            )
        })
    }

    /// Returns how many elements of a node these uses need, each use counted separately.
    fn elements(&self, numbers: &[usize]) -> u64 {
        let used = |&number: &usize| {
            let steps = &self.uses[number].index.element.steps;
            let sizes = self.axes.iter().zip(steps).filter(|&(_, &step)| step != 0);
            sizes.map(|(&size, _)| size as u64).fold(1, u64::saturating_mul)
        };
        numbers.iter().map(used).fold(0, u64::saturating_add)
    }

    /// Handles a kernel that passes the cap on operations or on loads: chooses the nodes at which a
    /// value begins to be needed repeatedly, and returns true if there are any. Those of which few
    /// elements are used are chosen only if the cap is passed by far.
    fn store_shared(&mut self) -> bool {
        let by_far = self.ops / FAR > self.caps.ops || self.loads / FAR > self.caps.loads;
        let len = &self.analysis.varying_len;
        let fits = |&&(node, used): &&(NodeId, u64)| by_far || len[node] / SPARSE <= used;
        let chosen = self.shared.iter().filter(fits).map(|&(node, _)| node);
        let chosen: Vec<NodeId> = chosen.filter(|&node| node != self.root).collect();
        let counting = self.counting.iter().copied().filter(|&node| node != self.root);
        let chosen =
            if chosen.is_empty() && self.ops > self.caps.ops { counting.collect() } else { chosen };
        let any = !chosen.is_empty();
        self.worth_storing.extend(chosen);
        any
    }
}

/// Returns the number of elements of a shape.
fn elements(shape: &Shape) -> usize {
    shape.element_count().unwrap_or(usize::MAX)
}

/// A kernel passes a cap by far if its contents are more than this many times the cap.
const FAR: usize = 4;

/// Few elements of a node are used if the node has more than this many times as many.
const SPARSE: u64 = 4;
