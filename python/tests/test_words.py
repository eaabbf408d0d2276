"""Messages and help have the words of this package: what was called, and NumPy's types."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Callable

import numpy as np
import pytest

import indim as xp

A, B = xp.ones((2, 3)), xp.ones(2)
C = xp.ones(2, dtype=xp.complex64)
HALF = xp.function("fn half(x: f32) -> f32 { return 0.5 * x; }")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("add", lambda: A + B),
        ("subtract", lambda: np.ones((2, 3), np.float32) - B),
        ("less", lambda: A < B),
        ("remainder", lambda: xp.remainder(A, B)),
        ("logical_and", lambda: xp.logical_and(A, B)),
        ("where", lambda: xp.where(A > 0, B, 1.0)),
        ("clip", lambda: xp.clip(A, B)),
        ("clip", lambda: xp.clip(A, 0, B)),
        ("fmod", lambda: np.fmod(A, B)),
        ("concat", lambda: xp.concat([A, A[:1, :1]])),
        ("broadcast_to", lambda: xp.broadcast_to(A, (3, 3))),
    ],
)
def test_shapes_that_do_not_fit_name_the_function(name: str, call: Callable[[], object]) -> None:
    """That which was called, and not the operation that it is made of."""
    with pytest.raises(ValueError, match=f"^{name}: ") as raised:
        call()
    assert "2" in str(raised.value) and "3" in str(raised.value)


def test_operands_are_named_as_parameters_are() -> None:
    """XLA's `lhs` and `rhs` are the standard's `x1` and `x2`."""
    with pytest.raises(ValueError, match=r"add: dimension 0 of x2 has size 2.*dimension 1 of x1"):
        xp.add(A, B, broadcast_dimensions=[1])


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (r"less needs an order, and complex.*indim.real\(x\) or indim.abs\(x\)", lambda: C < C),
        ("maximum needs an order", lambda: xp.maximum(C, 1.0)),
        ("clip needs an order", lambda: xp.clip(C, 0)),
        (r"erf\(complex64\): it takes no such types; convert the operands", lambda: xp.erf(C)),
        ("half: operand 0 is complex64, but parameter `x` is float32", lambda: HALF(C)),
    ],
)
def test_types_that_are_not_taken_are_numpys(words: str, call: Callable[[], object]) -> None:
    """No message has a name of the Rust library, and each gives advice."""
    with pytest.raises(TypeError, match=words) as raised:
        call()
    for word in ("convert_element_type", "c64", "f32", "lhs", "cbrt"):
        assert word not in str(raised.value).replace("fn", ""), word


def test_in_dim_takes_one_dimension() -> None:
    """As a number, or in a list; anything else is refused."""
    assert np.array_equal(A + B.in_dim(0), A + B.in_dim([0]))
    assert np.array_equal(A + B.in_dim(np.int64(0)), A + B.in_dim((0,)))
    with pytest.raises(TypeError, match="integer"):
        B.in_dim("a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="integer"):
        B.in_dim(0.5)  # type: ignore[arg-type]


def test_help_says_what_each_operator_is() -> None:
    """By its name, and by the function that does the same."""
    for name, words in {
        "__add__": "indim.add(self, other)",
        "__rsub__": "indim.subtract(other, self)",
        "__imul__": "indim.multiply(self, other)",
        "__neg__": "indim.negative(self)",
    }.items():
        method = getattr(xp.Array, name)
        assert method.__name__ == name and words in (inspect.getdoc(method) or "")
    for name, method in vars(xp.Array).items():
        if inspect.isfunction(method) and (name[0] != "_" or name[:2] == "__"):
            assert inspect.getdoc(method), name


@pytest.mark.parametrize(
    "module",
    ["_array", "_creation", "_elementwise", "_evaluation", "_selection", "_stablehlo", "_wgsl"],
)
def test_the_examples_of_docstrings_give_what_they_show(module: str) -> None:
    """Each of these modules has one at least."""
    found = doctest.testmod(importlib.import_module(f"indim.{module}"))
    assert found.attempted > 0 and found.failed == 0
