#!/usr/bin/env python3
"""Plots a run's metrics.jsonl as RUN/curves.svg, against updates: at the top, training loss (without label smoothing)
and validation loss; below, the other validation figures.

    scripts/plot_curves.py runs/toy
"""

import argparse
import json
import math
from pathlib import Path

LEFT, RIGHT, HEIGHT = 60, 764, 220  # of a panel

BEGIN = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 624">
<style>
svg { font: 12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #57606a; text-anchor: end; }
.title { font-weight: 600; fill: #1f2328; text-anchor: start; }
.updates { text-anchor: middle; }
path { fill: none; stroke: #e3e7eb; stroke-linejoin: round; stroke-linecap: round; }
</style>
<rect width="800" height="624" rx="8" fill="#ffffff"/>
"""


class Axis:
    """The range of an axis, which begins and ends on a tick. The step is 1, 2 or 5 times a power of ten."""

    def __init__(self, lowest, highest):
        if highest - lowest <= 1e-6 * abs(highest):  # a flat curve: draw it in the middle
            margin = 1 if highest == 0 else abs(highest) / 2
            lowest, highest = lowest - margin, highest + margin
        rough = (highest - lowest) / 7
        power = 10.0 ** math.floor(math.log10(rough))
        self.step = power * next((factor for factor in (1, 2, 5) if rough <= factor * power), 10)
        self.low = math.floor(lowest / self.step + 1e-9)
        self.count = math.ceil(highest / self.step - 1e-9) - self.low

    def tick(self, i):
        return (self.low + i) * self.step + 0.0  # + 0.0: not "-0"

    def fraction(self, value):
        return (value / self.step - self.low) / self.count


def can_be_drawn(value):
    """Whether a value can be drawn; if not, the curve has a gap. NaN and infinity are None in metrics.jsonl."""
    return value is not None and abs(value) < 1e30


def grid(updates, values):
    svg = ""
    for i in range(values.count + 1):
        y = (1 - i / values.count) * HEIGHT
        svg += (f"<path d='M{LEFT} {y:.1f}H{RIGHT}'/>"
                f"<text x='{LEFT - 8}' y='{y:.1f}' dy='4'>{values.tick(i):.6g}</text>\n")
    for i in range(updates.count + 1):
        x = LEFT + i / updates.count * (RIGHT - LEFT)
        svg += (f"<path d='M{x:.1f} 0V{HEIGHT}'/>"
                f"<text x='{x:.1f}' y='{HEIGHT}' dy='18' class='updates'>{round(updates.tick(i)):,}</text>\n")
    return svg


def line(curve, updates, values):
    """A line, with dots if there are at most 100 points. With 1000 points or more, draws only every second, third,
    ... point."""
    name, colour, points = curve
    stride = len(points) // 1000 + 1
    path, dots, gap = "", "", True
    for update, value in points[(len(points) - 1) % stride::stride]:  # ends with the last point
        if can_be_drawn(value):
            x = LEFT + updates.fraction(update) * (RIGHT - LEFT)
            y = (1 - values.fraction(value)) * HEIGHT
            path += f"{'M' if gap else 'L'}{x:.1f} {y:.1f}"
            dots += (f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.5'>"
                     f"<title>{name} {value:.4g}, update {update}</title></circle>\n")
        gap = not can_be_drawn(value)
    return (f"<g fill='{colour}'><path d='{path}' style='stroke: {colour}; stroke-width: 1.8'/>\n"
            f"{dots if len(points) <= 100 else ''}</g>\n")


def panel(top, title, updates, curves, values):
    """The axis covers `values` and all values of the curves."""
    legend = ""
    for name, colour, points in curves:
        drawn = [value for _, value in points if can_be_drawn(value)]
        if drawn:
            legend += f" &#160; <tspan fill='{colour}'>●</tspan> {name} {drawn[-1]:.4g}"
        values = values + drawn
    values = values or [0, 1]
    axis = Axis(min(values), max(values))
    return (f"<g transform='translate(0 {top})'>\n<text x='{LEFT}' y='-14' class='title'>{title}</text>\n"
            f"<text x='{RIGHT}' y='-14'>{legend or 'nothing yet'}</text>\n" + grid(updates, axis) +
            "".join(line(curve, updates, axis) for curve in curves) + "</g>\n")


def curves_svg(entries):
    training = [entry for entry in entries if entry["kind"] == "train"]
    validation = [entry for entry in entries if entry["kind"] == "validation"]

    def of_validation(name, factor=1):
        return [(entry["update"], None if entry[name] is None else factor * entry[name]) for entry in validation]

    loss = [(entry["update"], math.log(entry["perplexity"]) if entry["perplexity"] else None) for entry in training]
    updates = Axis(0, max([5, *(entry["update"] for entry in entries)]))
    # Colours of Okabe & Ito (2008), which colour-blind readers can tell apart.
    losses = [("training", "#0072b2", loss), ("validation", "#d55e00", of_validation("loss"))]
    percents = [("token accuracy", "#009e73", of_validation("token_accuracy", 100)),
                ("BLEU", "#d55e00", of_validation("bleu")),
                ("exact match", "#a8578a", of_validation("exact_match", 100))]
    best = max((entry["update"] for entry in validation if entry["best"]), default=0)
    best_text = f"; the best validation is at update {best:,}" if best else ""
    return (BEGIN + panel(48, "Loss: cross-entropy per target token", updates, losses, []) +
            panel(340, "Validation, in percent", updates, percents, [0, 10]) +
            f"<text x='412' y='604' class='updates'>updates{best_text}</text>\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the run's directory")
    run = parser.parse_args().run
    metrics = run / "metrics.jsonl"
    if not metrics.is_file():
        parser.error(f"{metrics}: no such file; give the directory of a run, for example runs/toy")
    # If a run is killed, its last line may be incomplete.
    lines = [line for line in metrics.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
    (run / "curves.svg").write_text(curves_svg([json.loads(line) for line in lines]), encoding="utf-8")


if __name__ == "__main__":
    main()
