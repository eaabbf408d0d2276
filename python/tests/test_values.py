"""Assigning changes an array and its views, as NumPy's, and no copy of it."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import indim as xp


def lazy(values: object) -> xp.Array:
    """Return an array whose bytes are not on the host, so that views of it are lazy."""
    x = xp.asarray(values)
    return x + xp.zeros_like(x)


@pytest.mark.parametrize("make", [xp.asarray, lazy])
def test_assigning_changes_views_and_no_copy(make: object) -> None:
    """As NumPy's."""
    x = make([[1.0, 2.0], [3.0, 4.0]])  # type: ignore[operator]
    row, turned, same, copied = x[0], x.T, x, copy.copy(x)
    x[0, :] = 9
    assert x.tolist() == same.tolist() == [[9, 9], [3, 4]]
    assert row.tolist() == [9, 9]
    assert turned.tolist() == [[9, 3], [9, 4]]
    assert copied.tolist() == copy.deepcopy(copied).tolist() == [[1, 2], [3, 4]]
    row[1] = -1
    assert row.tolist() == [9, -1] and x.tolist() == [[9, -1], [3, 4]]


@pytest.mark.parametrize("make", [xp.asarray, lazy])
def test_augmented_assignment_is_of_one_object(make: object) -> None:
    """All names of the object see it, and views; the type stays."""
    x = make([1, 2, 3])  # type: ignore[operator]
    name, view = x, x[1:]
    x += 1
    x *= xp.asarray([1, 10, 100])
    assert name is x and x.tolist() == [2, 30, 400] and view.tolist() == [30, 400]
    x -= 1
    x //= 2
    x %= 7
    x <<= 2
    x >>= 1
    x |= 1
    x &= 0xFF
    x ^= 2
    x **= 2
    expected = np.asarray([2, 30, 400])
    expected -= 1
    expected //= 2
    expected %= 7
    expected <<= 2
    expected >>= 1
    expected |= 1
    expected &= 0xFF
    expected ^= 2
    expected **= 2
    assert np.array_equal(x, expected) and x.dtype == expected.dtype


def test_augmented_assignment_keeps_type_and_shape() -> None:
    """Values that the array cannot hold are refused, with NumPy's kinds of errors."""
    x = xp.asarray([1, 2], dtype=xp.int16)
    with pytest.raises(TypeError, match="which an array of int16 cannot hold"):
        x += xp.asarray([0.5, 0.5], dtype=xp.float32)
    with pytest.raises(ValueError, match=r"non-broadcastable output operand with shape \(2,\)"):
        x += xp.zeros((3, 2), dtype=xp.int16)
    assert x.tolist() == [1, 2]
    y = xp.asarray([1.0, 2.0], dtype=xp.float16)
    y += xp.asarray([0.5, 0.5], dtype=xp.float32)
    assert y.dtype == xp.float16 and y.tolist() == [1.5, 2.5]


def test_an_array_of_an_array_is_itself_unless_copied() -> None:
    """`asarray` follows NumPy's."""
    x = xp.asarray([1.0, 2.0])
    assert xp.asarray(x) is x and xp.asarray(x, copy=True) is not x
    assert x.astype(xp.float32, copy=False) is x and x.astype(xp.float32) is not x
    y = x.copy()
    y[0] = 5
    assert x.tolist() == [1, 2]


def test_iteration_and_membership() -> None:
    """Iterating reads the array once and yields views."""
    x = lazy([[1, 2], [3, 4]])
    rows = list(x)
    rows[0][0] = 7
    assert x.tolist() == [[7, 2], [3, 4]] and rows[0].tolist() == [7, 2]
    assert 3 in x and 8 not in x
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(xp.asarray(1))


def test_arrays_have_no_hash() -> None:
    """They change, as NumPy's do."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(xp.asarray(1))
