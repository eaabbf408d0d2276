"""The types of results are NumPy 2's, over all pairs of types and all weak scalars."""

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


def expected(function: np.ufunc, *operands: object) -> np.dtype | None:
    """Return the type of NumPy's result; None where there is none, or none that is here."""
    try:
        with np.errstate(all="ignore"):
            dtype = function(*operands).dtype
    except TypeError:
        return None
    return dtype if dtype in TYPES else None


def here(loop: tuple[np.dtype, ...]) -> bool:
    """Return whether the adapter has all types of a loop of NumPy's."""
    return all(dtype in supported() for dtype in loop)


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
    """All pairs of NumPy's types; where the result is float64 the adapter must have it."""
    function = BINARY[name]
    for left, right in itertools.product(supported(), repeat=2):
        wanted = expected(function, np.ones(2, left), np.ones(2, right))
        if wanted is not None and not here(function.resolve_dtypes((left, right, None))):
            wanted = None
        compare(name, wanted, operand(left), operand(right))


@pytest.mark.parametrize("name", BINARY)
def test_weak_scalars(name: str) -> None:
    """Python scalars take the type of the array, on both sides."""
    function = BINARY[name]
    for dtype, scalar in itertools.product(supported(), SCALARS):
        for swapped in (False, True):
            arrays = [np.ones(2, dtype), scalar]
            ours = [operand(dtype), scalar]
            kinds = [dtype, np.dtype(bool) if scalar is True else type(scalar)]
            if swapped:
                arrays.reverse(), ours.reverse(), kinds.reverse()
            wanted = expected(function, *arrays)
            if wanted is not None and not here(function.resolve_dtypes((*kinds, None))):
                wanted = None
            compare(name, wanted, *ours)


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
    """Integers become the floats that NumPy makes of them."""
    function = UNARY[name]
    for dtype in supported():
        wanted = expected(function, np.ones(2, dtype))
        if wanted == np.dtype("float64") and not has_float64():
            wanted = None
        compare(name, wanted, operand(dtype))


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
    if dtype == xp.bfloat16:
        assert (x * 2.5).dtype == xp.tanh(x).dtype == dtype
        assert (x + operand(xp.float16)).dtype == xp.float32
    else:
        assert (x & x).dtype == (x // x).dtype == dtype
        assert (x + operand(xp.int8)).dtype == xp.int8


def test_numpy_scalars_are_strong() -> None:
    """Also numpy.float64, which is a Python float by inheritance."""
    x = xp.ones(2, dtype=xp.float16)
    assert (x * np.float32(2)).dtype == (np.float32(2) * x).dtype == xp.float32
    assert (x * 2.0).dtype == xp.float16
    if has_float64():
        assert (x * np.float64(2)).dtype == (np.float64(2) * x).dtype == xp.float64


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


@pytest.mark.parametrize("call", [lambda x: x / 2, lambda x: xp.sqrt(x), lambda x: x * 0.5])
def test_float64_is_refused_where_it_is_not(call: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where promotion leads to float64 and the adapter lacks it, the message names astype."""
    from indim import _core, _rules

    monkeypatch.setattr(_core, "has_f64", lambda: False)
    for table in (_rules.DIVIDE, _rules.SQRT, _rules.MULTIPLY):
        table.clear()
    x = xp.asarray([1, 2], dtype=xp.int32)
    with pytest.raises(TypeError, match=r"float64, which this adapter lacks.*\.astype\(indim"):
        call(x)  # type: ignore[operator]
    with pytest.raises(TypeError, match=r"float64, which this adapter lacks.*\.astype\(indim"):
        xp.asarray(np.ones(2))
    with pytest.raises(TypeError, match=r"float64, which this adapter lacks.*\.astype\(indim"):
        x.astype(xp.float64)
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
