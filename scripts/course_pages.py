#!/usr/bin/env python3
"""Makes the pages of the course for the live page: each is a piece of HTML that needs no network.

    scripts/course_pages.py                     writes build/course: index.json, and a file ID.html for each page
    scripts/course_pages.py DIRECTORY           writes to this directory

index.json lists the pages: id, kind (chapter, lab or page), number, title, minutes, previous and next, headings, the
figures in the page, the labs of a chapter, and the chapter of a lab. src/web/course shows them. The script fails if a
link, a picture or a slot for a figure is wrong.
"""

import argparse
import gzip
import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "course"))

from fragment import Fragment, PageError  # noqa: E402
from site_pages import all_pages  # noqa: E402
from source import PROJECT  # noqa: E402

SHOWN = ("id", "kind", "number", "title", "minutes", "chapter", "labs", "previous", "next", "headings", "figures")


def rendered_pages():
    """All pages, rendered. Raises PageError if something is wrong with one."""
    pages = all_pages()
    by_path = {page.path: page for page in pages.values()}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda page: Fragment(page, by_path), pages.values()))
    check_links(pages)
    return pages


def check_links(pages):
    for page in pages.values():
        for id, anchor in page.links:
            if anchor and anchor not in [heading["id"] for heading in pages[id].headings]:
                raise PageError(f"{page.path.relative_to(PROJECT)}: link to {pages[id].path.name}#{anchor}: no such heading")


def index_of(pages):
    return {"pages": [{key: getattr(page, key) for key in SHOWN} for page in pages.values()]}


def write_directory(pages, directory):
    directory.mkdir(parents=True, exist_ok=True)
    for old in [*directory.glob("*.html"), directory / "index.json"]:
        old.unlink(missing_ok=True)
    for page in pages.values():
        (directory / f"{page.id}.html").write_text(page.html, encoding="utf-8")
    (directory / "index.json").write_text(json.dumps(index_of(pages), ensure_ascii=False), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=Path, default=PROJECT / "build" / "course")
    options = parser.parse_args()
    if not shutil.which("pandoc"):
        print("course_pages.py: pandoc is missing. On Debian and Ubuntu: apt-get install pandoc", file=sys.stderr)
        return 2
    try:
        pages = rendered_pages()
    except (PageError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    write_directory(pages, options.directory)
    html = "".join(page.html for page in pages.values()).encode()
    print(f"{len(pages)} pages: {len(html) / 1000:.0f} KB, {len(gzip.compress(html)) / 1000:.0f} KB compressed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
