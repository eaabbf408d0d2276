#!/usr/bin/env python3
"""Prints a table of how far reductions are from the exact result, of indim, NumPy, JAX (CPU) and burn.

    scripts/with-adapter benches/peers/sums.py PATH/TO/indim [--burn PATH/TO/indim-peers-burn] [--types f32,f16]
        [--most 16777216] > TABLE

For each function and type it is the largest error over KINDS of 2^10, 2^17 and 2^24 elements, in ULP of the exact
result, which longdouble computes, and math.fsum and pairs of longdouble. Results as large as the operand are compared
in 1,024 places. Needs NumPy; JAX where it is installed (BF16 is compared with JAX alone), and
burn, of F32, where its program is given, which `benches/peers/run` builds.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import numpy as np

# What results of a type are computed in; sums always in longdouble.
WIDE = {"f64": np.longdouble}
SIZES = [1 << 10, 1 << 17, 1 << 24]
EPSILON = 1e-5
KINDS = ["random", "growing", "alternating", "cancelling"]
# Bits of a fraction, the exponent of the least normal number, and the largest number.
TYPES = {
    "f32": (23, -126, 3.4028234e38),
    "f16": (10, -14, 65504.0),
    "bf16": (7, -126, 3.3895314e38),
    "f64": (52, -1022, 1.7976931e308),
}
# Functions in indim's language; those that have an element for each of x are compared in places.
SCALARS = {
    "sum": "reduce_sum(x, [0])",
    "prod": "reduce_prod(x, [0])",
    "mean": "mean(x, [0])",
    "var": "var(x, [0])",
    "std": "sqrt(var(x, [0]))",
    "norm": "sqrt(reduce_sum(square(x), [0]))",
    "logsumexp": "logsumexp(x, [0])",
}
ROWS = {
    "softmax": "softmax(x, [0])",
    "log_softmax": "log_softmax(x, [0])",
    "layer_norm": f"layer_norm(x, [0], {EPSILON})",
    "rms_norm": f"rms_norm(x, [0], {EPSILON})",
}
BURN = {"sum": "reduce_sum", "mean": "mean", "var": "var", "logsumexp": "logsumexp"}


def elements(kind, count):
    """Elements that are hard to add: of a kind, always the same."""
    random = np.random.default_rng(count)
    index = np.arange(count)
    return {
        "random": lambda: random.random(count),
        "growing": lambda: 1.0 + 60.0 * index / count,
        "alternating": lambda: np.where(index % 2 == 0, 1.0, -1.0) * (1.0 + index / count),
        "cancelling": lambda: np.concatenate([(half := random.normal(size=count // 2)), -half[::-1]]) + 1e-3,
    }[kind]()


def factors(x):
    """Numbers near 1 instead, of which no product of neighbours is too large or too small."""
    distance = x - x.mean()
    return 1.0 + distance / np.abs(distance).max() * 64 / len(x)


def rounded(of, x):
    """Elements of a type, as floats that hold them: BF16 in F32."""
    if of != "bf16":
        return x.astype({"f32": np.float32, "f16": np.float16, "f64": np.float64}[of])
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return even.astype(np.uint32).view(np.float32)


def two_products(a, b):
    """Products with the errors of their rounding (Dekker)."""

    def split(x):
        half = (np.finfo(x.dtype).nmant + 2) // 2
        large = x * x.dtype.type(2**half + 1)
        high = large - (large - x)
        return high, x - high

    (ah, al), (bh, bl), p = split(a), split(b), a * b
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def product(x):
    high, low = x, np.zeros_like(x)
    while len(high) > 1:
        a, b = high[::2], high[1::2]
        p, error = two_products(a, b)
        high, low = p, a * low[1::2] + b * low[::2] + error
    return high[0] + low[0]


def total(of, x):
    """A sum as a longdouble; of F64 with what fsum leaves out."""
    if of != "f64":
        return x.sum(dtype=np.longdouble)
    sum = math.fsum(x)
    return np.longdouble(sum) + np.longdouble(math.fsum(np.append(x, -sum)))


class Exact:
    """The exact results for elements; `at` are the places of those that are compared."""

    def __init__(self, of, x, at):
        to = WIDE.get(of, np.float64)
        wide, count = x.astype(to), len(x)
        self.sum = total(of, x)
        self.mean = self.sum / count
        self.var = ((wide - to(self.mean)) ** 2).sum() / count
        self.std = np.sqrt(self.var)
        squares = (wide**2).sum()
        self.norm = np.sqrt(squares)
        most = wide.max()
        exponentials = np.exp(wide - most).sum()
        self.logsumexp = most + np.log(exponentials)
        some = wide[at]
        self.softmax = np.exp(some - most) / exponentials
        self.log_softmax = (some - most) - np.log(exponentials)
        self.layer_norm = (some - to(self.mean)) / np.sqrt(self.var + to(EPSILON))
        self.rms_norm = some / np.sqrt(squares / count + to(EPSILON))


def composed(np, function, x):
    """A function that NumPy or JAX lacks, by its others."""
    if function == "layer_norm":
        return (x - x.mean()) / np.sqrt(x.var() + EPSILON)
    if function == "rms_norm":
        return x / np.sqrt((x * x).mean() + EPSILON)
    most = x.max()
    exponentials = np.exp(x - most)
    if function == "softmax":
        return exponentials / exponentials.sum()
    logarithm = np.log(exponentials.sum())
    return most + logarithm if function == "logsumexp" else x - most - logarithm


def numpy_of(function, x):
    simple = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "var": np.var, "std": np.std, "norm": np.linalg.norm}
    return simple[function](x) if function in simple else composed(np, function, x)


def jax_of():
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    calls = {
        "sum": jnp.sum, "prod": jnp.prod, "mean": jnp.mean, "var": jnp.var, "std": jnp.std, "norm": jnp.linalg.norm,
        "logsumexp": jax.scipy.special.logsumexp, "softmax": jax.nn.softmax, "log_softmax": jax.nn.log_softmax,
        "layer_norm": lambda x: jax.nn.standardize(x, epsilon=EPSILON),
        "rms_norm": lambda x: composed(jnp, "rms_norm", x),
    }
    types = {"f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16, "f64": jnp.float64}
    compiled = {name: jax.jit(call) for name, call in calls.items()}

    def of_type(function, of, x):
        result = compiled[function](jnp.asarray(x, types[of]))
        return np.asarray(result.astype(jnp.float64))

    return of_type


def indim_of(command, of, files, steps):
    """The results of indim for all files, by function, in one process."""
    wanted, lines, operands = [], [], []
    for number, (path, factors_path) in enumerate(files):
        operands += [f"x{number}={path}", f"f{number}={factors_path}"]
        for function, expression in (SCALARS | ROWS).items():
            name = f"f{number}" if function == "prod" else f"x{number}"
            text = expression.replace("(x", f"(convert({name}, {of})")
            if function in ROWS:
                text = f"slice({text}, [0], [{steps[number][0]}], [{steps[number][1]}])"
            wide = "f64" if of == "f64" else "f32"
            lines.append(f"convert({text}, {wide})\n")
            wanted.append(function)
    call = [command, "batch", "--json", *operands]
    ran = subprocess.run(call, input="".join(lines), capture_output=True, text=True, check=True)
    found = {}
    # Few digits stand for a number of F32, which is not that of F64.
    number = np.float64 if of == "f64" else np.float32
    for function, line in zip(wanted, ran.stdout.splitlines(), strict=True):
        found.setdefault(function, []).append(np.array(json.loads(line)["values"], number))
    return found


def burn_of(command, function, x):
    ran = subprocess.run([command, "--map", BURN[function]], input=x.tobytes(), capture_output=True, check=True)
    return np.frombuffer(ran.stdout, np.float32)[0]


def ulps(function, of, found, wanted):
    """The largest error, in ULP of the exact results, of layer_norm's below 1 in ULP of 1; where the exact
    result is too large for the type, 0."""
    fraction, least, most = TYPES[of]
    found, wanted = np.atleast_1d(np.asarray(found, np.longdouble)), np.atleast_1d(wanted)
    size = np.maximum(np.abs(wanted), 1) if function == "layer_norm" else np.abs(wanted)
    exponent = np.maximum(np.frexp(size)[1] - 1, least)
    errors = np.abs(found - wanted) / np.ldexp(np.longdouble(1), exponent - fraction)
    errors = np.where(np.abs(wanted) > most, 0, errors)
    return float(np.where(np.isnan(errors), np.inf, errors).max())


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("indim", help="the command")
    parser.add_argument("--burn", metavar="PROGRAM", help="indim-peers-burn")
    parser.add_argument("--types", default=",".join(TYPES), help="of these")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="elements")
    return parser.parse_args()


def compare(given, jax, of, kind, folder, worst):
    """Notes the largest errors, by function and library."""
    counts = [count for count in SIZES if count <= given.most]
    # An odd step, so that the places are of both kinds where they alternate.
    steps = [(count, max(1, count // 1024 - 1)) for count in counts]
    exact, files = [], []

    def note(function, library, found, wanted):
        error = ulps(function, of, found, wanted)
        of_function = worst.setdefault(function, {})
        of_function[library] = max(error, of_function.get(library, 0.0))

    for count, step in steps:
        made = elements(kind, count)
        x, f = rounded(of, made), rounded(of, factors(made))
        results = Exact(of, x, np.arange(0, count, step))
        results.prod = product(f.astype(WIDE.get(of, np.float64)))
        exact.append(results)
        files.append([folder / f"{name}{count}.npy" for name in "xf"])
        np.save(files[-1][0], x)
        np.save(files[-1][1], f)
        for function in SCALARS | ROWS:
            operand, wanted = f if function == "prod" else x, getattr(results, function)

            def places(found):
                return found[::step] if function in ROWS else found

            if of != "bf16":
                with np.errstate(all="ignore"):
                    note(function, "numpy", places(numpy_of(function, operand)), wanted)
            if jax:
                note(function, "jax", places(jax(function, of, operand)), wanted)
            if given.burn and of == "f32" and function in BURN:
                note(function, "burn", burn_of(given.burn, function, operand), wanted)
    for function, found in indim_of(given.indim, of, files, steps).items():
        for one, results in zip(found, exact, strict=True):
            note(function, "indim", one, getattr(results, function))


def main():
    given, jax = options(), jax_of()
    libraries = ["indim", "numpy"] + (["jax"] if jax else []) + (["burn"] if given.burn else [])
    print("| function | type | " + " | ".join(libraries) + " |")
    print("|---|---|" + "---|" * len(libraries))
    for of in given.types.split(","):
        worst = {}
        for kind in KINDS:
            with tempfile.TemporaryDirectory() as folder:
                compare(given, jax, of, kind, pathlib.Path(folder), worst)
        for function, errors in worst.items():
            cells = [f"{errors[name]:.3g}" if name in errors else "" for name in libraries]
            print(f"| `{function}` | {of.upper()} | {' | '.join(cells)} |", flush=True)


main()
