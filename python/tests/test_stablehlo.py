"""Programs in StableHLO: JAX's with its results, arguments that do not fit, and refusals."""

from __future__ import annotations

import pickle
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import has_float64
from test_process import run

import indim as xp

# `programs.py` there wrote them.
JAX = Path(__file__).parents[2] / "stablehlo" / "tests" / "jax"

PROGRAMS = """
gelu gelu_tanh softmax layer_norm cross_entropy adam batch_statistics masked_mean argmax integers
quantise mixed_types complex grad matmul moves doubles nan_statistics
""".split()

SCALED = """
module @jit_f {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<f32> {jax.arg_info = "by['s']"},
                         %arg2: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
    %c = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
    %2 = stablehlo.multiply %1, %c : tensor<3xf32>
    return %2, %arg2 : tensor<3xf32>, tensor<i32>
  }
  func.func public @flag(%p: tensor<i1>) -> tensor<i1> {
    %0 = stablehlo.not %p : tensor<i1>
    return %0 : tensor<i1>
  }
}"""

REFUSED = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sort %x : tensor<3xf32>
  %1 = stablehlo.fft %0, type = FFT : tensor<3xf32>
  %2 = stablehlo.sort %1 : tensor<3xf32> loc("jit(f)/sort"("model.py":7:4))
  return %2 : tensor<3xf32>
}"""

X = np.asarray([1, 2, 3], np.float32)


@pytest.mark.parametrize("suffix", [".mlir", ".export.mlir"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_jax_give_its_results(name: str, suffix: str) -> None:
    """Within the rounding of their types, whose types and shapes the results have."""
    if name == "doubles" and not has_float64():
        pytest.skip("the adapter has no float64")
    arrays = np.load(JAX / f"{name}.npz")
    inputs = [arrays[f"in{i}"] for i in range(len(arrays)) if f"in{i}" in arrays]
    expected = [arrays[f"out{i}"] for i in range(len(arrays)) if f"out{i}" in arrays]
    program = xp.stablehlo((JAX / f"{name}{suffix}").read_text())
    found = program(*inputs)
    found = found if isinstance(found, tuple) else (found,)
    assert [(x.dtype, x.shape) for x in found] == list(program.results)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        tolerance = {"float64": 1e-11, "float16": 4e-3, "bfloat16": 3e-2}.get(ours.dtype.name, 2e-5)
        # NumPy has no bfloat16: those were given in float32.
        values = np.asarray(ours.astype(xp.float32) if ours.dtype == xp.bfloat16 else ours)
        assert values.dtype == theirs.dtype
        np.testing.assert_allclose(values, theirs, rtol=tolerance, atol=tolerance)


def test_a_program_tells_what_it_takes_and_gives() -> None:
    """By JAX's names of arguments, where it has them; a pickle reads the text again."""
    program = xp.stablehlo(SCALED)
    assert program.name == "main"
    assert program.parameters == (
        ("arg0", xp.float32, (3,)),
        ("by['s']", xp.float32, ()),
        ("arg2", xp.int32, ()),
    )
    assert program.results == ((xp.float32, (3,)), (xp.int32, ()))
    assert repr(program) == (
        "<indim.stablehlo main(arg0: float32[3], by['s']: float32[], arg2: int32[]) -> "
        "float32[3], int32[]>"
    )
    again = pickle.loads(pickle.dumps(xp.stablehlo(SCALED, function="flag")))
    assert again.name == "flag"
    assert not again(True)


def test_arguments_are_arrays_or_numbers() -> None:
    """Of this package, of NumPy, or whatever has elements; numbers where the rank is 0."""

    class Elements:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return X

    program = xp.stablehlo(SCALED)
    for x in (X, xp.asarray(X), xp.asarray(X) * 1, Elements()):
        for by in (2, 2.0, np.float32(2), xp.asarray(2.0), np.asarray(2, np.float32)):
            scaled, number = program(x, by, 7)
            assert scaled.tolist() == [2, 8, 24]
            assert number.dtype == xp.int32 and int(number) == 7


def test_arguments_are_computed_once_and_results_are_there(dispatches: Callable[[], int]) -> None:
    """One kernel for the argument, one for the program, and none for what follows."""
    program = xp.stablehlo(SCALED)
    x = xp.asarray(X) + 1
    program(x, 2.0, 7)
    dispatches()
    y = x * 2
    first, _ = program(y, 2.0, 7)
    assert dispatches() == 2
    second, _ = program(y, 3.0, 7)
    assert dispatches() == 1
    xp.eval(first, second)
    assert dispatches() == 0
    assert second.tolist() == [12, 36, 96]
    first += 1
    assert y.tolist() == [4, 6, 8]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((X,), TypeError, r"main takes 3 arguments \(arg0, by\['s'\], arg2\), and 1 are given"),
        ((X, 1, 2, 3), TypeError, "main takes 3 arguments .* and 4 are given"),
        ((X[:2], 1, 2), ValueError, r"argument 0 \(arg0\) is float32\[3\], and shape \[2\] is giv"),
        ((1.0, 1, 2), ValueError, r"main: argument 0 \(arg0\) is float32\[3\], and the number 1.0"),
        ((X, X, 2), ValueError, r"argument 1 \(by\['s'\]\) is float32\[\], and shape \[3\]"),
        (
            (X.astype(np.int32), 1, 2),
            TypeError,
            r"argument 0 \(arg0\) is float32\[3\], and int32\[3\] is given: convert it by "
            r".astype\(indim.float32\)",
        ),
        ((X, 1j, 2), TypeError, r"argument 1 \(by\['s'\]\) is float32\[\], which does not hold 1j"),
        ((X, 1, 2.5), TypeError, r"argument 2 \(arg2\) is int32\[\], which does not hold 2.5"),
        ((X, 1, 2**40), OverflowError, "out of bounds for int32"),
        (([1, 2, 3], 1, 2), TypeError, r"and a list is given: indim.asarray\(x\) makes an array"),
    ],
)
def test_arguments_that_do_not_fit(
    arguments: tuple[object, ...], error: type[Exception], words: str
) -> None:
    """The message names the argument, what it must be and what to do."""
    with pytest.raises(error, match=words):
        xp.stablehlo(SCALED)(*arguments)


def test_a_function_is_chosen() -> None:
    """`main`, else the only public one; others by name."""
    public = """
    func.func @f() -> tensor<i32> {
      %0 = stablehlo.constant dense<3> : tensor<i32>
      return %0 : tensor<i32>
    }"""
    assert int(xp.stablehlo(public)()) == 3
    with pytest.raises(ValueError, match="none is main: choose one by function=, of f, g"):
        xp.stablehlo(public + public.replace("@f", "@g"))
    with pytest.raises(xp.ProgramError, match="no function `@g`(.|\n)*it has `@main`, `@flag`"):
        xp.stablehlo(SCALED, function="g")
    with pytest.raises(TypeError, match=r"not a bytes: JAX gives it by lowered.as_text\(\)"):
        xp.stablehlo(SCALED.encode())  # type: ignore[arg-type]


def test_refusals_are_those_of_the_command() -> None:
    """All at once, with their lines, and with the place in Python where it is known."""
    with pytest.raises(xp.ProgramError) as raised:
        xp.stablehlo(REFUSED)
    assert isinstance(raised.value, ValueError)
    found = str(raised.value)
    assert found == textwrap.dedent(
        """\
        <stablehlo> is refused for 3 reasons
        error: stablehlo.sort: this operation is not implemented
         --> <stablehlo>:3:8
          |
          |   %0 = stablehlo.sort %x : tensor<3xf32>
          |        ^^^^^^^^^^^^^^
          = also: line 5 (model.py:7:4, jit(f)/sort)
          = help: stablehlo/README.md lists those that are; compute its result in another way
        error: stablehlo.fft: this operation is not implemented
         --> <stablehlo>:4:8
          |
          |   %1 = stablehlo.fft %0, type = FFT : tensor<3xf32>
          |        ^^^^^^^^^^^^^
          = help: stablehlo/README.md lists those that are; compute its result in another way
        """
    )
    with pytest.raises(xp.ProgramError, match="is refused for this reason\nerror: expected"):
        xp.stablehlo("func.func @main(")
    with pytest.raises(xp.ProgramError, match=r"reverse \(C3\)"):
        xp.stablehlo(
            "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
            "  %0 = stablehlo.reverse %x, dims = [1] : tensor<3xf32>\n"
            "  return %0 : tensor<3xf32>\n}"
        )


def test_a_program_outlives_its_device_twice() -> None:
    """Its constants are uploaded again; arguments that only the device had are lost."""
    script = """
        import os, indim as xp
        from indim import _core

        program = xp.stablehlo(os.environ["PROGRAM"])
        for _ in range(3):
            gone = xp.asarray([1.0, 2.0, 3.0]) + 1
            assert program(xp.asarray([1.0, 2.0, 3.0]), 2.0, 7)[0].tolist() == [2.0, 8.0, 24.0]
            xp.eval(gone)
            _core.destroy_device()
        try:
            program(gone, 2.0, 7)[0].tolist()
        except xp.DeviceError as error:
            assert "make the arrays anew" in str(error), error
        else:
            raise AssertionError("its elements are gone")
    """
    done = run(script, PROGRAM=SCALED)
    assert done.returncode == 0, done.stderr


def test_a_forked_child_may_drop_a_program() -> None:
    """And gets an error where it calls one."""
    done = run(
        """
        import os, indim as xp
        program = xp.stablehlo(os.environ["PROGRAM"])
        program(xp.ones(3), 2.0, 7)
        child = os.fork()
        if child == 0:
            try:
                program(xp.ones(3), 2.0, 7)
            except RuntimeError as error:
                assert "forked" in str(error), error
                del program
                os._exit(7)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        """,
        PROGRAM=SCALED,
    )
    assert done.returncode == 0, done.stderr


def test_without_jax_the_error_says_how_to_install_it() -> None:
    """Only `indim.jit` needs it."""
    done = run(
        """
        import sys
        sys.modules["jax"] = None
        import indim as xp
        try:
            xp.jit(abs)
        except ImportError as error:
            print(error)
        """
    )
    assert "which is not installed: pip install 'indim[jax]'" in done.stdout, done.stderr
