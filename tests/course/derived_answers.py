"""Derives wrong answers from the real functions of a lab, as learners make them: a loop that ends too early, another
initial value, a branch that is dropped, `<` for `<=`, an index that is one off, and what the mutation test of the whole
project does (scripts/dev/mutants/operators.py). The cases of a lab must fail each one, unless tests/course/equal.txt
says why it computes the same."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "course"))

from building import CompileError, all_in_one  # noqa: E402
from cpp import bodies, closing_of, is_body, tokens_of  # noqa: E402
from operators import Mutant, mutants_of  # noqa: E402
from results import run  # noqa: E402
from source import Source  # noqa: E402

EQUAL = Path(__file__).parent / "equal.txt"
RIGHT = Path(__file__).parent / "right"
LOOPS = {"for", "while"}


def function_places(lab, file, text):
    """(name, begin, end, returns nothing) of the bodies of the lab's functions."""
    source, starts = Source(file, text), [0]
    for line in source.lines:
        starts.append(starts[-1] + len(line) + 1)
    for name in lab.functions[file]:
        for block in source.find(name):
            begin, end = starts[block.begin], starts[block.end]
            for first, last in bodies(text):
                if begin <= first and last < end:
                    yield name, first, last, "void " in text[begin:first].split("(")[0]


def more_mutants(file, text, begin, end, is_void):
    """What learners do, and the mutation test does not."""
    body = [token for token in tokens_of(text) if begin <= token.begin < end]
    blocks = []  # (opening, closing, the word before it)
    for i, token in enumerate(body):
        if token.text == "{" and is_body(body, i):
            word, at = body[i - 1].text if i else "", i - 1
            if word == ")":
                depth = 0
                while at >= 0:
                    depth += (body[at].text == ")") - (body[at].text == "(")
                    if depth == 0:
                        break
                    at -= 1
                word = body[at - 1].text
            blocks.append((i, closing_of(body, i), word))
    for opening, closing, word in blocks:
        around = [other for other in blocks if other[0] <= opening and closing <= other[1]]
        in_loop = any(outer[2] in LOOPS for outer in around)
        last = body[closing - 1].text if closing > opening else ""
        if not in_loop or body[closing - 2].text in ("break", "continue", "return"):
            continue
        place = body[closing].begin
        head = text[max(text.rfind(sign, 0, body[opening].begin - 1 if word != "for" else text.rfind("for", 0, body[opening].begin))
                        for sign in ";{}") + 1:body[opening].begin]
        what = "`" + " ".join(re.sub(r"//.*", "", head).split()) + "`"
        if last in (";", "}"):
            yield Mutant(file, place, place, " break; ", "early exit", f"break at the end of {what}")
            if word in ("if", "else") and is_void:
                yield Mutant(file, place, place, " return; ", "early exit", f"return at the end of {what}")
        if word == "if":
            for jump in ["break;"] + ["return;"] * is_void:
                if closing + 1 >= len(body) or body[closing + 1].text != "else":
                    yield Mutant(file, body[closing].end, body[closing].end, f" else {{ {jump} }} ", "early exit",
                                 f"{jump} if not {what}")
    for i, token in enumerate(body[1:-2], 1):
        # Scalar sum = 0;   a declaration or an assignment that begins something
        if token.text == "=" and body[i - 1].kind == "name" and body[i - 2].kind == "name":
            last = next((j for j in range(i, len(body)) if body[j].text == ";"), None)
            value = text[body[i + 1].begin:body[last].begin] if last else ""
            if body[i - 2].text not in ("auto", "const") and not re.fullmatch(r"[01]", value.strip()):
                for other in ("0", "1"):
                    yield Mutant(file, body[i + 1].begin, body[last].begin, other, "initial value",
                                 f"{body[i - 1].text} = {other}")
        # [j], .row(n), (i, j): an index one off
        if token.kind == "name" and body[i + 1].text in ("]", ",", ")") and body[i - 1].text in ("[", "(", ","):
            opening = i - 1
            while body[opening].text == ",":
                opening -= 2
                if opening < 0 or body[opening + 1].kind != "name":
                    break
            caller = body[opening - 1].text if opening > 0 else ""
            if body[opening].text == "[" or (body[opening].text == "(" and len(token.text) <= 2 and caller not in
                                             LOOPS | {"if", "assert", "return"}):
                for sign in "+-":
                    yield Mutant(file, token.begin, token.end, f"{token.text} {sign} 1", "index one off",
                                 f"{token.text} {sign} 1")


class Answer:
    """A wrong answer, derived from a right one: source files with a change in one function."""

    def __init__(self, right, function, mutant):
        text = right[mutant.file]
        self.texts = {**right, mutant.file: mutant.planted_in(text)}
        begin = max(text.rfind(sign, 0, mutant.begin) for sign in ";{}") + 1
        end = min(place for place in (text.find(sign, mutant.end) for sign in ";{}") if place >= 0) + 1
        statement = " ".join(re.sub(r"//.*", "", text[begin:end]).split())
        self.function, self.operator = function, mutant.operator
        self.shown = mutant.shown if mutant.operator == "early exit" else f"{mutant.shown} in {statement}"


def right_answers(lab):
    """The real source files, and those of tests/course/right: other ways to write the same, as learners do."""
    other = RIGHT / f"{lab.number}.txt"
    return [lab.real(), *(texts for _, texts in (lab.changed(other) if other.exists() else ()))]


def derived(lab):
    """All wrong answers that can be derived from the right ones of a lab."""
    found = {}
    real = lab.real()
    for number, right in enumerate(right_answers(lab)):
        for file, text in right.items():
            if number > 0 and text == real[file]:
                continue  # only another file of this answer differs
            shared = sorted(set(mutants_of(file, text)))
            for name, begin, end, is_void in function_places(lab, file, text):
                inside = [mutant for mutant in shared if begin <= mutant.begin and mutant.end <= end]
                for mutant in inside + list(more_mutants(file, text, begin, end, is_void)):
                    if not is_left_out(text, mutant):
                        answer = Answer(right, name, mutant)
                        found.setdefault(tuple(answer.texts.values()), answer)
    return list(found.values())


def is_left_out(text, mutant):
    """Assertions, and what is recorded for `explain`, are no part of the task."""
    plain = re.sub(r'"[^"\n]*"', lambda string: "." * len(string[0]), text)  # a string may contain a semicolon
    begin = max(plain.rfind(sign, 0, mutant.begin) for sign in ";{}") + 1
    statement = re.sub(r"//.*", "", plain[begin:max(mutant.end, mutant.begin + 1)]).strip()
    return statement.startswith(("assert", "pass.record", "pass_.record"))


def compiled(lab, answers):
    """The answers that compile, and a program that has them in this order."""
    rest = list(answers)
    while True:
        try:
            return rest, all_in_one(lab, [answer.texts for answer in rest])
        except CompileError as error:
            if not error.guilty:
                raise
            rest = [answer for number, answer in enumerate(rest, 1) if number not in error.guilty]


def results_of(lab):
    """(answer, its results, those of grading) for each derived answer that compiles."""
    answers, program = compiled(lab, derived(lab))
    for number, answer in enumerate(answers, 1):
        yield answer, *(run(program, grading=grading, GLASSFORMER_MUTANT=str(number)) for grading in (False, True))


def known_equal():
    """{(lab, function, change): why it computes the same}, from equal.txt."""
    text = re.sub(r"^#.*\n", "", EQUAL.read_text(encoding="utf-8"), flags=re.M).strip()
    entries, lab, function, why = {}, None, None, None
    for line in text.splitlines():
        if line.startswith("  "):
            entries[lab, function, line.strip()] = why
        elif line:
            match = re.fullmatch(r"lab (\w+), (\S+): (.*)", line)
            if not match:
                raise SystemExit(f"{EQUAL}: expected 'lab 3, FUNCTION: WHY', found: {line}")
            lab, function, why = match.groups()
    return entries
