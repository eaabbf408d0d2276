"""Programs in StableHLO, as JAX and PyTorch/XLA write them, as functions of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._array import Array, operand, wrap
from ._core import Expr
from ._dtypes import DTYPES, holds
from ._host import from_numpy, scalar


class Parameter(NamedTuple):
    """A parameter of a program: its name, and what its argument must be."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class Program:
    """A function of a program in StableHLO; `indim.stablehlo` makes one.

    Calling it gives an array, or a tuple of arrays where the function has several results. A call
    computes at once, without waiting for the GPU: what it is given, and then the program, in
    kernels of their own.

    Arguments are arrays of the parameters' types and shapes, in order; those of NumPy and JAX are
    copied to the GPU. A parameter of rank 0 also takes a Python number.
    """

    __slots__ = ("_arguments", "_function", "_name", "_program", "_text")

    def __init__(self, text: str, function: str | None, name: str = "<stablehlo>") -> None:
        self._text = text
        self._function = function
        self._name = name
        self._program = _core.Program(name, text, function)
        # Each with its name, as JAX gives it if it does, its type in `_core` and its shape.
        self._arguments = [
            (label or own, of, tuple(shape)) for own, label, of, shape in self._program.parameters
        ]

    @property
    def name(self) -> str:
        """The function's name in the text."""
        return self._program.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, each with its name, type and shape."""
        return tuple(Parameter(name, DTYPES[of], shape) for name, of, shape in self._arguments)

    @property
    def results(self) -> tuple[tuple[np.dtype[Any], tuple[int, ...]], ...]:
        """The type and the shape of each result."""
        return tuple((DTYPES[of], tuple(shape)) for of, shape in self._program.results)

    def __repr__(self) -> str:
        """Return how it is declared."""
        parameters = ", ".join(
            f"{name}: {_typed(of, shape)}" for name, of, shape in self._arguments
        )
        results = ", ".join(_typed(of, tuple(shape)) for of, shape in self._program.results)
        return f"<indim.stablehlo {self.name}({parameters}) -> {results}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how `pickle` makes this program again: by its text, which is read anew."""
        return Program, (self._text, self._function, self._name)

    def __call__(self, *arguments: Any) -> Any:
        """Return the results for these arguments."""
        arrays = self._run(arguments)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _run(self, arguments: Sequence[Any]) -> list[Array]:
        """Return all results, in order."""
        if len(arguments) != len(self._arguments):
            names = ", ".join(name for name, _, _ in self._arguments)
            takes = f"{len(self._arguments)} arguments ({names})" if names else "no arguments"
            raise TypeError(f"{self.name} takes {takes}, and {len(arguments)} are given")
        exprs = [self._expr(number, value) for number, value in enumerate(arguments)]
        return [wrap(x) for x in self._program.run(exprs)]

    def _expr(self, number: int, value: Any) -> Expr:
        """Return an argument, which is checked, as an expression."""
        _, of, shape = self._arguments[number]
        x = value._x if type(value) is Array else self._converted(number, value)
        if x.dtype != of:
            raise TypeError(
                f"{self._about(number)}, and {_typed(x.dtype, x.shape)} is given: convert it by "
                f".astype(indim.{DTYPES[of].name})"
            )
        if x.shape != shape:
            raise ValueError(
                f"{self._about(number)}, and shape {list(x.shape)} is given: a program is of the "
                "shapes that it was lowered for, so lower the function for this one"
            )
        return x

    def _converted(self, number: int, value: Any) -> Expr:
        """Return an argument that is not an indim array as an expression."""
        _, of, shape = self._arguments[number]
        found = operand(value)
        if isinstance(found, Expr):
            return found
        if found is NotImplemented:
            if not hasattr(value, "__array__"):
                raise TypeError(
                    f"{self._about(number)}, and a {type(value).__name__} is given: "
                    "indim.asarray(x) makes an array of it"
                )
            return from_numpy(np.asarray(value))
        if shape:
            raise ValueError(f"{self._about(number)}, and the number {value!r} is given")
        if not holds(of, type(found)):
            raise TypeError(f"{self._about(number)}, which does not hold {value!r}")
        return scalar(of, found)

    def _about(self, number: int) -> str:
        """Return the beginning of a message about an argument."""
        name, of, shape = self._arguments[number]
        return f"{self.name}: argument {number} ({name}) is {_typed(of, shape)}"


def _typed(of: str, shape: tuple[int, ...]) -> str:
    return f"{DTYPES[of].name}{list(shape)}"


def stablehlo(text: str, *, function: str | None = None) -> Program:
    """Return a program in StableHLO as a function of arrays.

    The text is a module, such as `jax.jit(f).lower(x).as_text()` or what `jax.export` writes.
    Its function `main`, or the only public one, is called, or the one that `function` names.
    Raises a ProgramError, a ValueError, for a program that is refused: it has all reasons, each
    with its line.

    >>> import indim
    >>> text = '''
    ... func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ...   %0 = stablehlo.tanh %x : tensor<3xf32>
    ...   return %0 : tensor<3xf32>
    ... }'''
    >>> tanh = indim.stablehlo(text)
    >>> tanh
    <indim.stablehlo main(x: float32[3]) -> float32[3]>
    >>> print(tanh(indim.asarray([0.0, 1.0, 20.0])))
    [0.        0.7615942 1.       ]
    """
    if not isinstance(text, str):
        raise TypeError(
            f"stablehlo takes a program as text, a str, not a {type(text).__name__}: JAX gives it "
            "by lowered.as_text() or exported.mlir_module()"
        )
    return Program(text, function)
