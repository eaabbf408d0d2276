"""The one device: the adapter that wgpu opens at the first evaluation."""

from __future__ import annotations

from typing import Final

DEVICE: Final = "gpu"


def check_device(device: object) -> None:
    """Raise a ValueError unless a `device` argument is None or names the device of indim."""
    if device is not None and device != DEVICE:
        raise ValueError(
            f"indim has one device, {DEVICE!r}, not {device!r}; numpy.asarray(x) copies to the "
            "host's memory"
        )
