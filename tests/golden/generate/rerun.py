"""Asks the installed XLA every golden line again, whatever its version is."""

import re

import operations
from arrays import decode, same
from oracle import XlaError, build, execute, run, signature


def differences(lines):
    """One text for each line that XLA answers otherwise now."""
    return ["%s %s: now %s" % (line["id"], line["op"], now) for line in lines if (now := _difference(line))]


def _function(line):
    """The line's function, and a key that no other function has."""
    op, kind = line["op"], line["kind"]
    match kind:
        case "binary":
            dims = line["broadcast_dimensions"]
            return operations.binary(op, dims), (op, str(dims))
        case "unary":
            return operations.unary(op), op
        case "reduce_precision":
            bits = line["exponent_bits"], line["mantissa_bits"]
            return operations.reduce_precision(*bits), (op, *bits)
        case "convert":
            return operations.conversion(op, line["to"]), (op, line["to"])
        case "select":
            return operations.select, op
        case "clamp":
            return operations.clamp, op
        case "broadcast_in_dim":
            out, dims = line["out_shape"], line["broadcast_dimensions"]
            return operations.broadcast_in_dim(out, dims), (op, str(out), str(dims))
        case "broadcast":
            return operations.broadcast(line["sizes"]), (op, str(line["sizes"]))
        case "iota":
            return operations.iota(line["dtype"], line["shape"], line["iota_dimension"]), op
    raise KeyError(kind)


def _difference(line):
    operands = [line["lhs"], line["rhs"]] if line["kind"] == "binary" else line["operands"]
    operands = [decode(operand) for operand in operands]
    function, key = _function(line)
    try:
        computation, _ = build(function, signature(operands))
    except XlaError as error:
        # Texts of failed internal checks name a line of XLA's source.
        stable = [re.sub(r"\.cc:\d+", ".cc", text or "") for text in (str(error), line["error"])]
        return None if stable[0] == stable[1] else str(error)
    if not line["ok"]:
        return "accepted"
    if operands:
        result = run(key, function, operands, operations.patch_of(line["op"]))
    else:
        result = execute(computation)
    return None if same(result, decode(line["result"])) else "%s" % result.ravel()[:8]
