"""Runs the program on one input after another, and checks what holds for every trial; for bad_inputs.py.

A trial in which the program must refuse its input passes if

  - the exit status is the one expected
  - there is exactly one message, which is not too long, has no control characters and mentions what it must
  - all files are as they were
  - the program is fast, and needs little more memory than the same command on good input
"""

import json
import mmap
import os
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

LIMIT_MB = 100  # more than the same command needs on good input
LIMIT_SECONDS = 10
LONGEST_MESSAGE = 3000  # bytes on standard error
KILLED_AT_MB = 3000  # a process with more memory is killed, to protect the machine
SANITIZER_REPORT = re.compile(rb"runtime error:|ERROR: \w+Sanitizer|WARNING: \w+Sanitizer|SUMMARY: \w+Sanitizer")
# C0 (without tab and line feed), DEL, C1, and characters that change the writing direction.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


MODEL, STATE, SUMS = "model.safetensors", "training_state.safetensors", "SHA256SUMS"  # files of a checkpoint


class Done:
    """What a command did."""

    def __init__(self, command, status, out, err, megabytes, seconds):
        self.command, self.status, self.out, self.err = command, status, out, err
        self.megabytes, self.seconds = megabytes, seconds

    def messages(self):
        return [line for line in self.err.decode(errors="replace").splitlines() if line.startswith("glassformer: ")]


class Trials:
    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        self.count, self.wrong, self.skipped = 0, 0, 0
        self.usual = {}  # peak memory of each command on good input, in MB
        with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as code:
            self.sanitized = code.find(b"__asan_") >= 0 or code.find(b"__tsan_") >= 0
        self.slower = 10 if self.sanitized else 1
        suppressions = Path(__file__).resolve().parents[2] / "tests/leaks_of_others.txt"
        self.environment = {**os.environ, "LSAN_OPTIONS": f"suppressions={suppressions}:print_suppressions=0"}
        print("| tried | command | status | MB | seconds | message |\n|---|---|---|---|---|---|", flush=True)

    # Running

    def start(self, arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
              limit=None, launcher=()):
        """limit: the largest file that it may write, in bytes. launcher: a command that starts the program."""
        def prepare():  # also makes subprocess fork: after vfork, the child's peak would include this script's
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for number in (signal.SIGINT, signal.SIGHUP):  # ignored if this script runs in the background or with nohup
                signal.signal(number, signal.SIG_DFL)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.Popen([*launcher, self.program, *map(str, arguments)], stdin=stdin, stdout=stdout,
                                stderr=stderr, cwd=self.directory, env=self.environment, preexec_fn=prepare,
                                start_new_session=True)

    def wait(self, process, timeout):
        """Returns the process's status and its peak memory in MB. Kills it if it needs too much time or memory."""
        end = time.monotonic() + timeout
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_maxrss / 1024
            try:
                pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
            except (OSError, IndexError):
                pages = 0
            if time.monotonic() > end or pages * 4096 > KILLED_AT_MB << 20:
                os.killpg(process.pid, signal.SIGKILL)
                end += 3600
            time.sleep(0.003)

    def run(self, arguments, text=None, stdin=None, stdout=None, timeout=60, **options):
        """text: bytes for a pipe to standard input; stdin, stdout: files to use instead."""
        reading, writing = os.pipe()
        began = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self.start(arguments, stdin if stdin is not None else reading,
                                 stdout if stdout is not None else out, err, **options)
            os.close(reading)
            feeder = threading.Thread(target=feed, args=(writing, text or b""), daemon=True)
            feeder.start()
            status, megabytes = self.wait(process, timeout * self.slower)
            feeder.join(1)
            seconds = time.monotonic() - began
            out.seek(0)
            err.seek(0)
            return Done(arguments, status, out.read(), err.read(1 << 20), megabytes, seconds)

    # Judging

    def note(self, what, problems, done=None, result=""):
        """Prints one row. problems: what is wrong; empty if the trial passed."""
        self.count += 1
        self.wrong += bool(problems)
        command = status = megabytes = seconds = ""
        if done is not None:
            messages = done.messages()
            result = result or (messages[0].removeprefix("glassformer: ") if messages else "")
            command = shlex.join(["glassformer", *map(str, done.command)]).replace(str(self.directory), ".")
            command, status = shorten(command, 110), done.status
            megabytes, seconds = f"{done.megabytes:.0f}", f"{done.seconds:.2f}"
        if problems:
            result = result or (done.err[-200:].decode(errors="replace") if done else "")
            result = f"WRONG: {'; '.join(problems)}: {result}"
        cells = [what, command, status, megabytes, seconds, shorten(result, 300)]
        shown = " | ".join(visible(str(cell)).replace(str(self.directory), ".").replace("|", "/") for cell in cells)
        print(f"| {shown} |", flush=True)

    def problems(self, done, expected, memory=LIMIT_MB, seconds=LIMIT_SECONDS):
        """memory: how many MB more than on good input are allowed."""
        found = []
        wanted = expected if isinstance(expected, tuple) else (expected,)
        if done.status not in wanted:
            found.append(f"status {done.status}, expected {' or '.join(map(str, wanted))}")
        if SANITIZER_REPORT.search(done.err):
            found.append("a sanitizer's report")
        if not self.sanitized and done.megabytes > self.usual.get(done.command[0], 0) + memory:
            found.append(f"peak memory {done.megabytes:.0f} MB, too much")
        if done.seconds > seconds * self.slower:
            found.append(f"took {done.seconds:.0f} s, too long")
        found += unsafe(done.err, "standard error")
        arguments = list(map(str, done.command))
        if "--output" in arguments:
            log = self.directory / arguments[arguments.index("--output") + 1] / "train.log"
            if log.is_file() and not log.is_symlink():
                found += unsafe(log.read_bytes(), "train.log")
        return found

    def state(self):
        """Everything in the directory: kind, mode, size, time of change, target of a link. Lock files do not count."""
        found = {}
        for path in sorted(self.directory.rglob("*")):
            status = path.lstat()
            if path.name != ".lock":
                stamp = None if path.is_dir() and not path.is_symlink() else (status.st_size, status.st_mtime_ns)
                found[path] = (status.st_mode, stamp, os.readlink(path) if path.is_symlink() else None)
        return found

    def refused(self, what, arguments, mention="", text=None, expected=2, out=b"", leaves=(), memory=LIMIT_MB,
                seconds=LIMIT_SECONDS, **options):
        """Runs a command that must fail with one message. mention: one or more texts that the message must contain.
        expected: 1 if the disk is at fault, not the input. out: what must be on standard output. leaves: parts of the
        names of new files that are allowed."""
        before = self.state()
        done = self.run(arguments, text, **options)
        problems = self.problems(done, expected, memory, seconds)
        message = done.err.decode(errors="replace")
        if len(done.messages()) != 1:
            problems.append(f"{len(done.messages())} messages")
        problems += [f"no mention of {text!r}" for text in ([mention] if isinstance(mention, str) else mention)
                     if text not in message]
        if len(done.err) > LONGEST_MESSAGE:
            problems.append(f"a message of {len(done.err)} bytes")
        if done.out != out:
            lines, wanted = done.out.count(b"\n"), out.count(b"\n")
            problems.append(f"{lines} lines on standard output, expected {wanted}")
        after = self.state()
        problems += changes(before, after, leaves, self.directory)
        for path in after:  # so that it does not disturb the next trial
            if path not in before and not any(part in str(path.relative_to(self.directory)) for part in leaves):
                remove(path)
        self.note(what, problems, done)
        return done

    def handled(self, what, arguments, lines=None, text=None, warnings=None, writes=(), memory=LIMIT_MB,
                seconds=LIMIT_SECONDS, check=None, **options):
        """Runs a command that must succeed. lines: how many lines must come out; None: any number. warnings: how many
        warnings of invalid bytes. writes: parts of the names of files that it may change. check: gets the Done and
        returns problems."""
        before = self.state()
        done = self.run(arguments, text, **options)
        found = done.out.count(b"\n")
        problems = self.problems(done, 0, memory, seconds)
        if lines is not None and found != lines:
            problems.append(f"{found} lines, expected {lines}")
        if warnings is not None and done.err.count(b"U+FFFD") != warnings:
            problems.append(f"{done.err.count(b'U+FFFD')} warnings of invalid bytes, expected {warnings}")
        if "train" not in arguments:
            problems += changes(before, self.state(), writes, self.directory)
        if check is not None and done.status == 0:
            problems += check(done)
        self.note(what, problems, done, f"{found} lines out" if lines is not None and not problems else "done")
        return done

    def either(self, what, arguments, text=None, **options):
        """Runs a command that may fail or succeed, as long as it does no harm. The message need not name the input."""
        done = self.run(arguments, text)
        problems = self.problems(done, (0, 2), **options)
        if done.status == 2 and len(done.messages()) != 1:
            problems.append(f"{len(done.messages())} messages")
        if len(done.err) > LONGEST_MESSAGE and done.status != 0:
            problems.append(f"a message of {len(done.err)} bytes")
        self.note(what, problems, done)
        return done

    def skip(self, what, why):
        self.skipped += 1
        print(f"SKIPPED: {what}: {why}", flush=True)


def feed(descriptor, text):
    try:
        with open(descriptor, "wb") as pipe:
            pipe.write(text)
    except BrokenPipeError:
        pass


def shorten(text, length):
    return text if len(text) <= length else text[:length - 30] + "..." + text[-27:]


def visible(text):
    return "".join(c if c.isprintable() else c.encode("utf-8", "surrogateescape").decode("latin-1").encode(
        "unicode_escape").decode() for c in text)


def unsafe(data, where):
    """Problems with text for a terminal: control characters, or bytes that are not UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return [f"invalid UTF-8 in {where}: {data[error.start]:#x}"]
    found = CONTROL.search(text)
    return [f"{found.group()!a} in {where}"] if found else []


def changes(before, after, allowed, directory):
    """Problems with files that were lost, changed or added. allowed: parts of the names of files that may differ."""
    def fine(path):
        return any(part in str(path.relative_to(directory)) for part in allowed)
    lost = [path for path in before if path not in after and not fine(path)]
    changed = [path for path in before if path in after and before[path] != after[path] and not fine(path)]
    added = [path for path in after if path not in before and not fine(path)]
    return [f"{what}: {', '.join(str(path.relative_to(directory)) for path in paths[:3])}"
            for what, paths in (("lost", lost), ("changed", changed), ("left behind", added)) if paths]


# Making and editing files

def set_key(key, value):
    return ["--set", f"{key}={value}"]


def copy_of(directory, copy):
    """Replaces `copy` with a copy of the directory, links included."""
    remove(copy)
    shutil.copytree(directory, copy, symlinks=True)
    return copy


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def change(path, edit, checksums=True):
    """Edits a file's bytes. Without `checksums`, deletes SHA256SUMS, so that only the file's own checks can fail."""
    path.write_bytes(edit(path.read_bytes()))
    if not checksums:
        (path.parent / "SHA256SUMS").unlink(missing_ok=True)


def flip(position, bit=3):
    def edit(data):
        data = bytearray(data)
        data[position if position >= 0 else len(data) + position] ^= 1 << bit
        return bytes(data)
    return edit


def replace(old, new):
    """An edit that replaces text, which must be in the file."""
    def edit(data):
        if old not in data:
            raise ValueError(f"{old!r} is not in the file")
        return data.replace(old, new)
    return edit


def yaml_key(key, value):
    """An edit that sets a key in config.yaml, at its first occurrence."""
    name, text = key.encode(), str(value).encode()
    return lambda data: re.sub(rb"(?m)^( *)%s: .*$" % name, rb"\g<1>%s: %s" % (name, text), data, count=1)


def keys(**values):
    """An edit that sets keys of a JSON object."""
    return lambda data: json.dumps({**json.loads(data), **values}).encode()


def split_safetensors(data):
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8:8 + length]), data[8 + length:]


def safetensors(entries, data):
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text + data


def header(edit):
    """An edit that applies `edit` to the parsed header of a safetensors file."""
    def edit_bytes(file):
        entries, data = split_safetensors(file)
        edit(entries)
        return safetensors(entries, data)
    return edit_bytes


PACK = {"F32": "<f", "F16": "<e", "BF16": None}


def number(value, kind):
    return struct.pack("<f", value)[2:] if kind == "BF16" else struct.pack(PACK[kind], value)


def with_numbers(tensor, values, kind="F32"):
    """An edit that converts a safetensors file to `kind` and overwrites the first numbers of a tensor with `values`."""
    def edit(file):
        entries, data = split_safetensors(file)
        converted = bytearray()
        for name, entry in sorted(((name, entry) for name, entry in entries.items() if name != "__metadata__"),
                                  key=lambda item: item[1]["data_offsets"]):
            numbers = [x[0] for x in struct.iter_unpack("<f", data[slice(*entry["data_offsets"])])]
            if name == tensor:
                numbers[:len(values)] = values
            begin = len(converted)
            for x in numbers:
                converted += number(x, kind)
            entry.update(dtype=kind, data_offsets=[begin, len(converted)])
        return safetensors(entries, bytes(converted))
    return edit


def sparse(path, size, beginning=b""):
    """Writes a file of this size that is sparse after its beginning."""
    with open(path, "wb") as file:
        file.write(beginning)
        file.truncate(size)
    (path.parent / "SHA256SUMS").unlink(missing_ok=True)


def varint(number):
    encoded = bytearray()
    while number > 0x7f:
        encoded.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def read_varint(data, at):
    result = shift = 0
    while True:
        result |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return result, at


def fields(message):
    """The top-level fields of a SentencePiece model, which are all messages: (number, content)."""
    at = 0
    while at < len(message):
        tag, at = read_varint(message, at)
        length, at = read_varint(message, at)
        yield tag >> 3, message[at:at + length]
        at += length


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def piece(text, score=0.0, kind=1):
    return field(1, field(1, text) + b"\x15" + struct.pack("<f", score) + b"\x18" + varint(kind))
