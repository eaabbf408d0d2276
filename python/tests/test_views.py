"""Views are NumPy's: what is written into one of them is in its base and in the others."""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import indim as xp

VIEWS: list[Callable[[Any, Any], Any]] = [
    lambda m, x: x[1:],
    lambda m, x: x[::-1],
    lambda m, x: x[..., ::2],
    lambda m, x: x[:, None],
    lambda m, x: x[0] if x.ndim > 2 else x[:2],
    lambda m, x: x.T,
    lambda m, x: x.reshape(-1, x.shape[-1]) if x.flags.c_contiguous else x.T,
    lambda m, x: m.flip(x, axis=0),
    lambda m, x: m.expand_dims(x, 0),
    lambda m, x: m.squeeze(m.expand_dims(x, 1)),
    lambda m, x: m.moveaxis(x, 0, -1),
]


class Both:
    """An array of NumPy, beside one of indim that has the same history."""

    def __init__(self, theirs: np.ndarray, ours: xp.Array) -> None:
        self.theirs, self.ours = theirs, ours

    @property
    def flags(self) -> Any:
        return self.theirs.flags

    def check(self) -> None:
        np.testing.assert_array_equal(np.asarray(self.ours), self.theirs)


def viewed(draw: random.Random, both: Both) -> Both | None:
    """Return a view of both arrays; None where NumPy makes a copy."""
    make = draw.choice(VIEWS)
    if both.theirs.ndim < 2 or 0 in both.theirs.shape or both.theirs.ndim > 5:
        return None
    theirs = make(np, both.theirs)
    if not np.shares_memory(theirs, both.theirs) or theirs.size == 0:
        return None
    ours = both.ours
    # The functions ask NumPy's array whether it is contiguous.
    if make is VIEWS[6]:
        made = ours.reshape(-1, ours.shape[-1]) if both.flags.c_contiguous else ours.T
        return Both(theirs, made)
    return Both(theirs, make(xp, ours))


def write(draw: random.Random, both: Both) -> None:
    """Write into both arrays, by one of the ways that there are."""
    value = draw.randrange(100)
    way = draw.randrange(4)
    for x in (both.theirs, both.ours):
        if way == 0:
            x[...] = value
        elif way == 1:
            x[0] = value
        elif way == 2:
            x += value
        else:
            x[:1] *= 3


@pytest.mark.parametrize("seed", range(40))
def test_random_histories(seed: int) -> None:
    """Views of views, of which some are written to; all have NumPy's values after each write."""
    draw = random.Random(seed)
    values = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    large = draw.random() < 0.3
    ours = xp.asarray(values) + 0 if large else xp.asarray(values)
    arrays = [Both(values, ours)]
    for _ in range(14):
        if draw.random() < 0.55:
            made = viewed(draw, draw.choice(arrays))
            if made is not None:
                arrays.append(made)
        else:
            write(draw, draw.choice(arrays))
            for each in arrays:
                each.check()


def test_one_level_of_view_works() -> None:
    """As statements, with names, and in loops over the rows."""
    x = xp.zeros((3, 4), dtype=xp.int32)
    x[0][1] = 5
    x.T[0] = 1
    x.reshape(-1)[-2:] = 3
    x[1][2] += 7
    x[2:][0][1:][0] = 4
    x[2][0] -= 1
    row = x[0]
    row[3] = 9
    row *= 2
    assert x.tolist() == [[2, 10, 0, 18], [1, 0, 7, 0], [0, 4, 3, 3]]
    for number, each in enumerate(x):
        each += number
    assert x.tolist() == [[2, 10, 0, 18], [2, 1, 8, 1], [2, 6, 5, 5]]
    x[0, 0] = -1
    assert row.tolist() == [-1, 10, 0, 18]
    for part in xp.unstack(x, axis=1):
        part[0] = 0
    assert x[0].tolist() == row.tolist() == [0, 0, 0, 0]


def test_copies_are_separate() -> None:
    """Of everything that NumPy copies."""
    x = xp.arange(6).reshape(2, 3)
    for copy in (x.copy(), x + 0, x[[0, 1]], x[x >= 0], x.flatten(), xp.reshape(x, 6, copy=True)):
        copy[0] = 7
        copy += 1
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_augmented_assignment_to_a_part_computes_once() -> None:
    """`x[key] += y` writes the view, and assigning the view to its own place does nothing."""
    x = xp.asarray(np.zeros((64, 64), np.float32)) + 1
    xp.eval(x)
    x[1:3] += 1
    explained = str(xp.explain(x))
    y = xp.asarray(np.zeros((64, 64), np.float32)) + 1
    xp.eval(y)
    y[1:3] = y[1:3] + 1
    assert explained == str(xp.explain(y))
    assert float(xp.sum(x)) == 64 * 64 + 128


def test_a_view_keeps_no_memory_of_its_base() -> None:
    """A base that nobody names is freed, as are links to views that are gone."""
    x = xp.asarray(np.ones(1 << 20, np.float32)) + 1
    xp.eval(x)
    small = x[:10] * 1
    view = x[:4]
    xp.eval(small, view)
    before = xp.memory()["in_use"]
    del x
    gc.collect()
    assert xp.memory()["in_use"] <= before - (4 << 20)
    view[0] = 7
    assert view.tolist() == [7, 2, 2, 2]
    y = xp.zeros(4)
    for _ in range(1000):
        y[1:]
    assert len(y._views) < 40


def test_threads_take_views_of_one_array() -> None:
    """None is forgotten when the array changes."""
    x = xp.asarray(np.zeros(4000, np.float32)) + 1
    xp.eval(x)
    kept: list[xp.Array] = []

    def take() -> None:
        for index in range(300):
            kept.append(x[index : index + 3])
            for _ in range(4):
                x[1:]

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    x[...] = 7
    assert len(kept) == 1800
    assert all(view.tolist() == [7, 7, 7] for view in kept)
