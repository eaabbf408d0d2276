"""Writes everyday functions of JAX as StableHLO, with arrays and JAX's results.

    python stablehlo/tests/jax/programs.py DIRECTORY

makes NAME.mlir (`lower`), NAME.export.mlir (`jax.export`) and NAME.npz (in0, ..., out0, ...) of each. Without
a directory they are written beside this file.
"""

import os
import pathlib
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
# Each operation rounds to its type, as StableHLO says.
os.environ["XLA_FLAGS"] = "--xla_allow_excess_precision=false"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax.scipy import special, stats

jax.config.update("jax_enable_x64", True)
random = np.random.default_rng(1)


def normal(*shape, of=np.float32):
    return random.standard_normal(shape).astype(of)


def between(low, high, count=8):
    return random.uniform(low, high, count).astype(np.float32)


def integers(*shape):
    return random.integers(-9, 9, shape).astype(np.int32)


def layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


def adam(weights, gradients, m, v):
    m = 0.9 * m + 0.1 * gradients
    v = 0.999 * v + 0.001 * gradients * gradients
    return weights - 0.001 * (m / (1 - 0.9)) / (jnp.sqrt(v / (1 - 0.999)) + 1e-8), m, v


def adamw(weights, gradients, m, v):
    norm = jnp.sqrt((gradients * gradients).sum())
    return adam(weights * (1 - 0.01 * 0.001), gradients * jnp.minimum(1.0, 1.0 / norm), m, v)


def nbody(positions):
    apart = positions[None] - positions[:, None]
    squares = (apart * apart).sum(-1) + 0.01
    return (apart * (squares**-1.5)[..., None]).sum(1)


def black_scholes(spot, strike, time, rate, volatility):
    d1 = (jnp.log(spot / strike) + (rate + volatility * volatility / 2) * time) / (volatility * jnp.sqrt(time))
    d2 = d1 - volatility * jnp.sqrt(time)
    return spot * stats.norm.cdf(d1) - strike * jnp.exp(-rate * time) * stats.norm.cdf(d2)


def mandelbrot(c):
    z, count = jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)
    for _ in range(8):
        z = z * z + c
        count = count + (jnp.abs(z) < 2)
    return count


def runge_kutta(y):
    def slope(y):
        return jnp.stack([y[1], -jnp.sin(y[0])])

    k1 = slope(y)
    k2 = slope(y + 0.05 * k1)
    k3 = slope(y + 0.05 * k2)
    k4 = slope(y + 0.1 * k3)
    return y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def rotary(x, cosines, sines):
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([first * cosines - second * sines, second * cosines + first * sines], -1)


def programs():
    """Yields names, functions and arguments."""
    x, y = normal(4, 6), normal(4, 6)
    gaps = x.copy()
    gaps[1, 2] = np.nan
    yield "gelu_tanh", jax.nn.gelu, x
    yield "gelu", lambda x: jax.nn.gelu(x, approximate=False), x
    yield "silu", jax.nn.silu, x
    yield "elu", jax.nn.elu, x
    yield "softplus", jax.nn.softplus, x
    yield "softmax", jax.nn.softmax, x
    yield "log_softmax", jax.nn.log_softmax, x
    yield "logsumexp", lambda x: special.logsumexp(x, axis=1), x
    yield "layer_norm", layer_norm, x, normal(6), normal(6)
    yield "rms_norm", lambda x, g: x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g, x, normal(6)
    yield "cross_entropy", lambda x, t: -(jax.nn.log_softmax(x) * t).sum(-1).mean(), x, np.eye(6, dtype=np.float32)[:4]
    yield "huber", lambda x, y: jnp.where(abs(x - y) < 1, 0.5 * (x - y) ** 2, abs(x - y) - 0.5).mean(), x, y
    yield "adam", adam, x, y, normal(4, 6), abs(normal(4, 6))
    yield "adamw_clipped", adamw, x, y, normal(4, 6), abs(normal(4, 6))
    yield "batch_statistics", lambda x: (x.mean(0), x.var(0), x.std(0)), x
    yield "distances", lambda a, b: jnp.sqrt(((a[:, None] - b[None]) ** 2).sum(-1)), normal(5, 3), normal(4, 3)
    yield "rbf", lambda a, b: jnp.exp(-((a[:, None] - b[None]) ** 2).sum(-1) / 2), normal(5, 3), normal(4, 3)
    yield "nbody", nbody, normal(6, 3)
    values = [between(80, 120), between(80, 120), between(0.1, 2), between(0.01, 0.05), between(0.1, 0.5)]
    yield "black_scholes", black_scholes, *values
    yield "mandelbrot", mandelbrot, (normal(4, 4) + 1j * normal(4, 4)).astype(np.complex64)
    yield "runge_kutta", runge_kutta, normal(2)
    yield "quantise", lambda x: jnp.clip(jnp.round(x / 0.05), -128, 127).astype(jnp.int8), x
    yield "masked_mean", lambda x, m: jnp.where(m, x, 0).sum() / m.sum(), x, random.random((4, 6)) > 0.5
    yield "nan_statistics", lambda x: (jnp.nanmean(x, 0), jnp.nanmax(x, 1)), gaps
    yield "classes", lambda x: (jnp.isnan(x), jnp.isinf(x), jnp.sign(x), jnp.trunc(x)), gaps
    yield "associative_scan", lambda x: lax.associative_scan(jnp.add, x), normal(8)
    yield "rotary", rotary, normal(4, 8), normal(4, 4), normal(4, 4)
    yield "vmap", jax.vmap(jnp.dot), x, y
    yield "grad", jax.grad(lambda x: (jnp.tanh(x) ** 2).sum()), x
    yield "hessian", jax.hessian(lambda x: (jnp.sin(x) * x).sum()), normal(3)
    yield "mixed_types", lambda x, n: x.astype(jnp.bfloat16) * n + jnp.float16(2), x, integers(4, 6)
    yield "argmax", lambda x: (jnp.argmax(x, 1), jnp.argmin(x)), x
    yield "extremes", lambda x: (x.prod(0), x.min(), x.max(1), jnp.any(x > 0, 1), jnp.all(x > -9)), x
    yield "special", lambda x: (special.erf(x), special.erfc(x), lax.lgamma(abs(x) + 1), lax.digamma(abs(x) + 1)), x
    yield "angles", lambda x: (jnp.arctan2(x, x + 1), jnp.sinh(x), jnp.arcsinh(x), jnp.tan(x)), x
    yield "integers", lambda x, y: (x // 3, x % 3, x & y, x << 1, lax.population_count(x)), integers(4, 6), integers(4, 6)
    yield "moves", lambda x: (jnp.pad(x, 1), jnp.roll(x, 1, 0), x[::-1, 1:4:2]), x
    yield "doubles", lambda x: (jnp.exp(x), x.sum(0), jnp.log1p(x * x)), normal(4, 6, of=np.float64)
    yield "complex", lambda z: (jnp.abs(z), jnp.exp(z), jnp.conj(z).imag), (normal(4) + 1j * normal(4)).astype(np.complex64)
    yield "matmul", lambda x, y: x @ y, x, normal(6, 3)
    yield "einsum", lambda x, y: jnp.einsum("bij,bkj->bik", x, y), normal(2, 3, 4), normal(2, 5, 4)
    yield "perceptron", lambda x, w, b, u: jax.nn.relu(x @ w + b) @ u, x, normal(6, 5), normal(5), normal(5, 2)
    yield "attention", lambda q, k, v: jax.nn.softmax(q @ k.T / np.float32(6**0.5)) @ v, x, normal(5, 6), normal(5, 3)


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    directory = directory if directory.is_dir() else directory.parent
    for name, function, *arguments in programs():
        arguments = [jnp.asarray(argument) for argument in arguments]
        compiled = jax.jit(function)
        (directory / f"{name}.mlir").write_text(compiled.lower(*arguments).as_text())
        exported = export.export(compiled)(*arguments)
        # Places name files by their folders, which differ from machine to machine.
        text = re.sub(r'"/[^"]*/([^/"]+\.py)"', r'"\1"', exported.mlir_module())
        (directory / f"{name}.export.mlir").write_text(text)
        arrays = {f"in{number}": np.asarray(argument) for number, argument in enumerate(arguments)}
        for number, result in enumerate(jax.tree.leaves(compiled(*arguments))):
            # NumPy has no bfloat16.
            result = result.astype(jnp.float32) if result.dtype == jnp.bfloat16 else result
            arrays[f"out{number}"] = np.asarray(result)
        np.savez_compressed(directory / f"{name}.npz", **arrays)


main()
