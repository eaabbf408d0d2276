"""`indim.lib.stride_tricks`, where libraries that know NumPy's look for windows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Final

from ._numpy_moves import sliding_window_view

stride_tricks: Final = SimpleNamespace(sliding_window_view=sliding_window_view)
