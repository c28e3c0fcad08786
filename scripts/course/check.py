"""Compares what a learner's functions computed with what the real functions compute, and explains the first difference:
the failing input, expected and actual numbers, and what the mistake probably is."""

import itertools
import math
import re

from building import CompileError, Missing, all_in_one, build_core, program_of
from labs import shown
from results import Result, Results, all_same, differing, output_equal, run, same

UNINITIALISED = ("You read memory that nothing has written to yet: it is uninitialised. The check runs your code twice, with "
                 "different contents of new memory, and the results differ. Which variable or matrix has no value at first?")
SHOWN_LINES = 16  # of what the compiler says, and of what the learner's code prints


def number_text(number):
    if math.isfinite(number) and number == int(number) and abs(number) < 1e6:
        return str(int(number))
    return f"{number:.4f}" if 1e-3 <= abs(number) < 1e4 or not math.isfinite(number) else f"{number:.3g}"


def table(rows, cols, numbers, marked=None):
    """A matrix as text; marked cells get a star. Leaves out what does not fit."""
    most_rows, most_cols = 12, 10
    shown = [[number_text(numbers[place]) + ("*" if marked and marked[place] else " ")
              for place in range(row * cols, row * cols + min(cols, most_cols))] for row in range(min(rows, most_rows))]
    width = max((len(text) for row in shown for text in row), default=1)
    lines = ["  " + " ".join(text.rjust(width) for text in row) + (" ..." if cols > most_cols else "") for row in shown]
    return "\n".join(line.rstrip() for line in lines + (["  ..."] if rows > most_rows else []))


def titled(name, rows, cols):
    """The name of a matrix with its shape; a number has none, and the name of a mask says it already."""
    return name if (rows, cols) == (1, 1) or "keys " in name else f"{name} [{rows}, {cols}]"


def shortened(text):
    lines = [line[:300] for line in text.strip("\n").split("\n")]
    return "\n".join(lines[:SHOWN_LINES] + (["..."] if len(lines) > SHOWN_LINES else []))


def check_of(lab):
    """The check of a learner's files, with their names in the messages."""
    return Check(lab, lab.learners(), {file: shown(lab.path(file)) for file in lab.functions})


class Check:
    """The learner's answer against the real one. `failed` is the first failing case, or None. `kind` is "passed", "does
    not compile", "missing", or how that case ended: "end" if only its numbers are wrong."""

    def __init__(self, lab, texts, originals=None, *, grading=False, harmless=False):
        build_core()
        self._start(lab, grading)
        self._again = lambda: run(program_of(lab, texts, originals, "zero").program, grading=grading, harmless=harmless,
                                  fill="zero", names=names)
        names = list((originals or {}).values())
        try:
            program = program_of(lab, texts, originals)
        except (CompileError, Missing) as error:
            self.actual, self.failed = Results(), self.expected[0]
            self.kind, self.message = self._not_built(texts, originals, error)
            return
        self.warnings = program.warnings()
        self.actual = run(program.program, grading=grading, harmless=harmless, names=names)
        self._compare()
        if self.kind == "passed":
            self._run_again()

    def _run_again(self):
        """Do the results change if new memory holds something else? If only this run is wrong, its results count."""
        if self.uninitialised is None:
            other = self._again()
            self.uninitialised = not all_same(self.actual, other)
            if self.uninitialised and self.kind == "passed":
                self.actual = other
                self._compare()
        return self.uninitialised

    @classmethod
    def of_results(cls, lab, results, grading=False):
        """For results that are known already."""
        check = cls.__new__(cls)
        check._start(lab, grading)
        check.uninitialised = False  # there is no program to run again
        check.actual = results
        check._compare()
        return check

    def _start(self, lab, grading):
        self.lab, self.grading, self.message, self.failed, self.warnings = lab, grading, "", None, ""
        self.uninitialised = None  # not known yet
        self.expected = right_results(lab, grading)

    def _compare(self):
        for number, wanted in enumerate(self.expected):
            found = self.actual[number] if number < len(self.actual) else Result("", "")
            if not same(wanted, found):
                self.failed, self.kind = wanted, found.ended or "stopped"
                self.message = self._explain(wanted, found)
                return
        self.kind = "passed"
        if len(self.actual) > len(self.expected):
            self.failed, self.kind = self.expected[-1], self.actual[-1].ended
            self.message = f"After the last case, your code {self.actual[-1].detail}"

    def _not_built(self, texts, originals, error):
        if str(error).startswith(("The compiler ", "Your code ")):  # not what the compiler said
            return "does not compile", str(error)
        missing = str(error) if isinstance(error, Missing) else next(
            (name for file, text in texts.items() for name in self.lab.functions[file] if not defines(text, name)), None)
        if missing:
            file = next(file for file, functions in self.lab.functions.items() if missing in functions)
            place = (originals or {}).get(file) or self.lab.place(file)
            return "missing", (f"{missing} is missing: expected its definition in {place}, found none. Write it as declared" +
                               (", and keep the lines at the end of the file that begin with `template`. "
                                if "\ntemplate class" in self.lab.real()[file] else ". ") + "The file as it was: "
                               f"scripts/lab.sh reset {self.lab.name}")
        noise = r"^(In file included|     | .*: In inst|.*: In inst|.*required from here).*\n"
        return "does not compile", ("Your code does not compile. The compiler says:\n\n" +
                                    shortened(re.sub(noise, "", str(error), flags=re.M)))

    def passed_cases(self):
        return len(self.expected) - len(self.failed_cases())

    def failed_cases(self):
        """The names of all cases that do not pass. If your code crashes after the last one, that one does not."""
        names = [wanted.name for number, wanted in enumerate(self.expected)
                 if number >= len(self.actual) or not same(wanted, self.actual[number])]
        return names or ([self.failed.name] if self.failed else [])

    def remarks(self):
        """What the compiler and the learner's code said."""
        parts = []
        if "warning:" in self.warnings and self.kind != "not written":
            lines = dict.fromkeys(line for line in self.warnings.split("\n") if "warning:" in line)
            parts.append("The compiler warns:\n\n" + shortened("\n".join(lines)))
        if getattr(self.actual, "printed", ""):
            parts.append(f"Your code printed:\n\n{shortened(self.actual.printed)}")
        return "\n\n".join(parts)

    def _explain(self, wanted, found):
        if found.ended == "not written":
            return f"{found.detail} is still to be written: replace the line not_written(...) by your code."
        if found.ended != "end":
            place = self.expected.index(wanted)
            when = (f'In the case "{wanted.name}"' if found.name else "Before the first case" if place == 0 else
                    f'After the case "{self.expected[place - 1].name}"')
            return f"{when}, your code {found.detail}\n\n{self._inputs(wanted)}"
        parts = [f'The case "{wanted.name}" fails: {wanted.law}.', self._inputs(wanted)]
        for (name, rows, cols, numbers), mine, cells in zip(wanted.outputs, found.outputs, differing(wanted, found)):
            if cells is not None and not any(cells):
                continue
            parts.append(f"{titled(name, rows, cols)}, expected:\n{table(rows, cols, numbers)}")
            if cells is None:
                parts.append(f"yours has another shape, {mine[0]} [{mine[1]}, {mine[2]}]:\n{table(*mine[1:])}")
            else:
                parts.append(f"yours (* differs):\n{table(rows, cols, mine[3], cells)}")
        if len(found.outputs) != len(wanted.outputs):
            parts.append(f"expected {len(wanted.outputs)} outputs, found {len(found.outputs)}: does your code write to a file "
                         "descriptor that it has not opened?")
        return "\n\n".join(part for part in parts if part)

    @staticmethod
    def _inputs(case):
        return "\n".join(f"{titled(*shown[:3])}:" + ("\n" if shown[1:3] != (1, 1) else "") + table(*shown[1:])
                         for shown in case.inputs)

    def diagnosis(self):
        """What the answer is, if it is a known wrong one. Otherwise, what each wrong output of the first failing case is:
        that of a known wrong answer, if this output agrees with it in every case."""
        if self.failed is None or self.kind not in ("end", "crashed", "stopped", "threw", "left"):
            return None
        if self.uninitialised:
            return UNINITIALISED
        known = wrong_results(self.lab, self.grading)
        for text, results in known:
            if all_same(results, self.actual) and reason(results) == reason(self.actual):
                return text
        if self._run_again():
            return UNINITIALISED
        place = self.expected.index(self.failed)
        mine = self.actual[place] if place < len(self.actual) else None
        if mine is None or mine.ended != "end" or len(mine.outputs) != len(self.failed.outputs):
            return None
        found, wrong = {}, [number for number, cells in enumerate(differing(self.failed, mine)) if cells is None or any(cells)]
        for number in wrong:
            reached = [(text, results) for text, results in known if place < len(results) and results[place].ended == "end"]
            text = next((text for text, results in reached if agree(number, self.actual, results)), None)
            if text is None:  # beside another mistake
                possible = [text for text, results in reached if output_equal(results[place], mine, number)
                            and mostly_agree(number, self.expected, self.actual, results)]
                text = possible[0] if len(possible) == 1 else None
            if text:
                found.setdefault(text, []).append(mine.outputs[number][0].split(" (")[0])
        return "\n".join(f"In this case, {' and '.join(names)} {'is' if len(names) == 1 else 'are'} what you get by this "
                         f"mistake: {text}" for text, names in found.items()) or None


def reason(results):
    """Why the program stopped early, if it did; not where."""
    return re.sub(r" at (an assertion|\S+:\d+)", "", results[-1].detail)


def agree(number, actual, known):
    """Does output `number` agree with that of a known answer in all cases that have it?"""
    pairs = [(mine, theirs) for mine, theirs in zip(actual, known)
             if mine.ended == theirs.ended == "end" and number < max(len(mine.outputs), len(theirs.outputs))]
    return len(actual) == len(known) and all(output_equal(theirs, mine, number) for mine, theirs in pairs)


def mostly_agree(number, expected, actual, known):
    """Is output `number` that of a known wrong answer in two cases or more, and in two thirds of those in which it is
    wrong? And is it right in no case in which that answer is wrong?"""
    triples = [(wanted, mine, theirs) for wanted, mine, theirs in zip(expected, actual, known)
               if mine.ended == theirs.ended == "end" and number < len(wanted.outputs)]
    wrong = [(mine, theirs) for wanted, mine, theirs in triples if not output_equal(wanted, mine, number)]
    agreeing = sum(output_equal(theirs, mine, number) for mine, theirs in wrong)
    contradicted = any(output_equal(wanted, mine, number) and not output_equal(theirs, mine, number)
                       for wanted, mine, theirs in triples)
    return agreeing >= 2 and 3 * agreeing >= 2 * len(wrong) and not contradicted


def defines(text, name):
    """Does the code, without comments, have the last part of this name, parentheses and a brace?"""
    code = re.sub(r"//.*", "", text)
    places = itertools.islice(re.finditer(rf"\b{re.escape(name.rsplit('::', 1)[-1])}\s*\(", code), 100)
    return any(re.match(r"[^;{}]*\{", code[place.end():place.end() + 1000]) for place in places)


def results_of_all(lab, answers, grading=False):
    """The results of each answer; they are built as one program."""
    program = all_in_one(lab, answers)
    return [run(program, grading=grading, GLASSFORMER_MUTANT=str(number)) for number in range(1, len(answers) + 1)]


def wrong_results(lab, grading=False):
    """(diagnosis, results) for each known wrong answer."""
    if grading not in lab.wrong_results:
        answers = list(lab.wrong_answers())
        results = results_of_all(lab, [texts for _, texts in answers], grading)
        lab.wrong_results[grading] = [(text, found) for (text, _), found in zip(answers, results)]
    return lab.wrong_results[grading]


def right_results(lab, grading=False):
    """What the real functions compute."""
    if grading not in lab.right_results:
        lab.right_results[grading] = run(program_of(lab, lab.real()).program, grading=grading)
    return lab.right_results[grading]
