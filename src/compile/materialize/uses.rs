//! Which elements of which nodes a kernel needs: from the node that it computes downwards, every
//! other one at each [`Position`] in which it is seen.
//!
//! Here it turns out where a reshape does not let positions through, which nodes would be computed
//! more than once, and whether storing them costs less.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use crate::compile::cost::{self, ACCESS, CHEAP, DISPATCH};
use crate::compile::kernel_ir::LoadSource;
use crate::compile::materialize::affine::{Affine, Obstacle, Position, Seen};
use crate::graph::computation::{Computation, NodeId, Payload};
use crate::semantics::shape::Shape;
use crate::semantics::view::{View, blocks};

/// What a kernel's lowering asks about the computation.
pub(crate) struct Facts<'a> {
    pub(crate) computation: &'a Computation,
    /// For each node and dimension, whether the value differs along it.
    pub(crate) varies: Vec<Vec<bool>>,
    /// Number of elements over which a node's value varies.
    pub(crate) own_space: Vec<u64>,
    /// Whether the node is written to a temporary.
    pub(crate) is_cut: Vec<bool>,
}

impl<'a> Facts<'a> {
    /// What an operation counts in its kernel.
    pub(crate) fn weight(&self, node: NodeId) -> usize {
        let instruction = &self.computation.instructions[node];
        // Spelled by its (last) operand's type.
        let of = instruction.inputs.last().map_or(node, |input| input.node);
        cost::kernel_weight(instruction.opcode, self.computation.instructions[of].element_type)
    }

    pub(crate) fn new(computation: &'a Computation, odd: &impl Fn(usize) -> bool) -> Self {
        let instructions = &computation.instructions;
        let mut varies: Vec<Vec<bool>> = Vec::with_capacity(instructions.len());
        let mut own_space = Vec::with_capacity(instructions.len());
        let mut is_cut = vec![false; instructions.len()];
        // What is seen as another type is stored, and whole; also an array in which elements of 64
        // bits would begin in the middle of a word.
        for instruction in instructions {
            let Some(operand) = instruction.bitcast_operand() else { continue };
            is_cut[operand] |= match instructions[operand].payload {
                Payload::Parameter(number) => instruction.element_type.bits() == 64 && odd(number),
                _ => true,
            };
        }
        for (node, instruction) in instructions.iter().enumerate() {
            let shape = &instruction.shape;
            let mut own = vec![false; shape.rank()];
            match instruction.payload {
                Payload::Parameter(_) => own.fill(true),
                Payload::Iota(dimension) => own[dimension] = true,
                Payload::Constant(_) | Payload::None => {}
            }
            for input in &instruction.inputs {
                let operand = &instructions[input.node].shape;
                let along = input.view.varies(operand, &varies[input.node], shape);
                own.iter_mut().zip(along).for_each(|(own, along)| *own |= along);
            }
            if is_cut[node] {
                own.fill(true);
            }
            let mut space = 1u64;
            for (own, &size) in own.iter_mut().zip(shape.dims()) {
                *own &= size != 1;
                space = space.saturating_mul(if *own { size as u64 } else { 1 });
            }
            varies.push(own);
            own_space.push(space);
        }
        Self { computation, varies, own_space, is_cut }
    }

    /// Whether the node is read, not computed: it needs no operation.
    pub(crate) fn is_leaf(&self, node: NodeId) -> bool {
        self.computation.instructions[node].payload != Payload::None
    }

    /// Shape of the array that the kernel of this node writes: of a temporary, 1 where the value
    /// does not vary. An array without elements stays one.
    pub(crate) fn written_shape(&self, node: NodeId) -> Shape {
        let shape = &self.computation.instructions[node].shape;
        if node == self.computation.root {
            return shape.clone();
        }
        let keep = |(&size, &varies): (&usize, &bool)| if varies || size == 0 { size } else { 1 };
        Shape::from(shape.dims().iter().zip(&self.varies[node]).map(keep).collect::<Vec<_>>())
    }

    fn seen(&self, node: NodeId) -> Seen<'_> {
        Seen { shape: &self.computation.instructions[node].shape, varies: &self.varies[node] }
    }
}

/// A node at one position.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) node: NodeId,
    position: Rc<Position>,
    /// The instances of its operands; none for what is read.
    pub(crate) operands: Vec<usize>,
    /// Where it is read from: the source, that one's shape, and the place in it.
    pub(crate) read: Option<(LoadSource, Shape, Affine)>,
}

/// All that a kernel needs.
#[derive(Debug)]
pub(crate) struct Demands {
    pub(crate) instances: Vec<Instance>,
    /// The instance that the kernel's result is.
    pub(crate) root: usize,
    /// Sizes of the iteration space.
    pub(crate) axes: Vec<usize>,
    /// Whether those are the sizes of what is written, dimension by dimension.
    plain: bool,
}

impl Demands {
    /// For each dimension of an instance, the dimension of the space that it becomes.
    pub(crate) fn dimensions(&self, instance: usize) -> Option<Vec<usize>> {
        self.instances[instance].position.dimensions.clone().filter(|_| self.plain)
    }
}

/// What the kernel of `root` needs.
///
/// # Errors
/// The nodes that must be temporaries first, or had better be: a reshape that does not let
/// positions through, and nodes that would be computed too often.
pub(crate) fn demands(facts: &Facts<'_>, root: NodeId, cap: usize) -> Result<Demands, Vec<NodeId>> {
    // The result's own dimensions serve most kernels, and are what a reader expects. Only their
    // order matters, though: a reshape at the root may want other ones.
    let by_dimension = match Space::new(facts, root, false).descend(facts, root, cap) {
        Err(Stop::Reshape(reshape)) => reshape,
        Err(Stop::Cut(nodes)) => return Err(nodes),
        Ok(demands) => return Ok(demands),
    };
    match Space::new(facts, root, true).descend(facts, root, cap) {
        Err(Stop::Reshape(_)) => Err(vec![by_dimension]),
        Err(Stop::Cut(nodes)) => Err(nodes),
        Ok(demands) => Ok(demands),
    }
}

/// A kernel's iteration space, as it is refined for reshapes.
struct Space {
    /// The node that it goes through: the kernel's own, or what that is a reshape of.
    node: NodeId,
    /// Runs of the node's dimensions: how many, and the sizes of the axes that go through them.
    runs: Vec<(usize, Vec<usize>)>,
    /// Whether the whole node is one part.
    one: bool,
    plain: bool,
}

/// Why a kernel cannot be lowered like this.
enum Stop {
    Reshape(NodeId),
    Cut(Vec<NodeId>),
}

impl Space {
    fn new(facts: &Facts<'_>, root: NodeId, one: bool) -> Self {
        let instruction = &facts.computation.instructions[root];
        let written = facts.written_shape(root);
        let kept = |(&full, &written): (&usize, &usize)| full == written;
        let kept: Vec<bool> =
            instruction.shape.dims().iter().zip(written.dims()).map(kept).collect();
        let (node, kept) = match instruction.inputs.as_slice() {
            [input] if input.view == View::Reshape => {
                let operand = &facts.computation.instructions[input.node].shape;
                let mut keeps = vec![false; operand.rank()];
                for (from, to) in blocks(operand.dims(), instruction.shape.dims()) {
                    // Of a run that does not vary, no dimension but those of size 1 is kept.
                    keeps[from].fill(!kept[to].contains(&false));
                }
                (input.node, keeps)
            }
            _ => (root, kept),
        };
        let dims = facts.computation.instructions[node].shape.dims();
        let mut runs: Vec<(usize, Vec<usize>)> = Vec::with_capacity(dims.len());
        let mut before = None;
        for (&size, &kept) in dims.iter().zip(&kept) {
            let size = if kept { size } else { 1 };
            match runs.last_mut() {
                Some((rank, sizes)) if one && before == Some(kept) => {
                    *rank += 1;
                    // The elements of a shape can be counted.
                    sizes[0] = sizes[0].saturating_mul(size);
                }
                _ => runs.push((1, vec![size])),
            }
            before = Some(kept);
        }
        Self { node, runs, one, plain: !one }
    }

    fn descend(mut self, facts: &Facts<'_>, root: NodeId, cap: usize) -> Result<Demands, Stop> {
        // Every split at least halves an axis, so that there are few.
        loop {
            let axes: Vec<usize> =
                self.runs.iter().flat_map(|(_, sizes)| sizes.iter().copied()).collect();
            let seen = facts.seen(self.node);
            let position = Position::of_space(root, seen, &self.runs, self.one);
            let mut descent = Descent::new(facts, root, axes, cap);
            let place = descent.demand(self.node, Rc::new(position));
            match descent.run() {
                Ok(()) if descent.worth_storing.is_empty() => {
                    let Descent { instances, axes, .. } = descent;
                    return Ok(Demands { instances, root: place, axes, plain: self.plain });
                }
                Ok(()) => return Err(Stop::Cut(descent.worth_storing)),
                Err(Obstacle::Reshape(reshape)) => return Err(Stop::Reshape(reshape)),
                Err(Obstacle::Split { axis, inner }) => self.split(axis, inner),
            }
        }
    }

    fn split(&mut self, mut axis: usize, inner: usize) {
        for (_, sizes) in &mut self.runs {
            if let Some(&size) = sizes.get(axis) {
                sizes.splice(axis..=axis, [size / inner.max(1), inner]);
                break;
            }
            axis -= sizes.len();
        }
        self.plain = false;
    }
}

/// One way down from a kernel's node.
struct Descent<'a> {
    facts: &'a Facts<'a>,
    root: NodeId,
    axes: Vec<usize>,
    cap: usize,
    instances: Vec<Instance>,
    /// By node, what is not looked at yet.
    open: BTreeMap<NodeId, Open>,
    /// Operations so far.
    ops: usize,
    /// Nodes at more positions than any node that uses them, with how many elements are seen.
    shared: Vec<(NodeId, u64)>,
    worth_storing: Vec<NodeId>,
}

/// A node that is demanded.
#[derive(Default)]
struct Open {
    instances: Vec<usize>,
    /// The most positions of a node that uses it.
    users: usize,
}

impl<'a> Descent<'a> {
    fn new(facts: &'a Facts<'a>, root: NodeId, axes: Vec<usize>, cap: usize) -> Self {
        Self {
            facts,
            root,
            axes,
            cap,
            instances: Vec::new(),
            open: BTreeMap::new(),
            ops: 0,
            shared: Vec::new(),
            worth_storing: Vec::new(),
        }
    }

    /// The instance of a node at a position.
    fn demand(&mut self, node: NodeId, position: Rc<Position>) -> usize {
        let places = &mut self.open.entry(node).or_default().instances;
        let same = |&&place: &&usize| {
            let known = &self.instances[place].position;
            Rc::ptr_eq(known, &position) || known.element == position.element
        };
        if let Some(&place) = places.iter().find(same) {
            return place;
        }
        let place = self.instances.len();
        places.push(place);
        self.instances.push(Instance { node, position, operands: Vec::new(), read: None });
        place
    }

    /// Operands have lower numbers than what uses them, so that whoever is last has been demanded
    /// by all.
    fn run(&mut self) -> Result<(), Obstacle> {
        while let Some((node, Open { instances: places, users })) = self.open.pop_last() {
            let stored = self.facts.is_cut[node] && node != self.root;
            let retyped = self.facts.computation.instructions[node].bitcast_operand().is_some();
            if self.facts.is_leaf(node) || stored || retyped {
                for place in places {
                    self.instances[place].read = self.read(place)?;
                }
                continue;
            }
            // Of views only what they are of counts, which is seen as often.
            let is_view = self.facts.computation.instructions[node].is_view();
            if places.len() > 1 && !is_view {
                let seen = self.elements(&places);
                if self.pays_to_store(node, seen) {
                    self.worth_storing.push(node);
                    continue;
                }
                if places.len() > users {
                    self.shared.push((node, seen));
                }
            }
            // As where kernels are cut: one of them fits, whatever it weighs.
            let weight = self.facts.weight(node).min(self.cap);
            self.ops += if is_view { 0 } else { places.len() * weight };
            if self.ops > self.cap && self.store_shared() {
                return Ok(());
            }
            let users = if is_view { users } else { places.len() };
            for place in places {
                self.operands(place, users)?;
            }
        }
        Ok(())
    }

    fn read(&self, place: usize) -> Result<Option<(LoadSource, Shape, Affine)>, Obstacle> {
        let Instance { node, position, .. } = &self.instances[place];
        let seen = self.facts.seen(*node);
        let instruction = &self.facts.computation.instructions[*node];
        let stored = self.facts.is_cut[*node] && *node != self.root;
        if let (Some(operand), false) = (instruction.bitcast_operand(), stored) {
            let source = match self.facts.computation.instructions[operand].payload {
                Payload::Parameter(number) if !self.facts.is_cut[operand] => {
                    LoadSource::Parameter(number)
                }
                _ => LoadSource::Stored(operand),
            };
            return Ok(Some((source, seen.shape.clone(), position.element.clone())));
        }
        let (source, shape) = match instruction.payload {
            Payload::Constant(_) => return Ok(None),
            Payload::Parameter(number) => (LoadSource::Parameter(number), seen.shape.clone()),
            Payload::Iota(dimension) if !stored => {
                let index = position.along(seen.shape, dimension, &self.axes)?;
                return Ok(Some((LoadSource::Iota, seen.shape.clone(), index)));
            }
            Payload::Iota(_) | Payload::None => {
                (LoadSource::Stored(*node), self.facts.written_shape(*node))
            }
        };
        let element = position.in_array(seen, &shape, &self.axes)?;
        Ok(Some((source, shape, element)))
    }

    /// Demands the operands of an instance, whose node uses them at so many positions.
    fn operands(&mut self, place: usize, positions: usize) -> Result<(), Obstacle> {
        let node = self.instances[place].node;
        let position = Rc::clone(&self.instances[place].position);
        let instruction = &self.facts.computation.instructions[node];
        for input in &instruction.inputs {
            let operand = self.facts.seen(input.node);
            let user = (node, &instruction.shape);
            let at = position.through(&input.view, user, operand, &self.axes)?;
            let operand = self.demand(input.node, at);
            let users = &mut self.open.entry(input.node).or_default().users;
            *users = positions.max(*users);
            self.instances[place].operands.push(operand);
        }
        Ok(())
    }

    // ---- values that are needed more than once -------------------------------------------------

    /// How many elements of a node are seen at these positions, each counted by itself.
    fn elements(&self, places: &[usize]) -> u64 {
        let seen = |&place: &usize| {
            let steps = &self.instances[place].position.element.steps;
            let sizes = self.axes.iter().zip(steps).filter(|&(_, &step)| step != 0);
            sizes.map(|(&size, _)| size as u64).fold(1, u64::saturating_mul)
        };
        places.iter().map(seen).fold(0, u64::saturating_add)
    }

    /// Whether computing a node's value once and reading it where it is seen, `seen` elements in
    /// all, costs less than computing it there.
    fn pays_to_store(&self, node: NodeId, seen: u64) -> bool {
        let own = self.facts.own_space[node];
        let Some(repeated) = seen.checked_sub(own).filter(|&n| n > 0) else { return false };
        // seen * cost > own * (cost + ACCESS) + seen * ACCESS + DISPATCH
        let traffic = u128::from(own + seen) * u128::from(ACCESS) + u128::from(DISPATCH);
        self.costs_more(node, u64::try_from(traffic / u128::from(repeated)).unwrap_or(u64::MAX))
    }

    /// Whether one element of a node costs more than so much to compute.
    fn costs_more(&self, node: NodeId, most: u64) -> bool {
        let mut sum = 0;
        let mut counted = HashSet::new();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            if !counted.insert(next) {
                continue;
            }
            let instruction = &self.facts.computation.instructions[next];
            sum += match instruction.payload {
                Payload::Constant(_) => 0,
                Payload::Iota(_) => CHEAP,
                Payload::Parameter(_) => ACCESS,
                Payload::None if next != node && self.facts.is_cut[next] => ACCESS,
                Payload::None if instruction.bitcast_operand().is_some() => ACCESS,
                Payload::None => {
                    stack.extend(instruction.inputs.iter().map(|input| input.node));
                    if instruction.is_view() { 0 } else { cost::run_cost(instruction.opcode) }
                }
            };
            if sum > most {
                return true;
            }
        }
        false
    }

    /// The kernel would pass the cap on operations: stores the nodes at which a value begins to be
    /// needed repeatedly, if there are any. Those of which little is seen only if there are far too
    /// many.
    fn store_shared(&mut self) -> bool {
        let far = self.ops / FAR > self.cap;
        let own_space = &self.facts.own_space;
        let fits = |&&(node, seen): &&(NodeId, u64)| far || own_space[node] / SPARSE <= seen;
        let stored = self.shared.iter().filter(fits).map(|&(node, _)| node);
        let stored: Vec<NodeId> = stored.filter(|&node| node != self.root).collect();
        let any = !stored.is_empty();
        self.worth_storing.extend(stored);
        any
    }
}

/// How many times a kernel may pass the cap before nodes are stored of which little is seen: of
/// which so many times more elements are computed than are read.
const FAR: usize = 4;
const SPARSE: u64 = 4;
