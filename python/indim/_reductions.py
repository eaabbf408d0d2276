"""The reductions: those of the standard, and some that NumPy and SciPy have beside them.

All are lazy and run on the GPU, fused with what stands before and after them. Float sums are those
of docs/numerics.md, whatever the order of NumPy's own. Types are NumPy's, but for means and
variances of integers, which are float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core, _rules
from ._array import Array, wrap
from ._creation import asarray
from ._dtypes import DEFAULTS, FLOATS
from ._reduce import axes_of, reduced


def all(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return whether all elements are true, along axes or of the whole array.

    >>> import indim
    >>> print(indim.all(indim.asarray([[1, 0], [2, 3]]), axis=1))
    [False  True]
    """
    return reduction("all", x, axis, keepdims)


def any(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return whether any element is true, along axes or of the whole array.

    >>> import indim
    >>> print(indim.any(indim.asarray([[1, 0], [2, 3]]), axis=1))
    [ True  True]
    """
    return reduction("any", x, axis, keepdims)


def argmax(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the position of the largest element, or of the first NaN, in int64.

    >>> import indim
    >>> print(indim.argmax(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [1 1]
    """
    return reduction("argmax", x, axis, keepdims)


def argmin(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the position of the smallest element, or of the first NaN, in int64.

    >>> import indim
    >>> print(indim.argmin(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [0 0]
    """
    return reduction("argmin", x, axis, keepdims)


def count_nonzero(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the number of elements that are not 0, in int64.

    >>> import indim
    >>> print(indim.count_nonzero(indim.asarray([[1, 0], [2, 3]]), axis=1))
    [1 2]
    """
    return reduction("count_nonzero", x, axis, keepdims)


def sum(x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return the sum along axes or of the whole array.

    Small integers are added in int64 or uint64, floats in their own type.

    >>> import indim
    >>> print(indim.sum(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [4. 6.]
    """
    return reduction("sum", x, axis, keepdims, dtype)


def prod(x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return the product along axes or of the whole array, with the types of `sum`.

    >>> import indim
    >>> print(indim.prod(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [3. 8.]
    """
    return reduction("prod", x, axis, keepdims, dtype)


def max(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the largest element, along axes or of the whole array; NaN where one is.

    >>> import indim
    >>> print(indim.max(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [3. 4.]
    """
    return reduction("max", x, axis, keepdims)


def min(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the smallest element, along axes or of the whole array; NaN where one is.

    >>> import indim
    >>> print(indim.min(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [1. 2.]
    """
    return reduction("min", x, axis, keepdims)


def mean(x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return the mean along axes or of the whole array; of integers in float32.

    It is computed in `dtype`, if one is given.

    >>> import indim
    >>> print(indim.mean(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [2. 3.]
    """
    return reduction("mean", x, axis, keepdims, dtype)


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
    return reduction("var", x, axis, keepdims, dtype, degrees)


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
    return reduction("std", x, axis, keepdims, dtype, degrees)


def logsumexp(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """Return the logarithm of the sum of exponentials, without overflow; beyond the standard.

    >>> import indim
    >>> print(indim.logsumexp(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0).round(3))
    [3.127 4.127]
    """
    return reduction("logsumexp", x, axis, keepdims)


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


def reduction(
    name: str,
    x: Any,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    ddof: float = 0.0,
) -> Array:
    """Return the reduction of this name, by NumPy's rules."""
    return wrap(reduced(name, asarray(x)._x, axis, keepdims, dtype, ddof))


def _over_axes(function: Callable[..., Any], x: Any, axis: Any) -> Array:
    expr = asarray(x)._x
    if expr.dtype not in FLOATS:
        expr = _rules.cast(expr, DEFAULTS[float])
    return wrap(function(expr, axes_of(expr, axis)))
