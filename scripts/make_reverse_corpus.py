#!/usr/bin/env python3
"""Writes the corpus of configs/reverse.yaml: sequences of digits, and the same read backwards.

    3 1 4 1 5   ->   5 1 4 1 3

No grammar and no words to learn: only the order. A model can do it perfectly once its cross-attention runs
against the direction of reading, which `glassformer explain` shows.

    scripts/make_reverse_corpus.py            write data/reverse again
    scripts/make_reverse_corpus.py --check    compare data/reverse with what would be written; change nothing

The sequences are all different, so no line of valid or test stands in train. Same seed, same bytes, with every
version of Python 3.
"""

import argparse
import pathlib
import random
import sys

LONGEST = 12
SIZES = {"test": 500, "valid": 500, "train": 20000}
SEED = 1


def make_sequences(count, rng):
    """Different sequences in random order, their lengths drawn evenly from 1 to LONGEST.

    There are few short ones (10 of length 1), so the short lengths run out and the others make up for it.
    """
    def below(n):  # random() keeps its numbers from one Python to the next; randrange() need not
        return int(rng.random() * n)

    sequences, seen = [], set()
    while len(sequences) < count:
        sequence = tuple(str(below(10)) for _ in range(1 + below(LONGEST)))
        if sequence not in seen:
            seen.add(sequence)
            sequences.append(sequence)
    for i in reversed(range(1, count)):  # Fisher and Yates: short ones were drawn first and must not stay so
        j = below(i + 1)
        sequences[i], sequences[j] = sequences[j], sequences[i]
    return sequences


def make_files():
    """Name and text of every file."""
    sequences = make_sequences(sum(SIZES.values()), random.Random(SEED))
    files, begin = {}, 0
    for name, size in SIZES.items():
        part = sequences[begin:begin + size]
        begin += size
        files[name + ".src"] = "".join(" ".join(sequence) + "\n" for sequence in part)
        files[name + ".tgt"] = "".join(" ".join(reversed(sequence)) + "\n" for sequence in part)
    return files


def main():
    parser = argparse.ArgumentParser(description="Makes the corpus of digit sequences and their reverse.")
    parser.add_argument("--directory", type=pathlib.Path, help="where the files lie (default data/reverse)",
                        default=pathlib.Path(__file__).resolve().parent.parent / "data" / "reverse")
    parser.add_argument("--check", action="store_true", help="compare only; exit with 1 where a file differs")
    options = parser.parse_args()

    different = []
    for name, text in make_files().items():
        file = options.directory / name
        if options.check:
            if not file.is_file() or file.read_bytes() != text.encode():
                different.append(name)
        else:
            options.directory.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
    if different:
        sys.exit(f"{options.directory}: {', '.join(different)} not as this script writes them")


if __name__ == "__main__":
    main()
