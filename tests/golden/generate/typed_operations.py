"""Which operations XLA takes on which of all element types, and which results it leaves some freedom in."""

from arrays import FORMATS
from operations import APPROXIMATE, ARITHMETIC, BITWISE, COMPARES, SHIFTS, TOTAL_ORDER_COMPARES

SIGNED = "s4 s8 s16 s32 s64".split()
UNSIGNED = "u4 u8 u16 u32 u64".split()
INTEGERS = SIGNED + UNSIGNED
FLOATS = "f16 bf16 f32 f64".split()
ALL_TYPES = ["pred", *INTEGERS, *FLOATS, "c64"]

WIDTHS = {name: int(name[1:]) for name in INTEGERS}
WIDTHS.update({name: 1 + format.mantissa + format.exponent for name, format in FORMATS.items()})

# The order of these tables is part of what a seed means: the sections go through them.
BINARY = {op: INTEGERS + FLOATS for op in ARITHMETIC}
BINARY.update({op: ["pred", *INTEGERS, *FLOATS] for op in ("Add", "Mul", "Max", "Min")})
BINARY.update({op: [*BINARY[op], "c64"] for op in ("Add", "Sub", "Mul", "Div", "Pow")})
BINARY["Atan2"] = [*FLOATS, "c64"]
BINARY["NextAfter"] = FLOATS
BINARY["Complex"] = ["f32"]
BINARY.update({op: ["pred", *INTEGERS] for op in BITWISE})
BINARY.update({op: INTEGERS for op in SHIFTS})
BINARY.update({op: ["pred", *INTEGERS, *FLOATS] + (["c64"] if op in ("Eq", "Ne") else []) for op in COMPARES})
BINARY.update({op: FLOATS for op in TOTAL_ORDER_COMPARES})

# Of several operations of XLA's, on floats that are real.
SPECIAL_FUNCTIONS = "Erfc ErfInv Lgamma Digamma BesselI0e BesselI1e".split()
REAL_ONLY = "Cbrt Ceil Erf Floor IsFinite Round RoundNearestEven".split()
FUNCTIONS = (
    "Cbrt Ceil Cos Cosh Erf Exp Expm1 Floor IsFinite Log Log1p Logistic Round RoundNearestEven Rsqrt Sin Sinh Sqrt Tan"
    " Tanh Reciprocal Acos Asin Atan Acosh Asinh Atanh Real Imag"
).split()

UNARY = {op: FLOATS if op in REAL_ONLY + SPECIAL_FUNCTIONS else [*FLOATS, "c64"] for op in FUNCTIONS + SPECIAL_FUNCTIONS}
UNARY.update({op: [*SIGNED, *FLOATS, "c64"] for op in ("Abs", "Sign")})
UNARY["Neg"] = [*INTEGERS, *FLOATS, "c64"]
UNARY["Square"] = ["pred", *INTEGERS, *FLOATS, "c64"]
UNARY["Not"] = ["pred", *INTEGERS]
UNARY.update({op: INTEGERS for op in ("Clz", "PopulationCount")})
UNARY["Conj"] = ["f32", "c64"]

EXACT_ON_COMPLEX = set(
    "Add Sub Neg Conj Real Imag Complex Eq Ne Select ConvertElementType BitcastConvertType BroadcastInDim Broadcast"
    " Iota".split()
)


def is_approximate(op, name):
    if name == "c64":
        return op not in EXACT_ON_COMPLEX
    return name in FLOATS and (op in APPROXIMATE or op in SPECIAL_FUNCTIONS)


def limits(name):
    """The least and the largest integer of a type."""
    width = WIDTHS[name]
    return (-(1 << width - 1), (1 << width - 1) - 1) if name[0] == "s" else (0, (1 << width) - 1)
