"""How a call of another library is tried on arrays of indim, and what it is counted as.

A call is a function of `Data`, made once of NumPy's arrays and once of indim's. The result of the
first is what the second has to give, within float32.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import indim

# SciPy reads it when it is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

Call = Callable[["Data"], Any]

DEVICE, HOST, FAILS = "device", "host", "fails"

# Errors of float32 after some steps, such as the iterations of a fit.
_RELATIVE, _ABSOLUTE = 2e-3, 2e-4


class Data:
    """The arrays that calls take: float32 and int64, of NumPy or of indim."""

    def __init__(self, make: Callable[[np.ndarray], Any]) -> None:
        random = np.random.default_rng(39)
        self.make = make
        self.x = make(_floats(random.normal(size=(24, 4))))
        self.y = make(_floats(random.normal(size=(24, 4))))
        self.positive = make(_floats(random.random((24, 4)) + 0.1))
        self.v = make(_floats(random.normal(size=24)))
        self.w = make(_floats(random.normal(size=24)))
        self.ascending = make(_floats(np.linspace(0, 3, 24)))
        self.square = make(_floats(random.normal(size=(5, 5)) + 4 * np.eye(5)))
        half = random.normal(size=(5, 5))
        self.symmetric = make(_floats(half @ half.T + np.eye(5)))
        self.holes = make(_floats(np.where(random.random((24, 4)) < 0.2, np.nan, 1.5)))
        self.n = make(random.integers(0, 5, 24))
        self.m = make(random.integers(0, 5, 24))
        self.bits = make(random.integers(0, 2, 24))
        self.mask = make(random.random((24, 4)) < 0.5)
        self.image = make(_floats(random.random((8, 12))))


def _floats(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32)


@dataclass
class Outcome:
    """What became of a call: where it ran, and why not on the device."""

    kind: str
    reason: str = ""
    names: list[str] = field(default_factory=list)


def tried(call: Call) -> Outcome:
    """Return what becomes of a call on indim's arrays: its kind, and the reason of a miss."""
    expected = _leaves(_quietly(lambda: call(Data(np.array)))[0])
    try:
        before = indim.set_host_fallback("error")
        try:
            (found, _), read = _reads(lambda: _quietly(lambda: call(Data(indim.asarray))))
            alone = not read
        except Exception:
            alone = False
        if not alone:
            indim.set_host_fallback("warn")
            (found, said), read = _reads(lambda: _quietly(lambda: call(Data(indim.asarray))))
            names = [*said, *(["numpy.asarray"] if read else [])]
        wrong = _difference(_leaves(found), expected)
    except Exception as error:
        return Outcome(FAILS, _first_line(error))
    finally:
        indim.set_host_fallback(before)
    if wrong:
        return Outcome(FAILS, wrong)
    return Outcome(DEVICE) if alone else Outcome(HOST, names=names)


def _quietly(run: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a result, and the names that NumPy computed on the host for it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = run()
    names = (
        str(each.message).split(" has no kernel")[0]
        for each in said
        if issubclass(each.category, indim.HostFallbackWarning)
    )
    return result, list(dict.fromkeys(names))


def _reads(run: Callable[[], Any]) -> tuple[Any, bool]:
    """Return a result, and whether some array of more than one element was read for it.

    What this package reads by the rule for the host has been announced.
    """
    read: list[int] = []

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(self: indim.Array, *args: Any, **kwargs: Any) -> Any:
            if sys._getframe(1).f_globals.get("__name__") not in _READ_BY_THE_RULE:
                read.append(self.size)
            return method(self, *args, **kwargs)

        return noted

    with _replaced(indim.Array, {"__array__": noting, "__dlpack__": noting, "tolist": noting}):
        result = run()
    return result, any(size > 1 for size in read)


_READ_BY_THE_RULE = ("indim._on_host", "indim._numpy_in_place")
"""The modules that read arrays after an announcement."""


@contextmanager
def _replaced(kind: type, methods: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """Wrap methods of a class for a while."""
    before = {name: getattr(kind, name) for name in methods}
    for name, wrapped in methods.items():
        setattr(kind, name, wrapped(before[name]))
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(kind, name, method)


def _leaves(result: Any) -> list[np.ndarray]:
    """Return the arrays and numbers in a result, read."""
    if isinstance(result, (tuple, list)):
        return [leaf for each in result for leaf in _leaves(each)]
    if isinstance(result, Mapping):
        return [leaf for each in result.values() for leaf in _leaves(each)]
    return [np.asarray(result)]


def _difference(found: list[np.ndarray], expected: list[np.ndarray]) -> str:
    """Return how a result differs from NumPy's, in a few words; nothing where it does not."""
    if len(found) != len(expected):
        return f"{len(found)} arrays in place of {len(expected)}"
    for one, other in zip(found, expected, strict=True):
        if one.shape != other.shape:
            return f"shape {one.shape} in place of {other.shape}"
        if other.dtype.kind not in "biufc":
            same = one.tolist() == other.tolist()
        else:
            same = np.allclose(one, other, _RELATIVE, _ABSOLUTE, equal_nan=True)
        if not same:
            return "other values than NumPy's"
    return ""


def _first_line(error: Exception) -> str:
    words = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
