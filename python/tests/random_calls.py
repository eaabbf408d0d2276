"""Random calls of elementwise functions with operands for indim and for NumPy.

Operands have the types, broadcasts, views and special values that NumPy's users have. What a
result may be off is what docs/numerics.md gives for each function, and what NumPy's own may be.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

import indim as xp

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]

# The limit in ULP of each function of floats, and 1 for the rounding of NumPy's own.
ULP = {
    **dict.fromkeys(["exp", "expm1", "log", "log1p", "cbrt", "log2", "log10"], 2),
    **dict.fromkeys(["sin", "cos", "asin", "acos", "atan", "cosh", "tanh", "hypot"], 3),
    **dict.fromkeys(["atan2", "sinh", "asinh", "atanh"], 4),
    **dict.fromkeys(["tan", "pow", "acosh", "logaddexp"], 5),
}


@dataclass(frozen=True)
class Function:
    """A function: NumPy's name of it, the types that it takes, and the range of its operands."""

    numpy: str
    types: tuple[str, ...]
    low: float = -20.0
    high: float = 20.0
    specials: bool = True


REALS = (*INTEGERS, *FLOATS)
NUMBERS = (*REALS, "complex64")
ANY = ("bool", *NUMBERS)
BITS = ("bool", *INTEGERS)
INEXACT = (*FLOATS, "complex64")

UNARY = {
    "abs": Function("abs", ANY),
    "acos": Function("arccos", INEXACT, -1, 1),
    "acosh": Function("arccosh", INEXACT, 1, 50),
    "asin": Function("arcsin", INEXACT, -1, 1),
    "asinh": Function("arcsinh", INEXACT),
    "atan": Function("arctan", INEXACT),
    "atanh": Function("arctanh", INEXACT, -1, 1),
    "bitwise_invert": Function("invert", BITS),
    "cbrt": Function("cbrt", tuple(FLOATS)),
    "ceil": Function("ceil", REALS),
    "conj": Function("conj", NUMBERS),
    "cos": Function("cos", INEXACT, -6, 6),
    "cosh": Function("cosh", INEXACT, -6, 6),
    "exp": Function("exp", INEXACT, -8, 8),
    "expm1": Function("expm1", tuple(FLOATS), -8, 8),
    "floor": Function("floor", REALS),
    "imag": Function("imag", NUMBERS),
    "isfinite": Function("isfinite", ANY),
    "isinf": Function("isinf", ANY),
    "isnan": Function("isnan", ANY),
    "log": Function("log", INEXACT, 0.01, 100),
    "log10": Function("log10", INEXACT, 0.01, 100),
    "log1p": Function("log1p", tuple(FLOATS), -0.9, 100),
    "log2": Function("log2", INEXACT, 0.01, 100),
    "logical_not": Function("logical_not", ANY),
    "negative": Function("negative", NUMBERS),
    "positive": Function("positive", NUMBERS),
    "real": Function("real", NUMBERS),
    "reciprocal": Function("reciprocal", INEXACT),
    "round": Function("round", (*REALS, "complex64")),
    "sign": Function("sign", NUMBERS),
    "signbit": Function("signbit", tuple(FLOATS)),
    "sin": Function("sin", INEXACT, -6, 6),
    "sinh": Function("sinh", INEXACT, -6, 6),
    "sqrt": Function("sqrt", INEXACT),
    "square": Function("square", NUMBERS),
    "tan": Function("tan", INEXACT, -6, 6),
    "tanh": Function("tanh", INEXACT, -6, 6),
    "trunc": Function("trunc", REALS),
}
BINARY = {
    "add": Function("add", ANY),
    "atan2": Function("arctan2", tuple(FLOATS)),
    "bitwise_and": Function("bitwise_and", BITS),
    "bitwise_left_shift": Function("left_shift", tuple(INTEGERS)),
    "bitwise_or": Function("bitwise_or", BITS),
    "bitwise_right_shift": Function("right_shift", tuple(INTEGERS)),
    "bitwise_xor": Function("bitwise_xor", BITS),
    "copysign": Function("copysign", tuple(FLOATS)),
    "divide": Function("divide", INEXACT),
    "equal": Function("equal", ANY),
    "floor_divide": Function("floor_divide", REALS, specials=False),
    "greater": Function("greater", REALS),
    "greater_equal": Function("greater_equal", REALS),
    "hypot": Function("hypot", tuple(FLOATS)),
    "less": Function("less", REALS),
    "less_equal": Function("less_equal", REALS),
    "logaddexp": Function("logaddexp", tuple(FLOATS)),
    "logical_and": Function("logical_and", ANY),
    "logical_or": Function("logical_or", ANY),
    "logical_xor": Function("logical_xor", ANY),
    "maximum": Function("maximum", REALS),
    "minimum": Function("minimum", REALS),
    "multiply": Function("multiply", ANY),
    "nextafter": Function("nextafter", ("float32", "float64")),
    "not_equal": Function("not_equal", ANY),
    "pow": Function("power", (*INTEGERS, *FLOATS), 0, 5),
    "remainder": Function("remainder", REALS, specials=False),
    "subtract": Function("subtract", NUMBERS),
}


@dataclass(frozen=True)
class Call:
    """One call: the function and its operands, for indim and for NumPy."""

    name: str
    ours: list[Any]
    theirs: list[Any]

    def numpy_name(self) -> str:
        """Return NumPy's name of the function."""
        return {**UNARY, **BINARY}[self.name].numpy


def calls(seed: int, count: int, types: set[str]) -> list[Call]:
    """Return random calls whose operands and results have the given types."""
    source = random.Random(seed)
    found: list[Call] = []
    while len(found) < count:
        call = _call(source, types)
        if call is not None:
            found.append(call)
    return found


def _call(source: random.Random, types: set[str]) -> Call | None:
    """Return a random call; None where NumPy gives its result a type that is not there."""
    table = source.choice([UNARY, BINARY, BINARY])
    name = source.choice(sorted(table))
    function = table[name]
    shape = tuple(source.randint(1, 4) for _ in range(source.randint(0, 3)))
    operands: list[Any] = []
    accepted = [one for one in function.types if one in types]
    for _ in range(1 if table is UNARY else 2):
        part = tuple(1 if source.random() < 0.25 else size for size in shape)
        part = part[source.randint(0, len(part)) if source.random() < 0.3 else 0 :]
        operands.append(_values(source, function, source.choice(accepted), part))
    _tame(source, name, operands)
    ours = [xp.asarray(x) for x in operands]
    theirs = list(operands)
    if len(operands) == 2 and source.random() < 0.15:
        # A weak scalar in place of an operand; an integer that every type holds.
        place = source.randint(0, 1)
        kind = operands[1 - place].dtype.kind
        ours[place] = theirs[place] = 2 if kind in "iub" else 1.5
        if name == "pow" or "shift" in name:
            ours[place] = theirs[place] = 2
    for place, x in enumerate(ours):
        if isinstance(x, xp.Array) and x.ndim and source.random() < 0.5:
            key = tuple(_view(source, size) for size in x.shape)
            ours[place], theirs[place] = x[key], theirs[place][key]
    try:
        with np.errstate(all="ignore"):
            theirs = _promoted(function.numpy, theirs)
            dtype = getattr(np, function.numpy)(*theirs).dtype
            loops = _loops(function.numpy, theirs)
    except (TypeError, ValueError):
        return None
    if dtype.name not in types or not loops <= types:
        return None
    return Call(name, ours, theirs)


def _promoted(name: str, operands: list[Any]) -> list[Any]:
    """Return operands for NumPy in the types that indim gives them: integers as the floats are."""
    kinds = [np.result_type(x).kind for x in operands]
    floats = [x for x, kind in zip(operands, kinds, strict=True) if kind in "fc"]
    arrays = [x.dtype for x in floats if isinstance(x, np.ndarray)]
    if floats:
        default = np.complex64 if "c" in kinds else np.float32
        target = np.result_type(*arrays) if arrays else np.dtype(default)
    elif getattr(np, name)(*operands).dtype.kind == "f":
        target = np.dtype(np.float32)
    else:
        return operands
    whole = [kind in "biu" for kind in kinds]
    return [
        np.asarray(x, target) if is_whole else x
        for x, is_whole in zip(operands, whole, strict=True)
    ]


def _loops(name: str, operands: list[Any]) -> set[str]:
    """Return the types in which NumPy computes."""
    function = getattr(np, name)
    if not isinstance(function, np.ufunc):
        return set()
    kinds = [x.dtype if isinstance(x, (np.ndarray, np.generic)) else type(x) for x in operands]
    return {dtype.name for dtype in function.resolve_dtypes((*kinds, None))}


def _view(source: random.Random, size: int) -> slice:
    """Return a slice that keeps one element at least, and every one of a broadcast dimension."""
    if size == 1:
        return slice(None, None, source.choice([None, -1]))
    return slice(None, None, source.choice([None, 1, -1]))


def _values(
    source: random.Random, function: Function, dtype: str, shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """Return random values of a type, with special ones among the floats."""
    count = int(np.prod(shape, dtype=int))
    if dtype == "bool":
        values: list[Any] = [source.random() < 0.5 for _ in range(count)]
    elif dtype in INTEGERS:
        info = np.iinfo(dtype)
        edges = [0, 1, info.min, info.max, 7]
        values = [
            source.choice(edges) if source.random() < 0.3 else source.randint(info.min, info.max)
            for _ in range(count)
        ]
    else:
        values = [source.uniform(function.low, function.high) for _ in range(count)]
        if dtype == "complex64":
            values = [complex(x, source.uniform(-2, 2)) for x in values]
        elif function.specials:
            special = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0, -1.0]
            values = [source.choice(special) if source.random() < 0.2 else x for x in values]
    return np.asarray(values, dtype).reshape(shape)


def _tame(source: random.Random, name: str, operands: list[Any]) -> None:
    """Keep integer operands where C defines the result, as NumPy's is C's."""
    if len(operands) == 2 and operands[1].dtype.kind in "iu":
        if "shift" in name:
            operands[1] = (operands[1] % 7).astype(operands[1].dtype)
        if name == "pow":
            operands[1] = (operands[1] % 5).astype(operands[1].dtype)
        if name in ("floor_divide", "remainder"):
            divisor = operands[1]
            operands[1] = np.where((divisor == 0) | (divisor == -1), 3, divisor)
            operands[1] = operands[1].astype(divisor.dtype)
    if name in ("floor_divide", "remainder") and operands[1].dtype.kind == "f":
        operands[1] = np.where(abs(operands[1]) < 0.1, 1, operands[1]).astype(operands[1].dtype)


def difference(call: Call, result: np.ndarray[Any, Any]) -> str | None:
    """Return how a result differs from NumPy's beyond the limits; None where it does not."""
    with np.errstate(all="ignore"):
        numpy = np.asarray(getattr(np, call.numpy_name())(*call.theirs))
    if result.dtype != numpy.dtype or result.shape != numpy.shape:
        return f"{result.dtype}{result.shape} and not {numpy.dtype}{numpy.shape}"
    if numpy.dtype.kind == "c":
        scale = np.maximum(abs(numpy), np.finfo(np.float32).tiny)
        with np.errstate(all="ignore"):
            apart = abs(result - numpy) > 12 * 2.0**-23 * scale
        return f"{result} and not {numpy}" if np.any(apart & np.isfinite(numpy)) else None
    if numpy.dtype.kind != "f":
        return None if np.array_equal(result, numpy) else f"{result} and not {numpy}"
    if not np.array_equal(np.isnan(result), np.isnan(numpy)):
        return f"{result} and not {numpy}"
    ulp = 8 if numpy.dtype == np.float64 else ULP.get(call.name, 0)
    if numpy.dtype == np.float16:
        ulp = 1 if ulp else 0
    elif call.name not in ULP:
        ulp = 16 if any(getattr(x, "dtype", None) == np.complex64 for x in call.theirs) else 0
    with np.errstate(all="ignore"):
        spacing = np.spacing(np.maximum(abs(numpy), np.finfo(numpy.dtype).tiny))
        near = abs(result.astype(np.float64) - numpy) <= ulp * np.nan_to_num(spacing)
        tiny = (abs(numpy) <= np.finfo(numpy.dtype).tiny) & (
            abs(result) <= np.finfo(numpy.dtype).tiny
        )
    good = near | tiny | (result == numpy) | np.isnan(numpy)
    return None if np.all(good) else f"{result} and not {numpy}"
