"""Arrays from pickles, which may come from anybody."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _dtypes
from ._array import Array, wrap
from ._dtypes import DTYPES
from ._shapes import as_shape


def unpickled(name: Any, shape: Any, data: Any) -> Array:
    """Return the array of a pickle, whose parts are checked, since a pickle may hold anything."""
    if not isinstance(name, str) or name not in DTYPES:
        raise ValueError(f"a pickled array has no element type {name!r}")
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"a pickled array has no shape {shape!r}")
    shape = as_shape(shape)
    if not isinstance(data, bytes):
        raise TypeError(f"a pickled array has bytes, not a {type(data).__name__}")
    itemsize = DTYPES[name].itemsize
    count = 1
    for size in shape:
        count *= size
    if count * itemsize != len(data):
        raise ValueError(
            f"a pickled array of {count} elements has {count * itemsize} bytes, not {len(data)}"
        )
    if name == "pred" and data.translate(None, b"\x00\x01"):
        raise ValueError("a pickled array of booleans has bytes other than 0 and 1")
    values = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    if name in ("s4", "u4"):
        low, high = _dtypes.BOUNDS[name]
        wide = values.view(np.int8 if name == "s4" else np.uint8)
        if np.any((wide < low) | (wide > high)):
            raise ValueError("a pickled array of 4-bit integers has values past 4 bits")
    return wrap(_core.literal(name, shape, values))


Array._unpickled = staticmethod(unpickled)
