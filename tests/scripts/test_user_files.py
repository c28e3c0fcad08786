"""Tests that scripts delete nothing that they did not make in the same call.

    python3 tests/scripts/test_user_files.py
"""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Stands in for the program: it notes how it was called, and trains in no time.
PROGRAM = """#!/bin/sh
echo "$@" >>calls
if [ "$1" = train ]; then mkdir -p "$4" && touch "$4/config.yaml"; fi
"""
# Directories that a script keeps for its next call, below build.
OWN = {("scripts/dev/test_reformatted.sh", "directory")}


class UserFiles(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)
        (self.home / "scripts").mkdir()
        for name in ("quickstart.sh", "reproduce_multi30k.sh"):
            shutil.copy(ROOT / "scripts" / name, self.home / "scripts")
        (self.home / "scripts/packages.sh").write_text("install_packages() { :; }\nbuild() { :; }\n")
        (self.home / "scripts/dev").mkdir()
        (self.home / "scripts/dev/results_row.py").touch()
        program = self.home / "build/release/glassformer"
        program.parent.mkdir(parents=True)
        program.write_text(PROGRAM)
        program.chmod(0o755)
        for name in ("train", "val", "test_2016_flickr"):
            for language in ("en", "de"):
                (self.home / "text/tok").mkdir(parents=True, exist_ok=True)
                (self.home / f"text/tok/{name}.{language}").touch()
        (self.home / "configs").mkdir()
        (self.home / "configs/multi30k_tiny.yaml").touch()

    def training_of(self, *command):
        """Runs a script. Returns how it called `train`, or nothing."""
        (self.home / "calls").unlink(missing_ok=True)
        subprocess.run(command, cwd=self.home, check=True, capture_output=True)
        calls = (self.home / "calls").read_text().splitlines() if (self.home / "calls").exists() else []
        return next((call for call in calls if call.startswith("train ")), None)

    def check(self, run, *command):
        train = self.training_of(*command)
        self.assertNotIn("--resume", train)
        self.assertIsNone(self.training_of(*command))  # it is finished
        (run / "finished").unlink()
        self.assertIn("--resume", self.training_of(*command))

        shutil.rmtree(run)
        checkpoint = run / "step-00000100/model.safetensors"  # config.yaml and the links are missing
        checkpoint.parent.mkdir(parents=True)
        checkpoint.write_text("weights")
        self.assertIn("--resume", self.training_of(*command))
        self.assertEqual(checkpoint.read_text(), "weights")

        shutil.rmtree(run)
        run.mkdir()
        (run / "notes").write_text("mine")
        self.assertNotIn("--resume", self.training_of(*command))  # so the program refuses
        self.assertEqual((run / "notes").read_text(), "mine")

    def test_quickstart_keeps_a_run(self):
        self.check(self.home / "runs/toy", "scripts/quickstart.sh")

    def test_reproduce_multi30k_keeps_a_run(self):
        self.check(self.home / "runs/multi30k_tiny_seed1", "scripts/reproduce_multi30k.sh", "text", "tok", "1")

    def test_scripts_remove_only_temporary_directories(self):
        removed = []
        for script in [*ROOT.glob("scripts/*.sh"), *ROOT.glob("scripts/*/*.sh")]:
            text = script.read_text(encoding="utf-8")
            for arguments in re.findall(r"\brm -rf? ([^\n;']*)", text):
                for name in re.findall(r'"\$\{?(\w+)', arguments) or [arguments]:
                    made_here = re.search(rf"\b{name}=\$\(mktemp -d\)|local {name}=\$directory/", text)
                    if not made_here and (str(script.relative_to(ROOT)), name) not in OWN:
                        removed.append(f"{script.name}: rm {arguments}")
        self.assertEqual(removed, [])


if __name__ == "__main__":
    unittest.main()
