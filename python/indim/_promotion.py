"""The types of results: NumPy 2's rules, taken from NumPy's functions, and JAX's for integers.

An operand is known by its key: the name of an array's type ("f32"), or the Python type of a
scalar, which is weak: `float` takes the type of the array beside it.

Integers and booleans are weak beside floats, as in JAX and PyTorch: `int64 * float32` is float32,
where NumPy has float64. A function of integers alone whose result is a float gives the default one,
float32: `int64 / int64`, `sqrt(int8)`, `int64 + uint64`. So no function makes a float64 of operands
that are not float64, and each adapter computes all of them.

NumPy does not know that bfloat16 is a float and int4 an integer. Here they are like its own
types: `int4 + int4` is int4, `bfloat16 * 2.0` bfloat16. With other types they promote as
`numpy.promote_types` says.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ._dtypes import DEFAULTS, DTYPE_NAMES, DTYPES, INTEGERS, check_float64, name_of

Key = str | type
"""The name of an array's type, or the type of a Python scalar."""

# For a type that NumPy lacks, the one whose rules are its own.
_MODELS: Final = {"bf16": "f32", "s4": "s8", "u4": "u8"}

_WHOLE: Final = INTEGERS | {"pred"}
"""The types that are weak beside a float."""


def operand_types(function: str, ufunc: np.ufunc, keys: tuple[Key, ...]) -> tuple[str, ...]:
    """Return the types to which a function's operands are converted.

    They are those of the loop that NumPy's `ufunc` would take, with the rule for integers above.
    Raises a TypeError that names `function` if NumPy has no such loop, or if this library lacks the
    type of its result.
    """
    extended = [key for key in keys if key in _MODELS]
    if not extended:
        return _resolve(function, ufunc, keys)
    arrays = {key for key in keys if isinstance(key, str)}
    if len(arrays) > 1:
        return operand_types(function, ufunc, (_common(arrays),) * len(keys))
    own = extended[0]
    model = _MODELS[own]
    found = _resolve(function, ufunc, tuple(model if key == own else key for key in keys))
    return tuple(own if name == model else name for name in found)


def result_name(keys: tuple[Key, ...]) -> str:
    """Return the type that holds values of all operands, by the rules of the functions.

    Where all are Python scalars it is the default type of the widest one.
    """
    arrays = {key for key in keys if isinstance(key, str)}
    scalars = [key for key in keys if not isinstance(key, str)]
    if not arrays:
        return DEFAULTS[max(scalars, key=list(DEFAULTS).index)]
    own = _common(arrays)
    weak = [kind for kind in scalars if kind is not type(True)]
    if own in _WHOLE and not {float, complex}.isdisjoint(weak):
        return DEFAULTS[complex if complex in weak else float]
    model = _MODELS.get(own, own)
    found = name_of(np.result_type(DTYPES[model], *(kind(0) for kind in weak)))
    return own if found == model else found


def _common(names: set[str]) -> str:
    """Return the type to which arrays of several types promote."""
    names = (names - _WHOLE) or names
    if names == {"bf16", "f16"}:
        # NumPy has no type for them; the loops of its functions are those of float32.
        return "f32"
    first, *others = sorted(names)
    common = DTYPES[first]
    for name in others:
        common = np.promote_types(common, DTYPES[name])
    found = name_of(common)
    return DEFAULTS[float] if names <= _WHOLE and found not in _WHOLE else found


def spelled(key: Key) -> str:
    """Return how messages name an operand of this key."""
    return DTYPE_NAMES[key] if isinstance(key, str) else f"a Python {key.__name__}"


def _resolve(function: str, ufunc: np.ufunc, keys: tuple[Key, ...]) -> tuple[str, ...]:
    """Return the types of a ufunc's operands for keys of NumPy's own types."""
    whole = {key for key in keys if key in _WHOLE or key in (int, type(True))}
    inexact = {key for key in keys if key not in whole}
    asked: list[Any] = []
    for key in keys:
        if key is type(True) or key == "pred":
            asked.append(np.dtype("bool"))
        elif key in whole and inexact:
            asked.append(int)
        elif isinstance(key, str):
            asked.append(DTYPES[key])
        elif key is int or not inexact.isdisjoint(DTYPES):
            asked.append(key)
        else:
            # A float scalar that no array of floats gives a type has the default one.
            asked.append(DTYPES[DEFAULTS[key]])
    found = _loop(function, ufunc, keys, asked)
    if not inexact and any(dtype.kind not in "biu" for dtype in found[:-1]):
        found = _loop(function, ufunc, keys, [DTYPES[DEFAULTS[float]]] * len(keys))
    wide = [dtype for dtype in found if dtype.kind == "c" and dtype.itemsize > 8]
    if wide:
        raise TypeError(
            f"{_call(function, keys)} is computed in {wide[0].name} by NumPy's promotion, and "
            "indim has only complex64: convert the other operand by .astype(indim.float32) or "
            ".astype(indim.complex64) before"
        )
    names = tuple(name_of(dtype) for dtype in found[:-1])
    for name in names:
        if name not in keys:
            check_float64(name, f"{_call(function, keys)} is computed by NumPy's promotion in")
    return names


def _call(function: str, keys: tuple[Key, ...]) -> str:
    """Return a call as messages spell it."""
    return f"{function}({', '.join(spelled(key) for key in keys)})"


def _loop(
    function: str, ufunc: np.ufunc, keys: tuple[Key, ...], asked: list[Any]
) -> tuple[np.dtype[Any], ...]:
    """Return the types of the loop that NumPy takes for operands, and of its result."""
    try:
        return ufunc.resolve_dtypes((*asked, None))
    except TypeError as error:
        # NumPy's message names the ufunc that was asked, which may be a model of the function.
        unknown = str(error).startswith("ufunc ")
        reason = (
            "it takes no such types; convert the operands by .astype(dtype)" if unknown else error
        )
        raise TypeError(f"{_call(function, keys)}: {reason}") from None
