"""Replacements for names that NumPy, CuPy or PyTorch have and this package does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

NAMES: Final = {
    "absolute": "indim.abs",
    "allclose": "numpy.allclose(x, y), which the GPU computes",
    "arccos": "indim.acos",
    "arccosh": "indim.acosh",
    "arcsin": "indim.asin",
    "arcsinh": "indim.asinh",
    "arctan": "indim.atan",
    "arctan2": "indim.atan2",
    "arctanh": "indim.atanh",
    "array": "indim.asarray",
    "asnumpy": "numpy.asarray(x)",
    "concatenate": "indim.concat",
    "divide_no_nan": "indim.where(y == 0, 0, x / y)",
    "ElementwiseKernel": "indim.function, or operators: an expression is one kernel by itself",
    "exp2": "2.0 ** x",
    "fabs": "indim.abs",
    "fmax": "numpy.fmax(x, y), which the GPU computes",
    "fmin": "numpy.fmin(x, y), which the GPU computes",
    "fmod": "numpy.fmod(x, y), which the GPU computes",
    "fuse": "operators and functions: an expression is one kernel by itself",
    "hstack": "indim.concat(arrays, axis=1), or axis=0 of arrays with one dimension",
    "invert": "indim.bitwise_invert",
    "isclose": "numpy.isclose(x, y), which the GPU computes",
    "left_shift": "indim.bitwise_left_shift",
    "mod": "indim.remainder",
    "norm": "numpy.linalg.norm(x), which the GPU computes",
    "power": "indim.pow",
    "right_shift": "indim.bitwise_right_shift",
    "rint": "indim.round",
    "sigmoid": "indim.logistic",
    "swapaxes": "x.swapaxes(axis1, axis2)",
    "synchronize": "indim.wait",
    "true_divide": "indim.divide",
    "vstack": "indim.concat(arrays, axis=0), or indim.stack of arrays with one dimension",
}
"""Names of the module."""

ATTRIBUTES: Final = {
    "cpu": "numpy.asarray(x)",
    "data": "numpy.asarray(x), which copies to the host",
    "get": "numpy.asarray(x), or numpy.array(x) for a copy that may be written to",
    "numpy": "numpy.asarray(x), or numpy.array(x) for a copy that may be written to",
    "view": "x.astype(dtype), or numpy.asarray(x).view(dtype) for the bits",
}
"""Attributes of an array."""


def hint(names: dict[str, str], name: str) -> str:
    """Return what to take in place of a name, to be added to the message of its error."""
    return f": take {names[name]}" if name in names else ""


def name_hint(name: str) -> str:
    """Return what to take in place of a name of the module: NumPy's functions take our arrays."""
    if name not in NAMES and callable(getattr(np, name, None)) and name[:1] != "_":
        return f": take numpy.{name}, which takes arrays of indim"
    return hint(NAMES, name)


def function_name(function: Callable[..., Any]) -> str:
    """Return a function of NumPy's as messages name it, with its module."""
    return f"{getattr(function, '__module__', None) or 'numpy'}.{function.__name__}"


def ufunc_name(ufunc: np.ufunc, method: str) -> str:
    """Return a ufunc as messages name it, NumPy's with its module."""
    name = ufunc.__name__
    name = f"numpy.{name}" if getattr(np, name, None) is ufunc else name
    return name if method == "__call__" else f"{name}.{method}"
