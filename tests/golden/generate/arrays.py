"""Arrays as the golden files write them, and distances between floats."""

import collections

import ml_dtypes
import numpy as np

F32, I32, U32, PRED = np.float32, np.int32, np.uint32, np.bool_

# xla.jsonl and functions.jsonl say i32, types.jsonl says s32 (see names.py).
DTYPE_OF_NAME = {
    "pred": np.dtype(PRED),
    "s4": np.dtype(ml_dtypes.int4),
    "s8": np.dtype(np.int8),
    "s16": np.dtype(np.int16),
    "s32": np.dtype(I32),
    "i32": np.dtype(I32),
    "s64": np.dtype(np.int64),
    "u4": np.dtype(ml_dtypes.uint4),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(U32),
    "u64": np.dtype(np.uint64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(F32),
    "f64": np.dtype(np.float64),
    "c64": np.dtype(np.complex64),
}
NAME_OF_DTYPE = {dtype: name for name, dtype in DTYPE_OF_NAME.items()}

# The unsigned integer that is as wide, and the bits of mantissa and exponent.
Format = collections.namedtuple("Format", "word mantissa exponent")
FORMATS = {
    "f16": Format(np.uint16, 10, 5),
    "bf16": Format(np.uint16, 7, 8),
    "f32": Format(np.uint32, 23, 8),
    "f64": Format(np.uint64, 52, 11),
}


def name_of(array):
    return NAME_OF_DTYPE[array.dtype]


def row_major(array):
    """The array in row-major order. Unlike np.ascontiguousarray it keeps rank 0."""
    return np.asarray(array, order="C")


def bits_of(array):
    """The bits of f32 elements, as u32."""
    return row_major(array).view(U32)


def from_bits(bits, name="f32"):
    """Float elements from their bits."""
    return np.array(bits, FORMATS[name].word).view(DTYPE_OF_NAME[name])


def is_float(array):
    return name_of(array) in FORMATS


def has_floats(array):
    return is_float(array) or array.dtype == np.complex64


def parts_of(array):
    """The floats of an array: of c64, a last dimension of real and imaginary parts."""
    array = row_major(array)
    return array.reshape(*array.shape, 1).view(F32) if array.dtype == np.complex64 else array


def words_of(array):
    """The bits of float elements, as unsigned integers."""
    return row_major(array).view(FORMATS[name_of(array)].word)


def is_nan(array):
    with np.errstate(all="ignore"):
        return np.isnan(array.astype(np.float64))


def element_count(shape):
    return int(np.prod(shape, dtype=np.int64))


def encode(array):
    """An array as a golden line holds it. Floats are written as bits, because decimal JSON has no NaN."""
    encoded = {"dtype": name_of(array), "shape": list(array.shape)}
    if has_floats(array):
        words = words_of(parts_of(array))
        encoded["bits"] = ["%0*x" % (2 * words.itemsize, word) for word in words.ravel().tolist()]
    else:
        encoded["data"] = [int(value) for value in array.ravel().tolist()]
    return encoded


def decode(encoded):
    """The array that encode() wrote."""
    name = encoded["dtype"]
    if name in FORMATS:
        array = from_bits([int(digits, 16) for digits in encoded["bits"]], name)
    elif name == "c64":
        array = from_bits([int(digits, 16) for digits in encoded["bits"]]).view(np.complex64)
    else:
        array = integers(name, encoded["data"])
    return array.reshape(encoded["shape"])


def integers(name, values):
    """Elements of an integer type, or of pred, from Python's integers."""
    wide = np.uint64 if name == "u64" else np.int64
    return np.array([int(value) for value in values], object).astype(wide).astype(DTYPE_OF_NAME[name])


def ulps_between(a, b):
    """Steps between f32 values on the scale that orders all of them; +0 and -0 are one place on it."""

    def place(values):
        bits = row_major(values).astype(F32, copy=False).view(I32).astype(np.int64)
        return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)

    return np.abs(place(a) - place(b))


def differ(a, b):
    """Element by element: other bits, except that any NaN equals any NaN, also as a part of c64."""
    if a.dtype == np.complex64:
        return differ(parts_of(a), parts_of(b)).any(-1)
    if is_float(a):
        return (words_of(a) != words_of(b)) & ~(is_nan(a) & is_nan(b))
    return a != b


def same(a, b):
    """Same type, shape and elements."""
    return a.dtype == b.dtype and a.shape == b.shape and not differ(a, b).any()


def is_subnormal(array):
    format = FORMATS[name_of(array)]
    words = words_of(array).astype(np.uint64)
    exponent = words >> np.uint64(format.mantissa) & np.uint64((1 << format.exponent) - 1)
    return (exponent == 0) & (words & np.uint64((1 << format.mantissa) - 1) != 0)


def place_dimensions(array, broadcast_dimensions, rank):
    """The lower-rank operand of a binary operation, with size 1 in the dimensions that it does not have."""
    if array.ndim == 0 or array.ndim >= rank:
        return array
    sizes = [1] * rank
    for i, dimension in enumerate(broadcast_dimensions):
        sizes[dimension] = array.shape[i]
    return array.reshape(sizes)
