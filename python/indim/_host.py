"""Between expressions and the memory of the host: NumPy arrays, Python scalars and buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from . import _core
from ._core import Expr
from ._dtypes import BOUNDS, DEFAULTS, DTYPES, INTEGERS, check_float64, name_of

# Arrays of up to this many elements are kept as bytes where they could be lazy: indexing them
# and assigning their elements one by one then costs no work of the GPU.
SMALL: Final = 1024

_NUMBERS: Final = "biufc"
"""The kinds of NumPy's own types of numbers."""

_FOUR_BITS: Final = {"s4": np.dtype("int8"), "u4": np.dtype("uint8")}


def to_numpy(x: Expr) -> np.ndarray[Any, Any]:
    """Return the values as a read-only array; evaluates and waits unless they are here."""
    name = x.dtype
    data = _core.read(x)
    if name in _FOUR_BITS:
        wide = np.ndarray(x.shape, _FOUR_BITS[name], data)
        values = wide.astype(DTYPES[name])
        values.flags.writeable = False
        return values
    return np.ndarray(x.shape, DTYPES[name], data)


def from_numpy(array: np.ndarray[Any, Any]) -> Expr:
    """Return an expression that holds a copy of the array's values, of the array's type."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("indim has no masked arrays: take x.filled(value), or x.data and x.mask")
    array = _native(array)
    name = name_of(array.dtype)
    check_float64(name, "an array of this type needs")
    if name in _FOUR_BITS:
        array = array.astype(_FOUR_BITS[name])
    flat = np.asarray(array, order="C").reshape(-1)
    return _core.literal(name, array.shape, flat.view(np.uint8))


def _native(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the numbers of an array in this machine's byte order, with the type unchanged."""
    if array.dtype.isnative or array.dtype.kind not in _NUMBERS:
        return array
    return array.astype(array.dtype.newbyteorder("="))


def scalar(name: str, value: Any) -> Expr:
    """Return a Python or NumPy scalar as an expression of rank 0 whose bytes are kept.

    Raises an OverflowError for an integer that the type cannot hold.
    """
    return from_numpy(converted(value, name))


def weak_scalar(value: np.generic) -> float | complex | None:
    """Return a NumPy scalar of floats as Python's; None for another one, whose type is strong."""
    if value.dtype.kind == "f" or value.dtype == DTYPES["bf16"]:
        return float(value)
    return complex(value) if value.dtype.kind == "c" else None


def converted(value: Any, name: str) -> np.ndarray[Any, Any]:
    """Return what NumPy makes of `value` in a type, with its errors.

    An integer that a 4-bit type cannot hold raises an OverflowError as it does for others.
    """
    if name in _FOUR_BITS:
        wide = np.asarray(value, dtype=np.int64)
        low, high = BOUNDS[name]
        if wide.size and (wide.min() < low or wide.max() > high):
            raise OverflowError(f"integers out of bounds for {DTYPES[name].name}")
        return wide.astype(DTYPES[name])
    found = np.asarray(value)
    if found.dtype.kind == "c" and name != "c64" and name != "pred":
        raise TypeError(f"complex values do not become {DTYPES[name].name}: take their real part")
    return np.asarray(value, dtype=DTYPES[name])


def from_object(value: Any, name: str | None) -> Expr:
    """Return what `indim.asarray` makes of an object that is not an indim array.

    `name` is the wanted type. Without it, arrays and NumPy scalars keep theirs, and Python
    scalars have the default types, in lists too. So have numpy.float64 and numpy.complex128, which
    are Python scalars by inheritance.
    """
    kind = scalar_kind(value)
    if kind is not None:
        return scalar(name or DEFAULTS[kind], value)
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value) if isinstance(value, np.generic) else value
    elif isinstance(value, (list, tuple)):
        return _from_sequence(value, name)
    else:
        array = np.asarray(value)
    if name is None:
        _check_elements(array, value)
        return from_numpy(array)
    if array.dtype.kind == "O":
        return from_numpy(converted(_numbers(array, value), name))
    if not converts(array.dtype):
        name_of(array.dtype)
    if isinstance(array, np.ma.MaskedArray) or array.dtype == DTYPES[name]:
        return from_numpy(array)
    return from_numpy(converted(array, name))


def scalar_kind(value: Any) -> type | None:
    """Return the Python type of a scalar that has no type of its own; None for other objects."""
    kind = type(value)
    if kind in DEFAULTS:
        return kind
    return {np.float64: float, np.complex128: complex}.get(kind)


def converts(dtype: np.dtype[Any]) -> bool:
    """Return whether a type, ours or not, is numeric, so that `dtype=` converts it."""
    if dtype.kind == "V":
        # The types of ml_dtypes that NumPy counts as others.
        return not issubclass(dtype.type, np.void)
    return dtype.kind in _NUMBERS


def _numbers(array: np.ndarray[Any, Any], value: Any) -> Any:
    """Return the Python numbers in an array of objects, as lists; a TypeError for other objects."""
    if all(isinstance(leaf, (int, float, complex)) for leaf in array.ravel().tolist()):
        return array.tolist()
    raise _no_objects(value)


def _from_sequence(values: Any, name: str | None) -> Expr:
    """Return the elements of nested lists; ragged ones raise NumPy's ValueError."""
    array = np.asarray(values)
    if name is None or array.dtype.kind != "O":
        _check_elements(array, values)
    else:
        _numbers(array, values)
    if name is not None and array.dtype.kind != "O" and not converts(array.dtype):
        name_of(array.dtype)
    if name is None:
        kinds = {scalar_kind(leaf) for leaf in _leaves(values)}
        name = name_of(array.dtype) if None in kinds else _default_of(array)
    if name in INTEGERS and array.dtype.kind in "biuO":
        # From the Python integers themselves, so that one past the type is an error.
        return from_numpy(converted(values, name))
    return from_numpy(converted(array, name))


def _default_of(array: np.ndarray[Any, Any]) -> str:
    """Return the default type of Python scalars that NumPy made an array of."""
    kind = array.dtype.kind
    if kind == "u":
        raise OverflowError(
            "Python integers too large for int64, which indim.asarray makes of them: give "
            "dtype=indim.uint64"
        )
    return {"b": "pred", "i": "s64", "c": "c64"}.get(kind, "f32")


def _check_elements(array: np.ndarray[Any, Any], value: Any) -> None:
    """Raise a TypeError for an array of objects that names what it was made of."""
    if array.dtype.kind != "O":
        return
    leaves = array.ravel().tolist()
    if leaves and all(isinstance(leaf, int) for leaf in leaves):
        low, high = BOUNDS["s64"][0], BOUNDS["u64"][1]
        # NumPy makes objects of the integers in lists only where no type of its own holds them.
        if not isinstance(value, np.ndarray) or not all(low <= leaf <= high for leaf in leaves):
            raise OverflowError("Python integers too large for any type of indim")
    raise _no_objects(value)


def _no_objects(value: Any) -> TypeError:
    """Return the error of an object that NumPy can make an array of objects of, and no other."""
    if isinstance(value, np.ndarray):
        return TypeError(
            "indim has no arrays of objects: give the type of the numbers in it, as in "
            "indim.asarray(x, dtype=indim.float32)"
        )
    return TypeError(
        f"indim has no arrays of objects, which NumPy makes of this {type(value).__name__}: "
        "give numbers, lists of numbers, or an array"
    )


def _leaves(values: Any) -> Iterator[Any]:
    """Yield what nested lists and tuples hold that is neither."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value
