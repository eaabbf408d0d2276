//! Which regions of `reduce` pick the larger or the smaller one of two operands, or its position.
//!
//! Such a region consists of comparisons of its arguments, logic on their results, and selects. What
//! it returns therefore depends on the order of the arguments alone, and trying every order decides
//! what it computes, however it is written.

use indim_core::graph::operation::Operation as Instruction;
use indim_core::{Computation, ElementType, Opcode, Scalar};

/// The computation of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Picks {
    /// The larger one; NaN if either is.
    Largest,
    /// The smaller one; NaN if either is.
    Smallest,
}

/// How the first of two values relates to the second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    Equal,
    Greater,
    FirstIsNan,
    SecondIsNan,
    BothAreNan,
}

/// A value of a region, for one order of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The argument of this number.
    Argument(usize),
    Flag(bool),
}

/// Returns what a region on one pair of values picks, or on two pairs, of values and positions.
///
/// A region may pick either of two equal values. Of two positions of equal values it must pick the first
/// one: reductions are defined in the order of elements.
pub(crate) fn picks(region: &Computation) -> Option<Picks> {
    let pairs = region.roots().len();
    if !matches!(pairs, 1 | 2) || region.parameters().len() != 2 * pairs {
        return None;
    }
    [Picks::Largest, Picks::Smallest].into_iter().find(|&picks| is_always(region, pairs, picks))
}

fn is_always(region: &Computation, pairs: usize, picks: Picks) -> bool {
    use Order::{BothAreNan, Equal, FirstIsNan, Greater, Less, SecondIsNan};
    let of = region.parameters()[0].element_type;
    let orders: &[Order] = match of {
        ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64 => {
            &[Less, Equal, Greater, FirstIsNan, SecondIsNan, BothAreNan]
        }
        ElementType::C64 => return false,
        _ => &[Less, Equal, Greater],
    };
    orders.iter().all(|&order| {
        let is_first = match (order, picks) {
            (Greater, Picks::Largest) | (Less, Picks::Smallest) | (FirstIsNan, _) => Some(true),
            (Less, Picks::Largest) | (Greater, Picks::Smallest) | (SecondIsNan, _) => Some(false),
            (Equal | BothAreNan, _) => None,
        };
        let found = evaluate(region, pairs, order);
        match (found.as_deref(), is_first) {
            (Some([value, positions @ ..]), _) => {
                let [first, second] = [0, pairs].map(Known::Argument);
                let fits_value = match is_first {
                    Some(true) => *value == first,
                    Some(false) => *value == second,
                    None => *value == first || *value == second,
                };
                let position = Known::Argument(if is_first == Some(false) { pairs + 1 } else { 1 });
                fits_value && positions.iter().all(|&found| found == position)
            }
            _ => false,
        }
    })
}

/// Returns the results of a region for one order of its values, whose positions ascend.
fn evaluate(region: &Computation, pairs: usize, order: Order) -> Option<Vec<Known>> {
    let mut values: Vec<Known> = Vec::new();
    for instruction in region.instructions().iter() {
        let of: Vec<Known> = instruction.operands.iter().map(|&node| values[node]).collect();
        values.push(match (&instruction.operation, of.as_slice()) {
            (Instruction::Parameter(number), []) => Known::Argument(*number),
            (Instruction::Constant(value), []) => Known::Flag(value.get::<bool>()?),
            (Instruction::Binary { opcode, .. }, &[lhs, rhs]) => {
                binary(*opcode, lhs, rhs, pairs, order)?
            }
            (Instruction::Elementwise(Opcode::Not), &[Known::Flag(flag)]) => Known::Flag(!flag),
            (Instruction::Elementwise(Opcode::Select), &[Known::Flag(flag), on_true, on_false]) => {
                if flag {
                    on_true
                } else {
                    on_false
                }
            }
            _ => return None,
        });
    }
    Some(region.roots().iter().map(|&root| values[root]).collect())
}

fn binary(opcode: Opcode, lhs: Known, rhs: Known, pairs: usize, order: Order) -> Option<Known> {
    use Known::{Argument, Flag};
    let (lhs, rhs) = match (lhs, rhs) {
        (Argument(lhs), Argument(rhs)) => (lhs, rhs),
        (Flag(lhs), Flag(rhs)) => {
            return Some(Flag(match opcode {
                Opcode::And | Opcode::Mul | Opcode::Min => lhs & rhs,
                Opcode::Or | Opcode::Add | Opcode::Max => lhs | rhs,
                Opcode::Xor | Opcode::Ne => lhs ^ rhs,
                Opcode::Eq => lhs == rhs,
                _ => return None,
            }));
        }
        _ => return None,
    };
    let order = relation(lhs, rhs, pairs, order)?;
    let holds = match opcode {
        Opcode::Eq => order == Order::Equal,
        Opcode::Ne => order != Order::Equal,
        Opcode::Lt => order == Order::Less,
        Opcode::Gt => order == Order::Greater,
        Opcode::Le => matches!(order, Order::Less | Order::Equal),
        Opcode::Ge => matches!(order, Order::Greater | Order::Equal),
        Opcode::Max => {
            let is_second = matches!(order, Order::Less | Order::SecondIsNan);
            return Some(Argument(if is_second { rhs } else { lhs }));
        }
        Opcode::Min => {
            let is_second = matches!(order, Order::Greater | Order::SecondIsNan);
            return Some(Argument(if is_second { rhs } else { lhs }));
        }
        _ => return None,
    };
    Some(Flag(holds))
}

/// Returns how two arguments relate; `None` of a value and a position.
fn relation(lhs: usize, rhs: usize, pairs: usize, order: Order) -> Option<Order> {
    let is_value = |argument: usize| argument.is_multiple_of(pairs);
    if is_value(lhs) != is_value(rhs) {
        return None;
    }
    let order = if is_value(lhs) { order } else { Order::Less };
    let is_second = |argument: usize| argument >= pairs;
    Some(match (is_second(lhs), is_second(rhs), order) {
        (false, false, Order::FirstIsNan | Order::BothAreNan) => Order::BothAreNan,
        (true, true, Order::SecondIsNan | Order::BothAreNan) => Order::BothAreNan,
        (false, false, _) | (true, true, _) => Order::Equal,
        (false, true, order) => order,
        (true, false, Order::Less) => Order::Greater,
        (true, false, Order::Greater) => Order::Less,
        (true, false, Order::FirstIsNan) => Order::SecondIsNan,
        (true, false, Order::SecondIsNan) => Order::FirstIsNan,
        (true, false, order) => order,
    })
}

/// Returns true if the value changes nothing that it is combined with.
pub(crate) fn is_identity(by: Opcode, value: Scalar) -> bool {
    identity(by, value.element_type()) == Some(value)
}

/// Returns the value that changes nothing that it is combined with, for which a reduction begins.
pub(crate) fn identity(by: Opcode, of: ElementType) -> Option<Scalar> {
    let range = of.integer_range();
    match by {
        Opcode::Add | Opcode::Or | Opcode::Xor => Some(Scalar::from_bits(of, 0)),
        Opcode::Mul => Scalar::from_i128(of, 1),
        Opcode::And => Some(Scalar::from_bits(
            of,
            match of {
                ElementType::Pred => 1,
                _ => u64::MAX >> (64 - of.bits()),
            },
        )),
        Opcode::Max | Opcode::Min if of == ElementType::Pred => {
            Some(Scalar::new(by == Opcode::Min))
        }
        Opcode::Max => match range {
            Some((least, _)) => Scalar::from_i128(of, least),
            None => Scalar::from_f64(of, f64::NEG_INFINITY),
        },
        Opcode::Min => match range {
            Some((_, most)) => Scalar::from_i128(of, most),
            None => Scalar::from_f64(of, f64::INFINITY),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indim_core::{Builder, Op};

    fn region(
        of: ElementType,
        body: impl FnOnce(&mut Builder, [Op; 4]) -> indim_core::Result<[Op; 2]>,
    ) -> Computation {
        let mut b = Builder::new();
        let arguments =
            [of, ElementType::S32, of, ElementType::S32].map(|of| b.parameter(of, [0; 0]));
        let roots = body(&mut b, arguments.map(Result::unwrap)).unwrap();
        b.build_all(&roots).unwrap()
    }

    #[test]
    fn the_first_largest_value_is_found_however_it_is_written() {
        let none = [0_i64; 0];
        // a > b or a is NaN, or a == b with the lower position.
        let jax = region(ElementType::F32, |b, [x, i, y, j]| {
            let (gt, nan, eq) = (b.gt(x, y, none)?, b.ne(x, x, none)?, b.eq(x, y, none)?);
            let (pick, lower) = (b.or(gt, nan, none)?, b.lt(i, j, none)?);
            let tie = b.and(eq, lower, none)?;
            let pick_position = b.or(pick, tie, none)?;
            Ok([b.select(pick, x, y)?, b.select(pick_position, i, j)?])
        });
        assert_eq!(picks(&jax), Some(Picks::Largest));
        let or_equal = |of| {
            region(of, |b, [x, i, y, j]| {
                let le = b.le(x, y, none)?;
                Ok([b.select(le, x, y)?, b.select(le, i, j)?])
            })
        };
        assert_eq!(picks(&or_equal(ElementType::S32)), Some(Picks::Smallest));
        // A NaN on the left is lost.
        assert_eq!(picks(&or_equal(ElementType::F32)), None);
        // The last one of equal values.
        let last = region(ElementType::S32, |b, [x, i, y, j]| {
            let gt = b.gt(x, y, none)?;
            Ok([b.select(gt, x, y)?, b.select(gt, i, j)?])
        });
        assert_eq!(picks(&last), None);
    }
}
