//! The precedence of operators, as in Python.

use crate::syntax::lexer::Symbol;

/// Returns how tightly an operator binds, in Python's order.
pub(crate) fn level(symbol: Symbol) -> u8 {
    match symbol {
        Symbol::EqualEqual
        | Symbol::NotEqual
        | Symbol::Less
        | Symbol::LessEqual
        | Symbol::Greater
        | Symbol::GreaterEqual => COMPARE,
        Symbol::Bar => 1,
        Symbol::Caret => 2,
        Symbol::Ampersand => 3,
        Symbol::ShiftLeft | Symbol::ShiftRight => 4,
        Symbol::Plus | Symbol::Minus => 5,
        Symbol::Star | Symbol::Slash | Symbol::Percent => 6,
        Symbol::Tilde => PREFIX,
        Symbol::StarStar => POWER,
    }
}

pub(crate) const COMPARE: u8 = 0;
/// Signs bind tighter than `*` and less tightly than a power to their right: `-x**2` is `-(x**2)`.
pub(crate) const PREFIX: u8 = 7;
pub(crate) const POWER: u8 = 8;
