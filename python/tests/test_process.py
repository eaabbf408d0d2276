"""Tests what happens around an evaluation: no adapter, forks, signals, threads, the exit."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import indim
from indim import _core


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a new interpreter."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_import_and_expressions_need_no_adapter() -> None:
    done = run(
        """
        import indim
        x = indim.asarray([1.0, 2.0])
        y = indim.tanh(x * 2 + 1)
        assert y.shape == (2,) and y.dtype == indim.float32
        try:
            x + indim.asarray([1.0, 2.0, 3.0])
        except ValueError as error:
            assert "[2]" in str(error) and "[3]" in str(error), error
        else:
            raise AssertionError("the shapes do not broadcast")
        try:
            indim.eval(y)
        except indim.NoAdapterError as error:
            print(error)
        """,
        VK_DRIVER_FILES="/nowhere.json",
        VK_ICD_FILENAMES="/nowhere.json",
        WGPU_BACKEND="vulkan",
    )
    assert done.returncode == 0, done.stderr
    assert "mesa-vulkan-drivers" in done.stdout


def test_the_interpreter_exits_with_work_under_way() -> None:
    done = run(
        """
        import indim
        x = indim.ones((1 << 22,))
        for _ in range(20):
            x = indim.sin(x) * 1.5
            indim.eval(x)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_thread_may_still_wait_when_the_interpreter_exits() -> None:
    done = run(
        """
        import threading, indim
        x = indim.ones((1 << 22,))
        def work():
            y = x
            for _ in range(10):
                y = indim.sin(y) * 1.5
                bytes(memoryview(y.__array__()))
        threading.Thread(target=work, daemon=True).start()
        """
    )
    assert done.returncode == 0, done.stderr


def test_an_array_that_is_dropped_at_the_exit_still_works() -> None:
    """Nothing is imported then; who has to read gets an error of Python's, no panic."""
    done = run(
        """
        import indim
        class Late:
            def __init__(self):
                self.x = indim.asarray([1.0]) + 1
            def __del__(self):
                assert self.x.__array_namespace__() is not None
                assert (self.x.in_dim([0]) + self.x + 1).shape == (1,)
                indim.asarray([1.0, 2.0])
                try:
                    self.x.tolist()
                except RuntimeError as error:
                    print(error)
        late = Late()
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "shutting down" in done.stdout or done.stdout == ""


def test_a_forked_child_gets_an_error_that_says_what_to_do() -> None:
    done = run(
        """
        import os, indim
        x = indim.asarray([1.0, 2.0]) + 1
        read = indim.asarray([5.0])
        indim.eval(x)
        child = os.fork()
        if child == 0:
            assert float(read[0]) == 5.0
            try:
                x.__array__()
            except RuntimeError as error:
                assert 'mp_context=multiprocessing.get_context("spawn")' in str(error), error
                os._exit(7)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        assert x.tolist() == [2.0, 3.0]
        """
    )
    assert done.returncode == 0, done.stderr


def test_a_child_that_was_forked_before_the_first_evaluation_computes() -> None:
    done = run(
        """
        import os, sys, indim
        x = indim.asarray([1.0, 2.0]) + 1
        child = os.fork()
        assert x.tolist() == [2.0, 3.0]
        if child == 0:
            sys.exit(7)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        """
    )
    assert done.returncode == 0, done.stderr


def slow() -> indim.Array:
    """Returns a value that takes the GPU some time."""
    x = indim.arange(1 << 20, dtype=indim.float32)
    for _ in range(60):
        x = indim.sin(x) + indim.cos(x)
    return x


def test_ctrl_c_interrupts_a_wait() -> None:
    # The kernels are compiled before, which nothing interrupts.
    np.asarray(slow())
    x = slow()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                np.asarray(x)
                x = slow()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    interrupted = time.monotonic() - began
    # Nothing is lost by it.
    np.asarray(x)
    assert (indim.asarray([1.0]) + 1).tolist() == [2.0]
    assert interrupted < 5, interrupted


def test_other_threads_run_while_the_gpu_works() -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    x = slow()
    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    np.asarray(x)
    elapsed = time.monotonic() - began
    done.set()
    thread.join()
    assert elapsed > 0.05, "there was nothing to wait for"
    assert counted > elapsed / 0.001 / 10, (counted, elapsed)


def test_an_array_that_no_memory_holds_is_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="max_"):
        indim.eval(indim.ones((1 << 45,)))
    with pytest.raises((ValueError, MemoryError)):
        indim.eval(indim.ones((1 << 40, 1 << 40)))
    assert (indim.asarray([1.0]) + 1).tolist() == [2.0]


def test_reading_twice_reads_once() -> None:
    x = indim.asarray([1.0, 2.0]) + 1
    np.asarray(x)
    before = _core.stats()
    np.asarray(x)
    x.tolist()
    assert float(x[1]) == 3.0
    assert _core.stats() == before
