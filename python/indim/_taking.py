"""Elements at computed indices: `take` and `take_along_axis`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Array, wrap
from ._creation import asarray
from ._fallback import announce
from ._functions import implements
from ._gather import taken
from ._host import from_numpy
from ._indexing import get, host_key
from ._on_host import on_host
from ._shapes import as_axes


def take(x: Any, indices: Any, /, axis: int | None = None) -> Array:
    """Return the elements of x at indices along an axis; the host reads them, but for one index.

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
    return _taken(source, indices, dim)


def _taken(x: Array, indices: Any, dim: int) -> Array:
    """Return the elements at indices along a dimension.

    This is the one function that a kernel for them replaces. One known index needs none.
    """
    if type(indices) is int or isinstance(indices, np.integer):
        return wrap(get(x._x, (*(slice(None),) * dim, indices)))
    announce("indim.take")
    places = np.asarray(host_key(indices))
    if places.size == 0 and not isinstance(indices, (Array, np.ndarray)):
        places = places.astype(np.int64)
    if places.dtype.kind not in "iu":
        raise IndexError(f"take takes indices of integers, not of {places.dtype.name}")
    return wrap(from_numpy(taken(x._x, (*(slice(None),) * dim, places))))


def take_along_axis(x: Any, indices: Any, /, axis: int = -1) -> Array:
    """Return the elements of x at indices of their own for each place along an axis; on the host.

    `argsort` and `argmax(..., keepdims=True)` give such indices.

    >>> import indim
    >>> x = indim.asarray([[3, 1], [5, 9]])
    >>> print(indim.take_along_axis(x, indim.argmax(x, axis=1, keepdims=True), axis=1))
    [[3]
     [9]]
    """
    return on_host("indim.take_along_axis", np.take_along_axis, asarray(x), asarray(indices), axis)


@implements(np.take)
def _numpy_take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    if out is not None or mode != "raise":
        return NotImplemented
    x = asarray(a)
    return take(x.ravel(), indices, axis=0) if axis is None else take(x, indices, axis=axis)


@implements(np.take_along_axis)
def _numpy_take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    if axis is None:
        return take_along_axis(asarray(arr).ravel(), indices, axis=0)
    return take_along_axis(arr, indices, axis=axis)
