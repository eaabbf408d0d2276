"""The library's messages in the words of this package: names of functions, types and operands."""

from __future__ import annotations

import re
from typing import Any, Final

from ._dtypes import DTYPE_NAMES

_PHRASES: Final = {
    "convert it with convert_element_type": "convert it by .astype(dtype)",
    "convert one of them with convert_element_type": "convert one of them by .astype(dtype)",
    "make it one of these and convert the result with convert_element_type": (
        "take one of these, and convert the result by .astype(dtype)"
    ),
}
_WORDS: Final = {
    "lhs": "x1",
    "rhs": "x2",
    "convert_element_type": "astype",
    **DTYPE_NAMES,
}
_WORD: Final = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_OPERATION: Final = re.compile(r"\w+: ")


def translated(error: Exception, function: str) -> Exception:
    """Return an error of one operation of the library as one of the function that called it."""
    message = str(error)
    operation = _OPERATION.match(message)
    if operation is None:
        # It is in our words: only the library begins by an operation's name.
        return error
    return type(error)(f"{function}: {in_python(message[operation.end() :])}")


def in_python(message: str) -> str:
    """Return a message with Python's names of types and operands."""
    for phrase, ours in _PHRASES.items():
        message = message.replace(phrase, ours)
    return _WORD.sub(lambda found: _WORDS[found[0]], message)


def no_out(out: Any) -> None:
    """Raise a TypeError for an argument `out` of a function of NumPy."""
    if out is not None:
        raise TypeError("indim cannot write into out=: give the result a name")
