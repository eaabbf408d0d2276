#!/usr/bin/env python3
"""Prints the coefficients that shaders/double*.wgsl hold, as 64-bit floats.

Usage:
    pip install mpmath
    python3 scripts/coefficients_f64.py            # all of them, some minutes
    python3 scripts/coefficients_f64.py exp tan    # some of them

Fits are weighted minimax ones by Remez's exchange, as in coefficients.py. Every function has
its leading terms apart, so that the coefficients may just be rounded. The printed error is the
weighted one, of the rounded coefficients, in exact arithmetic.
"""
import sys

from mpmath import mp, mpf

from coefficients import remez

mp.dps = 60
LN2 = mp.log(2)


def f64(x):
    """x rounded to the nearest 64-bit float."""
    return mpf(float(x))


def fit(f, lo, hi, count, weight, points=240):
    """f on [lo, hi] by a polynomial with `count` coefficients: (error, coefficients)."""
    lo, hi = mpf(lo), mpf(hi)
    ts = [
        (lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * points))
        for i in range(points)
    ]
    fs = [f(t) for t in ts]
    ws = [weight(t) for t in ts]
    powers = [[t**p for t in ts] for p in range(count)]
    _, exact = remez(ts, fs, ws, powers)
    rounded = [f64(c) for c in exact]
    values = [sum(c * t**p for p, c in enumerate(rounded)) for t in ts]
    return max(abs(w * (v - f)) for w, v, f in zip(ws, values, fs)), rounded


def odd(f, largest, count):
    """P of f(x) = x + x^3 P(x^2) for |x| <= largest, its error relative to f(x)."""
    def tail(t):
        x = mp.sqrt(t)
        return (f(x) - x) / x**3

    def weight(t):
        x = mp.sqrt(t)
        return x**3 / f(x)

    return fit(tail, mpf("1e-9"), mpf(largest) ** 2, count, weight)


def exp():
    """e^r = 1 + r + r^2 P(r) for |r| <= ln(2)/2."""
    h = LN2 / 2 * mpf("1.001")
    return fit(lambda r: (mp.expm1(r) - r) / r**2, -h, h, 11, lambda r: r**2)


def expm1():
    """The same with the error relative to e^r - 1, up to 1/2."""
    h = LN2 / 2 * mpf("1.001")
    return fit(lambda r: (mp.expm1(r) - r) / r**2, -h, mpf("0.5"), 12, lambda r: r**2 / mp.expm1(r))


def log():
    """2 atanh(s) = 2 s + s z P(z) with z = s^2, for log(1 + f), f in [-1/4, 1/2], s = f/(2 + f)."""
    def tail(z):
        s = mp.sqrt(z)
        return (2 * mp.atanh(s) / s - 2) / z

    return fit(tail, mpf("1e-9"), mpf("0.0401"), 8, lambda z: z / 2)


PIO4 = mp.pi / 4 * mpf("1.0001")


def sin():
    """sin r = r + r^3 P(r^2) for |r| <= pi/4."""
    return odd(mp.sin, PIO4, 6)


def cos():
    """cos r = 1 - r^2/2 + r^4 P(r^2) for |r| <= pi/4."""
    return fit(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mpf("1e-9"), PIO4**2, 6,
               lambda z: z**2)


def atan():
    """atan t = t + t^3 P(t^2) for |t| <= 35/64."""
    return odd(mp.atan, mpf(35) / 64, 15)


def asin():
    """asin s = s + s^3 P(s^2) for s <= 1/2."""
    return odd(mp.asin, mpf("0.5001"), 13)


def sinh():
    """sinh x = x + x^3 P(x^2) for |x| <= 1."""
    return odd(mp.sinh, 1, 8)


def tanh():
    """tanh x = x + x^3 P(x^2) for |x| <= 0.55."""
    return odd(mp.tanh, mpf("0.55"), 11)


def log2_atanh():
    """log2((1+s)/(1-s)) = s (2/ln2 + z (2/(3 ln2) + z P(z))), z = s^2, |s| <= 0.1716."""
    def tail(z):
        s = mp.sqrt(z)
        return ((2 * mp.atanh(s) / s - 2) / z - mpf(2) / 3) / z / LN2

    return fit(tail, mpf("1e-9"), mpf("0.02945"), 8, lambda z: z**2)


POLYNOMIALS = [exp, expm1, log, log2_atanh, sin, cos, atan, asin, sinh, tanh]


def split(value, *bits):
    """value as a sum of parts with these numbers of significant bits; the last is an f64."""
    parts = []
    for b in bits:
        e = mp.floor(mp.log(abs(value), 2)) - (b - 1)
        part = mp.nint(value / mpf(2) ** e) * mpf(2) ** e
        parts.append(part)
        value -= part
    return parts + [f64(value)]


def ln2():
    """ln 2 in two parts, the first of 41 bits: an exponent times it is exact."""
    return split(LN2, 41)


def ln2_26():
    """ln 2 in two parts, the first of 26 bits."""
    return split(LN2, 26)


def two_over_ln2():
    """2/ln 2 in two parts, the first of 26 bits."""
    return split(2 / LN2, 26)


def third_of_two_over_ln2():
    """2/(3 ln 2) in two parts, the first of 26 bits."""
    return split(2 / (3 * LN2), 26)


def pi_over_2():
    """pi/2 in three parts, of 26 bits, 26 bits and the rest."""
    return split(mp.pi / 2, 26, 26)


def pi_over_4():
    """pi/4 in two parts, the first of 50 bits: three times it is exact."""
    return split(mp.pi / 4, 50)


CONSTANTS = [ln2, ln2_26, two_over_ln2, third_of_two_over_ln2, pi_over_2, pi_over_4]


def two_over_pi():
    """2/pi as 64-bit words, the first for the bits before the point."""
    with mp.workdps(400):
        bits = int(mp.floor(2 / mp.pi * mpf(2) ** (64 * 19)))
    return [(bits >> (64 * (19 - i))) & (2**64 - 1) for i in range(20)]


def main():
    wanted = sys.argv[1:]
    for entry in POLYNOMIALS:
        if not wanted or entry.__name__ in wanted:
            error, values = entry()
            print(f"{entry.__name__}: {entry.__doc__} Error 2^{mp.nstr(mp.log(error, 2), 4)}")
            for value in reversed(values):
                print(f"    {float(value)!r}lf")
    for entry in CONSTANTS:
        if not wanted or entry.__name__ in wanted:
            print(f"{entry.__name__}: {entry.__doc__}")
            for value in entry():
                print(f"    {float(value).hex()}lf")
    if not wanted or "two_over_pi" in wanted:
        print(f"two_over_pi: {two_over_pi.__doc__}")
        for word in two_over_pi():
            print(f"    0x{word:016x}lu")


if __name__ == "__main__":
    main()
