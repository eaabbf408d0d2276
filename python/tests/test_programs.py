"""Everyday programs: written for NumPy, they run on arrays of indim with NumPy's values.

make program gets a function that makes arrays of one of the two libraries, and a random source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import indim as xp

Program = Callable[[Any, Any], Any]

PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    """Add a program to those that are tried."""
    PROGRAMS[function.__name__] = function
    return function


@program
def kmeans(make: Any, r: Any) -> Any:
    """Cluster points, assigning to the centres by indices."""
    X = make(r.normal(size=(200, 2)))
    C = X[:3].copy()
    for _ in range(5):
        d = ((X[:, None, :] - C[None]) ** 2).sum(-1)
        labels = d.argmin(1)
        for k in range(3):
            m = X[labels == k]
            if len(m):
                C[k] = m.mean(axis=0)
    return C


@program
def life(make: Any, r: Any) -> Any:
    """Conway's game on a torus."""
    g = make((r.random((20, 20)) > 0.6).astype(np.int32))
    for _ in range(3):
        n = sum(np.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        g = ((n == 3) | ((g == 1) & (n == 2))).astype(np.int32)
    return g


@program
def equalize(make: Any, r: Any) -> Any:
    """Equalize an image's histogram."""
    im = make(r.integers(0, 255, (30, 40)).astype(np.uint8))
    h, _ = np.histogram(im.ravel(), 256, (0, 256))
    cdf = h.cumsum()
    cdf = (cdf - cdf.min()) * 255 / (cdf.max() - cdf.min())
    return cdf[im]


@program
def moving_average(make: Any, r: Any) -> Any:
    """Average by cumulative sums."""
    x = make(r.normal(size=100))
    c = np.cumsum(np.concatenate([make(np.zeros(1)), x]))
    return (c[5:] - c[:-5]) / 5


@program
def pca(make: Any, r: Any) -> Any:
    """Singular values of centred data."""
    X = make(r.normal(size=(50, 4)))
    X = X - X.mean(0)
    _, s, _ = np.linalg.svd(X, full_matrices=False)
    return s


@program
def gray(make: Any, r: Any) -> Any:
    """An image's luminance, by a product with a vector."""
    im = make(r.integers(0, 255, (8, 8, 3)).astype(np.uint8))
    return (im / 255) @ make(np.array([0.299, 0.587, 0.114]))


@program
def onehot(make: Any, r: Any) -> Any:
    """Labels as rows of zeros and ones."""
    labels = make(r.integers(0, 5, 10))
    return (labels[:, None] == np.arange(5)).astype(np.float32)


@program
def heat(make: Any, r: Any) -> Any:
    """Diffusion, in place."""
    u = make(np.zeros((16, 16)))
    u[0] = 1
    for _ in range(5):
        u[1:-1, 1:-1] += 0.2 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u


@program
def clip_percentile(make: Any, r: Any) -> Any:
    """Clip to percentiles."""
    x = make(r.normal(size=1000))
    lo, hi = np.percentile(x, [5, 95])
    return np.clip(x, lo, hi)


@program
def blur(make: Any, r: Any) -> Any:
    """Average neighbours, with the edges repeated."""
    x = make(r.random((10, 10)))
    q = np.pad(x, 1, mode="edge")
    return sum(q[i : i + 10, j : j + 10] for i in range(3) for j in range(3)) / 9


@program
def embedding(make: Any, r: Any) -> Any:
    """Rows of a table, averaged."""
    E = make(r.normal(size=(20, 4)))
    i = make(r.integers(0, 20, (3, 5)))
    return E[i].mean(1)


@program
def returns(make: Any, r: Any) -> Any:
    """The largest drawdown of prices."""
    pr = make(np.exp(r.normal(size=50) * 0.01).cumprod())
    r = np.diff(pr) / pr[:-1]
    w = np.cumprod(1 + r)
    d = 1 - w / np.maximum.accumulate(w)
    return d.max()


@program
def zscore(make: Any, r: Any) -> Any:
    """Standardize columns."""
    x = make(r.normal(size=(30, 3)))
    return (x - np.mean(x, axis=0)) / np.std(x, axis=0, ddof=1)


@program
def softmaxreg(make: Any, r: Any) -> Any:
    """Logistic regression by gradient descent."""
    X = make(r.normal(size=(40, 3)))
    y = make(r.integers(0, 2, 40))
    w = make(np.zeros(3))
    for _ in range(5):
        q = 1 / (1 + np.exp(-(X @ w)))
        w -= 0.1 * (X.T @ (q - y)) / len(y)
    return w


@program
def julia(make: Any, r: Any) -> Any:
    """Count the steps before points escape."""
    y, x = np.meshgrid(make(np.linspace(-1, 1, 16)), make(np.linspace(-1, 1, 16)), indexing="ij")
    zr, zi = x, y
    n = np.zeros_like(x)
    for _ in range(10):
        zr, zi = zr * zr - zi * zi - 0.4, 2 * zr * zi + 0.6
        n = n + (zr * zr + zi * zi < 4)
    return n


@program
def nearest(make: Any, r: Any) -> Any:
    """Distances to the nearest points."""
    a, b = make(r.random((5, 2))), make(r.random((7, 2)))
    d = np.linalg.norm(a[:, None] - b[None], axis=-1)
    i = d.argmin(axis=1)
    return np.take_along_axis(d, i[:, None], axis=1)


@program
def lines(make: Any, r: Any) -> Any:
    """Interpolate, and differentiate."""
    x = make(np.linspace(0, 1, 20))
    return np.interp(x, [0, 0.5, 1], [0, 1, 0]) + np.gradient(x * x)


@program
def fftlow(make: Any, r: Any) -> Any:
    """make low-pass filter."""
    x = make(r.normal(size=64))
    F = np.fft.rfft(x)
    F[10:] = 0
    return np.fft.irfft(F)


@program
def confusion(make: Any, r: Any) -> Any:
    """Count pairs of labels."""
    a, b = make(r.integers(0, 3, 50)), make(r.integers(0, 3, 50))
    return np.bincount(a * 3 + b, minlength=9).reshape(3, 3)


@program
def polynomial(make: Any, r: Any) -> Any:
    """Fit a polynomial."""
    x = make(np.linspace(-1, 1, 30))
    V = np.vander(x, 4)
    return np.linalg.lstsq(V, np.sin(x), rcond=None)[0]


@program
def standardize_cols(make: Any, r: Any) -> Any:
    """Centre columns in place, in a loop."""
    x = make(r.normal(size=(6, 4)))
    x[:, 0] *= 10
    for col in x.T:
        col -= col.mean()
    return x


@program
def mask_mean(make: Any, r: Any) -> Any:
    """Averages and extremes of masked elements."""
    x = make(r.normal(size=100))
    return x[x > 0].mean(), (x > 0).sum(), x[~(x > 0)].min()


@program
def sorttop(make: Any, r: Any) -> Any:
    """The five largest elements."""
    x = make(r.normal(size=30))
    i = np.argsort(x)[::-1][:5]
    return x[i]


@program
def einsum(make: Any, r: Any) -> Any:
    """Squared lengths of rows."""
    a = make(r.random((3, 4)))
    return np.einsum("ij,ij->i", a, a)


@program
def quad(make: Any, r: Any) -> Any:
    """Integrate by trapezoids."""
    x = make(np.linspace(0, np.pi, 101))
    return np.trapezoid(np.sin(x), x)


@program
def nbody(make: Any, r: Any) -> Any:
    """Forces between bodies."""
    q = make(r.normal(size=(6, 3)))
    d = q[:, None] - q[None]
    r2 = (d**2).sum(-1) + 1e-2
    return -(d / r2[..., None] ** 1.5).sum(1)


@program
def lookups(make: Any, r: Any) -> Any:
    """make table at an image's values."""
    t = make(np.arange(256) ** 0.5 / 16)
    im = make(r.integers(0, 255, (4, 4)).astype(np.uint8))
    return t[im]


@program
def digitize(make: Any, r: Any) -> Any:
    """Bins of values."""
    x = make(r.random(20))
    return np.digitize(x, [0.25, 0.5, 0.75]), np.searchsorted(make(np.array([0.25, 0.5])), x)


@program
def stats(make: Any, r: Any) -> Any:
    """Medians, covariances, correlations."""
    x = make(r.random((5, 6)))
    return np.median(x, axis=0), np.cov(x), np.corrcoef(x), np.quantile(x, 0.3)


@program
def inplace(make: Any, r: Any) -> Any:
    """Write through views."""
    x = make(np.zeros((3, 3)))
    x[0][1] = 5
    r = x[1]
    r[:] = 2
    x.T[2] += 1
    x.ravel()[0] = 9
    np.asarray(x)
    return x


@program
def scalarmath(make: Any, r: Any) -> Any:
    """Elements as Python's numbers."""
    x = make(np.arange(6, dtype=np.float32))
    m = x.max()
    return (
        float(m) * 2,
        int(x.argmax()),
        x.sum().item(),
        f"{x.mean():.2f}" == "2.50",
        x.tolist(),
        len(x),
        round(float(x[1]), 2),
    )


@program
def tri(make: Any, r: Any) -> Any:
    """Triangles, diagonals, an identity."""
    x = make(r.random((4, 4)))
    return np.triu(x) + np.tril(x, -1) + np.diag(make(np.ones(4))) + np.eye(4, dtype=np.float32)


@program
def unique(make: Any, r: Any) -> Any:
    """Different values and their counts."""
    x = make(r.integers(0, 4, 30))
    v, c = np.unique(x, return_counts=True)
    return v, c


@program
def strides(make: Any, r: Any) -> Any:
    """Average blocks; slices with steps."""
    x = make(r.random((6, 6)))
    return x.reshape(3, 2, 3, 2).mean(axis=(1, 3)), x[::2, ::-1].T


@program
def standardise_image(make: Any, r: Any) -> Any:
    """An image without mean, of unit deviation in each channel."""
    im = make(r.integers(0, 255, (8, 9, 3)).astype(np.uint8)) / 255
    return (im - im.mean(axis=(0, 1))) / im.std(axis=(0, 1))


@program
def stretch_contrast(make: Any, r: Any) -> Any:
    """An image from black to white."""
    im = make(r.integers(20, 200, (8, 9)).astype(np.uint8)).astype(np.float32)
    low, high = im.min(), im.max()
    return ((im - low) / (high - low) * 255).astype(np.uint8)


@program
def cross_entropy(make: Any, r: Any) -> Any:
    """The mean loss of labels, and the share of right ones."""
    x, y = make(r.normal(size=(12, 5)) * 4), make(r.integers(0, 5, 12))
    most = x.max(axis=1, keepdims=True)
    total = most + np.log(np.exp(x - most).sum(axis=1, keepdims=True))
    is_label = y[:, None] == np.arange(5)
    loss = -np.where(is_label, x - total, 0).sum(axis=1).mean()
    return loss, (x.argmax(axis=1) == y).mean()


@program
def kmeans_step(make: Any, r: Any) -> Any:
    """New centres, without an index."""
    x = make(r.normal(size=(60, 2)))
    c = x[:3]
    d = ((x[:, None] - c) ** 2).sum(axis=-1)
    belongs = d.argmin(axis=1)[:, None] == np.arange(3)
    return np.where(belongs[..., None], x[:, None], 0).sum(0) / belongs.sum(0)[:, None]


@program
def batch_norm(make: Any, r: Any) -> Any:
    """A layer's batch, scaled and shifted; and the running mean."""
    x, scale, shift = make(r.normal(size=(16, 4))), make(r.random(4)), make(r.random(4))
    mean, var = x.mean(axis=0), x.var(axis=0)
    return (x - mean) / np.sqrt(var + 1e-5) * scale + shift, 0.9 * shift + 0.1 * mean


@program
def distances(make: Any, r: Any) -> Any:
    """Distances, the nearest place and how far it is."""
    a, b = make(r.random((5, 2))), make(r.random((7, 2)))
    d = np.linalg.norm(a[:, None] - b[None], axis=-1)
    return d, d.argmin(axis=1), d.min(axis=1)


def narrow(values: np.ndarray) -> np.ndarray:
    """Return floats as float32."""
    return values.astype(np.float32) if values.dtype == np.float64 else values


def parts(value: Any) -> list[np.ndarray]:
    """Return the arrays of a result."""
    values = value if isinstance(value, tuple) else (value,)
    return [np.asarray(each) for each in values]


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """Let NumPy compute on the host without warnings."""
    xp.set_host_fallback("allow")
    yield
    xp.set_host_fallback("warn")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_has_numpys_values(name: str) -> None:
    """To what float32 is off after some steps."""
    expected = parts(PROGRAMS[name](narrow, np.random.default_rng(1)))
    found = PROGRAMS[name](lambda x: xp.asarray(narrow(x)), np.random.default_rng(1))
    for one, other in zip(parts(found), expected, strict=True):
        np.testing.assert_allclose(one, other, 1e-3, 1e-4)


# Programs that run wholly on the GPU, without what NumPy computes on the host.
WHOLLY = """
life gray onehot heat blur zscore softmaxreg julia standardize_cols quad nbody inplace scalarmath
tri strides standardise_image stretch_contrast cross_entropy kmeans_step batch_norm distances
returns
""".split()


@pytest.mark.parametrize("name", WHOLLY)
def test_the_program_runs_on_the_gpu(name: str, dispatches: Callable[[], int]) -> None:
    """Where the host is forbidden, by kernels."""
    xp.set_host_fallback("error")
    parts(PROGRAMS[name](lambda x: xp.asarray(narrow(x)), np.random.default_rng(1)))
    assert dispatches() > 0
