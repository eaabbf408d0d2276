"""Tests dask over indim: NumPy chunks computed by it, chunks of it, workers, and xarray above."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chunked
import dask
import dask.array as da
import numpy as np
import pytest
import xarray as xr
from distributed import Client, LocalCluster, get_worker

import indim
import indim.dask


@pytest.fixture
def x() -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).random((400, 300), dtype=np.float32)


@pytest.fixture
def v() -> np.ndarray[Any, Any]:
    return np.random.default_rng(2).random(300, dtype=np.float32)


def test_numpy_chunks_are_computed_on_the_gpu(x: Any, v: Any) -> None:
    dispatches = indim.stats()["dispatches"]
    result = indim.dask.blockwise(
        lambda a, b: (a + b) * a, da.from_array(x, chunks=(100, 100)), da.from_array(v, chunks=100)
    )
    assert result.dtype == np.float32
    with dask.config.set(scheduler="synchronous"):
        computed = result.compute()
    assert type(computed) is np.ndarray
    assert np.array_equal(computed, (x + v) * x)
    # One kernel a block.
    assert indim.stats()["dispatches"] - dispatches == 12


def test_map_blocks_takes_functions_of_indim(x: Any) -> None:
    blocks = da.from_array(x, chunks=(100, 100))
    result = blocks.map_blocks(lambda block: np.asarray(indim.asarray(block) + 1), dtype=np.float32)
    assert np.array_equal(result.compute(), x + 1)


def test_chunks_of_indim(x: Any, v: Any) -> None:
    a = indim.dask.to_indim(da.from_array(x, chunks=(100, 100)))
    b = indim.dask.to_indim(da.from_array(v, chunks=100))
    assert isinstance(a._meta, indim.Array) and a._meta.size == 0
    for result, expected in [
        (a + b, x + v),
        (a * 2 - b, x * 2 - v),
        (a.T + 1, x.T + 1),
        (a[::2, 5:], x[::2, 5:]),
        (da.concatenate([a, a]), np.concatenate([x, x])),
        (da.stack([a, a + 1]), np.stack([x, x + 1])),
        (da.where(a > b, a, b), np.where(x > v, x, v)),
        (a.rechunk((400, 30)) * b.rechunk(30), x * v),
        (da.add(a, np.float32(2)), x + np.float32(2)),
    ]:
        assert isinstance(result._meta, indim.Array), result
        computed = result.compute()
        assert isinstance(computed, indim.Array)
        assert np.array_equal(np.asarray(computed), expected)
    total = float((a + b).sum().compute())
    assert abs(total - (x + v).sum()) < 1e-3 * abs(total)
    back = indim.dask.to_numpy(a + b).compute()
    assert type(back) is np.ndarray and np.array_equal(back, x + v)


def test_what_dask_calls_of_numpy_is_there(x: Any) -> None:
    a = indim.dask.to_indim(da.from_array(x, chunks=(200, 150)))

    def with_row(values: Any) -> Any:
        changed = values.copy()
        changed[0, :] = 9
        return changed

    def with_mask(values: Any) -> Any:
        changed = values.copy()
        changed[changed > 0.5] = 0
        return changed

    for result, expected in [
        (da.pad(a, 1), np.pad(x, 1)),
        (da.pad(a, 2, mode="edge"), np.pad(x, 2, mode="edge")),
        (da.round(a, 1), np.round(x, 1)),
        (da.rint(a), np.rint(x)),
        (da.argmax(a, axis=0), np.argmax(x, axis=0)),
        (da.argmin(a), np.argmin(x)),
        (a[[1, 300, 2]], x[[1, 300, 2]]),
        (a[:, [1, 290]], x[:, [1, 290]]),
        (a.vindex[[1, 2], [3, 299]], x[[1, 2], [3, 299]]),
        (with_row(a), with_row(x)),
        (with_mask(a), with_mask(x)),
    ]:
        computed = result.compute()
        assert isinstance(computed, indim.Array)
        assert np.array_equal(np.asarray(computed), expected), result
    assert np.allclose(da.cumsum(a, axis=0).compute(), np.cumsum(x, axis=0), rtol=1e-4)
    with pytest.warns(indim.HostFallbackWarning, match="sort has no kernel"):
        indim.set_host_fallback("warn")
        in_order = a.rechunk(-1).map_blocks(np.sort, axis=0, dtype=a.dtype).compute()
        assert np.array_equal(np.asarray(in_order), np.sort(x, axis=0))


@pytest.fixture
def no_host() -> Iterator[None]:
    """Forbid NumPy on the host."""
    indim.set_host_fallback("error")
    yield
    indim.set_host_fallback("warn")


def on_device(call: Callable[[], Any], expected: Any) -> None:
    """Check what a call gives in dask's or xarray's array, by kernels, with nothing read before."""
    before = indim.stats()
    with dask.config.set(scheduler="synchronous"):
        found = call().compute()
    found = getattr(found, "data", found)
    assert isinstance(found, indim.Array)
    indim.eval(found)
    after = indim.stats()
    assert after["dispatches"] > before["dispatches"]
    assert after["downloaded_bytes"] == before["downloaded_bytes"]
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(np.asarray(found), expected, 1e-4)


REDUCTIONS = ("sum", "mean", "std", "var", "max", "min", "prod", "any", "all")
WITHOUT_NAN = ("nansum", "nanmean", "nanstd", "nanvar", "nanmax", "nanmin", "nanprod")


@pytest.mark.parametrize("name", [*REDUCTIONS, *WITHOUT_NAN])
def test_reductions_of_chunks_are_kernels(name: str, x: Any, no_host: None) -> None:
    x = x[:40, :30]
    if name.startswith("nan"):
        x[3, 4] = np.nan
    a = indim.dask.to_indim(da.from_array(x, chunks=(20, 15)))
    for axis in (None, 0, 1):
        expected = np.asarray(getattr(np, name)(x, axis=axis))
        on_device(lambda: getattr(da, name)(a, axis=axis), expected)  # noqa: B023


def test_positions_of_chunks(x: Any, no_host: None) -> None:
    """Dask puts the chunks' positions together by an index array, which the host reads."""
    a = indim.dask.to_indim(da.from_array(x, chunks=(200, 150)))
    assert int(da.argmax(a).compute()) == x.argmax()
    indim.set_host_fallback("allow")
    for axis in (0, 1):
        before = indim.stats()
        found = da.argmax(a, axis=axis).compute()
        after = indim.stats()
        assert isinstance(found, indim.Array)
        assert np.array_equal(np.asarray(found), x.argmax(axis))
        # The extremes and positions of chunks are kernels, and what is read is those alone.
        assert after["dispatches"] - before["dispatches"] >= 4
        assert after["downloaded_bytes"] - before["downloaded_bytes"] < x.nbytes / 10


@pytest.mark.parametrize("lazy", [False, True], ids=["eager", "dask"])
def test_xarrays_reductions_are_kernels(lazy: bool, x: Any, no_host: None) -> None:
    x = x[:40, :30]
    x[3, 4] = np.nan
    host = xr.DataArray(x, dims=("time", "x"))
    data = indim.dask.to_indim(da.from_array(x, chunks=(20, 15))) if lazy else indim.asarray(x)
    array = xr.DataArray(data, dims=("time", "x"))
    for name in ("mean", "std", "var", "sum", "max", "min", "prod"):
        for dim in ("time", None):
            for skipna in (True, False):
                expected = getattr(host, name)(dim, skipna=skipna).data
                on_device(lambda: getattr(array, name)(dim, skipna=skipna), expected)  # noqa: B023
    on_device(lambda: array.count("time"), host.count("time").data)
    if not lazy:
        on_device(lambda: array.argmax("time", skipna=False), np.argmax(x, axis=0))
        assert np.array_equal(np.asarray(array.argmax("x").data), np.nanargmax(x, axis=1))


def test_a_number_takes_the_type_of_the_chunks(x: Any) -> None:
    blocks = da.from_array(x, chunks=100)
    for given in ((blocks, 2.0), (2.0, blocks), (blocks, 2)):
        result = indim.dask.blockwise(lambda a, b: a * b, *given)
        assert result.dtype == np.float32
        assert np.array_equal(result.compute(), x * 2)
    assert float(indim.dask.blockwise(lambda a, b: a * b, 3, 2).compute()) == 6


def test_xarray_over_indim_and_over_dask(x: Any, v: Any) -> None:
    a = xr.DataArray(indim.asarray(x), dims=("y", "x"))
    b = xr.DataArray(indim.asarray(v), dims="x")
    total = a * b + 1
    assert isinstance(total.data, indim.Array)
    assert np.array_equal(np.asarray(total.data), x * v + 1)
    for changed, expected in (
        (a.shift(x=2), xr.DataArray(x, dims=("y", "x")).shift(x=2)),
        (a.pad(y=1), xr.DataArray(x, dims=("y", "x")).pad(y=1)),
    ):
        assert isinstance(changed.data, indim.Array)
        assert np.array_equal(np.asarray(changed.data), expected.data, equal_nan=True)
    outer = b * xr.DataArray(indim.asarray(x[:, 0]), dims="y")
    assert np.array_equal(np.asarray(outer.data), v[:, None] * x[:, 0])
    chunked = xr.DataArray(indim.dask.to_indim(da.from_array(x, chunks=100)), dims=("y", "x"))
    computed = (chunked * b + 1).compute()
    assert isinstance(computed.data, indim.Array)
    assert np.array_equal(np.asarray(computed.data), x * v + 1)


def wave(block: Any, row: Any) -> Any:
    """Works on arrays of indim and of NumPy alike, with the same bits."""
    return (block * row + 1) * (block - row)


def die_once(block: np.ndarray[Any, Any], marker: str) -> np.ndarray[Any, Any]:
    """Kills the worker of the first block that comes here, and no other process."""
    get_worker()
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block
    os.kill(os.getpid(), signal.SIGKILL)
    return block


def test_worker_processes_give_the_same_bits_even_if_one_is_killed(
    x: Any, v: Any, tmp_path: Path
) -> None:
    marker = str(tmp_path / "died")
    blocks = da.from_array(x, chunks=(100, 100))
    fragile = blocks.map_blocks(die_once, marker, dtype=np.float32, meta=blocks._meta)
    row = da.from_array(v, chunks=100)
    here = indim.dask.blockwise(wave, blocks, row).compute()
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        first = {worker["pid"] for worker in client.run(lambda: {"pid": os.getpid()}).values()}
        there = indim.dask.blockwise(wave, fragile, row).compute()
        assert os.path.exists(marker), "no worker was killed"
        client.wait_for_workers(2)
        second = {worker["pid"] for worker in client.run(lambda: {"pid": os.getpid()}).values()}
        chunks = (indim.dask.to_indim(blocks) + indim.dask.to_indim(row)).compute()
    assert first != second
    assert there.tobytes() == here.tobytes() == wave(x, v).tobytes()
    # Chunks of indim also pass between processes.
    assert np.array_equal(np.asarray(chunks), x + v)


def test_zarr_to_zarr_in_workers_of_two_gib(tmp_path: Path) -> None:
    rows_of_chunk = 2048
    chunked.write(tmp_path / "x.zarr", rows_of_chunk)
    target = chunked.create(tmp_path / "y.zarr", rows_of_chunk)
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit="2GiB",
            dashboard_address=None,
        ) as cluster,
        Client(cluster),
    ):
        x = da.from_zarr(tmp_path / "x.zarr")
        row = da.from_array(chunked.ROW, chunks=chunked.COLUMNS)
        da.store(indim.dask.blockwise(wave, x, row), target, lock=False)
    chunked.check(target, rows_of_chunk)
