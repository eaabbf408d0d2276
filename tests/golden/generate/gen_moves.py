#!/usr/bin/env python3
"""Writes golden cases of pad, concatenate and roll in all element types.  usage: gen_moves.py SEED OUT.jsonl

XLA gives pad and concatenate, NumPy gives roll, which XLA has not."""

import argparse

import numpy as np
from jaxlib import xla_client

from arrays import DTYPE_OF_NAME, encode
from oracle import ops
from recorder import Recorder
from typed_operations import ALL_TYPES, FLOATS, WIDTHS

# Sizes of operands: scalars, rows of whole words and odd ones, no elements.
SHAPES = [(), (1,), (7,), (16,), (3, 5), (4, 8), (0, 3), (2, 3, 4), (1, 6)]


class Moves(Recorder):
    def _alternative(self, line, function, operands, result, patch):
        """Nothing is computed, so that folding has the same bits."""
        return None


def elements(rng, name, shape):
    """Any values of a type. Of floats these are whole numbers and halves, so that every format has them."""
    if name == "pred":
        return rng.integers(0, 2, shape).astype(bool)
    if name in FLOATS:
        return (rng.integers(-64, 64, shape) / 2).astype(DTYPE_OF_NAME[name])
    if name == "c64":
        return (rng.integers(-64, 64, shape) / 2 + 1j * rng.integers(-64, 64, shape)).astype(np.complex64)
    width = WIDTHS[name]
    low, high = (-(1 << width - 1), 1 << width - 1) if name[0] == "s" else (0, 1 << width)
    return rng.integers(low, high, shape, dtype=np.int64 if name[0] == "s" else np.uint64).astype(DTYPE_OF_NAME[name])


def pad(record, operand, value, low, high, interior):
    config = xla_client.make_padding_config(list(zip(low, high, interior)))
    fields = {"operands": [encode(operand), encode(value)], "low": low, "high": high, "interior": interior}
    key = ("Pad", tuple(low), tuple(high), tuple(interior))
    record._ask("pad", "Pad", fields, key, lambda x, v: ops.Pad(x, v, config), [operand, value])


def concatenate(record, operands, dimension):
    def function(*values):
        # Without operands the function is given the builder.
        return ops.ConcatInDim(Builder.last, list(values) if operands else [], dimension)

    fields = {"operands": [encode(operand) for operand in operands], "dimension": dimension}
    record._ask("concatenate", "Concatenate", fields, ("Concatenate", dimension, len(operands)), function, operands)


def roll(record, operand, shifts, dimensions):
    fields = {"operands": [encode(operand)], "shifts": shifts, "dimensions": dimensions}
    line = record._line("roll", "Roll", fields)
    result = np.roll(operand, shifts, dimensions) if dimensions else operand
    line.update(ok=True, error=None, error_kind=None, exact=True, result=encode(np.asarray(result, order="C")))


class Builder(xla_client.XlaBuilder):
    """Keeps the last builder that was made: ConcatInDim wants it, and an XlaOp does not name it."""

    last = None

    def __init__(self, name):
        super().__init__(name)
        Builder.last = self


def ask(record, rng):
    for name in ALL_TYPES:
        for shape in SHAPES:
            rank = len(shape)
            x, value = elements(rng, name, shape), elements(rng, name, ())
            amounts = [rng.integers(-1, 4, rank).tolist(), rng.integers(0, 3, rank).tolist()]
            pad(record, x, value, *amounts, [0] * rank)
            if name in ("f32", "s4", "pred", "c64"):
                low, high = rng.integers(-3, 4, rank).tolist(), rng.integers(-2, 4, rank).tolist()
                pad(record, x, value, low, high, rng.integers(0, 3, rank).tolist())
            if rank == 0:
                continue
            dimension = int(rng.integers(0, rank))
            parts = []
            for size in (shape[dimension], 2, 0, 5):
                sizes = list(shape)
                sizes[dimension] = size
                parts.append(elements(rng, name, sizes))
            concatenate(record, parts[: int(rng.integers(1, 5))], dimension)
            shifts = rng.integers(-9, 10, rank).tolist()
            roll(record, x, shifts, list(range(rank)))
            roll(record, x, [int(rng.integers(-30, 30))], [dimension])


def refusals(record, rng):
    x, value = elements(rng, "f32", (2, 3)), elements(rng, "f32", ())
    pad(record, x, elements(rng, "f32", (1,)), [0, 0], [0, 0], [0, 0])
    pad(record, x, value, [0], [0], [0])
    pad(record, x, elements(rng, "s32", ()), [0, 0], [0, 0], [0, 0])
    pad(record, x, elements(rng, "s32", ()), [0, -9], [0, 0], [0, 0])
    pad(record, x, value, [0, 0], [0, 0], [0, -1])
    pad(record, x, value, [0, -2], [0, -2], [0, 0])
    pad(record, x, value, [-9, 0], [0, 0], [4, 0])
    other = lambda name, shape: elements(rng, name, shape)
    concatenate(record, [], 0)
    concatenate(record, [x, x], 2)
    concatenate(record, [x, x], -1)
    concatenate(record, [value, value], 0)
    concatenate(record, [x, other("f32", (3,))], 0)
    concatenate(record, [x, other("s32", (3,))], 0)
    concatenate(record, [x, other("s32", (2, 3))], 0)
    concatenate(record, [x, other("s32", (2, 4))], 0)
    concatenate(record, [x, x, other("f32", (2, 4))], 0)


def main():
    parser = argparse.ArgumentParser(description="Writes golden cases of pad, concatenate and roll.")
    parser.add_argument("seed", type=int)
    parser.add_argument("out")
    arguments = parser.parse_args()

    xla_client.XlaBuilder = Builder
    rng = np.random.default_rng(arguments.seed)
    record = Moves()
    ask(record, rng)
    refusals(record, rng)
    record.write(arguments.out)


if __name__ == "__main__":
    main()
