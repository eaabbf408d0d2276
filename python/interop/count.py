"""Counts what other libraries can do with arrays of indim, and writes docs/interop.md.

    python python/interop/count.py [--check] [LIBRARY...]

It needs `pip install 'indim[interop]'`, takes some minutes, and with `--check` fails where the page
is another one than it would write. With names of libraries it prints what became of their calls.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import sys
import textwrap
from fnmatch import fnmatchcase
from pathlib import Path

from _calls import DEVICE, FAILS, HOST, Outcome, tried

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"

LIBRARIES = {
    "NumPy": ("numpy_calls", "numpy"),
    "scikit-learn": ("sklearn_calls", "scikit-learn"),
    "SciPy": ("scipy_calls", "scipy"),
    "array-api-extra": ("extra_calls", "array-api-extra"),
    "xarray": ("xarray_calls", "xarray"),
    "dask": ("dask_calls", "dask"),
}

WHAT = {
    "NumPy": "functions over all pages of its reference, called on arrays of indim",
    "scikit-learn": "estimators, scores and kernels with `array_api_dispatch=True`",
    "SciPy": "functions of its array API support, with `SCIPY_ARRAY_API=1`",
    "array-api-extra": "its functions, and those of array-api-compat",
    "xarray": "operations on a DataArray that holds an array of indim",
    "dask": "operations on chunks of `indim.dask.to_indim`",
}

_TOP = """# Other people's programs

Which calls of other libraries work on arrays of indim, and where do they run? Each result is
compared with that on NumPy's arrays, in float32.

- **GPU**: with `indim.set_host_fallback("error")`, and no array of more than one element is read.
- **host**: NumPy computes a part of it by [the rule for the host](numpy.md#the-rule-for-the-host),
  or the library itself reads an array by `numpy.asarray`.

`python python/interop/count.py` writes this page, and its folder has the calls. Those of
scikit-learn and SciPy are of their lists of array API support, without what SciPy supports for
CuPy, JAX and PyTorch alone.
"""

_WHY = {
    "the shape of the result depends on the elements": (
        "x[key] indim.nonzero indim.repeat indim.where indim.unique_* numpy.compress numpy.unique"
    ),
    "no kernel writes at computed places": (
        "x[key]_=_value numpy.put numpy.put_along_axis numpy.place"
    ),
    "its steps depend on each other, and their number on the operands": (
        "numpy.gcd indim.linalg.* numpy.linalg.* indim.fft.* numpy.fft.*"
    ),
    "of long rows, or by other methods than linear": "indim.sort indim.argsort numpy.percentile",
    "each row has a number of elements of its own": "numpy.nanmedian numpy.nanquantile",
    "the library itself reads the array": "numpy.asarray",
}
"""Why the host computes what has no kernel: patterns of names, with spaces as underscores."""


def main() -> int:
    """Count, and write or check the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Raw)
    parser.add_argument("--check", action="store_true", help="fail where the page differs")
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=", ".join(LIBRARIES))
    options = parser.parse_args()
    for name in options.libraries:
        if name not in LIBRARIES:
            parser.error(f"no library {name}: there are {', '.join(LIBRARIES)}")
    found = {name: _counted(name) for name in options.libraries or LIBRARIES}
    if options.libraries:
        print("".join(_section(name, outcomes) for name, outcomes in found.items()))
        return 0
    text = _page(found)
    if not options.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE} is not what count.py writes now:\n{text}", file=sys.stderr)
    return 1


class _Raw(argparse.RawDescriptionHelpFormatter):
    """Help with the lines of the module's description."""


def _counted(library: str) -> dict[str, Outcome]:
    """Try all calls of a library."""
    module, _ = LIBRARIES[library]
    outcomes = {}
    for name, call in importlib.import_module(module).CALLS.items():
        print(f"{library}: {name}", file=sys.stderr, flush=True)
        outcomes[name] = tried(call)
    return outcomes


def _page(found: dict[str, dict[str, Outcome]]) -> str:
    rows = [
        "| library | calls | right | on the GPU | on the host | fails | what is called |",
        "|---|---|---|---|---|---|---|",
    ]
    for library, outcomes in found.items():
        on_device, on_host, failed = (_of(outcomes, kind) for kind in (DEVICE, HOST, FAILS))
        version = importlib.metadata.version(LIBRARIES[library][1])
        rows.append(
            f"| {library} {version} | {len(outcomes)} | {len(outcomes) - len(failed)} | "
            f"{len(on_device)} | {len(on_host)} | {len(failed)} | {WHAT[library]} |"
        )
    calls = [each for outcomes in found.values() for each in outcomes.values()]
    why = reasons({name for each in calls for name in each.names})
    sections = "".join(_section(library, outcomes) for library, outcomes in found.items())
    return f"{_TOP}\n" + "\n".join(rows) + f"\n\n{why}{sections}"


def reasons(names: set[str]) -> str:
    """Return a table of why the host computes what these names say; an error for an unknown one."""
    rows = ["| what runs on the host | why |", "|---|---|"]
    for why, patterns in _WHY.items():
        alike = {each: {name for name in names if _fits(name, each)} for each in patterns.split()}
        shown = [f"`{each.replace('_=_', ' = ')}`" for each, found in alike.items() if found]
        if shown:
            rows.append(f"| {', '.join(shown)} | {why} |")
        names = names.difference(*alike.values())
    if names:
        raise ValueError(f"_WHY has no reason for {', '.join(sorted(names))}")
    return "\n".join(rows) + "\n"


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name.replace(" ", "_"), pattern.replace("[", "[[]"))


def _section(library: str, outcomes: dict[str, Outcome]) -> str:
    """Return the part of the page about one library."""
    text = f"\n## {library}\n"
    if on_device := _of(outcomes, DEVICE):
        names = ", ".join(f"`{name}`" for name in on_device)
        text += "\n" + _wrapped(f"On the GPU: {names}.")
    if on_host := _of(outcomes, HOST):
        text += "\n| on the host | what runs there |\n|---|---|\n"
        for name, outcome in on_host.items():
            text += f"| `{name}` | {', '.join(f'`{each}`' for each in outcome.names)} |\n"
    if failed := _of(outcomes, FAILS):
        text += "\n| fails | because |\n|---|---|\n"
        for name, outcome in failed.items():
            text += f"| `{name}` | {outcome.reason.replace('|', '/')[:150]} |\n"
    return text


def _of(outcomes: dict[str, Outcome], kind: str) -> dict[str, Outcome]:
    return {name: each for name, each in outcomes.items() if each.kind == kind}


def _wrapped(text: str) -> str:
    """Return lines, none of which ends within a name in code."""
    parts = text.split("`")
    parts[1::2] = [name.replace(" ", "\0") for name in parts[1::2]]
    lines = textwrap.fill("`".join(parts), 118, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\0", " ") + "\n"


if __name__ == "__main__":
    sys.exit(main())
