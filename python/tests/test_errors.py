"""Errors are found where they are exported, pass between processes, and a lost device is one."""

from __future__ import annotations

import multiprocessing
import pickle
import textwrap
from concurrent.futures import ProcessPoolExecutor

import pytest
from test_process import run

import indim as xp
from indim import _core

ERRORS = [xp.DeviceError, xp.NoAdapterError, xp.FunctionError, xp.ProgramError]


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_has_the_name_that_the_package_exports(error: type[Exception]) -> None:
    """Its module and name lead to it, as tracebacks print them."""
    assert error.__module__ == "indim"
    assert getattr(xp, error.__qualname__) is error
    assert repr(error) == f"<class 'indim.{error.__name__}'>"


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_survives_pickling(error: type[Exception]) -> None:
    """With its message, its attributes and its notes."""
    raised = error("line 1: why")
    raised.add_note("seen in block 3")
    raised.block = 3  # type: ignore[attr-defined]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(raised, protocol))
        assert type(back) is error and back.args == ("line 1: why",)
        assert back.__notes__ == ["seen in block 3"] and back.block == 3


def lose_and_read() -> None:
    """Loses the device of this process and reads an array that was on it."""
    x = xp.asarray([1.0, 2.0]) + 1
    xp.eval(x)
    _core.destroy_device()
    x.tolist()


def misspell() -> None:
    """Gives WGSL that does not compile."""
    xp.function("fn half(x: f32) -> f32 { return 0.5 * y; }")


def test_the_error_of_a_worker_arrives_as_what_it_is() -> None:
    """A spawned process loses its device, and its parent gets the error."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=spawn) as pool:
        with pytest.raises(xp.DeviceError, match="the device of these arrays was lost"):
            pool.submit(lose_and_read).result()
        with pytest.raises(xp.FunctionError, match="line 1, column 39"):
            pool.submit(misspell).result()


LOST = """
    import pickle
    import indim as xp, numpy as np
    from indim import _core

    def rebuild():
        return xp.asarray([1.0, 2.0]) + 1

    def lose():
        '''Return an array that was computed, one that was read, one of the host; lose all.'''
        gone, read = rebuild(), rebuild() * 2
        unused = xp.asarray(np.full(5000, 3.0, np.float32))
        xp.eval(gone, read)
        read.tolist()
        _core.destroy_device()
        return gone, read, unused

    def refuses(use):
        try:
            use()
        except xp.DeviceError as error:
            assert "lost" in str(error) and "make the arrays anew" in str(error), error
            assert "Context" not in str(error) and "upload" not in str(error), error
        else:
            raise AssertionError("its elements are gone")
"""


def after_a_loss(script: str) -> None:
    """Runs a script in a process of its own, which may lose its device."""
    done = run(textwrap.dedent(LOST) + textwrap.dedent(script))
    assert done.returncode == 0, done.stderr


def test_every_use_of_an_array_whose_device_is_lost_is_a_device_error() -> None:
    """The first one, and those after it, alone and with arrays that came later."""
    after_a_loss(
        """
        gone, _, _ = lose()
        new = None
        for _ in range(2):
            for use in (
                gone.tolist, lambda: str(gone), lambda: bool(gone[0]), lambda: np.asarray(gone),
                lambda: (gone + 1).tolist(), lambda: xp.eval(gone * 2), lambda: xp.eval(gone),
                lambda: pickle.dumps(gone), lambda: xp.explain(gone + 1),
                lambda: (gone + rebuild()).tolist(),
                lambda: xp.where(gone > 0, rebuild(), 0.0).tolist(),
            ):
                refuses(use)
                # What is told of one array takes nothing from others.
                new = rebuild() if new is None else new
                xp.eval(new)
                assert (new + 1).tolist() == [3.0, 4.0]
        assert gone.shape == (2,) and gone.dtype == xp.float32
        """
    )


def test_who_catches_the_loss_computes_anew() -> None:
    """`except DeviceError: rebuild` is all that a program needs, as often as it happens."""
    after_a_loss(
        """
        x = rebuild()
        for _ in range(3):
            xp.eval(x)
            _core.destroy_device()
            try:
                y = (x * 2).tolist()
            except xp.DeviceError:
                x = rebuild()
                y = (x * 2).tolist()
            assert y == [4.0, 6.0]
        """
    )


def test_what_the_host_still_has_is_uploaded_again() -> None:
    """Arrays that were read, and those that no evaluation has used yet."""
    after_a_loss(
        """
        gone, read, unused = lose()
        refuses(gone.tolist)
        assert read.tolist() == [4.0, 6.0]
        assert (read + 1).tolist() == [5.0, 7.0]
        assert (unused + 1)[:2].tolist() == [4.0, 4.0]
        """
    )


def test_a_loss_that_takes_no_elements_is_none() -> None:
    """Computing with the host's values alone opens the GPU again."""
    after_a_loss(
        """
        lose()
        assert rebuild().tolist() == [2.0, 3.0]
        """
    )


def test_a_wait_tells_of_the_loss() -> None:
    """Once; the next one has another device, or none, to wait for."""
    after_a_loss(
        """
        lose()
        refuses(xp.wait)
        xp.wait()
        """
    )
