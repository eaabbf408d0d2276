"""Random operands and shapes. The order of the draws is part of what a seed means."""

import numpy as np

from arrays import DTYPE_OF_NAME, F32, PRED, element_count, from_bits
from operations import SHIFTS

# Drawn into a third of the elements of a "special" f32 operand: zeros, infinities, NaN, ones, the largest number and
# the smallest normal one.
SPECIAL_F32 = from_bits(
    [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0x00800000]
)


def roles(op):
    """What the two operands of a binary op are for, so that results are not all overflow or zero."""
    if op == "Pow":
        return "base", "exponent"
    if op in SHIFTS:
        return "any", "shift amount"
    if op in ("Div", "Rem"):
        return "any", "divisor"
    return "any", "any"


def operand(rng, dtype, shape, role="any", special=False):
    count = element_count(shape)
    if dtype == "pred":
        return rng.integers(0, 2, count).astype(PRED).reshape(shape)
    if dtype == "f32":
        return _floats(rng, count, role, special).reshape(shape)
    return _integers(rng, dtype, count, role, special).astype(np.int64).astype(DTYPE_OF_NAME[dtype]).reshape(shape)


def _floats(rng, count, role, special):
    if role == "base":
        values = rng.choice([0.25, 0.5, 1, 1.5, 2, 3, 5, 0.1, 7.3], count)
    elif role == "exponent":
        values = rng.choice([-2, -1, -0.5, 0, 0.5, 1, 2, 3, 2.5], count)
    elif rng.random() < 0.6:
        values = rng.integers(-32, 33, count) / 2
    else:
        values = rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4)
    values = values.astype(F32)
    if special and count:
        replaced = rng.integers(0, count, max(1, count // 3))
        values[replaced] = rng.choice(SPECIAL_F32, len(replaced))
    return values


def _integers(rng, dtype, count, role, special):
    signed = dtype == "i32"
    low, high = (-(2**31), 2**31) if signed else (0, 2**32)
    if role == "base":
        return rng.integers(-6 if signed else 0, 7, count)
    if role == "exponent":
        return rng.integers(-2 if special and signed else 0, 9, count)
    if role == "shift amount":
        if special:
            return rng.choice([0, 1, 31, 32, 33, 64, 200, high - 1], count)
        return rng.integers(0, 32, count)
    if role == "divisor" and not special:
        return rng.integers(1, 12, count) * (rng.choice([-1, 1], count) if signed else 1)
    if special:
        return rng.choice([0, 1, 2, high - 1, low, low + 1, high - 2, 7] + ([-1, -7] if signed else []), count)
    if rng.random() < 0.7:
        return rng.integers(-50 if signed else 0, 100, count)
    return rng.integers(low, high, count)


def random_shape(rng, rank, cap=200, cube=None):
    """Sizes of at most `cap` elements, sometimes with a zero; `cube` asks for equal sizes where they fit."""
    while True:
        if cube:
            sizes = [cube] * rank
        else:
            with_zero = rng.random() < 0.06
            sizes = [int(rng.choice([1, 2, 3, 4, 5, 7], p=[0.15, 0.3, 0.25, 0.15, 0.1, 0.05])) for _ in range(rank)]
            if with_zero and rank:
                sizes[int(rng.integers(rank))] = 0
        if element_count(sizes) <= cap:
            return sizes
        cube = None


def degenerate(rng, sizes, probability):
    """The sizes, some of them replaced by 1."""
    return [1 if rng.random() < probability else size for size in sizes]


def binary_shapes(rng):
    """(lhs shape, rhs shape, broadcast_dimensions or None): a valid pair, in most cases broken in one or two places."""
    return _binary_shapes(rng)[:3]


def valid_binary_shapes(rng, cap, is_valid):
    """The same where nothing was broken, of at most `cap` elements each. `is_valid(lhs, rhs, dims)` gives the result's
    sizes, or None."""
    while True:
        lhs, rhs, dims, broken = _binary_shapes(rng)
        out = None if broken else is_valid(lhs, rhs, dims)
        if out is not None and max(element_count(sizes) for sizes in (out, lhs, rhs)) <= cap:
            return tuple(lhs), tuple(rhs), dims


def _binary_shapes(rng):
    rank = int(rng.choice([0, 1, 2, 3, 4, 5, 6], p=[0.04, 0.14, 0.24, 0.24, 0.16, 0.10, 0.08]))
    lhs, rhs, dims = _valid_binary_shapes(rng, rank)
    broken = rng.random() >= 0.38
    if broken:
        lower, higher = (lhs, rhs) if len(lhs) <= len(rhs) else (rhs, lhs)
        for _ in range(1 if rng.random() < 0.8 else 2):
            dims = _break(rng, lower, higher, dims)
    return lhs, rhs, dims, broken


def _valid_binary_shapes(rng, rank):
    # Equal sizes let a wrong order of dims pass the check of sizes.
    cube = int(rng.choice([2, 3])) if rank >= 2 and rng.random() < 0.12 else None
    if cube == 3 and rank > 4:
        cube = 2
    out = random_shape(rng, rank, cube=cube)
    mode = rng.choice(["same rank", "lower rank", "scalar"], p=[0.34, 0.54, 0.12])
    if rank == 0:
        mode = "scalar"
    if rank == 1 and mode == "lower rank":
        mode = "same rank"
    ones = float(rng.choice([0, 0, 0.3, 0.5]))
    if mode == "same rank":
        lhs, rhs = degenerate(rng, out, ones), degenerate(rng, out, ones)
        dims = [None, [], list(range(rank))][int(rng.choice([0, 1, 2], p=[0.6, 0.1, 0.3]))]
        return lhs, rhs, dims
    if mode == "scalar":
        lhs, rhs = [], degenerate(rng, out, 0)
        dims = None if rng.random() < 0.7 else []
    else:
        count = int(rng.integers(1, rank))
        dims = [int(dim) for dim in sorted(rng.choice(rank, count, replace=False).tolist())]
        lhs = degenerate(rng, [out[dim] for dim in dims], ones)
        rhs = degenerate(rng, out, ones)
    return (rhs, lhs, dims) if rng.random() < 0.5 else (lhs, rhs, dims)


def _break(rng, lower, higher, dims):
    """Breaks a pair of shapes in place, or returns other broadcast_dimensions. Not every change makes it invalid."""
    rank = len(higher)
    change = rng.integers(0, 11)
    if change == 0:
        return None
    if change == 1:
        return []
    if change == 2 and dims and len(dims) > 1:
        return [int(dim) for dim in rng.permutation(dims)]
    if change in (3, 4) and dims:
        dims = list(dims)
        wrong = int(rank + rng.integers(0, 3)) if change == 3 else -int(rng.integers(1, 4))
        dims[int(rng.integers(len(dims)))] = wrong
        return dims
    if change == 5:
        return list(dims or []) + [int(rng.integers(0, rank + 1))]
    if change == 6 and dims:
        return list(dims)[:-1]
    if change == 7 and dims and len(dims) > 1:
        dims = list(dims)
        at = int(rng.integers(1, len(dims)))
        dims[at] = dims[at - 1]
        return dims
    if change == 8 and lower:
        size = int(rng.choice([0, 1, 2, 3, 4, 6]))
        lower[int(rng.integers(len(lower)))] = size
        return dims
    if change == 9 and higher:
        size = int(rng.choice([0, 1, 2, 3, 4, 6]))
        higher[int(rng.integers(len(higher)))] = size
        return dims
    if change == 10 and dims:
        possible = max(rank, 1)
        return sorted(int(dim) for dim in rng.choice(possible, min(len(dims), possible), replace=False))
    if lower:
        lower[int(rng.integers(len(lower)))] += int(rng.integers(1, 3))
        return dims
    if rank:
        return [int(rng.integers(0, rank))]
    return dims
