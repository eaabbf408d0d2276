"""The names of the standard that the library lacks: each raises a NotImplementedError.

The library has elementwise operations and reductions. Products of matrices, sorting, searching and
sets are the work of other libraries; what each message names computes on the host.
"""

from __future__ import annotations

from typing import Any, NoReturn


def _missing(name: str, instead: str) -> NoReturn:
    raise NotImplementedError(f"indim has no {name}: {instead}")


def _on_host(name: str) -> NoReturn:
    _missing(name, f"take numpy.{name} of numpy.asarray(x), which computes on the host")


def matmul(x1: Any, x2: Any, /) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("matmul")


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("tensordot")


def vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("vecdot")


def argsort(x: Any, /, *, axis: Any = -1, descending: Any = False, stable: Any = True) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("argsort")


def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("cumulative_prod")


def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False
) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("cumulative_sum")


def diff(
    x: Any, /, *, axis: Any = -1, n: Any = 1, prepend: Any = None, append: Any = None
) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _missing("diff", "take x[1:] - x[:-1], which is one kernel")


def nonzero(x: Any, /) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("nonzero")


def searchsorted(x1: Any, x2: Any, /, *, side: Any = "left", sorter: Any = None) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("searchsorted")


def sort(x: Any, /, *, axis: Any = -1, descending: Any = False, stable: Any = True) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("sort")


def take_along_axis(x: Any, indices: Any, /, *, axis: Any = -1) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("take_along_axis")


def unique_all(x: Any, /) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("unique_all")


def unique_counts(x: Any, /) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("unique_counts")


def unique_inverse(x: Any, /) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("unique_inverse")


def unique_values(x: Any, /) -> NoReturn:
    """Raise a NotImplementedError that names a replacement."""
    _on_host("unique_values")
