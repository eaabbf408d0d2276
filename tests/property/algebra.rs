//! Tests short expressions that a shader compiler likes to simplify: (a + b) - a, 1 / (1 / x), x *
//! 0, sqrt(x * x), a < b ? a : b. Real numbers allow it, floats do not: each operation rounds, and
//! signed zeros, infinities and NaN count. All combinations of two exact operations are tried on
//! all pairs of awkward values, many of them in one kernel, as compiling is what takes long.

use indim::{ElementType, OpClass, Opcode};

use ElementType::F32;
use indim_testing::oracle::{self, approximate};
use indim_testing::programs::program::{Call, Id, Node, Place, Program, Type};
use indim_testing::programs::rules;
use indim_testing::xla;

#[rustfmt::skip]
const VALUES: &[f32] = &[
    0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 0.7, 3.0, -7.3, 123.456, 1e-20, -3e-20, 1e20, -2e20, 16_777_217.0,
    1e38, -3e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN,
];

/// A program under construction on two arrays that hold every pair of values.
struct Draft {
    program: Program,
    valid: bool,
}

const A: Id = 0;
const B: Id = 1;

impl Draft {
    fn new() -> Self {
        let mut draft = Self { program: Program::default(), valid: true };
        let pairs = |pick: fn(f32, f32) -> f32| {
            let rows = VALUES.iter().flat_map(|&a| VALUES.iter().map(move |&b| pick(a, b)));
            rows.map(|x| x.to_bits().into()).collect::<Vec<u64>>()
        };
        for data in [pairs(|a, _| a), pairs(|_, b| b)] {
            let ty = Type::new(F32, &[data.len()]);
            draft.push(Call::Parameter { ty, data, place: Place::Uploaded });
        }
        draft
    }

    fn push(&mut self, call: Call) -> Id {
        match rules::infer(&call, &|id| self.program.nodes[id].ty.clone()) {
            Ok(ty) => self.program.nodes.push(Node { call, ty }),
            // Such as an arithmetic operation on a PRED.
            Err(_) => self.valid = false,
        }
        self.program.nodes.len() - 1
    }

    fn binary(&mut self, opcode: Opcode, lhs: Id, rhs: Id) -> Id {
        self.push(Call::Binary { opcode, lhs, rhs, dims: vec![] })
    }

    fn unary(&mut self, opcode: Opcode, x: Id) -> Id {
        self.push(Call::Unary { opcode, x })
    }
}

/// All the programs.
pub(crate) fn programs() -> Vec<Program> {
    let ops = |class: OpClass| {
        let all = Opcode::ALL.iter().copied();
        all.filter(move |&op| op.class() == class && xla::accepts(op, F32))
    };
    let exact =
        |op: &Opcode| !approximate::FUNCTIONS.contains(op) && oracle::unary_type(*op, F32) == F32;
    let unary: Vec<Opcode> = ops(OpClass::Unary).filter(exact).collect();
    let inexact = [Opcode::Pow, Opcode::Atan2, Opcode::Hypot, Opcode::Logaddexp, Opcode::Complex];
    let arithmetic: Vec<Opcode> = ops(OpClass::Binary).filter(|op| !inexact.contains(op)).collect();
    let compares: Vec<Opcode> = ops(OpClass::Compare).collect();
    let mut found = Vec::new();
    let mut add = |make: &dyn Fn(&mut Draft) -> Id| {
        let mut draft = Draft::new();
        let root = make(&mut draft);
        if draft.valid {
            draft.program.nodes.truncate(root + 1);
            found.push(draft.program);
        }
    };
    for &outer in arithmetic.iter().chain(&compares) {
        add(&|d| d.binary(outer, A, A));
        for &inner in &arithmetic {
            for (x, y) in [(A, B), (B, A)] {
                add(&|d| {
                    let inner = d.binary(inner, x, y);
                    d.binary(outer, inner, A)
                });
                add(&|d| {
                    let inner = d.binary(inner, x, y);
                    d.binary(outer, A, inner)
                });
            }
        }
        for &inner in &unary {
            add(&|d| {
                let inner = d.unary(inner, A);
                d.binary(outer, inner, A)
            });
            add(&|d| {
                let inner = d.unary(inner, A);
                d.binary(outer, inner, B)
            });
            add(&|d| {
                let (x, y) = (d.unary(inner, A), d.unary(inner, B));
                d.binary(outer, x, y)
            });
        }
    }
    for &outer in &unary {
        for &inner in unary.iter().chain(&arithmetic) {
            add(&|d| {
                let unary = inner.class() == OpClass::Unary;
                let x = if unary { d.unary(inner, A) } else { d.binary(inner, A, B) };
                d.unary(outer, x)
            });
        }
    }
    for &compare in &compares {
        for (on_true, on_false) in [(A, B), (B, A)] {
            add(&|d| {
                let pred = d.binary(compare, A, B);
                d.push(Call::Select { pred, on_true, on_false })
            });
        }
        for &outer in &arithmetic {
            add(&|d| {
                let x = d.binary(compare, A, B);
                let x = d.push(Call::Convert { x, to: F32 });
                d.binary(outer, x, B)
            });
        }
    }
    found
}

/// One program that gives the results of all of these, which have one type, as rows.
pub(crate) fn together(programs: &[Program]) -> Program {
    let count = programs.len() as i64;
    let length = programs[0].root().ty.count();
    // The two parameters are every program's.
    let mut draft = Draft::new();
    let sizes = vec![count, length as i64];
    let element = ElementType::U32;
    let row = draft.push(Call::Iota { element, sizes, dimension: 0 });
    let mut result = None;
    for (number, program) in programs.iter().enumerate() {
        let offset = draft.program.nodes.len() - 2;
        for node in &program.nodes[2..] {
            let mut call = node.call.clone();
            for operand in call.operands_mut() {
                if *operand > B {
                    *operand += offset;
                }
            }
            draft.push(call);
        }
        let x = draft.program.nodes.len() - 1;
        let x = draft.push(Call::Broadcast { x, sizes: vec![count] });
        result = Some(match result {
            None => x,
            Some(others) => {
                let number = draft.push(Call::Constant { element, bits: number as u64 });
                let pred = draft.binary(Opcode::Eq, row, number);
                draft.push(Call::Select { pred, on_true: x, on_false: others })
            }
        });
    }
    assert!(draft.valid, "{}", draft.program);
    draft.program
}

#[test]
fn programs_together_give_what_they_give_alone() {
    use indim_testing::programs::interpreter::evaluate;
    let programs = programs();
    assert!(programs.len() > 1_000, "{}", programs.len());
    let together = evaluate(&together(&programs[..5])).pop().unwrap();
    let alone = programs[..5].iter().flat_map(|p| evaluate(p).pop().unwrap().values);
    assert!(together.values.into_iter().eq(alone));
}
