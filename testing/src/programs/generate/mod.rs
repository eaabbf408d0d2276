//! Makes random programs, from the result's type down: an operation that gives the wanted type is
//! chosen, then types of operands that broadcast to it, and so on to the leaves. Everything is
//! evaluated as it is made, so that operations which would leave nothing to compare are avoided.

mod structured;

use indim::{ElementType, OpClass, Opcode};

use crate::oracle;
use crate::oracle::value::width;
use crate::programs::data;
use crate::programs::interpreter::{self, Tensor};
use crate::programs::program::{Call, Id, Node, Place, Program, Type};
use crate::programs::rules;
use crate::programs::shapes::{self, signed};
use crate::programs::views;
use crate::random::Random;
use crate::xla;
use ElementType::{Bf16, C64, F16, F32, F64, Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64};

/// All types. F32 stands here more often, since more than half of the operations are on it, and so
/// do the types in which others are computed.
const TYPES: &[ElementType] = &[
    Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F16, Bf16, F32, F64, C64, Pred, S32, U32,
    F32, F32, F32,
];
const FLOATS: &[ElementType] = &[F16, Bf16, F32, F32, F64];
/// Weighs the depths, from 0 operations to 6 on the longest way to a leaf.
const DEPTHS: &[usize] = &[2, 4, 5, 6, 6, 6, 6];
const MOST_PARAMETERS: usize = 5;
/// Operations in one program, so that six levels of three operands do not become 700.
const MOST_OPERATIONS: usize = 24;
/// The same in a small program, and elements of its result.
const SMALL_OPERATIONS: usize = 5;
const SMALL_ELEMENTS: usize = 200;
/// Elements before a reduction.
const REDUCED_ELEMENTS: usize = 3_000;
/// Share of dull elements in a result from which on another operation is tried.
const DULL_PERCENT: usize = 20;

/// A program and the results of all its nodes.
pub struct Case {
    pub program: Program,
    pub tensors: Vec<Tensor>,
}

pub fn case(random: &mut Random) -> Case {
    let mut element = random.pick(TYPES);
    let mut dims = shapes::result(random);
    // Now and then many truth values in odd rows, which no windows but ranges can cut.
    if random.percent(4) {
        (element, dims) = (Pred, vec![61 + random.below(9), 67]);
    }
    let depth = random.weighted(DEPTHS);
    case_of(random, &Type { element, dims }, depth, MOST_OPERATIONS)
}

/// Makes a program of few elements and operations, for slow checks.
pub fn small_case(random: &mut Random) -> Case {
    let element = random.pick(TYPES);
    let mut dims = shapes::result(random);
    for place in 0..dims.len() {
        while dims.iter().product::<usize>() > SMALL_ELEMENTS && dims[place] > 1 {
            dims[place] = dims[place].div_ceil(2);
        }
    }
    let depth = random.below(4);
    case_of(random, &Type { element, dims }, depth, SMALL_OPERATIONS)
}

fn case_of(random: &mut Random, ty: &Type, depth: usize, operations: usize) -> Case {
    let mut generator = Generator {
        random,
        case: Case { program: Program::default(), tensors: Vec::new() },
        depths: Vec::new(),
        parameters: 0,
        operations_left: operations,
    };
    let root = generator.value(ty, depth);
    let mut case = generator.case;
    if root + 1 != case.program.nodes.len() {
        // An existing node is the result; later ones are unused.
        case.program.nodes.truncate(root + 1);
        case.tensors.truncate(root + 1);
    }
    case
}

struct Generator<'a> {
    random: &'a mut Random,
    case: Case,
    /// For each node, the number of operations on the longest way from a leaf.
    depths: Vec<usize>,
    parameters: usize,
    operations_left: usize,
}

impl Generator<'_> {
    /// A node of this type, at most `depth` operations deep (one more where a leaf can only be a
    /// broadcast constant).
    fn value(&mut self, ty: &Type, depth: usize) -> Id {
        let existing = self.random.percent(20).then(|| self.existing(ty, depth));
        if let Some(id) = existing.flatten() {
            return id;
        }
        let twin = self.random.percent(50).then(|| self.twin(ty, depth));
        if let Some(id) = twin.flatten() {
            return id;
        }
        if depth == 0 || self.operations_left == 0 || self.random.percent(8) {
            return self.leaf(ty, depth);
        }
        self.operations_left -= 1;
        let float = usize::from(FLOATS.contains(&ty.element));
        let scalar = ty.dims.is_empty();
        let kinds = [
            45,
            22 + 10 * float,
            8,
            4,
            9,
            6,
            if scalar { 1 } else { 8 },
            4,
            if scalar { 1 } else { 28 },
            5 * float,
            4 * float,
            if scalar { 1 } else { 14 },
            12,
            8,
        ];
        match self.random.weighted(&kinds) {
            0 => self.binary(ty, depth - 1),
            1 => self.unary(ty, depth - 1),
            2 => {
                let element = self.random.pick(TYPES);
                let x = self.value(&Type { element, ..ty.clone() }, depth - 1);
                self.push(Call::Convert { x, to: ty.element })
            }
            3 => self.bitcast(ty, depth - 1),
            4 => {
                let [pred, on_true, on_false] =
                    self.one_shape(ty, [Pred, ty.element, ty.element], depth - 1);
                self.push(Call::Select { pred, on_true, on_false })
            }
            5 if xla::accepts(Opcode::Clamp, ty.element) => {
                let [min, x, max] = self.one_shape(ty, [ty.element; 3], depth - 1);
                self.push(Call::Clamp { min, x, max })
            }
            6 => self.broadcast_in_dim(ty, depth - 1),
            8 => self.view(ty, depth - 1),
            9 => {
                let x = self.value(ty, depth - 1);
                self.reduce_precision(x)
            }
            10 => {
                let [from, to] = self.one_shape(ty, [ty.element; 2], depth - 1);
                self.push(Call::NextAfter { from, to })
            }
            11 => self.moved(ty, depth - 1),
            12 if !ty.dims.is_empty() && self.random.percent(40) => self.beside_rows(ty, depth - 1),
            12 => self.reduced(ty, depth - 1),
            13 => self.taken(ty, depth - 1),
            _ => {
                let new = self.random.below(ty.dims.len() + 1);
                let x = self.value(&Type::new(ty.element, &ty.dims[new..]), depth - 1);
                self.push(Call::Broadcast { x, sizes: signed(&ty.dims[..new]) })
            }
        }
    }

    fn push(&mut self, call: Call) -> Id {
        self.push_one_of(vec![call])
    }

    /// Adds the first of these calls, of the same operands, whose result is not dull; now and then
    /// just the first one, so that functions are also called outside their domain.
    fn push_one_of(&mut self, calls: Vec<Call>) -> Id {
        let picky = self.random.percent(85);
        let mut dull = None;
        let mut chosen = None;
        for call in calls {
            let case = &self.case;
            let ty = rules::infer(&call, &|id| case.program.nodes[id].ty.clone())
                .unwrap_or_else(|broken| panic!("the generator broke {broken:?} with {call}"));
            let node = Node { call, ty };
            let tensor = interpreter::apply(&node, &case.tensors);
            if !picky || tensor.dull_percent() <= DULL_PERCENT {
                chosen = Some((node, tensor));
                break;
            }
            dull.get_or_insert((node, tensor));
        }
        let (node, tensor) = chosen.or(dull).expect("at least one call is given");
        let deepest = node.call.operands().iter().map(|&id| self.depths[id] + 1).max();
        self.depths.push(deepest.unwrap_or(0));
        self.case.program.nodes.push(node);
        self.case.tensors.push(tensor);
        self.depths.len() - 1
    }

    /// Some node of this type that is there already.
    fn existing(&mut self, ty: &Type, depth: usize) -> Option<Id> {
        let nodes = &self.case.program.nodes;
        let found: Vec<Id> = (0..nodes.len())
            .filter(|&id| nodes[id].ty == *ty && self.depths[id] <= depth)
            .collect();
        (!found.is_empty()).then(|| self.random.pick(&found))
    }

    /// A call that is there already, on the same operands and with a result of this type, but
    /// with other broadcast dimensions or another view: the only difference between the two.
    fn twin(&mut self, ty: &Type, depth: usize) -> Option<Id> {
        let nodes = &self.case.program.nodes;
        let mut twins = Vec::new();
        for id in (0..nodes.len()).filter(|&id| nodes[id].ty == *ty && self.depths[id] <= depth) {
            for call in views::changed(&nodes[id].call) {
                if rules::infer(&call, &|id| nodes[id].ty.clone()).as_ref() == Ok(ty) {
                    twins.push(call);
                }
            }
            for other in shapes::subsets(ty.dims.len()) {
                let mut call = nodes[id].call.clone();
                match &mut call {
                    Call::Binary { dims, .. } | Call::BroadcastInDim { dims, .. }
                        if dims.len() == other.len() && *dims != signed(&other) =>
                    {
                        *dims = signed(&other);
                    }
                    _ => continue,
                }
                if rules::infer(&call, &|id| nodes[id].ty.clone()).as_ref() == Ok(ty) {
                    twins.push(call);
                }
            }
        }
        if twins.is_empty() {
            return None;
        }
        let call = twins.swap_remove(self.random.below(twins.len()));
        Some(self.push(call))
    }

    /// Some node of this element type that is there already and broadcasts to `out`, below rank
    /// `rank`, and how.
    fn embedded(
        &mut self,
        element: ElementType,
        out: &[usize],
        rank: usize,
        depth: usize,
    ) -> Option<(Id, Vec<usize>)> {
        let nodes = &self.case.program.nodes;
        let mut found: Vec<Id> = (0..nodes.len())
            .filter(|&id| {
                nodes[id].ty.element == element && (1..rank).contains(&nodes[id].ty.dims.len())
            })
            .filter(|&id| self.depths[id] <= depth)
            .collect();
        self.random.shuffle(&mut found);
        let random = &mut *self.random;
        found.iter().find_map(|&id| Some((id, shapes::embedding(random, &nodes[id].ty.dims, out)?)))
    }

    fn leaf(&mut self, ty: &Type, depth: usize) -> Id {
        let Type { element, dims } = ty;
        let scalar = dims.is_empty();
        if scalar && self.random.percent(60) {
            let bits = data::constant(self.random, *element);
            return self.push(Call::Constant { element: *element, bits });
        }
        if !scalar && *element != Pred && self.random.percent(8) {
            return self.iota(ty);
        }
        if self.parameters < MOST_PARAMETERS {
            self.parameters += 1;
            let call = self.parameter(ty);
            return self.push(call);
        }
        // No more parameters are made: one of them, another node, or one that needs none.
        if let Some(id) = self.existing(ty, depth) {
            return id;
        }
        let below = depth.checked_sub(1);
        let embedded = below.and_then(|depth| self.embedded(*element, dims, dims.len() + 1, depth));
        if let Some((x, at)) = embedded {
            return self.broadcast_existing(ty, x, &at);
        }
        if !scalar && *element != Pred && self.random.percent(70) {
            return self.iota(ty);
        }
        let bits = data::constant(self.random, *element);
        let x = self.push(Call::Constant { element: *element, bits });
        if scalar { x } else { self.push(Call::Broadcast { x, sizes: signed(dims) }) }
    }

    /// A new parameter, now and then the same as one that is there: the test then gives one array
    /// for both.
    fn parameter(&mut self, ty: &Type) -> Call {
        let same = self.case.program.parameters().find(|other| other.ty == ty);
        let (data, place) = match same {
            Some(other) if self.random.percent(40) => (other.data.to_vec(), other.place),
            _ => {
                let gap = self.random.below(6);
                let foreign = self.random.percent(20);
                let place = if foreign { Place::Foreign { gap } } else { Place::Uploaded };
                (data::elements(self.random, ty.element, ty.count()), place)
            }
        };
        let ty = ty.clone();
        Call::Parameter { ty, data, place }
    }

    fn iota(&mut self, ty: &Type) -> Id {
        let dimension = self.random.below(ty.dims.len()) as i64;
        self.push(Call::Iota { element: ty.element, sizes: signed(&ty.dims), dimension })
    }

    /// All ops of a class that take `operand` and give `result`, in random order.
    fn ops(
        &mut self,
        classes: &[OpClass],
        operand: ElementType,
        result: ElementType,
    ) -> Vec<Opcode> {
        let mut ops: Vec<Opcode> = Opcode::ALL
            .iter()
            .copied()
            .filter(|&op| classes.contains(&op.class()) && xla::accepts(op, operand))
            .filter(|&op| {
                let unary = op.class() == OpClass::Unary;
                let of = if unary { oracle::unary_type } else { oracle::binary_type };
                result == of(op, operand)
            })
            .collect();
        self.random.shuffle(&mut ops);
        ops
    }

    fn binary(&mut self, ty: &Type, depth: usize) -> Id {
        let operand = match ty.element {
            Pred if self.random.percent(70) => self.random.pick(TYPES),
            C64 if self.random.percent(20) => F32,
            same => same,
        };
        let (lhs, rhs, dims) = self.binary_operands(operand, &ty.dims, depth);
        let classes = [OpClass::Binary, OpClass::Compare];
        let ops = self.ops(&classes, operand, ty.element);
        let calls = |opcode: Opcode| Call::Binary { opcode, lhs, rhs, dims: dims.clone() };
        self.push_one_of(ops.into_iter().map(calls).collect())
    }

    fn binary_operands(
        &mut self,
        element: ElementType,
        out: &[usize],
        depth: usize,
    ) -> (Id, Id, Vec<i64>) {
        // Two dimensions exchanged in whole blocks are planned in a way of their own.
        if let [.., rows, columns] = *out
            && rows.max(columns) > 0
            && rows % 4 + columns % 4 == 0
            && self.random.percent(35)
        {
            let rank = out.len() as i64;
            let permutation: Vec<i64> = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
            let mut turned = out.to_vec();
            turned.swap(out.len() - 2, out.len() - 1);
            let x = self.value(&Type::new(element, &turned), depth.saturating_sub(1));
            let lhs = self.push(Call::Transpose { x, permutation });
            let rhs = if self.random.percent(25) {
                // Beside it, one element for each row of a block.
                let column = self.value(&Type::new(element, &[rows]), depth.saturating_sub(1));
                self.broadcast_existing(&Type::new(element, out), column, &[out.len() - 2])
            } else {
                self.value(&Type::new(element, out), depth)
            };
            return (lhs, rhs, vec![]);
        }
        // One array along different dimensions is what deduplication must not confuse.
        let embedded = self.random.percent(25);
        let embedded = embedded.then(|| self.embedded(element, out, out.len(), depth)).flatten();
        if let Some((low, at)) = embedded {
            let sizes = self.case.program.nodes[low].ty.dims.clone();
            let sizes = shapes::partner(self.random, out, &sizes, &at);
            let high = self.value(&Type::new(element, &sizes), depth);
            let (lhs, rhs) = if self.random.percent(50) { (low, high) } else { (high, low) };
            return (lhs, rhs, signed(&at));
        }
        let pair = shapes::pair(self.random, out);
        let lhs = self.value(&Type { element, dims: pair.lhs }, depth);
        let rhs = self.value(&Type { element, dims: pair.rhs }, depth);
        (lhs, rhs, pair.broadcast_dimensions)
    }

    fn unary(&mut self, ty: &Type, depth: usize) -> Id {
        let element = match ty.element {
            Pred if self.random.percent(40) => self.random.pick(FLOATS),
            F32 if self.random.percent(15) => C64,
            C64 if self.random.percent(15) => F32,
            same => same,
        };
        let x = self.value(&Type { element, ..ty.clone() }, depth);
        let ops = self.ops(&[OpClass::Unary], element, ty.element);
        self.push_one_of(ops.into_iter().map(|opcode| Call::Unary { opcode, x }).collect())
    }

    /// Draws a bitcast from a type of the same width, or from another one where the sizes allow it.
    fn bitcast(&mut self, ty: &Type, depth: usize) -> Id {
        let to = ty.element;
        let from = if [Pred, C64].contains(&to) { &[to][..] } else { &TYPES[1..15] };
        let mut element = self.random.pick(from);
        let (wide, narrow) = (width(element), width(to));
        let mut dims = ty.dims.clone();
        if wide < narrow {
            dims.push((narrow / wide) as usize);
        } else if wide > narrow && dims.pop() != Some((wide / narrow) as usize) {
            (element, dims) = (to, ty.dims.clone());
        }
        let x = self.value(&Type { element, dims }, depth);
        self.push(Call::Bitcast { x, to })
    }

    /// To a format that exists in hardware, or to any.
    fn reduce_precision(&mut self, x: Id) -> Id {
        let known = self.random.pick(&[(5, 10), (8, 7), (5, 2), (4, 3), (8, 10)]);
        let any = (1 + self.random.below(10) as i64, self.random.below(26) as i64);
        let (exponent_bits, mantissa_bits) = if self.random.percent(50) { known } else { any };
        self.push(Call::ReducePrecision { x, exponent_bits, mantissa_bits })
    }

    /// Operands of which at least one has the result's shape and the others may be scalars.
    fn one_shape<const N: usize>(
        &mut self,
        ty: &Type,
        elements: [ElementType; N],
        depth: usize,
    ) -> [Id; N] {
        let whole = self.random.below(N);
        let mut ids = [0; N];
        for (place, element) in elements.into_iter().enumerate() {
            let scalar = place != whole && self.random.percent(35);
            let dims = if scalar { &[][..] } else { &ty.dims };
            ids[place] = self.value(&Type::new(element, dims), depth);
        }
        ids
    }

    fn broadcast_in_dim(&mut self, ty: &Type, depth: usize) -> Id {
        let Type { element, dims } = ty;
        let existing = self.random.percent(40);
        let existing =
            existing.then(|| self.embedded(*element, dims, dims.len() + 1, depth)).flatten();
        let (x, at) = existing.unwrap_or_else(|| {
            let (sizes, at) = shapes::in_dim(self.random, dims);
            (self.value(&Type::new(*element, &sizes), depth), at)
        });
        self.broadcast_existing(ty, x, &at)
    }

    fn view(&mut self, ty: &Type, depth: usize) -> Id {
        let (dims, call) = views::view(self.random, &ty.dims);
        let operand = Type::new(ty.element, &dims);
        // Positions are also viewed backwards and in part.
        let iota = ty.element != Pred && !dims.is_empty() && self.random.percent(12);
        let x = if iota { self.iota(&operand) } else { self.value(&operand, depth) };
        self.push(views::of(call, x))
    }

    fn broadcast_existing(&mut self, ty: &Type, x: Id, at: &[usize]) -> Id {
        self.push(Call::BroadcastInDim { x, sizes: signed(&ty.dims), dims: signed(at) })
    }
}
