#!/usr/bin/env python3
"""Translates a text with Glassformer and with CTranslate2, the same model in both, in turns, and says how they compare.

    pip install ctranslate2 sentencepiece numpy
    scripts/compare_ctranslate2.py runs/multi30k_tiny --source DIR/test_2016_flickr.en --threads 2

The checkpoint's weights are handed to CTranslate2 in float32. Either program gets the whole text at once and sorts it
into batches of 64 sentences. Glassformer's time is that of its process, less that of one which translates an empty
line; CTranslate2's is that of encoding, translating and decoding, without loading. The share of equal translations is
printed, too: the two differ where rounding decides.

CTranslate2's beam search ends a sentence once as many hypotheses are finished as the beam is wide; ours does with
--early-stopping. Without, it goes on until nothing better can come, which is more work: the third comparison.
"""

import argparse
import json
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

import program

BATCH = 64
SEARCHES = [  # beam, name, arguments
    (1, "greedy", ["--beam", "1"]),
    (5, "beam 5, early stopping", ["--beam", "5", "--early-stopping"]),
    (5, "beam 5, to the end", ["--beam", "5", "--no-early-stopping"]),
]


def read_safetensors(file):
    import numpy
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data, numpy.float32, offset=8 + size + t["data_offsets"][0],
                                   count=(t["data_offsets"][1] - t["data_offsets"][0]) // 4).reshape(t["shape"])
            for name, t in header.items()}


def positions(length, width):
    import numpy
    angles = numpy.arange(length)[:, None] / 10000 ** (numpy.arange(0, width, 2) / width)
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1).astype(numpy.float32)


def convert(checkpoint, directory):
    """Writes the checkpoint as CTranslate2 reads it. Tokens are called by their ids."""
    import ctranslate2
    import numpy
    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "marian" or config["activation_function"] != "relu":
        sys.exit(f"compare_ctranslate2.py: {checkpoint}: expected a post-norm model with ReLU, for which this "
                 f"conversion is made; found {config['model_type']} with {config['activation_function']}")
    tensors = read_safetensors(checkpoint / "model.safetensors")
    spec = ctranslate2.specs.TransformerSpec.from_config(
        (config["encoder_layers"], config["decoder_layers"]), config["encoder_attention_heads"], pre_norm=False)

    def linear(to, *names):
        to.weight = numpy.concatenate([tensors[name + ".weight"] for name in names])
        to.bias = numpy.concatenate([tensors[name + ".bias"] for name in names])

    def norm(to, name):
        to.gamma, to.beta = tensors[name + ".weight"], tensors[name + ".bias"]

    def self_attention(to, name):
        linear(to.linear[0], *(f"{name}.self_attn.{part}_proj" for part in "qkv"))
        linear(to.linear[1], f"{name}.self_attn.out_proj")
        norm(to.layer_norm, f"{name}.self_attn_layer_norm")

    def feed_forward(to, name):
        linear(to.linear_0, f"{name}.fc1")
        linear(to.linear_1, f"{name}.fc2")
        norm(to.layer_norm, f"{name}.final_layer_norm")

    for i, layer in enumerate(spec.encoder.layer):
        self_attention(layer.self_attention, f"model.encoder.layers.{i}")
        feed_forward(layer.ffn, f"model.encoder.layers.{i}")
    for i, layer in enumerate(spec.decoder.layer):
        name = f"model.decoder.layers.{i}"
        self_attention(layer.self_attention, name)
        linear(layer.attention.linear[0], f"{name}.encoder_attn.q_proj")
        linear(layer.attention.linear[1], f"{name}.encoder_attn.k_proj", f"{name}.encoder_attn.v_proj")
        linear(layer.attention.linear[2], f"{name}.encoder_attn.out_proj")
        norm(layer.attention.layer_norm, f"{name}.encoder_attn_layer_norm")
        feed_forward(layer.ffn, name)

    shared = tensors.get("model.shared.weight")
    source = shared if shared is not None else tensors["model.encoder.embed_tokens.weight"]
    target = shared if shared is not None else tensors["model.decoder.embed_tokens.weight"]
    spec.encoder.embeddings[0].weight = source
    spec.decoder.embeddings.weight = target
    spec.decoder.projection.weight = tensors.get("lm_head.weight", target)
    spec.decoder.projection.bias = tensors["final_logits_bias"].reshape(-1)
    for part in (spec.encoder, spec.decoder):
        part.position_encodings.encodings = positions(1024, config["d_model"])
        part.scale_embeddings = True

    spec.config.bos_token, spec.config.eos_token = str(config["bos_token_id"]), str(config["eos_token_id"])
    spec.config.unk_token, spec.config.decoder_start_token = "3", str(config["decoder_start_token_id"])
    spec.register_source_vocabulary([str(i) for i in range(len(source))])
    spec.register_target_vocabulary([str(i) for i in range(len(target))])
    spec.validate()
    spec.save(directory)
    return config


class CTranslate2:
    def __init__(self, checkpoint, directory, threads):
        import ctranslate2
        self.config = convert(checkpoint, directory)
        self.source, self.target = (program.Tokenizer(checkpoint, side) for side in ("source", "target"))
        self.translator = ctranslate2.Translator(directory, device="cpu", compute_type="float32", inter_threads=threads,
                                                 intra_threads=1)

    def translate(self, lines, beam):
        eos = str(self.config["eos_token_id"])
        sources = [[str(i) for i in ids] + [eos] for ids in self.source.encode(lines)]
        found = self.translator.translate_batch(
            sources, beam_size=beam, length_penalty=1.0, max_batch_size=BATCH, batch_type="examples",
            max_input_length=0, max_decoding_length=256)
        return [self.target.decode([int(token) for token in result.hypotheses[0]]) for result in found]


def glassformer(options, source, search):
    started = time.perf_counter()
    lines = program.run(options, "translate", *search, "--batch", str(BATCH), "--length-penalty", "1",
                        "--input", source, threads=options.threads)
    return time.perf_counter() - started, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    program.add_options(parser, "a checkpoint directory, post-norm, or a run directory")
    parser.add_argument("--source", type=Path, required=True, help="what is translated, a sentence a line")
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
            print(f"{name}  sentences/s, times CTranslate2: minimum {min(ratios):.2f}, "
                  f"median {statistics.median(ratios):.2f}, maximum {max(ratios):.2f}")


if __name__ == "__main__":
    main()
