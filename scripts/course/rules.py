"""What scripts/course.py requires of every page, besides that its marks are filled in."""

import re

from labs import all_labs
from source import PROJECT, Source

MOST_WORDS = 1550

# Numbers in prose that no mark computes, and why they may be typed.
TYPED = {
    "0.0001": "how far we move a number to measure a slope",
    "0.0002": "twice that",
    "0.001": "a constant of the gradient check, and an example that a chapter makes up",
    "0.999": "PyTorch's default",
    "98 %": "from the issue that the page links to",
    "0.0976": "what gdb prints on the same page; scripts/dev/test_debugger.sh checks it",
    "0.002": "the same",
}


def words_of(text):
    """The words of a page, without marks, code, numbers in blocks, and formulas."""
    return len(re.sub(r"<!--.*?-->|```.*?```|\$\$.*?\$\$|\$[^$\n]*\$", "", text, flags=re.S).split())


def problems_of_chapter(number, text):
    """What every chapter must have."""
    if words_of(text) > MOST_WORDS:
        yield f"{words_of(text)} words; at most {MOST_WORDS}"
    needed = {"<!-- diagram": 1, "<!-- code": 1, "<!-- python": 1, "<details>": 3, "debugger.md#": 1, "## What goes wrong": 1}
    if number in [int(lab.number) for lab in all_labs()]:
        needed[f"scripts/lab.sh start {number}\n"] = 1  # not its variant
    if re.search(r"\\[,;:!{}]", re.sub(r"```.*?```|<!--.*?-->|`[^`]*`", "", text, flags=re.S)):
        yield r"a formula with \, \; \: \! \{ or \}: Markdown removes the backslash"
    if re.search(r"^ *<!-- =", text, re.M):
        yield "a line begins with <!-- =, where Markdown would begin a new paragraph"
    for what, count in needed.items():
        if number > 0 and text.count(what) < count:
            yield f"expected {count} times {what.strip()}, found {text.count(what)}"


def typed_numbers(text):
    """Percentages, and numbers with two or more digits after the point, that a page's prose has outside marks."""
    marks = r"<!-- = .*? -->.*?<!-- \. -->|<!-- (?:code|python|diagram)\b.*?<!-- end -->|<!--.*?-->"
    prose = re.sub(marks + r"|```.*?```|`[^`\n]*`|\]\([^)\s]*\)|^    .*?$", "", text, flags=re.S | re.M)
    return [re.sub(r" ?%", " %", number) for number in re.findall(r"(?<![\w.])\d[\d,]*\.\d\d+(?!\w)|\d+(?:\.\d+)? ?%", prose)]


def problems_of_numbers(text):
    return [f"{number}: no mark computes it. Write <!-- = EXPRESSION -->{number}<!-- . -->, or give a reason in TYPED of "
            "scripts/course/rules.py" for number in typed_numbers(text) if number not in TYPED]


def solutions():
    """(file, function) of everything that the labs ask for."""
    return {(file, block.name) for lab in all_labs() for file, functions in lab.functions.items()
            for name in functions for block in Source(PROJECT / file).find(name)}


def unfolded(text, solved):
    """Solutions that a page shows outside <details>, where a reader meets them before the lab."""
    for match in re.finditer(r"<!-- code (\S+)(.*?)-->", text, flags=re.S):
        if text.count("<details>", 0, match.start()) > text.count("</details>", 0, match.start()):
            continue
        source = Source(PROJECT / match.group(1))
        for name in (function for shown in match.group(2).split() for function in source.shown_by(shown)):
            if (match.group(1), name) in solved:
                yield f"{name} is for the reader to write in a lab: put its `code` mark into <details>"
