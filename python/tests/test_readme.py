"""Runs the code of README.md and of the cookbook, and compares its output with what they show."""

import contextlib
import doctest
import io
import re
from pathlib import Path
from typing import Any

import indim

README = Path(__file__).parent.parent / "README.md"
COOKBOOK = Path(__file__).parents[2] / "docs" / "cookbook.md"


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


def test_the_lines_of_the_cookbook_run_on_the_device() -> None:
    """Each gives what the page shows, where the host is forbidden."""
    (code,) = re.findall(r"```python\n(.*?)```", COOKBOOK.read_text(encoding="utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest(code, {}, "cookbook", str(COOKBOOK), 0)
    assert len(test.examples) > 20
    said: list[str] = []
    before = indim.set_host_fallback("error")
    try:
        doctest.DocTestRunner().run(test, out=said.append)
    finally:
        indim.set_host_fallback(before)
    assert not said, "".join(said)
