"""Functions that make arrays: of objects, of buffers, of other libraries' arrays, of nothing.

Constants, identity matrices, triangles and ranges of integers are lazy and take no memory of
the host. Ranges of floats are computed by NumPy and uploaded.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from . import _core
from ._array import Array, wrap
from ._core import Expr
from ._device import check_device
from ._dtypes import BOUNDS, DEFAULTS, DTYPES, INTEGERS, as_dtype, check_float64, name_of
from ._functions import implements
from ._host import SMALL, converted, from_numpy, from_object, scalar_kind
from ._rules import cast
from ._shapes import as_shape


def asarray(
    obj: Any, /, dtype: Any = None, *, device: object = None, copy: bool | None = None
) -> Array:
    """Return an array of a scalar, nested lists, a buffer, or any library's array.

    Without `dtype`, arrays and NumPy scalars keep their types; Python scalars have float32,
    int64, complex64 or bool, in lists too. Raises a ValueError for `copy=False` where a copy is
    needed, which it always is but for arrays of indim.

    >>> import indim
    >>> indim.asarray([1, 2.5])
    array([1. , 2.5], dtype=float32)
    """
    check_device(device)
    name = None if dtype is None else name_of(as_dtype(dtype))
    if isinstance(obj, Array):
        x = obj._x
        if name is None or name == x.dtype:
            return wrap(x) if copy else obj
        if copy is False:
            raise ValueError("another type needs a copy: leave copy=False away")
        return wrap(cast(x, name))
    if copy is False:
        raise ValueError("an array on the GPU is always a copy: leave copy=False away")
    return wrap(from_object(obj, name))


def from_dlpack(x: Any, /, *, device: object = None, copy: bool | None = None) -> Array:
    """Return a copy of another library's array, which has to be in the host's memory.

    >>> import indim
    >>> import numpy
    >>> print(indim.from_dlpack(numpy.arange(3)))
    [0 1 2]
    """
    check_device(device)
    if isinstance(x, Array):
        return wrap(x._x)
    if copy is False:
        raise ValueError("an array on the GPU is always a copy: leave copy=False away")
    try:
        values = np.from_dlpack(x)
    except (BufferError, RuntimeError) as error:
        raise BufferError(
            f"NumPy, by which arrays pass DLPack, does not take this one ({error}): give it in the "
            "host's memory, and in a type of NumPy's, such as float32 for bfloat16"
        ) from error
    return wrap(from_numpy(values))


def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of one value, of its default type without `dtype`.

    >>> import indim
    >>> print(indim.full(3, 7))
    [7 7 7]
    """
    check_device(device)
    sizes = as_shape(shape)
    if isinstance(fill_value, Array):
        if fill_value.ndim:
            raise ValueError(f"fill_value has shape {fill_value.shape} and should be a scalar")
        x = fill_value._x if dtype is None else cast(fill_value._x, name_of(as_dtype(dtype)))
        return wrap(_core.broadcast_to(x, sizes))
    if dtype is not None:
        name = name_of(as_dtype(dtype))
    else:
        kind = scalar_kind(fill_value)
        name = name_of(np.asarray(fill_value).dtype) if kind is None else DEFAULTS[kind]
    value = converted(fill_value, name)
    if value.ndim:
        raise ValueError(f"fill_value has shape {value.shape} and should be a scalar")
    if math.prod(sizes) <= SMALL:
        return wrap(from_numpy(np.full(sizes, value, DTYPES[name])))
    check_float64(name, "full needs")
    return wrap(_core.broadcast_to(_core.constant(name, value.item()), sizes))


def zeros(shape: Any, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of zeros, of float32 without `dtype`.

    >>> import indim
    >>> print(indim.zeros((2, 3)))
    [[0. 0. 0.]
     [0. 0. 0.]]
    """
    return full(shape, 0, dtype="float32" if dtype is None else dtype, device=device)


def ones(shape: Any, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of ones, of float32 without `dtype`.

    >>> import indim
    >>> print(indim.ones(3, indim.int32))
    [1 1 1]
    """
    return full(shape, 1, dtype="float32" if dtype is None else dtype, device=device)


def empty(shape: Any, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of zeros, since new memory is always cleared.

    >>> import indim
    >>> print(indim.empty(2).shape)
    (2,)
    """
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: Any, /, fill_value: Any, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of one value, with the shape and, without `dtype`, the type of x.

    >>> import indim
    >>> print(indim.full_like(indim.asarray([1, 2]), 7))
    [7 7]
    """
    like = asarray(x)
    return full(like.shape, fill_value, dtype=like.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Any, /, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of zeros, with the shape and, without `dtype`, the type of x.

    >>> import indim
    >>> print(indim.zeros_like(indim.asarray([1, 2])))
    [0 0]
    """
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Any, /, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of ones, with the shape and, without `dtype`, the type of x.

    >>> import indim
    >>> print(indim.ones_like(indim.asarray([1, 2])))
    [1 1]
    """
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Any, /, dtype: Any = None, *, device: object = None) -> Array:
    """Return an array of zeros, with the shape and, without `dtype`, the type of x.

    >>> import indim
    >>> print(indim.empty_like(indim.asarray([1, 2])).dtype)
    int64
    """
    return full_like(x, 0, dtype=dtype, device=device)


def _likes(function: Any) -> Any:
    """Return a function for NumPy's `zeros_like` and its kin, which have more arguments."""

    def numpy_like(
        a: Any,
        *value: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        device: object = None,
        fill_value: Any = 0,
    ) -> Array:
        if shape is not None:
            fill = value[0] if value else fill_value
            fill = 1 if function is ones_like else fill
            return full(shape, fill, dtype=a.dtype if dtype is None else dtype)
        return function(a, *value, dtype=dtype)

    return numpy_like


implements(np.zeros_like)(_likes(zeros_like))
implements(np.ones_like)(_likes(ones_like))
implements(np.empty_like)(_likes(empty_like))
implements(np.full_like)(_likes(full_like))


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: object = None,
) -> Array:
    """Return `start`, `start + step` and so on, up to but without `stop`.

    Without `dtype` it is int64 where all arguments are integers, else float32.

    >>> import indim
    >>> print(indim.arange(2, 10, 3), indim.arange(3) / 2)
    [2 5 8] [0.  0.5 1. ]
    """
    check_device(device)
    if stop is None:
        start, stop = 0, start
    integral = all(isinstance(value, (int, np.integer)) for value in (start, stop, step))
    name = ("s64" if integral else "f32") if dtype is None else name_of(as_dtype(dtype))
    if name in ("pred", "c64"):
        raise TypeError(f"arange has no {DTYPES[name].name}, which has no order")
    if step == 0:
        raise ValueError("arange takes no step of 0")
    check_float64(name, "arange needs")
    if integral and name in INTEGERS:
        return wrap(_integer_range(int(start), int(stop), int(step), name))
    if name in INTEGERS:
        return wrap(from_numpy(np.arange(start, stop, step, dtype=DTYPES[name])))
    # The elements are rounded once, from their values in float64.
    return wrap(from_numpy(np.arange(start, stop, step, np.float64).astype(DTYPES[name])))


def _integer_range(start: int, stop: int, step: int, name: str) -> Expr:
    """Return a range of integers, which is lazy unless it is small."""
    values = range(start, stop, step)
    count = len(values)
    low, high = BOUNDS[name]
    if count and not (low <= values[0] <= high and low <= values[-1] <= high):
        raise OverflowError(
            f"the integers from {values[0]} to {values[-1]} do not fit {DTYPES[name].name}"
        )
    if count <= SMALL:
        return from_numpy(converted(list(values) if count else np.empty(0, np.int64), name))
    # Products and sums wrap, so that the step may be any number modulo the type's range.
    wrapped = (step - low) % (high - low + 1) + low
    steps = _core.iota(name, (count,), 0)
    if wrapped != 1:
        steps = _core.binary("mul", steps, _core.constant(name, wrapped))
    return steps if start == 0 else _core.binary("add", steps, _core.constant(name, start))


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int = 50,
    *,
    dtype: Any = None,
    device: object = None,
    endpoint: bool = True,
) -> Array:
    """Return `num` values at equal distances from `start` to `stop`; NumPy computes them.

    >>> import indim
    >>> print(indim.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
    """
    check_device(device)
    scalars = isinstance(start, complex) or isinstance(stop, complex)
    name = ("c64" if scalars else "f32") if dtype is None else name_of(as_dtype(dtype))
    if name in INTEGERS:
        return wrap(from_numpy(np.linspace(start, stop, num, endpoint, dtype=DTYPES[name])))
    wide = np.complex128 if name == "c64" else np.float64
    values = np.linspace(start, stop, num, endpoint, dtype=wide)
    return wrap(from_numpy(values.astype(DTYPES[name])))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    k: int = 0,
    dtype: Any = None,
    *,
    device: object = None,
) -> Array:
    """Return a matrix with ones on its diagonal `k`, zeros elsewhere.

    >>> import indim
    >>> print(indim.eye(2))
    [[1. 0.]
     [0. 1.]]
    """
    check_device(device)
    rows, cols = as_shape((n_rows, n_rows if n_cols is None else n_cols))
    name = "f32" if dtype is None else name_of(as_dtype(dtype))
    check_float64(name, "eye needs")
    row, col = _positions(rows, cols)
    on = _core.binary("eq", _shifted(row, rows, cols, k), col)
    return wrap(_core.convert(on, name))


def tril(x: Array, /, k: int = 0) -> Array:
    """Return the elements on and below diagonal `k` of matrices, zeros elsewhere.

    >>> import indim
    >>> print(indim.tril(indim.ones((3, 3), indim.int32)))
    [[1 0 0]
     [1 1 0]
     [1 1 1]]
    """
    return _triangle(x, k, "ge")


def triu(x: Array, /, k: int = 0) -> Array:
    """Return the elements on and above diagonal `k` of matrices, zeros elsewhere.

    >>> import indim
    >>> print(indim.triu(indim.ones((3, 3), indim.int32), 1))
    [[0 1 1]
     [0 0 1]
     [0 0 0]]
    """
    return _triangle(x, k, "le")


def _triangle(x: Array, k: int, op: str) -> Array:
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"triangles are of two dimensions or more, not of {x.ndim}")
    rows, cols = x.shape[-2:]
    row, col = _positions(rows, cols)
    kept = _core.binary(op, _shifted(row, rows, cols, k), col)
    zero = _core.broadcast_to(_core.constant(x._x.dtype, 0), x.shape)
    return wrap(_core.select(_core.broadcast_to(kept, x.shape), x._x, zero))


def _positions(rows: int, cols: int) -> tuple[Expr, Expr]:
    """Return the row and the column of each element of a matrix."""
    return _core.iota("s64", (rows, cols), 0), _core.iota("s64", (rows, cols), 1)


def _shifted(row: Expr, rows: int, cols: int, k: int) -> Expr:
    """Return rows as positions along the diagonal `k`; one that is far off stays outside."""
    shift = min(max(int(k), -rows - 1), cols + 1)
    return _core.binary("add", row, _core.constant("s64", shift))


def meshgrid(*arrays: Any, indexing: Literal["xy", "ij"] = "xy") -> list[Array]:
    """Return the coordinates of a grid, one array for each of the given ones.

    >>> import indim
    >>> x, y = indim.meshgrid(indim.arange(3), indim.arange(2))
    >>> print(x + 10 * y)
    [[ 0  1  2]
     [10 11 12]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    arrays = tuple(asarray(array) for array in arrays)
    rank = len(arrays)
    places = list(range(rank))
    if indexing == "xy" and rank > 1:
        places[:2] = [1, 0]
    shape = [1] * rank
    for place, array in zip(places, arrays, strict=True):
        if array.ndim > 1:
            raise ValueError(f"meshgrid takes arrays of one dimension, not of {array.ndim}")
        shape[place] = array.size
    grids = []
    for place, array in zip(places, arrays, strict=True):
        flat = _core.reshape(array._x, (array.size,))
        grids.append(wrap(_core.broadcast_in_dim(flat, tuple(shape), [place])))
    return grids


implements(np.tril)(tril)
implements(np.triu)(triu)


@implements(np.meshgrid)
def _numpy_meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: Literal["xy", "ij"] = "xy"
) -> Any:
    return NotImplemented if sparse else tuple(meshgrid(*xi, indexing=indexing))
