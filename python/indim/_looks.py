"""NumPy's functions that need values: they read the arrays and answer on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ._array import Array
from ._functions import implements
from ._views import family


def _on_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that NumPy computes of the values of arrays of indim."""

    def of_values(*args: Any, **kwargs: Any) -> Any:
        read = [np.asarray(value) if isinstance(value, Array) else value for value in args]
        named = {
            name: np.asarray(value) if isinstance(value, Array) else value
            for name, value in kwargs.items()
        }
        return function(*read, **named)

    return of_values


READERS: Final = (
    np.allclose,
    np.array2string,
    np.array_equal,
    np.array_equiv,
    np.array_repr,
    np.array_str,
    np.save,
    np.unravel_index,
)
"""Functions that arrays are read for: they compare whole arrays, print them, or save them."""

for _function in READERS:
    implements(_function)(_on_values(_function))


@implements(np.may_share_memory, np.shares_memory)
def may_share_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    """Return whether writing into one array may change the other; nothing is read for the answer.

    Two views of one array may, whether they overlap or not. Of arrays of NumPy, `numpy.asarray(x)`
    shares the bytes that x keeps on the host.

    >>> import indim
    >>> x = indim.ones(3)
    >>> indim.may_share_memory(x, x + 1), indim.may_share_memory(x, x[1:])
    (False, True)
    """
    if isinstance(a, Array) and isinstance(b, Array):
        return any(one is other for one in family(a) for other in family(b))
    if any(isinstance(one, Array) and not one._x.is_read for one in (a, b)):
        return False
    left, right = (np.asarray(one) for one in (a, b))
    return np.may_share_memory(left, right)


@implements(np.size)
def _size(a: Any, axis: int | None = None) -> int:
    return int(a.size if axis is None else a.shape[axis])


@implements(np.iscomplexobj)
def _is_complex(x: Any) -> bool:
    return bool(np.iscomplexobj(np.empty(0, x.dtype)))


@implements(np.isrealobj)
def _is_real(x: Any) -> bool:
    return not _is_complex(x)
