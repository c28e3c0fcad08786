#!/usr/bin/env python3
"""Proves the labs: each fails unsolved, with the promised message, and passes with the real functions while all
others are unsolved; each known wrong answer gets its own diagnosis; there are three hints. With all labs solved, the
finale ends in the digest.

    tests/course/prove_labs.py          all labs, then the finale
    tests/course/prove_labs.py 3 4      these labs alone
"""

import contextlib
import io
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "course"))

import labs  # noqa: E402
from check import Check, same, wrong_results  # noqa: E402
from project import finale  # noqa: E402


def problems_of(lab):
    """Everything that is wrong with a lab."""
    for name in lab.names():
        result = Check(lab, {file: lab.cut(only=name)[file] for file in lab.functions})
        if result.kind != "not written" or not result.message.startswith(f"{name} is still to be written"):
            yield f"expected that {name} is still to be written, found: {result.kind}. {result.message}"
    if len(lab.hints()) != 3 or not all(lab.hints()):
        yield f"expected 3 hints, found {len(lab.hints())}"

    # In a directory in which every lab is started and only this one is solved:
    with tempfile.TemporaryDirectory() as directory:
        labs.LABS = Path(directory)
        for other in labs.all_labs():
            other.directory = labs.LABS / other.number
            other.write(other.real() if other.number == lab.number else other.cut())
        lab.directory = labs.LABS / lab.number
        solved = Check(lab, lab.learners())
    if solved.kind != "passed":
        yield f"the real functions do not pass: {solved.message}"

    answers = list(lab.wrong_answers())
    if len(answers) < 4:
        yield f"expected at least 4 known wrong answers, found {len(answers)}"
    results = wrong_results(lab)
    for text, texts in answers:
        result = Check(lab, texts)
        if result.kind == "passed":
            yield f"this wrong answer passes: {text}"
        elif result.diagnosis() != text:
            yield f"expected the diagnosis: {text}\n  found: {result.diagnosis() or result.message}"
    for number, (text, found) in enumerate(results):
        for other, others in results[:number]:
            if len(found) == len(others) and all(map(same, others, found)):
                yield f"two wrong answers give the same numbers: {other} / {text}"


def prove_one(number):
    """A lab's row of the table, and what is wrong with the lab."""
    lab = labs.Lab(number)
    problems = list(problems_of(lab))
    texts = {file: f"{text}\n// {time.time()}\n" for file, text in lab.real().items()}  # never compiled before
    begin = time.time()
    cases = len(Check(lab, texts).expected)
    row = (f"| {int(lab.number)} {lab.title} | {', '.join(lab.names())} | {cases} | {len(list(lab.wrong_answers()))} "
           f"| {time.time() - begin:.1f} |")
    return row, problems


def prove(chosen):
    failed = False
    print("| lab | functions | cases | wrong answers | seconds to check |\n|---|---|---|---|---|")
    labs.build_core()  # once, before the processes below all need it
    with ProcessPoolExecutor(os.cpu_count()) as processes:  # not threads: a lab's directory is a global variable
        for lab, (row, problems) in zip(chosen, processes.map(prove_one, [lab.number for lab in chosen])):
            print(row, flush=True)
            for problem in problems:
                failed = True
                print(f"lab {int(lab.number)}: {problem}", flush=True)
    if len(chosen) == len(labs.all_labs()):
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(printed):
            labs.LABS = Path(directory)
            for lab in labs.all_labs():  # as a learner leaves the files: with the #include of `start`
                lab.write({file: text.replace("#include", '#include "not_written.hpp"\n#include', 1)
                           for file, text in lab.real().items()})
            failed |= finale() != 0 or "exactly what data/toy/digests.txt says" not in printed.getvalue()
        print(f"The finale, with the real functions in all labs:\n{printed.getvalue()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(prove([labs.Lab(number) for number in sys.argv[1:]] or labs.all_labs()))
