"""The protocols by which NumPy, DLPack and pickle meet arrays."""

from __future__ import annotations

import array
import copyreg
import pickle

import numpy as np
import pytest
from conftest import has_float64

import indim as xp
from indim._pickle import unpickled


class Hostile:
    """Pickles as a call of `unpickled` with given arguments."""

    def __init__(self, *arguments: object) -> None:
        self.arguments = arguments

    def __reduce__(self) -> tuple[object, ...]:
        """Return what pickle writes."""
        return unpickled, self.arguments


def all_types() -> list[np.dtype]:
    """Return every element type of the adapter."""
    types = [
        *(xp.bool, xp.int4, xp.int8, xp.int16, xp.int32, xp.int64),
        *(xp.uint4, xp.uint8, xp.uint16, xp.uint32, xp.uint64),
        *(xp.float16, xp.bfloat16, xp.float32, xp.complex64),
    ]
    return [*types, xp.float64] if has_float64() else types


def test_numpy_sees_every_type() -> None:
    """There and back, with the same bits, computed on the way or not."""
    for dtype in all_types():
        values = np.asarray([[0, 1, 3], [1, 0, 2]]).astype(dtype)
        x = xp.asarray(values)
        assert x.dtype == dtype and x.shape == (2, 3)
        for seen in (np.asarray(x), np.asarray(xp.flip(xp.flip(x)))):
            assert seen.dtype == dtype and seen.tolist() == values.tolist()
        assert np.asarray(xp.asarray(values[:0])).shape == (0, 3)
        assert x.nbytes == values.nbytes and x.itemsize == values.itemsize and x.size == 6


def test_4_bit_integers_keep_their_sign() -> None:
    """They come from int8 by astype and wrap."""
    x = xp.asarray([7, -8, -1], dtype=xp.int8).astype(xp.int4)
    assert x.dtype == xp.int4 and x.astype(xp.int32).tolist() == [7, -8, -1]
    assert (x + x).astype(xp.int8).tolist() == [-2, 0, -2]
    assert np.asarray(x).astype(np.int8).tolist() == [7, -8, -1]
    with pytest.raises(OverflowError, match="integers out of bounds for int4"):
        xp.asarray([8], dtype=xp.int4)


def test_what_numpy_gets_is_read_only() -> None:
    """Arrays are values; a copy may be written."""
    x = xp.asarray([1.0, 2.0])
    seen = np.asarray(x)
    with pytest.raises(ValueError, match="read-only"):
        seen[0] = 5
    for writable in (np.array(x), np.asarray(x, copy=True), np.asarray(x, np.int32)):
        writable[0] = 5
    assert x.tolist() == [1, 2]
    with pytest.raises(ValueError, match="cannot be seen without a copy"):
        np.asarray(x, copy=False)
    with pytest.raises(ValueError, match="an array on the GPU is always a copy"):
        xp.asarray(np.ones(2, np.float32), copy=False)


def test_functions_of_numpy_give_arrays_of_indim() -> None:
    """`indim + numpy` is indim, from either side, and so are NumPy's functions."""
    x, n = xp.asarray([1.0, 4.0]), np.asarray([2.0, 3.0], np.float32)
    for result, expected in (
        (x + n, [3, 7]),
        (n + x, [3, 7]),
        (n / x, [2, 0.75]),
        (np.float32(2) ** x, [2, 16]),
        (np.sqrt(x), [1, 2]),
        (np.maximum(n, x), [2, 4]),
        (np.add(x, 1), [2, 5]),
        (np.fmod(x, 3), [1, 1]),
        (np.rint(x * 0.3), [0, 1]),
        (np.where(x > 2, x, 0), [0, 4]),
        (np.clip(x, 2, 3), [2, 3]),
        (np.concatenate([x, n]), [1, 4, 2, 3]),
        (np.stack([n, x], axis=1).reshape(-1), [2, 1, 3, 4]),
        (np.zeros_like(x), [0, 0]),
        (np.full_like(x, 3), [3, 3]),
        (np.flip(x), [4, 1]),
        (np.roll(x, 1), [4, 1]),
        (np.reshape(np.expand_dims(x, 0), (2,)), [1, 4]),
        (np.transpose(np.broadcast_to(x, (1, 2))).reshape(2), [1, 4]),
        (np.sum(x), 5),
        (np.any(x > 3), True),
        (np.all(x > 3), False),
        (np.squeeze(x[None]), [1, 4]),
        (np.moveaxis(x[None], 0, 1)[:, 0], [1, 4]),
        (np.tile(x, 1), [1, 4]),
        (np.repeat(x, 1), [1, 4]),
    ):
        assert isinstance(result, xp.Array)
        assert result.tolist() == expected
    assert np.shape(x) == (2,) and np.ndim(x) == 1
    assert np.result_type(x, np.float16) == xp.float32


def test_arrays_of_numpy_are_no_out() -> None:
    """Nor anything for functions that have no kernel for it."""
    x, n = xp.asarray([1.0, 2.0]), np.ones(2, np.float32)
    with pytest.raises(TypeError, match=r"numpy.add cannot write an array of indim into out="):
        np.add(x, x, out=n)
    with pytest.raises(TypeError, match=r"numpy.add cannot write an array of indim into out="):
        n += x
    with pytest.raises(TypeError, match=r"numpy.add.at writes arrays of indim into no array of"):
        np.add.at(n, [0], x)
    with pytest.raises(TypeError, match=r"indim cannot write into out="):
        np.concatenate([x, x], out=n)
    for call in (lambda: x.sum(out=n), lambda: np.mean(x, out=n), lambda: np.clip(x, 0, 1, out=n)):
        with pytest.raises(TypeError, match=r"indim cannot write into out="):
            call()
    assert x.tolist() == [1, 2] and n.tolist() == [1, 1]


def test_other_libraries_get_their_turn() -> None:
    """An operand of an unknown type answers by its own method."""

    class Other:
        __array_ufunc__ = None

        def __radd__(self, other: object) -> str:
            return "other"

    assert xp.ones(2) + Other() == "other"
    assert (xp.ones(2) == "a") is False


def test_dlpack_goes_by_the_hosts_memory() -> None:
    """There and back through NumPy; the values are copies."""
    for dtype in (xp.bool, xp.int8, xp.uint64, xp.float16, xp.float32, xp.complex64):
        x = xp.asarray(np.asarray([[0, 1, 1], [1, 0, 1]]).astype(dtype))
        assert x.__dlpack_device__() == (1, 0)
        theirs = np.from_dlpack(xp.flip(x, axis=1))
        assert theirs.dtype == dtype and theirs[0, 0] == 1
        ours = xp.from_dlpack(theirs)
        assert ours.dtype == dtype and ours.tolist() == theirs.tolist()
        assert xp.from_dlpack(x).tolist() == x.tolist()
    with pytest.raises(BufferError, match="cannot be exported without a copy"):
        x.__dlpack__(copy=False)
    with pytest.raises(ValueError, match="an array on the GPU is always a copy"):
        xp.from_dlpack(np.ones(2), copy=False)
    with pytest.raises(ValueError, match="which has no streams"):
        x.__dlpack__(stream=1)
    for dtype, instead in ((xp.bfloat16, "float32"), (xp.int4, "int8"), (xp.uint4, "uint8")):
        with pytest.raises(BufferError, match=f"no {dtype.name}: take x.astype.indim.{instead}"):
            np.from_dlpack(xp.ones(2, dtype=dtype))

    class Elsewhere:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 0)

        def __dlpack__(self, **_: object) -> object:
            raise BufferError("it is on a GPU")

    with pytest.raises(BufferError, match="give it in the host's memory, and in a type of NumPy"):
        xp.from_dlpack(Elsewhere())


def test_buffers_come_in() -> None:
    """Python's own, and NumPy's of any layout."""
    assert xp.asarray(array.array("h", [1, -2])).dtype == xp.int16
    assert xp.asarray(memoryview(b"\x01\x02")).tolist() == [1, 2]
    assert xp.asarray(bytearray(b"\x03")).dtype == xp.uint8
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (values.T, values[:, ::-1, ::2], np.asfortranarray(values), values[1, 1, 1]):
        assert np.array_equal(xp.asarray(view), view)
    assert xp.asarray(np.longlong(5)).dtype == xp.int64


def test_scalars_come_out() -> None:
    """Of arrays without dimensions, as NumPy's."""
    assert int(xp.asarray(7)) == 7 and float(xp.asarray(0.5)) == 0.5
    assert complex(xp.asarray(1 + 2j)) == 1 + 2j and bool(xp.asarray([[3]]))
    assert [10, 20][xp.asarray(1)] == 20 and f"{xp.asarray(0.25):.1f}" == "0.2"
    assert xp.asarray([4.0]).item() == 4 and xp.asarray([4.0, 5.0]).item(1) == 5
    assert len(xp.ones((3, 2))) == 3
    with pytest.raises(TypeError, match="len\\(\\) of unsized object"):
        len(xp.asarray(1))
    with pytest.raises(TypeError, match="only arrays without dimensions"):
        float(xp.asarray([1.0]))
    with pytest.raises(TypeError, match="only integer arrays without dimensions"):
        range(xp.asarray(1.0))  # type: ignore[arg-type]


def test_printing_is_numpys() -> None:
    """Of every type, and of large arrays."""
    for values in (np.arange(3, dtype=np.int64), np.ones((2, 2), np.float32), np.asarray(True)):
        assert repr(xp.asarray(values)) == repr(values)
        assert str(xp.asarray(values)) == str(values)
    large = np.zeros(100_000, np.float32)
    assert repr(xp.zeros(100_000)) == repr(large)
    assert repr(xp.ones(2, dtype=xp.bfloat16)) == "array([1, 1], dtype=bfloat16)"


def test_pickles() -> None:
    """Every type, every protocol, computed or not."""
    for dtype in all_types():
        x = xp.asarray(np.asarray([[0, 1], [3, 2]]).astype(dtype))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            y = pickle.loads(pickle.dumps(xp.flip(x), protocol))
            assert y.dtype == dtype and y.tolist() == xp.flip(x).tolist()
    assert pickle.loads(pickle.dumps(xp.zeros((0, 3)))).shape == (0, 3)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("f33", (1,), b"abcd"), ValueError, "no element type 'f33'"),
        ((None, (1,), b"abcd"), ValueError, "no element type None"),
        (("f32", [1], b"abcd"), ValueError, r"no shape \[1\]"),
        (("f32", (-1,), b"abcd"), ValueError, r"no shape \(-1,\)"),
        (("f32", (1.0,), b"abcd"), ValueError, r"no shape \(1.0,\)"),
        (("f32", (True,), b"abcd"), ValueError, r"no shape \(True,\)"),
        (("f32", (2,), b"abcd"), ValueError, "2 elements has 8 bytes, not 4"),
        (("f32", (2**62, 2**62), b""), ValueError, "bytes, not 0"),
        (("f32", (0, 2**200), b""), (ValueError, OverflowError), None),
        (("f32", (1,) * 10_000, b"abcd"), (ValueError, TypeError), None),
        (("f32", (1,), "abcd"), TypeError, "has bytes, not a str"),
        (("pred", (2,), b"\x01\x02"), ValueError, "bytes other than 0 and 1"),
        (("s4", (1,), b"\x40"), ValueError, "4-bit"),
    ],
)
def test_hostile_pickles(
    arguments: tuple[object, ...], error: type[Exception], message: str | None
) -> None:
    """They raise errors that name the fault, and never crash."""
    data = pickle.dumps(Hostile(*arguments))
    with pytest.raises(error, match=message):
        pickle.loads(data)


def test_pickles_make_no_array_without_a_value() -> None:
    """Neither by the class nor by its state."""
    with pytest.raises(TypeError, match="arrays are made by indim.asarray"):
        xp.Array()
    with pytest.raises(TypeError, match="arrays are made by indim.asarray"):
        copyreg.__newobj__(xp.Array)  # type: ignore[attr-defined]
    bare = object.__new__(xp.Array)
    with pytest.raises(TypeError, match="made by no function of indim"):
        repr(bare)
    with pytest.raises(TypeError, match="this pickle is none of an array of indim"):
        bare.__setstate__((None, {"_x": 5}))  # type: ignore[attr-defined]


def test_unpickling_truncated_data() -> None:
    """Any part of a pickle is an error of Python's, not a crash."""
    data = pickle.dumps(xp.asarray([1.0, 2.0]))
    for end in range(len(data)):
        with pytest.raises((EOFError, pickle.UnpicklingError, ValueError, TypeError)):
            pickle.loads(data[:end])
