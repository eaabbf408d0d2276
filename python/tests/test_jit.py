"""Functions of JAX, computed here: values, types, structures, caches, and refusals by line."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import has_float64
from test_process import run

import indim as xp

PACKAGE = Path(__file__).parent.parent

random = np.random.default_rng(1)
X = random.standard_normal((4, 6)).astype(np.float32)
W, V = (random.standard_normal(6).astype(np.float32) for _ in range(2))


def layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    """Return rows with a mean of 0 and a variance of 1, scaled and shifted."""
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def counted(function: Callable[..., Any]) -> tuple[Any, list[int]]:
    """Return a function of JAX, and a list that grows by one when it is traced."""
    traced: list[int] = []

    def counting(*args: Any, **kwargs: Any) -> Any:
        traced.append(1)
        return function(*args, **kwargs)

    return xp.jit(counting), traced


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (jax.nn.gelu, (X,)),
        (lambda x: jax.nn.gelu(x, approximate=False), (X,)),
        (jax.nn.softmax, (X,)),
        (jax.nn.log_softmax, (X,)),
        (layer_norm, (X, W, V)),
        (jax.vmap(jnp.dot), (X, X)),
        (lambda x: (x.var(0), x.argmax(1), x > 0), (X,)),
        (jax.grad(lambda x: (jnp.tanh(x) ** 2).sum()), (X,)),
    ],
)
def test_values_are_those_of_jax(
    function: Callable[..., Any], arguments: tuple[np.ndarray, ...]
) -> None:
    """For arrays of this package, of NumPy and of JAX."""
    expected = jax.tree.leaves(jax.jit(function)(*arguments))
    ours = xp.jit(function)
    for convert in (xp.asarray, np.asarray, jnp.asarray):
        found = jax.tree.leaves(ours(*map(convert, arguments)))
        assert len(found) == len(expected)
        for x, y in zip(found, expected, strict=True):
            assert type(x) is xp.Array and (x.dtype, x.shape) == (y.dtype, y.shape)
            np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=2e-5, atol=2e-5)


def test_a_loss_with_its_gradients_is_in_the_parameters_structure() -> None:
    """A step of training, with the dictionary of parameters that JAX has."""

    def loss(parameters: dict[str, Any], x: Any, y: Any) -> Any:
        score = (x * parameters["w"]).sum(-1) + parameters["b"]
        return jnp.logaddexp(0.0, -y * score).mean()

    step = jax.value_and_grad(loss)
    y = np.asarray([1, -1, 1, -1], np.float32)
    parameters = {"w": xp.asarray(W), "b": xp.asarray(0.5)}
    ours = xp.jit(step)
    for _ in range(3):
        expected, gradients = step({k: np.asarray(v) for k, v in parameters.items()}, X, y)
        value, found = ours(parameters, X, y)
        np.testing.assert_allclose(float(value), expected, rtol=1e-5)
        assert found.keys() == gradients.keys()
        for name, gradient in gradients.items():
            np.testing.assert_allclose(np.asarray(found[name]), gradient, rtol=2e-5, atol=2e-6)
        parameters = {name: x - 0.1 * found[name] for name, x in parameters.items()}


Pair = namedtuple("Pair", "first second")


def test_arguments_and_results_are_nested() -> None:
    """Tuples, lists, dictionaries, named tuples and None, by position and by name."""

    @xp.jit
    def nested(pair: Any, *, more: Any) -> Any:
        assert more["none"] is None
        return [pair.first + 1, {"sum": pair.second[0] + pair.second[1], "x": more["x"]}, None, ()]

    one, two = xp.asarray([1.0]), xp.asarray([2.0])
    first, found, none, empty = nested(Pair(one, [two, 3.0]), more={"x": two, "none": None})
    assert (first.tolist(), found["sum"].tolist(), found["x"].tolist()) == ([2], [5], [2])
    assert none is None and empty == ()
    # A parameter that is not used stays one.
    assert xp.jit(lambda x, y: y * 2)(X, 3.0).tolist() == 6
    assert xp.jit(lambda: jnp.arange(3))().tolist() == [0, 1, 2]


def test_a_function_is_lowered_once_for_each_type_and_shape() -> None:
    """Neither values nor the kind of array matter; structures do."""
    double, traced = counted(lambda x: jax.tree.map(lambda y: y * 2, x))
    for x in (xp.ones(3), xp.zeros(3), np.ones(3, np.float32), xp.ones(3) + 1):
        double(x)
    assert len(traced) == 1
    for x in (1.0, 2.0, -1.5):
        assert float(double(x)) == 2 * x
    assert len(traced) == 2
    for number, x in enumerate([xp.ones(4), xp.ones((1, 3)), xp.ones(3, dtype=xp.int32), 1, True]):
        double(x)
        assert len(traced) == 3 + number
    double([xp.ones(3)])
    double((xp.ones(3),))
    assert len(traced) == 9
    double.clear_cache()
    double(xp.ones(3))
    # JAX has its own cache of what was traced.
    assert len(traced) == 9


def test_a_call_records_the_programs_kernels(dispatches: Callable[[], int]) -> None:
    """And the device is asked for nothing else."""
    gelu = xp.jit(jax.nn.gelu)
    x = xp.asarray(X)
    gelu(x)
    dispatches()
    y = gelu(x)
    assert dispatches() == 1
    xp.eval(y)
    assert dispatches() == 0


def test_jax_compiles_and_computes_nothing() -> None:
    """Its own compiler is never asked."""
    done = run(
        """
        import jax, jax.numpy as jnp, indim as xp
        events = []
        listener = lambda name, *_, **__: events.append(name)
        jax.monitoring.register_event_duration_secs_listener(listener)
        y = xp.jit(lambda x: jax.nn.gelu(x) @ jnp.ones((3, 2)))(xp.ones((2, 3)))
        assert y.shape == (2, 2)
        compiled = lambda: [name for name in events if "backend_compile" in name]
        print(compiled())
        jax.jit(lambda x: x + 1)(1.0).block_until_ready()
        assert compiled(), events
        """
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_static_arguments_are_passed_on() -> None:
    """By place or by name; equal values of other types are others."""

    def power(x: Any, n: Any, *, up: Any = True) -> Any:
        assert type(n) in (int, float) and type(up) is bool
        return x**n if up else x ** (-n)

    x = xp.asarray([2.0])
    for jitted in (
        xp.jit(power, static_argnums=1, static_argnames="up"),
        xp.jit(power, static_argnames=["n", "up"]),
    ):
        assert jitted(x, 3).tolist() == jitted(x, 3.0).tolist() == [8]
        assert jitted(x, 1, up=False).tolist() == [0.5]
    # One that is not given is found by the other.
    assert xp.jit(lambda x, n: x * range(n)[2], static_argnums=1)(x, n=3).tolist() == [4]
    by_place = xp.jit(lambda n, x: x * len(n), static_argnums=(0,))
    assert by_place("abc", x).tolist() == [6]
    assert by_place(n="abc", x=x).tolist() == [6]
    assert xp.jit(lambda x, n: x * n, static_argnums=-1)(x, 2).tolist() == [4]
    with pytest.raises(TypeError, match=r"<lambda>: static arguments are hashed: .*list"):
        by_place([1], x)


def test_it_decorates_functions_and_methods() -> None:
    """With options and without; the function's name and help stay."""

    @xp.jit
    def named(x: Any) -> Any:
        """Return it."""
        return x

    @xp.jit(static_argnames="n")
    def times(x: Any, n: int) -> Any:
        return x * n

    class Scale:
        @xp.jit(static_argnums=0)
        def by_two(self, x: Any) -> Any:
            return x * 2

    assert (named.__name__, inspect.getdoc(named)) == ("named", "Return it.")
    assert repr(named) == "<indim.jit named>"
    assert named(xp.ones(2)).tolist() == [1, 1]
    assert times(xp.ones(2), n=3).tolist() == [3, 3]
    assert Scale().by_two(xp.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize(
    "dtype",
    "bool int8 int16 int32 int64 uint8 uint32 uint64 float16 bfloat16 complex64".split(),
)
def test_the_arrays_types_decide(dtype: str) -> None:
    """64-bit ones, too, although JAX's own default has none."""
    x = xp.asarray([0, 1, 3], dtype=getattr(xp, dtype))
    assert not jax.config.jax_enable_x64
    y = xp.jit(lambda x: jnp.where(x == 1, x, ~x if x.dtype == bool else x + x))(x)
    assert y.dtype == x.dtype
    assert y.tolist() == ([True, True, True] if dtype == "bool" else [0, 1, 6])
    assert not jax.config.jax_enable_x64
    z = xp.jit(lambda x: x.sum())(x)
    assert z.tolist() == (2 if dtype == "bool" else 4)


def test_large_integers_are_not_narrowed() -> None:
    """As JAX does by default."""
    x = xp.asarray([2**40, -1])
    assert xp.jit(lambda x: x + 1)(x).tolist() == [2**40 + 1, 0]


def test_float64() -> None:
    """Where the adapter has it, with the numbers beside the arrays."""
    if not has_float64():
        with pytest.raises(TypeError, match="float64, which this adapter lacks"):
            xp.jit(jnp.sin)(np.ones(3))
        return
    x = xp.asarray([0.1, 0.2], dtype=xp.float64)
    y = xp.jit(lambda x, s: jnp.exp(x) * s)(x, 0.1)
    assert y.dtype == xp.float64
    np.testing.assert_allclose(np.asarray(y), np.exp([0.1, 0.2]) * 0.1, rtol=1e-14)


def test_numbers_are_weak() -> None:
    """They take the types of the arrays beside them, and have JAX's defaults alone."""
    ours = xp.jit(lambda x, s: x * s)
    half = xp.ones(2, dtype=xp.float16)
    for x, s, dtype in (
        (half, 3, "float16"),
        (half, 0.5, "float16"),
        (half, True, "float16"),
        (xp.ones(2, dtype=xp.int8), 3, "int8"),
        (xp.ones(2, dtype=xp.int32), 0.5, "float32"),
        (xp.ones(2), 1j, "complex64"),
        # Integers of 64 bits do not make numbers float64, which few adapters have.
        (xp.ones(2), 2**40, None),
        (2, 3, "int32"),
        (2.0, 3, "float32"),
    ):
        if dtype is None:
            with pytest.raises(OverflowError, match="out of bounds for int32"):
                ours(x, s)
            continue
        y = ours(x, s)
        assert y.dtype.name == dtype
        assert np.all(np.asarray(y) == (np.asarray(x) if isinstance(x, xp.Array) else x) * s)
    both = xp.jit(lambda x, n, s: (x * s, n))
    assert both(xp.ones(2), xp.asarray([1]), 0.5)[0].dtype == xp.float32


def test_refusals_name_the_line_in_python() -> None:
    """All of them, that of the primitive or of the call that JAX made of it."""

    def refused(x: Any) -> Any:
        y = jnp.sort(x)
        z = jnp.fft.fft(x)
        return jnp.cumsum(y, 1) + z

    _, first = inspect.getsourcelines(refused)
    with pytest.raises(xp.ProgramError) as raised:
        xp.jit(refused)(X)
    found = str(raised.value)
    assert found.startswith("jit(refused) is refused for 3 reasons\n"), found
    for line, word in ((1, "sort"), (2, "fft"), (3, "(cumsum|reduce_window)")):
        place = rf"{re.escape(__file__)}:{first + line}:\d+"
        assert re.search(rf"= from: {place}, .*{word}", found), found


def test_what_cannot_be_traced_is_named() -> None:
    """By its place among the arguments."""
    double = xp.jit(lambda x, **more: x)
    with pytest.raises(TypeError, match=r"<lambda>: args\[0\]\['mode'\]\[1\] is a str, neither an"):
        double({"x": X, "mode": [1.0, "fast"]})
    with pytest.raises(TypeError, match=r"kwargs\['mode'\] is a str.*static_argnames"):
        double(X, mode="fast")
    with pytest.raises(TypeError, match=r"as in indim.jit\(jax.grad\(f\)\)"):
        jax.grad(lambda x: double(x))(1.0)
    with pytest.raises(TypeError, match=r"args\[1\] is a str"):
        xp.jit(lambda n, x: x, static_argnums=0)(1, "fast")
    # JAX's own errors of shapes are as they are.
    with pytest.raises(TypeError, match="incompatible shapes"):
        xp.jit(lambda x, y: x + y)(xp.ones(3), xp.ones(2))


@pytest.mark.parametrize("page", [PACKAGE / "README.md", PACKAGE.parent / "README.md"])
def test_the_code_of_the_pages_prints_what_they_say(page: Path) -> None:
    """The block with a function of JAX's, whose last line ends in what is printed."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [code for code in blocks if ".jit" in code]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, str(page), "exec"), {"ix": xp})
    # Functions may differ in their last digits on other adapters.
    found, expected = (
        [float(number) for number in re.findall(r"-?\d+\.\d+", text)]
        for text in (printed.getvalue(), block.rpartition("# ")[2])
    )
    assert len(found) > 1
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_arrays_of_jax_in_a_function_are_constants() -> None:
    """Also those whose elements the text has as bytes."""
    row = jnp.asarray(W)
    np.testing.assert_array_equal(np.asarray(xp.jit(lambda x: x + row)(X)), X + W)
    with pytest.raises(xp.ProgramError, match="custom.*callback(.|\n)*= from: .*test_jit.py"):
        xp.jit(lambda x: [jax.debug.print("{}", x), x][1])(X)
