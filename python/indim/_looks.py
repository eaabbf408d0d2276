"""NumPy's functions that answer in Python's objects, not in arrays: texts, files, truth values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ._array import Array
from ._creation import asarray
from ._elementwise import isnan
from ._functions import implements
from ._numpy_functions import isclose
from ._pairs import equal
from ._reductions import all
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
    np.array2string,
    np.array_repr,
    np.array_str,
    np.save,
    np.unravel_index,
)
"""Functions that arrays are read for: they print them, or save them."""

for _function in READERS:
    implements(_function)(_on_values(_function))


def _compared(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., bool]]:
    """Return what registers a comparison of whole arrays, by the answer for each element.

    The decorated function gives the elements' answers, or None for shapes that do not fit. What has
    a type that the adapter lacks, as NumPy's float64, is compared by NumPy.
    """

    def register(answers: Callable[..., Array | None]) -> Callable[..., bool]:
        @implements(function)
        def compare(a: Any, b: Any, *args: Any, **kwargs: Any) -> bool:
            try:
                x, y = asarray(a), asarray(b)
                found = answers(x, y, *args, **kwargs)
            except TypeError:
                return bool(_on_values(function)(a, b, *args, **kwargs))
            return found is not None and bool(all(found))

        return compare

    return register


_compared(np.allclose)(isclose)


@_compared(np.array_equal)
def _array_equal(x: Array, y: Array, equal_nan: bool = False) -> Array | None:
    if x.shape != y.shape:
        return None
    return (x == y) | (isnan(x) & isnan(y)) if equal_nan else x == y


@_compared(np.array_equiv)
def _array_equiv(x: Array, y: Array) -> Array | None:
    try:
        return equal(x, y)
    except ValueError:
        return None


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
