"""The stubs name what the package has, and pyright accepts them in strict mode."""

from __future__ import annotations

import ast
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import indim as xp
from indim import _core

PACKAGE = Path(xp.__file__).parent

PROGRAM = """
import numpy as np
import indim as xp

x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
v = xp.arange(2, dtype=xp.float32)
y: xp.Array = xp.tanh(x * 2.0 + v.in_dim([0]))[1:, ::-1] - np.ones(2, np.float32)
y[..., 0] = 5
y += 1
mask: xp.Array = (y > 0) & (y == y)
z: float = float(xp.sum(xp.where(mask, y, 0)))
values, counts = xp.unique_counts(x)
order: xp.Array = (x @ x.T).argsort() + counts + xp.take(values, [0], axis=0)
before: str = xp.set_host_fallback("allow")
shape: tuple[int, ...] = xp.add(x, v, broadcast_dimensions=[0]).shape
host: np.ndarray = np.asarray(y)
scale = xp.function("fn scale(x: f32, by: f32) -> f32 { return x * by; }", cost="cheap")
y = scale(x, v.in_dim([1])) + scale(x, 2)
program = xp.stablehlo("func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
z, types = float(program(1.0)), program.parameters


@xp.jit(static_argnums=1)
def times(x: float, n: int) -> float:
    return x * n


xp.eval(x, y)
print(z, shape, host, xp.explain(y), xp.finfo(xp.float32).eps, xp.Array)
"""


def names(stub: str) -> dict[str, ast.AST]:
    """Return the functions, classes and constants of a stub."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse((PACKAGE / stub).read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return found


def test_the_stub_has_every_name() -> None:
    """No more and no fewer, with the parameters that there are."""
    stub = {name: node for name, node in names("__init__.pyi").items() if name[:1] != "_"}
    # These are there, and `import *` does not take them.
    hidden = {"InDim", "Explanation", "Function", "Program", "complex128"}
    errors = {"DeviceError", "FunctionError", "NoAdapterError", "ProgramError"}
    public = set(xp.__all__) - errors
    assert {name for name in public if name[:1] != "_"} == set(stub) - hidden
    for name, node in stub.items():
        function = getattr(xp, name, None)
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(function):
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            variable = [each for each in (node.args.vararg, node.args.kwarg) if each]
            wanted = sorted(argument.arg for argument in parameters + variable)
            assert wanted == sorted(inspect.signature(function).parameters), name


def test_the_stub_has_every_method() -> None:
    """The class in the stub is the class."""
    scale = xp.function("fn scale(x: f32) -> f32 { return 2.0 * x; }")
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    program = xp.stablehlo(text)
    for kind in (xp.Array, type(xp.ones(1).in_dim([0])), type(scale), type(program)):
        node = names("__init__.pyi")[kind.__name__]
        assert isinstance(node, ast.ClassDef)
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                assert hasattr(kind, member.name), member.name
            if isinstance(member, ast.FunctionDef) and not any(
                isinstance(each, ast.Name) and each.id == "property"
                for each in member.decorator_list
            ):
                arguments = member.args
                parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                method = getattr(kind, member.name)
                if inspect.isfunction(method) and not member.name.startswith("__"):
                    found = inspect.signature(method).parameters.values()
                    wanted = [each.name for each in found if each.kind is not each.VAR_POSITIONAL]
                    assert [each.arg for each in parameters] == wanted, member.name
        stubbed = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
        public = {name for name in dir(kind) if not name.startswith("_")}
        assert public <= stubbed


def test_the_core_has_what_its_stub_says() -> None:
    """The extension module and its description cannot drift apart."""
    for name in names("_core.pyi"):
        assert hasattr(_core, name), name


@pytest.mark.skipif(
    shutil.which("pyright") is None and shutil.which("npx") is None,
    reason="pyright comes by npm, and there is none",
)
def test_pyright_accepts_the_stubs_in_strict_mode(tmp_path: Path) -> None:
    """The stubs, and a program that uses them."""
    (tmp_path / "program.py").write_text("# pyright: strict\n" + PROGRAM)
    for stub in ("__init__.pyi", "_core.pyi"):
        target = tmp_path / "indim" / stub
        target.parent.mkdir(exist_ok=True)
        target.write_text("# pyright: strict\n" + (PACKAGE / stub).read_text())
    (tmp_path / "indim" / "py.typed").touch()
    command = ["pyright"] if shutil.which("pyright") else ["npx", "--yes", "pyright@1.1"]
    done = subprocess.run(
        [*command, "--pythonpath", sys.executable, "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
