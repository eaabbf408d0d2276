"""The text of arrays, as NumPy prints them. For a large one, only the corners shown are read."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._core import Expr
from ._host import to_numpy


def text(x: Expr, of_numpy: Callable[[np.ndarray[Any, Any]], str]) -> str:
    """Return what `str` or `repr` is of the values."""
    options = np.get_printoptions()
    edge = options["edgeitems"]
    if (
        x.is_read
        or x.size <= options["threshold"]
        or edge < 1
        or options.get("override_repr") is not None
    ):
        return of_numpy(to_numpy(x))
    shown = _corners(x, edge)
    with np.printoptions(threshold=0):
        made = of_numpy(shown)
    return _with_shape(made, shown.shape, x.shape, options["linewidth"])


def _corners(x: Expr, edge: int) -> np.ndarray[Any, Any]:
    """Return the corners, with one element between those of a dimension that NumPy cuts.

    That element stands for those that NumPy prints as dots; it is never looked at.
    """
    _core.eval([x])
    # Each dimension has one range or, where it is cut, two.
    ranges = [
        [(0, size)] if size <= 2 * edge else [(0, edge), (size - edge, size)] for size in x.shape
    ]
    corners = list(itertools.product(*ranges))
    ones = [1] * x.ndim
    parts = [
        _core.slice(x, [start for start, _ in corner], [stop for _, stop in corner], ones)
        for corner in corners
    ]
    for part in parts:
        _core.eval([part])
    shown: np.ndarray[Any, Any] | None = None
    for corner, part in zip(corners, parts, strict=True):
        values = to_numpy(part)
        if shown is None:
            shown = np.zeros([min(size, 2 * edge + 1) for size in x.shape], values.dtype)
        place = tuple(
            slice(start, stop) if start == 0 else slice(-edge, None) for start, stop in corner
        )
        shown[place] = values
    assert shown is not None
    return shown


def _with_shape(made: str, shown: tuple[int, ...], shape: tuple[int, ...], width: int) -> str:
    """Return a `repr` of the corners with the shape of the whole, placed by NumPy's rule."""
    of_corners = f"shape={shown}"
    at = made.rfind(of_corners)
    if at < 0:
        return made
    elements = made[:at].rstrip()
    extras = f"shape={shape}{made[at + len(of_corners) :]}"
    last_line = len(elements) - (elements.rfind("\n") + 1)
    fits = last_line + len(extras) + 1 <= width
    return elements + (" " if fits else "\n" + " " * len("array(")) + extras
