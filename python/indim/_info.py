"""The inspection of the namespace: `indim.__array_namespace_info__()`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._data_types import KINDS
from ._device import DEVICE, check_device
from ._dtypes import DTYPES
from ._shapes import MAX_DIMENSIONS

# The types that the standard knows; the namespace has more of them.
_STANDARD = (
    *("pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"),
    *("f32", "f64", "c64"),
)


class Info:
    """The namespace's devices, types and capabilities."""

    def capabilities(self) -> dict[str, Any]:
        """Return which optional parts of the standard are available."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MAX_DIMENSIONS,
        }

    def default_device(self) -> str:
        """Return the device, which is always "gpu"."""
        return DEVICE

    def devices(self) -> list[str]:
        """Return the one device."""
        return [DEVICE]

    def default_dtypes(self, *, device: object = None) -> dict[str, np.dtype[Any]]:
        """Return the types of arrays that are made without one, the same on every adapter."""
        check_device(device)
        return {
            "real floating": DTYPES["f32"],
            "complex floating": DTYPES["c64"],
            "integral": DTYPES["s64"],
            "indexing": DTYPES["s64"],
        }

    def dtypes(
        self, *, device: object = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the types of the standard that are here, of a kind or of several.

        It opens the adapter to see whether that has float64.
        """
        check_device(device)
        kinds = (kind,) if isinstance(kind, str) else kind
        for one in kinds or ():
            if one not in KINDS:
                raise ValueError(f"a kind is one of {', '.join(KINDS)}, not {one!r}")
        found: dict[str, np.dtype[Any]] = {}
        for name in _STANDARD:
            wanted = kinds is None or any(name in KINDS[one] for one in kinds)
            if wanted and (name != "f64" or _core.has_f64() is not False):
                found[DTYPES[name].name] = DTYPES[name]
        return found


def __array_namespace_info__() -> Info:
    """Return what the namespace has: devices, types and capabilities.

    >>> import indim
    >>> indim.__array_namespace_info__().devices()
    ['gpu']
    """
    return Info()
