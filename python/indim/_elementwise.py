"""The elementwise functions: those of the standard, and those of XLA that it lacks.

All are lazy and run on the GPU. Types promote as NumPy 2's do, shapes broadcast as NumPy's;
`broadcast_dimensions` asks for XLA's rule in its place: dimension i of the operand of lower rank
is dimension `broadcast_dimensions[i]` of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _rules
from ._array import Array, binary, unary
from ._dtypes import FLOATS, INTEGERS


def abs(x: Any, /) -> Array:
    """Return the magnitude of each element; of a complex number it is real."""
    return unary(_rules.ABS, x)


def acos(x: Any, /) -> Array:
    """Return the inverse cosine, in radians."""
    return unary(_rules.ACOS, x)


def acosh(x: Any, /) -> Array:
    """Return the inverse hyperbolic cosine."""
    return unary(_rules.ACOSH, x)


def add(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 + x2`; integers wrap.

    >>> import indim
    >>> indim.add(indim.zeros((3, 2)), indim.arange(3.0), broadcast_dimensions=[0])
    array([[0., 0.],
           [1., 1.],
           [2., 2.]], dtype=float32)
    """
    return binary(_rules.ADD, x1, x2, broadcast_dimensions)


def asin(x: Any, /) -> Array:
    """Return the inverse sine, in radians."""
    return unary(_rules.ASIN, x)


def asinh(x: Any, /) -> Array:
    """Return the inverse hyperbolic sine."""
    return unary(_rules.ASINH, x)


def atan(x: Any, /) -> Array:
    """Return the inverse tangent, in radians."""
    return unary(_rules.ATAN, x)


def atan2(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the angle of the point (x2, x1), in radians."""
    return binary(_rules.ATAN2, x1, x2, broadcast_dimensions)


def atanh(x: Any, /) -> Array:
    """Return the inverse hyperbolic tangent."""
    return unary(_rules.ATANH, x)


def bitwise_and(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 & x2`."""
    return binary(_rules.BITWISE_AND, x1, x2, broadcast_dimensions)


def bitwise_invert(x: Any, /) -> Array:
    """Return the complement of each bit; of booleans, the opposite."""
    return unary(_rules.BITWISE_INVERT, x)


def bitwise_left_shift(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return `x1 << x2`; shifts by the type's width or more give 0."""
    return binary(_rules.BITWISE_LEFT_SHIFT, x1, x2, broadcast_dimensions)


def bitwise_or(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 | x2`."""
    return binary(_rules.BITWISE_OR, x1, x2, broadcast_dimensions)


def bitwise_right_shift(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return `x1 >> x2`, which keeps the sign."""
    return binary(_rules.BITWISE_RIGHT_SHIFT, x1, x2, broadcast_dimensions)


def bitwise_xor(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 ^ x2`."""
    return binary(_rules.BITWISE_XOR, x1, x2, broadcast_dimensions)


def cbrt(x: Any, /) -> Array:
    """Return the cube root; beyond the standard."""
    return unary(_rules.CBRT, x)


def ceil(x: Any, /) -> Array:
    """Return each element rounded up to an integer."""
    return unary(_rules.CEIL, x)


def conj(x: Any, /) -> Array:
    """Return the complex conjugate; real numbers stay."""
    return unary(_rules.CONJ, x)


def copysign(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the magnitude of x1 with the sign of x2."""
    return binary(_rules.COPYSIGN, x1, x2, broadcast_dimensions)


def cos(x: Any, /) -> Array:
    """Return the cosine of angles in radians."""
    return unary(_rules.COS, x)


def cosh(x: Any, /) -> Array:
    """Return the hyperbolic cosine."""
    return unary(_rules.COSH, x)


def digamma(x: Any, /) -> Array:
    """Return the derivative of the gamma function's logarithm; beyond the standard."""
    return unary(_rules.DIGAMMA, x)


def divide(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 / x2`; integers are divided as floats, by NumPy's promotion."""
    return binary(_rules.DIVIDE, x1, x2, broadcast_dimensions)


def equal(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 and x2 are equal."""
    return binary(_rules.EQUAL, x1, x2, broadcast_dimensions)


def erf(x: Any, /) -> Array:
    """Return the error function; beyond the standard."""
    return unary(_rules.ERF, x)


def erfc(x: Any, /) -> Array:
    """Return `1 - erf(x)`, accurate for large x; beyond the standard."""
    return unary(_rules.ERFC, x)


def exp(x: Any, /) -> Array:
    """Return e to the power of each element."""
    return unary(_rules.EXP, x)


def expm1(x: Any, /) -> Array:
    """Return `exp(x) - 1`, accurate near 0."""
    return unary(_rules.EXPM1, x)


def floor(x: Any, /) -> Array:
    """Return each element rounded down to an integer."""
    return unary(_rules.FLOOR, x)


def floor_divide(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return `x1 // x2`, the quotient rounded down."""
    return binary(_rules.FLOOR_DIVIDE, x1, x2, broadcast_dimensions)


def greater(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 is greater than x2."""
    return binary(_rules.GREATER, x1, x2, broadcast_dimensions)


def greater_equal(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return whether x1 is greater than x2 or equal to it."""
    return binary(_rules.GREATER_EQUAL, x1, x2, broadcast_dimensions)


def hypot(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `sqrt(x1 * x1 + x2 * x2)`, which does not overflow on the way."""
    return binary(_rules.HYPOT, x1, x2, broadcast_dimensions)


def imag(x: Any, /) -> Array:
    """Return the imaginary part; 0 for real numbers."""
    return unary(_rules.IMAG, x)


def isfinite(x: Any, /) -> Array:
    """Return whether each element is neither infinite nor NaN."""
    return unary(_rules.ISFINITE, x)


def isinf(x: Any, /) -> Array:
    """Return whether each element is infinite."""
    return unary(_rules.ISINF, x)


def isnan(x: Any, /) -> Array:
    """Return whether each element is NaN."""
    return unary(_rules.ISNAN, x)


def less(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 is less than x2."""
    return binary(_rules.LESS, x1, x2, broadcast_dimensions)


def less_equal(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 is less than x2 or equal to it."""
    return binary(_rules.LESS_EQUAL, x1, x2, broadcast_dimensions)


def lgamma(x: Any, /) -> Array:
    """Return the logarithm of the gamma function's magnitude; beyond the standard."""
    return unary(_rules.LGAMMA, x)


def log(x: Any, /) -> Array:
    """Return the natural logarithm."""
    return unary(_rules.LOG, x)


def log10(x: Any, /) -> Array:
    """Return the logarithm to base 10."""
    return unary(_rules.LOG10, x)


def log1p(x: Any, /) -> Array:
    """Return `log(1 + x)`, accurate near 0."""
    return unary(_rules.LOG1P, x)


def log2(x: Any, /) -> Array:
    """Return the logarithm to base 2."""
    return unary(_rules.LOG2, x)


def logaddexp(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `log(exp(x1) + exp(x2))`, which does not overflow on the way."""
    return binary(_rules.LOGADDEXP, x1, x2, broadcast_dimensions)


def logical_and(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether both x1 and x2 are true."""
    return binary(_rules.LOGICAL_AND, x1, x2, broadcast_dimensions)


def logical_not(x: Any, /) -> Array:
    """Return whether each element is 0 or False."""
    return unary(_rules.LOGICAL_NOT, x)


def logical_or(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1, x2 or both are true."""
    return binary(_rules.LOGICAL_OR, x1, x2, broadcast_dimensions)


def logical_xor(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether one of x1 and x2 is true and the other is not."""
    return binary(_rules.LOGICAL_XOR, x1, x2, broadcast_dimensions)


def logistic(x: Any, /) -> Array:
    """Return `1 / (1 + exp(-x))`; beyond the standard."""
    return unary(_rules.LOGISTIC, x)


def maximum(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the larger one; NaN where one of them is."""
    return binary(_rules.MAXIMUM, x1, x2, broadcast_dimensions)


def minimum(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the smaller one; NaN where one of them is."""
    return binary(_rules.MINIMUM, x1, x2, broadcast_dimensions)


def multiply(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 * x2`; integers wrap."""
    return binary(_rules.MULTIPLY, x1, x2, broadcast_dimensions)


def negative(x: Any, /) -> Array:
    """Return `-x`; integers wrap."""
    return unary(_rules.NEGATIVE, x)


def nextafter(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the float next to x1 in the direction of x2."""
    return binary(_rules.NEXTAFTER, x1, x2, broadcast_dimensions)


def not_equal(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 and x2 differ."""
    return binary(_rules.NOT_EQUAL, x1, x2, broadcast_dimensions)


def positive(x: Any, /) -> Array:
    """Return the elements as they are."""
    return unary(_rules.POSITIVE, x)


def pow(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return x1 to the power x2; integers wrap."""
    return binary(_rules.POW, x1, x2, broadcast_dimensions)


def real(x: Any, /) -> Array:
    """Return the real part; real numbers stay."""
    return unary(_rules.REAL, x)


def reciprocal(x: Any, /) -> Array:
    """Return `1 / x`."""
    return unary(_rules.RECIPROCAL, x)


def remainder(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 % x2`, which has the sign of x2."""
    return binary(_rules.REMAINDER, x1, x2, broadcast_dimensions)


def round(x: Any, /, decimals: int = 0) -> Array:
    """Return each element rounded to an integer, or to `decimals`; halves to the even one."""
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
    """Return `1 / sqrt(x)`; beyond the standard."""
    return unary(_rules.RSQRT, x)


def sign(x: Any, /) -> Array:
    """Return -1, 0 or 1; a complex number is divided by its magnitude."""
    return unary(_rules.SIGN, x)


def signbit(x: Any, /) -> Array:
    """Return whether the sign bit of each element is set, as of -0.0."""
    return unary(_rules.SIGNBIT, x)


def sin(x: Any, /) -> Array:
    """Return the sine of angles in radians."""
    return unary(_rules.SIN, x)


def sinh(x: Any, /) -> Array:
    """Return the hyperbolic sine."""
    return unary(_rules.SINH, x)


def sqrt(x: Any, /) -> Array:
    """Return the square root."""
    return unary(_rules.SQRT, x)


def square(x: Any, /) -> Array:
    """Return `x * x`."""
    return unary(_rules.SQUARE, x)


def subtract(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 - x2`; integers wrap."""
    return binary(_rules.SUBTRACT, x1, x2, broadcast_dimensions)


def tan(x: Any, /) -> Array:
    """Return the tangent of angles in radians."""
    return unary(_rules.TAN, x)


def tanh(x: Any, /) -> Array:
    """Return the hyperbolic tangent."""
    return unary(_rules.TANH, x)


def trunc(x: Any, /) -> Array:
    """Return each element rounded towards 0 to an integer."""
    return unary(_rules.TRUNC, x)
