"""Elements at arrays of indices, taken on the GPU by NumPy's rules.

The library clamps an index that is out of range, and NumPy raises an IndexError. So indices that
are on the host are checked there, and of indices on the GPU one boolean is read: whether any of
them is out of range. A type without such a number, as uint8 for 256 colours, needs no check. NumPy
itself then words the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from . import _core, _rules
from ._core import Expr
from ._dtypes import BOUNDS, DTYPES, INTEGERS
from ._host import from_numpy, to_numpy
from ._indexing import host_key, is_array, parse
from ._rules import cast, select

Indices = np.ndarray[Any, Any] | Expr
"""Indices along one dimension: numpy.intp on the host, or an expression of any integers."""

MOST_BYTES: Final = 1 << 27
"""A kernel binds the whole array that it takes from, and each adapter can bind this number."""

_MISTAKEN: Final = "arrays used as indices must be of integer (or boolean) type"


def as_indices(item: Any) -> Indices | None:
    """Return an item of a key as indices, or None for a mask; an IndexError for other types."""
    inner = getattr(item, "_x", None)
    if isinstance(inner, Expr) and not inner.is_read:
        if inner.dtype in INTEGERS:
            # As NumPy, which takes indices of uint64 as those of int64.
            return _core.bitcast(inner, "s64") if inner.dtype == "u64" else inner
        is_mask = inner.dtype == "pred"
    else:
        values = np.asarray(host_key(item))
        if values.dtype.kind in "iu" or (values.size == 0 and isinstance(item, (list, tuple))):
            return values.astype(np.intp)
        is_mask = values.dtype.kind == "b"
    if is_mask:
        return None
    raise IndexError(_MISTAKEN)


def indexed(x: Expr, key: Any) -> Expr | None:
    """Return `x[key]` for a key with arrays of indices, or None where that is for the host.

    It is for a key with a mask, and for large arrays.
    """
    if is_large(x):
        return None
    items = list(key) if isinstance(key, tuple) else [key]
    arrays: dict[int, Indices] = {}
    for at, item in enumerate(items):
        if is_array(item):
            found = as_indices(item)
            if found is None:
                return None
            arrays[at] = found
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > x.ndim or sum(item is Ellipsis for item in items) > 1:
        _numpys_error(
            x.shape, items, {at: np.zeros(each.shape, np.intp) for at, each in arrays.items()}
        )
    # Where each array's dimension is among those that the other items leave.
    count, dims, advanced = 0, [], []
    for at, item in enumerate(items):
        if at in arrays:
            dims.append(count)
            advanced.append((at, count))
            count += 1
        elif item is Ellipsis:
            count += x.ndim - used
        elif item is None or isinstance(item, slice):
            count += 1
        else:
            advanced.append((at, count))
    # As in NumPy, where other items are between the arrays, their dimensions come first.
    places = [at for at, _ in advanced]
    adjacent = places == list(range(places[0], places[-1] + 1))
    place = advanced[0][1] if adjacent else 0
    view = parse(
        tuple(slice(None) if at in arrays else item for at, item in enumerate(items)), x.shape
    )
    assert view is not None
    base = view.of(x)

    def refuse(read: Sequence[np.ndarray[Any, Any]]) -> None:
        _numpys_error(x.shape, items, dict(zip(arrays, read, strict=True)))

    return _pointwise(base, dims, place, list(arrays.values()), refuse)


def checked(indices: Indices, size: int, refuse: Callable[[np.ndarray[Any, Any]], object]) -> Expr:
    """Return indices along a dimension of a size, counted from its start, for the library's takes.

    Where one is out of range, `refuse` raises the error, for the indices as an array of NumPy.
    """
    _check([indices], [size], lambda read: refuse(read[0]))
    return _expression(_from_start(indices, size))


def is_large(x: Expr) -> bool:
    """Return whether an adapter may be unable to bind an array, so that the host takes from it."""
    return x.size * DTYPES[x.dtype].itemsize > MOST_BYTES


def _numpys_error(
    shape: tuple[int, ...], items: Sequence[Any], arrays: dict[int, np.ndarray[Any, Any]]
) -> None:
    """Raise NumPy's error of a key, if it has one, with arrays in place of some items."""
    key = tuple(arrays.get(at, item) for at, item in enumerate(items))
    np.broadcast_to(np.int8(0), shape)[key]


def _pointwise(
    x: Expr,
    dims: list[int],
    place: int,
    arrays: list[Indices],
    refuse: Callable[[Sequence[np.ndarray[Any, Any]]], None],
) -> Expr:
    """Return the elements at indices along dimensions, which become those of the indices.

    Several dimensions are read as one, along which an index is computed of all.
    """
    try:
        np.broadcast_shapes(*(each.shape for each in arrays))
    except ValueError:
        refuse([np.zeros(each.shape, np.intp) for each in arrays])
        raise
    sizes = [x.shape[dim] for dim in dims]
    _check(arrays, sizes, refuse)
    others = [dim for dim in range(x.ndim) if dim not in dims]
    order = [*others[:place], *dims, *others[place:]]
    if order != list(range(x.ndim)):
        x = _core.transpose(x, order)
    if len(dims) > 1:
        before, after = x.shape[:place], x.shape[place + len(dims) :]
        x = _core.reshape(x, (*before, math.prod(sizes), *after))
    return _core.take(x, _expression(_joined(arrays, sizes)), place)


def _check(
    arrays: Sequence[Indices],
    sizes: Sequence[int],
    refuse: Callable[[Sequence[np.ndarray[Any, Any]]], None],
) -> None:
    """Have an error raised where indices are out of the range of their dimensions' sizes."""
    strays: dict[tuple[int, ...], Expr] = {}
    out_of_range = False
    for indices, size in zip(arrays, sizes, strict=True):
        if isinstance(indices, np.ndarray):
            found = indices.size and (indices.min() < -size or indices.max() >= size)
            out_of_range = out_of_range or bool(found)
        elif (stray := _strays(indices, size)) is not None:
            # Those of one shape are looked at together, in one reduction.
            known = strays.get(indices.shape)
            strays[indices.shape] = stray if known is None else _core.binary("or", known, stray)
    if strays and not out_of_range:
        any_of = [_core.fold("reduce_or", each, range(each.ndim)) for each in strays.values()]
        found = any_of[0]
        for each in any_of[1:]:
            found = _core.binary("or", found, each)
        _core.eval([found, *(each for each in arrays if isinstance(each, Expr))])
        out_of_range = bool(to_numpy(found))
    if out_of_range:
        # Without an error, as for a result without elements, the library clamps them.
        refuse([_read(each) for each in arrays])


def _read(indices: Indices) -> np.ndarray[Any, Any]:
    if isinstance(indices, np.ndarray):
        return indices
    return to_numpy(indices).astype(np.intp)


def _strays(indices: Expr, size: int) -> Expr | None:
    """Return where indices are out of range; None where their type has no such number."""
    name = indices.dtype
    low, high = BOUNDS[name]
    found = None
    if low < -size:
        found = _rules.LESS[name, int](indices, -size)
    if high >= size:
        above = _rules.GREATER_EQUAL[name, int](indices, size)
        found = above if found is None else _core.binary("or", found, above)
    return found


def _joined(arrays: Sequence[Indices], sizes: Sequence[int]) -> Indices:
    """Return the index in row-major order of elements at indices along several dimensions."""
    total = math.prod(sizes)
    if not all(isinstance(each, np.ndarray) for each in arrays):
        arrays = [_expression(each, total) for each in arrays]
    found, *rest = [
        _from_start(each, size, total) for each, size in zip(arrays, sizes, strict=True)
    ]
    for indices, size in zip(rest, sizes[1:], strict=True):
        if isinstance(found, np.ndarray):
            # NumPy makes a number of arrays without dimensions.
            found = np.asarray(found * size + indices)
        else:
            rows = _rules.MULTIPLY[found.dtype, int](found, size)
            found = _core.binary("add", rows, indices)
    return found


def _from_start(indices: Indices, size: int, total: int | None = None) -> Indices:
    """Return indices within range, counted from the start, in a type for numbers up to a total."""
    if isinstance(indices, np.ndarray):
        return np.where(indices < 0, indices + size, indices)
    is_signed = BOUNDS[indices.dtype][0] < 0
    indices = cast(indices, _type_for(size if total is None else total))
    if not is_signed:
        return indices
    is_negative = _rules.LESS[indices.dtype, int](indices, 0)
    return select(is_negative, _rules.ADD[indices.dtype, int](indices, size), indices)


def _expression(indices: Indices, total: int = 0) -> Expr:
    """Return indices as an expression, those of the host in int32 where that has them."""
    if isinstance(indices, Expr):
        return indices
    least, largest = (indices.min(), indices.max()) if indices.size else (0, 0)
    name = _type_for(max(total, int(largest), -int(least)))
    return from_numpy(indices.astype(np.int32 if name == "s32" else np.int64))


def _type_for(number: int) -> str:
    return "s32" if number <= BOUNDS["s32"][1] else "s64"
