"""Indexing by masks, and assigning by masks and arrays of integers, on the host.

Only the parts of an array that have such elements are read.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from . import _core
from ._core import Expr
from ._dtypes import DTYPES
from ._host import SMALL, to_numpy

# More parts than these are read as fewer and larger ones.
_MAX_PARTS: Final = 16


@dataclass(slots=True)
class Axis:
    """The ranges of a dimension that an item of a key takes elements from.

    The item is a slice of what lies in them, or indices that are counted in the whole dimension.
    """

    ranges: list[range]
    item: Any

    def size(self) -> int:
        """Return the number of elements in the ranges."""
        return sum(map(len, self.ranges))

    def unite(self) -> None:
        """Make one range of several, which holds them."""
        self.ranges = [range(self.ranges[0].start, self.ranges[-1].stop)]

    def placed(self) -> list[tuple[int, range]]:
        """Return each range with its place in an array of all of them."""
        places = itertools.accumulate(map(len, self.ranges), initial=0)
        return list(zip(places, self.ranges, strict=False))

    def key(self) -> Any:
        """Return the item for an array of the ranges alone."""
        if isinstance(self.item, slice):
            return self.item
        places, starts = zip(*((place, each.start) for place, each in self.placed()), strict=True)
        at = np.searchsorted(starts, self.item, side="right") - 1
        return self.item - np.asarray(starts)[at] + np.asarray(places)[at]


@dataclass(slots=True)
class Part:
    """The part of an array that a key takes elements from, and the key for that part alone."""

    axes: list[Axis]
    items: list[Any]

    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(axis.size() for axis in self.axes)

    def key(self) -> tuple[Any, ...]:
        """Return the key for this part: its items of dimensions, and None where that was."""
        return tuple(item.key() if isinstance(item, Axis) else item for item in self.items)

    def read(self, x: Expr) -> np.ndarray[Any, Any]:
        """Return the elements of an expression."""
        cells = list(itertools.product(*(axis.placed() for axis in self.axes)))
        pieces = [_slice(x, [each for _, each in cell]) for cell in cells]
        # Each by itself, since another number of results would be another kernel.
        for piece in pieces:
            _core.eval([piece])
        if len(pieces) == 1:
            return to_numpy(pieces[0])
        values = [to_numpy(piece) for piece in pieces]
        whole = np.empty([axis.size() for axis in self.axes], values[0].dtype)
        for cell, found in zip(cells, values, strict=True):
            whole[tuple(slice(at, at + len(each)) for at, each in cell)] = found
        return whole


def taken(x: Expr, key: Any) -> np.ndarray[Any, Any]:
    """Return `x[key]` for any NumPy key; raises the same errors as NumPy."""
    if not x.is_read and 0 in (shape := _shape_of(key, x)):
        return np.empty(shape, DTYPES[x.dtype])
    part = _smaller_part(key, x)
    if part is None:
        return np.asarray(to_numpy(x)[key])
    _core.eval([x])
    return np.asarray(part.read(x)[part.key()])


def box_of(key: Any, x: Expr) -> Part | None:
    """Return the part of `x` in the one range of each dimension that a key of NumPy's assigns to.

    It is None where the whole array had better be taken.
    """
    part = _smaller_part(key, x)
    if part is not None:
        for axis in part.axes:
            if len(axis.ranges) > 1:
                axis.unite()
    return None if part is None or 2 * part.size() > x.size else part


def _smaller_part(key: Any, x: Expr) -> Part | None:
    """Return the part of `x` that a key takes, or None where the whole had better be read."""
    if x.is_read or x.size <= SMALL or 0 in _shape_of(key, x):
        return None
    part = part_of(key, x.shape)
    return None if part is None or 2 * part.size() > x.size else part


def _shape_of(key: Any, x: Expr) -> tuple[int, ...]:
    """Return the shape of `x[key]`, or raise NumPy's error; no element of x is read."""
    return np.broadcast_to(np.int8(0), x.shape)[key].shape


def part_of(key: Any, shape: tuple[int, ...]) -> Part | None:
    """Return what a key that fits a shape takes elements from.

    It is None where a mask without dimensions is in the key, which adds one.
    """
    items: list[Any] = []
    for item in key if isinstance(key, tuple) else (key,):
        if isinstance(item, (list, np.ndarray, bool, np.bool_)):
            indices = np.asarray(item)
            if indices.dtype != np.dtype(bool):
                items.append(indices)
            elif indices.ndim:
                items += indices.nonzero()
            else:
                return None
        else:
            items.append(item)
    used = sum(item is not None and item is not Ellipsis for item in items)
    if not any(item is Ellipsis for item in items):
        items.append(Ellipsis)
    part = Part([], [])
    for item in items:
        if item is None:
            part.items.append(None)
            continue
        first = len(part.axes)
        if item is Ellipsis:
            rest = shape[first : first + len(shape) - used]
            added = [Axis([range(size)], slice(None)) for size in rest]
        else:
            added = [_axis(item, shape[first])]
        part.axes += added
        part.items += added
    while math.prod(len(axis.ranges) for axis in part.axes) > _MAX_PARTS:
        max(part.axes, key=lambda axis: len(axis.ranges)).unite()
    return part


def _axis(item: Any, size: int) -> Axis:
    """Return what an item takes of a dimension of a size, which it fits."""
    if isinstance(item, slice):
        taken = range(size)[item]
        if taken.step < 0:
            return Axis([taken[::-1]], slice(None, None, -1))
        return Axis([taken], slice(None))
    indices = np.asarray(item)
    indices = np.where(indices < 0, indices + size, indices).astype(np.int64)
    sorted_ = np.unique(indices)
    # A range ends where the next index is not its neighbour.
    ends = np.flatnonzero(np.diff(sorted_) > 1)
    starts = sorted_[np.concatenate([[0], ends + 1])].tolist()
    lasts = sorted_[np.concatenate([ends, [-1]])].tolist()
    ranges = [range(start, last + 1) for start, last in zip(starts, lasts, strict=True)]
    return Axis(ranges, indices)


def _slice(x: Expr, ranges: list[range]) -> Expr:
    """Return the elements of an expression in a range of each dimension."""
    starts = [each.start for each in ranges]
    limits = [each[-1] + 1 if each else each.start for each in ranges]
    return _core.slice(x, starts, limits, [each.step for each in ranges])
