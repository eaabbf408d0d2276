"""NumPy's functions beside the standard's that put elements at other places."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ._array import Array
from ._creation import asarray
from ._data_types import result_type
from ._functions import implements
from ._manipulation import broadcast_to, concat, flip, moveaxis, permute_dims, stack, tile
from ._reductions import any, argmax
from ._selection import where
from ._shapes import as_axes, as_shape, integers
from ._taking import take

_MOST_PARTS: Final = 32
"""Results of more parts than these are left to the host: each is an operand of the kernel."""


def transpose(x: Any, /, axes: Any = None) -> Array:
    """Return x with its dimensions permuted, or reversed, as `numpy.transpose`.

    >>> import indim
    >>> print(indim.transpose(indim.ones((2, 3, 4))).shape)
    (4, 3, 2)
    """
    source = asarray(x)
    return permute_dims(source, range(source.ndim)[::-1] if axes is None else axes)


implements(np.transpose)(lambda a, axes=None: transpose(a, axes))


@implements(np.rollaxis)
def _rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    x = asarray(a)
    (taken,) = as_axes(axis, x.ndim)
    (placed,) = as_axes(start, x.ndim + 1)
    return moveaxis(x, taken, placed - 1 if taken < placed else placed)


@implements(np.rot90)
def _rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    x = asarray(m)
    first, second = as_axes(tuple(axes), x.ndim)
    turns = k % 4
    if turns == 2:
        return flip(x, (first, second))
    if turns == 1:
        return flip(x, second).swapaxes(first, second)
    return flip(x.swapaxes(first, second), second) if turns else x[...]


@implements(np.atleast_3d)
def _atleast_3d(*arys: Any) -> Any:
    made = tuple(_of_three(asarray(each)) for each in arys)
    return made[0] if len(made) == 1 else made


def _of_three(x: Array) -> Array:
    shapes = {0: (1, 1, 1), 1: (1, *x.shape, 1), 2: (*x.shape, 1)}
    return x.reshape(shapes[x.ndim]) if x.ndim < 3 else x


@implements(np.dstack)
def _dstack(tup: Any) -> Array:
    return concat([_of_three(asarray(each)) for each in tup], axis=2)


@implements(np.block)
def _block(arrays: Any) -> Array:
    depth, inner = 0, arrays
    while isinstance(inner, list):
        if not inner:
            raise ValueError("List at arrays[0] cannot be empty")
        depth, inner = depth + 1, inner[0]
    rank = builtins.max(depth, *(asarray(leaf).ndim for leaf in _leaves(arrays)))

    def joined(each: Any, level: int) -> Array:
        if not isinstance(each, list):
            if level != depth:
                raise ValueError("List depths are mismatched")
            x = asarray(each)
            return x.reshape((1,) * (rank - x.ndim) + x.shape)
        return concat([joined(one, level + 1) for one in each], axis=rank - depth + level)

    return joined(arrays, 0)


def _leaves(arrays: Any) -> list[Any]:
    if not isinstance(arrays, list):
        return [arrays]
    return [leaf for each in arrays for leaf in _leaves(each)]


@implements(np.delete)
def _delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    x, dim = _along(arr, axis)
    if isinstance(obj, Array):
        return NotImplemented
    # NumPy's rule of which are left, on the numbers of the elements.
    return take(x, np.delete(np.arange(x.shape[dim]), obj), axis=dim)


def _along(x: Any, axis: int | None) -> tuple[Array, int]:
    """Return an array and one of its dimensions; without an axis it is flattened."""
    array = asarray(x)
    if axis is None:
        return array.ravel(), 0
    (dim,) = as_axes(axis, array.ndim)
    return array, dim


@implements(np.insert)
def _insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    x, dim = _along(arr, axis)
    if isinstance(obj, bool) or not hasattr(obj, "__index__") or np.ndim(obj):
        return NotImplemented
    place, size = operator.index(obj), x.shape[dim]
    if not -size <= place <= size:
        raise IndexError(f"index {place} is out of bounds for axis {dim} with size {size}")
    place += size if place < 0 else 0
    given = asarray(values).astype(x.dtype, copy=False)
    if given.ndim and x.ndim > 1:
        # As NumPy, the first dimension of the values is that which is inserted along.
        given = given.reshape((1,) * (x.ndim - given.ndim) + given.shape)
        given = moveaxis(given, 0, dim)
    count = given.shape[dim] if given.ndim else 1
    inside = broadcast_to(given, (*x.shape[:dim], count, *x.shape[dim + 1 :]))
    before = (slice(None),) * dim
    parts = [x[(*before, slice(0, place))], inside, x[(*before, slice(place, None))]]
    return concat(parts, axis=dim)


@implements(np.resize)
def _resize(a: Any, new_shape: Any) -> Array:
    x, shape = asarray(a).ravel(), as_shape(new_shape)
    wanted = math.prod(shape)
    if not x.size:
        return x._namespace.zeros(shape, dtype=x.dtype)
    return tile(x, -(-wanted // x.size))[:wanted].reshape(shape)


@implements(np.select)
def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    if len(condlist) > _MOST_PARTS:
        return NotImplemented
    found = default
    for mask, choice in zip(condlist[::-1], choicelist[::-1], strict=True):
        found = where(mask, choice if np.ndim(choice) == 0 else asarray(choice), found)
    dtype = result_type(
        *(each if np.ndim(each) == 0 else asarray(each) for each in choicelist), default
    )
    return found.astype(dtype, copy=False)


@implements(np.choose)
def _choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    place, count = asarray(a), len(choices)
    if out is not None or mode != "raise" or not 0 < count <= _MOST_PARTS:
        return NotImplemented
    # An error has to be known at once, which reads one boolean.
    if bool(any((place < 0) | (place >= count))):
        raise ValueError("invalid entry in choice array")
    found = broadcast_to(
        asarray(choices[-1]), np.broadcast_shapes(place.shape, np.shape(choices[-1]))
    )
    for at in range(count - 1)[::-1]:
        found = where(place == at, choices[at], found)
    return found


@implements(np.trim_zeros)
def _trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    x, sides = asarray(filt), trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {sides!r}")
    if not x.size:
        return NotImplemented
    key = [slice(None)] * x.ndim
    for dim in as_axes(axis, x.ndim):
        is_kept = any(x != 0, axis=tuple(other for other in range(x.ndim) if other != dim))
        # The shape has to be known at once, which reads two numbers for each axis.
        first, after = int(argmax(is_kept)), x.shape[dim] - int(argmax(flip(is_kept)))
        if first == 0 and not bool(is_kept[0]):
            first = after = 0
        key[dim] = slice(first if "f" in sides else 0, after if "b" in sides else None)
        if first == after:
            key[dim] = slice(0, 0)
    return x[tuple(key)]


@implements(np.vander)
def _vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    source = asarray(x)
    count = source.size if N is None else operator.index(N)
    if source.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    if not 0 < count <= _MOST_PARTS:
        return NotImplemented
    source = source.astype(result_type(source.dtype, np.int64), copy=False)
    columns = [source * 0 + 1]
    while len(columns) < count:
        columns.append(columns[-1] * source)
    return stack(columns if increasing else columns[::-1], axis=1)


@implements(np.kron)
def _kron(a: Any, b: Any) -> Array:
    x, y = asarray(a), asarray(b)
    rank = builtins.max(x.ndim, y.ndim)
    left = (1,) * (rank - x.ndim) + x.shape
    right = (1,) * (rank - y.ndim) + y.shape
    apart = [size for each in left for size in (each, 1)]
    inside = [size for each in right for size in (1, each)]
    whole = [one * other for one, other in zip(left, right, strict=True)]
    return (x.reshape(apart) * y.reshape(inside)).reshape(whole)


@implements(np.isin)
def _isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Any:
    x, wanted = asarray(element), asarray(test_elements).ravel()
    if wanted.size > 1024:
        return NotImplemented
    found = any(x[..., None] == wanted, axis=-1)
    return ~found if invert else found


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(
    x: Any,
    window_shape: Any,
    axis: Any = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """Return the windows of a shape along axes, in new dimensions at the end; not a view.

    >>> import indim
    >>> print(indim.lib.stride_tricks.sliding_window_view(indim.arange(4), 2))
    [[0 1]
     [1 2]
     [2 3]]
    """
    if writeable:
        raise ValueError("indim makes a copy of windows, so that writing changes no array")
    found, sizes = asarray(x), integers(window_shape)
    if axis is None and len(sizes) != found.ndim:
        raise ValueError(
            f"without an axis, window_shape has a size for each dimension: {found.ndim}, not "
            f"{len(sizes)}"
        )
    axes = as_axes(axis, found.ndim)
    if len(axes) != len(sizes):
        raise ValueError(f"{len(sizes)} sizes of windows do not fit {len(axes)} axes")
    for dim, size in zip(axes, sizes, strict=True):
        if not 0 <= size <= found.shape[dim]:
            raise ValueError(
                f"a window of {size} does not fit dimension {dim} of size {found.shape[dim]}"
            )
        found = _windows(found, dim, size)
    return found


def _windows(x: Array, dim: int, size: int) -> Array:
    """Return the windows along a dimension, whose elements become the last dimension.

    In copies of a row, one after the other, read as rows that are longer by one element, each row
    begins one element later than the one before.
    """
    x = moveaxis(x, dim, -1)
    *before, count = x.shape
    copies = broadcast_to(x[..., None, :], (*before, size + 1, count))
    flat = copies.reshape(*before, (size + 1) * count)[..., : size * (count + 1)]
    rows = flat.reshape(*before, size, count + 1)[..., : count - size + 1]
    return moveaxis(rows, -1, dim)
