"""`pad`: elements before and after an array, constant or its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from . import _core
from ._array import Array, wrap
from ._core import Expr
from ._creation import asarray
from ._functions import implements
from ._host import from_numpy, scalar
from ._on_host import on_host

_Widths = list[tuple[int, int]]


@implements(np.pad)
def pad(x: Array, pad_width: Any, mode: Any = "constant", **named: Any) -> Array:
    """Return x with elements before and after it, as many as `pad_width` says.

    That is NumPy's: one number, a pair, a pair for each dimension, or a dictionary by axis. The
    elements are `constant_values`, given alike, or those of x by the modes "edge", "reflect",
    "symmetric" and "wrap". Other modes are computed on the host.

    >>> import indim
    >>> print(indim.pad(indim.asarray([1, 2]), (1, 2), constant_values=9))
    [9 1 2 9 9]
    """
    source = asarray(x)._x
    widths = _widths(pad_width, source.ndim)
    if mode == "constant" and named.keys() <= {"constant_values"}:
        return wrap(_constant(source, widths, named.get("constant_values", 0)))
    if named or not isinstance(mode, str) or mode not in _MODES or not source.size:
        return on_host("indim.pad", np.pad, asarray(x), pad_width, mode, **named)
    if not _repeats(source, widths, mode):
        return wrap(_taken(source, widths, mode))
    for dim, (low, high) in enumerate(widths):
        size = source.shape[dim]
        places = _MODES[mode]
        before = _run(source, dim, places(size, -low, 0), low)
        after = _run(source, dim, places(size, size, size + high), high)
        parts = [part for part in (before, source, after) if part.shape[dim]]
        source = _core.concatenate(parts, dim) if len(parts) > 1 else source
    return wrap(source)


def _run(x: Expr, dim: int, places: range, count: int) -> Expr:
    """Return the elements of x at places along a dimension, the only one repeated `count` times."""
    ascending = places if places.step > 0 else places[::-1]
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[dim], limits[dim] = (ascending.start, ascending.stop) if count else (0, 0)
    found = _core.slice(x, starts, limits, [1] * x.ndim)
    if count and len(places) != count:
        return _core.broadcast_to(found, (*x.shape[:dim], count, *x.shape[dim + 1 :]))
    return found if ascending is places else _core.reverse(found, [dim])


def _constant(x: Expr, widths: _Widths, constant_values: Any) -> Expr:
    """Return x with constants around it, one for all sides or one for each."""
    values = np.broadcast_to(np.asarray(constant_values), (x.ndim, 2))
    if len(set(values.ravel().tolist())) <= 1:
        return _filled(x, values.ravel()[0].item() if values.size else 0, widths)
    # As NumPy, one dimension after the other, so that the last one's values are at the corners.
    for dim, side in np.ndindex(values.shape):
        only = [(0, 0)] * x.ndim
        only[dim] = (widths[dim][0], 0) if side == 0 else (0, widths[dim][1])
        x = _filled(x, values[dim, side].item(), only)
    return x


def _filled(x: Expr, value: Any, widths: _Widths) -> Expr:
    low, high = ([pair[side] for pair in widths] for side in (0, 1))
    return _core.pad(x, scalar(x.dtype, value), low, high, [0] * x.ndim)


def _taken(x: Expr, widths: _Widths, mode: Any) -> Expr:
    """Return x and what is around it, by the place in x of each element, as NumPy has it."""
    for dim, width in enumerate(widths):
        places = np.pad(np.arange(x.shape[dim], dtype=np.int32), width, mode)
        x = _core.take(x, from_numpy(places), dim) if max(width) else x
    return x


def _repeats(x: Expr, widths: _Widths, mode: str) -> bool:
    """Return whether each side takes its elements from one run of elements of x."""
    spare = 1 if mode == "reflect" else 0
    most = [size - spare for size in x.shape]
    return mode == "edge" or all(
        max(pair) <= limit for pair, limit in zip(widths, most, strict=True)
    )


# The place in x of each element before or after it, at positions counted from the first one of x.
_MODES: Final[dict[str, Callable[[int, int, int], range]]] = {
    "edge": lambda size, start, stop: range(1) if start < 0 else range(size - 1, size),
    "wrap": lambda size, start, stop: range(start % size, start % size + stop - start),
    "symmetric": lambda size, start, stop: _mirrored(size, start, stop, 1),
    "reflect": lambda size, start, stop: _mirrored(size, start, stop, 0),
}


def _mirrored(size: int, start: int, stop: int, twice: int) -> range:
    """Return places backwards from an end, whose element stands there `twice`, or not at all."""
    if start < 0:
        return range(-start - twice, -stop - twice, -1)
    first = 2 * (size - 1) - start + twice
    return range(first, first - (stop - start), -1)


def _widths(pad_width: Any, rank: int) -> _Widths:
    """Return what stands before and after each dimension, of an argument of `numpy.pad`."""
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * rank
        for axis, width in pad_width.items():
            widths[axis] = (width, width) if np.ndim(width) == 0 else tuple(width)
        pad_width = widths
    found = np.broadcast_to(np.asarray(pad_width), (rank, 2))
    if found.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    if found.size and found.min() < 0:
        raise ValueError("index can't contain negative values")
    return [(int(low), int(high)) for low, high in found]
