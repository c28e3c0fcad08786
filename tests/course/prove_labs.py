#!/usr/bin/env python3
"""Proves the labs: each fails unsolved, with the promised message, and passes with the real functions; it fails, and
names the function, if one is deleted; each known wrong answer gets its own diagnosis; each wrong answer that can be
derived from the right ones fails, with the numbers of `check` and with those of `grade`, or is in equal.txt; there are
three hints. With all labs solved, the finale ends in the digest.

    tests/course/prove_labs.py             all labs and variants, then the finale
    tests/course/prove_labs.py 3 3b        these alone
    tests/course/prove_labs.py --list 3    also lists the derived answers that pass, and how the others are diagnosed
"""

import contextlib
import io
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "scripts" / "course")]

import building  # noqa: E402
import derived_answers  # noqa: E402
import labs  # noqa: E402
from check import Check, results_of_all, right_results, wrong_results  # noqa: E402
from project import finale  # noqa: E402
from results import all_same  # noqa: E402
from source import Source  # noqa: E402


def without(lab, name):
    """The real files with one function deleted."""
    return {file: Source(file, text).without(name) if name in lab.functions[file] else text
            for file, text in lab.real().items()}


def unwritten(lab, name):
    """The real files with one function still to be written."""
    return {file: Source(file, text).with_bodies({name: [f'not_written("{name}");']}) if name in lab.functions[file] else text
            for file, text in lab.real().items()}


def problems_of(lab):
    """Everything that is wrong with a lab, apart from its derived answers."""
    result = Check(lab, lab.cut())
    if result.kind != "not written":
        yield f"expected that the unsolved lab is not written, found: {result.kind}. {result.message}"
    right = derived_answers.right_answers(lab)[1:]
    answers = [*(unwritten(lab, name) for name in lab.names()), *right]  # built together, to be quick
    for grading in (False, True):
        results = [Check.of_results(lab, found, grading) for found in results_of_all(lab, answers, grading)]
        for name, result in zip(lab.names(), results):
            if result.kind != "not written" or not result.message.startswith(f"{name} is still to be written"):
                yield f"expected that {name} is still to be written, found: {result.kind}. {result.message}"
        for result in results[len(lab.names()):]:
            if result.kind != "passed":
                yield f"a right answer of tests/course/right does not pass: {result.message}"
    for name in lab.names():
        result = Check(lab, without(lab, name))
        if result.kind != "missing" or not result.message.startswith(f"{name} is missing"):
            yield f"expected that {name} is missing if it is deleted, found: {result.kind}. {result.message}"
    if len(lab.hints()) != 3 or not all(lab.hints()):
        yield f"expected 3 hints, found {len(lab.hints())}"
    if Check(lab, {file: "" for file in lab.functions}).passed_cases():
        yield "an empty file passes cases"

    with tempfile.TemporaryDirectory() as directory:  # as a learner's files
        lab.directory = Path(directory)
        lab.write(lab.real())
        for grading in (False, True):
            solved = Check(lab, lab.learners(), grading=grading)
            if solved.kind != "passed":
                yield f"the real functions do not pass: {solved.message}"
    yield from problems_of_diagnoses(lab)


def problems_of_diagnoses(lab):
    answers = list(lab.wrong_answers())
    if len(answers) < 4:
        yield f"expected at least 4 known wrong answers, found {len(answers)}"
    for grading in (False, True):
        results = wrong_results(lab, grading)
        numbers = "grade" if grading else "check"
        for number, (text, found) in enumerate(results):
            result = Check.of_results(lab, found, grading)
            if result.kind == "passed":
                yield f"this wrong answer passes with the numbers of {numbers}: {text}"
            elif result.diagnosis() != text:
                yield f"expected the diagnosis: {text}\n  found: {result.diagnosis() or result.message}"
            for other, others in results[:number]:
                if all_same(others, found):
                    yield f"two wrong answers give the same numbers with {numbers}: {other} / {text}"


class Derived:
    """What becomes of the derived wrong answers of a lab."""

    def __init__(self, lab):
        self.lab, self.count, self.equal, self.diagnosed, self.passing, self.lines = lab, 0, 0, 0, [], []
        self.listed = {key for key in derived_answers.known_equal() if key[0] == lab.name}
        expected = [right_results(lab, grading) for grading in (False, True)]
        found = set()
        for answer, *both in derived_answers.results_of(lab):
            key = (lab.name, answer.function, answer.shown)
            passes = [all_same(wanted, results) for wanted, results in zip(expected, both)]
            self.count += 1
            if all(passes) and key in self.listed:
                self.equal += 1
                found.add(key)
            elif any(passes):
                self.passing.append((answer, "check" if passes[0] else "grade"))
            else:
                diagnosis = Check.of_results(lab, both[0]).diagnosis()
                self.diagnosed += diagnosis is not None
                self.lines.append(f"{answer.function}: {answer.shown}\n      {diagnosis}")
        self.not_found = self.listed - found

    def problems(self):
        for answer, numbers in self.passing:
            yield (f"this derived answer passes with the numbers of {numbers}. Add a case that fails it, or an entry in "
                   f"tests/course/equal.txt:\nlab {self.lab.name}, {answer.function}: WHY\n  {answer.shown}")
        for _, function, shown in self.not_found:
            yield f"tests/course/equal.txt: no derived answer of {function} that passes: {shown}"


def prove_one(number, listing=False):
    """A lab's row of the table, and what is wrong with the lab."""
    lab = labs.Lab(number)
    problems = list(problems_of(lab))
    derived = Derived(lab)
    problems += derived.problems()
    caught = derived.count - derived.equal - len(derived.passing)
    cells = (f"{lab.name} {lab.title}", len(lab.names()), len(right_results(lab)), len(list(lab.wrong_answers())),
             derived.count, caught, derived.equal, derived.diagnosed)
    row = "| " + " | ".join(map(str, cells)) + " |"
    return row, problems + [f"  {line}" for line in derived.lines * listing]


def prove(chosen, listing=False):
    failed = False
    print("| lab | functions | cases | known wrong answers | derived | caught | equal | diagnosed |\n"
          "|---|---|---|---|---|---|---|---|")
    building.build_core()  # once, before the processes below all need it
    with ProcessPoolExecutor(os.cpu_count()) as processes:  # not threads: Python itself is busy, too
        rows = processes.map(prove_one, [lab.number for lab in chosen], [listing] * len(chosen))
        for lab, (row, problems) in zip(chosen, rows):
            print(row, flush=True)
            for problem in problems:
                failed = failed or not problem.startswith("  ")
                print(problem if problem.startswith("  ") else f"lab {lab.name}: {problem}", flush=True)
    if len(chosen) == len(labs.all_labs(variants=True)):
        failed |= prove_finale()
    return 1 if failed else 0


def prove_finale():
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(printed):
        labs.LABS = Path(directory)
        for lab in labs.all_labs():  # as a learner leaves the files: with the #include of `start`, and not quite as they were
            lab.write({file: text.replace("#include", '#include "not_written.hpp"\n#include', 1) +
                       ("// mine\n" if file.endswith(".cpp") else "") for file, text in lab.real().items()})
        failed = finale() != 0 or "exactly what data/toy/digests.txt says" not in printed.getvalue()
    print(f"The finale, with the real functions in all labs:\n{printed.getvalue()}")
    return failed


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(prove([labs.Lab(word) for word in words if word != "--list"] or labs.all_labs(variants=True), "--list" in words))
