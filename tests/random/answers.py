"""Writes the answers of `jax.random` to a number of calls, a line of JSON each.

    pip install jax==0.10.2
    python tests/random/answers.py > tests/random/answers.jsonl

A line has the function, the words of the key, the element type and the sizes of the result, the operands as
[type, sizes, elements] and the elements of the result; elements are their bits, as unsigned integers.
"""

import json
import os

os.environ["JAX_PLATFORMS"] = "cpu"
# Each operation rounds to its type, and nothing is contracted to a fused multiply-add.
os.environ["XLA_FLAGS"] = "--xla_allow_excess_precision=false --xla_cpu_max_isa=AVX"

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_threefry_partitionable", True)

SEEDS = (0, 1, 42, 2**40 + 7)
FLOATS = {"f16": jnp.float16, "bf16": jnp.bfloat16, "f32": jnp.float32, "f64": jnp.float64}
INTEGERS = {"%s%d" % (sign, bits): np.dtype("%sint%d" % ("u" * (sign == "u"), bits)) for sign in "su" for bits in (8, 16, 32, 64)}
NAMES = {np.dtype(of): name for name, of in (FLOATS | INTEGERS | {"pred": np.bool_}).items()}


def bits(array):
    array = np.asarray(array)
    words = array.view("u%d" % array.itemsize)
    return [NAMES[array.dtype], list(array.shape), [int(word) for word in words.ravel()]]


def line(function, key, result, *operands):
    of, sizes, expected = bits(result)
    operands = [bits(operand) for operand in operands]
    words = [int(word) for word in key]
    print(json.dumps({"function": function, "key": words, "type": of, "sizes": sizes, "operands": operands, "expected": expected}))


def keys():
    for seed in SEEDS:
        key = jax.random.PRNGKey(seed)
        line("key", key, key)
        line("split", key, jax.random.split(key, 3))
    line("split", key, jax.random.split(key, (2, 3)))
    line("split", key, jax.random.split(key, ()))
    for data in (0, 1, 2**32 - 1):
        data = np.uint32(data)
        line("fold_in", key, jax.random.fold_in(key, data), data)
    data = np.arange(5, dtype=np.uint32) * 1000
    line("fold_in", key, jnp.stack([jax.random.fold_in(key, one) for one in data]), data)


def floats(key):
    for name, of in FLOATS.items():
        count = (4, 51) if name == "f32" else (2, 21)
        line("uniform", key, jax.random.uniform(key, count, of), np.array(0, of), np.array(1, of))
        low, high = np.array(-3.7, of), np.array(11.3, of)
        line("uniform", key, jax.random.uniform(key, count, of, low, high), low, high)
        line("normal", key, jax.random.normal(key, (32, 33) if name == "f32" else count, of))
        p = np.array(0.3, of)
        line("bernoulli", key, jax.random.bernoulli(key, p, count), p)
    low = np.linspace(-5, 5, 21, dtype=np.float32)
    line("uniform", key, jax.random.uniform(key, (21,), jnp.float32, low, low * low), low, low * low)
    p = np.linspace(0, 1, 21, dtype=np.float32)
    line("bernoulli", key, jax.random.bernoulli(key, p), p)


def integers(key):
    for name, of in INTEGERS.items():
        least, most = np.iinfo(of).min, np.iinfo(of).max
        for low, high in ((1, 7), (least, most), (5, 5)):
            low, high = of.type(low), of.type(high)
            line("randint", key, jax.random.randint(key, (3, 14), low, high, of), low, high)
        if name.startswith("u"):
            line("bits", key, jax.random.bits(key, (3, 7), of))
    low = np.arange(-10, 11, dtype=np.int32)
    high = (low * low * 1000).astype(np.int32)
    line("randint", key, jax.random.randint(key, (21,), low, high, np.int32), low, high)


def main():
    keys()
    key = jax.random.split(jax.random.PRNGKey(42))[1]
    floats(key)
    integers(key)
    for seed in SEEDS:
        key = jax.random.PRNGKey(seed)
        line("bits", key, jax.random.bits(key, (5,), np.uint32))
    line("bits", key, jax.random.bits(key, (), np.uint32))
    line("bits", key, jax.random.bits(key, (2, 3, 4, 5), np.uint32))
    # Positions of more than 32 bits, which no array here has.
    from jax._src.random.threefry2x32 import threefry2x32_p

    high, low = np.full(4, 1, np.uint32), np.arange(3, 7, dtype=np.uint32)
    hashes = threefry2x32_p.bind(*(jnp.full(4, word) for word in key), jnp.asarray(high), jnp.asarray(low))
    line("bits_from_2_32", key, hashes[0] ^ hashes[1])


main()
