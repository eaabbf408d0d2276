"""Correctly rounded results of floats, where XLA's may be rounded twice or flushed: they go into `alt`."""

from fractions import Fraction

import numpy as np

from arrays import DTYPE_OF_NAME, FORMATS, from_bits, is_float
from typed_arrays import name_of

ARITHMETIC = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Rem": np.fmod,
    "Sqrt": np.sqrt,
    "Square": lambda x: x * x,
    "Reciprocal": lambda x: np.ones_like(x) / x,
}


def rounded(value, name, negative_zero=False):
    """The bits of the float of type `name` nearest to a fraction, ties to even."""
    format = FORMATS[name]
    sign = 1 << format.mantissa + format.exponent
    if value == 0:
        return sign if negative_zero else 0
    bias = (1 << format.exponent - 1) - 1
    sign = sign if value < 0 else 0
    value = abs(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    # In units of the last place; Python rounds a half to even.
    steps = round(value / Fraction(2) ** (exponent - format.mantissa))
    if steps >> format.mantissa + 1:
        steps >>= 1
        exponent += 1
    if exponent > bias:
        return sign | _infinity(format)
    if steps < 1 << format.mantissa:
        return sign | steps
    return sign | exponent + bias << format.mantissa | steps - (1 << format.mantissa)


def _infinity(format):
    return (1 << format.exponent) - 1 << format.mantissa


def convert(array, to):
    """ConvertElementType to a float type; None for what leaves nothing to round."""
    if to not in FORMATS or array.dtype == np.complex64:
        return None
    of_float = is_float(array)
    words = [_convert_float(float(v), to) if of_float else rounded(Fraction(int(v)), to) for v in array.ravel()]
    return from_bits(words, to).reshape(array.shape)


def _convert_float(value, to):
    format = FORMATS[to]
    if np.isfinite(value):
        return rounded(Fraction(value), to, np.signbit(value))
    if value != value:
        return _infinity(format) | 1 << format.mantissa - 1
    return _infinity(format) | (value < 0) << format.mantissa + format.exponent


def arithmetic(op, operands):
    """An operation of IEEE 754 on floats, rounded once; None for other operations and types."""
    name = name_of(operands[0])
    if name not in FORMATS or op not in ARITHMETIC:
        return None
    # A rounding to float32 before that to a half changes nothing: 24 >= 2 * 11 + 2.
    wide = np.float64 if name == "f64" else np.float32
    with np.errstate(all="ignore"):
        result = ARITHMETIC[op](*[operand.astype(wide) for operand in operands])
        return np.asarray(result).astype(DTYPE_OF_NAME[name])
