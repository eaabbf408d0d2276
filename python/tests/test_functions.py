"""User-defined functions: calls, broadcasting, numbers, several results, and errors."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import indim as xp

SMOOTH = """
fn smooth(a: f32, b: f32, t: f32) -> f32 {
    let s = t * t * (3.0 - 2.0 * t);
    return a + (b - a) * s;
}"""
POLAR = """
struct Polar { radius: f32, angle: f32, inside: bool }
fn polar(x: f32, y: f32) -> Polar {
    let r = sqrt(x * x + y * y);
    return Polar(r, atan2(y, x), r <= 1.0);
}"""

HALVINGS = """
fn halvings(x: u32) -> u32 {
    var n = 0u;
    var y = x;
    while y != 1u { y /= 2u; n++; }
    return n;
}"""

X = np.asarray([[1, 2, 3], [4, 5, 6]], np.float32)
V = np.asarray([7, 8, 9], np.float32)


def host(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return what SMOOTH gives for t of 0.5."""
    return (a + b) / 2


def test_a_call_is_one_kernel(dispatches: Callable[[], int]) -> None:
    """Two operations around it are in it, and a row is aligned as NumPy's."""
    smooth = xp.function(SMOOTH)
    y = smooth(xp.asarray(X) * 2, xp.asarray(V), 0.5) + 1
    xp.eval(y)
    assert dispatches() == 1
    np.testing.assert_array_equal(np.asarray(y), host(X * 2, V) + 1)
    assert y.dtype == xp.float32


def test_operands_broadcast_as_numpys_or_by_in_dim() -> None:
    """Operands have different ranks, sizes of 1, or are scalars."""
    smooth = xp.function(SMOOTH)
    x, v = xp.asarray(X), xp.asarray(V)
    column = xp.asarray([[10.0], [20.0]])
    rows = xp.asarray([10.0, 20.0])
    expected = host(X, np.asarray([[10], [20]], np.float32))
    np.testing.assert_array_equal(np.asarray(smooth(x, column, 0.5)), expected)
    np.testing.assert_array_equal(np.asarray(smooth(x, rows.in_dim([0]), 0.5)), expected)
    # The operand of the highest rank may be any of them.
    named = smooth(v.in_dim([1]), x, xp.asarray(0.5))
    np.testing.assert_array_equal(np.asarray(named), host(V, X))
    np.testing.assert_array_equal(np.asarray(smooth(v, x, 0.5)), host(V, X))
    np.testing.assert_array_equal(np.asarray(smooth(V, x, 0.5)), host(V, X))
    assert smooth(1, 3, 0.5).shape == ()
    assert float(smooth(1, 3, 0.5)) == 2
    # XLA's rule holds for all operands where one carries in_dim.
    with pytest.raises(ValueError, match="operand 1 .parameter `b`, rhs. does not fit"):
        smooth(x, v, xp.asarray([0.5, 0.5]).in_dim([0]))
    with pytest.raises(ValueError, match="smooth: operand 1"):
        smooth(x, xp.ones(2), 0.5)


def test_several_results() -> None:
    """A struct gives a named tuple."""
    polar = xp.function(POLAR)
    result = polar(xp.asarray([3.0, 0.5]), 0)
    assert type(result).__name__ == "polar"
    assert result._fields == ("radius", "angle", "inside")
    xp.eval(*result)
    radius, angle, inside = result
    assert radius.tolist() == [3.0, 0.5]
    assert angle.tolist() == [0.0, 0.0]
    assert inside.tolist() == [False, True]
    assert inside.dtype == xp.bool
    # Some of Python's words are not attributes.
    words = xp.function(
        "struct R { lambda: f32, x: f32 } fn f(x: f32) -> R { return R(x, 2.0 * x); }"
    )
    assert words(2)._fields == ("_0", "x")
    assert [float(part) for part in words(2)] == [2, 4]


def test_numbers_take_the_types_of_parameters() -> None:
    """They do so as beside an array of that type."""
    of_int = xp.function("fn next(x: i32) -> i32 { return x + 1; }")
    assert of_int(41).dtype == xp.int32
    assert int(of_int(41)) == 42
    assert int(of_int(xp.asarray(41, dtype=xp.int8))) == 42
    assert int(of_int(True)) == 2
    with pytest.raises(TypeError, match="next: operand 0 is 1.5, which is not a value of .*int32"):
        of_int(1.5)
    with pytest.raises(OverflowError, match="2147483648 out of bounds for int32"):
        of_int(2**31)
    opposite = xp.function("fn opposite(x: bool) -> bool { return !x; }")
    assert bool(opposite(False)) is True
    with pytest.raises(TypeError, match="not a value of parameter 'x': bool"):
        opposite(1)
    turned = xp.function("fn turned(z: vec2<f32>) -> vec2<f32> { return vec2(-z.y, z.x); }")
    assert complex(turned(1 + 2j)) == -2 + 1j
    assert complex(turned(3)) == 3j
    assert turned(1.5).dtype == xp.complex64


def test_what_does_not_fit() -> None:
    """Types and numbers of operands are TypeErrors, and name the parameter."""
    smooth = xp.function(SMOOTH)
    with pytest.raises(TypeError, match=r"smooth: it takes 3 operands \(a: float32, b: float32"):
        smooth(1.0, 2.0)
    with pytest.raises(TypeError, match="it takes 3 operands .* there are 4"):
        smooth(1.0, 2.0, 3.0, 4.0)
    with pytest.raises(TypeError, match="operand 1 is int64, but parameter `b` is float32"):
        smooth(1.0, xp.asarray([1, 2]), 0.5)
    with pytest.raises(TypeError, match="smooth takes arrays and scalars, not a str"):
        smooth(1.0, "2", 0.5)


def test_texts_that_are_no_functions() -> None:
    """The error has the line and a mark."""
    with pytest.raises(xp.FunctionError) as caught:
        xp.function("fn half(x: f32) -> f32 {\n    return 0.5 * y;\n}")
    assert str(caught.value) == (
        "line 2, column 18: no definition in scope for identifier: `y`\n"
        "2 |     return 0.5 * y;\n"
        "  |                  ^"
    )
    assert issubclass(xp.FunctionError, ValueError)
    with pytest.raises(ValueError, match='no cost "dear" of a function; there are cheap, costly'):
        xp.function(SMOOTH, cost="dear")


def test_what_a_function_says_of_itself() -> None:
    """It has its name, its parameters and its results."""
    polar = xp.function(POLAR, cost="heavy")
    assert polar.name == "polar"
    assert polar.parameters == (("x", xp.float32), ("y", xp.float32))
    assert polar.results == (("radius", xp.float32), ("angle", xp.float32), ("inside", xp.bool))
    assert xp.function(SMOOTH).results == (("", xp.float32),)
    assert repr(xp.function(SMOOTH)) == (
        "<indim.function smooth(a: float32, b: float32, t: float32) -> float32>"
    )


def test_functions_are_pickled() -> None:
    """They are stored by their texts, with their costs and the bounds of their loops."""
    again = pickle.loads(pickle.dumps(xp.function(SMOOTH, cost="costly")))
    np.testing.assert_array_equal(np.asarray(again(X, V, 0.5)), host(X, V))
    assert again.__reduce__()[1] == (SMOOTH, "costly", None)
    bounded = pickle.loads(pickle.dumps(xp.function(HALVINGS, max_iterations=2)))
    assert bounded.__reduce__()[1] == (HALVINGS, None, 2)
    few, many = (xp.asarray(np.array(of, np.uint32)) for of in ([1, 4], [1, 8]))
    np.testing.assert_array_equal(np.asarray(bounded(few)), [0, 2])
    with pytest.raises(RuntimeError, match="halvings: a loop runs more than 2 times"):
        np.asarray(bounded(many))


def test_names_that_are_words_of_pythons() -> None:
    """A function may be called lambda, and members may begin with _."""
    text = "struct R { del: f32, _low: f32, high: f32 }"
    text += "fn lambda(x: f32) -> R { return R(x, 2.0 * x, 3.0 * x); }"
    of_lambda = xp.function(text)
    result = of_lambda(2)
    assert of_lambda.name == "lambda"
    assert type(result).__name__ == "lambda_"
    assert result._fields == ("_0", "_1", "high")
    assert [name for name, _ in of_lambda.results] == ["del", "_low", "high"]
    assert [float(part) for part in result] == [2, 4, 6]


def test_a_loop_that_does_not_end() -> None:
    """It is an error where its result is read, and a bound can be given."""
    halvings = xp.function(HALVINGS, max_iterations=40)
    good, bad = (xp.asarray(np.array(of, np.uint32)) for of in ([1, 8, 1023], [1, 0, 3]))
    np.testing.assert_array_equal(np.asarray(halvings(good)), [0, 3, 9])
    with pytest.raises(
        RuntimeError, match="halvings: a loop runs more than 40 times for an element"
    ) as caught:
        np.asarray(halvings(bad) + 1)
    assert str(caught.value).endswith("or raise the bound (max_iterations=)")
    np.testing.assert_array_equal(np.asarray(halvings(good)), [0, 3, 9])


def test_a_loop_that_does_not_end_refuses_what_is_computed_from_it() -> None:
    """Other results of the same evaluation are there, and each error names its function."""
    count = (
        "fn count(x: u32) -> u32 { var n = 0u; for (var i = 0u; i < x; i++) { n++; } return n; }"
    )
    halvings, counted = (xp.function(text, max_iterations=40) for text in (HALVINGS, count))
    good, bad = (xp.asarray(np.array(of, np.uint32)) for of in ([1, 8, 30], [0, 3, 50]))
    x, y, same, other = halvings(bad), counted(good), halvings(good), counted(bad)
    xp.eval(x, y, same, other)
    np.testing.assert_array_equal(np.asarray(y), [1, 8, 30])
    np.testing.assert_array_equal(np.asarray(same), [0, 3, 4])
    with pytest.raises(RuntimeError, match="^halvings: a loop runs more than 40 times"):
        np.asarray(x)
    with pytest.raises(RuntimeError, match="^count: a loop runs more than 40 times"):
        np.asarray(other)
