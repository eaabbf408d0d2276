#!/usr/bin/env python3
"""indim's benchmark patterns, run by the array libraries of Python that are installed here.

    peers.py [PATTERN...] [--elements N] [--library NAME]... [--json FILE]

NumPy, JAX (jit), PyTorch (eager, and torch.compile), CuPy, and ONNX Runtime's WebGPU provider; on
CUDA where a library finds it, else on the CPU. One JSON line a pattern, on stdout and in FILE. What
is not installed is named, on stderr and in a line of its own.

Each library runs in a process of its own, so that a crash costs one pattern, and nothing keeps the
memory that the next one needs. This file needs the standard library only.
"""
import argparse
import importlib
import itertools
import json
import math
import operator
import os
import platform
import statistics
import subprocess
import sys
import time

ELEMENTS = 1 << 22

# Of a pattern: samples, seconds that they last as well, and seconds after which fewer will do.
SAMPLES, ENOUGH, TOO_LONG = 20, 1.5, 20.0
# Evaluations for each wait on a GPU, of patterns that are not about the wait.
REPEAT = 20


# The patterns


class Pattern:
    """`evaluate(ops, *operands)` is the expression; `expected(at, index)` the element of its result
    at an index, where `at(k, index)` is operand k's element that is broadcast there."""

    def __init__(self, name, elements, shapes, evaluate, expected=None, tolerance=1e-6, latency=False):
        self.name = name
        self.elements = elements
        self.shapes = shapes
        self.evaluate = evaluate
        # new_shapes has operands of its own, two for each shape.
        count = len(shapes) or 2
        self.expected = expected or (lambda at, index: evaluate(Scalars, *[at(k, index) for k in range(count)]))
        self.tolerance = tolerance
        self.latency = latency


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
    ]


def element(seed, at):
    """Elements in [-1, 1), spread evenly; burn's operands have the same."""
    return (((at * 2_654_435_769 + seed * 1_013_904_223) & 0xFFFFFFFF) >> 8) / (1 << 23) - 1.0


# The libraries


class Missing(Exception):
    """A library cannot be had here, and why."""


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(str(error)) from error
    except Exception as error:  # A broken installation says so in many ways.
        raise Missing(f"cannot be imported: {error}") from error


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} cores"
    except OSError:
        pass
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"


class Library:
    """How to use one: arrays, functions, compiling and waiting. The defaults are NumPy's ways."""

    device = "cpu"
    # Whether a result can stay on the device and be an operand.
    eager = True

    def transpose(self, a):
        return a.T

    def compile(self, function):
        """What a user would make of a function that is called often."""
        return function

    def forget(self):
        """Drops what was compiled for shapes seen so far."""

    def wait(self, results):
        """Returns when all results are computed."""

    def batch_ms(self, repeat, evaluate):
        """Milliseconds for each of `repeat` evaluations on the device."""
        begin = time.perf_counter()
        for _ in range(repeat):
            result = evaluate()
        self.wait([result])
        return (time.perf_counter() - begin) * 1e3 / repeat

    def clock(self, repeat):
        return "wall, one evaluation and a wait" if repeat == 1 else f"wall, {repeat} evaluations and a wait"


class NumPy(Library):
    def __init__(self):
        self.np = np = module("numpy")
        self.version = np.__version__
        self.adapter = cpu_name()
        self.tanh, self.sin, self.cos, self.where = np.tanh, np.sin, np.cos, np.where

    def array(self, shape, seed):
        np = self.np
        turns = np.arange(math.prod(shape), dtype=np.uint32) * np.uint32(2_654_435_769)
        turns += np.uint32(seed * 1_013_904_223 & 0xFFFFFFFF)
        values = (turns >> np.uint32(8)).astype(np.float32)
        return (values / np.float32(1 << 23) - np.float32(1)).reshape(shape)

    def every_second_column(self, a):
        # The slice alone is a view, and copies nothing.
        return a[:, ::2].copy()


class CuPy(NumPy):
    device = "cuda"

    def __init__(self):
        self.np = np = module("cupy")
        try:
            count = np.cuda.runtime.getDeviceCount()
        except Exception as error:
            raise Missing(f"no CUDA: {error}") from error
        if not count:
            raise Missing("no CUDA device")
        self.version = np.__version__
        self.adapter = np.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.tanh, self.sin, self.cos, self.where = np.tanh, np.sin, np.cos, np.where

    def wait(self, results):
        self.np.cuda.get_current_stream().synchronize()

    def batch_ms(self, repeat, evaluate):
        if repeat == 1:
            return super().batch_ms(repeat, evaluate)
        begin, end = self.np.cuda.Event(), self.np.cuda.Event()
        begin.record()
        for _ in range(repeat):
            evaluate()
        end.record()
        end.synchronize()
        return self.np.cuda.get_elapsed_time(begin, end) / repeat

    def clock(self, repeat):
        return super().clock(1) if repeat == 1 else f"CUDA events around {repeat} evaluations"


class Jax(Library):
    def __init__(self):
        self.jax = jax = module("jax")
        self.np = np = module("jax.numpy")
        self.version = jax.__version__
        device = jax.devices()[0]
        self.device = {"gpu": "cuda"}.get(device.platform, device.platform)
        self.adapter = cpu_name() if self.device == "cpu" else device.device_kind
        self.tanh, self.sin, self.cos, self.where = np.tanh, np.sin, np.cos, np.where

    def array(self, shape, seed):
        np = self.np
        turns = np.arange(math.prod(shape), dtype=np.uint32) * np.uint32(2_654_435_769)
        turns += np.uint32(seed * 1_013_904_223 & 0xFFFFFFFF)
        values = (turns >> np.uint32(8)).astype(np.float32)
        return (values / np.float32(1 << 23) - np.float32(1)).reshape(shape)

    def every_second_column(self, a):
        return a[:, ::2]

    def compile(self, function):
        # Operands are arguments, so that nothing is known when it is compiled but their shapes.
        return self.jax.jit(function)

    def forget(self):
        self.jax.clear_caches()

    def wait(self, results):
        self.jax.block_until_ready(results)


class Torch(Library):
    def __init__(self):
        self.torch = torch = module("torch")
        self.version = torch.__version__
        if torch.cuda.is_available():
            self.device, self.adapter = "cuda", torch.cuda.get_device_name()
        else:
            self.adapter = cpu_name()
        self.tanh, self.sin, self.cos, self.where = torch.tanh, torch.sin, torch.cos, torch.where

    def array(self, shape, seed):
        torch = self.torch
        turns = torch.arange(math.prod(shape), dtype=torch.int64, device=self.device)
        turns.mul_(2_654_435_769).add_(seed * 1_013_904_223).bitwise_and_(0xFFFFFFFF).bitwise_right_shift_(8)
        return turns.to(torch.float32).div_(1 << 23).sub_(1).reshape(shape)

    def every_second_column(self, a):
        # The slice alone is a view, and copies nothing.
        return a[:, ::2].contiguous()

    def wait(self, results):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def batch_ms(self, repeat, evaluate):
        if repeat == 1:
            return super().batch_ms(repeat, evaluate)
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(repeat):
            evaluate()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / repeat

    def clock(self, repeat):
        return super().clock(1) if repeat == 1 else f"CUDA events around {repeat} evaluations"


class TorchCompile(Torch):
    def compile(self, function):
        return self.torch.compile(function)

    def forget(self):
        self.torch.compiler.reset()


class Symbol:
    """A value of an ONNX graph that is being written down."""

    def __init__(self, graph, name):
        self.graph, self.name = graph, name

    def node(self, operation, *others, **attributes):
        return self.graph.node(operation, self, *others, **attributes)

    def __add__(self, other):
        return self.node("Add", other)

    def __mul__(self, other):
        return self.node("Mul", other)

    def __gt__(self, other):
        return self.node("Greater", other)


class Graph:
    def __init__(self, onnx, np):
        self.onnx, self.np, self.nodes, self.constants = onnx, np, [], []

    def node(self, operation, *inputs, **attributes):
        inputs = [value if isinstance(value, Symbol) else self.constant(value) for value in inputs]
        result = Symbol(self, f"{operation}_{len(self.nodes)}")
        names = [value.name for value in inputs]
        self.nodes.append(self.onnx.helper.make_node(operation, names, [result.name], **attributes))
        return result

    def constant(self, value):
        """Numbers are floats, lists are the integers that ONNX slices by."""
        array = self.np.array(value, self.np.int64 if isinstance(value, list) else self.np.float32)
        array = value if isinstance(value, self.np.ndarray) else array
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return Symbol(self, name)

    def model(self, output):
        helper = self.onnx.helper
        outputs = [helper.make_tensor_value_info(output.name, self.onnx.TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "pattern", [], outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return model.SerializeToString()


class Onnx(NumPy):
    """Python cannot keep a result on a WebGPU device. So operands are constants of the model, which
    lie there and, with optimisations off, are not folded; and of the result only the first element
    is fetched, which waits for all of it."""

    device = "webgpu"
    eager = False
    provider = "WebGpuExecutionProvider"

    def __init__(self):
        self.np = module("numpy")
        self.onnxruntime = module("onnxruntime")
        self.onnx = module("onnx")
        module("onnx.numpy_helper")
        if self.provider not in self.onnxruntime.get_available_providers():
            raise Missing("onnxruntime is installed without its WebGPU provider")
        self.version = self.onnxruntime.__version__
        self.adapter = "the adapter that Dawn chooses"
        try:
            self.compile(operator.add)(self.array((4,), 1), self.array((4,), 2))
        except Exception as error:
            raise Missing(f"its WebGPU provider does not run here: {error}"[:300]) from error

    @staticmethod
    def tanh(a):
        return a.node("Tanh")

    @staticmethod
    def sin(a):
        return a.node("Sin")

    @staticmethod
    def cos(a):
        return a.node("Cos")

    @staticmethod
    def where(mask, a, b):
        return mask.node("Where", a, b)

    def transpose(self, a):
        return a.node("Transpose", perm=[1, 0])

    def every_second_column(self, a):
        return a.node("Slice", [0], [(1 << 63) - 1], [1], [2])

    def compile(self, function):
        # To the host, for the comparison.
        return lambda *operands: self.session(function, operands, lambda result: result)()

    def bind(self, evaluate, operands):
        """What is timed: the same, but for one element."""

        def first(result):
            return result.node("Reshape", [-1]).node("Slice", [0], [1], [0])

        return self.session(lambda *operands: evaluate(self, *operands), operands, first)

    def session(self, function, operands, fetched):
        graph = Graph(self.onnx, self.np)
        model = graph.model(fetched(function(*map(graph.constant, operands))))
        options = self.onnxruntime.SessionOptions()
        options.graph_optimization_level = self.onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        session = self.onnxruntime.InferenceSession(model, options, providers=[self.provider])
        if session.get_providers()[0] != self.provider:
            raise RuntimeError("it finds no adapter that it supports")
        return lambda: session.run(None, {})[0]

    def clock(self, repeat):
        return "wall, one evaluation and one element fetched"


LIBRARIES = {
    "numpy": NumPy,
    "jax": Jax,
    "torch": Torch,
    "torch-compile": TorchCompile,
    "cupy": CuPy,
    "onnxruntime-webgpu": Onnx,
}


# Measuring one library


def check(result, pattern, shapes):
    """Compares the corners and some elements between them with what Python computes."""
    sizes = tuple(result.shape)
    corners = itertools.product(*[{0, size - 1} for size in sizes])
    inner = [tuple((step * 7919 + 13) * (k + 1) % size for k, size in enumerate(sizes)) for step in range(4)]

    def at(operand, index):
        flat = 0
        for i, size in zip(index, shapes[operand]):
            flat = flat * size + min(i, size - 1)
        return element(operand + 1, flat)

    for index in itertools.chain(corners, inner):
        value, wanted = float(result[index]), pattern.expected(at, index)
        # A NaN is not near anything.
        if not abs(value - wanted) <= pattern.tolerance * max(1.0, abs(wanted)):
            raise AssertionError(f"wrong result: {value} at {index}, not {wanted}")


class Work:
    """A pattern with operands in a library. `evaluate` evaluates it and gives the last result;
    `parts` are functions that give one result each, with the shapes of its operands."""

    def __init__(self, library, pattern):
        several = pattern.name in ("batch100", "new_shapes")
        if several and not library.eager:
            raise RuntimeError("Python gets no result that stays on the device")
        pairs = [pattern.shapes]
        function = library.compile(lambda *operands: pattern.evaluate(library, *operands))
        if pattern.name == "batch100":
            # What is compiled, if anything, is one addition.
            single = library.compile(operator.add)
            function = lambda a, b: adds(single, a, b)
        elif pattern.name == "new_shapes":
            pairs = [[shape, (1, shape[1])] for shape in new_shapes()]
        sets = [[library.array(shape, k + 1) for k, shape in enumerate(shapes)] for shapes in pairs]
        self.parts = [(lambda operands=operands: function(*operands), shapes) for operands, shapes in zip(sets, pairs)]
        self.operand_elements = sum(math.prod(shape) for shapes in pairs for shape in shapes)

        def evaluate():
            for operands in sets:
                result = function(*operands)
            return result

        self.evaluate = evaluate if library.eager else library.bind(pattern.evaluate, sets[0])


def measure(library, pattern):
    work = Work(library, pattern)
    result_shapes = []
    for part, shapes in work.parts:
        result = part()
        check(result, pattern, shapes)
        result_shapes.append(tuple(result.shape))
        del result
    elements = [math.prod(shape) for shape in result_shapes]

    # Compiling for a new shape is what new_shapes is about.
    compiles = pattern.name == "new_shapes"
    repeat = 1 if pattern.latency or library.device == "cpu" else REPEAT
    begin = time.perf_counter()
    for k in itertools.count():
        if compiles or (k >= 3 and time.perf_counter() - begin > 0.5):
            break
        library.batch_ms(repeat, work.evaluate)

    times = []
    begin = time.perf_counter()
    while True:
        elapsed = time.perf_counter() - begin
        if (times and elapsed > TOO_LONG) or (len(times) >= SAMPLES and elapsed > ENOUGH):
            break
        if compiles:
            library.forget()
        times.append(library.batch_ms(repeat, work.evaluate))
    return {
        "result_elements": elements[len(elements) // 2],
        "bytes": 4 * (work.operand_elements + sum(elements)),
        "median_ms": round(statistics.median(times), 6),
        "min_ms": round(min(times), 6),
        "samples": len(times),
        "clock": library.clock(repeat),
    }


def child(name, options):
    """Says what the library is, or why it is missing, and then one line a pattern."""
    # Not on the stream that the lines go to.
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(entry):
        print(json.dumps(entry), file=lines, flush=True)

    try:
        library = LIBRARIES[name]()
    except Missing as missing:
        say({"library": name, "missing": str(missing)})
        return
    about = {"library": name, "version": library.version, "adapter": library.adapter, "device": library.device}
    say(about)
    for pattern in patterns(options.elements):
        if pattern.name in options.patterns:
            entry = {**about, "pattern": pattern.name, "elements": pattern.elements}
            try:
                entry.update(measure(library, pattern))
            except Exception as error:
                entry["error"] = f"{type(error).__name__}: {error}"[:300]
            say(entry)


# Running them in turn


def environment():
    """Memory that a result leaves serves the next one, as it does in indim: by default glibc gives
    large blocks back to the system each time, and their pages are cleared anew."""
    recycled = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26), "MALLOC_ARENA_MAX": "1"}
    return {**recycled, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", **os.environ}


def run(name, options, emit):
    """Runs a library's child, and another one for the patterns after one that ended it."""
    left, about = list(options.patterns), {"library": name}
    while left:
        command = [sys.executable, os.path.abspath(__file__), "--child", name]
        if options.elements:
            command += ["--elements", str(options.elements)]
        # Its own messages are of interest only if it fails.
        process = subprocess.Popen(
            command + left, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
        )
        lines, messages = process.communicate()
        entries = [json.loads(line) for line in lines.splitlines()]
        about = entries[0] if entries else about
        if "missing" in about:
            emit(about)
            return
        for entry in entries[1:]:
            emit(entry)
            left.remove(entry["pattern"])
        if left:
            last = [line for line in messages.splitlines() if line.strip()][-1:] or ["no message"]
            error = f"the process ended with {process.returncode}: {last[0]}"[:300]
            emit({**about, "pattern": left.pop(0), "error": error})


def main():
    names = [pattern.name for pattern in patterns()]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="one of: " + ", ".join(names))
    parser.add_argument("--elements", type=int, help="elements of a result, but for the patterns of latency")
    parser.add_argument("--library", action="append", choices=LIBRARIES, help="this one only; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="where the lines go as well")
    parser.add_argument("--child", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.patterns) - set(names)
    if unknown:
        parser.error("no such pattern: " + ", ".join(sorted(unknown)))
    # Once each, in the order of the table.
    options.patterns = [name for name in names if not options.patterns or name in options.patterns]
    if options.child:
        child(options.child, options)
        return

    file = open(options.json, "w") if options.json else None

    def emit(entry):
        line = json.dumps(entry)
        print(line, flush=True)
        if file:
            print(line, file=file, flush=True)
        what = entry.get("pattern", "")
        said = f"missing: {entry['missing']}" if "missing" in entry else entry.get("error") or f"{entry['median_ms']} ms"
        print(f"{entry['library']} {what}: {said}".replace(" :", ":"), file=sys.stderr, flush=True)

    for name in options.library or LIBRARIES:
        run(name, options, emit)


if __name__ == "__main__":
    main()
