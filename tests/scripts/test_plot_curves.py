"""Tests scripts/plot_curves.py.

    python3 tests/scripts/test_plot_curves.py
"""

import json
import math
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts/plot_curves.py"


def training_of(count):
    """The objective, `loss`, is not drawn."""
    return [{"kind": "train", "update": i, "perplexity": math.exp(1 + 6 * math.exp(-5 * i / count)), "loss": 100}
            for i in range(1, count + 1)]


def validation_of(count, every):
    return [{"kind": "validation", "update": i * every, "loss": 2 - 0.01 * i, "bleu": i, "exact_match": 0.25,
             "token_accuracy": 0.7, "best": i <= 2} for i in range(1, count + 1)]


def points(svg, commands="ML"):
    """The number of points on all curves, or only of those that start a piece of a curve ("M")."""
    return sum(len(re.findall(f"[{commands}]", path)) for path in re.findall(r"<g fill='[^']*'><path d='([^']*)'", svg))


class PlotCurves(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.run_directory = Path(directory.name)

    def plot(self, entries, rest=""):
        metrics = "".join(json.dumps(entry) + "\n" for entry in entries) + rest
        (self.run_directory / "metrics.jsonl").write_text(metrics, encoding="utf-8")
        subprocess.run([sys.executable, SCRIPT, self.run_directory], check=True)
        svg = (self.run_directory / "curves.svg").read_text(encoding="utf-8")
        xml.etree.ElementTree.fromstring(svg)  # raises an exception if it is not well-formed
        self.assertIsNone(re.search("=['\"][^'\"]*(nan|inf|None)", svg))
        return svg

    def test_the_plot_shows_every_point_of_a_short_run(self):
        svg = self.plot(training_of(60) + validation_of(6, 10), '{"kind":"train","update":61,"lo')
        self.assertEqual(points(svg), 60 + 4 * 6)  # training; loss, accuracy, BLEU and exact match of the validation
        self.assertEqual(points(svg, "M"), 5)  # each in one piece
        self.assertEqual(svg.count("<circle "), 60 + 4 * 6)
        for dot in ("training 1.04, update 60", "validation 1.98, update 20", "BLEU 6, update 60",
                    "exact match 25, update 10", "token accuracy 70, update 30"):
            self.assertEqual(svg.count(f">{dot}<"), 1, dot)

    def test_points_are_where_the_axes_put_them(self):
        validation = validation_of(3, 500)
        for entry, loss in zip(validation, (1, 2, 5)):
            entry["loss"] = loss
        svg = self.plot(validation)

        def place(mark, coordinate):
            return float(re.search(rf"<text (?:[^>]* )?{coordinate}='([^']*)'[^>]*>{mark}</text>", svg)[1])

        x_500, x_1500, y_1, y_5 = place("500", "x"), place("1,500", "x"), place("1", "y"), place("5", "y")
        path = re.search("<g fill='#d55e00'><path d='([^']*)'", svg)[1]
        expected = [x_500, y_1, (x_500 + x_1500) / 2, y_1 + (y_5 - y_1) / 4, x_1500, y_5]
        found = re.findall("[0-9.]+", path)
        self.assertEqual(len(found), len(expected))
        for number, wanted in zip(found, expected):
            self.assertAlmostEqual(float(number), wanted, delta=0.11)

    def test_ticks_are_round_numbers_and_cover_all_values(self):
        for low, high, expected in ((1.2, 5.9, "1 2 3 4 5 6"), (1, 6, "1 2 3 4 5 6"), (2, 2, "1 1.5 2 2.5 3"),
                                    (0.061, 0.0613, "0.061 0.06105 0.0611 0.06115 0.0612 0.06125 0.0613"),
                                    (2000, 9000, "2000 3000 4000 5000 6000 7000 8000 9000"),
                                    (-3, 100, "-20 0 20 40 60 80 100")):
            validation = validation_of(2, 10)
            validation[0]["loss"], validation[1]["loss"] = low, high
            top = self.plot(validation).split("Validation, in percent")[0]
            self.assertEqual(" ".join(re.findall("dy='4'>([^<]*)<", top)), expected)

    def test_the_plot_names_the_best_validation(self):
        self.assertIn("the best validation is at update 2,000<", self.plot(training_of(60) + validation_of(6, 1000)))
        self.assertNotIn("best", self.plot(training_of(60)))

    def test_the_curves_of_a_long_run_are_thinned_out(self):
        svg = self.plot(training_of(100001) + validation_of(1001, 100))
        self.assertTrue(2500 < points(svg) < 5000)
        self.assertNotIn("<circle ", svg)
        self.assertEqual(svg.count("</tspan> training 1.04 "), 1)

    def test_nan_and_infinity_break_the_line_and_nothing_else(self):
        training = training_of(10)
        training[3]["perplexity"] = training[5]["perplexity"] = None
        svg = self.plot(training)
        self.assertEqual((points(svg), points(svg, "M"), svg.count("<circle ")), (8, 3, 8))

    def test_runs_with_next_to_nothing_to_show_get_a_plot_too(self):
        for entries in ([], training_of(1), validation_of(1, 7), training_of(2) + validation_of(1, 2),
                        [{**training_of(1)[0], "perplexity": 1e300}, {**training_of(1)[0], "perplexity": 0}],
                        [{**entry, "loss": 1e300 if entry["best"] else -1e29} for entry in validation_of(3, 1)]):
            self.plot(entries)
        nothing = [{**entry, "perplexity": None} for entry in training_of(3)]
        nothing += [{**entry, "loss": None, "bleu": None, "exact_match": None, "token_accuracy": None}
                    for entry in validation_of(3, 1)]
        self.assertEqual(self.plot(nothing).count("nothing yet"), 2)

    def test_a_curve_without_values_is_not_in_the_legend(self):
        svg = self.plot([{**entry, "exact_match": None} for entry in validation_of(4, 10)])
        self.assertEqual((svg.count("exact match"), svg.count("</tspan> BLEU 4"), svg.count("</tspan> training")),
                         (0, 1, 0))

    def test_a_directory_without_metrics_is_an_error(self):
        failed = subprocess.run([sys.executable, SCRIPT, self.run_directory], capture_output=True, text=True)
        self.assertEqual(failed.returncode, 2)
        self.assertIn("metrics.jsonl: no such file", failed.stderr)


if __name__ == "__main__":
    unittest.main()
