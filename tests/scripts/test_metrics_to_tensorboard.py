"""Uses TensorBoard to read what scripts/metrics_to_tensorboard.py writes. Skipped without the package tensorboard.

    python3 tests/scripts/test_metrics_to_tensorboard.py
"""

import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts/metrics_to_tensorboard.py"
METRICS = """\
{"kind":"train","update":50,"loss":3.5,"minutes":1.0,"minutes_left":null}
{"kind":"validation","update":50,"loss":3.0,"bleu":null,"minutes":1.5,"best":true}
{"kind":"train","update":100,"loss":null,"minutes":3.0,"minutes_left":2.0}
{"kind":"train","update":150,"lo"""


@unittest.skipUnless(importlib.util.find_spec("tensorboard"), "needs the package tensorboard")
class MetricsToTensorboard(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.run_directory = Path(directory.name) / "run"
        self.run_directory.mkdir()

    def convert(self):
        return subprocess.run([sys.executable, SCRIPT, self.run_directory], capture_output=True, text=True)

    def test_metrics_are_stored_by_kind_and_update_without_null_values_and_incomplete_lines(self):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        (self.run_directory / "metrics.jsonl").write_text(METRICS)
        for _ in range(2):  # the second time replaces the first
            self.assertEqual(self.convert().returncode, 0)
        events = EventAccumulator(str(self.run_directory / "tensorboard"))
        events.Reload()
        shown = {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
        self.assertEqual(shown, {
            "train/loss": [(50, 3.5)], "train/minutes": [(50, 1), (100, 3)], "train/minutes_left": [(100, 2)],
            "validation/loss": [(50, 3)], "validation/minutes": [(50, 1.5)], "validation/best": [(50, 1)]})
        first, last = (event.wall_time for event in events.Scalars("train/minutes"))
        self.assertAlmostEqual(last - first, 120)

    def test_files_of_others_are_kept(self):
        (self.run_directory / "metrics.jsonl").write_text(METRICS)
        others = [self.run_directory / "tensorboard" / name for name in ("events.out.tfevents.1.mine", "notes.txt")]
        others[0].parent.mkdir()
        for file in others:
            file.write_text("mine")
        for _ in range(2):
            self.assertIn("has event files that this script did not write, which TensorBoard shows, too: "
                          "events.out.tfevents.1.mine\n", self.convert().stderr)
        self.assertEqual([file.read_text() for file in others], ["mine", "mine"])
        self.assertEqual(len(list(others[0].parent.iterdir())), 3)

    def test_a_directory_that_is_not_a_run_is_refused(self):
        refused = self.convert()
        self.assertEqual(refused.returncode, 2)
        self.assertIn("metrics.jsonl: no such file; give the directory of a run", refused.stderr)


if __name__ == "__main__":
    unittest.main()
