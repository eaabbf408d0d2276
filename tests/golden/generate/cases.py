"""The sections of the golden file. Their order, and that of the draws in them, is part of what a seed means."""

import itertools

import numpy as np

from arrays import F32, I32, PRED, U32, element_count, from_bits, is_subnormal
from operations import (
    ARITHMETIC,
    BINARY,
    BINARY_REFUSED,
    BITWISE,
    COMPARES,
    SHIFTS,
    TOTAL_ORDER_COMPARES,
    UNARY,
    binary,
)
from oracle import XlaError, build
from samples import binary_shapes, degenerate, operand, random_shape, roles

LARGEST_RESULT = 200

INT_MIN, INT_MAX = -(2**31), 2**31 - 1

# Zeros, ones, halves, infinities, NaN, the ends of the normal and the subnormal numbers, ties and their neighbours,
# the ends of the integers, arguments near overflow of exp, multiples of pi, and small numbers.
F32_POINTS = from_bits(
    [
        *(0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x7F800000, 0xFF800000),
        *(0x7FC00000, 0xFFC00000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x80800000, 0x00000001, 0x80000001),
        *(0x007FFFFF, 0x807FFFFF, 0x3FC00000, 0xBFC00000, 0x40200000, 0xC0200000, 0x3EFFFFFF, 0xBEFFFFFF),
        *(0x4B000000, 0x4B000001, 0x4AFFFFFF, 0xCAFFFFFF, 0x4F000000, 0xCF000000, 0x4EFFFFFF, 0x4F800000),
        *(0x4F7FFFFF, 0x42B00000, 0x42B20000, 0xC2CE0000, 0x40490FDB, 0x3FC90FDB, 0x3F490FDB, 0x40C90FDB),
        *(0x42C80000, 0xC2C80000, 0x41200000, 0xC1200000, 0x322BCC77, 0x3A83126F, 0xBA83126F, 0x3F7FFFFF),
        *(0x3F800001, 0x40000000),
    ]
)
INTEGER_POINTS = [0, 1, -1, 2, -2, 7, -7, 31, 32, 255, 256, 65535, 2**24 + 1, 2**24 + 3, -(2**24) - 1]
INTEGER_POINTS += [INT_MAX, INT_MIN, INT_MIN + 1, 0x55555555, -0x55555556]


def points(dtype, more=()):
    if dtype == "f32":
        return F32_POINTS
    if dtype == "pred":
        return np.array([0, 1], PRED)
    return np.array([*INTEGER_POINTS, *more], np.int64).astype(I32 if dtype == "i32" else U32)


def column(values):
    return values.reshape(-1, 1)


def row(values):
    return values.reshape(1, -1)


def counting(*shape):
    return np.arange(1, 1 + element_count(shape)).reshape(shape)


def document(record):
    """Every example of https://openxla.org/xla/broadcasting."""
    matrix = np.array([[1, 2, 3], [4, 5, 6]])
    vector = np.array([7, 8, 9])
    for dtype in (F32, I32):
        examples = [
            (matrix, vector, [1], "doc: (2,3)+(3) dims (1)"),
            (vector, matrix, [1], "doc: same, operands swapped"),
            (matrix, vector, None, "doc: invalid without dims"),
            (matrix, np.array(7), None, "doc: scalar"),
            (np.array(7), matrix, None, "doc: scalar lhs"),
            (matrix, vector, [0], "doc note: dims 0 invalid for (2,3)+(3)"),
            (counting(3, 3), vector, [1], "doc: (3,3)+(3) dims (1)"),
            (counting(3, 3), vector, [0], "doc: (3,3)+(3) dims (0)"),
            (counting(2, 3, 4), counting(3, 4), [1, 2], "doc: cuboid + matrix dims (1,2)"),
            (counting(2, 1), counting(2, 3), None, "doc degenerate 1"),
            (counting(1, 2, 5), counting(7, 2, 5), None, "doc degenerate 2"),
            (counting(7, 2, 5), counting(7, 1, 5), None, "doc degenerate 3"),
            (counting(7, 2, 5), counting(7, 2, 6), None, "doc degenerate 4 invalid"),
            (counting(2, 1), counting(1, 3), None, "doc outer operation"),
            (np.array([1, 2, 3, 4]), np.array([[5, 6]]), [0], "doc composition (4)+(1,2) dims (0)"),
            (counting(1, 2), counting(4, 3, 1), [1, 2], "doc composition (1,2)+(4,3,1) dims (1,2)"),
        ]
        sizes = (2, 3, 4, 5)
        for dim in range(4):
            note = "doc formal: T onto MxNxPxQ dim %d" % dim
            examples.append((counting(*sizes), counting(sizes[dim]), [dim], note))
        for dims in itertools.combinations(range(4), 2):
            note = "doc formal: TxV dims %d,%d" % dims
            examples.append((counting(*sizes), counting(*[sizes[dim] for dim in dims]), list(dims), note))
        examples += [
            (counting(*sizes), counting(4, 3), [2, 1], "doc formal: illegal, V to N and T to P"),
            (counting(2, 3, 3, 5), counting(3, 3), [2, 1], "doc formal: illegal order, sizes match"),
            (counting(2, 3, 3, 5), counting(3, 3), [1, 1], "doc formal: illegal, both to one dim"),
        ]
        for lhs, rhs, dims, note in examples:
            for op in ["Add", "Sub", "Lt"] if dtype is F32 else ["Add"]:
                record.binary(op, lhs.astype(dtype), rhs.astype(dtype), dims, note)


# (lhs, rhs, broadcast_dimensions): where the rules meet, rank 0, size 0 and size 1 above all.
SHAPE_EDGES = [
    ((3,), (2, 3), None),
    ((2, 3), (3,), []),
    ((3,), (2, 3), [2]),
    ((3,), (2, 3), [-1]),
    ((3, 4), (2, 3, 4), [1]),
    ((3, 4), (2, 3, 4), [0, 1, 2]),
    ((3, 2), (2, 3, 4), [1, 0]),
    ((3, 3), (2, 3, 4), [1, 1]),
    ((3, 4), (2, 3, 4), [2, 1]),
    ((3, 4), (2, 3, 4), [0, 9]),
    ((2, 3), (2, 3), [1, 0]),
    ((3, 3), (3, 3), [1, 0]),
    ((2, 3), (2, 3), [0]),
    ((2, 3), (2, 3), [0, 1]),
    ((2, 3), (2, 3), []),
    ((2, 1), (1, 3), [0, 1]),
    ((), (2, 3), []),
    ((), (2, 3), [0]),
    ((2, 3), (), [1]),
    ((), (), None),
    ((), (), []),
    ((), (), [0]),
    ((), (1,), None),
    ((1,), (4, 3), [0]),
    ((1,), (4, 3), [1]),
    ((1,), (4, 3), None),
    ((4, 3), (1,), [1]),
    ((2, 3), (1, 1, 4), [0, 1]),
    ((2, 3), (1, 1, 1), [0, 2]),
    ((5,), (1, 1, 1, 1, 1), [3]),
    ((2, 3), (1, 1, 1, 1, 1, 1), [1, 4]),
    ((0, 3), (1, 3), None),
    ((0,), (1,), None),
    ((0,), (2,), None),
    ((0, 1), (1, 0), None),
    ((0,), (1, 3), [0]),
    ((1,), (0, 3), [0]),
    ((3,), (0, 3), [1]),
    ((3,), (0, 3), [0]),
    ((0,), (), None),
    ((0, 3), (0, 3), None),
    ((0,), (2, 3), [0]),
]


def edges(record, rng):
    """Values and shapes where rules meet: division by zero, large shifts, powers, signed zeros, NaN, subnormals."""
    signed = np.array([0, 1, -1, 2, -7, 7, INT_MIN, INT_MAX], I32)
    unsigned = np.array([0, 1, 2, 7, 2**31, 2**32 - 1], U32)
    for values, least_exponent in ((signed, -3), (unsigned, 0)):
        for op in ARITHMETIC + BITWISE + SHIFTS + COMPARES:
            others = values
            if op == "Pow":
                exponents = [*range(least_exponent, 4), 31, 32, 33]
                others = np.array(exponents, np.int64).astype(values.dtype)
            record.binary(op, column(values), row(others), None, "edge grid")
    amounts = np.array([0, 1, 31, 32, 33, 64, INT_MAX, -1, INT_MIN], I32)
    for op in SHIFTS:
        record.binary(op, column(signed), row(amounts), None, "edge shift amounts")
        record.binary(op, column(unsigned), row(amounts.astype(U32)), None, "edge shift amounts")

    floats = np.array([0.0, -0.0, 1, -1, 2, -3, 0.5, -5.5, np.inf, -np.inf, np.nan], F32)
    finite = floats[np.isfinite(floats)]
    for op in ARITHMETIC + ["Atan2"] + COMPARES + TOTAL_ORDER_COMPARES:
        record.binary(op, column(finite), row(finite), None, "edge grid finite")
        record.binary(op, column(floats), row(floats), None, "edge grid")
    tiny = from_bits([1, 0x007FFFFF, 0x80000001, 0x00800000, 0x80800000, 0, 0x80000000, 0x3F000000, 0x40000000])
    for op in ["Add", "Sub", "Mul", "Div", "Max", "Min", "Eq", "Lt", "Le", "LtTotalOrder", "EqTotalOrder"]:
        record.binary(op, column(tiny), row(tiny), None, "edge grid subnormal (XLA:CPU flushes; see alt)")
    payloads = from_bits([0x7FC00000, 0xFFC00000, 0x7FC12345, 0x7F800000, 0xFF800000, 0, 0x80000000])
    for op in TOTAL_ORDER_COMPARES:
        record.binary(op, column(payloads), row(payloads), None, "total order NaN payloads")
    truth = points("pred")
    for op in ["Add", "Mul", "Max", "Min"] + BITWISE + COMPARES:
        record.binary(op, column(truth), row(truth), None, "pred truth table")

    for lhs, rhs, dims in SHAPE_EDGES:
        for dtype in ("f32", "i32"):
            for op in ("Add", "Sub", "Le"):
                record.binary(op, operand(rng, dtype, lhs), operand(rng, dtype, rhs), dims, "edge shapes")


def random_binary(record, rng, count):
    """Random operations on random shapes, of which more than half are broken on purpose."""
    ops = list(BINARY)
    weights = [3 if op in ("Add", "Sub", "Mul") else 0.5 if op in TOTAL_ORDER_COMPARES else 1 for op in ops]
    weights = np.array(weights, float)
    weights /= weights.sum()
    made = 0
    while made < count:
        lhs_shape, rhs_shape, dims = binary_shapes(rng)
        if _too_large(lhs_shape, rhs_shape):
            continue
        op = str(rng.choice(ops, p=weights))
        lhs_type = rhs_type = str(rng.choice(BINARY[op]))
        wrong_type = rng.random()
        if wrong_type < 0.02:
            op, lhs_type = BINARY_REFUSED[int(rng.integers(len(BINARY_REFUSED)))]
            rhs_type = lhs_type
        elif wrong_type < 0.045:
            rhs_type = str(rng.choice([dtype for dtype in ("f32", "i32", "u32", "pred") if dtype != lhs_type]))
        special = rng.random() < 0.08
        lhs_role, rhs_role = roles(op)
        lhs = operand(rng, lhs_type, lhs_shape, lhs_role, special)
        rhs = operand(rng, rhs_type, rhs_shape, rhs_role, special)
        try:
            _, shape = build(binary(op, dims), [(lhs_type, lhs_shape), (rhs_type, rhs_shape)])
            if element_count(shape.dimensions()) > LARGEST_RESULT:
                continue
        except XlaError:
            pass  # a refusal is a case, too
        record.binary(op, lhs, rhs, dims)
        made += 1


def _too_large(lhs, rhs):
    bound = element_count([max(size, 1) for size in lhs + rhs])
    return (
        bound > 4000
        or max([1] + lhs + rhs) > 64
        or element_count(lhs) > LARGEST_RESULT
        or element_count(rhs) > LARGEST_RESULT
    )


# Where the random operands of a unary op are drawn from; elsewhere between -8 and 8.
DOMAINS = {
    "Log": (0, 50),
    "Sqrt": (0, 50),
    "Rsqrt": (0.01, 50),
    "Log1p": (-0.9, 50),
    "Acos": (-1, 1),
    "Asin": (-1, 1),
    "Atanh": (-0.99, 0.99),
    "Acosh": (1, 50),
    "ErfInv": (-0.99, 0.99),
    "Erfc": (-4, 10),
    "Lgamma": (0.1, 30),
    "Digamma": (0.1, 30),
    "BesselI0e": (-30, 30),
    "BesselI1e": (-30, 30),
}


def unaries(record, rng):
    for op, accepted in UNARY.items():
        for dtype in ("f32", "i32", "u32", "pred"):
            if dtype not in accepted:
                # XLA takes Asin of a few integer types and gives no reason; that is nothing to follow.
                if op != "Asin":
                    record.unary(op, operand(rng, dtype, (2,)))
            elif dtype == "f32":
                _unary_f32(record, rng, op)
            else:
                record.unary(op, points(dtype))
                for shape in ((3, 4), (), (0, 2)):
                    record.unary(op, operand(rng, dtype, shape))


def _unary_f32(record, rng, op):
    plain = np.isfinite(F32_POINTS) & ~is_subnormal(F32_POINTS)
    record.unary(op, F32_POINTS[plain])
    record.unary(op, F32_POINTS[~plain])
    domain = DOMAINS.get(op, (-8, 8))
    for shape in ((4, 5), (2, 3, 2), (), (0, 3), (1,)):
        record.unary(op, np.asarray(rng.uniform(*domain, size=shape), F32))
    if op in ("Round", "RoundNearestEven", "Floor", "Ceil"):
        record.unary(op, (np.arange(-21, 22) / 4).astype(F32))


def conversions(record, rng):
    ends = [1.9, -1.9, 2147483520.0, 3e9, 4294967040.0, 1e20, -1e20, 255.5, 256, -128.5, 0.99, -0.99]
    data = {
        "f32": [points("f32"), np.array(ends, F32)],
        "i32": [points("i32")],
        "u32": [points("u32", more=[2**32 - 129, 4294967167])],
        "pred": [points("pred")],
    }
    for source, fixed in data.items():
        for target in data:
            random = [operand(rng, source, shape) for shape in ((2, 3), (), (0,))]
            for array in fixed + random:
                record.convert("ConvertElementType", array, target)
            if "pred" not in (source, target):
                for array in fixed + [operand(rng, source, (2, 3))]:
                    record.convert("BitcastConvertType", array, target)


def ternaries(record, rng, count=240):
    nan, inf = np.nan, np.inf
    record.clamp(
        np.array([0, nan, 0, 5, 0, -0.0, -inf, 5, nan], F32),
        np.array([nan, 0.5, 0.5, 0, -0.0, 0.0, 3, 9, nan], F32),
        np.array([1, 1, nan, 1, 1, 1, inf, 1, nan], F32),
    )
    record.clamp(np.array(0, F32), np.array([[nan, -1, 0.5], [2, inf, -inf]], F32), np.array(1, F32))
    for dtype in (I32, U32, F32):  # the lower bound above the upper one
        record.clamp(np.array(5, dtype), np.array([0, 3, 9], dtype), np.array(1, dtype))
    record.select(np.array([1, 0], PRED), np.array([nan, 1], F32), np.array([2, nan], F32))
    for i in range(count):
        is_select = i % 2 == 1
        shape = tuple(random_shape(rng, int(rng.integers(0, 5)), 60))
        dtype = str(rng.choice(["f32", "i32", "u32", "pred"] if is_select else ["f32", "i32", "u32"]))
        shapes = [shape if rng.random() < 0.6 else () for _ in range(3)]
        dtypes = [dtype] * 3
        change = rng.random()
        if change < 0.2 and shape:
            at = int(rng.integers(3))
            sizes = list(shape)
            dim = int(rng.integers(len(sizes)))
            sizes[dim] = int(rng.choice([1, sizes[dim] + 1]))
            shapes[at] = tuple(sizes)
        elif change < 0.27 and len(shape) > 1:
            shapes[int(rng.integers(3))] = shape[1:]
        elif change < 0.34:
            other = str(rng.choice([other for other in ("f32", "i32", "u32") if other != dtype]))
            dtypes[int(rng.integers(3))] = other
        if is_select:
            dtypes[0] = "pred" if rng.random() < 0.95 else "i32"
        operands = [operand(rng, *signature) for signature in zip(dtypes, shapes)]
        if is_select:
            record.select(*operands)
        else:
            record.clamp(*operands)


def broadcasts_in_dim(record, rng, count=400):
    for _ in range(count):
        rank = int(rng.choice([0, 1, 2, 3, 4, 5, 6], p=[0.04, 0.16, 0.25, 0.25, 0.15, 0.1, 0.05]))
        out = random_shape(rng, rank)
        chosen = int(rng.integers(0, rank + 1))
        dims = sorted(int(dim) for dim in rng.choice(rank, chosen, replace=False)) if rank else []
        shape = degenerate(rng, [out[dim] for dim in dims], float(rng.choice([0, 0.4])))
        if rng.random() < 0.45:
            out, dims = _break_in_dim(rng, shape, out, dims)
        if element_count(out) > LARGEST_RESULT:
            continue
        dtype = str(rng.choice(["f32", "i32", "u32", "pred"]))
        record.broadcast_in_dim(operand(rng, dtype, shape), out, dims)


def _break_in_dim(rng, shape, out, dims):
    """Other output sizes and dims, or another size in `shape`; now and then it stays valid."""
    rank = len(out)
    change = int(rng.integers(0, 8))
    if change == 0 and dims:
        return out, dims[:-1]
    if change == 1:
        return out, dims + [int(rng.integers(0, rank + 1))]
    if change == 2 and len(dims) > 1:
        return out, [int(dim) for dim in rng.permutation(dims)]
    if change == 3 and dims:
        wrong = rank + int(rng.integers(0, 2))
        dims[int(rng.integers(len(dims)))] = wrong
    elif change == 4 and dims:
        dims[int(rng.integers(len(dims)))] = -1
    elif change == 5 and shape:
        size = int(rng.choice([0, 2, 3, 6]))
        shape[int(rng.integers(len(shape)))] = size
    elif change == 6 and len(dims) > 1:
        dims[1] = dims[0]
    elif change == 7 and rank:
        dropped = int(rng.integers(rank))
        out = out[:dropped] + out[dropped + 1 :]
    return out, dims


def broadcasts(record, rng, count=40):
    for _ in range(count):
        shape = random_shape(rng, int(rng.integers(0, 3)), 20)
        sizes = random_shape(rng, int(rng.integers(0, 3)), 10)
        if rng.random() < 0.15 and sizes:
            sizes[0] = -1
        dtype = str(rng.choice(["f32", "i32", "u32", "pred"]))
        record.broadcast(operand(rng, dtype, shape), sizes)


def iotas(record):
    for dtype in ("f32", "i32", "u32"):
        for shape in ([5], [2, 3], [2, 3, 4], [0, 3], [1, 1]):
            for dimension in range(len(shape)):
                record.iota(dtype, shape, dimension)
