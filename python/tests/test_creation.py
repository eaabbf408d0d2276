"""Functions that make arrays and move elements, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import indim as xp


def test_constants_and_their_kin() -> None:
    """Small ones are kept as bytes, large ones are lazy; both have the value."""
    for shape in ((), 3, (2, 0), (40, 50)):
        assert np.array_equal(xp.zeros(shape, dtype=xp.int16), np.zeros(shape, np.int16))
        assert np.array_equal(xp.ones(shape), np.ones(shape, np.float32))
        assert np.array_equal(xp.full(shape, 1 + 2j), np.full(shape, 1 + 2j, np.complex64))
        assert xp.empty(shape).shape == np.empty(shape).shape
    x = xp.ones((2, 3), dtype=xp.int8)
    assert xp.zeros_like(x).tolist() == [[0] * 3] * 2 and xp.zeros_like(x).dtype == xp.int8
    assert xp.ones_like(x, dtype=xp.float16).dtype == xp.float16
    assert xp.full_like(x, 7).tolist() == [[7] * 3] * 2 and xp.empty_like(x).shape == (2, 3)
    assert xp.full(2, xp.asarray(5, dtype=xp.uint8)).dtype == xp.uint8
    assert xp.full(2, np.float16(5)).dtype == xp.float16
    assert np.ones_like(x, shape=(3,)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("arguments", [(5,), (2, 9), (9, 2, -2), (0, 7, 3), (5, 5), (0, 3000)])
def test_ranges_of_integers(arguments: tuple[int, ...]) -> None:
    """Also of small types, in which steps wrap and values do not."""
    assert np.array_equal(xp.arange(*arguments), np.arange(*arguments))
    if max(arguments) < 100:
        found = xp.arange(*arguments, dtype=xp.uint8)
        assert np.array_equal(found, np.arange(*arguments, dtype=np.uint8))
    assert xp.arange(3000, 0, -1, dtype=xp.uint16).tolist() == list(range(3000, 0, -1))
    with pytest.raises(OverflowError, match="do not fit int8"):
        xp.arange(200, dtype=xp.int8)


def test_ranges_of_floats() -> None:
    """Each element is NumPy's in float64, rounded once."""
    for arguments in ((1.5,), (0.5, 4, 0.25), (3.0, -1.0, -0.7), (0.1, 0.1)):
        found = xp.arange(*arguments)
        assert np.array_equal(found, np.arange(*arguments).astype(np.float32))
    assert np.array_equal(xp.linspace(0, 1, 7), np.linspace(0, 1, 7).astype(np.float32))
    assert np.array_equal(
        xp.linspace(5, -5, 10, endpoint=False, dtype=xp.float16),
        np.linspace(5, -5, 10, endpoint=False).astype(np.float16),
    )
    assert xp.linspace(0, 1j, 3).dtype == xp.complex64
    assert xp.linspace(0, 10, 5, dtype=xp.int32).tolist() == [0, 2, 5, 7, 10]


@pytest.mark.parametrize("k", [-100, -2, 0, 1, 2**70])
def test_diagonals_and_triangles(k: int) -> None:
    """Diagonals far off are outside of the matrix."""
    near = max(min(k, 10), -10)
    assert np.array_equal(xp.eye(4, 6, k=k), np.eye(4, 6, near, np.float32))
    values = np.arange(1, 41, dtype=np.int32).reshape(2, 4, 5)
    assert np.array_equal(xp.tril(xp.asarray(values), k=k), np.tril(values, near))
    assert np.array_equal(xp.triu(xp.asarray(values), k=k), np.triu(values, near))


def test_grids() -> None:
    """Of both kinds of indexing."""
    vectors = [np.arange(2), np.arange(3), np.arange(4)]
    for indexing in ("xy", "ij"):
        for count in range(4):
            theirs = np.meshgrid(*vectors[:count], indexing=indexing)
            ours = xp.meshgrid(*map(xp.asarray, vectors[:count]), indexing=indexing)
            assert len(ours) == len(theirs)
            assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    with pytest.raises(ValueError, match="indexing is 'xy' or 'ij', not 'yx'"):
        xp.meshgrid(xp.arange(2), indexing="yx")  # type: ignore[arg-type]


@pytest.mark.parametrize("computed", [False, True])
def test_moves(computed: bool) -> None:
    """Each is NumPy's, of an array whose bytes are kept and of one that is computed."""
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = xp.asarray(values)
    if computed:
        x = x + xp.zeros((2, 3, 4))
    for ours, theirs in (
        (xp.permute_dims(x, (2, 0, 1)), np.permute_dims(values, (2, 0, 1))),
        (xp.flip(x), np.flip(values)),
        (xp.flip(x, axis=(0, -1)), np.flip(values, (0, -1))),
        (xp.roll(x, 5), np.roll(values, 5)),
        (xp.roll(x, (1, -2), axis=(0, 2)), np.roll(values, (1, -2), (0, 2))),
        (xp.roll(x, 3, axis=(1, 1)), np.roll(values, 3, (1, 1))),
        (xp.reshape(x, (-1, 6)), values.reshape(-1, 6)),
        (xp.expand_dims(x, (0, -1)), np.expand_dims(values, (0, -1))),
        (xp.squeeze(x[:1], 0), values[0]),
        (xp.moveaxis(x, (0, 1), (-1, 0)), np.moveaxis(values, (0, 1), (-1, 0))),
        (xp.concat([x, x], axis=-1), np.concat([values, values], axis=-1)),
        (xp.concat([x, x[0]], axis=None), np.concat([values, values[0]], axis=None)),
        (xp.stack([x, x], axis=2), np.stack([values, values], axis=2)),
        (xp.tile(x, (2, 1, 3, 1)), np.tile(values, (2, 1, 3, 1))),
        (xp.tile(x, (3,)), np.tile(values, 3)),
        (xp.repeat(x, 2), np.repeat(values, 2)),
        (xp.repeat(x, 3, axis=1), np.repeat(values, 3, axis=1)),
        (xp.repeat(x, xp.asarray([0, 2, 1]), axis=1), np.repeat(values, [0, 2, 1], axis=1)),
        (xp.broadcast_to(x[:, :1], (5, 2, 3, 4)), np.broadcast_to(values[:, :1], (5, 2, 3, 4))),
        (xp.matrix_transpose(x), np.matrix_transpose(values)),
        (x.T, values.T),
        (x.mT, values.mT),
        (x.transpose(1, 0, 2), values.transpose(1, 0, 2)),
        (x.reshape(4, -1), values.reshape(4, -1)),
        (xp.unstack(x, axis=1)[2], values[:, 2]),
        (xp.sum(x, axis=(0, 2), keepdims=True), values.sum((0, 2), keepdims=True)),
        (xp.any(x > 20, axis=0), (values > 20).any(0)),
        (xp.all(x > 20), (values > 20).all()),
        (xp.astype(x, xp.int8), values.astype(np.int8)),
        (xp.where(x > 5, x, -1), np.where(values > 5, values, np.float32(-1))),
        (xp.clip(x, 3, xp.asarray([4.0, 5.0, 6.0, 7.0])), np.clip(values, 3, [4, 5, 6, 7])),
        (xp.clip(x, max=3), np.minimum(values, 3)),
    ):
        assert ours.shape == theirs.shape and np.array_equal(ours, theirs)


def test_concatenation_promotes() -> None:
    """As NumPy's does, in every order."""
    parts = [xp.asarray([1], dtype=xp.int8), xp.asarray([2.5], dtype=xp.float16)]
    assert xp.concat(parts).dtype == xp.stack(parts[::-1]).dtype == xp.float16
    assert xp.concat(parts).tolist() == [1, 2.5]
    shapes = [array.shape for array in xp.broadcast_arrays(xp.ones((2, 1)), xp.ones(3))]
    assert shapes == [(2, 3), (2, 3)]


def test_sums_have_numpys_types() -> None:
    """Small integers are added in wide ones."""
    for dtype in (xp.bool, xp.int8, xp.uint16, xp.float16, xp.float32, xp.complex64):
        values = np.ones(300, dtype)
        found = xp.sum(xp.asarray(values))
        assert found.dtype == values.sum().dtype and found == 300
    assert xp.sum(xp.ones(3), dtype=xp.float16).dtype == xp.float16
