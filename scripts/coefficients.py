#!/usr/bin/env python3
"""Prints the polynomial coefficients that the files in shaders/ hold.

Usage:
    pip install mpmath
    python3 scripts/coefficients.py            # all of them, about a minute
    python3 scripts/coefficients.py exp tan    # some of them

Each entry is a weighted minimax fit by Remez's exchange (E. Ya. Remez 1934;
J.-M. Muller, "Elementary Functions", chapter 3) on a grid of Chebyshev points.
Coefficients are rounded to f32 one after the other, most often lowest power
first, and the rest is fitted again after each rounding, so that a later coefficient makes
good what an earlier one lost. The printed error is the weighted one, of the
rounded coefficients, in exact arithmetic.
"""
import struct
import sys
from functools import partial

from mpmath import mp, mpf

mp.dps = 40


def f32(x):
    return mpf(struct.unpack("<f", struct.pack("<f", float(x)))[0])


def remez(ts, fs, ws, basis, rounds=25):
    """Coefficients c that minimise max |w * (f - sum c_i * basis_i)|."""
    n = len(basis)
    count = len(ts)
    picked = [round(i * (count - 1) / n) for i in range(n + 1)]
    best = None
    for _ in range(rounds):
        a = mp.matrix(n + 1, n + 1)
        b = mp.matrix(n + 1, 1)
        for row, at in enumerate(picked):
            for col in range(n):
                a[row, col] = ws[at] * basis[col][at]
            a[row, n] = mpf((-1) ** row)
            b[row] = ws[at] * fs[at]
        sol = mp.lu_solve(a, b)
        c = [sol[i] for i in range(n)]
        err = [
            ws[i] * (fs[i] - sum(c[j] * basis[j][i] for j in range(n)))
            for i in range(count)
        ]
        worst = max(abs(e) for e in err)
        if best is None or worst < best[0]:
            best = (worst, c)
        if worst <= abs(sol[n]) * mpf("1.001"):
            break
        # One extremum per run of equal sign, then drop from the weaker end.
        runs = []
        for i, e in enumerate(err):
            if runs and (e > 0) == (err[runs[-1]] > 0):
                if abs(e) > abs(err[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        if len(runs) < n + 1:
            break
        while len(runs) > n + 1:
            runs.pop(0 if abs(err[runs[0]]) < abs(err[runs[-1]]) else -1)
        picked = runs
    return best


def fit(f, lo, hi, powers, weight=lambda t: mpf(1), around_0=False, points=300):
    """f on [lo, hi] by sum c_i * t**powers[i]; returns (error, f32 values).

    Where the interval has 0 inside and the weight there is not 0, powers without the constant
    are no Haar system, so that the highest power is rounded first.
    """
    lo, hi = mpf(lo), mpf(hi)
    ts = [
        (lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * points))
        for i in range(points)
    ]
    rest = [f(t) for t in ts]
    ws = [weight(t) for t in ts]
    basis = [[t**p for t in ts] for p in powers]
    fixed = {}
    for i in reversed(range(len(powers))) if around_0 else range(len(powers)):
        _, c = remez(ts, rest, ws, basis[: i + 1] if around_0 else basis[i:])
        fixed[i] = f32(c[-1 if around_0 else 0])
        rest = [r - fixed[i] * b for r, b in zip(rest, basis[i])]
    return max(abs(w * r) for w, r in zip(ws, rest)), [fixed[i] for i in range(len(powers))]


def split(value, *bits):
    """value as a sum of parts with these numbers of significant bits; the last in f32."""
    parts = []
    for b in bits:
        e = mp.floor(mp.log(abs(value), 2)) - (b - 1)
        part = mp.nint(value / mpf(2) ** e) * mpf(2) ** e
        parts.append(part)
        value -= part
    return parts + [f32(value)]


def odd_tail(f):
    """(f(x) - x) / x**3 as a function of t = x*x."""
    def g(t):
        x = mp.sqrt(t)
        return (f(x) - x) / x**3
    return g


def odd_weight(f):
    """Weight that makes the error of odd_tail relative to f(x)."""
    def w(t):
        x = mp.sqrt(t)
        return x**3 / f(x)
    return w


LN2 = mp.log(2)
TABLE = {}


def entry(name, *args, **kw):
    TABLE[name] = lambda: fit(*args, **kw)


# e^r = 1 + r + r^2 * P(r)
H = LN2 / 2 * mpf("1.003")
entry("exp", lambda r: (mp.expm1(r) - r) / r**2, -H, H, range(5), lambda r: r**2)
# the same with the error relative to e^r - 1
entry("expm1", lambda r: (mp.expm1(r) - r) / r**2, -H, mpf("0.5"), range(6),
      lambda r: r**2 / mp.expm1(r))
# 2^r = 1 + r * P(r)
entry("exp2", lambda r: mp.expm1(r * LN2) / r, -mpf("0.502"), mpf("0.502"), range(6),
      lambda r: r)
# log(1 + f) = f - f^2/2 + f^3 * P(f)
entry("log", lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3,
      mpf("-0.2501"), mpf("0.5001"), range(9), lambda f: f**3 / mp.log1p(f))
# log2((1+s)/(1-s)) = s * (2/ln2 + s^2 * P(s^2))
S = mpf("0.1717")
entry("log2_atanh",
      lambda t: (2 * mp.atanh(mp.sqrt(t)) / LN2 / mp.sqrt(t) - 2 / LN2) / t,
      mpf("1e-9"), S**2, range(4), lambda t: t)
Q = (mp.pi / 4 * mpf("1.002")) ** 2
entry("sin", odd_tail(mp.sin), mpf("1e-9"), Q, range(4), odd_weight(mp.sin))
# cos(r) = 1 - r^2/2 + r^4 * P(r^2)
entry("cos", lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t**2, mpf("1e-4"), Q, range(3),
      lambda t: t**2)
entry("tan", odd_tail(mp.tan), mpf("1e-9"), Q, range(7), odd_weight(mp.tan))
entry("asin", odd_tail(mp.asin), mpf("1e-9"), mpf("0.2505"), range(5), odd_weight(mp.asin))
entry("atan", odd_tail(mp.atan), mpf("1e-9"), mpf("1.0001"), range(9), odd_weight(mp.atan))
entry("tanh", odd_tail(mp.tanh), mpf("1e-9"), mpf("0.3025"), range(5), odd_weight(mp.tanh))
entry("sinh", odd_tail(mp.sinh), mpf("1e-9"), mpf("1.0001"), range(4), odd_weight(mp.sinh))
entry("asinh", odd_tail(mp.asinh), mpf("1e-9"), mpf("0.2505"), range(6), odd_weight(mp.asinh))
entry("atanh", odd_tail(mp.atanh), mpf("1e-9"), mpf("0.2505"), range(6), odd_weight(mp.atanh))
# cbrt(m) for m in [1, 2), a start to be improved
entry("cbrt", mp.cbrt, 1, 2, range(4), lambda m: 1 / mp.cbrt(m))
# erf(x) = x + x * P(x^2), then 1 - e^Q(x)
E0 = mpf("0.92")
entry("erf_small", lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1, mpf("1e-9"), E0**2,
      range(7), lambda t: mp.sqrt(t) / mp.erf(mp.sqrt(t)))
entry("erf_large", lambda x: mp.log(mp.erfc(x)), mpf("0.91"), mpf("4.0"), range(9), mp.erfc)

# e^(x^2) erfc(x) = P(t) / (3/4 + 3/2 x) with t = (x - 5/2) / (x + 5/2), for x in [1/2, 9.3]
def erfcx_ratio(t):
    x = mpf("2.5") * (1 + t) / (1 - t)
    return mpf("0.75") * (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


entry("erfcx", erfcx_ratio, mpf("-0.6667"), mpf("0.5764"), range(10), around_0=True)


# erf_inv(x) = x P(w - 5/2), and from w = 5 on x P(sqrt(w) - 3)
def erf_inv_ratio(w):
    """erf_inv(x) / x, where w = -log(1 - x*x)."""
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


entry("erf_inv_central", lambda c: erf_inv_ratio(c + mpf("2.5")), mpf("-2.4999999"),
      mpf("2.5001"), range(10), lambda c: 1 / erf_inv_ratio(c + mpf("2.5")), around_0=True)
entry("erf_inv_tail", lambda c: erf_inv_ratio((c + 3) ** 2), mpf("-0.7641"), mpf("1.001"),
      range(10), lambda c: 1 / erf_inv_ratio((c + 3) ** 2), around_0=True)
# lgamma(2 + t) = t (1 + t) P(t)
entry("lgamma", lambda t: mp.loggamma(2 + t) / (t * (1 + t)), -1, 1, range(13),
      lambda t: t * (1 + t) / mp.loggamma(2 + t), around_0=True)
# lgamma(x) = (x - 1/2) (log x - 1) + (log(2 pi) - 1)/2 + P(1/x^2)/x, from x = 8 on
entry("stirling",
      lambda u: (mp.loggamma(1 / mp.sqrt(u)) - (1 / mp.sqrt(u) - mpf(1) / 2) * (-mp.log(u) / 2 - 1)
                 - (mp.log(2 * mp.pi) - 1) / 2) / mp.sqrt(u),
      mpf("1e-6"), 1 / mpf(64), range(2))
# sin(pi r) = pi r P(r^2)
entry("sinc", lambda u: mp.sinc(mp.pi * mp.sqrt(u)), mpf("1e-9"), mpf("0.2501"), range(6),
      lambda u: 1 / mp.sinc(mp.pi * mp.sqrt(u)))
# lgamma(z - d) = d P(d) at the zero z = -2.457024...
Z1 = mp.findroot(lambda x: mp.log(abs(mp.gamma(x))), mpf("-2.4570247382208006"))
entry("lgamma_zero_1", lambda d: mp.log(abs(mp.gamma(Z1 - d))) / d, mpf("-0.2075"), mpf("0.1531"),
      range(12), lambda d: d / mp.log(abs(mp.gamma(Z1 - d))), around_0=True)
# lgamma(z - d) = d P(d) at the zero z = -2.747682...
Z2 = mp.findroot(lambda x: mp.log(abs(mp.gamma(x))), mpf("-2.7476826467274127"))
entry("lgamma_zero_2", lambda d: mp.log(abs(mp.gamma(Z2 - d))) / d, mpf("-0.1380"), mpf("0.1282"),
      range(14), lambda d: d / mp.log(abs(mp.gamma(Z2 - d))), around_0=True)
# lgamma(1 - r) = r P(r)
entry("lgamma_near_1", lambda r: mp.loggamma(1 - r) / r, mpf("-0.1500001"), mpf("0.43"), range(9),
      around_0=True)
# digamma(2 + t) = (2 + t - its zero) P(t)
PSI0 = mp.findroot(mp.digamma, mpf("1.4616"))
entry("digamma", lambda t: mp.digamma(2 + t) / (2 + t - PSI0), -1, 1, range(14),
      lambda t: (2 + t - PSI0) / mp.digamma(2 + t), around_0=True)
# digamma(x) = log x - 1/(2x) - P(1/x^2)/x^2, from x = 8 on
entry("digamma_large",
      lambda u: (-mp.log(u) / 2 - mp.sqrt(u) / 2 - mp.digamma(1 / mp.sqrt(u))) / u,
      mpf("1e-6"), 1 / mpf(64), range(3))
# tan(pi v) = pi v (1 + v^2 P(v^2))
entry("tanpi", lambda u: (mp.tan(mp.pi * mp.sqrt(u)) / (mp.pi * mp.sqrt(u)) - 1) / u, mpf("1e-9"),
      mpf("0.0626"), range(7), lambda u: u)
# I0(x) and I1(x)/x by x^2 up to 4, then sqrt(x) e^-x I(x) by 1/x
for order in (0, 1):
    small = lambda z, n=order: mp.besseli(n, mp.sqrt(z)) / mp.sqrt(z) ** n
    large = lambda y, n=order: mp.besseli(n, 1 / y) * mp.exp(-1 / y) / mp.sqrt(y)
    entry(f"i{order}_small", small, mpf("1e-9"), mpf("16.01"), range(8 - order),
          lambda z, f=small: 1 / f(z))
    entry(f"i{order}_large", large, mpf("1e-4"), 1 / mpf(4), range(11),
          lambda y, f=large: 1 / f(y))


def lgamma_zero(n, sign):
    """The zero of lgamma(-n - r) next to the pole, on r's side; by log|r|, as it is near 1/n!."""
    start = -mp.log(mp.factorial(n)) if n > 3 else mp.log(mpf("0.14"))
    s = mp.findroot(lambda s: mp.log(abs(mp.gamma(-n - sign * mp.exp(s)))), start)
    return split(sign * mp.exp(s), 24)


CONSTANTS = {
    "ln2": lambda: split(LN2, 15),
    "two_over_ln2": lambda: split(2 / LN2, 12),
    "pi_over_2 (13 bits each)": lambda: split(mp.pi / 2, 13, 13, 13),
    "pi_over_2 (f32)": lambda: split(mp.pi / 2, 24),
    "pi (f32)": lambda: split(mp.pi, 24),
    "pi_over_2 (12 bits)": lambda: split(mp.pi / 2, 12),
    "ln2 (15 bits each)": lambda: split(LN2, 15, 15),
    "pi squared (f32)": lambda: split(mp.pi**2, 24),
    "the zero of digamma, less 1 (f32)": lambda: split(PSI0 - 1, 24),
    "-Z1 (f32)": lambda: split(-Z1, 24),
    "-Z2 (f32)": lambda: split(-Z2, 24),
    **{
        f"r of lgamma's zero at -{n} - r, r {'><'[sign < 0]} 0 (f32)": partial(lgamma_zero, n, sign)
        for n in range(3, 10)
        for sign in (-1, 1)
        if n > 3 or sign > 0
    },
}


def bits(v):
    return struct.unpack("<I", struct.pack("<f", float(v)))[0]


def show(values):
    for i, v in enumerate(values):
        print(f"    [{i}] {mp.nstr(v, 9)}  0x{bits(v):08x}")


def main():
    wanted = sys.argv[1:]
    for name, run in TABLE.items():
        if not wanted or name in wanted:
            error, values = run()
            print(f"{name}: error 2^{mp.nstr(mp.log(error, 2), 4)}")
            show(values)
    if not wanted or "constants" in wanted:
        for name, run in CONSTANTS.items():
            print(f"{name}, largest part first:")
            show(run())
        mp.dps = 100
        word = int(mp.floor(2 / mp.pi * mpf(2) ** 256))
        print("2/pi, 32 bits a word:")
        print("    " + ", ".join(f"0x{(word >> (224 - 32 * i)) & 0xFFFFFFFF:08x}u" for i in range(8)))


if __name__ == "__main__":
    main()
