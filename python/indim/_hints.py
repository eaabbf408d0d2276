"""Replacements for names that NumPy, CuPy or PyTorch have and this package does not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

NAMES: Final = {
    "absolute": "indim.abs",
    "allclose": "numpy.allclose(x, y), which computes on the host",
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
    "cumsum": "numpy.cumsum(numpy.asarray(x)), which computes on the host",
    "cumprod": "numpy.cumprod(numpy.asarray(x)), which computes on the host",
    "divide_no_nan": "indim.where(y == 0, 0, x / y)",
    "dot": "numpy.dot(numpy.asarray(x), numpy.asarray(y)), which computes on the host",
    "ElementwiseKernel": "indim.function, or operators: an expression is one kernel by itself",
    "exp2": "2.0 ** x",
    "fabs": "indim.abs",
    "fmax": "indim.maximum, which gives NaN where one operand is",
    "fmin": "indim.minimum, which gives NaN where one operand is",
    "fmod": "numpy.fmod(x, y), which the GPU computes",
    "fuse": "operators and functions: an expression is one kernel by itself",
    "hstack": "indim.concat(arrays, axis=1), or axis=0 of arrays with one dimension",
    "invert": "indim.bitwise_invert",
    "isclose": "abs(x - y) <= tolerance",
    "left_shift": "indim.bitwise_left_shift",
    "mod": "indim.remainder",
    "norm": "indim.sum(x * x) ** 0.5",
    "power": "indim.pow",
    "ravel": "x.reshape(-1)",
    "right_shift": "indim.bitwise_right_shift",
    "rint": "indim.round",
    "sigmoid": "indim.logistic",
    "swapaxes": "indim.permute_dims",
    "synchronize": "indim.wait",
    "transpose": "indim.permute_dims",
    "true_divide": "indim.divide",
    "vstack": "indim.concat(arrays, axis=0), or indim.stack of arrays with one dimension",
}
"""Names of the module."""

ATTRIBUTES: Final = {
    "clip": "indim.clip(x, low, high)",
    "conj": "indim.conj(x)",
    "cpu": "numpy.asarray(x)",
    "cumsum": "numpy.cumsum(numpy.asarray(x)), which computes on the host",
    "data": "numpy.asarray(x), which copies to the host",
    "fill": "x[...] = value",
    "flatten": "x.reshape(-1)",
    "get": "numpy.asarray(x), or numpy.array(x) for a copy that may be written to",
    "numpy": "numpy.asarray(x), or numpy.array(x) for a copy that may be written to",
    "round": "indim.round(x)",
    "squeeze": "indim.squeeze(x, axis)",
    "view": "x.astype(dtype), or numpy.asarray(x).view(dtype) for the bits",
}
"""Attributes of an array."""


UFUNCS: Final = {"expit": "logistic", "gammaln": "lgamma", "psi": "digamma"}
"""Names of the module by those of scipy's ufuncs, where they are others."""


def hint(names: dict[str, str], name: str) -> str:
    """Return what to take in place of a name, to be added to the message of its error."""
    return f": take {names[name]}" if name in names else ""


def no_function(function: Callable[..., Any]) -> str:
    """Return the message of a function of NumPy that arrays of indim do not take."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"indim has no {module}.{function.__name__}: {before()}"


def no_ufunc(ufunc: np.ufunc) -> str:
    """Return the message of a ufunc, NumPy's or another's, that takes no arrays of indim."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        return f"indim has no numpy.{name}: {before()}"
    ours = UFUNCS.get(name, name)
    instead = f"take indim.{ours}" if hasattr(sys.modules["indim"], ours) else before()
    return f"{name} is of another library than NumPy, and takes no arrays of indim: {instead}"


def before() -> str:
    """Return what to do with an array before it is given to a function that does not take it."""
    in_dask = "; in dask, indim.dask.to_numpy(x)" if "dask" in sys.modules else ""
    return f"take numpy.asarray(x) before{in_dask}"
