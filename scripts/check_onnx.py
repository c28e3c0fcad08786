#!/usr/bin/env python3
"""Exports a checkpoint to ONNX, runs it with onnxruntime, and compares with Glassformer.

    pip install onnxruntime numpy sentencepiece
    scripts/check_onnx.py runs/toy --source data/toy/test.en --target data/toy/test.de

Compared are, over padded batches, the log-probability of every token of the given translations (`score`), and greedy
translations (`translate --beam 1`). Status 1 if a log-probability differs by more than 1e-4, or more than one
translation in a hundred (where two tokens are equally likely but for rounding, either may be chosen).
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

import program

ALLOWED_DIFFERENCE = 1e-4
ALLOWED_UNEQUAL = 0.01


def padded(rows, pad):
    import numpy
    ids = numpy.full((len(rows), max(map(len, rows))), pad, numpy.int64)
    for row, numbers in zip(ids, rows):
        row[:len(numbers)] = numbers
    return ids


def log_softmax(logits):
    import numpy
    logits = logits.astype(numpy.float64)
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - numpy.log(numpy.exp(logits).sum(axis=-1, keepdims=True))


class OnnxModel:
    """What `glassformer export` wrote, run by onnxruntime."""

    def __init__(self, directory):
        import onnxruntime
        self.encoder, self.decoder = (onnxruntime.InferenceSession(directory / name, providers=["CPUExecutionProvider"])
                                      for name in ("encoder_model.onnx", "decoder_model.onnx"))
        config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
        self.pad, self.bos, self.eos = (config[name + "_token_id"] for name in ("pad", "bos", "eos"))
        self.target = program.Tokenizer(directory, "target")
        self.source = program.Tokenizer(directory, "source")

    def encode(self, lines):
        """What the decoder reads of sentences."""
        ids = padded([[*ids, self.eos] for ids in self.source.encode(lines)], self.pad)
        visible = (ids != self.pad).astype("int64")
        memory = self.encoder.run(["last_hidden_state"], {"input_ids": ids, "attention_mask": visible})[0]
        return {"encoder_hidden_states": memory, "encoder_attention_mask": visible}

    def score(self, lines, targets):
        """log p of each token of the targets, which are ids and end with eos."""
        inputs = padded([[self.bos, *ids[:-1]] for ids in targets], self.pad)
        logits = self.decoder.run(["logits"], self.encode(lines) | {"input_ids": inputs})[0]
        return [[row[t, token] for t, token in enumerate(ids)] for row, ids in zip(log_softmax(logits), targets)]

    def translate(self, lines, length_ratio):
        """Greedy search, as Glassformer's: pad and bos are not chosen."""
        encoded = self.encode(lines)
        limits = [int(length_ratio * (sum(row) - 1)) + 10 for row in encoded["encoder_attention_mask"]]
        found, running = [[] for _ in lines], list(range(len(lines)))
        while running:
            inputs = padded([[self.bos, *ids] for ids in found], self.pad)
            logits = self.decoder.run(["logits"], encoded | {"input_ids": inputs})[0]
            for i in list(running):
                row = logits[i, len(found[i])]
                row[[token for token in (self.pad, self.bos) if token != self.eos]] = float("-inf")
                token = int(row.argmax())
                if token == self.eos or len(found[i]) == limits[i]:
                    running.remove(i)
                else:
                    found[i].append(token)
        return [self.target.decode(ids) for ids in found]


def in_batches(size, *lists):
    for begin in range(0, len(lists[0]), size):
        yield (each[begin:begin + size] for each in lists)


def compare_scores(options, model, lines):
    scored = [json.loads(line)["tokens"] for line in program.run(
        options, "score", "--json", "--source", options.source, "--target", options.target)]
    ours = [[token["log_probability"] for token in tokens] for tokens in scored]
    targets = [[token["id"] for token in tokens] for tokens in scored]
    theirs = [row for batch in in_batches(options.batch, lines, targets) for row in model.score(*batch)]
    largest = max(abs(a - b) for ids, others in zip(ours, theirs) for a, b in zip(ids, others))
    tokens = sum(map(len, targets))
    print(f"log-probabilities  {len(lines)} sentences, {tokens} tokens: largest difference {largest:.1e}")
    return largest <= ALLOWED_DIFFERENCE


def compare_translations(options, model, lines):
    config = options.checkpoint / "config.yaml"
    length_ratio = 2.0  # of models of others
    if config.exists():
        found = re.search(r"^ *max_length_ratio: *([\d.]+)", config.read_text(encoding="utf-8"), re.MULTILINE)
        length_ratio = float(found.group(1))
    ours = program.run(options, "translate", "--beam", "1", "--input", options.source)
    theirs = [line for (batch,) in in_batches(options.batch, lines) for line in model.translate(batch, length_ratio)]
    equal = sum(a == b for a, b in zip(ours, theirs)) / len(lines)
    print(f"greedy search      {len(lines)} sentences: {100 * equal:.1f} % equal")
    return equal >= 1 - ALLOWED_UNEQUAL


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    program.add_options(parser, "a checkpoint directory, or a run directory")
    parser.add_argument("--source", type=Path, required=True, help="sentences, no line empty")
    parser.add_argument("--target", type=Path, required=True, help="translations of them, line by line")
    parser.add_argument("--batch", type=int, default=16, help="sentences padded to one length")
    options = parser.parse_args()
    program.check_options(parser, options, options.source, options.target)
    try:
        import numpy, onnxruntime  # noqa: F401 pylint: disable=all
    except ImportError as error:
        print(f"SKIPPED: no {error.name} here, which the comparison with onnxruntime needs.", file=sys.stderr)
        return
    lines = program.read_lines(options.source)
    with tempfile.TemporaryDirectory() as directory:
        exported = Path(directory) / "onnx"
        program.run(options, "export", "--format", "onnx", "--output", exported)
        model = OnnxModel(exported)
        equal = [compare_scores(options, model, lines), compare_translations(options, model, lines)]
    if not all(equal):
        sys.exit("check_onnx.py: the two programs differ")


if __name__ == "__main__":
    main()
