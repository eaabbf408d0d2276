"""A hundred functions of NumPy, over the pages of its reference, called on arrays of indim.

The pages' functions that take no arrays are left out. Functions that write into an argument are in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _calls import Call


def _written(target: Any, write: Any) -> Any:
    """Return an array after a function wrote into it."""
    write(target)
    return target


CALLS: dict[str, Call] = {
    # Making arrays.
    "numpy.asarray(like=)": lambda a: np.asarray([1.0, 2.0], np.float32, like=a.x),
    "numpy.zeros_like": lambda a: np.zeros_like(a.x),
    "numpy.full_like": lambda a: np.full_like(a.x, 2.5),
    "numpy.copy": lambda a: np.copy(a.x),
    "numpy.diag": lambda a: np.diag(a.v),
    "numpy.tril": lambda a: np.tril(a.square, -1),
    "numpy.vander": lambda a: np.vander(a.ascending, 4),
    "numpy.meshgrid": lambda a: np.meshgrid(a.v, a.w, indexing="ij"),
    # Moving elements.
    "numpy.reshape": lambda a: np.reshape(a.x, (4, 24)),
    "numpy.ravel": lambda a: np.ravel(a.x),
    "numpy.moveaxis": lambda a: np.moveaxis(a.x, 0, -1),
    "numpy.rollaxis": lambda a: np.rollaxis(a.x, 1),
    "numpy.swapaxes": lambda a: np.swapaxes(a.x, 0, 1),
    "numpy.transpose": lambda a: np.transpose(a.x, (1, 0)),
    "numpy.atleast_3d": lambda a: np.atleast_3d(a.x),
    "numpy.broadcast_to": lambda a: np.broadcast_to(a.v, (3, 24)),
    "numpy.expand_dims": lambda a: np.expand_dims(a.v, 0),
    "numpy.squeeze": lambda a: np.squeeze(a.v[None]),
    "numpy.concatenate": lambda a: np.concatenate((a.x, a.y), 1),
    "numpy.stack": lambda a: np.stack([a.v, a.w], -1),
    "numpy.hstack": lambda a: np.hstack([a.x, a.y]),
    "numpy.dstack": lambda a: np.dstack([a.x, a.y]),
    "numpy.block": lambda a: np.block([[a.x, a.y], [a.y, a.x]]),
    "numpy.split": lambda a: np.split(a.x, 3),
    "numpy.tile": lambda a: np.tile(a.x, (2, 1)),
    "numpy.repeat": lambda a: np.repeat(a.x, 2, 1),
    "numpy.delete": lambda a: np.delete(a.x, 1, 0),
    "numpy.insert": lambda a: np.insert(a.v, 3, 7.0),
    "numpy.append": lambda a: np.append(a.x, a.y, 0),
    "numpy.resize": lambda a: np.resize(a.v, (5, 6)),
    "numpy.flip": lambda a: np.flip(a.x, 0),
    "numpy.roll": lambda a: np.roll(a.x, 1, 0),
    "numpy.rot90": lambda a: np.rot90(a.x),
    "numpy.pad": lambda a: np.pad(a.x, 1, "reflect"),
    "numpy.trim_zeros": lambda a: np.trim_zeros(a.bits),
    # Reading and writing at indices.
    "numpy.take": lambda a: np.take(a.x, [2, 0], 1),
    "numpy.take_along_axis": lambda a: np.take_along_axis(a.x, np.argsort(a.x, 1), 1),
    "numpy.put_along_axis": lambda a: _written(
        a.x, lambda x: np.put_along_axis(x, np.argmax(x, 1, keepdims=True), 9.0, 1)
    ),
    "numpy.choose": lambda a: np.choose(a.bits, [a.v, a.w]),
    "numpy.compress": lambda a: np.compress(a.bits, a.v),
    "numpy.select": lambda a: np.select([a.x > 1, a.x > 0], [a.x, a.y], 0.5),
    "numpy.where": lambda a: np.where(a.x > 0, a.x, 0),
    "numpy.diagonal": lambda a: np.diagonal(a.square, 1),
    "numpy.fill_diagonal": lambda a: _written(a.square, lambda x: np.fill_diagonal(x, 3.0)),
    "numpy.put": lambda a: _written(a.v, lambda x: np.put(x, [0, 5], [7.0, 8.0])),
    "numpy.putmask": lambda a: _written(a.x, lambda x: np.putmask(x, x > 0, 1.0)),
    "numpy.place": lambda a: _written(a.x, lambda x: np.place(x, x > 0, [1.0, 2.0])),
    "numpy.copyto": lambda a: _written(a.x, lambda x: np.copyto(x, a.y)),
    # Element by element.
    "numpy.add(out=)": lambda a: _written(a.x, lambda x: np.add(x, a.y, out=x)),
    "numpy.sinc": lambda a: np.sinc(a.x),
    "numpy.hypot": lambda a: np.hypot(a.x, a.y),
    "numpy.arctan2": lambda a: np.arctan2(a.x, a.y),
    "numpy.unwrap": lambda a: np.unwrap(a.v * 3),
    "numpy.fix": lambda a: np.fix(a.x * 3),
    "numpy.round": lambda a: np.round(a.x, 1),
    "numpy.exp2": lambda a: np.exp2(a.x),
    "numpy.logaddexp2": lambda a: np.logaddexp2(a.x, a.y),
    "numpy.i0": lambda a: np.i0(a.x),
    "numpy.float_power": lambda a: np.float_power(a.positive, 1.5),
    "numpy.clip": lambda a: np.clip(a.x, -1, 1),
    "numpy.heaviside": lambda a: np.heaviside(a.x, 0.5),
    "numpy.nan_to_num": lambda a: np.nan_to_num(a.holes),
    "numpy.modf": lambda a: np.modf(a.x),
    "numpy.frexp": lambda a: np.frexp(a.x),
    "numpy.gcd": lambda a: np.gcd(a.n, a.m),
    "numpy.isclose": lambda a: np.isclose(a.x, a.y),
    "numpy.angle": lambda a: np.angle(a.x + 1j * a.y),
    "numpy.bitwise_count": lambda a: np.bitwise_count(a.n),
    # Sums and their kin.
    "numpy.sum": lambda a: np.sum(a.x, 0),
    "numpy.sum(where=)": lambda a: np.sum(a.x, 0, where=a.mask),
    "numpy.nansum": lambda a: np.nansum(a.holes, 0),
    "numpy.cumsum": lambda a: np.cumsum(a.x, 0),
    "numpy.nancumsum": lambda a: np.nancumsum(a.holes, 0),
    "numpy.maximum.accumulate": lambda a: np.maximum.accumulate(a.x, 0),
    "numpy.add.reduceat": lambda a: np.add.reduceat(a.v, [0, 5, 9]),
    "numpy.diff": lambda a: np.diff(a.x, 1, 0),
    "numpy.gradient": lambda a: np.gradient(a.v, 0.5),
    "numpy.ediff1d": lambda a: np.ediff1d(a.v),
    "numpy.cross": lambda a: np.cross(a.x[:, :3], a.y[:, :3]),
    "numpy.trapezoid": lambda a: np.trapezoid(a.v, a.ascending),
    "numpy.convolve": lambda a: np.convolve(a.v, a.w[:3], "same"),
    "numpy.average": lambda a: np.average(a.x, 0, a.positive[:, 0]),
    "numpy.ptp": lambda a: np.ptp(a.x, 0),
    "numpy.std": lambda a: np.std(a.x, 0, ddof=1),
    "numpy.median": lambda a: np.median(a.x, 0),
    "numpy.percentile": lambda a: np.percentile(a.x, [10, 90], 0),
    "numpy.cov": lambda a: np.cov(a.x.T),
    "numpy.corrcoef": lambda a: np.corrcoef(a.x.T),
    "numpy.histogram": lambda a: np.histogram(a.v, 5, (-3, 3)),
    "numpy.bincount": lambda a: np.bincount(a.n, minlength=6),
    # Sorting, sets, products, polynomials, Fourier's transform.
    "numpy.sort": lambda a: np.sort(a.x, 0),
    "numpy.argmax": lambda a: np.argmax(a.x, 1),
    "numpy.unique": lambda a: np.unique(a.n, return_counts=True),
    "numpy.isin": lambda a: np.isin(a.n, [1, 3]),
    "numpy.einsum": lambda a: np.einsum("ij,ij->i", a.x, a.y),
    "numpy.matmul": lambda a: np.matmul(a.x, a.y.T),
    "numpy.kron": lambda a: np.kron(a.square, a.x),
    "numpy.linalg.solve": lambda a: np.linalg.solve(a.square, a.v[:5]),
    "numpy.polyval": lambda a: np.polyval([1.0, -2.0, 0.5], a.x),
    "numpy.fft.rfft": lambda a: np.fft.rfft(a.v),
}
