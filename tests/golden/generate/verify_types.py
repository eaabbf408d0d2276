#!/usr/bin/env python3
"""Checks files over all element types, without XLA.  usage: verify_types.py FILE.jsonl

1. Exact results, or their alternatives, are those of typed_exact.py.
2. Against float64, long double or SciPy, approximate results have the errors that are printed, in ULP of their type; on
   c64 |z - w| / |w| in units of 2^-23. Lines with tags do not count."""

import argparse
import collections
import json
import math

import numpy as np
from scipy import special

import typed_exact as exact

SHOWN = 25
LONG = np.longdouble


class Array:
    """`elements` as typed_exact takes them, `bits` as it gives them."""

    def __init__(self, encoded):
        self.name = encoded["dtype"]
        self.shape = tuple(encoded["shape"])
        self.elements, self.bits = self._read(encoded)
        assert len(self.elements) == math.prod(self.shape), encoded

    def _read(self, encoded):
        name = self.name
        if name == "c64":
            words = [int(digits, 16) for digits in encoded["bits"]]
            pairs = list(zip(words[::2], words[1::2]))
            return [tuple((exact.value_of("f32", word), word) for word in pair) for pair in pairs], pairs
        if name in exact.FLOATS:
            assert all(len(digits) == exact.WIDTHS[name] // 4 for digits in encoded["bits"])
            words = [int(digits, 16) for digits in encoded["bits"]]
            return [(exact.value_of(name, word), word) for word in words], words
        low, high = (0, 1) if name == "pred" else exact.limits(name)
        assert all(low <= value <= high for value in encoded["data"])
        return encoded["data"], encoded["data"]

    def values(self):
        """Numbers, for approximate functions."""
        if self.name == "c64":
            return np.array([complex(real[0], imag[0]) for real, imag in self.elements], np.complex128)
        return np.array([value for value, _ in self.elements], LONG)

    def places(self, dims, shape):
        """For each element of the result, in row-major order, where the operand has its own."""
        places = np.arange(len(self.elements)).reshape(self.shape)
        if 0 < len(self.shape) < len(shape):
            sizes = [1] * len(shape)
            for i, dim in enumerate(dims):
                sizes[dim] = self.shape[i]
            places = places.reshape(sizes)
        return np.broadcast_to(places, shape).ravel().tolist()


def is_same(name, wanted, got):
    """The same bits, or both NaN."""
    if name == "c64":
        return all(is_same("f32", *parts) for parts in zip(wanted, got))
    if name in exact.FLOATS and wanted == exact.NAN:
        return math.isnan(exact.value_of(name, got))
    if name in exact.FLOATS and wanted != got:
        return math.isnan(exact.value_of(name, wanted)) and math.isnan(exact.value_of(name, got))
    return wanted == got


def wanted_of(line, operands, spread, result):
    """The type and the elements that an exact line should have."""
    op, kind = line["op"], line["kind"]
    if kind == "iota":
        name = line["dtype"]
        counted = np.indices(result.shape)[line["iota_dimension"]].ravel() if result.bits else []
        source = "s64"
        return name, [exact.convert(source, name, int(value)) for value in counted]
    first = operands[0]
    if kind == "binary":
        elements = [exact.binary(op, first.name, x, y) for x, y in zip(*spread)]
        return exact.result_type(op, first.name), elements
    if kind == "unary":
        return exact.result_type(op, first.name), [exact.unary(op, first.name, x) for x in first.elements]
    if kind == "convert" and op == "BitcastConvertType":
        return line["to"], exact.bitcast(first.name, line["to"], first.bits)
    if kind == "convert":
        return line["to"], [exact.convert(first.name, line["to"], x) for x in first.elements]
    if kind == "select":
        pred, on_true, on_false = (array.places([], result.shape) for array in operands)
        choices = zip(pred, on_true, on_false)
        elements = [operands[1].bits[t] if first.bits[p] else operands[2].bits[f] for p, t, f in choices]
        return operands[1].name, elements
    if kind == "clamp":
        return first.name, [exact.clamp(first.name, *xs) for xs in zip(*spread)]
    if kind == "broadcast":
        assert list(result.shape) == line["sizes"] + list(first.shape)
        return first.name, first.bits * math.prod(line["sizes"])
    assert kind == "broadcast_in_dim" and list(result.shape) == line["out_shape"]
    sizes = [1] * len(result.shape)
    for i, dim in enumerate(line["broadcast_dimensions"]):
        sizes[dim] = first.shape[i]
    places = np.arange(len(first.bits)).reshape(sizes)
    return first.name, [first.bits[i] for i in np.broadcast_to(places, result.shape).ravel().tolist()]


def mismatch(line, operands, spread, result, alt):
    """What is wrong with an exact line, or None."""
    name, wanted = wanted_of(line, operands, spread, result)
    if name != result.name or len(wanted) != len(result.bits):
        return "a result of %s, not %s" % (result.name, name)
    for i, element in enumerate(wanted):
        given = [array.bits[i] for array in (result, alt) if array is not None]
        if not any(is_same(name, element, bits) for bits in given):
            of = [operand[i] for operand in spread] if spread else ""
            return "element %d of %s: %s, XLA says %s" % (i, of, element, given)
    return None


FUNCTIONS = {
    "Pow": np.power,
    "Atan2": np.arctan2,
    "Cbrt": np.cbrt,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Log": np.log,
    "Log1p": np.log1p,
    "Logistic": lambda x: 1 / (1 + np.exp(-x)),
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "Acos": np.arccos,
    "Asin": np.arcsin,
    "Atan": np.arctan,
    "Acosh": np.arccosh,
    "Asinh": np.arcsinh,
    "Atanh": np.arctanh,
    "Sqrt": np.sqrt,
    "Square": lambda x: x * x,
    "Reciprocal": lambda x: 1 / x,
    "Mul": np.multiply,
    "Div": np.divide,
    "Abs": np.abs,
    "Sign": lambda z: np.where(z == 0, 0, z / np.abs(z)),
}
# NumPy has them on reals only.
ON_COMPLEX = {"Expm1": lambda z: np.exp(z) - 1, "Log1p": lambda z: np.log(1 + z), "Pow": lambda z, w: z**w}
OF_SCIPY = {
    "Erf": special.erf,
    "Erfc": special.erfc,
    "ErfInv": special.erfinv,
    "Lgamma": special.gammaln,
    "Digamma": special.digamma,
    "BesselI0e": special.i0e,
    "BesselI1e": special.i1e,
}
PRECISION = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
LEAST_EXPONENT = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}


def errors_of(op, name, operands, result):
    """Of each element; 0 where overflow or a special value leaves nothing to measure."""
    if name == "c64":
        truth = (ON_COMPLEX.get(op) or FUNCTIONS[op])(*operands)
        magnitude = np.abs(truth)
        counted = np.isfinite(truth) & (magnitude < 1e30) & (magnitude > 1e-5)
        return np.where(counted, np.abs(result - truth) / np.maximum(magnitude, 1e-30) * 2.0**23, 0)
    if op in OF_SCIPY:
        truth = OF_SCIPY[op](*[operand.astype(np.float64) for operand in operands]).astype(LONG)
    else:
        truth = FUNCTIONS[op](*operands)
    precision = PRECISION[name]
    exponent = np.floor(np.log2(np.maximum(np.abs(truth), LONG(2) ** LEAST_EXPONENT[name])))
    unit = np.exp2(exponent - (precision - 1))
    if op in ("Lgamma", "Digamma"):
        # Beside their zeros the error itself is small, not its ratio to the value.
        unit = np.maximum(unit, LONG(2) ** (1 - precision))
    counted = np.isfinite(truth) & np.isfinite(result)
    return np.where(counted, np.abs(result - truth) / unit, 0)


class Check:
    def __init__(self):
        self.counts = collections.Counter()
        self.mismatches = []
        self.largest = {}

    def line(self, line):
        self.counts["%s, %s" % (line["kind"], "accepted" if line["ok"] else line["error_kind"])] += 1
        encoded = line["operands"] if "operands" in line else [line["lhs"], line["rhs"]]
        operands = [Array(operand) for operand in encoded]
        if not line["ok"]:
            assert line["error"] and line["result"] is None
            return
        result = Array(line["result"])
        alt = Array(line["alt"]) if "alt" in line else None
        assert alt is None or (alt.name, alt.shape) == (result.name, result.shape)
        spread = None
        if line["kind"] in ("binary", "clamp"):
            dims = line.get("broadcast_dimensions") or []
            spread = [[a.elements[place] for place in a.places(dims, result.shape)] for a in operands]
        if line["exact"]:
            complaint = mismatch(line, operands, spread, result, alt)
            if complaint:
                self.mismatches.append("%s %s: %s" % (line["id"], line["op"], complaint))
        elif not line.get("tags") and result.elements and (line["op"], operands[0].name) != ("Atan2", "c64"):
            self.approximate(line, operands, result)

    def approximate(self, line, operands, result):
        op, name = line["op"], operands[0].name
        values = [operand.values() for operand in operands]
        if line["kind"] == "binary":
            dims = line["broadcast_dimensions"] or []
            values = [v[operand.places(dims, result.shape)] for v, operand in zip(values, operands)]
        errors = errors_of(op, name, values, result.values())
        at = int(errors.argmax())
        if errors[at] > self.largest.get((op, name), (0,))[0]:
            self.largest[op, name] = float(errors[at]), [value[at] for value in values]

    def report(self):
        for what, count in sorted(self.counts.items()):
            print("%6d %s" % (count, what))
        names = [*PRECISION, "c64"]
        print("largest errors".ljust(14), *["%8s" % name for name in names])
        for op in sorted({op for op, _ in self.largest}):
            found = [self.largest.get((op, name)) for name in names]
            print(op.ljust(14), *["%8.1f" % error[0] if error else " " * 8 for error in found])
        print("%d mismatches" % len(self.mismatches))
        for mismatch in self.mismatches[:SHOWN]:
            print("  " + mismatch)
        return not self.mismatches


def main():
    parser = argparse.ArgumentParser(description="Checks files over all element types, without XLA.")
    parser.add_argument("file")
    check = Check()
    seen = set()
    with np.errstate(all="ignore"), open(parser.parse_args().file) as lines:
        for text in lines:
            line = json.loads(text)
            assert line["id"] not in seen, line["id"]
            seen.add(line["id"])
            check.line(line)
    raise SystemExit(0 if check.report() else 1)


if __name__ == "__main__":
    main()
