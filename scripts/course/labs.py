"""The labs: what each consists of, and how it is cut from the real source.

docs/course/labs/NN has four files: task.md (a heading for each function to write, with its task), hints.md (three),
wrong.txt (known wrong answers) and cases.cpp (what the functions are run on). The learner's copy is labs/NN, with the
same paths as in src.

A variant, such as lab 3b, asks for something that the project does not have, so no page shows its solution. Its
functions are declared in a header beside its task, and the solution is in tests/course/solutions.
"""

import functools
import os
import re
import sys
from pathlib import Path

from confine import read_text
from source import PROJECT, Source

sys.path.insert(0, str(PROJECT / "scripts" / "dev"))
from faults import places  # noqa: E402

DESCRIPTIONS = PROJECT / "docs" / "course" / "labs"
SOLUTIONS = PROJECT / "tests" / "course" / "solutions"
LABS = Path(os.environ.get("GLASSFORMER_LABS", PROJECT / "labs")).resolve()


class LabError(Exception):
    """A mistake of the user: the message says what to do."""


class Lab:
    def __init__(self, number):
        match = re.fullmatch(r"0*(\d+)(b?)", str(number).lower())
        self.name = "".join(match.groups()) if match else ""  # "3", "3b"
        self.number = f"{int(match[1]):02d}{match[2]}" if match else ""  # as the directories are named: "03", "03b"
        self.is_variant = self.number.endswith("b")
        self.description = DESCRIPTIONS / self.number
        if not match or not (self.description / "task.md").exists():
            raise LabError(f"There is no lab {number}. scripts/lab.sh list shows all labs.")
        task = (self.description / "task.md").read_text(encoding="utf-8")
        self.title = re.match(r"# (.*)", task).group(1)
        self.functions = {}  # file -> {function: its task}
        for heading, text in re.findall(r"^## (\S+\.[ch]pp \S+)\n\n(.*?)(?=^## |\Z)", task, re.M | re.S):
            file, name = heading.split(" ")
            self.functions.setdefault(file, {})[name] = text.rstrip("\n")
        self.directory = LABS / self.number
        self.right_results, self.wrong_results = {}, {}  # known ones: check.py computes them once

    def names(self):
        return [name for functions in self.functions.values() for name in functions]

    def source(self, file):
        """The file with the real functions."""
        return SOLUTIONS / self.number / file if self.is_variant else PROJECT / file

    @staticmethod
    def place(file):
        """The path of a source file within the learner's directory."""
        return Path(file).relative_to("src") if file.startswith("src/") else Path(file)

    def path(self, file):
        """The learner's copy of a source file."""
        return self.directory / self.place(file)

    def hints(self):
        text = (self.description / "hints.md").read_text(encoding="utf-8")
        return [hint.strip() for hint in re.split(r"^## \d+\n", text, flags=re.M)[1:]]

    def real(self):
        return {file: self.source(file).read_text(encoding="utf-8") for file in self.functions}

    def cut(self, texts=None):
        """The source files with the bodies of the lab's functions replaced by their tasks."""
        cut = {}
        for file, text in (texts or self.real()).items():
            bodies = {name: ["// " + line if line else "//" for line in task.split("\n")] + [f'not_written("{name}");']
                      for name, task in self.functions[file].items()}
            text = Source(file, text).with_bodies(bodies)
            if '"not_written.hpp"' not in text:
                last = [match.end() for match in re.finditer(r"^#include .*$", text, re.M)][-1]
                text = text[:last] + '\n#include "not_written.hpp"' + text[last:]
            cut[file] = self.hide(file, text)
        return cut

    def hide(self, file, text):
        """Puts #include in the place of the functions that other labs ask for."""
        for name in hidden(file, self):
            if include_line(name) not in text:
                (block,) = Source(file, text).find(name)
                lines = text.split("\n")
                lines[block.top:block.end] = [hiding_line(name)]
                text = "\n".join(lines)
        return text

    def write(self, texts):
        """Writes the learner's files."""
        for file, text in texts.items():
            self.path(file).parent.mkdir(parents=True, exist_ok=True)
            self.path(file).write_text(text, encoding="utf-8")

    def learners(self):
        """The learner's files."""
        if not self.directory.exists():
            raise LabError(f"You have not started lab {self.name}: scripts/lab.sh start {self.name}")
        missing = [self.path(file) for file in self.functions if not self.path(file).is_file()]
        if missing:
            raise LabError(f"{shown(missing[0])} is missing: scripts/lab.sh reset {self.name} makes a new one.")
        try:
            return {file: read_text(self.path(file)) for file in self.functions}
        except ValueError as error:
            raise LabError(str(error)) from None

    def wrong_answers(self):
        """(diagnosis, source files) for each entry of wrong.txt: a diagnosis, then lines to replace."""
        return self.changed(self.description / "wrong.txt")

    def changed(self, path):
        """(what it says first, source files) for each entry of a file such as wrong.txt."""
        text = path.read_text(encoding="utf-8")
        for entry in re.split(r"\n\n+", re.sub(r"^#.*\n", "", text, flags=re.M).strip()):
            lines = entry.split("\n")
            diagnosis = " ".join(line for line in lines if line[:1] not in "-+")
            texts, hunks = self.real(), re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", entry + "\n", re.M)
            for old, new in hunks:
                old, new = (re.sub(r"^[-+] ?", "", part, flags=re.M)[:-1] for part in (old, new))
                found = [(file, *place) for file in texts for place in places(texts[file], old)]
                if len(found) != 1:
                    raise LabError(f"{path}: expected this once in the source of the lab:\n{old}")
                file, begin, end = found[0]
                indent = texts[file][texts[file].rfind("\n", 0, begin) + 1:begin]
                new = new.replace("\n", "\n" + indent) if indent.isspace() else new
                texts[file] = texts[file][:begin] + new + texts[file][end:]
            yield diagnosis, texts


@functools.cache
def functions_in(file):
    """(number of the lab that asks for it, function) for all functions of a source file that labs ask for."""
    return [(lab.number, name) for lab in all_labs() for name in lab.functions.get(file, ())]


def hidden(file, lab):
    """Functions of other labs in a file of this lab: a learner may want to write them later."""
    return [name for number, name in functions_in(file) if number != lab.number]


def include_line(name):
    return f'#include "real/{name.replace("::", "-")}.inc"'


def hiding_line(name):
    return f"{include_line(name)}  // the real function: another lab asks you for it"


def with_hidden(text, source):
    """Puts the functions that `hiding_line` hides in their places; `source` has them."""
    return re.sub(r'^#include "real/(.*)\.inc".*', lambda line: source.block(line[1].replace("-", "::")), text, flags=re.M)


def shown(path):
    """A path as a user would type it."""
    return os.path.relpath(path) if Path(path).is_relative_to(PROJECT) else str(path)


def all_labs(variants=False):
    """In order; with variants, each after its lab."""
    return [Lab(path.parent.name) for path in sorted(DESCRIPTIONS.glob("[0-9][0-9]*/task.md"))
            if variants or not path.parent.name.endswith("b")]
