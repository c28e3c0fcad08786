"""Tests scripts/verify.sh with build/release/glassformer.

    python3 tests/scripts/test_verify.py
"""

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


def flip_bit(file, offset):
    data = bytearray(file.read_bytes())
    data[offset] ^= 1
    file.write_bytes(data)


class Verify(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.home = Path(cls.directory.name)
        shutil.copytree(ROOT / "data/debug", cls.home / "text")
        status, output = run(PROGRAM, "train", ROOT / "configs/debug.yaml", "--output", cls.home / "run", "--set",
                             f"data.directory={cls.home / 'text'}", "--set", "training.validation.every=20", "--set",
                             "training.checkpoints.keep=3", "--set", "model.dropout=0.1")
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

    def lines(self):
        return [json.loads(line) for line in (self.run_directory / "digests.jsonl").read_text().splitlines()]

    def write(self, lines):
        """Writes the lines with a chain that fits them."""
        text = ""
        for line in lines:
            line["before"] = hashlib.sha256(text.encode()).hexdigest() if text else ""
            text += json.dumps(line, separators=(",", ":")) + "\n"
        (self.run_directory / "digests.jsonl").write_text(text)

    def test_a_run_has_a_chain_of_digests(self):
        lines = self.lines()
        self.assertEqual([line["update"] for line in lines], [0, 20, 40, 60, 80, 100])
        before = (self.run_directory / "digests.jsonl").read_text()
        self.write(lines)
        self.assertEqual((self.run_directory / "digests.jsonl").read_text(), before)
        sha256 = lambda file: hashlib.sha256(file.read_bytes()).hexdigest()
        self.assertEqual(lines[0]["config"], sha256(self.run_directory / "config.yaml"))
        self.assertEqual(lines[0]["source"], sha256(self.home / "text/train.en"))
        self.assertEqual(lines[0]["target"], sha256(self.home / "text/train.de"))

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
        file = self.run_directory / "step-00000080/model.safetensors"
        flip_bit(file, file.stat().st_size - 5)
        (file.parent / "SHA256SUMS").unlink()
        self.check(1, "step-00000080/model.safetensors does not hold the weights that the run recorded")

    def test_a_start_with_other_weights_is_reported(self):
        file = self.run_directory / "step-00000060/model.safetensors"
        flip_bit(file, file.stat().st_size - 5)
        (file.parent / "SHA256SUMS").unlink()
        self.check(1, "NOT confirmed: after update 60, ")

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
        for file in [*self.run_directory.glob("step-*"), *self.run_directory.glob("average-*")]:
            shutil.rmtree(file)
        for link in ("best", "last"):
            (self.run_directory / link).unlink()
        self.resume()
        self.check(0, "from update 60 to 100")

    def test_a_run_published_without_its_checkpoints_is_confirmed_from_the_start(self):
        for file in [*self.run_directory.glob("step-*"), *self.run_directory.glob("average-*")]:
            shutil.rmtree(file)
        self.check(0, "from update 0 to 100")
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
        lines[0]["config"] = hashlib.sha256(config.read_bytes()).hexdigest()
        self.write(lines)
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
        (self.run_directory / "digests.jsonl").unlink()
        self.check(2, "there is no such file")

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


if __name__ == "__main__":
    unittest.main()
