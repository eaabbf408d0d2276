"""What has no kernel: NumPy computes it on the host, by one rule for all functions.

The rule is a mode: "warn", the default, warns at the first call of each name, "allow" is silent,
and "error" raises a NotImplementedError before an array is read.
"""

from __future__ import annotations

import sys
import warnings
from typing import Final

HOST: Final = frozenset("nonzero unique_all unique_counts unique_inverse unique_values".split())
"""The functions of the namespace that NumPy computes; docs/numpy.md shows them."""

_LONG: Final = "of complex numbers, along more than 1,024 elements, or of more than 2^24 pairs"

PARTLY: Final = {
    "argsort": _LONG,
    "einsum": "with a dimension that is named twice in one operand",
    "histogram": "with weights, bins by name, or more than 2^24 comparisons",
    "interp": "with a period, of complex numbers, or between more than 128 MiB of points",
    "pad": "in modes but constant, edge, reflect, symmetric and wrap",
    "percentile": "by methods but linear, and where `sort` runs there",
    "repeat": "with a number of repetitions for each element, in an array on the GPU",
    "searchsorted": "of complex numbers, or in more than 128 MiB",
    "sort": _LONG,
    "take": "of more than 128 MiB",
    "take_along_axis": "of more than 128 MiB",
    "where": "with a condition alone",
    "x[key]": "with a mask in the key, or an array of indices and an x of more than 128 MiB",
    "x[key] = value": "with a mask or an array of indices, but for one mask and one number",
}
"""What NumPy computes for some arguments only, with these."""

_MODES: Final = ("error", "warn", "allow")

_mode = "warn"
_warned: set[str] = set()


class HostFallbackWarning(UserWarning):
    """A function has no kernel, so that NumPy computes it on the host."""


def set_host_fallback(mode: str, /) -> str:
    """Set what happens where a function has no kernel, and return what was set before.

    "warn", the default, has NumPy compute it on the host, with a warning at the first call of each
    name; "allow" does so without one; "error" raises a NotImplementedError.

    >>> import indim
    >>> before = indim.set_host_fallback("error")
    >>> indim.unique_values(indim.asarray([2, 1]))
    Traceback (most recent call last):
    NotImplementedError: indim.unique_values has no kernel, and indim.set_host_fallback("error") ...
    >>> indim.set_host_fallback(before)
    'error'
    """
    global _mode
    if mode not in _MODES:
        raise ValueError(f"set_host_fallback takes 'error', 'warn' or 'allow', not {mode!r}")
    before, _mode = _mode, mode
    _warned.clear()
    return before


def get_host_fallback() -> str:
    """Return what happens where a function has no kernel: "error", "warn" or "allow".

    >>> import indim
    >>> indim.get_host_fallback()
    'warn'
    """
    return _mode


def announce(name: str) -> None:
    """Apply the rule to a function that has no kernel: raise, warn once, or do nothing."""
    if _mode == "error":
        raise NotImplementedError(
            f'{name} has no kernel, and indim.set_host_fallback("error") forbids NumPy on the '
            'host: call indim.set_host_fallback("warn"), or take numpy.asarray(x) before'
        )
    if _mode == "allow" or name in _warned:
        return
    _warned.add(name)
    warnings.warn(
        f"{name} has no kernel: NumPy computes it on the host, which reads the array there; "
        'indim.set_host_fallback("allow") silences this, and "error" raises',
        HostFallbackWarning,
        stacklevel=_user_level(),
    )


def _user_level() -> int:
    """Return the `stacklevel` of the first caller outside this package and NumPy."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in ("indim", "numpy"):
            break
        level, frame = level + 1, frame.f_back
    return level
