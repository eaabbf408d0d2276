"""NumPy's ufuncs and their methods on arrays of indim: on the GPU where there is a kernel."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from . import _rules
from ._array import Array, binary, operand, unary, wrap
from ._core import Expr
from ._dtypes import as_dtype, name_of
from ._functions import FUNCTIONS, UFUNC_METHODS
from ._hints import ufunc_name
from ._host import scalar
from ._numpy_in_place import at, into
from ._on_host import on_host

_OF_ONE_TYPE: Final = frozenset(
    {np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum}
)
"""The ufuncs whose `dtype=` is the type of the operands and of the result."""


def _of_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a ufunc is of its inputs, which it also writes into `out=`."""
    if method == "at":
        return at(ufunc, *inputs)
    targets = kwargs.pop("out", None)
    if targets is None:
        return _computed(ufunc, method, inputs, kwargs)
    name = ufunc_name(ufunc, method)
    for target in targets:
        if target is not None and not isinstance(target, Array):
            raise TypeError(
                f"{name} cannot write an array of indim into out= of NumPy: give the result a "
                "name, as in z = x + y"
            )
    found = _computed(ufunc, method, inputs, kwargs)
    if not isinstance(found, tuple):
        return into(targets[0], name, found)
    made = zip(targets, found, strict=True)
    return tuple(one if to is None else into(to, name, one) for to, one in made)


Array._of_ufunc = staticmethod(_of_ufunc)


def _computed(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a ufunc is of its inputs."""
    found = NotImplemented
    if method == "__call__" and kwargs.keys() == {"dtype"} and ufunc in _OF_ONE_TYPE:
        inputs, kwargs = tuple(_typed(one, kwargs["dtype"]) for one in inputs), {}
    if method == "__call__" and not kwargs:
        if ufunc in _rules.UNARY_UFUNCS:
            return unary(_rules.UNARY_UFUNCS[ufunc], *inputs)
        if ufunc in _rules.BINARY_UFUNCS:
            return binary(_rules.BINARY_UFUNCS[ufunc], *inputs)
        if ufunc in FUNCTIONS:
            found = FUNCTIONS[ufunc](*inputs)
    elif method in UFUNC_METHODS:
        found = UFUNC_METHODS[method](ufunc, *inputs, **kwargs)
    if found is not NotImplemented:
        return found
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    return on_host(ufunc_name(ufunc, method), function, *inputs, **kwargs)


def _typed(value: Any, dtype: Any) -> Array:
    """Return an operand of a ufunc in the type that its `dtype=` asks for."""
    wanted = as_dtype(dtype)
    given = getattr(value, "dtype", None)
    if given is not None and not np.can_cast(given, wanted, "same_kind"):
        raise TypeError(f"{given.name} is not cast to {wanted.name} by 'same_kind'")
    found, name = operand(value), name_of(wanted)
    return wrap(_rules.cast(found, name) if isinstance(found, Expr) else scalar(name, found))
