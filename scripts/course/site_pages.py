"""The pages of the course in the live page: every page of docs/course, the tasks of the labs, and the pages of docs that
they lead to. docs/course/README.md says which pages are chapters, in which order, and how many minutes each takes."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from labs import PROJECT, all_labs

COURSE = PROJECT / "docs" / "course"
README = COURSE / "README.md"
ALSO = [PROJECT / "docs" / "install.md", PROJECT / "docs" / "arithmetic.md"]


@dataclass
class Page:
    path: Path
    id: str  # its address is #/course/ID
    kind: str  # "chapter", "lab" or "page"
    text: str  # Markdown
    number: str = ""  # of a chapter or a lab
    minutes: int = 0
    chapter: str = ""  # of a lab: the chapter that explains it
    labs: list = field(default_factory=list)  # of a chapter
    previous: str = ""
    next: str = ""
    # What fragment.py finds:
    title: str = ""
    headings: list = field(default_factory=list)  # {"id", "text", "level"}
    figures: list = field(default_factory=list)  # the names of its slots
    links: list = field(default_factory=list)  # (page, anchor) of its links to pages
    html: str = ""


def all_pages():
    """id -> page. In each kind, the pages are in the order in which one reads them."""
    minutes = minutes_of_chapters(README.read_text(encoding="utf-8"))
    rest = [path for path in [README, *sorted(COURSE.glob("*.md")), *ALSO] if path.name not in minutes]
    pages = [Page(COURSE / name, name_of(name), "chapter", text_of(COURSE / name), number_of(name), time)
             for name, time in minutes.items()]
    pages += [Page(path, name_of(path.name), "page", text_of(path)) for path in dict.fromkeys(rest)]
    for lab in all_labs(variants=True):
        chapter = next(page for page in pages if page.number == str(int(lab.number[:2])))
        pages.append(Page(lab.description / "task.md", f"lab_{lab.number}", "lab",
                          markdown_of_task(text_of(lab.description / "task.md")), lab.name, chapter=chapter.id))
        chapter.labs.append(pages[-1].id)
    for kind in ("chapter", "lab"):
        sequence = [page for page in pages if page.kind == kind]
        for before, after in zip(sequence, sequence[1:]):
            before.next, after.previous = after.id, before.id
    missing = [path.name for path in COURSE.glob("[0-9][0-9]-*.md") if path.name not in minutes]
    if missing:
        raise ValueError(f"{README.relative_to(PROJECT)}: the table of chapters does not have {', '.join(missing)}")
    return {page.id: page for page in pages}


def minutes_of_chapters(readme):
    """File name -> minutes, for the rows of the table of chapters."""
    table = readme.split("\n## Chapters\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\|[^|]*\| \[[^]]*\]\(([\w-]+\.md)\) \|(.*)$", table, re.M)
    return {name: int((re.findall(r"-->(\d+)<!-- \. -->", rest) or [0])[0]) for name, rest in rows}


def name_of(file_name):
    return "start" if file_name == README.name else file_name.removesuffix(".md").replace("-", "_")


def number_of(file_name):
    match = re.match(r"(\d\d)-", file_name)
    return str(int(match[1])) if match else ""


def text_of(path):
    return path.read_text(encoding="utf-8")


def markdown_of_task(text):
    """The task of a lab is a comment in the learner's file, so `B*H*T` is no emphasis, and lines that are indented by two
    spaces are formulas."""
    blocks = []
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if all(line.startswith("  ") for line in lines):
            blocks.append("\n".join(["```text", *(line[2:] for line in lines), "```"]))
            continue
        function = re.fullmatch(r"## (\S+\.[ch]pp) (\S+)", block.strip())
        if function:
            blocks.append(f"## `{function[2]}`\n\nIn `{function[1]}`:")
        else:
            blocks.append(re.sub(r"(`[^`]*`)|([*_<$\\])", lambda match: match[1] or "\\" + match[2], block))
    return "\n\n".join(blocks) + "\n"
