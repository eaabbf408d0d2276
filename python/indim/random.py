"""Random numbers by counter, as `jax.random` draws them: the same on every GPU and every machine.

A number depends on the key and on its own position alone, so that a draw changes nothing: a key
that draws twice draws the same numbers. `split` and `fold_in` make independent keys of one. The
draws are operations like all others, and one kernel with what uses them. Names, arguments and bits
are those of `jax.random` with `jax_threefry_partitionable`; `docs/random.md` says which are equal
to the bit.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._array import Array, wrap
from ._core import Expr
from ._creation import asarray
from ._dtypes import as_dtype, name_of
from ._rules import cast
from ._shapes import integers

__all__ = ["bernoulli", "bits", "fold_in", "key", "normal", "randint", "split", "uniform"]


def key(seed: int) -> Array:
    """Return the key of a seed between 0 and 2^64 - 1: two numbers of uint32.

    >>> from indim import random
    >>> print(random.key(42))
    [ 0 42]
    """
    return wrap(_core.random_key(seed))


def split(key: Any, num: Any = 2) -> Array:
    """Return independent keys of a key: their number, or the shape of an array of them.

    >>> from indim import random
    >>> first, second = random.split(random.key(42))
    >>> print(second)
    [  64467757 2916123636]
    """
    return wrap(_core.random_split(_key(key), integers(num)))


def fold_in(key: Any, data: Any) -> Array:
    """Return a key of a key and a number, such as that of a step; of an array, an array of keys.

    >>> from indim import random
    >>> print(random.fold_in(random.key(42), 7).shape)
    (2,)
    """
    return wrap(_core.random_fold_in(_key(key), cast(asarray(data)._x, "u32")))


def bits(key: Any, shape: Any = (), dtype: Any = "uint32") -> Array:
    """Return random bits: each value of an unsigned type is equally likely.

    >>> from indim import random
    >>> print(random.bits(random.key(0), (2,), "uint8").shape)
    (2,)
    """
    return wrap(_core.random_bits(_key(key), _name(dtype), integers(shape)))


def uniform(
    key: Any, shape: Any = (), dtype: Any = "float32", minval: Any = 0.0, maxval: Any = 1.0
) -> Array:
    """Return floats from `minval` up to, but without, `maxval`, each equally likely.

    >>> import indim
    >>> from indim import random
    >>> x = random.uniform(random.key(0), (1000,))
    >>> print(bool(indim.all((x >= 0) & (x < 1))))
    True
    """
    name = _name(dtype)
    bounds = (_in_type(minval, name), _in_type(maxval, name))
    return wrap(_core.random_uniform(_key(key), *bounds, integers(shape)))


def normal(key: Any, shape: Any = (), dtype: Any = "float32") -> Array:
    """Return floats of the normal distribution with mean 0 and variance 1.

    >>> from indim import random
    >>> print(random.normal(random.key(0), (2, 3)).shape)
    (2, 3)
    """
    return wrap(_core.random_normal(_key(key), _name(dtype), integers(shape)))


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Array:
    """Return booleans, each true with probability `p`; without a shape, those of an array `p`.

    >>> from indim import random
    >>> print(random.bernoulli(random.key(0), 0.9, (3,)).dtype)
    bool
    """
    probability = asarray(p)
    sizes = probability.shape if shape is None else integers(shape)
    return wrap(_core.random_bernoulli(_key(key), cast(probability._x, "f32"), sizes))


def randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = "int32") -> Array:
    """Return integers from `minval` up to, but without, `maxval`.

    >>> from indim import random
    >>> print(random.randint(random.key(42), (4,), 1, 7))
    [1 1 4 2]
    """
    name = _name(dtype)
    bounds = (_in_type(minval, name), _in_type(maxval, name))
    return wrap(_core.random_randint(_key(key), *bounds, integers(shape)))


def _key(key: Any) -> Expr:
    return asarray(key)._x


def _name(dtype: Any) -> str:
    return name_of(as_dtype(dtype))


def _in_type(value: Any, name: str) -> Expr:
    return cast(asarray(value)._x, name)
