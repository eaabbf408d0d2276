"""Operations on expressions: evaluate, wait, explain, count."""

from __future__ import annotations

from typing import Any

from . import _core
from ._array import Array
from ._explain import Explanation


def eval(*arrays: Array | list[Array] | tuple[Array, ...]) -> None:
    """Compute arrays together, so that shared parts are computed once, without waiting.

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
    each = [
        one for given in arrays for one in (given if isinstance(given, (list, tuple)) else [given])
    ]
    _core.eval([_checked("eval", array)._x for array in each])


def explain(*arrays: Array) -> Explanation:
    """Return how arrays would be computed together: text, and a picture in a notebook.

    >>> import indim
    >>> print(str(indim.explain(indim.ones(4) + indim.arange(4)))[:14])
    kernel 1 of 1:
    """
    return Explanation([_checked("explain", array)._x for array in arrays])


def wait() -> None:
    """Wait until the GPU has done all that was submitted; Ctrl-C interrupts it.

    >>> import indim
    >>> indim.eval(indim.ones(4) + 1)
    >>> indim.wait()
    """
    _core.wait()


def adapters() -> list[dict[str, Any]]:
    """Return the GPUs and software adapters that wgpu finds here.

    >>> import indim
    >>> len(indim.adapters()) > 0
    True
    """
    return _core.adapters()


def adapter() -> dict[str, Any]:
    """Return the adapter that computes, which is opened if it was not.

    >>> import indim
    >>> type(indim.adapter()["name"])
    <class 'str'>
    """
    return _core.adapter()


def stats() -> dict[str, int]:
    """Return what was done so far: dispatches, submissions, compiled kernels and others.

    >>> import indim
    >>> indim.stats()["dispatches"] >= 0
    True
    """
    return _core.stats()


def memory() -> dict[str, int]:
    """Return the memory of the GPU that arrays and the pool take, in bytes.

    >>> import indim
    >>> indim.memory()["in_use"] >= 0
    True
    """
    return _core.memory()


def _checked(function: str, array: Any) -> Array:
    if not isinstance(array, Array):
        raise TypeError(f"{function} takes arrays of indim, not a {type(array).__name__}")
    return array
