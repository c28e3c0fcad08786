#!/usr/bin/env python3
"""Puts the live page together from its parts: the bundle (src/web/dist) and the engine.

    scripts/live_pages.py [OUTPUT]     writes to OUTPUT instead of build/live

The course is part of the page if pandoc, which renders it, is installed.

OUTPUT becomes a directory for any static web server: index.html with the files that it loads. It also gets
glassformer-live.html, one file that has everything in it and opens from disk. scripts/live.sh builds the parts first.
"""

import base64
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
DIST = PROJECT / "src/web/dist"
ENGINES = ("engine.wasm", "engine_emulated.wasm")  # dist has them compressed


def element(name, contents):
    """A script element that a browser does not run."""
    return f'<script type="application/octet-stream" id="{name}">{base64.b64encode(contents).decode()}</script>\n'


def page(data):
    """The page, with its style and its scripts in it. `data`: more elements."""
    parts = {
        "styles": f"<style>\n{(DIST / 'live.css').read_text()}</style>",
        "data": data,
        "scripts": f"<script>\n{(DIST / 'live.js').read_text()}</script>",
    }
    text = (DIST / "live.html").read_text()
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    return text


def render_course(directory):
    """Renders the course into a directory. Returns whether that was possible."""
    if shutil.which("pandoc") is None:
        print("SKIPPED: pandoc is missing, so the page is made without the course.", file=sys.stderr)
        return False
    subprocess.run([sys.executable, PROJECT / "scripts/course_pages.py", directory], check=True)
    return True


def packed_course(directory):
    """All pages of the course, gzipped."""
    pages = {file.stem: file.read_text() for file in sorted(directory.glob("*.html"))}
    course = {"index": json.loads((directory / "index.json").read_text()), "pages": pages}
    return gzip.compress(json.dumps(course, ensure_ascii=False).encode(), mtime=0)


def main():
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "build/live"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    packed = {name: (DIST / f"{name}.gz").read_bytes() for name in ENGINES}
    for name, contents in packed.items():
        (output / name).write_bytes(gzip.decompress(contents))
    (output / "index.html").write_text(page(""))
    if render_course(output / "course"):
        packed["course.json"] = packed_course(output / "course")
    (output / "glassformer-live.html").write_text(page("".join(element(*item) for item in packed.items())))


if __name__ == "__main__":
    main()
