"""Functions that SciPy documents as supporting the array API, with SCIPY_ARRAY_API=1.

The list is of its page "Support for the array API standard": each module that takes arrays of any
namespace, with the functions of some use. What SciPy supports for CuPy, JAX and PyTorch by their
own functions alone, such as scipy.ndimage, is left out.
"""

from __future__ import annotations

from typing import Any

import _calls  # noqa: F401, which sets SCIPY_ARRAY_API
import numpy as np
from _calls import Call
from scipy import (
    cluster,
    differentiate,
    fft,
    integrate,
    interpolate,
    signal,
    special,
    stats,
)
from scipy.optimize import elementwise
from scipy.spatial.transform import Rotation


def _square(x: Any) -> Any:
    return x * x


def _interpolated(a: Any) -> Any:
    return interpolate.PchipInterpolator(a.ascending, a.v)(a.ascending * 0.5)


def _spline(a: Any) -> Any:
    return interpolate.make_interp_spline(a.ascending, a.v, k=3)(a.ascending * 0.5)


def _rotated(a: Any) -> Any:
    return Rotation.from_rotvec(a.x[:, :3]).apply(a.y[:, :3])


def _cubature(a: Any) -> Any:
    low, high = a.make(np.zeros(1, np.float32)), a.make(np.ones(1, np.float32))
    return integrate.cubature(lambda x: x[:, 0] ** 2, low, high, rtol=1e-4).estimate


def _tanhsinh(a: Any) -> Any:
    low, high = a.make(np.zeros(2, np.float32)), a.make(np.ones(2, np.float32))
    return integrate.tanhsinh(_square, low, high).integral


def _root(a: Any) -> Any:
    low, high = a.make(np.zeros(2, np.float32)), a.make(np.full(2, 2, np.float32))
    return elementwise.find_root(lambda x: x * x - 2, (low, high)).x


def _whitened(a: Any) -> Any:
    return cluster.vq.whiten(a.x)


def _tested(result: Any) -> Any:
    return result.statistic, result.pvalue


CALLS: dict[str, Call] = {
    "special.entr": lambda a: special.entr(a.positive),
    "special.erf": lambda a: special.erf(a.x),
    "special.expit": lambda a: special.expit(a.x),
    "special.gammaln": lambda a: special.gammaln(a.positive),
    "special.i0": lambda a: special.i0(a.x),
    "special.logit": lambda a: special.logit(a.positive / 2),
    "special.ndtr": lambda a: special.ndtr(a.x),
    "special.ndtri": lambda a: special.ndtri(a.positive / 2),
    "special.rel_entr": lambda a: special.rel_entr(a.positive, abs(a.x)),
    "special.xlogy": lambda a: special.xlogy(a.x, a.positive),
    "special.logsumexp": lambda a: special.logsumexp(a.x, axis=0),
    "special.softmax": lambda a: special.softmax(a.x, axis=1),
    "special.log_softmax": lambda a: special.log_softmax(a.x, axis=1),
    "stats.gmean": lambda a: stats.gmean(a.positive),
    "stats.hmean": lambda a: stats.hmean(a.positive),
    "stats.pmean": lambda a: stats.pmean(a.positive, 2),
    "stats.zscore": lambda a: stats.zscore(a.x),
    "stats.zmap": lambda a: stats.zmap(a.x, a.y),
    "stats.skew": lambda a: stats.skew(a.x),
    "stats.kurtosis": lambda a: stats.kurtosis(a.x),
    "stats.moment": lambda a: stats.moment(a.x, 3),
    "stats.sem": lambda a: stats.sem(a.x),
    "stats.variation": lambda a: stats.variation(a.positive),
    "stats.describe": lambda a: list(stats.describe(a.x))[1:],
    "stats.tmean": lambda a: stats.tmean(a.x, (-1, 1)),
    "stats.entropy": lambda a: stats.entropy(a.positive),
    "stats.circmean": lambda a: stats.circmean(a.x),
    "stats.directional_stats": lambda a: stats.directional_stats(a.x).mean_direction,
    "stats.quantile": lambda a: stats.quantile(a.x, 0.3),
    "stats.rankdata": lambda a: stats.rankdata(a.n),
    "stats.pearsonr": lambda a: _tested(stats.pearsonr(a.v, a.w)),
    "stats.ttest_1samp": lambda a: _tested(stats.ttest_1samp(a.x, 0.1)),
    "stats.ttest_ind": lambda a: _tested(stats.ttest_ind(a.x, a.y)),
    "stats.chisquare": lambda a: _tested(stats.chisquare(a.positive)),
    "stats.bartlett": lambda a: _tested(stats.bartlett(a.v, a.w)),
    "stats.normaltest": lambda a: _tested(stats.normaltest(a.x)),
    "stats.jarque_bera": lambda a: _tested(stats.jarque_bera(a.x, axis=0)),
    "stats.false_discovery_control": lambda a: stats.false_discovery_control(a.positive / 2),
    "fft.fft": lambda a: fft.fft(a.v),
    "fft.irfft": lambda a: fft.irfft(fft.rfft(a.v)),
    "fft.fftshift": lambda a: fft.fftshift(a.v),
    "integrate.cubature": _cubature,
    "integrate.tanhsinh": _tanhsinh,
    "integrate.trapezoid": lambda a: integrate.trapezoid(a.v, a.ascending),
    "optimize.elementwise.find_root": _root,
    "differentiate.derivative": lambda a: differentiate.derivative(_square, a.v).df,
    "signal.windows.hann": lambda a: signal.windows.hann(8, xp=a.v.__array_namespace__()),
    "cluster.vq.whiten": _whitened,
    "interpolate.PchipInterpolator": _interpolated,
    "spatial.transform.Rotation": _rotated,
}
