"""docs/interop.md has every call of python/interop/, and NumPy's still run where it says."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "python" / "interop"
PAGE = (ROOT / "docs" / "interop.md").read_text(encoding="utf-8")

COUNTS = {
    "NumPy": ("numpy_calls", 100),
    "scikit-learn": ("sklearn_calls", 33),
    "SciPy": ("scipy_calls", 50),
    "array-api-extra": ("extra_calls", 26),
    "xarray": ("xarray_calls", 47),
    "dask": ("dask_calls", 30),
}


def calls(module: str) -> list[str]:
    """Return the names of a module's calls, whose library need not be installed."""
    for node in ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict):
            return [ast.literal_eval(key) for key in node.value.keys if key is not None]
    raise AssertionError(f"{module} has no table of calls")


def kinds(library: str) -> dict[str, str]:
    """Return where the page says that a library's calls run."""
    section = PAGE.split(f"\n## {library}\n")[1].split("\n## ")[0]
    listed = section.split("On the GPU: ")[1].split(".\n")[0] if "On the GPU: " in section else ""
    found = dict.fromkeys(re.findall(r"`([^`]+)`", listed), "device")
    kind = ""
    for line in section.split("\n"):
        if line.startswith("| on the host |") or line.startswith("| fails |"):
            kind = "host" if "host" in line else "fails"
        elif line.startswith("| `"):
            found[line.split("`")[1]] = kind
    return found


@pytest.mark.parametrize("library", COUNTS)
def test_the_page_has_every_call_and_counts_right(library: str) -> None:
    """In its table, too."""
    module, count = COUNTS[library]
    found = kinds(library)
    assert sorted(found) == sorted(calls(module)) and len(found) == count
    (row,) = re.findall(rf"^\| {library} \S+ \| (.*?) \| \D", PAGE, re.MULTILINE)
    numbers = [int(cell) for cell in row.split(" | ")]
    of = {kind: list(found.values()).count(kind) for kind in ("device", "host", "fails")}
    assert numbers == [count, count - of["fails"], of["device"], of["host"], of["fails"]]


def test_calls_of_numpy_run_where_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others take minutes, and `count.py --check` tries them."""
    monkeypatch.syspath_prepend(str(FOLDER))
    import numpy_calls
    from _calls import tried

    try:
        outcomes = {name: tried(call).kind for name, call in numpy_calls.CALLS.items()}
    finally:
        for name in ("numpy_calls", "_calls"):
            sys.modules.pop(name, None)
    assert outcomes == kinds("NumPy")
