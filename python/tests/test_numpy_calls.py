"""NumPy calls that other libraries make on arrays: `like=`, and functions with special rules."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import indim as xp

INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]


def edges(dtype: np.dtype) -> np.ndarray:
    """Return the ends of a type of integers, zeros, and what lies around them."""
    info = np.iinfo(dtype)
    values = {info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 7, max(info.min, -7)}
    return np.asarray(sorted({*values, max(info.min, -1)}), dtype)


@pytest.mark.parametrize("left", INTEGERS)
def test_fmod_is_numpys_for_all_pairs_of_integers(left: np.dtype) -> None:
    """Also by 0, for which XLA's remainder is the dividend."""
    for right in INTEGERS:
        x, y = edges(left)[:, None], edges(right)
        with np.errstate(all="ignore"):
            expected = np.fmod(x, y)
        if expected.dtype == np.float64:
            # A signed and an unsigned type of 64 bits.
            continue
        found = np.fmod(xp.asarray(x), xp.asarray(y))
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected), (left, right)
    with np.errstate(all="ignore"):
        assert np.fmod(xp.asarray(edges(left)), 0).tolist() == [0] * len(edges(left))
        zero = np.fmod(7, xp.asarray(np.zeros(2, left)))
    assert zero.tolist() == [0, 0]


def test_fmod_of_floats_by_zero_is_nan() -> None:
    """As C's."""
    x = xp.asarray([7.0, -7.0, 0.0])
    assert np.isnan(np.asarray(np.fmod(x, 0.0))).all()
    assert np.fmod(x, 4.0).tolist() == [3.0, -3.0, 0.0]


@pytest.mark.parametrize("dtype", [np.dtype(bool), *INTEGERS, np.dtype("f2"), np.dtype("f4")])
def test_rint_gives_floats(dtype: np.dtype) -> None:
    """Integers become float32; `indim.round` keeps them."""
    values = np.asarray([0, 1, 3]).astype(dtype)
    expected = np.rint(values)
    x = xp.asarray(values)
    found = np.rint(x)
    whole = dtype.kind in "biu"
    assert found.dtype == (xp.float32 if whole else dtype) and np.array_equal(found, expected)
    if dtype != np.dtype(bool):
        assert xp.round(x).dtype == dtype


def test_divmod_from_both_sides() -> None:
    """With numbers and NumPy's arrays beside an array."""
    values = np.asarray([7, -7, 3], np.int32)
    x = xp.asarray(values)
    for one, other in itertools.product((x, values, 7), repeat=2):
        if one is not x and other is not x:
            continue
        left, right = (values if each is x else each for each in (one, other))
        for found, expected in zip(divmod(one, other), np.divmod(left, right), strict=True):
            assert np.array_equal(found, expected), (one, other)


def test_a_power_by_a_modulus_is_refused_as_numpys() -> None:
    """In Python's words."""
    x = xp.asarray([2, 3])
    for call in (lambda: pow(x, 2, 5), lambda: pow(2, x, 5), lambda: pow(x, x, x)):
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \*\* or pow\(\)"):
            call()
    assert pow(x, 2).tolist() == [4, 9] and pow(2, x).tolist() == [4, 8]


def test_like_makes_arrays_of_indim() -> None:
    """Every function of NumPy with `like=` that has a counterpart, by position and by name."""
    x = xp.asarray([1.0, 2.0])
    values = np.arange(6, dtype=np.int16).reshape(2, 3)
    for made, expected in (
        (np.asarray(values, like=x), values),
        (np.asarray([1, 2], dtype=np.float32, like=x), np.asarray([1, 2], np.float32)),
        (np.asarray(x, like=x), np.asarray(x)),
        (np.asanyarray(values, like=x), values),
        (np.ascontiguousarray(values.T, like=x), values.T),
        (np.array(values, np.int32, like=x), values.astype(np.int32)),
        (np.array(5, ndmin=2, dtype=np.int32, like=x), np.array(5, ndmin=2, dtype=np.int32)),
        (np.zeros((2, 3), np.int8, like=x), np.zeros((2, 3), np.int8)),
        (np.ones(2, dtype=bool, order="F", like=x), np.ones(2, bool)),
        (np.empty((0, 2), np.float32, like=x), np.empty((0, 2), np.float32)),
        (np.full((2,), 7, dtype=np.uint8, like=x), np.full((2,), 7, np.uint8)),
        (np.full((2,), 7, device="cpu", like=x), np.full((2,), 7)),
        (np.arange(3, like=x), np.arange(3)),
        (np.arange(1, 9, 3, np.int32, like=x), np.arange(1, 9, 3, np.int32)),
        (np.arange(stop=3, like=x), np.arange(3)),
        (np.eye(2, 3, 1, np.float32, like=x), np.eye(2, 3, 1, np.float32)),
        (np.identity(2, np.int32, like=x), np.identity(2, np.int32)),
    ):
        assert isinstance(made, xp.Array)
        assert made.dtype == expected.dtype and made.shape == expected.shape
        assert np.array_equal(made, expected)
    # Without a type it is the namespace's default, which every adapter has.
    assert np.zeros(2, like=x).dtype == np.full(2, 0.5, like=x).dtype == xp.float32
    copy = np.array(x, like=x)
    copy[0] = 5
    assert x.tolist() == [1, 2]


def test_round_pad_and_take_are_numpys() -> None:
    """The first two on the GPU, the last one as indexing does it."""
    values = np.random.default_rng(3).random((5, 4), dtype=np.float32) * 100 - 50
    x = xp.asarray(values)
    for decimals in (0, 1, 2, -1):
        assert np.array_equal(np.round(x, decimals), np.round(values, decimals)), decimals
    whole = np.asarray([1, 25, -37], np.int32)
    assert np.array_equal(np.round(xp.asarray(whole), 2), np.round(whole, 2))
    assert np.array_equal(xp.round(x, decimals=1), np.round(values, 1))
    with pytest.raises(TypeError, match="indim rounds no bool to decimals=1"):
        xp.round(xp.asarray([True]), 1)
    for width in (1, (1, 2), ((1, 0), (2, 3)), {1: 2}, {-2: (1, 0)}):
        assert np.array_equal(np.pad(x, width), np.pad(values, width)), width
    assert np.array_equal(np.pad(x, 1, constant_values=7), np.pad(values, 1, constant_values=7))
    corners = {"constant_values": ((1, 2), (3, 4))}
    assert np.array_equal(np.pad(x, 2, **corners), np.pad(values, 2, **corners))
    assert np.array_equal(np.pad(x, 1, mode="edge"), np.pad(values, 1, mode="edge"))
    with pytest.raises(ValueError, match="negative"):
        np.pad(x, -1)
    assert np.array_equal(xp.take(x, xp.asarray([2, 0]), axis=1), np.take(values, [2, 0], 1))
    with pytest.raises(ValueError, match="take needs an axis for an array of 2 dimensions"):
        xp.take(x, [1])
    for axis in (None, 0, 1, -1):
        assert np.array_equal(
            np.take(x, [[2, 0], [1, 1]], axis), np.take(values, [[2, 0], [1, 1]], axis)
        )
    assert int(np.argmax(x)) == int(np.argmax(values))
    assert np.array_equal(np.argmin(x, axis=1), np.argmin(values, axis=1))
    assert np.array_equal(x.ravel(), values.ravel())


def test_memory_is_shared_with_what_numpy_sees_of_an_array() -> None:
    """That is read-only, so who wants to write into it has to copy. Views share with their base."""
    x = xp.asarray(np.ones(5000, np.float32)) + 1
    before = xp.stats()["downloaded_bytes"]
    for shares in (np.may_share_memory, np.shares_memory):
        assert not shares(x, np.ones(2)) and not shares(x, x * 1) and shares(x, x)
        row = x[:1]
        assert shares(x, row) and shares(row, x) and shares(row, x.T) and shares(row[:], x)
        assert not shares(row.copy(), x) and not shares(x, xp.ones(2)[:1])
    assert xp.stats()["downloaded_bytes"] == before
    values = np.asarray(x)
    for shares in (np.may_share_memory, np.shares_memory):
        assert shares(x, values) and shares(values[:3], x)
        assert not shares(x, np.array(x)) and not shares(x, x + 1)


def test_names_that_are_others_here_lead_to_them() -> None:
    """Each hint is of something that there is."""
    for name, words in {
        "mod": "indim.remainder",
        "invert": "indim.bitwise_invert",
        "vstack": "indim.concat",
        "hstack": "indim.concat",
        "allclose": "numpy.allclose",
        "exp2": r"2\.0 \*\* x",
        "sigmoid": "indim.logistic",
        "median": "numpy.median, which takes arrays of indim",
        "synchronize": "indim.wait",
    }.items():
        with pytest.raises(AttributeError, match=f"no attribute '{name}': take {words}"):
            getattr(xp, name)


def test_a_type_that_is_given_converts() -> None:
    """Numbers of any type, supported or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value, dtype in (
            (np.asarray([1 + 2j, 3]), xp.complex64),
            (np.asarray([1 + 2j, 3], np.clongdouble), xp.complex64),
            (np.complex128(1j), xp.complex64),
            (np.asarray([1.5, 2], np.longdouble), xp.float32),
            (np.longdouble(0.5), xp.float16),
            (np.asarray([1, 2], ">i4"), xp.float32),
            (np.asarray([1, 2], ">f4"), xp.int8),
            (np.asarray([1, 2.5], object), xp.float32),
            (np.asarray([1, 2], object), xp.int32),
            ([1, 2.5], xp.bfloat16),
            ([1, 2j], xp.complex64),
            ([2**70, 1], xp.float32),
            ([np.longdouble(0.5)], xp.float32),
        ):
            expected = np.asarray(value).astype(dtype)
            found = xp.asarray(value, dtype=dtype)
            assert found.dtype == dtype and np.array_equal(found, expected), (value, dtype)
    for value in ([1, None], np.asarray([1, "a"], object)):
        with pytest.raises(TypeError, match="indim has no arrays of objects"):
            xp.asarray(value, dtype=xp.float32)
    for value in (["1"], np.asarray(["1"]), np.zeros(2, "V4"), np.datetime64("2026-11-24")):
        with pytest.raises(TypeError, match="indim has no arrays of"):
            xp.asarray(value, dtype=xp.float32)
    with pytest.raises(TypeError, match="complex values do not become float32"):
        xp.asarray(np.asarray([1j]), dtype=xp.float32)


def test_the_other_byte_order_holds_the_same_numbers() -> None:
    """Files in it, such as FITS and netCDF, are read as NumPy computes with them."""
    for name in ("i2", "u4", "f4", "f2", "c8", "i8"):
        values = np.asarray([1, 2, 3], f">{name}")
        x = xp.asarray(values)
        assert x.dtype == np.dtype(name) and np.array_equal(x, values)
    x = xp.ones(3) + np.asarray([1, 2, 3], ">f4")
    assert x.dtype == xp.float32 and x.tolist() == [2, 3, 4]
