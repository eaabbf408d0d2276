"""Everyday lines of array programs: float32 on every adapter, with NumPy's values.

NumPy computes most of them in float64, since it promotes integers beside floats. An adapter without
float64 runs the same lines, so each is tried with the rules of such an adapter as well.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import indim as ix
from indim import _core, _rules

LINES = """
image / 255
image / 255.0
image * 0.5 + 10
image + x
255 - image * x
x * np.sqrt(2)
np.sqrt(2) * x
(x - host.mean()) / host.std()
x * np.float32(0.5) + np.float64(3)
xp.arange(10) / 10
xp.arange(10) * 0.1 + 1
xp.sin(2 * math.pi * xp.arange(16) / 16)
xp.sqrt(n)
n ** 0.5
n ** -1.0
1 / n
n / n
xp.exp(-n / 2)
xp.log1p(n)
np.hypot(n, image)
xp.maximum(n, 0.5)
xp.clip(image / 255, 0.1, 0.9)
xp.where(mask, image, 0.5)
mask * 1.5
image.mean()
xp.mean(mask, axis=0)
(n - xp.mean(n)) / xp.std(n)
xp.sum(image) / image.size
""".strip().splitlines()


@pytest.fixture(params=[True, False], ids=["this adapter", "no float64"])
def adapter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the rules be those of this adapter, or of one that lacks float64."""
    if request.param:
        return
    monkeypatch.setattr(_core, "has_f64", lambda: False)
    for table in vars(_rules).values():
        if isinstance(table, (_rules.Unary, _rules.Binary)):
            table.clear()
    _rules._preparations.cache_clear()


def names(xp: Any) -> dict[str, Any]:
    """Return the names that the lines use, with arrays of a library."""
    host = np.random.default_rng(4).normal(5, 2, (3, 4))
    arrays = {
        "image": np.arange(0, 240, 20, dtype=np.uint8).reshape(3, 4),
        "mask": np.arange(12).reshape(3, 4) % 3 == 0,
        "n": np.arange(1, 13).reshape(3, 4),
        "x": host.astype(np.float32),
    }
    made = {name: xp.asarray(array) for name, array in arrays.items()}
    return {**made, "xp": xp, "np": np, "math": math, "host": host}


def test_there_are_28_lines() -> None:
    """A line that is lost would not be missed otherwise."""
    assert len(LINES) == len(set(LINES)) == 28


@pytest.mark.usefixtures("adapter")
@pytest.mark.parametrize("line", LINES)
def test_the_line_is_float32_with_numpys_values(line: str) -> None:
    """To float32's accuracy: NumPy's own values are mostly those of float64."""
    found, expected = eval(line, names(ix)), eval(line, names(np))
    assert isinstance(found, ix.Array)
    assert found.dtype == ix.float32 and found.shape == np.shape(expected)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-6, atol=2e-6)
