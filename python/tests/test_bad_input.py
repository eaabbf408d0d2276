"""Input that is not an array of numbers is refused with advice on what to do."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import indim as xp


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (object(), TypeError, "no arrays of objects, which NumPy makes of this object"),
        (None, TypeError, "no arrays of objects, which NumPy makes of this NoneType"),
        ([1, None], TypeError, "no arrays of objects, which NumPy makes of this list"),
        (np.asarray([1, "a"], object), TypeError, "no arrays of objects"),
        (np.asarray([1, 2], object), TypeError, r"indim.asarray\(x, dtype=indim.float32\)"),
        ({1: 2}, TypeError, "no arrays of objects, which NumPy makes of this dict"),
        ("abc", TypeError, "no arrays of strings"),
        (["a", "b"], TypeError, "no arrays of strings"),
        (b"abc", TypeError, "no arrays of byte strings"),
        (np.datetime64("2026-11-23"), TypeError, "no arrays of dates"),
        ([datetime.date(2026, 11, 23)], TypeError, "no arrays of objects"),
        (np.timedelta64(1, "s"), TypeError, "no arrays of time differences"),
        (np.zeros(2, [("a", "f4"), ("b", "i4")]), TypeError, "no arrays of structures"),
        (np.ma.masked_array([1.0], [True]), TypeError, "no masked arrays: take x.filled"),
        (np.ones(2, np.clongdouble), TypeError, "only complex64"),
        ([[1, 2], [3]], ValueError, "inhomogeneous shape"),
        ([1, [2, 3]], ValueError, "inhomogeneous shape"),
        (2**63, OverflowError, "too large"),
        ([2**63], OverflowError, "give dtype=indim.uint64"),
        ([2**70], OverflowError, "too large for any type of indim"),
    ],
)
def test_what_is_no_array(value: object, error: type[Exception], message: str) -> None:
    """`asarray` raises, and nothing is uploaded."""
    with pytest.raises(error, match=message):
        xp.asarray(value)


@pytest.mark.skipif(np.dtype("longdouble").itemsize == 8, reason="there is no longer double")
def test_long_doubles() -> None:
    """NumPy's longest floats have no counterpart."""
    with pytest.raises(TypeError, match="indim has no longdouble|indim has no float128"):
        xp.asarray(np.ones(2, np.longdouble))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(256, xp.uint8), (-1, xp.uint8), ([127, 128], xp.int8), (2**64, xp.uint64), (8, xp.int4)],
)
def test_integers_past_the_type(value: object, dtype: np.dtype) -> None:
    """They overflow, wherever a type is given for them."""
    with pytest.raises(OverflowError):
        xp.asarray(value, dtype=dtype)
    if isinstance(value, int):
        with pytest.raises(OverflowError):
            xp.full(3, value, dtype=dtype)
        with pytest.raises(OverflowError):
            xp.zeros(3, dtype=dtype) + value
        x = xp.zeros(3, dtype=dtype)
        with pytest.raises(OverflowError):
            x[0] = value
    assert xp.asarray([2**64 - 1], dtype=xp.uint64).tolist() == [2**64 - 1]


@pytest.mark.parametrize("shape", [(2,), (0,), (2, 2)])
def test_the_truth_of_many_elements(shape: tuple[int, ...]) -> None:
    """It is ambiguous, and so is that of none."""
    x = xp.ones(shape)
    with pytest.raises(ValueError, match=f"the truth value of an array with {x.size} elements"):
        bool(x)
    with pytest.raises(ValueError, match="use indim.any"):
        if x > 0:
            pass


@pytest.mark.parametrize("dtype", ["U3", "datetime64[s]", "O", ">i4", "c16", None, "nonsense"])
def test_types_that_are_none(dtype: object) -> None:
    """`astype` refuses them, and so do functions that make arrays."""
    x = xp.ones(2)
    with pytest.raises(TypeError):
        x.astype(dtype)  # type: ignore[arg-type]
    if dtype is not None:
        with pytest.raises(TypeError):
            xp.zeros(2, dtype=dtype)  # type: ignore[arg-type]


def test_complex_numbers_do_not_become_real_ones() -> None:
    """NumPy only warns of it."""
    with pytest.raises(TypeError, match=r"take indim.real\(x\) or indim.abs\(x\) before"):
        xp.asarray(1j).astype(xp.float32)
    with pytest.raises(TypeError, match="complex values do not become float32"):
        xp.asarray([1j], dtype=xp.float32)


@pytest.mark.parametrize("shape", [-1, (2, -3), 1.5, "a", (2, None)])
def test_shapes_that_are_none(shape: object) -> None:
    """Sizes are integers from 0 on."""
    with pytest.raises((TypeError, ValueError)):
        xp.zeros(shape)  # type: ignore[arg-type]


def test_moves_of_what_is_not_there() -> None:
    """Axes and shapes that do not fit raise what NumPy raises."""
    x = xp.ones((2, 3))
    for call in (
        lambda: xp.flip(x, axis=2),
        lambda: xp.expand_dims(x, 5),
        lambda: xp.squeeze(x, 7),
        lambda: xp.roll(x, 1, axis=-3),
        lambda: xp.concat([x, x], axis=2),
        lambda: xp.unstack(x, axis=2),
        lambda: xp.moveaxis(x, 2, 0),
    ):
        with pytest.raises(IndexError, match="out of bounds"):
            call()
    for call, message in (
        (lambda: xp.squeeze(x, 0), "size not equal to one"),
        (lambda: xp.reshape(x, (4, 2)), "cannot reshape array of size 6 into shape"),
        (lambda: xp.reshape(x, (-1, -1)), "one size of -1 at most"),
        (lambda: xp.reshape(x, (-1, 4)), "cannot reshape array of size 6 into shape"),
        (lambda: xp.permute_dims(x, (0, 0)), "not a permutation of 2 dimensions"),
        (lambda: xp.stack([x, x[:1]]), "must have the same shape"),
        (lambda: xp.concat([]), "need at least one array"),
        (lambda: xp.concat([xp.asarray(1)]), "zero-dimensional arrays"),
        (lambda: xp.tril(x[0]), "two dimensions or more"),
        (lambda: xp.repeat(x, -1), "negative"),
        (lambda: xp.meshgrid(x), "one dimension"),
        (lambda: xp.full(2, x), "should be a scalar"),
        (lambda: xp.arange(0, 5, 0), "no step of 0"),
        (lambda: xp.broadcast_to(x, (3, 3)), "broadcast"),
        (lambda: xp.zeros((1,) * 65), "64 dimensions at most"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_an_array_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a crash nor a result; its size is known before anything is allocated."""
    x = xp.zeros((2**20, 2**20, 2**10)) + xp.ones(())
    with pytest.raises((MemoryError, ValueError, RuntimeError)):
        np.asarray(x)
    assert (xp.ones(2) + 1).tolist() == [2, 2], "the device works on"
