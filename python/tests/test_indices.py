"""Arrays of indices take elements on the GPU, and give what NumPy gives: values, shapes, errors."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import has_float64

import indim as xp
from indim import _indices
from indim._dtypes import DTYPES

TYPES = [name for name in DTYPES if name != "f64"] + (["f64"] if has_float64() else [])
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.fixture(autouse=True)
def rule() -> Iterator[None]:
    """Forbid the host."""
    before = xp.set_host_fallback("error")
    yield
    xp.set_host_fallback(before)


def lazy(values: Any) -> xp.Array:
    """Return an array whose bytes are not on the host."""
    x = xp.asarray(values)
    return xp.concat([x[None], x[None]], axis=0)[0] if x.size else x


def random_shape(source: random.Random, rank: int) -> tuple[int, ...]:
    return tuple(source.choice([1, 2, 3, 4]) for _ in range(rank))


def random_key(source: random.Random, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Return a key with arrays of indices, those of NumPy, and the same key of indim's arrays."""
    broadcast = random_shape(source, source.randint(0, 2))
    host: list[Any] = []
    ours: list[Any] = []
    for size in shape[: source.randint(1, len(shape))]:
        kind = source.random()
        if kind < 0.6:
            # Of a shape that broadcasts with those of the others.
            own = tuple(each if source.random() < 0.8 else 1 for each in broadcast)
            own = own[source.randint(0, len(own)) :] if source.random() < 0.3 else own
            type_ = source.choice(INTEGERS)
            low = -size if type_[0] == "i" else 0
            count = int(np.prod(own, dtype=int))
            values = np.asarray([source.randrange(low, size) for _ in range(count)], type_)
            values = values.reshape(own)
            host.append(values)
            ours.append(source.choice([lazy, xp.asarray, lambda same: same])(values))
            continue
        basic = slice(None, None, source.choice([1, -1, 2])) if kind < 0.85 else size - 1
        host.append(basic)
        ours.append(basic)
    whole = len(host) == len(shape)
    for extra, chance in ((None, 0.2), (..., 0.3)):
        if source.random() < chance:
            # What comes after an ellipsis is counted from the last dimension.
            place = source.randint(0, len(host)) if whole or extra is None else len(host)
            host.insert(place, extra)
            ours.insert(place, extra)
    return tuple(host), tuple(ours)


@pytest.mark.parametrize("name", TYPES)
def test_random_keys(name: str) -> None:
    """Of all types, with indices of all types, on either side, among slices, integers and None."""
    source = random.Random(name)
    for _ in range(12):
        shape = random_shape(source, source.randint(1, 4))
        values = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 8
        values = values.astype(DTYPES[name])
        host, ours = random_key(source, shape)
        expected = np.asarray(values[host])
        found = lazy(values)[ours]
        assert found.dtype == expected.dtype and found.shape == expected.shape, (shape, host)
        assert np.array_equal(np.asarray(found), expected), (shape, host)


def test_random_takes() -> None:
    """Along each axis, also of an array of indices as such, by its method and by NumPy's name."""
    source = random.Random(7)
    for _ in range(12):
        shape = random_shape(source, source.randint(1, 3))
        values = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
        axis = source.randrange(-len(shape), len(shape))
        own = random_shape(source, source.randint(0, 2))
        indices = np.random.default_rng(source.randrange(99)).integers(
            -shape[axis], shape[axis], own
        )
        expected = np.take(values, indices, axis)
        for make in (lazy, xp.asarray, lambda same: same):
            x, given = lazy(values), make(indices)
            assert np.array_equal(xp.take(x, given, axis=axis), expected)
            assert np.array_equal(x.take(given, axis), expected)
            assert np.array_equal(np.take(x, given, axis), expected)


def test_random_takes_along_an_axis() -> None:
    """With sizes of 1 on either side, and flattened."""
    source = random.Random(8)
    for _ in range(20):
        shape = random_shape(source, source.randint(1, 3))
        values = np.arange(np.prod(shape, dtype=int), dtype=np.int16).reshape(shape)
        axis = source.randrange(-len(shape), len(shape))
        own = [size if source.random() < 0.7 else 1 for size in shape]
        own[axis] = source.randint(0, 5)
        indices = np.random.default_rng(source.randrange(99)).integers(
            -shape[axis], shape[axis], own, dtype=source.choice(["int8", "int32", "int64"])
        )
        expected = np.take_along_axis(values, indices, axis)
        for make in (lazy, xp.asarray, lambda same: same):
            found = xp.take_along_axis(lazy(values), make(indices), axis=axis)
            assert found.shape == expected.shape and np.array_equal(found, expected)
    flat = np.take_along_axis(lazy(values), lazy(np.asarray([0, -1])), None)
    assert flat.tolist() == [0, values.size - 1]


def test_empty_indices() -> None:
    """Lists too, of an axis without elements as well."""
    values = np.zeros((3, 0, 2), np.float32)
    x = lazy(values)
    for key in ([], np.zeros((0, 4), np.int64), (slice(None), []), ([0], slice(None), [[1], [0]])):
        assert x[key].shape == values[key].shape
    assert xp.take(x, [], axis=1).shape == (3, 0, 2)
    assert xp.asarray([1.0, 2.0])[[]].shape == (0,)


@pytest.mark.parametrize("make", [lazy, xp.asarray, lambda same: same, lambda same: same.tolist()])
@pytest.mark.parametrize(
    "key",
    [
        ([3],),
        ([0, 1, -4, 7],),
        (slice(None), [[0], [4]]),
        ([0, 9], [0, 9]),
        ([0, 1], [0, -9]),
        ([0, 1], [0, 1, 2]),
        ([0], [0], [0]),
        ([0.5],),
        ([0], slice(None), None, slice(None)),
        ([0], 7),
        ([0], "a"),
        ([0], ..., ...),
    ],
)
def test_wrong_keys(make: Callable[[np.ndarray], Any], key: tuple[Any, ...]) -> None:
    """The error is NumPy's, word for word, and comes before anything is computed of it."""
    values = np.zeros((3, 4), np.float32)
    with pytest.raises(IndexError) as said:
        values[tuple(np.asarray(item) if isinstance(item, list) else item for item in key)]
    with pytest.raises(IndexError) as found:
        lazy(values)[
            tuple(make(np.asarray(item)) if isinstance(item, list) else item for item in key)
        ]
    assert str(found.value) == str(said.value)


@pytest.mark.parametrize("make", [lazy, xp.asarray, lambda same: same])
def test_wrong_takes(make: Callable[[np.ndarray], Any]) -> None:
    """As NumPy's, too."""
    values = np.zeros((3, 4), np.float32)
    none = np.zeros((3, 0), np.float32)
    for call in (
        lambda x, _, i: np.take(x, i([5, 3]), 0),
        lambda x, _, i: np.take(x, i([0, -13])),
        lambda _, x, i: np.take(x, i([0]), 1),
        lambda x, _, i: np.take_along_axis(x, i([[0, 1], [4, 0], [0, -5]]), 1),
        lambda x, _, i: np.take_along_axis(x, i([0, 1]), 1),
        lambda x, _, i: np.take_along_axis(x, i([[0], [1]]), 1),
        lambda x, _, i: np.take_along_axis(x, i([[0.0]]), 1),
        lambda _, x, i: np.take_along_axis(x, i([[0]] * 3), 1),
    ):
        with pytest.raises((IndexError, ValueError)) as said:
            call(values, none, np.asarray)
        with pytest.raises(said.type) as found:
            call(lazy(values), xp.asarray(none), lambda given: make(np.asarray(given)))
        assert str(found.value) == str(said.value)


def test_what_is_read_for_the_checks(dispatches: Callable[[], int]) -> None:
    """One boolean for indices on the GPU, and nothing for others or where none can be wrong."""
    table = lazy(np.arange(600, dtype=np.float32).reshape(300, 2))
    colours = lazy(np.arange(200, dtype=np.int64).astype(np.uint8))
    places = lazy(np.arange(200, dtype=np.int32))
    xp.eval(table, colours, places)
    dispatches()
    for take, checks, bytes_read in (
        (lambda: table[[5, 299]] * 10, 0, 0),
        (lambda: table[np.arange(200)] * 10, 0, 0),
        (lambda: table[colours] * 10, 0, 0),
        (lambda: table[places] * 10, 1, 4),
        (lambda: xp.take(table, places, axis=0).sum(axis=0), 1, 4),
        (lambda: table[places, [1]] * 10, 1, 4),
        (lambda: table[places, places % 2] * 10, 3, 4),
    ):
        before = xp.stats()["downloaded_bytes"]
        found = take()
        assert dispatches() <= checks
        xp.eval(found)
        assert dispatches() == 1
        assert xp.stats()["downloaded_bytes"] - before <= bytes_read
    assert np.array_equal(table[places].sum(axis=0), np.asarray(table)[:200].sum(0))


def test_indices_are_computed_once(dispatches: Callable[[], int]) -> None:
    """The check and the take share them, though they are costly."""
    x = lazy(np.random.default_rng(9).random((50, 40)).astype(np.float32))
    xp.eval(x)
    dispatches()
    best = xp.argmax(x, axis=1, keepdims=True)
    found = xp.take_along_axis(x, best, axis=1)
    xp.eval(found)
    assert np.array_equal(found, np.asarray(x).max(1, keepdims=True))


def test_copies_are_no_views() -> None:
    """An assignment to what indices took leaves the array as it is."""
    x = lazy(np.zeros((3, 4), np.float32))
    y = x[[0, 1]]
    y[0] = 5
    assert x.tolist() == [[0] * 4] * 3 and y[0].tolist() == [5] * 4


def test_the_host_takes_from_large_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter need not be able to bind them."""
    values = np.arange(7000, dtype=np.float32).reshape(1000, 7)
    places = np.asarray([[999, 0, 333], [-1, 334, 666]])
    monkeypatch.setattr(_indices, "MOST_BYTES", 1000)
    x = lazy(values)
    for call in (
        lambda x, i: x[i] + 1,
        lambda x, i: np.take(x, i, 0),
        lambda x, i: np.take_along_axis(x, i[:1, :1], 0),
    ):
        with pytest.raises(NotImplementedError, match="has no kernel"):
            call(x, places)
    xp.set_host_fallback("allow")
    assert np.array_equal(x[places, 2:5] + 1, values[places, 2:5] + 1)
    assert np.array_equal(
        np.take(x, places, 0, mode="clip"), np.take(values, places, 0, mode="clip")
    )
    assert np.array_equal(np.take(x, places, 0), values[places])
    chosen = np.asarray([[5, 999, 333, 334, 666, 667, -1000]])
    expected = np.take_along_axis(values, chosen, 0)
    assert np.array_equal(np.take_along_axis(x, chosen, 0), expected)
