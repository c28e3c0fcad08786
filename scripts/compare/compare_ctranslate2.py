#!/usr/bin/env python3
"""Compares the speed of Glassformer and CTranslate2: they take turns translating a text with one model.

    pip install ctranslate2 sentencepiece numpy
    scripts/compare/compare_ctranslate2.py runs/multi30k_tiny --source DIR/test_2016_flickr.en --threads 2

CTranslate2 gets the checkpoint's weights in float32. Each program gets the whole text at once and sorts it into batches
of 64 sentences. Glassformer's time is that of its process minus that of a process that translates an empty line.
CTranslate2's time includes encoding, translating and decoding, but not loading. The script also prints the percentage
of identical translations: the two programs differ where rounding decides.

With a beam of n, CTranslate2 ends a sentence once n hypotheses are finished; so does Glassformer with --early-stopping.
Without it, Glassformer continues until no better hypothesis is possible, which is more work. The third comparison
measures that.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import program
from convert_to_ctranslate2 import convert

BATCH = 64
SEARCHES = [  # beam, name, arguments
    (1, "greedy", ["--beam", "1"]),
    (5, "beam 5, early stopping", ["--beam", "5", "--early-stopping"]),
    (5, "beam 5, to the end", ["--beam", "5", "--no-early-stopping"]),
]


class CTranslate2:
    def __init__(self, checkpoint, directory, threads):
        import ctranslate2
        convert(checkpoint, directory)
        self.source, self.target = (program.Tokenizer(checkpoint, side) for side in ("source", "target"))
        self.translator = ctranslate2.Translator(directory, device="cpu", compute_type="float32", inter_threads=threads,
                                                 intra_threads=1)

    def translate(self, lines, beam):
        found = self.translator.translate_batch(
            self.source.pieces(lines), beam_size=beam, length_penalty=1.0, max_batch_size=BATCH,
            batch_type="examples", max_input_length=0, max_decoding_length=256)
        return [self.target.join(result.hypotheses[0]) for result in found]


def glassformer(options, source, search):
    started = time.perf_counter()
    lines = program.run(options, "translate", *search, "--batch", str(BATCH), "--length-penalty", "1",
                        "--input", source, threads=options.threads)
    return time.perf_counter() - started, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    program.add_options(parser, "a checkpoint of a post-norm model, or a run (uses its best checkpoint)")
    parser.add_argument("--source", type=Path, required=True, help="the text to translate, one sentence per line")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    program.check_options(parser, options, options.source)
    lines = program.read_lines(options.source)
    with tempfile.TemporaryDirectory() as directory:
        empty_line = Path(directory) / "empty_line"
        empty_line.write_text("\n", encoding="utf-8")
        other = CTranslate2(options.checkpoint, directory, options.threads)
        for beam, name, search in SEARCHES:
            ratios = []
            for number in range(options.rounds):
                start_up = glassformer(options, empty_line, search)[0]
                seconds, ours = glassformer(options, options.source, search)
                seconds -= start_up
                started = time.perf_counter()
                theirs = other.translate(lines, beam)
                others_seconds = time.perf_counter() - started
                ratios.append(others_seconds / seconds)
                equal = sum(a == b for a, b in zip(ours, theirs)) / len(lines)
                print(f"{name}  round {number + 1}  Glassformer {len(lines) / seconds:7.0f} sentences/s, "
                      f"CTranslate2 {len(lines) / others_seconds:7.0f}, equal {100 * equal:.1f} %", flush=True)
            print(f"{name}  speed relative to CTranslate2: minimum {min(ratios):.2f}, "
                  f"median {statistics.median(ratios):.2f}, maximum {max(ratios):.2f}")


if __name__ == "__main__":
    main()
