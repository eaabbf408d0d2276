#!/usr/bin/env python3
"""Writes golden cases: what XLA answers.  usage: gen.py SEED OUT.jsonl [--binary COUNT]"""

import argparse

import numpy as np

import cases
from recorder import Recorder


def main():
    parser = argparse.ArgumentParser(description="Writes golden cases: what XLA answers.")
    parser.add_argument("seed", type=int)
    parser.add_argument("out")
    parser.add_argument("--binary", type=int, default=4000, help="how many random binary cases")
    arguments = parser.parse_args()

    rng = np.random.default_rng(arguments.seed)
    record = Recorder()
    cases.document(record)
    cases.edges(record, rng)
    cases.random_binary(record, rng, arguments.binary)
    cases.unaries(record, rng)
    cases.conversions(record, rng)
    cases.ternaries(record, rng)
    cases.broadcasts_in_dim(record, rng)
    cases.broadcasts(record, rng)
    cases.iotas(record)
    record.write(arguments.out)


if __name__ == "__main__":
    main()
