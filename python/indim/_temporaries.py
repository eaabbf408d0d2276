"""Finds arrays without other references, to which an assignment has no effect.

`x[mask][1] = 5` assigns to the copy that `x[mask]` made, and drops it. The copy has one reference
fewer than any array that has a name or lies in a container.
"""

from __future__ import annotations

import dis
import sys
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


_STORE: Final = dis.opmap.get("STORE_SUBSCR")


def refuse_lost_assignment() -> None:
    """Raise a ValueError for a statement that assigns to an array which is dropped right after it.

    A call of `__setitem__` has one reference fewer than a statement, so its count tells nothing.
    """
    caller = sys._getframe(2)
    if caller.f_code.co_code[caller.f_lasti] != _STORE:
        return
    raise ValueError(
        "this assignment changes an array that nobody keeps: x + 1, x[mask] and x[indices] are "
        "arrays of their own, not views of x; give the array a name before, or write "
        "x[mask] = indim.where(...) for x[mask][key] = value"
    )
