"""The types of results: NumPy 2's rules, taken from NumPy's functions.

An operand is known by its key: the name of an array's type ("f32"), or the Python type of a
scalar, which is weak: `float` takes the type of the array beside it.

NumPy does not know that bfloat16 is a float and int4 an integer. Here they are like its own
types: `int4 + int4` is int4, `bfloat16 * 2.0` bfloat16. With other types they promote as
`numpy.promote_types` says.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ._dtypes import DTYPE_NAMES, DTYPES, check_float64, name_of

Key = str | type
"""The name of an array's type, or the type of a Python scalar."""

# For a type that NumPy lacks, the one whose rules are its own.
_MODELS: Final = {"bf16": "f32", "s4": "s8", "u4": "u8"}


def operand_types(function: str, ufunc: np.ufunc, keys: tuple[Key, ...]) -> tuple[str, ...]:
    """Return the types to which a function's operands are converted.

    They are those of the loop that NumPy's `ufunc` would take. Raises a TypeError, which begins
    with the name `function`, where there is no such loop, or none of our types is the result's.
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
    """Return the type that holds values of all operands, as `numpy.result_type` does.

    Where all are Python scalars it is the default type of the widest one.
    """
    arrays = {key for key in keys if isinstance(key, str)}
    scalars = [key for key in keys if not isinstance(key, str)]
    if not arrays:
        kinds = [type(True), int, float, complex]
        widest = max(kinds.index(scalar) for scalar in scalars)
        return ("pred", "s64", "f32", "c64")[widest]
    own = _common(arrays)
    weak = [kind(0) for kind in scalars if kind is not type(True)]
    if not weak:
        return own
    model = _MODELS.get(own, own)
    found = name_of(np.result_type(DTYPES[model], *weak))
    return own if found == model else found


def _common(names: set[str]) -> str:
    """Return the type that holds the values of several types."""
    if names == {"bf16", "f16"}:
        # NumPy has no type for them; the loops of its functions are those of float32.
        return "f32"
    first, *others = sorted(names)
    common = DTYPES[first]
    for name in others:
        common = np.promote_types(common, DTYPES[name])
    return name_of(common)


def spelled(key: Key) -> str:
    """Return how messages name an operand of this key."""
    return DTYPE_NAMES[key] if isinstance(key, str) else f"a Python {key.__name__}"


def _resolve(function: str, ufunc: np.ufunc, keys: tuple[Key, ...]) -> tuple[str, ...]:
    """Return the types of a ufunc's operands for keys of NumPy's own types."""
    asked: list[Any] = []
    for key in keys:
        if isinstance(key, str):
            asked.append(DTYPES[key])
        else:
            asked.append(np.dtype("bool") if key is type(True) else key)
    call = f"{function}({', '.join(spelled(key) for key in keys)})"
    try:
        found = ufunc.resolve_dtypes((*asked, None))
    except TypeError as error:
        # NumPy's message names the ufunc that was asked, which may be a model of the function.
        unknown = str(error).startswith("ufunc ")
        reason = (
            "it takes no such types; convert the operands by .astype(dtype)" if unknown else error
        )
        raise TypeError(f"{call}: {reason}") from None
    wide = [dtype for dtype in found if dtype.kind == "c" and dtype.itemsize > 8]
    if wide:
        raise TypeError(
            f"{call} is computed in {wide[0].name} by NumPy's promotion, and indim has only "
            "complex64: convert the other operand by .astype(indim.float32) or "
            ".astype(indim.complex64) before"
        )
    names = tuple(name_of(dtype) for dtype in found[:-1])
    for name in names:
        if name not in keys:
            check_float64(name, f"{call} is computed by NumPy's promotion in")
    return names
