"""Functions that move elements: all are lazy views, or moves that a kernel makes.

Those that NumPy has as views are views here, too: writing into them writes into the array.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._array import Array, wrap
from ._core import Expr
from ._creation import asarray
from ._functions import implements
from ._host import from_numpy
from ._on_host import on_host
from ._rules import common
from ._shapes import as_axes, as_shape, permutation, reshaped
from ._views import Link, linked
from ._words import no_out, translated


def as_reshaped(array: Array, shape: Any) -> Array:
    """Return a view of the elements, in row-major order, under another shape."""
    value = reshaped(array._x, shape)
    sizes = value.shape
    return linked(
        wrap(value),
        Link(array, lambda x: reshaped(x, sizes), lambda x, view: reshaped(view, x.shape)),
    )


def as_transposed(array: Array, order: tuple[int, ...]) -> Array:
    """Return a view with the dimensions in another order."""

    def back(_: Expr, view: Expr) -> Expr:
        inverse = tuple(sorted(range(len(order)), key=order.__getitem__))
        return _core.transpose(view, inverse)

    value = wrap(_core.transpose(array._x, order))
    return linked(value, Link(array, lambda x: _core.transpose(x, order), back))


Array._transposed = as_transposed


def broadcast_to(x: Array, /, shape: Any) -> Array:
    """Return x repeated to a shape, by NumPy's rule.

    >>> import indim
    >>> print(indim.broadcast_to(indim.asarray([1, 2]), (2, 2)))
    [[1 2]
     [1 2]]
    """
    return wrap(_core.broadcast_to(_expression(x), as_shape(shape)))


@implements(np.broadcast_to)
def _numpy_broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    return broadcast_to(array, shape)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes broadcast to, by NumPy's rule.

    >>> import indim
    >>> indim.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return np.broadcast_shapes(*shapes)


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Return the arrays with one shape.

    >>> import indim
    >>> x, y = indim.broadcast_arrays(indim.ones((3, 1)), indim.ones(2))
    >>> print(x.shape, y.shape)
    (3, 2) (3, 2)
    """
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


def concat(arrays: Sequence[Array], /, axis: int | None = 0) -> Array:
    """Return arrays one after the other along an axis; flattened ones where it is None.

    Their types promote as NumPy's.

    >>> import indim
    >>> print(indim.concat([indim.asarray([1, 2]), indim.asarray([3])]))
    [1 2 3]
    """
    parts = _promoted("concat", arrays)
    if axis is None:
        parts = [reshaped(part, (part.size,)) for part in parts]
        axis = 0
    if parts[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    (dim,) = as_axes(axis, parts[0].ndim)
    try:
        return wrap(_core.concatenate(parts, dim))
    except ValueError as error:
        raise translated(error, "concat") from None


@implements(np.concatenate)
def _numpy_concatenate(
    arrays: Any,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    made = concat(arrays, axis=axis)
    no_out(out)
    return made if dtype is None else made.astype(dtype, copy=False)


def stack(arrays: Sequence[Array], /, axis: int = 0) -> Array:
    """Return arrays of one shape along a new axis.

    >>> import indim
    >>> print(indim.stack([indim.asarray([1, 2]), indim.asarray([3, 4])]))
    [[1 2]
     [3 4]]
    """
    parts = _promoted("stack", arrays)
    shape = parts[0].shape
    if any(part.shape != shape for part in parts):
        raise ValueError("all input arrays must have the same shape")
    (dim,) = as_axes(axis, len(shape) + 1)
    apart = (*shape[:dim], 1, *shape[dim:])
    return wrap(_core.concatenate([_core.reshape(part, apart) for part in parts], dim))


@implements(np.stack)
def _numpy_stack(
    arrays: Any,
    axis: int = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    no_out(out)
    made = stack(list(arrays), axis=axis)
    return made if dtype is None else made.astype(dtype, copy=False)


def unstack(x: Array, /, axis: int = 0) -> tuple[Array, ...]:
    """Return the parts of x along an axis, without it.

    >>> import indim
    >>> first, second = indim.unstack(indim.asarray([[1, 2], [3, 4]]))
    >>> print(second)
    [3 4]
    """
    (dim,) = as_axes(axis, x.ndim)
    before = (slice(None),) * dim
    return tuple(x[(*before, index)] for index in range(x.shape[dim]))


@implements(np.expand_dims)
def expand_dims(x: Array, /, axis: Any = 0) -> Array:
    """Return x with new dimensions of size 1, which stand at `axis` of the result.

    >>> import indim
    >>> print(indim.expand_dims(indim.ones((3, 4)), 1).shape)
    (3, 1, 4)
    """
    source = asarray(x)
    places = _positions(axis, source.ndim)
    sizes = iter(source.shape)
    rank = source.ndim + len(places)
    return as_reshaped(source, [1 if dim in places else next(sizes) for dim in range(rank)])


def _positions(axis: Any, rank: int) -> tuple[int, ...]:
    """Return where new dimensions stand in the result."""
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    return as_axes(axis, rank + count)


@implements(np.squeeze)
def squeeze(x: Array, /, axis: Any = None) -> Array:
    """Return x without dimensions of size 1: those at `axis`, or all.

    >>> import indim
    >>> print(indim.squeeze(indim.ones((1, 3, 1))).shape)
    (3,)
    """
    source = asarray(x)
    if axis is None:
        axis = tuple(dim for dim, size in enumerate(source.shape) if size == 1)
    dims = as_axes(axis, source.ndim)
    for dim in dims:
        if source.shape[dim] != 1:
            raise ValueError(
                "cannot select an axis to squeeze out which has size not equal to one: axis "
                f"{dim} has size {source.shape[dim]}"
            )
    return as_reshaped(source, [size for dim, size in enumerate(source.shape) if dim not in dims])


@implements(np.flip)
def flip(x: Array, /, axis: Any = None) -> Array:
    """Return x backwards along axes, or along all.

    >>> import indim
    >>> print(indim.flip(indim.asarray([1, 2, 3])))
    [3 2 1]
    """
    source = asarray(x)
    dims = list(as_axes(axis, source.ndim))
    return linked(
        wrap(_core.reverse(source._x, dims)),
        Link(source, lambda x: _core.reverse(x, dims), lambda _, view: _core.reverse(view, dims)),
    )


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    """Return x with its dimensions permuted: dimension i is dimension `axes[i]` of x.

    >>> import indim
    >>> print(indim.permute_dims(indim.ones((2, 3, 4)), (2, 0, 1)).shape)
    (4, 2, 3)
    """
    source = asarray(x)
    return as_transposed(source, permutation(axes, source.ndim))


def matrix_transpose(x: Array, /) -> Array:
    """Return x with its last two dimensions exchanged.

    >>> import indim
    >>> print(indim.matrix_transpose(indim.asarray([[1, 2], [3, 4]])))
    [[1 3]
     [2 4]]
    """
    source = asarray(x)
    rank = source.ndim
    if rank < 2:
        raise ValueError(f"matrix_transpose needs two dimensions or more, and x has {rank}")
    return as_transposed(source, (*range(rank - 2), rank - 1, rank - 2))


implements(np.matrix_transpose)(matrix_transpose)
implements(np.permute_dims)(permute_dims)


@implements(np.moveaxis)
def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    """Return x with dimensions at other places, and the others in their order.

    >>> import indim
    >>> print(indim.moveaxis(indim.ones((2, 3, 4)), 0, -1).shape)
    (3, 4, 2)
    """
    operand = asarray(x)
    taken = as_axes(source, operand.ndim)
    placed = as_axes(destination, operand.ndim)
    if len(taken) != len(placed):
        raise ValueError("source and destination have different numbers of axes")
    order = [dim for dim in range(operand.ndim) if dim not in taken]
    for place, dim in sorted(zip(placed, taken, strict=True)):
        order.insert(place, dim)
    return as_transposed(operand, tuple(order))


@implements(np.ravel)
def ravel(x: Array, /, order: str = "C") -> Array:
    """Return the elements of x in row-major order under one dimension.

    >>> import indim
    >>> print(indim.ravel(indim.asarray([[1, 2], [3, 4]])))
    [1 2 3 4]
    """
    if order not in ("C", "K", "A"):
        raise ValueError(f"indim has row-major order only, not order {order!r}")
    return reshape(x, -1)


def reshape(x: Array, /, shape: Any, *, copy: bool | None = None) -> Array:
    """Return the elements, in row-major order, under another shape; one size may be -1.

    It is a view of x unless `copy` is true.

    >>> import indim
    >>> print(indim.reshape(indim.arange(6), (2, -1)))
    [[0 1 2]
     [3 4 5]]
    """
    made = as_reshaped(asarray(x), shape)
    return made.copy() if copy else made


@implements(np.reshape)
def _numpy_reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> Array:
    if order != "C":
        raise ValueError(f"indim reshapes in row-major order only, not in order {order!r}")
    return reshape(a, shape)


def roll(x: Array, /, shift: Any, axis: Any = None) -> Array:
    """Return x shifted along axes, from each end to the other; flattened where there are none.

    >>> import indim
    >>> print(indim.roll(indim.arange(4), 1))
    [3 0 1 2]
    """
    source = _expression(x)
    if axis is None:
        flat = reshaped(source, (source.size,))
        return wrap(reshaped(_rolled(flat, {0: operator.index(shift)}), source.shape))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(shifts) == 1:
        shifts = tuple(shifts) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError("shift and axis have different numbers of entries")
    amounts: dict[int, int] = {}
    for one, by in zip(axes, shifts, strict=True):
        (dim,) = as_axes(one, source.ndim)
        amounts[dim] = amounts.get(dim, 0) + operator.index(by)
    return wrap(_rolled(source, amounts))


@implements(np.roll)
def _numpy_roll(a: Any, shift: Any, axis: Any = None) -> Array:
    return roll(a, shift, axis=axis)


def _rolled(x: Expr, amounts: dict[int, int]) -> Expr:
    """Return an expression shifted by an amount for each of some dimensions."""
    if not x.size or not amounts:
        return x
    shifts = [amount % x.shape[dim] for dim, amount in amounts.items()]
    return _core.roll(x, shifts, list(amounts))


def tile(x: Array, repetitions: Any, /) -> Array:
    """Return x repeated as a whole along each dimension; new dimensions come first.

    >>> import indim
    >>> print(indim.tile(indim.asarray([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    source = _expression(x)
    counts = as_shape(repetitions)
    rank = max(source.ndim, len(counts))
    shape = (1,) * (rank - source.ndim) + source.shape
    counts = (1,) * (rank - len(counts)) + counts
    # Each dimension becomes two: the repetition, and the elements of one copy.
    apart = tuple(size for each in shape for size in (1, each))
    wide = tuple(size for pair in zip(counts, shape, strict=True) for size in pair)
    whole = tuple(count * size for count, size in zip(counts, shape, strict=True))
    return wrap(_core.reshape(_core.broadcast_to(_core.reshape(source, apart), wide), whole))


@implements(np.tile)
def _numpy_tile(A: Any, reps: Any) -> Array:
    return tile(A, reps)


def repeat(x: Array, repeats: Any, /, axis: int | None = None) -> Array:
    """Return x with each element repeated along an axis, flattened where it is None.

    With a number of its own for each element, given by an array on the GPU, NumPy does it on the
    host: the shape of the result depends on these numbers.

    >>> import indim
    >>> print(indim.repeat(indim.asarray([1, 2]), 3))
    [1 1 1 2 2 2]
    """
    source = _expression(x)
    if isinstance(repeats, Array) and not repeats._x.is_read:
        return on_host("indim.repeat", np.repeat, asarray(x), repeats, axis)
    if isinstance(repeats, (Array, np.ndarray)) or not hasattr(repeats, "__index__"):
        return _repeated(source, np.asarray(repeats), axis)
    count = operator.index(repeats)
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    if axis is None:
        source, axis = reshaped(source, (source.size,)), 0
    (dim,) = as_axes(axis, source.ndim)
    before, size, after = source.shape[:dim], source.shape[dim], source.shape[dim + 1 :]
    apart = _core.reshape(source, (*before, size, 1, *after))
    wide = _core.broadcast_to(apart, (*before, size, count, *after))
    return wrap(_core.reshape(wide, (*before, size * count, *after)))


def _repeated(x: Expr, repeats: np.ndarray[Any, Any], axis: int | None) -> Array:
    """Return x with each element repeated as often as a number of its own says."""
    if axis is None:
        x, axis = reshaped(x, (x.size,)), 0
    (dim,) = as_axes(axis, x.ndim)
    places = np.repeat(np.arange(x.shape[dim]), repeats)
    return wrap(_core.take(x, from_numpy(places.astype(np.int32)), dim))


@implements(np.repeat)
def _numpy_repeat(a: Any, repeats: Any, axis: int | None = None) -> Array:
    return repeat(a, repeats, axis=axis)


@implements(np.shape)
def _numpy_shape(a: Any) -> tuple[int, ...]:
    return a.shape


@implements(np.ndim)
def _numpy_ndim(a: Any) -> int:
    return a.ndim


@implements(np.broadcast_arrays)
def _numpy_broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Array, ...]:
    return tuple(broadcast_arrays(*(asarray(array) for array in args)))


def _expression(x: Any) -> Expr:
    return asarray(x)._x


def _promoted(function: str, arrays: Any) -> list[Expr]:
    """Return arrays as expressions of the type that holds them all."""
    if isinstance(arrays, Array):
        arrays = list(arrays)
    parts = [_expression(array) for array in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    return common(function, parts)
