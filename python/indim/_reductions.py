"""The reductions: those of the standard, and some that NumPy and SciPy have beside them.

All are lazy and run on the GPU, fused with what stands before and after them. Float sums are those
of docs/numerics.md, whatever the order of NumPy's own. Types are NumPy's, but for means and
variances of integers, which are float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core, _rules
from ._array import Array, unary, wrap
from ._creation import asarray
from ._dtypes import DEFAULTS, FLOATS
from ._elementwise import isnan, logical_not
from ._functions import UFUNC_METHODS, implements
from ._reduce import UFUNCS, axes_of, reduced, ufunc_reduced
from ._selection import where
from ._words import no_out


def all(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return whether all elements are true, along axes or of the whole array.

    >>> import indim
    >>> print(indim.all(indim.asarray([[1, 0], [2, 3]]), axis=1))
    [False  True]
    """
    return _reduction("all", x, axis, keepdims)


def any(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return whether any element is true, along axes or of the whole array.

    >>> import indim
    >>> print(indim.any(indim.asarray([[1, 0], [2, 3]]), axis=1))
    [ True  True]
    """
    return _reduction("any", x, axis, keepdims)


def argmax(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the position of the largest element, or of the first NaN, in int64.

    >>> import indim
    >>> print(indim.argmax(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [1 1]
    """
    return _reduction("argmax", x, axis, keepdims)


def argmin(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the position of the smallest element, or of the first NaN, in int64.

    >>> import indim
    >>> print(indim.argmin(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [0 0]
    """
    return _reduction("argmin", x, axis, keepdims)


def count_nonzero(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the number of elements that are not 0, in int64.

    >>> import indim
    >>> print(indim.count_nonzero(indim.asarray([[1, 0], [2, 3]]), axis=1))
    [1 2]
    """
    return _reduction("count_nonzero", x, axis, keepdims)


def sum(x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return the sum along axes or of the whole array.

    Small integers are added in int64 or uint64, floats in their own type.

    >>> import indim
    >>> print(indim.sum(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [4. 6.]
    """
    return _reduction("sum", x, axis, keepdims, dtype)


def prod(x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return the product along axes or of the whole array, with the types of `sum`.

    >>> import indim
    >>> print(indim.prod(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [3. 8.]
    """
    return _reduction("prod", x, axis, keepdims, dtype)


def max(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the largest element, along axes or of the whole array; NaN where one is.

    >>> import indim
    >>> print(indim.max(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [3. 4.]
    """
    return _reduction("max", x, axis, keepdims)


def min(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the smallest element, along axes or of the whole array; NaN where one is.

    >>> import indim
    >>> print(indim.min(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [1. 2.]
    """
    return _reduction("min", x, axis, keepdims)


def mean(x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return the mean along axes or of the whole array; of integers in float32.

    It is computed in `dtype`, if one is given.

    >>> import indim
    >>> print(indim.mean(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [2. 3.]
    """
    return _reduction("mean", x, axis, keepdims, dtype)


def var(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
) -> Array:
    """Return the variance along axes or of the whole array, the mean first.

    `ddof` is NumPy's name of `correction`.

    >>> import indim
    >>> print(indim.var(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0).round(3))
    [1. 1.]
    """
    degrees = correction if ddof is None else ddof
    return _reduction("var", x, axis, keepdims, dtype, degrees)


def std(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    *,
    correction: float = 0.0,
    ddof: float | None = None,
    keepdims: bool = False,
) -> Array:
    """Return the standard deviation along axes or of the whole array.

    `ddof` is NumPy's name of `correction`.

    >>> import indim
    >>> print(indim.std(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0).round(3))
    [1. 1.]
    """
    degrees = correction if ddof is None else ddof
    return _reduction("std", x, axis, keepdims, dtype, degrees)


def logsumexp(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the logarithm of the sum of exponentials, without overflow; beyond the standard.

    >>> import indim
    >>> print(indim.logsumexp(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0).round(3))
    [3.127 4.127]
    """
    return _reduction("logsumexp", x, axis, keepdims)


def softmax(x: Any, /, axis: Any = None) -> Array:
    """Return exponentials over their sum along axes or of the whole array; beyond the standard.

    >>> import indim
    >>> print(indim.softmax(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=1).round(3))
    [[0.269 0.731]
     [0.269 0.731]]
    """
    return _over_axes(_core.softmax, x, axis)


def log_softmax(x: Any, /, axis: Any = None) -> Array:
    """Return the logarithm of `softmax`, accurate where that is near 0; beyond the standard.

    >>> import indim
    >>> print(indim.log_softmax(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=1).round(3))
    [[-1.313 -0.313]
     [-1.313 -0.313]]
    """
    return _over_axes(_core.log_softmax, x, axis)


def _reduction(
    name: str,
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    ddof: float = 0.0,
) -> Array:
    return wrap(reduced(name, asarray(x)._x, axis, keepdims, dtype, ddof))


def _over_axes(function: Callable[..., Any], x: Any, axis: Any) -> Array:
    expr = asarray(x)._x
    if expr.dtype not in FLOATS:
        expr = _rules.cast(expr, DEFAULTS[float])
    return wrap(function(expr, axes_of(expr, axis)))


def _implement(function: Callable[..., Any], name: str, *positional: str) -> None:
    """Have NumPy's function, whose arguments after the array have these names, run on the GPU."""

    @implements(function)
    def on_device(a: Any, *arguments: Any, **named: Any) -> Any:
        named.update(zip(positional, arguments, strict=False))
        no_out(named.pop("out", None))
        named = {name: value for name, value in named.items() if value is not np._NoValue}
        axis, dtype = named.pop("axis", None), named.pop("dtype", None)
        keepdims = named.pop("keepdims", False)
        ddof = named.pop("correction", named.pop("ddof", 0.0))
        if name in _OTHERWISE and named.keys() == {"where"}:
            a = where(named.pop("where"), asarray(a), _OTHERWISE[name])
        if named or len(arguments) > len(positional):
            return NotImplemented
        return _of_numpy[name](a, axis, keepdims, dtype, ddof)


_OTHERWISE = {"sum": 0, "prod": 1, "all": True, "any": False, "nansum": 0, "nanprod": 1}
"""What elements count as that `where=` leaves out."""


def _plain(name: str) -> Callable[..., Array]:
    return lambda a, axis, keepdims, dtype, ddof: _reduction(name, a, axis, keepdims, dtype, ddof)


def _without_nan(name: str, instead: float) -> Callable[..., Array]:
    """Return a reduction in which NaN counts as another number."""

    def reduction(a: Any, axis: Any, keepdims: bool, dtype: Any, _: float) -> Array:
        return _reduction(name, _filled(asarray(a), instead), axis, keepdims, dtype)

    return reduction


def _filled(x: Array, instead: float) -> Array:
    return where(isnan(x), instead, x) if _may_be_nan(x) else x


def _may_be_nan(x: Array) -> bool:
    return x._x.dtype in FLOATS or x._x.dtype == "c64"


def _nan_extreme(name: str, instead: float) -> Callable[..., Array]:
    """Return the extreme of the numbers; NaN where there are none."""

    def reduction(a: Any, axis: Any, keepdims: bool, dtype: Any, ddof: float) -> Array:
        x = asarray(a)
        found = _reduction(name, _filled(x, instead), axis, keepdims)
        if not _may_be_nan(x):
            return found
        return where(_reduction("all", isnan(x), axis, keepdims), np.nan, found)

    return reduction


def _nan_mean(a: Any, axis: Any, keepdims: bool, dtype: Any, _: float) -> Array:
    x = asarray(a)
    if not _may_be_nan(x):
        return _reduction("mean", x, axis, keepdims, dtype)
    total = _reduction("sum", _filled(x, 0.0), axis, keepdims, dtype)
    return total / _numbers(x, axis, keepdims).astype(total.real.dtype)


def _numbers(x: Array, axis: Any, keepdims: bool) -> Array:
    """Return how many elements are not NaN."""
    return _reduction("count_nonzero", logical_not(isnan(x)), axis, keepdims)


def _nan_var(a: Any, axis: Any, keepdims: bool, dtype: Any, ddof: float) -> Array:
    x = asarray(a)
    if not _may_be_nan(x):
        return _reduction("var", x, axis, keepdims, dtype, ddof)
    if dtype is not None:
        x = x.astype(dtype)
    distances = where(isnan(x), 0.0, x - _nan_mean(x, axis, True, None, 0.0))
    squares = (distances * unary(_rules.CONJ, distances)).real
    total = _reduction("sum", squares, axis, keepdims)
    count = _numbers(x, axis, keepdims).astype(total.dtype) - ddof
    return where(count > 0, total / count, np.nan)


def _nan_std(*arguments: Any) -> Array:
    return unary(_rules.SQRT, _nan_var(*arguments))


_of_numpy = {
    **{
        name: _plain(name)
        for name in (
            *("all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min", "prod"),
            *("std", "sum", "var"),
        )
    },
    "nansum": _without_nan("sum", 0.0),
    "nanprod": _without_nan("prod", 1.0),
    "nanmax": _nan_extreme("max", -np.inf),
    "nanmin": _nan_extreme("min", np.inf),
    "nanmean": _nan_mean,
    "nanvar": _nan_var,
    "nanstd": _nan_std,
}

for _name in ("all", "any", "argmax", "argmin", "max", "min", "nanmax", "nanmin"):
    _implement(getattr(np, _name), _name, "axis", "out", "keepdims")
for _name in ("mean", "nanmean", "nanprod", "nansum", "prod", "sum"):
    _implement(getattr(np, _name), _name, "axis", "dtype", "out", "keepdims")
for _name in ("nanstd", "nanvar", "std", "var"):
    _implement(getattr(np, _name), _name, "axis", "dtype", "out", "ddof", "keepdims")
_implement(np.count_nonzero, "count_nonzero", "axis")


def _ufunc_reduce(ufunc: np.ufunc, array: Any, **named: Any) -> Any:
    if ufunc not in UFUNCS or not named.keys() <= {"axis", "dtype", "keepdims"}:
        return NotImplemented
    return wrap(ufunc_reduced(ufunc, asarray(array)._x, **named))


UFUNC_METHODS["reduce"] = _ufunc_reduce
