"""Reductions, which NumPy computes on the host: the library has elementwise operations only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._array import Array
from ._creation import asarray
from ._functions import implements


def all(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Return whether all elements are true, along axes or of the whole array; on the host."""
    return asarray(x).all(axis, keepdims=keepdims)


def any(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Return whether any element is true, along axes or of the whole array; on the host."""
    return asarray(x).any(axis, keepdims=keepdims)


def sum(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the sum along axes or of the whole array, as NumPy computes it on the host.

    Small integers are added in int64 or uint64, floats in their own type.
    """
    return asarray(x).sum(axis, dtype, keepdims=keepdims)


def _of_numpy(function: Callable[..., Any], x: Array, **arguments: Any) -> Array:
    """Return what a function of NumPy makes of the values."""
    return asarray(np.asarray(function(np.asarray(asarray(x)), **arguments)))


def max(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Return the largest element, along axes or of the whole array; on the host."""
    return _of_numpy(np.max, x, axis=axis, keepdims=keepdims)


def min(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Return the smallest element, along axes or of the whole array; on the host."""
    return _of_numpy(np.min, x, axis=axis, keepdims=keepdims)


def prod(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the product along axes or of the whole array, as NumPy computes it on the host."""
    return _of_numpy(np.prod, x, axis=axis, dtype=dtype, keepdims=keepdims)


def mean(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the mean along axes or of the whole array, as NumPy computes it on the host.

    It is computed in `dtype`, if one is given.
    """
    return _of_numpy(np.mean, x, axis=axis, dtype=dtype, keepdims=keepdims)


def var(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Return the variance along axes or of the whole array; on the host."""
    return _of_numpy(np.var, x, axis=axis, ddof=correction, keepdims=keepdims)


def std(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Return the standard deviation along axes or of the whole array; on the host."""
    return _of_numpy(np.std, x, axis=axis, ddof=correction, keepdims=keepdims)


def _implement(function: Callable[..., Any]) -> None:
    @implements(function)
    def on_host(x: Any, *arguments: Any, out: Any = None, **named: Any) -> Array:
        _no_out(out)
        return asarray(np.asarray(function(np.asarray(x), *arguments, **named)))


# dask and xarray ask for these.
for _function in (
    *(np.max, np.min, np.prod, np.mean, np.var, np.std, np.argmax, np.argmin),
    *(np.nansum, np.nanmax, np.nanmin, np.nanprod, np.nanmean, np.nanvar, np.nanstd),
):
    _implement(_function)


@implements(np.all)
def _numpy_all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    _no_out(out)
    return all(a, axis=axis, keepdims=keepdims)


@implements(np.any)
def _numpy_any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    _no_out(out)
    return any(a, axis=axis, keepdims=keepdims)


@implements(np.sum)
def _numpy_sum(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Array:
    _no_out(out)
    return sum(a, axis=axis, dtype=dtype, keepdims=keepdims)


def _no_out(out: Any) -> None:
    if out is not None:
        raise TypeError("indim cannot write into out=: give the result a name")
