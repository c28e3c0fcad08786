"""The hand-made faults of tests/faults.txt: reads them, finds their places, and plants them.

A fault quotes the code that it replaces. Only the tokens of a quotation count, not the spaces and line breaks between
them, so formatting the sources again changes nothing.
"""

import re
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
FAULTS = PROJECT / "tests/faults.txt"


class Fault(NamedTuple):
    number: int  # of the line that has the title
    file: str
    title: str
    old: str
    new: str

    @property
    def whole_title(self):
        return f"{self.file}: {self.title}"


def read_faults(path=FAULTS):
    """All faults of a file. Raises ValueError if a fault does not have the three lines that it needs."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    faults = []
    for number, (title, old, new) in enumerate(zip(lines, lines[1:], lines[2:]), 1):
        if not title.startswith("src/"):
            continue
        if not (old.startswith("- ") and new.startswith("+ ") and old[2:] != new[2:]):
            raise ValueError(f"{path}:{number}: expected a line with '- ', then a different one with '+ '")
        file, rest = title.split(": ", 1)
        faults.append(Fault(number, file, rest, old[2:].strip(), new[2:].strip()))
    return faults


def places(text, quotation):
    """Where in `text` the tokens of `quotation` occur: a list of (begin, end)."""
    tokens = re.findall(r"\w+|\S", quotation)
    pattern = r"\s*".join(re.escape(token) for token in tokens)
    before = r"(?<!\w)" if re.match(r"\w", tokens[0]) else ""
    after = r"(?!\w)" if re.match(r"\w", tokens[-1]) else ""
    return [match.span() for match in re.finditer(before + pattern + after, text)]


def plant(text, fault):
    """`text`, the contents of the fault's file, with the fault. Raises ValueError unless there is one place for it."""
    found = places(text, fault.old)
    if len(found) != 1:
        raise ValueError(f"expected this once in {fault.file}, found it {len(found)} times: {fault.old}")
    begin, end = found[0]
    return text[:begin] + fault.new + text[end:]
