#!/usr/bin/env python3
"""Writes golden cases: the dtypes that NumPy's functions of floats give, and its compares of integers.

usage: gen_numpy_promotion.py FUNCTIONS.jsonl COMPARES.jsonl
"""

import argparse
import itertools
import json
import operator
import warnings

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["bool", *INTEGERS, "float16", "float32", "float64"]
# By the names of XLA's operations, those that it has for floats alone, and the roundings.
UNARY = {
    "sqrt": np.sqrt, "cbrt": np.cbrt, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh,
    "sinh": np.sinh, "cosh": np.cosh, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round_nearest_even": np.rint, "is_finite": np.isfinite, "is_inf": np.isinf,
    "is_nan": np.isnan, "signbit": np.signbit,
}  # fmt: skip
BINARY = {
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "copysign": np.copysign,
    "next_after": np.nextafter,
}
COMPARES = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Python's numbers as operands, which have a kind and no size.
NUMBERS = [2, 2.5]
# Whole numbers at the ends of integer types and beyond all of them.
ENDS = [-(2**70), -(2**63) - 1, -(2**63), -129, -128, -1, 0, 127, 128, 255, 256, 300, 2**63, 2**64 - 1, 2**64, 2**70]


def one(dtype):
    return np.ones(1, dtype)


def functions():
    """Each function of each dtype, of each pair, and of each dtype and a number."""
    for name, function in UNARY.items():
        for dtype in REALS:
            yield name, [dtype], function(one(dtype)).dtype.name
    for name, function in BINARY.items():
        for pair in itertools.product(REALS, repeat=2):
            yield name, list(pair), function(*map(one, pair)).dtype.name
        for dtype, number in itertools.product(REALS, NUMBERS):
            yield name, [dtype, number], function(one(dtype), number).dtype.name


def values(dtype):
    info = np.iinfo(dtype)
    near = [2**53 + 1] if info.bits == 64 else []
    return [info.min, 0, 1, *near, info.max]


def compares():
    """Each compare of integers that one dtype does not hold, and of integers with numbers, which are text."""
    for symbol, compare in COMPARES.items():
        for signed in INTEGERS[:4]:
            for pair in ([signed, "uint64"], ["uint64", signed]):
                lhs, rhs = (np.array(values(dtype), dtype) for dtype in pair)
                result = compare(lhs[:, None], rhs).astype(int).tolist()
                yield symbol, [{"dtype": pair[0], "data": lhs.tolist()}, {"dtype": pair[1], "data": rhs.tolist()}], result
        for dtype, number in itertools.product(INTEGERS, ENDS):
            array = np.array(values(dtype), dtype)
            operand = {"dtype": dtype, "data": array.tolist()}
            yield symbol, [operand, str(number)], compare(array, number).astype(int).tolist()
            yield symbol, [str(number), operand], compare(number, array).astype(int).tolist()


def write(path, cases):
    with open(path, "w") as out:
        for case in cases:
            out.write(json.dumps(case, separators=(",", ":")) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions")
    parser.add_argument("compares")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    write(args.functions, ({"function": name, "operands": of, "result": to} for name, of, to in functions()))
    write(args.compares, ({"compare": symbol, "operands": of, "result": to} for symbol, of, to in compares()))


if __name__ == "__main__":
    main()
