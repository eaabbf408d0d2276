"""The functions of array-api-extra that take arrays, and those of array-api-compat."""

from __future__ import annotations

from typing import Any

import array_api_compat as compat
import array_api_extra as xpx
import numpy as np
from _calls import Call


def _set(a: Any) -> Any:
    return xpx.at(a.x, 0).set(7.0)


def _added(a: Any) -> Any:
    return xpx.at(a.x)[:, 1].add(a.v)


def _masked(a: Any) -> Any:
    return xpx.at(a.x, a.x > 0).multiply(2.0)


def _applied(a: Any) -> Any:
    return xpx.apply_where(a.y > 0, (a.x, a.y), lambda x, y: x / y, fill_value=0.0)


def _lazily(a: Any) -> Any:
    return xpx.lazy_apply(np.sort, a.v, as_numpy=True)


def _namespace(a: Any) -> Any:
    return compat.array_namespace(a.x, a.y).add(a.x, a.y)


def _moved(a: Any) -> Any:
    return compat.to_device(a.x, compat.device(a.x))


def _kinds(a: Any) -> Any:
    lazy, writeable = compat.is_lazy_array(a.x), compat.is_writeable_array(a.x)
    return compat.is_array_api_obj(a.x), lazy, writeable, compat.size(a.x)


CALLS: dict[str, Call] = {
    "array_api_compat.array_namespace": _namespace,
    "array_api_compat.to_device": _moved,
    "array_api_compat.size": _kinds,
    "angle": lambda a: xpx.angle(a.x + 1j * a.y),
    "apply_where": _applied,
    "argpartition": lambda a: xpx.argpartition(a.v, 5)[5],
    "at(...).set": _set,
    "at(...).add": _added,
    "at(mask).multiply": _masked,
    "atleast_nd": lambda a: xpx.atleast_nd(a.v, ndim=3),
    "cov": lambda a: xpx.cov(a.x.T),
    "create_diagonal": lambda a: xpx.create_diagonal(a.v),
    "expand_dims": lambda a: xpx.expand_dims(a.v, axis=(0, 2)),
    "isclose": lambda a: xpx.isclose(a.x, a.y),
    "isin": lambda a: xpx.isin(a.n, a.bits),
    "kron": lambda a: xpx.kron(a.square, a.x),
    "lazy_apply": _lazily,
    "nan_to_num": lambda a: xpx.nan_to_num(a.holes),
    "nanmax": lambda a: xpx.nanmax(a.holes, axis=0),
    "nunique": lambda a: xpx.nunique(a.n),
    "one_hot": lambda a: xpx.one_hot(a.n, 5),
    "pad": lambda a: xpx.pad(a.x, 1),
    "partition": lambda a: xpx.partition(a.v, 5)[5],
    "setdiff1d": lambda a: xpx.setdiff1d(a.n, a.bits),
    "sinc": lambda a: xpx.sinc(a.x),
    "union1d": lambda a: xpx.union1d(a.n, a.bits),
}
