#!/usr/bin/env python3
"""Fills the marked places of the course (docs/course): no number is typed, and no code is pasted.

    scripts/course.py                writes what has changed
    scripts/course.py --check        fails if a page differs from what it would write, or breaks a rule of
                                     scripts/course/rules.py: for example, if it shows a lab's function
                                     unfolded, or has a number that no mark computes. Also fails if no page
                                     shows a function of layers, model, training or decoding

The numbers are those of the model of configs/debug.yaml after 20 updates; they are the same on every machine. Marks:

    <!-- code FILE NAME... -->       functions or classes of the source, by name, up to <!-- end -->
    <!-- python                      what this Python prints, up to <!-- end -->. It can use what `Page` defines below,
    CODE -->                         and `minutes`: how long pages take to read
    <!-- diagram NAME: TITLE         a picture, drawn by scripts/course/diagram.py, up to <!-- end -->
    TEXT -->
    <!-- live NAME                   a slot for a figure of the live page, up to <!-- end -->: its parameters are values
    PARAMETER = EXPRESSION -->       of Python expressions. src/web/course/slots.json has the names. GitHub shows nothing
    <!-- = EXPRESSION -->x<!-- . --> the value of a Python expression, within a sentence
"""

import argparse
import contextlib
import difflib
import html
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT / "scripts" / "course"), str(PROJECT / "tests" / "metrics")]

import numpy as np  # noqa: E402
import reference  # noqa: E402
from diagram import draw  # noqa: E402
from rules import TYPED, problems_of_chapter, problems_of_numbers, solutions, typed_numbers, unfolded, words_of  # noqa: E402
from source import Source, core_files  # noqa: E402

COURSE = PROJECT / "docs" / "course"
PROGRAM = Path(os.environ.get("GLASSFORMER", PROJECT / "build" / "release" / "glassformer"))
SENTENCES = [("the small dog sees a house .", "der kleine hund sieht ein haus ."), ("she sleeps .", "sie schläft .")]

# How fast an attentive learner reads, who also unfolds all code. One such learner took about half an hour for an average
# chapter, and 55 minutes for the longest (chapter 12 when it still included chapter 13). These rates gave 30 and 54.
WORDS_PER_MINUTE = 120
LINES_OF_CODE_PER_MINUTE = 18
FORMULAS_PER_MINUTE = 2
ROWS_OF_NUMBERS_PER_MINUTE = 12


class Page:
    """What the Python of a page can use, besides np (NumPy) and reference (the model in NumPy, tests/metrics)."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.run("train", PROJECT / "configs/debug.yaml", "--set", "training.max_updates=20", "--output", self.directory / "debug")
        sentences = [word for source, target in SENTENCES for word in ("--source", source, "--target", target)]
        self.run("explain", self.directory / "debug", *sentences, "--json", self.directory / "trace.json",
                 "--html", self.directory / "trace.html")
        self.trace = json.loads((self.directory / "trace.json").read_text(encoding="utf-8"))
        self.model = reference.Model(self.directory / "debug" / "last")  # the same model in NumPy
        (B, S), (_, T), (V, D) = (self.t(*place).shape for place in (
            ("encoder.embed_tokens", "id"), ("decoder.embed_tokens", "id"), ("decoder.embed_tokens", "table")))
        H, F = self.model.settings["heads"], self.model.settings["d_ff"]
        self.sizes = {"B": B, "S": S, "T": T, "V": V, "D": D, "H": H, "F": F, "d_head": D // H}

    def run(self, *words, text=""):
        """Runs the program and returns what it prints."""
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=PROJECT, input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"course.py: glassformer {' '.join(map(str, words))} failed:\n{done.stderr}")
        return done.stdout

    def t(self, part, name, number=-1):
        """A recorded matrix: the last (or another) tensor `name` of a part of the model, such as
        encoder.layers.0.self_attn."""
        found = [tensor for tensor in self.trace["tensors"] if (tensor["part"], tensor["name"]) == (part, name)]
        if not found:
            raise KeyError(f"{part} has no tensor {name}, only " + ", ".join(
                dict.fromkeys(tensor["name"] for tensor in self.trace["tensors"] if tensor["part"] == part)))
        return matrix(found[number]["values"])

    def shape(self, part, name):
        return "[" + ", ".join(map(str, self.t(part, name).shape)) + "]"

    def mask(self, name):
        return matrix(self.trace["masks"][name]).astype(int)

    def what_if(self, name):
        """What would happen with other masks."""
        return next(entry for entry in self.trace["what_if"] if entry["name"] == name)

    def tokens(self, name, sentence):
        """The tokens of a row of the batch: source, target_input or target_output."""
        return self.trace["batch"][name]["tokens"][sentence]

    @staticmethod
    def table(numbers, rows=(), cols=(), digits=4):
        """A matrix as text, with names of rows and columns. Integers have no decimals."""
        numbers = np.atleast_2d(numbers)
        whole = numbers.dtype.kind in "biu"
        cells = [[str(int(x)) if whole else f"{x + 0.0:.{digits}f}" for x in row] for row in numbers]
        lines = [[name, *row] for name, row in zip(rows or [""] * len(cells), cells)]
        if cols:
            lines.insert(0, ["", *cols])
        widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
        return "\n".join("  ".join([line[0].ljust(widths[0])] * bool(rows) + [cell.rjust(width) for cell, width in zip(
            line[1:], widths[1:])]).rstrip() for line in lines)

    def names(self):
        return {name: getattr(self, name) for name in ("trace", "model", "run", "t", "shape", "mask", "what_if", "tokens",
                                                       "table", "directory")} | self.sizes | {
                                                           "np": np, "reference": reference, "sentences": SENTENCES}


def matrix(values):
    numbers = [np.nan if number is None else number for number in values["numbers"]]
    return np.array(numbers).reshape(values["rows"], values["cols"])


class Filler:
    def __init__(self, page):
        self.page, self.pictures, self.shown, self.filled = page, {}, set(), {}

    def fill(self, path):
        self.where = path.relative_to(PROJECT)
        self.scope = self.page.names() | {"minutes": self.minutes}  # what one mark defines, later marks of the page can use
        self.filled[path] = re.sub(
            r"(<!-- (code|python|diagram|live)\b(?!:)(.*?)-->\n)(.*?)(<!-- end -->)|(<!-- = (.*?) -->)(.*?)(<!-- \. -->)",
            self._mark, path.read_text(encoding="utf-8"), flags=re.S)
        return self.filled[path]

    def minutes(self, *patterns, at_most=math.inf):
        """How long the pages with these names (or patterns such as 1*.md) take to read, each to the nearest 5 minutes."""
        paths = [path for pattern in patterns for path in sorted(COURSE.glob(pattern)) or [COURSE / pattern]]
        total = sum(5 * round(minutes_of(self.filled.get(path) or path.read_text(encoding="utf-8")) / 5) for path in paths)
        if total > at_most:
            raise ValueError(f"{total} minutes; expected at most {at_most}")
        return total

    def _guard(self, action, what):
        try:
            return action()
        except Exception as error:  # pylint: disable=broad-except
            sys.exit(f"{self.where}: {type(error).__name__}: {error}\nin: {what.strip()}")

    def _mark(self, match):
        begin, kind, text, _, end, before, expression, _, after = match.groups()
        if kind:
            return begin + self._guard(lambda: getattr(self, kind)(textwrap.dedent(text).strip()), text) + "\n" + end
        value = self._guard(lambda: eval(expression, self.scope), expression)
        return before + (f"{value:.4f}" if isinstance(value, (float, np.floating)) else str(value)) + after

    def code(self, text):
        file, *names = text.split()
        source, blocks = Source(PROJECT / file), []
        for name in names:
            blocks.append(source.block(name))
            self.shown |= {(file, function) for function in source.shown_by(name)}
        return "```cpp\n// " + file + "\n" + "\n\n".join(blocks) + "\n```"

    def python(self, text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(text, self.scope)
        return "```text\n" + printed.getvalue().rstrip() + "\n```"

    def diagram(self, text):
        head, body = text.split("\n", 1)
        name, title = head.split(": ", 1)
        body = re.sub(r"\{(.*?)\}", lambda match: str(eval(match.group(1), self.scope)), body)
        self.pictures[COURSE / "images" / f"{name}.svg"] = draw(body)
        return f"![{title}](images/{name}.svg)"

    def live(self, text):
        name, *lines = text.split("\n")
        values = {key: as_words(eval(expression, self.scope)) for key, expression in (line.split(" = ", 1) for line in lines)}
        words = [f'{key}="{html.escape(value)}"' for key, value in values.items()]
        return " ".join(["<!-- live:", name, *words, "-->"])


def as_words(value):
    """The value of a slot's parameter: its words or numbers, separated by spaces, or by " | " if they are lists."""
    if isinstance(value, (list, tuple, np.ndarray)):
        nested = any(isinstance(item, (list, tuple, np.ndarray)) for item in value)
        return (" | " if nested else " ").join(map(as_words, value))
    return f"{value:.8g}" if isinstance(value, (float, np.floating)) else str(value)


def minutes_of(text):
    """How long a page takes to read."""
    code, numbers = ([line for block in re.findall(rf"```{kind}\n(.*?)```", text, flags=re.S)
                      for line in block.split("\n") if line.strip()] for kind in ("cpp", "text"))
    formulas = re.findall(r"\$\$.*?\$\$", re.sub(r"<!--.*?-->|```.*?```", "", text, flags=re.S), flags=re.S)
    return (words_of(text) / WORDS_PER_MINUTE + len(code) / LINES_OF_CODE_PER_MINUTE +
            len(formulas) / FORMULAS_PER_MINUTE + len(numbers) / ROWS_OF_NUMBERS_PER_MINUTE)


def not_shown(filler):
    """The functions of the core's main modules that no chapter shows."""
    every = {(str(path.relative_to(PROJECT)), name) for path in core_files("layers", "model", "training", "decoding")
             for name in Source(path).functions()}
    return [f"{file} {name}: no chapter shows it; name it in a `code` mark" for file, name in sorted(every - filler.shown)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something would change")
    parser.add_argument("pages", nargs="*", type=Path, help="default: all pages of docs/course and its teaching")
    options = parser.parse_args()
    if not PROGRAM.exists():
        sys.exit(f"course.py: {PROGRAM}: there is no such program. Build it with scripts/quickstart.sh, or set GLASSFORMER.")
    problems, wanted = [], {}
    pages = [path.resolve() for path in options.pages] or sorted([*COURSE.glob("*.md"), *COURSE.glob("teaching/*.md")])
    pages.sort(key=lambda path: "minutes(" in path.read_text(encoding="utf-8"))  # last, when the other pages are filled
    with tempfile.TemporaryDirectory() as directory:
        filler, solved = Filler(Page(directory)), solutions()
        for path in pages:
            text = wanted[path] = filler.fill(path)
            chapter = re.match(r"\d\d-", path.name)
            marks = path.name == "rubric.md"  # they are decided, not computed
            found = [*unfolded(text, solved), *([] if marks else problems_of_numbers(text)),
                     *(problems_of_chapter(int(path.name[:2]), text) if chapter else [])]
            problems += [f"{path.relative_to(PROJECT)}: {problem}" for problem in found]
    if not options.pages:
        problems += not_shown(filler)
        typed = {number for text in wanted.values() for number in typed_numbers(text)}
        problems += [f"scripts/course/rules.py: no page has the typed number {number}" for number in TYPED if number not in typed]
        problems += [f"{path.relative_to(PROJECT)}: no page shows it" for path in (COURSE / "images").glob("*.svg")
                     if path not in filler.pictures]
    for path, text in {**wanted, **filler.pictures}.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        if options.check:
            problems.append(f"{path.relative_to(PROJECT)} is not what scripts/course.py would write:\n" + "\n".join(
                list(difflib.unified_diff(old.splitlines(), text.splitlines(), "page", "expected", n=1, lineterm=""))[:20]))
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(PROJECT)}")
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
