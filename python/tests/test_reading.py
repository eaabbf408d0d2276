"""Only printed or indexed elements are read from the GPU."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

import indim as xp


def on_gpu(values: np.ndarray) -> xp.Array:
    """Return an evaluated array whose bytes are not on the host."""
    x = xp.asarray(values)
    x = x + xp.zeros_like(x) if values.dtype != bool else x ^ xp.zeros_like(x)
    xp.eval(x)
    return x


def bytes_read(look: Callable[[], object]) -> int:
    """Return the number of bytes that come from the GPU while something is looked at."""
    before = xp.stats()["downloaded_bytes"]
    look()
    return xp.stats()["downloaded_bytes"] - before


FOUR_MILLION = np.arange(4_000_000, dtype=np.float32)


@pytest.mark.parametrize("look", [str, repr, "{}".format])
def test_printing_reads_the_corners(look: Callable[[object], str]) -> None:
    """Six numbers of four million, or three by three at each corner of a matrix."""
    x, y = on_gpu(FOUR_MILLION), on_gpu(FOUR_MILLION.reshape(2000, 2000))
    assert bytes_read(lambda: look(x)) <= 6 * 4
    assert bytes_read(lambda: look(y)) <= 36 * 4
    assert look(x) == look(FOUR_MILLION) and look(y) == look(FOUR_MILLION.reshape(2000, 2000))


def test_indexing_by_lists_reads_what_it_takes() -> None:
    """Rows, columns, single elements, and those of masks that take few."""
    values = FOUR_MILLION.reshape(2000, 2000)
    x = on_gpu(values)
    few = np.zeros(2000, bool)
    few[[7, 8, 1500]] = True
    for key, most in (
        ([1, 2], 2 * 2000),
        ([0, 1999, 1000, 0], 3 * 2000),
        ((slice(None), [5, -1]), 2 * 2000),
        (([0, 1999], [3, 700]), 4),
        ((slice(None, None, 500), [3, 700]), 8),
        ((slice(None, None, -500), None, [700, 3]), 8),
        ((5, np.asarray([[1, 2], [3, 4]])), 4),
        (few, 3 * 2000),
        ((few, few), 9),
        ((Ellipsis, few), 3 * 2000),
        ((xp.asarray([1, 2]), 3), 2),
        ([], 0),
        ((slice(0, 0), [1]), 0),
    ):
        items = key if isinstance(key, tuple) else (key,)
        host = tuple(np.asarray(item) if isinstance(item, xp.Array) else item for item in items)
        expected = values[host if isinstance(key, tuple) else host[0]]
        assert bytes_read(lambda key=key: x[key]) <= most * 4 + 16, key
        assert np.array_equal(x[key], expected), key
    # Indices take on the GPU, however many they are. A mask that takes most reads all, once.
    assert bytes_read(lambda: x[np.arange(1999)]) == 0
    most = np.arange(2000) != 7
    assert bytes_read(lambda: x[most]) == values.nbytes
    assert bytes_read(lambda: x[most]) == 0


def test_a_part_reads_itself() -> None:
    """A row, an element, and the first of those that a loop takes."""
    values = FOUR_MILLION.reshape(2000, 2000)
    x, flat = on_gpu(values), on_gpu(FOUR_MILLION)
    assert bytes_read(lambda: float(flat[77])) == 4
    assert bytes_read(lambda: x[5].tolist()) == 8000
    assert bytes_read(lambda: flat.item(77)) == 4
    assert bytes_read(lambda: x.item(-1)) == bytes_read(lambda: x.item(7, 8)) == 4
    assert x.item(-1) == values.item(-1) and x.item(7, 8) == x.item((7, 8)) == values.item(7, 8)
    for index in ((4_000_000,), (0, 0, 0), (2000, 0)):
        with pytest.raises((IndexError, ValueError)) as numpys:
            values.item(*index)
        with pytest.raises(numpys.type, match=str(numpys.value).replace("(", r"\(")):
            x.item(*index)
    assert bytes_read(lambda: next(iter(flat))) == 4
    assert bytes_read(lambda: next(iter(x)).tolist()) == 8000


@pytest.mark.parametrize("shape", [(3000,), (3000, 2), (70, 30, 2), (3, 2000), (2000, 0), (0, 5)])
def test_a_loop_over_rows_reads_each_once(shape: tuple[int, ...]) -> None:
    """In few readings where the rows are small."""
    values = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    x = on_gpu(values)
    rows: list[xp.Array] = []
    assert bytes_read(lambda: rows.extend(x)) <= values.nbytes
    assert len(rows) == len(values)
    for row, expected in zip(rows, values, strict=True):
        assert row.shape == expected.shape and np.array_equal(row, expected)


def test_assigning_to_indices_reads_what_lies_between_them() -> None:
    """The rest of the array stays on the GPU."""
    values = FOUR_MILLION.reshape(2000, 2000).copy()
    x = on_gpu(values)

    def assign() -> None:
        x[[3, 1, 5]] = -1.0
        x[[10, 12], [1, 3]] = xp.asarray([-2.0, -3.0])
        x[::-500, [4, 2]] = np.asarray([-4, -5], np.float32)

    assert bytes_read(assign) <= (5 * 2000 + 9 + 12) * 4
    values[[3, 1, 5]] = -1
    values[[10, 12], [1, 3]] = [-2, -3]
    values[::-500, [4, 2]] = [-4, -5]
    assert np.array_equal(x, values)


def test_random_arrays_print_as_numpys() -> None:
    """Of every type and many shapes, under options of NumPy's."""
    source, random_values = random.Random(9), np.random.default_rng(9)
    types = [np.float32, np.int8, np.uint64, bool, np.complex64, np.float16, xp.bfloat16]
    for _ in range(40):
        rank = source.randint(1, 4)
        shape = tuple(source.choice([1, 2, 5, 6, 7, 8, 40]) for _ in range(rank))
        values = random_values.standard_normal(shape) * 10 ** source.randint(0, 5)
        values = np.abs(values).astype(np.float32).astype(source.choice(types))
        x = on_gpu(values)
        options = {
            "threshold": source.choice([10, 100, 1000]),
            "edgeitems": source.randint(1, 4),
            "linewidth": source.choice([20, 75, 120]),
            "precision": source.choice([2, 8]),
            "sign": source.choice("- +"),
        }
        with np.printoptions(**options):
            assert repr(x) == repr(values), (shape, values.dtype, options)
            assert str(x) == str(values), (shape, values.dtype, options)


def random_index(source: random.Random, size: int, shape: tuple[int, ...]) -> object:
    """Return a list, an array or a mask for a dimension of a size."""
    kind = source.random()
    if kind < 0.2:
        mask = np.zeros(size, bool)
        mask[[source.randrange(size) for _ in range(int(np.prod(shape)))]] = True
        return mask
    index = np.asarray([source.randrange(-size, size) for _ in range(int(np.prod(shape)))]).reshape(
        shape
    )
    return index.tolist() if kind < 0.6 else index


def test_random_keys_with_arrays() -> None:
    """Lists, arrays and masks among slices, integers, None and an ellipsis."""
    source = random.Random(8)
    good = 0
    for _ in range(120):
        shape = tuple(source.choice([1, 12, 40]) for _ in range(source.randint(1, 4)))
        values = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        common = source.choice([(1,), (2,), (3,), (2, 2)])
        items: list[object] = []
        for size in shape[: source.randint(1, len(shape))]:
            kind = source.random()
            if kind < 0.4:
                items.append(random_index(source, size, common))
            elif kind < 0.6:
                items.append(source.randrange(-size, size))
            else:
                ends = [None, *range(-size - 1, size + 2)]
                step = source.choice([None, 1, 2, 7, -1, -3])
                items.append(slice(source.choice(ends), source.choice(ends), step))
        if source.random() < 0.2:
            items.insert(source.randint(0, len(items)), None)
        if source.random() < 0.3:
            items.append(...)
        key = tuple(items)
        x = on_gpu(values)
        try:
            expected = values[key]
        except IndexError as error:
            with pytest.raises(type(error)):
                x[key]
            continue
        good += 1
        assert np.array_equal(x[key], expected), (shape, key)
        assert x[key].shape == expected.shape
        if values.size > 1024:
            y, changed = on_gpu(values), values.copy()
            changed[key] = -5
            y[key] = xp.asarray(-5, dtype=xp.int32)
            assert np.array_equal(y, changed), (shape, key)
    assert good > 40
