"""Functions of element types: `astype`, `can_cast`, `finfo`, `iinfo`, `isdtype`, `result_type`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import ml_dtypes
import numpy as np

from ._array import Array, operand
from ._core import Expr
from ._creation import asarray
from ._device import check_device
from ._dtypes import DTYPES, FLOATS, INTEGERS, SIGNED, UNSIGNED, as_dtype, name_of
from ._functions import implements
from ._promotion import result_name

# The element types of each kind of the standard.
KINDS: Final[dict[str, frozenset[str]]] = {
    "bool": frozenset({"pred"}),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGERS,
    "real floating": FLOATS,
    "complex floating": frozenset({"c64"}),
    "numeric": INTEGERS | FLOATS | {"c64"},
}


@dataclass(frozen=True, slots=True)
class FloatInfo:
    """The limits of a floating-point type; of a complex one those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class IntegerInfo:
    """The limits of a type of integers."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


@implements(np.astype)
def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: object = None) -> Array:
    """Return the elements in another type; x itself where nothing changes and `copy` is False.

    >>> import indim
    >>> print(indim.astype(indim.asarray([1.7, -1.7]), indim.int32))
    [ 1 -1]
    """
    check_device(device)
    return asarray(x).astype(dtype, copy=copy)


@implements(np.can_cast)
def can_cast(from_: Any, to: Any, casting: str = "safe", /) -> bool:
    """Return whether every value of a type, or of an array's, is one of the type `to`.

    >>> import indim
    >>> indim.can_cast(indim.int32, indim.int64)
    True
    """
    source = from_.dtype if isinstance(from_, Array) else as_dtype(from_)
    return bool(np.can_cast(source, as_dtype(to), casting))  # type: ignore[arg-type]


def finfo(type: Any, /) -> FloatInfo:
    """Return the limits of a floating-point type, or of an array's type.

    >>> import indim
    >>> indim.finfo(indim.float32).max
    3.4028234663852886e+38
    """
    name = _name(type)
    if name not in FLOATS and name != "c64":
        raise TypeError(f"finfo is of floats, not of {DTYPES[name].name}")
    part = DTYPES["f32" if name == "c64" else name]
    info = ml_dtypes.finfo(part)
    return FloatInfo(
        bits=int(info.bits),
        eps=float(info.eps),
        max=float(info.max),
        min=float(info.min),
        smallest_normal=float(info.smallest_normal),
        dtype=part,
    )


def iinfo(type: Any, /) -> IntegerInfo:
    """Return the limits of a type of integers, or of an array's type.

    >>> import indim
    >>> indim.iinfo(indim.int8).min
    -128
    """
    name = _name(type)
    if name not in INTEGERS:
        raise TypeError(f"iinfo is of integers, not of {DTYPES[name].name}")
    info = ml_dtypes.iinfo(DTYPES[name])
    return IntegerInfo(int(name[1:]), int(info.max), int(info.min), DTYPES[name])


def isdtype(dtype: Any, kind: Any) -> bool:
    """Return whether a type is another one, or of a kind, such as "real floating".

    `kind` may be several in a tuple.

    >>> import indim
    >>> indim.isdtype(indim.float32, "real floating")
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    name = name_of(as_dtype(dtype))
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"a kind is one of {', '.join(KINDS)}, not {kind!r}")
        return name in KINDS[kind]
    return name == name_of(as_dtype(kind))


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the type to which arrays, types and Python scalars promote, by NumPy's rules.

    >>> import indim
    >>> print(indim.result_type(indim.int64, indim.float32))
    float32
    """
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    keys: list[Any] = []
    for one in arrays_and_dtypes:
        found = operand(one)
        if found is NotImplemented:
            keys.append(name_of(as_dtype(one)))
        else:
            keys.append(found.dtype if isinstance(found, Expr) else type(found))
    return DTYPES[result_name(tuple(keys))]


def _name(type: Any) -> str:
    """Return the name of a type that is given by itself or by an array."""
    return name_of(type.dtype if isinstance(type, Array) else as_dtype(type))
