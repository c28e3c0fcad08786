"""The hand-made faults of tests/faults.txt: reads them, finds their places, and plants them.

A fault names a function and quotes the code that it replaces there. Only the tokens of a quotation count, not the
spaces and line breaks between them, so formatting the sources again changes nothing. In the new code, \\n is a line
break.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent / "mutants"))
from cpp import bodies_of, name_of, tokens_of  # noqa: E402

PROJECT = Path(__file__).resolve().parents[2]
FAULTS = PROJECT / "tests/faults.txt"


class Fault(NamedTuple):
    number: int    # of the line that has the title
    file: str
    function: str  # its name without the class
    title: str     # what goes wrong
    old: str
    new: str

    @property
    def whole_title(self):
        return f"{self.file}: {self.function}: {self.title}"


def read_faults(path=FAULTS):
    """All faults of a file. Raises ValueError if a fault does not have the three lines that it needs."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    faults = []
    for number, (title, old, new) in enumerate(zip(lines, lines[1:], lines[2:]), 1):
        if not title.startswith("src/"):
            continue
        if not (old.startswith("- ") and new.startswith("+ ") and old[2:] != new[2:]):
            raise ValueError(f"{path}:{number}: expected a line with '- ', then a different one with '+ '")
        parts = title.split(": ", 2)
        if len(parts) != 3:
            raise ValueError(f"{path}:{number}: expected FILE: FUNCTION: WHAT GOES WRONG")
        faults.append(Fault(number, *parts, old[2:].strip(), new[2:].strip().replace("\\n", "\n")))
    return faults


def places(text, quotation):
    """Where in `text` the tokens of `quotation` occur: a list of (begin, end)."""
    tokens = re.findall(r"\w+|\S", quotation)
    pattern = r"\s*".join(re.escape(token) for token in tokens)
    before = r"(?<!\w)" if re.match(r"\w", tokens[0]) else ""
    after = r"(?!\w)" if re.match(r"\w", tokens[-1]) else ""
    return [match.span() for match in re.finditer(before + pattern + after, text)]


def place(text, fault):
    """(begin, end) of what the fault replaces in `text`, the contents of its file. Raises ValueError unless its function
    has one place for it."""
    tokens = tokens_of(text)
    bodies = [(tokens[opening].end, tokens[closing].begin) for opening, closing in bodies_of(tokens)
              if name_of(tokens, opening) == fault.function]
    if not bodies:
        raise ValueError(f"{fault.file} has no function {fault.function}")
    found = [(begin + first, begin + last)
             for begin, end in bodies for first, last in places(text[begin:end], fault.old)]
    if len(found) != 1:
        raise ValueError(f"expected this once in {fault.function} of {fault.file}, found it {len(found)} times: "
                         f"{fault.old}")
    return found[0]


def plant(text, fault):
    """`text`, the contents of the fault's file, with the fault. Raises ValueError unless there is one place for it."""
    begin, end = place(text, fault)
    return text[:begin] + fault.new + text[end:]
