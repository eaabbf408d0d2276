"""Sorting, searching, sets and statistics: they have no kernel, and NumPy computes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._array import Array
from ._creation import asarray
from ._on_host import on_host


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
    """Return the elements in ascending order along an axis, NaN last; on the host.

    >>> import indim
    >>> print(indim.sort(indim.asarray([3, 1, 2]), descending=True))
    [3 2 1]
    """
    return on_host("indim.sort", _sorted, asarray(x), axis, descending, stable)


def _sorted(x: np.ndarray[Any, Any], axis: int, descending: bool, stable: bool) -> Any:
    if x.ndim == 0:
        raise ValueError("sort takes arrays of one dimension or more: take x.reshape(1) before")
    values = np.sort(x, axis=axis, stable=stable)
    return np.flip(values, axis) if descending else values


def argsort(x: Any, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """Return the places of the elements in ascending order along an axis; on the host.

    >>> import indim
    >>> print(indim.argsort(indim.asarray([3, 1, 2])))
    [1 2 0]
    """
    return on_host("indim.argsort", _order, asarray(x), axis, descending, stable)


def _order(x: np.ndarray[Any, Any], axis: int, descending: bool, stable: bool) -> Any:
    if x.ndim == 0:
        raise ValueError("argsort takes arrays of one dimension or more: take x.reshape(1) before")
    if not descending:
        return np.argsort(x, axis=axis, stable=stable)
    # Backwards twice, so that equal elements stay in their order.
    backwards = np.argsort(np.flip(x, axis), axis=axis, stable=stable)
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def searchsorted(x1: Any, x2: Any, /, side: str = "left", sorter: Any = None) -> Array:
    """Return where the elements of x2 belong in the sorted array x1, in int64; on the host.

    >>> import indim
    >>> print(indim.searchsorted(indim.asarray([1.0, 2.0, 4.0]), indim.asarray([2.0, 3.0])))
    [1 2]
    """
    return on_host("indim.searchsorted", np.searchsorted, asarray(x1), _array(x2), side, sorter)


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


def percentile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Array:
    """Return the percentiles `q` along axes or of the whole array, as `numpy.percentile`.

    They are computed on the host.

    >>> import indim
    >>> print(indim.percentile(indim.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), [25, 50]))
    [2. 3.]
    """
    return on_host(
        "indim.percentile",
        np.percentile,
        asarray(a),
        _array(q),
        axis,
        method=method,
        keepdims=keepdims,
    )


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Array, Array]:
    """Return how many elements lie in each bin, and the edges of the bins, as `numpy.histogram`.

    They are computed on the host.

    >>> import indim
    >>> counts, edges = indim.histogram(indim.asarray([0.0, 1.0, 1.5, 4.0]), bins=2)
    >>> print(counts, edges)
    [3 1] [0. 2. 4.]
    """
    return on_host(
        "indim.histogram", np.histogram, asarray(a), bins, range, density=density, weights=weights
    )


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Array:
    """Return the values at `x` of lines through the points (xp, fp), as `numpy.interp`.

    They are computed on the host.

    >>> import indim
    >>> print(indim.interp(indim.asarray([0.5, 1.25]), [0.0, 1.0, 2.0], [0.0, 10.0, 30.0]))
    [ 5. 15.]
    """
    return on_host("indim.interp", np.interp, asarray(x), xp, fp, left, right, period)


def _array(x: Any) -> Any:
    """Return a number or list as an array of the default type; arrays as they are."""
    return x if isinstance(x, (Array, np.ndarray, np.generic)) else asarray(x)
