"""An operand that carries `broadcast_dimensions`, which operators have no room for otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _rules
from ._rules import Binary

if TYPE_CHECKING:
    from ._array import Array


class InDim:
    """An array as an operand with `broadcast_dimensions`; `Array.in_dim` makes it."""

    __slots__ = ("_array", "_dims")
    __hash__ = None  # type: ignore[assignment]
    # NumPy's arrays leave operators with this class to it.
    __array_ufunc__ = None

    def __init__(self, array: Array, dims: tuple[int, ...]) -> None:
        self._array = array
        self._dims = dims

    def __repr__(self) -> str:
        """Return how it is written."""
        return f"{self._array!r}.in_dim({list(self._dims)})"

    def _checked(self, dims: Sequence[int] | None) -> tuple[Array, Sequence[int]]:
        """Return the array and its dimensions; a ValueError if there are also others."""
        if dims is not None:
            raise ValueError(
                "broadcast_dimensions are given twice: by in_dim of both operands, or by in_dim "
                "and broadcast_dimensions="
            )
        return self._array, self._dims


def _in_dim_operator(rules: Binary) -> Callable[[InDim, Any], Any]:
    return lambda self, other: self._array._applied(rules, self, other)


def _in_dim_reflected(rules: Binary) -> Callable[[InDim, Any], Any]:
    return lambda self, other: self._array._applied(rules, other, self)


for _name, _table in {
    "add": _rules.ADD,
    "sub": _rules.SUBTRACT,
    "mul": _rules.MULTIPLY,
    "truediv": _rules.DIVIDE,
    "floordiv": _rules.FLOOR_DIVIDE,
    "mod": _rules.REMAINDER,
    "pow": _rules.POW,
    "and": _rules.BITWISE_AND,
    "or": _rules.BITWISE_OR,
    "xor": _rules.BITWISE_XOR,
    "lshift": _rules.BITWISE_LEFT_SHIFT,
    "rshift": _rules.BITWISE_RIGHT_SHIFT,
}.items():
    setattr(InDim, f"__{_name}__", _in_dim_operator(_table))
    setattr(InDim, f"__r{_name}__", _in_dim_reflected(_table))
for _name, _table in {
    "eq": _rules.EQUAL,
    "ne": _rules.NOT_EQUAL,
    "lt": _rules.LESS,
    "le": _rules.LESS_EQUAL,
    "gt": _rules.GREATER,
    "ge": _rules.GREATER_EQUAL,
}.items():
    setattr(InDim, f"__{_name}__", _in_dim_operator(_table))
