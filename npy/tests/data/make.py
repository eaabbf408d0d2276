"""Makes the archives that npz.rs reads, in the working directory: python3 make.py, with NumPy."""

import numpy as np

ARRAYS = {
    "weights": np.arange(6, dtype=np.float32).reshape(2, 3) / 4,
    "fortran": np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3)),
    "flags": np.array([True, False, True]),
    "scalar": np.array(2.5, dtype=">f8"),
    "empty": np.zeros((0, 3), dtype=np.uint8),
    "zeros": np.zeros(4096, dtype=np.int16),
}

np.savez("stored.npz", **ARRAYS)
np.savez_compressed("compressed.npz", **ARRAYS)
np.savez("complex128.npz", z=np.array([1 + 2j]))
