"""The labs: what each consists of, how it is cut from the real source, and how its program is built.

docs/course/labs/NN has four files: task.md (a heading for each function to write, with its task), hints.md (three),
wrong.txt (known wrong answers) and cases.cpp (what the functions are run on). The learner's copy is labs/NN, with the
same paths as in src. The program of a lab is main.cpp, cases.cpp and the file with the functions, linked before the
prebuilt core in build/labs: the functions of all other labs are the real ones.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from source import PROJECT, Source

sys.path.insert(0, str(PROJECT / "scripts" / "dev"))
from faults import places  # noqa: E402

DESCRIPTIONS = PROJECT / "docs" / "course" / "labs"
LABS = Path(os.environ.get("GLASSFORMER_LABS", PROJECT / "labs")).resolve()
BUILD = PROJECT / "build" / "labs"


class LabError(Exception):
    """A mistake of the user: the message says what to do."""


class Lab:
    def __init__(self, number):
        self.number = f"{int(number):02d}"
        self.description = DESCRIPTIONS / self.number
        if not (self.description / "task.md").exists():
            raise LabError(f"There is no lab {number}. scripts/lab.sh list shows all labs.")
        task = (self.description / "task.md").read_text(encoding="utf-8")
        self.title = re.match(r"# (.*)", task).group(1)
        self.functions = {}  # file -> {function: its task}
        for heading, text in re.findall(r"^## (src/[^\n]*)\n\n(.*?)(?=^## |\Z)", task, re.M | re.S):
            file, name = heading.split(" ")
            self.functions.setdefault(file, {})[name] = text.rstrip("\n")
        self.directory = LABS / self.number

    def names(self):
        return [name for functions in self.functions.values() for name in functions]

    def path(self, file):
        """The learner's copy of a source file."""
        return self.directory / Path(file).relative_to("src")

    def hints(self):
        text = (self.description / "hints.md").read_text(encoding="utf-8")
        return [hint.strip() for hint in re.split(r"^## \d+\n", text, flags=re.M)[1:]]

    def real(self):
        return {file: (PROJECT / file).read_text(encoding="utf-8") for file in self.functions}

    def cut(self, texts=None, only=None):
        """The source files with the bodies of the lab's functions (or of one) replaced by their tasks."""
        cut = {}
        for file, text in (texts or self.real()).items():
            bodies = {name: ["// " + line if line else "//" for line in task.split("\n")] + [f'not_written("{name}");']
                      for name, task in self.functions[file].items() if only in (None, name)}
            text = Source(file, text).with_bodies(bodies)
            last = [match.end() for match in re.finditer(r"^#include .*$", text, re.M)][-1]
            cut[file] = text if '"not_written.hpp"' in text else text[:last] + '\n#include "not_written.hpp"' + text[last:]
        return cut

    def write(self, texts):
        """Writes the learner's files."""
        for file, text in texts.items():
            self.path(file).parent.mkdir(parents=True, exist_ok=True)
            self.path(file).write_text(text, encoding="utf-8")

    def learners(self):
        """The learner's files."""
        if not self.directory.exists():
            raise LabError(f"You have not started lab {int(self.number)}: scripts/lab.sh start {int(self.number)}")
        missing = [self.path(file) for file in self.functions if not self.path(file).is_file()]
        if missing:
            raise LabError(f"{shown(missing[0])} is missing: scripts/lab.sh reset {int(self.number)} makes a new one.")
        return {file: self.path(file).read_text(encoding="utf-8") for file in self.functions}

    def wrong_answers(self):
        """(diagnosis, source files) for each entry of wrong.txt: a diagnosis, then lines to replace."""
        text = (self.description / "wrong.txt").read_text(encoding="utf-8")
        for entry in re.split(r"\n\n+", re.sub(r"^#.*\n", "", text, flags=re.M).strip()):
            lines = entry.split("\n")
            diagnosis = " ".join(line for line in lines if line[:1] not in "-+")
            texts, hunks = self.real(), re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", entry + "\n", re.M)
            for old, new in hunks:
                old, new = (re.sub(r"^[-+] ?", "", part, flags=re.M)[:-1] for part in (old, new))
                found = [(file, *place) for file in texts for place in places(texts[file], old)]
                if len(found) != 1:
                    raise LabError(f"{self.description}/wrong.txt: expected this once in the source of the lab:\n{old}")
                file, begin, end = found[0]
                texts[file] = texts[file][:begin] + new + texts[file][end:]
            yield diagnosis, texts


def shown(path):
    """A path as a user would type it."""
    return os.path.relpath(path) if Path(path).is_relative_to(PROJECT) else str(path)


def all_labs():
    return [Lab(path.parent.name) for path in sorted(DESCRIPTIONS.glob("[0-9][0-9]/task.md"))]


def run_quietly(command, what, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise LabError(f"{what} failed:\n{done.stdout[-3000:]}")
    return done.stdout


def build_core():
    """Builds the core with assertions, which catch mistakes early, and no optimization, which compiles quickly."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w", encoding="utf-8") as lock:  # `watch` and `check` may run at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (BUILD / "build.ninja").exists():  # later, the build configures itself again if it has to
            print("Building the core for the labs; this takes a minute, once ...", file=sys.stderr, flush=True)
            run_quietly(["cmake", "-S", PROJECT, "-B", BUILD, "-G", "Ninja", "-DGLASSFORMER_CORE_ONLY=ON",
                         "-DCMAKE_BUILD_TYPE=Labs", "-DCMAKE_CXX_FLAGS_LABS=-O0"], "cmake")
        run_quietly(["cmake", "--build", BUILD, "--target", "copy_task"], "building the core")


def compile_command(source, target, includes):
    """How the core compiles its files, for one file of ours. Our include directories come first."""
    commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    entry = next(entry for entry in commands if entry["file"].endswith("src/layers/masks.cpp"))
    words = shlex.split(entry["command"])
    words = words[:words.index("-o")] + ["-w", "-fdiagnostics-color=never"]
    return words[:1] + [f"-I{path}" for path in includes] + words[1:] + ["-o", target, "-c", source]


def link_command(objects, target):
    """How the example of the core is linked, for our objects."""
    line = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "copy_task"], capture_output=True, text=True,
                          check=True).stdout.strip().split("\n")[-1]
    words = [word for word in shlex.split(line.split("&&")[1]) if not word.endswith("copy_task.cpp.o")]
    words[words.index("-o") + 1] = target
    at = next(number for number, word in enumerate(words) if word.endswith(".a"))  # before the core, so ours are used
    return words[:at] + objects + words[at:]


class CompileError(Exception):
    """The compiler's or linker's messages."""


def run_compiler(command):
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr)


def digest_of(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def remove_old_programs(lab, kept=60):
    """Removes all but the programs used last. Other processes may do the same at the same time."""
    used = {}
    for program in (BUILD / lab.number).glob("*/program"):
        with contextlib.suppress(FileNotFoundError):
            used[program] = program.stat().st_mtime
    for program in sorted(used, key=used.get)[:-kept]:
        shutil.rmtree(program.parent, ignore_errors=True)


def program_of(lab, texts, originals=None):
    """Builds the program of a lab with these source files (file in src -> text), if it does not exist yet, and returns
    its path. `originals` (file in src -> path) names the learner's own files in the compiler's messages."""
    common = [DESCRIPTIONS / "main.cpp", lab.description / "cases.cpp"]
    shared_key = digest_of(*(path.read_text() for path in [*common, DESCRIPTIONS / "cases.hpp"]),
                           str((BUILD / "libglassformer_core.a").stat().st_mtime_ns))
    directory = BUILD / lab.number / digest_of(shared_key, *texts.values())
    program = directory / "program"
    if program.exists():
        os.utime(program)
        return program
    remove_old_programs(lab)
    include = directory / "include"
    for file, text in texts.items():
        path = include / "glassformer" / Path(file).relative_to("src")
        path.parent.mkdir(parents=True, exist_ok=True)
        name = (originals or {}).get(file)
        path.write_text(f'#line 1 "{name}"\n{text}' if name else text, encoding="utf-8")
    headers = [text for file, text in texts.items() if file.endswith(".hpp")]
    includes = [include, DESCRIPTIONS, PROJECT / "tests"]
    sources = [include / "glassformer" / Path(file).relative_to("src") for file in texts if file.endswith(".cpp")]
    objects = []
    for source in [*sources, *common]:
        name = source.stem if source in common else "-".join(source.relative_to(include).with_suffix("").parts)
        target = directory / f"{name}.o"
        if source in common:  # the cases may include a header of the lab; apart from that, they are compiled only once
            target = BUILD / lab.number / f"{name}-{digest_of(shared_key, *headers)}.o"
        if not target.exists():
            part = directory / f"{name}.part.o"
            run_compiler(compile_command(source, part, includes))
            part.rename(target)
        objects.append(target)
    run_compiler(link_command([*map(str, objects)], str(directory / "program.part")))
    return (directory / "program.part").rename(program)
