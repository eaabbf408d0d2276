"""Elementwise operations in NumPy and Python integers: what XLA's results are checked against. Shares nothing with
the generator."""

import math

import numpy as np
from scipy import special

from arrays import DTYPE_OF_NAME, F32, I32, PRED, U32, bits_of, row_major

COMPARES = {
    "Eq": np.equal,
    "Ne": np.not_equal,
    "Lt": np.less,
    "Le": np.less_equal,
    "Gt": np.greater,
    "Ge": np.greater_equal,
}
ON_PRED = {
    "Add": np.logical_or,
    "Mul": np.logical_and,
    "Max": np.logical_or,
    "Min": np.logical_and,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
}


def _maximum(a, b):
    # NumPy's maximum takes whichever zero comes first.
    picked = np.where(a == b, np.where(np.signbit(a), b, a), np.maximum(a, b))
    return np.where(np.isnan(a) | np.isnan(b), F32("nan"), picked)


def _minimum(a, b):
    return -_maximum(-a, -b)


ON_F32 = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Rem": np.fmod,
    "NextAfter": np.nextafter,
    "Max": _maximum,
    "Min": _minimum,
}


def _total_order(values):
    """Integers in the total order of floats."""
    bits = row_major(values).view(I32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)


def binary(op, a, b):
    """The operation on operands of equal rank. Overflow wraps."""
    if op.endswith("TotalOrder"):
        return COMPARES[op.removesuffix("TotalOrder")](_total_order(a), _total_order(b))
    if op in COMPARES:
        return COMPARES[op](a, b)
    if a.dtype == PRED:
        return ON_PRED[op](a, b)
    if a.dtype == F32:
        return ON_F32[op](a, b).astype(F32, copy=False)
    dtype = a.dtype
    a, b = np.broadcast_arrays(a, b)
    bits = [_integers(op, int(x), int(y)) & 0xFFFFFFFF for x, y in zip(a.ravel(), b.ravel())]
    return np.array(bits, U32).view(dtype).reshape(a.shape)


def _integers(op, x, y):
    """One element, not yet wrapped to 32 bits."""
    unsigned_x, amount = x & 0xFFFFFFFF, y & 0xFFFFFFFF
    match op:
        case "Add":
            return x + y
        case "Sub":
            return x - y
        case "Mul":
            return x * y
        case "Max":
            return max(x, y)
        case "Min":
            return min(x, y)
        case "And":
            return x & y
        case "Or":
            return x | y
        case "Xor":
            return x ^ y
        case "Div" | "Rem":
            if y == 0:
                return -1 if op == "Div" else x
            quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            return quotient if op == "Div" else x - quotient * y
        case "Pow":
            if y < 0:
                return 1 if x == 1 else 0
            return pow(unsigned_x, y, 2**32)
        case "ShiftLeft":
            return x << amount if amount < 32 else 0
        case "ShiftRightLogical":
            return unsigned_x >> amount if amount < 32 else 0
        case "ShiftRightArithmetic":
            signed_x = unsigned_x - 2**32 if unsigned_x >> 31 else unsigned_x
            return signed_x >> min(amount, 31)
    raise KeyError(op)


def _each(function):
    """A function of an integer's bits, for arrays."""

    def apply(array):
        values = [function(int(value) & 0xFFFFFFFF) for value in array.ravel()]
        return np.array(values, np.int64).astype(array.dtype).reshape(array.shape)

    return apply


def _round_half_away(x):
    rounded = np.floor(np.abs(x).astype(np.float64) + 0.5)
    return np.copysign(np.where(np.abs(x) < 2**23, rounded, np.abs(x)), x).astype(F32)


EXACT_UNARY = {
    "Abs": np.abs,
    "Neg": lambda x: -x,
    "Ceil": np.ceil,
    "Floor": np.floor,
    "IsFinite": np.isfinite,
    "Round": _round_half_away,
    "RoundNearestEven": np.rint,
    "Sqrt": np.sqrt,
    "Reciprocal": lambda x: F32(1) / x,
    "Real": lambda x: x,
    "Imag": np.zeros_like,
    "Square": lambda x: x if x.dtype == PRED else x * x,
    "Not": np.invert,
    "Clz": _each(lambda bits: 32 - bits.bit_length()),
    "PopulationCount": _each(int.bit_count),
    "Sign": lambda x: np.where(x == 0, x, np.sign(x)),
}

# In float64, which is exact enough to judge f32 by.
APPROXIMATE_UNARY = {
    "Cbrt": np.cbrt,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Erf": special.erf,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Log": np.log,
    "Log1p": np.log1p,
    "Logistic": lambda x: 1 / (1 + np.exp(-x)),
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "Acos": np.arccos,
    "Asin": np.arcsin,
    "Atan": np.arctan,
    "Acosh": np.arccosh,
    "Asinh": np.arcsinh,
    "Atanh": np.arctanh,
    "Erfc": special.erfc,
    "ErfInv": special.erfinv,
    "Lgamma": special.gammaln,
    "Digamma": special.digamma,
    "BesselI0e": special.i0e,
    "BesselI1e": special.i1e,
}
APPROXIMATE_BINARY = {"Pow": np.power, "Atan2": np.arctan2}


def convert(x, to):
    """ConvertElementType: floats to integers truncate and saturate, and NaN gives 0."""
    if to == "pred":
        return x != 0
    if x.dtype != F32 or to == "f32":
        return x.astype(DTYPE_OF_NAME[to])
    low, high = (-(2**31), 2**31 - 1) if to == "i32" else (0, 2**32 - 1)
    values = [0 if math.isnan(v) else int(min(max(v, low), high)) for v in x.astype(np.float64).ravel()]
    return np.array(values, np.int64).astype(DTYPE_OF_NAME[to]).reshape(x.shape)


def reduce_precision(x, exponent_bits, mantissa_bits):
    """Rounded to nearest, halves to even, into a format of these bits, which has no subnormal numbers unless its
    exponents are those of f32. A format without mantissa has no NaN: +inf stands for it."""
    bits = bits_of(x).astype(np.int64)
    sign, magnitude = bits & 0x80000000, bits & 0x7FFFFFFF
    dropped = 23 - min(mantissa_bits, 23)
    if dropped:
        half, odd = 1 << (dropped - 1), magnitude >> dropped & 1
        magnitude = (magnitude + half - 1 + odd) >> dropped << dropped
    if exponent_bits < 8:
        largest = (1 << (exponent_bits - 1)) - 1
        exponent = (magnitude >> 23) - 127
        magnitude = np.where(exponent > largest, 0x7F800000, magnitude)
        magnitude = np.where(exponent <= -largest, 0, magnitude)
    rounded = (sign | magnitude).astype(U32).view(F32)
    return np.where(np.isnan(x), x if mantissa_bits else F32("inf"), rounded)


def bitcast(x, to):
    return bits_of(x).view(DTYPE_OF_NAME[to])


def select(pred, on_true, on_false):
    return np.where(pred, on_true, on_false)


def clamp(low, x, high):
    return binary("Min", binary("Max", low, x), high)
