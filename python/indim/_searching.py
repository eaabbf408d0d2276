"""Searching in sorted arrays, and counting what lies in bins."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from . import _core
from ._array import Array, wrap
from ._creation import arange, asarray, zeros
from ._dtypes import DTYPES, FLOATS, INTEGERS
from ._elementwise import isnan
from ._functions import implements
from ._indices import is_large
from ._numpy_numbers import as_float
from ._on_host import on_host
from ._ranks import MOST_PAIRS, positions
from ._reductions import count_nonzero, max, min, sum
from ._selection import where
from ._taking import take

_SIDES: Final = ("left", "right")


@implements(np.searchsorted)
def searchsorted(x1: Any, x2: Any, /, side: str = "left", sorter: Any = None) -> Array:
    """Return where the elements of x2 belong in the sorted array x1, in int64.

    Complex numbers, and arrays of more than 128 MiB, are searched on the host.

    >>> import indim
    >>> print(indim.searchsorted(indim.asarray([1.0, 2.0, 4.0]), indim.asarray([2.0, 3.0])))
    [1 2]
    """
    if side not in _SIDES:
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    values, wanted = asarray(x1), asarray(x2)
    if "c64" in (values._x.dtype, wanted._x.dtype) or is_large(values._x):
        return on_host("indim.searchsorted", np.searchsorted, values, wanted, side, sorter)
    if values.ndim != 1:
        raise ValueError(f"searchsorted takes a sorted array of one dimension, not {values.ndim}")
    if sorter is not None:
        values = take(values, sorter)
    return positions(_ordered(values), _ordered(wanted), side).astype(np.int64)


def _ordered(x: Array) -> Array:
    """Return elements of a type with an order."""
    return x.astype(np.int8) if x._x.dtype == "pred" else x


@implements(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Array:
    """Return the values at `x` of lines through the points (xp, fp), as `numpy.interp`.

    With a period, for complex values, and of more than 128 MiB of points, the host computes them.

    >>> import indim
    >>> print(indim.interp(indim.asarray([0.5, 1.25]), [0.0, 1.0, 2.0], [0.0, 10.0, 30.0]))
    [ 5. 15.]
    """
    given, points, values = (as_float(each) for each in (x, xp, fp))
    if period is not None or values._x.dtype == "c64" or is_large(points._x):
        return on_host("indim.interp", np.interp, given, points, values, left, right, period)
    if points.ndim != 1 or values.ndim != 1:
        raise ValueError("interp takes points of one dimension: xp and fp are vectors")
    if points.size != values.size:
        raise ValueError("fp and xp are not of the same length.")
    if not points.size:
        raise ValueError("array of sample points is empty")
    last = points.size - 1
    place = positions(points, given, "right") - 1
    start = place.clip(0, last - 1 if last else 0)
    x0, y0 = _at(points, start), _at(values, start)
    slope = (_at(values, start + 1) - y0) / (_at(points, start + 1) - x0)
    inside = where(place < last, slope * (given - x0) + y0, values[-1])
    found = where(place < 0, values[0] if left is None else left, inside)
    found = where(given > points[-1], values[-1] if right is None else right, found)
    # As NumPy, which compares with a single point alone.
    return where(isnan(given), np.nan, found) if last else found


def _at(x: Array, places: Array) -> Array:
    """Return the elements at places in range; one after the last is the last."""
    return wrap(_core.take(x._x, places._x, 0))


@implements(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Array, Array]:
    """Return how many elements lie in each bin, and the edges of the bins, as `numpy.histogram`.

    Without a range or edges, the least and the largest element are read, for NumPy to make edges.
    Weights, bins by name, and more than 2^24 comparisons are left to the host.

    >>> import indim
    >>> counts, edges = indim.histogram(indim.asarray([0.0, 1.0, 1.5, 4.0]), bins=2)
    >>> print(counts, edges)
    [3 1] [0. 2. 4.]
    """
    x = asarray(a).ravel()
    name = x._x.dtype
    known = name in ("f32", "f64") or (name in INTEGERS and name not in ("s4", "u4"))
    if not known or weights is not None or isinstance(bins, (str, Array)) or _are_many(x, bins):
        return on_host(
            "indim.histogram", np.histogram, x, bins, range, density=density, weights=weights
        )
    has_edges = np.ndim(bins) == 1
    ends = _ends(x) if x.size and range is None and not has_edges else []
    edges = np.histogram_bin_edges(np.asarray(ends, x.dtype), bins, range)
    limits = asarray(_limits(edges, x.dtype))
    is_last = arange(edges.size) == edges.size - 1
    row, column = x[None, :], limits[:, None]
    below = count_nonzero((row < column) | ((row == column) & is_last[:, None]), axis=1)
    counts: Array = below[1:] - below[:-1]
    if edges.dtype == np.float64 and name != "f64":
        edges = edges.astype(np.float32)
    widths = asarray(edges)
    if density:
        counts = counts / (widths[1:] - widths[:-1]) / sum(counts)
    return counts, widths


def _are_many(x: Array, bins: Any) -> bool:
    count = np.size(bins) if np.ndim(bins) else operator.index(bins)
    return x.size * (count + 1) > MOST_PAIRS


def _ends(x: Array) -> list[Any]:
    """Return the least and the largest element, read."""
    found = min(x), max(x)
    _core.eval([each._x for each in found])
    return [each.item() for each in found]


def _limits(edges: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return the least numbers of a type that are not below edges; not above, for the last one.

    An element is below an edge just where it is below that number.
    """
    if dtype.kind in "iu":
        if edges.dtype.kind in "iu":
            return edges
        whole = np.append(np.ceil(edges[:-1]), np.floor(edges[-1:]))
        # Above these bounds int64 has no floats but the bound itself.
        return whole.clip(-(2.0**63), 2.0**63 - 1024).astype(np.int64)
    found = edges.astype(dtype)
    up = np.where(found < edges, np.nextafter(found, dtype.type(np.inf)), found)
    down = np.where(found > edges, np.nextafter(found, dtype.type(-np.inf)), found)
    return np.append(up[:-1], down[-1:])


@implements(np.bincount)
def _bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    source, least = asarray(x), operator.index(minlength)
    if source.ndim != 1 or source._x.dtype not in INTEGERS:
        return NotImplemented
    if least < 0:
        raise ValueError("'minlength' must not be negative")
    given = None if weights is None else as_float(weights)
    if given is not None and given.shape != source.shape:
        raise ValueError("The weights and list don't have the same length.")
    low, high = _ends(source) if source.size else (0, -1)
    if low < 0:
        raise ValueError("'list' argument must have no negative elements")
    count = high + 1 if high + 1 > least else least
    if source.size * count > MOST_PAIRS or (given is not None and given._x.dtype not in FLOATS):
        return NotImplemented
    if not source.size:
        return zeros(count, dtype=np.int64 if given is None else DTYPES[given._x.dtype])
    is_there = source.astype(np.int32) == arange(count, dtype=np.int32)[:, None]
    if given is None:
        return count_nonzero(is_there, axis=1)
    return sum(where(is_there, given, 0.0), axis=1)
