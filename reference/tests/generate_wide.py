"""Writes tests/wide.jsonl: what mpmath makes of the functions on float64 operands, to 106 bits.

    venv/bin/python reference/tests/generate_wide.py reference/tests/wide.jsonl

with the environment of generate.py, whose functions these are. A line is one function: `op`,
`operands` (for each point one or two float64 values, their bits in hexadecimal) and `values` (for
each point a float64 number from 1 to 2 or its negative, what that leaves of the true value, both as
bits, and the power of two that both are to be multiplied by). Points whose value is 0, infinite, NaN
or out of float64's normal range are left out.
"""

import json
import math
import random
import struct
import sys

import mpmath
from generate import BINARY, UNARY
from mpmath import mp, mpf

# The exponents of two that operands have, lowest first, and whether they may be negative.
RANGES = {
    "Acos": (-60, 0, True),
    "Acosh": (0, 1024, False),
    "Asin": (-60, 0, True),
    "Atanh": (-60, 0, True),
    "BesselI0e": (-30, 12, True),
    "BesselI1e": (-30, 12, True),
    "Cosh": (-30, 9.4, True),
    "Cos": (-30, 1024, True),
    "Digamma": (-60, 40, True),
    "Erf": (-1022, 5, True),
    "ErfInv": (-1022, 0, True),
    "Erfc": (-60, 4.7, True),
    "Exp": (-60, 9.4, True),
    "Expm1": (-60, 9.4, True),
    "Lgamma": (-60, 50, True),
    "Log": (-1022, 1024, False),
    "Log1p": (-60, 1024, False),
    "Log2": (-1022, 1024, False),
    "Log10": (-1022, 1024, False),
    "Logistic": (-60, 9.4, True),
    "Rsqrt": (-1022, 1024, False),
    "Sinh": (-60, 9.4, True),
    "Tanh": (-60, 9.4, True),
}
# Where digits cancel, or formulas change.
HARD = {
    "Acosh": [1 + 2.0**-52, 1 + 2.0**-30, 2.0**55, 1.5e16],
    "Cos": [6381956970095103 * 2.0**797, 1.5707963267948966, 1e22, 355.0],
    "Sin": [6381956970095103 * 2.0**797, 3.141592653589793, 1e22, 355.0],
    "Tan": [6381956970095103 * 2.0**797, 1.5707963267948966, 1e22, 11.0],
    "ErfInv": [1 - 2.0**-53, 1 - 2.0**-40, 0.5, 0.49999],
    "Erfc": [0.5, 1.9999999, 2.0, 26.5, -5.9],
    "Erf": [1.9999999, 2.0, 5.9],
    "Lgamma": [1 + 2.0**-52, 2 - 2.0**-52, 1.124, 1.126, 1.874, 2.126, 2.5e305, -0.5, -30.5, -3 - 2.0**-40],
    "Digamma": [1.25, -0.5, -7.25, 1e300, -3 - 2.0**-40],
    "BesselI0e": [39.999, 40.0, 8.0],
    "BesselI1e": [39.999, 40.0, 1e-300],
    "Log": [1 + 2.0**-52, 1 - 2.0**-53],
    "Log2": [1 + 2.0**-52, 1 - 2.0**-53, 8.0, 2.0**-1000],
    "Log10": [1 + 2.0**-52, 1 - 2.0**-53, 1e3, 1e22],
    "Log1p": [-1 + 2.0**-53, -0.5, 2.0**-60],
    "Expm1": [0.3749, 0.3751, -0.3749, -40.0, 200.5],
    "Acos": [1 - 2.0**-53, -1 + 2.0**-53],
    "Asin": [1 - 2.0**-53],
    "Atanh": [1 - 2.0**-53, 2.0**-56],
}
POINTS = 60


def bits(x):
    return f"{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"


def wide(value):
    """The value as two float64 numbers and a power of two, or nothing."""
    if not mp.isfinite(value) or value == 0:
        return None
    exponent = int(mpmath.frexp(value)[1]) - 1
    if not -1022 <= exponent <= 1023:
        return None
    value = mpmath.ldexp(value, -exponent)
    high = float(value)
    return [bits(high), bits(float(value - mpf(high))), exponent]


def spread(generator, low, high, signed):
    x = math.ldexp(generator.uniform(1, 2), 0) * 2.0 ** math.floor(generator.uniform(low, high - 1))
    return -x if signed and generator.random() < 0.5 else x


def unary(name, function):
    generator = random.Random(name)
    low, high, signed = RANGES.get(name, (-60, 1000, True))
    points = HARD.get(name, []) + [spread(generator, low, high, signed) for _ in range(POINTS // 2)]
    points += [spread(generator, max(low, -6), min(high, 6), signed) for _ in range(POINTS // 2)]
    for x in points:
        try:
            yield [x], function(mpf(x))
        except ValueError:
            continue


def binary(name, function):
    generator = random.Random(name)
    for i in range(POINTS):
        size = 1000 if name in ("Atan2", "Hypot") and i % 2 else 8
        x = spread(generator, -size, size, name in ("Atan2", "Hypot", "Logaddexp"))
        y = spread(generator, -size, size, True)
        if name == "Pow" and i % 3 == 0:
            y = float(generator.randint(-700, 700)) / math.log(x)
        yield [x, y], function(mpf(x), mpf(y))


def main(path):
    with open(path, "w") as file:
        for functions, points in ((UNARY, unary), (BINARY, binary)):
            for name, function in functions.items():
                if name in ("Add", "Div", "Mul", "Sub", "Rem", "Reciprocal", "Sqrt", "Square"):
                    continue
                # For the largest angles, about this many bits cancel.
                mp.prec = 1300 if name in ("Cos", "Sin", "Tan") else 500
                kept = [(x, wide(v)) for x, v in points(name, function) if not isinstance(v, mpmath.mpc)]
                kept = [(x, v) for x, v in kept if v]
                operands = [[bits(x) for x in xs] for xs, _ in kept]
                line = {"op": name, "operands": operands, "values": [v for _, v in kept]}
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
