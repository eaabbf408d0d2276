"""Calls of NumPy's functions on the host, with arrays of indim as arguments and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._array import Array, wrap
from ._fallback import announce
from ._host import converts, from_numpy


def on_host(name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Return what a function of NumPy gives for arrays of indim, as arrays of indim.

    The types of floats are those of the rules for other functions: a float64 result needs an
    operand of that type, and a float of integers alone is float32.
    """
    announce(name)
    read: list[np.ndarray[Any, Any]] = []
    result = function(*read_into(args, read), **read_into(kwargs, read))
    kept = {values.dtype.char for values in read}
    return _uploaded(result, kept)


def read_into(value: Any, read: list[np.ndarray[Any, Any]]) -> Any:
    """Return arguments with NumPy's arrays in place of indim's, and add all arrays to `read`."""
    if isinstance(value, Array):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        read.append(value)
        return value
    if isinstance(value, dict):
        return {key: read_into(each, read) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(read_into(each, read) for each in value)
    return value


def _uploaded(value: Any, kept: set[str]) -> Any:
    """Return a result of NumPy with arrays of indim in place of NumPy's arrays and scalars.

    `kept` has the codes of the operands' types; a float of another size becomes float32.
    """
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_uploaded(each, kept) for each in value))
    if type(value) in (list, tuple):
        return type(value)(_uploaded(each, kept) for each in value)
    if not isinstance(value, (np.ndarray, np.generic)) or not converts(value.dtype):
        return value
    values = np.asarray(value)
    unlike = {"e": "e", "d": "dD", "D": "dD"}.get(values.dtype.char, "")
    if unlike and kept.isdisjoint(unlike):
        values = values.astype(np.complex64 if values.dtype.kind == "c" else np.float32)
    return wrap(from_numpy(values))


Array._on_host = staticmethod(on_host)
