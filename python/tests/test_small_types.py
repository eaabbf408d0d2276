"""Tests the values of the types that NumPy has from ml_dtypes: bfloat16 and the 4-bit integers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import indim as xp

RANDOM = np.random.default_rng(5)


def check(name: str, numpy_name: str, *operands: np.ndarray[Any, Any]) -> None:
    """Assert that a function gives the bits that ml_dtypes gives."""
    expected = getattr(np, numpy_name)(*operands)
    found = np.asarray(getattr(xp, name)(*map(xp.asarray, operands)))
    assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "name",
    "add subtract multiply divide maximum minimum less equal hypot copysign remainder "
    "floor_divide nextafter logaddexp".split(),
)
def test_bfloat16_of_two_operands(name: str) -> None:
    """They broadcast, and each result is rounded to the nearest bfloat16."""
    x = (RANDOM.standard_normal(500) * 8).astype(ml_dtypes.bfloat16)
    y = (RANDOM.standard_normal((3, 500)) * 3).astype(ml_dtypes.bfloat16)
    check(name, name, x, y)


@pytest.mark.parametrize(
    "name", "sqrt exp log sin tanh abs negative floor isfinite signbit square sign".split()
)
def test_bfloat16_of_one_operand(name: str) -> None:
    """Functions are computed in float32 and rounded, as ml_dtypes does it."""
    x = np.abs(RANDOM.standard_normal(500) * 8).astype(ml_dtypes.bfloat16)
    check(name, name, x)


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "less", "equal"])
def test_4_bit_integers_wrap(name: str, dtype: Any) -> None:
    """All pairs of values."""
    limits = ml_dtypes.iinfo(dtype)
    values = np.arange(limits.min, limits.max + 1).astype(dtype)
    check(name, name, *(np.ascontiguousarray(part) for part in np.meshgrid(values, values)))
