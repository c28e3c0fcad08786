"""What the program of a lab computed, and how it ended: reads the lines that docs/course/labs/main.cpp writes."""

import math
import re
import signal

from confine import MEGABYTE, Limits, run_confined

LIMITS = Limits(cpu_seconds=5, memory=1024 * MEGABYTE, file_size=16 * MEGABYTE)  # for all cases of a lab together
TOLERANCE = 1e-9  # relative to the largest expected number of the output
# What new memory holds: malloc fills it with the complement of a number, the compiler fills variables in the same spirit.
MALLOC = {"pattern": "191", "zero": "255"}
MOST_CASES = 100


class Result:
    """One case: its name and law, the numbers it showed, and how it ended."""

    def __init__(self, name, law):
        self.name, self.law, self.inputs, self.outputs, self.ended, self.detail = name, law, [], [], "", ""


class Results(list):
    """The results of all cases, up to the first that did not end. `printed` is what the learner's code printed."""

    printed = ""


def run(program, *, grading=False, harmless=False, names=(), fill="pattern", **variables):
    """`names` are the learner's files, as the compiler names them in its messages. `fill` is what new memory holds."""
    variables |= {"OMP_NUM_THREADS": "1", "MALLOC_PERTURB_": MALLOC[fill]}
    done = run_confined([program, "grade" if grading else "check", None], LIMITS._replace(harmless=harmless),
                        environment=variables)
    results, addresses, stack = Results(), None, False
    for line in done.results.decode(errors="replace").split("\n"):
        kind, *fields = line.split("\t")
        if kind == "case" and len(fields) == 2 and len(results) < MOST_CASES:
            results.append(Result(*fields))
        elif kind == "signal" and len(fields) == 2:
            stack, addresses = fields[0] == "stack", fields[1].split()
        elif kind in ("input", "output") and len(fields) == 4 and results:
            shown = matrix_of(*fields)
            if shown:
                (results[-1].inputs if kind == "input" else results[-1].outputs).append(shown)
        elif kind in ("end", "not written", "threw") and results and not results[-1].ended:
            results[-1].ended, results[-1].detail = kind, "".join(fields)[:500]
    if not results or (results[-1].ended and done.status != 0):
        results.append(Result("", ""))  # it ended before a case, between two, or after the last
    for result in results:
        if result.ended == "threw":
            result.detail = ("needed more than 1 GB of memory" if result.detail == "std::bad_alloc"
                             else f"threw an exception: {result.detail}")
    last = results[-1]
    if not last.ended:
        where = line_of(program, addresses, names) if addresses and names else ""
        last.ended, last.detail = how_it_stopped(done, stack, where)
    results.printed = printed_text(done)
    return results


def matrix_of(name, rows, cols, text):
    """(name, rows, columns, numbers), or None for a line that was cut short, or that main.cpp did not write."""
    try:
        numbers = [float(number) for number in text.split()]
        return (name, int(rows), int(cols), numbers) if len(numbers) == int(rows) * int(cols) else None
    except ValueError:
        return None


def line_of(program, addresses, names):
    """The innermost place in the learner's files: "labs/03/layers/softmax.cpp:42"."""
    after_calls = [hex(int(address, 16) - 1) for address in addresses]  # the next instruction may be on another line
    try:
        found = run_confined(["addr2line", "-i", "-e", program, *after_calls], LIMITS)
    except FileNotFoundError:  # macOS has no addr2line
        return ""
    for line in found.output.splitlines():
        place = re.match(r"(.*):(\d+)", line)
        name = next((name for name in names if place and place[1].endswith(name)), None)
        if name:
            return f"{name}:{place[2]}"
    return ""


def lines_of(text):
    """A text with lines that are short enough for regular expressions."""
    return "\n".join(line[:2000] for line in text.split("\n"))


def how_it_stopped(done, stack, where):
    """Completes the sentence "In this case, your code ..."."""
    at = f" at {where}" if where else ""
    assertion = re.search(r"Assertion [`'](.*)' failed|(?:error: )?assertion failed: (.*)", lines_of(done.error))
    if done.too_slow:
        return "stopped", (f"did not finish within {LIMITS.cpu_seconds} seconds" + (f"; it was{at}" if at else "") +
                           ": does a loop never end?")
    if done.status == -signal.SIGXFSZ:
        return "stopped", f"printed more than {LIMITS.file_size // MEGABYTE} MB"
    if done.status >= 0:
        return "left", (f"ended the program (exit status {done.status}), as exit() and abort's relatives do. A function must "
                        "return to its caller")
    if stack:
        return "crashed", f"used up the stack{at}: does a function call itself without end?"
    if assertion and done.status == -signal.SIGABRT:
        law = assertion[1] or assertion[2]
        index = "an index is out of range, or a matrix has no size yet. " if re.search(r"\b(rows_|cols_|size_)", law) else ""
        return "crashed", f"stopped{at or ' at an assertion'}: {index}This does not hold: {law}"
    names = {-signal.SIGSEGV: "it used memory that it does not own: is an index too large, or a pointer null?",
             -signal.SIGABRT: "the program called abort()", -signal.SIGFPE: "an integer was divided by 0",
             -signal.SIGILL: "a function that must return a value did not"}
    return "crashed", f"crashed{at}: " + names.get(done.status, f"the program was ended by signal {-done.status}")


def printed_text(done):
    """What the learner's code printed, without the message of a failed assertion."""
    error = re.sub(r"^.*: Assertion .* failed\.\n?|^terminate called.*\n|^  what\(\): .*\n", "", lines_of(done.error), flags=re.M)
    return "\n".join(text.rstrip("\n") for text in (done.output, error) if text.strip())


def equal(a, b, scale):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= TOLERANCE * scale


def differing(expected, actual):
    """For each output: the cells that differ; None if the shape differs. Names, and so the shapes in them, count."""
    cells = []
    for (name, rows, cols, wanted), found in zip(expected.outputs, actual.outputs):
        scale = max((abs(number) for number in wanted if math.isfinite(number)), default=0)
        if found[:3] != (name, rows, cols):
            cells.append(None)
        else:
            cells.append([not equal(*pair, scale) for pair in zip(wanted, found[3])])
    return cells


def output_equal(expected, actual, number):
    if number >= min(len(expected.outputs), len(actual.outputs)):
        return False
    cells = differing(expected, actual)[number]
    return cells is not None and not any(cells)


def same(expected, actual):
    return (actual.ended == expected.ended and len(actual.outputs) == len(expected.outputs)
            and all(cells is not None and not any(cells) for cells in differing(expected, actual)))


def all_same(expected, actual):
    return len(expected) == len(actual) and all(map(same, expected, actual))
