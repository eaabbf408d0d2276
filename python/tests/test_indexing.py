"""Indexing gives what NumPy's gives, read or lazy, and so does assigning."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import numpy as np
import pytest

import indim as xp
from indim._temporaries import MOST


def lazy(values: np.ndarray) -> xp.Array:
    """Return an array whose bytes are not on the host."""
    x = xp.asarray(values)
    return x + xp.zeros_like(x)


def random_key(source: random.Random, shape: tuple[int, ...]) -> object:
    """Return integers, slices of any step, None and an ellipsis for a shape."""
    items: list[object] = []
    for size in shape[: source.randint(0, len(shape))]:
        if size and source.random() < 0.3:
            items.append(source.randint(-size, size - 1))
        else:
            ends = [None, *range(-size - 2, size + 3)]
            step = source.choice([None, 1, 2, 3, -1, -2, -3])
            items.append(slice(source.choice(ends), source.choice(ends), step))
    if source.random() < 0.3:
        items.insert(source.randint(0, len(items)), None)
    if source.random() < 0.3:
        items.append(...)
    return tuple(items) if len(items) != 1 or source.random() < 0.5 else items[0]


@pytest.mark.parametrize("make", [xp.asarray, lazy])
def test_random_views(make: Callable[[np.ndarray], xp.Array]) -> None:
    """Three hundred keys on arrays of up to three dimensions, empty ones too."""
    source = random.Random(5)
    for _ in range(300):
        shape = tuple(source.randint(0, 5) for _ in range(source.randint(0, 3)))
        values = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
        key = random_key(source, shape)
        found = make(values)[key]
        assert found.shape == values[key].shape, (shape, key)
        assert np.array_equal(found, values[key]), (shape, key)


@pytest.mark.parametrize("make", [xp.asarray, lazy])
def test_random_assignments(make: Callable[[np.ndarray], xp.Array]) -> None:
    """A scalar, or values that broadcast, given to the elements of random keys."""
    source = random.Random(6)
    for _ in range(150):
        shape = tuple(source.randint(0, 5) for _ in range(source.randint(0, 3)))
        values = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
        key = random_key(source, shape)
        part = values[key].shape
        given = -np.arange(1, 1 + np.prod(part[1:], dtype=int), dtype=np.int32).reshape(part[1:])
        x, expected = make(values), values.copy()
        if source.random() < 0.3:
            x[key] = -7
            expected[key] = -7
        else:
            x[key] = lazy(given) if source.random() < 0.5 else given
            expected[key] = given
        assert np.array_equal(x, expected), (shape, key)


@pytest.mark.parametrize("make", [xp.asarray, lazy])
def test_masks_and_arrays_of_indices(make: Callable[[np.ndarray], xp.Array]) -> None:
    """The host reads these."""
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = make(values)
    mask = x > 4
    assert np.array_equal(x[mask], values[values > 4])
    assert np.array_equal(x[np.asarray([True, False, True])], values[[0, 2]])
    assert np.array_equal(x[xp.asarray([2, 0]), xp.asarray([1, -1])], values[[2, 0], [1, -1]])
    assert np.array_equal(x[[1, 1]], values[[1, 1]])
    assert x[xp.asarray(True)].shape == (1, 3, 4)
    x[mask] = 0
    assert np.array_equal(x, np.where(values > 4, 0, values))
    y = make(values)
    y[xp.asarray([0, 2])] = xp.asarray([1, 2, 3, 4])
    assert y.tolist() == [[1, 2, 3, 4], [4, 5, 6, 7], [1, 2, 3, 4]]
    y[y == 4] = xp.asarray([40.0, 41.0, 42.0])
    assert y.tolist() == [[1, 2, 3, 40], [41, 5, 6, 7], [1, 2, 3, 42]]


def test_a_mask_assigns_a_scalar_without_the_host(dispatches: Callable[[], int]) -> None:
    """It is a select, so nothing is evaluated."""
    x = lazy(np.arange(4, dtype=np.float32))
    x[x > 1] = 0
    assert dispatches() == 0
    assert x.tolist() == [0, 1, 0, 0]


def test_indexing_what_was_read_costs_no_dispatch(dispatches: Callable[[], int]) -> None:
    """Nor does turning elements into Python's numbers."""
    x = lazy(np.arange(6, dtype=np.int32).reshape(2, 3))
    x.tolist()
    assert dispatches() > 0
    assert int(x[1, 2]) == 5 and x[0].tolist() == [0, 1, 2] and float(x[1, 0]) == 3
    assert [int(one) for row in x for one in row] == [0, 1, 2, 3, 4, 5]
    x[0, 0] = 9
    assert int(x[0, 0]) == 9
    assert dispatches() == 0


@pytest.mark.parametrize("make", [xp.asarray, lazy])
@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (3, IndexError, "index 3 is out of bounds for axis 0 with size 3"),
        ((0, -5), IndexError, "index -5 is out of bounds for axis 1 with size 4"),
        ((0, 0, 0), IndexError, "too many indices for array: array is 2-dimensional, but 3"),
        ((..., ...), IndexError, "an index can only have a single ellipsis"),
        (1.5, IndexError, "only integers, slices"),
        ("a", IndexError, "only integers, slices"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (np.ones(5, bool), IndexError, "boolean index did not match indexed array along axis 0"),
        (np.ones((3, 4, 1), bool), IndexError, "too many indices for array"),
    ],
)
def test_wrong_keys(
    make: Callable[[np.ndarray], xp.Array], key: object, error: type[Exception], message: str
) -> None:
    """They raise what NumPy raises, from reading and from assigning."""
    x = make(np.zeros((3, 4), np.float32))
    with pytest.raises(error, match=message):
        x[key]  # type: ignore[index]
    with pytest.raises(error, match=message):
        x[key] = 1  # type: ignore[index]
    assert x.tolist() == [[0] * 4] * 3


def test_wrong_values() -> None:
    """Values that do not fit the elements or the type are refused."""
    x = lazy(np.zeros((3, 4), np.int8))
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(3,\)"):
        x[0] = xp.asarray([1, 2, 3])
    with pytest.raises(OverflowError, match="300"):
        x[0] = 300
    with pytest.raises(TypeError, match="complex values cannot be assigned to an array of int8"):
        x[0] = xp.asarray([1j] * 4)
    with pytest.raises(TypeError, match="complex"):
        x[0, 0] = 1j
    x[1] = [1, 2, 3, 4]
    assert x.tolist() == [[0] * 4, [1, 2, 3, 4], [0] * 4]


@pytest.mark.skipif(MOST < 0, reason="this interpreter counts no references to what is dropped")
def test_an_assignment_that_is_lost_is_refused() -> None:
    """Where the array that it changes is a copy that is dropped right after it, nowhere else."""
    x = lazy(np.zeros((3, 4), np.float32))
    for lost in ("(x + 1)[0] = 5", "x[x == 0][1] = 5", "x[[0, 1]][0] = 5", "x.copy()[0] += 1"):
        with pytest.raises(ValueError, match="this assignment changes an array that nobody keeps"):
            exec(lost, {"x": x})
    assert x.tolist() == [[0] * 4] * 3

    class Holder:
        def __init__(self, row: xp.Array) -> None:
            self.row = row

    def assign(row: xp.Array) -> None:
        row[0] = 2

    assign(x + 1)
    rows = [x + 1, x + 2]
    rows[1][0] = 7
    holder = Holder(x + 1)
    holder.row[0] = 8
    operator.setitem(x + 1, 0, 9)
    (lambda it: it.__setitem__(0, 1))(x + 1)
    exec("y = x + 1; y[0] = 1", {"x": x})
    exec("for y in [x + 1]: y[0] = 1", {"x": x})
    assert x.tolist() == [[0] * 4] * 3
