"""NumPy's reductions of arrays: with `where` and `initial`, and of what is not NaN.

A reduction that leaves NaN out is one by a mask.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from . import _rules
from ._array import Array, unary, wrap
from ._creation import asarray
from ._dtypes import FLOATS
from ._elementwise import isnan, logical_not
from ._functions import UFUNC_METHODS, implements
from ._indices import as_indices
from ._manipulation import broadcast_to, concat
from ._reductions import all, any, reduction
from ._selection import where as select
from ._shapes import as_axes
from ._ufunc_calls import boolean
from ._ufunc_reduce import UFUNCS, ufunc_reduced
from ._words import no_out

_BY_UFUNC: Final = {
    "all": np.logical_and,
    "any": np.logical_or,
    "max": np.maximum,
    "min": np.minimum,
    "nanmax": np.fmax,
    "nanmin": np.fmin,
    "nanprod": np.multiply,
    "nansum": np.add,
    "prod": np.multiply,
    "sum": np.add,
}
"""The reductions that are `reduce` of a ufunc, where they have a mask or an initial value."""


_MOST: Final = 32
"""Results of more parts than these are left to the host: each is a reduction of its own."""


def _implement(name: str, *positional: str) -> None:
    """Have NumPy's function, whose arguments after the array have these names, run on the GPU."""

    @implements(getattr(np, name))
    def on_device(a: Any, *arguments: Any, **named: Any) -> Any:
        named.update(zip(positional, arguments, strict=False))
        no_out(named.pop("out", None))
        named = {name: value for name, value in named.items() if value is not np._NoValue}
        mask = named.pop("where", True)
        how = _How(
            axis=named.pop("axis", None),
            keepdims=named.pop("keepdims", False),
            dtype=named.pop("dtype", None),
            ddof=named.pop("correction", named.pop("ddof", 0.0)),
            initial=named.pop("initial", None),
            mask=None if mask is True else boolean(mask),
        )
        if named or len(arguments) > len(positional):
            return NotImplemented
        reduced = _without_nan if name.startswith("nan") else _reduced
        return reduced(name, asarray(a), how)


@dataclass(frozen=True, slots=True)
class _How:
    """The arguments of a reduction beside the array; `mask` is its `where`."""

    axis: Any
    keepdims: bool
    dtype: Any
    ddof: float
    initial: Any
    mask: Array | None

    def by_ufunc(self, name: str, x: Array) -> Array:
        """Return a reduction that is `reduce` of a ufunc."""
        chosen = None if self.mask is None else self.mask._x
        ufunc, initial = _BY_UFUNC[name], self.initial
        return wrap(
            ufunc_reduced(ufunc, x._x, self.axis, self.dtype, self.keepdims, initial, chosen)
        )


def _reduced(name: str, x: Array, how: _How) -> Any:
    """Return a reduction of the elements at which a mask is true; of all without one."""
    axis, keepdims, dtype, mask = how.axis, how.keepdims, how.dtype, how.mask
    if how.initial is None and mask is None:
        return reduction(name, x, axis, keepdims, dtype, how.ddof)
    if name in _BY_UFUNC:
        return how.by_ufunc(name, x)
    if mask is None:
        return NotImplemented
    if name == "mean":
        return _mean(x, mask, axis, keepdims, dtype)
    found = _variance(x, mask, axis, keepdims, dtype, how.ddof)
    return unary(_rules.SQRT, found) if name == "std" else found


def _mean(x: Array, mask: Array, axis: Any, keepdims: bool, dtype: Any) -> Array:
    x = _floats(x, dtype)
    total = reduction("sum", select(mask, x, 0), axis, keepdims)
    return total / _count(x, mask, axis, keepdims).astype(total.real.dtype)


def _variance(x: Array, mask: Array, axis: Any, keepdims: bool, dtype: Any, ddof: float) -> Array:
    x = _floats(x, dtype)
    distances = select(mask, x - _mean(x, mask, axis, True, None), 0)
    squares = (distances * unary(_rules.CONJ, distances)).real
    total = reduction("sum", squares, axis, keepdims)
    count = _count(x, mask, axis, keepdims).astype(total.dtype) - ddof
    return select(count > 0, total / count, np.nan)


def _floats(x: Array, dtype: Any) -> Array:
    """Return the elements in the type in which their mean is computed."""
    if dtype is not None:
        return x.astype(dtype)
    return x if _may_be_nan(x) else x * 1.0


def _count(x: Array, mask: Array, axis: Any, keepdims: bool) -> Array:
    """Return at how many elements a mask is true."""
    return reduction("count_nonzero", broadcast_to(mask, x.shape), axis, keepdims)


def _without_nan(name: str, x: Array, how: _How) -> Any:
    """Return a reduction of the elements that are not NaN."""
    plain = name.removeprefix("nan")
    if not _may_be_nan(x):
        return _reduced(plain, x, how)
    if plain in ("max", "min"):
        return how.by_ufunc(name, x)
    number = logical_not(isnan(x))
    mask = number if how.mask is None else number & how.mask
    return _reduced(plain, x, replace(how, mask=mask))


def _may_be_nan(x: Array) -> bool:
    return x._x.dtype in FLOATS or x._x.dtype == "c64"


for _name in ("all", "any"):
    _implement(_name, "axis", "out", "keepdims")
for _name in ("max", "min", "nanmax", "nanmin"):
    _implement(_name, "axis", "out", "keepdims", "initial", "where")
for _name in ("nanprod", "nansum", "prod", "sum"):
    _implement(_name, "axis", "dtype", "out", "keepdims", "initial", "where")
for _name in ("mean", "nanmean"):
    _implement(_name, "axis", "dtype", "out", "keepdims")
for _name in ("nanstd", "nanvar", "std", "var"):
    _implement(_name, "axis", "dtype", "out", "ddof", "keepdims")
for _name in ("argmax", "argmin"):
    _implement(_name, "axis", "out", "keepdims")
_implement("count_nonzero", "axis")


def _position_without_nan(name: str, instead: float) -> Callable[..., Array]:
    """Return the position of an extreme of the numbers; NumPy's ValueError where there are none."""

    def position(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Array:
        no_out(out)
        x = asarray(a)
        keepdims = False if keepdims is np._NoValue else keepdims
        found = reduction(name, _filled(x, instead), axis, keepdims)
        # An error has to be known at once, which reads one boolean.
        if _may_be_nan(x) and bool(any(all(isnan(x), axis))):
            raise ValueError("All-NaN slice encountered")
        return found

    return position


def _filled(x: Array, instead: float) -> Array:
    return select(isnan(x), instead, x) if _may_be_nan(x) else x


implements(np.nanargmax)(_position_without_nan("argmax", -np.inf))
implements(np.nanargmin)(_position_without_nan("argmin", np.inf))


@implements(np.nancumsum)
def _nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
    no_out(out)
    return _filled(asarray(a), 0.0).cumsum(axis, dtype)


@implements(np.nancumprod)
def _nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
    no_out(out)
    return _filled(asarray(a), 1.0).cumprod(axis, dtype)


def _ufunc_reduce(
    ufunc: np.ufunc, array: Any, *, initial: Any = None, where: Any = True, **named: Any
) -> Any:
    if ufunc not in UFUNCS:
        return NotImplemented
    named["initial"] = None if initial is np._NoValue else initial
    named["where"] = None if where is True else boolean(where)._x
    return wrap(ufunc_reduced(ufunc, asarray(array)._x, **named))


UFUNC_METHODS["reduce"] = _ufunc_reduce


def _reduceat(ufunc: np.ufunc, array: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    x, starts = asarray(array), as_indices(indices)
    if ufunc not in UFUNCS or not isinstance(starts, np.ndarray) or not 0 < starts.size <= _MOST:
        return NotImplemented
    (dim,) = as_axes(axis, x.ndim)
    # NumPy's errors, on the numbers of the elements.
    np.add.reduceat(np.arange(x.shape[dim]), starts)
    before, parts = (slice(None),) * dim, []
    for start, after in itertools.pairwise([*starts.tolist(), x.shape[dim]]):
        part = x[(*before, slice(start, after if after > start else start + 1))]
        parts.append(wrap(ufunc_reduced(ufunc, part._x, dim, dtype, keepdims=True)))
    return concat(parts, axis=dim)


UFUNC_METHODS["reduceat"] = _reduceat
