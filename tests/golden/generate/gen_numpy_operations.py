#!/usr/bin/env python3
"""Writes golden cases of the operations that NumPy has and XLA has not.  usage: gen_numpy_operations.py SEED OUT.jsonl

They are those whose results are exact, in all element types; NumPy is given the types of ml_dtypes, too."""

import argparse
import json

import ml_dtypes
import numpy as np

from arrays import DTYPE_OF_NAME, FORMATS
from typed_arrays import encode

BINARY = {"FloorDivide": np.floor_divide, "Remainder": np.remainder, "Copysign": np.copysign}
UNARY = {"Trunc": np.trunc, "Signbit": np.signbit, "IsInf": np.isinf, "IsNan": np.isnan}
WIDTHS = {"s4": 4, "s8": 8, "s16": 16, "s32": 32, "s64": 64, "u4": 4, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
INTEGERS = list(WIDTHS)
FLOATS = list(FORMATS)
# Elements of a line with random operands.
COUNT = 200


def limits(name):
    width = WIDTHS[name]
    return (-(1 << width - 1), (1 << width - 1) - 1) if name[0] == "s" else (0, (1 << width) - 1)


def edges(name):
    if name in INTEGERS:
        least, most = limits(name)
        values = [0, 1, 2, 3, 7, -1, -2, -3, -7, least, least + 1, most, most - 1]
        values = [value for value in dict.fromkeys(values) if least <= value <= most]
    else:
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -7.0, 96.0, np.inf, -np.inf, np.nan, -np.nan]
    return np.array(values, object).astype(DTYPE_OF_NAME[name])


def some(rng, name):
    """Numbers of every size, so that quotients have every size, too."""
    if name in INTEGERS:
        least, most = limits(name)
        shifts = rng.integers(64 - WIDTHS[name], 64, COUNT)
        words = [int(word) >> int(shift) for word, shift in zip(rng.integers(0, 1 << 64, COUNT, np.uint64), shifts)]
        signs = rng.choice([-1, 1], COUNT) if least else np.ones(COUNT, int)
        values = [max(least, int(sign) * min(word, most)) for word, sign in zip(words, signs)]
        return np.array(values, object).astype(DTYPE_OF_NAME[name])
    # These are not subnormal numbers, which an adapter may flush.
    reach = 4 if name == "f16" else 40
    values = rng.choice([-1, 1], COUNT) * rng.uniform(1, 2, COUNT) * 2.0 ** rng.integers(-reach, reach, COUNT)
    return values.astype(DTYPE_OF_NAME[name])


def is_plain(array, name):
    """Where a float is not a subnormal number."""
    if name not in FORMATS:
        return np.full(array.shape, True)
    wide = array.astype(np.float64)
    return ~((wide != 0) & (np.abs(wide) < float(ml_dtypes.finfo(array.dtype).smallest_normal)))


def main():
    parser = argparse.ArgumentParser(description="Writes golden cases of operations that XLA has not.")
    parser.add_argument("seed", type=int)
    parser.add_argument("out")
    arguments = parser.parse_args()

    rng = np.random.default_rng(arguments.seed)
    lines = []

    def add(kind, op, result, **fields):
        answer = {"ok": True, "error": None, "error_kind": None, "exact": True, "result": encode(result)}
        identity = {"id": "np-%s-%05d" % (kind, len(lines) + 1), "kind": kind, "op": op}
        lines.append({**identity, **fields, **answer})

    with np.errstate(all="ignore"):
        for op, function in BINARY.items():
            for name in [*([] if op == "Copysign" else INTEGERS), *FLOATS]:
                values = edges(name)
                pairs = [(np.repeat(values, len(values)), np.tile(values, len(values)))]
                pairs.append((some(rng, name), some(rng, name)))
                for lhs, rhs in pairs:
                    result = function(lhs, rhs)
                    assert result.dtype == lhs.dtype, (op, name)
                    plain = is_plain(result, name)
                    lhs, rhs, result = lhs[plain], rhs[plain], result[plain]
                    add("binary", op, result, lhs=encode(lhs), rhs=encode(rhs), broadcast_dimensions=None)
        for op, function in UNARY.items():
            for name in [*FLOATS, *(["c64"] if op in ("IsInf", "IsNan") else [])]:
                if name == "c64":
                    parts = edges("f32")
                    pairs = np.stack([np.repeat(parts, len(parts)), np.tile(parts, len(parts))], -1)
                    operand = np.ascontiguousarray(pairs).view(np.complex64)[:, 0]
                else:
                    operand = np.concatenate([edges(name), some(rng, name)])
                add("unary", op, function(operand), operands=[encode(operand)])
    with open(arguments.out, "w") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(arguments.out, len(lines), "lines")


if __name__ == "__main__":
    main()
