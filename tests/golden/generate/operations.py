"""Which operations there are, on which element types, and how XLA is asked for them."""

from oracle import ELEMENT_TYPE, array_shape, ops

ARITHMETIC = ["Add", "Sub", "Mul", "Div", "Rem", "Pow", "Max", "Min"]
BITWISE = ["And", "Or", "Xor"]
SHIFTS = ["ShiftLeft", "ShiftRightLogical", "ShiftRightArithmetic"]
COMPARES = ["Eq", "Ne", "Lt", "Le", "Gt", "Ge"]
TOTAL_ORDER = "TotalOrder"
TOTAL_ORDER_COMPARES = [compare + TOTAL_ORDER for compare in COMPARES]

NUMBERS = ["f32", "i32", "u32"]
ALL_TYPES = NUMBERS + ["pred"]
INTEGERS = ["i32", "u32"]

# The order of these tables is part of what a seed means: operations are drawn from them by index.
BINARY = {op: NUMBERS for op in ARITHMETIC}
BINARY.update({op: ALL_TYPES for op in ("Add", "Mul", "Max", "Min")})
BINARY["Atan2"] = ["f32"]
BINARY.update({op: INTEGERS + ["pred"] for op in BITWISE})
BINARY.update({op: INTEGERS for op in SHIFTS})
BINARY.update({op: ALL_TYPES for op in COMPARES})
BINARY.update({op: ["f32"] for op in TOTAL_ORDER_COMPARES})

# Pairs that XLA refuses.
BINARY_REFUSED = [
    ("And", "f32"),
    ("Or", "f32"),
    ("Xor", "f32"),
    ("Sub", "pred"),
    ("Div", "pred"),
    ("Rem", "pred"),
    ("Pow", "pred"),
    ("ShiftLeft", "pred"),
    ("ShiftRightLogical", "pred"),
    ("ShiftRightArithmetic", "pred"),
    ("Atan2", "pred"),
    ("Atan2", "i32"),
    ("Atan2", "u32"),
]

UNARY = {
    op: ["f32"]
    for op in (
        "Cbrt Ceil Cos Cosh Erf Exp Expm1 Floor IsFinite Log Log1p Logistic Round RoundNearestEven Rsqrt Sin Sinh Sqrt"
        " Tan Tanh Reciprocal Acos Asin Atan Acosh Asinh Atanh Real Imag"
    ).split()
}
UNARY.update({op: ["f32", "i32"] for op in ("Abs", "Sign")})
UNARY["Neg"] = NUMBERS
UNARY["Square"] = ALL_TYPES
UNARY["Not"] = INTEGERS + ["pred"]
UNARY.update({op: INTEGERS for op in ("Clz", "PopulationCount")})

# The functions that xla.jsonl has no lines of: on f32 alone, and one operand each.
FUNCTIONS = "Erfc ErfInv Lgamma Digamma BesselI0e BesselI1e".split()

# On f32 these are compared within a tolerance, everything else bit for bit.
APPROXIMATE = set(
    "Pow Atan2 Cbrt Cos Cosh Erf Exp Expm1 Log Log1p Logistic Rsqrt Sin Sinh Tan Tanh Acos Asin Atan Acosh Asinh"
    " Atanh".split()
) | set(FUNCTIONS)


def is_approximate(op, dtype):
    return op in APPROXIMATE and dtype == "f32"


def patch_of(op):
    """Total-order compares and RoundNearestEven exist in XlaBuilder, but not in its Python face: they are built as the
    plain operation, and changed in the StableHLO text before XLA compiles it."""
    if op.endswith(TOTAL_ORDER):
        return r"(compare\s+[A-Z]{2}, %\w+, %\w+)(,\s+FLOAT)?", r"\1,  TOTALORDER"
    if op == "RoundNearestEven":
        return "round_nearest_afz", "round_nearest_even"
    return None


def binary(op, broadcast_dimensions):
    function = getattr(ops, op.removesuffix(TOTAL_ORDER))
    if broadcast_dimensions is None:
        return function
    return lambda lhs, rhs: function(lhs, rhs, broadcast_dimensions)


def unary(op):
    return getattr(ops, "Round" if op == "RoundNearestEven" else op)


def conversion(op, to):
    function = getattr(ops, op)
    return lambda operand: function(operand, ELEMENT_TYPE[to])


def reduce_precision(exponent_bits, mantissa_bits):
    return lambda operand: ops.ReducePrecision(operand, exponent_bits, mantissa_bits)


def broadcast_in_dim(out_shape, broadcast_dimensions):
    return lambda operand: ops.BroadcastInDim(operand, out_shape, broadcast_dimensions)


def broadcast(sizes):
    return lambda operand: ops.Broadcast(operand, sizes)


def select(pred, on_true, on_false):
    return ops.Select(pred, on_true, on_false)


def clamp(low, operand, high):
    return ops.Clamp(low, operand, high)


def iota(dtype, shape, iota_dimension):
    return lambda builder: ops.Iota(builder, array_shape(dtype, shape), iota_dimension)
