"""Views: writing into `x[0]`, `x.T` or `x.reshape(...)` writes into `x`, as with NumPy's arrays.

The value of an array is an expression, which never changes, and an assignment gives the array
another one. A view remembers the array that it was taken from, its base, and how their values
depend on each other. An assignment to one of them then updates the others.

A view does not keep its base alive: of a base that is dropped nobody can see the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import ref

from ._core import Expr

if TYPE_CHECKING:
    from ._array import Array

_Of = Callable[[Expr], Expr]
_Back = Callable[[Expr, Expr], Expr]

# Threads that take views of one array add them to one list.
_lock = Lock()

# Lists of views are freed of those that are gone at each doubling from this length on.
_FEW = 16


class Link:
    """How an array is a view of its base.

    `of` makes the view's value of the base's, and `back` makes the base's value of its old one and
    the view's. `above` is the link of the base, where that is a view as well. `key` is the parsed
    key of a view that indexing took, and `written` the value that the base got from the last
    assignment to the view.
    """

    __slots__ = ("above", "back", "base", "key", "of", "written")

    def __init__(self, base: Array, of: _Of, back: _Back, key: Any = None) -> None:
        self.base = ref(base)
        self.of = of
        self.back = back
        self.key = key
        self.above: Link | None = base._link
        self.written: Expr | None = None

    def chain(self) -> Iterator[tuple[Array, _Of, _Back]]:
        """Yield the arrays that the view is one of, the base first, each with both functions.

        A base that is gone is left out: of `x[0][1]` nobody has `x[0]`, and the view is one of `x`.
        """
        link: Link | None = self
        of, back = self.of, self.back
        while link is not None:
            base = link.base()
            if base is not None:
                yield base, of, back
            link = link.above
            if link is not None:
                of, back = _composed(link, of, back)


def _composed(link: Link, of: _Of, back: _Back) -> tuple[_Of, _Back]:
    """Return the functions of a view of a view, between it and the base of the latter."""
    above, above_back = link.of, link.back
    return lambda x: of(above(x)), lambda x, view: above_back(x, back(above(x), view))


def linked(view: Array, link: Link) -> Array:
    """Return an array as a view of its base, to which `link` leads."""
    view._link = link
    itself = ref(view)
    base = link.base()
    if link.above is None and base is not None:
        _register(base, itself, link.of)
    else:
        for base, of, _ in link.chain():
            _register(base, itself, of)
    return view


def _register(base: Array, view: ref[Array], of: _Of) -> None:
    """Add a view to those of an array."""
    with _lock:
        views = base._views
        if views is None:
            base._views = [(view, of)]
            return
        if len(views) >= _FEW and len(views) & (len(views) - 1) == 0:
            base._views = views = [each for each in views if each[0]() is not None]
        views.append((view, of))


def update(array: Array, x: Expr) -> None:
    """Give an array another value, and with it its views, what it is a view of, and their views."""
    array._x = x
    done = {id(array)}
    _refresh(array, done)
    link = array._link
    if link is None:
        return
    for base, _, back in link.chain():
        base._x = back(base._x, x)
        done.add(id(base))
        _refresh(base, done)
        if base is link.base():
            link.written = base._x


def was_written(value: Any, base: Array, key: Any) -> bool:
    """Return whether `base[key] = value` assigns a view that has written itself into its base.

    `base[key] += 1` ends with such an assignment.
    """
    link = getattr(value, "_link", None)
    if link is None or key is None or link.key != key:
        return False
    return link.base() is base and link.written is base._x


def has_base(array: Array) -> bool:
    """Return whether an array is a view of one that is still there."""
    link = array._link
    return link is not None and next(link.chain(), None) is not None


def family(array: Array) -> list[Array]:
    """Return an array and what it is a view of."""
    link = array._link
    return [array] if link is None else [array, *(base for base, _, _ in link.chain())]


def _refresh(array: Array, done: set[int]) -> None:
    """Give the views of an array the values that they have of its new one, but those in `done`."""
    for each, of in array._views or ():
        view = each()
        if view is not None and id(view) not in done:
            view._x = of(array._x)
            done.add(id(view))
