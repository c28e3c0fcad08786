"""Tests how scripts/dev/fault_injection.py judges what a program did.

    python3 tests/scripts/test_fault_injection.py
"""

import hashlib
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "scripts/dev"))
import fault_injection as fi  # noqa: E402

EXPECTED = {"out": b"", "result": b"a\nb\n"}
NO_MEMORY = "glassformer: not enough memory\n"


class FaultInjection(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.workplace = fi.Workplace(Path(directory.name), None, None)
        (self.workplace.directory / "out").touch()

    def error(self, call, status, err, failed="", result=fi.OLD):
        (self.workplace.directory / "result").write_bytes(result)
        command = next(command for command in fi.COMMANDS if command.name == "translate")
        return fi.error_of(fi.Point(command, call, "EIO", 1), fi.Outcome(status, err, failed, 1), EXPECTED,
                           self.workplace)

    def test_right_reactions(self):
        self.assertEqual(self.error("new", 1, NO_MEMORY), "")
        self.assertEqual(self.error("read", 0, "", "/x/a.en", b"a\nb\n"), "")
        self.assertEqual(self.error("read", 1, "glassformer: a.en: cannot be read\n", "/x/a.en"), "")
        self.assertEqual(self.error("fsync", 1, "glassformer: a/b: cannot be written\n", "/x/a/.b.partial"), "")

    def test_wrong_reactions(self):
        self.assertEqual(self.error("new", None, ""), "hangs")
        self.assertEqual(self.error("new", -6, "terminate called"), "crashes")
        self.assertEqual(self.error("new", 1, NO_MEMORY + "==1==ERROR: LeakSanitizer: leaks"), "crashes")
        self.assertEqual(self.error("read", 2, "glassformer: a.en: cannot be read\n", "/x/a.en"), "wrong status")
        self.assertIn("does not name", self.error("new", 1, "glassformer: a.en: damaged\n"))
        self.assertIn("does not name", self.error("read", 1, "glassformer: cannot be read\n", "/x/a.en"))
        self.assertEqual(self.error("new", 1, NO_MEMORY * 2), "more than one message")
        self.assertEqual(self.error("write", 0, "", "/x/result"), "result is incomplete")
        self.assertEqual(self.error("new", 1, NO_MEMORY, result=b"a\n"), "result is incomplete")

    def test_recorded_weights(self):
        first = b'{"update":0,"weights":{"w":"a"},"before":""}\n'
        second = b'{"update":0,"weights":{"w":"%b"},"before":"%b"}\n'
        chain = hashlib.sha256(first).hexdigest().encode()
        self.assertEqual(fi.recorded_weights(first + second % (b"a", chain)), {(0, False): {"w": "a"}})
        mean = b'{"average":["step-00000001"],"update":0,"weights":{"w":"b"},"before":"%b"}\n' % chain
        self.assertEqual(fi.recorded_weights(first + mean), {(0, False): {"w": "a"}, (0, True): {"w": "b"}})
        self.assertEqual(fi.recorded_weights(first + second % (b"b", chain)), "line 2: other weights for the same update")
        self.assertEqual(fi.recorded_weights(first + second % (b"a", b"")), "line 2 does not fit those before it")
        self.assertEqual(fi.recorded_weights(first + b'{"update":'), "line 2 is not JSON")

    def test_the_picture_of_the_curves_may_only_be_missing_if_training_said_so(self):
        self.assertTrue(fi.may_be_missing("curves.svg", "... but its curves could not be drawn: no space\n"))
        self.assertFalse(fi.may_be_missing("curves.svg", ""))
        self.assertFalse(fi.may_be_missing("best", "... but its curves could not be drawn: no space\n"))

    def test_points(self):
        self.assertEqual([point.at for point in fi.points_of(None, "mmap", 3, 1)], [1, 2, 3])
        numbers = [point.at for point in fi.points_of(None, "new", 2200, 1) if point.fault == "once"]
        self.assertEqual(numbers, [*range(1, 2001), 2097, 2194])
        self.assertEqual([point.at for point in fi.points_of(None, "stat", 10, 4)], [1, 5, 9])


if __name__ == "__main__":
    unittest.main()
