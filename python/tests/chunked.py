"""A matrix of INDIM_SCALE_MIB in a Zarr store, and computations on it.

The expression is `(x * v + 1) * (x - v)` of the matrix x and a row v.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zarr

# 10240 is the whole of 10 GiB.
BYTES = int(os.environ.get("INDIM_SCALE_MIB", "64")) << 20
COLUMNS = 2048
ROWS = max(BYTES // 4 // COLUMNS, 1)
ROW = np.linspace(0.5, 2, COLUMNS, dtype=np.float32)


def create(path: Path, rows_of_chunk: int) -> zarr.Array[Any]:
    """Return a new array of the matrix's shape in chunks of `rows_of_chunk` rows."""
    return zarr.create_array(
        path,
        shape=(ROWS, COLUMNS),
        chunks=(rows_of_chunk, COLUMNS),
        dtype="float32",
        compressors=None,
    )


def write(path: Path, rows_of_chunk: int) -> None:
    """Write the matrix, a chunk at a time."""
    x = create(path, rows_of_chunk)
    for start, block in _blocks(rows_of_chunk):
        x[start : start + len(block)] = block


def check(y: zarr.Array[Any], rows_of_chunk: int) -> None:
    """Assert that the result has the bits that NumPy gives, a chunk at a time."""
    for start, block in _blocks(rows_of_chunk):
        expected = (block * ROW + 1) * (block - ROW)
        assert y[start : start + len(block)].tobytes() == expected.tobytes(), start


def _blocks(rows_of_chunk: int) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
    made = np.arange(rows_of_chunk * COLUMNS, dtype=np.float32).reshape(rows_of_chunk, COLUMNS)
    made = made % 1000 / 7
    for start in range(0, ROWS, rows_of_chunk):
        yield start, made[: ROWS - start] + start % 13
