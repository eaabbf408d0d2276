#!/usr/bin/env python3
"""Asks JAX for functions of complex numbers on both sides of every cut, and for infinite operands.

usage: gen_cuts.py CUTS.jsonl INFINITIES.jsonl

A line of the first file has a function, operands on one of its cuts with +0 and then with -0 as the part that is
0, what JAX gives for them, and the row of the table in complex/cuts.md. The axes that are not
cuts are not in it.
Operands of Atan2 are y and x, each with a part that is 0: all four choices of the two zeros follow each other. Its
last line has operands off the axes on which x^2 + y^2 is negative, and no row.
A line of the second one has a function, all operands of which a part is infinite and the other one a zero, a
number, infinite or NaN, what JAX gives for them, and what NumPy does by C's library, as C99's annex G says.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 jaxlib==0.10.2 numpy
    venv/bin/python gen_cuts.py ../complex/cuts.jsonl ../complex/infinities.jsonl
"""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_platforms", "cpu")

LEFT, RIGHT = "real axis, left of {}", "real axis, right of {}"
LOWER, UPPER = "imaginary axis, below {}", "imaginary axis, above {}"
EXPONENT = 0.5

FUNCTIONS = {
    "Sqrt": (jnp.sqrt, [(LEFT, 0)]),
    "Rsqrt": (jax.lax.rsqrt, [(LEFT, 0)]),
    "Log": (jnp.log, [(LEFT, 0)]),
    "Log1p": (jnp.log1p, [(LEFT, -1)]),
    "Pow": (lambda z: jnp.power(z, np.complex64(EXPONENT)), [(LEFT, 0)]),
    "Asin": (jnp.arcsin, [(LEFT, -1), (RIGHT, 1)]),
    "Acos": (jnp.arccos, [(LEFT, -1), (RIGHT, 1)]),
    "Atan": (jnp.arctan, [(LOWER, -1), (UPPER, 1)]),
    "Asinh": (jnp.arcsinh, [(LOWER, -1), (UPPER, 1)]),
    "Acosh": (jnp.arccosh, [(LEFT, 1)]),
    "Atanh": (jnp.arctanh, [(LEFT, -1), (RIGHT, 1)]),
}
# The values of y and x, on whose axes Atan2 has its cuts: left of 0 on the real axis with y between ix and -ix, and
# wherever x^2 + y^2 is negative. None stands for the part that is 0.
AXES_OF_ATAN2 = [
    ((None, 0.5), (-1, None)), ((None, -0.5), (-1, None)), ((None, None), (-1, None)),
    ((None, 2), (1, None)), ((None, 2), (-1, None)), ((None, -2), (1, None)), ((None, -2), (-1, None)),
    ((None, 2), (None, None)), ((None, -2), (None, None)),
    ((0.5, None), (None, 1)), ((0.5, None), (None, -1)), ((-0.5, None), (None, 1)), ((-0.5, None), (None, -1)),
    ((None, None), (None, -1)),
    ((None, 0.5), (None, 1)), ((None, 0.5), (None, -1)), ((None, -0.5), (None, 1)), ((None, -0.5), (None, -1)),
]
# Factors of both operands that leave them on their cut, and factors of y alone, which is not doubled.
SCALES = [1.0, 3.0, 1e-6, 1e8]
SHRINKS = [1.0, 0.75, 1.75]
# Operands off the axes with a negative x^2 + y^2, whose imaginary part is exactly 0.
OFF_AXES = [((1, -2), (1, 2)), ((1, 2), (-1, 2)), ((3, 8), (-4, 6)), ((0.5, 2), (0.25, -4)), ((0.1, 2), (-0.1, 2))]
# Functions with NumPy's, where it has one.
EVERYWHERE = {
    "Sqrt": (jnp.sqrt, np.sqrt), "Rsqrt": (jax.lax.rsqrt, None), "Log": (jnp.log, np.log),
    "Log1p": (jnp.log1p, np.log1p), "Exp": (jnp.exp, np.exp), "Expm1": (jnp.expm1, np.expm1),
    "Logistic": (jax.nn.sigmoid, None), "Sin": (jnp.sin, np.sin), "Cos": (jnp.cos, np.cos), "Tan": (jnp.tan, np.tan),
    "Sinh": (jnp.sinh, np.sinh), "Cosh": (jnp.cosh, np.cosh), "Tanh": (jnp.tanh, np.tanh),
    "Asin": (jnp.arcsin, np.arcsin), "Acos": (jnp.arccos, np.arccos), "Atan": (jnp.arctan, np.arctan),
    "Asinh": (jnp.arcsinh, np.arcsinh), "Acosh": (jnp.arccosh, np.arccosh), "Atanh": (jnp.arctanh, np.arctanh),
    "Square": (jnp.square, np.square), "Reciprocal": (jnp.reciprocal, np.reciprocal), "Abs": (jnp.abs, np.abs),
}
PARTS = [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan]
# Distances from the end of a cut.
DISTANCES = [0.5, 0.125, 1.0, 1.75, 2.0, 40.0, 1e10]


def operands(cut, end):
    """Points of the cut, at every distance with +0 and with -0."""
    points = []
    for distance in DISTANCES:
        part = end + distance if cut in (RIGHT, UPPER) else end - distance
        for zero in (0.0, -0.0):
            points.append((part, zero) if cut in (LEFT, RIGHT) else (zero, part))
    return np.array(points, np.float32)


def digits(parts):
    return "".join(f"{word:08x}" for word in np.asarray(parts, np.float32).view(np.uint32))


def sign(part):
    return "-" if np.signbit(part) else "+"


def shown(parts):
    """A number to four digits; a part that is noise beside the other one is 0."""
    size = np.abs(parts).max()
    x, y = (part if part == 0 or abs(part) > 1e-6 * size else 0.0 for part in map(float, parts))
    real = f"{x:.4g}" if x != 0 else "0"
    return f"{real}{sign(y)}{abs(y):.4g}i"


def operand_shown(parts):
    x, y = map(float, parts)
    return f"{'-' if np.signbit(x) else ''}{abs(x):.4g}{sign(y)}{abs(y):.4g}i"


def called(function, *operands):
    """A function of operands that are pairs of parts, as such pairs."""
    values = np.asarray(function(*(points.view(np.complex64).ravel() for points in operands))).astype(np.complex64)
    return values.view(np.float32).reshape(-1, 2)


def cut_line(op, function, cut, end):
    points = operands(cut, end)
    values = called(jax.jit(function), points)
    cells = [f"`{operand_shown(z)}`: `{shown(w)}`" for z, w in zip(points[:2], values[:2])]
    name = f"`{op}`" if op != "Pow" else f"`Pow` {EXPONENT}"
    row = " | ".join([name, cut.format(f"{end}i" if end and cut in (LOWER, UPPER) else end), *cells])
    return {"op": op, "operands": [*map(digits, points)], "results": [*map(digits, values)], "row": f"| {row} |"}


def with_zero(parts, zero, scale):
    return [zero if part is None else part * scale for part in parts]


def axis_shown(parts):
    x, y = ("±0" if part is None else f"{part:.4g}" for part in parts)
    return f"{x}{'' if y[0] in '-±' else '+'}{y}i"


def atan2_line(points, row):
    y, x = (np.array(operand, np.float32) for operand in zip(*points))
    values = called(jax.jit(jax.lax.atan2), y, x)
    row = " | ".join([row, *(f"`{shown(w)}`" for w in values[:4])])
    operands = [digits(z) + digits(w) for z, w in zip(y, x)]
    return {"op": "Atan2", "operands": operands, "results": [*map(digits, values)], "row": f"| {row} |"}


def atan2_lines():
    for y, x in AXES_OF_ATAN2:
        points = [
            (with_zero(y, of_y, scale * shrink), with_zero(x, of_x, scale))
            for scale in SCALES for shrink in SHRINKS for of_y in (0.0, -0.0) for of_x in (0.0, -0.0)
        ]
        yield atan2_line(points, f"`{axis_shown(y)}`, `{axis_shown(x)}`")
    turns = [(s * y[0], s * y[1], t * x[0], t * x[1]) for s in (1, -1) for t in (1, -1) for y, x in OFF_AXES]
    line = atan2_line([((a, b), (c, d)) for a, b, c, d in turns], "")
    yield {**line, "row": ""}


def infinity_line(op, function, of_c):
    points = np.array([(x, y) for x in PARTS for y in PARTS if np.isinf(x) or np.isinf(y)], np.float32)
    jax_values = called(jax.jit(function), points)
    with np.errstate(all="ignore"):
        c_values = called(of_c, points) if of_c else jax_values
    return {"op": op, "operands": [*map(digits, points)], "jax": [*map(digits, jax_values)], "c99": [*map(digits, c_values)]}


def write(path, lines):
    with open(path, "w", encoding="ascii") as out:
        for line in lines:
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


def main():
    cuts = ((op, function, *cut) for op, (function, cuts) in FUNCTIONS.items() for cut in cuts)
    write(sys.argv[1], [*(cut_line(*cut) for cut in cuts), *atan2_lines()])
    write(sys.argv[2], (infinity_line(op, *functions) for op, functions in EVERYWHERE.items()))


if __name__ == "__main__":
    main()
