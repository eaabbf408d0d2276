"""Makes the files of this folder with NumPy 2.4: `python3 make.py` here.

print.txt: arrays and what NumPy prints for them. One case: element type, sizes and bytes in
hexadecimal on a line, the text below it, then a line of three dashes.
*.npy: files of every version, order, byte order and type that the command reads or refuses.
"""

import io
import struct
import sys

import numpy as np

NAMES = {
    "bool": "pred",
    "int8": "s8",
    "int16": "s16",
    "int32": "s32",
    "int64": "s64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
}


def case(array):
    sizes = "x".join(str(n) for n in array.shape) or "scalar"
    return f"{NAMES[array.dtype.name]} {sizes} {array.astype(array.dtype.newbyteorder('<')).tobytes().hex()}\n{array!s}"


def print_cases():
    f = np.float32
    rng = np.random.default_rng(1)
    nan, inf = np.nan, np.inf
    yield from (np.array(v, f) for v in [0, -0.0, 1, 1.5, 0.1, 1e10, 999999, 1e6, 16777217, 1e-4, 9e-5, 1.0001e-4, 3.4e38, 1e-45, nan, inf, -inf])
    yield from (np.array(v) for v in [True, False])
    yield from (np.array(v, np.int32) for v in [0, -5, 2**31 - 1, [-(2**31), 7], [[1, -20], [300, 4]]])
    yield np.array([0, 2**32 - 1], np.uint32)
    yield np.array([[True, False], [False, False]])
    yield from (np.zeros(s, f) for s in [(0,), (0, 3), (2, 0, 3), (1,), (1, 1, 1)])
    yield np.array([[9, 10, 11], [12, 13, 14]], f)
    yield np.array([1.5, 2.25, 100], f)
    yield np.array([0.1, 1e-5], f)
    yield np.array([0.1, 1.5e7], f)
    yield np.array([1e23, 1.2345678e22], f)
    yield np.array([1e6, 1], f)
    yield np.array([999999, 1000], f)
    yield np.array([999, 1], f)
    yield np.array([1001, 1], f)
    yield np.array([0.00012345678, 0.0625], f)
    yield np.array([nan, 1.5, -2], f)
    yield np.array([inf, -inf, 1], f)
    yield np.array([nan, nan], f)
    yield np.array([-inf, nan], f)
    yield np.array([inf, 1e-10, nan], f)
    yield np.array([-0.0, 0.0], f)
    yield np.array([-0.0, 1e10], f)
    yield np.array([1e-45, 3.4028235e38], f)
    yield np.arange(40, dtype=f)
    yield np.arange(1000, dtype=np.int32)
    yield np.arange(1001, dtype=np.int32)
    yield np.arange(1001, dtype=f)
    yield np.arange(3 * 4 * 5, dtype=np.int32).reshape(3, 4, 5)
    yield np.arange(2 * 2 * 2 * 2, dtype=f).reshape(2, 2, 2, 2)
    yield np.arange(40 * 40, dtype=f).reshape(40, 40)
    yield np.arange(7 * 20 * 9, dtype=np.int32).reshape(7, 20, 9)
    yield np.arange(2 * 600, dtype=np.uint32).reshape(2, 600)
    yield np.arange(600 * 2, dtype=np.uint32).reshape(600, 2)
    yield np.arange(1200, dtype=np.int32) % 3 == 0
    yield np.arange(60, dtype=np.int32) % 3 == 0
    yield rng.standard_normal((5, 7)).astype(f)
    yield rng.standard_normal((3, 30)).astype(f) * f(1e-3)
    yield (rng.standard_normal((2, 3, 9)) * 1e4).astype(f)
    yield rng.random((30, 50)).astype(f)
    yield np.exp(rng.standard_normal(25) * 20).astype(f)
    yield from other_integers()
    yield from other_floats(rng)
    yield from complex_numbers(rng)


def other_integers():
    yield from (np.array(v, np.int8) for v in [-128, [[1, -2], [127, 0]]])
    yield np.array([-32768, 5], np.int16)
    yield np.array([-(2**63), 2**63 - 1, 0], np.int64)
    yield np.array([0, 255], np.uint8)
    yield np.array(65535, np.uint16)
    yield np.array([2**64 - 1, 7], np.uint64)


def other_floats(rng):
    nan, inf = np.nan, np.inf
    h, d = np.float16, np.float64
    alone = [0, -0.0, 1, 0.1, 999, 1000, 2048, 65504, 1e-4, 9e-5, 1.2e-4, 6e-8, nan, -inf]
    yield from (np.array(v, h) for v in alone)
    yield np.array([0.1, 100], h)
    yield np.array([999, 1], h)
    yield np.array([1000, 1], h)
    yield np.array([5e-5, 1], h)
    yield np.array([1.0002e-4, 0.1], h)
    yield np.array([nan, 65504, -inf], h)
    yield np.array([0.03, 31], h)
    yield np.arange(40, dtype=h)
    yield rng.standard_normal((4, 6)).astype(h)
    yield (2.0 ** np.arange(-24, 16)).astype(h)
    alone = [0, -0.0, 0.1, 1 / 3, 1e15, 1e16, 12345678901234567, 1e-4, 9e-5, 1e300, 5e-324, nan, inf]
    yield from (np.array(v, d) for v in alone)
    yield np.array([1e8, 1], d)
    yield np.array([99999999, 1e6], d)
    yield np.array([1e300, 1.0], d)
    yield np.array([1e100, 1e-5, nan], d)
    yield np.array([1 / 3, 1e-10], d)
    yield np.array([1 / 3, 2 / 3], d)
    yield np.array([1 + 1e-12, 0.5], d)
    yield np.array([9.9999999999e-5, 1], d)
    yield np.array([-inf, 1e-200], d)
    yield rng.standard_normal((5, 7))
    yield np.exp(rng.standard_normal(25) * 200)
    yield np.arange(1001, dtype=d)


def complex_numbers(rng):
    nan, inf = np.nan, np.inf
    c = np.complex64
    alone = [0, 1 + 2j, 2j, complex(-0.0, 2), -1.5 - 0j, 1e10 - 1e-7j, complex(nan, -inf), complex(0, nan), complex(inf, nan), 0.1j, complex(1, -0.0)]
    yield from (np.array(v, c) for v in alone)
    yield np.array([1 + 2j, 3.5 - 1e-7j], c)
    yield np.array([1e10 + 1j, nan], c)
    yield np.array([complex(nan, inf), complex(-inf, nan), 1], c)
    yield np.array([[1 + 1j, -2.25], [1j, 0]], c)
    yield (rng.standard_normal((3, 4)) + 1j * rng.standard_normal((3, 4))).astype(c)
    yield (np.arange(1001) * (1 - 1j)).astype(c)


def files():
    f4 = np.array([[1.5, -2.0, 3.25], [4.0, 5.5, -6.75]], np.float32)
    i4 = np.array([[1, -2, 3], [4, 5, -6]], np.int32)
    yield "f4.npy", f4
    yield "f4_fortran.npy", np.asfortranarray(f4)
    yield "f4_big_endian.npy", f4.astype(">f4")
    yield "f4_fortran_big_endian.npy", np.asfortranarray(f4.astype(">f4"))
    yield "f4_rank_0.npy", np.array(2.5, np.float32)
    yield "f4_empty.npy", np.zeros((0, 3), np.float32)
    yield "f4_cube_fortran.npy", np.asfortranarray(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    yield "i4.npy", i4
    yield "u4.npy", np.array([0, 1, 2**32 - 1], np.uint32)
    yield "b1.npy", np.array([[True, False, True], [False, False, True]])
    yield "f8.npy", np.array([[0.1, 1.0, 1e300], [-1.5, 1e-300, np.nan]])
    yield "i8.npy", np.array([1, -2, 2**40])
    yield "f2.npy", np.array([0.5, -65504.0], np.float16)
    yield "u1.npy", np.array([0, 255], np.uint8)
    yield "c8.npy", np.array([1 + 2j], np.complex64)
    yield "c8_big_endian.npy", np.array([1 + 2j, -3j], ">c8")
    yield "c16.npy", np.array([1 + 2j, 1e300], np.complex128)
    yield "i1.npy", np.array([-128, 127], np.int8)
    yield "i2_big_endian.npy", np.array([-2, 32767], ">i2")
    yield "u2.npy", np.array([1, 0x3F80], np.uint16)
    yield "u8.npy", np.array([0, 2**64 - 1], np.uint64)
    # What ml_dtypes saves of bfloat16 and int4.
    yield "v2.npy", np.array([b"\x80\x3f"], "V2")
    yield "v1.npy", np.array([b"\x07"], "V1")
    yield "str.npy", np.array(["a", "bc"])
    yield "record.npy", np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f4")])


def version(array, number):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=number)
    return out.getvalue()


def main():
    with open("print.txt", "w") as out:
        for array in print_cases():
            out.write(case(array) + "\n---\n")
    for name, array in files():
        np.save(name, array)
    f4 = np.array([[1.5, -2.0, 3.25], [4.0, 5.5, -6.75]], np.float32)
    for number in [(2, 0), (3, 0)]:
        with open(f"f4_version_{number[0]}.npy", "wb") as out:
            out.write(version(f4, number))
    # What no one should trust.
    with open("f4.npy", "rb") as good:
        good = good.read()
    broken = {
        "truncated.npy": good[:-4],
        "cut_in_header.npy": good[:40],
        "cut_in_magic.npy": good[:4],
        "no_magic.npy": b"PK\x03\x04" + good,
        "version_9.npy": good[:6] + b"\x09\x00" + good[8:],
        "left_over.npy": good + b"tail",
        "no_dictionary.npy": good[:10] + good[10:].replace(b"{", b" "),
    }
    for claim, name in [((2**60,), "lie_2_60.npy"), ((2**40, 2**40), "lie_overflow.npy"), ((2**40, 2**40, 0), "lie_overflow_zero.npy"), ((2**70,), "lie_2_70.npy")]:
        broken[name] = header({"descr": "<f4", "fortran_order": False, "shape": claim}) + b"\x00" * 8
    broken["lie_header_length.npy"] = b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1)
    broken["negative_size.npy"] = header({"descr": "<f4", "fortran_order": False, "shape": (-1,)})
    broken["nested.npy"] = header("{" * 5000)
    broken["no_shape.npy"] = header({"descr": "<f4", "fortran_order": False})
    for name, data in broken.items():
        with open(name, "wb") as out:
            out.write(data)


def header(content):
    text = (content if isinstance(content, str) else repr(content)).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


if __name__ == "__main__":
    assert sys.byteorder == "little"
    main()
