//! A text with loops is compiled with its branches rewritten: random programs with every branching
//! statement give the results of an interpreter on the host.

use std::fmt::Write as _;

use indim::Function;
use indim_testing::contexts::gpu;
use indim_testing::random::Random;
use indim_testing::share;

/// The state of a program: two numbers that it computes with, and its loops' counters.
struct State {
    s: u32,
    t: u32,
    counters: Vec<u32>,
}

/// What a statement does next.
#[derive(PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
    Return(u32),
}

enum Statement {
    /// `s = s * a + t; t = t ^ (s + b);`, where a and b are these.
    Step(u32, u32),
    If(Condition, Vec<Statement>, Option<Vec<Statement>>),
    /// A choice by `s % 5u`: the values of each case with its body, and where the default stands.
    Switch(Vec<(Vec<u32>, Vec<Statement>)>, usize, Vec<Statement>),
    /// This many rounds, with the counter of this number. The last is a `loop` with a `continuing`.
    Loop(usize, u32, Vec<Statement>),
    Break,
    Continue,
    Return(u32),
}

enum Condition {
    /// `s % n == k`.
    Remainder(u32, u32),
    /// The call of a function that returns amid its statements, `odd(s) == k`.
    Odd(u32),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

const FUNCTIONS: &str = "fn odd(x: u32) -> u32 {
    if x % 4u == 1u { return 1u; }
    if x % 2u == 1u { return 1u; } else { return 0u; }
}
fn low(x: u32) -> u32 {
    for (var k = 0u; k < 4u; k++) { for (var l = 0u; l < 2u; l++) { if x % 8u == k { return k; } } }
    return 4u;
}
";

impl Condition {
    fn random(random: &mut Random, depth: usize) -> Self {
        let some = |random: &mut Random| {
            (0..2 + random.below(2)).map(|_| Self::random(random, depth - 1)).collect()
        };
        match random.below(if depth == 0 { 5 } else { 8 }) {
            0 => Self::Odd(random.below(2) as u32),
            5 => Self::And(some(random)),
            6 => Self::Or(some(random)),
            _ => Self::Remainder(2 + random.below(3) as u32, random.below(2) as u32),
        }
    }

    fn holds(&self, state: &State) -> bool {
        match self {
            Self::Remainder(n, k) => state.s % n == *k,
            Self::Odd(k) => state.s % 2 == *k,
            Self::And(all) => all.iter().all(|condition| condition.holds(state)),
            Self::Or(all) => all.iter().any(|condition| condition.holds(state)),
        }
    }

    fn text(&self) -> String {
        let joined = |all: &[Self], sign: &str| {
            let all: Vec<String> = all.iter().map(Self::text).collect();
            format!("({})", all.join(sign))
        };
        match self {
            Self::Remainder(n, k) => format!("s % {n}u == {k}u"),
            Self::Odd(k) => format!("odd(s) == {k}u"),
            Self::And(all) => joined(all, " && "),
            Self::Or(all) => joined(all, " || "),
        }
    }
}

/// What may stand at a place.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    in_loop: bool,
    in_switch: bool,
}

/// Returns statements of which only the last may leave its block, as compilers want it.
fn block(random: &mut Random, loops: &mut usize, place: Place) -> Vec<Statement> {
    let mut all: Vec<Statement> =
        (0..1 + random.below(3)).map(|_| statement(random, loops, place)).collect();
    let last = match random.below(12) {
        0 => Some(Statement::Return(random.below(100) as u32)),
        1 | 2 if place.in_loop || place.in_switch => Some(Statement::Break),
        3 if place.in_loop => Some(Statement::Continue),
        _ => None,
    };
    all.extend(last);
    all
}

fn statement(random: &mut Random, loops: &mut usize, place: Place) -> Statement {
    if place.depth == 0 || random.percent(25) {
        return Statement::Step(1 + 2 * random.below(8) as u32, random.below(50) as u32);
    }
    let inside = Place { depth: place.depth - 1, ..place };
    match random.below(5) {
        0 | 1 => {
            let condition = Condition::random(random, 2);
            let then = block(random, loops, inside);
            let otherwise = random.percent(60).then(|| block(random, loops, inside));
            Statement::If(condition, then, otherwise)
        }
        2 | 3 => {
            let inside = Place { in_switch: true, ..inside };
            let mut values = (0..1 + random.below(4) as u32).rev();
            let mut cases = Vec::new();
            while let Some(value) = values.next() {
                let mut of_one = vec![value];
                if random.percent(30) {
                    of_one.extend(values.next());
                }
                cases.push((of_one, block(random, loops, inside)));
            }
            let default = random.below(cases.len() + 1);
            Statement::Switch(cases, default, block(random, loops, inside))
        }
        _ => {
            let number = *loops;
            *loops += 1;
            let inside = Place { in_loop: true, in_switch: false, ..inside };
            Statement::Loop(number, 1 + random.below(4) as u32, block(random, loops, inside))
        }
    }
}

fn run(all: &[Statement], state: &mut State) -> Flow {
    for statement in all {
        let flow = match statement {
            Statement::Step(a, b) => {
                state.s = state.s.wrapping_mul(*a).wrapping_add(state.t);
                state.t ^= state.s.wrapping_add(*b);
                Flow::On
            }
            Statement::If(condition, then, otherwise) => {
                if condition.holds(state) {
                    run(then, state)
                } else {
                    run(otherwise.as_deref().unwrap_or_default(), state)
                }
            }
            Statement::Switch(cases, _, default) => {
                let value = state.s % 5;
                let case = cases.iter().find(|(values, _)| values.contains(&value));
                match run(case.map_or(default, |(_, body)| body), state) {
                    Flow::Break => Flow::On,
                    flow => flow,
                }
            }
            Statement::Loop(number, rounds, body) => {
                state.counters[*number] = 0;
                loop {
                    if state.counters[*number] >= *rounds {
                        break Flow::On;
                    }
                    match run(body, state) {
                        Flow::Break => break Flow::On,
                        Flow::Return(value) => break Flow::Return(value),
                        Flow::On | Flow::Continue => state.counters[*number] += 1,
                    }
                }
            }
            Statement::Break => Flow::Break,
            Statement::Continue => Flow::Continue,
            Statement::Return(value) => Flow::Return(state.s.wrapping_add(*value)),
        };
        if flow != Flow::On {
            return flow;
        }
    }
    Flow::On
}

fn text(all: &[Statement], out: &mut String) {
    for statement in all {
        match statement {
            Statement::Step(a, b) => {
                let _ = write!(out, "s = s * {a}u + t; t = t ^ (s + {b}u); ");
            }
            Statement::If(condition, then, otherwise) => {
                let _ = write!(out, "if {} ", condition.text());
                braced(then, out);
                match otherwise.as_deref() {
                    Some([Statement::If(..)]) => {
                        out.push_str("else ");
                        text(otherwise.as_deref().unwrap_or_default(), out);
                    }
                    Some(otherwise) => {
                        out.push_str("else ");
                        braced(otherwise, out);
                    }
                    None => {}
                }
            }
            Statement::Switch(cases, place, default) => {
                out.push_str("switch s % 5u { ");
                for (number, (values, body)) in cases.iter().enumerate() {
                    if number == *place {
                        out.push_str("default: ");
                        braced(default, out);
                    }
                    let values: Vec<String> = values.iter().map(|v| format!("{v}u")).collect();
                    let _ = write!(out, "case {} ", values.join(", "));
                    braced(body, out);
                }
                if *place == cases.len() {
                    out.push_str("default ");
                    braced(default, out);
                }
                out.push_str("} ");
            }
            Statement::Loop(number, rounds, body) => {
                let condition = format!("k{number} < {rounds}u");
                match number % 3 {
                    0 => {
                        let _ = write!(out, "for (var k{number} = 0u; {condition}; k{number}++) ");
                        braced(body, out);
                    }
                    1 => {
                        let _ = write!(
                            out,
                            "var k{number} = 0u; loop {{ if !({condition}) {{ break; }} "
                        );
                        text(body, out);
                        let _ = write!(out, "continuing {{ k{number}++; }} }} ");
                    }
                    _ => {
                        let _ = write!(out, "var k{number} = 0u; loop {{ ");
                        text(body, out);
                        let _ = write!(
                            out,
                            "continuing {{ k{number}++; break if !({condition}); }} }} "
                        );
                    }
                }
            }
            Statement::Break => out.push_str("break; "),
            Statement::Continue => out.push_str("continue; "),
            Statement::Return(value) => {
                let _ = write!(out, "return s + {value}u; ");
            }
        }
    }
}

fn braced(all: &[Statement], out: &mut String) {
    out.push_str("{ ");
    text(all, out);
    out.push_str("} ");
}

#[test]
fn random_programs_give_what_they_say() {
    let operand: Vec<u32> = (0..61).chain([u32::MAX]).collect();
    let x = gpu().array([operand.len()], &operand).unwrap();
    let mut taken = 0;
    for seed in 0..25 / share::one_of(12) as u64 {
        let mut random = Random::new(seed);
        let mut loops = 0;
        let place = Place { depth: 3, in_loop: false, in_switch: false };
        let mut program = block(&mut random, &mut loops, place);
        if matches!(program.last(), Some(Statement::Return(_))) {
            program.pop();
        }
        let mut source =
            format!("{FUNCTIONS}fn f(i: u32) -> u32 {{ var s = i; var t = low(i) + odd(i); ");
        text(&program, &mut source);
        source.push_str("return s ^ t; }");
        // A text may have 32 loops, those of what it calls included.
        let Ok(function) = Function::wgsl(&source) else { continue };
        taken += 1;
        let found = function.call::<u32>((&x,)).unwrap().eval().unwrap().to_vec_blocking().unwrap();
        let expected: Vec<u32> = operand
            .iter()
            .map(|&i| {
                let mut state = State { s: i, t: (i % 8).min(4) + i % 2, counters: vec![0; loops] };
                match run(&program, &mut state) {
                    Flow::Return(value) => value,
                    _ => state.s ^ state.t,
                }
            })
            .collect();
        assert_eq!(found, expected, "seed {seed}: {source}");
    }
    assert!(taken >= 20 / share::one_of(12), "{taken} texts are taken");
}
