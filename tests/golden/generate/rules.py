"""XLA's shape inference for static shapes, restated from its behaviour: the same checks in the same order, with the
same texts. Shares nothing with the generator."""

XLA_NAME = {"f32": "f32", "i32": "s32", "u32": "u32", "pred": "pred"}
HLO_NAME = {
    "Add": "add",
    "Sub": "subtract",
    "Mul": "multiply",
    "Div": "divide",
    "Rem": "remainder",
    "Pow": "power",
    "Max": "maximum",
    "Min": "minimum",
    "And": "and",
    "Or": "or",
    "Xor": "xor",
    "ShiftLeft": "shift-left",
    "ShiftRightLogical": "shift-right-logical",
    "ShiftRightArithmetic": "shift-right-arithmetic",
    "Atan2": "atan2",
}
NOT_ON_PRED = {"Sub", "Div", "Rem", "Pow", "Atan2", "ShiftLeft", "ShiftRightLogical", "ShiftRightArithmetic"}


class Refusal(Exception):
    pass


def _text(dtype, shape):
    return "%s[%s]" % (XLA_NAME[dtype], ",".join(map(str, shape)))


def binary(op, lhs_type, lhs, rhs_type, rhs, broadcast_dimensions):
    """(element type, shape) of a binary operation's result."""
    name = HLO_NAME.get(op, "compare")
    if op in NOT_ON_PRED and "pred" in (lhs_type, rhs_type):
        raise Refusal("Expected element type in shape to be arithmetic type for operation %s; got PRED." % name)
    if op in ("And", "Or", "Xor") and lhs_type == "f32":
        raise Refusal("Expected pred or integral type in argument to and/or operation; got F32.")
    if lhs_type != rhs_type:
        types = name, _text(lhs_type, lhs), _text(rhs_type, rhs)
        raise Refusal("Binary op %s with different element types: %s and %s." % types)
    dims = list(broadcast_dimensions or [])
    if len(lhs) == len(rhs) and dims and dims != list(range(len(lhs))):
        raise Refusal(
            "Broadcast dimensions field must either be not set or be the identity on binary operations with operands of"
            " the same rank."
        )
    if op == "Atan2" and lhs_type != "f32":
        # Alone among the checks of types, this one comes after a check of shapes.
        raise Refusal(
            "Expected input element type to be floating or complex for atan2 operation; got %s."
            % XLA_NAME[lhs_type].upper()
        )
    placed_lhs, placed_rhs = _place(lhs_type, lhs, rhs, dims)
    out = []
    for a, b in zip(placed_lhs, placed_rhs):
        if a != b and 1 not in (a, b):
            shapes = _text(lhs_type, placed_lhs), _text(rhs_type, placed_rhs)
            raise Refusal("Binary op with incompatible shapes: %s and %s." % shapes)
        out.append(b if a == 1 else a)
    return "pred" if name == "compare" else lhs_type, out


def _place(dtype, lhs, rhs, dims):
    """Both shapes in the result's rank."""
    if len(lhs) == len(rhs):
        return lhs, rhs
    higher, lower = (lhs, rhs) if len(lhs) > len(rhs) else (rhs, lhs)
    if not dims and lower:
        raise Refusal("Shapes must be equal rank, but are %s and %s" % (_text(dtype, lower), _text(dtype, higher)))
    if len(dims) != len(lower):
        raise Refusal(
            "Size of broadcast_dimensions has to match lower-rank operand's rank; "
            " lower-rank operand's rank is %d, size of broadcast_dimensions is %d." % (len(lower), len(dims))
        )
    placed = list(higher)
    for i, dim in enumerate(dims):
        if dim < 0:
            raise Refusal("Broadcast dimension number (%d) cannot be negative." % dim)
        if dim >= len(higher):
            raise Refusal(
                "Broadcast dimension number (%d) too large; higher-rank operand has rank %d." % (dim, len(higher))
            )
        if lower[i] != higher[dim] and 1 not in (lower[i], higher[dim]):
            raise Refusal(
                "Broadcast dimension %d mismatch: %d != %d; %s and %s."
                % (i, lower[i], higher[dim], _text(dtype, lower), _text(dtype, higher))
            )
        if i and dims[i - 1] >= dim:
            raise Refusal("Broadcast dimensions order is wrong: %d comes after %d." % (dim, dims[i - 1]))
        placed[dim] = lower[i]
    return placed, higher


def broadcast_in_dim(shape, out, dims):
    """The shape of a BroadcastInDim's result."""
    if len(shape) > len(out):
        raise Refusal(
            "InDim style broadcast must be to an equal or higher ranked shape; operand rank: %d; output rank: %d"
            % (len(shape), len(out))
        )
    if len(dims) != len(shape):
        raise Refusal(
            "Size of broadcast_dimensions has to match operand's rank; operand rank: %d, size of broadcast_dimensions"
            " %d." % (len(shape), len(dims))
        )
    for i, dim in enumerate(dims):
        if dim < 0 or dim >= len(out):
            raise Refusal("Broadcast dimension %d is out of bound" % dim)
        if shape[i] != out[dim] and shape[i] != 1:
            raise Refusal(
                "Input dimension should be either 1 or equal to the output dimension it is broadcasting into; the %dth"
                " operand dimension is %d, the %dth output dimension is %d." % (i, shape[i], dim, out[dim])
            )
        if i and dims[i - 1] >= dim:
            raise Refusal("Broadcast dimensions order is wrong: %d comes after %d." % (dim, dims[i - 1]))
    return out
