"""Tests the commands in docs/train-your-own.md that split one pair of files.

    python3 tests/scripts/test_documented_split.py
"""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs/train-your-own.md").read_text(encoding="utf-8")
BLOCK = next(block for block in re.findall(r"^```sh run\n(.*?)^```", PAGE, re.M | re.S) if "paste" in block)
COMMANDS = BLOCK[BLOCK.index("\nif "):]  # after those that make all.en and all.de
PAIRS = [(f"source {i}", f"target {i}") for i in range(1200)]


class DocumentedSplit(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)

    def split(self, source, target):
        (self.home / "all.en").write_bytes(source)
        (self.home / "all.de").write_bytes(target)
        done = subprocess.run(["bash", "-c", COMMANDS], cwd=self.home, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def text(self, side, end="\n"):
        return end.join(pair[side] for pair in PAIRS).encode() + end.encode()

    def lines(self, name):
        return (self.home / name).read_text(encoding="utf-8").splitlines()

    def check_refused(self, source, target, reason):
        status, message = self.split(source, target)
        self.assertEqual(status, 1, message)
        self.assertIn(reason, message)
        self.assertEqual(sorted(path.name for path in self.home.iterdir()), ["all.de", "all.en"])
        return message

    def test_pairs_stay_together_and_each_is_in_one_text(self):
        for end in (b"", b"\n"):  # with and without a newline at the end of one file
            self.assertEqual(self.split(self.text(0) + b"source 7\n", self.text(1) + b"target 7" + end), (0, ""))
            pairs = []
            for name, count in (("train", 200), ("val", 500), ("test", 500)):
                source, target = self.lines(f"{name}.en"), self.lines(f"{name}.de")
                self.assertEqual((len(source), len(target)), (count, count))
                pairs += zip(source, target)
            self.assertEqual(sorted(pairs), sorted(PAIRS))

    def test_files_of_unequal_length_are_refused(self):
        lines = self.text(1).splitlines(keepends=True)
        for fewer in (lines[:600] + lines[601:], lines[:-1]):
            self.check_refused(self.text(0), b"".join(fewer), "different numbers of lines")
        self.check_refused(self.text(0).rstrip(b"\n"), b"".join(lines[:-1]), "different numbers of lines")

    def test_characters_that_would_separate_pairs_are_refused_and_the_advice_removes_them(self):
        reason = "tabs, Windows line ends or byte order marks"
        for source in (self.text(0).replace(b"source 5\n", b"source\t5\n"), self.text(0, "\r\n"),
                       b"\xef\xbb\xbf" + self.text(0)):
            advice = self.check_refused(source, self.text(1), reason).splitlines()[1]
            subprocess.run(["bash", "-c", advice], cwd=self.home, check=True)
            self.assertEqual((self.home / "all.en").read_bytes(), self.text(0))
            for old in self.home.glob("*.old"):
                old.unlink()

    def test_sentences_that_a_locale_sorts_alike_are_not_duplicates(self):
        different = "".join(f"{chr(0x1F300 + i)}\n" for i in range(500)).encode()
        self.assertEqual(self.split(self.text(0) + different, self.text(1) + 500 * b"x\n"), (0, ""))
        self.assertEqual(len(self.lines("train.en")), 700)

    def test_an_existing_directory_is_left_alone(self):
        self.assertTrue(BLOCK.startswith("mkdir my_text && cd my_text\n"))


if __name__ == "__main__":
    unittest.main()
