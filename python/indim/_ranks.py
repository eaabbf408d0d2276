"""Orders of short rows, by counting for each element those before it: two reductions, no host."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from . import _core
from ._array import Array, wrap
from ._creation import arange
from ._dtypes import BOUNDS
from ._elementwise import bitwise_invert, isnan
from ._reductions import sum
from ._rules import cast
from ._selection import where

MOST_PAIRS: Final = 1 << 24
"""Orders and counts of more pairs of elements than these are left to the host."""

_LONGEST: Final = 1024
"""Longer rows are, too: the work grows with the square of the length."""


def order(x: Array, descending: bool = False) -> Array | None:
    """Return the places of the elements in ascending order along the last axis, in int32.

    NaN is the largest number, and equal elements keep their order. It is None for complex numbers
    and for too long rows.
    """
    size = x.shape[-1]
    if x._x.dtype == "c64" or size > _LONGEST or x.size * size > MOST_PAIRS:
        return None
    key = bitwise_invert(_key(x)) if descending else _key(x)
    here, other = key[..., :, None], key[..., None, :]
    places = arange(size, dtype=np.int32)
    before = where(places < places[:, None], other <= here, other < here)
    ranks = sum(before.astype(np.int32), axis=-1, dtype=np.int32)
    chosen = ranks[..., None, :] == places[:, None]
    return sum(where(chosen, places, 0), axis=-1, dtype=np.int32)


def sorted_last(x: Array, descending: bool = False) -> Array | None:
    """Return the elements in order along the last axis, or None as `order`."""
    found = order(x, descending)
    if found is None:
        return None
    return wrap(_core.take_along_dimension(x._x, found._x, x.ndim - 1))


def _key(x: Array) -> Array:
    """Return integers with the order of the elements."""
    name = x._x.dtype
    if name in ("pred", "s4", "u4"):
        return x.astype(np.int8)
    if name not in ("f16", "bf16", "f32", "f64"):
        return x
    # The bits of a float grow with its size, and the sign turns that around.
    wide, name = ("f64", "s64") if name == "f64" else ("f32", "s32")
    bits = wrap(_core.bitcast(cast(x._x, wide), name))
    low, high = BOUNDS[name]
    turned = where(bits < 0, bits ^ high, bits)
    return where(isnan(x), high, where(bits == low, 0, turned))


def positions(values: Array, wanted: Array, side: str) -> Array:
    """Return how many elements of a sorted array come before each wanted one, in int32.

    They are found by halving, in one kernel, which reads one element for each step.
    """
    size = values.size
    found: Any = wanted._namespace.zeros(wanted.shape, dtype=np.int32)
    step = 1 << size.bit_length() >> 1
    while step:
        probe = found + step
        element = wrap(_core.take(values._x, (probe - 1)._x, 0))
        is_before = _less(element, wanted) if side == "left" else ~_less(wanted, element)
        found = where((probe <= size) & is_before, probe, found)
        step >>= 1
    return found


def _less(x: Array, y: Array) -> Array:
    """Return `x < y`, where NaN is the largest number."""
    return (x < y) | (isnan(y) & ~isnan(x))
