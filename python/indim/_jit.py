"""Functions of JAX, lowered by JAX and computed here."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any, Final

import numpy as np

from ._array import Array, operand, wrap
from ._core import Expr
from ._dtypes import DTYPES
from ._host import from_numpy
from ._stablehlo import Program

# The types that JAX has with `jax_enable_x64` only.
_WIDE: Final = frozenset({"s64", "u64", "f64"})


def _jax() -> Any:
    """Return JAX, which is imported when it is needed."""
    try:
        import jax
    except ImportError as error:
        raise ImportError(
            "indim.jit lowers functions with JAX, which is not installed: pip install 'indim[jax]'"
        ) from error
    return jax


class Jitted:
    """A function of JAX that indim computes; `indim.jit` makes one."""

    def __init__(
        self,
        function: Callable[..., Any],
        static_argnums: tuple[int, ...] | None,
        static_argnames: tuple[str, ...] | None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._jax = _jax()
        self._numbers, self._names = _static(function, static_argnums, static_argnames)
        # Unused parameters stay, so that those of the program are the arguments' leaves.
        self._jitted = self._jax.jit(
            function,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            keep_unused=True,
        )
        self._flatten = self._jax.tree_util.tree_flatten
        # Programs, each with the structure of its results.
        self._programs: dict[Any, tuple[Program, Any]] = {}
        self._name = getattr(function, "__name__", type(function).__name__)

    def __repr__(self) -> str:
        """Return the name of the function."""
        return f"<indim.jit {self._name}>"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Return the function, or the method of an object in whose class it is defined."""
        return self if instance is None else MethodType(self, instance)

    def clear_cache(self) -> None:
        """Forget all programs, with what they hold on the GPU."""
        self._programs.clear()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results, as arrays in the structure that the function gives them."""
        dynamic, static = self._parted(args, kwargs)
        leaves, tree = self._flatten(dynamic)
        given = (args, kwargs)
        values = [leaf if type(leaf) is Array else self._value(leaf, given) for leaf in leaves]
        of = tuple([(x._x.dtype, x._x.shape) if type(x) is Array else type(x) for x in values])
        key = (tree, of, static, self._jax.config.jax_enable_x64)
        try:
            found = self._programs.get(key)
        except TypeError as error:
            raise TypeError(f"{self._name}: static arguments are hashed: {error}") from None
        if found is None:
            found = self._programs[key] = self._lowered(args, kwargs, of, tree)
        program, structure = found
        return structure.unflatten(program._run(values))

    def _parted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Return the arguments that are traced, and the others with their types."""
        if not self._numbers and not self._names:
            return (args, kwargs), ()
        numbers = self._static_numbers(args)
        static = [(i, type(args[i]), args[i]) for i in sorted(numbers)]
        static += [(k, type(kwargs[k]), kwargs[k]) for k in sorted(self._names & kwargs.keys())]
        positional = tuple(arg for i, arg in enumerate(args) if i not in numbers)
        named = {name: arg for name, arg in kwargs.items() if name not in self._names}
        return (positional, named), tuple(static)

    def _static_numbers(self, args: tuple[Any, ...]) -> set[int]:
        count = len(args)
        found = (number + count if number < 0 else number for number in self._numbers)
        return {number for number in found if 0 <= number < count}

    def _value(self, leaf: Any, given: Any) -> Any:
        """Return an argument as an array or a Python number."""
        if isinstance(leaf, self._jax.core.Tracer):
            raise TypeError(
                f"{self._name} was made by indim.jit, and JAX traces it: transform the function "
                "before, as in indim.jit(jax.grad(f))"
            )
        found = operand(leaf)
        if isinstance(found, Expr):
            return wrap(found)
        if found is not NotImplemented:
            return found
        if hasattr(leaf, "__array__"):
            return wrap(from_numpy(np.asarray(leaf)))
        raise TypeError(
            f"{self._name}: {self._place(leaf, given)} is a {type(leaf).__name__}, neither an "
            "array nor a number: name what is not traced in static_argnums or static_argnames"
        )

    def _place(self, leaf: Any, given: Any) -> str:
        """Return where a part of the arguments stands, in the words of Python."""
        tree_util = self._jax.tree_util
        for path, other in tree_util.tree_flatten_with_path(given)[0]:
            if other is leaf:
                kind = "args" if path[0].idx == 0 else "kwargs"
                return f"{kind}{tree_util.keystr(path[1:])}"
        return "an argument"

    def _lowered(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], of: tuple[Any, ...], tree: Any
    ) -> tuple[Program, Any]:
        """Return the function for these types and shapes as a program, and its results' structure.

        64-bit arrays turn `jax_enable_x64` on for that time: JAX would narrow them otherwise.
        """
        names = {key[0] for key in of if isinstance(key, tuple)}
        is_on = self._jax.config.jax_enable_x64
        wide = contextlib.nullcontext()
        if names & _WIDE and not is_on:
            wide = _enable_x64(self._jax)
        # Numbers are weak, as JAX's are: float64 where arrays are, and not where integers are.
        integers = np.int64 if is_on or names & _WIDE else np.int32
        floats = np.float64 if is_on or "f64" in names else np.float32
        numbers = {bool: np.bool_, int: integers, float: floats, complex: np.complex64}
        struct = self._jax.ShapeDtypeStruct
        structs = [
            struct(key[1], DTYPES[key[0]])
            if isinstance(key, tuple)
            else struct((), numbers[key], weak_type=key is not bool)
            for key in of
        ]
        positional, named = tree.unflatten(structs)
        rest, static = iter(positional), self._static_numbers(args)
        args = tuple(arg if i in static else next(rest) for i, arg in enumerate(args))
        kwargs = {name: named.get(name, arg) for name, arg in kwargs.items()}
        with wide:
            lowered = self._jitted.trace(*args, **kwargs).lower(lowering_platforms=("cpu",))
            text = lowered.as_text(debug_info=True)
        return Program(text, "main", f"jit({self._name})"), lowered.out_tree


def _enable_x64(jax: Any) -> Any:
    """Return a context in which JAX has 64-bit types."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64()


def _static(
    function: Callable[..., Any],
    numbers: tuple[int, ...] | None,
    names: tuple[str, ...] | None,
) -> tuple[frozenset[int], frozenset[str]]:
    """Return the places and the names of the arguments that are not traced.

    As in JAX, each is found by the other where only one is given.
    """
    found_numbers, found_names = set(numbers or ()), set(names or ())
    if (numbers is None) != (names is None):
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        for place, parameter in enumerate(parameters):
            if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
                continue
            if parameter.name in found_names:
                found_numbers.add(place)
            elif place in found_numbers or place - len(parameters) in found_numbers:
                found_names.add(parameter.name)
    return frozenset(found_numbers), frozenset(found_names)


def jit(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
) -> Any:
    """Return a function of JAX that takes and gives arrays of indim, computed on its GPU.

    JAX, which `pip install 'indim[jax]'` installs, lowers the function for the types and shapes of
    its arguments, once for each; it computes nothing, and needs no GPU. Arguments and results may
    be nested in tuples, lists, dictionaries and JAX's other containers. Arguments that
    `static_argnums` or `static_argnames` name are passed on as they are, and hashed.

    The types are those of the arrays; while 64-bit ones are lowered, JAX has `jax_enable_x64`.
    Python's numbers are weak, as in JAX. A call computes at once, without waiting for the GPU.

    Raises a ProgramError, a ValueError, where the function needs operations that are not
    implemented: it has all of them, with their lines in the source of the function.

    >>> import indim
    >>> norm = indim.jit(lambda x: (x * x).sum() ** 0.5)
    >>> print(norm(indim.asarray([3.0, 4.0])))
    5.0
    """
    if function is None:
        return functools.partial(
            jit, static_argnums=static_argnums, static_argnames=static_argnames
        )
    numbers = (static_argnums,) if isinstance(static_argnums, int) else static_argnums
    names = (static_argnames,) if isinstance(static_argnames, str) else static_argnames
    return Jitted(
        function,
        None if numbers is None else tuple(numbers),
        None if names is None else tuple(names),
    )
