"""Writing into the memory that an array has: by assignment, by `out=`, and what others see of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import indim as xp

SIZE = 1 << 20


def evaluated(*shape: int) -> xp.Array:
    """Return an array of the GPU that counts up."""
    x = xp.reshape(xp.arange(int(np.prod(shape)), dtype=xp.float32), shape)
    xp.eval(x)
    return x


def in_use() -> int:
    """Return the bytes that arrays have, once all that was dropped is given back."""
    xp.wait()
    return xp.memory()["in_use"]


def written(call: Callable[[], object]) -> int:
    """Return the bytes that kernels write in a call."""
    before = xp.stats()["written_bytes"]
    call()
    return xp.stats()["written_bytes"] - before


def test_an_assigned_part_is_all_that_is_written() -> None:
    """Each assignment is one dispatch over its part, and takes no memory."""
    x = evaluated(1024, 1024)
    memory, before = in_use(), xp.stats()

    def assign() -> None:
        for row in range(8):
            x[row, ::2] = 5
            x[row, 1::2] *= 2

    assert written(assign) == 8 * 4 * 1024
    after = xp.stats()
    assert after["dispatches"] - before["dispatches"] == 2 * 8
    assert after["allocations"] == before["allocations"] and in_use() == memory
    expected = np.arange(1 << 20, dtype=np.float32).reshape(1024, 1024)
    for row in range(8):
        expected[row, ::2] = 5
        expected[row, 1::2] *= 2
    assert np.array_equal(np.asarray(x), expected)


def test_a_whole_array_is_evaluated_into_its_memory() -> None:
    """By `out=` of `eval` and of NumPy's functions, and by `x[...] =`."""
    x, y = evaluated(SIZE), evaluated(SIZE)
    memory, before = in_use(), xp.stats()
    for _ in range(4):
        xp.eval(0.5 * x + y, out=x)
        assert np.add(x, y, out=x) is x
        x[...] = x - y
        np.multiply(x, 2, out=x)
    after = xp.stats()
    assert after["dispatches"] - before["dispatches"] == 16
    assert after["allocations"] == before["allocations"] and after["reuses"] == before["reuses"]
    assert in_use() == memory
    n = np.arange(SIZE, dtype=np.float32)
    expected = n.copy()
    for _ in range(4):
        expected = (np.float32(0.5) * expected + n) * 2
    assert np.array_equal(np.asarray(x), expected)


def test_others_keep_their_elements() -> None:
    """Copies, views and expressions see an array as it was when they were made."""
    x = evaluated(4)
    copy, part, later, same = x.copy(), x[1:3], x + 1, x[:]
    x[0] = 9
    x[1:] += 10
    xp.eval(x * 2, out=x)
    np.negative(x, out=x)
    assert x.tolist() == [-18, -22, -24, -26]
    assert copy.tolist() == [0, 1, 2, 3] == same.tolist()
    assert part.tolist() == [1, 2] and later.tolist() == [1, 2, 3, 4]
    # What has a name stays, too.
    y = evaluated(4)
    value = y[::-1] * 2
    y[...] = value
    y[0] = -1
    assert value.tolist() == [6, 4, 2, 0] and y.tolist() == [-1, 4, 2, 0]
    z = evaluated(4)
    value = z + 1
    xp.eval(value, out=z)
    xp.eval(z * 0, out=z)
    assert value.tolist() == [1, 2, 3, 4] and z.tolist() == [0] * 4
    names = {"z": z}
    names["z"][1:] = names["z"][:-1] + 1
    assert z.tolist() == [0, 1, 1, 1]


def test_elements_that_depend_on_others_are_right() -> None:
    """A stencil goes through memory of its own."""
    x, n = evaluated(1000), np.arange(1000, dtype=np.float32)
    x[1:-1] = (x[:-2] + x[2:]) * x[1:-1]
    n[1:-1] = (n[:-2] + n[2:]) * n[1:-1]
    xp.eval(xp.flip(x) - 1, out=x)
    x[::-1] = x + 1
    x[10] = x[20] + 1
    n = (n + 1)[::-1].copy()
    n[10] = n[20] + 1
    assert np.array_equal(np.asarray(x), n)


def test_types_and_shapes_are_those_of_the_array() -> None:
    """`out=` converts by NumPy's rules; `eval` does not."""
    x = evaluated(3)
    np.add(x, xp.asarray([1, 2, 3], dtype=xp.int32).astype(xp.float16), out=x)
    assert x.dtype == xp.float32 and x.tolist() == [1, 3, 5]
    whole = xp.asarray([1, 2, 3])
    with pytest.raises(TypeError, match="add gives float32, which an array of int64 cannot hold"):
        np.add(x, x, out=whole)
    with pytest.raises(ValueError, match=r"with shape \(3,\) doesn't match the broadcast shape"):
        np.add(x, xp.ones((2, 1)), out=x)
    with pytest.raises(ValueError, match=r"eval gives float32 of shape \(2,\), which does not fit"):
        xp.eval(x[:2], out=x)
    with pytest.raises(TypeError, match="eval takes one array to compute into out="):
        xp.eval(x, x, out=x)
    with pytest.raises(TypeError, match="into out= that is one of NumPy, nor into several"):
        np.divmod(x, 2, out=(x, x))
    # An array without memory takes the value.
    lazy = xp.zeros(3)
    xp.eval(x + 1, out=lazy)
    assert lazy.tolist() == [2, 4, 6] and x.tolist() == [1, 3, 5]


def test_what_was_read_is_read_again() -> None:
    """Bytes that the host has are not those of the new elements."""
    x = evaluated(4)
    assert x.tolist() == [0, 1, 2, 3]
    xp.eval(x + 1, out=x)
    assert x.tolist() == [1, 2, 3, 4]
    x[1] = 7
    assert x.tolist() == [1, 7, 3, 4]
