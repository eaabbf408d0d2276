"""Writes tests/mpmath.jsonl: what mpmath makes of the functions, at some hundred points each.

    python3 -m venv venv && venv/bin/pip install mpmath==1.3.0
    venv/bin/python reference/tests/generate.py reference/tests/mpmath.jsonl

takes some seconds and gives the same file each time. A line is one function: `op`, `operands`
(for each point one or two float32 values, their bits in hexadecimal) and `values` (the bits of the
float64 value nearest to the true one). Points at which the value is infinite, NaN or out of
float64's range are left out; special values are in tests/special.rs.
"""

import json
import math
import random
import struct
import sys

import mpmath
from mpmath import mp, mpf

mp.prec = 500

UNARY = {
    "Acos": mpmath.acos,
    "Acosh": mpmath.acosh,
    "Asin": mpmath.asin,
    "Asinh": mpmath.asinh,
    "Atan": mpmath.atan,
    "Atanh": mpmath.atanh,
    "BesselI0e": lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)),
    "BesselI1e": lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
    "Cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "Cos": mpmath.cos,
    "Cosh": mpmath.cosh,
    "Digamma": mpmath.digamma,
    "Erf": mpmath.erf,
    "ErfInv": mpmath.erfinv,
    "Erfc": mpmath.erfc,
    "Exp": mpmath.exp,
    "Expm1": mpmath.expm1,
    "Lgamma": lambda x: mpmath.loggamma(x).real,
    "Log": mpmath.log,
    "Log1p": mpmath.log1p,
    "Log2": lambda x: mpmath.log(x, 2),
    "Log10": mpmath.log10,
    "Logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
    "Reciprocal": lambda x: 1 / x,
    "Rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "Sin": mpmath.sin,
    "Sinh": mpmath.sinh,
    "Sqrt": mpmath.sqrt,
    "Square": lambda x: x * x,
    "Tan": mpmath.tan,
    "Tanh": mpmath.tanh,
}

BINARY = {
    "Add": lambda x, y: x + y,
    "Atan2": mpmath.atan2,
    "Div": lambda x, y: x / y,
    "Hypot": mpmath.hypot,
    "Logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "Mul": lambda x, y: x * y,
    "Pow": lambda x, y: x**y,
    "Rem": lambda x, y: mpf(math.fmod(float(x), float(y))),
    "Sub": lambda x, y: x - y,
}

# Where functions turn, begin, or change from one formula to another, here or in a shader.
EDGES = [0.5, 1, 1.5, 2, 3, 4, 8, 9, 10, 20, 24, 88.5, 100, 2**-10, 2**-20, 2**23, 2**24, 0.99, 0.999]


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def value(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern))[0]


def near(x, steps):
    """The float32 value some steps away from the one nearest to x, in magnitude."""
    return value(bits(float(x)) + steps)


def neighbours(x, reach=2):
    return [near(x, steps) for steps in range(-reach, reach + 1)]


def everywhere(rng, count):
    """Any finite float32 values."""
    values = (value(rng.getrandbits(32)) for _ in range(2 * count))
    return [x for x in values if math.isfinite(x)][:count]


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def zeros(op, rng):
    """Points beside the function's zeros, where most digits cancel."""
    if op in ("Sin", "Cos", "Tan"):
        multiples = list(range(1, 20)) + [rng.getrandbits(rng.randrange(5, 120)) + 1 for _ in range(40)]
        return [x for n in multiples for x in neighbours(n * mp.pi / 2, 1)]
    if op in ("Log", "Log2", "Log10", "Acosh"):
        return neighbours(1, 20)
    if op == "Lgamma":
        points = neighbours(1, 20) + neighbours(2, 20)
        guesses = [-2.457, -2.7476] + [-n + side / math.factorial(n) for n in range(3, 12) for side in (1, -1)]
        for guess in guesses:
            zero = mpmath.findroot(UNARY[op], mpf(guess))
            points += neighbours(zero)
        return points
    if op == "Digamma":
        points = neighbours(mpmath.findroot(UNARY[op], mpf(1.46)), 10)
        points += neighbours(mpmath.findroot(UNARY[op], mpf(-0.504)))
        for n in list(range(1, 12)) + [rng.getrandbits(rng.randrange(4, 23)) + 1 for _ in range(60)]:
            guess = -n - 1 + math.atan2(math.pi, math.log(n + 1)) / math.pi if n > 20 else -n - 0.6
            points += neighbours(mpmath.findroot(UNARY[op], mpf(guess), tol=1e-60, maxsteps=100), 1)
        return points + closest_to_digamma_zeros()
    return []


def closest_to_digamma_zeros():
    """Of the zeros between -30000 and -12, the ones to which a float32 number is closest."""
    found = []
    for n in range(12, 30000):
        x = -n + math.atan2(math.pi, math.log(n)) / math.pi
        for _ in range(4):
            y = 1 - x
            psi = math.log(y) - 1 / (2 * y) - 1 / (12 * y * y)
            tangent = math.tan(math.pi * (x + n))
            slope = math.pi**2 * (1 + 1 / tangent**2) - 1 / y
            x -= (psi - math.pi / tangent) / slope
        spacing = 2.0 ** (math.frexp(x)[1] - 24)
        found.append((abs(float32(x) - x) / spacing, float32(x)))
    return [x for _, x in sorted(found)[:40]]


def unary_points(op, rng):
    points = everywhere(rng, 120)
    points += [rng.choice((-1, 1)) * 2 ** rng.uniform(-6, 8) for _ in range(120)]
    points += [rng.uniform(-1, 1) for _ in range(60)]
    points += [sign * x for edge in EDGES for x in neighbours(edge, 1) for sign in (1, -1)]
    return [float32(x) for x in points + zeros(op, rng)]


def binary_points(rng):
    pairs = list(zip(everywhere(rng, 100), everywhere(rng, 100)))
    for _ in range(200):
        x, y = (rng.choice((-1, 1)) * 2 ** rng.uniform(-12, 12) for _ in range(2))
        pairs.append((x, y))
    for _ in range(100):
        # Bases near 1 with large exponents, lhs near rhs, and powers at the end of the range.
        x = 1 + rng.choice((-1, 1)) * 2 ** rng.uniform(-23, -2)
        pairs.append((x, rng.choice((-1, 1)) * rng.uniform(0, 88) / abs(math.log(x))))
        y = 2 ** rng.uniform(-100, 100)
        pairs.append((y, y * rng.uniform(0.9, 1.1)))
        pairs.append((-(2 ** rng.uniform(0, 8)), rng.randrange(-15, 16)))
    return [(float32(x), float32(y)) for x, y in pairs]


def zeros_of_two(op, rng):
    """Pairs beside which logaddexp is 0, where its terms cancel."""
    if op != "Logaddexp":
        return []
    lower = [float32(-(2 ** rng.uniform(-4, 4))) for _ in range(60)]
    return [(x, near(mpmath.log1p(-mpmath.exp(x)), steps)) for x in lower for steps in (-1, 0, 1)]


def compute(function, operands):
    """The float64 number nearest to the value; None where there is none."""
    try:
        result = function(*[mpf(x) for x in operands])
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    if isinstance(result, mpmath.mpc) or not mpmath.isfinite(result):
        return None
    if result and not -1000 < mpmath.log(abs(result), 2) < 1000:
        return None
    return float(result)


def line(op, function, points):
    operands, values = [], []
    for point in points:
        result = compute(function, point)
        if result is not None:
            operands.append([f"{bits(x):08x}" for x in point])
            values.append(struct.pack(">d", result).hex())
    print(op, len(values), file=sys.stderr, flush=True)
    return json.dumps({"op": op, "operands": operands, "values": values}, separators=(",", ":"))


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for op, function in UNARY.items():
            # A generator for each function, so that a change in one leaves the others' points.
            rng = random.Random(op)
            points = dict.fromkeys(unary_points(op, rng))
            out.write(line(op, function, [(x,) for x in points]) + "\n")
        for op, function in BINARY.items():
            rng = random.Random(op)
            points = dict.fromkeys(binary_points(rng) + zeros_of_two(op, rng))
            out.write(line(op, function, points) + "\n")


if __name__ == "__main__":
    main()
