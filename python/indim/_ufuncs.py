"""NumPy's ufuncs and their methods on arrays of indim: on the GPU where there is a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Array
from ._functions import UFUNC_METHODS
from ._hints import ufunc_name
from ._numpy_in_place import at, into
from ._on_host import on_host


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
    casting = kwargs.get("casting", "same_kind")
    # A call leaves the elements that `where` excludes as they were; `reduce` has used it.
    mask = kwargs.get("where", True) if method in ("__call__", "outer") else True
    if not isinstance(found, tuple):
        return into(targets[0], name, found, casting, mask)
    made = zip(targets, found, strict=True)
    return tuple(one if to is None else into(to, name, one, casting, mask) for to, one in made)


Array._of_ufunc = staticmethod(_of_ufunc)


def _computed(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a ufunc is of its inputs."""
    implementation = UFUNC_METHODS.get(method)
    if implementation is not None:
        found = implementation(ufunc, *inputs, **kwargs)
        if found is not NotImplemented:
            return found
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    return on_host(ufunc_name(ufunc, method), function, *inputs, **kwargs)
