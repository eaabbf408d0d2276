"""Products of matrices and vectors: sums of products that are broadcast, in one kernel.

The products are fused with the sums, so that no array of them is stored. The order of the sums is
that of `indim.sum`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._array import Array, wrap
from ._core import Expr, binary
from ._creation import asarray
from ._functions import UFUNC_METHODS, implements
from ._manipulation import moveaxis
from ._rules import common
from ._shapes import as_axes, integers


@implements(np.matmul)
def matmul(x1: Any, x2: Any, /) -> Array:
    """Return the product of matrices in the last two dimensions; the others broadcast.

    An operand of one dimension is a row on the left, and a column on the right.

    >>> import indim
    >>> print(indim.matmul(indim.asarray([[1, 2], [3, 4]]), indim.asarray([10, 1])))
    [12 34]
    """
    left, right = _operands("matmul", x1, x2)
    for number, x in ((1, left), (2, right)):
        if x.ndim == 0:
            raise ValueError(f"matmul: x{number} has no dimensions; write x1 * x2 for numbers")
    is_row, is_column = left.ndim == 1, right.ndim == 1
    if is_row:
        left = _core.reshape(left, (1, *left.shape))
    if is_column:
        right = _core.reshape(right, (*right.shape, 1))
    (*batch, rows, inner), (*other, height, columns) = left.shape, right.shape
    if inner != height:
        at = -1 if is_column else -2
        raise ValueError(
            f"matmul: dimension -1 of x1 has size {inner} and dimension {at} of x2 has size "
            f"{height}; they must be equal"
        )
    _batch("matmul", batch, other)
    found = _product("matmul", left, right)
    shape = found.shape[: found.ndim - 2]
    sizes = ([] if is_row else [rows]) + ([] if is_column else [columns])
    return wrap(_core.reshape(found, (*shape, *sizes)))


@implements(np.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Return the scalar products of vectors along an axis, of the conjugates of x1.

    >>> import indim
    >>> print(indim.vecdot(indim.asarray([[1.0, 2.0], [3.0, 4.0]]), indim.asarray([1.0, 10.0])))
    [21. 43.]
    """
    left, right = _operands("vecdot", x1, x2)
    if not left.ndim or not right.ndim:
        raise ValueError("vecdot takes arrays of one dimension or more")
    left, right = (moveaxis(wrap(x), axis, -1)._x for x in (left, right))
    if left.shape[-1] != right.shape[-1]:
        raise ValueError(
            f"vecdot: dimension {axis} has size {left.shape[-1]} in x1 and {right.shape[-1]} in "
            "x2; the sizes must be equal"
        )
    if left.dtype == "c64":
        left = _core.unary("conj", left)
    return wrap(_summed("vecdot", left, right))


@implements(np.tensordot)
def tensordot(x1: Any, x2: Any, /, axes: Any = 2) -> Array:
    """Return the sums of products over pairs of dimensions: `axes` of x1 with `axes` of x2.

    A number is that of the last dimensions of x1 and the first ones of x2.

    >>> import indim
    >>> x = indim.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> print(indim.tensordot(x, x, axes=2), indim.tensordot(x, x, axes=([0], [0])))
    30.0 [[10. 14.]
     [14. 20.]]
    """
    left, right = _operands("tensordot", x1, x2)
    ours, theirs = _pairs(axes, left, right)
    for one, other in zip(ours, theirs, strict=True):
        if left.shape[one] != right.shape[other]:
            raise ValueError(
                f"tensordot: dimension {one} of x1 has size {left.shape[one]} and dimension "
                f"{other} of x2 has size {right.shape[other]}; they must be equal"
            )
    rows = [dim for dim in range(left.ndim) if dim not in ours]
    columns = [dim for dim in range(right.ndim) if dim not in theirs]
    inner = math.prod(left.shape[dim] for dim in ours)
    sizes = [left.shape[dim] for dim in rows], [right.shape[dim] for dim in columns]
    left = _core.reshape(_core.transpose(left, [*rows, *ours]), (math.prod(sizes[0]), inner))
    right = _core.reshape(_core.transpose(right, [*theirs, *columns]), (inner, math.prod(sizes[1])))
    return wrap(_core.reshape(_product("tensordot", left, right), (*sizes[0], *sizes[1])))


def _pairs(axes: Any, left: Expr, right: Expr) -> tuple[list[int], list[int]]:
    """Return the dimensions that an `axes` of `tensordot` means."""
    try:
        count = operator.index(axes)
    except TypeError:
        ours, theirs = (integers(each) for each in axes)
    else:
        if not 0 <= count <= min(left.ndim, right.ndim):
            raise ValueError(
                f"tensordot: axes={count} is not between 0 and the number of dimensions of both "
                f"operands, {left.ndim} and {right.ndim}"
            )
        ours, theirs = tuple(range(left.ndim - count, left.ndim)), tuple(range(count))
    if len(ours) != len(theirs):
        raise ValueError(f"tensordot: axes {ours} of x1 and {theirs} of x2 differ in number")
    return list(as_axes(ours, left.ndim)), list(as_axes(theirs, right.ndim))


def outer(x1: Any, x2: Any, /) -> Array:
    """Return the products of each element of x1 with each of x2; both are flattened.

    >>> import indim
    >>> print(indim.outer(indim.asarray([1, 2]), indim.asarray([10, 20, 30])))
    [[10 20 30]
     [20 40 60]]
    """
    return asarray(x1).reshape(-1, 1) * asarray(x2).reshape(1, -1)


@implements(np.outer)
def _numpy_outer(a: Any, b: Any, out: Any = None) -> Any:
    return outer(a, b) if out is None else NotImplemented


@implements(np.dot)
def dot(x1: Any, x2: Any, /, out: None = None) -> Array:
    """Return `numpy.dot`: the scalar product of vectors, the product of matrices.

    With more dimensions it is the sum over the last one of x1 and the last but one of x2.

    >>> import indim
    >>> print(indim.dot(indim.asarray([1.0, 2.0]), indim.asarray([3.0, 4.0])))
    11.0
    """
    left, right = asarray(x1), asarray(x2)
    if not left.ndim or not right.ndim:
        return left * right
    return tensordot(left, right, axes=(-1, -1 if right.ndim == 1 else -2))


@implements(np.inner)
def _numpy_inner(a: Any, b: Any, /) -> Array:
    left, right = asarray(a), asarray(b)
    return (
        left * right if not left.ndim or not right.ndim else tensordot(left, right, axes=(-1, -1))
    )


@implements(np.vdot)
def _numpy_vdot(a: Any, b: Any, /) -> Array:
    return vecdot(asarray(a).ravel(), asarray(b).ravel())


def _ufunc_outer(ufunc: np.ufunc, A: Any, B: Any, **named: Any) -> Any:
    left = asarray(A)
    return ufunc(left.reshape(*left.shape, *(1,) * np.ndim(B)), asarray(B), **named)


UFUNC_METHODS["outer"] = _ufunc_outer


def _operands(function: str, *operands: Any) -> list[Expr]:
    return common(function, [asarray(x)._x for x in operands])


def _product(function: str, left: Expr, right: Expr) -> Expr:
    """Return the product of matrices, in their type; other dimensions broadcast."""
    (*batch, rows, inner), (*other, _, columns) = left.shape, right.shape
    if columns == 1:
        found = _summed(function, left, _core.reshape(right, (*other, 1, inner)))
        return _core.reshape(found, (*found.shape, 1))
    # Neighbouring elements of the result read neighbouring elements of the right one.
    left = _core.transpose(left, (*range(len(batch)), len(batch) + 1, len(batch)))
    left = _core.reshape(left, (*batch, inner, rows, 1))
    right = _core.reshape(right, (*other, inner, 1, columns))
    return _summed(function, left, right, -3)


def _summed(function: str, left: Expr, right: Expr, dim: int = -1) -> Expr:
    """Return the sums of products along a dimension, in the operands' type."""
    rank = max(left.ndim, right.ndim)
    shape = _batch(function, left.shape, right.shape)
    left, right = (_core.broadcast_to(x, shape) for x in (left, right))
    if left.dtype == "pred":
        return _core.reduce("any", binary("and", left, right), [rank + dim])
    return _core.reduce("sum", binary("mul", left, right), [rank + dim], False, left.dtype)


def _batch(function: str, left: Sequence[int], right: Sequence[int]) -> Sequence[int]:
    """Return the sizes to which the dimensions beside the summed ones broadcast."""
    try:
        return np.broadcast_shapes(tuple(left), tuple(right))
    except ValueError:
        raise ValueError(
            f"{function}: the dimensions of x1 and x2 beside those of the products do not "
            f"broadcast: {tuple(left)} and {tuple(right)}"
        ) from None
