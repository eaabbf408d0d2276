"""The elementwise functions of two operands, which are lazy and run on the GPU.

Types promote as `_promotion` says, shapes broadcast as NumPy's; `broadcast_dimensions` asks for
XLA's rule in its place: dimension i of the operand of lower rank is dimension
`broadcast_dimensions[i]` of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _rules
from ._array import Array, binary


def add(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 + x2`; integers wrap.

    >>> import indim
    >>> indim.add(indim.zeros((3, 2)), indim.arange(3.0), broadcast_dimensions=[0])
    array([[0., 0.],
           [1., 1.],
           [2., 2.]], dtype=float32)
    """
    return binary(_rules.ADD, x1, x2, broadcast_dimensions)


def atan2(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the angle of the point (x2, x1), in radians.

    >>> import indim
    >>> print(indim.atan2(indim.asarray([3.0, 0.0]), 4).round(3))
    [0.644 0.   ]
    """
    return binary(_rules.ATAN2, x1, x2, broadcast_dimensions)


def bitwise_and(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 & x2`.

    >>> import indim
    >>> print(indim.bitwise_and(indim.asarray([1, 6]), 2))
    [0 2]
    """
    return binary(_rules.BITWISE_AND, x1, x2, broadcast_dimensions)


def bitwise_left_shift(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return `x1 << x2`; shifts by the type's width or more give 0.

    >>> import indim
    >>> print(indim.bitwise_left_shift(indim.asarray([1, 6]), 2))
    [ 4 24]
    """
    return binary(_rules.BITWISE_LEFT_SHIFT, x1, x2, broadcast_dimensions)


def bitwise_or(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 | x2`.

    >>> import indim
    >>> print(indim.bitwise_or(indim.asarray([1, 6]), 2))
    [3 6]
    """
    return binary(_rules.BITWISE_OR, x1, x2, broadcast_dimensions)


def bitwise_right_shift(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return `x1 >> x2`, which keeps the sign.

    >>> import indim
    >>> print(indim.bitwise_right_shift(indim.asarray([1, 6]), 2))
    [0 1]
    """
    return binary(_rules.BITWISE_RIGHT_SHIFT, x1, x2, broadcast_dimensions)


def bitwise_xor(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 ^ x2`.

    >>> import indim
    >>> print(indim.bitwise_xor(indim.asarray([1, 6]), 2))
    [3 4]
    """
    return binary(_rules.BITWISE_XOR, x1, x2, broadcast_dimensions)


def copysign(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the magnitude of x1 with the sign of x2.

    >>> import indim
    >>> print(indim.copysign(indim.asarray([1.0, -2.0]), -0.0))
    [-1. -2.]
    """
    return binary(_rules.COPYSIGN, x1, x2, broadcast_dimensions)


def divide(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 / x2`; integers are divided as floats, by NumPy's promotion.

    >>> import indim
    >>> print(indim.divide(indim.asarray([1.0, 2.0, 4.0]), 2))
    [0.5 1.  2. ]
    """
    return binary(_rules.DIVIDE, x1, x2, broadcast_dimensions)


def equal(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 and x2 are equal.

    >>> import indim
    >>> print(indim.equal(indim.asarray([1.0, 2.0, 4.0]), 2))
    [False  True False]
    """
    return binary(_rules.EQUAL, x1, x2, broadcast_dimensions)


def floor_divide(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return `x1 // x2`, the quotient rounded down.

    >>> import indim
    >>> print(indim.floor_divide(indim.asarray([7, -7]), 2))
    [ 3 -4]
    """
    return binary(_rules.FLOOR_DIVIDE, x1, x2, broadcast_dimensions)


def greater(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 is greater than x2.

    >>> import indim
    >>> print(indim.greater(indim.asarray([1.0, 2.0, 4.0]), 2))
    [False False  True]
    """
    return binary(_rules.GREATER, x1, x2, broadcast_dimensions)


def greater_equal(
    x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return whether x1 is greater than x2 or equal to it.

    >>> import indim
    >>> print(indim.greater_equal(indim.asarray([1.0, 2.0, 4.0]), 2))
    [False  True  True]
    """
    return binary(_rules.GREATER_EQUAL, x1, x2, broadcast_dimensions)


def hypot(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `sqrt(x1 * x1 + x2 * x2)`, which does not overflow on the way.

    >>> import indim
    >>> print(indim.hypot(indim.asarray([3.0, 0.0]), 4).round(3))
    [5. 4.]
    """
    return binary(_rules.HYPOT, x1, x2, broadcast_dimensions)


def less(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 is less than x2.

    >>> import indim
    >>> print(indim.less(indim.asarray([1.0, 2.0, 4.0]), 2))
    [ True False False]
    """
    return binary(_rules.LESS, x1, x2, broadcast_dimensions)


def less_equal(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 is less than x2 or equal to it.

    >>> import indim
    >>> print(indim.less_equal(indim.asarray([1.0, 2.0, 4.0]), 2))
    [ True  True False]
    """
    return binary(_rules.LESS_EQUAL, x1, x2, broadcast_dimensions)


def logaddexp(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `log(exp(x1) + exp(x2))`, which does not overflow on the way.

    >>> import indim
    >>> print(indim.logaddexp(indim.asarray([3.0, 0.0]), 4).round(3))
    [4.313 4.018]
    """
    return binary(_rules.LOGADDEXP, x1, x2, broadcast_dimensions)


def logical_and(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether both x1 and x2 are true.

    >>> import indim
    >>> print(indim.logical_and(indim.asarray([True, False]), True))
    [ True False]
    """
    return binary(_rules.LOGICAL_AND, x1, x2, broadcast_dimensions)


def logical_or(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1, x2 or both are true.

    >>> import indim
    >>> print(indim.logical_or(indim.asarray([True, False]), True))
    [ True  True]
    """
    return binary(_rules.LOGICAL_OR, x1, x2, broadcast_dimensions)


def logical_xor(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether one of x1 and x2 is true and the other is not.

    >>> import indim
    >>> print(indim.logical_xor(indim.asarray([True, False]), True))
    [False  True]
    """
    return binary(_rules.LOGICAL_XOR, x1, x2, broadcast_dimensions)


def maximum(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the larger one; NaN where one of them is.

    >>> import indim
    >>> print(indim.maximum(indim.asarray([1.0, 2.0, 4.0]), 2))
    [2. 2. 4.]
    """
    return binary(_rules.MAXIMUM, x1, x2, broadcast_dimensions)


def minimum(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the smaller one; NaN where one of them is.

    >>> import indim
    >>> print(indim.minimum(indim.asarray([1.0, 2.0, 4.0]), 2))
    [1. 2. 2.]
    """
    return binary(_rules.MINIMUM, x1, x2, broadcast_dimensions)


def multiply(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 * x2`; integers wrap.

    >>> import indim
    >>> print(indim.multiply(indim.asarray([1.0, 2.0, 4.0]), 2))
    [2. 4. 8.]
    """
    return binary(_rules.MULTIPLY, x1, x2, broadcast_dimensions)


def nextafter(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return the float next to x1 in the direction of x2.

    >>> import indim
    >>> print(indim.nextafter(indim.asarray([1.0]), 2.0))
    [1.0000001]
    """
    return binary(_rules.NEXTAFTER, x1, x2, broadcast_dimensions)


def not_equal(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return whether x1 and x2 differ.

    >>> import indim
    >>> print(indim.not_equal(indim.asarray([1.0, 2.0, 4.0]), 2))
    [ True False  True]
    """
    return binary(_rules.NOT_EQUAL, x1, x2, broadcast_dimensions)


def pow(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return x1 to the power x2; integers wrap.

    >>> import indim
    >>> print(indim.pow(indim.asarray([1.0, 2.0, 3.0]), 2))
    [1. 4. 9.]
    """
    return binary(_rules.POW, x1, x2, broadcast_dimensions)


def remainder(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 % x2`, which has the sign of x2.

    >>> import indim
    >>> print(indim.remainder(indim.asarray([7, -7]), 2))
    [1 1]
    """
    return binary(_rules.REMAINDER, x1, x2, broadcast_dimensions)


def subtract(x1: Any, x2: Any, /, *, broadcast_dimensions: Sequence[int] | None = None) -> Array:
    """Return `x1 - x2`; integers wrap.

    >>> import indim
    >>> print(indim.subtract(indim.asarray([1.0, 2.0, 4.0]), 2))
    [-1.  0.  2.]
    """
    return binary(_rules.SUBTRACT, x1, x2, broadcast_dimensions)
