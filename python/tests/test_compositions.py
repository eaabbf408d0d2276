"""NumPy's functions that are compositions of others: values, types and shapes are NumPy's.

Nothing runs on the host. Sorting counts, searching halves, and the rest takes by indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import indim as xp

R = np.random.default_rng(39)

SPECIAL = np.asarray(
    [np.nan, 2, np.inf, -np.inf, -0.0, 0, 1e-42, -1e-41, 1, -1, np.nan, 0, 3.5], np.float32
)
ROWS = R.normal(size=(5, 6)).astype(np.float32)
HOLE = np.where(np.arange(30).reshape(5, 6) == 8, np.float32(np.nan), ROWS)
ASCENDING = np.sort(R.normal(size=33)).astype(np.float32)
WANTED = np.concatenate([ASCENDING[::3], ROWS[0], SPECIAL]).astype(np.float32)
NUMBERS = R.integers(0, 9, 100)
BLOCK = np.zeros((5, 6), np.float32)
BLOCK[1, 2] = BLOCK[3, 4] = 1


@pytest.fixture(autouse=True)
def rule() -> Iterator[None]:
    """Forbid the host."""
    before = xp.set_host_fallback("error")
    yield
    xp.set_host_fallback(before)


def check(call: Callable[..., Any], *values: np.ndarray) -> None:
    """Compare a call on arrays of indim with that on NumPy's."""
    expected, found = call(*values), call(*(xp.asarray(each) for each in values))
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, xp.Array)
        dtype = np.float32 if other.dtype == np.float64 else other.dtype
        assert one.dtype == dtype and one.shape == other.shape
        np.testing.assert_allclose(np.asarray(one), other, 1e-5, 1e-6)


@pytest.mark.parametrize("dtype", ["b", "B", "h", "H", "i", "I", "l", "L", "?", "e", "f"])
def test_orders(dtype: str) -> None:
    """Stable ones, of all types, also of NaN, zeros of both signs and the smallest numbers."""
    if dtype in "ef":
        values = SPECIAL.astype(dtype)
    elif dtype == "?":
        values = np.asarray([True, False, True, False])
    else:
        info = np.iinfo(dtype)
        values = np.asarray([3, info.max, 0, info.min, 3, 1, info.max - 1], dtype)
    check(np.sort, values)
    check(lambda x: np.argsort(x, kind="stable"), values)
    found = xp.argsort(xp.asarray(values), descending=True)
    assert np.array_equal(np.asarray(xp.asarray(values)[found])[::-1], np.sort(values), True)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_quantiles(axis: Any) -> None:
    """Of rows with NaN too, which give NaN."""
    for values in (HOLE, NUMBERS.reshape(5, 20)):
        check(lambda x: np.median(x, axis), values)
        check(lambda x: np.median(x, axis, keepdims=True), values)
        check(lambda x: np.quantile(x, 0.3, axis), values)
        check(lambda x: np.percentile(x, [[0, 50, 90.5]], axis, keepdims=True), values)
    with pytest.raises(ValueError, match=r"Percentiles must be in the range \[0, 100\]"):
        np.percentile(xp.asarray(ROWS), 101)
    with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
        np.quantile(xp.asarray(ROWS), -0.5)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("count", [0, 1, 3, 8, 33])
def test_searching(side: Any, count: int) -> None:
    """In arrays of each size around a power of two, for NaN and infinity too."""
    check(lambda x, y: np.searchsorted(x, y, side), ASCENDING[:count], WANTED)
    check(lambda x, y: np.searchsorted(x, y, side), np.sort([*ASCENDING[:count], np.nan]), WANTED)
    order = R.permutation(count)
    values = ASCENDING[:count][order]
    check(lambda x, y, z: np.searchsorted(x, y, side, z), values, WANTED, np.argsort(order))
    whole = np.arange(count, dtype=np.uint8)
    check(lambda x, y: np.searchsorted(x, y, side), whole, np.asarray([[-3, 0], [2, 400]]))


@pytest.mark.parametrize("count", [1, 2, 33])
def test_interpolation(count: int) -> None:
    """Between the points, at them, and beyond them."""
    points, values = ASCENDING[:count], R.normal(size=count).astype(np.float32)
    given = WANTED[np.isfinite(WANTED)]
    check(np.interp, np.append(given, np.float32(np.nan)), points, values)
    check(lambda x, y, z: np.interp(x, y, z, -5.0, 7.0), given, points, values)
    with pytest.raises(ValueError, match="fp and xp are not of the same length"):
        np.interp(xp.asarray(given), points, [1.0] * 99)


@pytest.mark.parametrize(
    "bins", [5, [0, 1, 2.5, 3], np.linspace(-1, 1, 12)], ids=["a number", "edges", "of float64"]
)
def test_histograms(bins: Any) -> None:
    """Of floats and integers, with a range and without."""
    whole = R.integers(-9, 9, 500)
    for values in (R.normal(size=500).astype(np.float32), whole, whole.astype(np.int8)):
        check(lambda x: np.histogram(x, bins), values)
        check(lambda x: np.histogram(x, bins, density=True), values)
    if isinstance(bins, int):
        colours = R.integers(0, 256, 500).astype(np.uint8)
        check(lambda x: np.histogram(x, 256, (0, 256)), colours)
        check(lambda x: np.histogram(x, 10, (0, 9)), NUMBERS)
        check(np.histogram, np.zeros(0, np.float32))
        check(np.histogram, np.ones(3, np.float32))


def test_counts() -> None:
    """Of integers, with weights, and of bits."""
    check(np.bincount, NUMBERS)
    check(lambda x: np.bincount(x, minlength=20), NUMBERS.astype(np.uint8))
    check(lambda x, y: np.bincount(x, y), NUMBERS, R.random(100).astype(np.float32))
    check(lambda x: np.bincount(x, minlength=4), NUMBERS[:0])
    with pytest.raises(ValueError, match="'list' argument must have no negative elements"):
        np.bincount(xp.asarray([1, -1]))
    with pytest.raises(ValueError, match="The weights and list don't have the same length"):
        np.bincount(xp.asarray([1, 1]), [1.0])
    for dtype in "bBhHiIlL":
        info = np.iinfo(dtype)
        check(np.bitwise_count, np.asarray([0, 1, 2, 3, 100, info.max, info.min], dtype))
    check(np.bitwise_count, np.asarray([True, False]))


def test_new_numbers() -> None:
    """Parts of floats, below the normal ones as well, and a Bessel function."""
    check(np.frexp, SPECIAL)
    check(np.frexp, ROWS.astype(np.float16))
    check(np.i0, np.asarray([0, 1, -3, 50], np.float32))
    assert np.isfinite(float(np.i0(xp.asarray(90.0))))


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
def test_reduceat(ufunc: Any) -> None:
    """With indices that descend, too."""
    check(lambda x: ufunc.reduceat(x, [0, 5, 3, 4]), ROWS[0])
    check(lambda x: ufunc.reduceat(x, [0, 2, 1], axis=1), ROWS)
    check(lambda x: ufunc.reduceat(x, [0, 2]), np.asarray([1, 2, 3], np.int8))
    with pytest.raises(IndexError, match=r"index 9 out-of-bounds in add.reduceat \[0, 6\)"):
        ufunc.reduceat(xp.asarray(ROWS[0]), [0, 9])


def test_elements_at_other_places() -> None:
    """By indices that NumPy's rules give."""
    for mode in ("wrap", "clip"):
        check(lambda x: np.take(x, [-9, 0, 7, 3], 1, mode=mode), ROWS)  # noqa: B023
        check(lambda x, y: np.take(x, y, mode=mode), ROWS, np.asarray([200, 3], np.uint8))  # noqa: B023
    for mode in ("wrap", "edge", "reflect", "symmetric"):
        for width in (1, 6, (2, 20), ((0, 7), (9, 1))):
            check(lambda x: np.pad(x, width, mode), ROWS)  # noqa: B023
    check(lambda x: np.repeat(x, [1, 0, 2, 1, 3], axis=0), ROWS)
    check(lambda x: np.repeat(x, [2]), ROWS)
    check(lambda x: np.delete(x, [1, 2], 1), ROWS)
    check(lambda x: np.delete(x, np.arange(0, 80, 2)), NUMBERS)
    check(lambda x, y, z: np.choose(x, [y, z]), NUMBERS[:6] % 2, ROWS[0], ROWS)
    check(np.choose, NUMBERS[:6] % 5, ROWS)
    with pytest.raises(ValueError, match="invalid entry in choice array"):
        np.choose(xp.asarray([0, 2]), [xp.asarray([1]), xp.asarray([2])])
    for trim in ("fb", "f", "b"):
        for values in ([0, 0, 1, 2, 0, 3, 0], [0, 0], [1]):
            check(lambda x: np.trim_zeros(x, trim), np.asarray(values))  # noqa: B023
        check(lambda x: np.trim_zeros(x, trim), BLOCK)  # noqa: B023
        check(lambda x: np.trim_zeros(x, trim, axis=1), BLOCK)  # noqa: B023
        check(lambda x: np.trim_zeros(x, trim), BLOCK * 0)  # noqa: B023


def test_what_they_read() -> None:
    """A few numbers where a shape or an error depends on them, and no array."""
    values = xp.asarray(np.arange(5000, dtype=np.int32)) % 7
    xp.eval(values)
    for call, most in (
        (lambda: np.bincount(values), 8),
        (lambda: np.histogram(values)[0], 8),
        (lambda: np.choose(values % 2, [values, 0]), 4),
        (lambda: np.trim_zeros(values), 17),
        (lambda: xp.sort(values[:1000]), 0),
        (lambda: xp.searchsorted(values[:6], values), 0),
        (lambda: np.interp(values, [0.0, 6.0], [1.0, 2.0]), 0),
    ):
        before = xp.stats()["downloaded_bytes"]
        xp.eval(call())
        assert xp.stats()["downloaded_bytes"] - before <= most


def test_long_rows_are_sorted_on_the_host() -> None:
    """The work of a count grows with the square of the length."""
    for call in (xp.sort, xp.argsort, np.median, lambda x: xp.percentile(x, 5)):
        with pytest.raises(NotImplementedError, match="has no kernel"):
            call(xp.arange(1025))
