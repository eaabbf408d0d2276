#!/usr/bin/env python3
"""Checks golden files without XLA.  usage: verify.py FILE.jsonl [--xla]

1. XLA's rules, restated in rules.py, give every refusal's text and every result's shape.
2. NumPy and Python integers, in reference.py, give every exact result, or its alternative.
3. Against float64, the approximate results have the errors that are printed.

--xla also asks the installed XLA each line again."""

import argparse
import collections
import json

import numpy as np

import reference
import rules
from arrays import F32, decode, place_dimensions, same, ulps_between

SHOWN = 25


class Mismatch(Exception):
    pass


def expected_answer(infer, line):
    """What `infer` returns, after checking its refusal against the line's; None for a refusal."""
    try:
        answer = infer()
    except rules.Refusal as refusal:
        if line["error"] != "INVALID_ARGUMENT: " + str(refusal):
            raise Mismatch("the rules say: %s; XLA: %s" % (refusal, line["error"])) from None
        return None
    if not line["ok"]:
        raise Mismatch("the rules accept it; XLA: %s" % line["error"])
    return answer


def check_exact(line, wanted):
    wanted = np.asarray(wanted)
    if not any(same(wanted, decode(line[name])) for name in ("result", "alt") if name in line):
        raise Mismatch("NumPy says %s; XLA: %s" % (wanted.ravel()[:8], decode(line["result"]).ravel()[:8]))


class Errors:
    """The largest error of each approximate op."""

    def __init__(self):
        self.largest = {}

    def add(self, op, operand, truth, result):
        """Counts normal operands and results of moderate size alone: flushing and overflow are not rounding."""
        truth = np.asarray(truth).astype(F32)
        operand = np.broadcast_to(operand, truth.shape)
        plain = np.isfinite(operand) & ((np.abs(operand) > 1e-37) | (operand == 0)) & (np.abs(operand) < 1e4)
        plain &= (np.isfinite(truth) & (np.abs(truth) > 2e-38)) | (truth == 0)
        distance = np.where(plain, ulps_between(truth, result), 0)
        if distance.size and distance.max() > self.largest.get(op, (-1, 0))[0]:
            at = int(distance.argmax())
            self.largest[op] = int(distance.max()), float(operand.ravel()[at])


def check_next_after(line):
    if line["ok"]:
        check_exact(line, reference.binary("NextAfter", decode(line["lhs"]), decode(line["rhs"])))


def check_reduce_precision(line, _errors):
    if line["ok"]:
        operand = decode(line["operands"][0])
        check_exact(line, reference.reduce_precision(operand, line["exponent_bits"], line["mantissa_bits"]))


def check_binary(line, errors):
    if line["op"] == "NextAfter":
        return check_next_after(line)
    lhs, rhs, dims = decode(line["lhs"]), decode(line["rhs"]), line["broadcast_dimensions"]
    types = line["lhs"]["dtype"], line["rhs"]["dtype"]
    answer = expected_answer(
        lambda: rules.binary(line["op"], types[0], list(lhs.shape), types[1], list(rhs.shape), dims), line
    )
    if answer is None:
        return
    result = line["result"]
    if answer != (result["dtype"], result["shape"]):
        raise Mismatch("the rules say %s; XLA: %s %s" % (answer, result["dtype"], result["shape"]))
    lhs = place_dimensions(lhs, dims, len(result["shape"]))
    rhs = place_dimensions(rhs, dims, len(result["shape"]))
    if line["exact"]:
        check_exact(line, reference.binary(line["op"], lhs, rhs))
    elif "tags" not in line:
        truth = reference.APPROXIMATE_BINARY[line["op"]](lhs.astype(np.float64), rhs.astype(np.float64))
        errors.add(line["op"], lhs, truth, decode(result))


def check_unary(line, errors):
    if not line["ok"]:
        return
    operand = decode(line["operands"][0])
    if line["exact"]:
        check_exact(line, reference.EXACT_UNARY[line["op"]](operand))
    else:
        truth = reference.APPROXIMATE_UNARY[line["op"]](operand.astype(np.float64))
        errors.add(line["op"], operand, truth, decode(line["result"]))


def check_convert(line, _errors):
    function = reference.bitcast if line["op"] == "BitcastConvertType" else reference.convert
    check_exact(line, function(decode(line["operands"][0]), line["to"]))


def check_ternary(line, _errors):
    if line["ok"]:
        function = reference.select if line["op"] == "Select" else reference.clamp
        check_exact(line, function(*map(decode, line["operands"])))


def check_broadcast_in_dim(line, _errors):
    operand, out, dims = decode(line["operands"][0]), line["out_shape"], line["broadcast_dimensions"]
    if expected_answer(lambda: rules.broadcast_in_dim(list(operand.shape), out, dims), line) is not None:
        check_exact(line, np.broadcast_to(place_dimensions(operand, dims, len(out)), out))


def check_broadcast(line, _errors):
    operand, sizes = decode(line["operands"][0]), line["sizes"]
    if line["ok"] != all(size >= 0 for size in sizes):
        raise Mismatch("a size is negative where, and only where, XLA refuses")
    if line["ok"]:
        check_exact(line, np.broadcast_to(operand, sizes + list(operand.shape)))


def check_iota(line, _errors):
    result = decode(line["result"])
    check_exact(line, np.indices(line["shape"])[line["iota_dimension"]].astype(result.dtype))


CHECKS = {
    "binary": check_binary,
    "unary": check_unary,
    "reduce_precision": check_reduce_precision,
    "convert": check_convert,
    "select": check_ternary,
    "clamp": check_ternary,
    "broadcast_in_dim": check_broadcast_in_dim,
    "broadcast": check_broadcast,
    "iota": check_iota,
}


def main():
    parser = argparse.ArgumentParser(description="Checks golden files without XLA.")
    parser.add_argument("file")
    parser.add_argument("--xla", action="store_true", help="ask the installed XLA again, too")
    arguments = parser.parse_args()

    with open(arguments.file) as file:
        lines = [json.loads(line) for line in file]
    counts = collections.Counter((line["kind"], "ok" if line["ok"] else "refused") for line in lines)
    mismatches = []
    if len({line["id"] for line in lines}) != len(lines):
        mismatches.append("an id is not unique")
    errors = Errors()
    with np.errstate(all="ignore"):
        for line in lines:
            try:
                CHECKS[line["kind"]](line, errors)
            except Mismatch as mismatch:
                mismatches.append("%s %s: %s" % (line["id"], line["op"], mismatch))
    if arguments.xla:
        import rerun

        mismatches += rerun.differences(lines)

    print(arguments.file, len(lines), "lines:", ", ".join("%s %s %d" % (*key, n) for key, n in sorted(counts.items())))
    print("largest errors against float64 in ULP, and where:")
    for op, (ulps, operand) in sorted(errors.largest.items()):
        print("  %-9s %3d  %r" % (op, ulps, operand))
    for mismatch in mismatches[:SHOWN]:
        print(mismatch)
    print("mismatches:", len(mismatches))
    return 1 if mismatches else 0


if __name__ == "__main__":
    raise SystemExit(main())
