"""Reductions are NumPy's: values, types, shapes and errors; and the GPU computes them."""

from __future__ import annotations

import math
import os
import random
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import indim as xp

TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64"),
)
FUNCTIONS = ("all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min", "prod", "std")
FUNCTIONS += ("sum", "var", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar")
ORDERED = ("argmax", "argmin", "max", "min", "nanmax", "nanmin")


def operand(draw: random.Random, dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return random elements, some of them special."""
    generator = np.random.default_rng(draw.getrandbits(32))
    if np.dtype(dtype).kind in "biu":
        low, high = (0, 2) if dtype == "bool" else (0, 100)
        if np.dtype(dtype).kind == "i":
            low = -100
        return generator.integers(low, high, shape).astype(dtype)
    x = generator.normal(size=shape) * draw.choice([1, 10])
    if dtype == "complex64":
        x = x + 1j * generator.normal(size=shape)
    x = np.asarray(x.astype(dtype))
    if draw.random() < 0.2:
        x[generator.random(shape) < 0.1] = draw.choice([np.nan, np.inf, -np.inf, -0.0])
    return x


def view(draw: random.Random, x: Any) -> Any:
    """Return a view of an array, of NumPy or of indim alike."""
    kind = draw.randrange(4)
    if kind == 1:
        return x.T
    if kind == 2 and x.ndim:
        return x[::-1]
    if kind == 3 and x.ndim:
        return x[..., 1:]
    return x


def axes(draw: random.Random, rank: int) -> Any:
    """Return an `axis`: none, one or several."""
    if rank == 0 or draw.random() < 0.3:
        return None
    if draw.random() < 0.5:
        return draw.randrange(-rank, rank)
    return tuple(draw.sample(range(rank), draw.randrange(1, rank + 1)))


def tolerance(name: str, dtype: str, values: np.ndarray[Any, Any]) -> float:
    """Return how far NumPy's result may be: its own sums are rounded at each step."""
    kind = np.dtype(dtype)
    eps = float(np.finfo(kind).eps) if kind.kind in "fc" else 2.0**-52
    finite = np.abs(values[np.isfinite(values)].astype(np.complex128))
    largest = float(finite.max(initial=1.0))
    power = 2 if name.endswith(("var", "std")) else 1
    return eps * 8 * max(values.size, 1) * largest**power


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_calls_are_numpys(name: str) -> None:
    """Of all types, axes and views; `INDIM_PYTHON_CALLS` sets how many in all."""
    calls = int(os.environ.get("INDIM_PYTHON_CALLS", "1000")) // len(FUNCTIONS) + 1
    for number in range(calls):
        draw = random.Random(f"{name} {number}")
        dtype = draw.choice(TYPES)
        if name in ORDERED and dtype == "complex64":
            continue
        rank = draw.randrange(4)
        shape = tuple(draw.choice([1, 2, 3, 5, 8, 33, 40]) for _ in range(rank))
        host = operand(draw, dtype, shape)
        state = draw.getstate()
        x = view(draw, xp.asarray(host))
        draw.setstate(state)
        host = view(draw, host)
        axis = axes(draw, host.ndim)
        if name.startswith("arg") and isinstance(axis, tuple):
            axis = axis[0]
        keepdims = draw.random() < 0.3
        function = getattr(np, name)
        label = f"{name} of {dtype} {host.shape}, axis={axis}, keepdims={keepdims}"
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected = np.asarray(function(host, axis=axis, keepdims=keepdims))
            except ValueError as error:
                with pytest.raises(ValueError, match=str(error).split(" operation ")[0]):
                    function(x, axis=axis, keepdims=keepdims)
                continue
        found = function(x, axis=axis, keepdims=keepdims)
        if host.dtype.kind in "biu" and expected.dtype == np.float64:
            # Of integers the default float, whose accuracy is that of float32's.
            expected = expected.astype(np.float32)
        assert isinstance(found, xp.Array), label
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), label
        close(label, name, dtype, np.asarray(found), expected, host)


def close(
    label: str,
    name: str,
    dtype: str,
    found: np.ndarray[Any, Any],
    expected: np.ndarray[Any, Any],
    host: np.ndarray[Any, Any],
) -> None:
    """Check values: exactly, or to what NumPy's own sums and products are off."""
    if expected.dtype.kind in "biu" or name in ORDERED:
        np.testing.assert_array_equal(found, expected, label)
        return
    if expected.dtype.kind == "c":
        if name.endswith("prod"):
            # Infinite parts times the zero of 1 + 0j, by which NumPy begins, are NaN.
            known = np.isfinite(expected) & np.isfinite(found)
            assert known.all() or not np.isfinite(expected[~known]).all(), label
            apart = np.abs(found - expected)[known]
            eps = float(np.finfo(np.float32).eps)
            limit = np.abs(expected)[known] * eps * 8 * host.size + np.finfo(np.float32).tiny
            assert (apart <= limit).all(), label
            return
        for part in (np.real, np.imag):
            close(label, name, "complex64", part(found), part(expected), host)
        return
    if name.endswith("prod"):
        with np.errstate(all="ignore"):
            rtol = float(np.finfo(expected.dtype).eps) * 8 * max(host.size, 1)
            tiny = float(np.finfo(expected.dtype).tiny)
            np.testing.assert_allclose(found, expected, rtol, tiny, err_msg=label)
        return
    wide = np.result_type(host.dtype, np.float64)
    if dtype == "float16":
        # NumPy adds halves in halves.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not np.isfinite(expected).all():
                return
    atol = tolerance(name, dtype, host)
    if name.endswith("std"):
        atol = max(atol, atol**0.5)
    np.testing.assert_allclose(found.astype(wide), expected.astype(wide), 1e-6, atol, err_msg=label)


BITS = {"float16": 11, "bfloat16": 8, "float32": 24}


def half_ulp(value: float, dtype: str) -> float:
    """Return half the distance of neighbouring floats of a type around a value."""
    exponent = math.frexp(value)[1] if value else -125
    least = -14 if dtype == "float16" else -126
    return math.ldexp(0.5, max(exponent - 1, least) + 1 - BITS[dtype])


def groups(host: np.ndarray[Any, Any], axis: Any) -> tuple[tuple[int, ...], list[list[float]]]:
    """Return the shape of a reduction along `axis`, and the elements of each of its results."""
    some = (axis,) if isinstance(axis, int) else axis
    reduced = sorted(range(host.ndim) if some is None else (a % host.ndim for a in some))
    kept = [d for d in range(host.ndim) if d not in reduced]
    shape = tuple(host.shape[d] for d in kept)
    rows = host.astype(np.float64).transpose(kept + reduced).reshape(math.prod(shape), -1)
    return shape, rows.tolist()


@pytest.mark.parametrize("dtype", BITS)
def test_float_sums_and_means_are_within_their_bound(dtype: str) -> None:
    """Half an ULP and 2**-36 of the sum of magnitudes, beside the exact sum of `math.fsum`."""
    for number in range(int(os.environ.get("INDIM_PYTHON_CALLS", "1000")) // 25):
        draw = random.Random(f"fsum {dtype} {number}")
        generator = np.random.default_rng(draw.getrandbits(32))
        shape = tuple(draw.choice([1, 3, 8, 33, 70]) for _ in range(1 + draw.randrange(3)))
        wide = generator.normal(size=shape) * np.exp2(generator.integers(-8, 2, shape))
        if draw.random() < 0.5:
            # The sum cancels, the magnitudes do not.
            wide = np.concatenate([wide, -wide, np.full_like(wide[:1], 2.0**-10)])
        host = wide.astype(getattr(xp, dtype))
        axis = axes(draw, host.ndim)
        x = xp.asarray(host)
        label = f"{dtype} {host.shape}, axis={axis}"
        sizes, rows = groups(host, axis)
        found = np.asarray(xp.sum(x, axis=axis)), np.asarray(xp.mean(x, axis=axis))
        assert [part.dtype.name for part in found] == [dtype, dtype], label
        assert [part.shape for part in found] == [sizes, sizes], label
        sums, means = (part.astype(np.float64).reshape(-1).tolist() for part in found)
        for row, total, mean in zip(rows, sums, means, strict=True):
            truth = math.fsum(row)
            beside = 2.0**-36 * math.fsum(map(abs, row))
            bound = half_ulp(truth, dtype) + beside
            assert abs(total - truth) <= bound, f"sum of {label}: {total}, not {truth}"
            middle = truth / len(row)
            bound = (half_ulp(truth, "float32") + beside) / len(row)
            bound += half_ulp(middle, "float32") + half_ulp(middle, dtype)
            assert abs(mean - middle) <= bound, f"mean of {label}: {mean}, not {middle}"


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint16", "uint64"])
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_integers_wrap(name: str, dtype: str) -> None:
    """To NumPy's bits, also in a type of their own, which most sums of these leave."""
    info = np.iinfo(dtype)
    for number in range(8):
        draw = random.Random(f"{name} {dtype} {number}")
        generator = np.random.default_rng(draw.getrandbits(32))
        shape = tuple(draw.choice([3, 33, 1030]) for _ in range(1 + draw.randrange(2)))
        host = generator.integers(info.min, info.max, shape, dtype, endpoint=True)
        axis = axes(draw, host.ndim)
        for of in (None, dtype):
            with np.errstate(over="ignore"):
                expected = np.asarray(getattr(np, name)(host, axis=axis, dtype=of))
            found = np.asarray(getattr(xp, name)(xp.asarray(host), axis=axis, dtype=of))
            label = f"{name} of {dtype} {shape}, axis={axis}, dtype={of}"
            assert found.dtype == expected.dtype, label
            np.testing.assert_array_equal(found, expected, label)


HOST = np.arange(12, dtype=np.float32).reshape(3, 4)
"""What the tests below reduce."""

METHODS = ("all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "var")
UFUNCS = (np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin, np.logaddexp)
UFUNCS += (np.logical_and, np.logical_or, np.logical_xor)
BITWISE = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)


@pytest.fixture
def no_host() -> Iterator[None]:
    """Forbid NumPy on the host."""
    xp.set_host_fallback("error")
    yield
    xp.set_host_fallback("warn")


def on_device(call: Callable[[], Any]) -> np.ndarray[Any, Any]:
    """Return what a call gives; check that the GPU computes it, and that nothing is read for it."""
    before = xp.stats()
    found = call()
    xp.eval(found)
    after = xp.stats()
    assert after["dispatches"] > before["dispatches"]
    assert after["downloaded_bytes"] == before["downloaded_bytes"]
    return np.asarray(found)


@pytest.mark.parametrize("name", [*FUNCTIONS, "nancumsum", "nancumprod"])
def test_the_gpu_computes_numpys_functions(name: str, no_host: None) -> None:
    """Nothing is read, also where elements are NaN."""
    host = HOST.copy()
    if name.startswith("nan"):
        host[1, 2] = np.nan
    x = xp.asarray(host)
    found = on_device(lambda: getattr(np, name)(x, axis=0))
    expected = getattr(np, name)(host, axis=0)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, 1e-5)


@pytest.mark.parametrize("name", METHODS)
def test_the_gpu_computes_methods(name: str, no_host: None) -> None:
    """And the functions of the namespace."""
    x = xp.asarray(HOST)
    expected = getattr(HOST, name)(0)
    for call in (lambda: getattr(x, name)(0), lambda: getattr(xp, name)(x, axis=-2)):
        np.testing.assert_allclose(on_device(call), expected, 1e-5)


@pytest.mark.parametrize("ufunc", [*UFUNCS, *BITWISE], ids=lambda ufunc: ufunc.__name__)
def test_the_gpu_computes_reduce_of_ufuncs(ufunc: np.ufunc, no_host: None) -> None:
    """With all arguments of NumPy's, of all types, and with its errors."""
    draw = random.Random(ufunc.__name__)
    for dtype in ("bool", "int8", "uint8", "int32", "uint64", "float16", "float32"):
        if ufunc in BITWISE and dtype.startswith("float"):
            with pytest.raises(TypeError, match="reduce: "):
                ufunc.reduce(xp.asarray(HOST.astype(dtype)))
            continue
        host = operand(draw, dtype, (5, 7))
        if dtype == "float32":
            host[:, 3] = np.nan
            host[1, 4] = np.nan
        x, mask = xp.asarray(host), host > 1
        initial = ufunc.identity if ufunc.identity is not None else 1
        initial = 1 if initial == -1 else initial
        for arguments in (
            *({}, {"axis": 1}, {"axis": None, "keepdims": True}, {"axis": (0, 1)}),
            *({"axis": 1, "initial": initial}, {"axis": 0, "where": mask, "initial": initial}),
        ):
            label = f"{ufunc.__name__}.reduce of {dtype}, {arguments}"
            with np.errstate(all="ignore"):
                expected = np.asarray(ufunc.reduce(host, **arguments))
            found = on_device(lambda: ufunc.reduce(x, **arguments))  # noqa: B023
            rtol = 1e-2 if expected.dtype == np.float16 else 1e-5
            if host.dtype.kind in "biu" and expected.dtype.kind == "f":
                expected = expected.astype(np.float32)
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape), label
            if expected.dtype.kind == "f":
                np.testing.assert_allclose(found, expected, rtol, 1e-5, err_msg=label)
            else:
                np.testing.assert_array_equal(found, expected, label)
    empty = np.zeros((0, 2), np.int32 if ufunc in BITWISE else np.float32)
    if ufunc.identity is None:
        for call in (lambda z: ufunc.reduce(z), lambda z: ufunc.reduce(z, where=z > 0)):
            with pytest.raises(ValueError) as said:
                call(empty)
            with pytest.raises(ValueError, match=re.escape(str(said.value))):
                call(xp.asarray(empty))
    else:
        np.testing.assert_array_equal(
            np.asarray(ufunc.reduce(xp.asarray(empty))), ufunc.reduce(empty)
        )


def test_accumulate_of_extremes(no_host: None) -> None:
    """NaN from the first one on."""
    host = np.asarray([[1, 5, np.nan, 2], [3, 2, 7, 7]], np.float32)
    x = xp.asarray(host)
    for ufunc in (np.maximum, np.minimum):
        for axis in (0, 1, -1):
            found = on_device(lambda: ufunc.accumulate(x, axis=axis))  # noqa: B023
            np.testing.assert_array_equal(found, ufunc.accumulate(host, axis=axis))
    assert np.maximum.accumulate(x.astype(xp.int32)[1]).tolist() == [3, 3, 7, 7]
    assert np.minimum.accumulate(x[1], dtype=np.float16).dtype == xp.float16
    with pytest.raises(TypeError, match="maximum.accumulate: operand has element type complex64"):
        np.maximum.accumulate(xp.asarray([1j]))


def test_masks_and_initial_values(no_host: None) -> None:
    """Of functions, as NumPy's; a mask may be an array of either library."""
    host = np.random.default_rng(5).normal(size=(6, 7)).astype(np.float32)
    host[2, 3] = np.nan
    x, mask = xp.asarray(host), np.nan_to_num(host) > -1
    for name, initial in (
        *(("sum", 2), ("prod", 2), ("nansum", None), ("nanprod", 1), ("nanmax", 0), ("nanmin", 9)),
        *(("max", -5), ("min", 5), ("mean", None), ("var", None), ("std", None), ("all", None)),
        *(("any", None), ("nanmean", None), ("nanvar", None), ("nanstd", None)),
    ):
        function = getattr(np, name)
        named = {} if initial is None else {"initial": initial}
        for axis in (None, 0, 1):
            expected = np.asarray(function(host, axis=axis, where=mask, **named))
            for of in (mask, xp.asarray(mask)):
                found = on_device(lambda: function(x, axis=axis, where=of, **named))  # noqa: B023
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
                np.testing.assert_allclose(found, expected, 1e-4, 1e-5, err_msg=name)
    whole = xp.asarray([1, 2, 6])
    assert float(np.mean(whole, where=[True, False, True])) == 3.5
    with pytest.raises(ValueError, match="does not have an identity, so to use a where mask"):
        np.max(whole, where=[True, False, True])
    with pytest.raises(TypeError, match="where= takes an array of booleans, not of int64"):
        np.sum(whole, where=whole)


def test_positions_without_nan(no_host: None) -> None:
    """They read one boolean, since rows of NaN alone are an error."""
    host = np.asarray([[1, np.nan, 3], [np.nan, 2, 0]], np.float32)
    x = xp.asarray(host)
    for function in (np.nanargmax, np.nanargmin):
        for axis in (None, 0, 1):
            before = xp.stats()
            found = function(x, axis=axis, keepdims=True)
            xp.eval(found)
            assert xp.stats()["dispatches"] > before["dispatches"]
            assert xp.stats()["downloaded_bytes"] - before["downloaded_bytes"] <= 4
            np.testing.assert_array_equal(np.asarray(found), function(host, axis, keepdims=True))
        assert function(xp.asarray([3, 1, 2])).tolist() == function(np.asarray([3, 1, 2]))
        with pytest.raises(ValueError, match="All-NaN slice encountered"):
            function(x * xp.asarray([np.nan, 1, 1]), axis=0)


def test_what_stands_around_them_is_fused() -> None:
    """A standardised matrix is one kernel, also with the sum of two matrices before it."""
    x = xp.asarray(np.linspace(-1, 1, 64 * 256, dtype=np.float32).reshape(64, 256))
    xp.eval(x)
    before = xp.stats()["dispatches"]
    standard = (x - xp.mean(x, axis=1, keepdims=True)) / xp.std(x, axis=1, keepdims=True)
    xp.eval(standard)
    assert xp.stats()["dispatches"] - before == 1
    before = xp.stats()["dispatches"]
    xp.eval(xp.mean(x + x, axis=1))
    assert xp.stats()["dispatches"] - before == 1
    host = np.linspace(-1, 1, 64 * 256).reshape(64, 256)
    expected = (host - host.mean(1, keepdims=True)) / host.std(1, keepdims=True)
    np.testing.assert_allclose(np.asarray(standard), expected, 1e-4, 1e-5)


def test_softmax_and_logsumexp() -> None:
    """They do not overflow."""
    x = xp.asarray([[1000.0, 1001.0, 999.0], [-2000.0, -2000.0, -2000.0]])
    np.testing.assert_allclose(np.asarray(xp.logsumexp(x, axis=1)), [1001.4076, -1998.9014], 1e-6)
    np.testing.assert_allclose(np.asarray(xp.softmax(x, axis=1)).sum(1), [1, 1], 1e-6)
    np.testing.assert_allclose(np.asarray(xp.log_softmax(x, axis=-1))[1], np.log([1 / 3] * 3), 1e-6)
    assert xp.softmax(xp.asarray([1, 2])).dtype == xp.float32


def test_errors_are_numpys() -> None:
    """Of axes, and of nothing."""
    x = xp.zeros((2, 0))
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        xp.sum(x, axis=2)
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        xp.sum(x, axis=(0, -2))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        xp.max(x)
    with pytest.raises(ValueError, match="attempt to get argmin of an empty sequence"):
        x.argmin(axis=1)
    with pytest.raises(TypeError, match="max: operand has element type complex64"):
        xp.max(xp.asarray([1j]))
    assert np.asarray(xp.sum(x, axis=1)).tolist() == [0, 0]
    assert np.isnan(float(xp.mean(x)))
    assert np.asarray(xp.max(x, axis=0)).shape == (0,)
