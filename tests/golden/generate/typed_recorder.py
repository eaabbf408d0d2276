"""Collects questions over all element types, asks XLA many of them at once, and keeps the golden lines."""

import collections
import json
import re
import sys

import numpy as np

import operations
import typed_reference
from arrays import FORMATS, PRED, differ, has_floats, is_float, is_subnormal, parts_of
from oracle import evaluate_together, refusal, run_together
from recorder import expand
from typed_arrays import disagree, encode, name_of
from typed_operations import is_approximate

# Questions in one compilation. It is part of what a seed means: XLA compiles an operation differently beside others.
TOGETHER = 48

# Exact operations on floats, of which a line may say that XLA has rounded twice.
ROUNDED = "ConvertElementType Add Sub Mul Div Sqrt Square Reciprocal Iota".split()


class Question:
    def __init__(self, line, function, operands, **more):
        self.line, self.function, self.operands = line, function, operands
        # What folding is asked: the same, unless the operands are broadcast by NumPy beforehand.
        self.folded_function = more.get("folded_function", function)
        self.spread = more.get("spread", lambda shape: operands)
        self.folds = more.get("folds", True)
        # The right result of the operands, or None.
        self.reference = more.get("reference", lambda operands: None)
        self.patch = operations.patch_of(line["op"])

    def element_type(self):
        """The one that decides whether the result is exact."""
        if not self.operands:
            return self.line["dtype"]
        return name_of(self.operands[1 if self.line["kind"] == "select" else 0])


class Recorder:
    def __init__(self):
        self.lines = []
        self.questions = []
        self.counts = collections.Counter()

    def ask(self, line, function, operands, **more):
        """Takes a question that XLA accepts; it is answered later."""
        self.lines.append(line)
        self.questions.append(Question(line, function, operands, **more))

    def refused(self, line, function, operands):
        """Records a refusal; a question that XLA accepts after all is counted and forgotten."""
        found = refusal(function, operands, operations.patch_of(line["op"]))
        if found is None:
            self.counts["accepted: %s" % line["op"]] += 1
            return False
        by, text = found
        kind = "bitcast_ratio" if re.search("ratio of bit-widths", text) else "type"
        line.update(ok=False, error=text, error_kind=kind, refused_by=by, result=None)
        self.lines.append(line)
        return True

    def answer(self):
        by_patch = collections.defaultdict(list)
        for question in self.questions:
            by_patch[question.patch].append(question)
        for patch, questions in by_patch.items():
            for at in range(0, len(questions), TOGETHER):
                self._answer(questions[at : at + TOGETHER], patch)
                print(at, "of", len(questions), "with patch", patch, file=sys.stderr, flush=True)

    def _answer(self, questions, patch):
        results = run_together([(question.function, question.operands) for question in questions], patch)
        folded = [None] * len(questions)
        folding = [
            i
            for i, question in enumerate(questions)
            if question.folds and results[i].size and all(operand.size for operand in question.operands)
        ]
        if folding:
            asked = [(questions[i].folded_function, questions[i].spread(results[i].shape)) for i in folding]
            for i, value in zip(folding, evaluate_together(asked, patch)):
                folded[i] = value
        with np.errstate(all="ignore"):
            for answer in zip(questions, results, folded):
                self._keep(*answer)

    def _keep(self, question, result, folded):
        line, op = question.line, question.line["op"]
        approximate = is_approximate(op, question.element_type()) and result.dtype != PRED
        line.update(ok=True, error=None, error_kind=None, exact=not approximate, result=encode(result))
        operands = [np.asarray(operand) for operand in question.spread(result.shape)]
        alt, different = alternative(question, operands, result, folded, approximate)
        tags = set()
        if different.any():
            line["alt"] = encode(alt)
            tags = reasons(op, operands, result, alt, different, approximate)
            for tag in tags:
                self.counts["%s: %s" % (tag, op)] += 1
        floats = [parts_of(array) for array in [*question.operands, result] if has_floats(array)]
        if different.any() and has_floats(alt):
            floats.append(parts_of(alt))
        if any((~np.isfinite(array.astype(np.float64))).any() for array in floats):
            tags.add("nonfinite")
        if any(is_subnormal(array).any() for array in floats):
            tags.add("subnormal")
        if tags:
            line["tags"] = sorted(tags)

    def write(self, path):
        with open(path, "w") as file:
            for number, line in enumerate(self.lines, 1):
                line = {"id": "ty-%s-%05d" % (line["kind"], number), **line}
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        print(path, len(self.lines), "lines,", sum(line["ok"] for line in self.lines), "accepted")
        for name, count in sorted(self.counts.items()):
            print("  %5d %s" % (count, name))


def alternative(question, operands, result, folded, approximate):
    """The second right answer, element by element, and where it differs from the compiled one: folding's where that
    differs, then the correctly rounded one where that is neither."""
    alt = result.copy()
    different = np.zeros(result.shape, bool)
    if folded is not None:
        assert folded.dtype == result.dtype and folded.shape == result.shape, question.line
        differs = disagree(result, folded, question.line["op"]) if approximate else differ(result, folded)
        different = np.asarray(differs)
        if different.any():
            alt = np.where(different, folded, result).astype(result.dtype)
    wanted = question.reference(operands) if result.size else None
    if wanted is not None:
        neither = np.asarray(differ(alt, wanted))
        if neither.any():
            alt = np.where(neither, wanted, alt).astype(result.dtype)
        different = different | neither
    return alt, different


def reasons(op, operands, result, alt, different, approximate):
    """Why an alternative differs: a subnormal on the way, or else a rounding or another formula."""
    flushed = _touches_subnormals(result, result.shape, approximate) | _touches_subnormals(
        alt, result.shape, approximate
    )
    for operand in operands:
        flushed = flushed | _touches_subnormals(operand, result.shape, approximate)
    tags = set()
    if (different & ~flushed).any():
        tags.add("rounding" if op in ROUNDED and not approximate and is_float(result) else "impl")
    if (different & flushed).any():
        tags.add("subnormal")
    return tags


def _touches_subnormals(array, shape, approximate):
    """Where an element is subnormal, or so near to it that a value on the way may have been."""
    if not has_floats(array):
        return np.zeros(shape, bool)
    parts = parts_of(array)
    near = is_subnormal(parts)
    if approximate or name_of(array) != "f16":
        magnitude = np.abs(parts.astype(np.float64))
        least = 2.0 ** -((1 << FORMATS[name_of(parts)].exponent - 1) - 6)
        near = near | (magnitude < least) & (magnitude > 0)
    if array.dtype == np.complex64:
        near = near.any(-1)
    return np.broadcast_to(near, shape) if near.shape in ((), shape) else np.full(shape, near.any())


# ---- the kinds of lines ----


def binary(record, op, lhs, rhs, dims, note=None):
    if op == "NextAfter":
        # XLA builds it of several operations, which broadcast nothing.
        pair = np.broadcast_arrays(lhs, rhs)
        lhs, rhs = (np.ascontiguousarray(side).reshape(np.shape(side)) for side in pair)
    record.ask(
        binary_line(op, lhs, rhs, dims, note),
        operations.binary(op, dims),
        [lhs, rhs],
        folded_function=operations.binary(op, None),
        spread=lambda shape: [expand(lhs, dims, shape), expand(rhs, dims, shape)],
        reference=lambda operands: typed_reference.arithmetic(op, operands),
        folds=not op.endswith(operations.TOTAL_ORDER),
    )


def binary_line(op, lhs, rhs, dims, note=None):
    line = {"kind": "binary", "op": op, "lhs": encode(lhs), "rhs": encode(rhs), "broadcast_dimensions": dims}
    return line if note is None else {**line, "note": note}


def line_of(kind, op, operands, **fields):
    return {"kind": kind, "op": op, "operands": [encode(operand) for operand in operands], **fields}


def unary(record, op, operand):
    record.ask(
        line_of("unary", op, [operand]),
        operations.unary(op),
        [operand],
        reference=lambda operands: typed_reference.arithmetic(op, operands),
        # Folding in this version of XLA is wrong on negative integers.
        folds=op != "Clz",
    )


def convert(record, operand, to):
    op = "ConvertElementType"
    record.ask(
        line_of("convert", op, [operand], to=to),
        operations.conversion(op, to),
        [operand],
        reference=lambda operands: typed_reference.convert(operands[0], to),
    )


def broadcast_in_dim(record, operand, out_shape, dims):
    # The moved bits, because compiled code may flush subnormals of bf16 even where it only moves them.
    def moved(operands):
        sizes = [1] * len(out_shape)
        for i, dim in enumerate(dims):
            sizes[dim] = operands[0].shape[i]
        return np.broadcast_to(operands[0].reshape(sizes), out_shape)

    record.ask(
        line_of("broadcast_in_dim", "BroadcastInDim", [operand], out_shape=out_shape, broadcast_dimensions=dims),
        operations.broadcast_in_dim(out_shape, dims),
        [operand],
        reference=moved,
    )


def broadcast(record, operand, sizes):
    record.ask(
        line_of("broadcast", "Broadcast", [operand], sizes=sizes),
        operations.broadcast(sizes),
        [operand],
        reference=lambda operands: np.broadcast_to(operands[0], tuple(sizes) + operands[0].shape),
    )


def iota(record, dtype, shape, dimension):
    line = line_of("iota", "Iota", [], dtype=dtype, shape=list(shape), iota_dimension=dimension)
    record.ask(line, operations.iota(dtype, shape, dimension), [], folds=False)
