#!/usr/bin/env python3
"""Writes golden cases over all element types.  usage: gen_types.py SEED OUT.jsonl [--scale FACTOR]"""

import argparse

import numpy as np

import typed_cases as cases
from typed_recorder import Recorder


def main():
    parser = argparse.ArgumentParser(description="Writes golden cases over all element types.")
    parser.add_argument("seed", type=int)
    parser.add_argument("out")
    parser.add_argument("--scale", type=float, default=1, help="times as many random cases")
    arguments = parser.parse_args()

    def scaled(count):
        return max(1, int(count * arguments.scale))

    rng = np.random.default_rng(arguments.seed)
    record = Recorder()
    # Values beyond a type's range are wanted, and become infinities.
    with np.errstate(all="ignore"):
        cases.edges(record)
        cases.binaries(record, rng, scaled(16), scaled(4))
        cases.unaries(record, rng, scaled(6))
        cases.conversions(record, rng)
        cases.bitcasts(record, rng)
        cases.selects_and_clamps(record, rng, scaled(20), scaled(22))
        cases.moves(record, rng, scaled(22), scaled(7))
        cases.refusals(record, rng, scaled(150), scaled(60), scaled(90))
        record.answer()
    record.write(arguments.out)


if __name__ == "__main__":
    main()
