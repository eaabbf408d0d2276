"""Indexing expressions: `x[key]`, and `x[key] = value` as a new expression.

Integers, slices, `...` and None make lazy views; arrays of integers are for `_indices`. Masks, and
arrays of integers in assignments, are read on the host, as are the elements that they take, by the
rule of `indim.set_host_fallback`. A small part of an array whose bytes are kept is read there too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from . import _core
from ._core import Expr
from ._dtypes import DTYPES
from ._fallback import announce
from ._gather import box_of
from ._host import SMALL, from_numpy, to_numpy
from ._rules import cast, select

_MISTAKEN = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)

# An assignment to an array whose bytes are kept, of up to this many elements, copies them on the
# host: a loop that sets one element after the other would compile one kernel after the other.
_SMALL_TARGET: Final = 1 << 16


# Rows of up to this many elements are read together.
_MOST_ELEMENTS: Final = 1 << 18


@dataclass(slots=True)
class View:
    """The elements that a key without arrays takes, with one entry for each dimension.

    `starts`, `counts` and `strides` are of the elements in ascending order; `reversed_dims` are
    the dimensions in which the key takes them backwards. `shape` is that of the result, and `key`
    the key itself.
    """

    starts: list[int]
    counts: list[int]
    strides: list[int]
    reversed_dims: list[int]
    shape: tuple[int, ...]
    key: Any = field(default=None, compare=False)

    def of(self, x: Expr) -> Expr:
        """Return the view of an expression."""
        limits = [
            start + (count - 1) * stride + 1 if count else start
            for start, count, stride in zip(self.starts, self.counts, self.strides, strict=True)
        ]
        if tuple(self.counts) != x.shape:
            x = _core.slice(x, self.starts, limits, self.strides)
        if self.reversed_dims:
            x = _core.reverse(x, self.reversed_dims)
        return x if x.shape == self.shape else _core.reshape(x, self.shape)

    def assigned(self, x: Expr, value: Expr) -> Expr:
        """Return `x` with its elements of this view replaced by `value`, broadcast to them."""
        value = _fitted(value, self.shape)
        if 0 in self.shape:
            return x
        counts = tuple(self.counts)
        if value.shape != counts:
            value = _core.reshape(value, counts)
        if self.reversed_dims:
            value = _core.reverse(value, self.reversed_dims)
        if counts == x.shape:
            return value
        mask = _core.broadcast_to(_core.constant("pred", True), counts)
        inside = self._spread(mask, _core.constant("pred", False), x.shape)
        spread = self._spread(value, _core.constant(x.dtype, 0), x.shape)
        return _core.select(inside, spread, x)

    def _spread(self, values: Expr, around: Expr, shape: tuple[int, ...]) -> Expr:
        """Return `values` at this view's places in an array of `shape`, `around` elsewhere."""
        high = [
            size - (start + (count - 1) * stride + 1)
            for size, start, count, stride in zip(
                shape, self.starts, self.counts, self.strides, strict=True
            )
        ]
        interior = [stride - 1 for stride in self.strides]
        return _core.pad(values, around, self.starts, high, interior)


def get(x: Expr, key: Any) -> Expr:
    """Return `x[key]` for a key without arrays."""
    view = parse(key, x.shape)
    assert view is not None
    return part(x, view)


def part(x: Expr, view: View) -> Expr:
    """Return the elements of a view; of an array that was read, a small part is read as well."""
    if x.is_read and math.prod(view.shape) <= SMALL:
        return from_numpy(np.asarray(to_numpy(x)[host_key(view.key)]))
    return view.of(x)


def assigned(x: Expr, key: Any, value: Expr) -> Expr:
    """Return what `x` is after `x[key] = value`, where `value` has the type of `x`.

    The key is a parsed one, or has arrays in it.
    """
    if not isinstance(key, View):
        return _with_arrays(x, key, value)
    if x.is_read and value.is_read and math.prod(x.shape) <= _SMALL_TARGET:
        return _on_host(x, host_key(key.key), value)
    return key.assigned(x, value)


def _on_host(x: Expr, key: Any, value: Expr) -> Expr:
    values = to_numpy(x).copy()
    values[key] = to_numpy(value)
    return from_numpy(values)


def _with_arrays(x: Expr, key: Any, value: Expr) -> Expr:
    """Return what `x` is after an assignment by a mask or arrays of indices."""
    mask = getattr(key, "_x", None)
    if value.ndim == 0 and isinstance(mask, Expr) and (mask.dtype, mask.shape) == ("pred", x.shape):
        return select(mask, value, x)
    announce("x[key] = value")
    key = host_key(key)
    box = box_of(key, x)
    if box is None:
        return _on_host(x, key, value)
    ranges = [axis.ranges[0] for axis in box.axes]
    counts = [len(each) for each in ranges]
    starts, strides = [each.start for each in ranges], [each.step for each in ranges]
    view = View(starts, counts, strides, [], tuple(counts))
    _core.eval([x])
    return view.assigned(x, _on_host(view.of(x), box.key(), value))


def rows(x: Expr) -> Iterator[Expr]:
    """Yield the parts along the first dimension; small ones are read some together."""
    count, size = x.shape[0], math.prod(x.shape[1:])
    if not x.is_read and count and size:
        _core.eval([x])
    if x.is_read or not 0 < size <= SMALL:
        yield from (get(x, index) for index in range(count))
        return
    # Reading a few elements reads only a few, and reading all takes few parts.
    start, elements = 0, 1
    while start < count:
        stop = min(count, start + max(1, elements // size))
        if x.is_read:
            values, first = to_numpy(x), start
        else:
            values, first = to_numpy(get(x, slice(start, stop))), 0
        for index in range(stop - start):
            yield from_numpy(np.asarray(values[first + index]))
        start, elements = stop, min(4 * elements, _MOST_ELEMENTS)


def parse(key: Any, shape: tuple[int, ...]) -> View | None:
    """Return the view that a key takes of an array, or None where the key holds arrays.

    Raises an IndexError for a key that does not fit the shape.
    """
    items = key if isinstance(key, tuple) else (key,)
    if any(is_array(item) for item in items):
        return None
    used = sum(item is not None and item is not Ellipsis for item in items)
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if used > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {used} were "
            "indexed"
        )
    view = View([], [], [], [], (), key)
    out: list[int] = []
    for item in items if ellipses else (*items, Ellipsis):
        axis = len(view.counts)
        if item is None:
            out.append(1)
        elif item is Ellipsis:
            for size in shape[axis : axis + len(shape) - used]:
                _take(view, 0, size, 1)
                out.append(size)
        elif isinstance(item, slice):
            start, stop, step = item.indices(shape[axis])
            count = len(range(start, stop, step))
            _take(view, start, count, step)
            out.append(count)
        else:
            _take(view, _position(item, axis, shape[axis]), 1, 1)
    view.shape = tuple(out)
    return view


def host_key(key: Any) -> Any:
    """Return a key for a NumPy array: arrays in it become NumPy's."""
    if isinstance(key, tuple):
        return tuple(host_key(item) for item in key)
    inner = getattr(key, "_x", None)
    if not isinstance(inner, Expr):
        return key
    if inner.dtype in ("s4", "u4"):
        return to_numpy(inner).astype(np.int8)
    return to_numpy(inner)


def _take(view: View, start: int, count: int, step: int) -> None:
    """Add one dimension to a view: `count` elements from `start` on, `step` apart."""
    if step < 0 and count:
        view.reversed_dims.append(len(view.counts))
        start, step = start + (count - 1) * step, -step
    if count <= 1:
        start, step = start if count else 0, 1
    view.starts.append(start)
    view.counts.append(count)
    view.strides.append(step)


def _position(item: Any, axis: int, size: int) -> int:
    """Return an integer index counted from the front."""
    try:
        index = operator.index(item)
    except TypeError:
        raise IndexError(_MISTAKEN) from None
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index + size if index < 0 else index


def is_array(item: Any) -> bool:
    """Return whether an item of a key is a mask or an array of indices."""
    if isinstance(item, (bool, np.bool_, list, np.ndarray)):
        return True
    inner = getattr(item, "_x", None)
    return isinstance(inner, Expr) and (inner.ndim > 0 or inner.dtype == "pred")


def _fitted(value: Expr, shape: tuple[int, ...]) -> Expr:
    """Return a value broadcast to the shape of what it is assigned to.

    As in NumPy, leading dimensions of size 1 more than that has are dropped.
    """
    if value.shape == shape:
        return value
    extra = value.ndim - len(shape)
    if extra > 0 and all(size == 1 for size in value.shape[:extra]):
        value = _core.reshape(value, value.shape[extra:])
    try:
        return _core.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(
            f"could not broadcast input array from shape {value.shape} into shape {shape}"
        ) from None


def as_value(value: Expr, x: Expr) -> Expr:
    """Return an assigned value in the type of the array that it is assigned to."""
    if value.dtype == "c64" and x.dtype != "c64":
        raise TypeError(f"complex values cannot be assigned to an array of {DTYPES[x.dtype].name}")
    return cast(value, x.dtype)
