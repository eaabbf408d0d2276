#!/usr/bin/env python3
"""Asks XLA some lines of a file over all element types again, one by one, where the file's were asked many at once.
usage: rerun_types.py FILE.jsonl [COUNT]

Lines may differ where a conversion to f16 or a function on it is compiled otherwise for another processor."""

import argparse
import json
import random

import numpy as np

import operations
from arrays import decode, same
from oracle import run


def function_of(line):
    op = line["op"]
    match line["kind"]:
        case "binary":
            return operations.binary(op, line["broadcast_dimensions"])
        case "unary":
            return operations.unary(op)
        case "convert":
            return operations.conversion(op, line["to"])
        case "broadcast_in_dim":
            return operations.broadcast_in_dim(line["out_shape"], line["broadcast_dimensions"])
        case "broadcast":
            return operations.broadcast(line["sizes"])
        case "select":
            return operations.select
        case "clamp":
            return operations.clamp
    raise KeyError(line["kind"])


def main():
    parser = argparse.ArgumentParser(description="Asks XLA some lines again, one by one.")
    parser.add_argument("file")
    parser.add_argument("count", type=int, nargs="?", default=2500)
    arguments = parser.parse_args()

    with open(arguments.file) as file:
        lines = [json.loads(text) for text in file]
    lines = [line for line in lines if line["ok"] and line["kind"] != "iota"]
    random.Random(5).shuffle(lines)
    lines = lines[: arguments.count]
    different = 0
    for line in lines:
        encoded = [line["lhs"], line["rhs"]] if line["kind"] == "binary" else line["operands"]
        operands = [decode(operand) for operand in encoded]
        # No two lines are one question: nothing is to be found in the cache.
        result = run(line["id"], function_of(line), operands, operations.patch_of(line["op"]))
        with np.errstate(all="ignore"):
            if not same(result, decode(line["result"])):
                different += 1
                print(line["id"], line["op"], result.ravel()[:5], decode(line["result"]).ravel()[:5])
    print("%d lines asked again, %d differ" % (len(lines), different))


if __name__ == "__main__":
    main()
