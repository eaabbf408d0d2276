"""Functions of three operands: `where` and `clip`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _rules
from ._array import Array, operand, wrap
from ._core import Expr
from ._dtypes import DEFAULTS
from ._functions import implements
from ._host import scalar
from ._on_host import on_host
from ._words import no_out


@implements(np.where)
def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """Return x1 where the condition holds, else x2.

    All three broadcast as NumPy's. Without x1 and x2 it is `nonzero(condition)`, which NumPy
    computes on the host.

    >>> import indim
    >>> x = indim.asarray([-1.0, 2.0])
    >>> print(indim.where(x > 0, x, 0))
    [0. 2.]
    """
    if x1 is None or x2 is None:
        if x1 is not x2:
            raise ValueError("where takes both x1 and x2, or neither")
        return on_host("indim.where", np.where, wrap(_expression("where", condition)))
    if type(condition) is Array and type(x1) is Array and type(x2) is Array:
        return wrap(_rules.select(condition._x, x1._x, x2._x))
    chosen = _expression("where", condition)
    return wrap(_rules.select(chosen, _value("where", x1), _value("where", x2)))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Array:
    """Return x, or the limit that it is beyond; a limit of None is none.

    >>> import indim
    >>> print(indim.clip(indim.asarray([-1.0, 0.5, 3.0]), 0, 1))
    [0.  0.5 1. ]
    """
    low = None if min is None else _value("clip", min)
    high = None if max is None else _value("clip", max)
    return wrap(_rules.clip(_expression("clip", x), low, high))


@implements(np.clip)
def _numpy_clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
) -> Array:
    no_out(out)
    return clip(a, a_min if min is None else min, a_max if max is None else max)


def _value(function: str, x: Any) -> Any:
    """Return an operand as an expression or a weak scalar."""
    found = operand(x)
    if found is NotImplemented:
        raise TypeError(
            f"{function} takes arrays and scalars, not a {type(x).__name__}: indim.asarray(x) "
            "makes an array of it"
        )
    return found


def _expression(function: str, x: Any) -> Expr:
    """Return an operand as an expression."""
    found = _value(function, x)
    return found if isinstance(found, Expr) else scalar(DEFAULTS[type(found)], found)
