"""Compiles many mutants into one copy of the project. A function that has mutants gets a body for each of them:

    Index f(Index a) {
      if (glassformer::mutants::on(7)) { <the body with mutant 7> } else { <the body> }
    }

#line directives keep the original line numbers, so the recorded steps of `explain` find their code."""

import json
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cpp import bodies_of, head_of, tokens_of

PROJECT = Path(__file__).resolve().parents[3]
COPY = PROJECT / "build" / "mutants" / "copy"
BUILD = COPY / "build" / "release"
CHANGES = {  # what the copy's build does differently
    "cmake/Library.cmake": {  # `explain` shows the sources without mutants
        b"ROOT=${CMAKE_CURRENT_SOURCE_DIR}": b"ROOT=" + str(PROJECT).encode()},
    "cmake/Compilation.cmake": {b'"-O3 -DNDEBUG"': b'"-O2 -DNDEBUG"'},
    "cmake/Core.cmake": {  # the core for AVX2 is enough
        b"glassformer_core_avx512 SHARED": b"glassformer_core_avx512 SHARED EXCLUDE_FROM_ALL",
        b"add_dependencies(glassformer_core glassformer_core_avx512)": b""}}
HEADER = "scripts/dev/mutants/mutant.hpp"


def git_files(*paths):
    return subprocess.run(["git", "ls-files", *paths], cwd=PROJECT, check=True, capture_output=True,
                          text=True).stdout.split()


def body_places(text):
    """(begin, end) of the contents of each function's body that the compiler may compile twice."""
    tokens = tokens_of(text)
    for opening, closing in bodies_of(tokens):
        if all(token.text != "consteval" for token in head_of(tokens, opening)):
            yield tokens[opening].end, tokens[closing].begin


class MutatedFile:
    """The text of a file with all its chosen mutants."""

    def __init__(self, name, text, mutants, line_numbers):
        """`mutants` are {number: mutant} of this file. Without `line_numbers`, `owners` has each line's mutants."""
        self.parts, self.line, self.owners = [], 1, {}
        self.line_numbers, self.path = line_numbers, COPY / name
        at, rest = 0, dict(mutants)
        first_line = text.startswith("#pragma once\n")
        header = f'#include "{"../" * name.count("/")}{HEADER}"\n'
        self.add("#pragma once\n" + header if first_line else header)
        at = len("#pragma once\n") if first_line else 0
        self.restart_lines(2 if first_line else 1)
        for begin, end in body_places(text):
            inside = {number: mutant for number, mutant in rest.items() if begin <= mutant.begin and mutant.end <= end}
            if not inside:
                continue
            self.add(text[at:begin])
            line = text[:begin].count("\n") + 1
            for number, mutant in inside.items():
                self.add(f" if (glassformer::mutants::on({number})) {{\n")
                self.restart_lines(line)
                changed = text[begin:mutant.begin] + mutant.new + text[mutant.end:end]
                self.add(changed, number)
                self.add("\n} else")
                del rest[number]
            self.add(" {\n")
            self.restart_lines(line)
            self.add(text[begin:end] + "}")
            at = end
        self.add(text[at:])
        self.not_in_a_function = set(rest)
        self.text = "".join(self.parts)

    def add(self, text, number=None):
        count = text.count("\n")
        if number is not None:
            for line in range(self.line, self.line + count + 1):
                self.owners.setdefault(line, set()).add(number)
        self.parts.append(text)
        self.line += count

    def restart_lines(self, line):
        if self.line_numbers:
            self.add(f'#line {line} "{self.path}"\n')


def write_if_different(path, data, mode=None):
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if mode is not None:
            path.chmod(mode)


def plant(mutants, line_numbers):
    """Writes the copy's files. Returns {name of a file: {its line: numbers of mutants}} and the numbers of the mutants
    that are not in a function."""
    owners, outside = {}, set()
    names = git_files()
    for path in COPY.rglob("*"):  # a file that was renamed or deleted would still be compiled
        if path.is_file() and not path.is_relative_to(COPY / "build") and str(path.relative_to(COPY)) not in names:
            path.unlink()
    for name in names:
        source = PROJECT / name
        data = source.read_bytes()
        chosen = {number: mutant for number, mutant in mutants.items() if mutant.file == name}
        if chosen:
            mutated = MutatedFile(name, data.decode("utf-8"), chosen, line_numbers)
            owners[name] = mutated.owners
            outside |= mutated.not_in_a_function
            data = mutated.text.encode("utf-8")
        for old, new in CHANGES.get(name, {}).items():
            assert old in data, f"{name}: expected {old}"
            data = data.replace(old, new)
        write_if_different(COPY / name, data, source.stat().st_mode)
    return owners, outside


def configure():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", "-G", "Ninja", "-DCMAKE_CXX_FLAGS=-w",
                        "-DCMAKE_UNITY_BUILD=ON"], cwd=COPY, check=True, capture_output=True)


def places_in(lines):
    """{(file, line)} of src that the lines name. Headers are reached through a link in the build directory."""
    text = "\n".join(lines).replace(f"{BUILD}/include/glassformer/", f"{COPY}/src/")
    return {(match[1], int(match[2])) for match in re.finditer(rf"{re.escape(str(COPY))}/(src/[^\s:]+):(\d+)", text)}


def mutants_in_errors(output, owners):
    """The mutants at the places that the compiler names in its errors. Only if an error is at none, those at the places
    before it, "In instantiation of ...": most of these are innocent."""
    lines = output.split("\n")
    found = set()
    for i, line in enumerate(lines):
        if "error:" in line:
            for near in (lines[i:i + 1], lines[max(0, i - 12):i]):
                guilty = set().union(*(owners.get(file, {}).get(number, set()) for file, number in places_in(near)))
                found |= guilty
                if guilty:
                    break
    return found


def wrong_mutants(owners):
    """Checks the syntax of src with all mutants; the numbers of those that do not compile."""
    commands = [entry for entry in json.loads((BUILD / "compile_commands.json").read_text())
                if re.search(r"CMakeFiles/(glassformer(_core|_program)?)\.dir/", entry["output"] if "output" in entry
                             else entry["command"]) and not re.search("cmake_pch|embedded_files", entry["file"])]

    def check(entry):
        words = shlex.split(entry["command"])
        words = ["-fsyntax-only" if word == "-c" else word for word in words]
        at = words.index("-o")
        del words[at:at + 2]
        return subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)

    wrong, unexplained = set(), []
    with ThreadPoolExecutor(2) as pool:
        for entry, done in zip(commands, pool.map(check, commands)):
            if done.returncode != 0:
                found = mutants_in_errors(done.stdout + done.stderr, owners)
                wrong |= found
                if not found:
                    unexplained.append(f"{entry['file']}:\n{done.stdout}{done.stderr}"[:3000])
    if unexplained and not wrong:
        raise SystemExit("the copy does not compile:\n" + "\n".join(unexplained))
    return wrong


def build():
    """Builds the copy's tests and program."""
    done = subprocess.run(["ninja", "-C", BUILD, "-k", "0", "glassformer_tests"], capture_output=True, text=True)
    (COPY / "build" / "build.log").write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        raise SystemExit(f"the copy does not build: see {COPY}/build/build.log")
