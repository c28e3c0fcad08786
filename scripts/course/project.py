"""The parts of the course that need the whole project: the finale trains the toy with the learner's functions, and the
bug hunt plants a fault in a copy of the project."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

import labs
from building import build_core, run_quietly
from check import check_of
from labs import PROJECT, LabError, all_labs, shown
from release import RELEASE, build_changed, up_to_date
from source import Source

sys.path.insert(0, str(PROJECT / "scripts" / "dev"))
import faults  # noqa: E402

PROGRAM = RELEASE / "glassformer"


def copy_of_project(directory, texts):
    """Copies the project's files, but nothing that was built, and puts these texts in the place of some."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("CMakeLists.txt CMakePresets.json cmake configs data docs examples scripts src tests README.md "
                 "CHANGELOG.md LICENSE").split():
        if (PROJECT / name).is_dir():
            shutil.copytree(PROJECT / name, directory / name, copy_function=shutil.copy, symlinks=True,
                            dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(PROJECT / name, directory)
    for file, text in texts.items():
        (directory / file).write_text(text, encoding="utf-8")


def merged_sources():
    """The source files that the learner's functions of all labs change, as if written into one copy of the project: each
    lab's changes are merged into what the labs before it made."""
    texts, every = {}, all_labs()
    build_core()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = list(pool.map(check_of, every))
    for lab, result in zip(every, checks):
        if result.kind != "passed":
            raise LabError(f"Lab {lab.name} is not solved yet: scripts/lab.sh check {lab.name}")
        for file, text in lab.learners().items():
            before = texts.get(file, lab.real()[file])
            current = lab.cut({file: before})[file]
            with tempfile.TemporaryDirectory() as directory:
                paths = [Path(directory) / name for name in ("current", "base", "learner")]
                for path, content in zip(paths, (current, lab.cut()[file], lab.hide(file, text))):
                    path.write_text(content, encoding="utf-8")
                merged = subprocess.run(["git", "merge-file", "-p", "--union", *paths], capture_output=True, text=True,
                                        check=False).stdout
            texts[file] = labs.with_hidden(merged, Source(file, before))
    texts = {file: text.replace('#include "not_written.hpp"\n', "") for file, text in texts.items()}
    return {file: text for file, text in texts.items() if text != (PROJECT / file).read_text(encoding="utf-8")}


def recorded(run):
    """(update, tensor) -> digest of the weights that a run recorded."""
    digests = {}
    for line in (run / "digests.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "average" in entry:  # not the weights of an update, but a mean
            continue
        digests.update({(entry["update"], tensor): digest for tensor, digest in entry["weights"].items()})
    return digests


def documented():
    lines = (line.split() for line in (PROJECT / "data/toy/digests.txt").read_text().splitlines())
    return {(int(words[1]), words[2]): words[3] for words in lines if words[0] == "toy" and words[1].isdigit()}


def train(command, environment, output, *options):
    shutil.rmtree(output, ignore_errors=True)
    run_quietly([*command, "train", PROJECT / "configs/toy.yaml", "--output", output,
                 *(word for option in options for word in ("--set", option))], "training", env=environment, cwd=PROJECT)


def compare_first_updates(command, environment, directory):
    """Trains 50 updates with the learner's functions and with the real ones. Returns the largest difference of the
    losses, and the first update and tensor whose weights differ."""
    options = ("training.max_updates=50", "training.validation.every=1", "training.log_every=1",
               "training.checkpoints.average=0")
    train(command, environment, directory / "yours", *options)
    train([PROGRAM], dict(os.environ), directory / "real", *options)
    yours, real = recorded(directory / "yours"), recorded(directory / "real")
    first = next((place for place in real if yours.get(place) != real[place]), None)
    losses = [[entry["loss"] for entry in map(json.loads, (directory / name / "metrics.jsonl").read_text().splitlines())
               if entry["kind"] == "train"] for name in ("yours", "real")]
    return max(abs(a - b) for a, b in zip(*losses)), first


def finale():
    texts = merged_sources()
    copy = labs.LABS / "finale"
    print("Building a transformer from your functions ...", flush=True)
    with up_to_date():
        copy_of_project(copy, texts)
        programs, environment = build_changed(copy, texts)
    command = [programs["glassformer"]]
    print("Training the toy with it; this takes a minute or two ...", flush=True)
    train(command, environment, copy / "run")
    wanted, found = documented(), recorded(copy / "run")
    last = max(update for update, _ in wanted)
    evaluation = run_quietly([*command, "evaluate", copy / "run"], "evaluation", env=environment, cwd=PROJECT)
    exact = float(re.search(r"^test: .*exact match ([0-9.]+)%", evaluation, re.M).group(1))
    print(f"exact match on test: {exact:.2f}%", flush=True)
    if all(found.get((last, tensor)) == digest for (update, tensor), digest in wanted.items() if update == last):
        print(f"After {last} updates, every weight of your transformer is exactly what data/toy/digests.txt says.\n"
              "You have written a transformer.")
        return 0
    difference, first = compare_first_updates(command, environment, copy)
    if first:
        print(f"Your weights differ from the real ones from update {first[0]} on; {first[1]} is the first tensor.")
    print(f"In the first 50 updates, the losses differ by at most {difference:.2g}.")
    if difference <= 1e-4 and exact >= 99:
        print("That is rounding: your functions add in another order than the real ones. You have written a transformer.")
        return 0
    print("That is more than rounding: expected losses equal to 1e-4, and an exact match of at least 99%.")
    return 1


def plantable():
    """The faults that a learner can find with the tools of the course."""
    return [fault for fault in faults.read_faults()
            if re.match(r"src/(layers/|model/|training/(optimizer|schedule))", fault.file)
            and not re.search(r"Muon|gaps|switch", fault.title)]


def with_fault(fault):
    """The text of the fault's file with the fault, and the numbers of the lines that it changes, not counting lines in
    which only spaces differ."""
    before = (PROJECT / fault.file).read_text(encoding="utf-8")
    text = faults.plant(before, fault)
    pairs = enumerate(zip_longest(before.split("\n"), text.split("\n"), fillvalue=""), 1)
    return text, [number for number, (a, b) in pairs if a.split() != b.split()]


def planted(seed):
    """The fault of this number."""
    found = plantable()
    return found[random.Random(seed).randrange(len(found))]


def make_hunt(copy, fault):
    copy_of_project(copy, {fault.file: with_fault(fault)[0]})
    (copy / "tests" / "faults.txt").unlink()
    programs, environment = build_changed(copy, [fault.file])
    for name, program in programs.items():
        (copy / name).write_text('#!/usr/bin/env bash\nexport LD_LIBRARY_PATH='
                                 f'"{environment.get("LD_LIBRARY_PATH", "")}"\nexec "{program}" "$@"\n')
        (copy / name).chmod(0o755)
    now = time.time()
    for path in [copy, *copy.rglob("*")]:  # the newest file would give the fault away
        os.utime(path, (now, now), follow_symlinks=False)


def hunt(seed):
    seed = random.SystemRandom().randrange(1000) if seed is None else seed
    copy = labs.LABS / f"hunt-{seed}"
    print("Planting a fault and building ...", flush=True)
    with up_to_date():
        if copy.exists():
            raise LabError(f"{shown(copy)} exists already. Choose another seed, or remove that directory.")
        try:
            make_hunt(copy, planted(seed))
        except BaseException:  # Ctrl-C, too: nothing half-made stays
            shutil.rmtree(copy, ignore_errors=True)
            raise
    print(f"""
In {shown(copy)}, one line of src/layers, src/model or src/training is wrong. docs/course/bug-hunt.md says how to find
it. To begin:

  cd {shown(copy)}
  ./glassformer gradcheck configs/debug.yaml

When you know the file and the line:

  scripts/lab.sh hunt {seed} src/layers/linear.cpp:30""")
    return 0


def find_fault(seed, place):
    fault = planted(seed)
    match = re.fullmatch(r"(?:.*?/)?(src/\S+|[\w.]+):(\d+)", place)
    if not match:
        raise LabError(f"expected a file and a line, such as src/layers/linear.cpp:30, found {place}")
    if match.group(1) not in (fault.file, Path(fault.file).name):
        print("No, that file is as it should be.")
    elif int(match.group(2)) not in with_fault(fault)[1]:
        print("The right file, but another line.")
    else:
        print(f"Found. The fault: {fault.title}.")
        return 0
    return 1
