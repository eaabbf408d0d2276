"""NumPy's functions that write into an argument, which is an array of indim, or a view of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import indim as xp

x = np.asarray([[3.0, -1.0, 2.0], [0.0, 5.0, -4.0], [7.0, 1.0, 6.0]], np.float32)
mask = x > 0

WRITES: dict[str, Callable[[Any, Any], None]] = {
    "copyto": lambda a, m: np.copyto(a, m(x.T)),
    "copyto a number where": lambda a, m: np.copyto(a, 5, where=m(mask)),
    "copyto of a row": lambda a, m: np.copyto(a, m(x[0])),
    "putmask": lambda a, m: np.putmask(a, m(mask), 0.5),
    "putmask of all": lambda a, m: np.putmask(a, m(mask), m(x.T)),
    "putmask of fewer": lambda a, m: np.putmask(a, m(mask), [1.0, 2.0]),
    "place": lambda a, m: np.place(a, m(mask), [9.0]),
    "place several": lambda a, m: np.place(a, m(mask), [9.0, 8.0]),
    "put": lambda a, m: np.put(a, [0, -1, 4], m(x[0])),
    "put_along_axis": lambda a, m: np.put_along_axis(a, m(np.asarray([[2], [0], [1]])), 9.0, 1),
    "fill_diagonal": lambda a, m: np.fill_diagonal(a, 8.0),
    "fill_diagonal by an array": lambda a, m: np.fill_diagonal(a, [1.0, 2.0]),
    "add into": lambda a, m: np.add(a, m(x.T), out=a),
    "tanh into": lambda a, m: np.tanh(m(x), out=a),
    "divmod into": lambda a, m: np.divmod(m(x), 2.0, out=(None, a)),
    "integers into floats": lambda a, m: np.add(m(mask.astype(np.int8)), 1, out=a),
    "add into where": lambda a, m: np.add(a, m(x.T), out=a, where=m(mask)),
    "add into in a type": lambda a, m: np.add(a, 1, out=a, dtype=np.float32, casting="safe"),
    "outer into where": lambda a, m: np.multiply.outer(m(x[0]), m(x[1]), out=a, where=m(mask)),
    "sum into where": lambda a, m: np.add.reduce(m(np.stack([x, x])), where=m(mask), out=a),
    "divmod into both where": lambda a, m: np.divmod(
        m(x), 2.0, out=(a, m(np.zeros_like(x))), where=m(mask)
    ),
    "add.at": lambda a, m: np.add.at(a, [0, 2, 0], m(x[1])),
    "maximum.at": lambda a, m: np.maximum.at(a, (m(np.asarray([1, 1])), 2), 4.0),
}


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """Let NumPy compute on the host without warnings."""
    xp.set_host_fallback("allow")
    yield
    xp.set_host_fallback("warn")


@pytest.mark.parametrize("name", WRITES)
def test_the_array_has_numpys_values(name: str) -> None:
    """The array itself, and what it is a view of."""
    host, ours = x.copy(), xp.asarray(x)
    WRITES[name](host, np.asarray)
    WRITES[name](ours, xp.asarray)
    np.testing.assert_allclose(np.asarray(ours), host, 1e-6)
    host, ours = np.stack([x, x]), xp.asarray(np.stack([x, x]))
    WRITES[name](host[1].T, np.asarray)
    WRITES[name](ours[1].T, xp.asarray)
    np.testing.assert_allclose(np.asarray(ours), host, 1e-6)


def test_a_diagonal_of_more_dimensions_and_of_wrapped_rows() -> None:
    """As NumPy's."""
    for shape, wrap in (((3, 3, 3), False), ((7, 3), False), ((7, 3), True), ((3, 7), False)):
        host, ours = np.zeros(shape, np.float32), xp.zeros(shape)
        np.fill_diagonal(host, 4, wrap)
        np.fill_diagonal(ours, 4, wrap)
        assert np.array_equal(ours, host), (shape, wrap)


def test_out_of_another_shape_or_kind_is_refused() -> None:
    """And the array stays."""
    a = xp.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match=r"numpy.add gives shape \(2, 2\), which out= of shape"):
        np.add(a, xp.ones((2, 2)), out=a)
    n = xp.asarray([1, 2])
    with pytest.raises(TypeError, match="float32 is not cast to int64 by 'same_kind'"):
        np.sqrt(a, out=n)
    with pytest.raises(TypeError, match="copyto: float32 is not cast to int64 by 'same_kind'"):
        np.copyto(n, a)
    with pytest.raises(ValueError, match="at least 2-d"):
        np.fill_diagonal(a, 1)
    assert a.tolist() == [1, 2] and n.tolist() == [1, 2]


def test_what_a_mask_excludes_keeps_its_bits() -> None:
    """Also of an integer that float32 would round, beside floats."""
    wide = 2**24 + 1
    for write in (
        lambda a: np.sqrt(xp.asarray([4.0, 9.0]), out=a, where=a < 2, casting="unsafe"),
        lambda a: np.copyto(a, xp.asarray([2.0, 3.0]), "unsafe", where=a < 2),
        lambda a: np.putmask(a, a < 2, 2.5),
    ):
        a = xp.asarray([1, wide])
        write(a)
        assert a.tolist() == [2, wide]


def test_arrays_of_numpy_take_ours() -> None:
    """As the source, the mask or the values."""
    host = np.zeros((3, 3), np.float32)
    np.copyto(host, xp.asarray(x))
    assert np.array_equal(host, x)
    np.putmask(host, xp.asarray(mask), 0.0)
    np.place(host, xp.asarray(~mask), xp.asarray([5.0]))
    np.put(host, xp.asarray([0]), 2.0)
    np.fill_diagonal(host[1:, 1:], xp.asarray(9.0))
    expected = np.where(mask, 0, 5).astype(np.float32)
    expected[0, 0], expected[1, 1], expected[2, 2] = 2, 9, 9
    assert np.array_equal(host, expected)
