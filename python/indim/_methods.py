"""The methods of an array by NumPy's names, each a function of the namespace or several."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ._words import no_out

if TYPE_CHECKING:
    from ._array import Array


class Methods:
    """The methods whose result a function of the namespace gives; arguments are NumPy's."""

    __slots__ = ()

    _namespace: ClassVar[ModuleType]
    _transposed: Callable[[tuple[int, ...]], Array]

    # Reductions.

    def all(self, axis: Any = None, out: None = None, keepdims: bool = False) -> Array:
        """Return whether all elements are true."""
        no_out(out)
        return self._namespace.all(self, axis, keepdims=keepdims)

    def any(self, axis: Any = None, out: None = None, keepdims: bool = False) -> Array:
        """Return whether any element is true."""
        no_out(out)
        return self._namespace.any(self, axis, keepdims=keepdims)

    def argmax(self, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Array:
        """Return the position of the largest element."""
        no_out(out)
        return self._namespace.argmax(self, axis, keepdims=keepdims)

    def argmin(self, axis: Any = None, out: None = None, *, keepdims: bool = False) -> Array:
        """Return the position of the smallest element."""
        no_out(out)
        return self._namespace.argmin(self, axis, keepdims=keepdims)

    def max(self, axis: Any = None, out: None = None, keepdims: bool = False) -> Array:
        """Return the largest element."""
        no_out(out)
        return self._namespace.max(self, axis, keepdims=keepdims)

    def min(self, axis: Any = None, out: None = None, keepdims: bool = False) -> Array:
        """Return the smallest element."""
        no_out(out)
        return self._namespace.min(self, axis, keepdims=keepdims)

    def sum(
        self, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False
    ) -> Array:
        """Return the sum, in this type or the default one of its kind."""
        no_out(out)
        return self._namespace.sum(self, axis, dtype, keepdims=keepdims)

    def prod(
        self, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False
    ) -> Array:
        """Return the product, in this type or the default one of its kind."""
        no_out(out)
        return self._namespace.prod(self, axis, dtype, keepdims=keepdims)

    def mean(
        self, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False
    ) -> Array:
        """Return the mean."""
        no_out(out)
        return self._namespace.mean(self, axis, dtype, keepdims=keepdims)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        ddof: float = 0.0,
        keepdims: bool = False,
    ) -> Array:
        """Return the variance."""
        no_out(out)
        return self._namespace.var(self, axis, dtype, ddof=ddof, keepdims=keepdims)

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        ddof: float = 0.0,
        keepdims: bool = False,
    ) -> Array:
        """Return the standard deviation."""
        no_out(out)
        return self._namespace.std(self, axis, dtype, ddof=ddof, keepdims=keepdims)

    def cumsum(self, axis: Any = None, dtype: Any = None) -> Array:
        """Return the sums of the elements up to each one; flattened without an axis."""
        x = self.ravel() if axis is None else self
        return self._namespace.cumulative_sum(x, axis=axis, dtype=dtype)

    def cumprod(self, axis: Any = None, dtype: Any = None) -> Array:
        """Return the products of the elements up to each one; flattened without an axis."""
        x = self.ravel() if axis is None else self
        return self._namespace.cumulative_prod(x, axis=axis, dtype=dtype)

    # Elements, one by one.

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """Return the elements, held between two limits."""
        return self._namespace.clip(self, min, max)

    def conj(self) -> Array:
        """Return the complex conjugates."""
        return self._namespace.conj(self)

    def conjugate(self) -> Array:
        """Return the complex conjugates."""
        return self._namespace.conj(self)

    def round(self, decimals: int = 0) -> Array:
        """Return the elements rounded to integers, or to `decimals`."""
        return self._namespace.round(self, decimals)

    # Elements at other places.

    @property
    def T(self) -> Array:
        """The array with its dimensions reversed, a matrix transposed: a view."""
        return self._transposed(tuple(range(self.ndim))[::-1])

    @property
    def mT(self) -> Array:
        """The matrices in the last two dimensions, transposed: a view."""
        return self._namespace.matrix_transpose(self)

    def transpose(self, *axes: Any) -> Array:
        """Return the array with its dimensions permuted, reversed without `axes`: a view."""
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = tuple(axes[0]) if axes[0] is not None else ()
        return self._namespace.permute_dims(self, axes) if axes else self.T

    def reshape(self, *shape: Any) -> Array:
        """Return the elements, in row-major order, under another shape: a view.

        One size may be -1.
        """
        return self._namespace.reshape(self, shape[0] if len(shape) == 1 else shape)

    def ravel(self, order: str = "C") -> Array:
        """Return the elements in row-major order under one dimension: a view."""
        if order not in ("C", "K", "A"):
            raise ValueError(f"indim has row-major order only, not order {order!r}")
        return self._namespace.ravel(self)

    def flatten(self, order: str = "C") -> Array:
        """Return the elements in row-major order under one dimension: a copy."""
        return self.ravel(order).copy()

    def squeeze(self, axis: Any = None) -> Array:
        """Return the array without dimensions of size 1: a view."""
        return self._namespace.squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """Return the array with two dimensions exchanged: a view."""
        order = list(range(self.ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return self.transpose(order)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """Return the diagonals of the matrices in two dimensions: a copy."""
        return np.diagonal(self, offset, axis1, axis2)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
        """Return the sums of the diagonals of the matrices in two dimensions."""
        return np.trace(self, offset, axis1, axis2, dtype)

    def repeat(self, repeats: Any, axis: Any = None) -> Array:
        """Return the array with each element repeated along an axis."""
        return self._namespace.repeat(self, repeats, axis=axis)

    def take(self, indices: Any, axis: Any = None) -> Array:
        """Return the elements at indices, of the flattened array without an axis."""
        x = self.ravel() if axis is None else self
        return self._namespace.take(x, indices, axis=axis)

    def nonzero(self) -> tuple[Array, ...]:
        """Return the places of the elements that are not 0, an array for each dimension."""
        return self._namespace.nonzero(self)

    def sort(
        self, axis: int = -1, kind: Any = None, order: None = None, *, stable: Any = None
    ) -> None:
        """Sort the elements along an axis in place; each `kind` is stable."""
        self[...] = self._namespace.sort(self, axis=axis)

    def argsort(
        self, axis: Any = -1, kind: Any = None, order: None = None, *, stable: Any = None
    ) -> Array:
        """Return the places of the elements in ascending order along an axis, stably."""
        x = self.ravel() if axis is None else self
        return self._namespace.argsort(x, axis=-1 if axis is None else axis)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Array:
        """Return where values belong in this sorted array."""
        return self._namespace.searchsorted(self, v, side=side, sorter=sorter)

    def dot(self, other: Any) -> Array:
        """Return `numpy.dot(self, other)`."""
        return self._namespace.dot(self, other)

    def fill(self, value: Any) -> None:
        """Give each element this value."""
        self[...] = value
