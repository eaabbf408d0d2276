"""The elementwise functions of one operand: those of the standard, and those of XLA that it lacks.

All are lazy and run on the GPU. Integers become float32 where the result is a float.
"""

from __future__ import annotations

from typing import Any

from . import _rules
from ._array import Array, unary
from ._dtypes import FLOATS, INTEGERS
from ._pairs import divide, multiply


def abs(x: Any, /) -> Array:
    """Return the magnitude of each element; of a complex number it is real.

    >>> import indim
    >>> print(indim.abs(indim.asarray([-2.0, 0.5])))
    [2.  0.5]
    """
    return unary(_rules.ABS, x)


def acos(x: Any, /) -> Array:
    """Return the inverse cosine, in radians.

    >>> import indim
    >>> print(indim.acos(indim.asarray([0.0, 0.5])).round(3))
    [1.571 1.047]
    """
    return unary(_rules.ACOS, x)


def acosh(x: Any, /) -> Array:
    """Return the inverse hyperbolic cosine.

    >>> import indim
    >>> print(indim.acosh(indim.asarray([1.0, 2.0])).round(3))
    [0.    1.317]
    """
    return unary(_rules.ACOSH, x)


def asin(x: Any, /) -> Array:
    """Return the inverse sine, in radians.

    >>> import indim
    >>> print(indim.asin(indim.asarray([0.0, 0.5])).round(3))
    [0.    0.524]
    """
    return unary(_rules.ASIN, x)


def asinh(x: Any, /) -> Array:
    """Return the inverse hyperbolic sine.

    >>> import indim
    >>> print(indim.asinh(indim.asarray([0.0, 1.0])).round(3))
    [0.    0.881]
    """
    return unary(_rules.ASINH, x)


def atan(x: Any, /) -> Array:
    """Return the inverse tangent, in radians.

    >>> import indim
    >>> print(indim.atan(indim.asarray([0.0, 1.0])).round(3))
    [0.    0.785]
    """
    return unary(_rules.ATAN, x)


def atanh(x: Any, /) -> Array:
    """Return the inverse hyperbolic tangent.

    >>> import indim
    >>> print(indim.atanh(indim.asarray([0.0, 0.5])).round(3))
    [0.    0.549]
    """
    return unary(_rules.ATANH, x)


def bitwise_invert(x: Any, /) -> Array:
    """Return the complement of each bit; of booleans, the opposite.

    >>> import indim
    >>> print(indim.bitwise_invert(indim.asarray([0, 5])))
    [-1 -6]
    """
    return unary(_rules.BITWISE_INVERT, x)


def cbrt(x: Any, /) -> Array:
    """Return the cube root; beyond the standard.

    >>> import indim
    >>> print(indim.cbrt(indim.asarray([4.0, 27.0])).round(3))
    [1.587 3.   ]
    """
    return unary(_rules.CBRT, x)


def ceil(x: Any, /) -> Array:
    """Return each element rounded up to an integer.

    >>> import indim
    >>> print(indim.ceil(indim.asarray([-1.5, 0.4, 2.6])))
    [-1.  1.  3.]
    """
    return unary(_rules.CEIL, x)


def conj(x: Any, /) -> Array:
    """Return the complex conjugate; real numbers stay.

    >>> import indim
    >>> print(indim.conj(indim.asarray([1 + 2j, 3])))
    [1.-2.j 3.-0.j]
    """
    return unary(_rules.CONJ, x)


def cos(x: Any, /) -> Array:
    """Return the cosine of angles in radians.

    >>> import indim
    >>> print(indim.cos(indim.asarray([0.0, 1.0])).round(3))
    [1.   0.54]
    """
    return unary(_rules.COS, x)


def cosh(x: Any, /) -> Array:
    """Return the hyperbolic cosine.

    >>> import indim
    >>> print(indim.cosh(indim.asarray([0.0, 1.0])).round(3))
    [1.    1.543]
    """
    return unary(_rules.COSH, x)


def digamma(x: Any, /) -> Array:
    """Return the derivative of the gamma function's logarithm; beyond the standard.

    >>> import indim
    >>> print(indim.digamma(indim.asarray([1.0, 10.0])).round(3))
    [-0.577  2.252]
    """
    return unary(_rules.DIGAMMA, x)


def erf(x: Any, /) -> Array:
    """Return the error function; beyond the standard.

    >>> import indim
    >>> print(indim.erf(indim.asarray([0.0, 1.0])).round(3))
    [0.    0.843]
    """
    return unary(_rules.ERF, x)


def erfc(x: Any, /) -> Array:
    """Return `1 - erf(x)`, accurate for large x; beyond the standard.

    >>> import indim
    >>> print(indim.erfc(indim.asarray([0.0, 1.0])).round(3))
    [1.    0.157]
    """
    return unary(_rules.ERFC, x)


def exp(x: Any, /) -> Array:
    """Return e to the power of each element.

    >>> import indim
    >>> print(indim.exp(indim.asarray([0.0, 1.0])).round(3))
    [1.    2.718]
    """
    return unary(_rules.EXP, x)


def expm1(x: Any, /) -> Array:
    """Return `exp(x) - 1`, accurate near 0.

    >>> import indim
    >>> print(indim.expm1(indim.asarray([0.0, 1.0])).round(3))
    [0.    1.718]
    """
    return unary(_rules.EXPM1, x)


def floor(x: Any, /) -> Array:
    """Return each element rounded down to an integer.

    >>> import indim
    >>> print(indim.floor(indim.asarray([-1.5, 0.4, 2.6])))
    [-2.  0.  2.]
    """
    return unary(_rules.FLOOR, x)


def imag(x: Any, /) -> Array:
    """Return the imaginary part; 0 for real numbers.

    >>> import indim
    >>> print(indim.imag(indim.asarray([1 + 2j, 3])))
    [2. 0.]
    """
    return unary(_rules.IMAG, x)


def isfinite(x: Any, /) -> Array:
    """Return whether each element is neither infinite nor NaN.

    >>> import indim
    >>> print(indim.isfinite(indim.asarray([1.0, float("inf"), float("nan")])))
    [ True False False]
    """
    return unary(_rules.ISFINITE, x)


def isinf(x: Any, /) -> Array:
    """Return whether each element is infinite.

    >>> import indim
    >>> print(indim.isinf(indim.asarray([1.0, float("inf"), float("nan")])))
    [False  True False]
    """
    return unary(_rules.ISINF, x)


def isnan(x: Any, /) -> Array:
    """Return whether each element is NaN.

    >>> import indim
    >>> print(indim.isnan(indim.asarray([1.0, float("inf"), float("nan")])))
    [False False  True]
    """
    return unary(_rules.ISNAN, x)


def lgamma(x: Any, /) -> Array:
    """Return the logarithm of the gamma function's magnitude; beyond the standard.

    >>> import indim
    >>> print(indim.lgamma(indim.asarray([1.0, 10.0])).round(3))
    [ 0.    12.802]
    """
    return unary(_rules.LGAMMA, x)


def log(x: Any, /) -> Array:
    """Return the natural logarithm.

    >>> import indim
    >>> print(indim.log(indim.asarray([1.0, 10.0])).round(3))
    [0.    2.303]
    """
    return unary(_rules.LOG, x)


def log10(x: Any, /) -> Array:
    """Return the logarithm to base 10.

    >>> import indim
    >>> print(indim.log10(indim.asarray([1.0, 10.0])).round(3))
    [0. 1.]
    """
    return unary(_rules.LOG10, x)


def log1p(x: Any, /) -> Array:
    """Return `log(1 + x)`, accurate near 0.

    >>> import indim
    >>> print(indim.log1p(indim.asarray([1.0, 10.0])).round(3))
    [0.693 2.398]
    """
    return unary(_rules.LOG1P, x)


def log2(x: Any, /) -> Array:
    """Return the logarithm to base 2.

    >>> import indim
    >>> print(indim.log2(indim.asarray([1.0, 10.0])).round(3))
    [0.    3.322]
    """
    return unary(_rules.LOG2, x)


def logical_not(x: Any, /) -> Array:
    """Return whether each element is 0 or False.

    >>> import indim
    >>> print(indim.logical_not(indim.asarray([0, 5])))
    [ True False]
    """
    return unary(_rules.LOGICAL_NOT, x)


def logistic(x: Any, /) -> Array:
    """Return `1 / (1 + exp(-x))`; beyond the standard.

    >>> import indim
    >>> print(indim.logistic(indim.asarray([0.0, 1.0])).round(3))
    [0.5   0.731]
    """
    return unary(_rules.LOGISTIC, x)


def negative(x: Any, /) -> Array:
    """Return `-x`; integers wrap.

    >>> import indim
    >>> print(indim.negative(indim.asarray([-2.0, 0.5])))
    [ 2.  -0.5]
    """
    return unary(_rules.NEGATIVE, x)


def positive(x: Any, /) -> Array:
    """Return the elements as they are.

    >>> import indim
    >>> print(indim.positive(indim.asarray([-2.0, 0.5])))
    [-2.   0.5]
    """
    return unary(_rules.POSITIVE, x)


def real(x: Any, /) -> Array:
    """Return the real part; real numbers stay.

    >>> import indim
    >>> print(indim.real(indim.asarray([1 + 2j, 3])))
    [1. 3.]
    """
    return unary(_rules.REAL, x)


def reciprocal(x: Any, /) -> Array:
    """Return `1 / x`.

    >>> import indim
    >>> print(indim.reciprocal(indim.asarray([4.0, 0.5])))
    [0.25 2.  ]
    """
    return unary(_rules.RECIPROCAL, x)


def round(x: Any, /, decimals: int = 0) -> Array:
    """Return each element rounded to an integer, or to `decimals`; halves to the even one.

    >>> import indim
    >>> print(indim.round(indim.asarray([-1.5, 0.4, 2.6])))
    [-2.  0.  3.]
    """
    if decimals == 0:
        return unary(_rules.ROUND, x)
    # NumPy's steps, so that the bits are NumPy's.
    scale = 10.0 ** (decimals if decimals > 0 else -decimals)
    rounded = unary(_rules.ROUND, x)
    name = rounded._x.dtype
    if name in INTEGERS and decimals > 0:
        return rounded
    if name not in FLOATS:
        raise TypeError(f"indim rounds no {rounded.dtype.name} to decimals={decimals}")
    if decimals > 0:
        return divide(round(multiply(x, scale)), scale)
    return multiply(round(divide(x, scale)), scale)


def rsqrt(x: Any, /) -> Array:
    """Return `1 / sqrt(x)`; beyond the standard.

    >>> import indim
    >>> print(indim.rsqrt(indim.asarray([4.0, 0.5])))
    [0.5       1.4142135]
    """
    return unary(_rules.RSQRT, x)


def sign(x: Any, /) -> Array:
    """Return -1, 0 or 1; a complex number is divided by its magnitude.

    >>> import indim
    >>> print(indim.sign(indim.asarray([-2.0, 0.5])))
    [-1.  1.]
    """
    return unary(_rules.SIGN, x)


def signbit(x: Any, /) -> Array:
    """Return whether the sign bit of each element is set, as of -0.0.

    >>> import indim
    >>> print(indim.signbit(indim.asarray([-2.0, 0.5])))
    [ True False]
    """
    return unary(_rules.SIGNBIT, x)


def sin(x: Any, /) -> Array:
    """Return the sine of angles in radians.

    >>> import indim
    >>> print(indim.sin(indim.asarray([0.0, 1.0])).round(3))
    [0.    0.841]
    """
    return unary(_rules.SIN, x)


def sinh(x: Any, /) -> Array:
    """Return the hyperbolic sine.

    >>> import indim
    >>> print(indim.sinh(indim.asarray([0.0, 1.0])).round(3))
    [0.    1.175]
    """
    return unary(_rules.SINH, x)


def sqrt(x: Any, /) -> Array:
    """Return the square root.

    >>> import indim
    >>> print(indim.sqrt(indim.asarray([4.0, 27.0])).round(3))
    [2.    5.196]
    """
    return unary(_rules.SQRT, x)


def square(x: Any, /) -> Array:
    """Return `x * x`.

    >>> import indim
    >>> print(indim.square(indim.asarray([-2.0, 0.5])))
    [4.   0.25]
    """
    return unary(_rules.SQUARE, x)


def tan(x: Any, /) -> Array:
    """Return the tangent of angles in radians.

    >>> import indim
    >>> print(indim.tan(indim.asarray([0.0, 1.0])).round(3))
    [0.    1.557]
    """
    return unary(_rules.TAN, x)


def tanh(x: Any, /) -> Array:
    """Return the hyperbolic tangent.

    >>> import indim
    >>> print(indim.tanh(indim.asarray([0.0, 1.0])).round(3))
    [0.    0.762]
    """
    return unary(_rules.TANH, x)


def trunc(x: Any, /) -> Array:
    """Return each element rounded towards 0 to an integer.

    >>> import indim
    >>> print(indim.trunc(indim.asarray([-1.5, 0.4, 2.6])))
    [-1.  0.  2.]
    """
    return unary(_rules.TRUNC, x)
