#!/usr/bin/env python3
"""Makes the pictures of the documents, in docs/images.

    scripts/dev/make_pictures.py            all; needs build/release, a trained toy (scripts/quickstart.sh) and Chromium
    scripts/dev/make_pictures.py --check    status 1 if architecture.svg is not what this script draws
    scripts/dev/make_pictures.py --live [NAME ...]   only those of the live page, or those named, such as "walk"

    architecture.svg   the model with the shapes of its tensors, drawn here
    curves.svg         the curves of runs/toy
    walk.png           a step on the Steps tab of `explain`'s page: the softmax of the decoder's self-attention
    masks.png          the Masks tab of the same page
    live-*.png         the live page; see live_pictures.mjs. They need scripts/live.sh --snapshots, Node with the
                       packages in src/web (npm ci) and, to make the files small, Python's Pillow
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"
SENTENCES = ["she sleeps .", "today i buy the eggs .", "the small dog sees a house ."]
CHROMIUM = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)

# --- The diagram of the model -----------------------------------------------------------------------------------------

WIDTH, BOX, LEFT, RIGHT = 680, 264, 166, 514  # of the picture and of a box; the centres of the two columns
COLOURS = {"attention": "#fde4c8", "feed": "#d6e8fa", "norm": "#f3f0c4", "ends": "#e9dcf3", "loss": "#f8d5d5"}


class Drawing:
    def __init__(self):
        self.parts = []

    def add(self, text):
        self.parts.append(text)

    def text(self, x, y, text, anchor="middle", size=15, style=""):
        self.add(f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" {style}>{text}</text>')

    def box(self, x, y, name, kind, shape, height=38):
        """A box centred at x with its top at y: what it is, and the shape of its result."""
        self.add(f'<rect x="{x - BOX / 2}" y="{y}" width="{BOX}" height="{height}" rx="6" fill="{COLOURS[kind]}" '
                 'stroke="#444"/>')
        middle = y + height / 2 + 5
        self.text(x - BOX / 2 + 10, middle, name, "start")
        self.text(x + BOX / 2 - 10, middle, shape, "end", 14, 'fill="#444" font-family="monospace"')

    def arrow(self, *points, dashed=False):
        path = " ".join(f"{x},{y}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.add(f'<polyline points="{path}" fill="none" stroke="#444" stroke-width="1.5" marker-end="url(#tip)"{dash}/>')

    def frame(self, x, y, height, label):
        """A dashed frame around the parts of one layer."""
        self.add(f'<rect x="{x - BOX / 2 - 16}" y="{y}" width="{BOX + 32}" height="{height}" rx="10" fill="none" '
                 'stroke="#888" stroke-dasharray="4 3"/>')
        self.text(x - BOX / 2 - 6, y + height + 17, label, "start", 13, 'fill="#444"')

    def svg(self, height):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">\n'
                '<title>The transformer and the shapes of its tensors</title>\n'
                '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#444"/></marker></defs>\n'
                f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def architecture():
    drawing = Drawing()
    # From bottom to top, as in the paper. Each entry: name, colour, shape, y.
    encoder = [("Source ids", "ends", "[B, S]", 740), ("Embedding + position", "ends", "[B·S, D]", 670),
               ("Self-attention", "attention", "[B·S, D]", 560), ("Add &amp; Norm", "norm", "[B·S, D]", 500),
               ("Feed-forward", "feed", "[B·S, D]", 410), ("Add &amp; Norm", "norm", "[B·S, D]", 350)]
    decoder = [("bos + target ids", "ends", "[B, T]", 740), ("Embedding + position", "ends", "[B·T, D]", 670),
               ("Self-attention", "attention", "[B·T, D]", 560), ("Add &amp; Norm", "norm", "[B·T, D]", 500),
               ("Cross-attention", "attention", "[B·T, D]", 410), ("Add &amp; Norm", "norm", "[B·T, D]", 350),
               ("Feed-forward", "feed", "[B·T, D]", 260), ("Add &amp; Norm", "norm", "[B·T, D]", 200),
               ("Logits: linear", "ends", "[B·T, V]", 118), ("Cross-entropy", "loss", "loss", 52)]
    for x, column in ((LEFT, encoder), (RIGHT, decoder)):
        for (name, kind, shape, y), below in zip(column, [None, *column]):
            drawing.box(x, y, name, kind, shape)
            if below:
                drawing.arrow((x, below[3]), (x, y + 39))
    drawing.frame(LEFT, 334, 284, "× encoder layers")
    drawing.frame(RIGHT, 184, 434, "× decoder layers")
    # The residual connections: around each sublayer, into its Add & Norm.
    for x, tops in ((LEFT, (560, 410)), (RIGHT, (560, 410, 260))):
        edge = x + BOX / 2
        for top in tops:
            drawing.arrow((x, top + 48), (edge + 9, top + 48), (edge + 9, top - 41), (edge + 1, top - 41))
    # The memory goes to every decoder layer.
    drawing.arrow((LEFT, 350), (LEFT, 312), (340, 312), (340, 429), (RIGHT - BOX / 2 - 1, 429))
    drawing.text(LEFT - 90, 304, "memory [B·S, D]: keys and values", "start", 14)
    drawing.text(RIGHT, 30, "expected: target + eos [B, T]", "middle", 14)
    drawing.arrow((RIGHT, 36), (RIGHT, 51))
    # Top left: the masks and the letters.
    drawing.text(16, 60, "Masks (1 = blocked)", "start", 15, 'font-weight="bold"')
    for i, (name, shape) in enumerate((("encoder self-attention: padding", "[B, 1, S]"),
                                       ("decoder self-attention:", ""),
                                       ("look-ahead and padding", "[B, T, T]"),
                                       ("cross-attention: source padding", "[B, 1, S]"))):
        drawing.text(16, 86 + 22 * i, name, "start", 14)
        drawing.text(336, 86 + 22 * i, shape, "end", 14, 'fill="#444" font-family="monospace"')
    for i, line in enumerate(("B sentences, S and T tokens, D width,", "V words. The backward pass runs in reverse:",
                              "d_x has the shape of x, and d_memory is", "the sum over all decoder layers.")):
        drawing.text(16, 190 + 20 * i, line, "start", 14, 'fill="#444"')
    return drawing.svg(796)


# --- Pictures of the program's own output -----------------------------------------------------------------------------

def screenshot(address, file, width=1280, height=900):
    subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--window-size={width},{height}", "--virtual-time-budget=20000", f"--screenshot={file}", address],
                   check=True, capture_output=True)


def pictures_of_the_page():
    with tempfile.TemporaryDirectory() as name:
        page, numbers = Path(name) / "page.html", Path(name) / "numbers.json"
        sources = [word for sentence in SENTENCES for word in ("--source", sentence)]
        subprocess.run([ROOT / "build/release/glassformer", "explain", ROOT / "runs/toy", *sources, "--html", page,
                        "--json", numbers], check=True)
        steps = json.loads(numbers.read_text(encoding="utf-8"))["steps"]
        step = next(i for i, step in enumerate(steps, 1)
                    if step["part"] == "decoder.layers.0.self_attn" and "softmax" in step["equation"])
        screenshot(f"file://{page}#step-{step}", IMAGES / "walk.png")
        screenshot(f"file://{page}#masks", IMAGES / "masks.png", height=960)


def with_fewer_colours(file):
    """Makes a picture less than half as large: 256 colours are enough for the page, which has few.

    (Without k-means, the colours of small things are lost, such as those of a changed cell.)"""
    from PIL import Image  # not at the top: the other pictures do without it
    with Image.open(file) as picture:
        small = picture.convert("RGB").quantize(256, kmeans=1, dither=Image.Dither.NONE)
    small.save(file, optimize=True)


def pictures_of_the_live_page(names):
    if not (ROOT / "build/live/toy.json").exists() or not (ROOT / "src/web/node_modules").exists():
        sys.exit("the pictures of the live page need scripts/live.sh --snapshots, and npm ci in src/web")
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["node", ROOT / "scripts/dev/live_pictures.mjs", name, *names], check=True)
        for file in Path(name).glob("*.png"):
            with_fewer_colours(file)
            shutil.copyfile(file, IMAGES / file.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare architecture.svg; write nothing")
    parser.add_argument("--live", nargs="*", metavar="NAME", help="only pictures of the live page")
    options = parser.parse_args()
    if options.live is not None:
        return pictures_of_the_live_page(options.live)
    diagram = IMAGES / "architecture.svg"
    if options.check:
        if diagram.read_text(encoding="utf-8") != architecture():
            sys.exit("docs/images/architecture.svg: differs from what scripts/dev/make_pictures.py draws; run it")
        return
    diagram.write_text(architecture(), encoding="utf-8")
    if CHROMIUM is None or not (ROOT / "runs/toy/best").exists():
        sys.exit("made only architecture.svg: the others need Chromium and runs/toy (scripts/quickstart.sh)")
    shutil.copyfile(ROOT / "runs/toy/curves.svg", IMAGES / "curves.svg")
    pictures_of_the_page()
    pictures_of_the_live_page([])


if __name__ == "__main__":
    main()
