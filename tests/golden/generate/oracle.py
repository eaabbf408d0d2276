"""Real XLA, through XlaBuilder and the CPU client of jaxlib 0.6.0.

build()     shape inference alone: the result's shape, or XLA's own error text
run()       compiled by XLA's CPU backend, with the arguments as run-time parameters
evaluate()  the same program on constants, which XLA's constant folding computes
"""

import os

# By default XLA's CPU backend computes "fast" max and min, which drop a NaN or not depending on the operands' order.
# XLA's specification and its constant folding propagate NaN, and so does the backend with this flag. Both variables
# are read when jaxlib is loaded.
os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") + " --xla_cpu_enable_fast_min_max=false").strip()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import re

import jax  # noqa: F401  (xla_client aborts the process where jax has not been imported first)
import numpy as np
from jaxlib import xla_client

from arrays import DTYPE_OF_NAME, I32, PRED, name_of, row_major

ops = xla_client.ops
XlaError = xla_client.XlaRuntimeError
_client = xla_client.make_cpu_client()

ELEMENT_TYPE = {name: getattr(xla_client.PrimitiveType, name.upper()) for name in DTYPE_OF_NAME if name != "i32"}
ELEMENT_TYPE["i32"] = ELEMENT_TYPE["s32"]


def _mlir_type(name):
    if name[0] in "su":
        return name.replace("s", "i").replace("u", "ui")
    return {"pred": "i1", "c64": "complex<f32>"}.get(name, name)


def array_shape(dtype, sizes):
    return xla_client.Shape.array_shape(ELEMENT_TYPE[dtype], list(sizes))


def signature(arrays):
    """What inference sees of its arguments."""
    return tuple((name_of(array), array.shape) for array in arrays)


def build(function, arguments):
    """The computation function(*parameters), or function(builder) without arguments, and its shape.

    Raises XlaError with XLA's text where inference refuses."""
    builder = xla_client.XlaBuilder("case")
    parameters = [ops.Parameter(builder, i, array_shape(*argument)) for i, argument in enumerate(arguments)]
    root = function(*parameters) if parameters else function(builder)
    shape = builder.get_shape(root)  # raises the first error that the builder has kept
    return builder.build(root), shape


def _stablehlo(computation, patch):
    """The computation as text. `patch`, a pattern and its replacement, sets what the Python builder cannot."""
    text = xla_client._xla.mlir.xla_computation_to_mlir_module(computation)
    if patch is None:
        return text
    patched = re.sub(patch[0], patch[1], text)
    assert patched != text, text
    return patched


def execute(computation):
    """The result of a computation without parameters."""
    return np.array(_client.compile(_stablehlo(computation, None)).execute([])[0])


_executables = {}


def run(key, function, arrays, patch=None):
    """The compiled function's result. `key` names the function: one key and signature are compiled once."""
    key = (key, signature(arrays))
    if key not in _executables:
        if len(_executables) > 2000:
            _executables.clear()
        computation, _ = build(function, signature(arrays))
        _executables[key] = _client.compile(_stablehlo(computation, patch))
    buffers = [_client.buffer_from_pyval(row_major(array)) for array in arrays]
    return np.array(_executables[key].execute(buffers)[0])


def _constant(array):
    name = name_of(array)
    kind = "tensor<%s%s>" % ("".join("%dx" % size for size in array.shape), _mlir_type(name))
    if array.dtype == PRED:
        return "dense<%s> : %s" % (str(array.tolist()).lower(), kind)
    if name in ("s4", "u4"):
        return "dense<%s> : %s" % (str(array.astype(I32).tolist()), kind)
    return 'dense<"0x%s"> : %s' % (row_major(array).tobytes().hex().upper(), kind)


def _compile_on_constants(computation, arrays, patch):
    """The computation with the arrays in place of its parameters."""
    text = _stablehlo(computation, patch)
    head = re.search(r"(@main)\((.*)\)( -> .*\{\n)", text)
    constants = "".join("    %%arg%d = stablehlo.constant %s\n" % (i, _constant(a)) for i, a in enumerate(arrays))
    return _client.compile(text[: head.start()] + head.group(1) + "()" + head.group(3) + constants + text[head.end() :])


def evaluate(function, arrays, patch=None):
    """What constant folding makes of the function: the reference interpreter on the host, with the C library's
    functions. None where XLA has not folded the whole computation.

    Folding keeps subnormals, but runs costly operations over some hundred elements on several threads, and all but the
    first flush subnormals as compiled code does. Where that cut falls depends on the number of processors; the golden
    files were made on two."""
    computation, _ = build(function, signature(arrays))
    executable = _compile_on_constants(computation, arrays, patch)
    entry = executable.hlo_modules()[0].to_string().split("ENTRY")[1]
    body = entry[entry.index("{\n") + 2 :]
    left = set(re.findall(r"= \S+ ([\w\-]+)\(", body))
    if not left <= {"constant", "broadcast", "copy", "bitcast", "reshape"}:
        return None
    return np.array(executable.execute([])[0])


# Many questions at once: compiling is what takes the time.


def _together(questions):
    """One computation with a tuple of results, of (function, arrays) each."""
    builder = xla_client.XlaBuilder("batch")
    results = []
    count = 0
    for function, arrays in questions:
        parameters = []
        for array in arrays:
            parameters.append(ops.Parameter(builder, count, array_shape(name_of(array), array.shape)))
            count += 1
        results.append(function(*parameters) if parameters else function(builder))
    return builder.build(ops.Tuple(builder, results))


def run_together(questions, patch):
    """What run() gives for each."""
    executable = _client.compile(_stablehlo(_together(questions), patch))
    buffers = [_client.buffer_from_pyval(row_major(array)) for _, arrays in questions for array in arrays]
    return [np.array(result) for result in executable.execute(buffers)]


def evaluate_together(questions, patch):
    """What evaluate() gives for each: the value of constant folding, None for what was not folded."""
    arrays = [array for _, arrays in questions for array in arrays]
    executable = _compile_on_constants(_together(questions), arrays, patch)
    results = [np.array(result) for result in executable.execute([])]
    opcodes, sources, root = _instructions(executable.hlo_modules()[0].to_string().split("\nENTRY")[1])

    def folded(name, depth=0):
        if opcodes[name] in ("constant", "iota"):
            return True
        moves = opcodes[name] in ("broadcast", "copy", "bitcast", "reshape")
        return moves and depth < 9 and all(folded(source, depth + 1) for source in sources[name] if source in opcodes)

    names = [name for name in sources[root] if name in opcodes] if opcodes[root] == "tuple" else [root]
    if len(names) != len(results):
        return [None] * len(results)
    return [result if folded(name) else None for name, result in zip(names, results)]


def _instructions(entry):
    """Of the text of HLO's entry computation: each instruction's opcode and operands, and which one is the root."""
    opcodes, sources, root = {}, {}, None
    for line in entry.splitlines():
        instruction = re.match(r"\s*(ROOT )?%?([\w.\-]+) = .*? ([a-z][\w\-]*)\((.*)", line)
        if instruction:
            is_root, name, opcode, rest = instruction.groups()
            opcodes[name] = opcode
            sources[name] = re.findall(r"%?([A-Za-z][\w.\-]*)", rest.split("), ")[0])
            root = name if is_root else root
    return opcodes, sources, root


def refusal(function, arrays, patch):
    """Who refuses, and with which text: inference ("builder") or the compiler behind it. None where neither does."""
    try:
        computation, _ = build(function, signature(arrays))
    except XlaError as error:
        return "builder", str(error)
    try:
        _client.compile(_stablehlo(computation, patch))
    except XlaError as error:
        return "compiler", str(error)
    return None
