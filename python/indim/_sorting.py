"""Sorting, and what NumPy computes on the host: sets, and the places of what is not 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._array import Array
from ._creation import asarray
from ._functions import implements
from ._manipulation import moveaxis
from ._on_host import on_host
from ._ranks import order, sorted_last
from ._shapes import as_axes


class UniqueAll(NamedTuple):
    """The result of `unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Array
    inverse_indices: Array


def sort(x: Any, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """Return the elements in ascending order along an axis, NaN last.

    Along axes of more than 1,024 elements, of more than 2^24 pairs of elements in all, and of
    complex numbers they are sorted on the host.

    >>> import indim
    >>> print(indim.sort(indim.asarray([3, 1, 2]), descending=True))
    [3 2 1]
    """
    source, dim = _along("sort", x, axis)
    found = sorted_last(moveaxis(source, dim, -1), descending)
    if found is None:
        return on_host("indim.sort", _sorted, source, dim, descending, stable)
    return moveaxis(found, -1, dim)


def _along(name: str, x: Any, axis: int) -> tuple[Array, int]:
    """Return an array and the dimension along which it is sorted."""
    source = asarray(x)
    if source.ndim == 0:
        raise ValueError(f"{name} takes arrays of one dimension or more: take x.reshape(1) before")
    (dim,) = as_axes(axis, source.ndim)
    return source, dim


def _sorted(x: np.ndarray[Any, Any], axis: int, descending: bool, stable: bool) -> Any:
    values = np.sort(x, axis=axis, stable=stable)
    return np.flip(values, axis) if descending else values


def argsort(x: Any, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """Return the places of the elements in ascending order along an axis, in int64; stably.

    It runs on the host where `sort` does.

    >>> import indim
    >>> print(indim.argsort(indim.asarray([3, 1, 2])))
    [1 2 0]
    """
    source, dim = _along("argsort", x, axis)
    found = order(moveaxis(source, dim, -1), descending)
    if found is None:
        return on_host("indim.argsort", _order, source, dim, descending, stable)
    return moveaxis(found, -1, dim).astype(np.int64)


def _order(x: np.ndarray[Any, Any], axis: int, descending: bool, stable: bool) -> Any:
    if not descending:
        return np.argsort(x, axis=axis, stable=stable)
    # Backwards twice, so that equal elements stay in their order.
    backwards = np.argsort(np.flip(x, axis), axis=axis, stable=stable)
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def _implement(of_numpy: Callable[..., Any], ours: Callable[..., Array]) -> None:
    """Have NumPy's function, whose every `kind` is stable here, run as ours."""

    @implements(of_numpy)
    def called(
        a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None
    ) -> Any:
        if order is not None:
            return NotImplemented
        return ours(asarray(a).ravel()) if axis is None else ours(a, axis=axis)


_implement(np.sort, sort)
_implement(np.argsort, argsort)


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """Return the places of the elements that are not 0, an array for each dimension; on the host.

    >>> import indim
    >>> (places,) = indim.nonzero(indim.asarray([0, 5, 0, 7]))
    >>> print(places)
    [1 3]
    """
    return on_host("indim.nonzero", _places, asarray(x))


def _places(x: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
    if x.ndim == 0:
        raise ValueError("nonzero takes arrays of one dimension or more: take x.reshape(1) before")
    return x.nonzero()


def unique_all(x: Any, /) -> UniqueAll:
    """Return the different elements, their first places, each element's number, and counts.

    They are computed on the host.

    >>> import indim
    >>> found = indim.unique_all(indim.asarray([5, 3, 5]))
    >>> print(found.values, found.indices, found.inverse_indices, found.counts)
    [3 5] [1 0] [1 0 1] [1 2]
    """
    return UniqueAll(*on_host("indim.unique_all", _unique, asarray(x), "index inverse counts"))


def unique_counts(x: Any, /) -> UniqueCounts:
    """Return the different elements in ascending order, and how often each occurs; on the host.

    >>> import indim
    >>> values, counts = indim.unique_counts(indim.asarray([5, 3, 5]))
    >>> print(values, counts)
    [3 5] [1 2]
    """
    return UniqueCounts(*on_host("indim.unique_counts", _unique, asarray(x), "counts"))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Return the different elements in ascending order, and each element's number; on the host.

    >>> import indim
    >>> values, inverse = indim.unique_inverse(indim.asarray([5, 3, 5]))
    >>> print(values, inverse)
    [3 5] [1 0 1]
    """
    return UniqueInverse(*on_host("indim.unique_inverse", _unique, asarray(x), "inverse"))


def unique_values(x: Any, /) -> Array:
    """Return the different elements in ascending order; on the host.

    >>> import indim
    >>> print(indim.unique_values(indim.asarray([5, 3, 5])))
    [3 5]
    """
    return on_host("indim.unique_values", _unique, asarray(x), "")


def _unique(x: np.ndarray[Any, Any], more: str) -> Any:
    """Return the different elements in ascending order; `numpy.unique_values` has them in any."""
    wanted = {f"return_{name}": True for name in more.split()}
    return np.unique(x, equal_nan=False, **wanted)
