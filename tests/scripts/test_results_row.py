"""Tests the script that prints a row of results, with a stand-in for the program.

    python3 tests/scripts/test_results_row.py
"""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "scripts/dev"))
import results_row  # noqa: E402

REFERENCE = ["ein hund läuft .", "eine frau sieht\u2028ein haus .", "zwei männer sitzen auf einer bank ."]
STAND_IN = """#!/bin/sh
case $1 in
  evaluate) cat "$2/figures.json" ;;
  translate) cat "$2/translations" ;;
esac
"""


class ResultsRow(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        results_row.PROGRAM = self.directory / "program"
        results_row.PROGRAM.write_text(STAND_IN, encoding="utf-8")
        results_row.PROGRAM.chmod(0o755)
        (self.directory / "reference").write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")

    def run_of(self, name, bleu, minutes, parameters=1_840_000):
        run = self.directory / name
        run.mkdir()
        (run / "metrics.jsonl").write_text('{"minutes": 1.0}\n' + json.dumps({"minutes": minutes}) + "\n")
        (run / "translations").write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")
        (run / "figures.json").write_text(json.dumps([{
            "bleu": bleu, "parameters": parameters, "source": "source",
            "reference": str(self.directory / "reference"),
            "bleu_signature": "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:x"}]))
        return run

    def row(self, *runs):
        sys.argv = ["results_row.py", "--task", "captions", "--published", "41.02", *map(str, runs)]
        output, errors = io.StringIO(), io.StringIO()
        self.errors = errors
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            results_row.main()
        return output.getvalue().splitlines()[-1]

    def test_the_row_has_mean_deviation_and_each_seed(self):
        row = self.row(self.run_of("a", 100, 50.4), self.run_of("b", 100, 51.6))
        self.assertEqual(row, "| captions | 1.84 M | 50, 52 | 100.00 ± 0.00 | 100.00, 100.00 | 41.02 | "
                              "`nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:x` |")

    def test_one_seed_has_no_deviation(self):
        self.assertIn("| 100.00 | 100.00 |", self.row(self.run_of("a", 100, 50)))

    def test_runs_of_different_models_are_refused(self):
        with self.assertRaises(SystemExit) as refused:
            self.row(self.run_of("a", 100, 50), self.run_of("b", 100, 50, parameters=2_000_000))
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("of one config", self.errors.getvalue())

    def test_a_path_that_is_not_a_run_is_refused(self):
        with self.assertRaises(SystemExit) as refused:
            self.row(self.directory / "nowhere")
        self.assertEqual(refused.exception.code, 2)

    def test_a_bleu_that_differs_from_sacrebleu_is_an_error(self):
        try:
            import sacrebleu  # noqa: F401
        except ImportError:
            self.skipTest("sacrebleu is not installed")
        with self.assertRaises(SystemExit):
            self.row(self.run_of("a", 99.9, 50))


if __name__ == "__main__":
    unittest.main()
