"""Functions and methods by NumPy's names: values, types and shapes are NumPy's, in random calls."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import indim as xp

TYPES = ("int8", "int32", "int64", "uint8", "uint32", "float16", "float32", "bool")

# Each as a call of a namespace, of the random source and of an array of two or three dimensions.
FUNCTIONS: dict[str, Callable[[Any, random.Random, Any], Any]] = {
    "diff": lambda m, r, x: m.diff(x, n=r.randrange(4), axis=r.randrange(x.ndim)),
    "diff with ends": lambda m, r, x: m.diff(x, 1, r.randrange(x.ndim), prepend=x, append=x),
    "pad": lambda m, r, x: m.pad(
        x, (r.randrange(3), r.randrange(3)), constant_values=r.randrange(2)
    ),
    "pad by pairs": lambda m, r, x: m.pad(x, ((0, 1),) * x.ndim, constant_values=(1, 0)),
    "pad in a mode": lambda m, r, x: m.pad(x, 1, mode=r.choice(["edge", "wrap", "reflect"])),
    "outer": lambda m, r, x: m.outer(x, x[0]),
    "matmul": lambda m, r, x: m.matmul(x, x.mT),
    "matmul with a vector": lambda m, r, x: m.matmul(x, x[(0,) * (x.ndim - 1)]),
    "a vector with matmul": lambda m, r, x: m.matmul(x[(0,) * (x.ndim - 1)], x.mT),
    "dot": lambda m, r, x: m.dot(x, x.mT if x.ndim == 2 else x[0].T),
    "vecdot": lambda m, r, x: m.vecdot(x, x[0], axis=-1),
    "tensordot": lambda m, r, x: m.tensordot(x, x, axes=([0, -1], [0, -1])),
    "tril": lambda m, r, x: m.tril(x, r.randrange(-3, 3)),
    "triu": lambda m, r, x: m.triu(x, k=r.randrange(-3, 3)),
    "meshgrid": lambda m, r, x: m.meshgrid(
        x[0].ravel(), x.ravel()[:3], indexing=r.choice(["xy", "ij"])
    )[1],
    "unstack": lambda m, r, x: m.unstack(x, axis=r.randrange(x.ndim))[-1],
    "repeat": lambda m, r, x: m.repeat(x, r.randrange(3), axis=r.choice([None, 0, -1])),
    "repeat by numbers": lambda m, r, x: m.repeat(
        x, [r.randrange(3) for _ in range(x.shape[0])], axis=0
    ),
    "tile": lambda m, r, x: m.tile(x, (2, 1, r.randrange(3))),
    "ravel": lambda m, r, x: m.ravel(x),
    "take": lambda m, r, x: m.take(x, m.asarray([0, -1, 0]), axis=r.randrange(x.ndim)),
    "take_along_axis": lambda m, r, x: m.take_along_axis(x, m.argsort(x, axis=-1), axis=-1),
    "sort": lambda m, r, x: m.sort(x, axis=r.randrange(x.ndim)),
    "argsort": lambda m, r, x: m.argsort(x, axis=r.randrange(x.ndim), stable=True),
    "searchsorted": lambda m, r, x: m.searchsorted(
        m.sort(x.ravel()), x.ravel(), side=r.choice(["left", "right"])
    ),
    "nonzero": lambda m, r, x: m.nonzero(x)[0],
    "where alone": lambda m, r, x: m.where(x > 0)[-1],
    "cumulative_sum": lambda m, r, x: m.cumulative_sum(
        x, axis=r.randrange(x.ndim), include_initial=True
    ),
    "cumulative_prod": lambda m, r, x: m.cumulative_prod(x[:2], axis=0),
    # NumPy's own have any order.
    "unique_values": lambda m, r, x: np.unique(x) if m is np else m.unique_values(x),
    "unique_counts": lambda m, r, x: m.unique_counts(x).counts,
    "unique_inverse": lambda m, r, x: m.unique_inverse(x).inverse_indices,
    "unique_all": lambda m, r, x: m.unique_all(x).indices,
    "percentile": lambda m, r, x: m.percentile(
        m.asarray(x, dtype=np.float32), [5, 50], axis=r.choice([None, 0])
    ),
    "histogram": lambda m, r, x: m.histogram(m.asarray(x, dtype=np.float32), 4)[0],
    "interp": lambda m, r, x: m.interp(m.asarray(x, dtype=np.float32), [-1.0, 2.0], [0.0, 3.0]),
}

METHODS: dict[str, Callable[[random.Random, Any], Any]] = {
    "ravel": lambda r, x: x.ravel(),
    "flatten": lambda r, x: x.flatten(),
    "clip": lambda r, x: x.clip(0, 1),
    "round": lambda r, x: x.round(),
    "var": lambda r, x: x.var(r.randrange(x.ndim)),
    "std": lambda r, x: x.std(ddof=1),
    "prod": lambda r, x: x[:2].prod(0),
    "sum": lambda r, x: x.sum(0, None, None, True),
    "max": lambda r, x: x.max(0, None, True),
    "argmin": lambda r, x: x.argmin(r.choice([None, 0])),
    "argmax": lambda r, x: x.argmax(axis=-1),
    "squeeze": lambda r, x: x[None].squeeze(),
    "swapaxes": lambda r, x: x.swapaxes(0, -1),
    "conj": lambda r, x: x.conj(),
    "copy": lambda r, x: x.copy(),
    "argsort": lambda r, x: x.argsort(r.choice([None, 0, -1]), kind="stable"),
    "diagonal": lambda r, x: x.diagonal(r.randrange(-1, 2)),
    "trace": lambda r, x: x.trace(r.randrange(-1, 2)),
    "take": lambda r, x: x.take([1, 0, 1], axis=r.choice([None, 0])),
    "cumsum": lambda r, x: x.cumsum(r.choice([None, 0])),
    "cumprod": lambda r, x: x[:2].cumprod(axis=0),
    "nonzero": lambda r, x: x.nonzero()[1],
    "repeat": lambda r, x: x.repeat(2, axis=0),
    "dot": lambda r, x: x[0].dot(x[0].T),
    "matmul": lambda r, x: x @ x.mT,
    "searchsorted": lambda r, x: x[0].ravel()[:1].searchsorted(x.ravel()),
}

# NumPy's own functions, with the arguments that its users write.
OF_NUMPY: dict[str, Callable[[random.Random, Any], Any]] = {
    "sum": lambda r, x: np.sum(x, 0),
    "percentile": lambda r, x: np.percentile(x, 5),
    "median": lambda r, x: np.median(x, axis=0),
    "diff": lambda r, x: np.diff(x),
    "cumsum": lambda r, x: np.cumsum(x, axis=0),
    "sort": lambda r, x: np.sort(x, axis=None),
    "unique": lambda r, x: np.unique(x, return_counts=True)[1],
    "linalg.norm": lambda r, x: np.linalg.norm(x, axis=r.choice([None, 0])),
    "linalg.norm by 1": lambda r, x: np.linalg.norm(x[0], ord=r.choice([1, 2, np.inf]), axis=-1),
    "trace": lambda r, x: np.trace(x, r.randrange(-1, 2)),
    "diagonal": lambda r, x: np.diagonal(x, r.randrange(-3, 4), 0, 1),
    "vstack": lambda r, x: np.vstack([x, x]),
    "hstack": lambda r, x: np.hstack([x, x]),
    "column_stack": lambda r, x: np.column_stack([x[0].ravel(), x[0].ravel()]),
    "split": lambda r, x: np.array_split(x, 3, axis=r.randrange(x.ndim))[-1],
    "split at": lambda r, x: np.split(x, [1, 2])[1],
    "atleast_2d": lambda r, x: np.atleast_2d(x[(0,) * (x.ndim - 1)]),
    "append": lambda r, x: np.append(x, x),
    "isclose": lambda r, x: np.isclose(x, x + r.choice([0, 1])),
    "nan_to_num": lambda r, x: np.nan_to_num(x),
    "ptp": lambda r, x: np.ptp(x, axis=0),
    "average": lambda r, x: np.average(x, axis=0),
    "fmax": lambda r, x: np.fmax(x, x[::-1]),
    "inner": lambda r, x: np.inner(x, x),
    "outer": lambda r, x: np.add.outer(x[0], x),
    "accumulate": lambda r, x: np.add.accumulate(x),
    "flatnonzero": lambda r, x: np.flatnonzero(x),
    "histogram": lambda r, x: np.histogram(x, bins=4)[0],
    "convolve": lambda r, x: np.convolve(x.ravel(), x.ravel()[:3]),
    "fft": lambda r, x: np.fft.rfft(x),
    "rot90": lambda r, x: np.rot90(x),
    "rot90 by k": lambda r, x: np.rot90(x, r.randrange(-3, 5), axes=(-1, 0)),
    "rollaxis": lambda r, x: np.rollaxis(x, r.randrange(x.ndim), r.randrange(x.ndim + 1)),
    "atleast_3d": lambda r, x: np.atleast_3d(x),
    "dstack": lambda r, x: np.dstack([x, x]),
    "block": lambda r, x: np.block([[x[0, 0], x[0, 1]], [x[1, 0], x[1, 1]]]),
    "delete": lambda r, x: np.delete(
        x, r.choice([0, -1, slice(1, None), [0, 1]]), r.choice([None, 0])
    ),
    "insert": lambda r, x: np.insert(x, r.randrange(-2, 3), 7, r.choice([None, 0, -1])),
    "insert a row": lambda r, x: np.insert(x, 1, x[0], axis=0),
    "resize": lambda r, x: np.resize(x, (3, r.randrange(9))),
    "select": lambda r, x: np.select([x > 1, x > 0], [x, x * 2], r.randrange(3)),
    "vander": lambda r, x: np.vander(x.ravel()[:3], r.choice([None, 2, 4]), r.random() < 0.5),
    "kron": lambda r, x: np.kron(x[0], x),
    "isin": lambda r, x: np.isin(x, x[0, 0], invert=r.random() < 0.5),
    "windows": lambda r, x: np.lib.stride_tricks.sliding_window_view(x, 2, r.randrange(x.ndim)),
    "windows of all": lambda r, x: np.lib.stride_tricks.sliding_window_view(x, (2,) * x.ndim),
    "einsum": lambda r, x: np.einsum("...ij,...kj->...ik", x, x),
    "einsum of one": lambda r, x: (
        np.einsum("...i->i", x[0]) if x.ndim == 2 else np.einsum("ijk->ki", x)
    ),
    "einsum of three": lambda r, x: np.einsum(
        "i,i,ij", x[:, 0].ravel()[:2], x[:2, 1].ravel()[:2], x[:2].reshape(2, -1)
    ),
    "cross": lambda r, x: np.cross(np.resize(x, (4, 3)), np.resize(x, (2, 1, 3))),
    "cross along": lambda r, x: np.cross(np.resize(x, (3, 4)), np.resize(x, (3, 4)), axis=0),
    "fix": lambda r, x: np.fix(x / 2),
    "heaviside": lambda r, x: np.heaviside(x - 1.0, 0.5),
    "modf": lambda r, x: np.stack(np.modf(x / 2 - 0.75)),
    "sinc": lambda r, x: np.sinc(x),
    "angle": lambda r, x: np.angle(x + 1j, deg=r.random() < 0.5),
    "angle of reals": lambda r, x: np.angle(x - 1.0),
    "logaddexp2": lambda r, x: np.logaddexp2(x, x[::-1]),
    "float_power": lambda r, x: np.float_power(x, 1.5),
    "unwrap": lambda r, x: np.unwrap(x * 2.5, axis=r.randrange(x.ndim)),
    "polyval": lambda r, x: np.polyval([2, -1, 3], x),
    "gradient": lambda r, x: np.gradient(x, 2.0, axis=r.randrange(x.ndim)),
    "gradient along all": lambda r, x: np.stack(np.gradient(x)),
    "ediff1d": lambda r, x: np.ediff1d(x, x.ravel()[:1], x[:1, 0]),
    "convolve in a mode": lambda r, x: np.convolve(
        x.ravel()[:5], x.ravel()[: r.randrange(1, 9)], r.choice(["full", "same", "valid"])
    ),
    "correlate": lambda r, x: np.correlate(
        x.ravel(), x.ravel()[: r.randrange(1, 5)], r.choice(["full", "same", "valid"])
    ),
    "cov": lambda r, x: np.cov(x[0] if x.ndim > 2 else x, rowvar=r.random() < 0.5, ddof=0),
    "corrcoef": lambda r, x: np.corrcoef(x.ravel()[:4] + np.arange(4), np.arange(4)),
    "average by weights": lambda r, x: np.average(x, 0, np.arange(1, x.shape[0] + 1)),
    "sum where": lambda r, x: np.sum(x, axis=0, where=x > 1),
    "any where": lambda r, x: np.any(x, where=x > 1),
    "exp2 of all": lambda r, x: np.exp2(x),
    "lists beside": lambda r, x: np.add(x, [1] * x.shape[-1]),
    "add in a type": lambda r, x: np.add(x, 1, dtype=np.float32),
    "fftshift": lambda r, x: np.fft.fftshift(x, axes=r.choice([None, 0])),
    "ifftshift": lambda r, x: np.fft.ifftshift(x),
    "diagonal of nothing": lambda r, x: np.diagonal(x[:0, :, None], 0, 1, 2),
    "deg2rad": lambda r, x: np.deg2rad(x),
    "exp2": lambda r, x: np.exp2(x[:1] * 0),
    "swapaxes": lambda r, x: np.swapaxes(x, 0, 1),
    "diag": lambda r, x: np.diag(x[0].ravel()[:3], r.randrange(-3, 4)),
    "trapezoid": lambda r, x: np.trapezoid(x, axis=r.randrange(x.ndim)),
    "trapezoid by x": lambda r, x: np.trapezoid(x, x[0].ravel()[: x.shape[-1]]),
    "pad": lambda r, x: np.pad(
        x,
        [(r.randrange(x.shape[dim]), r.randrange(x.shape[dim])) for dim in range(x.ndim)],
        r.choice(["edge", "reflect", "symmetric", "wrap"]),
    ),
    "pad widely": lambda r, x: np.pad(x, 7, r.choice(["edge", "reflect", "symmetric", "wrap"])),
}


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """Let NumPy compute on the host without warnings."""
    xp.set_host_fallback("allow")
    yield
    xp.set_host_fallback("warn")


def operands(number: int, dtypes: tuple[str, ...] = TYPES) -> tuple[np.ndarray, xp.Array]:
    """Return small whole numbers of a random type, as arrays of both libraries."""
    draw = random.Random(number)
    shape = tuple(draw.randrange(2, 5) for _ in range(draw.choice([2, 3])))
    values = np.random.default_rng(number).integers(0, 3, shape).astype(draw.choice(dtypes))
    host = values * 0.5 if values.dtype.kind == "f" and draw.random() < 0.5 else values
    host = host.astype(values.dtype)
    x = xp.asarray(host)
    if draw.random() < 0.5:
        return host[::-1], x[::-1]
    return host, x


def compare(found: Any, expected: Any, label: str, widens: bool = False) -> None:
    """Compare a result with NumPy's; of integers its float64 is our float32."""
    expected = np.asarray(expected)
    tolerance = 2e-3 if expected.dtype == np.float16 else 1e-5
    assert isinstance(found, xp.Array), label
    if expected.dtype in (np.float64, np.complex128) or widens:
        expected = expected.astype(np.complex64 if expected.dtype.kind == "c" else np.float32)
    assert found.dtype == expected.dtype and found.shape == expected.shape, label
    np.testing.assert_allclose(np.asarray(found), expected, tolerance, tolerance, err_msg=label)


def tried(call: Callable[[], Any]) -> Any:
    """Return the result of a call of NumPy; None where it takes no such type."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except TypeError:
            return None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_the_namespace(name: str) -> None:
    """Twelve calls each."""
    call = FUNCTIONS[name]
    compared = 0
    for number in range(12):
        host, x = operands(number)
        expected = tried(lambda: call(np, random.Random(number), host))  # noqa: B023
        if expected is not None:
            compare(call(xp, random.Random(number), x), expected, f"{name} of {host!r}")
            compared += 1
    assert compared > 8


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str) -> None:
    """Twelve calls each."""
    call = METHODS[name]
    compared = 0
    for number in range(12):
        host, x = operands(number, TYPES[:-1])
        expected = tried(lambda: call(random.Random(number), host))  # noqa: B023
        if expected is not None:
            label = f"{name} of {host!r}"
            widens = name in ("var", "std") and host.dtype.kind in "iu"
            compare(call(random.Random(number), x), expected, label, widens)
            compared += 1
    assert compared > 8


@pytest.mark.parametrize("name", OF_NUMPY)
def test_numpys_own_functions(name: str) -> None:
    """Twelve calls each, of integers and float32."""
    call = OF_NUMPY[name]
    for number in range(12):
        host, x = operands(number, ("int32", "int64", "uint8", "float32"))
        expected = tried(lambda: call(random.Random(number), host))  # noqa: B023
        assert expected is not None
        widens = np.asarray(expected).dtype == np.float16
        compare(call(random.Random(number), x), expected, f"{name} of {host!r}", widens)


def test_descending_and_stable() -> None:
    """The standard's order of equal elements, also for unsigned integers."""
    x = xp.asarray([2, 0, 2, 1], dtype=xp.uint8)
    assert xp.sort(x, descending=True).tolist() == [2, 2, 1, 0]
    assert xp.argsort(x, descending=True).tolist() == [0, 2, 3, 1]
    x.sort()
    assert x.tolist() == [0, 1, 2, 2]


def test_values_of_an_array_as_pythons() -> None:
    """`item`, `tolist` and `fill`."""
    x = xp.asarray([[1.5, 2.0], [3.0, 4.0]])
    assert x.item(0) == 1.5 and x.item(1, 0) == 3 and x.tolist() == [[1.5, 2], [3, 4]]
    assert type(x[0, 0].item()) is float
    x.fill(7)
    assert x.tolist() == [[7, 7], [7, 7]]
    x @= xp.eye(2)
    assert x.tolist() == [[7, 7], [7, 7]]


def test_positional_arguments_of_numpys_users() -> None:
    """As they write them."""
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert xp.sum(x, 0).tolist() == [4, 6] and xp.argmax(x, 1).tolist() == [1, 1]
    assert xp.zeros(2, xp.int32).dtype == xp.full(2, 1, xp.int32).dtype == xp.int32
    assert xp.asarray([1], xp.float32).dtype == xp.arange(0, 3, 1, xp.float32).dtype == xp.float32
    assert xp.concat([x, x], 1).shape == xp.stack([x, x], 2).reshape(2, 4).shape == (2, 4)
    assert xp.std(x, ddof=1).item() == pytest.approx(np.std([1, 2, 3, 4], ddof=1))
    assert xp.linspace(0, 1).shape == (50,) and xp.eye(2, 3, 1)[0].tolist() == [0, 1, 0]
    assert xp.flip(x, 0).tolist() == xp.roll(x, 1, 0).tolist() == [[3, 4], [1, 2]]
    assert xp.squeeze(x[None]).shape == (2, 2) and xp.repeat(x, 2, 0).shape == (4, 2)


def test_errors_name_the_operand_the_dimension_and_the_sizes() -> None:
    """Of products, differences and indices."""
    x, y = xp.ones((2, 3)), xp.ones((4, 5))
    for call, words in (
        (lambda: x @ y, "dimension -1 of x1 has size 3 and dimension -2 of x2 has size 4"),
        (lambda: xp.matmul(x, 2), "x2 has no dimensions"),
        (
            lambda: xp.matmul(xp.ones((2, 1, 3)), xp.ones((3, 3, 1))),
            r"do not broadcast: \(2,\) and \(3,\)",
        ),
        (lambda: xp.vecdot(x, y), "dimension -1 has size 3 in x1 and 5 in x2"),
        (lambda: xp.tensordot(x, y, axes=1), "dimension 1 of x1 has size 3 and dimension 0 of x2"),
        (lambda: xp.tensordot(x, y, axes=3), "axes=3 is not between 0 and"),
        (lambda: xp.diff(x, n=-1), "a number of times n of 0 or more, not -1"),
        (lambda: xp.take(x, [0]), "take needs an axis for an array of 2 dimensions"),
        (lambda: xp.take(x, [3], axis=1), "index 3 is out of bounds"),
        (lambda: xp.take(x, [0.5], axis=1), "indices of integers, not of float64"),
        (lambda: xp.cumulative_sum(x), "needs an axis for an array of 2 dimensions"),
        (lambda: xp.sort(xp.asarray(1)), "one dimension or more"),
        (lambda: xp.where(x, x), "both x1 and x2, or neither"),
    ):
        with pytest.raises((ValueError, IndexError), match=words):
            call()


def test_products_on_the_device_are_large_and_exact() -> None:
    """No array of the products is stored; wrapping integers and empty sums are NumPy's."""
    generator = np.random.default_rng(3)
    a = generator.normal(size=(70, 300)).astype(np.float32)
    b = generator.normal(size=(300, 50)).astype(np.float32)
    before = xp.stats()["dispatches"]
    product = xp.asarray(a) @ xp.asarray(b)
    xp.eval(product)
    assert xp.stats()["dispatches"] - before <= 2
    np.testing.assert_allclose(np.asarray(product), a @ b, rtol=1e-4, atol=1e-4)
    small = np.asarray([[100, 100], [1, 2]], np.int8)
    assert np.array_equal(xp.asarray(small) @ xp.asarray(small), small @ small)
    assert (xp.ones((2, 0)) @ xp.ones((0, 3))).tolist() == [[0] * 3] * 2
    whole = xp.asarray([[True, False], [False, False]])
    assert (whole @ whole).tolist() == [[True, False], [False, False]]
    turned = np.asarray([1 + 2j, 3j], np.complex64)
    assert complex(xp.vecdot(xp.asarray(turned), xp.asarray(turned))) == 14
    assert (np.ones((2, 2), np.float32) @ xp.ones((2, 2))).tolist() == [[2, 2], [2, 2]]


def test_functions_that_skip_nan() -> None:
    """With NumPy's error where nothing is left."""
    host = np.asarray([[np.nan, 2.0, 5.0], [4.0, np.nan, -1.0]], np.float32)
    x = xp.asarray(host)
    for name in ("nancumsum", "nancumprod", "nanargmax", "nanargmin"):
        for axis in (None, 0, 1):
            found = getattr(np, name)(x, axis=axis)
            compare(found, getattr(np, name)(host, axis=axis), name)
    assert np.nanargmax(xp.asarray([1, 5, 2])) == 1
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        np.nanargmax(xp.asarray([[np.nan, np.nan], [1.0, 2.0]]), axis=1)


def test_edges_of_numbers() -> None:
    """Infinities, zeros of both signs and NaN."""
    host = np.asarray([np.inf, -np.inf, np.nan, -0.0, 0.0, -2.5, 1e30], np.float32)
    x = xp.asarray(host)
    with np.errstate(all="ignore"):
        for call in (
            *(np.fix, np.exp2, lambda v: np.modf(v)[0], lambda v: np.modf(v)[1], np.angle),
            *(lambda v: np.heaviside(v, 0.5), lambda v: np.logaddexp2(v[:, None], v)),
        ):
            expected, found = call(host), np.asarray(call(x))
            np.testing.assert_allclose(found, expected, 1e-5)
            zeros = expected == 0
            assert np.array_equal(np.signbit(found[zeros]), np.signbit(expected[zeros]))


def test_windows_are_one_kernel() -> None:
    """A moving average reads the array once, and stores no windows."""
    x = xp.asarray(np.arange(1000, dtype=np.float32)) + 0
    xp.eval(x)
    before = xp.stats()["dispatches"]
    average = np.lib.stride_tricks.sliding_window_view(x, 7).mean(axis=-1)
    xp.eval(average)
    assert xp.stats()["dispatches"] == before + 1
    assert np.allclose(average, np.arange(3, 997))


def test_subscripts_that_do_not_fit_are_named() -> None:
    """Those of einsum."""
    x = xp.ones((2, 3))
    for subscripts, words in (
        ("ij,jk", "subscripts of 2 operands for 1"),
        ("ijk->i", "subscripts 'ijk' do not fit the 2 dimensions of operand 0"),
        ("ij->k", "the result's 'k' is in no operand's subscripts"),
        ("...->", "write ... in the result"),
        ("i1->i", "subscripts are letters, not '1'"),
    ):
        with pytest.raises(ValueError, match=f"einsum: .*{words}"):
            xp.einsum(subscripts, x)
    with pytest.raises(ValueError, match="einsum: dimension 'i' has sizes 2 and 3"):
        xp.einsum("ij,ki->jk", x, x)


def test_linear_algebra_has_numpys_values() -> None:
    """Of matrices, and of several."""
    generator = np.random.default_rng(5)
    one = (generator.normal(size=(3, 3)) + 3 * np.eye(3)).astype(np.float32)
    for host in (one, np.stack([one, one.T @ one])):
        x = xp.asarray(host)
        for name in ("det", "inv", "matrix_rank", "pinv", "svdvals", "matrix_norm", "trace"):
            compare(getattr(xp.linalg, name)(x), getattr(np.linalg, name)(host), name)
        for ord in (1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"):
            for keepdims in (False, True):
                expected = np.linalg.matrix_norm(host, ord=ord, keepdims=keepdims)
                compare(xp.linalg.matrix_norm(x, ord=ord, keepdims=keepdims), expected, f"{ord}")
        for ord in (0, 1, 2, 3, np.inf, -np.inf):
            expected = np.linalg.vector_norm(host, axis=-1, ord=ord)
            compare(xp.linalg.vector_norm(x, axis=-1, ord=ord), expected, f"{ord}")
        for times in (-2, 0, 1, 5):
            expected = np.linalg.matrix_power(host, times)
            found = xp.linalg.matrix_power(x, times)
            np.testing.assert_allclose(np.asarray(found), expected, 1e-3, 1e-4)
    pairs = xp.linalg.qr(xp.asarray(one))
    np.testing.assert_allclose(np.asarray(pairs.Q @ pairs.R), one, 1e-4, 1e-5)
    for name in ("inv", "det", "cholesky", "eigh", "solve", "slogdet", "matrix_power"):
        call = getattr(xp.linalg, name)
        with pytest.raises(ValueError, match=f"{name} takes square matrices, not of 2 rows and 3"):
            call(xp.ones((2, 3)), *([1] if name in ("solve", "matrix_power") else []))
    with pytest.raises(ValueError, match="qr takes two dimensions or more, and x has 1"):
        xp.linalg.qr(xp.ones(3))
