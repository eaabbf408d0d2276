"""The libraries: how each makes arrays, compiles, waits and tells the time."""
import functools
import importlib
import math
import operator
import os
import platform
import time


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

    def sum(self, a, axis):
        return self.np.sum(a, axis=axis)

    def mean(self, a, axis):
        return self.np.mean(a, axis=axis)

    def var(self, a, axis):
        return self.np.var(a, axis=axis)

    def argmax(self, a, axis):
        return self.np.argmax(a, axis=axis)

    def softmax(self, a, axis):
        powers = self.np.exp(a - self.np.max(a, axis=axis, keepdims=True))
        return powers / self.np.sum(powers, axis=axis, keepdims=True)

    def layer_norm(self, a, axis, epsilon):
        mean, var = (of(a, axis=axis, keepdims=True) for of in (self.np.mean, self.np.var))
        return (a - mean) / self.np.sqrt(var + epsilon)

    def cumsum(self, a, axis):
        return self.np.cumsum(a, axis=axis)

    def take(self, a, rows):
        return self.np.take(a, self.indices(rows), axis=0)

    @functools.cached_property
    def uploads(self):
        return {}

    def indices(self, rows):
        """The indices as the library's array, which is made once."""
        key = tuple(rows)
        if key not in self.uploads:
            self.uploads[key] = self.upload(rows)
        return self.uploads[key]

    def upload(self, rows):
        return self.np.asarray(rows, dtype=self.np.int32)

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

    @functools.cached_property
    def generator(self):
        return self.np.random.default_rng(7)

    def dropout(self, a, share):
        kept = self.generator.random(a.shape, dtype=self.np.float32) < share
        return self.np.where(kept, a / self.np.float32(share), self.np.float32(0))


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

    def dropout(self, a, share):
        kept = self.jax.random.bernoulli(self.jax.random.key(7), share, a.shape)
        return self.np.where(kept, a / share, 0)

    def softmax(self, a, axis):
        return self.jax.nn.softmax(a, axis)

    def layer_norm(self, a, axis, epsilon):
        return self.jax.nn.standardize(a, axis, epsilon=epsilon)

    def compile(self, function):
        # Operands are arguments, so that nothing is known when it is compiled but their shapes.
        return self.jax.jit(function)

    def forget(self):
        self.jax.clear_caches()

    def wait(self, results):
        self.jax.block_until_ready(results)


class Indim(NumPy):
    """The package of this repository; `scripts/test-python` builds it."""

    def __init__(self):
        super().__init__()
        self.indim = indim = module("indim")
        self.version = indim.__version__
        try:
            adapter = indim.adapter()
        except Exception as error:
            raise Missing(f"no adapter: {error}") from error
        self.device = "cpu" if adapter["type"] == "Cpu" else adapter["backend"]
        self.adapter = adapter["name"]
        self.tanh, self.sin, self.cos, self.where = indim.tanh, indim.sin, indim.cos, indim.where
        self.softmax = indim.softmax

    def array(self, shape, seed):
        array = self.indim.asarray(super().array(shape, seed))
        self.indim.eval(array)
        return array

    def every_second_column(self, a):
        return a[:, ::2]

    def dropout(self, a, share):
        kept = self.indim.random.bernoulli(self.indim.random.key(7), share, a.shape)
        return self.indim.where(kept, a / share, 0)

    def compile(self, function):
        def evaluated(*operands):
            result = function(*operands)
            self.indim.eval(*(result if isinstance(result, tuple) else [result]))
            return result

        return evaluated

    def wait(self, results):
        # They were evaluated when they were made.
        self.indim.wait()


class Torch(Library):
    def __init__(self):
        self.torch = torch = module("torch")
        self.version = torch.__version__
        if torch.cuda.is_available():
            self.device, self.adapter = "cuda", torch.cuda.get_device_name()
        else:
            self.adapter = cpu_name()
        self.tanh, self.sin, self.cos, self.where = torch.tanh, torch.sin, torch.cos, torch.where
        self.sum, self.mean, self.argmax, self.softmax = torch.sum, torch.mean, torch.argmax, torch.softmax

    def var(self, a, axis):
        return self.torch.var(a, axis, correction=0)

    def cumsum(self, a, axis):
        return self.torch.cumsum(a, axis)

    def take(self, a, rows):
        return self.torch.index_select(a, 0, self.indices(rows))

    def upload(self, rows):
        return self.torch.tensor(rows, device=self.device)

    def dropout(self, a, share):
        return self.torch.nn.functional.dropout(a, 1 - share, training=True)

    def layer_norm(self, a, axis, epsilon):
        return self.torch.nn.functional.layer_norm(a, a.shape[axis:], eps=epsilon)

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
    "indim-python": Indim,
    "jax": Jax,
    "torch": Torch,
    "torch-compile": TorchCompile,
    "cupy": CuPy,
    "onnxruntime-webgpu": Onnx,
}
