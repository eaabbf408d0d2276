#!/usr/bin/env python3
"""indim's benchmark patterns, run by the array libraries of Python that are installed here.

    peers.py [PATTERN...] [--elements N] [--library NAME]... [--json FILE]

NumPy, JAX (jit), PyTorch (eager, and torch.compile), CuPy, and ONNX Runtime's WebGPU provider; on
CUDA where a library finds it, else on the CPU. One JSON line a pattern, on stdout and in FILE. What
is not installed is named, on stderr and in a line of its own.

Each library runs in a process of its own, so that a crash costs one pattern, and nothing keeps the
memory that the next one needs. Without any of them, this needs the standard library only.
"""
import argparse
import itertools
import json
import math
import operator
import os
import signal
import statistics
import subprocess
import sys
import time

from libraries import LIBRARIES, Missing
from patterns import adds, element, new_shapes, patterns

# Of a pattern: samples, seconds that they last as well, and seconds after which fewer will do.
SAMPLES, ENOUGH, TOO_LONG = 20, 1.5, 20.0
# Seconds after which a pattern is given up; a jit that compiles for each new shape takes minutes.
LIMIT = 60
# Evaluations for each wait on a GPU, of patterns that are not about the wait.
REPEAT = 20


def check(result, pattern, shapes):
    """Compares the corners and some elements between them with what Python computes, and counts those that are
    kept."""
    sizes = tuple(result.shape)
    corners = itertools.product(*[{0, size - 1} for size in sizes])
    inner = [tuple((step * 7919 + 13) * (k + 1) % size for k, size in enumerate(sizes)) for step in range(4)]

    def at(operand, index):
        flat = 0
        for i, size in zip(index, shapes[operand]):
            flat = flat * size + min(i, size - 1)
        return element(operand + 1, flat)

    for index in itertools.chain(corners, inner):
        value, wanted = float(result[index]), pattern.expected(at, index)
        if pattern.share and value == 0:
            continue
        # A NaN is not near anything.
        if not abs(value - wanted) <= pattern.tolerance * max(1.0, abs(wanted)):
            raise AssertionError(f"wrong result: {value} at {index}, not {wanted}")
    if pattern.share:
        # Within six standard deviations.
        count, kept = math.prod(sizes), float((result != 0).sum())
        if abs(kept - count * pattern.share) > 6 * math.sqrt(count * pattern.share * (1 - pattern.share)):
            raise AssertionError(f"wrong result: {kept} of {count} elements are kept")


class Work:
    """A pattern with operands in a library. `evaluate` evaluates it and gives the last result;
    `parts` are functions that give one result each, with the shapes of its operands."""

    def __init__(self, library, pattern):
        several = pattern.name in ("batch100", "new_shapes")
        if several and not library.eager:
            raise RuntimeError("Python gets no result that stays on the device")
        pairs = [pattern.shapes]
        function = library.compile(lambda *operands: pattern.evaluate(library, *operands))
        if pattern.name == "batch100":
            # What is compiled, if anything, is one addition.
            single = library.compile(operator.add)
            function = lambda a, b: adds(single, a, b)
        elif pattern.name == "new_shapes":
            pairs = [[shape, (1, shape[1])] for shape in new_shapes()]
        sets = [[library.array(shape, k + 1) for k, shape in enumerate(shapes)] for shapes in pairs]
        self.parts = [(lambda operands=operands: function(*operands), shapes) for operands, shapes in zip(sets, pairs)]
        self.operand_elements = sum(math.prod(shape) for shapes in pairs for shape in shapes)

        def evaluate():
            for operands in sets:
                result = function(*operands)
            return result

        self.evaluate = evaluate if library.eager else library.bind(pattern.evaluate, sets[0])


def measure(library, pattern):
    work = Work(library, pattern)
    result_shapes = []
    for part, shapes in work.parts:
        results = part()
        results = results if isinstance(results, tuple) else (results,)
        check(results[0], pattern, shapes)
        result_shapes += [tuple(result.shape) for result in results]
        del results
    elements = [math.prod(shape) for shape in result_shapes]

    # Compiling for a new shape is what new_shapes is about.
    compiles = pattern.name == "new_shapes"
    repeat = 1 if pattern.latency or library.device == "cpu" else REPEAT
    begin = time.perf_counter()
    for k in itertools.count():
        if compiles or (k >= 3 and time.perf_counter() - begin > 0.5):
            break
        library.batch_ms(repeat, work.evaluate)

    times = []
    begin = time.perf_counter()
    while True:
        elapsed = time.perf_counter() - begin
        if (times and elapsed > TOO_LONG) or (len(times) >= SAMPLES and elapsed > ENOUGH):
            break
        if compiles:
            library.forget()
        times.append(library.batch_ms(repeat, work.evaluate))
    # Each addition of an eager batch reads and writes all.
    count = 100 if pattern.name == "batch100" else 1
    return {
        "result_elements": count * sum(elements),
        "bytes": 4 * count * (work.operand_elements + sum(elements)),
        "median_ms": round(statistics.median(times), 6),
        "min_ms": round(min(times), 6),
        "samples": len(times),
        "clock": library.clock(repeat),
    }


def give_up_after(seconds):
    """Raises TimeoutError then, where the system can; 0: no more."""
    if not hasattr(signal, "SIGALRM"):
        return

    def give_up(*_):
        raise TimeoutError(f"not done after {seconds} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)


def child(name, options):
    """Says what the library is, or why it is missing, and then one line a pattern."""
    # Not on the stream that the lines go to.
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(entry):
        print(json.dumps(entry), file=lines, flush=True)

    try:
        library = LIBRARIES[name]()
    except Missing as missing:
        say({"library": name, "missing": str(missing)})
        return
    about = {"library": name, "version": library.version, "adapter": library.adapter, "device": library.device}
    say(about)
    for pattern in patterns(options.elements):
        if pattern.name in options.patterns:
            entry = {**about, "pattern": pattern.name, "elements": pattern.elements}
            give_up_after(LIMIT)
            try:
                entry.update(measure(library, pattern))
            except Exception as error:
                entry["error"] = f"{type(error).__name__}: {error}"[:300]
            give_up_after(0)
            say(entry)


def environment(name):
    """Memory that a result leaves serves the next one, as it does in indim: by default glibc gives
    large blocks back to the system each time, and their pages are cleared anew. indim's own package
    runs as indim does, without this: it recycles memory by itself, and lavapipe's kernels take up to
    1.5 times as long on blocks that glibc places so."""
    if name == "indim-python":
        return dict(os.environ)
    recycled = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26), "MALLOC_ARENA_MAX": "1"}
    return {**recycled, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", **os.environ}


def run(name, options, emit):
    """Runs a library's child, and another one for the patterns after one that ended it."""
    left, about = list(options.patterns), {"library": name}
    while left:
        command = [sys.executable, os.path.abspath(__file__), "--child", name]
        if options.elements:
            command += ["--elements", str(options.elements)]
        # Its own messages are of interest only if it fails.
        process = subprocess.Popen(
            command + left, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(name)
        )
        lines, messages = process.communicate()
        entries = [json.loads(line) for line in lines.splitlines()]
        about = entries[0] if entries else about
        if "missing" in about:
            emit(about)
            return
        for entry in entries[1:]:
            emit(entry)
            left.remove(entry["pattern"])
        if left:
            last = [line for line in messages.splitlines() if line.strip()][-1:] or ["no message"]
            error = f"the process ended with {process.returncode}: {last[0]}"[:300]
            emit({**about, "pattern": left.pop(0), "error": error})


def main():
    names = [pattern.name for pattern in patterns()]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="one of: " + ", ".join(names))
    parser.add_argument("--elements", type=int, help="elements of a result, but for the patterns of latency")
    parser.add_argument("--library", action="append", choices=LIBRARIES, help="this one only; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="where the lines go as well")
    parser.add_argument("--names", action="store_true", help="name the patterns, a line each, and measure nothing")
    parser.add_argument("--child", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.names:
        print("\n".join(names))
        return
    unknown = set(options.patterns) - set(names)
    if unknown:
        parser.error("no such pattern: " + ", ".join(sorted(unknown)))
    # Once each, in the order of the table.
    options.patterns = [name for name in names if not options.patterns or name in options.patterns]
    if options.child:
        child(options.child, options)
        return

    file = open(options.json, "w") if options.json else None

    def emit(entry):
        line = json.dumps(entry)
        print(line, flush=True)
        if file:
            print(line, file=file, flush=True)
        what = entry.get("pattern", "")
        said = f"missing: {entry['missing']}" if "missing" in entry else entry.get("error") or f"{entry['median_ms']:.4g} ms"
        print(f"{entry['library']} {what}: {said}".replace(" :", ":"), file=sys.stderr, flush=True)

    # The package of this repository is run where it is asked for.
    others = [name for name in LIBRARIES if name != "indim-python"]
    for name in options.library or others:
        run(name, options, emit)


if __name__ == "__main__":
    main()
