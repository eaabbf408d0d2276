#!/usr/bin/env python3
"""Prints XLA's own errors against float64, which the test's tolerance table adds to the library's.  usage: accuracy.py

The operands are drawn as cases.py draws them, but many more, in shapes that XLA compiles differently: a large one, one
with a rest after its vectors, and single elements."""

import numpy as np

import operations
import reference
from arrays import F32, ulps_between
from cases import DOMAINS, F32_POINTS
from oracle import run

SHAPES = {(1 << 20,): 1, (4, 5): 10_000, (2, 3, 2): 10_000, (): 20_000}


def unary_operands(rng, op, count):
    return [rng.uniform(*DOMAINS.get(op, (-8, 8)), size=count).astype(F32)]


def binary_operands(rng, op, count):
    if op == "Pow":
        return [np.exp(rng.uniform(-3, 3, count)).astype(F32), rng.uniform(-8, 8, count).astype(F32)]
    scales = 10.0 ** rng.integers(-3, 4, (2, count))
    return list((rng.standard_normal((2, count)) * scales).astype(F32))


def report(name, op, function, truth, operands, shape):
    size = max(int(np.prod(shape)), 1)
    results = [
        run((op, shape), function, [operand[at : at + size].reshape(shape) for operand in operands]).ravel()
        for at in range(0, len(operands[0]), size)
    ]
    result = np.concatenate(results)
    with np.errstate(all="ignore"):
        exact = truth(*[operand.astype(np.float64) for operand in operands]).astype(F32)
    # Subnormals are flushed and large results overflow; neither is an error of rounding.
    counted = np.isfinite(exact) & np.isfinite(result) & (np.abs(exact) > 2 * np.finfo(F32).tiny)
    for operand in operands:
        counted &= np.abs(operand) >= np.finfo(F32).tiny
    errors = np.where(counted, ulps_between(exact, result), 0)
    worst = np.argsort(errors)[::-1][:3]
    where = ", ".join("%d at %s" % (errors[i], [float(operand[i]) for operand in operands]) for i in worst)
    print("%-9s %-12s %s" % (op, name, where), flush=True)


def main():
    rng = np.random.default_rng(0)
    for op in sorted(operations.APPROXIMATE):
        if op in reference.APPROXIMATE_UNARY:
            function, truth, draw = operations.unary(op), reference.APPROXIMATE_UNARY[op], unary_operands
            report("points", op, function, truth, [F32_POINTS], F32_POINTS.shape)
        else:
            function, truth, draw = operations.binary(op, None), reference.APPROXIMATE_BINARY[op], binary_operands
        for shape, times in SHAPES.items():
            operands = draw(rng, op, int(np.prod(shape)) * times)
            report(str(shape), op, function, truth, operands, shape)


if __name__ == "__main__":
    main()
