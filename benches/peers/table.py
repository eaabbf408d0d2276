#!/usr/bin/env python3
"""Makes one table of JSON lines of `indim bench`, of the burn programs and of peers.py.

    table.py FILE... [--output FILE]

A line without `library` is indim's. Of several lines for one pattern the one with the median time
counts. Needs the standard library only.
"""
import argparse
import json
import math
import re
import sys

BROADCASTING = ["row", "column", "scalar", "one", "outer", "rank5", "chain_broadcast"]
REDUCTIONS = [
    "sum_rows", "sum_columns", "sum_all", "sum_short_rows", "sum_long_rows", "sum_middle", "distance", "mean_var",
    "argmax", "pairwise", "softmax", "softmax_short", "softmax_long", "layer_norm", "layer_norm_short",
    "layer_norm_long",
]


def read(paths):
    """Libraries by name, in the order of the files, each with its lines by pattern; what is missing,
    and why; the patterns in their order."""
    rounds, missing, patterns = {}, {}, []
    for path in paths:
        with open(path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    entry = json.loads(line)
                except ValueError as error:
                    sys.exit(f"{path}:{number}: {error}")
                name = entry.get("library", "indim")
                if "missing" in entry:
                    missing[name] = entry["missing"]
                    continue
                rounds.setdefault(name, {}).setdefault(entry["pattern"], []).append(entry)
                if entry["pattern"] not in patterns:
                    patterns.append(entry["pattern"])
    libraries = {name: {pattern: middle(lines) for pattern, lines in of.items()} for name, of in rounds.items()}
    return libraries, missing, patterns


def middle(lines):
    """Of several rounds the one with the median time; an error counts only where nothing else is."""
    measured = sorted((line for line in lines if "error" not in line), key=lambda line: line["median_ms"])
    return measured[len(measured) // 2] if measured else lines[0]


def compare(libraries):
    """Makes an error of what was measured at another size than indim's."""
    for name, lines in libraries.items():
        for pattern, entry in lines.items():
            ours = libraries.get("indim", {}).get(pattern, {}).get("result_elements")
            if ours and entry.get("result_elements", ours) != ours:
                lines[pattern] = {**entry, "error": f"{entry['result_elements']} elements, indim {ours}"}


def median(lines, pattern):
    entry = lines.get(pattern, {})
    return None if "error" in entry else entry.get("median_ms")


def digits(value):
    """Three digits that count."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(max(value, 1e-9))))}f}"


def cell(lines, pattern, value):
    if "error" in lines.get(pattern, {}):
        return "error"
    return "" if value is None else digits(value)


def aligned(rows):
    """A Markdown table; all columns but the first are numbers."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]

    def line(row):
        cells = [text.rjust(width) if k else text.ljust(width) for k, (text, width) in enumerate(zip(row, widths))]
        return f"| {' | '.join(cells)} |"

    rule = "|".join("-" * (width + 2) if k == 0 else "-" * (width + 1) + ":" for k, width in enumerate(widths))
    return "\n".join([line(rows[0]), f"|{rule}|"] + [line(row) for row in rows[1:]]) + "\n"


def mean(values):
    """The geometric mean, if nothing is missing."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if all(values) else None


def faster(libraries, names):
    """Lines with the shortest of these libraries' times for each pattern."""
    chosen = {}
    for name in names:
        for pattern, entry in libraries[name].items():
            best = median(chosen, pattern)
            if pattern not in chosen or best is None or (median({pattern: entry}, pattern) or math.inf) < best:
                chosen[pattern] = entry
    return chosen


def ratios(libraries, patterns):
    """Times in those of indim, which stand in the first column."""
    ours = libraries["indim"]
    peers = {name: lines for name, lines in libraries.items() if name != "indim"}
    burns = [name for name in peers if name.startswith("burn")]
    if len(burns) > 1:
        peers = {"faster burn": faster(libraries, burns), **peers}

    def ratio(lines, pattern):
        mine, theirs = median(ours, pattern), median(lines, pattern)
        return theirs / mine if mine and theirs else None

    rows = [["pattern", "indim ms"] + [f"{name} / indim" for name in peers]]
    for pattern in patterns:
        row = [f"`{pattern}`", cell(ours, pattern, median(ours, pattern))]
        rows.append(row + [cell(lines, pattern, ratio(lines, pattern)) for lines in peers.values()])
    for of in (BROADCASTING, REDUCTIONS):
        if set(of) <= set(patterns):
            means = [mean(ratio(lines, pattern) for pattern in of) for lines in peers.values()]
            rows.append([mean_title(of), ""] + ["" if value is None else digits(value) for value in means])
    return aligned(rows)


def mean_title(of):
    return "geometric mean" + (" of reductions" if of is REDUCTIONS else "")


def times(libraries, patterns):
    floor = {pattern: entry.get("floor_ms") for pattern, entry in libraries.get("indim", {}).items()}
    floors = any(floor.values())
    rows = [["pattern"] + list(libraries) + ["floor"] * floors]
    for pattern in patterns:
        row = [f"`{pattern}`"] + [cell(lines, pattern, median(lines, pattern)) for lines in libraries.values()]
        rows.append(row + [digits(floor[pattern]) if floor.get(pattern) else ""] * floors)
    return aligned(rows)


def described(name, lines):
    """A line on a library: its version, where it ran and how it was timed."""
    entries = [entry for entry in lines.values() if "error" not in entry] or list(lines.values())
    first = entries[0]
    versions = [f"{key} {first[key]}" for key in ("cubecl", "wgpu") if key in first]
    title = " ".join(filter(None, [name, first.get("version"), f"({', '.join(versions)})" if versions else ""]))
    where = first.get("adapter", "unknown adapter")
    if first.get("backend") or first.get("device"):
        where += f" ({first.get('backend') or first['device']})"
    clocks = sorted({entry["clock"] for entry in entries if "clock" in entry})
    return f"- {title}: {'; '.join([where] + clocks)}\n"


def adapter(libraries):
    """The one that the first library ran on."""
    names = [entry["adapter"] for lines in libraries.values() for entry in lines.values() if "adapter" in entry]
    return names[0] if names else "unknown adapter"


def slug(name):
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")


def table(libraries, missing, patterns):
    text = f"# Peers: {adapter(libraries)}\n\n"
    if "indim" in libraries:
        text += "Times in those of indim: above 1, indim is faster.\n\n" + ratios(libraries, patterns)
        if set(BROADCASTING) <= set(patterns):
            text += f"\nThe mean is over {', '.join(f'`{name}`' for name in BROADCASTING)}.\n"
    else:
        text += "Without indim's own times, so without ratios.\n"
    text += "\nMedians in milliseconds.\n\n" + times(libraries, patterns) + "\nWhat ran:\n\n"
    for name, lines in libraries.items():
        text += described(name, lines)
    for name, why in missing.items():
        text += f"- {name}: missing ({why})\n"
    errors = [
        f"- {name}, `{pattern}`: {entry['error']}\n"
        for name, lines in libraries.items() for pattern, entry in lines.items() if "error" in entry
    ]
    return text + ("\nErrors:\n\n" + "".join(errors) if errors else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON lines")
    parser.add_argument("--output", metavar="FILE", help="where the table goes, instead of stdout")
    parser.add_argument("--slug", action="store_true", help="print the adapter's name as part of a file's, no table")
    options = parser.parse_args()
    libraries, missing, patterns = read(options.files)
    if not libraries:
        sys.exit("no lines to make a table of")
    compare(libraries)
    # Ratios are to indim, so it comes first, whatever file it is in.
    libraries = dict(sorted(libraries.items(), key=lambda item: item[0] != "indim"))
    if options.slug:
        print(slug(adapter(libraries)))
        return
    text = table(libraries, missing, patterns)
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
