"""NumPy's functions that make arrays by `like=` of an array of indim, and some others.

`numpy.zeros(3, like=x)` is `indim.zeros(3)`, with indim's default types. Arrays of indim have no
memory order, so that `order=` changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Array, wrap
from ._creation import arange, asarray, empty, eye, full, ones, zeros
from ._elementwise import round
from ._functions import implements
from ._shapes import reshaped
from ._words import no_out


@implements(np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
def _asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: bool | None = None
) -> Array:
    return asarray(a, dtype=dtype, device=_device(device), copy=copy)


@implements(np.array)
def _array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
) -> Array:
    made = asarray(object, dtype=dtype, copy=copy)
    if made.ndim >= ndmin:
        return made
    return wrap(reshaped(made._x, (1,) * (ndmin - made.ndim) + made.shape))


def _maker(function: Any) -> Any:
    def numpy_maker(
        shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None
    ) -> Array:
        return function(shape, dtype=dtype, device=_device(device))

    return numpy_maker


implements(np.zeros)(_maker(zeros))
implements(np.ones)(_maker(ones))
implements(np.empty)(_maker(empty))


@implements(np.full)
def _full(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None
) -> Array:
    return full(shape, fill_value, dtype=dtype, device=_device(device))


@implements(np.arange)
def _arange(
    start: Any = None,
    stop: Any = None,
    step: Any = None,
    dtype: Any = None,
    *,
    device: Any = None,
) -> Array:
    if start is None:
        start, stop = 0, stop
    step = 1 if step is None else step
    return arange(start, stop, step, dtype=dtype, device=_device(device))


@implements(np.eye)
def _eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
) -> Array:
    return eye(N, M, k=k, dtype=dtype, device=_device(device))


@implements(np.identity)
def _identity(n: int, dtype: Any = None) -> Array:
    return eye(n, dtype=dtype)


def _device(device: Any) -> Any:
    """Return our device for a `device` of NumPy's functions, whose own is "cpu"."""
    return None if device == "cpu" else device


@implements(np.round, np.around)
def _round(a: Any, decimals: int = 0, out: Any = None) -> Array:
    no_out(out)
    return round(a, decimals=decimals)
