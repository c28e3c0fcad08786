#!/usr/bin/env python3
"""The commands of scripts/lab.sh, which lists them."""

import argparse
import json
import signal
import sys
import time
from pathlib import Path

import labs
from building import build_core
from check import Check, wrong_results
from labs import Lab, LabError, all_labs, shown
from project import finale, find_fault, hunt
from source import Source


def say(text=""):
    print(text, flush=True)


def start(lab):
    if lab.directory.exists():
        raise LabError(f"You have started lab {int(lab.number)} already, in {shown(lab.directory)}. "
                       f"To start again: scripts/lab.sh reset {int(lab.number)}")
    lab.write(lab.cut())
    say(f"Lab {int(lab.number)}: {lab.title}\n")
    for file, functions in lab.functions.items():
        say(f"  {shown(lab.path(file))}\n    write " + ", ".join(functions))
    say(f"\nThe task is in the file, and in {shown(lab.description / 'task.md')}. When you have changed the file:\n"
        f"  scripts/lab.sh check {int(lab.number)}")
    build_core()
    wrong_results(lab)  # so that checks are quick
    return 0


def check(lab):
    result = Check(lab, lab.learners(), {file: shown(lab.path(file)) for file in lab.functions})
    say(f"Lab {int(lab.number)}: {lab.title}. {result.passed_cases()} of {len(result.expected)} cases pass.")
    if result.kind == "passed":
        say("Solved: your code computes what the real functions compute. Next: scripts/lab.sh " +
            (f"start {int(lab.number) + 1}" if int(lab.number) < 12 else "finale"))
        return 0
    diagnosis = result.diagnosis()
    say(f"\n{result.message}\n\n" + (f"What probably happened: {diagnosis}" if diagnosis else
                                    f"If you are stuck: scripts/lab.sh hint {int(lab.number)}"))
    return 1


def watch(lab):
    """Checks whenever a file has changed."""
    seen = None
    while True:
        lab.learners()  # complains if a file is missing
        stamps = [lab.path(file).stat().st_mtime_ns for file in lab.functions]
        if stamps != seen:
            seen = stamps
            say(f"\n--- {time.strftime('%H:%M:%S')}")
            check(lab)
            say("\nWaiting for you to save a file. Press Ctrl-C to stop.")
        time.sleep(0.3)


def hint(lab):
    lab.learners()
    hints, state = lab.hints(), lab.directory / ".hints"
    given = min(int(state.read_text()) if state.exists() else 0, len(hints) - 1)
    state.write_text(str(given + 1))
    say(f"Hint {given + 1} of {len(hints)}\n\n{hints[given]}")
    if given + 1 == len(hints):
        say(f"\nThis is the last hint. To see the real code: scripts/lab.sh solution {int(lab.number)}")
    return 0


def reset(lab):
    if lab.directory.exists():
        kept = next(path for path in (lab.directory.with_name(f"{lab.number}-old-{n}") for n in range(1, 1000))
                    if not path.exists())
        lab.directory.rename(kept)
        say(f"Your files are now in {shown(kept)}.")
    return start(lab)


def solution(lab):
    for file, functions in lab.functions.items():
        source = Source(labs.PROJECT / file)
        for name in functions:
            say(f"// {file}\n{source.block(name)}\n")
    return 0


def list_labs():
    solved = 0
    for lab in all_labs():
        state = ""
        if lab.directory.exists():
            state = "solved" if Check(lab, lab.learners()).kind == "passed" else "started"
            solved += state == "solved"
        say(f"{int(lab.number):3}  {lab.title:44} {state}".rstrip())
    say(f"\n{solved} of {len(all_labs())} solved. " + ("scripts/lab.sh start N begins a lab." if solved < len(all_labs()) else
                                              "Now train with them: scripts/lab.sh finale"))
    return 0


def grade(directory, as_json, with_network):
    """Points for each lab, in the form that GitHub Classroom's autograding reporter reads."""
    if not Path(directory).is_dir():
        raise LabError(f"{directory}: expected a directory with labs, such as labs, found none.")
    labs.LABS = Path(directory).resolve()
    tests = []
    for lab in all_labs():
        begin, message, points = time.time(), "not started", 0
        if lab.directory.exists():
            result = Check(lab, lab.learners(), without_network=not with_network)
            points = 10 * result.passed_cases() // len(result.expected)
            message = None if result.kind == "passed" else result.diagnosis() or result.message
        tests.append({"name": f"Lab {int(lab.number)}: {lab.title}", "status": "fail" if message else "pass",
                      "score": points, "max_score": 10, "message": message, "test_code": "", "filename": "",
                      "line_no": 0, "execution_time": f"{time.time() - begin:.1f}s"})
    total = sum(test["score"] for test in tests)
    passed = all(test["status"] == "pass" for test in tests)
    if as_json:
        say(json.dumps({"version": 1, "status": "pass" if passed else "fail", "max_score": 10 * len(tests),
                        "score": total, "tests": tests}, indent=2, ensure_ascii=False))
    else:
        say("\n".join(f"{test['score']:4} of 10  {test['name']}" for test in tests) + f"\n{total:4} of {10 * len(tests)}")
    return 0 if passed else 1


ON_LABS = {"start": (start, "copy the files of a lab, for you to complete"), "check": (check, "check your code"),
           "watch": (watch, "check whenever you save a file"), "hint": (hint, "show the next hint"),
           "solution": (solution, "show the real functions"), "reset": (reset, "start again; keeps your files")}


def main():
    parser = argparse.ArgumentParser(prog="scripts/lab.sh", description="The labs of the course in docs/course.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="list all labs, and which of them you have solved")
    for name, (_, text) in ON_LABS.items():
        commands.add_parser(name, help=text).add_argument("lab", type=int, metavar="N", help="1 to 12")
    hunting = commands.add_parser("hunt", help="plant a fault in a copy of the project, for you to find")
    hunting.add_argument("seed", nargs="?", type=int, help="which fault; any number")
    hunting.add_argument("place", nargs="?", metavar="FILE:LINE", help="where you think it is")
    commands.add_parser("finale", help="train the toy with the functions of all your labs")
    grading = commands.add_parser("grade", help="points for each lab of a directory")
    grading.add_argument("directory")
    grading.add_argument("--json", action="store_true", help="as GitHub Classroom's autograding expects it")
    grading.add_argument("--with-network", action="store_true", help="do not cut off the code from the network")
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # for `| head`
    try:
        if options.command in ON_LABS:
            return ON_LABS[options.command][0](Lab(options.lab))
        if options.command == "hunt":
            return find_fault(options.seed, options.place) if options.place else hunt(options.seed)
        if options.command == "grade":
            return grade(options.directory, options.json, options.with_network)
        return {"list": list_labs, "finale": finale}[options.command]()
    except LabError as error:
        print(f"lab.sh: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
