#!/usr/bin/env python3
"""Writes golden cases: how NumPy broadcasts one to five shapes.  usage: gen_numpy.py SEED OUT.jsonl [COUNT]"""

import argparse
import json

import numpy as np

# NumPy's own examples, and the edges: scalars, zero sizes, rank 6.
FIXED = [
    [[]],
    [[], []],
    [[3], []],
    [[0], [1]],
    [[0], [2]],
    [[0, 3], [1, 3]],
    [[2, 3], [3]],
    [[2, 3], [2]],
    [[8, 1, 6, 1], [7, 1, 5]],
    [[256, 256, 3], [3]],
    [[5, 4], [1]],
    [[15, 3, 5], [15, 1, 5]],
    [[15, 3, 5], [3, 1]],
    [[3], [4]],
    [[2, 1], [8, 4, 3]],
    [[4], [1, 2]],
    [[2, 1], [1, 3]],
    [[7, 2, 5], [7, 2, 6]],
    [[0], []],
    [[1], [0], [1]],
    [[1], [0], [2]],
    [[1, 1, 1, 1, 1, 1], [2]],
    [[4, 3, 1], [1, 2]],
]


def random_shapes(rng):
    """Shapes that fit together, most of them then broken. The order of the draws is part of what a seed means."""
    count = int(rng.choice([1, 2, 3, 4, 5], p=[0.05, 0.45, 0.25, 0.15, 0.1]))
    rank = int(rng.integers(0, 7))
    probabilities = [0.04, 0.16, 0.25, 0.2, 0.15, 0.1, 0.06, 0.04]
    out = [int(rng.choice([0, 1, 2, 3, 4, 5, 7, 11], p=probabilities)) for _ in range(rank)]
    shapes = []
    for _ in range(count):
        kept = int(rng.integers(0, rank + 1)) if rng.random() < 0.6 else rank
        shapes.append([1 if rng.random() < 0.25 else size for size in out[rank - kept :]])
    if rng.random() < 0.8:
        for _ in range(int(rng.integers(1, 4))):
            _break(rng, shapes[int(rng.integers(count))])
    return shapes


def _break(rng, shape):
    if not shape:
        return
    change = rng.random()
    if change < 0.75:
        size = int(rng.choice([0, 1, 2, 3, 5, 6]))
        shape[int(rng.integers(len(shape)))] = size
    elif change < 0.9:
        shape.reverse()
    else:
        shape.pop()


def answer(shapes):
    try:
        result = np.broadcast_shapes(*[tuple(shape) for shape in shapes])
        return {"ok": True, "result_shape": [int(size) for size in result], "error": None}
    except ValueError as error:
        return {"ok": False, "result_shape": None, "error": str(error)}


def main():
    parser = argparse.ArgumentParser(description="Writes golden cases of NumPy's implicit broadcasting.")
    parser.add_argument("seed", type=int)
    parser.add_argument("out")
    parser.add_argument("count", type=int, nargs="?", default=500)
    arguments = parser.parse_args()

    rng = np.random.default_rng(arguments.seed)
    refused = 0
    with open(arguments.out, "w") as file:
        for number in range(arguments.count):
            shapes = FIXED[number] if number < len(FIXED) else random_shapes(rng)
            line = {"id": "numpy-%04d" % number, "shapes": shapes, **answer(shapes)}
            refused += not line["ok"]
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(arguments.out, arguments.count, "cases,", refused, "refused, NumPy", np.__version__)


if __name__ == "__main__":
    main()
