#!/usr/bin/env python3
"""The commands of scripts/lab.sh, which lists them."""

import argparse
import shutil
import signal
import sys
import textwrap
import time

from building import CompileError, build_core
from check import check_of, wrong_results
from grade import grade
from labs import Lab, LabError, all_labs, shown
from project import finale, find_fault, hunt
from source import Source


def say(text=""):
    print(text, flush=True)


def start(lab):
    if lab.directory.exists():
        raise LabError(f"You have started lab {lab.name} already, in {shown(lab.directory)}. "
                       f"To start again: scripts/lab.sh reset {lab.name}")
    lab.write(lab.cut())
    say(f"Lab {lab.name}: {lab.title}\n")
    for file, functions in lab.functions.items():
        say(f"  {shown(lab.path(file))}\n    write " + "\n          ".join(functions))
    say(f"\nThe task is in the file, and in {shown(lab.description / 'task.md')}. When you have changed the file:\n"
        f"  scripts/lab.sh check {lab.name}")
    build_core()
    wrong_results(lab)  # so that checks are quick
    return 0


def check(lab):
    result = check_of(lab)
    say(f"Lab {lab.name}: {lab.title}. {result.passed_cases()} of {len(result.expected)} cases pass.")
    if result.kind == "passed":
        say("Solved" + ("" if lab.is_variant else ": your code computes what the real functions compute") +
            f". Next: {following(lab)}")
    else:
        diagnosis = result.diagnosis()
        say(f"\n{result.message}\n\n" + (wrapped(f"What probably happened: {diagnosis}") if diagnosis else
                                        f"If you are stuck: scripts/lab.sh hint {lab.name}"))
    if result.remarks():
        say(f"\n{result.remarks()}")
    return 0 if result.kind == "passed" else 1


def wrapped(text):
    width = min(100, shutil.get_terminal_size().columns)
    return "\n".join(textwrap.fill(line, width) for line in text.split("\n"))


def following(lab):
    """What to do after a lab."""
    every = all_labs(variants=True)
    later = every[[other.name for other in every].index(lab.name) + 1:]
    if later and later[0].is_variant:
        return f"scripts/lab.sh start {later[0].name} (a variant: no page prints its solution)" + (
            f", or start {later[1].name}" if later[1:] else "")
    return f"scripts/lab.sh start {later[0].name}" if later else "scripts/lab.sh finale"


def watch(lab):
    """Checks whenever a file has changed."""
    seen = None
    lab.learners()  # complains if a file is missing
    while True:
        try:
            stamps = [lab.path(file).stat().st_mtime_ns for file in lab.functions]
        except FileNotFoundError:  # some editors move a file away, and then write the new version
            stamps = seen
        if stamps != seen:
            seen = stamps
            say(f"\n--- {time.strftime('%H:%M:%S')}")
            try:
                check(lab)
            except LabError as error:  # the next version may be better
                say(str(error))
            say("\nWaiting for you to save a file. Press Ctrl-C to stop.")
        time.sleep(0.3)


def hint(lab):
    lab.learners()
    hints, state = lab.hints(), lab.directory / ".hints"
    given = min(int(state.read_text()) if state.exists() else 0, len(hints) - 1)
    state.write_text(str(given + 1))
    say(f"Hint {given + 1} of {len(hints)}\n\n{hints[given]}")
    if given + 1 == len(hints):
        say(f"\nThis is the last hint. To see the real code: scripts/lab.sh solution {lab.name}")
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
        source = Source(lab.source(file))
        for name in functions:
            say(f"// {file}\n{source.block(name)}\n")
    return 0


def list_labs():
    solved = 0
    for lab in all_labs(variants=True):
        state = ""
        if lab.directory.exists():
            try:
                state = "solved" if check_of(lab).kind == "passed" else "started"
            except LabError as error:  # the other labs are listed all the same
                state = f"started, but {error}"
            solved += state == "solved" and not lab.is_variant
        say(f"{lab.name:>3}  {lab.title:48} {state}".rstrip())
    say(f"\nThe labs with a b are variants. {solved} of {len(all_labs())} labs solved. " +
        ("scripts/lab.sh start N begins a lab." if solved < len(all_labs()) else "Now train with them: scripts/lab.sh finale"))
    return 0


ON_LABS = {"start": (start, "copy the files of a lab, for you to complete"), "check": (check, "check your code"),
           "watch": (watch, "check whenever you save a file"), "hint": (hint, "show the next hint"),
           "solution": (solution, "show the real functions"), "reset": (reset, "start again; keeps your files")}


def main():
    parser = argparse.ArgumentParser(prog="scripts/lab.sh", description="The labs of the course in docs/course.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="list all labs, and which of them you have solved")
    for name, (_, text) in ON_LABS.items():
        commands.add_parser(name, help=text).add_argument("lab", metavar="N", help="1 to 12, or a variant, such as 3b")
    hunting = commands.add_parser("hunt", help="plant a fault in a copy of the project, for you to find")
    hunting.add_argument("seed", nargs="?", type=int, help="which fault; any number")
    hunting.add_argument("place", nargs="?", metavar="FILE:LINE", help="where you think it is")
    commands.add_parser("finale", help="train the toy with the functions of all your labs")
    grading = commands.add_parser("grade", help="points for each lab, of one student or of a class")
    grading.add_argument("directory", help="a directory with labs, or one with a directory for each student")
    grading.add_argument("--json", action="store_true", help="as GitHub Classroom's autograding expects it")
    grading.add_argument("--html", metavar="FILE", help="write a page of the class, with the cases that fail most")
    grading.add_argument("--labs", nargs="+", metavar="N", help="which labs count, variants too (default: 1 to 12)")
    grading.add_argument("--unconfined", action="store_true", help="let the code use the network and change files")
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # for `| head`
    try:
        if options.command in ON_LABS:
            return ON_LABS[options.command][0](Lab(options.lab))
        if options.command == "hunt":
            return find_fault(options.seed, options.place) if options.place else hunt(options.seed)
        if options.command == "grade":
            return grade(options.directory, lambda: [Lab(number) for number in options.labs] if options.labs else all_labs(),
                         as_json=options.json, html=options.html, harmless=not options.unconfined)
        return {"list": list_labs, "finale": finale}[options.command]()
    except (LabError, CompileError, OSError) as error:
        print(f"lab.sh: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say()  # the prompt goes on a line of its own
        return 130


if __name__ == "__main__":
    sys.exit(main())
