"""Elements at computed indices: `take` and `take_along_axis`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._array import Array, wrap
from ._creation import asarray
from ._dtypes import INTEGERS
from ._fallback import announce
from ._functions import implements
from ._gather import taken
from ._host import from_numpy
from ._indexing import get, host_key
from ._indices import Indices, as_indices, checked, is_large
from ._on_host import on_host
from ._shapes import as_axes


def take(x: Any, indices: Any, /, axis: int | None = None) -> Array:
    """Return the elements of x at indices along an axis.

    An array of one dimension needs no axis. Negative indices count from the end.

    >>> import indim
    >>> print(indim.take(indim.asarray([10.0, 20.0, 30.0]), [2, 0, -1]))
    [30. 10. 30.]
    """
    source = asarray(x)
    if axis is None:
        if source.ndim != 1:
            raise ValueError(f"take needs an axis for an array of {source.ndim} dimensions")
        axis = 0
    (dim,) = as_axes(axis, source.ndim)
    if type(indices) is int or isinstance(indices, np.integer):
        return wrap(get(source._x, (*(slice(None),) * dim, indices)))
    shape, given = source.shape, _integers(indices)
    if is_large(source._x):
        announce("indim.take")
        return wrap(from_numpy(taken(source._x, (*(slice(None),) * dim, host_key(indices)))))
    places = checked(given, shape[dim], lambda read: np.take(_zeros(shape), read, dim))
    return wrap(_core.take(source._x, places, dim))


def _integers(indices: Any) -> Indices:
    try:
        found = as_indices(indices)
    except IndexError:
        found = None
    if found is None:
        dtype = (indices if isinstance(indices, Array) else np.asarray(indices)).dtype
        raise IndexError(f"take takes indices of integers, not of {dtype.name}")
    return found


def _zeros(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return an array of a shape on the host, for errors by NumPy; it has one element in memory."""
    return np.broadcast_to(np.int8(0), shape)


def take_along_axis(x: Any, indices: Any, /, axis: int = -1) -> Array:
    """Return the elements of x at indices of their own for each place along an axis.

    `argsort` and `argmax(..., keepdims=True)` give such indices.

    >>> import indim
    >>> x = indim.asarray([[3, 1], [5, 9]])
    >>> print(indim.take_along_axis(x, indim.argmax(x, axis=1, keepdims=True), axis=1))
    [[3]
     [9]]
    """
    source = asarray(x)
    shape = source.shape
    try:
        found = as_indices(indices)
    except IndexError:
        found = None
    if found is None:
        raise IndexError("`indices` must be an integer array")

    def refuse(read: np.ndarray[Any, Any]) -> None:
        np.take_along_axis(_zeros(shape), read, axis)

    (dim,) = as_axes(axis, source.ndim)
    if not _fit(shape, found.shape, dim):
        refuse(np.zeros(found.shape, np.intp))
    if is_large(source._x):
        name, given = "indim.take_along_axis", asarray(indices)
        return on_host(name, np.take_along_axis, source, given, dim)
    places = checked(found, shape[dim], refuse)
    return wrap(_core.take_along_dimension(source._x, places, dim))


def _fit(shape: tuple[int, ...], indices: tuple[int, ...], dim: int) -> bool:
    """Return whether the shapes are equal, or sizes are 1, but along a dimension."""
    return len(shape) == len(indices) and all(
        1 in pair or pair[0] == pair[1]
        for other, pair in enumerate(zip(shape, indices, strict=True))
        if other != dim
    )


@implements(np.take)
def _numpy_take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    x = asarray(a)
    if axis is None:
        x, axis = x.ravel(), 0
    if out is not None or mode not in ("raise", "wrap", "clip"):
        return NotImplemented
    if mode == "raise":
        return take(x, indices, axis=axis)
    (dim,) = as_axes(axis, x.ndim)
    places, size = asarray(indices), x.shape[dim]
    if places._x.dtype not in INTEGERS or not size or is_large(x._x):
        return NotImplemented
    if mode == "wrap":
        places = places.astype(np.int64) % size
    # The library's take clips.
    return wrap(_core.take(x._x, places._x, dim))


@implements(np.take_along_axis)
def _numpy_take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    if axis is None:
        return take_along_axis(asarray(arr).ravel(), indices, axis=0)
    return take_along_axis(arr, indices, axis=axis)
