"""Random calls agree with NumPy: types, broadcasts, views, special values, within our limits."""

from __future__ import annotations

import os

import numpy as np
import pytest
import random_calls
from conftest import has_float64

import indim as xp

CALLS = int(os.environ.get("INDIM_PYTHON_CALLS", "10000"))
PARTS = 20


@pytest.mark.parametrize("part", range(PARTS))
def test_random_calls_agree_with_numpy(part: int) -> None:
    """One part of the calls; the seed is its number, so that a failure comes again."""
    types = {"bool", "float16", "float32", "complex64", *random_calls.INTEGERS}
    if has_float64():
        types.add("float64")
    calls = random_calls.calls(part, CALLS // PARTS, types)
    failures = []
    for start in range(0, len(calls), 25):
        some = calls[start : start + 25]
        results = [getattr(xp, call.name)(*call.ours) for call in some]
        xp.eval(*results)
        for call, result in zip(some, results, strict=True):
            found = random_calls.difference(call, np.asarray(result))
            if found is not None:
                failures.append(f"{call.name}{tuple(call.theirs)}: {found}")
    assert not failures, "\n".join(failures[:10])


def test_a_wrong_result_is_seen() -> None:
    """The comparison finds one ULP too much, another type, another NaN."""
    x = np.asarray([1.0, 2.0], np.float32)
    call = random_calls.Call("add", [], [x, x])
    assert random_calls.difference(call, x + x) is None
    assert random_calls.difference(call, np.nextafter(x + x, np.float32(9))) is not None
    assert random_calls.difference(call, (x + x).astype(np.float64)) is not None
    assert random_calls.difference(call, np.asarray([2.0, np.nan], np.float32)) is not None
