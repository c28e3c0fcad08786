"""Tests the lists that the mutation test reads: each entry fits the sources, and mutants that change no result are left
out of the count."""

import contextlib
import io
import sys
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "scripts" / "dev" / "mutants"))

import mutate  # noqa: E402
from mutate import EQUIVALENT, faults  # noqa: E402


def result(caught, equivalent=False):
    return {"operator": "literal", "file": "src/layers/masks.cpp", "number": 1, "line": 1, "shown": "0 becomes 1",
            "by": "a test" if caught else None, "equivalent": equivalent}


class Lists(unittest.TestCase):
    def test_every_fault_has_one_place(self):
        found = faults.read_faults()
        self.assertTrue(0 < len(found) <= 60, len(found))
        for fault in found:
            faults.place((PROJECT / fault.file).read_text(encoding="utf-8"), fault)  # raises ValueError otherwise

    def test_every_equivalent_mutant_is_one_of_the_mutants(self):
        equivalent = mutate.read_equivalent()
        self.assertEqual(len(equivalent), len(faults.read_faults(EQUIVALENT)))
        texts = mutate.sources(sorted({file for file, _ in equivalent}))
        made = {(mutant.file, mutant.planted_in(texts[mutant.file])) for mutant in mutate.all_mutants(texts)}
        self.assertLessEqual(equivalent, made)


class Count(unittest.TestCase):
    def enough(self, results):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            return mutate.print_tables(results), printed.getvalue()

    def test_at_least_95_percent_must_be_caught(self):
        self.assertTrue(self.enough([result(True)] * 95 + [result(False)] * 5)[0])
        self.assertFalse(self.enough([result(True)] * 94 + [result(False)] * 6)[0])

    def test_mutants_that_change_no_result_count_only_if_caught(self):
        enough, printed = self.enough([result(True)] * 19 + [result(False)] + [result(False, equivalent=True)] * 9)
        self.assertTrue(enough)
        self.assertIn("change no result: 9", printed)
        self.assertIn("caught 19 of 20", printed)
        self.assertIn("caught 20 of 21", self.enough([result(True)] * 19 + [result(False), result(True, True)])[1])


if __name__ == "__main__":
    unittest.main()
