"""Runs the code of README.md, and compares its output with the text below it."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import indim

README = Path(__file__).parent.parent / "README.md"


def test_the_code_prints_what_the_page_says() -> None:
    page = README.read_text(encoding="utf-8")
    pairs = re.findall(r"```python\n(.*?)```.*?```text\n(.*?)```", page, flags=re.DOTALL)
    assert len(pairs) == 4
    names: dict[str, Any] = {}
    for code, expected in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(code, str(README), "exec"), names)
            except ValueError as error:
                print(f"{type(error).__name__}: {error}")
        found = printed.getvalue()
        if indim.adapter()["type"] != "Cpu":
            # The kernels of a GPU are others.
            found, expected = (text.split("kernel 1")[0] for text in (found, expected))
        assert found == expected
