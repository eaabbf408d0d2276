"""Complex functions at operands with an infinite part or a NaN.

The library has XLA's values there, which are NaN in both parts where C99's annex G, and with it
the Array API standard, knows one of them. Each rule computes the library's function and puts in
the part that is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ._core import Expr, binary, constant, select, unary

_Parts = tuple[Expr, Expr]


def _number(value: float) -> Expr:
    return constant("f32", value)


def _both(x: Expr, y: Expr) -> Expr:
    return binary("and", x, y)


def _equals(x: Expr, value: float) -> Expr:
    return binary("eq", x, _number(value))


def _infinite(x: Expr) -> Expr:
    return _equals(unary("abs", x), math.inf)


def _nan(x: Expr) -> Expr:
    return binary("ne", x, x)


def _open(x: Expr) -> Expr:
    """Return whether a part is infinite or NaN, so that it has no angle."""
    return unary("not", unary("is_finite", x))


def _where(condition: Expr, value: Expr | float, other: Expr) -> Expr:
    known = value if isinstance(value, Expr) else _number(value)
    return select(condition, known, other)


def _exp_from(lowest: float) -> Callable[[_Parts, _Parts], _Parts]:
    """Return the rule of `exp`, whose lowest value is 0, or of `expm1`, whose it is -1."""

    def rule(z: _Parts, result: _Parts) -> _Parts:
        (x, y), (real, imag) = z, result
        no_angle = _open(y)
        low = _both(no_angle, _equals(x, -math.inf))
        high = _both(no_angle, _equals(x, math.inf))
        return _where(low, lowest, _where(high, math.inf, real)), _where(low, 0.0, imag)

    return rule


def _expm1(z: _Parts, result: _Parts) -> _Parts:
    real, imag = _exp_from(-1.0)(z, result)
    # A zero of the real part is +0, as the standard has it.
    return binary("add", real, _number(0.0)), imag


def _cosh(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    no_angle = _open(y)
    return (
        _where(_both(no_angle, _infinite(x)), math.inf, real),
        _where(_both(no_angle, _equals(x, 0.0)), 0.0, imag),
    )


def _sinh(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    kept = binary("or", _infinite(x), _equals(x, 0.0))
    return _where(_both(_open(y), kept), x, real), imag


def _tanh(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    return _where(_both(_open(y), _equals(x, 0.0)), x, real), imag


def _log(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    return _where(binary("or", _infinite(x), _infinite(y)), math.inf, real), imag


def _sqrt(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    return (
        _where(_both(_nan(y), _equals(x, math.inf)), math.inf, real),
        _where(_both(_nan(y), _equals(x, -math.inf)), math.inf, imag),
    )


def _acos(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    return _where(_both(_nan(y), _equals(x, 0.0)), math.pi / 2, real), imag


def _acosh(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    return real, _where(_both(_nan(y), _equals(x, 0.0)), math.pi / 2, imag)


def _asinh(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    return real, _where(_both(_nan(x), _equals(y, 0.0)), y, imag)


def _atanh(z: _Parts, result: _Parts) -> _Parts:
    (x, y), (real, imag) = z, result
    return _where(_both(_nan(y), _equals(x, 0.0)), x, real), imag


_RULES: Final[dict[str, Callable[[_Parts, _Parts], _Parts]]] = {
    "acos": _acos,
    "acosh": _acosh,
    "asinh": _asinh,
    "atanh": _atanh,
    "cosh": _cosh,
    "exp": _exp_from(0.0),
    "expm1": _expm1,
    "log": _log,
    "log1p": _log,
    "sinh": _sinh,
    "sqrt": _sqrt,
    "tanh": _tanh,
}


def complex_rule(op: str) -> Callable[[Expr], Expr] | None:
    """Return an operation on C64 with annex G's values; None where the library's are these."""
    rule = _RULES.get(op)
    if rule is None:
        return None

    def function(z: Expr) -> Expr:
        result = unary(op, z)
        operand = unary("real", z), unary("imag", z)
        return binary("complex", *rule(operand, (unary("real", result), unary("imag", result))))

    return function
