"""Fourier transforms: the standard's extension `fft`.

They have no kernel: NumPy computes them on the host, by the rule of `indim.set_host_fallback`.
Shifts, and the frequencies themselves, need no transform and run on the GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._array import Array
from ._creation import asarray
from ._device import check_device
from ._functions import implements
from ._manipulation import roll
from ._on_host import on_host
from ._shapes import as_axes

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

_Function = Callable[..., Array]


def _one(name: str, words: str, example: str) -> _Function:
    """Return a transform along one axis."""

    def transform(
        x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward"
    ) -> Array:
        return on_host(f"indim.fft.{name}", getattr(np.fft, name), asarray(x), n, axis, norm)

    return _documented(transform, name, words, example)


def _several(name: str, words: str, example: str) -> _Function:
    """Return a transform along several axes, or all."""

    def transform(
        x: Any,
        /,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str | None = "backward",
    ) -> Array:
        source = asarray(x)
        if s is not None and axes is None:
            axes = tuple(range(source.ndim - len(s), source.ndim))
        return on_host(f"indim.fft.{name}", getattr(np.fft, name), source, s, axes, norm)

    return _documented(transform, name, words, example)


def _documented(function: _Function, name: str, words: str, example: str) -> _Function:
    call, shown = example.split(" -> ")
    function.__name__ = function.__qualname__ = name
    lines = ("", ">>> import indim", f">>> print({call})", shown)
    function.__doc__ = "\n    ".join((f"Return {words}; on the host.", *lines))
    return function


fft = _one("fft", "the Fourier transform along an axis", "indim.fft.fft([1, 1]) -> [2.+0.j 0.+0.j]")
ifft = _one(
    "ifft",
    "the inverse Fourier transform along an axis",
    "indim.fft.ifft([2, 0]) -> [1.+0.j 1.+0.j]",
)
fftn = _several(
    "fftn",
    "the Fourier transform along several axes",
    "indim.fft.fftn([[1, 1]]) -> [[2.+0.j 0.+0.j]]",
)
ifftn = _several("ifftn", "the inverse of `fftn`", "indim.fft.ifftn([[2, 0]]) -> [[1.+0.j 1.+0.j]]")
rfft = _one(
    "rfft",
    "the Fourier transform of real numbers along an axis",
    "indim.fft.rfft([1, 1]) -> [2.+0.j 0.+0.j]",
)
irfft = _one("irfft", "the inverse of `rfft`", "indim.fft.irfft([2, 0]) -> [1. 1.]")
rfftn = _several(
    "rfftn",
    "the Fourier transform of real numbers along several axes",
    "indim.fft.rfftn([[1, 1]]) -> [[2.+0.j 0.+0.j]]",
)
irfftn = _several("irfftn", "the inverse of `rfftn`", "indim.fft.irfftn([[2, 0]]) -> [[1. 1.]]")
hfft = _one(
    "hfft",
    "the Fourier transform of numbers whose transform is real",
    "indim.fft.hfft([1, 1]) -> [2. 0.]",
)
ihfft = _one("ihfft", "the inverse of `hfft`", "indim.fft.ihfft([2, 0]) -> [1.-0.j 1.-0.j]")


def _frequencies(values: np.ndarray[Any, Any], dtype: Any, device: object) -> Array:
    check_device(device)
    return asarray(values, dtype=np.float32 if dtype is None else dtype)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: object = None) -> Array:
    """Return the frequencies of the elements of `fft`, for n samples at a distance d.

    >>> import indim
    >>> print(indim.fft.fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """
    return _frequencies(np.fft.fftfreq(n, d), dtype, device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: object = None) -> Array:
    """Return the frequencies of the elements of `rfft`, for n samples at a distance d.

    >>> import indim
    >>> print(indim.fft.rfftfreq(4))
    [0.   0.25 0.5 ]
    """
    return _frequencies(np.fft.rfftfreq(n, d), dtype, device)


@implements(np.fft.fftshift)
def fftshift(x: Any, /, axes: Any = None) -> Array:
    """Return the elements with those of frequency 0 in the middle along axes, or along all.

    >>> import indim
    >>> print(indim.fft.fftshift(indim.asarray([0, 1, -2, -1])))
    [-2 -1  0  1]
    """
    return _rolled(x, axes, 1)


@implements(np.fft.ifftshift)
def ifftshift(x: Any, /, axes: Any = None) -> Array:
    """Return the elements with those of frequency 0 first again: the inverse of `fftshift`.

    >>> import indim
    >>> print(indim.fft.ifftshift(indim.asarray([-2, -1, 0, 1])))
    [ 0  1 -2 -1]
    """
    return _rolled(x, axes, -1)


def _rolled(x: Any, axes: Any, sign: int) -> Array:
    """Return the elements moved by half of the size along axes, or along all."""
    source = asarray(x)
    dims = as_axes(axes, source.ndim)
    return roll(source, tuple(sign * (source.shape[dim] // 2) for dim in dims), axis=dims)
