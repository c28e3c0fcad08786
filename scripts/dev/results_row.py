#!/usr/bin/env python3
"""Evaluates finished runs of one config with different seeds, and prints a row for a table of results.

    scripts/dev/results_row.py --task "Multi30k" --published "41.02 (Wu et al. 2021)" runs/a_seed1 runs/a_seed2

It evaluates each run's best checkpoint on the first test text of its config. If the Python package sacrebleu is
installed, it also scores the translations; the script fails if the two scores differ by more than 0.01.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "build/release/glassformer"


def refuse(message):
    print(f"results_row.py: {message}", file=sys.stderr)
    sys.exit(2)


def run_program(*arguments):
    if not PROGRAM.exists():
        refuse(f"{PROGRAM}: expected the program, found none; build it, for example with scripts/quickstart.sh")
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)  # the program has printed why
    return done.stdout


def lines_of(text):
    """The lines as the program counts them: only a line feed ends one."""
    return text.removeprefix("\ufeff").removesuffix("\n").split("\n")


def minutes_of(run):
    try:
        lines = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return json.loads(lines[-1])["minutes"]
    except (OSError, IndexError, KeyError, ValueError) as error:
        refuse(f"{run}: expected a run directory with metrics.jsonl, found none ({error}); check the path")


def check_with_sacrebleu(run, metrics):
    """Scores the same translations with sacrebleu, the standard package. Returns a remark about the result."""
    try:
        import sacrebleu
    except ImportError:
        return "not compared with sacrebleu, which is not installed"
    translations = lines_of(run_program("translate", run, "--input", metrics["source"]))
    reference = lines_of(Path(metrics["reference"]).read_bytes().decode())
    signature = dict(part.split(":", 1) for part in metrics["bleu_signature"].split("|"))
    metric = sacrebleu.metrics.BLEU(tokenize=signature["tok"], lowercase=signature["case"] == "lc")
    score = metric.corpus_score(translations, [reference]).score
    if abs(score - metrics["bleu"]) > 0.01:
        sys.exit(f"results_row.py: {run}: expected sacrebleu's BLEU, {score:.3f}, found {metrics['bleu']:.3f}")
    return f"sacrebleu {sacrebleu.__version__}: {score:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--task", required=True, help="the name of the row")
    parser.add_argument("--published", default="", help="the result to compare with, and its source")
    options = parser.parse_args()

    runs = []
    for run in options.runs:
        minutes = minutes_of(run)
        metrics = json.loads(run_program("evaluate", run, "--json"))[0]
        print(f"{run}: BLEU {metrics['bleu']:.2f}, {minutes:.1f} minutes; "
              f"{check_with_sacrebleu(run, metrics)}", file=sys.stderr)
        runs.append((minutes, metrics))
    if len({(metrics["parameters"], metrics["bleu_signature"]) for _, metrics in runs}) > 1:
        refuse("expected runs of one config, found models of different sizes or BLEU with different signatures")

    bleu = [metrics["bleu"] for _, metrics in runs]
    cells = [options.task,
             f"{runs[0][1]['parameters'] / 1e6:.2f} M",
             ", ".join(f"{minutes:.0f}" for minutes, _ in runs),
             f"{statistics.mean(bleu):.2f}" + (f" ± {statistics.stdev(bleu):.2f}" if len(bleu) > 1 else ""),
             ", ".join(f"{score:.2f}" for score in bleu),
             options.published,
             f"`{runs[0][1]['bleu_signature']}`"]
    print("| task | parameters | minutes | BLEU, mean ± deviation | of each seed | published | signature |")
    print("|---|---|---|---|---|---|---|")
    print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
