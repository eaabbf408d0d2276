"""NumPy's functions beside the standard's that compute new numbers of elements."""

from __future__ import annotations

import builtins
import math
from typing import Any, Final

import numpy as np

from . import _core
from ._array import Array, wrap
from ._creation import asarray
from ._cumulative import diff
from ._dtypes import FLOATS, INTEGERS
from ._elementwise import abs, exp, floor, imag, isnan, log1p, real, sin, trunc
from ._functions import implements
from ._manipulation import concat, flip, moveaxis
from ._numpy_functions import diagonal_of
from ._numpy_moves import sliding_window_view
from ._pairs import atan2, copysign, maximum
from ._products import matmul
from ._reductions import mean
from ._rules import cast
from ._selection import where
from ._shapes import as_axes

_LONGEST_KERNEL: Final = 256
"""The most elements of the shorter operand of a convolution that the GPU computes."""


def as_float(x: Any) -> Array:
    """Return an array of floats or complex numbers; integers become the default float."""
    array = asarray(x)
    return array if array._x.dtype in FLOATS or array._x.dtype == "c64" else array * 1.0


implements(np.exp2)(lambda x: 2.0 ** as_float(x))
implements(np.float_power)(lambda x1, x2: as_float(x1) ** as_float(x2))
implements(np.fix)(lambda x, out=None: trunc(x) if out is None else NotImplemented)


@implements(np.logaddexp2)
def _logaddexp2(x1: Any, x2: Any) -> Array:
    left, right = as_float(x1), as_float(x2)
    further = log1p(2.0 ** -abs(left - right)) / math.log(2)
    # Of two infinities of one sign the difference is NaN.
    return maximum(left, right) + where(left == right, 1.0, further)


@implements(np.heaviside)
def _heaviside(x1: Any, x2: Any) -> Array:
    x = as_float(x1)
    return where(isnan(x), x, where(x == 0, x2, where(x > 0, 1.0, 0.0)))


@implements(np.modf)
def _modf(x: Any) -> tuple[Array, Array]:
    source = as_float(x)
    whole = trunc(source)
    # An infinite number has no fraction, and a fraction of 0 has the number's sign.
    fraction = where(source == whole, 0.0, source - whole)
    return copysign(fraction, source), whole


@implements(np.sinc)
def _sinc(x: Any) -> Array:
    angle = as_float(x) * math.pi
    return where(angle == 0, 1.0, sin(angle) / where(angle == 0, 1.0, angle))


@implements(np.angle)
def _angle(z: Any, deg: bool = False) -> Array:
    source = as_float(z)
    found = atan2(imag(source), real(source)) if source._x.dtype == "c64" else atan2(0.0, source)
    return found * (180 / math.pi) if deg else found


@implements(np.i0)
def _i0(x: Any) -> Any:
    source = asarray(x)
    if source._x.dtype == "c64":
        return NotImplemented
    size = abs(as_float(source))
    # In two steps, since the exponential of the largest arguments alone is infinite.
    growth = exp(size / 2)
    return wrap(_core.unary("bessel_i0e", size._x)) * growth * growth


@implements(np.frexp)
def _frexp(x: Any) -> Any:
    source = as_float(x)
    if source._x.dtype in ("f64", "c64"):
        return NotImplemented
    bits = wrap(_core.bitcast(cast(source._x, "f32"), "s32"))
    biased, fraction = (bits >> 23) & 0xFF, bits & 0x7FFFFF
    # The leading bit of a number below the normal ones is in its fraction.
    shift = wrap(_core.unary("clz", fraction._x)) - 8
    is_small = biased == 0
    exponent = where(is_small, -125 - shift, biased - 126)
    fraction = where(is_small, (fraction << shift) & 0x7FFFFF, fraction)
    half = (bits & -0x80000000) | 0x3F000000 | fraction
    is_special = (biased == 0xFF) | ((bits & 0x7FFFFFFF) == 0)
    mantissa = wrap(cast(_core.bitcast(half._x, "f32"), source._x.dtype))
    return where(is_special, source, mantissa), where(is_special, 0, exponent)


@implements(np.bitwise_count)
def _bitwise_count(x: Any) -> Any:
    source = asarray(x)
    if source._x.dtype not in INTEGERS and source._x.dtype != "pred":
        raise TypeError(f"bitwise_count takes integers, not {source.dtype.name}")
    size = source.astype(np.uint8) if source._x.dtype == "pred" else abs(source)
    return wrap(_core.unary("population_count", size._x)).astype(np.uint8)


@implements(np.unwrap)
def _unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Any:
    x = asarray(p)
    if x._x.dtype not in FLOATS:
        return NotImplemented
    x = moveaxis(x, axis, -1)
    steps = diff(x)
    half = period / 2
    wrapped = steps + half
    wrapped = wrapped - floor(wrapped / period) * period - half
    wrapped = where((wrapped == -half) & (steps > 0), half, wrapped)
    limit = half if discont is None else discont
    correction = where(abs(steps) < limit, 0.0, wrapped - steps)
    rest = x[..., 1:] + correction.cumsum(-1)
    return moveaxis(concat([x[..., :1], rest], axis=-1), -1, axis)


@implements(np.polyval)
def _polyval(p: Any, x: Any) -> Array:
    found = asarray(x) * 0
    # NumPy's arrays of integers have a type, which a list of Python's numbers has not.
    for coefficient in p if isinstance(p, Array) else np.asarray(p):
        found = found * x + coefficient
    return found


# Differences, sums and averages.


@implements(np.gradient)
def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    x = as_float(f)
    axes = as_axes(axis, x.ndim)
    if edge_order != 1 or len(varargs) not in (0, 1, len(axes)):
        return NotImplemented
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if builtins.any(np.ndim(step) for step in steps):
        return NotImplemented
    for dim in axes:
        if x.shape[dim] < 2:
            raise ValueError(
                f"gradient takes two elements or more along an axis, and axis {dim} has "
                f"{x.shape[dim]}"
            )
    found = tuple(_slope(x, dim, step) for dim, step in zip(axes, steps, strict=True))
    return found[0] if len(found) == 1 else found


def _slope(x: Array, dim: int, step: Any) -> Array:
    """Return differences over a distance of two, and of one at both ends."""
    x = moveaxis(x, dim, -1)
    inner = (x[..., 2:] - x[..., :-2]) / (2.0 * step)
    first, last = (x[..., 1:2] - x[..., :1]) / step, (x[..., -1:] - x[..., -2:-1]) / step
    return moveaxis(concat([first, inner, last], axis=-1), -1, dim)


@implements(np.ediff1d)
def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    steps = diff(asarray(ary).ravel())
    parts = [asarray(to_begin).astype(steps.dtype).ravel()] if to_begin is not None else []
    parts.append(steps)
    parts += [asarray(to_end).astype(steps.dtype).ravel()] if to_end is not None else []
    return concat(parts) if len(parts) > 1 else steps


@implements(np.convolve)
def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    return _slid(a, v, mode, turned=True)


@implements(np.correlate)
def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    left, right = asarray(a), asarray(v)
    if left.size < right.size:
        # NumPy's order of the result then is the other.
        return NotImplemented
    return _slid(left, right.conj() if right._x.dtype == "c64" else right, mode, turned=False)


def _slid(a: Any, v: Any, mode: str, turned: bool) -> Any:
    """Return the sums of products of an array with another one slid along it."""
    x, kernel = asarray(a), asarray(v)
    if x.ndim > 1 or kernel.ndim > 1 or not x.size or not kernel.size:
        return NotImplemented
    x, kernel = x.reshape(-1), kernel.reshape(-1)
    if turned and x.size < kernel.size:
        x, kernel = kernel, x
    size = kernel.size
    around = {"full": (size - 1, size - 1), "same": (size // 2, (size - 1) // 2), "valid": (0, 0)}
    if mode not in around or size > _LONGEST_KERNEL:
        return NotImplemented
    before, after = around[mode]
    wide = x._namespace.pad(x, (before, after))
    return matmul(sliding_window_view(wide, size), flip(kernel) if turned else kernel)


@implements(np.cov)
def _cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    x = asarray(m)
    weighted = fweights is not None or aweights is not None or dtype is not None
    if weighted or x.ndim > 2 or not x.size:
        return NotImplemented
    rows = _rows(x, rowvar)
    if y is not None:
        rows = concat([rows, _rows(asarray(y), rowvar)], axis=0)
    degrees = (0 if bias else 1) if ddof is None else ddof
    count = rows.shape[1] - degrees
    if count <= 0:
        return NotImplemented
    centred = rows - mean(rows, axis=1, keepdims=True)
    products = matmul(centred, centred.conj().T if rows._x.dtype == "c64" else centred.T)
    return (products / count).squeeze()


def _rows(x: Array, rowvar: bool) -> Array:
    """Return the observations of each variable as a row of floats."""
    x = as_float(x)
    rows = x.reshape(1, -1) if x.ndim < 2 else x
    return rows if rowvar or x.ndim < 2 else rows.T


@implements(np.corrcoef)
def _corrcoef(
    x: Any, y: Any = None, rowvar: bool = True, bias: Any = None, ddof: Any = None, **named: Any
) -> Any:
    source = asarray(x)
    if named or source._x.dtype == "c64":
        return NotImplemented
    found = _cov(source, y, rowvar)
    if found is NotImplemented or found.ndim == 0:
        return NotImplemented if found is NotImplemented else found / found
    widths = diagonal_of(found) ** 0.5
    return (found / widths[:, None] / widths).clip(-1, 1)
