"""What to take in place of names that NumPy, CuPy or PyTorch have and this package does not."""

from __future__ import annotations

from typing import Final

NAMES: Final = {
    "absolute": "indim.abs",
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
    "divide_no_nan": "indim.where(y == 0, 0, x / y)",
    "ElementwiseKernel": "indim.function, or operators: an expression is one kernel by itself",
    "fuse": "operators and functions: an expression is one kernel by itself",
    "isclose": "abs(x - y) <= tolerance",
    "jit": "operators and functions: an expression is one kernel by itself",
    "pad": "indim.concat of the array and indim.zeros",
    "power": "indim.pow",
    "swapaxes": "indim.permute_dims",
    "transpose": "indim.permute_dims",
}
"""Names of the module."""

ATTRIBUTES: Final = {
    "argmax": "numpy.argmax(numpy.asarray(x)), which computes on the host",
    "argmin": "numpy.argmin(numpy.asarray(x)), which computes on the host",
    "clip": "indim.clip(x, low, high)",
    "conj": "indim.conj(x)",
    "cpu": "numpy.asarray(x)",
    "cumsum": "numpy.cumsum(numpy.asarray(x)), which computes on the host",
    "data": "numpy.asarray(x), which copies to the host",
    "fill": "x[...] = value",
    "flatten": "x.reshape(-1)",
    "get": "numpy.asarray(x), or numpy.array(x) for a copy that may be written to",
    "numpy": "numpy.asarray(x), or numpy.array(x) for a copy that may be written to",
    "prod": "indim.prod(x), which computes on the host",
    "ravel": "x.reshape(-1)",
    "round": "indim.round(x)",
    "squeeze": "indim.squeeze(x, axis)",
    "var": "indim.var(x), which computes on the host",
    "view": "x.astype(dtype), or numpy.asarray(x).view(dtype) for the bits",
}
"""Attributes of an array."""


def hint(names: dict[str, str], name: str) -> str:
    """Return what to take in place of a name, to be added to the message of its error."""
    return f": take {names[name]}" if name in names else ""
