"""What has no kernel: one rule for all names, and the lists of docs/numpy.md."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import indim as xp
from indim import _fallback, _functions, _indices, _looks, _numpy_in_place, _rules

PAGE = Path(__file__).parents[2] / "docs" / "numpy.md"

x = xp.asarray([[3.0, 1.0], [2.0, 4.0]])
row = xp.asarray([1.0, 2.0, 4.0])
n = xp.asarray([2, 0, 1])
long = xp.arange(2000)


def as_large(call: Callable[[], Any]) -> Any:
    """Return what a call gives where all arrays are too large for an adapter to bind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_indices, "MOST_BYTES", 0)
        return call()


CALLS: dict[str, Callable[[], Any]] = {
    "indim.argsort": lambda: xp.argsort(long),
    "indim.histogram": lambda: xp.histogram(row, weights=row),
    "indim.interp": lambda: xp.interp(row, [0.0, 1.0], [0.0, 1.0], period=4.0),
    "indim.nonzero": lambda: xp.nonzero(row),
    "indim.percentile": lambda: xp.percentile(row, 50, method="nearest"),
    "indim.searchsorted": lambda: xp.searchsorted(row * 1j, row),
    "indim.sort": lambda: xp.sort(long),
    "indim.unique_all": lambda: xp.unique_all(row),
    "indim.unique_counts": lambda: xp.unique_counts(row),
    "indim.unique_inverse": lambda: xp.unique_inverse(row),
    "indim.unique_values": lambda: xp.unique_values(row),
    "indim.take": lambda: as_large(lambda: xp.take(row, n)),
    "indim.take_along_axis": lambda: as_large(lambda: xp.take_along_axis(row, n)),
    "indim.repeat": lambda: xp.repeat(row, n * 1),
    "indim.pad": lambda: xp.pad(row, 1, mode="mean"),
    "indim.where": lambda: xp.where(row > 1),
    "x[key]": lambda: row[row > 1],
    "x[key] = value": lambda: row.copy().__setitem__(n, row),
    "numpy.nanmedian": lambda: np.nanmedian(x),
    "numpy.var": lambda: np.var(x, mean=np.zeros((1, 1), np.float32)),
    "numpy.gcd": lambda: np.gcd(n, 2),
    "numpy.add.at": lambda: np.add.at(row.copy(), [0, 0], 1.0),
    "numpy.subtract.reduceat": lambda: np.subtract.reduceat(row, [0, 2]),
    "numpy.put": lambda: np.put(row.copy(), [0], 5.0),
    "numpy.put_along_axis": lambda: np.put_along_axis(row.copy(), n, 5.0, 0),
    "numpy.place": lambda: np.place(row.copy(), row > 1, [5.0, 6.0]),
    "numpy.subtract.reduce": lambda: np.subtract.reduce(x),
    "numpy.add": lambda: np.add(x, x, signature="ff->f"),
    "numpy.linalg.svd": lambda: np.linalg.svd(x),
    "numpy.fft.fft": lambda: np.fft.fft(x),
    "indim.fft.rfft": lambda: xp.fft.rfft(row),
    "indim.linalg.solve": lambda: xp.linalg.solve(x, row[:2]),
    "indim.einsum": lambda: xp.einsum("ii->i", x),
}


@pytest.fixture(autouse=True)
def rule() -> Iterator[None]:
    """Put the default back after each test, and warn anew."""
    xp.set_host_fallback("warn")
    yield
    xp.set_host_fallback("warn")


@pytest.mark.parametrize("name", CALLS)
def test_the_rule_is_one_for_all(name: str) -> None:
    """A warning at the first call only, none by "allow", an error before anything is read."""
    with pytest.warns(xp.HostFallbackWarning) as said:
        CALLS[name]()
    assert [str(each.message).split(" has no kernel")[0] for each in said] == [name]
    # The place is the call's, not one in the package.
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CALLS[name]()
        xp.set_host_fallback("allow")
        CALLS[name]()
    xp.set_host_fallback("error")
    with pytest.raises(NotImplementedError, match="has no kernel, and indim.set_host_fallback"):
        CALLS[name]()


def test_an_error_reads_nothing() -> None:
    """The array is not even computed."""
    lazy = row + 1
    xp.set_host_fallback("error")
    before = xp.stats()
    for call in (
        lambda: xp.unique_values(lazy),
        lambda: np.nanmedian(lazy),
        lambda: xp.nonzero(lazy),
        lambda: lazy[lazy > 0],
    ):
        with pytest.raises(NotImplementedError):
            call()
    assert xp.stats() == before


def test_the_mode_is_readable() -> None:
    """By its own function, and as what was set before."""
    assert xp.get_host_fallback() == "warn"
    assert xp.set_host_fallback("allow") == "warn"
    assert xp.get_host_fallback() == "allow"
    assert xp.set_host_fallback("error") == "allow"
    with pytest.raises(ValueError, match="takes 'error', 'warn' or 'allow', not 'raise'"):
        xp.set_host_fallback("raise")
    assert xp.get_host_fallback() == "error"


def test_each_listed_name_has_a_call_here() -> None:
    """And no other name of the namespace runs on the host in these."""
    prefixes = ("numpy.", "indim.fft.", "indim.linalg.")
    ours = {name.removeprefix("indim.") for name in CALLS if not name.startswith(prefixes)}
    assert ours == _fallback.HOST | set(_fallback.PARTLY)


def test_what_is_on_the_device_needs_no_host() -> None:
    """Every other function's example runs where the host is forbidden."""
    xp.set_host_fallback("error")
    whole = xp.asarray([[1, 2], [3, 4]])
    for call in (
        *(
            lambda: xp.diff(x),
            lambda: xp.pad(x, 1),
            lambda: xp.pad(x, 1, "edge"),
            lambda: xp.outer(row, row),
            lambda: x @ x,
        ),
        *(lambda: xp.vecdot(row, row), lambda: xp.tensordot(x, x), lambda: xp.tril(x)),
        *(lambda: xp.triu(whole, 1), lambda: xp.meshgrid(row, row)[0], lambda: xp.unstack(x)[0]),
        *(lambda: xp.repeat(x, 2), lambda: xp.tile(x, (2, 1)), lambda: x.ravel(), lambda: x.T),
        *(lambda: np.trace(x), lambda: np.linalg.norm(x, axis=1), lambda: np.vstack([x, x])),
        *(lambda: np.isclose(x, x), lambda: np.nan_to_num(x), lambda: np.ptp(x), lambda: x.var()),
        *(lambda: xp.linalg.vector_norm(x), lambda: xp.linalg.matrix_norm(x), lambda: np.cov(x)),
        *(lambda: xp.linalg.matrix_power(x, 3), lambda: xp.linalg.cross(whole[0, :1] + row, row)),
        *(lambda: xp.fft.fftshift(x), lambda: np.einsum("ij,kj->ik", x, x), lambda: np.sinc(x)),
        *(lambda: np.convolve(row, row), lambda: np.gradient(row), lambda: np.block([[x, x]])),
        *(lambda: np.multiply.outer(row, row), lambda: np.fmax(x, 2), lambda: np.average(x)),
        *(lambda: np.divide(n, 2, dtype=np.float32), lambda: np.add(x, x, where=x > 1)),
        *(lambda: np.sum(x, where=x > 1), lambda: np.max(x, initial=2), lambda: np.nancumsum(x)),
        *(lambda: xp.take(x, -1, axis=1), lambda: np.take(x, [0, 1], axis=0), lambda: x[[1], [0]]),
        *(lambda: xp.sort(x), lambda: xp.argsort(row), lambda: np.median(x), lambda: np.i0(x)),
        *(lambda: xp.percentile(x, 9), lambda: xp.searchsorted(row, x), lambda: np.frexp(x)[1]),
        *(lambda: np.interp(x, row, row), lambda: np.histogram(x, 4, (0, 4))[0]),
        *(lambda: np.bitwise_count(n), lambda: np.add.reduceat(row, [0, 2])),
        *(lambda: xp.repeat(row, [0, 2, 1]), lambda: xp.pad(row, 9, "wrap")),
    ):
        before = xp.stats()["downloaded_bytes"]
        xp.eval(call())
        assert xp.stats()["downloaded_bytes"] == before


def test_comparisons_of_whole_arrays_read_one_boolean() -> None:
    """Also of an array of NumPy's, and of one element with all."""
    xp.set_host_fallback("error")
    values = np.arange(5000, dtype=np.float32)
    y = xp.asarray(values) + 1
    for call, answer in (
        *((lambda: np.allclose(y, y * 1.0000001), True), (lambda: np.allclose(y, y + 1), False)),
        *((lambda: np.allclose(y, values + 1), True), (lambda: np.array_equal(y, y), True)),
        *((lambda: np.array_equal(y, values), False), (lambda: np.array_equiv(y, y[:1]), False)),
        *(
            (lambda: np.array_equiv(y * 0, 0), True),
            (lambda: 7 in y, True),
            (lambda: -1 in y, False),
        ),
        (lambda: np.array_equal(y / 0, y / 0), True),
    ):
        before = xp.stats()
        assert call() is answer
        after = xp.stats()
        assert after["dispatches"] > before["dispatches"]
        assert after["downloaded_bytes"] - before["downloaded_bytes"] <= 4
    assert not np.array_equal(y, y[1:]) and not np.array_equiv(y, y[1:])
    assert np.array_equal(y * np.nan, y * np.nan, equal_nan=True)
    assert np.allclose([1, np.nan], xp.asarray([1, np.nan]), equal_nan=True)
    # NumPy compares with types that there are none of here.
    assert np.allclose(y, (values + 1).astype(np.complex128))
    assert "a" not in y and not np.array_equal(y, "a")
    small = xp.asarray(np.asarray([0, 1, -128], np.int8))
    assert np.isclose(small, np.asarray([1, 3, 127], np.int8), rtol=0, atol=1).tolist() == [1, 0, 0]
    assert np.isclose(xp.asarray([True, False]), [True, True]).tolist() == [True, False]


def test_a_mask_and_a_number_need_no_host() -> None:
    """Of an array that was read, too."""
    xp.set_host_fallback("error")
    y = xp.asarray(np.arange(5000, dtype=np.float32))
    mask = y > 2
    before = xp.stats()["downloaded_bytes"]
    y[mask] = 0
    xp.eval(y)
    assert xp.stats()["downloaded_bytes"] == before
    assert y.tolist() == [0, 1, 2, *[0] * 4997]


def test_keyword_arguments_of_ufuncs_are_numpys() -> None:
    """The types, the values where the mask is true, and the errors."""
    xp.set_host_fallback("error")
    values = np.asarray([[3, 1], [2, 4]], np.int32)
    y, mask = xp.asarray(values), values > 1
    for call in (
        lambda z: np.divide(z, 3, dtype=np.float32),
        lambda z: np.add(z, z, dtype=np.int64),
        lambda z: np.add(z, 0.5, dtype="f4", casting="same_kind"),
        lambda z: np.sqrt(z, dtype=np.float32),
        lambda z: np.multiply(z, z, dtype=np.int8, casting="unsafe"),
        lambda z: np.fmax(z, 2, dtype=np.float32),
        lambda z: np.less(z, 3, dtype=bool, order="C", subok=True),
        lambda z: np.add(z, z, casting="no"),
        lambda z: np.divide.outer(z, z[0], dtype=np.float32),
    ):
        found, expected = call(y), call(values)
        assert isinstance(found, xp.Array) and found.dtype == expected.dtype
        assert np.array_equal(found, expected)
    found = np.multiply(y, 2, where=mask)
    assert np.array_equal(np.asarray(found)[mask], (values * 2)[mask])
    assert np.multiply(y[0], 2, where=xp.asarray(mask)).shape == (2, 2)
    for call in (
        lambda z: np.add(z, 0.5, dtype=np.int32),
        lambda z: np.sqrt(z, dtype=np.int32),
        lambda z: np.add(z, z.astype(np.int64), casting="no"),
    ):
        with pytest.raises(TypeError) as said:
            call(values)
        with pytest.raises(TypeError, match=re.escape(str(said.value))):
            call(y)
    with pytest.raises(TypeError, match="where= takes an array of booleans, not of int64"):
        np.add(y, y, where=xp.asarray([1, 0]))


def test_results_on_the_host_are_arrays_of_indim() -> None:
    """With float32 in place of NumPy's float64, but for operands of that type; other types stay."""
    xp.set_host_fallback("allow")
    whole = xp.asarray([[3, 1], [2, 4]])
    found = np.median(whole)
    assert isinstance(found, xp.Array) and found.dtype == xp.float32 and found.shape == ()
    values, vectors = np.linalg.eigh(whole)
    assert values.dtype == vectors.dtype == xp.float32
    assert type(np.linalg.eigh(whole)).__name__ == "EighResult"
    assert np.fft.fft(whole).dtype == xp.complex64
    assert np.fft.fft(whole)._x.dtype == "c64"
    parts = np.histogram(whole, bins=[0, 2, 5])
    assert [part.tolist() for part in parts] == [[1, 3], [0, 2, 5]]
    if "float64" in xp.__array_namespace_info__().dtypes():
        assert np.median(whole.astype(xp.float64)).dtype == xp.float64
    assert np.frompyfunc(str, 1, 1)(whole).dtype == object
    assert np.allclose(x, np.asarray(x)) is True


def lists(heading: str) -> set[str]:
    """Return the names in code below a heading of the page."""
    page = PAGE.read_text(encoding="utf-8")
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", section))


def test_the_page_lists_what_runs_on_the_host() -> None:
    """No more and no fewer names than the code has."""
    assert lists("What NumPy computes on the host") == _fallback.HOST | set(_fallback.PARTLY)
    page = PAGE.read_text(encoding="utf-8")
    for name, when in _fallback.PARTLY.items():
        assert f"- `{name}` {when}\n" in page


def test_the_page_lists_numpys_functions_on_the_device() -> None:
    """All that are registered, but those that need the host anyway."""
    elsewhere = (*_looks.READERS, *_numpy_in_place.ON_HOST)
    host = _fallback.HOST | {each.__name__ for each in elsewhere}
    ufuncs = {*_rules.UNARY_UFUNCS, *_rules.BINARY_UFUNCS}
    names = set()
    for function in {*_functions.FUNCTIONS, *ufuncs}:
        module = function.__module__ if function not in ufuncs else "numpy"
        prefix = module.removeprefix("numpy").removeprefix(".")
        names.add(f"{prefix}.{function.__name__}" if prefix else function.__name__)
    assert lists("NumPy's functions on the GPU") == names - host
