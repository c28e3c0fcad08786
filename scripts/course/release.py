"""Builds the program with some source files changed, out of what build/release has compiled already: only the files
that depend on a change are compiled again."""

import contextlib
import fcntl
import os
import re
import shlex
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from building import run_quietly
from labs import PROJECT, LabError

RELEASE = PROJECT / "build" / "release"


@contextlib.contextmanager
def up_to_date():
    """Brings build/release up to date with the sources, and keeps other hunts from building until the block ends."""
    if not (RELEASE / "glassformer").exists():
        raise LabError("The program is not built yet: run scripts/quickstart.sh first.")
    with open(RELEASE / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        targets = ["glassformer_program", *(["glassformer_tests"] if (RELEASE / "glassformer_tests").exists() else [])]
        run_quietly(["cmake", "--build", RELEASE, "--target", *targets], "building the program")
        yield


def ninja(tool, *targets):
    return run_quietly(["ninja", "-C", RELEASE, "-t", tool, *targets], "ninja").splitlines()


def objects_that_depend_on(files):
    """The names of all object files in build/release that were compiled from these files of the project."""
    changed, objects, name = {PROJECT / file for file in files}, set(), None
    real = {}  # headers are reached through a link in the build directory
    for line in ninja("deps"):
        if line.startswith("    "):
            path = line.strip()
            if path not in real:
                real[path] = Path(RELEASE, path).resolve()
            if real[path] in changed:
                objects.add(name)
        else:
            name = line.split(": #deps")[0]
    return objects


def compile_anew(command, name, copy, scratch):
    """Compiles an object file of build/release into `scratch`, from the sources in `copy`."""
    words = shlex.split(command)
    source = Path(words[words.index("-c") + 1])
    target = scratch / name
    target.parent.mkdir(parents=True, exist_ok=True)
    # Messages, and the recorded steps of `explain`, still name the files in src.
    words = [f"-I{scratch}/include" if word == f"-I{RELEASE}/include" else
             str(copy / source.relative_to(PROJECT)) if word == str(source) else
             str(target) + word.removeprefix(name) if word in (name, f"{name}.d") else word for word in words]
    run_quietly([*words, "-w", f"-ffile-prefix-map={scratch}/include/glassformer={PROJECT}/src",
                 f"-ffile-prefix-map={copy}/src={PROJECT}/src"], "compiling", cwd=RELEASE)
    return str(target)


def build_changed(copy, changed):
    """Builds the program with the sources of `copy`, in which only the files `changed` differ from the project's, as
    copy/build/release. Returns how to run the programs in build/release, or those made from them, with these sources:
    {name: path} and an environment. On Linux, the core is a shared library, so it is enough to replace that."""
    shared = (RELEASE / "libglassformer_core.so").exists()
    names = [name for name in ("glassformer", "glassformer_tests") if (RELEASE / name).exists()]
    if not changed:
        return {name: RELEASE / name for name in names}, dict(os.environ)
    affected = objects_that_depend_on(changed)
    output = copy / "build" / "release"
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        (scratch / "include").mkdir()
        (scratch / "include" / "glassformer").symlink_to(copy / "src")
        compiling, linking = {}, []
        for line in ninja("commands", *(["libglassformer_core.so"] if shared else names)):
            if match := re.search(r" -o (\S*glassformer_core\S*\.o) -c ", line):
                if match[1] in affected:
                    compiling[match[1]] = line
            elif match := re.search(r" (?:-o|qc) (\S+)", line):
                linking.append((match[1], line))
        if not compiling:
            raise LabError(f"nothing in {RELEASE} was compiled from {' or '.join(changed)}")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = pool.map(lambda name: compile_anew(compiling[name], name, copy, scratch), compiling)
            moved = dict(zip(compiling, objects))
        for name, line in linking:
            if not any(word in moved for word in line.split(" ")):
                continue
            # The loader looks for the soname; other names are links to it.
            soname = re.search(r"-soname,(\S+)", line)
            target = (scratch if name.endswith(".a") else output) / (Path(name).with_name(soname[1]) if soname else name)
            target.parent.mkdir(parents=True, exist_ok=True)
            moved[name] = str(target)
            line = " ".join(shlex.quote(moved[word]) if word in moved else word for word in line.split(" "))
            run_quietly(line, "linking", shell=True, cwd=RELEASE)
    if shared:
        return {name: RELEASE / name for name in names}, {**os.environ, "LD_LIBRARY_PATH": str(output)}
    return {name: output / name for name in names}, dict(os.environ)
