"""Shared by the tests: the adapter that they need, and the count of dispatches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import indim as xp


def pytest_sessionstart(session: pytest.Session) -> None:
    """Fail at once, with what to install, where there is nothing to compute on."""
    try:
        float(xp.asarray(1.0) + xp.asarray(1.0))
    except xp.NoAdapterError as error:
        pytest.exit(f"the tests need a GPU or a software adapter: {error}", returncode=1)


@pytest.fixture
def dispatches() -> Callable[[], int]:
    """Return a function that gives the number of dispatches since its last call."""
    before = xp.stats()["dispatches"]

    def since() -> int:
        nonlocal before
        now = xp.stats()["dispatches"]
        count, before = now - before, now
        return count

    since()
    return since


def has_float64() -> bool:
    """Return whether the adapter computes in float64."""
    return "float64" in xp.__array_namespace_info__().dtypes()
