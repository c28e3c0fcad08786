#!/usr/bin/env python3
"""Prints a digest of the weights after each of several short runs: does a code change leave every bit the same?

    scripts/dev/weight_digests.py --program BEFORE/glassformer > before.txt
    scripts/dev/weight_digests.py > after.txt && diff before.txt after.txt
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MASKS = ("encoder_padding", "look_ahead", "target_padding", "cross_padding")
# name: (config, updates, settings)
RUNS = {
    "toy": ("toy", 50, {}),
    "multi30k_tiny": ("multi30k_tiny", 20, {"training.schedule.warmup": 10}),  # a cosine needs updates after the warm-up
    "pre-norm": ("toy", 30, {"model.norm": "pre"}),
    "untied": ("toy", 30, {"model.tied_embeddings": "none"}),
    "all tied": ("toy", 30, {"model.tied_embeddings": "all", "tokenizer.joint": "true", "model.scale_embeddings": "false"}),
    "dropouts": ("toy", 30, {"model.dropout": 0.2, "model.embedding_dropout": 0.3, "model.attention_dropout": 0.25,
                             "model.activation_dropout": 0.15}),
    "gelu": ("toy", 30, {"model.activation": "gelu", "model.attention_dropout": 0.1, "training.optimizer.kind": "adamw",
                         "training.optimizer.weight_decay": 0.01}),
    "swish": ("toy", 30, {"model.activation": "swish", "model.norm": "pre", "model.activation_dropout": 0.1}),
    "shards": ("toy", 30, {"training.shards": 3, "training.micro_batch_tokens": 100}),
    "masks off": ("toy", 30, {f"masks.{mask}": "false" for mask in MASKS}),
    "accumulation": ("toy", 30, {"training.accumulation": 3, "training.label_smoothing": 0}),
    "muon": ("toy", 30, {"training.optimizer.kind": "muon", "model.encoder_layers": 1, "model.decoder_layers": 3,
                         "model.dropout": 0, "model.embedding_dropout": 0}),
    "subwords": ("toy", 30, {"tokenizer.kind": "sentencepiece", "tokenizer.vocabulary_size": 200,
                             "training.max_tokens": 1000}),
}
SOURCE_TABLES = ("model.encoder.embed_tokens.weight",)
TARGET_TABLES = ("model.decoder.embed_tokens.weight", "lm_head.weight", "final_logits_bias")


def vocabulary_size(checkpoint, side):
    own = checkpoint / "target_vocab.json"
    return len(json.loads((own if side == "target" and own.exists() else checkpoint / "vocab.json").read_text()))


def digest(checkpoint):
    """A digest of all tensors in the order of the arena, without the rows that pad the smaller of two vocabularies."""
    data = (checkpoint / "model.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    rows = dict.fromkeys(SOURCE_TABLES, vocabulary_size(checkpoint, "source"))
    rows |= dict.fromkeys(TARGET_TABLES, vocabulary_size(checkpoint, "target"))
    total = hashlib.sha256()
    for name, tensor in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = (8 + size + offset for offset in tensor["data_offsets"])
        dimension = 1 if name == "final_logits_bias" else 0
        kept = rows.get(name, tensor["shape"][dimension])
        total.update(name.encode())
        total.update(data[begin:begin + (end - begin) * kept // tensor["shape"][dimension]])
    return total.hexdigest()[:32]


def train(options, name, directory):
    config, updates, settings = RUNS[name]
    settings = settings | {"training.max_updates": updates, "training.max_epochs": 0}
    if config == "multi30k_tiny":
        settings["data.directory"] = options.multi30k
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    run = Path(directory) / name.replace(" ", "_")
    command = [options.program, "train", ROOT / f"configs/{config}.yaml", "--output", run, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"weight_digests.py: {name}:\n{done.stderr}")
    return digest((run / "last").resolve())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=ROOT / "build/release/glassformer", type=Path)
    parser.add_argument("--multi30k", default=ROOT / "../shared/multi30k/tok", type=Path,
                        help="the text of configs/multi30k_tiny.yaml; without it, that run is skipped")
    parser.add_argument("runs", nargs="*", metavar="NAME", help=f"any of {', '.join(RUNS)}; default: all")
    options = parser.parse_args()
    options.multi30k = options.multi30k.resolve()
    with tempfile.TemporaryDirectory() as directory:
        for name in options.runs or RUNS:
            if name not in RUNS:
                parser.error(f"expected one of {', '.join(RUNS)}, found {name}")
            if name == "multi30k_tiny" and not options.multi30k.exists():
                print(f"weight_digests.py: SKIPPED {name}: {options.multi30k} does not exist", file=sys.stderr)
                continue
            print(f"{name:14} {train(options, name, directory)}", flush=True)


if __name__ == "__main__":
    main()
