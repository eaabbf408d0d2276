"""Writes JAX's answers to takes and cumulative operations, a line of JSON each.

    new/bin/python gen_jax.py 20261129 ../jax/answers.jsonl

A line has the operation, the dimension, the operands as [type, sizes, elements] and the result likewise; elements
are their bits, as unsigned integers. Floats are multiples of 1/8 small enough that every order of their sums and
products gives the same bits, but for NaN and infinities.
"""

import json
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

FLOATS = {"f16": jnp.float16, "bf16": jnp.bfloat16, "f32": np.float32, "f64": np.float64}
INTEGERS = {f"{sign}{bits}": np.dtype(f"{'u' * (sign == 'u')}int{bits}") for sign in "su" for bits in (8, 16, 32, 64)}
TYPES = FLOATS | INTEGERS
NAMES = {np.dtype(of): name for name, of in (TYPES | {"pred": np.bool_}).items()}
SCANS = {"cumsum": jax.lax.cumsum, "cumprod": jax.lax.cumprod, "cummax": jax.lax.cummax, "cummin": jax.lax.cummin}


def bits(array):
    array = np.asarray(array)
    words = array.view(f"u{array.itemsize}")
    return [NAMES[array.dtype], list(array.shape), [int(word) for word in words.ravel()]]


def elements(random, of, sizes):
    if of == "pred":
        return random.integers(0, 2, sizes).astype(np.bool_)
    if of in FLOATS:
        return (random.integers(-4, 5, sizes) / 8).astype(FLOATS[of])
    limits = np.iinfo(INTEGERS[of])
    return random.integers(limits.min, limits.max, sizes, INTEGERS[of], endpoint=True)


def indices(random, of, sizes, size, least):
    """Return indices of which some are out of range."""
    limits = np.iinfo(INTEGERS[of])
    low = max(least, int(limits.min))
    some = random.integers(low, min(size + 3, int(limits.max)), sizes).astype(INTEGERS[of])
    return np.where(random.random(sizes) < 0.1, limits.max, some).astype(INTEGERS[of])


def takes(random):
    for of in [*TYPES, "pred"]:
        for sizes, dimension, own in [((5,), 0, (7,)), ((4, 3), 0, (2, 3)), ((2, 6, 3), 1, ()), ((3, 2, 5), 2, (4,))]:
            of_index = str(random.choice(list(INTEGERS)))
            x = elements(random, of, sizes)
            i = indices(random, of_index, own, sizes[dimension], -3)
            yield "take", dimension, [x, i], jnp.take(x, i, axis=dimension, mode="clip")
        for sizes, dimension, own in [((5,), 0, (9,)), ((4, 6), 1, (4, 3)), ((3, 5, 2), 1, (1, 4, 2))]:
            of_index = str(random.choice(list(INTEGERS)))
            x = elements(random, of, sizes)
            # JAX counts negative indices from the end here.
            i = indices(random, of_index, own, sizes[dimension], 0)
            yield "take_along_dimension", dimension, [x, i], jnp.take_along_axis(x, i, axis=dimension, mode="clip")


def scans(random):
    for name, scan in SCANS.items():
        for of in TYPES:
            for sizes, dimension in [((37,), 0), ((3, 20), 1), ((18, 4), 0), ((2, 17, 3), 1)]:
                x = elements(random, of, sizes)
                if of in FLOATS and name == "cumprod":
                    x = (np.sign(x) * 2.0 ** random.integers(-1, 2, sizes)).astype(FLOATS[of])
                yield name, dimension, [x], scan(x, axis=dimension)
        special = np.array([1.0, -0.5, np.inf, 2.0, np.nan, 3.0, -np.inf], np.float32)
        yield name, 0, [special], scan(special)
        long = elements(random, "f32", (300,))
        if name != "cumprod":
            yield name, 0, [long], scan(long)


def main():
    random = np.random.default_rng(int(sys.argv[1]))
    with open(sys.argv[2], "w", newline="\n") as out:
        for answers in (takes(random), scans(random)):
            for name, dimension, operands, result in answers:
                line = {"operation": name, "dimension": dimension, "operands": [bits(x) for x in operands]}
                print(json.dumps(line | {"result": bits(result)}, separators=(",", ":")), file=out)


main()
