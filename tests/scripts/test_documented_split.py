"""Tests the commands in docs/train-your-own.md that split one pair of files.

    python3 tests/scripts/test_documented_split.py
"""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs/train-your-own.md").read_text(encoding="utf-8")
COMMANDS = next(block for block in re.findall(r"^```sh run\n(.*?)^```", PAGE, re.M | re.S) if "paste" in block)
SHELLS = [shell for shell in ("bash", "dash", "zsh") if shutil.which(shell)]
PAIRS = [(f"source {i}", f"target {i}") for i in range(1600)]
RESULT = sorted(f"{name}.{language}" for name in ("all", "train", "val", "test") for language in ("en", "de"))


class DocumentedSplit(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)
        self.result = self.home / "my_text"
        (self.home / "data/toy").mkdir(parents=True)
        for name in RESULT:  # the user's: nothing may change it
            (self.home / name).write_text("mine")
        for name in ("pairs", "sorted", "train", "val", "test"):
            (self.home / name).write_text("mine")

    def run_commands(self, shell="bash", commands=COMMANDS):
        outside = self.outside()
        done = subprocess.run([shell, "-c", commands], cwd=self.home, capture_output=True, text=True, check=False)
        self.assertEqual(self.outside(), outside)
        return done.returncode, done.stdout + done.stderr

    def outside(self):
        return {path: path.read_bytes() for path in self.home.rglob("*")
                if path.is_file() and self.result not in path.parents}

    def inside(self):
        return {path.name: path.read_bytes() for path in self.result.iterdir()}

    def split(self, source, target, shell="bash"):
        """Splits these texts; None: the file is missing."""
        shutil.rmtree(self.result, ignore_errors=True)
        for language, text in (("en", source), ("de", target)):
            file = self.home / f"data/toy/train.{language}"
            file.unlink(missing_ok=True)
            if text is not None:
                file.write_bytes(text)
        return self.run_commands(shell)

    def text(self, side, end="\n", pairs=PAIRS):
        return end.join(pair[side] for pair in pairs).encode() + end.encode()

    def lines(self, name):
        return (self.result / name).read_text(encoding="utf-8").splitlines()

    def check_split(self, pairs=PAIRS):
        self.assertEqual(sorted(self.inside()), RESULT)
        found = []
        for name, count in (("train", len(pairs) - 1000), ("val", 500), ("test", 500)):
            source, target = self.lines(f"{name}.en"), self.lines(f"{name}.de")
            self.assertEqual((len(source), len(target)), (count, count))
            found += zip(source, target)
        self.assertEqual(sorted(found), sorted(pairs))

    def check_refused(self, source, target, reason):
        for shell in SHELLS:
            with self.subTest(shell=shell):
                status, message = self.split(source, target, shell)
                self.assertEqual(status, 1, message)
                self.assertIn(reason, message)
                self.assertNotIn("train.en", self.inside())

    def test_pairs_stay_together_and_each_is_in_one_text(self):
        for shell in SHELLS:
            for end in (b"", b"\n"):  # with and without a newline at the end of one file
                with self.subTest(shell=shell, end=end):
                    self.assertEqual(self.split(self.text(0) + b"source 7\n", self.text(1) + b"target 7" + end, shell),
                                     (0, ""))
                    self.check_split()

    def test_files_of_unequal_length_are_refused(self):
        lines = self.text(1).splitlines(keepends=True)
        for fewer in (lines[:600] + lines[601:], lines[:-1]):
            self.check_refused(self.text(0), b"".join(fewer), "different numbers of lines")
        self.check_refused(self.text(0).rstrip(b"\n"), b"".join(lines[:-1]), "different numbers of lines")

    def test_characters_that_would_separate_pairs_are_removed(self):
        for shell in SHELLS:
            for source in (self.text(0).replace(b"source 5\n", b"source\t5\n"), self.text(0, "\r\n"),
                           b"\xef\xbb\xbf" + self.text(0)):
                with self.subTest(shell=shell, source=source[:12]):
                    self.assertEqual(self.split(source, self.text(1), shell), (0, ""))
                    self.check_split()

    def test_text_that_is_not_utf_8_is_refused(self):
        for encoding in ("utf-16", "utf-16-le"):  # with and without a byte order mark
            self.check_refused(self.text(0).decode().encode(encoding), self.text(1), "all.en is not in UTF-8")
        self.check_refused(self.text(0), self.text(1) + "größer\n".encode("latin-1"), "all.de is not in UTF-8")

    def test_files_that_are_missing_or_empty_are_refused(self):
        self.check_refused(None, self.text(1), "train.en")
        self.check_refused(self.text(0), None, "train.de")
        self.check_refused(None, None, "train.en")
        self.check_refused(b"", b"", "at least 1500 different sentence pairs")

    def test_too_few_pairs_are_refused(self):
        few = PAIRS[:1499]
        self.check_refused(self.text(0, pairs=few + few), self.text(1, pairs=few + few), "at least 1500")
        self.assertEqual(self.split(self.text(0, pairs=PAIRS[:1500]), self.text(1, pairs=PAIRS[:1500])), (0, ""))
        self.check_split(PAIRS[:1500])

    def test_sentences_that_a_locale_sorts_alike_are_not_duplicates(self):
        different = [(chr(0x1F300 + i), "x") for i in range(500)]
        self.assertEqual(self.split(self.text(0, pairs=PAIRS + different), self.text(1, pairs=PAIRS + different)), (0, ""))
        self.check_split(PAIRS + different)

    def test_a_second_call_changes_nothing(self):
        for shell in SHELLS:
            with self.subTest(shell=shell):
                self.split(self.text(0), self.text(1))
                before = self.inside()
                status, message = self.run_commands(shell)
                self.assertEqual(status, 1)
                self.assertRegex(message, "my_text.*exists")
                self.assertEqual(self.inside(), before)

    def test_pasted_into_an_interactive_shell(self):
        """Line by line: nothing may run after a command that failed, and the shell continues."""
        for shell, options in (("bash", ["--norc", "-i"]), ("dash", ["-i"]), ("zsh", ["-f", "-i"])):
            if shell not in SHELLS:
                continue
            with self.subTest(shell=shell):
                shutil.rmtree(self.result, ignore_errors=True)
                for language in ("en", "de"):
                    (self.home / f"data/toy/train.{language}").write_bytes(self.text(language == "de"))
                outside = self.outside()
                for _ in range(2):
                    done = subprocess.run([shell, *options], input=COMMANDS + "echo the end\n", cwd=self.home, text=True,
                                          capture_output=True, check=False, start_new_session=True)
                    self.assertIn("the end", done.stdout)
                    self.check_split()
                    self.assertEqual(self.outside(), outside)


if __name__ == "__main__":
    unittest.main()
