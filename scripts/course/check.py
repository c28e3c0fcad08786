"""Runs the program of a lab with limits, compares what it computed with what the real functions compute, and explains
the first difference: the failing input, expected and actual numbers, and what the mistake probably is."""

import ctypes
import math
import os
import re
import resource
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

from labs import CompileError, LabError, build_core, program_of

SECONDS, BYTES = 5, 1 << 30  # limits for all cases of a lab together
TOLERANCE = 1e-9  # relative to the largest expected number of the output
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MALLOC_PERTURB_": "191"}  # new memory is the same garbage every time: 32.5020


class Result:
    """One case: its name and law, the numbers it showed, and how it ended."""

    def __init__(self, name, law):
        self.name, self.law, self.inputs, self.outputs, self.ended, self.detail = name, law, [], [], "", ""


def limits(without_network):
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))
        if without_network and ctypes.CDLL(None).unshare(0x10000000 | 0x40000000) != 0:  # CLONE_NEWUSER, CLONE_NEWNET
            os._exit(99)
    return set_limits


def run(program, without_network=False):
    """The results of all cases up to the first that did not end."""
    try:
        done = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * SECONDS,
                              preexec_fn=limits(without_network), env=ENVIRONMENT, check=False)
        output, error, status = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as expired:
        output, error, status = expired.stdout or b"", b"", -signal.SIGXCPU
    if status == 99:
        raise LabError("This system does not let a program be cut off from the network (unshare failed). Run "
                       "`grade` in a container without network, and add --with-network.")
    results = []
    for line in output.decode(errors="replace").split("\n"):
        kind, *fields = line.split("\t")
        if kind == "case" and len(fields) == 2:
            results.append(Result(*fields))
        elif kind in ("input", "output") and len(fields) == 4 and results:
            name, rows, cols, numbers = fields
            numbers = [float(number) for number in numbers.split()]
            if len(numbers) == int(rows) * int(cols):
                (results[-1].inputs if kind == "input" else results[-1].outputs).append(
                    (name, int(rows), int(cols), numbers))
        elif kind in ("end", "not written", "threw") and results:
            what = "needed more than 1 GB of memory" if fields == ["std::bad_alloc"] else "threw an exception: " + "".join(fields)
            results[-1].ended, results[-1].detail = kind, what if kind == "threw" else "".join(fields)
    if results and not results[-1].ended:
        results[-1].ended, results[-1].detail = how_it_stopped(status, error.decode(errors="replace"))
    return results


def how_it_stopped(status, error):
    assertion = re.search(r"Assertion `(.*)' failed", error)
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "stopped", f"did not finish within {SECONDS} seconds: does a loop never end?"
    if assertion:
        where = re.search(r"([\w.]+:\d+)", error)
        return "crashed", f"stopped at an assertion, {where.group(1) if where else ''}: {assertion.group(1)}"
    names = {-signal.SIGSEGV: "it used memory that it does not own: is an index too large, or a pointer null?",
             -signal.SIGABRT: "the program called abort()", -signal.SIGFPE: "an integer was divided by 0"}
    return "crashed", f"crashed: {names.get(status, f'status {status}')}"


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


def number_text(number):
    if math.isfinite(number) and number == int(number) and abs(number) < 1e6:
        return str(int(number))
    return f"{number:.4f}" if 1e-3 <= abs(number) < 1e4 or not math.isfinite(number) else f"{number:.3g}"


def table(rows, cols, numbers, marked=None):
    """A matrix as text; marked cells get a star. Leaves out what does not fit."""
    texts = [number_text(number) + ("*" if marked and marked[place] else " ") for place, number in enumerate(numbers)]
    width, most_rows, most_cols = max((len(text) for text in texts), default=1), 12, 10
    lines = ["  " + " ".join(text.rjust(width) for text in texts[row * cols:row * cols + min(cols, most_cols)])
             + (" ..." if cols > most_cols else "") for row in range(min(rows, most_rows))]
    return "\n".join(line.rstrip() for line in lines + (["  ..."] if rows > most_rows else []))


def titled(name, rows, cols):
    """The name of a matrix with its shape; a number has none, and the name of a mask says it already."""
    return name if (rows, cols) == (1, 1) or "keys " in name else f"{name} [{rows}, {cols}]"


class Check:
    """The learner's answer against the real one. `failed` is the first failing case, or None."""

    def __init__(self, lab, texts, originals=None, without_network=False):
        self.lab, self.message, self.failed = lab, "", None
        build_core()
        self.expected = run(program_of(lab, lab.real()))
        try:
            program = program_of(lab, texts, originals)
        except CompileError as error:
            self.actual, self.failed, self.kind = [], self.expected[0], "does not compile"
            lines = re.sub(r"^(In file included|     | .*: In inst|.*: In inst|.*required from here).*\n", "", str(error), flags=re.M)
            self.message = "Your code does not compile. The compiler says:\n\n" + "\n".join(lines.strip().split("\n")[:16])
            return
        self.actual = run(program, without_network)
        for number, wanted in enumerate(self.expected):
            found = self.actual[number] if number < len(self.actual) else Result(wanted.name, wanted.law)
            if not same(wanted, found):
                self.failed, self.kind = wanted, found.ended or "stopped"
                self.message = self.explain(wanted, found)
                return
        self.kind = "passed"

    def passed_cases(self):
        return sum(same(*pair) for pair in zip(self.expected, self.actual))

    def explain(self, wanted, found):
        if found.ended == "not written":
            return f"{found.detail} is still to be written: replace the line not_written(...) by your code."
        if found.ended != "end":
            return f'In the case "{wanted.name}", your code {found.detail}\n\n{self.inputs(wanted)}'
        parts = [f'The case "{wanted.name}" fails: {wanted.law}.', self.inputs(wanted)]
        for (name, rows, cols, numbers), mine, cells in zip(wanted.outputs, found.outputs, differing(wanted, found)):
            if cells is not None and not any(cells):
                continue
            parts.append(f"{titled(name, rows, cols)}, expected:\n{table(rows, cols, numbers)}")
            if cells is None:
                parts.append(f"yours has another shape, {mine[0]} [{mine[1]}, {mine[2]}]:\n{table(*mine[1:])}")
            else:
                parts.append(f"yours (* differs):\n{table(rows, cols, mine[3], cells)}")
        return "\n\n".join(part for part in parts if part)

    @staticmethod
    def inputs(case):
        return "\n".join(f"{titled(*shown[:3])}:" + ("\n" if shown[1:3] != (1, 1) else "") + table(*shown[1:])
                         for shown in case.inputs)

    def diagnosis(self):
        """What the answer is, if it is a known wrong one. Otherwise, what each wrong output of the first failing case is,
        if it is that of a known wrong answer, and if no case that passes contradicts it."""
        if self.failed is None or self.kind not in ("end", "crashed", "stopped", "threw"):
            return None
        known = wrong_results(self.lab)
        for text, results in known:
            if len(results) == len(self.actual) and all(map(same, results, self.actual)):
                return text
        place, found = self.expected.index(self.failed), {}
        mine = self.actual[place] if place < len(self.actual) else None
        if mine is None or mine.ended != "end" or len(mine.outputs) != len(self.failed.outputs):
            return None
        for number, cells in enumerate(differing(self.failed, mine)):
            for text, results in known if cells is None or any(cells) else ():
                pairs = [pair for pair in zip(self.expected, self.actual, results) if pair[1].ended == pair[2].ended == "end"]
                agrees = [output_equal(theirs, actual, number) for _, actual, theirs in pairs]
                right = [output_equal(expected, actual, number) for expected, actual, _ in pairs]
                if len(agrees) > place and agrees[place] and all(a or not r for a, r in zip(agrees, right)):
                    found.setdefault(text, []).append(mine.outputs[number][0].split(" (")[0])
                    break
        return "\n".join(f"In this case, {' and '.join(names)} {'is' if len(names) == 1 else 'are'} what you get by this "
                         f"mistake: {text}" for text, names in found.items()) or None


def wrong_results(lab):
    """The results of every known wrong answer. Built when first needed, then kept."""
    answers = list(lab.wrong_answers())
    program_of(lab, lab.real())  # compiles what all of them share
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(zip([text for text, _ in answers], pool.map(lambda answer: run(program_of(lab, answer[1])), answers)))
