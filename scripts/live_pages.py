#!/usr/bin/env python3
"""Puts the live page together from its parts: the bundle (src/web/dist) and the engine.

    scripts/live_pages.py [OUTPUT] [--snapshots FILE]     writes to OUTPUT instead of build/live

The course is part of the page if pandoc, which renders it, is installed. FILE has snapshots of the toy: a run of
configs/toy.yaml, as `glassformer live --json` writes it.

OUTPUT becomes a directory for any static web server: index.html with the files that it loads. It also gets
glassformer-live.html, one file that has everything in it and opens from disk. scripts/live.sh builds the parts first.
"""

import argparse
import base64
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
DIST = PROJECT / "src/web/dist"
ONE_FILE = "glassformer-live.html"
ENGINES = ("engine.wasm", "engine_emulated.wasm")  # dist has them compressed


def element(name, contents):
    """A script element that a browser does not run."""
    return f'<script type="application/octet-stream" id="{name}">{base64.b64encode(contents).decode()}</script>\n'


def bundled(name):
    """A file of the bundle that src/web/build.mjs makes."""
    return (DIST / name).read_text(encoding="utf-8")


def page(data):
    """The page, with its style and its scripts in it. `data`: more elements."""
    parts = {
        "styles": f"<style>\n{bundled('live.css')}</style>",
        "data": data,
        "scripts": f"<script>\n{bundled('live.js')}</script>",
    }
    text = bundled("live.html")
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
    pages = {file.stem: file.read_text(encoding="utf-8") for file in sorted(directory.glob("*.html"))}
    course = {"index": json.loads((directory / "index.json").read_text(encoding="utf-8")), "pages": pages}
    return gzip.compress(json.dumps(course, ensure_ascii=False).encode(), mtime=0)


def toy_snapshots(file):
    """The files of the page that have the snapshots in a run of the toy, by name."""
    files, index = {}, []
    for snapshot in json.loads(file.read_text(encoding="utf-8"))["snapshots"]:
        update = int(snapshot["update"])
        if update == 0:  # making the model gives it
            continue
        name = f"snapshots/toy-{update}.bin"
        files[name] = base64.b64decode(snapshot["bytes"], validate=True)
        index.append({"update": update, "file": name})
    return {"toy.json": json.dumps({"snapshots": index}).encode(), **files}


def list_of_files(names):
    """Tells index.html which files beside it there are that are not always there. See src/web/base/page_files.ts."""
    return f'<script type="application/json" id="files">{json.dumps(names)}</script>\n'


def make_empty(output):
    """Makes an empty directory; refuses to empty one that this script did not write."""
    if output.exists() and any(output.iterdir()) and not (output / ONE_FILE).exists():
        sys.exit(f"{output}: expected a new or empty directory, or one of an earlier call, found other files")
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)


def main():
    parser = argparse.ArgumentParser(description="puts the live page together")
    parser.add_argument("output", nargs="?", type=Path, default=PROJECT / "build/live")
    parser.add_argument("--snapshots", type=Path, metavar="FILE", help="of the toy (default: none)")
    arguments = parser.parse_args()
    output = arguments.output
    snapshots = toy_snapshots(arguments.snapshots) if arguments.snapshots else {}
    make_empty(output)
    packed = {name: (DIST / f"{name}.gz").read_bytes() for name in ENGINES}
    for name, contents in packed.items():
        (output / name).write_bytes(gzip.decompress(contents))
    for name, contents in snapshots.items():
        (output / name).parent.mkdir(exist_ok=True)
        (output / name).write_bytes(contents)
        packed[name] = gzip.compress(contents, mtime=0)
    beside = ["toy.json"] if snapshots else []
    if render_course(output / "course"):
        packed["course.json"] = packed_course(output / "course")
        beside.append("course/index.json")
    (output / "index.html").write_text(page(list_of_files(beside)), encoding="utf-8")
    (output / ONE_FILE).write_text(page("".join(element(*item) for item in packed.items())), encoding="utf-8")


if __name__ == "__main__":
    main()
