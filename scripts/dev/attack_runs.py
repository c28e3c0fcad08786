"""Attacks on runs: output directories that are something else, lost and copied checkpoints, numbers that no run has; for
attacks.py. Whatever happens, nothing that was fine may be lost."""

import json
import os
import shutil
import signal
import subprocess
import time

from trials import MODEL, STATE, SUMS, change, copy_of, header, remove, set_key, split_safetensors, yaml_key

MORE = set_key("training.max_updates", 105)


def wrong_directories(world):
    """--output names something that is not a run's directory."""
    trials, directory = world.trials, world.directory
    checkpoint = (world.run / "last").resolve()
    for what, place in (("a checkpoint", checkpoint), ("a link to a checkpoint", world.run / "last"),
                        ("a link to the best checkpoint", f"{world.run}/best/"), ("a foreign model", world.opus)):
        for resume in ([], ["--resume"]):
            trials.refused(f"--output is {what} {' '.join(resume)}",
                           [*world.train, "--output", place, *resume, *MORE], "checkpoint")
    other = directory / "other"
    files = {"a config of the user's": {"config.yaml": "# mine\nbase: x\n"},
             "another tool's config and log": {"config.yaml": "a: 1\n", "train.log": "step 1\n"},
             "only a log": {"train.log": "step 1\n"}, "only metrics": {"metrics.jsonl": "{}\n"},
             "a config and notes": {"config.yaml": "# mine\n", "notes.txt": "precious\n"},
             "an empty config": {"config.yaml": ""}, "a copy of a run's config": {
                 "config.yaml": (world.run / "config.yaml").read_text() + "# my comment\n"}}
    for what, contents in files.items():
        for resume in ([], ["--resume"]):
            other.mkdir()
            for name, text in contents.items():
                (other / name).write_text(text)
            config = other / "config.yaml" if what.startswith("a copy") else world.train[1]
            trials.refused(f"--output has {what} {' '.join(resume)}",
                           ["train", config, "--output", other, *resume, *MORE], "other")
            remove(other)


def occupied_names(world):
    """Something else is in the place of a run's files."""
    trials = world.trials
    for name in ("best", "last", "step-00000200", "config.yaml", "train.log", "metrics.jsonl", "digests.jsonl"):
        for what in ("a directory", "a file", "a FIFO"):
            if what == "a file" and name not in ("best", "last", "step-00000200", "config.yaml"):
                continue
            if (name, what) == ("config.yaml", "a FIFO"):
                continue  # a config may come from a pipe, so training waits for it
            command = world.resumable()
            place = world.directory / "damaged_run" / name
            remove(place)
            if what == "a directory":
                place.mkdir()
                (place / "notes").write_text("precious\n")
            elif what == "a file":
                place.write_text("precious\n")
            else:
                os.mkfifo(place)
            trials.refused(f"{name} is {what}", command, name, timeout=20)


def lost_checkpoints(world):
    """Checkpoints that were moved away, mixed up or edited."""
    trials, directory = world.trials, world.directory
    run = directory / "damaged_run"
    command = world.resumable()
    for path in run.glob("step-*"):
        shutil.rmtree(path)
    trials.refused("all checkpoints are gone", command, "checkpoints are missing")
    trials.refused("all checkpoints are gone, a new run", [*world.train, "--output", run], "damaged_run")
    for link in ("best", "last"):
        remove(run / link)
    trials.refused("all checkpoints and links are gone", command, "checkpoints are missing")
    trials.refused("all checkpoints and links are gone, a new run", [*world.train, "--output", run], "damaged_run")

    for number in (2**63 - 1, 2**62, 2**53 + 1, -1):
        for key in ("epoch", "batch", "validated", "best_update", "without_best", "skipped", "skipped_in_row"):
            edit = progress_with(key, number)
            trials.refused(f"{key} is {number}", world.resumable(STATE, edit), key, timeout=20)
    trials.refused("the state of another update", world.resumable(STATE, progress_with("update", 101)), "update 101",
                   timeout=20)
    trials.refused("minutes are infinite", world.resumable(STATE, progress_with("minutes", "inf")), "minutes")
    trials.refused("a negative mean of squares", world.resumable(STATE, negative_second_moment), "adam.v")


def progress_with(key, value):
    def edit(file):
        def edit_header(entries):
            progress = json.loads(entries["__metadata__"]["progress"])
            progress[key] = value
            entries["__metadata__"]["progress"] = json.dumps(progress)
        return header(edit_header)(file)
    return edit


def negative_second_moment(file):
    entries, data = split_safetensors(file)
    begin, _ = entries["adam.v"]["data_offsets"]
    data = bytearray(data)
    data[begin + 3] |= 0x80  # the sign bit of the first float
    data[begin] |= 1  # so that it is not -0
    return file[:len(file) - len(data)] + bytes(data)


def unlisted_files(world):
    """Lists of checksums that leave files out."""
    for name in sorted(path.name for path in world.word.iterdir()):
        if name == SUMS:
            continue
        copy = copy_of(world.word, world.directory / "damaged")
        change(copy / SUMS, lambda data, name=name: b"".join(
            line for line in data.splitlines(keepends=True) if not line.endswith(f"  {name}\n".encode())))
        world.trials.refused(f"{name} has no checksum", ["translate", copy], name, b"a b\n")
    copy = copy_of(world.word, world.directory / "damaged")
    change(copy / SUMS, lambda data: data.splitlines(keepends=True)[-1])
    change(copy / "config.yaml", yaml_key("beam", 2))
    world.trials.refused("only the model has a checksum", ["translate", copy], SUMS, b"a b\n")


def copied_runs(world):
    """Runs copied without their links, and checkpoints with files of the user."""
    trials, directory = world.trials, world.directory
    for link in ("best", "last"):
        command = world.resumable()
        run = directory / "damaged_run"
        target = (run / link).resolve()
        remove(run / link)
        shutil.copytree(target, run / link)
        before = (target / MODEL).read_bytes()

        def check(_, run=run, link=link):
            return [] if (run / link).is_symlink() else [f"{link} is not a link again"]
        trials.handled(f"{link} was copied as a directory", command, check=check)
        problems = [] if not target.exists() or (target / MODEL).read_bytes() == before else ["changed"]
        trials.note(f"the checkpoint of that {link}", problems, None, "untouched")
    command = [*world.resumable(), *set_key("training.checkpoints.keep", 1), *set_key("training.validation.every", 1)]
    notes = next(iter((directory / "damaged_run").glob("step-*"))) / "notes.txt"
    notes.write_text("precious\n")
    trials.handled("a checkpoint with the user's notes", command,
                   check=lambda _: [] if notes.exists() else ["the notes are gone"])


def second_run(world):
    """A second run in the same directory, after .lock has been removed."""
    trials, directory = world.trials, world.directory
    place = directory / "shared"
    process = trials.start([*world.train, "--output", place, *set_key("training.max_updates", 10**6)],
                           stderr=subprocess.DEVNULL)
    end = time.monotonic() + 20 * trials.slower
    while not (place / "config.yaml").exists() and time.monotonic() < end:
        time.sleep(0.02)
    remove(place / ".lock")
    done = trials.run([*world.train, "--output", place, "--resume", *MORE])
    problems = trials.problems(done, 2)
    problems += [] if b"another process" in done.err else ["no mention of the other process"]
    trials.note("a second run, without .lock", problems, done)
    process.send_signal(signal.SIGTERM)
    trials.wait(process, 30 * trials.slower)
    remove(place)


def tiny_numbers(world):
    """Numbers that single precision cannot hold."""
    for key, number in (("training.optimizer.epsilon", "1e-60"), ("training.optimizer.beta1", "0.9999999999"),
                        ("training.optimizer.beta2", "0.9999999999"), ("training.optimizer.clip_norm", "1e-50"),
                        ("training.optimizer.weight_decay", "1e50"), ("training.optimizer.momentum", "0.9999999999"),
                        ("training.schedule.learning_rate", "1e-60"), ("training.schedule.learning_rate", "1e300"),
                        ("training.schedule.initial_rate", "1e300"), ("training.schedule.final_rate", "1e-300"),
                        ("training.label_smoothing", "0.99999999999"), ("model.dropout", "0.99999999999"),
                        ("model.initial_gain", "1e-300"), ("model.initial_gain", "1e300"),
                        ("decoding.length_penalty", "1e300")):
        world.trials.refused(f"{key}={number}", [*world.train, "--output", "new", *set_key(key, number)], key)


def run_attacks(world):
    for attack in (wrong_directories, occupied_names, lost_checkpoints, unlisted_files, copied_runs, second_run,
                   tiny_numbers):
        attack(world)
