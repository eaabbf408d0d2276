"""Measures what a chunk costs that goes to the GPU and back, beside NumPy on the host.

    python python/benches/chunks.py

Each line is one size of chunk: the milliseconds of NumPy and of indim for `tanh(x * v + 1)`, by
turns, medians, and of indim the chunk's way up and its result's way down, without the kernel.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import indim

ROUNDS = 15


def milliseconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1e3


def up_and_down(x: Any) -> float:
    """Measures a chunk's way up and that of a result of its size down.

    Each is measured by itself. The difference of the whole and the kernel alone is lost in how much
    the kernel's own time varies.
    """
    held = []

    def up() -> None:
        held.append(indim.asarray(x))
        indim.eval(*held)
        indim.wait()

    upwards = milliseconds(up)
    result = held[0] + 1
    indim.eval(result)
    indim.wait()
    return upwards + milliseconds(lambda: np.asarray(result))


def main() -> None:
    adapter = indim.adapter()
    print(f"{adapter['name']}, {adapter['driver']}; NumPy {np.__version__}")
    print("| chunk | NumPy, ms | indim, ms | up and down, ms |")
    print("|---|---|---|---|")
    for kib in (16, 64, 256, 1024, 4096, 16384, 65536):
        columns = 1024
        rows = kib * 1024 // 4 // columns
        x = np.linspace(-2, 2, rows * columns, dtype=np.float32).reshape(rows, columns)
        v = np.linspace(0.5, 1.5, columns, dtype=np.float32)

        def of_numpy(x: Any = x, v: Any = v) -> Any:
            return np.tanh(x * v + 1)

        def of_indim(x: Any = x, v: Any = v) -> Any:
            return np.asarray(indim.tanh(indim.asarray(x) * indim.asarray(v) + 1))

        assert np.allclose(of_numpy(), of_indim(), atol=1e-5)
        turns = [
            (milliseconds(of_numpy), milliseconds(of_indim), up_and_down(x)) for _ in range(ROUNDS)
        ]
        numpy, whole, way = (statistics.median(times) for times in zip(*turns, strict=True))
        size = f"{kib} KiB" if kib < 1024 else f"{kib // 1024} MiB"
        print(f"| {size} | {numpy:.2f} | {whole:.2f} | {way:.2f} |")


if __name__ == "__main__":
    main()
