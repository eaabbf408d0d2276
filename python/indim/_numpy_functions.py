"""NumPy's functions that the standard lacks and the operations of this package can express."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core, _rules
from ._array import Array, binary, unary, wrap
from ._creation import asarray, eye
from ._cumulative import diff
from ._dtypes import FLOATS, INTEGERS, SIGNED
from ._elementwise import abs, isfinite, isinf, isnan, sqrt
from ._functions import implements
from ._manipulation import concat, flip, moveaxis
from ._padding import pad
from ._pairs import less_equal
from ._reductions import max, min, sum
from ._selection import where
from ._shapes import as_axes

# Elements, one by one.

implements(np.divmod)(
    lambda x1, x2: (binary(_rules.FLOOR_DIVIDE, x1, x2), binary(_rules.REMAINDER, x1, x2))
)
implements(np.fabs)(abs)
implements(np.real)(lambda val: unary(_rules.REAL, val))
implements(np.imag)(lambda val: unary(_rules.IMAG, val))
implements(np.deg2rad, np.radians)(lambda x: asarray(x) * (np.pi / 180))
implements(np.rad2deg, np.degrees)(lambda x: asarray(x) * (180 / np.pi))


def _ignoring_nan(rules: _rules.Binary) -> Callable[[Any, Any], Array]:
    """Return the extreme of two numbers of which one may be NaN."""

    def extreme(x1: Any, x2: Any) -> Array:
        left, right = asarray(x1), asarray(x2)
        return where(isnan(left), right, where(isnan(right), left, binary(rules, left, right)))

    return extreme


implements(np.fmax)(_ignoring_nan(_rules.MAXIMUM))
implements(np.fmin)(_ignoring_nan(_rules.MINIMUM))


@implements(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Array:
    """Return whether elements are within `atol` and `rtol` times the second one of each other."""
    x, y = asarray(a), asarray(b)
    near = less_equal(_distance(x, y), atol + rtol * abs(y * 1.0)) & isfinite(y) | (x == y)
    return near | (isnan(x) & isnan(y)) if equal_nan else near


def _distance(x: Array, y: Array) -> Array:
    """Return how far elements are apart; exactly for integers that a float would round."""
    if not {x._x.dtype, y._x.dtype} <= INTEGERS:
        return abs(x - y * 1.0)
    apart = (binary(_rules.MAXIMUM, x, y) - binary(_rules.MINIMUM, x, y))._x
    # Their distance may be beyond a signed type, and fits the unsigned one of its size.
    return wrap(_core.bitcast(apart, f"u{apart.dtype[1:]}") if apart.dtype in SIGNED else apart)


@implements(np.nan_to_num)
def _nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    x = asarray(x)
    if x._x.dtype not in FLOATS:
        return NotImplemented if x._x.dtype == "c64" else x
    limits = np.finfo(np.float32 if x._x.dtype == "bf16" else x.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    finite = where(isinf(x), where(x > 0, high, low), x)
    return where(isnan(x), nan, finite)


# Elements at other places.


@implements(np.atleast_1d)
def _atleast_1d(*arys: Any) -> Any:
    return _each(arys, lambda x: x if x.ndim else x.reshape(1))


@implements(np.atleast_2d)
def _atleast_2d(*arys: Any) -> Any:
    return _each(arys, lambda x: x if x.ndim > 1 else x.reshape(1, -1))


def _each(arrays: Sequence[Any], function: Callable[[Array], Array]) -> Any:
    """Return a function of one array, or of each of several in a tuple."""
    made = tuple(function(asarray(array)) for array in arrays)
    return made[0] if len(made) == 1 else made


@implements(np.vstack)
def _vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    return _typed(concat([_atleast_2d(x) for x in tup], axis=0), dtype)


@implements(np.hstack)
def _hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    arrays = [_atleast_1d(x) for x in tup]
    return _typed(concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1), dtype)


@implements(np.column_stack)
def _column_stack(tup: Any) -> Array:
    arrays = [asarray(x) for x in tup]
    return concat([x if x.ndim > 1 else x.reshape(-1, 1) for x in arrays], axis=1)


def _typed(x: Array, dtype: Any) -> Array:
    return x if dtype is None else x.astype(dtype, copy=False)


@implements(np.swapaxes)
def _swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    return asarray(a).swapaxes(axis1, axis2)


implements(np.fliplr)(lambda m: flip(m, axis=1))
implements(np.flipud)(lambda m: flip(m, axis=0))
implements(np.copy)(lambda a, order="K", subok=False: asarray(a).copy())


@implements(np.append)
def _append(arr: Any, values: Any, axis: int | None = None) -> Array:
    return concat([asarray(arr), asarray(values)], axis=axis)


@implements(np.split, np.array_split)
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    x = asarray(ary)
    (dim,) = as_axes(axis, x.ndim)
    # NumPy's rule of where to cut, on an array without elements.
    sizes = np.broadcast_to(np.int8(0), x.shape)
    parts = np.array_split(sizes, indices_or_sections, dim)
    found, start = [], 0
    for part in parts:
        size = part.shape[dim]
        found.append(x[(*(slice(None),) * dim, slice(start, start + size))])
        start += size
    return found


@implements(np.diagonal)
def diagonal_of(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return `numpy.diagonal`, which is a copy here."""
    x = moveaxis(asarray(a), (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    first, skipped = (-offset, 0) if offset < 0 else (0, offset)
    count = builtins.max(builtins.min(rows - first, columns - skipped), 0)
    # In row-major order each element of a diagonal is one column further than a row.
    square = x[..., first : first + count, skipped : skipped + count]
    return square.reshape(*x.shape[:-2], count * count)[..., :: count + 1]


@implements(np.trace)
def _trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    if out is not None:
        return NotImplemented
    return sum(diagonal_of(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@implements(np.diag)
def _diag(v: Any, k: int = 0) -> Any:
    x = asarray(v)
    if x.ndim == 2:
        return diagonal_of(x, k)
    if x.ndim != 1:
        raise ValueError(f"diag takes one dimension or two, and this array has {x.ndim}")
    size = x.size + builtins.abs(k)
    wide = pad(x, (0, builtins.abs(k)))
    return where(eye(size, k=k, dtype=bool), wide[:, None] if k >= 0 else wide, 0)


@implements(np.trapezoid)
def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    values = moveaxis(asarray(y), axis, -1)
    steps = dx if x is None else diff(asarray(x))
    if x is not None and np.ndim(x) > 1:
        steps = diff(moveaxis(asarray(x), axis, -1))
    return sum((values[..., 1:] + values[..., :-1]) * steps, axis=-1) / 2


# Reductions.


@implements(np.ptp)
def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    if out is not None:
        return NotImplemented
    keepdims = False if keepdims is np._NoValue else keepdims
    return max(a, axis=axis, keepdims=keepdims) - min(a, axis=axis, keepdims=keepdims)


@implements(np.average)
def _average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    x = asarray(a)
    along = (
        weights is not None and np.ndim(axis) == 0 and axis is not None and np.ndim(weights) == 1
    )
    if returned or not (weights is None or along or np.shape(weights) == x.shape):
        return NotImplemented
    keepdims = False if keepdims is np._NoValue else keepdims
    if weights is None:
        return x.mean(axis, keepdims=keepdims)
    given = asarray(weights)
    if along and x.ndim > 1:
        (dim,) = as_axes(axis, x.ndim)
        if given.size != x.shape[dim]:
            raise ValueError("Length of weights not compatible with specified axis.")
        given = given.reshape((1,) * dim + given.shape + (1,) * (x.ndim - dim - 1))
    total = sum(x * given, axis=axis, keepdims=keepdims)
    return total / sum(given, axis=axis, keepdims=keepdims)


@implements(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = asarray(x)
    one = axis is not None and np.ndim(axis) == 0
    if ord is None or (ord in (2, 1, np.inf) and (one or (axis is None and x.ndim == 1))):
        size = abs(x if x._x.dtype in FLOATS or x._x.dtype == "c64" else x * 1.0)
        if ord == np.inf:
            return max(size, axis=axis, keepdims=keepdims)
        if ord == 1:
            return sum(size, axis=axis, keepdims=keepdims)
        return sqrt(sum(size * size, axis=axis, keepdims=keepdims))
    return NotImplemented
