#!/usr/bin/env python3
"""Prints a table of how far reductions of F32 are from the exact result, of indim, NumPy, JAX (CPU) and burn.

    scripts/with-adapter benches/peers/sums.py PATH/TO/indim [PATH/TO/indim-peers-burn] > TABLE

For each function and kind of elements it is the largest error of 2^10, 2^12, ..., 2^24 elements, in ULP of the
exact result. Exact results are those of math.fsum and of NumPy's longdouble. Needs NumPy; JAX where it is installed,
and burn where its program is given, which `benches/peers/run` builds.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SIZES = [1 << power for power in range(10, 25, 2)]


def elements(kind, count):
    """Elements that are hard to add: of a kind, always the same."""
    random = np.random.default_rng(count)
    index = np.arange(count)
    made = {
        "random": lambda: random.random(count),
        "growing": lambda: 1.0 + index / 7.0,
        "alternating": lambda: np.where(index % 2 == 0, 1.0, -1.0) * (1.0 + index / count),
        "cancelling": lambda: np.concatenate([(half := random.normal(size=count // 2)), -half[::-1]]) + 1e-3,
        "tenths": lambda: np.full(count, 0.1),
    }[kind]()
    return made.astype(np.float32)


def exact(function, x):
    """The result as a float of 64 bits."""
    if function == "reduce_sum":
        return math.fsum(x)
    wide = x.astype(np.longdouble)
    if function == "mean":
        return math.fsum(x) / len(x)
    if function == "var":
        mean = wide.sum() / len(x)
        return float(((wide - mean) ** 2).sum() / len(x))
    most = wide.max()
    return float(most + np.log(np.exp(wide - most).sum()))


def numpy_of(function, x):
    if function == "logsumexp":
        most = x.max()
        return most + np.log(np.exp(x - most).sum())
    return {"reduce_sum": np.sum, "mean": np.mean, "var": np.var}[function](x)


def jax_of():
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    calls = {
        "reduce_sum": jnp.sum,
        "mean": jnp.mean,
        "var": jnp.var,
        "logsumexp": jax.scipy.special.logsumexp,
    }
    return lambda function, x: np.float32(jax.jit(calls[function])(x))


def indim_of(command, function, paths):
    """The results of indim for all files, in one process."""
    operands = [f"x{number}={path}" for number, path in enumerate(paths)]
    lines = "".join(f"{function}(x{number}, [0])\n" for number in range(len(paths)))
    call = [command, "batch", "--json", *operands]
    ran = subprocess.run(call, input=lines, capture_output=True, text=True, check=True)
    return [np.float32(json.loads(line)["values"][0]) for line in ran.stdout.splitlines()]


def burn_of(command, function, x):
    ran = subprocess.run([command, "--map", function], input=x.tobytes(), capture_output=True, check=True)
    return np.frombuffer(ran.stdout, np.float32)[0]


def ulps(found, wanted):
    return abs(float(found) - wanted) / float(np.spacing(np.abs(np.float32(wanted))))


def main():
    command, burn = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    jax = jax_of()
    libraries = ["indim", "numpy"] + (["jax"] if jax else []) + (["burn"] if burn else [])
    print("| function | elements | " + " | ".join(libraries) + " |")
    print("|---|---|" + "---|" * len(libraries))
    kinds = ["random", "growing", "alternating", "cancelling", "tenths"]
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            arrays = [elements(kind, count) for count in SIZES]
            paths = [pathlib.Path(folder) / f"{kind}{len(x)}.npy" for x in arrays]
            for path, x in zip(paths, arrays):
                np.save(path, x)
            for function in ["reduce_sum", "mean", "var", "logsumexp"]:
                wanted = [exact(function, x) for x in arrays]
                found = [indim_of(command, function, paths), [numpy_of(function, x) for x in arrays]]
                if jax:
                    found.append([jax(function, x) for x in arrays])
                if burn:
                    found.append([burn_of(burn, function, x) for x in arrays])
                worst = [max(map(ulps, results, wanted)) for results in found]
                print(f"| `{function}` | {kind} | " + " | ".join(f"{error:.3g}" for error in worst) + " |")
            for path in paths:
                path.unlink()


main()
