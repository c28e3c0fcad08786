#!/usr/bin/env python3
"""Tests the documents: README.md, CONTRIBUTING.md, CHANGELOG.md, docs/*.md and tests/README.md.

    scripts/dev/test_documents.py             everything; needs build/release (scripts/test.sh makes it)
    scripts/dev/test_documents.py --names     only links, paths, options and keys: a second
    scripts/dev/test_documents.py learn.md    everything, of these pages alone

Names: every link and anchor leads somewhere; every path that a page mentions exists; every command, option and config
key that it mentions is one of the program's. README.md has at most 700 words.

Commands: code blocks are run, page by page, in a scratch directory with a copy of what a clone contains. Nothing is
rebuilt there: `cmake` does nothing. The word after a block's language says what to do with it:

    ```sh run                       run by bash; the exit status must be 0
    ```python run=torch,numpy       run by Python, or skipped with a message if a module is missing (so can sh)
    ```yaml file=configs/mine.yaml  written to this file
    ```text output                  the last lines that the block above prints to standard output

In an output, "..." stands for any text, or on a line of its own for any lines. A table below a line <!-- output --> is
compared in the same way.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import make_reference

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/glassformer"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "tests/README.md",
         *sorted((ROOT / "docs").rglob("*.md"))]
README_WORDS = 700  # at most
SECTIONS = ("data", "tokenizer", "model", "masks", "training", "decoding", "evaluation")
MADE_BY_THE_READER = re.compile(r"configs/(mine|further)\b|build/|runs/|data/multi30k|NAME")


class Block:
    """A fenced code block: its line number, the words after ```, and its text. A table is a block with no language."""

    def __init__(self, line, info, text):
        self.line, self.text = line, text
        self.language, *self.marks = info.split() or [""]

    def mark(self, name):
        """The value of `name=value`, "" for `name` alone, None if there is neither."""
        for mark in self.marks:
            key, _, value = mark.partition("=")
            if key == name:
                return value
        return None


def blocks_of(text):
    """The fenced blocks, and the tables marked as output."""
    blocks, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        if lines[i].startswith("```"):
            end = next(k for k in range(i + 1, len(lines)) if lines[k] == "```")
            blocks.append(Block(i + 1, lines[i][3:], "\n".join(lines[i + 1:end]) + "\n"))
            i = end
        elif lines[i] == "<!-- output -->":
            end = next((k for k in range(i + 1, len(lines)) if not lines[k].startswith("|")), len(lines))
            blocks.append(Block(i + 1, "text output", "\n".join(lines[i + 1:end]) + "\n"))
            i = end
        i += 1
    return blocks


def without_fences(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors_of(text):
    """The anchors that GitHub gives to the headings."""
    anchors = set()
    for heading in re.findall(r"^#+ (.*)$", without_fences(text), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while (anchor if number == 0 else f"{anchor}-{number}") in anchors:
            number += 1
        anchors.add(anchor if number == 0 else f"{anchor}-{number}")
    return anchors


# --- Names --------------------------------------------------------------------------------------------------------

def wrong_links(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", without_fences(text)):
        target = target[0] or target[1]
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"link to {target}: no such file"
        elif anchor and anchor not in anchors_of(file.read_text(encoding="utf-8")):
            yield f"link to {target}: no such heading"


def exists(path):
    """A path as documents write it: perhaps with a wildcard, perhaps without the ending."""
    path = path.rstrip("/.,:")
    return any(ROOT.glob(path)) or any(ROOT.glob(path + ".*"))


def wrong_paths(text):
    for path in re.findall(r"(?<![\w/.<-])((?:src|scripts|configs|tests|docs|cmake|data|\.ci)/[\w./*-]+)", text):
        if not MADE_BY_THE_READER.search(path) and not exists(path):
            yield f"{path}: no such file"


def wrong_keys(text, keys):
    for key in re.findall(r"`((?:%s)\.[a-z_0-9.]+)" % "|".join(SECTIONS), text) + re.findall(r"--set ([a-z_.0-9]+)=", text):
        if key.rstrip(".") not in keys and not key.endswith((".cpp", ".hpp", ".safetensors")):
            yield f"{key}: no such config key"


def wrong_options(blocks, helps):
    for block in blocks:
        if block.language != "sh":
            continue
        for call in re.findall(r"(?:^|[\s/])glassformer ((?:[^\n|;&)]|\\\n)*)", block.text.replace("\\\n", " ")):
            command, *words = call.split("#")[0].split() or [""]
            if command.startswith("-"):
                continue
            if command not in helps:
                yield f"line {block.line}: glassformer {command}: no such command"
                continue
            for option in (word.split("=")[0] for word in words if word.startswith("--")):
                if not re.search(rf"^  (?:-\w,)?{option}\b|,!?{option}\b", helps[command], re.M):
                    yield f"line {block.line}: glassformer {command} has no option {option}"


def read_reference():
    """The help of each command, and all config keys and sections, as the program has them; without a build, as in
    docs/reference.md."""
    has_program = make_reference.PROGRAM.exists()
    text = (make_reference.reference(make_reference.keys()) if has_program
            else (ROOT / "docs/reference.md").read_text(encoding="utf-8"))
    helps = dict(re.findall(r"^### ([a-z]+)\n\n```text\n(.*?)^```$", text, re.M | re.S))
    keys = re.findall(r"^\| `([a-z_0-9.]+)` \|", text, re.M)
    return helps, {".".join(key.split(".")[:depth]) for key in keys for depth in range(1, 4)}


def wrong_names(page, helps, keys):
    text = page.read_text(encoding="utf-8")
    if page == ROOT / "README.md" and len(text.split()) > README_WORDS:
        yield f"expected at most {README_WORDS} words, found {len(text.split())}"
    yield from wrong_links(page, text)
    if page.name == "CHANGELOG.md":  # names what was deleted
        return
    yield from wrong_paths(text)
    yield from wrong_keys(text, keys)
    yield from wrong_options(blocks_of(text), helps)


# --- Commands -----------------------------------------------------------------------------------------------------

def make_scratch(scratch):
    """What a user's clone looks like after the build."""
    # Copies, not links, so that no command can change your clone.
    left_out = shutil.ignore_patterns("multi30k", "__pycache__", "node_modules")
    for name in ("configs", "data", "scripts", "src", "tests", "docs", "cmake", "examples", ".devcontainer"):
        shutil.copytree(ROOT / name, scratch / name, ignore=left_out)
    for name in ("CMakeLists.txt", "CMakePresets.json", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, scratch)
    (scratch / "build").mkdir()
    (scratch / "build/release").symlink_to(ROOT / "build/release")
    (scratch / "bin").mkdir()
    (scratch / "bin/cmake").write_text("#!/bin/sh\necho 'cmake: nothing is rebuilt here' >&2\n")
    (scratch / "bin/cmake").chmod(0o755)


def differs(expected, printed):
    """Whether `printed` does not end as expected."""
    pattern = r"(?:^|\n)"
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
            continue
        line = re.sub(r" *\.\.\.$", "...", line.rstrip())  # at the end, "..." may stand for nothing
        for part in re.split(r"(\.\.\.| +)", line):
            pattern += {"...": ".*?"}.get(part, " +" if part and not part.strip() else re.escape(part))
        pattern += r" *\n"
    return re.search(pattern + r"\Z", printed.rstrip("\n") + "\n") is None


def can_import(modules):
    return subprocess.run([sys.executable, "-c", f"import {modules}"], capture_output=True, check=False).returncode == 0


def run_page(page, scratch):
    """Runs the page's blocks. Returns how many ran and what went wrong."""
    ran, wrong, printed = 0, [], None
    path = [scratch / "bin", Path(sys.executable).parent, os.environ["PATH"]]  # scripts use this Python
    environment = {**os.environ, "PATH": ":".join(map(str, path))}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if file := block.mark("file"):
            (scratch / file).write_text(block.text, encoding="utf-8")
        elif block.mark("run") is not None:
            modules = block.mark("run")
            if modules and not can_import(modules):
                print(f"SKIPPED: {page.name}, line {block.line}: Python has no {modules} here.", file=sys.stderr)
                printed = None
                continue
            command = ["bash", "-eu", "-c"] if block.language == "sh" else [sys.executable, "-c"]
            begin = time.monotonic()
            result = subprocess.run([*command, block.text], cwd=scratch, env=environment, capture_output=True, text=True,
                                    stdin=subprocess.DEVNULL, check=False)
            ran, printed = ran + 1, result.stdout
            print(f"{page.name}, line {block.line}: {time.monotonic() - begin:.1f} s")
            if result.returncode != 0:
                wrong.append(f"line {block.line}: exit status {result.returncode}\n{block.text}"
                             f"{result.stdout[-1500:]}{result.stderr[-1500:]}")
        elif block.mark("output") is not None and printed is not None:
            if differs(block.text, printed):
                wrong.append(f"line {block.line}: the output differs\n--- the page:\n{block.text}--- printed:\n{printed[-3000:]}")
    return ran, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="names of pages (default: all)")
    parser.add_argument("--names", action="store_true", help="do not run commands")
    options = parser.parse_args()
    pages = [page for page in PAGES if not options.pages or page.name in options.pages]
    if unknown := set(options.pages) - {page.name for page in pages}:
        parser.error(f"no page {', '.join(sorted(unknown))}; pages: {', '.join(page.name for page in PAGES)}")
    if not options.names and not PROGRAM.exists():
        parser.error(f"{PROGRAM}: expected the program, found none; scripts/test.sh builds it")

    helps, keys = read_reference()
    wrong = [(page, problem) for page in pages for problem in wrong_names(page, helps, keys)]
    ran = 0
    if not options.names:
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            make_scratch(scratch)
            for page in pages:
                count, problems = run_page(page, scratch)
                ran += count
                wrong += [(page, problem) for problem in problems]
    for page, problem in wrong:
        print(f"{page.relative_to(ROOT)}: {problem}")
    print(f"documents: {len(pages)} pages, {ran} code blocks run, {len(wrong)} mistakes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
