"""The table of NumPy's functions that arrays answer by `__array_function__`.

The modules of the namespace fill it by `implements`; the array class, which they import, reads
it. An implementation returns NotImplemented for arguments that it has no kernel for; NumPy then
computes the result on the host. So does it for functions that are not in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

FUNCTIONS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {}

UFUNC_METHODS: Final[dict[str, Callable[..., Any]]] = {}
"""The methods of NumPy's ufuncs that arrays answer, called with the ufunc before its arguments."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def implements(*functions: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Register the decorated function for functions of NumPy that take the same arguments."""

    def register(implementation: _Function) -> _Function:
        for function in functions:
            FUNCTIONS[function] = implementation
        return implementation

    return register
