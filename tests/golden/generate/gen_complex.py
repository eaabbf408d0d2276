#!/usr/bin/env python3
"""Writes the true values of functions of complex numbers, by mpmath.  usage: gen_complex.py OUT.jsonl

Operands go over extreme exponents, both zeros and both sides of every cut. Off the cuts the values are
principal ones (C99's annex G; W. Kahan, "Branch cuts for complex elementary functions", 1987); on a cut they
are those of the side that JAX takes, which gen_cuts.py asks it for.
"""

import json
import sys
import zlib

import mpmath
import numpy as np
from mpmath import mp, mpc, mpf

# 1 + z + z^2 with z = 1e-45 has 300 bits.
mp.prec = 700
F32 = np.float32
# Stands for a zero of an operand, so that mpmath sees the side of a cut that it is on.
TINY = mpmath.ldexp(mpf(1), -(10**60))
MAX = float(np.finfo(F32).max)

MAGNITUDES = [0.0, 1e-45, 3e-39, 2.0**-126, 3e-35, 1e-30, 9e-20, 1e-12, 3e-8, 1e-4, 0.3, 0.75, 1.0, 1.5]
MAGNITUDES += [3.0, 20.0, 50.0, 88.5, 1e4, 1e9, 9e18, 2e19, 1e30, 1.6e38, MAX]
# Parts of operands near 1, where functions have zeros and poles.
NEAR_ONE = [1e-30, 1e-12, 3e-7, 1e-4, 0.01, 0.28, 0.6, 0.7071068, 0.8, 0.96, 0.9999999, 1.0, 1.0000001, 1.01, 2.0]


def sign_of(word):
    """A sign that goes by a hash, so that any operand keeps it."""
    return -1.0 if zlib.crc32(word.encode()) & 0x100 else 1.0


def signed(parts):
    text = ",".join(map(repr, parts))
    return tuple(float(F32(sign_of(f"{text};{i}") * part)) for i, part in enumerate(parts))


def quarter_turns(parts):
    x, y = parts
    return [(x, y), (-x, y), (x, -y), (-x, -y)]


def logistic(z):
    return 1 / (1 + mpmath.exp(-z))


def sign(z):
    return z / abs(z)


UNARY = {
    "Abs": abs, "Sign": sign, "Square": lambda z: z * z, "Reciprocal": lambda z: 1 / z, "Sqrt": mpmath.sqrt,
    "Rsqrt": lambda z: 1 / mpmath.sqrt(z), "Exp": mpmath.exp, "Expm1": lambda z: mpmath.exp(z) - 1, "Log": mpmath.log,
    "Log1p": lambda z: mpmath.log(1 + z), "Logistic": logistic, "Sin": mpmath.sin, "Cos": mpmath.cos, "Tan": mpmath.tan,
    "Sinh": mpmath.sinh, "Cosh": mpmath.cosh, "Tanh": mpmath.tanh, "Asin": mpmath.asin, "Acos": mpmath.acos,
    "Atan": mpmath.atan, "Asinh": mpmath.asinh, "Acosh": mpmath.acosh, "Atanh": mpmath.atanh,
}
BINARY = {
    "Mul": lambda z, w: z * w, "Div": lambda z, w: z / w, "Pow": lambda z, w: mpmath.exp(w * mpmath.log(z)),
    "Atan2": lambda y, x: -mpc(0, 1) * mpmath.log((x + mpc(0, 1) * y) / mpmath.sqrt(x * x + y * y)),
}
# Nearer to a pole of Atan2, as a part of the operands, the difference of two products is lost in float32.
CLOSEST = mpf(2) ** -100
# Imaginary parts of operands, and how far beside it is from the real part where the real part of the result is 0.
HEIGHTS = [1e-22, 1e-16, 1e-9, 1e-5, 0.01, 0.3, 0.75, 0.8, 1.3, 1.5707, 1.5707964, 2.0, 3.1415, 4.7, 6.2831855, 100.5]
HEIGHTS += [3.8, 7.0, 3071.0, 3073.0, 1e5, 3e10, 7.729179e28]
SHIFTS = [21, 19, 17, 14, 10, 5, 2]
# Functions for which JAX does not look at the sign of a zero, and the side that it takes instead, by which part.
UPPER = {"Sqrt": "im", "Asin": "im", "Acos": "im", "Acosh": "im", "Asinh": "re"}


def operand(op, z):
    """The operand for mpmath, with tiny numbers for zeros."""
    parts = []
    for name, part in zip(("re", "im"), z):
        if part != 0:
            parts.append(mpf(part))
        elif UPPER.get(op) == name:
            parts.append(TINY)
        else:
            parts.append(TINY if np.copysign(1, part) > 0 else -TINY)
    return mpc(*parts)


def rounded(value):
    """The bits of the nearest float, infinite from halfway between the largest one and 2^128 on."""
    sign = 1 if value < 0 else 0
    magnitude = abs(value)
    if magnitude < mpf(2) ** -151:
        return sign << 31
    exponent = max(int(mpmath.floor(mpmath.log(magnitude, 2))) if magnitude > 0 else -149, -126)
    if magnitude < mpf(2) ** exponent and exponent > -126:
        exponent -= 1
    if exponent > 127:
        return sign << 31 | 0x7F800000
    steps = int(mpmath.nint(mpmath.ldexp(magnitude, 23 - exponent)))
    # A step more than 2^24 carries into the exponent.
    bits = steps if exponent == -126 and steps < 1 << 23 else ((exponent + 126) << 23) + steps
    return sign << 31 | min(bits, 0x7F800000)


def digits(parts):
    return "".join(f"{int(np.array(F32(part)).view(np.uint32)):08x}" for part in parts)


def is_open(op, operands):
    """Whether nothing is asked: quotients by 0, powers of 0, a power whose angle has too many turns for a digit in
    float32, and Atan2 on its cuts, where gen_cuts.py asks JAX."""
    z, *rest = operands
    if op == "Div":
        return not any(rest[0])
    if op == "Pow":
        return not any(z) or abs(mpc(*rest[0])) * abs(mpmath.log(mpc(*z))) > 2**16
    if op == "Atan2":
        y, x = mpc(*z), mpc(*rest[0])
        beside = min(abs(x + turn * y) for turn in (mpc(0, 1), mpc(0, -1)))
        square, turn = x * x + y * y, x * mpmath.conj(y)
        on_cut = square.imag == 0 and square.real <= 0 or turn.real == 0 and x.real <= 0 and abs(y) <= abs(x)
        return beside <= CLOSEST * max(map(abs, z + rest[0])) or on_cut
    return False


def at_pole(op, z):
    """What JAX gives at a zero of the denominator or a branch point, where a limit does not exist."""
    x, y = z
    infinity = float("inf")
    if not any(z):
        angle = 0.0 if np.copysign(1, x) > 0 else np.pi
        if op == "Log":
            return -infinity, np.copysign(angle, y)
        zeros = {"Sign": z, "Reciprocal": (np.copysign(infinity, x), np.nan), "Rsqrt": (infinity, np.nan)}
        return zeros.get(op)
    if op == "Log1p" and x == -1 and y == 0:
        return -infinity, y
    if op == "Atan" and x == 0 and abs(y) == 1:
        return x, y * infinity
    if op == "Atanh" and abs(x) == 1 and y == 0:
        return x * infinity, y
    return None


def value(op, operands):
    if is_open(op, operands):
        return None
    pole = at_pole(op, operands[0])
    if pole:
        return digits(pole)
    function = UNARY.get(op) or BINARY[op]
    try:
        result = mpc(function(*(operand(op, z) for z in operands)))
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return f"{rounded(result.real):08x}{rounded(result.imag):08x}"


def flushed(z):
    return tuple(part if abs(part) >= 2.0**-126 else float(np.copysign(0.0, part)) for part in z)


def with_flushed(points):
    """The points, and for those with subnormal parts what they are where these are flushed."""
    points = list(points) + [tuple(flushed(z) for z in point) for point in points]
    unique = {digits(part for z in point for part in z): point for point in points}
    return list(unique.values())


def beside_zeros(rng):
    """Operands at which the terms of a logarithm cancel: |z| is nearly 1 for Log, |1 + z| for Log1p."""
    angles = rng.uniform(0, 2 * np.pi, 20)
    small = -(10.0 ** rng.uniform(-12, -1, 20)).astype(F32).astype(np.float64)
    return [(np.cos(t), np.sin(t)) for t in angles] + [(x, np.sqrt(-2 * x - x * x)) for x in small]


def unary_points(rng):
    points = [signed((x, y)) for x in MAGNITUDES for y in MAGNITUDES]
    points += [signed((x, y)) for x in NEAR_ONE for y in NEAR_ONE]
    points += [signed((2.0**a, 2.0**b)) for a, b in rng.integers(-149, 128, (60, 2))]
    points += [signed(parts) for parts in rng.uniform(0, 4, (60, 2))]
    for x in (0.5, 1.0, 1.5, 40.0, 1e30):
        for y in (0.0, 1e-45, 2.0**-126, 1e-20):
            points += quarter_turns((x, y)) + quarter_turns((y, x))
    points += beside_zeros(rng)
    return with_flushed([(tuple(float(F32(part)) for part in z),) for z in points])


def beside_curves():
    """Operands next to the curves on which e^x cos y is 1 or -e^x, where the real part of Expm1 or Logistic is 0."""
    for height in HEIGHTS:
        y = float(F32(height))
        x = float(-mpmath.log(abs(mpmath.cos(mpf(y)))))
        for shift in (0, *(side * 2.0**-e for e in SHIFTS for side in (1, -1))):
            yield (signed((x * (1 + shift), y)),)
            yield (signed((-x * (1 + shift), y)),)


def binary_points(rng):
    parts = [0.0, 1e-45, 2.0**-126, 1e-30, 1e-4, 1.0, 1.5, 20.0, 1e19, MAX]
    points = [signed(tuple(rng.choice(parts, 4))) for _ in range(300)]
    points += [signed(tuple(p)) for p in rng.uniform(0, 8, (100, 4))]
    points += [signed(tuple(2.0**e for e in p)) for p in rng.integers(-140, 128, (100, 4))]
    # What the library once had a turn by pi at.
    points += [(100.0, -4.2e6, -1.2e-38, -3.4e38)]
    return with_flushed([((float(F32(a)), float(F32(b))), (float(F32(c)), float(F32(d)))) for a, b, c, d in points])


def lines():
    rng = np.random.default_rng(20261122)
    with_curves = {op: UNARY[op] for op in ("Expm1", "Logistic")}
    sets = ((UNARY, unary_points(rng)), (BINARY, binary_points(rng)), (with_curves, with_flushed(beside_curves())))
    for functions, points in sets:
        operands = ["".join(digits(z) for z in point) for point in points]
        yield {"operands": operands}
        for op in functions:
            yield {"op": op, "results": [value(op, point) for point in points]}


def main():
    with open(sys.argv[1], "w", encoding="ascii") as out:
        for line in lines():
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
