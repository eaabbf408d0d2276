"""NumPy's functions that write into an argument, which here is given another value.

What writes at indices or by a mask is an assignment `x[key] = value`, under the host's rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from . import _rules
from ._array import Array
from ._creation import asarray
from ._dtypes import DTYPES
from ._fallback import announce
from ._functions import implements
from ._on_host import read_into
from ._selection import where
from ._views import update

ON_HOST: Final = (np.put, np.put_along_axis)
"""The functions of this module that the host computes, whatever their arguments."""


def _read(*arguments: Any) -> tuple[Any, ...]:
    """Return arguments with arrays of NumPy in place of indim's."""
    return read_into(arguments, [])


def into(
    out: Array, name: str, found: Array, casting: str = "same_kind", mask: Any = True
) -> Array:
    """Give the array `out=` of a function what was found, where a mask holds, and return it."""
    if found.shape != out.shape:
        raise ValueError(
            f"{name} gives shape {found.shape}, which out= of shape {out.shape} does not hold"
        )
    _check_cast(name, found, out, casting)
    value = found if mask is True else _chosen(mask, found, out)
    update(out, _rules.cast(value._x, out._x.dtype))
    return out


def _check_cast(name: str, source: Any, target: Array, casting: Any) -> None:
    before, after = source.dtype, DTYPES[target._x.dtype]
    if not np.can_cast(before, after, casting):
        raise TypeError(f"{name}: {before.name} is not cast to {after.name} by {casting!r}")


@implements(np.copyto)
def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    if not isinstance(dst, Array):
        return np.copyto(dst, *_read(src, casting, where))
    if isinstance(src, (Array, np.ndarray)):
        _check_cast("copyto", src, dst, casting)
    dst[...] = src if where is True else _chosen(where, src, dst)
    return None


def _chosen(mask: Any, value: Any, x: Array) -> Array:
    """Return x with a value where a mask holds, in the type of x."""
    # Converted before they meet: the common type may round the elements of x.
    given = value if isinstance(value, Array) else asarray(np.asarray(value).astype(x.dtype))
    return where(mask, given.astype(x.dtype, copy=False), x)


@implements(np.putmask)
def _putmask(a: Any, /, mask: Any, values: Any) -> Any:
    if not isinstance(a, Array):
        return np.putmask(a, *_read(mask, values))
    if np.ndim(values) and np.shape(values) != a.shape:
        # Repeated by the places of elements, not by the dimensions.
        values = np.resize(values, a.shape)
    a[...] = _chosen(mask, values, a)
    return None


@implements(np.place)
def _place(arr: Any, mask: Any, vals: Any) -> Any:
    if isinstance(arr, Array) and (values := asarray(vals)).size == 1:
        arr[...] = _chosen(mask, values.ravel()[0], arr)
        return None
    return _on_host("numpy.place", np.place, arr, mask, vals)


@implements(np.fill_diagonal)
def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Any:
    if not isinstance(a, Array):
        return np.fill_diagonal(a, *_read(val, wrap))
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 2:
        step, end = a.shape[1] + 1, None if wrap else a.shape[1] * a.shape[1]
    else:
        if len(set(a.shape)) > 1:
            raise ValueError("All dimensions of input must be of equal length")
        step, end = 1 + sum(math.prod(a.shape[:dim]) for dim in range(1, a.ndim)), None
    flat = a.reshape(-1)
    places = flat[:end:step]
    places[...] = np.resize(val, places.shape) if np.ndim(val) else val
    return None


@implements(np.put)
def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> Any:
    return _on_host("numpy.put", np.put, a, ind, v, mode)


@implements(np.put_along_axis)
def _put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None = -1) -> Any:
    return _on_host("numpy.put_along_axis", np.put_along_axis, arr, indices, values, axis)


def at(ufunc: np.ufunc, x: Any, *arguments: Any) -> None:
    """Do `ufunc.at(x, ...)`, which counts each index that is given several times."""
    if not isinstance(x, Array):
        raise TypeError(
            f"numpy.{ufunc.__name__}.at writes arrays of indim into no array of NumPy: take "
            "numpy.asarray of each"
        )
    _on_host(f"numpy.{ufunc.__name__}.at", ufunc.at, x, *arguments)


def _on_host(name: str, write: Callable[..., Any], x: Any, *arguments: Any) -> Any:
    """Have NumPy write into an array of NumPy, or into a copy on the host that x then equals."""
    if not isinstance(x, Array):
        return write(x, *_read(*arguments))
    announce(name)
    changed = np.array(x)
    write(changed, *_read(*arguments))
    x[...] = changed
    return None
