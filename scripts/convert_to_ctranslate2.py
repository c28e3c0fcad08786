#!/usr/bin/env python3
"""Converts a checkpoint for CTranslate2, a fast translation engine.

    pip install ctranslate2 numpy
    scripts/convert_to_ctranslate2.py runs/multi30k_raw/best DIRECTORY

ctranslate2.Translator then loads the directory, in float32. Tokens are the pieces of source.spm and target.spm; </s> is
added to each source automatically:

    source = sentencepiece.SentencePieceProcessor(model_file="runs/multi30k_raw/best/source.spm")
    ctranslate2.Translator("DIRECTORY").translate_batch([source.encode("a sentence", out_type=str)])

(CTranslate2's own converter for Marian models, ct2-transformers-converter, relies on the conventions of OPUS-MT:
padding is the last id and begins every translation, and its embedding is 0. Use that converter for such models; this
script refuses them. After further training with Glassformer, that embedding is no longer 0: then use this script.)
"""

import argparse
import json
import struct
import sys
from pathlib import Path


def read_safetensors(file):
    """All tensors by name, in float32."""
    import numpy
    types = {"F32": numpy.float32, "F16": numpy.float16}
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, tensor in header.items():
        if tensor["dtype"] not in types:
            sys.exit(f"convert_to_ctranslate2.py: {file}: {name}: expected F32 or F16, found {tensor['dtype']}")
        begin, end = (8 + size + offset for offset in tensor["data_offsets"])
        tensors[name] = numpy.frombuffer(data[begin:end], types[tensor["dtype"]]).astype(numpy.float32).reshape(
            tensor["shape"])
    return tensors


def positions(length, width):
    import numpy
    angles = numpy.arange(length)[:, None] / 10000 ** (numpy.arange(0, width, 2) / width)
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1).astype(numpy.float32)


def tokens_of(file, size):
    """The pieces of a vocabulary in the order of their ids."""
    tokens = [f"<{i}>" for i in range(size)]  # an id may have no piece
    for piece, number in json.loads(file.read_text(encoding="utf-8")).items():
        tokens[number] = piece
    return tokens


class Layers:
    """Copies the tensors of a checkpoint to the layers of a CTranslate2 specification."""

    def __init__(self, tensors):
        self.tensors = tensors

    def linear(self, to, *names):
        import numpy
        to.weight = numpy.concatenate([self.tensors[name + ".weight"] for name in names])
        to.bias = numpy.concatenate([self.tensors[name + ".bias"] for name in names])

    def norm(self, to, name):
        to.gamma, to.beta = self.tensors[name + ".weight"], self.tensors[name + ".bias"]

    def self_attention(self, to, name):
        self.linear(to.linear[0], *(f"{name}.self_attn.{part}_proj" for part in "qkv"))
        self.linear(to.linear[1], f"{name}.self_attn.out_proj")
        self.norm(to.layer_norm, f"{name}.self_attn_layer_norm")

    def cross_attention(self, to, name):
        self.linear(to.linear[0], f"{name}.encoder_attn.q_proj")
        self.linear(to.linear[1], f"{name}.encoder_attn.k_proj", f"{name}.encoder_attn.v_proj")
        self.linear(to.linear[2], f"{name}.encoder_attn.out_proj")
        self.norm(to.layer_norm, f"{name}.encoder_attn_layer_norm")

    def feed_forward(self, to, name):
        self.linear(to.linear_0, f"{name}.fc1")
        self.linear(to.linear_1, f"{name}.fc2")
        self.norm(to.layer_norm, f"{name}.final_layer_norm")


def target_embedding(tensors):
    names = ("model.shared.weight", "model.decoder.embed_tokens.weight")
    return next(tensors[name] for name in names if name in tensors)


def fill_embeddings(spec, tensors, config):
    shared, target = tensors.get("model.shared.weight"), target_embedding(tensors)
    source = shared if shared is not None else tensors["model.encoder.embed_tokens.weight"]
    # If the vocabularies differ in size, the tables of the smaller one are padded. The padding rows are dropped here.
    source_size, target_size = (config.get(f"glassformer_{side}_vocabulary") for side in ("source", "target"))
    spec.encoder.embeddings[0].weight = source[:source_size]
    spec.decoder.embeddings.weight = target[:target_size]
    spec.decoder.projection.weight = tensors.get("lm_head.weight", target)[:target_size]
    spec.decoder.projection.bias = tensors["final_logits_bias"].reshape(-1)[:target_size]
    for part in (spec.encoder, spec.decoder):
        part.position_encodings.encodings = positions(config["max_position_embeddings"], config["d_model"])
        part.scale_embeddings = config["scale_embedding"]


def fill_vocabularies(spec, checkpoint, config):
    sizes = [len(spec.encoder.embeddings[0].weight), len(spec.decoder.embeddings.weight)]
    target_file = checkpoint / "target_vocab.json"
    source = tokens_of(checkpoint / "vocab.json", sizes[0])
    target = tokens_of(target_file if target_file.exists() else checkpoint / "vocab.json", sizes[1])
    spec.config.add_source_eos = True
    spec.config.bos_token, spec.config.eos_token = target[config["bos_token_id"]], target[config["eos_token_id"]]
    spec.config.decoder_start_token, spec.config.unk_token = target[config["decoder_start_token_id"]], "<unk>"
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)


def follows_opus_mt(checkpoint):
    """Whether the model follows the conventions of OPUS-MT (see above)."""
    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    start = config["decoder_start_token_id"]
    if start != config["pad_token_id"]:
        return False
    tensors = read_safetensors(checkpoint / "model.safetensors")
    return not target_embedding(tensors)[start].any()


def convert(checkpoint, directory):
    """Writes the checkpoint in CTranslate2's format; returns the checkpoint's config.json."""
    import ctranslate2
    checkpoint = Path(checkpoint)
    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "marian":
        own = ", ".join(f"model.{key.removeprefix('glassformer_')}: {value}" for key, value in config.items()
                        if key.startswith("glassformer_"))
        sys.exit(f"convert_to_ctranslate2.py: {checkpoint}: expected a post-norm model (model_type marian), found "
                 f"{config['model_type']} ({own}); this script converts only models that Marian has, too: train "
                 "without these keys.")
    tensors = read_safetensors(checkpoint / "model.safetensors")
    activations = {activation.name.lower(): activation for activation in ctranslate2.specs.common_spec.Activation}
    activations["silu"] = activations["swish"]
    if config["activation_function"] not in activations:
        sys.exit(f"convert_to_ctranslate2.py: {config['activation_function']}: expected an activation that CTranslate2 "
                 f"has ({', '.join(activations)})")
    activation = activations[config["activation_function"]]
    spec = ctranslate2.specs.TransformerSpec.from_config(
        (config["encoder_layers"], config["decoder_layers"]), config["encoder_attention_heads"], pre_norm=False,
        activation=activation)
    layers = Layers(tensors)
    for i, layer in enumerate(spec.encoder.layer):
        layers.self_attention(layer.self_attention, f"model.encoder.layers.{i}")
        layers.feed_forward(layer.ffn, f"model.encoder.layers.{i}")
    for i, layer in enumerate(spec.decoder.layer):
        layers.self_attention(layer.self_attention, f"model.decoder.layers.{i}")
        layers.cross_attention(layer.attention, f"model.decoder.layers.{i}")
        layers.feed_forward(layer.ffn, f"model.decoder.layers.{i}")
    fill_embeddings(spec, tensors, config)
    fill_vocabularies(spec, checkpoint, config)
    spec.validate()
    Path(directory).mkdir(parents=True, exist_ok=True)
    spec.save(str(directory))
    return config


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint", type=Path, help="a checkpoint, or a run (uses its best checkpoint)")
    parser.add_argument("output", type=Path, help="a directory that does not exist yet")
    options = parser.parse_args()
    if (options.checkpoint / "best").exists():
        options.checkpoint = options.checkpoint / "best"
    if not (options.checkpoint / "model.safetensors").exists():
        parser.error(f"{options.checkpoint}: expected a checkpoint, found no model.safetensors in it")
    if options.output.exists():
        parser.error(f"{options.output}: already exists; choose another directory")
    try:
        import ctranslate2  # noqa: F401
    except ImportError:
        sys.exit("convert_to_ctranslate2.py needs CTranslate2, which is not installed: pip install ctranslate2 numpy")
    if follows_opus_mt(options.checkpoint):
        sys.exit(f"convert_to_ctranslate2.py: {options.checkpoint}: this model follows the conventions of OPUS-MT; use "
                 f"CTranslate2's own converter: ct2-transformers-converter --model {options.checkpoint} "
                 f"--output_dir {options.output}")
    convert(options.checkpoint, options.output)
    print(f"{options.output}: ready for ctranslate2.Translator")


if __name__ == "__main__":
    main()
