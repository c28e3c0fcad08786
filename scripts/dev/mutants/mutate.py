#!/usr/bin/env python3
"""Would the tests notice a small mistake? Derives mistakes from the sources by operators, compiles a random sample of
them into a copy of the project, switches on one at a time, and runs tests until one fails.

    scripts/dev/mutants/mutate.py --list                        how many mutants each operator and module has
    scripts/dev/mutants/mutate.py --sample 400 --seed 1         plants and tries 400: about four hours on two cores
    scripts/dev/mutants/mutate.py --sample 50 --files src/run   only mutants of these files or directories

All mutants of a sample are in one program; the environment variable GLASSFORMER_MUTANT names the one that is on. So a
sample costs one build. A mutant that does not compile is replaced by the next one of the random order.

The operators: another comparison; plus and minus, times and divided by; another literal; min and max; a condition
negated, or always true or false; a statement left out; break and continue left out.

The result is build/mutants/results.jsonl, one line per mutant: run it again with the same sample and seed to go on.
The exit status is 1 if fewer than 95 % were caught.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[3]
COPY = PROJECT / "build" / "mutants" / "copy"
RESULTS = PROJECT / "build" / "mutants" / "results.jsonl"
PREFIX = "glassformer::mutants::"

TOKEN = re.compile(r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<number>\.?\d(?:'?[\w.]|[eEpP][+-])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|&&|\|\||<<|[-+*/%&|^=!<>]=|.)""", re.S | re.X)
CLOSING = {"(": ")", "[": "]", "{": "}"}
OPERATORS = {"+": ("Plus", "Minus"), "-": ("Minus", "Plus"), "*": ("Times", "Divided"), "/": ("Divided", "Times"),
             "<": ("Less", "LessOrEqual"), "<=": ("LessOrEqual", "Less"), ">": ("Greater", "GreaterOrEqual"),
             ">=": ("GreaterOrEqual", "Greater"), "==": ("Equal", "NotEqual"), "!=": ("NotEqual", "Equal")}
NOT_MUTATED = {"constexpr", "static", "case", "using", "static_assert", "template", "default", "enum", "struct", "class",
               "namespace", "typedef", "thread_local", "goto", "throw", "extern", "friend", "public", "private"}


class Token(NamedTuple):
    kind: str
    text: str
    begin: int

    @property
    def end(self):
        return self.begin + len(self.text)


class Mutant(NamedTuple):
    file: str
    line: int
    operator: str  # its name, for the table
    begin: int     # the place in the file's text
    end: int
    new: str       # {n} stands for the mutant's number
    shown: str     # what it does


def tokens_of(text):
    """Everything but white space, comments and preprocessor lines."""
    tokens, at, line_start = [], 0, True
    while at < len(text):
        directive = re.compile(r"[ \t]*#(?:[^\n\\]|\\.)*", re.S).match(text, at) if line_start else None
        if directive:
            at, line_start = directive.end(), False
            continue
        match = TOKEN.match(text, at)
        if match["space"] is None:
            kind = next(kind for kind in ("text", "number", "name", "sign") if match[kind] is not None)
            tokens.append(Token(kind, match.group(), at))
            line_start = False
        else:
            line_start = line_start or "\n" in match.group()
        at = match.end()
    return tokens


def closing_of(tokens, opening):
    """The index of the bracket that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(tokens)):
        if tokens[i].text in CLOSING:
            depth += 1
        elif tokens[i].text in CLOSING.values():
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def is_body(tokens, brace):
    """Whether the brace opens a block of statements, not a class, a namespace or a list of values."""
    before = tokens[brace - 1].text if brace > 0 else ""
    if before in (")", "else", "do", "try", "const", "noexcept", "override", "mutable"):
        return True
    recent = [token.text for token in tokens[max(0, brace - 8):brace]]
    return "->" in recent and before not in (",", "(", "=") and "return" not in recent


def statements_of(tokens):
    """(first, last) token of each simple statement inside a body, and of each head of a block, such as `if (...)`;
    `last` is the semicolon or the brace."""
    stack, start = [], 0
    for i, token in enumerate(tokens):
        if token.text in CLOSING:
            body = token.text == "{" and is_body(tokens, i)
            if body and stack and stack[-1][1] and start < i:
                yield start, i
            stack.append((token.text, body, start))
            if body:
                start = i + 1
        elif token.text in CLOSING.values() and stack:
            _, body, outer = stack.pop()
            start = i + 1 if body and (not stack or stack[-1][1]) else outer if stack and not stack[-1][1] else start
            if not body and not stack:
                start = i + 1
        elif token.text == ";" and stack and stack[-1][1]:
            if start < i:
                yield start, i
            start = i + 1


def mutants_of_statement(tokens, first, last):
    """A statement left out. Declarations and `return` stay."""
    words = [token.text for token in tokens[first:last]]
    if words in (["break"], ["continue"]):
        yield "jump left out", tokens[first].begin, tokens[last].end, \
            f"if (!{PREFIX}on({{n}})) {{{{ {words[0]}; }}}}", f"without {words[0]};"
        return
    if tokens[first].kind != "name" and words[0] not in ("++", "--", "*"):
        return
    if words[0] in NOT_MUTATED or words[0] in ("return", "if", "for", "while", "else", "do", "delete", "switch"):
        return
    depth, assigned = 0, False
    for i in range(first, last):
        depth += (tokens[i].text in CLOSING) - (tokens[i].text in CLOSING.values())
        if depth == 0 and i > first and tokens[i].kind == "name" and tokens[i - 1].kind == "name":
            return  # a declaration: two names in a row
        if depth == 0 and tokens[i].text in (">", "&", "*") and tokens[i + 1].kind == "name" and not assigned:
            return  # a declaration, probably
        assigned = assigned or tokens[i].text in ("=", "+=", "-=", "*=", "/=")
    yield "statement left out", tokens[first].begin, tokens[first].begin, f"if (!{PREFIX}on({{n}})) ", "left out"


def mutants_of_condition(tokens, at):
    """if (...) and while (...): negated, always, never."""
    opening = at + 1
    if tokens[opening].text != "(":
        return
    closing = closing_of(tokens, opening)
    if any(token.text == ";" for token in tokens[opening:closing]):
        return  # it declares a name
    begin, end = tokens[opening].end, tokens[closing].begin
    yield "condition negated", begin, end, f"{PREFIX}on({{n}}) != static_cast<bool>({{old}})", "negated"
    if tokens[at].text == "if":
        yield "condition true", begin, end, f"{PREFIX}on({{n}}) || ({{old}})", "always true"
        yield "condition false", begin, end, f"!{PREFIX}on({{n}}) && ({{old}})", "always false"


def mutants_of_token(text, tokens, i):
    token = tokens[i]
    spaced = text[token.begin - 1:token.begin] == " " and text[token.end:token.end + 1] in (" ", "\n")
    if token.text in OPERATORS and spaced:
        _, other = OPERATORS[token.text]
        swap = f"{PREFIX}Swap<{{n}}, {PREFIX}{other}>{{{{}}}}"
        sign = next(sign for sign, (name, _) in OPERATORS.items() if name == other)
        yield "operator", token.begin, token.end, f"{token.text} {swap} {token.text}", f"{token.text} becomes {sign}"
    if token.kind == "number" and re.fullmatch(r"\d+", token.text) and tokens[i - 1].text not in ("<", "["):
        other = "1" if token.text == "0" else "0" if token.text == "1" else str(int(token.text) + 1)
        yield "literal", token.begin, token.end, f"{PREFIX}literal({{n}}, {token.text}, {other})", \
            f"{token.text} becomes {other}"
    if token.text in ("true", "false"):
        other = "false" if token.text == "true" else "true"
        yield "literal", token.begin, token.end, f"{PREFIX}literal({{n}}, {token.text}, {other})", \
            f"{token.text} becomes {other}"
    if token.text in ("min", "max") and tokens[i - 1].text == "::" and tokens[i + 1].text == "(":
        name = "smaller" if token.text == "min" else "larger"
        other = "max" if token.text == "min" else "min"
        yield "min and max", tokens[i - 2].begin, token.end, f"{PREFIX}{name}<{{n}}>", f"{token.text} becomes {other}"
    if token.text in ("if", "while"):
        yield from mutants_of_condition(tokens, i)


def mutants_of(file):
    """All mutants of a file, without numbers."""
    text = (PROJECT / file).read_text(encoding="utf-8")
    tokens = tokens_of(text)
    for first, last in statements_of(tokens):
        if tokens[first].text in NOT_MUTATED:
            continue
        candidates = list(mutants_of_statement(tokens, first, last)) if tokens[last].text == ";" else []
        for i in range(max(1, first), last):
            candidates += mutants_of_token(text, tokens, i)
        for operator, begin, end, new, shown in candidates:
            line = text[:begin].count("\n") + 1
            old = text[begin:end].replace("{", "{{").replace("}", "}}")
            yield Mutant(file, line, operator, begin, end, new.replace("{old}", old), shown)


def all_mutants(wanted):
    files = subprocess.run(["git", "ls-files", *(wanted or ["src"])], cwd=PROJECT, check=True, capture_output=True,
                           text=True).stdout.split()
    files = [file for file in files if re.search(r"\.[ch]pp$", file)]
    return sorted({mutant for file in files for mutant in mutants_of(file)})


def plant(mutants):
    """Writes the copy's files; `mutants` are {number: mutant}. Returns the files that have changed."""
    names = subprocess.run(["git", "ls-files"], cwd=PROJECT, check=True, capture_output=True, text=True).stdout.split()
    for name in names:
        text = (PROJECT / name).read_bytes()
        chosen = sorted(((mutant.begin, mutant.end, mutant.new.format(n=number))
                         for number, mutant in mutants.items() if mutant.file == name), reverse=True)
        if chosen:
            changed = text.decode("utf-8")
            for begin, end, new in chosen:
                changed = changed[:begin] + new + changed[end:]
            header = '#include "../../scripts/dev/mutants/mutant.hpp"\n'
            text = (header + changed if not changed.startswith("#pragma once")
                    else changed.replace("#pragma once\n", "#pragma once\n" + header, 1)).encode("utf-8")
        target = COPY / name
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
            target.chmod((PROJECT / name).stat().st_mode)


def without_overlaps(order):
    """Leaves out mutants that overlap with an earlier one of the order."""
    taken = collections.defaultdict(list)
    for mutant in order:
        if all(mutant.end < begin or end < mutant.begin for begin, end in taken[mutant.file]):
            taken[mutant.file].append((mutant.begin, mutant.end))
            yield mutant


def build():
    """Builds the copy. Returns the compiler's errors as {(file, line)}; empty if it is built."""
    if not (COPY / "build/release/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", "-G", "Ninja", "-DCMAKE_CXX_FLAGS=-w", "-DGLASSFORMER_WERROR=OFF"],
                       cwd=COPY, check=True, capture_output=True)
    done = subprocess.run(["ninja", "-C", COPY / "build/release", "-k", "0", "glassformer_tests"], capture_output=True,
                          text=True)
    places = {(match[1], int(match[2])) for match in re.finditer(
        rf"{re.escape(str(COPY))}/(src/\S+?):(\d+)(?::\d+)?:? ", done.stdout)}
    return places if done.returncode else set()


def plant_sample(order, size):
    """Plants the first `size` mutants of the order that compile together: {number: mutant}."""
    rest = iter(enumerate(without_overlaps(order), 1))
    chosen = {number: mutant for number, mutant in (next(rest, (0, None)) for _ in range(size)) if mutant}
    while True:
        plant(chosen)
        errors = build()
        if not errors:
            return chosen
        wrong = {number for number in chosen if any(
            f"({number})" in line or f"({number}," in line or f"<{number}," in line or f"<{number}>" in line
            for file, at in errors for line in [(COPY / file).read_text(encoding="utf-8").split("\n")[at - 1]])}
        if not wrong:  # the error is elsewhere: give up those files' mutants
            wrong = {number for number, mutant in chosen.items() if mutant.file in {file for file, _ in errors}}
        print(f"{len(wrong)} mutants do not compile; they are replaced", flush=True)
        for number in wrong:
            del chosen[number]
            replacement = next(rest, None)
            if replacement:
                chosen[replacement[0]] = replacement[1]


def tests_for(file):
    """Test programs to run, in this order: (command, seconds)."""
    tests = str(COPY / "build/release/glassformer_tests")
    name = "test_" + Path(file).stem
    if list(COPY.glob(f"tests/*/{name}.cpp")):
        yield [tests, "--abort", "-#", f"[#{name}]"], 300
    yield [tests, "--abort", "[layers],[model],[seeds],[pytorch],[session]"], 300
    yield [tests, "--abort", "~[program]"], 900
    yield [tests, "--abort", "[program]"], 1200
    yield [str(COPY / "scripts/dev/test_metrics.sh"), "-x"], 1800


def caught_by(number, mutant):
    """The command whose tests notice the mutant, or None."""
    environment = {**os.environ, "GLASSFORMER_MUTANT": str(number), "OMP_WAIT_POLICY": "passive",
                   "GLASSFORMER_PROGRAM": str(COPY / "build/release/glassformer")}
    for command, seconds in tests_for(mutant.file):
        try:
            done = subprocess.run(command, cwd=COPY, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=seconds)
        except subprocess.TimeoutExpired:
            return "a timeout"
        if done.returncode != 0:
            return " ".join(command[1:]) or Path(command[0]).name
    return None


def print_table(results):
    table = collections.defaultdict(lambda: [0, 0])
    for result in results:
        row = table[result["file"].split("/")[1]]
        row[0] += 1
        row[1] += result["by"] is not None
    print("| module | tried | caught |\n|---|---|---|")
    for module, (tried, caught) in sorted(table.items()):
        print(f"| {module} | {tried} | {caught} |")
    caught = sum(result["by"] is not None for result in results)
    print(f"caught {caught} of {len(results)}: {100 * caught / max(1, len(results)):.1f} %")
    for result in results:
        if result["by"] is None:
            print(f"SURVIVED {result['number']}: {result['file']}:{result['line']}: {result['operator']}, {result['shown']}")
    return caught >= 0.95 * len(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only count the mutants")
    parser.add_argument("--sample", type=int, default=400, help="how many to try (default: 400)")
    parser.add_argument("--seed", type=int, default=1, help="of the random order (default: 1)")
    parser.add_argument("--files", nargs="*", help="only in these files or directories (default: src)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this time; run again to go on")
    options = parser.parse_args()
    mutants = all_mutants(options.files)
    if options.list:
        for key, count in sorted(collections.Counter(mutant.operator for mutant in mutants).items()):
            print(f"{count:6} {key}")
        for key, count in sorted(collections.Counter(mutant.file.split("/")[1] for mutant in mutants).items()):
            print(f"{count:6} {key}")
        return 0
    end = time.monotonic() + 60 * options.minutes
    random.Random(options.seed).shuffle(mutants)
    chosen = plant_sample(mutants, options.sample)
    known = {}
    if RESULTS.exists():
        for line in RESULTS.read_text(encoding="utf-8").splitlines():
            result = json.loads(line)
            known[result["file"], result["line"], result["operator"], result["shown"]] = result
    results = []
    for number, mutant in sorted(chosen.items()):
        key = (mutant.file, mutant.line, mutant.operator, mutant.shown)
        if key not in known:
            if time.monotonic() > end:
                break
            result = {"number": number, "file": mutant.file, "line": mutant.line, "operator": mutant.operator,
                      "shown": mutant.shown, "by": caught_by(number, mutant)}
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
            print(f"{'caught  ' if result['by'] else 'SURVIVED'} {mutant.file}:{mutant.line} {mutant.operator}, "
                  f"{mutant.shown}: {result['by']}", flush=True)
            known[key] = result
        results.append(known[key])
    return 0 if print_table(results) else 1


if __name__ == "__main__":
    sys.exit(main())
