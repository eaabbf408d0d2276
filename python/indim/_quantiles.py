"""Percentiles, quantiles and medians, of sorted rows: on the host where `sort` runs there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ._array import Array
from ._creation import asarray
from ._elementwise import isnan
from ._functions import implements
from ._manipulation import moveaxis
from ._numpy_numbers import as_float
from ._on_host import on_host
from ._ranks import sorted_last
from ._selection import where
from ._shapes import as_axes
from ._taking import take

_PERCENTILES: Final = "Percentiles must be in the range [0, 100]"


def percentile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Array:
    """Return the percentiles `q` along axes or of the whole array, as `numpy.percentile`.

    They are computed on the host by other methods than "linear", and where `sort` runs there.

    >>> import indim
    >>> print(indim.percentile(indim.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), [25, 50]))
    [2. 3.]
    """
    if method == "linear" and not isinstance(q, Array):
        part = _parts(np.true_divide(q, 100), _PERCENTILES)
        found = _quantiles(asarray(a), part, axis, keepdims)
        if found is not None:
            return found
    named = {"method": method, "keepdims": keepdims}
    given = q if isinstance(q, (np.ndarray, np.generic)) else asarray(q)
    return on_host("indim.percentile", np.percentile, asarray(a), given, axis, **named)


def _parts(q: Any, message: str) -> np.ndarray[Any, Any]:
    """Return parts of the sorted elements; a ValueError where they are not between 0 and 1."""
    part = np.asarray(q, np.float64)
    if part.size and not (part.min() >= 0 and part.max() <= 1):
        raise ValueError(message)
    return part


def _quantiles(x: Array, part: np.ndarray[Any, Any], axis: Any, keepdims: bool) -> Array | None:
    """Return quantiles on lines between neighbours; None for rows too long to be sorted."""

    def found(ordered: Array) -> Array:
        last = ordered.shape[-1] - 1
        place = part * last
        low = np.floor(place).astype(np.int64)
        above = asarray((place - low).astype(np.float32)).astype(ordered.dtype)
        below = 1 - above
        first = take(ordered, low, axis=-1)
        second = take(ordered, np.minimum(low + 1, last), axis=-1)
        step = second - first
        line = where(above < 0.5, first + step * above, second - step * below)
        return where(first == second, first, line)

    made = _of_rows(x, axis, keepdims, found)
    # The dimensions of the parts come first.
    extra = part.ndim
    return made if made is None else moveaxis(made, range(-extra, 0), range(extra))


def _of_rows(
    x: Array, axis: Any, keepdims: bool, function: Callable[[Array], Array]
) -> Array | None:
    """Return a function of the sorted rows along axes; NaN for a row that has one.

    It is None for rows too long to be sorted.
    """
    dims = as_axes(axis, x.ndim)
    kept = [dim for dim in range(x.ndim) if dim not in dims]
    rows = moveaxis(as_float(x), dims, range(-len(dims), 0))
    rows = rows.reshape(*(x.shape[dim] for dim in kept), -1)
    if not x.size or rows._x.dtype == "c64":
        return None
    ordered = sorted_last(rows)
    if ordered is None:
        return None
    found = function(ordered)
    extra = found.ndim - len(kept)
    is_nan = isnan(ordered[..., -1])
    found = where(is_nan.reshape(*is_nan.shape, *(1,) * extra), np.nan, found)
    if not keepdims:
        return found
    sizes = [1 if dim in dims else size for dim, size in enumerate(x.shape)]
    return found.reshape(*sizes, *found.shape[len(kept) :])


def _implement(function: Callable[..., Any], whole: int, message: str) -> None:
    """Have NumPy's function, whose `q` are parts of this whole, run on the GPU."""

    @implements(function)
    def on_device(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        **named: Any,
    ) -> Any:
        if out is not None or named or method != "linear" or isinstance(q, Array):
            return NotImplemented
        part = _parts(np.true_divide(q, whole), message)
        found = _quantiles(asarray(a), part, axis, keepdims)
        return NotImplemented if found is None else found


_implement(np.percentile, 100, _PERCENTILES)
_implement(np.quantile, 1, "Quantiles must be in the range [0, 1]")


@implements(np.median)
def _median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    if out is not None:
        return NotImplemented

    def middle(ordered: Array) -> Array:
        half, odd = divmod(ordered.shape[-1], 2)
        return ordered[..., half] if odd else (ordered[..., half - 1] + ordered[..., half]) / 2

    found = _of_rows(asarray(a), axis, keepdims, middle)
    return NotImplemented if found is None else found
