"""Attacks through the system: devices, links, full disks, signals, moved directories, ranks. See attacks.py."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from trials import MODEL, STATE, SUMS, copy_of, remove, set_key, sparse, visible, yaml_key


def kept(world, what, done, output, count=None):
    """Checks the new file OUTPUT.1a2b3c4d, which the message must name. It must hold the first `count`
    translations (without `count`: at least one), and only whole lines."""
    files = [path for path in world.directory.glob(f"{output}.*") if not path.name.endswith(".partial")]
    problems = []
    if len(files) != 1:
        problems.append(f"{len(files)} files {output}.*, expected 1")
    else:
        lines = files[0].read_bytes().splitlines(keepends=True)
        if done is not None and files[0].name.encode() not in done.err:
            problems.append(f"the message does not name {files[0].name}")
        if lines != world.translated[:len(lines)] or not lines or (count is not None and len(lines) != count):
            problems.append(f"{len(lines)} lines, or other lines than expected ({count or 'some'})")
    world.trials.note(f"{what}: finished lines", problems, None, "kept")
    for path in files:
        path.unlink()


def lost_translations(world):
    """Finished translations survive an error in a later line."""
    trials, translate = world.trials, ["translate", world.run]
    bad = world.directory / "bad.txt"
    out = world.directory / "out.txt"
    out.write_bytes(b"precious\n")
    invalid = {"a stray byte": b"a \xff b\n", "a truncated character": b"a \xe2\x82\n",
               "a surrogate": b"\xed\xa0\x80\n", "an overlong slash": b"\xc0\xaf\n",
               "above U+10FFFF": b"\xf4\x90\x80\x80\n"}
    for what, line in invalid.items():
        bad.write_bytes(b"".join(world.lines[:4999]) + line + world.lines[4999])
        trials.refused(f"lost: file, {what} in line 5000", [*translate, "--input", bad],
                       ("bad.txt:5000", "--invalid replace"))
    for number in (1, 2, 64, 129, 5000):
        text = b"".join(world.lines[:number - 1]) + b"a \xff b\n" + b"".join(world.lines[number:])
        bad.write_bytes(text)
        where = f"a bad byte in line {number}"
        trials.refused(f"lost: file, --output, {where}", [*translate, "--input", bad, "--output", out],
                       f"bad.txt:{number}")
        before = b"".join(world.translated[:number - 1])
        trials.refused(f"lost: pipe, {where}", translate, f":{number}", text, out=before)
        with open(bad, "rb") as file:
            trials.refused(f"lost: file as standard input, {where}", translate, f":{number}", stdin=file, out=before)
        done = trials.refused(f"lost: pipe, --output, {where}", [*translate, "--output", out], f":{number}", text,
                              leaves=("out.txt.",))
        if number > 1:
            kept(world, f"lost: pipe, --output, {where}", done, "out.txt", number - 1)
        trials.handled(f"lost: --invalid replace, file, {where}", [*translate, "--input", bad, "--invalid", "replace"],
                       5000, warnings=1)
        trials.handled(f"lost: --invalid replace, pipe, {where}", [*translate, "--invalid", "replace"], 5000, text,
                       warnings=1)
    text = b"a dog\nthe \xff\n"
    trials.refused("lost: pipe, --batch 1", [*translate, "--batch", "1"], ":2", text,
                   out=trials.run(translate, b"a dog\n").out)
    for option in (["--n-best", "2", "--beam", "2"], ["--beam", "3"]):
        trials.refused(f"lost: pipe, {' '.join(option)}", [*translate, *option], ":2", text,
                       out=trials.run([*translate, *option], b"a dog\n").out)
    replacing = [*translate, "--invalid", "replace"]
    trials.handled("lost: --invalid replace, every line", replacing, 300, b"\xff \xfe\n" * 300, warnings=1)
    trials.handled("lost: --invalid replace, at the end without a newline", replacing, 2, b"a\n\xe2\x82", warnings=1)
    trials.handled("lost: --invalid replace, nothing invalid", replacing, 1, b"a\n", warnings=0)
    trials.refused("lost: --invalid with another word", [*translate, "--invalid", "ignore"], "--invalid", b"a\n")
    bad.write_bytes(world.lines[0] + b"\xff\n")
    trials.refused("lost: evaluate with a bad byte",
                   ["evaluate", world.run, "--source", bad, "--reference", world.text], "bad.txt:2")
    full_disks(world, out)
    bad.unlink()
    out.unlink()


def full_disks(world, out):
    """Finished translations survive a full disk."""
    trials, translate = world.trials, ["translate", world.run, "--input", world.text]
    with open("/dev/full", "wb") as full:
        trials.refused("full disk: standard output is /dev/full", translate, "disk full", expected=1, stdout=full)
    trials.refused("full disk: --output /dev/full", [*translate, "--output", "/dev/full"], "full", expected=1)
    for limit in (5_000, 8_192, 50_000):
        what = f"full disk: files of at most {limit} bytes"
        done = trials.refused(what, [*translate, "--output", out], expected=1, limit=limit, leaves=("out.txt.",))
        kept(world, what, done, "out.txt")
    small = world.directory / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "none", small], capture_output=True)
    if mounted.returncode != 0:
        trials.skip("a full file system", "mount needs root; a limit on file sizes was tried instead")
    else:
        try:
            done = trials.refused("full disk: a full file system", [*translate, "--output", "small/out"], "small/out",
                                  expected=1, leaves=("small/out",))
            kept(world, "full disk: a full file system", done, "small/out")
        finally:
            subprocess.run(["umount", small], check=True)
    remove(small)


def place_special(path, kind, terminal):
    remove(path)
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a directory":
        path.mkdir()
    else:
        targets = {"a link to a terminal": terminal, "a dangling link": "nowhere", "a link to itself": path.name}
        path.symlink_to(targets.get(kind, kind.removeprefix("a link to ")))


WAITING = ("a FIFO", "a link to a terminal")  # their text may come later


def devices(world):
    """Devices, pipes, links and directories in place of files."""
    trials = world.trials
    master, slave = os.openpty()
    kinds = ("a link to /dev/zero", "a link to /dev/random", "a link to /proc/self/pagemap", "a link to a terminal",
             "a FIFO", "a directory", "a dangling link", "a link to itself")
    files = {world.word: ("config.yaml", SUMS, "source.vocab.json", "target.vocab.json", MODEL),
             world.opus: ("config.json", "generation_config.json", "tokenizer_config.json", "vocab.json", "source.spm",
                          "target.spm", MODEL, SUMS),
             world.run: ("config.yaml", "last/" + STATE, "last/" + MODEL, "last/" + SUMS, "metrics.jsonl", "train.log")}
    for kind in kinds:
        for original, names in files.items():
            for name in names:
                if kind in WAITING and (original, name) == (world.run, "config.yaml"):
                    continue  # the user names this file, and may well mean a pipe
                command = world.resumable() if original == world.run else ["translate", world.damaged(original)]
                place_special(Path(command[3 if original == world.run else 1]) / name, kind, os.ttyname(slave))
                trials.refused(f"{kind} in place of {name}", command, "", b"a\n", timeout=3, seconds=2)
        for arguments in (["train", "special"], ["translate", world.run, "--input", "special"],
                          ["translate", "special"],
                          ["evaluate", world.run, "--source", "special", "--reference", world.text],
                          ["evaluate", world.run, "--source", world.text, "--reference", "special"],
                          [*world.train, "--output", "special"], ["train", "based.yaml"],
                          [*world.train, *set_key("tokenizer.kind", "sentencepiece"),
                           *set_key("tokenizer.source_model", "special"),
                           *set_key("tokenizer.target_model", "special")],
                          [*world.train, *set_key("model.from", "special")]):
            (world.directory / "based.yaml").write_text("base: special\n")
            place_special(world.directory / "special", kind, os.ttyname(slave))
            if kind == "a directory" and "--output" in arguments and arguments[0] == "train":
                continue  # a run may use an empty directory
            reads_text = arguments[0] == "evaluate" or "--input" in arguments
            if kind in WAITING and (reads_text or arguments[:2] == ["train", "special"]):
                continue  # the program may wait for text
            trials.refused(f"{kind} for {arguments[0]}", arguments, "", timeout=3, seconds=2)
    remove(world.directory / "special")
    (world.directory / "based.yaml").unlink()
    for device in ("/dev/zero", "/dev/random"):
        with open(device, "rb") as file:
            trials.refused(f"translate <{device}", ["translate", world.run], ":1", stdin=file, timeout=5)
    # The test text that a checkpoint's config names.
    special = world.directory / "special"
    for kind in ("a link to /dev/zero", "a FIFO", "a link to a terminal"):
        place_special(special, kind, os.ttyname(slave))
        model = world.damaged(world.word, "config.yaml", lambda data: yaml_key("tests", '["."]')(
            yaml_key("source_language", special)(yaml_key("target_language", special)(data))))
        trials.refused(f"a checkpoint's test text is {kind}", ["evaluate", model], "", timeout=3, seconds=2)
    remove(world.directory / "special")
    os.close(master)
    os.close(slave)


def links(world):
    """A checkpoint of links to files, as in a model cache."""
    for name, model in (("word", world.word), ("opus", world.opus), ("sentencepiece", world.sentencepiece)):
        linked = world.directory / "linked"
        linked.mkdir()
        for path in model.iterdir():
            (linked / path.name).symlink_to(path)
        world.trials.handled(f"a {name} checkpoint of links", ["translate", linked], 1, b"a\n")
        remove(linked)


def long_files(world):
    """Sparse files of many gigabytes."""
    for size in (1 << 30, 2 << 30, 1 << 40):
        for original, name in ((world.word, "config.yaml"), (world.word, SUMS), (world.word, "source.vocab.json"),
                               (world.opus, "config.json"), (world.opus, "generation_config.json"),
                               (world.opus, "vocab.json"), (world.opus, "tokenizer_config.json"),
                               (world.opus, "source.spm")):
            model = world.damaged(original)
            beginning = (original / name).read_bytes() if (original / name).exists() else b""
            sparse(model / name, size, beginning)
            if name == SUMS:  # sparse() has deleted it
                with open(model / name, "wb") as file:
                    file.write(beginning)
                    file.truncate(size)
            world.trials.refused(f"{name} of {size >> 30} GB", ["translate", model], "", b"a\n", timeout=20)
    command = world.resumable()
    metrics = world.directory / "damaged_run/metrics.jsonl"
    sparse(metrics, 2 << 30, metrics.read_bytes())
    world.trials.refused("metrics.jsonl of 2048 MB", command, "metrics.jsonl", timeout=20,
                         leaves=("damaged_run/train.log",))
    config = world.directory / "long.yaml"
    sparse(config, 1 << 30, b"base: " + str(world.train[1]).encode() + b"\n")
    world.trials.refused("a config of 1 GB", ["train", config, "--output", "new"], "long.yaml", timeout=20)
    config.unlink()


def output_files(world):
    """Output files: names that are taken, permissions, competing programs, signals."""
    trials, directory = world.trials, world.directory
    out, partial, victim = directory / "out.txt", directory / "out.txt.partial", directory / "victim"
    translate = ["translate", world.run, "--input", world.text, "--output", "out.txt"]
    explain = ["explain", world.run, "--source", "a dog", "--html"]
    for command, name in ((translate, "out.txt"), ([*explain, "page.html"], "page.html"),
                          ([*explain, "other.html", "--json", "page.json"], "page.json")):
        for mine in (directory / f"{name}.partial", directory / f".{name}.partial", directory / f"{name}.tmp"):
            for what in ("a user's file", "a link to a user's file"):
                victim.write_bytes(b"precious\n")
                mine.symlink_to(victim) if "link" in what else mine.write_bytes(b"precious\n")
                done = trials.run(command)
                problems = trials.problems(done, 0)
                problems += [] if mine.exists() and mine.is_symlink() == ("link" in what) else ["it is gone"]
                problems += [f"{path.name} was changed" for path in (mine, victim)
                             if path.exists() and path.read_bytes() != b"precious\n"]
                trials.note(f"{mine.name} is {what}", problems, done)
                for path in (directory / name, directory / "other.html", mine):
                    remove(path)
    for mode in (0o600, 0o640, 0o444):
        out.write_bytes(b"old\n")
        out.chmod(mode)
        trials.handled(f"an output file of mode {mode:o}", translate, writes=("out.txt",), check=lambda _, mode=mode:
                       [] if out.stat().st_mode & 0o777 == mode else [f"mode {out.stat().st_mode & 0o777:o}"])
        out.unlink()
    trials.handled("an output file with a long name", [*translate[:-1], "x" * 246], writes=("x" * 246,))
    remove(directory / ("x" * 246))
    trials.refused("an output file with a name of 255 bytes", [*translate[:-1], "x" * 255], "too long")
    two_translators(world, out)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        interrupted(world, number, out)
    for path in (partial, victim, out):
        remove(path)


def two_translators(world, out):
    """Two programs write the same file. The first one waits for the rest of its text."""
    trials = world.trials
    slow = world.directory / "slow.err"
    with open(slow, "wb") as errors:
        process = trials.start(["translate", world.run, "--output", out], subprocess.PIPE, stderr=errors)
        process.stdin.write(b"".join(world.lines[:100]))
        process.stdin.flush()
        time.sleep(1 * trials.slower)
        other = trials.run(["translate", world.run, "--output", out], b"".join(world.lines[:300]))
        process.stdin.close()
        status, _ = trials.wait(process, 30)
    message = visible(slow.read_bytes().decode())
    results = [path.read_bytes().splitlines(keepends=True) for path in world.directory.glob("out.txt*")]
    missing = [count for count in (100, 300) if world.translated[:count] not in results]
    problems = [f"the result of {count} lines is lost" for count in missing]
    if missing and 0 in (status, other.status):
        problems.append("both report success")
    if not missing and len(results) == 2 and (status, other.status) == (0, 0):
        problems.append("no message says where the other result is")
    trials.note("two translators write one file", problems, other,
                f"statuses {status} and {other.status}; {message}")
    slow.unlink()
    for path in world.directory.glob("out.txt*"):
        path.unlink()


def interrupted(world, number, out):
    trials = world.trials
    for existing in (True, False):
        what = f"signal {signal.Signals(number).name} during translate --output"
        what += "" if existing else " to a new file"
        if existing:
            out.write_bytes(b"precious\n")
        with open(world.directory / "err", "w+b") as errors:
            process = trials.start(["translate", world.run, "--output", out], subprocess.PIPE, stderr=errors)
            process.stdin.write(b"".join(world.lines[:500]))
            process.stdin.flush()
            time.sleep(1 * trials.slower)
            process.send_signal(number)
            status, _ = trials.wait(process, 10 * trials.slower)
            process.stdin.close()
            errors.seek(0)
            message = errors.read()
        problems = [] if status == 128 + number else [f"status {status}, expected {128 + number}"]
        problems += [] if message.count(b"interrupted after line") == 1 else [f"{message.decode()}"]
        problems += [] if not existing or out.read_bytes() == b"precious\n" else ["the older file is lost"]
        files = [path for path in world.directory.glob("out.txt*") if not (existing and path == out)]
        if len(files) != 1:
            problems.append(f"{len(files)} files, expected 1")
        elif files[0].read_bytes().splitlines(keepends=True) != world.translated[:500]:
            problems.append(f"{files[0].read_bytes().count(bytes([10]))} of 500 finished lines kept")
        elif files[0].name.encode() not in message:
            problems.append("the message does not name the file")
        trials.note(what, problems, None, visible(message.decode()))
        for path in world.directory.glob("out.txt*"):
            path.unlink()
        (world.directory / "err").unlink()


def moved_runs(world):
    """Run directories that are moved or deleted during training."""
    directory = world.directory

    def parent(run):
        (directory / "moving").rename(directory / "elsewhere")
        return directory / "elsewhere/run"

    def away(run):
        run.rename(directory / "elsewhere")
        return directory / "elsewhere"

    def replaced(run):
        away(run)
        run.mkdir()
        (run / "other").write_bytes(b"other\n")
        return directory / "elsewhere"

    def linked(run):
        away(run)
        (directory / "other").mkdir()
        run.symlink_to(directory / "other")
        return directory / "elsewhere"

    def link_back(run):  # the path still leads to the run
        (directory / "link").symlink_to(directory / "elsewhere")
        away(run)
        (directory / "link").rename(run)
        return None

    def deleted(run):  # training may create files while we delete others
        while run.exists():
            shutil.rmtree(run, ignore_errors=True)

    def exchanged(run):  # a copy is complete if training changed no file in the meantime
        while True:
            try:
                copy_of(run, directory / "copy")
                break
            except OSError:
                continue
        away(run)
        (directory / "copy").rename(run)
        return directory / "elsewhere"

    for what, move in (("moved", away), ("moved with its parent", parent), ("replaced", replaced),
                       ("replaced by a link", linked), ("replaced by a copy of itself", exchanged),
                       ("deleted", deleted), ("moved, and a link leads to it", link_back)):
        move_during_training(world, what, move)


def move_during_training(world, what, move):
    trials, directory = world.trials, world.directory
    run = directory / "moving/run"
    run.parent.mkdir()
    with open(directory / "err", "w+b") as errors:
        process = trials.start([*world.train, "--output", run, *set_key("training.max_updates", 1_000_000_000),
                                *set_key("training.validation.every", 5)], stderr=errors)
        wait_for(lambda: list(run.glob("step-*")), 20 * trials.slower)
        place = move(run)
        after = sorted(str(path) for path in run.rglob("*")) if run.exists() else None
        if what == "moved, and a link leads to it":
            time.sleep(1)
            os.kill(process.pid, signal.SIGTERM)
        status, _ = trials.wait(process, 15 * trials.slower)
        errors.seek(0)
        lines = [line for line in errors.read().decode().splitlines() if line.startswith("glassformer: ")]
    # Training may notice first that a file is gone which it has just written.
    allowed = (143, 1, 2) if what == "moved, and a link leads to it" else (1, 2)
    problems = [] if status in allowed else [f"status {status}, expected {allowed[0]}"]
    problems += [] if len(lines) == (status != 143) else [f"{len(lines)} messages"]
    now = sorted(str(path) for path in run.rglob("*")) if run.exists() else None
    if status != 143 and now != after and what != "replaced by a copy of itself":  # a save may end in the copy
        problems.append("something was written at the old path")
    if place is not None:
        translated = trials.run(["translate", place / "last"], b"a\n")
        problems += [] if translated.status == 0 else ["the last checkpoint in it cannot be read"]
    trials.note(f"a run directory is {what} during training", problems, None, lines[0] if lines else "no message")
    for name in ("moving", "elsewhere", "other", "copy", "err"):
        remove(directory / name)


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


def linked_files(world):
    """Links in place of the files that training writes."""
    trials, directory = world.trials, world.directory
    for name in ("train.log", "metrics.jsonl", ".lock", ".config.yaml.partial", ".metrics.jsonl.partial",
                 ".curves.svg.partial"):
        for new in (True, False):
            if new:
                command = [*world.train, "--output", "new"]
                (directory / "new").mkdir()
                (directory / "new/train.log").write_text("")
                place = directory / "new" / name
            else:
                command = world.resumable()
                place = directory / "damaged_run" / name
            victim = directory / "victim"
            victim.write_bytes(b"precious\n")
            remove(place)
            place.symlink_to(victim)
            done = trials.run(command)
            problems = trials.problems(done, 2 if name in ("train.log", "metrics.jsonl") else (0, 2))
            problems += ["its target was changed"] if victim.read_bytes() != b"precious\n" else []
            trials.note(f"{name} is a link, {'a new run' if new else '--resume'}", problems, done)
            remove(directory / "new")
            victim.unlink()


def threads(world):
    """Wrong numbers of threads in the environment."""
    for number in ("1000", "1025", "100000", "2147483647", "-1", "0", "x", "99999999999999999999"):
        trials = world.trials
        if trials.sanitized and number not in ("1000", "0"):
            trials.skip(f"OMP_NUM_THREADS={number}", "LLVM's OpenMP 14, which the sanitizers need, aborts")
            continue
        trials.environment["OMP_NUM_THREADS"] = number
        done = trials.run(["translate", world.run], b"a dog\n")
        trials.note(f"OMP_NUM_THREADS={number}", trials.problems(done, (0, 1, 2)), done)
        del trials.environment["OMP_NUM_THREADS"]


def ranks(world):
    """Ranks that run different commands."""
    trials, program = world.trials, str(world.trials.program)
    if shutil.which("mpirun") is None:
        trials.skip("ranks that run different commands", "mpirun is not installed")
        return
    train = [*map(str, world.train), "--output", "new", *set_key("training.shards", 2)]
    translate = ["translate", str(world.run), "--input", "good.txt"]
    for what, first, second in (("train and translate", train, translate), ("translate and train", translate, train),
                                ("train and gradcheck", train, ["gradcheck", str(world.train[1])]),
                                ("train and another seed", train, [*train, *set_key("training.seed", 2)]),
                                ("train and another model", train, [*train, *set_key("model.d_model", 16)]),
                                ("train and a mistake", train, ["train", "nowhere.yaml"]),
                                ("train and nothing", train, ["--version"]),
                                ("train and benchmark", train, ["benchmark", str(world.train[1]), "--seconds", "1"])):
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "1", program, *first, ":", "-n", "1"]
        done = trials.run(second, launcher=launcher, timeout=20)
        problems = [] if done.status not in (0, None, -9) else [f"status {done.status}"]
        problems += [] if done.messages() or second == ["--version"] else ["no message"]
        trials.note(f"two ranks: {what}", problems, done)
        for name in ("new", "new2"):
            remove(world.directory / name)
