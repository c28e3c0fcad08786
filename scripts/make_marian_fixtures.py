#!/usr/bin/env python3
"""Makes tests/fixtures/marian: three small Marian models as transformers saves them, and what it says with them.

    pip install torch==2.13.0 transformers safetensors sentencepiece
    scripts/make_marian_fixtures.py

expected.json beside each model holds, of a few sentence pairs: the ids of both sides; the log-probability of every token
of the target, eos included; translations by greedy search and with a beam of 4. The test is
tests/checkpoint/test_foreign_model.cpp. (The weights come from a little training, and differ from one version of PyTorch
to another; what is expected of them is computed anew each time.)
"""

import json
from pathlib import Path

import torch
import transformers

from check_interop import Transformers
from foreign_models import MODELS, make_model

ROOT = Path(__file__).resolve().parent.parent
PAIRS = 8


def expected(directory, pairs):
    theirs = Transformers(directory)
    sentences = []
    for source, target in pairs:
        batch, target_input = theirs.batch([source], [target])
        log_probabilities = theirs.logits(batch, target_input).log_softmax(-1)[0]
        found = log_probabilities.gather(-1, batch.labels[0].unsqueeze(-1)).squeeze(-1)
        sentences.append({
            "source": source, "target": target, "source_ids": batch.input_ids[0].tolist()[:-1],
            "target_ids": batch.labels[0].tolist()[:-1], "log_probabilities": found.tolist(),
            "greedy": theirs.translate([source], 1)[0], "beam_4": theirs.translate([source], 4)[0]})
    return sentences


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    lines = {name: (ROOT / "data/toy" / name).read_text(encoding="utf-8").split("\n")
             for name in ("train.en", "train.de", "test.en", "test.de")}
    for seed, name in enumerate(MODELS):
        directory = ROOT / "tests/fixtures/marian" / name
        make_model(name, directory, lines["train.en"][:2000], lines["train.de"][:2000], pieces=48, width=16,
                   layers=(1, 2), updates=150, seed=seed)
        pairs = list(zip(lines["test.en"], lines["test.de"]))[:PAIRS]
        pairs += [(">>deu<< " + pairs[0][0], pairs[0][1]), ("she sees a \u2603 .", "sie sieht einen \u2603 .")]
        text = json.dumps(expected(directory, pairs), ensure_ascii=False, indent=1) + "\n"
        (directory / "expected.json").write_text(text, encoding="utf-8")
        print(directory)


if __name__ == "__main__":
    main()
