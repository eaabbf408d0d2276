"""Finds arrays and expressions without other references.

`x[0][1] = 5` assigns to the row that `x[0]` made, and drops it. The row has one reference fewer
than any array that has a name or lies in a container. An expression that one array alone has may
change with the array, so that its memory is written in place.
"""

from __future__ import annotations

import dis
import sys
import warnings
from sys import getrefcount
from typing import Any, Final


class _Probe:
    """Counts the references to itself where an array's `__setitem__` counts them."""

    def __setitem__(self, counts: list[int], value: Any, /) -> None:
        counts.append(getrefcount(self))


def _most() -> int:
    """Return a temporary's reference count; -1 if the interpreter does not count this way."""
    kept: list[int] = []
    dropped: list[int] = []

    def given(probe: _Probe) -> None:
        probe[kept] = 1

    named = _Probe()
    named[kept] = 1
    given(_Probe())
    held = [_Probe()]
    held[0][kept] = 1
    exec("probe = Probe()\nprobe[kept] = 1", {"Probe": _Probe, "kept": kept})
    _Probe()[dropped] = 1
    return dropped[0] if dropped[0] < min(kept) else -1


MOST: Final = _most()
"""An array with no more references than these, in `__setitem__`, has no name and no place."""


class _Slot:
    """Has a value as an array has its expression."""

    __slots__ = ("_x",)


def _alone() -> int:
    """Return the reference count of an expression that one array has."""
    slot = _Slot()
    slot._x = object()  # type: ignore[attr-defined]
    return getrefcount(slot._x)  # type: ignore[attr-defined]


ALONE: Final = _alone()
"""An expression with no more references than these, as `array._x`, belongs to that array alone."""


class _ValueProbe:
    """Counts the references to a value where an array's `__setitem__` counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __setitem__(self, key: object, value: object, /) -> None:
        self.count = getrefcount(value)


def _most_of_value() -> int:
    """Return the reference count of a temporary that is assigned; -1 where names count as much."""
    probe, named = _ValueProbe(), _Slot()
    probe[0] = named
    kept = probe.count
    probe[0] = _Slot()
    return probe.count if probe.count < kept else -1


MOST_OF_VALUE: Final = _most_of_value()
"""An assigned array with no more references than these, in `__setitem__`, is a temporary."""


def _count(*arrays: object, out: object = None) -> int:
    return getrefcount(arrays[0])


def _most_of_argument() -> int:
    """Return the reference count of a temporary given to `eval`; -1 where names count as much."""
    named = _Slot()
    kept = _count(named, out=None)
    dropped = _count(_Slot(), out=None)
    return dropped if dropped < kept else -1


MOST_OF_ARGUMENT: Final = _most_of_argument()
"""An array with no more references than these, as `arrays[0]` of `eval`, is a temporary."""


_STORE: Final = dis.opmap.get("STORE_SUBSCR")


def warn_of_assignment() -> None:
    """Warn of a statement that assigns to an array which is dropped right after it.

    A call of `__setitem__` has one reference fewer than a statement, so its count tells nothing.
    """
    caller = sys._getframe(2)
    if caller.f_code.co_code[caller.f_lasti] != _STORE:
        return
    warnings.warn(
        "this assignment changes an array that nobody keeps: arrays of indim are values, so that "
        "x[0] and x.T are arrays of their own; write x[0, 1] = value for x[0][1] = value",
        stacklevel=3,
    )
