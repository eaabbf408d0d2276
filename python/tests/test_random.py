"""Random numbers are those of JAX: its answers lie with the library's tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import indim as xp
from indim import random

ANSWERS = Path(__file__).parents[2] / "tests/random/answers.jsonl"
DTYPES = {"f32": "float32", "s8": "int8", "s16": "int16", "s32": "int32", "u8": "uint8"}
DTYPES |= {"u16": "uint16", "u32": "uint32", "pred": "bool"}


def drawn(answer: dict[str, Any]) -> xp.Array | None:
    """Return what an answer's function draws; None for one that is compared in Rust alone."""
    key, sizes = xp.asarray(answer["key"], dtype="uint32"), answer["sizes"]
    dtype, operands = DTYPES.get(answer["type"]), answer["operands"]
    match answer["function"]:
        case "key":
            high, low = answer["key"]
            return random.key(high << 32 | low)
        case "split":
            return random.split(key, sizes[:-1])
        case "bits" if dtype:
            return random.bits(key, sizes, dtype)
        case "randint" if dtype and len(operands) == 2:
            least, most = (np.reshape(values, shape) for _, shape, values in operands)
            return random.randint(key, sizes, least, most, dtype)
    return None


def test_numbers_are_those_of_jax() -> None:
    compared = {}
    for line in ANSWERS.read_text().splitlines():
        answer = json.loads(line)
        found = drawn(answer)
        if found is None:
            continue
        # Those of signed types are bits.
        drawn_there = np.asarray(answer["expected"]).astype(found.dtype).reshape(answer["sizes"])
        np.testing.assert_array_equal(np.asarray(found), drawn_there, str(answer)[:200])
        compared[answer["function"]] = compared.get(answer["function"], 0) + 1
    assert set(compared) == {"key", "split", "bits", "randint"}, compared


def test_draws_have_their_types_and_ranges() -> None:
    key = random.key(7)
    x = random.uniform(key, (1000,), "float16", -2, xp.asarray(3.0))
    assert x.dtype == xp.float16 and bool(xp.all((x >= -2) & (x <= 3)))
    assert random.normal(key, (2, 3), "float16").dtype == xp.float16
    kept = random.bernoulli(key, 0.25, (4000,))
    assert kept.dtype == xp.bool and 800 < int(xp.count_nonzero(kept)) < 1200
    assert random.bernoulli(key, xp.asarray([0.0, 1.0])).tolist() == [False, True]
    assert random.fold_in(key, xp.arange(3)).shape == (3, 2)
    # A key that draws twice draws the same numbers; keys of it others.
    first, second = random.split(key)
    same = random.bits(first, (8,)) == random.bits(first, (8,))
    assert bool(xp.all(same)) and not bool(xp.any(random.bits(first, 8) == random.bits(second, 8)))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        random.key(-1)
    with pytest.raises(ValueError, match="key"):
        random.normal(xp.asarray([1, 2, 3], dtype="uint32"), (2,))
    with pytest.raises(TypeError, match="accepts f16, bf16, f32 and f64"):
        random.normal(random.key(1), (2,), "int32")
