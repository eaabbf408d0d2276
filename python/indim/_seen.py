"""An array's values on the host: as a NumPy array, as text, as Python's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Expr
from ._dtypes import INTEGERS
from ._host import to_numpy
from ._indexing import get
from ._printing import text
from ._shapes import reshaped


class Seen:
    """The methods of an array that need its values, and so evaluate and read them."""

    __slots__ = ()

    _x: Expr

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array, read-only unless `copy` or a conversion made it.

        Raises a ValueError for `copy=False`, since what lies on a GPU is always copied.
        """
        if copy is False:
            raise ValueError(
                "an array on the GPU cannot be seen without a copy: leave copy=False away"
            )
        values = to_numpy(self._x)
        if dtype is not None and values.dtype != np.dtype(dtype):
            return values.astype(dtype)
        return values.copy() if copy else values

    def tolist(self) -> Any:
        """Return the values as nested lists of Python scalars."""
        return to_numpy(self._x).tolist()

    def item(self, *index: Any) -> Any:
        """Return the one element, or that at an index, as a Python scalar."""
        x = self._x
        if index and not x.is_read:
            # NumPy checks whether the index fits, without any elements.
            np.broadcast_to(np.int8(0), x.shape).item(*index)
            flat = len(index) == 1 and not isinstance(index[0], tuple)
            x = get(reshaped(x, (x.size,)) if flat else x, index[0] if len(index) == 1 else index)
            index = ()
        return to_numpy(x).item(*index)

    def __repr__(self) -> str:
        """Return NumPy's text of the same values."""
        return text(self._x, repr)

    def __str__(self) -> str:
        """Return what NumPy prints of the same values."""
        return text(self._x, str)

    def __format__(self, spec: str) -> str:
        """Return one element by a format, as Python's numbers, or `str(x)` without one."""
        return format(self._scalar(), spec) if spec else str(self)

    def __bool__(self) -> bool:
        """Return whether the one element is not 0; a ValueError where there is another number."""
        if self._x.size != 1:
            raise ValueError(
                f"the truth value of an array with {self._x.size} elements is ambiguous: use "
                "indim.any(x) or indim.all(x)"
            )
        return to_numpy(self._x).item() != 0

    def __int__(self) -> int:
        """Return the one element of an array without dimensions, cut to an integer."""
        return int(self._scalar())

    def __float__(self) -> float:
        """Return the one element of an array without dimensions."""
        return float(self._scalar())

    def __complex__(self) -> complex:
        """Return the one element of an array without dimensions."""
        return complex(self._scalar())

    def __index__(self) -> int:
        """Return the one element of an array of integers without dimensions."""
        if self._x.dtype not in INTEGERS or self._x.ndim:
            raise TypeError("only integer arrays without dimensions can be converted to an index")
        return int(self._scalar())

    def _scalar(self) -> Any:
        if self._x.ndim:
            raise TypeError(
                "only arrays without dimensions can be converted to Python scalars, and this one "
                f"has shape {self._x.shape}"
            )
        return to_numpy(self._x).item()
