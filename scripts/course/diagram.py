"""Draws the diagrams of the course as SVG from a few lines of text:

    scores / [32, 8]  |  mask / [2, 1, 8]      a row of boxes; "/" starts a new line, "." leaves a place empty
    (block)                                    parentheses: an operation
    weights / [32, 8]

    scores -> block -> weights                 arrows between boxes, which are named by their first line
    mask -> block
    weights ~> scores : d_scores               a gradient, with a label
"""

import html
import re

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN, LINE = 136, 46, 22, 34, 12, 17
STYLE = """<style>text { font: 14px sans-serif; fill: #1f2328; text-anchor: middle; }
.shape { font-size: 13px; fill: #57606a; } .label { font-size: 12px; }
.box { fill: #ddf4ff; stroke: #0969da; } .operation { fill: #fff8c5; stroke: #9a6700; }
.forward { stroke: #57606a; fill: none; stroke-width: 1.4; } .backward { stroke: #cf222e; fill: none; stroke-width: 1.4;
stroke-dasharray: 5 3; } .back { fill: #cf222e; }</style>"""
DARK = """<style>@media (prefers-color-scheme: dark) { text { fill: #e8ebef; } .shape { fill: #b0b9c4; }
svg > rect:not([class]) { fill: #1d2127; } .box { fill: #1b3048; stroke: #7db8f2; }
.operation { fill: #3a2a1a; stroke: #ffb26b; } .forward { stroke: #b0b9c4; } #tip path { fill: #b0b9c4; }
.backward { stroke: #ff8a80; } .back, #back path { fill: #ff8a80; } }</style>"""


def draw(text):
    rows, arrows = re.split(r"\n\s*\n", text.strip(), maxsplit=1)
    grid = [[cell.strip() for cell in re.split(r" \| ", row)] for row in rows.split("\n")]
    columns = max(map(len, grid))
    boxes, shapes, y = {}, [], MARGIN
    for row in grid:
        tall = max(cell.count(" / ") for cell in row)
        height = HEIGHT + max(0, tall - 1) * LINE
        left = MARGIN + (columns - len(row)) * (WIDTH + GAP_X) / 2
        for number, cell in enumerate(row):
            if cell == ".":
                continue
            operation = cell.startswith("(") and cell.endswith(")")
            lines = (cell[1:-1] if operation else cell).split(" / ")
            x = left + number * (WIDTH + GAP_X)
            boxes[lines[0].strip()] = (x, y, WIDTH, height)
            shapes.append(f'<rect class="{"operation" if operation else "box"}" x="{x:g}" y="{y:g}" width="{WIDTH}" '
                          f'height="{height}" rx="{14 if operation else 4}"/>')
            top = y + height / 2 - (len(lines) - 1) * LINE / 2 + 5
            for place, line in enumerate(lines):
                kind = ' class="shape"' if place else ""
                shapes.append(f'<text{kind} x="{x + WIDTH / 2:g}" y="{top + place * LINE:g}">{html.escape(line.strip())}</text>')
        y += height + GAP_Y
    lines = []
    for line in arrows.strip().split("\n"):
        path, _, label = line.partition(" : ")
        names = re.split(r" (->|~>) ", path.strip())
        for start, kind, end in zip(names[::2], names[1::2], names[2::2]):
            lines.append(_arrow(boxes[start], boxes[end], kind == "~>", label.strip()))
    width, height = 2 * MARGIN + columns * WIDTH + (columns - 1) * GAP_X, y - GAP_Y + MARGIN
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">\n'
            f'{STYLE}\n<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker><marker id="back" viewBox="0 0 8 8" refX="7" '
            'refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#cf222e"/></marker></defs>\n'
            f'<rect width="{width:g}" height="{height:g}" fill="#ffffff" rx="6"/>\n' + "\n".join(lines + shapes) + "\n</svg>\n")


def for_dark_pages(svg):
    """The same diagram for a page that follows the reader's choice of light or dark mode."""
    return svg.replace("</style>", "</style>\n" + DARK, 1)


def _arrow(start, end, backward, label):
    """From the border of one box to the border of the other. A gradient is drawn a little to the side."""
    shift = 26 if backward else 0
    (x1, y1), (x2, y2) = [(x + w / 2, y + h / 2) for x, y, w, h in (start, end)]
    x1, x2 = x1 + shift * (y1 != y2), x2 + shift * (y1 != y2)
    if y1 == y2:
        y1, y2 = y1 + shift / 3, y2 + shift / 3
    x1, y1 = _border(start, (x1, y1), (x2, y2))
    x2, y2 = _border(end, (x2, y2), (x1, y1))
    text = ""
    if label:
        side = "start" if x1 == x2 else "middle"
        offset = 5 if x1 == x2 else 0
        text = (f'\n<text class="label{" back" if backward else ""}" style="text-anchor: {side}" x="{(x1 + x2) / 2 + offset:g}" '
                f'y="{(y1 + y2) / 2 + (4 if x1 == x2 else -4):g}">{html.escape(label)}</text>')
    kind, tip = ("backward", "back") if backward else ("forward", "tip")
    return f'<path class="{kind}" marker-end="url(#{tip})" d="M{x1:g} {y1:g} {x2:g} {y2:g}"/>' + text


def _border(box, inside, target):
    """Where the line from a point in a box to a point outside leaves the box."""
    x, y, w, h = box
    dx, dy = target[0] - inside[0], target[1] - inside[1]
    steps = [((x + w if dx > 0 else x) - inside[0]) / dx] if dx else []
    steps += [((y + h if dy > 0 else y) - inside[1]) / dy] if dy else []
    step = min([step for step in steps if step >= 0], default=0)
    return inside[0] + step * dx, inside[1] + step * dy
