"""Exact results of all element types, one element at a time, in Python's integers and fractions.

It shares nothing with the generator's references: floats are rounded by a search among neighbours. An element is an
integer (pred 0 or 1); of a float the pair (value, bits); of c64 a pair of such pairs. A result is given as its integer
or its bits; NAN stands for any NaN."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

WIDTHS = {"pred": 1, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
WIDTHS.update({sign + str(width): width for sign in "su" for width in (4, 8, 16, 32, 64)})
FLOATS = {
    "f16": (np.dtype(np.float16), np.uint16, 2**16),
    "bf16": (np.dtype(ml_dtypes.bfloat16), np.uint16, 2**128),
    "f32": (np.dtype(np.float32), np.uint32, 2**128),
    "f64": (np.dtype(np.float64), np.uint64, 2**1024),
}
NAN = "nan"


def is_integer(name):
    return name[0] in "su"


def sign_bit(name):
    return 1 << WIDTHS[name] - 1


def value_of(name, bits):
    dtype, word, _ = FLOATS[name]
    return float(np.array(bits, word).view(dtype))


def bits_of(name, value):
    dtype, word, _ = FLOATS[name]
    return int(np.asarray(value, dtype).reshape(1).view(word)[0])


def exactly(name, value):
    """The bits of a float that the type has."""
    return NAN if value != value else bits_of(name, value)


def wrapped(name, value):
    value &= (1 << WIDTHS[name]) - 1
    return value - (1 << WIDTHS[name]) if name[0] == "s" and value >= sign_bit(name) else value


def nearest(name, value, negative=False):
    """The bits of the float nearest to a fraction, ties to even. The infinity counts as the power of two that would
    come next."""
    if value == 0:
        return sign_bit(name) if negative else 0
    sign = sign_bit(name) if value < 0 else 0
    value = abs(value)
    infinity = bits_of(name, math.inf)
    try:
        start = bits_of(name, np.float64(float(value)))
    except OverflowError:
        start = infinity

    def distance(bits):
        number = FLOATS[name][2] if bits == infinity else Fraction(value_of(name, bits))
        return abs(number - value), bits & 1

    near = [bits for bits in range(start - 2, start + 3) if 0 <= bits <= infinity]
    return sign | min(near, key=distance)


# ---- integers ----


def _integers(op, name, x, y):
    width = WIDTHS[name]
    bits = x & (1 << width) - 1
    in_width = 0 <= y < width
    match op:
        case "Add":
            return x + y
        case "Sub":
            return x - y
        case "Mul":
            return x * y
        case "Div" | "Rem":
            if y == 0:
                return -1 if op == "Div" else x
            quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            return quotient if op == "Div" else x - quotient * y
        case "Pow":
            return int(x == 1) if y < 0 else pow(bits, y, 1 << width)
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
        case "ShiftLeft":
            return x << y if in_width else 0
        case "ShiftRightLogical":
            return bits >> y if in_width else 0
        case "ShiftRightArithmetic":
            # The top bit fills, whatever the type.
            return bits - (bits >> width - 1 << width) >> (y if in_width else width - 1)
    raise KeyError(op)


ON_PRED = {"Add": "Or", "Mul": "And", "Max": "Or", "Min": "And", "And": "And", "Or": "Or", "Xor": "Xor"}
ON_ONE_INTEGER = {
    "Abs": lambda x, bits, width: abs(x),
    "Neg": lambda x, bits, width: -x,
    "Square": lambda x, bits, width: x * x,
    "Not": lambda x, bits, width: ~x,
    "Sign": lambda x, bits, width: (x > 0) - (x < 0),
    "Clz": lambda x, bits, width: width - bits.bit_length(),
    "PopulationCount": lambda x, bits, width: bits.bit_count(),
}

# ---- floats ----

COMPARES = {
    "Eq": lambda x, y: x == y,
    "Ne": lambda x, y: x != y,
    "Lt": lambda x, y: x < y,
    "Le": lambda x, y: x <= y,
    "Gt": lambda x, y: x > y,
    "Ge": lambda x, y: x >= y,
}
ARITHMETIC = {
    "Add": (np.add, lambda x, y: x + y),
    "Sub": (np.subtract, lambda x, y: x - y),
    "Mul": (np.multiply, lambda x, y: x * y),
    "Div": (np.divide, lambda x, y: x / y),
}


def is_negative(value):
    return math.copysign(1, value) < 0


def _arithmetic(op, name, x, y):
    in_float64, in_fractions = ARITHMETIC[op]
    with np.errstate(all="ignore"):
        about = float(in_float64(np.float64(x), np.float64(y)))
    if not (math.isfinite(x) and math.isfinite(y)) or (op == "Div" and y == 0):
        return exactly(name, about)
    return nearest(name, in_fractions(Fraction(x), Fraction(y)), is_negative(about))


def _extremum(op, name, x, y):
    if x != x or y != y:
        return NAN
    if x == y:
        negative = is_negative(x) and is_negative(y) if op == "Max" else is_negative(x) or is_negative(y)
        return exactly(name, math.copysign(x, -1 if negative else 1))
    return exactly(name, max(x, y) if op == "Max" else min(x, y))


def _floats(op, name, x, y):
    """`x` and `y` are pairs of value and bits."""
    (x, x_bits), (y, _) = x, y
    if op in ARITHMETIC:
        return _arithmetic(op, name, x, y)
    if op in ("Max", "Min"):
        return _extremum(op, name, x, y)
    if op == "Rem":
        undefined = x != x or y != y or math.isinf(x) or y == 0
        return NAN if undefined else exactly(name, math.fmod(x, y))
    if op == "NextAfter":
        if x != x or y != y:
            return NAN
        if x == y:
            return exactly(name, y)
        if x == 0:
            return 1 | (sign_bit(name) if y < 0 else 0)
        return x_bits + 1 if (y > x) == (x > 0) else x_bits - 1
    raise KeyError(op)


def _total_order(name, bits):
    sign = sign_bit(name)
    return -(bits & sign - 1) - 1 if bits & sign else bits


def _rounded(op, x):
    if op == "Floor":
        return math.floor(x)
    if op == "Ceil":
        return math.ceil(x)
    if op == "RoundNearestEven":
        return round(x)
    return math.floor(abs(x) + Fraction(1, 2)) * (-1 if x < 0 else 1)


def _one_float(op, name, x):
    x, bits = x
    sign = sign_bit(name)
    if op == "Abs":
        return bits & ~sign
    if op == "Neg":
        return bits ^ sign
    if op == "IsFinite":
        return int(math.isfinite(x))
    if x != x:
        return NAN
    if op == "Sign":
        return bits if x == 0 else exactly(name, math.copysign(1, x))
    if op == "Sqrt":
        if x <= 0 or math.isinf(x):
            return NAN if x < 0 else bits
        # Twice rounded is as once, where one format has more than twice the other's bits.
        return exactly(name, math.sqrt(x)) if name == "f64" else nearest(name, Fraction(math.sqrt(x)))
    if op == "Reciprocal":
        return _arithmetic("Div", name, 1.0, x)
    if op == "Square":
        return _arithmetic("Mul", name, x, x)
    return bits if math.isinf(x) else nearest(name, Fraction(_rounded(op, Fraction(x))), is_negative(x))


# ---- all types ----


def binary(op, name, x, y):
    if op.endswith("TotalOrder"):
        compare = COMPARES[op.removesuffix("TotalOrder")]
        return int(compare(_total_order(name, x[1]), _total_order(name, y[1])))
    if op == "Complex":
        return tuple(exactly(name, part[0]) if part[0] != part[0] else part[1] for part in (x, y))
    if name == "c64":
        if op in COMPARES:
            return int(COMPARES[op]((x[0][0], x[1][0]), (y[0][0], y[1][0])))
        return tuple(_floats(op, "f32", x[part], y[part]) for part in (0, 1))
    if name in FLOATS:
        return int(COMPARES[op](x[0], y[0])) if op in COMPARES else _floats(op, name, x, y)
    if op in COMPARES:
        return int(COMPARES[op](x, y))
    if name == "pred":
        return _integers(ON_PRED[op], name, x, y)
    return wrapped(name, _integers(op, name, x, y))


def unary(op, name, x):
    if op in ("Real", "Imag", "Conj"):
        real, imag = (x[0][1], x[1][1]) if name == "c64" else (x[1], 0)
        return {"Real": real, "Imag": imag, "Conj": (real, imag ^ sign_bit("f32"))}[op]
    if name == "c64":
        return tuple(_one_float(op, "f32", part) for part in x)
    if name in FLOATS:
        return _one_float(op, name, x)
    return wrapped(name, ON_ONE_INTEGER[op](x, x & (1 << WIDTHS[name]) - 1, WIDTHS[name]))


def result_type(op, name):
    """Of an exact operation with one or two operands of the type."""
    if op.removesuffix("TotalOrder") in COMPARES or op == "IsFinite":
        return "pred"
    if op in ("Complex", "Conj"):
        return "c64"
    return "f32" if (op, name) in (("Real", "c64"), ("Imag", "c64")) else name


def limits(name):
    width = WIDTHS[name]
    return (-(1 << width - 1), (1 << width - 1) - 1) if name[0] == "s" else (0, (1 << width) - 1)


def convert(source, to, x):
    if source == "c64":
        return (x[0][1], x[1][1]) if to == "c64" else convert("f32", to, x[0])
    if to == "c64":
        return convert(source, "f32", x), 0
    if source in FLOATS:
        value = x[0]
        if to == "pred":
            return int(value != 0)
        if value != value:
            return NAN if to in FLOATS else 0
        if to in FLOATS:
            infinite = math.isinf(value)
            return exactly(to, value) if infinite else nearest(to, Fraction(value), is_negative(value))
        low, high = limits(to)
        return high if value >= high else low if value <= low else math.trunc(value)
    if to == "pred":
        return int(x != 0)
    return nearest(to, Fraction(x)) if to in FLOATS else wrapped(to, x)


def bitcast(source, to, bits):
    """The bits of all elements, as those of elements of the other type; the first is in the lowest bits."""
    if to == source:
        return bits
    width, wanted = WIDTHS[source], WIDTHS[to]
    whole = sum((value & (1 << width) - 1) << width * i for i, value in enumerate(bits))
    parts = [whole >> wanted * i & (1 << wanted) - 1 for i in range(len(bits) * width // wanted)]
    return [wrapped(to, part) if is_integer(to) else part for part in parts]


def clamp(name, low, x, high):
    if name not in FLOATS:
        return min(max(low, x), high)
    at_least = _extremum("Max", name, low[0], x[0])
    return NAN if at_least == NAN else _extremum("Min", name, value_of(name, at_least), high[0])
