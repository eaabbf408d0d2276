"""The docstring of each function of the namespace has an example, which gives what it shows."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import warnings
from types import FunctionType

import pytest

import indim as xp

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FUNCTIONS = {
    name: getattr(xp, name) for name in xp.__all__ if isinstance(getattr(xp, name), FunctionType)
}
EXTENSIONS = {
    f"{module}.{name}": getattr(getattr(xp, module), name)
    for module in ("fft", "linalg")
    for name in getattr(xp, module).__all__
    if isinstance(getattr(getattr(xp, module), name), FunctionType)
}
EXTENSIONS["lib.stride_tricks.sliding_window_view"] = xp.lib.stride_tricks.sliding_window_view


def test_there_are_functions() -> None:
    """The namespace has more than the standard's."""
    assert len(FUNCTIONS) > 150


@pytest.mark.parametrize("name", [*FUNCTIONS, *EXTENSIONS, "Array"])
def test_the_example_gives_what_it_shows(name: str) -> None:
    """As `help` shows it."""
    documented = (FUNCTIONS | EXTENSIONS).get(name, xp.Array)
    if name == "jit" and importlib.util.find_spec("jax") is None:
        pytest.skip("jax is not installed")
    (test,) = doctest.DocTestFinder(recurse=False).find(documented, name, globs={})
    assert test.examples, f"the docstring of {name} has no example"
    said: list[str] = []
    xp.set_host_fallback("warn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xp.HostFallbackWarning)
        doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append)
    assert not said, "".join(said)


def test_methods_have_docstrings() -> None:
    """Of one sentence at least."""
    for name, method in inspect.getmembers(xp.Array):
        if not name.startswith("_"):
            assert (inspect.getdoc(method) or "").endswith("."), name
