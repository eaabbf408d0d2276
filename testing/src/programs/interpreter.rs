//! Evaluates a program on the CPU, the slow and plain way: each operand is copied out to the
//! result's shape, then the operation is applied element by element. It shares nothing with the
//! library but the names of element types and opcodes.

use indim::ElementType;

use crate::oracle::value::Value;
use crate::oracle::{self, convert, float, format};
use crate::programs::moves::{self, Elements};
use crate::programs::program::{Call, Node, Program, Type};

/// An array of what each element may be, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub ty: Type,
    pub values: Vec<Value>,
}

impl Tensor {
    /// The share of elements that prove little, in percent.
    pub fn dull_percent(&self) -> usize {
        let dull = self.values.iter().filter(|v| v.is_dull(self.ty.element)).count();
        (100 * dull).checked_div(self.values.len()).unwrap_or(0)
    }
}

/// The results of all nodes.
pub fn evaluate(program: &Program) -> Vec<Tensor> {
    let mut tensors = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes {
        let tensor = apply(node, &tensors);
        tensors.push(tensor);
    }
    tensors
}

/// The result of one node, whose operands are among `earlier`.
pub fn apply(node: &Node, earlier: &[Tensor]) -> Tensor {
    let Node { call, ty } = node;
    // An operand that broadcasts as a whole: to the result's shape, trailing dimensions first for
    // nothing but scalars and equal ranks.
    let same = |id: usize| {
        let identity: Vec<usize> = (0..earlier[id].ty.dims.len()).collect();
        materialise(&earlier[id], &ty.dims, &identity)
    };
    let elements = |id: usize| (&earlier[id].ty.dims[..], &earlier[id].values[..]);
    let values = match call {
        Call::Parameter { data, .. } => data.iter().map(|&bits| Value::Bits(bits)).collect(),
        Call::Constant { bits, .. } => vec![Value::Bits(*bits)],
        Call::Iota { element, dimension, .. } => iota(*element, &ty.dims, *dimension as usize),
        Call::Binary { opcode, lhs, rhs, dims } => {
            let rank = ty.dims.len();
            let placed = |id: usize| {
                if earlier[id].ty.dims.len() == rank {
                    same(id)
                } else {
                    let dims: Vec<usize> = dims.iter().map(|&d| d as usize).collect();
                    materialise(&earlier[id], &ty.dims, &dims)
                }
            };
            let element = earlier[*lhs].ty.element;
            zip(&placed(*lhs), &placed(*rhs), |a, b| oracle::binary(*opcode, element, a, b))
        }
        Call::Unary { opcode, x } => {
            let element = earlier[*x].ty.element;
            earlier[*x].values.iter().map(|&v| oracle::unary(*opcode, element, v)).collect()
        }
        Call::Convert { x, to } => {
            let from = earlier[*x].ty.element;
            earlier[*x].values.iter().map(|&v| convert::convert(from, *to, v)).collect()
        }
        Call::Bitcast { x, to } => {
            convert::bitcast(earlier[*x].ty.element, *to, &earlier[*x].values)
        }
        Call::Select { pred, on_true, on_false } => {
            let (pred, on_true, on_false) = (same(*pred), same(*on_true), same(*on_false));
            let pick = |i: usize| match pred[i].bits() {
                Some(0) => on_false[i],
                Some(_) => on_true[i],
                None => on_true[i].or(on_false[i], ty.element),
            };
            (0..pred.len()).map(pick).collect()
        }
        Call::Clamp { min, x, max } => {
            let (min, x, max) = (same(*min), same(*x), same(*max));
            (0..x.len()).map(|i| oracle::clamp(ty.element, min[i], x[i], max[i])).collect()
        }
        Call::NextAfter { from, to } => {
            let format = format_of(ty);
            zip(&same(*from), &same(*to), |from, to| float::next_after(format, from, to))
        }
        Call::ReducePrecision { x, exponent_bits, mantissa_bits } => {
            let format = format_of(ty);
            let reduced = |&v| float::reduce_precision(format, v, *exponent_bits, *mantissa_bits);
            earlier[*x].values.iter().map(reduced).collect()
        }
        Call::Broadcast { x, sizes } => {
            let rank = earlier[*x].ty.dims.len();
            let dims: Vec<usize> = (sizes.len()..sizes.len() + rank).collect();
            materialise(&earlier[*x], &ty.dims, &dims)
        }
        Call::BroadcastInDim { x, dims, .. } => {
            let dims: Vec<usize> = dims.iter().map(|&d| d as usize).collect();
            materialise(&earlier[*x], &ty.dims, &dims)
        }
        Call::Transpose { x, permutation } => copied(&earlier[*x], &ty.dims, |index| {
            let mut at = vec![0; index.len()];
            for (&i, &from) in index.iter().zip(permutation) {
                at[from as usize] = i;
            }
            at
        }),
        Call::Slice { x, starts, strides, .. } => copied(&earlier[*x], &ty.dims, |index| {
            let walks = starts.iter().zip(strides);
            index.iter().zip(walks).map(|(&i, (&s, &by))| s as usize + i * by as usize).collect()
        }),
        Call::Reverse { x, dims } => copied(&earlier[*x], &ty.dims, |index| {
            let turned = |(dim, &i): (usize, &usize)| {
                if dims.contains(&(dim as i64)) { ty.dims[dim] - 1 - i } else { i }
            };
            index.iter().enumerate().map(turned).collect()
        }),
        Call::Reshape { x, .. } => earlier[*x].values.clone(),
        Call::Pad { x, value, low, interior, .. } => {
            moves::padded(elements(*x), earlier[*value].values[0], low, interior, &ty.dims)
        }
        Call::Concatenate { operands, dimension } => {
            let operands: Vec<Elements<'_>> = operands.iter().map(|&id| elements(id)).collect();
            moves::concatenated(&operands, *dimension as usize, &ty.dims)
        }
        Call::Roll { x, shifts, dims } => moves::rolled(elements(*x), shifts, dims),
        Call::Reduce { opcode, x, dims } => {
            reduced(&earlier[*x], dims, |of, group| oracle::reduce::of_values(*opcode, of, group))
        }
        Call::Position { largest, x, dims, .. } => reduced(&earlier[*x], dims, |of, group| {
            oracle::reduce::position_of_values(*largest, of, group)
        }),
    };
    assert_eq!(values.len(), ty.count(), "the interpreter's own count for {call}");
    Tensor { ty: ty.clone(), values }
}

/// A reduction: the elements of each group in row-major order.
fn reduced(x: &Tensor, dims: &[i64], value: impl Fn(ElementType, &[Value]) -> Value) -> Vec<Value> {
    let is_kept = |d: &usize| !dims.contains(&(*d as i64));
    let kept: Vec<usize> = (0..x.ty.dims.len()).filter(is_kept).collect();
    let sizes: Vec<usize> = kept.iter().map(|&d| x.ty.dims[d]).collect();
    let mut groups = vec![Vec::new(); count(&sizes)];
    let mut index = vec![0; x.ty.dims.len()];
    for &value in &x.values {
        let group = kept.iter().fold(0, |group, &d| group * x.ty.dims[d] + index[d]);
        groups[group].push(value);
        count_up(&mut index, &x.ty.dims);
    }
    groups.iter().map(|group| value(x.ty.element, group)).collect()
}

/// A whole copy of `x` in the shape `out`, each element from the index in `x` that `at` gives.
fn copied(x: &Tensor, out: &[usize], at: impl Fn(&[usize]) -> Vec<usize>) -> Vec<Value> {
    let mut values = Vec::new();
    let mut index = vec![0; out.len()];
    for _ in 0..count(out) {
        let place = at(&index).iter().zip(&x.ty.dims).fold(0, |place, (&i, &size)| {
            assert!(i < size, "an index outside of {}", x.ty);
            place * size + i
        });
        values.push(x.values[place]);
        count_up(&mut index, out);
    }
    values
}

/// Elements of these sizes: none where one is 0, however large the others are.
fn count(sizes: &[usize]) -> usize {
    if sizes.contains(&0) { 0 } else { sizes.iter().product() }
}

/// The next index, like a number whose last digit is the fastest.
fn count_up(index: &mut [usize], sizes: &[usize]) {
    for (digit, &size) in index.iter_mut().zip(sizes).rev() {
        *digit += 1;
        if *digit < size {
            break;
        }
        *digit = 0;
    }
}

/// A whole copy of `x` in the shape `out`, its dimension i along dimension `at[i]` of `out`.
fn materialise(x: &Tensor, out: &[usize], at: &[usize]) -> Vec<Value> {
    let mut values = Vec::new();
    let mut index = vec![0; out.len()];
    for _ in 0..count(out) {
        // The place of the element in x, one dimension at a time.
        let place =
            x.ty.dims.iter().zip(at).fold(0, |place, (&size, &dim)| {
                place * size + if size == 1 { 0 } else { index[dim] }
            });
        values.push(x.values[place]);
        count_up(&mut index, out);
    }
    values
}

fn zip(a: &[Value], b: &[Value], f: impl Fn(Value, Value) -> Value) -> Vec<Value> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn iota(element: ElementType, dims: &[usize], dimension: usize) -> Vec<Value> {
    if count(dims) == 0 {
        return Vec::new();
    }
    let line = Type::new(element, &[dims[dimension]]);
    let values = (0..dims[dimension]).map(|n| convert::counted(element, n)).collect();
    materialise(&Tensor { ty: line, values }, dims, &[dimension])
}

/// Returns the format of an operand that rules have let be a float only.
fn format_of(ty: &Type) -> format::Format {
    format::of(ty.element).expect("a float type")
}

#[test]
fn every_opcode_is_known_here() {
    use crate::oracle::value::TRUE;
    use indim::{OpClass, Opcode};
    for &opcode in Opcode::ALL {
        for &element in ElementType::ALL {
            let accepted = crate::xla::accepts(opcode, element);
            assert_eq!(opcode.accepts(element), accepted, "{} {element}", opcode.name());
            if !accepted {
                continue;
            }
            match opcode.class() {
                OpClass::Binary | OpClass::Compare => {
                    oracle::binary(opcode, element, TRUE, TRUE);
                }
                OpClass::Unary => {
                    oracle::unary(opcode, element, TRUE);
                }
                // Calls of their own, all of which `apply` matches.
                _ => {}
            }
        }
    }
}

#[test]
fn the_document_s_examples() {
    let array = |dims: &[usize], data: &[f64]| Tensor {
        ty: Type::new(ElementType::F32, dims),
        values: data.iter().map(|&x| Value::of(x, format::F32)).collect(),
    };
    let add = |x: Tensor, y: Tensor, dims: &[i64]| {
        let earlier = [x, y];
        let call = Call::Binary { opcode: indim::Opcode::Add, lhs: 0, rhs: 1, dims: dims.to_vec() };
        let ty = crate::programs::rules::infer(&call, &|id| earlier[id].ty.clone())
            .expect("it is valid");
        apply(&Node { call, ty }, &earlier)
    };
    let matrix = || array(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    let row = add(matrix(), array(&[3], &[7., 8., 9.]), &[1]);
    assert_eq!(row, array(&[2, 3], &[8., 10., 12., 11., 13., 15.]));
    let scalar = add(array(&[], &[7.]), matrix(), &[]);
    assert_eq!(scalar, array(&[2, 3], &[8., 9., 10., 11., 12., 13.]));
    let composed = add(array(&[4], &[1., 2., 3., 4.]), array(&[1, 2], &[5., 6.]), &[0]);
    assert_eq!(composed, array(&[4, 2], &[6., 7., 7., 8., 8., 9., 9., 10.]));
}
