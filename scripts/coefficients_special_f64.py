#!/usr/bin/env python3
"""Prints the coefficients that shaders/double_special.wgsl holds.

Usage:
    pip install mpmath
    python3 scripts/coefficients_special_f64.py             # all of them, about a minute
    python3 scripts/coefficients_special_f64.py erfcx       # some of them

A polynomial interpolates its function at Chebyshev's points (J.-M. Muller, "Elementary
Functions", chapter 3), which is within a small factor of the best one and so costs at most one
coefficient more. A quotient of two is fitted at the same points by least squares, linear ones
with the last denominator for a weight (C. K. Sanathanan and J. Koerner, "Transfer function
synthesis as a ratio of two complex polynomials", 1963). Coefficients are rounded to f64 at the
end. The printed error is relative, and of the rounded coefficients in exact arithmetic.
"""
import sys

from mpmath import mp, mpf

mp.dps = 50
TABLE = {}


def chebyshev_points(lo, hi, count):
    middle, half = (mpf(lo) + mpf(hi)) / 2, (mpf(hi) - mpf(lo)) / 2
    return [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def polynomial(f, lo, hi, count, _lead=0):
    """The polynomial of `count` coefficients through f at Chebyshev's points of [lo, hi]."""
    points = chebyshev_points(lo, hi, count)
    rows = mp.matrix(count, count)
    for i, t in enumerate(points):
        for j in range(count):
            rows[i, j] = t**j
    return [list(mp.lu_solve(rows, mp.matrix([f(t) for t in points])))]


def quotient(f, lo, hi, count, below, lead=0):
    """P / Q with `count` and `below` coefficients; Q begins with 1, which is not counted. The error
    is kept small relative to f + lead."""
    points = chebyshev_points(lo, hi, 4 * (count + below))
    values = [f(t) for t in points]
    last = [mpf(1)] * len(points)
    for _ in range(6):
        rows = mp.matrix(len(points), count + below)
        wanted = mp.matrix(len(points), 1)
        for i, (t, value) in enumerate(zip(points, values)):
            weight = 1 / (last[i] * (value + lead))
            for j in range(count):
                rows[i, j] = weight * t**j
            for j in range(below):
                rows[i, count + j] = -weight * value * t ** (j + 1)
            wanted[i] = weight * value
        found = list(mp.qr_solve(rows, wanted)[0])
        q = [mpf(1)] + found[count:]
        last = [mp.polyval(q[::-1], t) for t in points]
    return [found[:count], q]


def entry(name, kind, f, lo, hi, *counts, lead=0):
    """Adds a function to fit, to which the shader adds lead."""

    def run():
        lists = [[mpf(float(c)) for c in part] for part in kind(f, lo, hi, *counts, lead)]
        error = mpf(0)
        for i in range(1, 397):
            t = mpf(lo) + (mpf(hi) - mpf(lo)) * (1 - mp.cos(mp.pi * i / 397)) / 2
            value = mp.polyval(lists[0][::-1], t)
            if len(lists) > 1:
                value /= mp.polyval(lists[1][::-1], t)
            error = max(error, abs((value + lead) / (f(t) + lead) - 1))
        return error, lists

    TABLE[name] = run


# erf(x) = x + x P(x^2), |x| <= 1
entry("erf_small", polynomial, lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1, "1e-40", "1.0001", 13,
      lead=1)

# (3/4 + 3/2 x) e^(x^2) erfc(x) = P(t) with t = (x - K) / (x + K), for x in [1, 27]
K = mpf("4.25")


def erfcx(t):
    x = K * (1 + t) / (1 - t)
    return (mpf("0.75") + mpf("1.5") * x) * mp.exp(x * x) * mp.erfc(x)


entry("erfcx", polynomial, erfcx, (1 - K) / (1 + K), (27 - K) / (27 + K), 20)


def erfc_inv(logarithm):
    """The y of log erfc(y) = logarithm, by Newton's method."""
    y = mp.sqrt(-logarithm)
    while True:
        tail = mp.erfc(y)
        step = (mp.log(tail) - logarithm) * tail * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < mpf(10) ** (5 - mp.dps):
            return y


def erf_inv_ratio(w):
    """erf_inv(x) / x, where w = -log(1 - x*x)."""
    x = mp.sqrt(-mp.expm1(-w))
    return (mp.erfinv(x) if w < 1 else erfc_inv(-w - mp.log1p(x))) / x


# erf_inv(x) = x + x P(w)/Q(w) up to w = 3.5, that is |x| = 0.98478
entry("erf_inv_central", quotient, lambda w: erf_inv_ratio(w) - 1, "1e-20", "3.5001", 8, 7, lead=1)
# erf_inv(x) = s - P(s)/Q(s) beyond, where s = sqrt(-log(1 - x))
entry("erf_inv_tail", quotient, lambda s: s - erfc_inv(-s * s), "2.0457", "6.0612", 8, 7)

# lgamma(1 + u) = u (u - 1) (1/2 + P(u)/Q(u))
entry("lgamma", quotient, lambda u: mp.loggamma(1 + u) / (u * (u - 1)) - mpf("0.5"), "1e-20", 2,
      8, 7, lead=mpf("0.5"))
# lgamma(x) = (x - 1/2) (log x - 1) + (log(2 pi) - 1)/2 + P(1/x^2)/x, from x = 8 on
entry(
    "stirling", polynomial,
    lambda u: (
        mp.loggamma(1 / mp.sqrt(u))
        - (1 / mp.sqrt(u) - mpf(1) / 2) * (-mp.log(u) / 2 - 1)
        - (mp.log(2 * mp.pi) - 1) / 2
    )
    / mp.sqrt(u),
    "1e-7", 1 / mpf(64), 7,
)
# sin(pi r) / (pi r) = P(r^2)
entry("sinc", polynomial, lambda u: mp.sinc(mp.pi * mp.sqrt(u)), "1e-30", "0.2501", 10)

# digamma(1 + z) = (1 + z - its zero) (3/4 + P(z)/Q(z))
ZERO = mp.findroot(mp.digamma, mpf("1.4616"))
entry("digamma", quotient, lambda z: mp.digamma(1 + z) / (1 + z - ZERO) - mpf("0.75"), 0, 2,
      7, 7, lead=mpf("0.75"))
# digamma(x) = log x - 1/(2x) - P(1/x^2)/x^2, from x = 8 on
entry(
    "digamma_large", polynomial,
    lambda u: (-mp.log(u) / 2 - mp.sqrt(u) / 2 - mp.digamma(1 / mp.sqrt(u))) / u,
    "1e-7", 1 / mpf(64), 7,
)
# pi cot(pi r) = 1/r - 4 r + r P(r^2)/Q(r^2)
entry(
    "cotpi", quotient,
    lambda u: 4 - (1 / mp.sqrt(u) - mp.pi * mp.cot(mp.pi * mp.sqrt(u))) / mp.sqrt(u),
    "1e-12", "0.2501", 5, 4, lead=4,
)

# I0(x) and I1(x)/x by x^2 up to 8, then sqrt(x) e^-x I(x) by t = 16/x - 1
for order in (0, 1):
    small = lambda z, n=order: mp.besseli(n, mp.sqrt(z)) / mp.sqrt(z) ** n
    large = lambda t, n=order: (
        mp.besseli(n, 16 / (1 + t)) * mp.exp(-16 / (1 + t)) * mp.sqrt(16 / (1 + t))
    )
    entry(f"i{order}_small", polynomial, small, "1e-20", "64.01", 17 - order)
    entry(f"i{order}_large", polynomial, large, "-0.9999", 1, 23)


def parts(value, bits=53):
    """value as an f64 of at most `bits` significant bits, and the rest as another one."""
    e = mp.floor(mp.log(abs(value), 2)) - (bits - 1)
    high = mp.nint(value / mpf(2) ** e) * mpf(2) ** e
    return [high, mpf(float(value - high))]


def bisect_overflow():
    """The largest f64 whose lgamma is below 2^1024."""
    lo, hi = 2.5e305, 2.6e305
    while (middle := (lo + hi) / 2) not in (lo, hi):
        lo, hi = (middle, hi) if mp.loggamma(middle) < mpf(2) ** 1024 else (lo, middle)
    return lo


CONSTANTS = {
    "the zero of digamma, less 1": lambda: parts(ZERO - 1),
    "(log(2 pi) - 1) / 2": lambda: parts((mp.log(2 * mp.pi) - 1) / 2)[:1],
    "the largest x where lgamma is finite": lambda: [bisect_overflow()],
}


def main():
    wanted = sys.argv[1:]
    for name, run in TABLE.items():
        if not wanted or name in wanted:
            error, lists = run()
            print(f"{name}: error 2^{mp.nstr(mp.log(error, 2), 4)}", flush=True)
            for label, values in zip("PQ", lists):
                for i, v in enumerate(values):
                    print(f"    {label}[{i}] {float(v)!r}")
    if not wanted or "constants" in wanted:
        for name, run in CONSTANTS.items():
            print(f"{name}, largest part first:")
            for v in run():
                print(f"    {float(v)!r}  {float(v).hex()}")


if __name__ == "__main__":
    main()
