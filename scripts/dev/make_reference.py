#!/usr/bin/env python3
"""Makes docs/reference.md from the program's own tables: the --help of every command, and every config key.

    scripts/dev/make_reference.py            writes the page; needs build/release
    scripts/dev/make_reference.py --check    status 1 if the page is not what this script writes

Keys, comments and defaults come from the config.yaml of a training run, which lists all keys. What a key accepts comes
from the message that refuses a wrong value.
"""

import argparse
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/glassformer"
PAGE = ROOT / "docs/reference.md"
WRONG = "{a: b}"  # a section, which no key accepts as its value

HEAD = """\
# Reference: commands and config keys

Every command with its options, and every key of the config. `scripts/dev/make_reference.py` makes this page from the
program's own tables.

Results go to standard output; the log, progress and messages go to standard error. The exit status is 0 on success; 2
for a mistake in the input; 130, 143 or 129 after Ctrl-C, SIGTERM or SIGHUP; and 1 for any other error. Output has no
colours, and in a pipe, or with `TERM=dumb`, it has no escape sequences.

## Commands

The program is `build/release/glassformer`, or `glassformer` once [installed](install.md).
"""

KEYS = """\
## Config keys

A config is a YAML file with the sections below. Set a key in the file, or on the command line with
`--set model.dropout=0.2`. A key that you leave out has its default. An unknown key, or a value that is not accepted, is
an error that names the line. With `base: other.yaml` at the top, a config starts from another file and holds only what
differs. Paths in a file are relative to that file; paths on the command line are relative to the current directory.

`configs/toy.yaml` and `configs/multi30k_tiny.yaml` list all keys. `config.yaml` in a run directory is complete, too.
"""


def run(*arguments, status=0):
    result = subprocess.run([PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode != status:
        sys.exit(f"glassformer {' '.join(map(str, arguments))}: exit status {result.returncode}\n{result.stderr}")
    return result.stdout if status == 0 else result.stderr


def commands():
    program = run("--help")
    names = re.findall(r"^  ([a-z]+) ", program[program.index("Subcommands:"):], re.M)
    for command in names:
        yield f"### {command}\n\n```text\n{run(command, '--help').strip()}\n```\n"


def cell(text):
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def accepted(key):
    message = run("train", "configs/debug.yaml", "--output", "/nowhere", "--set", f"{key}={WRONG}", status=2)
    match = re.search(r": expected (.*?), found", message, re.S)
    if match is None:
        sys.exit(f"{key}: expected a message that says what the key accepts, found: {message}")
    return match[1]


def keys():
    with tempfile.TemporaryDirectory() as name:
        run("train", "configs/debug.yaml", "--output", Path(name) / "run", "--set", "training.max_updates=1")
        lines = (Path(name) / "run/config.yaml").read_text(encoding="utf-8").splitlines()
    path = []
    for line in lines:
        match = re.match(r"( *)([a-z_0-9]+):(?: .*?# (.*) \((?:default (.*)|(required))\))?$", line)
        if match is None:
            if re.match(r" *[a-z_0-9]+:", line):
                sys.exit(f"config.yaml: expected a comment that ends with the default, found: {line}")
            continue
        path[len(match[1]) // 2:] = [match[2]]
        if match[3] is None:
            if len(path) == 1:
                yield f"\n### {path[0]}\n\n| key | meaning | accepts | default |\n|---|---|---|---|\n"
        else:
            key = ".".join(path)
            default = "required" if match[5] else f"`{cell(match[4])}`"
            yield f"| `{key}` | {cell(match[3])} | {cell(accepted(key))} | {default} |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare; write nothing")
    options = parser.parse_args()
    page = HEAD + "\n" + "\n".join(commands()) + "\n" + KEYS + "".join(keys())
    if not options.check:
        PAGE.write_text(page, encoding="utf-8")
        return
    shown = PAGE.read_text(encoding="utf-8")
    if shown != page:
        print(*difflib.unified_diff(shown.split("\n"), page.split("\n"), "docs/reference.md", "the program", lineterm=""),
              sep="\n")
        sys.exit("docs/reference.md: differs from what the program says; run scripts/dev/make_reference.py")


if __name__ == "__main__":
    main()
