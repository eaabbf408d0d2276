"""Reductions of expressions by NumPy's rules, which the GPU computes."""

from __future__ import annotations

from typing import Any, Final

from numpy.lib.array_utils import normalize_axis_tuple

from . import _core
from ._core import Expr
from ._dtypes import DEFAULTS, FLOATS, as_dtype, check_float64, name_of
from ._words import translated

_UFUNCS: Final = {"max": "maximum", "min": "minimum"}
"""NumPy's names of what has no value for no elements."""

_AVERAGES: Final = frozenset({"mean", "std", "var"})
"""Reductions whose results are floats: of integers they are the default one."""


def reduced(
    name: str,
    x: Expr,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    ddof: float = 0.0,
) -> Expr:
    """Return the reduction of this name along axes, or of the whole array.

    Raises NumPy's errors: an AxisError for an axis that the array lacks, a ValueError for one that
    is named twice, and for what is found among no elements.
    """
    axes = axes_of(x, axis)
    if name in ("max", "min", "argmax", "argmin"):
        check_elements(name, x, axes)
    target = None if dtype is None else name_of(as_dtype(dtype))
    if target is None and name in _AVERAGES and x.dtype not in FLOATS and x.dtype != "c64":
        target = DEFAULTS[float]
    if target is not None:
        check_float64(target, f"{name} in this dtype needs")
    try:
        return _core.reduce(name, x, axes, bool(keepdims), target, float(ddof))
    except (TypeError, ValueError) as error:
        raise translated(error, name) from None


def axes_of(x: Expr, axis: Any) -> list[int]:
    """Return the dimensions that an `axis` means: one, several, or all."""
    if axis is None:
        return list(range(x.ndim))
    axes = list(normalize_axis_tuple(axis, x.ndim, allow_duplicate=True))
    if len(set(axes)) < len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def check_elements(name: str, x: Expr, axes: list[int]) -> None:
    """Raise NumPy's ValueError where an extreme, or its position, is asked of no elements."""
    shape = x.shape
    if all(shape[axis] for axis in axes):
        return
    if name.startswith("arg"):
        raise ValueError(f"attempt to get {name} of an empty sequence")
    if all(size for axis, size in enumerate(shape) if axis not in axes):
        ufunc = _UFUNCS.get(name, name)
        raise ValueError(f"zero-size array to reduction operation {ufunc} which has no identity")
