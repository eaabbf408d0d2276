"""The elementwise functions on expressions, one rule for each combination of element types.

A rule is a callable that makes an expression of `indim._core`; it is made when its types are
first met, by NumPy's promotion, and kept. Making an expression is then one lookup and one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final

import numpy as np

from . import _core
from ._complex import complex_rule
from ._core import Expr, binary, broadcast_to, constant, convert, unary
from ._dtypes import BOUNDS, DTYPES, FLOATS, INTEGERS, SIGNED, UNSIGNED, check_float64
from ._promotion import Key, operand_types, result_name, spelled
from ._words import translated

UnaryRule = Callable[[Expr], Expr]
BinaryRule = Callable[..., Expr]
"""A rule of two operands, expressions or weak scalars, with optional `broadcast_dimensions`."""


_ORDERING: Final = frozenset(
    ["greater", "greater_equal", "less", "less_equal", "maximum", "minimum"]
)
_NO_ORDER: Final = (
    "{} needs an order, and complex numbers have none: take indim.real(x) or indim.abs(x) before"
)


class Unary(dict[str, UnaryRule]):
    """A function of one operand: its rules by the operand's type.

    `lower` gives the rule for operands that have the type already; `ufunc` has the types to
    which others are converted, or is None where no type is converted.
    """

    def __init__(
        self,
        name: str,
        ufunc: np.ufunc | None,
        lower: Callable[[str], UnaryRule | None],
        stays: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self.name = name
        self._ufunc = ufunc
        self._lower = lower
        self._stays = stays

    def __missing__(self, name: str) -> UnaryRule:
        """Make the rule for a type that is new here."""
        target = name
        if self._ufunc is not None and name not in self._stays:
            (target,) = operand_types(self.name, self._ufunc, (name,))
        rule = self._lower(target)
        if rule is None:
            raise TypeError(f"{self.name} takes no {DTYPES[name].name}")
        if target != name:
            rule = _after_conversion(rule, target)
        self[name] = rule
        return rule


class Binary(dict[tuple[Key, Key], BinaryRule]):
    """A function of two operands: its rules by the operands' keys.

    `lower` gives the rule for two expressions of one type.
    """

    def __init__(self, name: str, ufunc: np.ufunc, lower: Callable[[str], BinaryRule]) -> None:
        super().__init__()
        self.name = name
        self._ufunc = ufunc
        self._lower = lower

    def __missing__(self, keys: tuple[Key, Key]) -> BinaryRule:
        """Make the rule for keys that are new here."""
        left, right = operand_types(self.name, self._ufunc, keys)
        if "c64" in (left, right) and self.name in _ORDERING:
            raise TypeError(_NO_ORDER.format(self.name))
        rule = self._made(keys, left, right)
        self[keys] = rule
        return rule

    def _made(self, keys: tuple[Key, Key], left: str, right: str) -> BinaryRule:
        return _with_operands(self._lower(left), keys, left, right)


class Compare(Binary):
    """A comparison: exact between int64 and uint64, and with any Python integer."""

    def __init__(self, name: str, ufunc: np.ufunc, op: str) -> None:
        super().__init__(name, ufunc, lambda _: partial(binary, op))
        self._op = op

    def _made(self, keys: tuple[Key, Key], left: str, right: str) -> BinaryRule:
        if left != right:
            return _with_operands(_mixed_comparison(self._op, left, right), keys, left, right)
        rule = super()._made(keys, left, right)
        if int in keys and left in INTEGERS:
            return _unbounded_comparison(self._op, rule, keys, left)
        return rule


class Logical(Binary):
    """A logical function: its operands become booleans, whatever they are."""

    def __missing__(self, keys: tuple[Key, Key]) -> BinaryRule:
        """Make the rule for keys that are new here."""
        rule = _with_operands(self._lower("pred"), keys, "pred", "pred")
        self[keys] = rule
        return rule


def _after_conversion(rule: UnaryRule, target: str) -> UnaryRule:
    def converted(x: Expr) -> Expr:
        return rule(convert(x, target))

    return converted


def _with_operands(rule: BinaryRule, keys: tuple[Key, Key], left: str, right: str) -> BinaryRule:
    """Return `rule` after preparing its operands: by nothing, a conversion or a constant."""
    if keys == (left, right):
        return rule
    first, second = _preparation(keys[0], left), _preparation(keys[1], right)
    if first is None and second is not None:
        return lambda x, y, dims=None: rule(x, second(y), dims)
    if second is None and first is not None:
        return lambda x, y, dims=None: rule(first(x), y, dims)
    assert first is not None and second is not None
    return lambda x, y, dims=None: rule(first(x), second(y), dims)


def _preparation(key: Key, target: str) -> Callable[[Any], Expr] | None:
    """Return what makes an operand of a key an expression of a type; None where it is one."""
    if isinstance(key, str):
        return None if key == target else lambda x: convert(x, target)
    if target == "pred":
        return lambda value: constant("pred", value != 0)
    return partial(constant, target)


def _mixed_comparison(op: str, left: str, right: str) -> BinaryRule:
    """Return the comparison of int64 with uint64 operands, which no common type holds."""
    signed_first = left in SIGNED
    # The comparison's result where the signed operand is negative, and so the smaller one.
    negative = op in (("ne", "lt", "le") if signed_first else ("ne", "gt", "ge"))

    def rule(x: Expr, y: Expr, dims: Sequence[int] | None = None) -> Expr:
        below = binary("lt", x if signed_first else y, constant("s64", 0))
        x, y = convert(x, "u64"), convert(y, "u64")
        # The sign has to be laid out as its operand is, so it is compared with the other one's
        # shape: below & (y == y) has the shape of the result.
        same = binary("eq", y if signed_first else x, y if signed_first else x)
        pair = (below, same) if signed_first else (same, below)
        below = binary("and", *pair, dims)
        if negative:
            return binary("or", below, binary(op, x, y, dims))
        return binary("and", unary("not", below), binary(op, x, y, dims))

    return rule


def _unbounded_comparison(
    op: str, rule: BinaryRule, keys: tuple[Key, Key], name: str
) -> BinaryRule:
    """Return a comparison with a Python integer that the array's type may not hold."""
    low, high = BOUNDS[name]
    scalar_first = keys[0] is int

    def compared(x: Any, y: Any, dims: Sequence[int] | None = None) -> Expr:
        value, array = (x, y) if scalar_first else (y, x)
        if low <= value <= high:
            return rule(x, y, dims)
        scalar_is_less = value < low
        left_is_less = scalar_is_less == scalar_first
        answer = op == "ne" or op in (("lt", "le") if left_is_less else ("gt", "ge"))
        return broadcast_to(constant("pred", answer), array.shape)

    return compared


def _everywhere(answer: bool) -> UnaryRule:
    """Return the rule whose result is `answer` for every element."""
    return lambda x: broadcast_to(constant("pred", answer), x.shape)


def _same(x: Expr) -> Expr:
    return x


def _op(name: str) -> Callable[[str], UnaryRule]:
    """Return `lower` of an operation that the core has for every type that comes to it."""
    rule: UnaryRule = partial(unary, name)
    on_complex = complex_rule(name) or rule
    return lambda target: on_complex if target == "c64" else rule


def _on_floats(name: str, otherwise: UnaryRule) -> Callable[[str], UnaryRule]:
    """Return `lower` of an operation on floats that integers and booleans answer otherwise."""
    rule: UnaryRule = partial(unary, name)
    return lambda target: otherwise if target in INTEGERS or target == "pred" else rule


def _pair(name: str) -> Callable[[str], BinaryRule]:
    """Return `lower` of an operation of two operands that the core has for every type."""
    rule: BinaryRule = partial(binary, name)
    return lambda _: rule


def _parts(x: Expr) -> tuple[Expr, Expr]:
    return unary("real", x), unary("imag", x)


def _lower_abs(target: str) -> UnaryRule:
    return _same if target in UNSIGNED or target == "pred" else partial(unary, "abs")


def _lower_sign(target: str) -> UnaryRule:
    if target in UNSIGNED:
        return lambda x: convert(convert(x, "pred"), target)
    if target == "c64":
        # XLA's keeps the signs of a zero's parts; the standard's is +0.
        def sign(x: Expr) -> Expr:
            zero = constant("c64", 0)
            return _core.select(binary("eq", x, zero), zero, unary("sign", x))

        return sign
    if target in FLOATS:
        # Adding 0 makes -0 the standard's +0.
        return lambda x: binary("add", unary("sign", x), constant(target, 0))
    return partial(unary, "sign")


def _lower_round(target: str) -> UnaryRule:
    if target == "c64":

        def rounded(x: Expr) -> Expr:
            real, imag = _parts(x)
            return binary(
                "complex", unary("round_nearest_even", real), unary("round_nearest_even", imag)
            )

        return rounded
    return _on_floats("round_nearest_even", _same)(target)


def _lower_is_finite(target: str) -> UnaryRule:
    if target == "c64":
        return lambda x: binary("and", *(unary("is_finite", part) for part in _parts(x)))
    return _on_floats("is_finite", _everywhere(True))(target)


def _lower_is_inf(target: str) -> UnaryRule:
    if target == "c64":
        return lambda x: binary("or", *(unary("is_inf", part) for part in _parts(x)))
    return _on_floats("is_inf", _everywhere(False))(target)


def _lower_is_nan(target: str) -> UnaryRule:
    if target in FLOATS or target == "c64":
        return lambda x: binary("ne", x, x)
    return _everywhere(False)


def _lower_signbit(target: str) -> UnaryRule | None:
    if target in SIGNED:
        return lambda x: binary("lt", x, constant(target, 0))
    if target == "c64":
        return None
    return _on_floats("signbit", _everywhere(False))(target)


def _lower_reciprocal(target: str) -> UnaryRule:
    if target in INTEGERS:
        return lambda x: binary("div", constant(target, 1), x)
    return partial(unary, "reciprocal")


def _lower_logarithm(name: str, scale: float) -> Callable[[str], UnaryRule]:
    """Return `lower` of a logarithm whose complex one is the natural one, scaled."""
    natural = _op("log")("c64")

    def lower(target: str) -> UnaryRule:
        if target != "c64":
            return partial(unary, name)

        def scaled(x: Expr) -> Expr:
            real, imag = _parts(natural(x))
            factor = constant("f32", scale)
            return binary("complex", binary("mul", real, factor), binary("mul", imag, factor))

        return scaled

    return lower


def _lower_real(target: str) -> UnaryRule:
    return partial(unary, "real") if target == "c64" else _same


def _lower_imag(target: str) -> UnaryRule:
    if target == "c64":
        return partial(unary, "imag")
    return lambda x: broadcast_to(constant(target, 0), x.shape)


def _lower_conj(target: str) -> UnaryRule:
    return partial(unary, "conj") if target == "c64" else _same


def _lower_logical_not(target: str) -> UnaryRule:
    if target == "pred":
        return partial(unary, "not")
    return lambda x: unary("not", convert(x, "pred"))


def _lower_positive(target: str) -> UnaryRule | None:
    return None if target == "pred" else _same


def _lower_right_shift(target: str) -> BinaryRule:
    return partial(binary, "shift_right_arithmetic" if target in SIGNED else "shift_right_logical")


def _lower_fmod(target: str) -> BinaryRule:
    if target not in INTEGERS:
        return partial(binary, "rem")

    # XLA's remainder of a division by 0 is the dividend, and NumPy's is 0.
    def rule(x: Expr, y: Expr, dims: Sequence[int] | None = None) -> Expr:
        if dims is not None:
            x, y = _placed(x, y, dims)
        zero = constant(target, 0)
        remainder = binary("rem", x, y)
        divides = broadcast_to(binary("ne", y, zero), remainder.shape)
        return _core.select(divides, remainder, zero)

    return rule


def _lower_next_after(_: str) -> BinaryRule:
    # XLA's has no broadcast_dimensions, so that the operand of lower rank is placed before.
    def rule(x: Expr, y: Expr, dims: Sequence[int] | None = None) -> Expr:
        if dims is not None:
            x, y = _placed(x, y, dims)
        return binary("next_after", x, y)

    return rule


def _placed(x: Expr, y: Expr, dims: Sequence[int]) -> tuple[Expr, Expr]:
    """Return both operands with one rank, the lower one's dimensions placed by `dims`."""
    if x.ndim > y.ndim:
        shape = [1] * x.ndim
        for size, dim in zip(y.shape, dims, strict=True):
            shape[dim] = size
        return x, _core.broadcast_in_dim(y, shape, list(dims))
    if y.ndim > x.ndim:
        y, x = _placed(y, x, dims)
    return x, y


_INTEGRAL: Final = INTEGERS | {"pred"}

ABS = Unary("abs", np.absolute, _lower_abs)
ACOS = Unary("acos", np.arccos, _op("acos"))
ACOSH = Unary("acosh", np.arccosh, _op("acosh"))
ASIN = Unary("asin", np.arcsin, _op("asin"))
ASINH = Unary("asinh", np.arcsinh, _op("asinh"))
ATAN = Unary("atan", np.arctan, _op("atan"))
ATANH = Unary("atanh", np.arctanh, _op("atanh"))
BITWISE_INVERT = Unary("bitwise_invert", np.invert, _op("not"))
CBRT = Unary("cbrt", np.cbrt, _op("cbrt"))
CEIL = Unary("ceil", np.ceil, _on_floats("ceil", _same), _INTEGRAL)
CONJ = Unary("conj", None, _lower_conj)
COS = Unary("cos", np.cos, _op("cos"))
COSH = Unary("cosh", np.cosh, _op("cosh"))
DIGAMMA = Unary("digamma", np.cbrt, _op("digamma"))
ERF = Unary("erf", np.cbrt, _op("erf"))
ERFC = Unary("erfc", np.cbrt, _op("erfc"))
EXP = Unary("exp", np.exp, _op("exp"))
EXPM1 = Unary("expm1", np.expm1, _op("expm1"))
FLOOR = Unary("floor", np.floor, _on_floats("floor", _same), _INTEGRAL)
IMAG = Unary("imag", None, _lower_imag)
ISFINITE = Unary("isfinite", None, _lower_is_finite)
ISINF = Unary("isinf", None, _lower_is_inf)
ISNAN = Unary("isnan", None, _lower_is_nan)
LGAMMA = Unary("lgamma", np.cbrt, _op("lgamma"))
LOG = Unary("log", np.log, _op("log"))
LOG10 = Unary("log10", np.log10, _lower_logarithm("log10", 0.4342944819032518))
LOG1P = Unary("log1p", np.log1p, _op("log1p"))
LOG2 = Unary("log2", np.log2, _lower_logarithm("log2", 1.4426950408889634))
LOGICAL_NOT = Unary("logical_not", None, _lower_logical_not)
LOGISTIC = Unary("logistic", np.exp, _op("logistic"))
NEGATIVE = Unary("negative", np.negative, _op("neg"))
POSITIVE = Unary("positive", None, _lower_positive)
REAL = Unary("real", None, _lower_real)
RECIPROCAL = Unary("reciprocal", np.reciprocal, _lower_reciprocal)
RINT = Unary("rint", np.rint, _lower_round)
ROUND = Unary("round", np.rint, _lower_round, _INTEGRAL)
RSQRT = Unary("rsqrt", np.sqrt, _op("rsqrt"))
SIGN = Unary("sign", np.sign, _lower_sign)
SIGNBIT = Unary("signbit", None, _lower_signbit)
SIN = Unary("sin", np.sin, _op("sin"))
SINH = Unary("sinh", np.sinh, _op("sinh"))
SQRT = Unary("sqrt", np.sqrt, _op("sqrt"))
SQUARE = Unary("square", np.square, _op("square"))
TAN = Unary("tan", np.tan, _op("tan"))
TANH = Unary("tanh", np.tanh, _op("tanh"))
TRUNC = Unary("trunc", np.trunc, _on_floats("trunc", _same), _INTEGRAL)

ADD = Binary("add", np.add, _pair("add"))
ATAN2 = Binary("atan2", np.arctan2, _pair("atan2"))
BITWISE_AND = Binary("bitwise_and", np.bitwise_and, _pair("and"))
BITWISE_LEFT_SHIFT = Binary("bitwise_left_shift", np.left_shift, _pair("shift_left"))
BITWISE_OR = Binary("bitwise_or", np.bitwise_or, _pair("or"))
BITWISE_RIGHT_SHIFT = Binary("bitwise_right_shift", np.right_shift, _lower_right_shift)
BITWISE_XOR = Binary("bitwise_xor", np.bitwise_xor, _pair("xor"))
COPYSIGN = Binary("copysign", np.copysign, _pair("copysign"))
DIVIDE = Binary("divide", np.true_divide, _pair("div"))
EQUAL = Compare("equal", np.equal, "eq")
FLOOR_DIVIDE = Binary("floor_divide", np.floor_divide, _pair("floor_divide"))
FMOD = Binary("fmod", np.fmod, _lower_fmod)
GREATER = Compare("greater", np.greater, "gt")
GREATER_EQUAL = Compare("greater_equal", np.greater_equal, "ge")
HYPOT = Binary("hypot", np.hypot, _pair("hypot"))
LESS = Compare("less", np.less, "lt")
LESS_EQUAL = Compare("less_equal", np.less_equal, "le")
LOGADDEXP = Binary("logaddexp", np.logaddexp, _pair("logaddexp"))
LOGICAL_AND = Logical("logical_and", np.logical_and, _pair("and"))
LOGICAL_OR = Logical("logical_or", np.logical_or, _pair("or"))
LOGICAL_XOR = Logical("logical_xor", np.logical_xor, _pair("xor"))
MAXIMUM = Binary("maximum", np.maximum, _pair("max"))
MINIMUM = Binary("minimum", np.minimum, _pair("min"))
MULTIPLY = Binary("multiply", np.multiply, _pair("mul"))
NEXTAFTER = Binary("nextafter", np.nextafter, _lower_next_after)
NOT_EQUAL = Compare("not_equal", np.not_equal, "ne")
POW = Binary("pow", np.power, _pair("pow"))
REMAINDER = Binary("remainder", np.remainder, _pair("remainder"))
SUBTRACT = Binary("subtract", np.subtract, _pair("sub"))


def common(function: str, operands: Sequence[Any]) -> list[Expr]:
    """Return expressions and Python scalars as expressions of the type that holds them all."""
    keys = tuple([x.dtype if isinstance(x, Expr) else type(x) for x in operands])
    preparations = _preparations(function, keys)
    return [
        x if preparation is None else preparation(x)
        for preparation, x in zip(preparations, operands, strict=True)
    ]


@cache
def _preparations(function: str, keys: tuple[Key, ...]) -> list[Callable[[Any], Expr] | None]:
    """Return what makes expressions of the type that holds them all of operands of these keys."""
    target = result_name(keys)
    if target not in keys:
        call = f"{function}({', '.join(spelled(key) for key in keys)})"
        check_float64(target, f"{call} is computed by NumPy's promotion in")
    return [_preparation(key, target) for key in keys]


def select(condition: Expr, x: Any, y: Any) -> Expr:
    """Return `x` where the condition holds, else `y`; each an expression or a Python scalar."""
    if condition.dtype != "pred":
        condition = convert(condition, "pred")
    x, y = common("where", (x, y))
    try:
        return _core.select(condition, x, y)
    except ValueError as error:
        raise translated(error, "where") from None


def clip(x: Expr, low: Any, high: Any) -> Expr:
    """Return `x` held between two limits, each an expression, a Python scalar or None."""
    present = [limit for limit in (low, high) if limit is not None]
    operands = common("clip", (x, *present))
    made = operands.pop(0)
    if made.dtype == "c64":
        raise TypeError(_NO_ORDER.format("clip"))
    try:
        if low is not None:
            made = binary("max", made, operands.pop(0))
        if high is not None:
            made = binary("min", made, operands.pop(0))
    except ValueError as error:
        raise translated(error, "clip") from None
    return made


def cast(x: Expr, target: str) -> Expr:
    """Return the elements in another type; a complex number becomes no real one."""
    if x.dtype == target:
        return x
    if x.dtype == "c64" and target != "pred":
        raise TypeError(
            f"a complex array does not become {DTYPES[target].name}: take indim.real(x) or "
            "indim.abs(x) before"
        )
    check_float64(target, f"astype({DTYPES[target].name}) needs")
    return convert(x, target)


UNARY_UFUNCS: Final[dict[np.ufunc, Unary]] = {
    np.absolute: ABS,
    np.arccos: ACOS,
    np.arccosh: ACOSH,
    np.arcsin: ASIN,
    np.arcsinh: ASINH,
    np.arctan: ATAN,
    np.arctanh: ATANH,
    np.cbrt: CBRT,
    np.ceil: CEIL,
    np.conjugate: CONJ,
    np.cos: COS,
    np.cosh: COSH,
    np.exp: EXP,
    np.expm1: EXPM1,
    np.floor: FLOOR,
    np.invert: BITWISE_INVERT,
    np.isfinite: ISFINITE,
    np.isinf: ISINF,
    np.isnan: ISNAN,
    np.log: LOG,
    np.log10: LOG10,
    np.log1p: LOG1P,
    np.log2: LOG2,
    np.logical_not: LOGICAL_NOT,
    np.negative: NEGATIVE,
    np.positive: POSITIVE,
    np.reciprocal: RECIPROCAL,
    np.rint: RINT,
    np.sign: SIGN,
    np.signbit: SIGNBIT,
    np.sin: SIN,
    np.sinh: SINH,
    np.sqrt: SQRT,
    np.square: SQUARE,
    np.tan: TAN,
    np.tanh: TANH,
    np.trunc: TRUNC,
}

BINARY_UFUNCS: Final[dict[np.ufunc, Binary]] = {
    np.add: ADD,
    np.arctan2: ATAN2,
    np.bitwise_and: BITWISE_AND,
    np.bitwise_or: BITWISE_OR,
    np.bitwise_xor: BITWISE_XOR,
    np.copysign: COPYSIGN,
    np.divide: DIVIDE,
    np.equal: EQUAL,
    np.floor_divide: FLOOR_DIVIDE,
    np.fmod: FMOD,
    np.greater: GREATER,
    np.greater_equal: GREATER_EQUAL,
    np.hypot: HYPOT,
    np.left_shift: BITWISE_LEFT_SHIFT,
    np.less: LESS,
    np.less_equal: LESS_EQUAL,
    np.logaddexp: LOGADDEXP,
    np.logical_and: LOGICAL_AND,
    np.logical_or: LOGICAL_OR,
    np.logical_xor: LOGICAL_XOR,
    np.maximum: MAXIMUM,
    np.minimum: MINIMUM,
    np.multiply: MULTIPLY,
    np.nextafter: NEXTAFTER,
    np.not_equal: NOT_EQUAL,
    np.power: POW,
    np.remainder: REMAINDER,
    np.right_shift: BITWISE_RIGHT_SHIFT,
    np.subtract: SUBTRACT,
}
