"""Operations of dask on chunks of indim's arrays, by `indim.dask.to_indim`."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
from _calls import Call, Data

import indim.dask  # noqa: F401, which registers arrays of indim


def _chunked(call: Call) -> Call:
    """Return a call on dask's arrays, whose chunks are of the library that is tried."""

    def chunked(a: Any) -> Any:
        with dask.config.set(scheduler="synchronous"):
            return call(_Chunks(a)).compute()

    return chunked


class _Chunks:
    """The arrays of `Data` that are used here, in chunks."""

    def __init__(self, a: Data) -> None:
        self.make = a.make
        read = Data(np.array)
        self.x, self.y, self.holes = (
            self._of(each, (8, 2)) for each in (read.x, read.y, read.holes)
        )
        self.v, self.n = self._of(read.v, 8), self._of(read.n, 8)

    def _of(self, array: np.ndarray, chunks: Any) -> Any:
        # As indim.dask.to_indim makes chunks of indim's arrays.
        whole = da.from_array(array, chunks=chunks)
        return whole.map_blocks(self.make, meta=self.make(np.empty((0,) * array.ndim, array.dtype)))


_CALLS: dict[str, Call] = {
    "x * y + 1": lambda a: a.x * a.y + 1,
    "x.T @ y": lambda a: a.x.T @ a.y,
    "x[2:9, ::-1]": lambda a: a.x[2:9, ::-1],
    "x[[1, 5]]": lambda a: a.x[[1, 5]],
    "x[x > 0]": lambda a: a.v[a.v > 0],
    "astype": lambda a: a.x.astype(np.int32),
    "clip": lambda a: da.clip(a.x, -1, 1),
    "where": lambda a: da.where(a.x > 0, a.x, a.y),
    "exp": lambda a: da.exp(a.x),
    "isnan": lambda a: da.isnan(a.holes),
    "sum": lambda a: a.x.sum(axis=0),
    "mean": lambda a: a.x.mean(axis=1),
    "std": lambda a: a.x.std(axis=0, ddof=1),
    "max": lambda a: a.x.max(axis=0),
    "argmax": lambda a: a.x.argmax(axis=0),
    "nanmean": lambda a: da.nanmean(a.holes, axis=0),
    "cumsum": lambda a: a.x.cumsum(axis=0),
    "diff": lambda a: da.diff(a.v),
    "concatenate": lambda a: da.concatenate([a.x, a.y], axis=1),
    "stack": lambda a: da.stack([a.x, a.y]),
    "reshape": lambda a: a.x.reshape(-1),
    "roll": lambda a: da.roll(a.v, 3),
    "pad": lambda a: da.pad(a.x, 1),
    "rechunk": lambda a: a.x.rechunk((12, 4)) + 1,
    "map_blocks": lambda a: a.x.map_blocks(lambda block: block * 2),
    "map_overlap": lambda a: a.v.map_overlap(lambda block: block + 1, depth=1, boundary="reflect"),
    "tensordot": lambda a: da.tensordot(a.x, a.y, axes=(0, 0)),
    "percentile": lambda a: da.percentile(a.v.rechunk(24), [50]),
    "bincount": lambda a: da.bincount(a.n, minlength=6),
    "unique": lambda a: da.unique(a.n),
}

CALLS = {name: _chunked(call) for name, call in _CALLS.items()}
