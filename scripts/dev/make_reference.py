#!/usr/bin/env python3
"""Makes docs/reference.md from the program's own tables: the --help of every command, and every config key. Also
rewrites the comments of keys in configs, if they end with the key's default.

    scripts/dev/make_reference.py            writes the files; needs build/release
    scripts/dev/make_reference.py --check    status 1 if a file is not what this script writes

Keys, comments and defaults come from the config.yaml of a training run, which lists all keys. What a key accepts comes
from the message that refuses a wrong value. scripts/test.sh checks that the files are up to date.
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
KEY_WITH_DEFAULT = re.compile(r"( *([a-z_0-9]+): .*?) *# (.*?) *\((?:default (.*)|required)\)$")

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

The `config.yaml` in a run directory has all keys, with the same comments.
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
    """The comment and the default of every key; no default if the key is required."""
    with tempfile.TemporaryDirectory() as name:
        run("train", "configs/debug.yaml", "--output", Path(name) / "run", "--set", "training.max_updates=1")
        text = (Path(name) / "run/config.yaml").read_text(encoding="utf-8")
    return {key: (match[3], match[4]) for key, match in commented_keys(text) if match}


def commented_keys(text):
    """For each line of a config: its key with dots, and what KEY_WITH_DEFAULT finds in it. Other lines have no key."""
    path = []
    for line in text.splitlines():
        match = re.match(r"( *)([a-z_0-9]+):", line)
        if match:
            path[len(match[1]) // 2:] = [match[2]]
        yield ".".join(path) if match else None, match and KEY_WITH_DEFAULT.match(line)


def table(known):
    section = None
    for key, (comment, default) in known.items():
        if section != (section := key.split(".")[0]):
            yield f"\n### {section}\n\n| key | meaning | accepts | default |\n|---|---|---|---|\n"
        shown = "required" if default is None else f"`{cell(default)}`"
        yield f"| `{key}` | {cell(comment)} | {cell(accepted(key))} | {shown} |\n"


def reference(known):
    return HEAD + "\n" + "\n".join(commands()) + "\n" + KEYS + "".join(table(known))


def with_comments(text, known):
    """A config whose keys have the comments of `known`."""
    lines = []
    for line, (key, match) in zip(text.splitlines(), commented_keys(text)):
        if match and key in known:
            comment, default = known[key]
            shown = "required" if default is None else f"default {default}"
            line = f"{f'{match[1]:<30}  # {comment}':<107}({shown})"
        lines.append(line + "\n")
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare; write nothing")
    options = parser.parse_args()
    known = keys()
    texts = {PAGE: reference(known)}
    for file in sorted((ROOT / "configs").rglob("*.yaml")):
        texts[file] = with_comments(file.read_text(encoding="utf-8"), known)
    wrong = []
    for file, text in texts.items():
        name, shown = file.relative_to(ROOT), file.read_text(encoding="utf-8")
        if not options.check:
            file.write_text(text, encoding="utf-8")
        elif shown != text:
            print(*difflib.unified_diff(shown.split("\n"), text.split("\n"), str(name), "the program", lineterm=""), sep="\n")
            wrong.append(str(name))
    if wrong:
        sys.exit(f"{', '.join(wrong)}: differs from what the program says; run scripts/dev/make_reference.py")


if __name__ == "__main__":
    main()
