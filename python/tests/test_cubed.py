"""Tests cubed with indim as the namespace of its chunks, from Zarr to Zarr under a memory bound."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import chunked
import numpy as np
import zarr

# cubed reads its namespace from the environment when it is imported.
SCRIPT = """
    import resource, sys
    import cubed, cubed.array_api as xp, indim, numpy as np, zarr

    source, row, target = sys.argv[1:]

    if __name__ == "__main__":
        spec = cubed.Spec(work_dir=target + ".tmp", allowed_mem="500MB", reserved_mem="250MB")
        x = cubed.from_zarr(source, spec=spec)
        v = cubed.from_zarr(row, spec=spec)
        y = (x * v + 1.0) * (x - v)
        assert y.dtype == np.float32, y.dtype
        cubed.to_zarr(y, target)
        stats = indim.stats()
        assert stats["dispatches"] >= y.npartitions, stats
        indim.set_host_fallback("error")
        part = x[:2048]
        host = np.asarray(zarr.open_array(source, mode="r")[:2048])
        for function in (xp.sum, xp.mean, xp.max, xp.std):
            for axis in (None, 0, 1):
                before = indim.stats()["dispatches"]
                found = function(part, axis=axis).compute()
                assert indim.stats()["dispatches"] - before >= 2, (function, axis)
                expected = getattr(np, function.__name__)(host.astype(np.float64), axis=axis)
                np.testing.assert_allclose(np.asarray(found), expected, 1e-4, 1e-4)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
"""


def test_zarr_to_zarr_under_a_memory_bound(tmp_path: Path) -> None:
    rows_of_chunk = 1024
    chunked.write(tmp_path / "x.zarr", rows_of_chunk)
    v = zarr.create_array(
        tmp_path / "v.zarr",
        shape=(1, chunked.COLUMNS),
        chunks=(1, chunked.COLUMNS),
        dtype="float32",
    )
    v[:] = chunked.ROW[np.newaxis]
    names = [str(tmp_path / name) for name in ("x.zarr", "v.zarr", "y.zarr")]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), *names],
        env={**os.environ, "CUBED_BACKEND_ARRAY_API_MODULE": "indim"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    resident_mib = int(done.stdout.split()[-1])
    assert resident_mib < 2048, resident_mib
    chunked.check(zarr.open_array(tmp_path / "y.zarr", mode="r"), rows_of_chunk)
