"""Makes the files of this folder with NumPy 2.4: `python3 make.py` here.

print.txt: arrays and what NumPy prints for them. One case: element type, sizes and bytes in
hexadecimal on a line, the text below it, then a line of three dashes.
*.npy: files of every version, order, byte order and type that the command reads or refuses.
"""

import io
import struct
import sys

import numpy as np

NAMES = {"float32": "f32", "int32": "s32", "uint32": "u32", "bool": "pred"}


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
