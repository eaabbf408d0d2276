"""`einsum`: sums of products over named dimensions, in one kernel."""

from __future__ import annotations

import math
from functools import partial, reduce
from typing import Any

import numpy as np

from . import _core
from ._array import Array, wrap
from ._core import Expr
from ._creation import asarray
from ._functions import implements
from ._on_host import on_host
from ._rules import common


def einsum(subscripts: Any, /, *operands: Any) -> Array:
    """Return the sums of products that Einstein's notation names, as `numpy.einsum`.

    A dimension that is named twice in one operand is left to the host.

    >>> import indim
    >>> x = indim.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> print(indim.einsum("ij,ij->i", x, x))
    [ 5. 25.]
    """
    found = _on_device(subscripts, operands)
    return on_host("indim.einsum", np.einsum, subscripts, *operands) if found is None else found


@implements(np.einsum)
def _numpy_einsum(*operands: Any, out: Any = None, optimize: Any = False, **named: Any) -> Any:
    if out is not None or named:
        return NotImplemented
    found = _on_device(operands[0], operands[1:])
    return NotImplemented if found is None else found


def _on_device(subscripts: Any, operands: Any) -> Array | None:
    """Return the sums, or None where the host computes them."""
    if not isinstance(subscripts, str) or not operands:
        return None
    parts = common("einsum", [asarray(x)._x for x in operands])
    labels, result = _labels(subscripts, parts)
    if any(len(set(each)) < len(each) for each in (*labels, result)):
        return None
    sizes = _sizes(labels, parts)
    order = [*result, *(label for label in sizes if label not in result)]
    sums, whole = len(order) > len(result), tuple(sizes[label] for label in order)
    spread = [
        _core.broadcast_to(_spread(x, each, order), whole)
        for x, each in zip(parts, labels, strict=True)
    ]
    logical = spread[0].dtype == "pred"
    found = reduce(partial(_core.binary, "and" if logical else "mul"), spread)
    if sums:
        kept = whole[: len(result)]
        found = _core.reshape(found, (*kept, math.prod(whole[len(result) :])))
        name, more = ("any", ()) if logical else ("sum", (False, found.dtype))
        found = _core.reduce(name, found, [len(kept)], *more)
    return wrap(found)


def _labels(subscripts: str, operands: list[Expr]) -> tuple[list[str], str]:
    """Return a letter for each dimension of the operands, and those of the result.

    The dimensions of an ellipsis get letters that nobody writes, counted from the last one.
    """
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    labels = given.split(",")
    if len(labels) != len(operands):
        raise ValueError(f"einsum: subscripts of {len(labels)} operands for {len(operands)}")
    hidden = ""
    for number, x in enumerate(operands):
        written = labels[number]
        spare = x.ndim - len(written.replace("...", ""))
        if spare < 0 or (spare and "..." not in written):
            raise ValueError(
                f"einsum: subscripts {written!r} do not fit the {x.ndim} dimensions of operand "
                f"{number}"
            )
        letters = "".join(chr(0xE000 + place) for place in range(spare))[::-1]
        labels[number] = written.replace("...", letters)
        hidden = max(hidden, letters, key=len)
    if not arrow:
        used = given.replace("...", "").replace(",", "")
        once = sorted(label for label in set(used) if used.count(label) == 1)
        result = ("..." if "..." in given else "") + "".join(once)
    if hidden and "..." not in result:
        raise ValueError("einsum: the dimensions of an ellipsis stay: write ... in the result")
    result = result.replace("...", hidden)
    for label in (*"".join(labels), *result):
        if not (label.isalpha() or label in hidden):
            raise ValueError(f"einsum: subscripts are letters, not {label!r}")
        if not any(label in each for each in labels):
            raise ValueError(f"einsum: the result's {label!r} is in no operand's subscripts")
    return labels, result


def _sizes(labels: list[str], operands: list[Expr]) -> dict[str, int]:
    """Return the size of each named dimension; 1 stretches, as in NumPy."""
    sizes: dict[str, int] = {}
    for each, x in zip(labels, operands, strict=True):
        for label, size in zip(each, x.shape, strict=True):
            before = sizes.get(label, 1)
            if before != size and 1 not in (before, size):
                raise ValueError(f"einsum: dimension {label!r} has sizes {before} and {size}")
            sizes[label] = size if before == 1 else before
    return sizes


def _spread(x: Expr, labels: str, order: list[str]) -> Expr:
    """Return an operand with its dimensions in an order, and size 1 for those that it lacks."""
    present = [labels.index(label) for label in order if label in labels]
    moved = _core.transpose(x, present)
    sizes = iter(moved.shape)
    return _core.reshape(moved, [next(sizes) if label in labels else 1 for label in order])
