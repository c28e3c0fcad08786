"""Which tests reach a mutant, and does one of them fail? A unit is a set of tests that run together: the tests of one
file, one test of the program, or one file of tests/metrics."""

import mmap
import os
import re
import subprocess
import tempfile
import time

from planting import BUILD, COPY

MOST_MUTANTS = 65536  # mutant.hpp's kMost
TESTS = BUILD / "glassformer_tests"
# These compare a trace's sources with src, which has the mutants here.
NOT_USED = '~"The sources in a trace are the unchanged files*"'


def run(command, seconds, **variables):
    """(status, output); the status of a timeout is None. A run has a directory for temporary files of its own."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as directory:
        environment = {**os.environ, "TMPDIR": directory, "OMP_WAIT_POLICY": "passive",
                       "GLASSFORMER_PROGRAM": str(BUILD / "glassformer"), **variables}
        process = subprocess.Popen(command, cwd=COPY, env=environment, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                                   start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return None, ""
        return process.returncode, output


def names_of_tests(filter_):
    listed = subprocess.run([TESTS, "--list-test-names-only", filter_], capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if line.strip()]


def quoted(name):
    """The name of a test as a filter of Catch2, which must not look like an option."""
    return re.sub(r"^-+", "*", re.sub(r"([\\,\[\"])", r"\\\1", name.strip()))


def all_units():
    """{name: command}. Units that Catch2 runs have one filter as the last argument."""
    catch = [str(TESTS), "--abort", "-#"]
    units = {}
    for path in sorted(COPY.glob("tests/*/test_*.cpp")):
        if path.parent.name != "program" and "TEST" in path.read_text():
            units[f"{path.parent.name}/{path.stem}"] = [*catch, f"[#{path.stem}]~[program]{NOT_USED}"]
    for name in names_of_tests("[program]"):
        units[f"program: {name.strip()}"] = [*catch, quoted(name)]
    for path in sorted(COPY.glob("tests/metrics/test_*.py")):
        units[f"metrics/{path.stem}"] = [str(COPY / "scripts/dev/test_metrics.sh"), "-x", "-k", path.stem]
    return units


def measure(unit, command):
    """Runs a unit without a mutant: its time, whether it passes, and which mutants it reaches."""
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(MOST_MUTANTS)
        start = time.monotonic()
        status, output = run(command, 1200, GLASSFORMER_MUTANTS_REACHED=file.name)
        seconds = time.monotonic() - start
        with mmap.mmap(file.fileno(), MOST_MUTANTS) as reached:
            numbers = [n for n in range(1, MOST_MUTANTS) if reached[n]]
    ran = "No test" not in output
    return {"unit": unit, "command": command, "seconds": seconds, "passes": status == 0 and ran, "reaches": numbers,
            "output": "" if status == 0 and ran else output[-2000:]}


def failed_test(output):
    """The first test that failed, from the report of Catch2 or pytest."""
    match = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.M)
    if match:
        return match[1]
    before = output.split("FAILED:")[0] if "FAILED:" in output else output
    names = re.findall(r"^-{70,}\n((?:(?!-{70}).*\n)+?)-{70,}$", before, re.M)
    return " ".join(names[-1].split()) if names else "a crash"


def commands_of(units, module):
    """[(command, seconds)] for units that reach a mutant, quick ones of its module first. Catch2 runs the units
    of a step in one process."""
    def own(unit):
        return unit["unit"].startswith(module + "/") and unit["seconds"] < 15

    steps = {}
    for unit in units:
        step = 9 if unit["unit"].startswith("metrics/") else 8 if unit["unit"].startswith("program: ") else \
            0 if own(unit) else 1 if unit["seconds"] < 2 else 2 if unit["seconds"] < 6 else 3
        steps.setdefault(step, []).append(unit)
    for step, members in sorted(steps.items()):
        members.sort(key=lambda unit: unit["seconds"])
        if step >= 8:
            for unit in members:
                yield unit["command"], unit["seconds"]
        else:
            filters = ",".join(unit["command"][-1] for unit in members)
            yield [*members[0]["command"][:-1], filters], sum(unit["seconds"] for unit in members)


def caught_by(number, module, units):
    """The test that notices the mutant; None if none does. `units` are those that pass without a mutant."""
    for command, seconds in commands_of([unit for unit in units if number in unit["reaches"]], module):
        status, output = run(command, 20 * seconds + 60, GLASSFORMER_MUTANT=str(number))
        if status is None:
            return "a timeout"
        if status != 0:
            return failed_test(output)
    return None
