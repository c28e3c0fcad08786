#!/usr/bin/env python3
"""Tests the scripts of the course: each check can fail, and a learner gets the right message for each kind of mistake.
Needs build/release/glassformer and, for the pages, NumPy; scripts/dev/test_course.sh runs it."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "scripts" / "course"))

import lab as commands  # noqa: E402
import labs  # noqa: E402
import project  # noqa: E402
import release  # noqa: E402
from building import dependencies_in  # noqa: E402
from check import UNINITIALISED, Check  # noqa: E402
from prove_labs import problems_of, without  # noqa: E402
from source import Source  # noqa: E402

BODY = '  not_written("MaskedSoftmax::forward_in_place");'


LINE = next(iter(labs.Lab(3).cut().values())).split(BODY)[0].count("\n") + 1  # of the body in the learner's file


def softmax_lab(body):
    """Lab 3 with this code in the function, and how the check ends."""
    lab = labs.Lab(3)
    texts = {file: text.replace(BODY, body) for file, text in lab.cut().items()}
    return Check(lab, texts, {file: "labs/03/layers/softmax.cpp" for file in texts})


class Pages(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.copy = Path(temporary.name)
        for name in ("scripts", "docs", "src", "configs", "data", "tests/metrics"):
            shutil.copytree(PROJECT / name, self.copy / name)

    def check(self, page="03-softmax.md"):
        environment = {"GLASSFORMER": str(PROJECT / "build/release/glassformer"), **os.environ}
        return subprocess.run([sys.executable, self.copy / "scripts/course.py", "--check", f"docs/course/{page}"],
                              cwd=self.copy, env=environment, capture_output=True, text=True, check=False)

    def change(self, file, old, new):
        path = self.copy / file
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def test_unchanged(self):
        done = self.check()
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_a_changed_number_is_noticed(self):
        self.change("docs/course/03-softmax.md", "weight   0.1459", "weight   0.1458")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/course/03-softmax.md is not what scripts/course.py would write", done.stdout)
        self.assertIn("0.1458", done.stdout)

    def test_a_changed_parameter_of_a_live_figure_is_noticed(self):
        self.change("docs/course/03-softmax.md", 'scores="-0.3773', 'scores="-0.3774')
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn('+<!-- live: softmax words="she sleeps . &lt;/s&gt;', done.stdout)

    def test_a_changed_line_of_code_is_noticed(self):
        self.change("src/layers/softmax.cpp", "if (sum != 0) {", "if (sum > 0) {")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("if (sum > 0) {", done.stdout)

    def test_a_chapter_with_a_lab_must_say_how_to_start_it(self):
        self.change("docs/course/03-softmax.md", "scripts/lab.sh start 3", "scripts/lab.sh list")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected 1 times scripts/lab.sh start 3, found 0", done.stdout)

    def test_minutes_that_are_no_longer_right_are_noticed(self):
        self.change("docs/course/README.md", 'minutes("03-softmax.md") -->10<', 'minutes("03-softmax.md") -->15<')
        done = self.check("README.md")
        self.assertEqual(done.returncode, 1)
        self.assertIn('-->15<', done.stdout)

    def test_a_track_that_takes_longer_than_it_promises_is_noticed(self):
        self.change("docs/course/03-softmax.md", "## The equation", "## The equation\n\n" + 9000 * "word ")
        done = self.check("README.md")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected at most 60", done.stderr)

    def test_a_typed_number_is_noticed(self):
        self.change("docs/course/03-softmax.md", '<!-- = f"{weights[:4].sum():.4f}" -->1.0000<!-- . -->', "1.0001")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/course/03-softmax.md: 1.0001: no mark computes it.", done.stdout)

    def test_a_claim_that_no_longer_holds_is_noticed(self):
        self.change("docs/course/03-softmax.md", "scores[4:].min() > scores[0]", "scores[4:].min() > scores[1]")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/course/03-softmax.md: AssertionError", done.stderr)

    def test_a_solution_outside_details_is_noticed(self):
        self.change("docs/course/03-softmax.md", "<details><summary>The code of the lab's function: unfold it after the lab"
                    "</summary>\n", "")
        self.change("docs/course/03-softmax.md", "</details>\n\n## The numbers", "## The numbers")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "docs/course/03-softmax.md: MaskedSoftmax::forward_in_place is for the reader to write in "
                         "a lab: put its `code` mark into <details>\n")

    def test_a_function_that_no_longer_exists_is_named(self):
        self.change("src/layers/softmax.cpp", "MaskedSoftmax<Scalar>::forward_in_place(", "MaskedSoftmax<Scalar>::onward(")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected a function or class MaskedSoftmax::forward_in_place", done.stderr)


class Proof(unittest.TestCase):
    def problems(self, **changes):
        lab = labs.Lab(3)
        for name, value in changes.items():
            setattr(lab, name, value)
        return " ".join(problems_of(lab))

    def test_a_missing_hint_is_noticed(self):
        self.assertIn("expected 3 hints, found 2", self.problems(hints=lambda: ["a", "b"]))

    def test_a_wrong_answer_that_is_right_is_noticed(self):
        lab = labs.Lab(3)
        self.assertIn("this wrong answer passes with the numbers of check: right", self.problems(
            wrong_answers=lambda: [*lab.wrong_answers(), ("right", lab.real())]))

    def test_a_diagnosis_that_another_answer_gets_is_noticed(self):
        lab = labs.Lab(3)
        first = next(lab.wrong_answers())
        self.assertIn("two wrong answers give the same numbers", self.problems(
            wrong_answers=lambda: [*lab.wrong_answers(), ("the same again", first[1])]))

    def test_a_missing_task_is_noticed(self):
        lab = labs.Lab(3)
        self.assertIn("the unsolved lab is not written, found: passed", self.problems(cut=lambda texts=None: lab.real()))

    def test_a_function_that_no_case_calls_is_noticed(self):
        with unittest.mock.patch("prove_labs.unwritten", lambda lab, name: lab.real()):
            self.assertIn("is still to be written, found: passed", self.problems())


class Tutor(unittest.TestCase):
    def test_unwritten(self):
        self.assertTrue(softmax_lab(BODY).message.startswith("MaskedSoftmax::forward_in_place is still to be written"))

    def test_does_not_compile(self):
        result = softmax_lab('  int x = "a";')
        self.assertEqual(result.kind, "does not compile")
        self.assertIn("error: invalid conversion", result.message)
        self.assertNotIn("required from here", result.message)
        self.assertIn("is not a member", softmax_lab("  std::bad_alloc_ x;  // out of memory").message)
        self.assertIn("has no member", softmax_lab("  [](auto x) { return x.size; }(std::bad_alloc());").message)

    def test_paths_may_have_spaces(self):
        self.assertEqual(dependencies_in("/a\\ b/x.o: /a\\ b/x.cpp \\\n /usr/y.hpp\n"), ["/a b/x.cpp", "/usr/y.hpp"])

    def test_endless_loop(self):
        self.assertIn("did not finish within 5 seconds", softmax_lab("  while (scores.rows() > 0) {}").message)

    def test_crash(self):
        message = softmax_lab("  int* nowhere = nullptr;\n  *nowhere = 3;").message
        self.assertIn(f"crashed at labs/03/layers/softmax.cpp:{LINE + 1}: it used memory that it does not own", message)

    def test_index_out_of_range(self):
        for body in ("scores(0, scores.cols()) = 1;", "scores.row(0)[-1] = 1;", "scores.row(scores.rows())[0] = 1;"):
            message = softmax_lab(f"  {body}").message
            self.assertIn(f"stopped at labs/03/layers/softmax.cpp:{LINE}: an index is out of range, or a matrix has no size yet. This does not hold: 0 <= ", message, body)

    def test_assertion(self):
        message = softmax_lab("  assert(mask.keys() == 99);").message
        self.assertIn(f"stopped at labs/03/layers/softmax.cpp:{LINE}: This does not hold: mask.keys() == 99", message)

    def test_division_by_zero(self):
        self.assertIn(f"crashed at labs/03/layers/softmax.cpp:{LINE}: an integer was divided by 0",
                      softmax_lab("  volatile int zero = 0; scores(0, 0) = 7 / zero;").message)

    def test_endless_recursion(self):
        self.assertRegex(softmax_lab("  forward_in_place(pass, scores, mask);").message,
                         r"used up the stack at labs/03/layers/softmax.cpp:\d+: does a function call itself")

    def test_exit(self):
        self.assertIn("ended the program (exit status 0)", softmax_lab("  std::exit(0);").message)

    def test_missing_function(self):
        lab = labs.Lab(3)
        for texts in ({file: "" for file in lab.functions}, without(lab, "MaskedSoftmax::forward_in_place")):
            result = Check(lab, texts)
            self.assertEqual((result.kind, result.passed_cases()), ("missing", 0))
            self.assertTrue(result.message.startswith("MaskedSoftmax::forward_in_place is missing"), result.message)

    def test_what_the_code_prints_is_shown(self):
        for text in ("no new line", "a line\\n", "case\\ta\\tb\\noutput\\tweights\\t1\\t1\\t 1\\nend\\n"):
            lab = labs.Lab(3)
            texts = {file: "#include <cstdio>\n" + real.replace("const auto row", f'std::printf("{text}"); const auto row')
                     for file, real in lab.real().items()}
            result = Check(lab, texts)
            self.assertEqual(result.kind, "passed", result.message)
            self.assertIn("Your code printed:\n\n" + text[:4], result.remarks())

    def test_warnings_are_shown(self):
        result = softmax_lab("  Scalar unused;\n  scores.fill(1);")
        self.assertIn("warning: unused variable 'unused'", result.remarks().replace("‘", "'").replace("’", "'"))
        self.assertIn(f"labs/03/layers/softmax.cpp:{LINE}", result.remarks())

    def test_uninitialised_memory_is_called_by_name(self):
        for body in ("Scalar sum; for (Scalar& score : scores.row(0)) score = sum;",
                     "Scalar most[1]; for (Scalar& score : scores.row(0)) most[0] = std::max(most[0], score); scores(0, 0) = most[0];",
                     "Buffer<Scalar> sum(1, 1); for (Scalar& score : scores.row(0)) score = sum(0, 0);"):
            self.assertIn("uninitialised", softmax_lab(f"  {body}").diagnosis() or "", body)
        lucky = ("  for (Index n = 0; n < scores.rows(); ++n) { const auto row = scores.row(n); Scalar start;\n"
                 "  block(mask.blocked.row(mask.row_for(n, scores.rows())), row);\n"
                 "  const Scalar sum = exponentials(row, std::max(largest(row), start)); if (sum != 0) scale(row, 1 / sum); }")
        result = softmax_lab(lucky)  # right if new memory holds a very negative number
        self.assertEqual((result.kind, result.uninitialised), ("end", True), result.message)
        self.assertEqual(result.diagnosis(), UNINITIALISED)

    def test_too_much_memory(self):
        self.assertIn("more than 1 GB", softmax_lab("  std::string x; for (;;) x += std::string(1000, 'x');").message)

    def test_another_shape(self):
        self.assertIn("yours has another shape, weights [1, 1]", softmax_lab("  scores.resize(1, 1); scores.fill(1);").message)

    def test_cells_that_differ_are_marked(self):
        message = softmax_lab("  for (Index n = 0; n < scores.rows(); ++n) scores.row(n)[0] = 0.25;").message
        self.assertIn("yours (* differs):\n  0.2500*      1*      2*", message)

    def test_another_order_of_operations_passes(self):
        body = """
  for (Index n = 0; n < scores.rows(); ++n) {
    const auto row = scores.row(n);
    const auto blocked = mask.blocked.row(mask.row_for(n, scores.rows()));
    Scalar most = -1e300, sum = 0;
    for (Index j = row.size() - 1; j >= 0; --j) if (blocked[j] == 0) most = row[j] > most ? row[j] : most;
    for (Index j = row.size() - 1; j >= 0; --j) sum += row[j] = blocked[j] == 0 ? std::exp(row[j] - most) : 0;
    for (Index j = 0; j < row.size(); ++j) if (sum > 0) row[j] /= sum;
  }"""
        lab = labs.Lab(3)
        texts = {file: text.replace(BODY, body).replace("#include <cassert>", "#include <cassert>\n#include <cmath>")
                 for file, text in lab.cut().items()}
        self.assertEqual(Check(lab, texts).kind, "passed")

    def test_a_known_mistake_is_recognised_beside_another(self):
        lab = labs.Lab(5)
        texts = {file: text.replace("add(d_y.row(n), d_bias);", "static_cast<void>(d_bias);").replace(
            "d_weight, Result::add", "d_weight, Result::overwrite") for file, text in lab.real().items()}
        diagnosis = Check(lab, texts).diagnosis()
        self.assertIn("d_bias is what you get by this mistake: You left the bias gradient as it was", diagnosis)

    def test_a_mistake_that_only_looks_like_a_known_one_at_first_has_no_diagnosis(self):
        body = "  for (Index n = 0; n < scores.rows(); ++n) { const auto r = scores.row(n); " \
               "const Scalar s = exponentials(r, largest(r)); if (n == 0) scale(r, 1 / s); }"
        self.assertIsNone(softmax_lab(body).diagnosis())


class Commands(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.addCleanup(setattr, labs, "LABS", labs.LABS)
        labs.LABS = Path(temporary.name)

    def run_command(self, *words):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            with unittest.mock.patch.object(sys, "argv", ["lab.sh", *words]):
                try:
                    status = commands.main()
                except SystemExit as stopped:
                    status = stopped.code
        return status, printed.getvalue()

    def test_a_lab_from_start_to_solution(self):
        self.assertEqual(self.run_command("check", "3")[0], 2)  # not started
        self.assertEqual(self.run_command("start", "3")[0], 0)
        self.assertEqual(self.run_command("start", "3")[0], 2)  # would overwrite
        self.assertEqual(self.run_command("check", "3")[0], 1)
        for number in ("1", "2", "3", "3"):
            self.assertIn(f"Hint {number} of 3", self.run_command("hint", "3")[1])
        lab = labs.Lab(3)
        lab.write(lab.real())
        status, printed = self.run_command("check", "3")
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"(\d+) of \1 cases pass")
        status, printed = self.run_command("reset", "3")
        self.assertEqual(status, 0)
        self.assertEqual((labs.LABS / "03-old-1/layers/softmax.cpp").read_text(), lab.real()["src/layers/softmax.cpp"])
        self.assertIn("exponentials(row, largest(row))", self.run_command("solution", "3")[1])

    def test_grade(self):
        lab = labs.Lab(3)
        lab.write(lab.real())
        labs.Lab(4).write(labs.Lab(4).cut())  # started, not solved: no points
        status, printed = self.run_command("grade", str(labs.LABS), "--json")
        report = json.loads(printed[printed.index("{"):])  # after what it says on standard error
        self.assertEqual(status, 1)
        self.assertEqual((report["version"], report["status"], report["max_score"], report["score"]), (1, "fail", 120, 10))
        self.assertEqual([test["status"] for test in report["tests"]], ["fail", "fail", "pass"] + 9 * ["fail"])

    def test_mistakes_at_the_command_line(self):
        for words in (["check", "99"], ["check", "x"], ["grade", "no/such/directory"], [], ["hunt", "1", "nowhere"]):
            self.assertEqual(self.run_command(*words)[0], 2, words)

    def test_finale_needs_every_lab(self):
        status, printed = self.run_command("finale")
        self.assertEqual(status, 2)
        self.assertIn("You have not started lab 1", printed)

    def test_functions_of_two_labs_in_one_file_are_merged(self):
        with unittest.mock.patch.object(project, "all_labs", lambda: [labs.Lab(3), labs.Lab(4)]):
            for lab in project.all_labs():
                texts = {file: text.replace("namespace glassformer {\n", f"namespace glassformer {{\n// from lab {lab.number}\n")
                         .replace("#include", '#include "not_written.hpp"\n#include', 1) for file, text in lab.real().items()}
                lab.write(texts)
            merged = project.merged_sources()["src/layers/softmax.cpp"]
        self.assertIn("// from lab 03\n", merged)
        self.assertIn("// from lab 04\n", merged)
        self.assertNotIn("not_written", merged)
        self.assertNotIn("<<<<", merged)


class Hunt(unittest.TestCase):
    def test_no_fault_catches_the_eye(self):
        for fault in project.plantable():
            before = (PROJECT / fault.file).read_text(encoding="utf-8").split("\n")
            text, lines = project.with_fault(fault)
            after = text.split("\n")
            with self.subTest(fault.whole_title):
                self.assertEqual(len(after), len(before))  # or `explain` finds the wrong lines of code
                for number in lines:
                    code = after[number - 1].split("  //")[0]
                    self.assertLessEqual(len(after[number - 1]), 120)
                    self.assertNotRegex(code, r"\b[01] *\*|[*/] *[01]\b(?!\.)|[-+] *0\b(?!\.)|\b(true|false)\b|//|/\*")
                statements = [sum(texts[number - 1].count(";") for number in lines) for texts in (before, after)]
                self.assertLessEqual(statements[1], statements[0])  # two on a line are conspicuous

    @unittest.skipUnless(shutil.which("clang-format"), "needs clang-format")
    def test_faults_are_formatted_like_the_sources(self):
        def is_formatted(file, text):
            command = ["clang-format", f"--assume-filename={PROJECT / file}"]
            return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout == text

        for fault in project.plantable():
            with self.subTest(fault.whole_title):
                if is_formatted(fault.file, (PROJECT / fault.file).read_text(encoding="utf-8")):  # by this version
                    self.assertTrue(is_formatted(fault.file, project.with_fault(fault)[0]))

    def test_answers(self):
        for seed in range(50):
            fault = project.planted(seed)
            lines = project.with_fault(fault)[1]
            name = Path(fault.file).name
            with contextlib.redirect_stdout(io.StringIO()):
                for place in (f"{fault.file}:{lines[0]}", f"{name}:{lines[-1]}", f"labs/hunt-{seed}/{fault.file}:{lines[0]}"):
                    self.assertEqual(project.find_fault(seed, place), 0, place)
                for place in (f"{fault.file}:{lines[-1] + 1}", f"src/main.cpp:{lines[0]}"):
                    self.assertEqual(project.find_fault(seed, place), 1, place)

    def test_the_copy_has_the_fault_and_nothing_tells_where(self):
        with tempfile.TemporaryDirectory() as directory, unittest.mock.patch.object(labs, "LABS", Path(directory)):
            seed = next(seed for seed in range(1000) if project.planted(seed).file == "src/layers/linear.cpp")
            with contextlib.redirect_stdout(io.StringIO()):
                project.hunt(seed)
                with self.assertRaisesRegex(labs.LabError, "exists already"):
                    project.hunt(seed)
            copy = Path(directory) / f"hunt-{seed}"
            for processor in ("", "glibc.cpu.hwcaps=-AVX512F"):  # the core for AVX-512, if this processor has it, and AVX2
                done = subprocess.run([copy / "glassformer", "gradcheck", "configs/debug.yaml"], cwd=copy, text=True,
                                      env={**os.environ, "GLIBC_TUNABLES": processor}, capture_output=True, check=False)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertEqual(len({path.lstat().st_mtime for path in copy.rglob("*")}), 1)
            self.assertEqual(list(copy.rglob("*.o")) + list(copy.rglob("faults.txt")), [])

    def test_what_is_compiled_again(self):
        objects = release.objects_that_depend_on(["src/layers/softmax.hpp"])
        core = {name for name in objects if name.startswith("CMakeFiles/glassformer_core.dir")}
        self.assertIn("CMakeFiles/glassformer_core.dir/src/layers/softmax.cpp.o", core)
        self.assertIn("CMakeFiles/glassformer_core.dir/src/layers/scaled_dot_product_attention.cpp.o", core)
        self.assertNotIn("CMakeFiles/glassformer_core.dir/src/layers/linear.cpp.o", core)
        with self.assertRaisesRegex(labs.LabError, "was compiled from no_such.cpp"):
            release.build_changed(PROJECT, ["no_such.cpp"])
        self.assertEqual(release.build_changed(PROJECT, [])[0]["glassformer"], release.RELEASE / "glassformer")


class Sources(unittest.TestCase):
    def test_finds_functions_and_replaces_bodies(self):
        text = "namespace a {\n\n/// Doubles.\nint twice(int x) { return 2 * x; }\n\ntemplate <class T>\nT A<T>::f(\n    int y) {\n" \
               "  return y;\n}\n\nstruct B {\n  int g() const { return 1; }\n  int h;\n};\n\n}  // namespace a\n"
        source = Source("x.cpp", text)
        self.assertEqual(source.functions(), ["twice", "A::f", "B::g"])
        self.assertEqual(source.block("twice"), "/// Doubles.\nint twice(int x) { return 2 * x; }")
        self.assertEqual(source.shown_by("B"), ["B::g"])
        self.assertIn("int twice(int x) {\n  // task\n}\n", source.with_bodies({"twice": ["// task"]}))
        self.assertIn("    int y) {\n  // task\n}\n", source.with_bodies({"A::f": ["// task"]}))
        with self.assertRaisesRegex(KeyError, "expected a function or class c, found none"):
            source.block("c")


if __name__ == "__main__":
    unittest.main()
