"""Arrays are expressions until they are read; no elementwise function runs on the host."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import numpy as np
import pytest
import random_calls
from conftest import has_float64

import indim as xp


def large(dtype: object = xp.float32) -> xp.Array:
    """Return an array whose bytes are not kept and that has a buffer of its own."""
    x = xp.asarray(np.ones(5000), dtype=dtype)
    return x


def test_an_expression_is_one_dispatch(dispatches: Callable[[], int]) -> None:
    """tanh(a * b + c) is one kernel and one pass."""
    a, b, c = large(), large(), large()
    y = xp.tanh(a * b + c)
    assert dispatches() == 0
    xp.eval(y)
    assert dispatches() == 1
    assert np.asarray(y)[7] == pytest.approx(np.tanh(2), rel=1e-6)
    assert dispatches() == 0, "what was evaluated is kept"
    np.asarray(y)
    assert dispatches() == 0, "what was read is kept"


def test_arrays_that_are_evaluated_together_share(dispatches: Callable[[], int]) -> None:
    """Three results of one expression take no more dispatches than results."""
    a, b = large(), large()
    shared = xp.exp(a * b)
    xp.eval(shared + 1, shared * 2, xp.sqrt(shared))
    assert dispatches() <= 3


@pytest.mark.parametrize("look", [np.asarray, str, repr, bool, float, int, xp.any, list])
def test_looking_evaluates(look: Callable[[xp.Array], object]) -> None:
    """Each of these gives the value of an expression."""
    shape = (1,) if look is list else ()
    x = xp.full((2000, *shape), 3.0)[1] * 2
    found = look(x)
    assert "6" in str(found) or found is True or bool(found)


def test_every_elementwise_function_is_lazy_and_dispatches(
    dispatches: Callable[[], int],
) -> None:
    """Making the expression dispatches nothing; reading it does, so that no host computed it."""
    types = {
        **{name: call.types for name, call in random_calls.UNARY.items()},
        **{name: call.types for name, call in random_calls.BINARY.items()},
    }
    for name, accepted in types.items():
        dtype = "float32" if "float32" in accepted else "int32"
        one = xp.asarray(np.full(4000, 1), dtype=dtype)
        two = xp.asarray(np.full(4000, 2), dtype=dtype)
        operands = (one, two) if name in random_calls.BINARY else (one,)
        xp.eval(*operands)
        dispatches()
        result = getattr(xp, name)(*operands)
        assert dispatches() == 0, name
        np.asarray(result)
        # These give the operand itself, for it is real.
        if name not in ("conj", "positive", "real"):
            assert dispatches() >= 1, name
    for result in (xp.where(one > 0, one, two), xp.clip(one, 0, 1)):
        assert dispatches() == 0
        np.asarray(result)
        assert dispatches() >= 1


def test_views_and_moves_are_lazy(dispatches: Callable[[], int]) -> None:
    """Nothing is computed by them, and they fuse with what reads them."""
    x = xp.reshape(large() * 2, (50, 100))
    xp.eval(x)
    dispatches()
    parts = [
        *(x[::-1, 3:], x.T, xp.roll(x, 3, axis=1), xp.flip(x), xp.reshape(x, (5000,))),
        *(xp.concat([x, x]), xp.stack([x, x]), xp.expand_dims(x, 0), xp.tile(x, (2, 1))),
        *(xp.broadcast_to(x, (2, 50, 100)), xp.repeat(x, 2), xp.moveaxis(x, 0, 1)),
        *(xp.tril(x), xp.triu(x), xp.eye(100) + x[:1], xp.arange(100) * x[0].astype(xp.int64)),
    ]
    assert dispatches() == 0
    y = xp.asarray(x[1:, :] - x[:-1, :])
    xp.eval(y)
    assert dispatches() == 1
    assert all(part.size for part in parts)


def test_errors_come_at_the_line_that_makes_them() -> None:
    """Wrong shapes are ValueErrors, wrong types TypeErrors, and both name the fault."""
    with pytest.raises(ValueError, match="2.*3|3.*2"):
        xp.ones(2) + xp.ones(3)
    with pytest.raises(TypeError, match="bitwise_and"):
        xp.bitwise_and(xp.ones(2), 1)
    with pytest.raises(TypeError):
        xp.ones(2, dtype=xp.complex64) < xp.ones(2, dtype=xp.complex64)
    with pytest.raises(TypeError, match="unsupported operand"):
        xp.ones(2) + "a"  # type: ignore[operator]
    with pytest.raises(TypeError, match="add takes arrays and scalars, not a list"):
        xp.add(xp.ones(2), [1, 2])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="numpy boolean subtract"):
        xp.asarray(True) - xp.asarray(True)


def test_broadcast_dimensions_are_xlas_rule() -> None:
    """Every function of two operands takes them, and operators take `in_dim`."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3) + 1
    v = np.asarray([2, 3], np.float32)
    a, b = xp.asarray(x), xp.asarray(v)
    for name in random_calls.BINARY:
        kind = np.float32 if "float32" in random_calls.BINARY[name].types else np.int32
        left, right = x.astype(kind), v.astype(kind)
        expected = getattr(np, random_calls.BINARY[name].numpy)(left, right[:, None])
        ours = getattr(xp, name)(xp.asarray(left), xp.asarray(right), broadcast_dimensions=[0])
        assert np.allclose(ours, expected, rtol=1e-5), name
    assert np.array_equal(a - b.in_dim([0]), x - v[:, None])
    assert np.array_equal(b.in_dim([0]) - a, v[:, None] - x)
    assert np.array_equal(a < b.in_dim([0]), x < v[:, None])
    assert np.array_equal(xp.add(a, b.in_dim([0])), x + v[:, None])
    with pytest.raises(ValueError):
        xp.add(a, b, broadcast_dimensions=[1])
    with pytest.raises(ValueError, match="broadcast_dimensions are given twice"):
        xp.add(a, b.in_dim([0]), broadcast_dimensions=[0])


def test_explain_shows_the_kernels() -> None:
    """As text, and as HTML in a notebook."""
    a = large()
    explanation = xp.explain(xp.tanh(a * 2 + 1))
    assert "kernel 1 of 1: 3 operations" in repr(explanation)
    assert "tanh" in explanation.kernels[0]["wgsl"] and repr(explanation) == str(explanation)
    assert explanation._repr_html_().lstrip().startswith("<")
    with pytest.raises(TypeError, match="explain takes arrays of indim, not a float"):
        xp.explain(1.5)  # type: ignore[arg-type]


def test_what_the_library_says_of_itself() -> None:
    """Adapters, counts and memory are numbers and names."""
    assert all(isinstance(adapter["name"], str) for adapter in xp.adapters())
    assert xp.stats()["dispatches"] >= 0 and isinstance(xp.memory(), dict)
    xp.wait()
    assert has_float64() in (True, False)


def test_a_loop_may_read_what_it_makes_of_a_small_value_that_grows() -> None:
    """Rounds without `eval` share their kernels, and give what rounds with it give."""
    data = np.linspace(-1, 1, 8000, dtype=np.float32).reshape(1000, 8)
    x = xp.asarray(data)

    def descend(rounds: int, each: Callable[[xp.Array], object]) -> xp.Array:
        w = xp.zeros(8, dtype=xp.float32)
        for _ in range(rounds):
            w = w - 0.1 * xp.mean(x * w - 1, axis=0)
            each(w)
        return w

    expected = np.asarray(descend(60, xp.eval))
    before = xp.stats()
    found = np.asarray(descend(60, lambda _: None))
    after = xp.stats()
    # A round is a kernel for partial sums and one for the next w. Evaluations that a deep chain
    # makes have kernels of their own.
    assert after["compilations"] - before["compilations"] <= 12
    assert after["dispatches"] - before["dispatches"] <= 2 * 60 + 4
    np.testing.assert_array_equal(found, expected)


def test_elements_leave_host_memory_once_they_are_uploaded() -> None:
    """An array that was made of them has them on the GPU alone."""
    x = xp.asarray(np.arange(5000, dtype=np.float32))
    assert x._x.is_read
    xp.eval(x + 1)
    assert not x._x.is_read
    assert np.array_equal(x, np.arange(5000, dtype=np.float32))


def resident_mib() -> float:
    """Return the resident memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="reads the resident memory from /proc")
def test_a_million_rounds_that_nobody_looks_at_keep_memory_flat() -> None:
    a = xp.asarray(np.full(1000, 0.999, np.float32))
    b = xp.asarray(np.full(1000, 0.5, np.float32))
    x = xp.ones((1000,))
    expected = np.ones(1000, np.float32)
    for _ in range(10_000):
        x = x * a + b
        expected = expected * np.float32(0.999) + np.float32(0.5)
    xp.wait()
    before = resident_mib()
    y = x
    for _ in range(1_000_000):
        y = y * a + b
    xp.eval(y)
    xp.wait()
    assert resident_mib() - before < 32
    assert np.array_equal(np.asarray(x), expected)
    # It has come to rest, where a round changes nothing.
    assert np.array_equal(np.asarray(y), np.asarray(y * a + b))
