"""Asks XLA about one case after the other and keeps the golden lines."""

import collections
import json
import re

import numpy as np

import operations
from arrays import F32, differ, encode, is_subnormal, name_of, place_dimensions, ulps_between
from oracle import XlaError, build, evaluate, execute, run, signature

# XLA's texts, and the stable names that the golden files give to them. The first that matches counts.
ERROR_KINDS = [
    (r"element types of the operands to Pad|concatenate arrays with different element types", "dtype_mismatch"),
    (r"Pad operation does not support non-scalar|rank of the operand and the padding", "pad_lists"),
    (r"Interior padding cannot be negative|Padding result in negative size", "pad_amounts"),
    (r"[Cc]oncatenate", "concatenate_shapes"),
    (r"Shapes must be equal rank", "rank_mismatch_needs_dims"),
    (r"Size of broadcast_dimensions has to match lower-rank", "dims_wrong_length"),
    (r"Broadcast dimension number \(-?\d+\) cannot be negative", "dim_negative"),
    (r"Broadcast dimension number \(\d+\) too large", "dim_out_of_range"),
    (r"Broadcast dimension \d+ mismatch", "dim_size_mismatch"),
    (r"Broadcast dimensions order is wrong", "dims_not_strictly_increasing"),
    (r"must either be not set or be the identity", "same_rank_dims_not_identity"),
    (r"Binary op with incompatible shapes", "incompatible_shapes"),
    (
        r"with different element types|Clamp with incompatible element types|must be the same shape; got",
        "dtype_mismatch",
    ),
    (r"Select's pred operand must have PRED", "select_pred_not_pred"),
    (r"Unimplemented implicit broadcast", "ternary_implicit_broadcast"),
    (r"Size of broadcast_dimensions has to match operand's rank", "bid_dims_wrong_length"),
    (r"Broadcast dimension -?\d+ is out of bound", "bid_dim_out_of_range"),
    (r"Input dimension should be either 1 or equal", "bid_dim_size_mismatch"),
    (r"InDim style broadcast must be to an equal or higher", "bid_rank_too_small"),
    (r"Broadcast with negative dimension size", "negative_size"),
    (r"Expected exponent_bits|Expected non-negative mantissa_bits", "format_bits"),
    (r"Expected|Invalid|implemented|must be real-valued", "dtype_not_accepted"),
]

# Folding's value of an approximate result is recorded where it differs by more.
ALT_ULPS = 16


def error_kind(text):
    return next((kind for pattern, kind in ERROR_KINDS if re.search(pattern, text)), "other")


def expand(array, broadcast_dimensions, shape):
    """The operand, broadcast to the result's shape by NumPy."""
    if not shape:
        return array
    placed = place_dimensions(array, broadcast_dimensions, len(shape))
    return np.ascontiguousarray(np.broadcast_to(placed, shape))


class Recorder:
    def __init__(self):
        self.lines = []
        self.counts = collections.Counter()
        self.alternatives = collections.Counter()

    # ---- the kinds of lines ----

    def binary(self, op, lhs, rhs, broadcast_dimensions, note=None):
        fields = {"lhs": encode(lhs), "rhs": encode(rhs), "broadcast_dimensions": broadcast_dimensions}
        if note:
            fields["note"] = note
        key = (op, None if broadcast_dimensions is None else tuple(broadcast_dimensions))
        self._ask("binary", op, fields, key, operations.binary(op, broadcast_dimensions), [lhs, rhs])

    def unary(self, op, operand):
        self._ask("unary", op, {"operands": [encode(operand)]}, op, operations.unary(op), [operand])

    def reduce_precision(self, operand, exponent_bits, mantissa_bits):
        fields = {"operands": [encode(operand)], "exponent_bits": exponent_bits, "mantissa_bits": mantissa_bits}
        key = ("ReducePrecision", exponent_bits, mantissa_bits)
        function = operations.reduce_precision(exponent_bits, mantissa_bits)
        self._ask("reduce_precision", "ReducePrecision", fields, key, function, [operand])

    def convert(self, op, operand, to):
        fields = {"operands": [encode(operand)], "to": to}
        self._ask("convert", op, fields, (op, to), operations.conversion(op, to), [operand])

    def select(self, *operands):
        fields = {"operands": [encode(operand) for operand in operands]}
        self._ask("select", "Select", fields, "Select", operations.select, list(operands))

    def clamp(self, *operands):
        fields = {"operands": [encode(operand) for operand in operands]}
        self._ask("clamp", "Clamp", fields, "Clamp", operations.clamp, list(operands))

    def broadcast_in_dim(self, operand, out_shape, broadcast_dimensions):
        fields = {
            "operands": [encode(operand)],
            "out_shape": out_shape,
            "broadcast_dimensions": broadcast_dimensions,
        }
        key = ("BroadcastInDim", tuple(out_shape), tuple(broadcast_dimensions))
        function = operations.broadcast_in_dim(out_shape, broadcast_dimensions)
        self._ask("broadcast_in_dim", "BroadcastInDim", fields, key, function, [operand])

    def broadcast(self, operand, sizes):
        fields = {"operands": [encode(operand)], "sizes": sizes}
        self._ask("broadcast", "Broadcast", fields, ("Broadcast", tuple(sizes)), operations.broadcast(sizes), [operand])

    def iota(self, dtype, shape, iota_dimension):
        """Iota has no operands, so that there is nothing to fold; the generator has no refused ones."""
        line = self._line("iota", "Iota", {"operands": [], "dtype": dtype, "shape": shape})
        line["iota_dimension"] = iota_dimension
        computation, _ = build(operations.iota(dtype, shape, iota_dimension), [])
        line.update(ok=True, error=None, error_kind=None, exact=True, result=encode(execute(computation)))

    # ---- what they share ----

    def _line(self, kind, op, fields):
        line = {"id": "%s-%05d" % (kind, len(self.lines) + 1), "kind": kind, "op": op, **fields}
        self.lines.append(line)
        return line

    def _ask(self, kind, op, fields, key, function, operands):
        line = self._line(kind, op, fields)
        try:
            build(function, signature(operands))
        except XlaError as error:
            text = str(error)
            line.update(ok=False, error=text, error_kind=error_kind(text), result=None)
            self.counts[line["error_kind"]] += 1
            return
        patch = operations.patch_of(op)
        result = run(key, function, operands, patch)
        approximate = operations.is_approximate(op, name_of(operands[0]))
        line.update(ok=True, error=None, error_kind=None, exact=not approximate, result=encode(result))
        self.counts["ok"] += 1

        alt = self._alternative(line, function, operands, result, patch)
        if alt is not None:
            line["alt"] = encode(alt)
            self.alternatives["%s %s" % (op, name_of(operands[0]))] += 1
        tags = tags_of(operands, result, alt)
        if tags:
            line["tags"] = tags

    def _alternative(self, line, function, operands, result, patch):
        """Constant folding's value, where it differs from the compiled one."""
        op = line["op"]
        # Folding in this version of XLA takes clz of a negative s32 for -32 and overlooks TOTALORDER.
        if result.size == 0 or op == "Clz" or op.endswith(operations.TOTAL_ORDER):
            return None
        if line["kind"] == "binary":
            # Broadcast by NumPy beforehand, so that XLA's own broadcast is checked on the way.
            operands = [expand(operand, line["broadcast_dimensions"], result.shape) for operand in operands]
            function = operations.binary(op, None)
        folded = evaluate(function, operands, patch)
        if folded is None:
            self.alternatives["not folded"] += 1
            return None
        assert folded.dtype == result.dtype and folded.shape == result.shape, line["id"]
        different = differ(result, folded)
        if not line["exact"]:
            different &= ulps_between(result, folded) > ALT_ULPS
        return folded if different.any() else None

    def write(self, path):
        with open(path, "w") as file:
            for line in self.lines:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        print(path, len(self.lines), "cases", dict(self.counts))
        print("  with an alternative:", dict(self.alternatives))


def tags_of(operands, result, alt):
    """What a line needs of those who compare: care for infinities and NaN, and for flushed subnormals."""
    floats = [array for array in operands + [result] if array.dtype == F32]
    tags = []
    if any((~np.isfinite(array)).any() for array in floats):
        tags.append("nonfinite")
    # Compiled code and folding differ in flushing alone: where they do, there was a subnormal on the way.
    if alt is not None or any(is_subnormal(array).any() for array in floats):
        tags.append("subnormal")
    return tags
