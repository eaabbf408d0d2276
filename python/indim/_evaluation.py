"""Operations on expressions: evaluate, wait, explain, count."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from . import _core
from ._array import Array
from ._core import Expr
from ._dtypes import DTYPES
from ._explain import Explanation
from ._temporaries import ALONE, MOST_OF_ARGUMENT


def eval(*arrays: Array | list[Array] | tuple[Array, ...], out: Array | None = None) -> None:
    """Compute arrays together, so that shared parts are computed once, without waiting.

    One array may be computed into `out`, which takes its elements: in its memory, if no other
    array or expression has that, as `indim.eval(0.5 * x, out=x)` does.

    A loop whose results are built on those of the round before should call it in each round: a
    longer expression is another kernel, which has to be compiled.

    >>> import indim
    >>> x = indim.zeros(2)
    >>> for _ in range(3):
    ...     x = 0.5 * x + 1
    ...     indim.eval(x)
    >>> print(x)
    [1.75 1.75]
    """
    if out is not None:
        if len(arrays) != 1 or not isinstance(arrays[0], Array):
            raise TypeError("eval takes one array to compute into out=")
        is_temporary = getrefcount(arrays[0]) <= MOST_OF_ARGUMENT
        made = arrays[0]._x
        _fits(made, _checked("eval", out)._x)
        out._write(made, [made] if is_temporary and getrefcount(made) <= ALONE + 1 else [])
        return
    each = [
        one for given in arrays for one in (given if isinstance(given, (list, tuple)) else [given])
    ]
    _core.eval([_checked("eval", array)._x for array in each])


def explain(*arrays: Array) -> Explanation:
    """Return how arrays would be computed together: text, and a picture in a notebook."""
    return Explanation([_checked("explain", array)._x for array in arrays])


def wait() -> None:
    """Wait until the GPU has done all that was submitted; Ctrl-C interrupts it."""
    _core.wait()


def adapters() -> list[dict[str, Any]]:
    """Return the GPUs and software adapters that wgpu finds here."""
    return _core.adapters()


def adapter() -> dict[str, Any]:
    """Return the adapter that computes, which is opened if it was not."""
    return _core.adapter()


def stats() -> dict[str, int]:
    """Return what was done so far: dispatches, submissions, compiled kernels and others."""
    return _core.stats()


def memory() -> dict[str, int]:
    """Return the memory of the GPU that arrays and the pool take, in bytes."""
    return _core.memory()


def _fits(made: Expr, x: Expr) -> None:
    """Check that an expression has the shape and type of the array that takes it."""
    if (made.shape, made.dtype) != (x.shape, x.dtype):
        raise ValueError(
            f"eval gives {DTYPES[made.dtype].name} of shape {made.shape}, which does not fit out= "
            f"of {DTYPES[x.dtype].name} and shape {x.shape}"
        )


def _checked(function: str, array: Any) -> Array:
    if not isinstance(array, Array):
        raise TypeError(f"{function} takes arrays of indim, not a {type(array).__name__}")
    return array
