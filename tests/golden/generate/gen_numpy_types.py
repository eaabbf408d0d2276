#!/usr/bin/env python3
"""Writes golden cases: which dtype NumPy promotes one to three dtypes to.  usage: gen_numpy_types.py OUT.jsonl"""

import argparse
import itertools
import json

import numpy as np

# Those that have an element type; what they become may have none (complex128).
DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
]


def cases():
    """Every list of one, two or three; NumPy's answer does not depend on their order, which is checked."""
    for count in (1, 2, 3):
        for names in itertools.combinations_with_replacement(DTYPES, count):
            results = {np.result_type(*map(np.dtype, order)).name for order in itertools.permutations(names)}
            assert len(results) == 1, names
            yield list(names), results.pop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    args = parser.parse_args()
    with open(args.out, "w") as out:
        for number, (names, result) in enumerate(cases()):
            case = {"id": f"types-{number:04}", "dtypes": names, "result_type": result}
            out.write(json.dumps(case, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
