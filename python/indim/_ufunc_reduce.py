"""`reduce` of NumPy's ufuncs on expressions: by NumPy's rules, and on the GPU."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from . import _core, _rules
from ._core import Expr
from ._dtypes import BOUNDS, DEFAULTS, FLOATS, SIGNED, as_dtype, name_of
from ._host import scalar
from ._reduce import axes_of, check_elements, reduced
from ._rules import cast, select
from ._words import translated

_FOLDS: Final = {
    np.bitwise_and: "reduce_and",
    np.bitwise_or: "reduce_or",
    np.bitwise_xor: "reduce_xor",
    np.fmax: "reduce_max",
    np.fmin: "reduce_min",
    np.logical_and: "reduce_and",
    np.logical_or: "reduce_or",
    np.logical_xor: "reduce_xor",
    np.maximum: "reduce_max",
    np.minimum: "reduce_min",
}
"""The operations that keep the elements' type."""

_SUMS: Final = {np.add: "sum", np.multiply: "prod", np.logaddexp: "logsumexp"}
"""The reductions with types of their own."""

_IDENTITIES: Final = {
    np.add: 0,
    np.bitwise_or: 0,
    np.bitwise_xor: 0,
    np.logaddexp: -np.inf,
    np.logical_and: True,
    np.logical_or: False,
    np.logical_xor: False,
    np.multiply: 1,
}
"""What they give of no elements. Extremes give nothing; `bitwise_and` gives all bits of a type."""

UFUNCS: Final = frozenset({*_FOLDS, *_SUMS})
"""The ufuncs whose `reduce` the GPU computes."""


def ufunc_reduced(
    ufunc: np.ufunc,
    x: Expr,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Expr | None = None,
) -> Expr:
    """Return `ufunc.reduce(x, ...)`, which is along the first axis unless another is given.

    `where` are booleans. Raises NumPy's errors where nothing may be left to reduce.
    """
    axes = axes_of(x, axis)
    x = cast(x, _type_within(ufunc, x, dtype))
    identity = _identity(ufunc, x.dtype)
    if identity is None and initial is None:
        if where is not None:
            raise ValueError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'"
            )
        check_elements(ufunc.__name__, x, axes)
    if where is not None:
        instead = scalar(x.dtype, initial if identity is None else identity)
        x = select(_core.broadcast_to(where, x.shape), x, instead)
    if ufunc in _SUMS:
        found = reduced(_SUMS[ufunc], x, axes, keepdims, dtype)
    elif ufunc in (np.fmax, np.fmin) and x.dtype in FLOATS:
        found = _of_numbers(ufunc, x, axes, keepdims)
    else:
        found = _fold(ufunc, x, axes, keepdims)
    return found if initial is None else _with_initial(ufunc, found, initial)


def _type_within(ufunc: np.ufunc, x: Expr, dtype: Any) -> str:
    """Return the type in which elements are reduced."""
    target = x.dtype if dtype is None else name_of(as_dtype(dtype))
    if isinstance(_IDENTITIES.get(ufunc), bool):
        if dtype is not None and target != "pred":
            raise TypeError(
                f"numpy.{ufunc.__name__}.reduce gives booleans, and takes no other dtype"
            )
        return "pred"
    if ufunc is np.logaddexp and target not in FLOATS and target != "c64":
        return DEFAULTS[float]
    return target


def _identity(ufunc: np.ufunc, name: str) -> Any:
    if ufunc is not np.bitwise_and:
        return _IDENTITIES.get(ufunc)
    return -1 if name in SIGNED else BOUNDS[name][1] if name in BOUNDS else True


def _fold(ufunc: np.ufunc, x: Expr, axes: list[int], keepdims: bool) -> Expr:
    try:
        found = _core.fold(_FOLDS[ufunc], x, axes)
    except TypeError as error:
        raise translated(error, f"{ufunc.__name__}.reduce") from None
    if not keepdims:
        return found
    sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    return _core.reshape(found, sizes)


def _of_numbers(ufunc: np.ufunc, x: Expr, axes: list[int], keepdims: bool) -> Expr:
    """Return the extreme of the elements that are not NaN; NaN where there are none."""
    missing = _rules.ISNAN[x.dtype](x)
    lowest = -np.inf if ufunc is np.fmax else np.inf
    found = _fold(ufunc, select(missing, lowest, x), axes, keepdims)
    return select(_fold(np.logical_and, missing, axes, keepdims), np.nan, found)


def _with_initial(ufunc: np.ufunc, found: Expr, initial: Any) -> Expr:
    """Return a reduction of the elements and one more."""
    first = scalar(found.dtype, initial)
    if ufunc not in (np.fmax, np.fmin):
        return _rules.BINARY_UFUNCS[ufunc][found.dtype, found.dtype](found, first)
    rules = _rules.MAXIMUM if ufunc is np.fmax else _rules.MINIMUM
    is_nan = _rules.ISNAN[found.dtype]
    both = select(is_nan(first), found, rules[found.dtype, found.dtype](found, first))
    return select(is_nan(found), first, both)
