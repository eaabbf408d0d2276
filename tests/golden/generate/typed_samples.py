"""Random operands of every element type, and fixed ones. The order of the draws is part of what a seed means."""

import numpy as np

from arrays import DTYPE_OF_NAME, FORMATS, PRED, element_count, from_bits, integers, is_subnormal, words_of
from typed_operations import FLOATS, INTEGERS, WIDTHS, limits

# Of floats: near 1 in magnitude, halves of small integers, any finite bits, the points below, one scale for all.
FLOAT_MODES = ["near", "small", "bits", "special", "scale"]
FLOAT_WEIGHTS = [0.4, 0.2, 0.12, 0.1, 0.18]
INTEGER_MODES = ["small", "full", "special"]
INTEGER_WEIGHTS = [0.5, 0.3, 0.2]

BASES = [0.25, 0.5, 1, 1.5, 2, 3, 5, 0.1, 7.3]
EXPONENTS = [-2, -1, -0.5, 0, 0.5, 1, 2, 3, 2.5]


def finite(values):
    return np.isfinite(values.astype(np.float64))


def floats_of(name, values):
    """Rounded from float64."""
    return np.array(values, np.float64).astype(DTYPE_OF_NAME[name])


def _float_points(name):
    """Both signs of zero, infinity, NaN, the ends of normal and subnormal numbers, ones and halves with their
    neighbours, and a few numbers more."""
    mantissa, exponent = FORMATS[name].mantissa, FORMATS[name].exponent
    infinity = (1 << exponent) - 1 << mantissa
    one = (1 << exponent - 1) - 1 << mantissa
    half = one - (1 << mantissa)
    words = [0, infinity, infinity | 1 << mantissa - 1, infinity - 1]
    words += [1 << mantissa, 1, (1 << mantissa) - 1, 1 << mantissa - 1]
    words += [one, one + 1, one - 1, half, half - 1, half + 1, one + (1 << mantissa - 1), one + (1 << mantissa)]
    ends = [2.0**mantissa, 2.0**mantissa + 1, 2.0 ** (mantissa - 1) + 0.5]
    numbers = [2.5, 3, 7, 10, 100, 0.1, 1e-3, np.pi, *ends]
    words += words_of(floats_of(name, numbers)).tolist()
    return from_bits(words + [word | 1 << mantissa + exponent for word in words], name)


POINTS = {name: _float_points(name) for name in FLOATS}
NORMAL_POINTS = {name: points[finite(points) & ~is_subnormal(points)] for name, points in POINTS.items()}


def integer_points(name):
    low, high = limits(name)
    width = WIDTHS[name]
    values = {0, 1, 2, 3, 5, 7, -1, -2, -3, -7, low, low + 1, high, high - 1, high // 2, high // 2 + 1}
    values |= {1 << width // 2, (1 << width // 2) - 1, high // 3, width - 1, width}
    return sorted(value for value in values if low <= value <= high)


def elements(rng, name, shape, role="any", mode="any"):
    """`role` is what the operand is for, as in samples.roles."""
    shape = tuple(shape)
    count = element_count(shape)
    if name == "pred":
        return rng.integers(0, 2, count).astype(PRED).reshape(shape)
    if name == "c64":
        values = np.empty(count, np.complex64)
        values.real = elements(rng, "f32", (count,), role, mode)
        values.imag = elements(rng, "f32", (count,), role, mode)
        return values.reshape(shape)
    draw = _floats if name in FORMATS else _integers
    return draw(rng, name, count, role, mode).reshape(shape)


def _floats(rng, name, count, role, mode):
    dtype, format = DTYPE_OF_NAME[name], FORMATS[name]
    width = WIDTHS[name]
    if mode == "any":
        mode = str(rng.choice(FLOAT_MODES, p=FLOAT_WEIGHTS))
    if role in ("base", "exponent") and mode != "special":
        return rng.choice(BASES if role == "base" else EXPONENTS, count).astype(dtype)
    if mode == "near":
        bias = (1 << format.exponent - 1) - 1
        fields = rng.integers(0, 2, count), rng.integers(-3, 4, count), rng.integers(0, 1 << 62, count)
        words = [
            int(sign) << width - 1 | bias + int(exponent) << format.mantissa | int(rest) & (1 << format.mantissa) - 1
            for sign, exponent, rest in zip(*fields)
        ]
        return from_bits(words, name)
    if mode == "bits":
        words = [int(word) & (1 << width) - 1 for word in rng.integers(0, 1 << 64, count, dtype=np.uint64)]
        values = from_bits(words, name)
        return np.where(finite(values), values, dtype.type(1)).astype(dtype)
    if mode == "special":
        return rng.choice(POINTS[name], count)
    if mode == "normal":
        return rng.choice(NORMAL_POINTS[name], count)
    if mode == "scale":
        return (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4)).astype(dtype)
    return (rng.integers(-32, 33, count) / 2).astype(dtype)


def _integers(rng, name, count, role, mode):
    low, high = limits(name)
    width = WIDTHS[name]
    signed = name[0] == "s"
    if mode == "any":
        mode = str(rng.choice(INTEGER_MODES, p=INTEGER_WEIGHTS))
    if role == "exponent":
        # XLA's compiled code looks at six bits of an exponent, and takes a large unsigned one for a negative one.
        largest = min(63, (1 << width - 1) - 1)
        least = -3 if signed and mode == "special" else 0
        return integers(name, rng.choice([n for n in range(least, width + 3) if n <= largest], count))
    if role == "base" and mode != "full":
        least, end = (max(-6, low), min(7, high + 1)) if signed else (0, 7)
        return integers(name, rng.integers(least, end, count))
    if role == "shift amount" and mode != "special":
        return integers(name, rng.integers(0, min(width, high + 1), count))
    if role == "shift amount":
        amounts = [0, 1, width - 1, width, width + 1, 2 * width, 5, high, high - 1, low, -1]
        return _picked(rng, name, [amount for amount in amounts if low <= amount <= high], count)
    if role == "divisor" and mode == "small":
        drawn = rng.integers(max(-11, low) if signed else 1, min(12, high + 1), count)
        return integers(name, [value if value else 1 for value in drawn])
    if mode == "special":
        return _picked(rng, name, integer_points(name), count)
    if mode == "small":
        return integers(name, rng.integers(max(low, -50), min(high, 100) + 1, count))
    wide = np.uint64 if name == "u64" else np.int64
    return rng.integers(low, high, count, dtype=wide, endpoint=True).astype(DTYPE_OF_NAME[name])


def _picked(rng, name, values, count):
    return integers(name, [values[i] for i in rng.integers(0, len(values), count)])


# Where conversions round, saturate or wrap.
WIDE_INTEGERS = [2**24 + 1, 2**24 + 3, -(2**24) - 1, 2**53 + 1, 2**53 + 3, 2049, 2051, -2049, 257, 259, 385, 65504]
WIDE_INTEGERS += [65519, 65520, 65521, 2**40 + 2**32 + 1, 257 * 2**30 + 1, 257 * 2**22 + 1, 387 * 2**22 - 1]
WIDE_INTEGERS += [387 * 2**30 - 1, 257 * 2**50 + 1, 2**63 + 2**55 + 1, 2**31 - 129, 2**32 - 129, 2**63 - 513]
WIDE_INTEGERS += [2**60 + 2**36 + 1]
WIDE_FLOATS = [0.5, -0.5, 0.99, -0.99, 1.9, -1.9, 1e20, -1e20, 126.5, 127.5, 127.99, -128.5, 255.5, 256.5]
WIDE_FLOATS += [65503.0, 65519.99, 65520, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, 1 + 2**-8 + 2**-40]
WIDE_FLOATS += [1 + 3 * 2**-8 - 2**-40, -(1 + 2**-8 + 2**-33), 100 * (1 + 2**-8) + 2**-40, 3 - 2**-7 - 2**-40]
WIDE_FLOATS += [1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 + 2**-40, 1 + 2**-24, 1 + 3 * 2**-24, 1 + 2**-24 + 2**-50]
WIDE_FLOATS += [3.3895313892515355e38, 3.39e38, 3.3961775e38, 3.4028234e38, 3.4028236e38, 1e39, 2.0**-14, 2.0**-15]
WIDE_FLOATS += [2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 6.1e-5, 1e-7, 2.0**-126, 2.0**-127, 2.0**-149, 1e-40, 1e-310]


def conversion_points(name):
    if name == "pred":
        return np.array([0, 1], PRED)
    if name == "c64":
        real = conversion_points("f32")
        values = np.empty(len(real), np.complex64)
        values.real, values.imag = real, np.roll(real, 7)
        return values
    ends = {end + step for integer in INTEGERS for end in limits(integer) for step in (-1, 0, 1)}
    ends = sorted(ends | {0, 1, -1, 2, -2})
    if name in INTEGERS:
        low, high = limits(name)
        values = {*ends, *WIDE_INTEGERS, *[-value for value in WIDE_INTEGERS]}
        return integers(name, sorted(value for value in values if low <= value <= high))
    with np.errstate(all="ignore"):
        values = np.array([float(value) for value in ends] + WIDE_FLOATS).astype(DTYPE_OF_NAME[name])
    values = np.concatenate([values, POINTS[name]])
    _, first = np.unique(words_of(values), return_index=True)
    return values[np.sort(first)]

