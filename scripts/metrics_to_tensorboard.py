#!/usr/bin/env python3
"""Converts a run's metrics.jsonl for TensorBoard, which then plots train/loss, validation/bleu and so on over updates.

    pip install tensorboard
    scripts/metrics_to_tensorboard.py runs/toy      # writes a file to runs/toy/tensorboard, replacing an earlier one
    tensorboard --logdir runs
"""
import argparse
import json
import pathlib
import sys

try:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
except ImportError:
    sys.exit("metrics_to_tensorboard.py: needs the Python package tensorboard; install it with: pip install tensorboard")

SUFFIX = ".glassformer"  # of the names of our files, so that we replace no others

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("run", type=pathlib.Path, help="the run's directory")
run = parser.parse_args().run
metrics = run / "metrics.jsonl"
if not metrics.is_file():
    parser.error(f"{metrics}: no such file; give the directory of a run, for example runs/toy")

# If a run is killed, its last line may be incomplete.
lines = [line for line in metrics.read_text().splitlines(keepends=True) if line.endswith("\n")]
entries = [json.loads(line) for line in lines]
start = metrics.stat().st_mtime - 60 * entries[-1]["minutes"] if entries else 0
directory = run / "tensorboard"
earlier = list(directory.glob("events.out.tfevents.*" + SUFFIX))
if others := sorted(set(directory.glob("events.out.tfevents.*")) - set(earlier)):
    print(f"{directory} has event files that this script did not write, which TensorBoard shows, too: "
          + ", ".join(file.name for file in others), file=sys.stderr)
for file in earlier:
    file.unlink()
writer = EventFileWriter(str(directory), filename_suffix=SUFFIX)
for entry in entries:
    numbers = {name: value for name, value in entry.items() if name not in ("kind", "update") and value is not None}
    values = [Summary.Value(tag=f"{entry['kind']}/{name}", simple_value=value) for name, value in numbers.items()]
    wall_time = start + 60 * entry["minutes"]
    writer.add_event(Event(wall_time=wall_time, step=entry["update"], summary=Summary(value=values)))
writer.close()
print(f"{len(entries)} lines of {metrics} converted; show them with: tensorboard --logdir {run.parent}")
