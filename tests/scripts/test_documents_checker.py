"""Tests scripts/dev/test_documents.py: it must object to each kind of mistake in a page, and to nothing else.

    python3 tests/scripts/test_documents_checker.py
"""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "scripts/dev"))
import test_documents as documents  # noqa: E402

HELPS = {"train": "Train a model\n\nOptions:\n  -h,--help    help\n  --set KEY=VALUE ...   set a key\n  --resume   continue\n"
                  "  --early-stopping,--no-early-stopping{false}\n"}
KEYS = {"model", "model.dropout", "training.max_updates"}


class Names(unittest.TestCase):
    def mistakes(self, text):
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory) / "page.md"
            page.write_text(text, encoding="utf-8")
            (Path(directory) / "other.md").write_text("# One heading, `code`\n\n## Twice\n\n## Twice\n", encoding="utf-8")
            return [*documents.wrong_links(page, text), *documents.wrong_paths(text), *documents.wrong_keys(text, KEYS),
                    *documents.wrong_options(documents.blocks_of(text), HELPS)]

    def test_what_is_right_passes(self):
        self.assertEqual(self.mistakes(
            "# A page\n[a](other.md) [b](other.md#one-heading-code) [c](#a-page) [d](other.md#twice-1) [e](https://x.org)\n"
            "`src/layers/linear` `src/main.cpp` `tests/layers/*.cpp` `model.dropout` `training.max_updates`\n"
            "```sh\nbuild/release/glassformer train configs/toy.yaml \\\n  --set model.dropout=0.2 --no-early-stopping\n```\n"),
            [])

    def test_each_mistake_is_found(self):
        for text, what in (
                ("[a](missing.md)", "no such file"), ("[a](other.md#nothing)", "no such heading"),
                ("[a](#nothing)", "no such heading"), ('<img src="missing.png">', "no such file"),
                ("`scripts/nothing.sh`", "no such file"), ("`src/layers/liner`", "no such file"),
                ("`model.dropuot`", "no such config key"), ("--set training.max_update=3", "no such config key"),
                ("```sh\nglassformer tran x\n```", "no such command"),
                ("```sh\nbuild/release/glassformer train x --resum\n```", "no option --resum")):
            found = self.mistakes(text + "\n")
            self.assertEqual(len(found), 1, (text, found))
            self.assertIn(what, found[0])


class Outputs(unittest.TestCase):
    def test_what_is_right_passes(self):
        for expected, printed in (("b\n", "a\nb\n"), ("a 1.00 b\n", "a   1.00  b\n"), ("a ...\n", "a\n"), ("a ...\n", "a b c\n"),
                                  ("a\n...\nd\n", "a\nb\nc\nd\n"), ("a\n...\n", "x\na\nb\n"), ("a ... c\n", "a b c\n")):
            self.assertFalse(documents.differs(expected, printed), (expected, printed))

    def test_each_difference_is_found(self):
        for expected, printed in (("a\n", "a\nb\n"), ("a\nb\n", "b\n"), ("a 1.00\n", "a 1.01\n"), ("0 1 1\n", "0 1 0\n"),
                                  ("a\n...\nd\n", "a\nb\nc\n"), ("12 tokens\n", "13 tokens\n"), ("ab\n", "cab\n")):
            self.assertTrue(documents.differs(expected, printed), (expected, printed))


class Commands(unittest.TestCase):
    def run_text(self, text):
        with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            page = Path(directory) / "page.md"
            page.write_text(text, encoding="utf-8")
            return documents.run_page(page, Path(directory))

    def test_marked_blocks_are_run_in_order_and_compared(self):
        ran, wrong = self.run_text(
            "```yaml file=a.yaml\nkey: 1\n```\n```sh run\ncat a.yaml\n```\n```text output\nkey: 1\n```\n"
            "```sh\nfalse\n```\n```python run=json\nprint('| 1.5 |')\n```\n<!-- output -->\n| 1.5 |\n\n"
            "```python run=no_such_module\nraise SystemExit(1)\n```\n```text output\nnot compared\n```\n")
        self.assertEqual((ran, wrong), (2, []))

    def test_a_failing_command_and_a_different_output_are_found(self):
        ran, wrong = self.run_text("```sh run\necho a; false\necho b\n```\n```sh run\necho a\n```\n```text output\nb\n```\n")
        self.assertEqual(ran, 2)
        self.assertEqual(len(wrong), 2)
        self.assertIn("exit status 1", wrong[0])
        self.assertIn("differs", wrong[1])

    def test_a_different_table_is_found(self):
        _, wrong = self.run_text("```sh run\necho '| a |'\n```\n<!-- output -->\n| b |\n\nText.\n")
        self.assertEqual(len(wrong), 1)


if __name__ == "__main__":
    unittest.main()
