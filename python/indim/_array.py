"""The array: a name's value, which is an expression until its elements are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from sys import getrefcount
from types import ModuleType, NotImplementedType
from typing import Any, ClassVar, Final, NoReturn
from weakref import ReferenceType

import numpy as np

from . import _core, _rules
from ._core import Expr
from ._device import DEVICE, check_device
from ._dtypes import DEFAULTS, DTYPES, as_dtype, name_of
from ._fallback import announce
from ._functions import FUNCTIONS
from ._gather import taken
from ._hints import ATTRIBUTES, function_name, hint
from ._host import from_numpy, scalar, to_numpy, weak_scalar
from ._in_dim import InDim
from ._indexing import View, as_value, assigned, host_key, parse, part, rows
from ._indices import indexed
from ._methods import Methods
from ._rules import Binary, Unary, cast
from ._seen import Seen
from ._shapes import integers
from ._temporaries import MOST, refuse_lost_assignment
from ._views import Link, has_base, linked, update, was_written
from ._words import translated

API_VERSION: Final = "2024.12"
_API_VERSIONS: Final = ("2021.12", "2022.12", "2023.12", API_VERSION)

_new = object.__new__


def wrap(x: Expr) -> Array:
    """Return an expression as an array."""
    array = _new(Array)
    array._x = x
    return array


def operand(value: Any) -> Any:
    """Return an operand as an expression or a weak Python scalar, or NotImplemented.

    NumPy's arrays and its scalars of integers become expressions, so that their types are strong;
    its scalars of floats are weak, as Python's are.
    """
    if isinstance(value, Array):
        return value._x
    if type(value) in DEFAULTS:
        return value
    if isinstance(value, np.generic):
        weak = weak_scalar(value)
        return from_numpy(np.asarray(value)) if weak is None else weak
    if isinstance(value, np.ndarray):
        return from_numpy(value)
    for kind in (int, float, complex):
        if isinstance(value, kind):
            return kind(value)
    return NotImplemented


def binary(
    rules: Binary, x1: Any, x2: Any, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    """Return a function of two operands, of which one may carry `in_dim`.

    Raises a TypeError for an unsupported operand, a ValueError for shapes that do not broadcast.
    """
    # A short way for most calls, as in `_operator`.
    if type(x1) is Array and broadcast_dimensions is None:
        x = x1._x
        array = _new(Array)
        try:
            if type(x2) is Array:
                y = x2._x
                array._x = rules[x.dtype, y.dtype](x, y)
                return array
            if type(x2) in DEFAULTS:
                array._x = rules[x.dtype, type(x2)](x, x2)
                return array
        except (TypeError, ValueError) as error:
            raise translated(error, rules.name) from None
    if isinstance(x1, InDim):
        x1, broadcast_dimensions = x1._checked(broadcast_dimensions)
    if isinstance(x2, InDim):
        x2, broadcast_dimensions = x2._checked(broadcast_dimensions)
    left, right = operand(x1), operand(x2)
    for given, found in ((x1, left), (x2, right)):
        if found is NotImplemented:
            raise TypeError(
                f"{rules.name} takes arrays and scalars, not a {type(given).__name__}: "
                "indim.asarray(x) makes an array of it"
            )
    if type(left) in DEFAULTS and type(right) in DEFAULTS:
        left = scalar(DEFAULTS[type(left)], left)
        right = scalar(DEFAULTS[type(right)], right)
    keys = (
        left.dtype if isinstance(left, Expr) else type(left),
        right.dtype if isinstance(right, Expr) else type(right),
    )
    try:
        if broadcast_dimensions is None:
            return wrap(rules[keys](left, right))
        return wrap(rules[keys](left, right, list(broadcast_dimensions)))
    except (TypeError, ValueError) as error:
        raise translated(error, rules.name) from None


def unary(rules: Unary, x: Any) -> Array:
    """Return a function of one operand."""
    found = x._x if type(x) is Array else operand(x)
    if found is NotImplemented:
        raise TypeError(
            f"{rules.name} takes an array, not a {type(x).__name__}: indim.asarray(x) makes an "
            "array of it"
        )
    if not isinstance(found, Expr):
        found = scalar(DEFAULTS[type(found)], found)
    try:
        return wrap(rules[found.dtype](found))
    except (TypeError, ValueError) as error:
        raise translated(error, rules.name) from None


def _operator(rules: Binary) -> Callable[[Array, Any], Any]:
    """Return the method of a binary operator."""

    def method(self: Array, other: Any, /) -> Any:
        # This is the hot path: one lookup finds the rule by the types of both operands.
        x = self._x
        try:
            if type(other) is Array:
                y = other._x
                made = rules[x.dtype, y.dtype](x, y)
            elif type(other) in DEFAULTS:
                made = rules[x.dtype, type(other)](x, other)
            else:
                return applied(rules, self, other)
        except (TypeError, ValueError) as error:
            raise translated(error, rules.name) from None
        array = _new(Array)
        array._x = made
        return array

    return _documented(method, f"Return `indim.{rules.name}(self, other)`.")


def _reflected(rules: Binary) -> Callable[[Array, Any], Any]:
    """Return the method of a binary operator whose array stands on the right."""

    def method(self: Array, other: Any, /) -> Any:
        if type(other) in DEFAULTS:
            x = self._x
            array = _new(Array)
            try:
                array._x = rules[type(other), x.dtype](other, x)
            except (TypeError, ValueError) as error:
                raise translated(error, rules.name) from None
            return array
        return applied(rules, other, self)

    return _documented(method, f"Return `indim.{rules.name}(other, self)`.")


def _in_place(rules: Binary) -> Callable[[Array, Any], Any]:
    """Return the method of an augmented assignment, which keeps the array's type and shape."""
    symbol = rules.name

    def method(self: Array, other: Any, /) -> Any:
        found = applied(rules, self, other)
        if found is NotImplemented:
            return NotImplemented
        x, made = self._x, found._x
        if made.shape != x.shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {x.shape} doesn't match the "
                f"broadcast shape {made.shape}"
            )
        if made.dtype != x.dtype:
            before, after = DTYPES[made.dtype], DTYPES[x.dtype]
            if not np.can_cast(before, after, "same_kind"):
                raise TypeError(
                    f"{symbol} gives {before.name}, which an array of {after.name} cannot hold: "
                    "write x = x.astype(...) before, or give the result a name of its own"
                )
            made = cast(made, x.dtype)
        update(self, made)
        return self

    words = f"Give this array the value of `indim.{rules.name}(self, other)`."
    return _documented(method, words)


def _of_key(array: Array, view: View) -> Link:
    """Return the link of a view that indexing takes."""
    return Link(array, lambda x: part(x, view), lambda x, value: assigned(x, view, value), view)


def _documented(method: Callable[..., Any], words: str) -> Callable[..., Any]:
    """Return a method with what `help` says of it."""
    method.__doc__ = words
    return method


def applied(rules: Binary, x1: Any, x2: Any) -> Any:
    """Return a binary operator's result for operands of any kind, or NotImplemented."""
    if isinstance(x1, _OPERANDS) and isinstance(x2, _OPERANDS):
        return binary(rules, x1, x2)
    return NotImplemented


_power: Final = _operator(_rules.POW)
_reflected_power: Final = _reflected(_rules.POW)


def _prefix(rules: Unary) -> Callable[[Array], Array]:
    """Return the method of an operator of one operand."""

    def method(self: Array, /) -> Array:
        return unary(rules, self)

    return _documented(method, f"Return `indim.{rules.name}(self)`.")


class Array(Methods, Seen):
    """An array on the GPU, or rather the expression that gives it.

    Operators and functions add to the expression. Looking at it, by `numpy.asarray`, `print`,
    `bool` or `indim.eval`, computes it. Slices, `x.T` and `x.reshape(...)` are views, as NumPy's:
    `x[1:3] = y` and `x += y` give a new value to this object, its views and what it is a view of.

    Arrays are made by `indim.asarray` and its kin, not by this class.

    >>> import indim
    >>> x = indim.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> x[1, 1:] = 0
    >>> print(x * 2 + indim.asarray([10.0, 20.0]).in_dim(0))
    [[12. 14. 16.]
     [28. 20. 20.]]
    """

    # What is not a view and has none leaves the last two unset: `__getattr__` answers None.
    __slots__ = ("__weakref__", "_link", "_views", "_x")
    # Of modules that import this one, or that it imports: an import in a method fails at the exit.
    _applied = staticmethod(applied)
    _namespace: ClassVar[ModuleType]
    _on_host: ClassVar[Callable[..., Any]]
    _of_ufunc: ClassVar[Callable[..., Any]]
    _unpickled: ClassVar[Callable[..., Array]]
    __hash__ = None  # type: ignore[assignment]
    # Above that of NumPy's arrays and below that of dask's, which asks for it.
    __array_priority__ = 10

    _x: Expr
    _link: Link | None
    _views: list[tuple[ReferenceType[Array], Callable[[Expr], Expr]]] | None

    def __new__(cls, *_: Any, **__: Any) -> Array:
        """Raise a TypeError: `indim.asarray` makes arrays."""
        raise TypeError("arrays are made by indim.asarray, indim.zeros and their kin")

    # What an array is.

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return DTYPES[self._x.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return self._x.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._x.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._x.size

    @property
    def itemsize(self) -> int:
        """The bytes of an element in the memory of the host."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements in the memory of the host."""
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> str:
        """The device, which is always "gpu"."""
        return DEVICE

    def __len__(self) -> int:
        """Return the size of the first dimension."""
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    # Other views and types of the same elements.

    @property
    def real(self) -> Array:
        """The real parts."""
        return unary(_rules.REAL, self)

    @property
    def imag(self) -> Array:
        """The imaginary parts."""
        return unary(_rules.IMAG, self)

    def astype(self, dtype: Any, /, *, copy: bool = True) -> Array:
        """Return the elements in another type; the array itself where nothing changes."""
        name = name_of(as_dtype(dtype))
        if name == self._x.dtype and not copy:
            return self
        return wrap(cast(self._x, name))

    def copy(self, order: str = "C") -> Array:
        """Return an array of the same value, which is not a view."""
        return wrap(self._x)

    def in_dim(self, broadcast_dimensions: int | Sequence[int]) -> InDim:
        """Return this array as an operand whose dimension i is `broadcast_dimensions[i]`.

        It is XLA's rule: `x + v.in_dim(0)` adds `v[i]` to row i of the matrix `x`. One dimension
        needs no list.
        """
        return InDim(self, integers(broadcast_dimensions))

    # Its parts.

    def __getitem__(self, key: Any, /) -> Array:
        """Return the elements that a key takes: a view, or a copy for masks and index arrays.

        Masks are read on the host, with the elements that they take.
        """
        view = parse(key, self._x.shape)
        if view is None:
            found = indexed(self._x, key)
            if found is None:
                announce("x[key]")
                found = from_numpy(taken(self._x, host_key(key)))
            return wrap(found)
        return linked(wrap(part(self._x, view)), _of_key(self, view))

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Give the elements that a key takes another value, in this array's type."""
        x = self._x
        view = parse(key, x.shape)
        if getrefcount(self) <= MOST and not has_base(self):
            refuse_lost_assignment()
        if was_written(value, self, view):
            return
        found = operand(value)
        if isinstance(found, Expr):
            found = as_value(found, x)
        elif found is NotImplemented:
            found = from_numpy(np.asarray(value, dtype=DTYPES[x.dtype]))
        else:
            found = scalar(x.dtype, found)
        update(self, assigned(x, key if view is None else view, found))

    def __iter__(self) -> Iterator[Array]:
        """Yield the views along the first dimension, which are read as they are asked for."""
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return self._rows()

    def _rows(self) -> Iterator[Array]:
        x = self._x
        for index, row in enumerate(rows(x)):
            view = parse(index, x.shape)
            # An assignment in the loop changes the rows that are still to come.
            value = row if self._x is x else part(self._x, view)
            yield linked(wrap(value), _of_key(self, view))

    def __contains__(self, value: Any) -> bool:
        """Return whether an element equals a value."""
        found = self == value
        return bool(self._namespace.any(found)) if isinstance(found, Array) else found

    # Operators.

    __add__ = _operator(_rules.ADD)
    __sub__ = _operator(_rules.SUBTRACT)
    __mul__ = _operator(_rules.MULTIPLY)
    __truediv__ = _operator(_rules.DIVIDE)
    __floordiv__ = _operator(_rules.FLOOR_DIVIDE)
    __mod__ = _operator(_rules.REMAINDER)
    __and__ = _operator(_rules.BITWISE_AND)
    __or__ = _operator(_rules.BITWISE_OR)
    __xor__ = _operator(_rules.BITWISE_XOR)
    __lshift__ = _operator(_rules.BITWISE_LEFT_SHIFT)
    __rshift__ = _operator(_rules.BITWISE_RIGHT_SHIFT)
    __eq__ = _operator(_rules.EQUAL)  # type: ignore[assignment]
    __ne__ = _operator(_rules.NOT_EQUAL)  # type: ignore[assignment]
    __lt__ = _operator(_rules.LESS)
    __le__ = _operator(_rules.LESS_EQUAL)
    __gt__ = _operator(_rules.GREATER)
    __ge__ = _operator(_rules.GREATER_EQUAL)

    __radd__ = _reflected(_rules.ADD)
    __rsub__ = _reflected(_rules.SUBTRACT)
    __rmul__ = _reflected(_rules.MULTIPLY)
    __rtruediv__ = _reflected(_rules.DIVIDE)
    __rfloordiv__ = _reflected(_rules.FLOOR_DIVIDE)
    __rmod__ = _reflected(_rules.REMAINDER)
    __rand__ = _reflected(_rules.BITWISE_AND)
    __ror__ = _reflected(_rules.BITWISE_OR)
    __rxor__ = _reflected(_rules.BITWISE_XOR)
    __rlshift__ = _reflected(_rules.BITWISE_LEFT_SHIFT)
    __rrshift__ = _reflected(_rules.BITWISE_RIGHT_SHIFT)

    __iadd__ = _in_place(_rules.ADD)
    __isub__ = _in_place(_rules.SUBTRACT)
    __imul__ = _in_place(_rules.MULTIPLY)
    __itruediv__ = _in_place(_rules.DIVIDE)
    __ifloordiv__ = _in_place(_rules.FLOOR_DIVIDE)
    __imod__ = _in_place(_rules.REMAINDER)
    __ipow__ = _in_place(_rules.POW)
    __iand__ = _in_place(_rules.BITWISE_AND)
    __ior__ = _in_place(_rules.BITWISE_OR)
    __ixor__ = _in_place(_rules.BITWISE_XOR)
    __ilshift__ = _in_place(_rules.BITWISE_LEFT_SHIFT)
    __irshift__ = _in_place(_rules.BITWISE_RIGHT_SHIFT)

    __neg__ = _prefix(_rules.NEGATIVE)
    __pos__ = _prefix(_rules.POSITIVE)
    __abs__ = _prefix(_rules.ABS)
    __invert__ = _prefix(_rules.BITWISE_INVERT)

    def __pow__(self, other: Any, modulus: Any = None, /) -> Any:
        """Return the power; as NumPy's arrays, none by a modulus."""
        return NotImplemented if modulus is not None else _power(self, other)

    def __rpow__(self, other: Any, modulus: Any = None, /) -> Any:
        """Return the power of a number; as NumPy's arrays, none by a modulus."""
        return NotImplemented if modulus is not None else _reflected_power(self, other)

    def __divmod__(self, other: Any, /) -> tuple[Array, Array]:
        """Return `x // other` and `x % other`."""
        return self // other, self % other

    def __rdivmod__(self, other: Any, /) -> tuple[Array, Array]:
        """Return `other // x` and `other % x`."""
        return other // self, other % self

    def __matmul__(self, other: Any, /) -> Any:
        """Return `indim.matmul(self, other)`."""
        return self._namespace.matmul(self, other) if isinstance(other, _ARRAYS) else NotImplemented

    def __rmatmul__(self, other: Any, /) -> Any:
        """Return `indim.matmul(other, self)`."""
        return self._namespace.matmul(other, self) if isinstance(other, _ARRAYS) else NotImplemented

    def __imatmul__(self, other: Any, /) -> Any:
        """Give this array the value of `indim.matmul(self, other)`."""
        found = self @ other
        if found.shape != self.shape:
            raise ValueError(f"x @= y of shape {found.shape} does not fit x, of {self.shape}")
        self[...] = found
        return self

    # Protocols.

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """Return the module `indim`, a namespace of the Array API standard 2024.12."""
        if api_version is not None and api_version not in _API_VERSIONS:
            raise ValueError(f"indim has the Array API standard of 2024.12, not of {api_version!r}")
        return self._namespace

    def to_device(self, device: object, /, *, stream: object = None) -> Array:
        """Return this array, which is on the only device there is."""
        check_device(device)
        if stream is not None:
            raise ValueError("indim has no streams: leave stream away")
        return self

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Array | tuple[Array, ...] | NotImplementedType:
        """Return what a ufunc is of arrays of indim, computed by indim or on the host."""
        if method != "at":
            inputs = tuple(np.asarray(one) if type(one) in (list, tuple) else one for one in inputs)
        elif isinstance(inputs[0], _OPERANDS):
            return self._of_ufunc(ufunc, method, inputs, kwargs)
        if not all(isinstance(value, _OPERANDS) for value in inputs):
            return NotImplemented
        return self._of_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Return what a function of NumPy is of arrays of indim, computed by indim or the host."""
        if not all(issubclass(kind, (Array, np.ndarray)) for kind in types):
            return NotImplemented
        implementation = FUNCTIONS.get(func)
        found = NotImplemented if implementation is None else implementation(*args, **kwargs)
        if found is not NotImplemented:
            return found
        return self._on_host(function_name(func), func, *args, **kwargs)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule of a copy in the host's memory."""
        if stream is not None:
            raise ValueError("indim exports the host's memory, which has no streams")
        if copy is False:
            raise BufferError("an array on the GPU cannot be exported without a copy")
        if self._x.dtype in _NOT_IN_DLPACK:
            raise BufferError(
                f"NumPy, by which arrays pass DLPack, has no {self.dtype.name}: take "
                f"x.astype({_NOT_IN_DLPACK[self._x.dtype]}), or numpy.asarray(x)"
            )
        values = to_numpy(self._x).copy()
        return values.__dlpack__(max_version=max_version, dl_device=dl_device)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of the host's memory, where arrays are exported."""
        return (1, 0)

    def __copy__(self) -> Array:
        """Return an array of the same value."""
        return wrap(self._x)

    def __deepcopy__(self, memo: Any) -> Array:
        """Return an array of the same value."""
        return wrap(self._x)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how `pickle` makes this array again: by its type, shape and bytes."""
        return self._unpickled, (self._x.dtype, self.shape, _core.read(self._x))

    def __setstate__(self, state: Any) -> NoReturn:
        """Raise a TypeError: arrays are pickled by their type, shape and bytes."""
        raise TypeError("this pickle is none of an array of indim")

    def __getattr__(self, name: str) -> Any:
        """Raise the error of a missing attribute, or of an array that no function made."""
        if name in ("_link", "_views"):
            return None
        if name == "_x":
            raise TypeError("this array was made by no function of indim, and has no value")
        raise AttributeError(f"an array of indim has no attribute {name!r}{hint(ATTRIBUTES, name)}")


# `help` shows the methods that were made above by the names that they have here.
for _name, _method in vars(Array).items():
    if getattr(_method, "__name__", "") == "method":
        _method.__name__, _method.__qualname__ = _name, f"Array.{_name}"

_NOT_IN_DLPACK: Final = {"bf16": "indim.float32", "s4": "indim.int8", "u4": "indim.uint8"}
"""Types that DLPack has and NumPy's exchange has not, each with one that holds its values."""

_OPERANDS: Final = (Array, InDim, np.ndarray, np.generic, int, float, complex)
"""The operands that operators take beside an array; others use their own methods."""

_ARRAYS: Final = (Array, np.ndarray, np.generic)
"""The operands of `@`."""
