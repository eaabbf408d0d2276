"""Arrays as the golden files write them, and distances between floats."""

import numpy as np

F32, I32, U32, PRED = np.float32, np.int32, np.uint32, np.bool_

DTYPE_OF_NAME = {
    "f32": np.dtype(F32),
    "i32": np.dtype(I32),
    "u32": np.dtype(U32),
    "pred": np.dtype(PRED),
}
NAME_OF_DTYPE = {dtype: name for name, dtype in DTYPE_OF_NAME.items()}


def name_of(array):
    return NAME_OF_DTYPE[array.dtype]


def row_major(array):
    """The array in row-major order. Unlike np.ascontiguousarray it keeps rank 0."""
    return np.asarray(array, order="C")


def bits_of(array):
    """The bits of f32 elements, as u32."""
    return row_major(array).view(U32)


def from_bits(bits):
    """f32 elements from their bits."""
    return np.array(bits, U32).view(F32)


def element_count(shape):
    return int(np.prod(shape, dtype=np.int64))


def encode(array):
    """An array as a golden line holds it. Floats are written as bits, because decimal JSON has no NaN."""
    name = name_of(array)
    encoded = {"dtype": name, "shape": list(array.shape)}
    if name == "f32":
        encoded["bits"] = ["%08x" % bits for bits in bits_of(array).ravel().tolist()]
    else:
        encoded["data"] = [int(value) for value in array.ravel().tolist()]
    return encoded


def decode(encoded):
    """The array that encode() wrote."""
    if encoded["dtype"] == "f32":
        array = from_bits([int(digits, 16) for digits in encoded["bits"]])
    else:
        array = np.array(encoded["data"], np.int64).astype(DTYPE_OF_NAME[encoded["dtype"]])
    return array.reshape(encoded["shape"])


def ulps_between(a, b):
    """Steps between f32 values on the scale that orders all of them; +0 and -0 are one place on it."""

    def place(values):
        bits = row_major(values).astype(F32, copy=False).view(I32).astype(np.int64)
        return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)

    return np.abs(place(a) - place(b))


def differ(a, b):
    """Element by element: other bits, except that any NaN equals any NaN."""
    if a.dtype == F32:
        return (bits_of(a) != bits_of(b)) & ~(np.isnan(a) & np.isnan(b))
    return a != b


def same(a, b):
    """Same type, shape and elements."""
    return a.dtype == b.dtype and a.shape == b.shape and not differ(a, b).any()


def is_subnormal(array):
    bits = bits_of(array)
    return ((bits & 0x7F800000) == 0) & ((bits & 0x7FFFFF) != 0)


def place_dimensions(array, broadcast_dimensions, rank):
    """The lower-rank operand of a binary operation, with size 1 in the dimensions that it does not have."""
    if array.ndim == 0 or array.ndim >= rank:
        return array
    sizes = [1] * rank
    for i, dimension in enumerate(broadcast_dimensions):
        sizes[dimension] = array.shape[i]
    return array.reshape(sizes)
