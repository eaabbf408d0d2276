"""The table of NumPy's functions that arrays answer by `__array_function__`.

The modules of the namespace fill it by `implements`; the array class, which they import, reads
it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

FUNCTIONS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def implements(*functions: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Register the decorated function for functions of NumPy that take the same arguments."""

    def register(implementation: _Function) -> _Function:
        for function in functions:
            FUNCTIONS[function] = implementation
        return implementation

    return register
