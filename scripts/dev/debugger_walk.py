#!/usr/bin/env python3
"""Runs the gdb commands of docs/course/debugger.md and compares what gdb prints with what the page shows.

    scripts/dev/debugger_walk.py            prints the differences; status 1 if there are any
    scripts/dev/debugger_walk.py --write    writes what gdb prints into the page

It runs build/debug/glassformer, or the program named with --program. On the page, a line "(gdb) COMMAND" is a command.
The lines below a `print` are its output; output of other commands is not shown.
"""

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PAGE = PROJECT / "docs" / "course" / "debugger.md"
PROGRAM = PROJECT / "build" / "debug" / "glassformer"
PROMPT = "    (gdb) "

# Runs inside gdb: executes each command and keeps the output of prints. An unknown name ends the walk.
DRIVER = """
import gdb, json, os
gdb.execute("set pagination off")
gdb.execute("set width 0")
gdb.execute("set confirm off")
outputs = []
for command in json.load(open(os.environ["WALK_COMMANDS"])):
    try:
        text = gdb.execute(command, to_string=True)
    except gdb.error as error:
        outputs.append("error: " + str(error))
        break
    outputs.append(text.split(" = ", 1)[1] if command.startswith(("print ", "p ")) else "")
json.dump(outputs, open(os.environ["WALK_OUTPUTS"], "w"))
gdb.execute("kill")
"""


def steps_of(lines):
    """Each command with the lines below it: [line number, command, lines]."""
    steps, open_step = [], False
    for number, line in enumerate(lines):
        if line.startswith(PROMPT):
            steps.append([number, line[len(PROMPT):], []])
            open_step = True
        elif open_step and line.startswith("    "):
            steps[-1][2].append(line[4:])
        else:
            open_step = False
    return steps


def run(program, commands):
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "commands").write_text(json.dumps(commands))
        (directory / "driver.py").write_text(DRIVER)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "WALK_COMMANDS": str(directory / "commands"),
                       "WALK_OUTPUTS": str(directory / "outputs")}
        result = subprocess.run(
            ["gdb", "-q", "-nx", "-batch", "-x", PROJECT / "scripts" / "gdb_printers.py", "-x", directory / "driver.py",
             "--args", program, "train", PROJECT / "configs" / "debug.yaml", "--output", directory / "run"],
            cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
        if not (directory / "outputs").exists():
            sys.exit("gdb did not reach the end of the walk:\n" + result.stdout[-2000:] + result.stderr[-2000:])
        return json.loads((directory / "outputs").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write what gdb prints into docs/course/debugger.md")
    parser.add_argument("--program", type=Path, default=PROGRAM, help="a debug build (default: build/debug/glassformer)")
    options = parser.parse_args()
    write = options.write

    lines = PAGE.read_text(encoding="utf-8").split("\n")
    steps = steps_of(lines)
    if not steps:
        sys.exit(f"docs/course/debugger.md: expected lines that begin with '{PROMPT.strip()}', found none")
    outputs = run(options.program.resolve(), [command for _, command, _ in steps])

    wrong = 0
    for (number, command, shown), output in reversed(list(zip(steps, outputs))):
        printed = [line.rstrip() for line in output.rstrip("\n").split("\n")] if output else []
        if output.startswith("error: "):
            sys.exit(f"docs/course/debugger.md: (gdb) {command}\n{output}")
        if printed == shown:
            continue
        wrong += 1
        lines[number + 1:number + 1 + len(shown)] = ["    " + line for line in printed]
        if not write:
            print(f"docs/course/debugger.md: (gdb) {command}",
                  *difflib.unified_diff(shown, printed, "page", "gdb", lineterm=""), sep="\n")
    if write:
        PAGE.write_text("\n".join(lines), encoding="utf-8")
    elif wrong:
        sys.exit(1)
    print(f"debugger walk: {len(steps)} commands, {wrong} " + ("rewritten" if write else "wrong"))


if __name__ == "__main__":
    main()
