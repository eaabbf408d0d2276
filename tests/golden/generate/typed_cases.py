"""The sections of types.jsonl. Their order, and that of the draws in them, is part of what a seed means."""

import numpy as np

import operations
from arrays import DTYPE_OF_NAME, PRED, from_bits, integers
from operations import ARITHMETIC, COMPARES, SHIFTS, TOTAL_ORDER, TOTAL_ORDER_COMPARES, conversion
from oracle import XlaError, build, ops, signature
from samples import degenerate, random_shape, roles, valid_binary_shapes
from typed_operations import ALL_TYPES, BINARY, EXACT_ON_COMPLEX, FLOATS, INTEGERS, SPECIAL_FUNCTIONS, UNARY, WIDTHS
from typed_operations import limits
from typed_recorder import binary, binary_line, broadcast, broadcast_in_dim, convert, iota, line_of, unary
from typed_samples import NORMAL_POINTS, POINTS, conversion_points, elements, floats_of, integer_points

WIDE_TYPES = ("f64", "s64", "u64", "c64")


def column(values):
    return values.reshape(-1, 1)


def row(values):
    return values.reshape(1, -1)


def is_valid(lhs, rhs, dims):
    """The sizes of a sum's result, or None."""
    try:
        _, shape = build(operations.binary("Add", dims), [("f32", lhs), ("f32", rhs)])
    except XlaError:
        return None
    return shape.dimensions()


def binary_shapes(rng, cap):
    return valid_binary_shapes(rng, cap, is_valid)


def small_shape(rng, cap):
    return tuple(random_shape(rng, int(rng.choice([0, 1, 2, 3, 4], p=[0.1, 0.25, 0.35, 0.2, 0.1])), cap))


def accepts(function, operands):
    try:
        build(function, signature(operands))
    except XlaError:
        return False
    return True


def edges(record):
    """Division, shifts and powers of integers at each width, zeros and infinities of floats: the same for each seed."""
    for name in INTEGERS:
        low, high = limits(name)
        width = WIDTHS[name]

        def values(candidates, low=low, high=high, name=name):
            return integers(name, sorted({value for value in candidates if low <= value <= high}))

        grid = values((0, 1, 2, 7, -1, -7, low, high))
        for op in ("Div", "Rem", "Mul", "Add", "Sub"):
            binary(record, op, column(grid), row(grid), None, "fixed edge grid")
        amounts = values((0, 1, width - 1, width, width + 1, high, low, -1))
        for op in SHIFTS:
            binary(record, op, column(grid), row(amounts), None, "fixed shift amounts")
        # See typed_samples of exponents. Twice the same one for s4 and u4.
        largest = min(63, (1 << width - 1) - 1)
        exponents = (-3, -2, -1, 0, 1, 2, 3, width - 1, width, width + 1)
        exponents = integers(name, [value for value in exponents if max(low, -3) <= value <= largest])
        binary(record, "Pow", column(grid), row(exponents), None, "fixed powers")
    for name in FLOATS:
        zeros = from_bits([0, 1 << WIDTHS[name] - 1], name)
        grid = np.concatenate([zeros, floats_of(name, [1, -1, 2.5, -3, np.inf, -np.inf, np.nan])])
        for op in [*ARITHMETIC, "Atan2", "NextAfter", *COMPARES, *TOTAL_ORDER_COMPARES]:
            for part in (grid[:6], grid[[0, 1, 2, 6, 7, 8]]):
                binary(record, op, column(part), row(part), None, "fixed edge grid")


def binaries(record, rng, random_count, edge_count):
    for op, names in BINARY.items():
        for name in names:
            heavy = name == "c64" and op in ("Pow", "Atan2")
            for _ in range(random_count // 2 if heavy else random_count):
                random_binary(record, rng, op, name, heavy)
            if name == "pred":
                truths = np.array([0, 1], PRED)
                binary(record, op, column(truths), row(truths), None, "truth table")
                continue
            for number in range(edge_count):
                edge_grid(record, rng, op, name, number)


def random_binary(record, rng, op, name, heavy):
    lhs_role, rhs_role = roles(op)
    cap = 60 if rng.random() < 0.06 else 12 if name in WIDE_TYPES else 20
    lhs_shape, rhs_shape, dims = binary_shapes(rng, cap)
    while op == "NextAfter" and (dims is not None or lhs_shape != rhs_shape):
        lhs_shape, rhs_shape, dims = binary_shapes(rng, 20)
    mode = str(rng.choice(["any", "special"], p=[0.92, 0.08]))
    mode = "near" if heavy else mode
    lhs = elements(rng, name, lhs_shape, lhs_role, mode)
    rhs = elements(rng, name, rhs_shape, rhs_role, mode)
    if rng.random() < 0.15 and op in COMPARES + TOTAL_ORDER_COMPARES and lhs.shape == rhs.shape:
        # Some that are equal.
        rhs = np.where(rng.random(rhs.shape) < 0.5, lhs, rhs).astype(lhs.dtype)
    binary(record, op, lhs, rhs, dims)


def edge_grid(record, rng, op, name, number):
    size = 4 if name in WIDE_TYPES else 6
    modes = ["special"] if name in INTEGERS else ["special", "special", "normal", "near"]
    mode = modes[number % len(modes)]
    rhs_role = roles(op)[1] if name in INTEGERS and op in [*SHIFTS, "Pow"] else "any"
    lhs = elements(rng, name, (size, 1), "any", mode)
    binary(record, op, lhs, elements(rng, name, (1, size), rhs_role, mode), None, "edge grid")


# Where a function is defined, and not too large.
DOMAINS = {
    "Log": (0.01, 50),
    "Sqrt": (0, 50),
    "Rsqrt": (0.01, 50),
    "Log1p": (-0.9, 50),
    "Acos": (-1, 1),
    "Asin": (-1, 1),
    "Atanh": (-0.99, 0.99),
    "Acosh": (1, 50),
    "ErfInv": (-0.99, 0.99),
    "Lgamma": (0.1, 10),
    "Digamma": (0.1, 10),
    "Cbrt": (-50, 50),
}
ROUNDINGS = ("Round", "RoundNearestEven", "Floor", "Ceil")
ON_BITS = (*ROUNDINGS, "Sqrt", "Reciprocal", "Square", "Abs", "Neg", "Sign")


def unaries(record, rng, shape_count):
    for op, names in UNARY.items():
        for name in names:
            if name in FLOATS:
                unaries_of_floats(record, rng, op, name, shape_count)
            elif name == "c64":
                unaries_of_complex(record, rng, op)
            else:
                unaries_of_integers(record, rng, op, name)


def unaries_of_floats(record, rng, op, name, shape_count):
    unary(record, op, rng.permutation(POINTS[name])[:20])
    unary(record, op, rng.permutation(NORMAL_POINTS[name])[:20])
    if op not in SPECIAL_FUNCTIONS:
        unary(record, op, rng.permutation(POINTS[name])[:20].reshape(4, 5))
        if op in ON_BITS:
            unary(record, op, elements(rng, name, (16,), mode="bits"))
            unary(record, op, elements(rng, name, (16,), mode="near"))
        if op in ROUNDINGS:
            unary(record, op, (np.arange(-21, 22) / 4).astype(DTYPE_OF_NAME[name]))
    shapes = [(3, 4), (2, 2, 3), (), (0, 3), (10,), (1, 5)]
    for shape in shapes[: 2 if op in SPECIAL_FUNCTIONS else shape_count]:
        values = np.asarray(rng.uniform(*DOMAINS.get(op, (-8, 8)), size=shape))
        unary(record, op, values.astype(DTYPE_OF_NAME[name]))


def unaries_of_complex(record, rng, op):
    more = [(7,)] * 3 if op in EXACT_ON_COMPLEX else [(9,)]
    for shape in [(8,), (2, 3), (), (2, 0), *more]:
        values = np.asarray(rng.uniform(-3, 3, size=shape) + 1j * rng.uniform(-3, 3, size=shape))
        unary(record, op, values.astype(np.complex64))
    unary(record, op, elements(rng, "c64", (10,), mode="special"))
    unary(record, op, elements(rng, "c64", (8,), mode="small"))


def unaries_of_integers(record, rng, op, name):
    def asked(values):
        # XLA:CPU counts the bits of a negative s4 in the byte that holds it.
        if (op, name) == ("PopulationCount", "s4"):
            wide = values.astype(np.int32)
            return np.where(values < 0, ~wide, wide).astype(values.dtype)
        return values

    if name != "pred":
        unary(record, op, asked(integers(name, integer_points(name))))
    for shape in [(3, 4), (), (0, 2), (10,), (2, 1, 4)]:
        unary(record, op, asked(elements(rng, name, shape)))


def conversions(record, rng):
    points = {name: conversion_points(name) for name in ALL_TYPES}
    for source in ALL_TYPES:
        of_float = source in [*FLOATS, "c64"]
        for to in ALL_TYPES:
            values = rng.permutation(points[source])
            for at in range(0, min(len(values), 100), 20):
                convert(record, values[at : at + 20], to)
            if source != "pred":
                convert(record, elements(rng, source, (2, 5), mode="bits" if of_float else "full"), to)
                convert(record, elements(rng, source, (8,), mode="near" if of_float else "small"), to)
            convert(record, elements(rng, source, small_shape(rng, 12)), to)


def bitcast_shapes(source, to):
    """None for what aborts XLA, or is refused."""
    if source == to in ("pred", "c64"):
        return [(3,), (2, 2)]
    if {source, to} & {"pred", "c64"}:
        return None
    ratio = WIDTHS[to] // WIDTHS[source]
    if ratio == 1:
        return [(2, 3), ()]
    return [(ratio,), (2, ratio)] if ratio else [(3,), (2, 2)]


def bitcasts(record, rng):
    op = "BitcastConvertType"
    for source in ALL_TYPES:
        mode = "bits" if source in [*FLOATS, "c64"] else "full"
        for to in ALL_TYPES:
            function = conversion(op, to)
            for shape in bitcast_shapes(source, to) or []:
                operand = elements(rng, source, shape, mode=mode)
                line = line_of("convert", op, [operand], to=to)
                if accepts(function, [operand]):
                    record.ask(line, function, [operand], folds=not {source, to} & {"s4", "u4"})
                else:
                    record.refused(line, function, [operand])


def selects_and_clamps(record, rng, select_count, clamp_count):
    for name in ALL_TYPES:
        for _ in range(select_count):
            shape = small_shape(rng, 12)
            shapes = [shape if rng.random() < 0.7 else () for _ in range(3)]
            mode = "special" if rng.random() < 0.3 else "any"
            operands = [elements(rng, "pred", shapes[0])]
            operands += [elements(rng, name, shapes[i], mode=mode) for i in (1, 2)]
            if accepts(operations.select, operands):
                reference = lambda operands: np.where(*operands).astype(operands[1].dtype)  # noqa: E731
                line = line_of("select", "Select", operands)
                record.ask(line, operations.select, operands, reference=reference)
        if name in ("pred", "c64"):
            continue
        for _ in range(clamp_count):
            shape = small_shape(rng, 12)
            shapes = [shape if rng.random() < 0.6 else (), shape, shape if rng.random() < 0.6 else ()]
            mode = "special" if rng.random() < 0.35 else "any"
            operands = [elements(rng, name, sizes, mode=mode) for sizes in shapes]
            if accepts(operations.clamp, operands):
                record.ask(line_of("clamp", "Clamp", operands), operations.clamp, operands)


def moves(record, rng, in_dim_count, broadcast_count):
    for name in ALL_TYPES:
        for _ in range(in_dim_count):
            random_broadcast_in_dim(record, rng, name)
        for _ in range(broadcast_count):
            shape = random_shape(rng, int(rng.integers(0, 3)), 8)
            sizes = random_shape(rng, int(rng.integers(0, 3)), 5)
            broadcast(record, elements(rng, name, shape), sizes)
        if name != "pred":
            iotas(record, rng, name)


def random_broadcast_in_dim(record, rng, name):
    rank = int(rng.choice([0, 1, 2, 3, 4, 5], p=[0.05, 0.15, 0.3, 0.25, 0.15, 0.1]))
    out = random_shape(rng, rank, 24)
    count = int(rng.integers(0, rank + 1))
    dims = sorted(int(dim) for dim in rng.choice(rank, count, replace=False)) if rank else []
    shape = degenerate(rng, [out[dim] for dim in dims], float(rng.choice([0, 0.4])))
    operand = elements(rng, name, shape, mode="special" if rng.random() < 0.3 else "any")
    broadcast_in_dim(record, operand, out, dims)


def iotas(record, rng, name):
    shapes = [(5,), (2, 3), (0, 3), (1, 1), (int(rng.integers(2, 12)),), (2, int(rng.integers(1, 4)), 2)]
    # Some that wrap.
    shapes += {"s4": [(20,)], "u4": [(20,)], "s8": [(40,)], "u8": [(40,)]}.get(name, [])
    for shape in shapes:
        for dimension in range(len(shape)):
            iota(record, name, shape, dimension)


def refusals(record, rng, unary_count, binary_count, mixed_count):
    refused_unaries(record, rng, unary_count)
    refused_binaries(record, rng, binary_count)
    mixed_binaries(record, rng, mixed_count)
    mixed_ternaries(record, rng)
    refused_bitcasts(record, rng)
    for name in ("pred", "c64"):
        operands = [elements(rng, name, (2,)) for _ in range(3)]
        record.refused(line_of("clamp", "Clamp", operands), operations.clamp, operands)
    line = line_of("iota", "Iota", [], dtype="pred", shape=[4], iota_dimension=0)
    record.refused(line, operations.iota("pred", (4,), 0), [])


def refused_unaries(record, rng, count):
    # Asin takes some integer types; Conj of f64 is c128.
    pairs = [
        (op, name)
        for op, names in UNARY.items()
        for name in ALL_TYPES
        if name not in names and op != "Asin" and (op, name) != ("Conj", "f64")
    ]
    for i in rng.permutation(len(pairs))[:count]:
        op, name = pairs[i]
        operand = elements(rng, name, (2,))
        if op != "RoundNearestEven":
            record.refused(line_of("unary", op, [operand]), operations.unary(op), [operand])


def refused_binaries(record, rng, count):
    # Complex of f64 is c128.
    pairs = [
        (op, name)
        for op, names in BINARY.items()
        for name in ALL_TYPES
        if name not in names and not op.endswith(TOTAL_ORDER) and op != "NextAfter" and (op, name) != ("Complex", "f64")
    ]
    for i in rng.permutation(len(pairs))[:count]:
        op, name = pairs[i]
        lhs_shape, rhs_shape, dims = binary_shapes(rng, 6)
        lhs, rhs = elements(rng, name, lhs_shape), elements(rng, name, rhs_shape)
        record.refused(binary_line(op, lhs, rhs, dims), operations.binary(op, dims), [lhs, rhs])


def two_types(rng):
    """Two different types; None for two floats, of which the builder converts one to the other's type."""
    first, second = (str(name) for name in rng.choice(ALL_TYPES, 2, replace=False))
    return None if first in FLOATS and second in FLOATS else (first, second)


def mixed_binaries(record, rng, count):
    names = [op for op in BINARY if not op.endswith(TOTAL_ORDER) and op not in ("Complex", "NextAfter")]
    while count:
        op = str(rng.choice(names))
        types = two_types(rng)
        if types is None:
            continue
        lhs_shape, rhs_shape, dims = binary_shapes(rng, 6)
        lhs, rhs = elements(rng, types[0], lhs_shape), elements(rng, types[1], rhs_shape)
        line = binary_line(op, lhs, rhs, dims, "mixed dtypes")
        count -= record.refused(line, operations.binary(op, dims), [lhs, rhs])


def mixed_ternaries(record, rng):
    for i in range(40):
        types = two_types(rng)
        if types is None:
            continue
        first, second = types
        operands = [elements(rng, name, (3,)) for name in ("pred", first, second)]
        record.refused(line_of("select", "Select", operands, note="mixed dtypes"), operations.select, operands)
        orders = [(first, first, second), (first, second, second), (second, first, second)]
        operands = [elements(rng, name, (3,)) for name in orders[i % 3]]
        record.refused(line_of("clamp", "Clamp", operands, note="mixed dtypes"), operations.clamp, operands)
        if i < len(ALL_TYPES) and ALL_TYPES[i] != "pred":
            operands = [elements(rng, ALL_TYPES[i], (2,)) for _ in range(3)]
            line = line_of("select", "Select", operands, note="selector not pred")
            record.refused(line, operations.select, operands)


def refused_bitcasts(record, rng):
    """Not of a number to pred, which aborts the process."""

    def refused(operand, to):
        op = "BitcastConvertType"
        record.refused(line_of("convert", op, [operand], to=to), conversion(op, to), [operand])

    for name in INTEGERS + FLOATS:
        for source, to in ((name, "c64"), ("c64", name)):
            refused(elements(rng, source, (2, 2), mode="small"), to)
        wider = [to for to in INTEGERS + FLOATS if WIDTHS[to] > WIDTHS[name]]
        for shape in [(), (3,), (2, 0)] if wider else []:
            to = str(rng.choice(wider))
            refused(elements(rng, name, shape, mode="small"), to)
