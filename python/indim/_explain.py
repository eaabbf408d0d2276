"""Shows the kernels that arrays are computed by, and how each operand is broadcast, as pictures."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from . import _core

# More rows and columns than these are cut off.
MAX_ROWS = 6
MAX_COLUMNS = 8
# More slices of a picture of rank 3 and more are cut off.
MAX_SLICES = 3


class Explanation:
    """The kernels of an evaluation, in order.

    ``print`` shows them as text, and a notebook as HTML. ``kernels`` has the same as dictionaries:
    what each kernel writes and reads, its iteration space, the bytes that it moves and its WGSL.
    """

    def __init__(self, exprs: Sequence[_core.Expr]) -> None:
        self.kernels: list[dict[str, Any]] = _core.explain(list(exprs))

    def __repr__(self) -> str:
        if not self.kernels:
            return "no kernel: the arrays are there already"
        return "\n\n".join("\n".join(self._text(*each)) for each in enumerate(self.kernels, 1))

    def _repr_html_(self) -> str:
        if not self.kernels:
            return "<p>no kernel: the arrays are there already</p>"
        parts: list[str] = []
        for number, kernel in enumerate(self.kernels, 1):
            parts.append(f"<p><b>{html.escape(_title(number, len(self.kernels), kernel))}</b></p>")
            parts.append('<table style="border-spacing: 1.5em 0"><tr style="vertical-align: top">')
            for operand in kernel["operands"]:
                caption = html.escape(_caption(operand))
                tables = "<br>".join(
                    _html_grid(grid) for _, grid in _grids(operand, kernel["space"])
                )
                parts.append(f'<td style="text-align: left">{caption}{tables}</td>')
            parts.append("</tr></table>")
        return "".join(parts)

    def _text(self, number: int, kernel: dict[str, Any]) -> Iterator[str]:
        yield _title(number, len(self.kernels), kernel)
        yield f"  bytes read {kernel['bytes_read']}, written {kernel['bytes_written']}"
        for operand in kernel["operands"]:
            yield f"  {_caption(operand)}"
            for index, grid in _grids(operand, kernel["space"]):
                if index:
                    yield f"    [{', '.join(map(str, index))}]"
                width = max((len(cell) for row in grid for cell in row), default=0)
                for row in grid:
                    yield "    " + " ".join(cell.rjust(width) for cell in row)


def _title(number: int, of: int, kernel: dict[str, Any]) -> str:
    writes = " and ".join(f"{name} ({dtype})" for name, dtype in kernel["writes"])
    plural = "" if kernel["ops"] == 1 else "s"
    return (
        f"kernel {number} of {of}: {kernel['ops']} operation{plural}, writes {writes} of shape "
        f"{_sizes(kernel['shape'])}, {kernel['schedule']} in units of {kernel['unit']}"
    )


def _caption(operand: dict[str, Any]) -> str:
    dims = operand["broadcast_dimensions"]
    along = f", dimensions {dims} of the result" if dims else ""
    shape = "" if operand["source"] == "iota" else f" {_sizes(operand['shape'])}"
    return f"{operand['source']}: {operand['dtype']}{shape}{along}, read as {operand['access']}"


def _sizes(shape: Sequence[int]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _grids(
    operand: dict[str, Any], space: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], list[list[str]]]]:
    """Yields the elements that the kernel reads, as names in grids of rows and columns.

    A grid is one slice along the dimensions before the last two, of which it comes with the index.
    The name of an element is a letter with its place in row-major order in the operand.
    """
    if operand["source"] == "iota" or 0 in space:
        return
    strides = operand["strides"]
    letter = "abcdefghijklmnopqrstuvwxyz"[_number(operand["source"]) % 26]
    rows = space[-2] if len(space) > 1 else 1
    columns = space[-1] if space else 1
    step_row = strides[-2] if len(space) > 1 else 0
    step_column = strides[-1] if space else 0
    outer = space[:-2]
    for index in itertools.islice(itertools.product(*map(range, outer)), MAX_SLICES):
        first = operand["offset"] + sum(i * s for i, s in zip(index, strides[:-2], strict=True))
        grid: list[list[str]] = []
        for row in range(min(rows, MAX_ROWS)):
            places = [
                first + row * step_row + i * step_column for i in range(min(columns, MAX_COLUMNS))
            ]
            # A pad or a roll reads no element where a place lies outside of the operand.
            cells = [f"{letter}{place}" if place >= 0 else "." for place in places]
            grid.append(cells + ["..."] * (columns > MAX_COLUMNS))
        if rows > MAX_ROWS:
            grid.append(["..."])
        yield index, grid


def _number(source: str) -> int:
    return int(source.split()[-1])


def _html_grid(grid: list[list[str]]) -> str:
    body = ""
    for row in grid:
        cells = "".join(f'<td style="{_style(cell)}">{cell}</td>' for cell in row)
        body += f"<tr>{cells}</tr>"
    return f'<table style="border-collapse: collapse">{body}</table>'


def _style(cell: str) -> str:
    """Returns the style of a cell, whose colour is that of its element."""
    digits = cell[1:]
    colour = f"hsl({int(digits) * 47 % 360} 60% 85%)" if digits.isdigit() else "none"
    return f"border: 1px solid #999; padding: 0 .4em; background: {colour}; color: black"
