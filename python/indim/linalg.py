"""Linear algebra: the standard's extension `linalg`.

Products, norms, traces and diagonals run on the GPU. Solvers and decompositions have no kernel:
NumPy computes them on the host, by the rule of `indim.set_host_fallback`.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Literal, NamedTuple

import numpy as np

from ._array import Array
from ._creation import asarray, eye
from ._dtypes import FLOATS
from ._elementwise import abs, sqrt
from ._functions import implements
from ._manipulation import broadcast_arrays, broadcast_to, matrix_transpose, moveaxis, stack
from ._numpy_functions import diagonal_of
from ._on_host import on_host
from ._products import matmul, outer, tensordot, vecdot
from ._reductions import max, min, sum
from ._shapes import as_axes

__all__ = [
    "EighResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: Array
    S: Array
    Vh: Array


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Return the cross products of vectors of three elements along an axis.

    >>> import indim
    >>> print(indim.linalg.cross(indim.asarray([1, 0, 0]), indim.asarray([0, 1, 0])))
    [0 0 1]
    """
    left, right = broadcast_arrays(asarray(x1), asarray(x2))
    (dim,) = as_axes(axis, left.ndim)
    if left.shape[dim] != 3:
        raise ValueError(
            f"cross takes vectors of 3 elements, and dimension {dim} has size {left.shape[dim]}"
        )
    before = (slice(None),) * dim
    a, b = ([x[(*before, place)] for place in range(3)] for x in (left, right))
    parts = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return stack(parts, axis=dim)


@implements(np.cross)
def _numpy_cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = asarray(a), asarray(b)
    if left.shape[axisa] != 3 or right.shape[axisb] != 3:
        return NotImplemented
    return moveaxis(cross(moveaxis(left, axisa, -1), moveaxis(right, axisb, -1)), -1, axisc)


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """Return the diagonals of matrices in the last two dimensions.

    >>> import indim
    >>> print(indim.linalg.diagonal(indim.asarray([[1, 2], [3, 4]])))
    [1 4]
    """
    return diagonal_of(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Return the sums of the diagonals of matrices in the last two dimensions.

    >>> import indim
    >>> print(indim.linalg.trace(indim.asarray([[1, 2], [3, 4]])))
    5
    """
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Array:
    """Return the norms of vectors along axes, or that of all elements.

    >>> import indim
    >>> print(indim.linalg.vector_norm(indim.asarray([[3.0, 4.0], [5.0, 12.0]]), axis=1))
    [ 5. 13.]
    """
    source = asarray(x)
    if axis == ():
        # Each element is a vector of its own.
        return abs(_inexact(source)) if ord != 0 else (source != 0).astype(_real(source))
    size = abs(_inexact(source))
    if ord == math.inf:
        return max(size, axis=axis, keepdims=keepdims)
    if ord == -math.inf:
        return min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return sum((size != 0).astype(size.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return sum(size, axis=axis, keepdims=keepdims)
    if ord == 2:
        return sqrt(sum(size * size, axis=axis, keepdims=keepdims))
    return sum(size**ord, axis=axis, keepdims=keepdims) ** (1 / ord)


def _inexact(x: Array) -> Array:
    return x if x._x.dtype in FLOATS or x._x.dtype == "c64" else x * 1.0


def _real(x: Array) -> Any:
    return x.dtype if x._x.dtype in FLOATS else np.dtype(np.float32)


def matrix_norm(
    x: Any, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro"
) -> Array:
    """Return the norms of matrices in the last two dimensions.

    The norms 2, -2 and "nuc" need singular values, which the host computes.

    >>> import indim
    >>> print(indim.linalg.matrix_norm(indim.asarray([[1.0, 1.0], [1.0, 1.0]])))
    2.0
    """
    source = _matrices("matrix_norm", x)
    if ord in (2, -2, "nuc"):
        return on_host("indim.linalg.matrix_norm", np.linalg.norm, source, ord, (-2, -1), keepdims)
    if ord in ("fro", None):
        return vector_norm(source, axis=(-2, -1), keepdims=keepdims)
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError(f"matrix_norm has 'fro', 'nuc', 1, -1, 2, -2, inf and -inf, not {ord!r}")
    axis = -2 if operator.index(ord in (1, -1)) else -1
    totals = sum(abs(_inexact(source)), axis=axis, keepdims=True)
    found = (max if ord > 0 else min)(totals, axis=(-2, -1), keepdims=keepdims)  # type: ignore[operator]
    return found


def matrix_power(x: Any, n: int, /) -> Array:
    """Return square matrices multiplied by themselves n times; inverses for n below 0.

    >>> import indim
    >>> print(indim.linalg.matrix_power(indim.asarray([[1, 1], [0, 1]]), 5))
    [[1 5]
     [0 1]]
    """
    source, times = _square("matrix_power", x), operator.index(n)
    if times < 0:
        source, times = inv(source), -times
    found = broadcast_to(eye(source.shape[-1], dtype=source.dtype), source.shape)
    if times == 0:
        return found
    started = False
    while times:
        if times & 1:
            found, started = (matmul(found, source) if started else source), True
        times >>= 1
        if times:
            source = matmul(source, source)
    return found


def cholesky(x: Any, /, *, upper: bool = False) -> Array:
    """Return the triangular matrices L of x = L @ L.T, or their transposes; on the host.

    >>> import indim
    >>> print(indim.linalg.cholesky(indim.asarray([[4.0, 2.0], [2.0, 2.0]])))
    [[2. 0.]
     [1. 1.]]
    """
    source = _square("cholesky", x)
    return on_host("indim.linalg.cholesky", np.linalg.cholesky, source, upper=upper)


def det(x: Any, /) -> Array:
    """Return the determinants of square matrices; on the host.

    >>> import indim
    >>> print(indim.linalg.det(indim.asarray([[2.0, 0.0], [0.0, 3.0]])))
    6.0
    """
    return on_host("indim.linalg.det", np.linalg.det, _square("det", x))


def eigh(x: Any, /) -> EighResult:
    """Return the eigenvalues, ascending, and eigenvectors of symmetric matrices; on the host.

    >>> import indim
    >>> print(indim.linalg.eigh(indim.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues)
    [1. 2.]
    """
    return EighResult(*on_host("indim.linalg.eigh", _eigh, _square("eigh", x)))


def _eigh(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return tuple(np.linalg.eigh(x))


def eigvalsh(x: Any, /) -> Array:
    """Return the eigenvalues, ascending, of symmetric matrices; on the host.

    >>> import indim
    >>> print(indim.linalg.eigvalsh(indim.asarray([[2.0, 0.0], [0.0, 1.0]])))
    [1. 2.]
    """
    return on_host("indim.linalg.eigvalsh", np.linalg.eigvalsh, _square("eigvalsh", x))


def inv(x: Any, /) -> Array:
    """Return the inverses of square matrices; on the host.

    >>> import indim
    >>> print(indim.linalg.inv(indim.asarray([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    return on_host("indim.linalg.inv", np.linalg.inv, _square("inv", x))


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Array:
    """Return the ranks of matrices, in int64; on the host.

    >>> import indim
    >>> print(indim.linalg.matrix_rank(indim.ones((3, 3))))
    1
    """
    source = _matrices("matrix_rank", x)
    return on_host("indim.linalg.matrix_rank", np.linalg.matrix_rank, source, rtol=rtol)


def pinv(x: Any, /, *, rtol: Any = None) -> Array:
    """Return the pseudo-inverses of matrices; on the host.

    >>> import indim
    >>> print(indim.linalg.pinv(indim.asarray([[2.0, 0.0], [0.0, 0.0]])))
    [[0.5 0. ]
     [0.  0. ]]
    """
    return on_host("indim.linalg.pinv", np.linalg.pinv, _matrices("pinv", x), rtol=rtol)


def qr(x: Any, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Return matrices with orthogonal columns and triangular ones, of product x; on the host.

    >>> import indim
    >>> print(indim.abs(indim.linalg.qr(indim.asarray([[3.0, 1.0], [4.0, 2.0]])).R[0]).round(3))
    [5.  2.2]
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr has the modes 'reduced' and 'complete', not {mode!r}")
    return QRResult(*on_host("indim.linalg.qr", _qr, _matrices("qr", x), mode))


def _qr(x: np.ndarray[Any, Any], mode: Any) -> tuple[Any, ...]:
    return tuple(np.linalg.qr(x, mode))


def slogdet(x: Any, /) -> SlogdetResult:
    """Return the signs of determinants and the logarithms of their sizes; on the host.

    >>> import indim
    >>> print(indim.linalg.slogdet(indim.asarray([[-1.0, 0.0], [0.0, 1.0]])).sign)
    -1.0
    """
    return SlogdetResult(*on_host("indim.linalg.slogdet", _slogdet, _square("slogdet", x)))


def _slogdet(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return tuple(np.linalg.slogdet(x))


def solve(x1: Any, x2: Any, /) -> Array:
    """Return the solutions of linear equations with matrices x1 and right sides x2; on the host.

    >>> import indim
    >>> print(indim.linalg.solve(indim.asarray([[2.0, 0.0], [0.0, 4.0]]), indim.ones(2)))
    [0.5  0.25]
    """
    return on_host("indim.linalg.solve", np.linalg.solve, _square("solve", x1), asarray(x2))


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the singular value decomposition of matrices; on the host.

    >>> import indim
    >>> print(indim.linalg.svd(indim.asarray([[3.0, 0.0], [0.0, 4.0]])).S)
    [4. 3.]
    """
    return SVDResult(*on_host("indim.linalg.svd", _svd, _matrices("svd", x), full_matrices))


def _svd(x: np.ndarray[Any, Any], full_matrices: bool) -> tuple[Any, ...]:
    return tuple(np.linalg.svd(x, full_matrices))


def svdvals(x: Any, /) -> Array:
    """Return the singular values of matrices, descending; on the host.

    >>> import indim
    >>> print(indim.linalg.svdvals(indim.asarray([[3.0, 0.0], [0.0, 4.0]])))
    [4. 3.]
    """
    source = _matrices("svdvals", x)
    return on_host("indim.linalg.svdvals", np.linalg.svd, source, compute_uv=False)


def _matrices(function: str, x: Any) -> Array:
    source = asarray(x)
    if source.ndim < 2:
        raise ValueError(f"{function} takes two dimensions or more, and x has {source.ndim}")
    return source


def _square(function: str, x: Any) -> Array:
    source = _matrices(function, x)
    rows, columns = source.shape[-2:]
    if rows != columns:
        raise ValueError(
            f"{function} takes square matrices, not of {rows} rows and {columns} columns"
        )
    return source
