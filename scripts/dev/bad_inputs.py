#!/usr/bin/env python3
"""Gives the program bad input of every kind, and checks what it makes of it.

    scripts/dev/bad_inputs.py [PROGRAM]        (default: build/release/glassformer)

Trains the model of configs/debug.yaml, which takes a second, then damages files, mistypes, and sends hostile text.
Prints a table of what was tried and what came of it. Either the input is refused: exit status 2, one line on standard
error, nothing on standard output, nothing lost; or it is handled: exit status 0, and one line out for each line in.
Anything else, a crash or a minute without an end above all, is an error, and the script ends with status 1.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/glassformer").resolve()
LONGEST = 60  # seconds


class Tried:
    def __init__(self, directory):
        self.directory = directory
        self.rows, self.wrong = [], 0

    def run(self, arguments, text=None):
        """The program's status, output and errors; text is its standard input."""
        try:
            done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, timeout=LONGEST,
                                  cwd=self.directory)
        except subprocess.TimeoutExpired:
            return None, b"", b""
        return done.returncode, done.stdout, done.stderr

    def note(self, what, right, gave):
        self.rows.append((what, gave if right else f"WRONG: {gave}"))
        self.wrong += not right

    def refused(self, what, arguments, says, text=None, expected=2):
        """expected: the status; 1 where not the input but the disk is at fault."""
        status, out, err = self.run(arguments, text)
        lines = [line for line in err.decode(errors="replace").splitlines() if line.startswith("glassformer: ")]
        message = err.decode(errors="replace").strip()
        right = status == expected and len(lines) == 1 and not out and says in message
        shown = lines[0].removeprefix("glassformer: ") if lines else f"status {status}: {message[-200:]}"
        self.note(what, right, shown)

    def handled(self, what, arguments, lines, text=None):
        """lines: how many lines must come out; None: whatever."""
        status, out, err = self.run(arguments, text)
        found = out.count(b"\n")
        right = status == 0 and (lines is None or found == lines)
        says = f"{found} lines out" if lines is not None else "done"
        self.note(what, right, says if right else f"status {status}, {found} lines: {err.decode(errors='replace')[-200:]}")


def set_key(key, value):
    return ["--set", f"{key}={value}"]


def copy_of(checkpoint, name):
    copy = checkpoint.parent.parent / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(checkpoint, copy)
    return copy


def change(path, edit, sums=True):
    """Edits a file's bytes. Without `sums` the checksums beside it go, so that the file's own checks have to notice."""
    path.write_bytes(edit(path.read_bytes()))
    if not sums:
        (path.parent / "SHA256SUMS").unlink(missing_ok=True)


def flip(position, bit=3):
    def edit(data):
        data = bytearray(data)
        data[position if position >= 0 else len(data) + position] ^= 1 << bit
        return bytes(data)
    return edit


def header(edit):
    """Edits the header of a safetensors file as an object."""
    def edit_bytes(data):
        length = int.from_bytes(data[:8], "little")
        entries = json.loads(data[8:8 + length])
        edit(entries)
        text = json.dumps(entries).encode()
        return len(text).to_bytes(8, "little") + text + data[8 + length:]
    return edit_bytes


def command_line(tried, train, run):
    tried.refused("a verb mistyped", ["trian", "x.yaml"], "trian")
    tried.refused("an option mistyped", [*train, "--outptu", "x"], "--outptu")
    tried.refused("no config", ["train"], "config")
    tried.refused("--set without =", [*train, "--set", "model.dropout"], "model.dropout")
    tried.refused("a beam of 0", ["translate", run, "--beam", "0"], "--beam")
    tried.refused("a beam of words", ["translate", run, "--beam", "five"], "--beam")
    tried.refused("a checkpoint that is not there", ["translate", "runs/nowhere"], "nowhere")
    tried.refused("a file in place of a checkpoint", ["translate", run / "config.yaml"], "config.yaml")
    tried.refused("a file of a checkpoint in place of it", ["translate", run / "best/model.safetensors"], "give")
    tried.refused("an empty directory in place of a checkpoint", ["translate", "empty"], "empty")
    tried.refused("--resume where nothing was begun", [*train, "--output", "nowhere", "--resume"], "no run")
    tried.refused("training into a run that is there", [*train, "--output", run], "--resume")
    tried.refused("training into a directory of other files", [*train, "--output", "text"], "other files")
    tried.refused("--resume with another seed", [*train, "--output", run, "--resume", *set_key("training.seed", 2)],
                  "training.seed")
    tried.refused("--resume with another width", [*train, "--output", run, "--resume", *set_key("model.d_model", 16)],
                  "model.d_model")
    tried.refused("explain without a sentence", ["explain", run], "--source")


def configs(tried, run, directory):
    good = (run / "config.yaml").read_text()
    path = directory / "bad.yaml"

    def refused(what, text, says):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        tried.refused(what, ["train", path, "--output", "new"], says)

    refused("config: empty", "", "bad.yaml")
    refused("config: no YAML", "data: [", "bad.yaml:")
    refused("config: a comma outside of any brackets", "# toy\n,\n", "bad.yaml:2")
    refused("config: a list", "- 1\n- 2\n", "bad.yaml")
    refused("config: an unknown key", good.replace("d_model:", "d_modle:"), "d_modle")
    refused("config: a key twice", good.replace("  heads:", "  heads: 1\n  heads:"), "heads")
    refused("config: text for a number", good.replace("d_ff: 16", "d_ff: many"), "d_ff")
    refused("config: a number out of range", good.replace("d_ff: 16", "d_ff: -1"), "d_ff")
    refused("config: heads that do not divide the width", good.replace("heads: 2", "heads: 3"), "heads")
    refused("config: a number that overflows", good.replace("d_ff: 16", "d_ff: 99999999999999999999"), "d_ff")
    refused("config: no limit", good.replace("max_updates: 100", "max_updates: 0"), "max_updates")
    refused("config: a base of itself", "base: bad.yaml\n", "bad.yaml:1")
    refused("config: a base that is not there", "base: nowhere.yaml\n", "bad.yaml:1")
    refused("config: NUL bytes", b"\0" * 100, "bad.yaml")
    refused("config: random bytes", bytes(range(256)), "bad.yaml")
    refused("config: nested a thousand deep", "[" * 1000, "bad.yaml")
    tried.refused("config: not there", ["train", "nowhere.yaml"], "nowhere.yaml")
    tried.refused("config: a directory", ["train", "text"], "text")


def texts(tried, train, directory):
    source, target = directory / "text/train.en", directory / "text/train.de"
    with_text = [*train, *set_key("data.directory", directory / "text"), "--output", "new"]
    whole = source.read_bytes(), target.read_bytes()

    def case(what, of_source, of_target, says=None):
        source.write_bytes(of_source)
        target.write_bytes(of_target)
        shutil.rmtree(directory / "new", ignore_errors=True)
        if says is None:
            tried.handled(what, with_text, None)
        else:
            tried.refused(what, with_text, says)
        source.write_bytes(whole[0])
        target.write_bytes(whole[1])

    line = b"a b c\n"
    case("text: invalid UTF-8", b"\xff\xfe abc\n", line, "train.en:1")
    case("text: UTF-8 cut off", line + b"a \xe2\x82\n", line * 2, "train.en:2")
    case("text: a surrogate", b"a \xed\xa0\x80\n", line, "train.en:1")
    case("text: NUL", b"a\0b\n", line, "train.en:1")
    case("text: unequal numbers of lines", line * 3, line * 2, "3 lines")
    case("text: empty", b"", b"", "train.en")
    case("text: only empty lines", b"\n\n\n", b"\n\n\n", "train.en")
    case("text: one side empty", b"\n", line, "train.en")
    case("text: a byte order mark", b"\xef\xbb\xbf" + line * 4, line * 4)
    case("text: ends of lines of Windows", b"a b c\r\n" * 4, b"d e f\r\n" * 4)
    case("text: no end of the last line", line * 3 + b"a b c", line * 4)
    case("text: control characters", b"a \x01\x07\x1b[31m b\n" * 4, line * 4)
    case("text: empty lines among others", line + b"\n" + line, line * 3)
    case("text: a line of 10 MB", line + b"a " * 5_000_000 + b"\n", line * 2)
    case("text: one word of 10 MB", line + b"a" * 10_000_000 + b"\n", line * 2)
    shutil.rmtree(directory / "new", ignore_errors=True)
    source.unlink()
    tried.refused("text: not there", with_text, "train.en")
    source.mkdir()
    tried.refused("text: a directory", with_text, "train.en")
    source.rmdir()
    os.mkfifo(source)
    writer = threading.Thread(target=lambda: source.write_bytes(whole[0]), daemon=True)
    writer.start()
    tried.refused("text: a FIFO, which cannot be read twice", with_text, "train.en")
    reader = os.open(source, os.O_RDONLY | os.O_NONBLOCK)  # lets the writer go, if nobody has read
    writer.join(1)
    os.close(reader)
    source.unlink()
    source.write_bytes(whole[0])
    if os.geteuid() != 0:
        source.chmod(0)
        tried.refused("text: no permission", with_text, "train.en")
        source.chmod(0o644)


def standard_input(tried, run):
    translate = ["translate", run]
    tried.handled("translate: nothing", translate, 0, b"")
    tried.handled("translate: empty lines", translate, 3, b"\n\n\n")
    tried.handled("translate: no end of the last line", translate, 2, b"a b\nc d")
    tried.handled("translate: unknown words", translate, 1, "ж 漢 🙂\n".encode())
    tried.handled("translate: control characters", translate, 1, b"a \x01 \x1b[2J b\n")
    tried.handled("translate: separators of Unicode that end no line", translate, 1, "a\u2028b\u0085c\n".encode())
    tried.handled("translate: ends of lines of Windows", translate, 2, b"a\r\nb\r\n")
    tried.handled("translate: a thousand words", translate, 1, b"a " * 1000 + b"\n")
    tried.handled("translate: one word of 10 MB", translate, 1, b"a" * 10_000_000 + b"\n")
    tried.handled("translate: the names of special tokens", translate, 1, b"<s> </s> <pad> <unk>\n")
    tried.refused("translate: invalid UTF-8", translate, ":1", b"\xc3\x28\n")
    tried.refused("translate: NUL", translate, ":1", b"a\0b\n")


def checkpoints(tried, run):
    checkpoint = (run / "last").resolve()

    def case(what, name, edit, says, sums=True):
        copy = copy_of(checkpoint, "damaged")
        change(copy / name, edit, sums)
        tried.refused(f"checkpoint: {what}", ["translate", copy], says, b"a b\n")

    model = "model.safetensors"
    size = (checkpoint / model).stat().st_size
    case("a bit of a weight", model, flip(-5), "SHA-256")
    case("a bit of the header", model, flip(20), "SHA-256")
    case("a bit of config.yaml", "config.yaml", flip(300), "config.yaml")
    case("a bit of the vocabulary", "source.vocab.json", flip(30), "source.vocab.json")
    case("a bit of the checksums", "SHA256SUMS", flip(3), "expected")
    case("checksums cut off", "SHA256SUMS", lambda data: data[:100], "SHA256SUMS")
    for share in (0, 7, 8, 100, size // 2, size - 1):
        case(f"cut to {share} bytes", model, lambda data, share=share: data[:share], "expected")
        case(f"cut to {share} bytes, no checksums", model, lambda data, share=share: data[:share], model, False)
    huge = (1 << 62).to_bytes(8, "little")
    case("a header of 4 exabytes announced", model, lambda data: huge + data[8:], "announces", False)

    def shape(entries):
        next(entry for name, entry in entries.items() if name != "__metadata__")["shape"] = [1 << 40, 1 << 40]
    case("a tensor of 2^80 numbers announced", model, header(shape), "shape", False)

    def overlap(entries):
        names = [name for name in entries if name != "__metadata__"]
        entries[names[1]]["data_offsets"] = entries[names[0]]["data_offsets"]
    case("two tensors in one place", model, header(overlap), model, False)

    def rename(entries):
        entries["model.surprise"] = entries.pop("final_logits_bias")
    case("a tensor with another name", model, header(rename), "model.surprise", False)
    case("numbers of another type", model, header(lambda all: all["final_logits_bias"].update(dtype="F64")), "F64", False)
    case("numbers of half the size announced", model,
         header(lambda all: all["final_logits_bias"].update(dtype="F16")), "shape", False)
    case("no JSON in the header", model, lambda data: data[:8] + b"{" * (len(data) - 8), model, False)
    case("the vocabulary is no list", "source.vocab.json", lambda _: b"{}", "source.vocab.json", False)
    case("the vocabulary has a word twice", "source.vocab.json",
         lambda data: json.dumps([*json.loads(data)[:-1], json.loads(data)[-2]]).encode(), "source.vocab.json", False)
    case("the vocabulary is too short", "source.vocab.json",
         lambda data: json.dumps(json.loads(data)[:-1]).encode(), "shape", False)
    case("the config describes another model", "config.yaml",
         lambda data: data.replace(b"d_ff: 16", b"d_ff: 32"), "fc1", False)
    copy = copy_of(checkpoint, "damaged")
    (copy / "source.vocab.json").unlink()
    tried.refused("checkpoint: a file is missing", ["translate", copy], "source.vocab.json", b"a\n")

    damaged_run = run.parent / "damaged_run"
    shutil.copytree(run, damaged_run, symlinks=True)
    change((damaged_run / "last").resolve() / "training_state.safetensors", flip(-5))
    tried.refused("--resume: a bit of the optimizer's state",
                  ["train", damaged_run / "config.yaml", "--output", damaged_run, "--resume"], "training_state")
    tried.handled("translate beside it, which does not need that", ["translate", damaged_run], 1, b"a b\n")


def outputs(tried, train, run):
    tried.refused("output: below a file", [*train, "--output", run / "config.yaml/x"], "config.yaml")
    tried.refused("output: a directory that cannot be written", [*train, "--output", "/proc/glassformer"], "/proc")
    tried.refused("explain --html where no directory is", ["explain", run, "--source", "a", "--html", "no/where.html"],
                  "where.html")
    tried.refused("explain --html with too long a name", ["explain", run, "--source", "a", "--html", "a" * 300], "too long")
    tried.refused("explain --html to a full disk", ["explain", run, "--source", "a", "--html", "/dev/full"], "disk full",
                  expected=1)
    tried.refused("explain: invalid UTF-8", ["explain", run, "--source", b"\xff".decode("utf-8", "surrogateescape")], "UTF-8")


def main():
    if not PROGRAM.is_file():
        sys.exit(f"{PROGRAM}: expected the program, found none; build it with scripts/test.sh")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        tried = Tried(directory)
        train = ["train", ROOT / "configs/debug.yaml"]
        run = directory / "run"
        (directory / "empty").mkdir()
        shutil.copytree(ROOT / "data/debug", directory / "text")
        status, _, err = tried.run([*train, "--output", run])
        if status != 0:
            sys.exit(f"configs/debug.yaml cannot be trained:\n{err.decode()}")
        before = {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file() and path.name != ".lock"}
        command_line(tried, train, run)
        configs(tried, run, directory)
        texts(tried, train, directory)
        standard_input(tried, run)
        checkpoints(tried, run)
        outputs(tried, train, run)
        after = {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file() and path.name != ".lock"}
        tried.note("and the run that was there all the while", before == after,
                   "untouched" if before == after else "changed")
        print("| tried | gave |\n|---|---|")
        for what, gave in tried.rows:
            print(f"| {what} | {gave.replace(name, '.').replace('|', '/')[:160]} |")
        print(f"\n{len(tried.rows)} tried, {tried.wrong} wrong")
        sys.exit(tried.wrong > 0)


main()
