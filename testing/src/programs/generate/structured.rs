//! Draws reductions, data movement and takes.

use indim::{ElementType, OpClass, Opcode};

use super::{Generator, MOST_PARAMETERS, REDUCED_ELEMENTS, TYPES};
use crate::oracle::value::mask;
use crate::programs::moves;
use crate::programs::program::{Call, Id, Place, Type};
use crate::xla;
use ElementType::{S4, S8, S16, S32, S64, U4, U8, U16, U32, U64};

impl Generator<'_> {
    /// Draws a reduction, along one or two dimensions beside those of the result.
    pub(super) fn reduced(&mut self, ty: &Type, depth: usize) -> Id {
        let mut dims: Vec<Option<usize>> = ty.dims.iter().copied().map(Some).collect();
        let mut sizes = ty.dims.clone();
        let mut reduced = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let room = REDUCED_ELEMENTS / sizes.iter().product::<usize>().max(1);
            let some = [0, 1, 2, 3, 4, 5, 8, 31, 33, 64, 100, 1030];
            let fit: Vec<usize> = some.into_iter().filter(|&size| size <= room.max(2)).collect();
            let size = self.random.pick(&fit);
            sizes.push(size);
            dims.insert(self.random.below(dims.len() + 1), None);
            reduced.push(size);
        }
        let places: Vec<i64> =
            (0..dims.len()).filter(|&d| dims[d].is_none()).map(|d| d as i64).collect();
        let mut left = reduced.into_iter();
        let sizes: Vec<usize> =
            dims.iter().map(|d| d.or_else(|| left.next()).unwrap_or(1)).collect();
        let mut listed = places;
        self.random.shuffle(&mut listed);
        if let S32 | S64 = ty.element
            && !sizes.contains(&0)
            && self.random.percent(30)
        {
            let types: Vec<ElementType> =
                TYPES.iter().copied().filter(|&of| xla::accepts(Opcode::ReduceMax, of)).collect();
            let x = Type::new(self.random.pick(&types), &sizes);
            let x = self.value(&x, depth);
            let (largest, wide) = (self.random.percent(50), ty.element == S64);
            return self.push(Call::Position { largest, wide, x, dims: listed });
        }
        let x = self.value(&Type::new(ty.element, &sizes), depth);
        let mut ops: Vec<Opcode> = Opcode::ALL
            .iter()
            .copied()
            .filter(|&op| op.class() == OpClass::Reduce && xla::accepts(op, ty.element))
            .collect();
        self.random.shuffle(&mut ops);
        let calls = ops.into_iter().map(|opcode| Call::Reduce { opcode, x, dims: listed.clone() });
        self.push_one_of(calls.collect())
    }

    /// Draws an operation on a value and on the reduction of its last dimensions.
    pub(super) fn beside_rows(&mut self, ty: &Type, depth: usize) -> Id {
        let x = self.value(ty, depth);
        let rank = ty.dims.len();
        let kept = self.random.below(rank);
        let reduces = |op: Opcode| op.class() == OpClass::Reduce && xla::accepts(op, ty.element);
        let ops: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|&op| reduces(op)).collect();
        let opcode = self.random.pick(&ops);
        let dims = (kept as i64..rank as i64).collect();
        let reduced = self.push(Call::Reduce { opcode, x, dims });
        let functions = self.ops(&[OpClass::Unary], ty.element, ty.element);
        let rhs = if functions.is_empty() || self.random.percent(50) {
            reduced
        } else {
            let calls = functions.into_iter().map(|opcode| Call::Unary { opcode, x: reduced });
            self.push_one_of(calls.collect())
        };
        let dims: Vec<i64> = (0..kept as i64).collect();
        let ops = self.ops(&[OpClass::Binary], ty.element, ty.element);
        let calls = |opcode: Opcode| Call::Binary { opcode, lhs: x, rhs, dims: dims.clone() };
        self.push_one_of(ops.into_iter().map(calls).collect())
    }

    /// Draws a pad, a concatenation or a roll.
    pub(super) fn moved(&mut self, ty: &Type, depth: usize) -> Id {
        let Type { element, dims } = ty;
        match self.random.weighted(&[40, 30, 30]) {
            0 if !dims.is_empty() => {
                let x = self.value(ty, depth);
                let roll = moves::roll_of(self.random, x, dims);
                self.push(roll)
            }
            1 if !dims.is_empty() => {
                let dimension = self.random.below(dims.len());
                let mut operands = Vec::new();
                for size in moves::parts(self.random, dims[dimension]) {
                    let mut part = dims.clone();
                    part[dimension] = size;
                    operands.push(self.value(&Type::new(*element, &part), depth));
                }
                self.push(Call::Concatenate { operands, dimension: dimension as i64 })
            }
            _ => {
                let (own, [low, high, interior]) = moves::padding(self.random, dims);
                let x = self.value(&Type::new(*element, &own), depth);
                let value = self.value(&Type::new(*element, &[]), depth.min(1));
                self.push(Call::Pad { x, value, low, high, interior })
            }
        }
    }

    /// Draws a take, along any dimension of an operand of any size.
    pub(super) fn taken(&mut self, ty: &Type, depth: usize) -> Id {
        let most = (REDUCED_ELEMENTS / ty.count().max(1)).max(3);
        let size = self.random.pick(&[1, 2, 3, 4, 7, 8, 30, 300]).min(most);
        let mut dims = ty.dims.clone();
        let rank = dims.len();
        let beside = rank > 0 && self.random.percent(50);
        let along = if beside { self.random.below(rank) } else { self.random.below(rank + 1) };
        let own = if beside {
            let mut own = dims.clone();
            dims[along] = size;
            let other = self.random.below(rank);
            if other != along && self.random.percent(30) {
                let stretched = self.random.pick(&[true, false]);
                if stretched { own[other] = 1 } else { dims[other] = 1 }
            }
            own
        } else {
            let count = self.random.below((rank - along).min(2) + 1);
            dims.splice(along..along + count, [size]).collect()
        };
        let x = self.value(&Type::new(ty.element, &dims), depth);
        let indices = self.indices(&own, size, depth);
        let opcode = if beside { Opcode::TakeAlongDimension } else { Opcode::Take };
        self.push(Call::Take { opcode, x, indices, dimension: along as i64 })
    }

    /// Draws indices into a dimension of this size, some of them out of range.
    fn indices(&mut self, dims: &[usize], size: usize, depth: usize) -> Id {
        const INTEGERS: &[ElementType] = &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64];
        let ty = Type::new(self.random.pick(INTEGERS), dims);
        if self.parameters < MOST_PARAMETERS && self.random.percent(70) {
            self.parameters += 1;
            let (least, most) = ty.element.integer_range().expect("a type of integers");
            let index = |_| {
                let near = self.random.below(size + 4) as i128 - 2;
                near.clamp(least, most) as u64 & mask(ty.element)
            };
            let data = (0..ty.count()).map(index).collect();
            return self.push(Call::Parameter { ty, data, place: Place::Uploaded });
        }
        let drawn = self.value(&ty, depth);
        match &self.case.tensors[drawn].values {
            known if known.iter().all(|value| value.bits().is_some()) => drawn,
            _ if dims.is_empty() => self.push(Call::Constant { element: ty.element, bits: 1 }),
            _ => self.iota(&ty),
        }
    }
}
