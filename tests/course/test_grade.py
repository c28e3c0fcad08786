#!/usr/bin/env python3
"""Grades a class in which every submission is a different kind of trouble: each gets its points and a message that names
the trouble, within the limits of time and memory, and nothing is left running."""

import contextlib
import io
import json
import os
import resource
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "course"))

import lab as commands  # noqa: E402
import labs  # noqa: E402
from building import build_core  # noqa: E402
from check import Check  # noqa: E402
from grade import submissions  # noqa: E402

BODY = '  not_written("MaskedSoftmax::forward_in_place");'
HEADERS = "#include <unistd.h>\n#include <sys/wait.h>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <fstream>\n" \
          "#include <sys/socket.h>\n#include <sys/syscall.h>\n#include <signal.h>\n#include <fcntl.h>\n"
TROUBLE = {  # student: (before the code, the body, what the message must say)
    "endless_template": ("template <int A, long B> struct Tree { static constexpr long v = Tree<A - 1, 2 * B>::v + "
                         "Tree<A - 1, 2 * B + 1>::v; };\ntemplate <long B> struct Tree<0, B> { static constexpr long v = B; };\n"
                         "static_assert(Tree<26, 1>::v != 0);\n", BODY, "a template that never ends"),
    "endless_file": ('#include "/dev/zero"\n', BODY, "an endless file"),
    "children": ("", """  for (int i = 0; i < 3; ++i) {
    const int child = fork();
    if (child > 0) abort();
    if (child == 0) {
      setsid();
      char* big = static_cast<char*>(malloc(800u << 20));
      if (big != nullptr) memset(big, 1, 800u << 20);
      sleep(1000);
    }
  }""", "left the scores unchanged"),
    "much_output": ("", "  for (;;) puts(\"the same line again and again, until somebody stops it\");", "printed more than 16 MB"),
    "leaves": ("", "  _exit(0);", "ended the program (exit status 0)"),
    "leaves_99": ("", "  _exit(99);", "ended the program (exit status 99)"),
    "long_names": ("template <class A, class B> struct P0 {};\n" + "".join(
        f"using N{i + 1} = P0<N{i}, N{i}>;\n" if i else "using N1 = P0<int, int>;\n" for i in range(40)) +
                   "void boom(N40*) {}\n", BODY, "is still to be written"),
    "many_calls": ("forward_in_place()" * 50_000, BODY, "is missing"),
    "forger": ("", "  for (int fd = 1; fd < 64; ++fd) dprintf(fd, \"\\nend\\ncase\\tall\\tpassed\\noutput\\tweights\\tx\\t1\\t 1\\nend\\n\");",
               "fails"),
    "killer": ("", "  kill(getppid(), SIGKILL);", "left the scores unchanged"),
    "executor": ("", "  execl(\"/bin/true\", \"true\", static_cast<char*>(nullptr));", "left the scores unchanged"),
    "signaller": ("", "  if (syscall(SYS_fcntl, 1, (1L << 32) | F_SETOWN, getppid()) == 0) abort();", "left the scores unchanged"),
    "talker": ("", "  if (socket(AF_INET, SOCK_STREAM, 0) >= 0) abort();\n  if (std::ofstream(\"/tmp/talker\")) abort();\n"
               "  if (open(\"/tmp/talker\", O_RDONLY | O_CREAT, 0600) >= 0) abort();", "left the scores unchanged"),
    "recursion": ("int again(int n) { volatile char room[100]; room[n % 100] = 1; return again(n + 1) + room[0]; }\n",
                  "  printf(\"%d\", again(0));", "used up the stack at 03/layers/softmax.cpp:"),
    "before_main": ("static int first = (_exit(3), 0);\n", BODY, "Before the first case"),
    "much_memory": ("", "  for (;;) memset(new char[1 << 20], 1, 1 << 20);", "more than 1 GB"),
    "endless_loop": ("", "  for (volatile int i = 0;; ++i) {}", "did not finish within 5 seconds; it was at 03/layers/softmax.cpp:"),
}


def processes():
    """The commands of all processes that run a program of a lab."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (path / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
            if "/build/labs/" in command:
                found.append(command)
    return found


class Grading(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)

    def write(self, student, text):
        path = self.directory / student / "03/layers/softmax.cpp"
        path.parent.mkdir(parents=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def grade(self, *words):
        printed, complaints = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
            with unittest.mock.patch.object(sys, "argv", ["lab.sh", "grade", *map(str, words)]):
                status = commands.main()
        return status, printed.getvalue(), complaints.getvalue()

    def test_a_class_of_trouble(self):
        (file,) = labs.Lab(3).functions
        real, cut = labs.Lab(3).real()[file], labs.Lab(3).cut()[file]
        for student, (before, body, _) in TROUBLE.items():
            self.write(student, HEADERS + before + cut.replace(BODY, body))
        self.write("right", real.replace("const auto row", 'std::printf("here"); const auto row').replace(
            "#include", "#include <cstdio>\n#include", 1))
        self.write("right_with_lines", real.replace("const auto row", 'std::puts("here"); const auto row').replace(
            "#include", "#include <cstdio>\n#include", 1))
        self.write("latin_1", real.replace("// else", "// für else").encode("latin-1"))
        self.write("empty", "")
        self.write("includer", '#include "../src/layers/softmax.cpp"\n')
        (self.directory / "no_file/03/layers").mkdir(parents=True)
        (self.directory / "nothing").mkdir()
        self.write("roundabout", '#include "/proc/self/cwd/../../src/layers/softmax.cpp"\n')
        self.write("marker", '# 1 "a system header" 3\n#include "../src/layers/softmax.cpp"\n')
        self.write("copier", f'#include "{self.directory}/right/03/layers/softmax.cpp"\n')
        self.write("late", real.replace("namespace glassformer {", "static struct Last { ~Last() { *(volatile int*)nullptr = 1; } } "
                                        "last;\nnamespace glassformer {", 1))
        (self.directory / "borrower").mkdir()
        (self.directory / "borrower/labs").symlink_to("../right")
        (self.directory / "linker").mkdir()
        (self.directory / "linker/03").symlink_to(self.directory / "right/03")
        os.makedirs(os.fsencode(self.directory) + b"/M\xfcller/03/layers")
        build_core()
        inherited = self.directory / "inherited.txt"
        opened = inherited.open("wb")  # `forger` writes to every descriptor that it has
        self.addCleanup(opened.close)
        os.set_inheritable(opened.fileno(), True)
        begin = time.time()
        status, printed, complaints = self.grade(self.directory, "--labs", "3", "--json")
        seconds = time.time() - begin
        self.assertEqual(status, 1, complaints)
        reports = {report["student"]: report for report in json.loads(printed)["students"]}
        self.assertEqual(len(reports), len(TROUBLE) + 14)
        for student, (_, _, message) in TROUBLE.items():
            self.assertIn(message, reports[student]["tests"][0]["message"], student)
            self.assertLess(reports[student]["score"], 4, student)
        for student in ("right", "right_with_lines"):
            self.assertEqual(reports[student]["score"], 10, reports[student]["tests"][0]["message"])
        self.assertIn("saved as Latin-1", reports["latin_1"]["tests"][0]["message"])
        self.assertIn("MaskedSoftmax::forward_in_place is missing", reports["empty"]["tests"][0]["message"])
        self.assertIn("includes src/layers/softmax.cpp, which has the real functions", reports["includer"]["tests"][0]["message"])
        self.assertIn("softmax.cpp is missing", reports["no_file"]["tests"][0]["message"])
        self.assertEqual("not started", reports["nothing"]["tests"][0]["message"])
        self.assertIn("a link that leads out of the submission", reports["linker"]["tests"][0]["message"])
        self.assertIn("a link that leads out of the submission", reports["borrower"]["tests"][0]["message"])
        self.assertIn("M\ufffdller/03/layers/softmax.cpp is missing", reports["M\ufffdller"]["tests"][0]["message"])
        self.assertIn("which has the real functions", reports["marker"]["tests"][0]["message"])
        self.assertIn("which does not belong to the lab", reports["roundabout"]["tests"][0]["message"])
        self.assertIn(f"includes {self.directory}/right/03/layers/softmax.cpp", reports["copier"]["tests"][0]["message"])
        self.assertIn("After the last case, your code crashed", reports["late"]["tests"][0]["message"])
        self.assertEqual((reports["late"]["score"], reports["late"]["status"]), (9, "fail"))
        self.assertFalse(Path("/tmp/talker").exists())
        self.assertEqual(inherited.read_bytes(), b"")
        self.assertEqual(processes(), [])
        largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        self.assertLess(largest, 1.1 * (1 << 20), "kilobytes")  # of any one process
        if os.environ.get("SHOW"):
            print(f"{seconds:.0f} seconds, {largest / 1024:.0f} MB")
            for student, report in reports.items():
                print(f"{student:18} {report['score']:3}  {report['tests'][0]['message']}")

    def test_a_header_with_the_real_functions_is_refused(self):
        lab = labs.Lab(10)
        texts = {**lab.real(), "src/model/decoder_layer.hpp": '#pragma once\n#include "../src/model/decoder_layer.hpp"\n'}
        self.assertIn("includes src/model/decoder_layer.hpp, which has the real functions", Check(lab, texts).message)

    def test_twelve_empty_files_have_no_points(self):
        for lab in labs.all_labs():
            for file in lab.functions:
                path = self.directory / lab.number / lab.place(file)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("")
        status, printed, _ = self.grade(self.directory, "--json")
        report = json.loads(printed)
        self.assertEqual((status, report["score"], report["max_score"]), (1, 0, 120))

    def test_a_directory_that_cannot_be_read_is_called_so(self):
        (self.directory / "ada/03").mkdir(parents=True)
        (self.directory / "ben/03").mkdir(parents=True)
        stat, listdir = os.stat, os.listdir

        def refuse(original):  # root may read everything, so chmod is not enough
            def call(path=".", *words, **options):
                if isinstance(path, (str, os.PathLike)) and f"{os.fspath(path)}/".startswith(f"{self.directory}/ada/"):
                    if original is not stat or Path(path) != self.directory / "ada":
                        raise PermissionError(13, "Permission denied", str(path))
                return original(path, *words, **options)
            return call
        with contextlib.ExitStack() as stack:
            for name, original in (("stat", stat), ("listdir", listdir)):
                stack.enter_context(unittest.mock.patch.object(os, name, refuse(original)))
            stack.enter_context(unittest.mock.patch.object(os, "access", lambda path, *_: Path(path).name != "ada"))
            _, printed, _ = self.grade(self.directory, "--labs", "3", "--json")
        self.assertEqual([report["error"] for report in json.loads(printed)["students"]],
                         ["this directory cannot be read", None])

    def test_students_whose_names_are_numbers_are_students(self):
        for place in ("class/01/labs/03", "class/02/03", "one/03/layers"):
            (self.directory / place).mkdir(parents=True)
        self.assertEqual([name for name, _ in submissions(self.directory / "class")], ["01", "02"])
        self.assertEqual([name for name, _ in submissions(self.directory / "one")], ["one"])

    def test_a_wrong_directory_is_an_error(self):
        (self.directory / "notes").mkdir()
        for directory in (self.directory, self.directory / "notes", self.directory / "none"):
            status, printed, complaints = self.grade(directory)
            self.assertEqual((status, printed), (2, ""))
            self.assertIn("expected", complaints)

    def test_grading_has_other_numbers(self):
        """Knows the results of `check` by heart."""
        lab = labs.Lab(3)
        (file,) = lab.functions
        check = Check(lab, lab.real())
        tables = []
        for case in check.expected:
            (_, rows, cols, given), (_, _, _, wanted) = case.inputs[0], case.outputs[0]
            tables.append(f"if (scores.rows() == {rows} && scores.cols() == {cols} && scores(0, 0) == {given[0]!r} && "
                          f"scores({rows - 1}, {cols - 1}) == {given[-1]!r}) {{ " + " ".join(
                              f"scores({i // cols}, {i % cols}) = {number!r};" for i, number in enumerate(wanted)) + " return; }")
        text = lab.cut()[file].replace(BODY, "  using std::isnan;\n" + "\n".join(tables).replace("nan", "NAN"))
        text = "#include <cmath>\n" + text
        passes = [Check(lab, {file: text}, grading=grading).passed_cases() for grading in (False, True)]
        self.assertGreater(passes[0], 3)
        self.assertEqual(passes[1], 0)


if __name__ == "__main__":
    unittest.main()
