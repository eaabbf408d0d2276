"""Shapes and axes as arguments, and reshaping."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from . import _core
from ._core import Expr
from ._host import SMALL, from_numpy, to_numpy

# NumPy's arrays have no more, which is where arrays are looked at.
MAX_DIMENSIONS: Final = 64


def as_shape(shape: Any) -> tuple[int, ...]:
    """Return a `shape` argument, an integer or integers, as a tuple.

    Raises a ValueError for a negative size, a TypeError for a size that is not an integer.
    """
    sizes = integers(shape)
    if len(sizes) > MAX_DIMENSIONS:
        raise ValueError(f"arrays have {MAX_DIMENSIONS} dimensions at most, not {len(sizes)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"negative dimensions are not allowed: {sizes}")
    return sizes


def as_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Return an `axis` argument, one or several, counted from the front; None is all of them.

    Raises numpy.exceptions.AxisError, an IndexError and ValueError, for one that is not there.
    """
    if axis is None:
        return tuple(range(rank))
    return tuple(normalize_axis_tuple(axis, rank, "axis"))


def permutation(axes: Iterable[Any], rank: int) -> tuple[int, ...]:
    """Return a permutation of dimensions, counted from the front."""
    order = integers(axes)
    if sorted(axis + rank if axis < 0 else axis for axis in order) != list(range(rank)):
        raise ValueError(f"axes {order} are not a permutation of {rank} dimensions")
    return tuple(axis % rank for axis in order)


def reshaped(x: Expr, shape: Any) -> Expr:
    """Return an expression in another shape, where one size may be -1."""
    sizes = list(integers(shape))
    if sizes.count(-1) > 1 or any(size < -1 for size in sizes):
        raise ValueError(f"a shape has one size of -1 at most, and none below: {tuple(sizes)}")
    known = 1
    for size in sizes:
        known *= size if size != -1 else 1
    if -1 in sizes and known and x.size % known == 0:
        sizes[sizes.index(-1)] = x.size // known
        known = x.size
    if -1 in sizes or known != x.size:
        raise ValueError(f"cannot reshape array of size {x.size} into shape {tuple(sizes)}")
    if x.shape == tuple(sizes):
        return x
    if x.is_read and x.size <= SMALL:
        return from_numpy(np.reshape(to_numpy(x), sizes))
    return _core.reshape(x, tuple(sizes))


def integers(values: Any) -> tuple[int, ...]:
    """Return an integer, or several, as a tuple."""
    try:
        return (operator.index(values),)
    except TypeError:
        if not isinstance(values, Iterable):
            raise TypeError(f"expected integers, not a {type(values).__name__}") from None
        return tuple(operator.index(value) for value in values)
