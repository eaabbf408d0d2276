"""Operations of xarray on a DataArray of an array of indim."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from _calls import Call


def _labelled(call: Call) -> Call:
    return lambda a: call(_Labelled(a))


class _Labelled:
    """The arrays of `Data` that are used here, with dimensions and coordinates."""

    def __init__(self, a: Any) -> None:
        times, sites = np.arange(24), list("abcd")
        coordinates = {"time": times, "site": sites}
        self.x = xr.DataArray(a.x, coordinates, ("time", "site"), name="x")
        self.y = xr.DataArray(a.y, coordinates, ("time", "site"), name="y")
        self.holes = xr.DataArray(a.holes, coordinates, ("time", "site"))
        self.v = xr.DataArray(a.v, {"time": times}, ("time",))
        self.seasons = xr.DataArray(np.arange(24) // 6, dims="time", name="season")
        self.both = xr.Dataset({"x": self.x, "y": self.y})


_CALLS: dict[str, Call] = {
    "x * y + 1": lambda a: a.x * a.y + 1,
    "x + v, by dimensions": lambda a: a.x + a.v,
    "x > 0": lambda a: a.x > 0,
    "-x, abs(x)": lambda a: (-a.x, abs(a.x)),
    "numpy.exp": lambda a: np.exp(a.x),
    "xarray.apply_ufunc": lambda a: xr.apply_ufunc(np.hypot, a.x, a.y),
    "isel": lambda a: a.x.isel(time=slice(2, 9), site=1),
    "isel with a list": lambda a: a.x.isel(time=[1, 5, 2]),
    "sel": lambda a: a.x.sel(site="b"),
    "sel with a slice": lambda a: a.x.sel(time=slice(3, 7)),
    "where": lambda a: a.x.where(a.x > 0),
    "where with another value": lambda a: a.x.where(a.x > 0, a.y),
    "xarray.where": lambda a: xr.where(a.x > 0, a.x, 0.0),
    "fillna": lambda a: a.holes.fillna(0.0),
    "isnull, notnull": lambda a: (a.holes.isnull(), a.holes.notnull()),
    "clip": lambda a: a.x.clip(-1, 1),
    "round": lambda a: a.x.round(1),
    "astype": lambda a: a.x.astype(np.int32),
    "sum": lambda a: a.x.sum("time"),
    "mean": lambda a: a.x.mean("time"),
    "std": lambda a: a.x.std("time"),
    "var(ddof=1)": lambda a: a.x.var("time", ddof=1),
    "max, min": lambda a: (a.x.max("time"), a.x.min("site")),
    "prod": lambda a: a.x.prod("site"),
    "all, any": lambda a: ((a.x > -9).all("time"), (a.x > 1).any("site")),
    "count": lambda a: a.holes.count("time"),
    "sum(skipna=True)": lambda a: a.holes.sum("time", skipna=True),
    "mean(skipna=True)": lambda a: a.holes.mean("time", skipna=True),
    "argmax": lambda a: a.x.argmax("time"),
    "idxmax": lambda a: a.x.idxmax("time"),
    "median": lambda a: a.x.median("time"),
    "quantile": lambda a: a.x.quantile(0.3, "time"),
    "cumsum": lambda a: a.x.cumsum("time"),
    "diff": lambda a: a.x.diff("time"),
    "shift": lambda a: a.x.shift(time=2),
    "roll": lambda a: a.x.roll(time=2),
    "pad": lambda a: a.x.pad(time=1, constant_values=0.0),
    "transpose": lambda a: a.x.transpose("site", "time"),
    "stack, unstack": lambda a: a.x.stack(z=("time", "site")).unstack("z"),
    "expand_dims, squeeze": lambda a: a.x.expand_dims("new").squeeze("new"),
    "xarray.concat": lambda a: xr.concat([a.x, a.y], "time"),
    "xarray.dot": lambda a: xr.dot(a.x, a.y, dim="time"),
    "weighted(...).mean": lambda a: a.x.weighted(abs(a.v)).mean("time"),
    "rolling(...).mean": lambda a: a.x.rolling(time=3).mean(),
    "coarsen(...).mean": lambda a: a.x.coarsen(time=4).mean(),
    "groupby(...).mean": lambda a: a.x.groupby(a.seasons).mean(),
    "Dataset.mean": lambda a: a.both.mean("time"),
}

CALLS = {name: _labelled(call) for name, call in _CALLS.items()}
