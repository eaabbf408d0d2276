"""Element types: `numpy.dtype` objects outside, short names inside.

Users see `numpy.dtype("float32")`; `indim._core` speaks of "f32". The 4-bit integers and
bfloat16 are the types of `ml_dtypes`.
"""

from __future__ import annotations

from builtins import bool as _bool
from typing import Any, Final

import ml_dtypes
import numpy as np

from . import _core

bool = np.dtype("bool")
int4 = np.dtype(ml_dtypes.int4)
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint4 = np.dtype(ml_dtypes.uint4)
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float16 = np.dtype("float16")
bfloat16 = np.dtype(ml_dtypes.bfloat16)
float32 = np.dtype("float32")
float64 = np.dtype("float64")
complex64 = np.dtype("complex64")

# The element types by their names in `indim._core`.
DTYPES: Final[dict[str, np.dtype[Any]]] = {
    "pred": bool,
    "s4": int4,
    "s8": int8,
    "s16": int16,
    "s32": int32,
    "s64": int64,
    "u4": uint4,
    "u8": uint8,
    "u16": uint16,
    "u32": uint32,
    "u64": uint64,
    "f16": float16,
    "bf16": bfloat16,
    "f32": float32,
    "f64": float64,
    "c64": complex64,
}

# What NumPy calls them. It imports a module to answer, which fails when the interpreter exits.
DTYPE_NAMES: Final[dict[str, str]] = {name: dtype.name for name, dtype in DTYPES.items()}

SIGNED: Final = frozenset({"s4", "s8", "s16", "s32", "s64"})
UNSIGNED: Final = frozenset({"u4", "u8", "u16", "u32", "u64"})
INTEGERS: Final = SIGNED | UNSIGNED
FLOATS: Final = frozenset({"f16", "bf16", "f32", "f64"})

# The least and the largest value of each integer type.
BOUNDS: Final[dict[str, tuple[int, int]]] = {
    name: (-(1 << bits - 1), (1 << bits - 1) - 1) if name[0] == "s" else (0, (1 << bits) - 1)
    for name in INTEGERS
    for bits in [int(name[1:])]
}

# The types that arrays get from Python scalars where no type is given, on every adapter.
DEFAULTS: Final[dict[type, str]] = {
    type(True): "pred",
    int: "s64",
    float: "f32",
    complex: "c64",
}

# The Python types of numbers; each can hold the values of those before it.
_KINDS: Final = tuple(DEFAULTS)

_NAMES: Final[dict[np.dtype[Any], str]] = {dtype: name for name, dtype in DTYPES.items()}
_EXTENDED: Final[dict[str, np.dtype[Any]]] = {
    "bfloat16": bfloat16,
    "int4": int4,
    "uint4": uint4,
}
_CONTAINERS: Final[dict[str, str]] = {
    "O": "objects",
    "U": "strings",
    "S": "byte strings",
    "T": "strings",
    "M": "dates",
    "m": "time differences",
    "V": "structures",
}


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """Return what a `dtype` argument means, one of the types of this module.

    It may be a `numpy.dtype`, a scalar type such as `numpy.float32` or `int`, or a name.
    """
    if isinstance(dtype, str) and dtype in _EXTENDED:
        return _EXTENDED[dtype]
    if dtype is None:
        raise TypeError("a dtype is needed here, such as indim.float32; None is none")
    return DTYPES[name_of(np.dtype(dtype))]


def name_of(dtype: np.dtype[Any]) -> str:
    """Return the name of a type in `indim._core`.

    Raises a TypeError, with advice, for a type that this library does not have.
    """
    name = _NAMES.get(dtype)
    if name is not None and dtype.isnative:
        return name
    if (dtype.kind == "V" and dtype.names is not None) or dtype.subdtype is not None:
        raise TypeError(f"indim has no arrays of structures ({dtype}): take their fields apart")
    if dtype.kind in _CONTAINERS and dtype not in _NAMES:
        raise TypeError(
            f"indim has no arrays of {_CONTAINERS[dtype.kind]} (dtype {dtype.str!r}): its types "
            "are booleans, integers, floats and complex64"
        )
    if not dtype.isnative:
        raise TypeError(
            f"indim has no arrays of the other byte order (dtype {dtype.str!r}): convert them "
            "by x.astype(x.dtype.newbyteorder('='))"
        )
    if dtype.kind == "c":
        raise TypeError(
            f"indim has no {dtype.name}, only complex64: convert by x.astype(numpy.complex64), "
            "or give dtype=indim.complex64"
        )
    if dtype.kind in "iuf":
        # numpy.longlong is another type than numpy.int64 and has the same elements.
        same = np.dtype(f"{dtype.kind}{dtype.itemsize}")
        if same in _NAMES and same.kind == dtype.kind:
            return _NAMES[same]
    raise TypeError(
        f"indim has no {dtype.name}: its types are booleans, integers, float16, bfloat16, "
        "float32, float64 and complex64; convert by x.astype(numpy.float32)"
    )


def holds(name: str, kind: type) -> _bool:
    """Return whether a type holds the values of a Python type of numbers, but for their size."""
    widest = float if name in FLOATS else int if name in INTEGERS else _bool
    widest = complex if name == "c64" else widest
    return _KINDS.index(kind) <= _KINDS.index(widest)


def check_float64(name: str, reason: str) -> None:
    """Raise a TypeError where a result would be float64 and the adapter has no such type.

    `reason` begins the message: it says of what the type comes. Where no adapter can be opened
    there is no error here: the evaluation, if one comes, says so.
    """
    if name == "f64" and _core.has_f64() is False:
        raise TypeError(
            f"{reason} float64, which this adapter lacks (SHADER_F64): convert by "
            ".astype(indim.float32) before, or give dtype=indim.float32"
        )
