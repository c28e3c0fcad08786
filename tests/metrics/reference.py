"""The whole transformer in NumPy, in double precision, sharing no code with the program. It gives a second opinion on
every metric that the program reports, and is the shortest description of the model.

    model = Model("runs/toy/best")
    logits = model.logits(source_ids, target_input_ids)

Shapes: B sentences, S source length, T target length, D model width, H heads, V vocabulary. 1 (True) means blocked.
"""

import json
from math import erf, sqrt
from pathlib import Path

import numpy as np
import yaml

PAD, BOS, EOS, UNK = range(4)


# --- What a checkpoint contains --------------------------------------------------------------------------------------
def read_safetensors(file):
    """The tensors by name, in the order of the file, and the metadata."""
    data = Path(file).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {})
    places = sorted(header.items(), key=lambda item: item[1]["data_offsets"])
    return {name: np.frombuffer(data[8 + size:][slice(*place["data_offsets"])], "<f4").reshape(place["shape"])
            for name, place in places}, metadata


def read_lines(file):
    """The lines of a text, which end with LF or CRLF; a byte order mark at its start is ignored."""
    lines = Path(file).read_bytes().decode("utf-8-sig").split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def read_weights(checkpoint):
    """The model's tensors by name, in the file's order, without the rows that pad the smaller vocabulary's tables."""
    source, target = (len(Vocabulary(checkpoint / f"{side}.vocab.json").words) for side in ("source", "target"))
    rows = {"model.encoder.embed_tokens.weight": source, "model.decoder.embed_tokens.weight": target,
            "lm_head.weight": target}
    tensors, _ = read_safetensors(checkpoint / "model.safetensors")
    weights = {name: tensor[:rows.get(name)] for name, tensor in tensors.items()}
    return weights | {"final_logits_bias": tensors["final_logits_bias"][:, :target]}


class Vocabulary:
    def __init__(self, file):
        self.words = json.loads(Path(file).read_text(encoding="utf-8"))
        self.ids = {word: number for number, word in enumerate(self.words) if number > UNK}

    def encode(self, line):
        return [self.ids.get(word, UNK) for word in line.split()]

    def decode(self, ids):
        return " ".join(self.words[number] for number in ids)


# --- Masks ------------------------------------------------------------------------------------------------------------
def padding_mask(ids):
    """Blocks keys that are padding. [B, T] gives [B, 1, T]"""
    return (ids == PAD)[:, np.newaxis]


def look_ahead_mask(length):
    """Blocks keys after the query. [T, T]"""
    return np.triu(np.ones((length, length), bool), k=1)


# --- Layers -----------------------------------------------------------------------------------------------------------
def softmax(scores):
    """Over the last axis. A row that is -inf throughout gets weights of 0."""
    powers = np.exp(scores - np.maximum(scores.max(-1, keepdims=True), np.finfo(float).min))
    return powers / np.maximum(powers.sum(-1, keepdims=True), np.finfo(float).tiny)


def log_softmax(logits):
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def positions(length, width):
    """Sines in the first half of the columns, cosines in the second. [T, D]"""
    angles = np.arange(length)[:, np.newaxis] / 10000 ** (2 * np.arange(width // 2) / width)
    return np.hstack([np.sin(angles), np.cos(angles)])


# The functions behind the values of a key of the section model.
CHOICES = {
    "activation": {"relu": lambda x: np.maximum(x, 0),
                   "gelu": lambda x: x * (1 + np.vectorize(erf)(x / sqrt(2))) / 2,
                   "swish": lambda x: x / (1 + np.exp(-x))},
}


class Model:
    def __init__(self, checkpoint):
        checkpoint = Path(checkpoint)
        self.config = yaml.safe_load((checkpoint / "config.yaml").read_text(encoding="utf-8"))
        self.settings, self.masks_on = self.config["model"], self.config["masks"]
        self.weights = {name: tensor.astype(float) for name, tensor in read_weights(checkpoint).items()}
        self.source = Vocabulary(checkpoint / "source.vocab.json")
        self.target = Vocabulary(checkpoint / "target.vocab.json")

    def table(self, side):
        """The embedding of the "encoder" or the "decoder", or the map to the logits, "lm_head". [V, D]"""
        own, tied = {"encoder": "model.encoder.embed_tokens", "decoder": "model.decoder.embed_tokens",
                     "lm_head": "lm_head"}[side], self.settings["tied_embeddings"]
        if tied == "all":
            own = "model.shared"
        elif tied == "target" and side == "lm_head":
            own = "model.decoder.embed_tokens"
        return self.weights[own + ".weight"]

    def chosen(self, key):
        return CHOICES[key][self.settings[key]]

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def layer_norm(self, name, x):
        x_hat = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return x_hat * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def attention(self, name, x, memory, blocked):
        """Queries from x [B, T, D], keys and values from memory [B, S, D]. blocked [B or 1, T or 1, S]"""
        heads = self.settings["heads"]

        def project(part, y):  # [B, S, D] gives [B, H, S, D/H]
            return self.linear(f"{name}.{part}_proj", y).reshape(*y.shape[:2], heads, -1).swapaxes(1, 2)

        q, k, v = project("q", x), project("k", memory), project("v", memory)
        scores = q @ k.swapaxes(2, 3) / sqrt(q.shape[-1])
        weights = softmax(np.where(blocked[:, np.newaxis], -np.inf, scores))
        return self.linear(f"{name}.out_proj", (weights @ v).swapaxes(1, 2).reshape(x.shape))

    def feed_forward(self, name, x):
        activation = self.chosen("activation")
        return self.linear(f"{name}.fc2", activation(self.linear(f"{name}.fc1", x)))

    def add_and_norm(self, name, x, sublayer):
        if self.settings["norm"] == "pre":
            return x + sublayer(self.layer_norm(name, x))
        return self.layer_norm(name, x + sublayer(x))

    def embed(self, side, ids):
        scale = sqrt(self.settings["d_model"]) if self.settings["scale_embeddings"] else 1
        x = scale * self.table(side)[ids] + positions(ids.shape[1], self.settings["d_model"])
        return np.where((ids == PAD)[..., np.newaxis], 0, x)

    def final_norm(self, side, x):
        return self.layer_norm(f"model.{side}.layer_norm", x) if self.settings["norm"] == "pre" else x

    # --- Encoder, decoder -------------------------------------------------------------------------------------------
    def encode(self, source):
        """source [B, S] gives the memory [B, S, D]."""
        blocked = padding_mask(source) & self.masks_on["encoder_padding"]
        x = self.embed("encoder", source)
        for i in range(self.settings["encoder_layers"]):
            layer = f"model.encoder.layers.{i}"
            x = self.add_and_norm(f"{layer}.self_attn_layer_norm", x,
                                  lambda y: self.attention(f"{layer}.self_attn", y, y, blocked))
            x = self.add_and_norm(f"{layer}.final_layer_norm", x, lambda y: self.feed_forward(layer, y))
        return self.final_norm("encoder", x)

    def decode(self, source, memory, target_input):
        """target_input [B, T], which begins with bos, gives the logits [B, T, V]."""
        combined = (padding_mask(target_input) & self.masks_on["target_padding"]
                    | look_ahead_mask(target_input.shape[1]) & self.masks_on["look_ahead"])
        cross = padding_mask(source) & self.masks_on["cross_padding"]
        x = self.embed("decoder", target_input)
        for i in range(self.settings["decoder_layers"]):
            layer = f"model.decoder.layers.{i}"
            x = self.add_and_norm(f"{layer}.self_attn_layer_norm", x,
                                  lambda y: self.attention(f"{layer}.self_attn", y, y, combined))
            x = self.add_and_norm(f"{layer}.encoder_attn_layer_norm", x,
                                  lambda y: self.attention(f"{layer}.encoder_attn", y, memory, cross))
            x = self.add_and_norm(f"{layer}.final_layer_norm", x, lambda y: self.feed_forward(layer, y))
        return self.final_norm("decoder", x) @ self.table("lm_head").T + self.weights["final_logits_bias"]

    def logits(self, source, target_input):
        return self.decode(source, self.encode(source), target_input)

    # --- From logits to tokens --------------------------------------------------------------------------------------
    def log_probabilities(self, source, target):
        """The log-probability of every token at each position of a target sentence (eos included), given a source
        sentence. [T, V]"""
        return log_softmax(self.logits(np.array([[*source, EOS]]), np.array([[BOS, *target]]))[0])

    def token_log_probabilities(self, source, target):
        """The log-probability of each token of the target, and of eos. [T]"""
        ids = [*target, EOS]
        return self.log_probabilities(source, target)[np.arange(len(ids)), ids]

    def longest(self, source):
        """How many tokens a translation may have, not counting eos."""
        return int(self.config["decoding"]["max_length_ratio"] * len(source)) + 10

    def greedy(self, source):
        """The most likely token at each step, until eos or the longest translation that the config allows."""
        source_ids, target = np.array([[*source, EOS]]), []
        memory = self.encode(source_ids)
        while len(target) < self.longest(source):
            logits = self.decode(source_ids, memory, np.array([[BOS, *target]]))[0, -1]
            logits[[PAD, BOS]] = -np.inf
            target.append(int(logits.argmax()))
            if target[-1] == EOS:
                return target[:-1]
        return target
