"""Grades submissions: points for each lab, with other numbers than `check`. One submission cannot stop the others."""

import copy
import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from building import build_core
from check import Check, right_results
from class_page import class_page
from confine import can_confine
from labs import LabError, shown

POINTS = 10  # of each lab


def names_in(directory):
    """The names of the directories in a directory."""
    try:
        return [path.name for path in directory.iterdir() if path.is_dir()]
    except OSError:  # a directory that we may not read
        return []


def is_lab(name):
    return re.fullmatch(r"\d\db?", name) is not None


def has_labs(directory):
    """Are there labs, and not students who are called 01, 02, ...?"""
    return any(is_lab(name) and not any(inner == "labs" or is_lab(inner) for inner in names_in(directory / name))
               for name in names_in(directory))


def labs_in(directory):
    """The directory with the labs of a student, who may have handed in `labs` itself or what is in it."""
    # (Path.is_dir() would raise an error if the directory cannot be read.)
    return directory / "labs" if os.path.isdir(directory / "labs") and not has_labs(directory) else directory


def printable(text):
    """A text with names of files, even if they are not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def submissions(directory):
    """(student, what the student handed in) for each submission: of one student, or of a class with a directory for each."""
    directory = Path(directory)
    if not directory.is_dir():
        raise LabError(f"{directory}: expected a directory with labs, such as labs, or one with a directory for each student; "
                       f"found {'a file' if directory.exists() else 'nothing'}.")
    if has_labs(labs_in(directory)):
        return [(printable(directory.resolve().name), directory)]
    students = sorted(path for path in directory.iterdir() if path.is_dir() and not path.name.startswith("."))
    if not any(has_labs(labs_in(path)) for path in students):
        raise LabError(f"{directory}: expected labs (directories 01, 02, ...), or a directory with labs for each student; found "
                       + (", ".join(path.name for path in students[:5]) or "no directory") + ".")
    return [(printable(path.name), path) for path in students]


def grade_lab(lab, directory, harmless):
    """A student's result of one lab, in the form that GitHub Classroom's autograding reporter reads, and more."""
    begin, message, points, failed, cases = time.time(), "not started", 0, [], 0
    lab.directory = labs_in(directory) / lab.number
    try:
        if lab.directory.exists():
            outside = [path for path in map(lab.path, lab.functions) if not path.resolve().is_relative_to(directory.resolve())]
            if outside:
                raise LabError(f"{outside[0]} is a link that leads out of the submission.")
            names = {file: str(Path(lab.number) / lab.place(file)) for file in lab.functions}
            result = Check(lab, lab.learners(), names, grading=True, harmless=harmless)
            points = POINTS * result.passed_cases() // len(result.expected)
            failed, cases = result.failed_cases(), len(result.expected)
            message = None if result.kind == "passed" else result.diagnosis() or result.message
    except LabError as error:
        message = str(error)
    except Exception as error:  # pylint: disable=broad-except  # whatever it is, the others are graded
        message = f"could not be graded: {type(error).__name__}: {error}"
    message = printable(message) if message else None
    return {"name": f"Lab {lab.name}: {lab.title}", "status": "fail" if message else "pass", "score": points,
            "max_score": POINTS, "message": message, "test_code": "", "filename": "", "line_no": 0,
            "execution_time": f"{time.time() - begin:.1f}s", "cases": cases, "failed": failed}


def report_of(student, directory, tests):
    error = None if os.access(directory, os.X_OK) else "this directory cannot be read"
    return {"student": student, "version": 1, "status": "pass" if all(test["status"] == "pass" for test in tests) else "fail",
            "max_score": POINTS * len(tests), "score": sum(test["score"] for test in tests), "error": error, "tests": tests}


def reports_of(directory, labs_of, harmless):
    """A report for each submission. `labs_of` makes a new list of the labs to grade."""
    students = submissions(directory)
    if harmless and not can_confine():
        raise LabError("This system cannot keep submissions from using the network and from changing files: it has no "
                       "libseccomp (Debian: apt-get install libseccomp2), or forbids seccomp. To grade without it, use a "
                       "container, and add --unconfined.")
    build_core()
    labs = labs_of()
    for lab in labs:
        right_results(lab, grading=True)  # once, not for each student
    pool, reports = ThreadPoolExecutor(os.cpu_count()), []
    try:
        pending = [(student, path, [pool.submit(grade_lab, copy.copy(lab), path, harmless) for lab in labs])
                   for student, path in students]
        for student, path, tests in pending:
            reports.append(report_of(student, path, [test.result() for test in tests]))
            print(f"graded {student}", file=sys.stderr, flush=True)
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C, too
    return reports


def table_of(reports):
    if len(reports) == 1:
        report = reports[0]
        return "\n".join([f"{test['score']:4} of {test['max_score']}  {test['name']}" for test in report["tests"]] +
                         [f"{report['score']:4} of {report['max_score']}"])
    width = max(len(report["student"]) for report in reports)
    numbers = [test["name"].split(":")[0].removeprefix("Lab ") for test in reports[0]["tests"]]
    head = " " * width + "  total  " + " ".join(f"{number:>3}" for number in numbers)
    return "\n".join([head] + [f"{report['student']:{width}}  {report['score']:5}  " + " ".join(
        f"{test['score']:3}" for test in report["tests"]) for report in reports] +
        [f"Each lab has {POINTS} points, so {reports[0]['max_score']} in all."])


def grade(directory, labs_of, *, as_json, html, harmless):
    """Prints or writes the reports. The exit status is 0 if every lab of every submission is solved."""
    if html:
        parent = Path(html).resolve().parent
        if not parent.is_dir():
            raise LabError(f"{html}: the directory {shown(parent)} does not exist.")
    reports = reports_of(directory, labs_of, harmless)
    if html:
        Path(html).write_text(class_page(reports), encoding="utf-8")
        print(f"wrote {html}", file=sys.stderr, flush=True)
    if as_json:
        print(json.dumps(reports[0] if len(reports) == 1 else {"version": 1, "students": reports}, indent=2, ensure_ascii=False))
    elif not html or len(reports) > 1:
        print(table_of(reports))
    return 0 if all(report["status"] == "pass" for report in reports) else 1
