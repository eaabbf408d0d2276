"""Calls of NumPy's ufuncs on arrays, with the keyword arguments that all ufuncs take."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from . import _rules
from ._array import Array, binary, operand, unary, wrap
from ._creation import asarray
from ._dtypes import DEFAULTS, DTYPES, as_dtype, name_of
from ._functions import FUNCTIONS, UFUNC_METHODS
from ._host import scalar
from ._selection import where

_NAMED: Final = frozenset(["casting", "dtype", "order", "subok", "where"])
"""The keyword arguments that are answered here; nothing depends on `order` and `subok`."""


def _call(ufunc: np.ufunc, *inputs: Any, **named: Any) -> Any:
    """Return what a ufunc gives, or NotImplemented where it has no kernel.

    `where` leaves 0 at the elements that NumPy leaves undefined.
    """
    if not named:
        return _plain(ufunc, *inputs)
    if not named.keys() <= _NAMED or not _is_known(ufunc):
        return NotImplemented
    dtype, casting = named.get("dtype"), named.get("casting", "same_kind")
    if dtype is not None or casting not in ("same_kind", "unsafe"):
        inputs = _converted(ufunc, inputs, dtype, casting)
    found = _plain(ufunc, *inputs)
    mask = named.get("where", True)
    if found is NotImplemented or mask is True:
        return found
    mask = boolean(mask)
    if isinstance(found, tuple):
        return tuple(where(mask, part, 0) for part in found)
    return where(mask, found, 0)


def boolean(mask: Any) -> Array:
    """Return the argument `where` of a function as an array; a TypeError for other types."""
    found = asarray(mask)
    if found._x.dtype != "pred":
        raise TypeError(f"where= takes an array of booleans, not of {found.dtype.name}")
    return found


def _is_known(ufunc: np.ufunc) -> bool:
    return ufunc in _rules.UNARY_UFUNCS or ufunc in _rules.BINARY_UFUNCS or ufunc in FUNCTIONS


def _plain(ufunc: np.ufunc, *inputs: Any) -> Any:
    if ufunc in _rules.UNARY_UFUNCS:
        return unary(_rules.UNARY_UFUNCS[ufunc], *inputs)
    if ufunc in _rules.BINARY_UFUNCS:
        return binary(_rules.BINARY_UFUNCS[ufunc], *inputs)
    return FUNCTIONS[ufunc](*inputs) if ufunc in FUNCTIONS else NotImplemented


def _converted(ufunc: np.ufunc, inputs: tuple[Any, ...], dtype: Any, casting: str) -> Any:
    """Return the operands in the types that NumPy computes a result of `dtype` in.

    Raises NumPy's TypeError if the function has no such result, or if `casting` forbids a
    conversion.
    """
    operands = [operand(value) for value in inputs]
    if any(found is NotImplemented for found in operands):
        # It carries `in_dim`, or has no type at all.
        raise TypeError(
            f"numpy.{ufunc.__name__} takes arrays and numbers beside dtype= or casting="
        )
    asked = [type(x) if type(x) in (int, float, complex) else _dtype_of(x) for x in operands]
    result = None if dtype is None else DTYPES[name_of(as_dtype(dtype))]
    signature = (*(None,) * ufunc.nin, *(result,) * ufunc.nout)
    types = ufunc.resolve_dtypes(
        (*asked, *(None,) * ufunc.nout), signature=signature, casting=casting
    )
    if dtype is None:
        return inputs
    names = [name_of(loop) for loop in types[: ufunc.nin]]
    return [
        wrap(scalar(name, x) if type(x) in DEFAULTS else _rules.cast(x, name))
        for name, x in zip(names, operands, strict=True)
    ]


def _dtype_of(x: Any) -> np.dtype[Any]:
    return np.dtype(bool) if type(x) is bool else DTYPES[x.dtype]


UFUNC_METHODS["__call__"] = _call
