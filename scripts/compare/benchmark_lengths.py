#!/usr/bin/env python3
"""How the time of an update grows with the length of the sentences, while the number of tokens stays the same.

    scripts/compare/benchmark_lengths.py --config configs/benchmark/tiny.yaml --threads 2

All work of a transformer is proportional to the tokens, but for attention's: its two products, which are counted, and
its softmax and dropout, which are not, are proportional to tokens times length. The last two columns say how far time
grows as the counted operations do. The sentences are made of random words; each batch has 4,096 tokens on either side
without any padding. Lengths are taken in turns, round after round, and the fastest round of each counts.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = [16, 32, 64, 128, 256]
TOKENS = 4096
BATCHES = 4
WORDS = 9_000


def write_corpus(directory, length):
    """Every sentence has length - 1 words: bos or eos makes it full."""
    directory.mkdir()
    generator = random.Random(length)
    for name in ("train", "valid"):
        for language in ("en", "de"):
            lines = (" ".join(f"w{generator.randrange(WORDS)}" for _ in range(length - 1))
                     for _ in range(BATCHES * TOKENS // length))
            (directory / f"{name}.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")


def benchmark(options, directory):
    keys = {"data.directory": directory, "data.valid": "valid", "data.max_length": max(LENGTHS),
            "tokenizer.kind": "word", "tokenizer.vocabulary_size": WORDS + 4, "training.max_tokens": TOKENS}
    overrides = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    done = subprocess.run(
        [options.program, "benchmark", options.config, *overrides, "--seconds", str(options.seconds)],
        env=os.environ | {"OMP_NUM_THREADS": str(options.threads)}, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)  # it has said why
    figures = json.loads(done.stdout)
    seconds = figures["seconds"]["total"] / figures["updates"]
    return seconds, figures["gflops"] * seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", default=ROOT / "configs/benchmark/tiny.yaml", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5, help="of each turn (default: 5)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default=ROOT / "build/release/glassformer", type=Path)
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} is not there; build it first (scripts/test.sh does), or say --program")
    with tempfile.TemporaryDirectory() as directory:
        for length in LENGTHS:
            write_corpus(Path(directory) / str(length), length)
        fastest = {}
        for _ in range(options.rounds):
            for length in LENGTHS:
                found = benchmark(options, Path(directory) / str(length))
                fastest[length] = min(found, fastest.get(length, found))
    print("length   ms an update   GFLOP an update   time, times 16's   operations, times 16's")
    seconds_of_16, work_of_16 = fastest[LENGTHS[0]]
    for length, (seconds, work) in fastest.items():
        print(f"{length:6} {1000 * seconds:14.1f} {work:17.2f} {seconds / seconds_of_16:18.2f}"
              f" {work / work_of_16:24.2f}")


if __name__ == "__main__":
    main()
