"""User-defined functions, written in WGSL."""

from __future__ import annotations

import keyword
from collections import namedtuple
from typing import Any

import numpy as np

from . import _core
from ._array import operand, wrap
from ._core import Expr
from ._dtypes import DTYPES, holds
from ._in_dim import InDim
from ._words import in_python


class Function:
    """An operation in WGSL; `indim.function` makes one.

    Calling it gives an array, or a named tuple of arrays where the function returns a struct. Its
    class has the function's name, with a `_` behind it if that is a word of Python's. Members whose
    names are such words, or begin with `_`, are `_0`, `_1` and so on there, by their place;
    `results` has their own names.

    Operands are arrays and numbers, and broadcast as NumPy's do. Where one carries `in_dim`, XLA's
    rule holds in its place: each operand of a lower rank than the result carries it, but scalars.
    """

    __slots__ = ("_cost", "_function", "_max_iterations", "_result", "_text", "_types")

    def __init__(self, text: str, cost: str | None, max_iterations: int | None) -> None:
        self._text = text
        self._cost = cost
        self._max_iterations = max_iterations
        self._function = _core.Function(text, cost, max_iterations)
        self._types = [name for _, name in self._function.parameters]
        members = [name for name, _ in self._function.results]
        self._result: Any = None
        if members != [""]:
            # No class has a keyword as its name.
            name = f"{self.name}_" if keyword.iskeyword(self.name) else self.name
            # Names that no member can have become _0, _1 and so on.
            self._result = namedtuple(name, members, rename=True)

    @property
    def name(self) -> str:
        """The function's name in the text."""
        return self._function.name

    @property
    def parameters(self) -> tuple[tuple[str, np.dtype[Any]], ...]:
        """The parameters, each with its name and the widest type that it takes."""
        return tuple((name, DTYPES[of]) for name, of in self._function.parameters)

    @property
    def results(self) -> tuple[tuple[str, np.dtype[Any]], ...]:
        """The results, each with its type and its name in the struct, or "" without one."""
        return tuple((name, DTYPES[of]) for name, of in self._function.results)

    def __repr__(self) -> str:
        """Return how it is declared."""
        parameters = ", ".join(f"{name}: {of.name}" for name, of in self.parameters)
        results = ", ".join(f"{name}: {of.name}" if name else of.name for name, of in self.results)
        return f"<indim.function {self.name}({parameters}) -> {results}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how `pickle` makes this function again: by its text, which is checked anew."""
        return Function, (self._text, self._cost, self._max_iterations)

    def __call__(self, *operands: Any) -> Any:
        """Return the result, which is computed when it is needed."""
        given: list[tuple[Expr, list[int] | None]] = [
            self._operand(index, value) for index, value in enumerate(operands)
        ]
        try:
            results = self._function.call([x for x, _ in given], _dimensions(given))
        except TypeError as error:
            raise TypeError(in_python(str(error))) from None
        arrays = [wrap(x) for x in results]
        return arrays[0] if self._result is None else self._result(*arrays)

    def _operand(self, index: int, value: Any) -> tuple[Expr, list[int] | None]:
        """Return an operand as an expression, with the dimensions that it carries."""
        if isinstance(value, InDim):
            array, dims = value._checked(None)
            return array._x, list(dims)
        found = operand(value)
        if found is NotImplemented:
            raise TypeError(
                f"{self.name} takes arrays and scalars, not a {type(value).__name__}: "
                "indim.asarray(x) makes an array of it"
            )
        if isinstance(found, Expr):
            return found, None
        if index >= len(self._types):
            # The library refuses this number of operands, whatever they are.
            return _core.constant("pred", False), None
        return self._number(index, found), None

    def _number(self, index: int, value: Any) -> Expr:
        """Return a Python number in the type of its parameter."""
        name = self._types[index]
        if not holds(name, type(value)):
            parameter = self._function.parameters[index][0]
            raise TypeError(
                f"{self.name}: operand {index} is {value!r}, which is not a value of parameter "
                f"{parameter!r}: {DTYPES[name].name}"
            )
        return _core.constant(name, value)


def _dimensions(given: list[tuple[Expr, list[int] | None]]) -> list[list[int]]:
    """Return the `broadcast_dimensions` of each operand."""
    if any(dims is not None for _, dims in given):
        return [dims or [] for _, dims in given]
    rank = max((x.ndim for x, _ in given), default=0)
    # By NumPy's rule the last dimension is the last one of the result.
    return [list(range(rank - x.ndim, rank)) if x.ndim < rank else [] for x, _ in given]


def function(text: str, *, cost: str | None = None, max_iterations: int | None = None) -> Function:
    """Return an operation of your own, written in WGSL.

    The text is one function of single elements, with what it needs. `cost` is "cheap", "costly"
    or "heavy", and tells the planner how long a call takes; without it that is estimated. The body
    of a loop runs at most `max_iterations` times, 65,536 by default, whenever the loop is reached;
    past it, to read what is computed from the result raises a RuntimeError. Raises a FunctionError,
    a ValueError, for a text that is not such a function: it has the line, with a mark under
    the part at fault.

    >>> import indim
    >>> lerp = indim.function("fn lerp(a: f32, b: f32, t: f32) -> f32 { return mix(a, b, t); }")
    >>> print(lerp(indim.asarray([0.0, 1.0]), 10, 0.5))
    [5.  5.5]
    """
    return Function(text, cost, max_iterations)
