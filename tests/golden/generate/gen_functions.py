#!/usr/bin/env python3
"""Writes golden cases of the functions that gen.py leaves out.  usage: gen_functions.py SEED OUT.jsonl"""

import argparse

import numpy as np

from arrays import F32, from_bits, is_subnormal
from cases import DOMAINS, F32_POINTS, points
from operations import FUNCTIONS
from recorder import Recorder
from samples import operand

# What else to ask of every function: both signs of these, and of their neighbours for the most part.
MAGNITUDES = [0.25, 0.75, 1.4616321, 2, 3, 4, 8, 10.0546875, 12.5, 20, 23.5, 33.5, 87, 1e4, 1e10, 1e20, 1e30]
# The zeros of lgamma and digamma below 0 that are the first, and places beside poles.
NEGATIVE = [-0.50408304, -1.5734985, -2.457025, -2.610721, -2.747683, -3.1435809, -3.9552942, -4.0391617, -4.991544]
NEGATIVE += [-0.9999, -1.0001, -2.0001, -7.00001, -20.5, -50.25, -1000.125]

FORMATS = [(5, 10), (8, 7), (4, 3), (5, 2), (8, 10), (8, 23), (6, 9), (3, 1), (2, 0), (1, 0), (8, 0), (1, 23), (30, 30)]
FORMATS_REFUSED = [(0, 10), (-1, 3), (5, -1)]


def neighbours(values):
    values = np.asarray(values, F32)
    return np.concatenate([values, np.nextafter(values, F32(0)), np.nextafter(values, F32(np.inf))])


def functions(record, rng):
    plain = np.isfinite(F32_POINTS) & ~is_subnormal(F32_POINTS)
    magnitudes = neighbours(MAGNITUDES)
    for op in FUNCTIONS:
        for dtype in ("i32", "u32", "pred"):
            record.unary(op, operand(rng, dtype, (2,)))
        record.unary(op, F32_POINTS[plain])
        record.unary(op, F32_POINTS[~plain])
        record.unary(op, magnitudes)
        record.unary(op, -magnitudes)
        record.unary(op, neighbours(NEGATIVE))
        for shape in ((4, 5), (2, 3, 2), (7, 9), (), (0, 3), (1,)):
            record.unary(op, np.asarray(rng.uniform(*DOMAINS[op], size=shape), F32))
            record.unary(op, np.asarray(rng.uniform(-8, 8, size=shape), F32))
        # Every exponent.
        for _ in range(4):
            record.unary(op, from_bits(rng.integers(0, 2**32, 60)))


def next_afters(record, rng):
    ends = [0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xBF800000]
    ends = from_bits(ends + [0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000])
    lhs, rhs = (np.ascontiguousarray(side) for side in np.meshgrid(ends, ends))
    record.binary("NextAfter", lhs, rhs, None)
    for shape in ((4, 5), (2, 3, 2), (), (0, 3), (1,)):
        for special in (False, True):
            lhs, rhs = operand(rng, "f32", shape, special=special), operand(rng, "f32", shape, special=special)
            record.binary("NextAfter", lhs, rhs, None)
            record.binary("NextAfter", from_bits(rng.integers(0, 2**32, shape)).reshape(shape), rhs, None)
    for lhs_shape, rhs_shape in (((), (2, 3)), ((2, 3), ()), ((3,), (2, 3)), ((1, 3), (2, 3)), ((2, 4), (2, 3))):
        record.binary("NextAfter", operand(rng, "f32", lhs_shape), operand(rng, "f32", rhs_shape), None)
    record.binary("NextAfter", operand(rng, "i32", (3,)), operand(rng, "i32", (3,)), None)


def reduced_precisions(record, rng):
    for bits in FORMATS:
        record.reduce_precision(points("f32"), *bits)
        # Near the ends of the format, and halfway between its numbers.
        mantissa = min(bits[1], 23)
        exponents = rng.integers(-(2 ** (min(bits[0], 8) - 1)), 2 ** (min(bits[0], 8) - 1) + 1, 40)
        halves = rng.integers(0, 2 ** (mantissa + 2), 40) * 2.0 ** -(mantissa + 1)
        record.reduce_precision(((1 + halves) * np.exp2(exponents.astype(np.float64))).astype(F32), *bits)
        record.reduce_precision(from_bits(rng.integers(0, 2**32, (5, 8))), *bits)
        record.reduce_precision(operand(rng, "f32", ()), *bits)
    for bits in FORMATS_REFUSED:
        record.reduce_precision(operand(rng, "f32", (3,)), *bits)
    for dtype in ("i32", "u32", "pred"):
        record.reduce_precision(operand(rng, dtype, (3,)), 5, 10)


def main():
    parser = argparse.ArgumentParser(description="Writes golden cases of the functions that gen.py leaves out.")
    parser.add_argument("seed", type=int)
    parser.add_argument("out")
    arguments = parser.parse_args()

    rng = np.random.default_rng(arguments.seed)
    record = Recorder()
    with np.errstate(over="ignore"):
        functions(record, rng)
        next_afters(record, rng)
        reduced_precisions(record, rng)
    record.write(arguments.out)


if __name__ == "__main__":
    main()
