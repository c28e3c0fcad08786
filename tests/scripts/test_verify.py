"""Tests scripts/verify.sh with build/release/glassformer.

    python3 tests/scripts/test_verify.py
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts/verify.sh"
PROGRAM = ROOT / "build/release/glassformer"


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env=os.environ | environment)
    return done.returncode, done.stdout + done.stderr


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def flip_bit(file, offset):
    data = bytearray(file.read_bytes())
    data[offset] ^= 1
    file.write_bytes(data)


def list_checksums(checkpoint):
    """Writes SHA256SUMS for the files that the checkpoint has now. Returns its digest."""
    sums = checkpoint / "SHA256SUMS"
    sums.write_text("".join(f"{sha256(file)}  {file.name}\n" for file in sorted(checkpoint.iterdir()) if file != sums))
    return sha256(sums)


class Run(unittest.TestCase):
    """A short run of its own for each test."""
    SETTINGS = ()

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.home = Path(cls.directory.name)
        shutil.copytree(ROOT / "data/debug", cls.home / "text")
        status, output = run(PROGRAM, "train", ROOT / "configs/debug.yaml", "--output", cls.home / "run", "--set",
                             f"data.directory={cls.home / 'text'}", "--set", "training.validation.every=20", "--set",
                             "training.checkpoints.keep=3", "--set", "model.dropout=0.1", *cls.SETTINGS)
        assert status == 0, output

    def setUp(self):
        """Each test may damage the run and its text."""
        self.run_directory = self.home / self._testMethodName
        shutil.copytree(self.home / "run", self.run_directory, symlinks=True)
        self.addCleanup(lambda: shutil.copytree(ROOT / "data/debug", self.home / "text", dirs_exist_ok=True))

    def check(self, expected_status, *expected_words, arguments=(), **environment):
        status, output = run(SCRIPT, self.run_directory, *arguments, **environment)
        self.assertEqual(status, expected_status, output)
        for word in expected_words:
            self.assertIn(word, output)
        self.assertIsNone(re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", output), repr(output))
        return output

    def checkpoint(self, update):
        return self.run_directory / f"step-{update:08}"

    def forge(self, checkpoint):
        """Hides that someone has changed a checkpoint: new checksums, a new line, a new chain."""
        digest, lines = list_checksums(checkpoint), self.lines()
        kind, update = checkpoint.name.split("-")
        for line in lines:
            if line["update"] == int(update) and "checksums" in line and ("average" in line) == (kind == "average"):
                line["checksums"] = digest
        self.write(lines)

    def make_old(self):
        """Version 0.2 recorded no checksums and no means."""
        lines = [line for line in self.lines() if "average" not in line]
        for line in lines:
            line.pop("checksums", None)
        self.write(lines)

    def lines(self):
        return [json.loads(line) for line in (self.run_directory / "digests.jsonl").read_text().splitlines()]

    def write(self, lines):
        """Writes the lines with a chain that fits them."""
        text = ""
        for line in lines:
            line["before"] = hashlib.sha256(text.encode()).hexdigest() if text else ""
            text += json.dumps(line, separators=(",", ":")) + "\n"
        (self.run_directory / "digests.jsonl").write_text(text)


class Verify(Run):
    def test_a_run_has_a_chain_of_digests(self):
        lines = self.lines()
        self.assertEqual([line["update"] for line in lines], [0, 20, 40, 60, 80, 100])
        before = (self.run_directory / "digests.jsonl").read_text()
        self.write(lines)
        self.assertEqual((self.run_directory / "digests.jsonl").read_text(), before)
        self.assertEqual(lines[0]["config"], sha256(self.run_directory / "config.yaml"))
        self.assertEqual(lines[0]["source"], sha256(self.home / "text/train.en"))
        self.assertEqual(lines[0]["target"], sha256(self.home / "text/train.de"))
        self.assertEqual(lines[-1]["checksums"], sha256(self.run_directory / "last/SHA256SUMS"))

    def test_a_run_is_confirmed_with_any_threads_and_instructions(self):
        self.check(0, "from update 60 to 100", "(3 updates compared)")
        self.check(0, "from update 0 to 40", arguments=(0, 40), OMP_NUM_THREADS="1",
                   GLASSFORMER_INSTRUCTIONS="avx2" if "avx512" in run(PROGRAM, "--version")[1] else "")
        self.check(0, "from update 60 to 80", arguments=(60, 80), OMP_NUM_THREADS="2")

    def test_one_changed_byte_of_the_text_is_reported(self):
        flip_bit(self.home / "text/train.de", 3)
        self.check(1, "text/train.de is not the text that the run was trained on")

    def test_text_elsewhere(self):
        shutil.move(self.home / "text", self.home / "elsewhere")
        try:
            self.check(2, "the text of this run is not there")
            self.check(0, "confirmed", arguments=("--set", f"data.directory={self.home / 'elsewhere'}"))
        finally:
            shutil.move(self.home / "elsewhere", self.home / "text")

    def test_a_changed_line_of_digests_is_reported(self):
        file = self.run_directory / "digests.jsonl"
        text = file.read_text()
        digest = self.lines()[2]["weights"]["model.decoder.embed_tokens.weight"]
        file.write_text(text.replace(digest, "0" * 16))
        self.check(1, "digests.jsonl:4: this line does not fit those before it")

    def test_the_first_update_and_tensor_that_differ_are_named(self):
        lines = self.lines()
        for line in lines[-2:]:
            line["weights"]["model.decoder.layers.0.fc1.weight"] = "0" * 16
        self.write(lines)
        self.check(1, "NOT confirmed: after update 80, model.decoder.layers.0.fc1.weight differs")

    def test_a_checkpoint_with_other_weights_is_reported(self):
        file = self.checkpoint(80) / "model.safetensors"
        flip_bit(file, file.stat().st_size - 5)
        self.check(1, "step-00000080/model.safetensors does not have the checksum that is in SHA256SUMS")
        list_checksums(file.parent)
        self.check(1, "step-00000080/SHA256SUMS is not the one that the run recorded")
        self.forge(file.parent)
        self.check(1, "NOT confirmed: ", "step-00000080/model.safetensors does not hold what the repetition wrote")
        (file.parent / "SHA256SUMS").unlink()
        self.check(1, "step-00000080/SHA256SUMS: expected a file, because the run recorded its digest, found none")
        self.make_old()
        self.check(1, "NOT confirmed: ", "step-00000080/model.safetensors does not hold what the repetition wrote")

    def test_a_start_with_other_weights_is_reported(self):
        file = self.checkpoint(60) / "model.safetensors"
        flip_bit(file, file.stat().st_size - 5)
        self.forge(file.parent)
        self.check(1, "NOT confirmed: after update 60, ")
        (file.parent / "SHA256SUMS").unlink()
        self.make_old()
        self.check(1, "NOT confirmed: after update 60, ")

    def test_another_vocabulary_is_reported(self):
        file = self.checkpoint(100) / "target.vocab.json"
        words = json.loads(file.read_text())
        words[-2:] = reversed(words[-2:])
        file.write_text(json.dumps(words))
        self.check(1, "step-00000100/target.vocab.json does not have the checksum")
        list_checksums(file.parent)
        self.check(1, "step-00000100/SHA256SUMS is not the one that the run recorded")
        self.forge(file.parent)
        self.check(1, "NOT confirmed: ", "step-00000100/target.vocab.json does not hold what the repetition wrote")

    def test_another_config_of_a_checkpoint_is_reported(self):
        file = self.checkpoint(100) / "config.yaml"
        file.write_text(re.sub("length_penalty: [0-9.]+", "length_penalty: 3", file.read_text()))
        self.check(1, "step-00000100/config.yaml does not have the checksum")
        list_checksums(file.parent)
        self.check(1, "step-00000100/SHA256SUMS is not the one that the run recorded")
        self.forge(file.parent)
        self.check(1, "step-00000100/config.yaml is not the config that the run was trained with")
        (file.parent / "SHA256SUMS").unlink()
        self.make_old()
        self.check(1, "step-00000100/config.yaml is not the config that the run was trained with")

    def test_another_optimizer_state_is_reported(self):
        file = self.checkpoint(80) / "training_state.safetensors"
        flip_bit(file, file.stat().st_size - 5)
        self.forge(file.parent)
        self.check(1, "NOT confirmed: ", "step-00000080/training_state.safetensors does not hold")
        file.unlink()  # whoever publishes a run may leave it out
        self.check(0, "confirmed", "step-00000080/training_state.safetensors is missing, so it was not checked")

    def test_a_file_that_was_added_or_removed_is_reported(self):
        added = self.checkpoint(80) / "notes.txt"
        added.write_text("x")
        self.check(1, "step-00000080/notes.txt is not in SHA256SUMS: it was added")
        added.unlink()
        (self.checkpoint(80) / "source.vocab.json").unlink()
        self.check(1, "step-00000080/source.vocab.json: expected a file, because SHA256SUMS lists it, found none")

    def test_another_best_is_reported(self):
        best = self.run_directory / "best"
        original = os.readlink(best)
        other = next(path for path in self.run_directory.glob("step-*") if path.name != original)
        best.unlink()
        best.symlink_to(other.name)
        self.check(1, f"best is {other.name}, but the run's best checkpoint is {original}: best has been changed")
        best.unlink()
        shutil.copytree(other, best)  # as cp -L does
        self.check(1, f"best is {other.name}, but the run's best checkpoint is {original}: best has been changed")
        flip_bit(best / "model.safetensors", 5000)
        self.check(1, "best/model.safetensors does not have the checksum")
        list_checksums(best)
        self.check(1, "best is not one of the checkpoints that the run recorded")
        shutil.copytree(best, self.home / "another_model")
        shutil.rmtree(best)
        best.symlink_to(self.home / "another_model")
        self.check(1, "best is not one of the checkpoints that the run recorded")
        self.make_old()
        self.check(1, "best is not one of the checkpoints that the run recorded")

    def point(self, link, name):
        (self.run_directory / link).unlink(missing_ok=True)
        (self.run_directory / link).symlink_to(name)

    def best_update(self, update):
        """What the training state of a checkpoint says."""
        header = (self.checkpoint(update) / "training_state.safetensors").read_bytes()
        return int(re.search(rb'\\"best_update\\":(\d+)', header)[1])

    def test_another_best_is_reported_if_last_is_another_checkpoint_too(self):
        self.point("last", "step-00000060")
        self.point("best", "step-00000080")
        self.check(1, "last is step-00000060, but the run's last checkpoint is step-00000100: last has been changed")
        self.point("last", "step-00000080")  # as if training had been killed before it moved the link
        self.point("best", f"step-{self.best_update(80):08}")
        self.check(0, "confirmed")
        self.point("best", "step-00000060")
        self.assertNotEqual(self.best_update(80), 60)
        self.check(1, "best is step-00000060, but the run's best checkpoint is")

    def test_another_best_is_reported_without_last(self):
        (self.run_directory / "last").unlink()
        self.assertNotIn("which checkpoint it leads to", self.check(0))
        self.point("best", "step-00000060")
        self.check(1, "best is step-00000060, but the run's best checkpoint is")

    def test_another_best_is_reported_if_states_are_missing(self):
        original = os.readlink(self.run_directory / "best")
        (self.checkpoint(100) / "training_state.safetensors").unlink()
        self.point("best", "step-00000060")
        self.check(1, "best is step-00000060, but the run's best checkpoint is")
        unknown = "best (which checkpoint it leads to)"
        self.point("best", original)
        self.check(0, unknown)
        for update in (60, 80):
            (self.checkpoint(update) / "training_state.safetensors").unlink()
        self.point("best", "step-00000060")
        self.check(0, unknown, arguments=(0, 40))

    def test_a_run_killed_between_moving_best_and_last_is_confirmed(self):
        self.point("last", "step-00000080")
        self.point("best", "step-00000100")
        self.assertEqual(self.best_update(100), 100)
        self.check(0, "confirmed")

    @unittest.skipIf(shutil.which("flock") is None, "there is no flock")
    def test_a_run_that_is_still_training_is_not_accused(self):
        (self.run_directory / ".lock").touch()
        for locked in (self.run_directory, self.run_directory / ".lock"):
            descriptor = os.open(locked, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                self.check(2, "the run is still training; verify it when it has finished")
            finally:
                os.close(descriptor)
        self.check(0, "confirmed")

    def test_a_run_copied_without_links_is_confirmed(self):
        for link in ("best", "last"):
            path = self.run_directory / link
            target = path.resolve()
            path.unlink()
            shutil.copytree(target, path)
        self.check(0, "from update 60 to 100")
        self.make_old()
        self.check(0, "from update 60 to 100")
        flip_bit(path / "config.json", 5)
        self.check(1, "last/config.json does not have the checksum")

    def test_a_line_of_digests_that_was_dropped_is_reported(self):
        for make_old in (lambda: None, self.make_old):
            make_old()
            lines = self.lines()
            self.write(lines[:-1])
            self.check(1, " leads to step-00000100, but ", "digests.jsonl has no line for it: that line has been removed")
            self.write(lines)
        self.write(lines[:-1])
        (self.run_directory / "last").unlink()
        (self.run_directory / "last").symlink_to("step-00000080")
        (self.run_directory / "best").unlink()
        output = self.check(0, "from update 60 to 80")  # as if training had been killed before it wrote the line
        self.assertRegex(output, "No digest covers these parts of the run: .*, step-00000100,")

    def test_what_no_digest_covers_is_named(self):
        (self.run_directory / "notes").mkdir()
        (self.checkpoint(80) / ".hidden").touch()
        with open(self.run_directory / "digests.jsonl", "a") as digests:
            digests.write('{"update":120,')  # training was killed
        output = self.check(0)
        found = re.search(r"^No digest covers these parts of the run: (.*)\.$", output, re.M)[1]
        self.assertEqual(found.split(", "), ["digests.jsonl:7 (an incomplete line", "which was ignored)",
                                             "step-00000080/.hidden", "curves.svg", "metrics.jsonl", "notes",
                                             "train.log", "the validation text"])

    def test_a_run_of_version_0_2_is_confirmed(self):
        self.make_old()
        output = self.check(0, "from update 60 to 100")
        self.assertRegex(output, r"No digest covers these parts of the run: step-00000060 \(except its config.yaml and weights\), ")

    def resume(self, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        status, output = run(PROGRAM, "train", self.run_directory / "config.yaml", "--output", self.run_directory,
                             "--resume", *words)
        self.assertEqual(status, 0, output)

    def train_until(self, update, *settings):
        """Starts or resumes the run, and interrupts it when the log shows this update."""
        exists = self.run_directory.exists()
        words = [word for setting in settings for word in ("--set", setting)]
        config = self.run_directory / "config.yaml" if exists else ROOT / "configs/debug.yaml"
        with subprocess.Popen([PROGRAM, "train", config, "--output", self.run_directory, *words,
                               *(["--resume"] if exists else [])], stderr=subprocess.PIPE) as training:
            while not re.search(rb"update +%d " % update, line := training.stderr.readline()):
                self.assertTrue(line)
            training.send_signal(signal.SIGINT)
            training.stderr.read()

    def test_an_extended_run_is_confirmed(self):
        self.resume("training.max_updates=130", "training.validation.every=60")
        self.check(0, "from update 100 to 130", "(3 updates compared)")
        self.check(0, "(4 updates compared)", "does not stop there: 20 40 80 100.", arguments=(0, 130))
        self.resume("training.max_updates=150", "training.max_minutes=0.0001")  # ends at once: no update
        self.check(0, "from update 0 to 130", arguments=(0, 130))

    def test_an_interrupted_run_is_confirmed(self):
        self.train_until(120, "training.max_updates=100000")
        interrupted = self.lines()[-1]["update"]
        self.check(0, f"to {interrupted}")
        self.resume(f"training.max_updates={interrupted + 20}")
        self.check(0, f"to {interrupted + 20}")

    def test_a_changed_config_is_reported(self):
        file = self.run_directory / "config.yaml"
        file.write_text(file.read_text().replace("dropout: 0.1", "dropout: 0.2"))
        self.check(1, "config.yaml is not the config that the run was trained with")

    def test_the_end_of_a_cosine_schedule_is_kept(self):
        shutil.rmtree(self.run_directory)
        run(PROGRAM, "train", ROOT / "configs/debug.yaml", "--output", self.run_directory, "--set",
            "training.schedule.kind=cosine", "--set", "training.schedule.warmup=5", "--set", "training.validation.every=20")
        self.check(0, "from update 0 to 40", arguments=(0, 40))

    def test_only_updates_that_were_compared_are_confirmed(self):
        """The end of a run that was interrupted and has a cosine schedule: the repetition continues to max_updates."""
        shutil.rmtree(self.run_directory)
        self.train_until(90, "training.schedule.kind=cosine", "training.validation.every=80", "training.max_updates=100000")
        while (end := self.lines()[-1]["update"]) % 80 == 0:
            self.train_until(end + 10)
        self.check(0, f"from update 0 to {end - end % 80},", f"does not stop there: {end}.", arguments=(0, end))
        if end < 160:
            self.check(2, "no update after 80 could be compared", arguments=(80, end))

    def test_a_run_that_had_to_start_over_is_confirmed(self):
        """It was interrupted before its first checkpoint."""
        for file in self.run_directory.glob("step-*"):
            shutil.rmtree(file)
        for name in ("best", "last", "metrics.jsonl", "curves.svg"):
            (self.run_directory / name).unlink()
        self.write(self.lines()[:1])
        self.resume()
        self.check(0, "from update 60 to 100")

    def test_a_run_published_without_its_checkpoints_is_confirmed_from_the_start(self):
        for file in [*self.run_directory.glob("step-*"), *self.run_directory.glob("average-*")]:
            shutil.rmtree(file)
        self.check(0, "from update 0 to 100", "best (it leads to nothing)")
        self.check(0, "from update 0 to 40", arguments=(0, 40))

    def test_pieces_are_those_of_the_run(self):
        """The run has other pieces than SentencePiece would learn from its config."""
        shutil.rmtree(self.run_directory)
        settings = ["--set", "tokenizer.kind=sentencepiece", "--set", "tokenizer.vocabulary_size=40", "--set",
                    "training.validation.every=20"]
        first = self.home / "pieces"
        run(PROGRAM, "train", ROOT / "configs/debug.yaml", "--output", first, *settings, "--set",
            "tokenizer.vocabulary_size=28", "--set", "training.max_updates=1")
        status, output = run(PROGRAM, "train", ROOT / "configs/debug.yaml", "--output", self.run_directory, *settings,
                             "--set", f"tokenizer.source_model={first}/last/source.spm", "--set",
                             f"tokenizer.target_model={first}/last/target.spm")
        self.assertEqual(status, 0, output)
        lines, config = self.lines(), self.run_directory / "config.yaml"
        config.write_text("\n".join('  source_model: ""  # x' if "source_model:" in line else
                                    '  target_model: ""  # x' if "target_model:" in line else line
                                    for line in config.read_text().split("\n")))
        lines[0]["config"] = sha256(config)
        self.write(lines)
        for checkpoint in self.run_directory.glob("step-*"):
            shutil.copy(config, checkpoint)
            self.forge(checkpoint)
        self.check(0, "from update 0 to 40", arguments=(0, 40))

    def test_another_self_test_is_reported(self):
        program = self.home / "other"
        program.write_text(f"""#!/bin/sh
if [ "$1" = --version ]; then echo 'arithmetic 0123456789abcdef'; else exec {PROGRAM} "$@"; fi
""")
        program.chmod(0o755)
        status, output = run(SCRIPT, GLASSFORMER=str(program))
        self.assertEqual(status, 1, output)
        self.assertIn("the self-test's digest is 0123456789abcdef instead of", output)

    def test_what_cannot_be_compared(self):
        self.check(2, "there is no such checkpoint; the run still has: 60 80 100", arguments=(20, 80))
        self.check(2, "has no digests for update 70; it has: 0 20 40 60 80 100", arguments=(60, 70))
        self.check(2, "expected FROM below TO", arguments=(80, 60))
        self.check(2, "expected two numbers", arguments=(80,))
        self.check(2, "there is no such program", GLASSFORMER="/nowhere")
        lines = self.lines()
        lines[-1]["arithmetic"] = "0123456789abcdef"
        self.write(lines)
        self.check(2, "the arithmetic of the run (0123456789abcdef) is not this program's")
        self.check(0, "from update 60 to 80", arguments=(60, 80))  # trained by this version
        self.assertEqual(run(SCRIPT, "")[0], 2)
        self.assertEqual(run(SCRIPT, self.home / "nowhere")[0], 2)

    def test_digests_that_cannot_be_read(self):
        file = self.run_directory / "digests.jsonl"
        file.write_text('{"kind":"train","update":20}\n')
        self.check(2, "digests.jsonl:1: expected a line that training wrote, found something else")
        file.write_text("")
        self.check(2, "digests.jsonl: expected lines that training wrote, found none")
        file.unlink()
        self.check(2, "there is no such file")
        os.mkfifo(file)
        self.check(2, "digests.jsonl: expected a file, found a directory, a pipe")

    def test_files_that_are_pipes_do_not_hang(self):
        for name, status in (("step-00000080/config.json", 1), ("step-00000080/SHA256SUMS", 2), ("config.yaml", 2)):
            file = self.run_directory / name
            file.rename(self.home / "saved")
            os.mkfifo(file)
            self.check(status, name + ": expected a file")
            file.unlink()
            (self.home / "saved").rename(file)

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_files_that_may_not_be_read(self):
        for name in ("digests.jsonl", "config.yaml", "step-00000080/model.safetensors", "step-00000080/SHA256SUMS"):
            (self.run_directory / name).chmod(0)
            self.check(2, name + ": this file cannot be read")
            (self.run_directory / name).chmod(0o644)

    def test_a_tool_that_is_missing_or_fails(self):
        tools = self.home / "tools"
        tools.mkdir()
        for name in ("bash", "awk", "cmp", "cut", "diff", "grep", "head", "mktemp", "od", "sed", "sort", "tail", "tr", "wc",
                     "rm", "cp", "dirname"):
            (tools / name).symlink_to(shutil.which(name))
        self.check(2, "expected the program sha256sum or shasum, found neither", PATH=str(tools))
        (tools / "sha256sum").write_text("#!/bin/bash\nexit 1\n")
        (tools / "sha256sum").chmod(0o755)
        self.check(2, PATH=str(tools))
        self.check(2, "no temporary directory could be made", TMPDIR="/nowhere")
        self.check(2, "could not be compared", GLASSFORMER="/bin/false")

    def test_escape_sequences_are_shown_not_sent(self):
        self.check(2, r"/no\x1B[31mwhere: there is no such program", GLASSFORMER="/no\x1b[31mwhere")
        lines = self.lines()
        lines[-1]["arithmetic"] = "\x1b[31m"
        lines[-1]["weights"] = {"\u009b31m": "0" * 16}
        self.write(lines)
        (self.run_directory / "\x1b[2J").touch()
        self.check(0, r"run: \x1B[2J, curves.svg, ", arguments=(60, 80))
        text = self.home / "te\x1b[31mxt"
        self.check(2, r"te\x1B[31mxt/train.en: the text of this run", arguments=(60, 80, "--set", f"data.directory={text}"))
        (self.checkpoint(80) / os.fsdecode("a\nb\u009b\u202eäß中😀".encode() + b"\xff\x9b")).touch()
        self.check(1, r"/a\x0Ab\xC2\x9B\xE2\x80\xAEäß中😀\xFF\x9B is not in SHA256SUMS")

    def test_the_documents(self):
        status, output = run(SCRIPT)
        self.assertEqual(status, 0, output)
        self.assertIn("This machine computes exactly what the documents say (261 digests compared).", output)
        self.assertEqual(run(SCRIPT, "--al")[0], 2)
        self.assertIn("scripts/verify.sh --all", run(SCRIPT, "--help")[1])

    def test_ctrl_c_just_stops(self):
        directory = self.home / "temporary"
        directory.mkdir()
        # Programs started in the background may ignore SIGINT, and a shell that inherits this cannot change it.
        with subprocess.Popen([SCRIPT, "--all"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              start_new_session=True, env=os.environ | {"TMPDIR": str(directory)},
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as verify:
            while not list(directory.glob("*/toy/digests.jsonl")):
                self.assertIsNone(verify.poll())
                time.sleep(0.01)
            os.killpg(verify.pid, signal.SIGINT)
            self.assertEqual(verify.stdout.read(), "")
        self.assertEqual(verify.returncode, 130)
        self.assertEqual(list(directory.iterdir()), [])



class VerifyMean(Run):
    """A run that ends with the mean of its last two checkpoints."""
    SETTINGS = ("--set", "training.checkpoints.average=2")

    def test_the_mean_is_repeated(self):
        self.check(0, "So is the mean of the last checkpoints.")
        self.check(0, "The mean of the last checkpoints (average-*) was not repeated.", arguments=(60, 80))
        mean = self.run_directory / "average-00000100"
        flip_bit(mean / "model.safetensors", 5000)
        self.check(1, "average-00000100/model.safetensors does not have the checksum")
        self.forge(mean)
        self.check(1, "NOT confirmed: ", "average-00000100/model.safetensors does not hold what the repetition wrote")
        lines = self.lines()
        next(line for line in lines if "average" in line)["weights"]["model.decoder.layers.0.fc1.weight"] = "0" * 16
        self.write(lines)
        self.check(1, "NOT confirmed: in the mean of the last checkpoints, model.decoder.layers.0.fc1.weight differs")

    def test_the_mean_is_only_the_best_if_the_run_says_so(self):
        line = next(line for line in self.lines() if "average" in line)
        best = self.run_directory / "best"
        original = os.readlink(best)
        self.assertEqual(line["best"], original == "average-00000100")
        best.unlink()
        best.symlink_to("step-00000100" if line["best"] else "average-00000100")
        self.check(1, f"but the run's best checkpoint is {original}: best has been changed")

    def test_a_run_killed_after_it_recorded_a_mean_as_the_best_is_confirmed(self):
        """It was killed before it moved the link best, or before it wrote this to the training state."""
        lines = self.lines()
        mean = next(i for i, line in enumerate(lines) if "average" in line)
        last = lines[mean - 1]
        lines[mean]["best"] = True
        self.write(lines[:mean + 1])
        state = (self.checkpoint(100) / "training_state.safetensors").read_bytes()
        best = int(re.search(rb'\\"best_update\\":(\d+)', state)[1])
        self.assertEqual(best, 100)
        if sha256(self.checkpoint(100) / "SHA256SUMS") != last["checksums"]:  # it was rewritten
            (self.run_directory / "best").unlink()
            self.check(0, "step-00000100 (training may have been killed while it rewrote this checkpoint)")
        self.forge(self.checkpoint(100))
        for name, status in (("step-00000100", 0), ("average-00000100", 0), ("step-00000080", 1)):
            (self.run_directory / "best").unlink(missing_ok=True)
            (self.run_directory / "best").symlink_to(name)
            self.check(status)
        lines = self.lines()
        self.write([*lines, lines[mean - 1]])
        for name, status in (("step-00000100", 1), ("average-00000100", 0)):
            (self.run_directory / "best").unlink()
            (self.run_directory / "best").symlink_to(name)
            self.check(status)

    def test_the_mean_of_a_run_of_version_0_2_is_not_covered(self):
        self.make_old()
        output = self.check(0, "(average-*) was not repeated")
        self.assertRegex(output, "No digest covers these parts of the run: .*, average-00000100, ")


if __name__ == "__main__":
    unittest.main()
