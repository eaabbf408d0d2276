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
        Symbol::Bar => 2,
        Symbol::Caret => 3,
        Symbol::Ampersand => 4,
        Symbol::ShiftLeft | Symbol::ShiftRight => 5,
        Symbol::Plus | Symbol::Minus => 6,
        Symbol::Star | Symbol::Slash | Symbol::Percent => 7,
        Symbol::Tilde => PREFIX,
        Symbol::StarStar => POWER,
    }
}

/// The name of an argument takes all up to the comma.
pub(crate) const ARGUMENT: u8 = 0;
pub(crate) const COMPARE: u8 = 1;
/// Signs bind tighter than `*` and less tightly than a power to their right: `-x**2` is `-(x**2)`.
pub(crate) const PREFIX: u8 = 8;
pub(crate) const POWER: u8 = 9;
