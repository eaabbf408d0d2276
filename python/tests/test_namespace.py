"""The namespace has the standard's names, and errors name the missing ones."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

import indim as xp

ELEMENTWISE = """
abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert
bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp
expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal
log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum
multiply negative nextafter not_equal positive pow real reciprocal remainder round sign signbit
sin sinh square sqrt subtract tan tanh trunc
""".split()

OTHERS = """
arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like
tril triu zeros zeros_like astype can_cast finfo iinfo isdtype result_type matmul
matrix_transpose tensordot vecdot broadcast_arrays broadcast_to concat expand_dims flip moveaxis
permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero nonzero
searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort
cumulative_prod cumulative_sum max mean min prod std sum var all any diff take take_along_axis
""".split()


def test_the_namespace_has_every_name_of_the_standard() -> None:
    """Of which 67 are elementwise functions."""
    assert xp.__array_api_version__ == "2024.12"
    for name in ELEMENTWISE + OTHERS:
        assert callable(getattr(xp, name)), name
        assert name in xp.__all__
    assert len(ELEMENTWISE) == 67
    assert (xp.e, xp.pi, xp.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(xp.nan)
    assert xp.newaxis is None


def test_all_names_are_there() -> None:
    """All names in `__all__` can be imported."""
    for name in xp.__all__:
        assert hasattr(xp, name), name


def test_the_array_names_its_namespace() -> None:
    """Editions that are not there are refused."""
    x = xp.asarray(1)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match="indim has the Array API standard of 2024.12, not of"):
        x.__array_namespace__(api_version="2031.12")


def test_the_inspection_says_what_there_is() -> None:
    """Types are those of the adapter; defaults are the same on every one."""
    info = xp.__array_namespace_info__()
    assert info.devices() == ["gpu"] == [info.default_device()]
    assert info.capabilities()["boolean indexing"] is True
    assert info.default_dtypes()["real floating"] == xp.float32
    assert info.default_dtypes()["integral"] == xp.int64
    assert info.dtypes(kind="complex floating") == {"complex64": xp.complex64}
    assert set(info.dtypes(kind=("bool", "signed integer"))) == {
        *("bool", "int8", "int16", "int32", "int64"),
    }
    with pytest.raises(ValueError, match="a kind is one of bool, signed integer"):
        info.dtypes(kind="floating")


def test_defaults_are_float32_and_int64() -> None:
    """As PyTorch's, whatever the adapter."""
    for value, dtype in ((True, xp.bool), (1, xp.int64), (1.5, xp.float32), (1j, xp.complex64)):
        assert xp.asarray(value).dtype == dtype
        assert xp.asarray([[value]]).dtype == dtype
        assert xp.full(3, value).dtype == dtype
    for made in (xp.zeros(2), xp.ones(2), xp.eye(2), xp.linspace(0, 1, 3), xp.arange(1.5)):
        assert made.dtype == xp.float32
    assert xp.arange(3).dtype == xp.int64
    assert xp.asarray([1, 2.5]).dtype == xp.float32
    # NumPy's scalars and arrays have types of their own.
    assert xp.asarray([np.float16(1)]).dtype == xp.float16
    assert xp.asarray(np.int8(1)).dtype == xp.int8


def test_types_are_numpys() -> None:
    """`isdtype`, `finfo`, `iinfo`, `can_cast` and `result_type` know all of them."""
    assert xp.float32 == np.dtype("float32") and isinstance(xp.bfloat16, np.dtype)
    assert xp.isdtype(xp.bfloat16, "real floating")
    assert xp.isdtype(xp.int4, ("bool", "signed integer"))
    assert not xp.isdtype(xp.uint8, "signed integer")
    assert xp.isdtype(xp.float32, xp.float32)
    with pytest.raises(ValueError, match="a kind is one of"):
        xp.isdtype(xp.float32, "float")
    assert xp.finfo(xp.float32).eps == 2.0**-23
    assert xp.finfo(xp.complex64).dtype == xp.float32
    assert xp.finfo(xp.bfloat16).bits == 16
    assert xp.iinfo(xp.int4).min == -8 and xp.iinfo(xp.uint4).max == 15
    with pytest.raises(TypeError, match="finfo is of floats, not of int8"):
        xp.finfo(xp.int8)
    with pytest.raises(TypeError, match="iinfo is of integers, not of float32"):
        xp.iinfo(xp.ones(2))
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.float32, xp.int64)
    assert xp.result_type(xp.ones(2, dtype=xp.float16), 1.5) == xp.float16
    assert xp.result_type(1, 2.0) == xp.float32


def test_one_device() -> None:
    """Another one is refused with a sentence."""
    x = xp.ones(2)
    assert x.device == "gpu" and x.to_device("gpu") is x
    with pytest.raises(ValueError, match="indim has one device, 'gpu', not 'cpu'"):
        x.to_device("cpu")
    with pytest.raises(ValueError, match="indim has one device"):
        xp.zeros(3, device="cuda")


def test_importing_opens_no_adapter() -> None:
    """`import indim` and the making of expressions work where there is none."""
    code = (
        "import indim as xp, numpy as np\n"
        "y = xp.tanh(xp.ones(3) * 2 + xp.arange(3, dtype=xp.float32))[1:]\n"
        "assert y.shape == (2,) and y.dtype == xp.float32\n"
        "try:\n    np.asarray(y)\n"
        "except xp.NoAdapterError as error:\n    print(error)\n"
    )
    environment = {"VK_DRIVER_FILES": "/none", "WGPU_BACKEND": "vulkan", "PATH": "/usr/bin"}
    path = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, **path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if sys.platform == "linux":
        assert "install" in done.stdout
