"""Builds the program of a lab: main.cpp, cases.cpp and the learner's files, linked before the prebuilt core in
build/labs. All functions of other labs are the real ones. Those of this lab must come from the learner's files: the core
that is linked does not have them."""

import fcntl
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from confine import MEGABYTE, Limits, run_confined
from labs import DESCRIPTIONS, PROJECT, SOLUTIONS, LabError, hidden
from source import Source

sys.path.insert(0, str(PROJECT / "scripts" / "dev" / "mutants"))
from cpp import bodies  # noqa: E402

BUILD = (PROJECT / "build" / "labs").resolve()
TESTS = PROJECT / "tests"  # its random_values.hpp
MUTANT = PROJECT / "scripts" / "dev" / "mutants"  # its mutant.hpp
# Without optimization, everything compiles quickly; assertions catch mistakes early; -g1 gives a crash its line.
FLAGS = "-O0 -g1 -D_GLIBCXX_ASSERTIONS"
PRECOMPILED = "Eigen/Core algorithm cassert cmath cstdio map memory optional span string utility vector".split()
LIMITS = Limits(cpu_seconds=40, memory=1024 * MEGABYTE, file_size=256 * MEGABYTE, children=True)  # of the compiler


class CompileError(Exception):
    """The compiler's or linker's messages."""


class Missing(Exception):
    """A function of the lab that the learner's files do not define."""


def run_quietly(command, what, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise LabError(f"{what} failed:\n{done.stdout[-3000:]}")
    return done.stdout


@functools.cache  # once in each process
def build_core():
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w", encoding="utf-8") as lock:  # `watch` and `check` may run at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = BUILD / "flags.txt"
        if not (BUILD / "build.ninja").exists() or not known.exists() or known.read_text() != FLAGS:
            print("Building the core for the labs; this takes a minute, once ...", file=sys.stderr, flush=True)
            run_quietly(["cmake", "-S", PROJECT, "-B", BUILD, "-G", "Ninja", "-DGLASSFORMER_CORE_ONLY=ON",
                         "-DCMAKE_BUILD_TYPE=Labs", f"-DCMAKE_CXX_FLAGS_LABS={FLAGS}"], "cmake")
            known.write_text(FLAGS)
        run_quietly(["cmake", "--build", BUILD, "--target", "copy_task"], "building the core")
        for fill in ("pattern", "zero"):
            precompiled_header(fill)
        remove_old_files()


@functools.cache
def can_fill_variables(compiler):
    """Does the compiler know the option that fills variables without an initial value? GCC 12 and Clang 16 do."""
    return subprocess.run([compiler, "-ftrivial-auto-var-init=zero", "-fsyntax-only", "-x", "c++", os.devnull],
                          capture_output=True, check=False).returncode == 0


def compiler_words(fill):
    """How the core compiles its files, up to what is special for each file. `fill` is what variables without an initial
    value hold: "zero", or a "pattern"."""
    commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    entry = next(entry for entry in commands if entry["file"].endswith("src/layers/masks.cpp"))
    words = shlex.split(entry["command"])
    words = [word for word in words[:words.index("-o")] if not word.startswith(("-Wno-", "-Winvalid-pch"))]
    if "-include" in words:  # CMake's precompiled header; it decides the fill, so it is not for us
        at = words.index("-include")
        del words[at:at + 2]
    words += ["-Wall", "-Wextra", "-Wno-unused-parameter", "-fdiagnostics-color=never"]
    return words + ([f"-ftrivial-auto-var-init={fill}"] if can_fill_variables(words[0]) else [])


@functools.cache
def system_directories():
    """Where the compiler finds its own headers and those of libraries."""
    said = subprocess.run([*compiler_words("zero"), "-E", "-v", "-x", "c++", os.devnull], cwd=BUILD, capture_output=True,
                          text=True, check=False).stderr
    listed = re.findall(r"^ (/.*?)(?: \(framework directory\))?$", said.split("search starts here:")[-1], re.M)
    return [path for path in (Path(line).resolve() for line in listed) if not path.is_relative_to(PROJECT)]


def precompiled_header(fill):
    """Eigen and the standard library, for this fill."""
    words = compiler_words(fill)
    header = BUILD / f"precompiled-{digest_of(*words)}.hpp"
    compiled = header.with_suffix(".hpp.gch")
    if not compiled.exists():
        header.write_text("".join(f"#include <{name}>\n" for name in PRECOMPILED), encoding="utf-8")
        part = compiled.with_suffix(f".{unfinished()}")
        run_compiler([*words, "-w", "-x", "c++-header", "-o", str(part), str(header)])
        part.rename(compiled)
    return header


def compile_command(source, target, includes, warnings, fill):
    """For one file of ours. Our include directories come first."""
    words = compiler_words(fill)
    return (words[:1] + [f"-I{path}" for path in includes] + words[1:] + ([] if warnings else ["-w"]) +
            ["-include", str(precompiled_header(fill)), "-o", str(target), "-c", str(source)])


def link_command(objects, target, core):
    """How the example of the core is linked, for our objects and our core."""
    line = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "copy_task"], capture_output=True, text=True,
                          check=True).stdout.strip().split("\n")[-1]
    words = [word for word in shlex.split(line.split("&&")[1]) if not word.endswith("copy_task.cpp.o")]
    words[words.index("-o") + 1] = str(target)
    at = next(number for number, word in enumerate(words) if word.endswith(".a"))
    fixed = ["-no-pie"] if sys.platform == "linux" else []  # then addr2line understands the addresses of a crash
    return words[:at] + fixed + [str(name) for name in objects] + [str(core)] + words[at + 1:]


def run_compiler(command):
    """Returns the compiler's warnings."""
    known = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL") if name in os.environ}
    done = run_confined(command, LIMITS, environment=known, directory=BUILD)
    if done.status == 0:
        return done.error
    if done.too_slow or "CPU time limit exceeded" in done.error:  # of the driver, or of the compiler proper
        raise CompileError(f"The compiler did not finish within {LIMITS.cpu_seconds} seconds. Does your code include an endless "
                           "file, or a template that never ends?")
    # Only what the compiler says about itself: messages about code begin with a file and a line, "FILE: In ..." or a space.
    if re.search(r"^(?!\s|.*:\d+:|.*: [Ii]n |[Ii]n ).*(out of memory|cannot allocate|virtual memory exhausted|bad_alloc|"
                 r"Killed signal|file too large|File size limit)", done.error, re.I | re.M):
        raise CompileError(f"The compiler needed more than {LIMITS.memory // MEGABYTE} MB of memory. Does your code include an "
                           "endless file, or a template that never ends?")
    raise CompileError(done.error)


def dependencies_in(text):
    """The files that a compiler's list of dependencies (-MD) names."""
    words = re.findall(r"(?:\\ |\S)+", text.replace("\\\n", " "))
    return [word.replace("\\ ", " ") for word in words[1:]]  # after the object file


def unfinished():
    """A part of a file name that no other process or thread uses. A finished file gets its own name by renaming, so two
    may build the same thing at a time."""
    return f"{os.getpid()}-{threading.get_ident()}.part"


def digest_of(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def remove_old_files(kept=40, seconds=3600):
    """Keeps the programs and object files that were used last in each lab, and all that another process may be using."""
    for lab in BUILD.glob("[0-9][0-9]*"):
        for pattern, most in (("*/", kept), ("*.o", 20), ("*.a", 1), ("*.json", 2)):
            used = {path: max(file.stat().st_mtime for file in (path, path / "program") if file.exists())
                    for path in lab.glob(pattern)}
            for path in sorted(used, key=used.get)[:-most]:
                if used[path] < time.time() - seconds:
                    (shutil.rmtree if path.is_dir() else os.remove)(path)


def write_whole(path, text):
    """Writes a file that another thread may be reading, if its contents are others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        part = path.with_name(f"{path.name}.{unfinished()}")
        part.write_text(text, encoding="utf-8")
        part.rename(path)


def symbols_of(objects):
    """The mangled names of the functions that object files define. Without those that other files cannot see: the
    compiler leaves them out if nobody calls them."""
    done = run_confined(["nm", "--defined-only", *objects], LIMITS, dict(os.environ), kept=64 * MEGABYTE)
    return set(re.findall(r"^[0-9a-f]+ [TW] (.*)$", done.output, re.M))


def readable(symbols):
    """{symbol: "glassformer::MaskedSoftmax<double>::forward_in_place(...)"}"""
    symbols = sorted(symbols)
    lines = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    return dict(zip(symbols, lines.split("\n")))


def functions_among(lab, symbols):
    """(name of a function of the lab, symbol) for each symbol of these functions. Without those of headers, for the same
    reason."""
    found, names = set(), [name for file in lab.functions if file.endswith(".cpp") for name in lab.functions[file]]
    for symbol, text in readable(symbols).items():
        plain, before = re.sub(r"\(anonymous namespace\)::", "", text), None
        while plain != before:  # without template arguments
            plain, before = re.sub(r"<[^<>]*>", "", plain), plain
        if ")::" in plain:
            continue  # something inside a function: another answer need not have it
        head = plain.split("(")[0].split(" ")[-1]
        found |= {(name, symbol) for name in names if f"::{head}".endswith(f"::{name}")}
    return found


def core_without(lab):
    """The core without the files that the learner writes."""
    core = BUILD / "libglassformer_core.a"
    own = tuple(f"{file}.o" for file in lab.functions if file.startswith("src/") and file.endswith(".cpp"))
    if not own:
        return core
    target = BUILD / lab.number / f"core-{core.stat().st_mtime_ns}.a"
    if not target.exists():
        commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", core.name], capture_output=True, text=True,
                                  check=True).stdout
        archive = next(line for line in commands.split("\n") if f" {core.name} " in line and " -c " not in line)
        objects = [word for word in shlex.split(archive) if word.endswith(".o") and not word.endswith(own)]
        part = target.with_suffix(f".{unfinished()}")
        run_quietly(["ar", "qc", part, *objects], "ar", cwd=BUILD)
        part.rename(target)
    return target


class Objects:
    """The object files of a lab's program, compiled from these source files (as in lab.functions -> text).
    `originals` (file -> path) names the learner's own files in the compiler's messages. `fill`: see compiler_words."""

    def __init__(self, lab, texts, originals=None, fill="pattern"):
        originals = originals or {}
        common = [DESCRIPTIONS / "main.cpp", lab.description / "cases.cpp"]
        given = [*sorted(DESCRIPTIONS.glob("*.hpp")), *sorted(lab.description.glob("*.hpp")), *sorted(TESTS.glob("*.hpp")),
                 MUTANT / "mutant.hpp"]
        key = digest_of(*(path.read_text(encoding="utf-8") for path in [*common, *given, Path(__file__)]),
                        str((BUILD / "libglassformer_core.a").stat().st_mtime_ns))
        self.directory = BUILD / lab.number / digest_of(key, fill, *texts.values(), *originals.values())
        self.lab = lab
        self.program = self.directory / "program"
        include = self.directory / "include"
        includes = [include, lab.description, DESCRIPTIONS, TESTS, MUTANT]
        for file, text in texts.items():
            write_whole(include / "glassformer" / lab.place(file),
                        f'#line 1 "{originals[file]}"\n{text}' if file in originals else text)
        for file in texts:
            for name in hidden(file, lab):
                write_whole(include / "real" / f"{name.replace('::', '-')}.inc", Source(lab.source(file)).block(name))
        self.paths = []
        for file in texts:
            if file.endswith(".cpp"):
                source = include / "glassformer" / lab.place(file)
                target = self.directory / ("-".join(lab.place(file).with_suffix("").parts) + ".o")
                self._compile(source, target, includes, bool(originals), fill)
        headers = [text for file, text in texts.items() if file.endswith(".hpp")]
        if not headers:
            fill = "pattern"  # ours do not depend on it, so they are compiled only once
        for source in common:  # the cases may include a header of the lab
            self._compile(source, BUILD / lab.number / f"{source.stem}-{digest_of(key, fill, *headers)}.o", includes, False, fill)

    def _compile(self, source, target, includes, warnings, fill):
        if not target.exists():
            part = target.with_suffix(f".{unfinished()}.o")
            said = run_compiler([*compile_command(source, part, includes, warnings, fill), "-MD", "-MF", f"{part}.d"])
            self._refuse_foreign_files(Path(f"{part}.d"))
            if warnings:
                self.warnings_file.write_text(self.warnings() + said, encoding="utf-8")
            part.rename(target)
        self.paths.append(target)

    def _refuse_foreign_files(self, dependencies):
        """Raises CompileError if the compiler has opened a file that a learner's code must not include."""
        words = dependencies_in(dependencies.read_text(encoding="utf-8", errors="replace"))
        dependencies.unlink()
        for word in words[1:]:  # after the source
            path = Path(BUILD, word).resolve()
            if word.startswith(("/proc/", "/dev/")) or not self._may_include(path):
                name = path.relative_to(PROJECT) if path.is_relative_to(PROJECT) else path
                raise CompileError(f"Your code includes {name}, which " + (
                    "has the real functions." if self._is_solution(path) else "does not belong to the lab."))

    def _may_include(self, path):
        """The learner's own files, headers of the project without the real functions, and those of the system."""
        if path.parent == BUILD and path.name.startswith("precompiled-"):
            return True
        if any(map(path.is_relative_to, [self.directory / "include", *system_directories()])):
            return True
        headers = [PROJECT / "src", DESCRIPTIONS, TESTS, MUTANT]
        return path.suffix == ".hpp" and any(map(path.is_relative_to, headers)) and not self._is_solution(path)

    def _is_solution(self, path):
        return path.is_relative_to(SOLUTIONS) or path in [self.lab.source(file).resolve() for file in self.lab.functions]

    @property
    def warnings_file(self):
        return self.directory / "warnings.txt"

    def warnings(self):
        """What the compiler said about the learner's files."""
        return self.warnings_file.read_text(encoding="utf-8") if self.warnings_file.exists() else ""


def program_of(lab, texts, originals=None, fill="pattern"):
    """Builds the program of a lab with these source files, if it does not exist yet. Raises CompileError, and Missing for
    a function that the files do not define."""
    objects = Objects(lab, texts, originals, fill)
    if objects.program.exists():
        os.utime(objects.program)
        return objects
    missing = missing_function(lab, objects)
    if missing:
        raise Missing(missing)
    part = objects.directory / f"program.{unfinished()}"
    run_compiler(link_command(objects.paths, part, core_without(lab)))
    part.rename(objects.program)
    return objects


def missing_function(lab, objects):
    """A function of the lab that the real files define, and these do not; or None."""
    real = lab.real()
    wanted = BUILD / lab.number / f"functions-{digest_of(*real.values(), Path(__file__).read_text(encoding='utf-8'))}.json"
    if not wanted.exists():
        part = wanted.with_suffix(f".{unfinished()}")
        part.write_text(json.dumps(sorted(functions_among(lab, symbols_of(Objects(lab, real).paths)))))
        part.rename(wanted)
    defined = symbols_of(objects.paths)
    return next((name for name, symbol in json.loads(wanted.read_text()) if symbol not in defined), None)


def all_in_one(lab, answers):
    """One program for many answers (lists of source files): the functions that differ have a body for each answer, and
    the variable GLASSFORMER_MUTANT says which answer runs; they are numbered from 1. If it does not compile, the error's
    `guilty` has the numbers of the answers that it names."""
    texts, owners = {}, {}
    for file, real in lab.real().items():
        lines, places = _Lines(), bodies(real)
        versions = [[answer[file][begin:end] for begin, end in bodies(answer[file])] for answer in answers]
        if any(len(version) != len(places) for version in versions):
            raise LabError(f"lab {lab.name}: an answer changes more than the bodies of functions of {file}")
        include, at = '#include "mutant.hpp"\n#include "not_written.hpp"\n', 0
        lines.add("#pragma once\n" + include if file.endswith(".hpp") else include)
        for number, (begin, end) in enumerate(places):
            lines.add(real[at:begin].removeprefix("#pragma once\n") if at == 0 else real[at:begin])
            if "Scalar>" in real[at:begin]:  # a template: the cases call it for double, so float needs only the real body
                lines.add(" if constexpr (sizeof(Scalar) < sizeof(double)) {" + real[begin:end] + "} else")
            for answer, version in enumerate(versions, 1):
                if version[number] != real[begin:end]:
                    lines.add(f" if (glassformer::mutants::on({answer})) {{{version[number]}\n}} else", answer)
            lines.add(" {" + real[begin:end] + "}")
            at = end
        lines.add(real[at:])
        texts[file], owners[str(lab.place(file))] = "".join(lines.parts), lines.owners
    try:
        return program_of(lab, texts).program
    except CompileError as error:
        places = re.findall(r"include/glassformer/(\S+?):(\d+):.*error:", str(error))
        error.guilty = {number for file, line in places for number in owners.get(file, {}).get(int(line), ())}
        raise


class _Lines:
    """A text in parts, and whose each line is."""

    def __init__(self):
        self.parts, self.line, self.owners = [], 1, {}

    def add(self, text, owner=None):
        count = text.count("\n")
        if owner is not None:
            for line in range(self.line, self.line + count + 1):
                self.owners.setdefault(line, set()).add(owner)
        self.line += count
        self.parts.append(text)
