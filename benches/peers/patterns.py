"""The patterns of `indim bench`, for any library whose arrays broadcast as NumPy's do."""
import functools
import math
import operator

ELEMENTS = 1 << 22
# What is added to the variances of rows.
EPSILON = 1e-5
# The part of its elements that dropout keeps.
SHARE = 0.9


class Pattern:
    """`evaluate(ops, *operands)` is the expression; `expected(at, index)` the element of its result
    at an index, where `at(k, index)` is operand k's element that is broadcast there. Of several
    results it is the first one's. A pattern with a `share` keeps that part of its elements, at
    random, and makes the others 0."""

    def __init__(self, name, elements, shapes, evaluate, expected=None, tolerance=1e-6, latency=False, share=None):
        self.name = name
        self.elements = elements
        self.shapes = shapes
        self.evaluate = evaluate
        # new_shapes has operands of its own, two for each shape.
        count = len(shapes) or 2
        self.expected = expected or (lambda at, index: evaluate(Scalars, *[at(k, index) for k in range(count)]))
        self.tolerance = tolerance
        self.latency = latency
        self.share = share


class Scalars:
    """What `ops` stands for when one element is computed."""

    tanh, sin, cos = math.tanh, math.sin, math.cos

    @staticmethod
    def where(mask, a, b):
        return a if mask else b


def add(_, a, b):
    return a + b


def chain(ops, a, b, c):
    return ops.tanh(a * b + c)


def adds(function, a, b):
    """100 additions, each to the result of the one before."""
    for _ in range(100):
        a = function(a, b)
    return a


def batch(_, a, b):
    return adds(operator.add, a, b)


def reduced(dimension, size, element):
    """The numbers that are reduced to an index of a result without that dimension."""
    return lambda at, index: [
        element(at, index[:dimension] + (i,) + index[dimension:]) for i in range(size)
    ]


def first(at, index):
    return at(0, index)


def squared(at, index):
    return (at(0, index) - at(1, index)) ** 2


def reductions(most, short, pairs):
    """The patterns that reduce as many elements."""
    matrix = rows, columns = rectangle(most)
    middle = (64, max(32, most // 64 // 64 // 32 * 32), 64)
    points = max(8, math.isqrt(pairs // 64) // 8 * 8)
    row = reduced(1, columns, first)

    def sums(name, elements, shape, dimension):
        numbers = reduced(dimension, shape[dimension], first)
        expected = lambda at, index: math.fsum(numbers(at, index))
        return Pattern(name, elements, [shape], lambda ops, a: ops.sum(a, dimension), expected, 1e-3)

    def var(at, index):
        numbers = row(at, index)
        mean = math.fsum(numbers) / columns
        return math.fsum((x - mean) ** 2 for x in numbers) / columns

    def distances(at, index):
        return math.fsum(reduced(len(index), columns if len(index) == 1 else 64, squared)(at, index))

    def all_of(at, _):
        return math.fsum(at(0, (i, j)) for i in range(rows) for j in range(columns))

    def square(ops, a, b, dimension):
        difference = a - b
        return ops.sum(difference * difference, dimension)

    return [
        sums("sum_rows", most, matrix, 1),
        sums("sum_columns", most, matrix, 0),
        Pattern("sum_all", most, [matrix], lambda ops, a: ops.sum(a, (0, 1)), all_of, 1e-3),
        sums("sum_short_rows", short, (max(8, short // 64 // 8 * 8), 64), 1),
        sums("sum_long_rows", most, (64, max(64, most // 64 // 64 * 64)), 1),
        sums("sum_middle", most, middle, 1),
        Pattern("distance", most, [matrix] * 2, lambda ops, a, b: square(ops, a, b, 1), distances, 1e-3),
        Pattern("mean_var", most, [matrix], lambda ops, a: (ops.var(a, 1), ops.mean(a, 1)), var, 1e-3),
        Pattern(
            "argmax", most, [matrix], lambda ops, a: ops.argmax(a, 1),
            lambda at, index: max(range(columns), key=row(at, index).__getitem__),
        ),
        Pattern(
            "pairwise", pairs, [(points, 1, 64), (1, points, 64)], lambda ops, a, b: square(ops, a, b, 2),
            distances, 1e-3,
        ),
    ]


def normalised(most, asked):
    """The patterns that normalise rows: of 1,024 elements, of 128, and 64 long ones."""
    eighth, half = asked or most // 8, asked or most // 2
    shapes = {
        "": (most, (max(8, most // 1024), 1024)),
        "_short": (eighth, (max(8, eighth // 128), 128)),
        "_long": (half, (64, max(1024, half // 64 // 1024 * 1024))),
    }

    def softmax(name, elements, shape):
        row = functools.cache(lambda at, i: math.fsum(math.exp(at(0, (i, j))) for j in range(shape[1])))
        expected = lambda at, index: math.exp(at(0, index)) / row(at, index[0])
        # Results are as small as one in thousands.
        return Pattern(name, elements, [shape], lambda ops, a: ops.softmax(a, 1), expected, 1e-7)

    def layer_norm(name, elements, shape):
        @functools.cache
        def row(at, i):
            numbers = [at(0, (i, j)) for j in range(shape[1])]
            mean = math.fsum(numbers) / shape[1]
            return mean, math.sqrt(math.fsum((x - mean) ** 2 for x in numbers) / shape[1] + EPSILON)

        def expected(at, index):
            mean, deviation = row(at, index[0])
            return (at(0, index) - mean) / deviation

        return Pattern(name, elements, [shape], lambda ops, a: ops.layer_norm(a, 1, EPSILON), expected, 1e-3)

    return [
        pattern(f"{name}{which}", elements, shape)
        for name, pattern in (("softmax", softmax), ("layer_norm", layer_norm))
        for which, (elements, shape) in shapes.items()
    ]


def programs(most, products, thin):
    """The patterns that array programs are made of: results of `most` elements, and products of matrices that
    multiply as many pairs of elements."""
    matrix = rows, columns = rectangle(most)
    whole = 64 if most < 8192 else 8192
    line = (most // whole * whole,)
    side = max(64, cube_root(products) // 64 * 64)
    tall = max(64, thin // 16 // 16 // 64 * 64)
    indices = [((k * 2_654_435_761 & 0xFFFFFFFF) >> 8) % rows for k in range(rows)]

    def cumsum(name, shape, dimension):
        def expected(at, index):
            before = (index[:dimension] + (k,) + index[dimension + 1:] for k in range(index[dimension] + 1))
            return math.fsum(at(0, place) for place in before)

        return Pattern(name, most, [shape], lambda ops, a: ops.cumsum(a, dimension), expected, 1e-3)

    def dot(name, elements, m, k, n):
        expected = lambda at, ij: math.fsum(at(0, (ij[0], i)) * at(1, (i, ij[1])) for i in range(k))
        return Pattern(name, elements, [(m, k), (k, n)], lambda ops, a, b: a @ b, expected, 1e-3)

    return [
        Pattern(
            "take", most, [matrix], lambda ops, a: ops.take(a, indices), lambda at, ij: at(0, (indices[ij[0]], ij[1])),
        ),
        cumsum("cumsum_rows", matrix, 1),
        cumsum("cumsum_columns", matrix, 0),
        cumsum("cumsum_all", line, 0),
        Pattern(
            "dropout", most, [matrix], lambda ops, a: ops.dropout(a, SHARE), lambda at, ij: at(0, ij) / SHARE, share=SHARE,
        ),
        dot("dot", products, side, side, side),
        dot("dot_tall", thin, tall, 16, 16),
    ]


def cube_root(number):
    """The cube root, rounded down."""
    root = round(number ** (1 / 3))
    return root if root**3 <= number else root - 1


def rectangle(elements):
    """Rows and columns that are multiples of 4, as near to a square as that allows."""
    side = math.isqrt(elements)
    columns = max(4, side // 4 * 4 if side < 64 else side // 64 * 64)
    return max(4, elements // columns // 4 * 4), columns


def rank5(elements):
    """(8,16,64,32,64), with the first size larger, or the largest of the others smaller; as two
    operands."""
    sizes = [8, 16, 64, 32, 64]
    while math.prod(sizes) > max(64, elements):
        # The last of equal ones.
        largest = max(range(4), key=lambda d: (sizes[d], d))
        sizes[largest] //= 2
    while 2 * math.prod(sizes) <= elements:
        sizes[0] *= 2
    a, b, c, d, e = sizes
    return [(a, 1, c, 1, e), (1, b, 1, d, e)]


def new_shapes():
    """1,000 shapes of some 64 KiB."""
    for number in range(1000):
        columns = 64 + number // 4
        yield (1 << 14) // columns + number % 4, columns


def patterns(asked=None):
    """All of them, in the order of every table. The shapes are those of `indim bench`."""

    def elements(default):
        return asked or default

    most, four = elements(ELEMENTS), elements(4 * ELEMENTS)
    matrix = rows, columns = rectangle(most)
    row, column = (1, columns), (rows, 1)
    odd = (rows - 1, columns + 1)
    outer_rows, outer_columns = rectangle(four)
    outer = [(outer_rows, 1), (1, outer_columns)]
    few = [(64,), (64,)]
    rough = 1e-3
    return [
        Pattern("same", most, [matrix, matrix], add),
        Pattern("row", most, [matrix, row], add),
        Pattern("column", most, [matrix, column], add),
        Pattern("scalar", most, [matrix], lambda _, a: a + 1.5),
        Pattern("one", most, [matrix, (1, 1)], add),
        Pattern("outer", four, outer, add),
        Pattern("rank5", four, rank5(four), add),
        Pattern("odd", most, [odd, (1, odd[1])], add),
        Pattern("odd_column", most, [odd, (odd[0], 1)], add),
        Pattern("inner3", most, [(most // 3, 3), (1, 3)], add),
        Pattern(
            "transposed", most, [matrix, matrix[::-1]], lambda ops, a, b: a + ops.transpose(b),
            lambda at, ij: at(0, ij) + at(1, ij[::-1]),
        ),
        Pattern("chain", most, [matrix] * 3, chain, tolerance=rough),
        Pattern("chain_broadcast", most, [matrix, column, row], chain, tolerance=rough),
        Pattern("tanh", most, [matrix], lambda ops, a: ops.tanh(a), tolerance=rough),
        Pattern(
            "select", most, [matrix, row, column], lambda ops, a, row, column: ops.where(a > row, a * 2.0, column),
        ),
        Pattern(
            "strided", most, [(rows, 2 * columns)], lambda ops, a: ops.every_second_column(a),
            lambda at, ij: at(0, (ij[0], 2 * ij[1])),
        ),
        Pattern("small", 64, few, add, latency=True),
        # Python's floats do not round as the sums do.
        Pattern("batch100", 64, few, batch, tolerance=1e-5, latency=True),
        Pattern("batch100_expr", 64, few, batch, tolerance=1e-5, latency=True),
        Pattern("outer_chain", four, outer, lambda ops, a, b: ops.sin(a) * ops.cos(b), tolerance=rough),
        Pattern("new_shapes", 1000 << 14, [], add, latency=True),
        Pattern("big", elements(16 * ELEMENTS), rank5(elements(16 * ELEMENTS)), add),
        *reductions(most, elements(ELEMENTS // 16), elements(64 * ELEMENTS)),
        *normalised(most, asked),
        *programs(most, elements(32 * ELEMENTS), elements(4 * ELEMENTS)),
    ]


def element(seed, at):
    """Elements in [-1, 1), spread evenly; burn's operands have the same."""
    return (((at * 2_654_435_769 + seed * 1_013_904_223) & 0xFFFFFFFF) >> 8) / (1 << 23) - 1.0
