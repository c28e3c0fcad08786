#!/usr/bin/env python3
r"""Makes every allocation and every system call on a file fail, one at a time, and checks how the program reacts.

    scripts/dev/fault_injection.py                         every point: about an hour on two cores
    scripts/dev/fault_injection.py --every 50              only every 50th point
    scripts/dev/fault_injection.py translate --calls read,write

Runs each command on a tiny model, with tests/failing_disk loaded before the program: the n-th allocation in the
program's own code fails, then the n-th open, read and so on of a file below the test's directory. Of a command's
allocations, it tries all up to 2,000 and then every 97th. Afterwards:

  - the program has neither crashed nor hung, and the sanitizers of an instrumented program have found nothing
  - exit status 0: the results are the same as without the fault. Status 1: the message names what failed
  - a file that the program was to write is complete, as before, or absent
  - a training run continues with --resume, or from the start if it has no config yet, to the same weights

Prints each failure and, for each command and call, how many points there are, how many it tried and how many failed.
Exit status 1 if there were failures.

To try it with sanitizers, which takes ten times as long (the sanitizers' library must be a shared one: otherwise,
the program has an operator new of its own, which comes before ours):

    runtime=$(dirname "$(clang++ -print-file-name=libclang_rt.asan-x86_64.so)")
    cmake --preset asan -B build/asan_faults -G Ninja \
      -DCMAKE_EXE_LINKER_FLAGS="-shared-libsan -Wl,-rpath,$runtime"
    cmake --build build/asan_faults --target glassformer_program
    scripts/dev/fault_injection.py --program build/asan_faults/glassformer --calls new
"""

import argparse
import collections
import concurrent.futures
import filecmp
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 30  # seconds
# What each call fails with. A disk that is full stays full, and memory may stay exhausted; other faults occur once.
FAULTS = {
    "new": ["once", "lasting"],
    "open": ["EIO", "ENOSPC", "EINTR"],
    "read": ["EIO", "ENOSPC", "EINTR", "short"],
    "write": ["EIO", "ENOSPC", "EINTR", "short"],
    "fsync": ["EIO", "ENOSPC", "EINTR"],
    "rename": ["EIO", "ENOSPC", "EINTR"],
    "close": ["EIO", "ENOSPC", "EINTR"],
    **{call: ["EIO"] for call in ("unlink", "mkdir", "link", "readlink", "stat", "list", "lock", "mmap", "truncate",
                                  "chmod")},
}
TRAIN = ["train", "debug.yaml", "--output", "run", "--set", "data.directory=text", "--set", "training.max_updates=6",
         "--set", "training.validation.every=2", "--set", "training.checkpoints.keep=2",
         "--set", "training.checkpoints.average=2"]
OLD = b"an older file\n"

# outputs: the files that a command replaces. start: the directory to copy to run/ before the command.
Command = collections.namedtuple("Command", "name arguments outputs start", defaults=[None])
COMMANDS = [
    Command("train", TRAIN, []),
    Command("resume", [*TRAIN, "--resume"], [], "begun"),
    Command("evaluate", ["evaluate", "model", "--source", "text/valid.en", "--reference", "text/valid.de"], []),
    Command("translate", ["translate", "model", "--input", "text/valid.en", "--output", "result"], ["result"]),
    Command("filter", ["translate", "model"], []),
    Command("explain", ["explain", "model", "--source", "she sleeps .", "--html", "page.html", "--json", "page.json"],
            ["page.html", "page.json"]),
]
Point = collections.namedtuple("Point", "command call fault at")
Outcome = collections.namedtuple("Outcome", "status err failed count")


def recorded_weights(digests):
    """The weights in a run's digests.jsonl, for each update and for the mean of checkpoints; the other digests depend on
    how often it was resumed. Text if the chain is broken."""
    weights, before = {}, b""
    for number, line in enumerate(digests.splitlines(keepends=True), 1):
        try:
            record = json.loads(line)
        except ValueError:
            return f"line {number} is not JSON"
        if record["before"] != (hashlib.sha256(before).hexdigest() if before else ""):
            return f"line {number} does not fit those before it"
        of_what = (record["update"], "average" in record)
        if weights.setdefault(of_what, record["weights"]) != record["weights"]:
            return f"line {number}: other weights for the same update"
        before += line
    return weights


def files_below(directory):
    """The contents of all files and the targets of all links. If a file contains times or the
    directory's name, only its existence counts."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        varies = name in ("train.log", "metrics.jsonl", "curves.svg") or \
            path.name in ("config.yaml", "SHA256SUMS", "training_state.safetensors")
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file() and path.name != ".lock":
            found[name] = "" if varies else path.read_bytes()
            if name == "digests.jsonl":
                found[name] = recorded_weights(found[name])
    return found


class Workplace:
    """A directory in which one command runs at a time."""

    def __init__(self, directory, program, library):
        self.directory, self.program, self.library = directory, program, library

    def prepare(self, command):
        """Prepares the directory for the command."""
        shutil.rmtree(self.directory / "run", ignore_errors=True)
        for path in self.directory.iterdir():  # also what an earlier command left behind
            if path.name not in ("text", "model", "begun", "debug.yaml", "toy.yaml"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if command.start:
            shutil.copytree(self.directory / command.start, self.directory / "run", symlinks=True)
        for name in command.outputs:
            (self.directory / name).write_bytes(OLD)

    def run(self, command, call="", fault="", at=0):
        lasting = fault == "lasting" or (fault == "ENOSPC" and call == "write")
        count, err = (self.directory.with_suffix(ending) for ending in (".count", ".err"))
        count.unlink(missing_ok=True)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "LD_PRELOAD": str(self.library), "FAIL_CALL": call,
                       "FAIL_WITH": fault, "FAIL_AT": str(at), "FAIL_ONCE": "0" if lasting else "1",
                       "FAIL_BELOW": str(self.directory) + "/", "FAIL_COUNT": str(count),
                       "LSAN_OPTIONS": f"suppressions={self.directory.parent}/suppressions:print_suppressions=0",
                       "ASAN_OPTIONS": "verify_asan_link_order=0:allocator_may_return_null=1"}
        if not call:
            del environment["LD_PRELOAD"]
        with open(self.directory / "text/valid.en") as text, open(self.directory / "out", "w") as out, \
                open(err, "w") as errors:
            try:
                status = subprocess.run([self.program, *command.arguments], stdin=text, stdout=out, stderr=errors,
                                        cwd=self.directory, env=environment, timeout=TIMEOUT).returncode
            except subprocess.TimeoutExpired:
                status = None
        number, failed, *_ = [*(count.read_text().split("\n") if count.exists() else []), "", ""]
        return Outcome(status, err.read_text(errors="replace"), failed, int(number or 0))


def resumed(workplace):
    """Continues the run, or starts it again, without faults. Returns its files, or text that says what went wrong."""
    has_config = (workplace.directory / "run/config.yaml").exists()
    if (workplace.directory / "run").exists() and not has_config:
        shutil.rmtree(workplace.directory / "run")
    outcome = workplace.run(Command("", [*TRAIN, "--resume"] if has_config else TRAIN, []))
    if outcome.status != 0:
        return f"cannot be resumed: {outcome.err.strip()[-300:]}"
    return files_below(workplace.directory / "run")


def names(message, point, failed):
    """Whether the message names the path that failed, or the file or directory that was to take its place."""
    if point.call == "write" and "No space left" in message:  # if the log failed, the message may name the next file
        return True
    if point.call == "unlink" and Path(failed).parent.name.strip(".").removesuffix(".partial") in message:
        return True  # a directory could not be removed with its contents
    failed = failed.removesuffix(" (deleted)")
    if re.search(r"/w\d+(/\.)?$", failed) and ": .: " in message:  # the current directory
        return True
    if re.search(r"/(in|valid\.en)$", failed) and "standard input" in message:
        return True
    if failed.endswith("/out") and "standard output" in message:
        return True
    # .step-2.partial is a step-2 that is not finished yet, and page.html.1a2b3c4d such a page.html
    failed = re.sub(r"\.[0-9a-f]{8}$", "", failed)
    parts = [re.sub(r"^\.(.+?)\.(partial|replaced).*$", r"\1", part) for part in Path(failed).parts]
    return parts[-1].removesuffix(".partial") in message


def may_be_missing(name, log):
    """Whether this file may be missing: training goes on without the picture of its curves, and says so."""
    return name == "curves.svg" and "its curves could not be drawn" in log


def may_remain(point, name, expected):
    """Whether a fault may leave this file behind: a file that could not be removed, or an old checkpoint, if training
    had finished apart from that."""
    return name not in expected and (name.startswith("step-") or (point.call == "unlink" and name.startswith(".")))


def error_of(point, outcome, expected, workplace):
    """What is wrong after a fault; "" if nothing is."""
    command, directory = point.command, workplace.directory
    status, message = outcome.status, "\n".join(
        line for line in outcome.err.splitlines() if line.startswith("glassformer: "))
    if status is None:
        return "hangs"
    if status < 0 or "Sanitizer" in outcome.err or "runtime error" in outcome.err:
        return "crashes"
    if status not in (0, 1):
        return "wrong status"
    if status == 1 and not (("memory" in message) if point.call == "new" else names(message, point, outcome.failed)):
        return "the message does not name what failed"
    if status == 1 and message.count("\n") > 0:
        return "more than one message"
    for name in command.outputs:
        file = directory / name
        content = file.read_bytes() if file.exists() else None
        if content != expected[name] and (status == 0 or content != OLD):
            return f"{name} is {'missing' if content is None else 'incomplete'}"
    out = (directory / "out").read_bytes()
    if out != expected["out"] and (status == 0 or not expected["out"].startswith(out)):
        return "the output is incomplete"
    if command.name in ("train", "resume"):
        if status == 0 and outcome.err.count("\n") < expected["lines"]:
            return "lines are missing in the log"
        run = files_below(directory / "run") if status == 0 else resumed(workplace)
        if run != expected["run"]:
            if isinstance(run, str):
                return run
            different = [name for name in sorted({*run, *expected["run"]})
                         if run.get(name) != expected["run"].get(name)
                         and not (name not in run and may_be_missing(name, outcome.err))]
            if status == 1:
                different = [name for name in different if not may_remain(point, name, expected["run"])]
            if not different:
                return ""
            return f"{'ended' if status == 0 else 'resumed'} differently: {' '.join(different)}"
    return ""


def expectation(command, workplace):
    workplace.prepare(command)
    outcome = workplace.run(command)
    if outcome.status != 0:
        sys.exit(f"{command.name} fails even without a fault:\n{outcome.err}")
    directory = workplace.directory
    expected = {name: (directory / name).read_bytes() for name in ["out", *command.outputs]}
    expected["run"] = files_below(directory / "run")
    expected["lines"] = outcome.err.count("\n")
    return expected


def points_of(command, call, count, every):
    numbers = range(1, count + 1)
    if call == "new":
        numbers = [*range(1, min(count, 2000) + 1), *range(2097, count + 1, 97)]
    return [Point(command, call, fault, at) for fault in FAULTS[call] for at in numbers[::every]]


def describe(point, outcome, error, directory):
    lines = [line for line in outcome.err.splitlines() if line.startswith("glassformer: ")] or \
        outcome.err.strip().splitlines()[-1:]
    return (f"{point.command.name}: {point.call} {point.at} {point.fault} {outcome.failed}: status {outcome.status}: "
            f"{error}: {' '.join(lines)[:300]}".replace(directory + "/", ""))


def make_workplaces(directory, program, library, count):
    # If a constructor of nlohmann::json runs out of memory, it leaks what it has allocated.
    (directory / "suppressions").write_text((ROOT / "tests/leaks_of_others.txt").read_text() + "leak:nlohmann\n")
    workplaces = [Workplace(directory / f"w{i}", program, library) for i in range(count)]
    for workplace in workplaces:
        shutil.copytree(ROOT / "data/debug", workplace.directory / "text")
        for name in ("debug.yaml", "toy.yaml"):
            shutil.copy(ROOT / "configs" / name, workplace.directory)
        for name, limit in (("begun", "4"), ("model", "6")):
            arguments = [name if argument == "run" else argument for argument in TRAIN]
            outcome = workplace.run(Command("", [*arguments, "--set", f"training.max_updates={limit}"], []))
            if outcome.status != 0:
                sys.exit(f"training fails even without a fault:\n{outcome.err}")
    return workplaces


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", default=[], metavar="COMMAND", help="default: all")
    parser.add_argument("--calls", default=",".join(FAULTS), help="default: %(default)s")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try only every N-th point (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many at a time (default: 2)")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/glassformer")
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/libfailing_disk.so")
    options = parser.parse_args()
    commands = [command for command in COMMANDS if not options.commands or command.name in options.commands]
    for file in (options.program, options.library):
        if not file.is_file():
            sys.exit(f"{file}: expected this file, found none; build it with scripts/test.sh")

    failures = 0
    print(f"{'command':<10} {'call':<9} {'points':>7} {'tried':>7} {'failures':>9}")
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        idle = queue.Queue()
        for workplace in make_workplaces(Path(name), options.program.resolve(), options.library.resolve(),
                                         options.jobs):
            idle.put(workplace)
        for command in commands:
            workplace = idle.get()
            expected = expectation(command, workplace)
            counts = {}
            for call in options.calls.split(","):
                workplace.prepare(command)
                counts[call] = workplace.run(command, call, FAULTS[call][0]).count
            idle.put(workplace)

            def attempt(point):
                workplace = idle.get()
                try:
                    workplace.prepare(point.command)
                    outcome = workplace.run(point.command, point.call, point.fault, point.at)
                    error = error_of(point, outcome, expected, workplace)
                    return point, outcome, error, str(workplace.directory)
                finally:
                    idle.put(workplace)

            for call, count in counts.items():
                points = points_of(command, call, count, options.every)
                wrong = 0
                for result in pool.map(attempt, points):
                    if result[2]:
                        wrong += 1
                        print(describe(*result), flush=True)
                failures += wrong
                if count > 0:
                    print(f"{command.name:<10} {call:<9} {count:>7} {len(points):>7} {wrong:>9}", flush=True)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
