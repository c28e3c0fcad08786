#!/usr/bin/env python3
"""Compares the speed and memory of Glassformer and PyTorch: they take turns training the model of a benchmark config.

    pip install torch==2.13.0
    scripts/compare/compare_pytorch.py --config configs/benchmark/tiny.yaml --set data.directory=DIR --threads 2

PyTorch runs torch.nn.Transformer with the same shape, the same batches of ids, the same loss (cross-entropy with label
smoothing, padding ignored), clipping and Adam, and dropout in the same places; first eagerly, then with torch.compile
for model and loss. It gets huge pages, as we do, and the fused Adam. Each turn is a separate process. Ours comes first
and reports how many updates it made in the given time; PyTorch makes as many, with the same batches.

Tokens are those of both sides without padding. Ratios compare turns of the same round, because the machine may be
slower in the next one. Memory is a process's peak. PyTorch computes a whole batch at once; we split it into
micro-batches. That is one reason why our peak is smaller; the size of the programs is another.
"""

import argparse
import contextlib
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


# --- One turn of PyTorch, in its own process --------------------------------------------------------------------------

def build_model(shape):
    import torch
    from torch import nn

    class Model(nn.Module):
        """Embedding * sqrt(D) + sinusoids, nn.Transformer, logits through the embedding: all share one matrix."""

        def __init__(self):
            super().__init__()
            width = shape["model.d_model"]
            self.embedding = nn.Embedding(shape["vocabulary"], width)
            nn.init.normal_(self.embedding.weight, 0, width**-0.5)
            self.bias = nn.Parameter(torch.zeros(shape["vocabulary"]))
            self.dropout = nn.Dropout(shape["model.dropout"])
            self.transformer = nn.Transformer(
                width, shape["model.heads"], shape["model.encoder_layers"], shape["model.decoder_layers"],
                shape["model.d_ff"], dropout=shape["model.dropout"], batch_first=True)
            self.transformer.encoder.norm = None  # post-norm, as in the paper: no norm after the last layer
            self.transformer.decoder.norm = None
            angles = torch.arange(1024)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
            self.register_buffer("positions", torch.cat([angles.sin(), angles.cos()], dim=1))

        def embed(self, ids):
            x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)
            return self.dropout(x + self.positions[: ids.shape[1]])

        def forward(self, source, target_input):
            length = target_input.shape[1]
            future = torch.ones(length, length, dtype=torch.bool).triu(1)
            padding = source == shape["pad"]
            state = self.transformer(
                self.embed(source), self.embed(target_input), tgt_mask=future, src_key_padding_mask=padding,
                tgt_key_padding_mask=target_input == shape["pad"], memory_key_padding_mask=padding, tgt_is_causal=False)
            return nn.functional.linear(state, self.embedding.weight, self.bias)

    return Model()


def pad(rows, shape):
    import torch
    length = max(map(len, rows))
    return torch.tensor([row + [shape["pad"]] * (length - len(row)) for row in rows])


def read_shape(line):
    """The first line of the batches: the keys of the config, the size of the vocabulary, and the special ids."""
    shape = json.loads(line)
    for key, value in shape.items():
        with contextlib.suppress(TypeError, ValueError):  # other values stay text
            shape[key] = json.loads(value)
    return shape


def read_batches(file):
    with open(file, encoding="utf-8") as lines:
        shape = read_shape(next(lines))
        eos, bos = shape["eos"], shape["bos"]
        batches = []
        for line in lines:
            batch = json.loads(line)
            batches.append((pad([ids + [eos] for ids in batch["source"]], shape),
                            pad([[bos] + ids for ids in batch["target"]], shape),
                            pad([ids + [eos] for ids in batch["target"]], shape)))
    return shape, batches


def train_with_pytorch(batches_file, compiled, updates, threads):
    import torch
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    shape, batches = read_batches(batches_file)
    model = build_model(shape)
    loss_of_logits = torch.nn.CrossEntropyLoss(ignore_index=shape["pad"],
                                               label_smoothing=shape["training.label_smoothing"])
    beta1, beta2, epsilon, clip_norm = (shape[f"training.optimizer.{name}"]
                                        for name in ("beta1", "beta2", "epsilon", "clip_norm"))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(beta1, beta2), eps=epsilon, fused=True)

    def loss_of(source, target_input, target_output):
        return loss_of_logits(model(source, target_input).flatten(0, 1), target_output.flatten())

    if compiled:
        loss_of = torch.compile(loss_of, dynamic=True)

    def update(batch):
        source, _, target_output = batch
        optimizer.zero_grad()
        loss_of(*batch).backward()
        if clip_norm > 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        return (source != shape["pad"]).sum() + (target_output != shape["pad"]).sum()

    by_length = sorted(batches, key=lambda batch: batch[0].shape[1] + batch[1].shape[1])
    for batch in [by_length[-1], by_length[0], *batches[:10 if compiled else 3]]:  # warm-up, which includes compilation
        update(batch)
    tokens, start = 0, time.perf_counter()
    for number in range(updates):
        tokens += int(update(batches[number % len(batches)]))
    took = time.perf_counter() - start
    print(json.dumps({"tokens_per_second": tokens / took, "updates": updates,
                      "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


# --- The turns --------------------------------------------------------------------------------------------------------

def last_json(command, environment):
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"compare_pytorch.py: {' '.join(map(str, command))} failed with status {done.returncode}")
    return json.loads(done.stdout[done.stdout.index("{"):])


def refuse_other_models(batches_file):
    """build_model builds one kind of model; with other configs, the two programs would do different work."""
    with open(batches_file, encoding="utf-8") as lines:
        shape = read_shape(next(lines))
    masks = ("encoder_padding", "look_ahead", "target_padding", "cross_padding")
    dropouts = ("embedding_dropout", "attention_dropout", "activation_dropout")
    same = {"model.norm": "post", "model.activation": "relu", "model.tied_embeddings": "all",
            "training.optimizer.kind": "adam", "training.optimizer.weight_decay": 0, "training.accumulation": 1,
            **{f"masks.{name}": True for name in masks},
            **{f"model.{name}": shape["model.dropout"] for name in dropouts}}
    for key, value in same.items():
        if shape[key] != value:
            sys.exit(f"compare_pytorch.py: {key}: expected {value}, as in the PyTorch model, found {shape[key]}; "
                     f"use a config from configs/benchmark, or --set the key")


def benchmark(options):
    return [options.program, "benchmark", options.config, *(word for one in options.set for word in ("--set", one))]


def take_turns(options, batches_file):
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads), "THP_MEM_ALLOC_ENABLE": "1"}
    names = ["glassformer", "eager"] if options.eager_only else ["glassformer", "eager", "compiled"]
    turns = {name: [] for name in names}
    for number in range(options.rounds):
        for name in names:
            if name == "glassformer":
                result = last_json([*benchmark(options), "--seconds", str(options.seconds)], environment)
                updates = result["updates"]
                result["tokens_per_second"] = result["source_tokens_per_second"] + result["target_tokens_per_second"]
            else:
                result = last_json([sys.executable, __file__, "--turn", name, "--batches", batches_file,
                                    "--updates", str(updates), "--threads", str(options.threads)], environment)
            turns[name].append(result)
            print(f"round {number + 1}  {name:<12} {updates:>4} updates {result['tokens_per_second']:>9.0f} tokens/s"
                  f" {result['peak_rss_bytes'] / 1e6:>8.0f} MB", flush=True)
    return turns


def show(name, values, form="{:8.2f}"):
    low, middle, high = min(values), statistics.median(values), max(values)
    print(f"{name:<44}", *(form.format(value) for value in (low, middle, high)))


def compare(turns):
    ours = turns["glassformer"]
    print(f"\n{'':<44}  minimum   median  maximum")
    others = [name for name in turns if name != "glassformer"]
    for name in others:
        show(f"tokens/s relative to PyTorch {name}",
             [a["tokens_per_second"] / b["tokens_per_second"] for a, b in zip(ours, turns[name])])
    if len(others) > 1:
        show("tokens/s relative to the faster of them", [
            a["tokens_per_second"] / max(turns[name][i]["tokens_per_second"] for name in others)
            for i, a in enumerate(ours)])
    for name in others:
        show(f"peak memory relative to PyTorch {name}",
             [a["peak_rss_bytes"] / b["peak_rss_bytes"] for a, b in zip(ours, turns[name])])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", help="a Glassformer config, for example configs/benchmark/tiny.yaml")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set a key of the config")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20, help="per turn of Glassformer (default: 20)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--eager-only", action="store_true", help="skip torch.compile")
    parser.add_argument("--program", default=ROOT / "build/release/glassformer", type=Path)
    parser.add_argument("--turn", choices=["eager", "compiled"], help=argparse.SUPPRESS)
    parser.add_argument("--batches", help=argparse.SUPPRESS)
    parser.add_argument("--updates", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.turn:
        train_with_pytorch(options.batches, options.turn == "compiled", options.updates, options.threads)
        return
    if not options.config:
        parser.error("expected --config FILE")
    if not options.program.exists():
        parser.error(f"{options.program} does not exist; build it first (scripts/test.sh does), or give --program")
    with tempfile.TemporaryDirectory() as directory:
        batches_file = Path(directory) / "batches.jsonl"
        if subprocess.run([*benchmark(options), "--export-batches", batches_file], check=False).returncode != 0:
            sys.exit(2)  # the program has printed why
        refuse_other_models(batches_file)
        compare(take_turns(options, batches_file))


if __name__ == "__main__":
    main()
