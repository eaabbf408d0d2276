"""Cumulative sums and products, and differences."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _core, _rules
from ._array import Array, binary, operand, wrap
from ._core import Expr
from ._creation import asarray
from ._dtypes import INTEGERS, SIGNED, as_dtype, name_of
from ._functions import UFUNC_METHODS, implements
from ._host import scalar
from ._manipulation import concat
from ._rules import cast
from ._shapes import as_axes
from ._words import translated


def cumulative_sum(
    x: Any, /, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Array:
    """Return the sums of the elements up to each one along an axis, with the types of `sum`.

    An array of one dimension needs no axis. `include_initial` puts a 0 before them.

    >>> import indim
    >>> print(indim.cumulative_sum(indim.asarray([1, 2, 3])))
    [1 3 6]
    """
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any, /, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Array:
    """Return the products of the elements up to each one along an axis, with the types of `prod`.

    An array of one dimension needs no axis. `include_initial` puts a 1 before them.

    >>> import indim
    >>> print(indim.cumulative_prod(indim.asarray([1.0, 2.0, 3.0]), include_initial=True))
    [1. 1. 2. 6.]
    """
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial)


def _cumulative(name: str, x: Any, axis: Any, dtype: Any, include_initial: bool) -> Array:
    source = asarray(x)
    if axis is None:
        if source.ndim != 1:
            raise ValueError(f"{name} needs an axis for an array of {source.ndim} dimensions")
        axis = 0
    (dim,) = as_axes(axis, source.ndim)
    target = _sum_type(source._x.dtype) if dtype is None else name_of(as_dtype(dtype))
    scan = _core.cumsum if name == "cumulative_sum" else _core.cumprod
    found = wrap(scan(cast(source._x, target), dim))
    if not include_initial:
        return found
    before = list(source.shape)
    before[dim] = 1
    first = _core.constant(target, 1 if name == "cumulative_prod" else 0)
    return concat([wrap(_core.broadcast_to(first, before)), found], axis=dim)


def _sum_type(name: str) -> str:
    """Return the type in which elements of another are added: the default one for integers."""
    if name in INTEGERS or name == "pred":
        return "s64" if name in SIGNED or name == "pred" else "u64"
    return name


@implements(np.cumsum)
def _numpy_cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return NotImplemented if out is not None else asarray(a).cumsum(axis, dtype)


@implements(np.cumprod)
def _numpy_cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return NotImplemented if out is not None else asarray(a).cumprod(axis, dtype)


implements(np.cumulative_sum)(cumulative_sum)
implements(np.cumulative_prod)(cumulative_prod)


def _accumulate(ufunc: np.ufunc, array: Any, axis: int = 0, dtype: Any = None) -> Any:
    names = {np.add: "cumulative_sum", np.multiply: "cumulative_prod"}
    if ufunc in names:
        return _cumulative(names[ufunc], array, axis, dtype, False)
    scan = {np.maximum: _core.cummax, np.minimum: _core.cummin}.get(ufunc)
    if scan is None:
        return NotImplemented
    source = asarray(array)
    if dtype is not None:
        source = source.astype(dtype)
    (dim,) = as_axes(axis, source.ndim)
    try:
        return wrap(scan(source._x, dim))
    except TypeError as error:
        raise translated(error, f"{ufunc.__name__}.accumulate") from None


UFUNC_METHODS["accumulate"] = _accumulate


def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Return the differences of neighbours along an axis, `n` times.

    `prepend` and `append` stand before and after the elements: arrays, or numbers for all.

    >>> import indim
    >>> print(indim.diff(indim.asarray([1, 4, 9, 16])))
    [3 5 7]
    """
    source = asarray(x)
    (dim,) = as_axes(axis, source.ndim)
    times = operator.index(n)
    if times < 0:
        raise ValueError(f"diff takes a number of times n of 0 or more, not {times}")
    if times == 0:
        return source
    parts = [_beside(source, prepend, dim), source, _beside(source, append, dim)]
    present = [part for part in parts if part is not None]
    whole = concat(present, axis=dim) if len(present) > 1 else source
    rules = _rules.NOT_EQUAL if whole._x.dtype == "pred" else _rules.SUBTRACT
    for _ in range(times):
        whole = binary(rules, _from(whole, dim, 1), _from(whole, dim, 0))
    return whole


def _beside(x: Array, value: Any, dim: int) -> Array | None:
    """Return what `prepend` or `append` puts beside an array along a dimension."""
    if value is None:
        return None
    found = operand(value)
    if not isinstance(found, Expr):
        found = scalar(x._x.dtype, found) if found is not NotImplemented else asarray(value)._x
    if found.ndim == 0:
        found = _core.broadcast_to(found, (*x.shape[:dim], 1, *x.shape[dim + 1 :]))
    return wrap(found)


def _from(x: Array, dim: int, first: int) -> Array:
    """Return all elements but one along a dimension, from the first or the second on."""
    size = max(x.shape[dim] - 1, 0)
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[dim], limits[dim] = (first, first + size) if size else (0, 0)
    return wrap(_core.slice(x._x, starts, limits, [1] * x.ndim))


@implements(np.diff)
def _numpy_diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    # NumPy's default is a value of its own that stands for nothing.
    given = [None if type(each) is type(np._NoValue) else each for each in (prepend, append)]
    return diff(a, n, axis, *given)
