"""Reductions, which NumPy computes on the host: the library has elementwise operations only."""

from __future__ import annotations

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
