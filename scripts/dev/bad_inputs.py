#!/usr/bin/env python3
"""Gives the program bad input of every kind, and checks how it reacts.

    scripts/dev/bad_inputs.py [PROGRAM [GROUP...]]        (default: build/release/glassformer, all groups)

Trains the model of configs/debug.yaml, which takes a second. Then damages files, mistypes names, sends hostile text,
and prints a table of what it tried and what happened: command, exit status, peak memory, seconds, message. The program
may refuse an input: exit status 2, one message on standard error, nothing on standard output, nothing lost. Or it may
handle it: exit status 0, and one line out for each line in. Anything else is wrong; then the exit status is 1.

bad_inputs.py has honest mistakes, attacks.py and the files that it imports have input designed to do harm, and
trials.py has what all trials share. A group is a function such as `configs` or `nesting`. PROGRAM may be built with
sanitizers, such as build/asan/glassformer. Then limits on memory do not apply, and a sanitizer's report also counts as
wrong.
"""

import json
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path

import attacks
from trials import Trials, change, copy_of, flip, header, set_key

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/glassformer").resolve()


def command_line(trials, train, run):
    trials.refused("a mistyped command", ["trian", "x.yaml"], "trian")
    trials.refused("a mistyped option", [*train, "--outptu", "x"], "--outptu")
    trials.refused("no config", ["train"], "config")
    trials.refused("--set without =", [*train, "--set", "model.dropout"], "model.dropout")
    trials.refused("a beam of 0", ["translate", run, "--beam", "0"], "--beam")
    trials.refused("a word as the beam", ["translate", run, "--beam", "five"], "--beam")
    trials.refused("a checkpoint that does not exist", ["translate", "runs/nowhere"], "nowhere")
    trials.refused("a file in place of a checkpoint", ["translate", run / "config.yaml"], "config.yaml")
    trials.refused("one file of a checkpoint", ["translate", run / "best/model.safetensors"], "give")
    trials.refused("an empty directory in place of a checkpoint", ["translate", "empty"], "empty")
    trials.refused("--resume without a run", [*train, "--output", "nowhere", "--resume"], "no run")
    trials.refused("training into an existing run", [*train, "--output", run], "--resume")
    trials.refused("training into a directory of other files", [*train, "--output", "text"], "other files")
    trials.refused("--resume with another seed", [*train, "--output", run, "--resume", *set_key("training.seed", 2)],
                   "training.seed")
    trials.refused("--resume with another width", [*train, "--output", run, "--resume", *set_key("model.d_model", 16)],
                   "model.d_model")
    trials.refused("explain without a sentence", ["explain", run], "--source")


def configs(trials, run, directory):
    good = (run / "config.yaml").read_text()
    path = directory / "bad.yaml"

    def refused(what, text, mention):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        trials.refused(what, ["train", path, "--output", "new"], mention)

    refused("config: empty", "", "bad.yaml")
    refused("config: not YAML", "data: [", "bad.yaml:")
    refused("config: a comma outside brackets", "# toy\n,\n", "bad.yaml:2")
    refused("config: a list", "- 1\n- 2\n", "bad.yaml")
    refused("config: an unknown key", good.replace("d_model:", "d_modle:"), "d_modle")
    refused("config: a duplicate key", good.replace("  heads:", "  heads: 1\n  heads:"), "heads")
    refused("config: text instead of a number", good.replace("d_ff: 16", "d_ff: many"), "d_ff")
    refused("config: a number out of range", good.replace("d_ff: 16", "d_ff: -1"), "d_ff")
    refused("config: heads that do not divide the width", good.replace("heads: 2", "heads: 3"), "heads")
    refused("config: a number that overflows", good.replace("d_ff: 16", "d_ff: 99999999999999999999"), "d_ff")
    refused("config: no limit on training", good.replace("max_updates: 100", "max_updates: 0"), "max_updates")
    refused("config: its own base", "base: bad.yaml\n", "bad.yaml:1")
    refused("config: a base that does not exist", "base: nowhere.yaml\n", "bad.yaml:1")
    refused("config: NUL bytes", b"\0" * 100, "bad.yaml")
    refused("config: random bytes", bytes(range(256)), "bad.yaml")
    refused("config: nested a thousand levels deep", "[" * 1000, "bad.yaml")
    trials.refused("config: missing", ["train", "nowhere.yaml"], "nowhere.yaml")
    trials.refused("config: a directory", ["train", "text"], "text")


def texts(trials, train, directory):
    source, target = directory / "text/train.en", directory / "text/train.de"
    with_text = [*train, *set_key("data.directory", directory / "text"), "--output", "new"]
    original = source.read_bytes(), target.read_bytes()

    def case(what, source_bytes, target_bytes, mention=None):
        source.write_bytes(source_bytes)
        target.write_bytes(target_bytes)
        shutil.rmtree(directory / "new", ignore_errors=True)
        if mention is None:
            trials.handled(what, with_text, memory=300)
        else:
            trials.refused(what, with_text, mention)
        source.write_bytes(original[0])
        target.write_bytes(original[1])

    line = b"a b c\n"
    case("text: invalid UTF-8", b"\xff abc\n", line, "train.en:1")
    case("text: UTF-16", b"\xff\xfea\0b\0\n\0", line, "iconv -f UTF-16")
    case("text: UTF-8 cut off", line + b"a \xe2\x82\n", line * 2, "train.en:2")
    case("text: a surrogate", b"a \xed\xa0\x80\n", line, "train.en:1")
    case("text: NUL", b"a\0b\n", line, "train.en:1")
    case("text: unequal numbers of lines", line * 3, line * 2, "3 lines")
    case("text: empty", b"", b"", "train.en")
    case("text: only empty lines", b"\n\n\n", b"\n\n\n", "train.en")
    case("text: one side empty", b"\n", line, "train.en")
    case("text: a byte order mark", b"\xef\xbb\xbf" + line * 4, line * 4)
    case("text: Windows line endings", b"a b c\r\n" * 4, b"d e f\r\n" * 4)
    case("text: no newline at the end", line * 3 + b"a b c", line * 4)
    case("text: control characters", b"a \x01\x07\x1b[31m b\n" * 4, line * 4)
    case("text: some empty lines", line + b"\n" + line, line * 3)
    case("text: a line of 10 MB", line + b"a " * 5_000_000 + b"\n", line * 2)
    case("text: one word of 10 MB", line + b"a" * 10_000_000 + b"\n", line * 2)
    shutil.rmtree(directory / "new", ignore_errors=True)
    source.unlink()
    trials.refused("text: missing", with_text, "train.en")
    source.mkdir()
    trials.refused("text: a directory", with_text, "train.en")
    source.rmdir()
    os.mkfifo(source)
    writer = threading.Thread(target=lambda: source.write_bytes(original[0]), daemon=True)
    writer.start()
    trials.refused("text: a FIFO, which cannot be read twice", with_text, "train.en")
    reader = os.open(source, os.O_RDONLY | os.O_NONBLOCK)  # releases the writer if nobody has read
    writer.join(1)
    os.close(reader)
    source.unlink()
    source.write_bytes(original[0])
    if os.geteuid() != 0:
        source.chmod(0)
        trials.refused("text: no permission", with_text, "train.en")
        source.chmod(0o644)


def standard_input(trials, run):
    translate = ["translate", run]
    trials.handled("translate: nothing", translate, 0, b"")
    trials.handled("translate: empty lines", translate, 3, b"\n\n\n")
    trials.handled("translate: no newline at the end", translate, 2, b"a b\nc d")
    trials.handled("translate: unknown words", translate, 1, "ж 漢 🙂\n".encode())
    trials.handled("translate: control characters", translate, 1, b"a \x01 \x1b[2J b\n")
    trials.handled("translate: Unicode separators that do not end a line", translate, 1, "a\u2028b\u0085c\n".encode())
    trials.handled("translate: Windows line endings", translate, 2, b"a\r\nb\r\n")
    trials.handled("translate: a thousand words", translate, 1, b"a " * 1000 + b"\n")
    trials.handled("translate: one word of 10 MB", translate, 1, b"a" * 10_000_000 + b"\n")
    trials.handled("translate: the names of special tokens", translate, 1, b"<s> </s> <pad> <unk>\n")
    trials.refused("translate: invalid UTF-8", translate, ":1", b"\xc3\x28\n")
    trials.refused("translate: NUL", translate, ":1", b"a\0b\n")


def checkpoints(trials, run):
    checkpoint = (run / "last").resolve()

    def case(what, name, edit, mention, checksums=True):
        copy = copy_of(checkpoint, run.parent / "damaged")
        change(copy / name, edit, checksums)
        trials.refused(f"checkpoint: {what}", ["translate", copy], mention, b"a b\n")

    model = "model.safetensors"
    size = (checkpoint / model).stat().st_size
    case("a flipped bit in a weight", model, flip(-5), "SHA-256")
    case("a flipped bit in the header", model, flip(20), "SHA-256")
    case("a flipped bit in config.yaml", "config.yaml", flip(300), "config.yaml")
    case("a flipped bit in the vocabulary", "source.vocab.json", flip(30), "source.vocab.json")
    case("a flipped bit in the checksums", "SHA256SUMS", flip(3), "expected")
    case("checksums cut off", "SHA256SUMS", lambda data: data[:100], "SHA256SUMS")
    for kept in (0, 7, 8, 100, size // 2, size - 1):
        case(f"cut to {kept} bytes", model, lambda data, kept=kept: data[:kept], "expected")
        case(f"cut to {kept} bytes, no checksums", model, lambda data, kept=kept: data[:kept], model, False)
    huge = (1 << 62).to_bytes(8, "little")
    case("claims a header of 4 exabytes", model, lambda data: huge + data[8:], "claims", False)

    def shape(entries):
        next(entry for name, entry in entries.items() if name != "__metadata__")["shape"] = [1 << 40, 1 << 40]
    case("claims a tensor of 2^80 numbers", model, header(shape), "shape", False)

    def overlap(entries):
        names = [name for name in entries if name != "__metadata__"]
        entries[names[1]]["data_offsets"] = entries[names[0]]["data_offsets"]
    case("two tensors at the same place", model, header(overlap), model, False)

    def rename(entries):
        entries["model.surprise"] = entries.pop("final_logits_bias")
    case("a renamed tensor", model, header(rename), "model.surprise", False)
    case("numbers of another type", model, header(lambda all: all["final_logits_bias"].update(dtype="F64")), "F64",
         False)
    case("claims numbers of half the size", model,
         header(lambda all: all["final_logits_bias"].update(dtype="F16")), "shape", False)
    case("a header that is not JSON", model, lambda data: data[:8] + b"{" * (len(data) - 8), model, False)
    case("the vocabulary is not a list", "source.vocab.json", lambda _: b"{}", "source.vocab.json", False)
    case("the vocabulary has a duplicate word", "source.vocab.json",
         lambda data: json.dumps([*json.loads(data)[:-1], json.loads(data)[-2]]).encode(), "source.vocab.json", False)
    case("the vocabulary is too short", "source.vocab.json",
         lambda data: json.dumps(json.loads(data)[:-1]).encode(), "shape", False)
    case("the config describes another model", "config.yaml",
         lambda data: data.replace(b"d_ff: 16", b"d_ff: 32"), "fc1", False)
    copy = copy_of(checkpoint, run.parent / "damaged")
    (copy / "source.vocab.json").unlink()
    trials.refused("checkpoint: a file is missing", ["translate", copy], "source.vocab.json", b"a\n")

    damaged_run = run.parent / "damaged_run"
    shutil.copytree(run, damaged_run, symlinks=True)
    change((damaged_run / "last").resolve() / "training_state.safetensors", flip(-5))
    trials.refused("--resume: a flipped bit in the optimizer's state",
                   ["train", damaged_run / "config.yaml", "--output", damaged_run, "--resume"], "training_state")
    trials.handled("translate with that run, which does not need the state", ["translate", damaged_run], 1, b"a b\n")


def outputs(trials, train, run):
    trials.refused("output: inside a file", [*train, "--output", run / "config.yaml/x"], "config.yaml")
    trials.refused("output: a directory that is not writable", [*train, "--output", "/proc/glassformer"], "/proc")
    trials.refused("explain --html: no such directory", ["explain", run, "--source", "a", "--html", "no/where.html"],
                   "where.html")
    trials.refused("explain --html with too long a name", ["explain", run, "--source", "a", "--html", "a" * 300],
                   "too long")
    trials.refused("explain --html to a full disk", ["explain", run, "--source", "a", "--html", "/dev/full"],
                   "disk full", expected=1)
    trials.refused("explain: invalid UTF-8",
                   ["explain", run, "--source", b"\xff".decode("utf-8", "surrogateescape")], "UTF-8")


def main():
    if not PROGRAM.is_file():
        sys.exit(f"{PROGRAM}: expected the program, found none; build it with scripts/test.sh")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        trials = Trials(PROGRAM, directory)
        train = ["train", ROOT / "configs/debug.yaml"]
        run = directory / "run"
        (directory / "empty").mkdir()
        shutil.copytree(ROOT / "data/debug", directory / "text")
        done = trials.run([*train, "--output", run])
        if done.status != 0:
            sys.exit(f"training configs/debug.yaml failed:\n{done.err.decode()}")
        trials.usual["train"] = done.megabytes
        before = {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file() and path.name != ".lock"}
        only = sys.argv[2:]
        world = attacks.World(trials, ROOT, run, train)
        attacks.measure(world)
        mistakes = {"command_line": (train, run), "configs": (run, directory), "texts": (train, directory),
                    "standard_input": (run,), "checkpoints": (run,), "outputs": (train, run)}
        for group, arguments in mistakes.items():
            if not only or group in only:
                globals()[group](trials, *arguments)
        for attack in attacks.ALL:
            if not only or attack.__name__ in only:
                attack(world)
        after = {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file() and path.name != ".lock"}
        trials.note("the original run, after all of this", [] if before == after else ["changed"], None, "untouched")
        skipped = f", {trials.skipped} skipped" if trials.skipped else ""
        print(f"\n{trials.count} tried, {trials.wrong} wrong{skipped}")
        sys.exit(trials.wrong > 0)


main()
