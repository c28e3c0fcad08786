#!/usr/bin/env python3
"""Measures how the time of an update grows with sentence length, while the number of tokens stays the same.

    scripts/compare/benchmark_lengths.py --config configs/benchmark/tiny.yaml --threads 2

Most of a transformer's work is proportional to the number of tokens. In attention, the two matrix products, softmax and
dropout are proportional to tokens times length; the operation count includes only the products. Compare the last two
columns to see whether time grows like the counted operations. Sentences consist of random words; each batch has 4,096
tokens on either side and no padding. Each round measures every length once; each length's fastest round counts.
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
    """Every sentence has length - 1 words; with bos or eos, it has `length` tokens."""
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
        sys.exit(done.returncode)  # the program has printed why
    figures = json.loads(done.stdout)
    seconds = figures["seconds"]["total"] / figures["updates"]
    return seconds, figures["gflops"] * seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", default=ROOT / "configs/benchmark/tiny.yaml", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5, help="per measurement (default: 5)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default=ROOT / "build/release/glassformer", type=Path)
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} does not exist; build it first (scripts/test.sh does), or give --program")
    with tempfile.TemporaryDirectory() as directory:
        for length in LENGTHS:
            write_corpus(Path(directory) / str(length), length)
        fastest = {}
        for _ in range(options.rounds):
            for length in LENGTHS:
                result = benchmark(options, Path(directory) / str(length))
                fastest[length] = min(result, fastest.get(length, result))
    print("length   ms per update   GFLOP per update   time relative to 16   operations relative to 16")
    seconds_of_16, work_of_16 = fastest[LENGTHS[0]]
    for length, (seconds, work) in fastest.items():
        print(f"{length:6} {1000 * seconds:15.1f} {work:18.2f} {seconds / seconds_of_16:21.2f}"
              f" {work / work_of_16:27.2f}")


if __name__ == "__main__":
    main()
