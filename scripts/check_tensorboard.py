#!/usr/bin/env python3
"""Trains a small model with training.tensorboard, reads its event files back with the package tensorboard, and compares
every scalar with metrics.jsonl. Then kills a training with SIGKILL, tears its event file's last record, resumes it, and
does the same: the points that were made twice must be there once.

    pip install tensorboard
    scripts/check_tensorboard.py [PROGRAM]        (default: build/release/glassformer)

Where the package is missing, or the program was built without event files, the check is skipped, loudly. Exit status 1
if anything differs.
"""

import json
import logging
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.text.text_plugin import text_array_to_html
    from tensorboard.util.tensor_util import make_ndarray
except ImportError as error:
    print(f"SKIPPED: {error}; the check of event files needs the package tensorboard (pip install tensorboard).",
          file=sys.stderr)
    sys.exit(0)

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/glassformer").resolve()
logging.getLogger("tensorboard").setLevel(logging.ERROR)  # it warns of what it purges, which is the point
UPDATES = 4000
ALL = {"scalars": 0, "tensors": 0}  # TensorBoard keeps a sample of what is long, unless told otherwise


def command(run, *more):
    settings = {"training.tensorboard": "true", "training.log_every": 2, "training.max_updates": UPDATES,
                "training.validation.every": 500}
    return [PROGRAM, "train", ROOT / "configs/debug.yaml", "--output", run, *more,
            *(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))]


def train(run, *more):
    done = subprocess.run(command(run, *more), stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if "built without event files" in done.stderr:
        print("SKIPPED: this program was built without event files (protozero, RHash).", file=sys.stderr)
        sys.exit(0)
    if done.returncode != 0:
        sys.exit(f"check_tensorboard.py: {done.stderr}")
    return done.stderr


def lines(run):
    """The objects of metrics.jsonl; of a training under way, perhaps without the last one."""
    file = run / "metrics.jsonl"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def as_float(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def expected(run):
    """{tag: [(update, value), ...]} as metrics.jsonl has it."""
    curves = {}
    for line in lines(run):
        for name, value in line.items():
            if name in ("kind", "update") or not isinstance(value, (int, float)) or isinstance(value, bool):
                continue
            curves.setdefault(f"{line['kind']}/{name}", []).append((line["update"], as_float(value)))
    return curves


def read(run, purge=True):
    accumulator = EventAccumulator(str(run / "tensorboard"), size_guidance=ALL, purge_orphaned_data=purge)
    accumulator.Reload()
    return accumulator


def curves_of(accumulator):
    return {tag: [(event.step, event.value) for event in accumulator.Scalars(tag)]
            for tag in accumulator.Tags()["scalars"]}


def fail(message):
    sys.exit(f"check_tensorboard.py: {message}")


def compare(run):
    """Says how many points there are."""
    accumulator = read(run)
    found, wanted = curves_of(accumulator), expected(run)
    if set(found) != set(wanted):
        fail(f"{run.name}: the tags {sorted(found)} instead of {sorted(wanted)}")
    for tag, points in wanted.items():
        if found[tag] != points:
            unlike = next((pair for pair in zip(found[tag], points) if pair[0] != pair[1]), None)
            fail(f"{run.name}: {tag}: {len(found[tag])} points instead of {len(points)}; first difference: {unlike}")
        times = [event.wall_time for event in accumulator.Scalars(tag)]
        if times != sorted(times) or abs(times[-1] - time.time()) > 600:
            fail(f"{run.name}: {tag}: wall times {times[0]} to {times[-1]}, now is {time.time()}")
    return sum(map(len, wanted.values()))


def check_samples(run):
    """The tables of text, as TensorBoard shows them, hold the sentences of the validation text."""
    accumulator = read(run)
    if accumulator.Tags()["tensors"] != ["validation/samples"]:
        fail(f"{run.name}: the text {accumulator.Tags()['tensors']}")
    if accumulator.SummaryMetadata("validation/samples").plugin_data.plugin_name != "text":
        fail(f"{run.name}: the samples are no text for TensorBoard")
    tables = accumulator.Tensors("validation/samples")
    if [table.step for table in tables] != [line["update"] for line in lines(run) if line["kind"] == "validation"]:
        fail(f"{run.name}: samples at {[table.step for table in tables]}")
    sentences = [(ROOT / f"data/debug/valid.{language}").read_text(encoding="utf-8").splitlines()
                 for language in ("en", "de")]
    table = make_ndarray(tables[-1].tensor_proto)
    html = text_array_to_html(table, True)
    for row, pair in enumerate(zip(*sentences), start=1):
        if tuple(cell.decode().strip() for cell in table[row, :2]) != pair or html.count(f"<code>{pair[0]}") != 1:
            fail(f"{run.name}: row {row} of the samples is {table[row]}, shown as {html}")


def kill_late(run):
    """Kills a training that has logged more than its last checkpoint knows, but is far from its end."""
    process = subprocess.Popen(command(run), stderr=subprocess.DEVNULL)
    while process.poll() is None:
        at = max((line["update"] for line in lines(run)), default=0)
        if (run / "last").exists() and at % 500 > 100:
            process.kill()
            break
    process.wait()
    if process.returncode != -9:
        fail("the training came to its end before it was killed")
    return max(line["update"] for line in lines(run)), int(os.readlink(run / "last").removeprefix("step-"))


def main():
    if not PROGRAM.exists():
        fail(f"{PROGRAM} is not there; build it first (scripts/test.sh does), or give its path")
    with tempfile.TemporaryDirectory() as directory:
        whole, killed = Path(directory) / "whole", Path(directory) / "killed"
        train(whole)
        points = compare(whole)
        check_samples(whole)
        print(f"a training of {UPDATES} updates: {points} points as in metrics.jsonl, and its samples")

        reached, saved = kill_late(killed)
        torn = max((killed / "tensorboard").iterdir())
        os.truncate(torn, torn.stat().st_size - 5)
        train(killed, "--resume")
        again = compare(killed)
        check_samples(killed)
        losses = [curves_of(read(run))["train/loss"] for run in (whole, killed)]
        if again != points or losses[0] != losses[1]:
            fail(f"the resumed training has {again} points instead of {points}, or other losses")
        doubled = len(curves_of(read(killed, purge=False))["train/loss"]) - len(losses[1])
        if doubled <= 0:
            fail("the kill came too early to show anything")
        print(f"killed at update {reached}, resumed from {saved}: {points} points, the same losses; {doubled} losses "
              "that were made twice are there once")


if __name__ == "__main__":
    main()
