"""The types of results over all pairs of types and all weak scalars.

They are NumPy 2's, but for integers: beside floats these are weak, as in JAX, and a function of
integers alone whose result is a float gives float32.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from conftest import has_float64

import indim as xp

# The types that NumPy has rules for; bfloat16 and the 4-bit ones come after.
TYPES = [
    *(xp.bool, xp.int8, xp.int16, xp.int32, xp.int64, xp.uint8, xp.uint16, xp.uint32, xp.uint64),
    *(xp.float16, xp.float32, xp.float64, xp.complex64),
]
SCALARS = [True, 1, 1.0, 1j]

BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "pow": np.power,
    "atan2": np.arctan2,
    "maximum": np.maximum,
    "bitwise_and": np.bitwise_and,
    "bitwise_left_shift": np.left_shift,
    "equal": np.equal,
    "less": np.less,
    "logical_and": np.logical_and,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "copysign": np.copysign,
    "nextafter": np.nextafter,
}
UNARY = {
    "abs": np.abs,
    "negative": np.negative,
    "sign": np.sign,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "exp": np.exp,
    "square": np.square,
    "floor": np.floor,
    "bitwise_invert": np.invert,
    "isnan": np.isnan,
    "logical_not": np.logical_not,
}


def expected(function: np.ufunc, *keys: np.dtype | type) -> np.dtype | None:
    """Return the type of a result here; None where there is none.

    NumPy is asked with the types that our rule gives the operands: integers have that of the floats
    beside them, and a float of integers alone is float32.
    """
    inexact = [key for key in keys if np.dtype(key).kind in "fc"]
    arrays = [key for key in inexact if isinstance(key, np.dtype)]
    asked = list(keys)
    if inexact:
        is_complex = any(np.dtype(key).kind == "c" for key in inexact)
        default = np.dtype(np.complex64 if is_complex else np.float32)
        like = np.result_type(*arrays) if arrays else default
        asked = [like if key not in inexact or not arrays else key for key in keys]
    try:
        found = function.resolve_dtypes((*asked, None))
    except TypeError:
        return None
    if not inexact and found[-1].kind == "f":
        return np.dtype(np.float32)
    return found[-1] if all(dtype in TYPES for dtype in found) else None


def operand(dtype: np.dtype) -> xp.Array:
    """Return an operand of a type; nothing of it is computed."""
    return xp.full((2,), 1, dtype=dtype)


def supported() -> list[np.dtype]:
    """Return the types of this adapter."""
    return [dtype for dtype in TYPES if dtype != xp.float64 or has_float64()]


def is_order(x: object) -> bool:
    """Return whether an operand is complex, which XLA does not order and NumPy does."""
    return isinstance(x, complex) or getattr(x, "dtype", None) == xp.complex64


@pytest.mark.parametrize("name", BINARY)
def test_pairs_of_types(name: str) -> None:
    """All pairs of NumPy's types."""
    for left, right in itertools.product(supported(), repeat=2):
        wanted = expected(BINARY[name], left, right)
        compare(name, wanted, operand(left), operand(right))


@pytest.mark.parametrize("name", BINARY)
def test_weak_scalars(name: str) -> None:
    """Python scalars take the type of the array, on both sides."""
    for dtype, scalar in itertools.product(supported(), SCALARS):
        operands = [operand(dtype), scalar]
        keys = [dtype, np.dtype(bool) if scalar is True else type(scalar)]
        compare(name, expected(BINARY[name], *keys), *operands)
        compare(name, expected(BINARY[name], *keys[::-1]), *operands[::-1])


def compare(name: str, wanted: np.dtype | None, *operands: object) -> None:
    """Compare a call's type with NumPy's."""
    ordering = name in ("less", "maximum") and any(is_order(x) for x in operands)
    if wanted is None or ordering:
        with pytest.raises(TypeError):
            getattr(xp, name)(*operands)
        return
    assert getattr(xp, name)(*operands).dtype == wanted, (name, operands)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_operand(name: str) -> None:
    """Integers become float32, of whatever size they are."""
    for dtype in supported():
        compare(name, expected(UNARY[name], dtype), operand(dtype))


def test_floats_beside_integers_are_jaxs() -> None:
    """All pairs of an array of integers and one of floats, and int64 with uint64."""
    promote_types = pytest.importorskip("jax").numpy.promote_types
    for whole, inexact in itertools.product(TYPES[:9], [*TYPES[9:], xp.bfloat16]):
        wanted = promote_types(whole, inexact)
        assert xp.result_type(whole, inexact) == xp.result_type(inexact, whole) == wanted
        if inexact in supported():
            assert (operand(whole) * operand(inexact)).dtype == wanted
    assert (operand(xp.int64) + operand(xp.uint64)).dtype == xp.float32
    assert xp.result_type(xp.int64, xp.uint64) == xp.float32


@pytest.mark.parametrize("dtype", [xp.bfloat16, xp.int4, xp.uint4])
def test_types_that_numpy_lacks(dtype: np.dtype) -> None:
    """They keep to themselves and to weak scalars, and promote as NumPy says with others."""
    x = operand(dtype)
    assert (x + x).dtype == dtype
    assert (x * 2).dtype == (2 * x).dtype == dtype
    assert xp.result_type(x, 1) == dtype
    assert abs(x).dtype == dtype
    assert (x < x).dtype == xp.bool
    assert (x + operand(xp.float32)).dtype == xp.float32
    assert xp.where(x == x, x, 1).dtype == dtype
    assert xp.concat([x, operand(xp.float16)]).dtype == (x + operand(xp.float16)).dtype
    if dtype == xp.bfloat16:
        assert (x * 2.5).dtype == xp.tanh(x).dtype == dtype
        assert (x + operand(xp.float16)).dtype == xp.float32
        assert (x + operand(xp.int32)).dtype == dtype
    else:
        assert (x * 0.5).dtype == xp.sqrt(x).dtype == (x / x).dtype == xp.float32
        assert (x & x).dtype == (x // x).dtype == dtype
        assert (x + operand(xp.int8)).dtype == xp.int8


def test_numpys_scalars_of_floats_are_weak() -> None:
    """As Python's; those of integers and arrays without dimensions keep their types."""
    for dtype in (xp.float16, xp.bfloat16, xp.float32):
        x = xp.ones(2, dtype=dtype)
        for scalar in (
            np.float64(2),
            np.float32(2),
            np.float16(2),
            np.longdouble(2),
            dtype.type(2),
        ):
            assert (x * scalar).dtype == (scalar * x).dtype == dtype, (dtype, type(scalar))
            assert xp.where(x > 0, x, scalar).dtype == xp.clip(x, 0, scalar).dtype == dtype
    assert (xp.ones(2) * np.complex128(1j)).dtype == (np.exp(1j) * xp.ones(2)).dtype == xp.complex64
    assert xp.result_type(xp.float16, np.float64(1)) == xp.float16
    assert (xp.ones(2, dtype=xp.int8) * np.int16(2)).dtype == xp.int16
    assert (xp.ones(2, dtype=xp.float16) * np.asarray(2, np.float32)).dtype == xp.float32


def test_float64_scalars_make_float32_arrays() -> None:
    """They are Python floats by inheritance, in lists too; arrays keep their type."""
    mean = np.float64(0.1)
    made = (xp.asarray(mean), xp.asarray([mean, 1]), xp.full(2, mean), xp.sqrt(mean))
    assert [x.dtype for x in made] == [xp.float32] * 4
    assert float(made[0]) == np.float32(0.1)
    assert xp.asarray([[np.complex128(1j)]]).dtype == xp.complex64
    assert xp.asarray(np.float16(1)).dtype == xp.asarray([np.float16(1)]).dtype == xp.float16
    assert xp.full(2, np.float16(1)).dtype == xp.float16
    assert xp.result_type(xp.float64, xp.float32) == xp.float64


def test_complex128_is_refused() -> None:
    """The message names a replacement."""
    message = "indim has no complex128, only complex64: convert by x.astype"
    with pytest.raises(TypeError, match=message):
        xp.asarray(np.ones(2, np.complex128))
    with pytest.raises(TypeError, match=message):
        xp.zeros(2, dtype=np.complex128)
    if has_float64():
        with pytest.raises(TypeError, match="is computed in complex128 by NumPy's promotion"):
            xp.ones(2, dtype=xp.float64) * 1j


def test_float64_is_refused_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an operand or a dtype asks for float64 and the adapter lacks it."""
    from indim import _core

    monkeypatch.setattr(_core, "has_f64", lambda: False)
    x = xp.asarray([1, 2], dtype=xp.int32)
    for call in (
        lambda: xp.asarray(np.ones(2)),
        lambda: x * np.ones(2),
        lambda: x.astype(xp.float64),
        lambda: xp.mean(x, dtype=xp.float64),
    ):
        with pytest.raises(TypeError, match=r"float64, which this adapter lacks.*\.astype\(indim"):
            call()
    assert xp.asarray(np.ones(2), dtype=xp.float32).dtype == xp.float32


def test_comparisons_with_integers_past_the_type() -> None:
    """They answer as the numbers are, and never overflow."""
    x = xp.asarray([0, 255], dtype=xp.uint8)
    assert (x < 300).tolist() == (300 > x).tolist() == [True, True]
    assert (x == -1).tolist() == (x >= 256).tolist() == (-1 > x).tolist() == [False, False]
    assert (x != 1000).tolist() == (-1 <= x).tolist() == [True, True]
    with pytest.raises(OverflowError, match="300"):
        x + 300


def test_int64_with_uint64_compares_exactly() -> None:
    """No float64 comes between, which holds neither type."""
    signed = np.asarray([-1, 0, 2**63 - 1, 2**63 - 1, -(2**63)], np.int64)
    unsigned = np.asarray([2**64 - 1, 0, 2**63 - 1, 2**63, 0], np.uint64)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        for left, right in ((signed, unsigned), (unsigned, signed)):
            ours = getattr(xp, name)(xp.asarray(left), xp.asarray(right))
            assert np.array_equal(ours, getattr(np, name)(left, right)), name
            row = getattr(xp, name)(
                xp.asarray(left[:, None] + np.zeros(2, left.dtype)),
                xp.asarray(right),
                broadcast_dimensions=[0],
            )
            both = getattr(np, name)(left[:, None] + np.zeros(2, left.dtype), right[:, None])
            assert np.array_equal(row, both), name
