"""Lets dask hold arrays of indim as chunks, and computes NumPy chunks with them.

``import indim.dask`` registers the chunk type; each worker imports it too, when it is sent
something of this module. dask schedules, and nothing here does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from dask.array.chunk_types import register_chunk_type
from dask.array.dispatch import (
    concatenate_lookup,
    empty_lookup,
    percentile_lookup,
    to_numpy_dispatch,
)

import indim
from indim import Array

register_chunk_type(Array)


@concatenate_lookup.register(Array)
def _concatenate(arrays: Any, axis: int = 0) -> Array:
    return indim.concat([indim.asarray(array) for array in arrays], axis=axis)


@empty_lookup.register(Array)
def _empty(shape: Any, dtype: Any = None, **_: Any) -> Array:
    return indim.empty(shape, dtype=dtype)


@percentile_lookup.register(Array)
def _percentile(array: Any, q: Any, method: str = "linear") -> tuple[Array | None, int]:
    return (np.percentile(array, q, method=method) if len(array) else None), len(array)


@to_numpy_dispatch.register(Array)
def _to_numpy(array: Array, **_: Any) -> np.ndarray[Any, Any]:
    return np.asarray(array)


def to_indim(x: da.Array) -> da.Array:
    """Return the dask array with chunks of indim in place of NumPy's.

    They are lazy: what follows on a chunk, in one task, is one kernel where that can be. Chunks
    that pass from one process to another are read back and pickled.
    """
    meta = indim.empty((0,) * x.ndim, dtype=x.dtype)
    return x.map_blocks(indim.asarray, dtype=x.dtype, meta=meta)


def to_numpy(x: da.Array) -> da.Array:
    """Return the dask array with chunks of NumPy in place of indim's."""
    return x.map_blocks(np.asarray, dtype=x.dtype, meta=np.empty((0,) * x.ndim, dtype=x.dtype))


def blockwise(function: Callable[..., Array], *arrays: Any, dtype: Any = None) -> da.Array:
    """Return what `function` makes of the chunks of arrays, on the GPU, as NumPy chunks.

    The arrays broadcast by NumPy's rule, and are rechunked so that their chunks fit. Numbers of
    Python's are handed over as they are, so that they take the types of the arrays. `function`
    takes arrays of indim and returns one; all that it does to a block is evaluated at once, and
    read back. It must be elementwise, for it sees a block at a time: a result of another shape
    than the blocks broadcast to is a ValueError. Without a `dtype`, that of the result is what
    `function` gives on empty arrays.
    """
    given = [
        one if isinstance(one, da.Array) or type(one) in _NUMBERS else da.asarray(one)
        for one in arrays
    ]
    if not any(isinstance(one, da.Array) for one in given):
        given = [da.asarray(one) for one in given]
    places = [place for place, one in enumerate(given) if isinstance(one, da.Array)]
    if dtype is None:
        empty = list(given)
        for place in places:
            one = given[place]
            empty[place] = indim.empty((0,) * one.ndim, dtype=one.dtype)
        dtype = function(*empty).dtype
    pairs = [(given[place], tuple(range(given[place].ndim))[::-1]) for place in places]
    _, fitting = da.core.unify_chunks(*(part for pair in pairs for part in pair))
    for place, one in zip(places, fitting, strict=True):
        given[place] = one
    return da.map_blocks(_block, function, *given, dtype=dtype, meta=np.empty((0,), dtype=dtype))


_NUMBERS = (bool, int, float, complex)
"""Python's numbers, which have no type of their own beside an array."""


def _block(function: Callable[..., Array], *blocks: Any) -> np.ndarray[Any, Any]:
    here = (block if type(block) in _NUMBERS else indim.asarray(block) for block in blocks)
    result = np.asarray(function(*here))
    expected = np.broadcast_shapes(*(np.shape(block) for block in blocks))
    if result.shape != expected:
        raise ValueError(
            f"the function made shape {result.shape} of blocks that broadcast to {expected}: it "
            "sees a block at a time, and must be elementwise"
        )
    return result
