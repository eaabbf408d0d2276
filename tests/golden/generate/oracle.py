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

from arrays import PRED, name_of, row_major

ops = xla_client.ops
XlaError = xla_client.XlaRuntimeError
_client = xla_client.make_cpu_client()

ELEMENT_TYPE = {
    "f32": xla_client.PrimitiveType.F32,
    "i32": xla_client.PrimitiveType.S32,
    "u32": xla_client.PrimitiveType.U32,
    "pred": xla_client.PrimitiveType.PRED,
}
MLIR_TYPE = {"f32": "f32", "i32": "i32", "u32": "ui32", "pred": "i1"}


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
    kind = "tensor<%s%s>" % ("".join("%dx" % size for size in array.shape), MLIR_TYPE[name_of(array)])
    if array.dtype == PRED:
        return "dense<%s> : %s" % (str(array.tolist()).lower(), kind)
    return 'dense<"0x%s"> : %s' % (row_major(array).tobytes().hex().upper(), kind)


def evaluate(function, arrays, patch=None):
    """What constant folding makes of the function: the reference interpreter on the host, with the C library's
    functions. None where XLA has not folded the whole computation.

    Folding keeps subnormals, but runs costly operations over some hundred elements on several threads, and all but the
    first flush subnormals as compiled code does. Where that cut falls depends on the number of processors; the golden
    files were made on two."""
    computation, _ = build(function, signature(arrays))
    text = _stablehlo(computation, patch)
    head = re.search(r"(@main)\((.*)\)( -> .*\{\n)", text)
    constants = "".join("    %%arg%d = stablehlo.constant %s\n" % (i, _constant(a)) for i, a in enumerate(arrays))
    text = text[: head.start()] + head.group(1) + "()" + head.group(3) + constants + text[head.end() :]
    executable = _client.compile(text)
    entry = executable.hlo_modules()[0].to_string().split("ENTRY")[1]
    body = entry[entry.index("{\n") + 2 :]
    left = set(re.findall(r"= \S+ ([\w\-]+)\(", body))
    if not left <= {"constant", "broadcast", "copy", "bitcast", "reshape"}:
        return None
    return np.array(executable.execute([])[0])
