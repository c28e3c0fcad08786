"""Tests which files scripts/dev/lint.sh checks, in a small project with a clang-tidy that only prints their names.

    python3 tests/scripts/test_lint.py
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = {
    "src/a.cpp": "",
    "src/a.hpp": "",
    "src/b.cpp": '#include "glassformer/c.hpp"\n',
    "src/c.hpp": "",
    "src/unused.hpp": "",
    "tests/seeds/test_seed.cpp": '#include "seed.hpp"\n',
    "tests/seeds/seed.hpp": "",
    "tests/fuzz/fuzz_a.cpp": "",
    "tests/installed/user.cpp": "",
    "src/machine/posix.cpp": "",
}
BUILT = {"FUZZ": ("src/a.cpp", "src/b.cpp", "tests/seeds/test_seed.cpp", "tests/fuzz/fuzz_a.cpp"),
         "POSIX": ("src/a.cpp", "src/machine/posix.cpp")}
# The last argument is the file.
CLANG_TIDY = '#!/bin/sh\nfor file; do :; done\necho "checked: $file $3"\n'


class Lint(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.project = Path(directory.name).resolve()
        for name, text in FILES.items():
            self.write(name, text)
        for name in ("lint.sh", "changes.sh"):
            self.write(f"scripts/dev/{name}", (ROOT / "scripts/dev" / name).read_text(encoding="utf-8"))
        self.write("scripts/packages.sh", "need() { :; }\ninstall_packages() { :; }\n")
        for build, names in BUILT.items():
            self.write(f"build/lint/{build}/compile_commands.json",
                       json.dumps([{"file": str(self.project / name)} for name in names], indent=2))
        self.write("bin/clang-tidy", CLANG_TIDY).chmod(0o755)
        self.write("bin/cmake", "#!/bin/sh\n").chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", "src", "tests")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "first")

    def write(self, name, text):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.project, check=True)

    def lint(self, *arguments):
        """The exit status, the files that were checked, and what was printed."""
        environment = os.environ | {"PATH": f"{self.project / 'bin'}:{os.environ['PATH']}", "GLASSFORMER_BASE": "HEAD"}
        done = subprocess.run(["bash", self.project / "scripts/dev/lint.sh", *arguments], capture_output=True,
                              text=True, check=False, env=environment)
        output = done.stdout + done.stderr
        checked = sorted(line.split()[1] for line in output.splitlines() if line.startswith("checked: "))
        return done.returncode, checked, output

    def test_all_files_of_the_build(self):
        status, checked, output = self.lint()
        self.assertEqual((status, checked), (0, sorted({*BUILT["FUZZ"], *BUILT["POSIX"]})), output)
        self.assertIn("checked: src/a.cpp build/lint/FUZZ\n", output)
        self.assertIn("checked: src/machine/posix.cpp build/lint/POSIX\n", output)
        self.assertIn("not checked: tests/installed/user.cpp", output)

    def test_header_is_checked_with_a_file_that_includes_it(self):
        for header, file in (("src/a.hpp", "src/a.cpp"), ("src/c.hpp", "src/b.cpp"),
                             ("tests/seeds/seed.hpp", "tests/seeds/test_seed.cpp")):
            status, checked, output = self.lint(header)
            self.assertEqual((status, checked), (0, [file]), output)

    def test_header_that_nothing_includes_does_not_hide_the_files_after_it(self):
        self.write("src/unused.hpp", "// changed\n")
        self.write("tests/seeds/test_seed.cpp", '#include "seed.hpp"  // changed\n')
        status, checked, output = self.lint("--changed")
        self.assertEqual((status, checked), (0, ["tests/seeds/test_seed.cpp"]), output)
        self.assertIn("not checked: src/unused.hpp", output)

    def test_changes_only_to_files_outside_the_build(self):
        self.write("tests/installed/user.cpp", "// changed\n")
        status, checked, output = self.lint("--changed")
        self.assertEqual((status, checked), (0, []), output)
        self.assertIn("nothing to check", output)

    def test_named_file_outside_the_build(self):
        for name in ("tests/installed/user.cpp", "src/no.cpp", "src/unused.hpp"):
            status, checked, output = self.lint("src/a.cpp", name)
            self.assertEqual((status, checked), (1, []), output)
            self.assertIn(f"{name}: no such file in this build", output)


if __name__ == "__main__":
    unittest.main()
