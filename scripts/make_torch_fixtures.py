#!/usr/bin/env python3
"""Makes tests/fixtures/torch: what PyTorch says of small transformers, as a second oracle for the tests.

    pip install torch==2.13.0 numpy
    scripts/make_torch_fixtures.py            write the fixtures
    scripts/make_torch_fixtures.py --check    compute them again and compare; status 1 if one differs

The same model as in src/layers and src/model, in the same order and under the same names, so that the two can be read
side by side; only that here autograd finds the gradients. All in double precision. For each case, a fixture holds the
model and a ragged padded batch, the logits, the gradient of every tensor, and ten updates of Adam or of
Muon: the loss of each and the parameters after the last. The test is tests/training/test_pytorch.cpp.

Letters in the shape comments: B sentences, S source length, T target length, D model width, H heads, F feed-forward
width, V vocabulary. As in PyTorch, a function whose name ends in "_" changes what it is given.
"""

import argparse
import json
import math
import random
import sys
from pathlib import Path

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit("scripts/make_torch_fixtures.py needs PyTorch, which is not installed: pip install torch==2.13.0 numpy")

PROJECT = Path(__file__).resolve().parent.parent
FIXTURES = PROJECT / "tests" / "fixtures" / "torch"

# Each norm meets each activation, each tying and each label smoothing.
BASE = {"d_model": 8, "heads": 2, "encoder_layers": 2, "decoder_layers": 2, "d_ff": 12, "label_smoothing": 0.1,
        "clip_norm": 0.0}
CASES = {
    "post_relu_untied": {**BASE, "norm": "post", "activation": "relu", "tying": "none", "label_smoothing": 0.0},
    "post_gelu_target": {**BASE, "norm": "post", "activation": "gelu", "tying": "target", "clip_norm": 1.0},
    "post_swish_all": {**BASE, "norm": "post", "activation": "swish", "tying": "all", "heads": 4,
                       "encoder_layers": 3, "decoder_layers": 1},
    "pre_relu_target": {**BASE, "norm": "pre", "activation": "relu", "tying": "target", "heads": 1,
                        "encoder_layers": 1, "decoder_layers": 3},
    "pre_gelu_all": {**BASE, "norm": "pre", "activation": "gelu", "tying": "all", "label_smoothing": 0.0},
    "pre_swish_untied": {**BASE, "norm": "pre", "activation": "swish", "tying": "none", "clip_norm": 1.0},
    "post_relu_all_muon": {**BASE, "norm": "post", "activation": "relu", "tying": "all", "clip_norm": 1.0,
                           "optimizer": "muon"},
}

# Not the same padding on both sides: where all embeddings are tied, the padding of one is a word of the other.
SOURCE_PAD, TARGET_PAD, BEGIN, END = 3, 1, 0, 2

UPDATES = 10
# Epsilon is not the usual 1e-9, for a bias of the keys has no gradient but rounding (the test says why). Adam divides
# such a gradient by its own size and makes a whole step of it, which no two programs share. 1e-4 is far above that
# rounding, even in float, and far below nearly all other gradients.
ADAM = {"learning_rate": 0.01, "beta1": 0.9, "beta2": 0.98, "epsilon": 1e-4}
MUON = {"momentum": 0.95, "weight_decay": 0.1}  # the latter for AdamW as well, which takes what Muon leaves

# Last digits differ between processors. Relative to the largest number of a tensor.
TOLERANCE = 1e-11


# --- src/layers/masks.hpp: True means blocked -------------------------------------------------------------------

def padding_mask(ids, pad):
    return (ids == pad)[:, None, :]  # [B, 1, S]


def look_ahead_mask(length):
    return torch.ones(1, length, length, dtype=torch.bool).triu(1)  # [1, T, T]


def make_masks(source, target_input):
    encoder_padding = padding_mask(source, SOURCE_PAD)
    decoder_combined = padding_mask(target_input, TARGET_PAD) | look_ahead_mask(target_input.shape[1])
    return encoder_padding, decoder_combined, encoder_padding


# --- src/layers/linear.hpp, layer_norm.hpp, activation.hpp ------------------------------------------------------

def linear(p, name, x):
    return F.linear(x, p[name + ".weight"], p[name + ".bias"])


def layer_norm(p, name, x):
    return F.layer_norm(x, x.shape[-1:], p[name + ".weight"], p[name + ".bias"], eps=1e-5)


ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


# --- src/layers/scaled_dot_product_attention.hpp, attention.hpp -------------------------------------------------

def scaled_dot_product_attention(q, k, v, blocked):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])              # [B, H, T, S]
    weights = F.softmax(scores.masked_fill(blocked, -math.inf), dim=-1)
    weights = weights.masked_fill(blocked, 0)  # a row in which every key is blocked is NaN so far
    return weights @ v                                                     # [B, H, T, d_head]


def split_heads(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)                    # [B, T, D] to [B, H, T, d_head]


def attention(p, name, settings, x, memory, mask):
    """Self-attention where memory is x, cross-attention where it is the encoder's."""
    q = split_heads(linear(p, name + ".q_proj", x), settings["heads"])
    k = split_heads(linear(p, name + ".k_proj", memory), settings["heads"])
    v = split_heads(linear(p, name + ".v_proj", memory), settings["heads"])
    context = scaled_dot_product_attention(q, k, v, mask[:, None])         # the same mask for every head
    return linear(p, name + ".out_proj", context.transpose(1, 2).flatten(2))


# --- src/layers/feed_forward.hpp --------------------------------------------------------------------------------

def feed_forward(p, name, settings, x):
    expanded = linear(p, name + ".fc1", x)                                 # [B, T, F]
    return linear(p, name + ".fc2", ACTIVATIONS[settings["activation"]](expanded))


# --- src/layers/embedding.hpp -----------------------------------------------------------------------------------

def positions(length, width):
    angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.cat([angle.sin(), angle.cos()], dim=-1)                   # [T, D]


def embedding(table, ids, pad):
    width = table.shape[1]
    x = math.sqrt(width) * F.embedding(ids, table) + positions(ids.shape[1], width)
    return x.masked_fill((ids == pad)[:, :, None], 0)                      # [B, T, D]


# --- src/layers/add_and_norm.hpp --------------------------------------------------------------------------------

def add_and_norm(p, name, settings, x, sublayer):
    if settings["norm"] == "post":
        return layer_norm(p, name, x + sublayer(x))
    return x + sublayer(layer_norm(p, name, x))


# --- src/model/encoder_layer.hpp, decoder_layer.hpp -------------------------------------------------------------

def encoder_layer(p, name, settings, x, padding):
    h = add_and_norm(p, name + ".self_attn_layer_norm", settings, x,
                     lambda z: attention(p, name + ".self_attn", settings, z, z, padding))
    return add_and_norm(p, name + ".final_layer_norm", settings, h,
                        lambda z: feed_forward(p, name, settings, z))


def decoder_layer(p, name, settings, x, memory, combined, cross_padding):
    h = add_and_norm(p, name + ".self_attn_layer_norm", settings, x,
                     lambda z: attention(p, name + ".self_attn", settings, z, z, combined))
    g = add_and_norm(p, name + ".encoder_attn_layer_norm", settings, h,
                     lambda z: attention(p, name + ".encoder_attn", settings, z, memory, cross_padding))
    return add_and_norm(p, name + ".final_layer_norm", settings, g,
                        lambda z: feed_forward(p, name, settings, z))


# --- src/model/transformer.hpp ----------------------------------------------------------------------------------

def tables(p, settings):
    """The embedding matrices of source, target and output, some of which may be one."""
    if settings["tying"] == "all":
        return [p["model.shared.weight"]] * 3
    source, target = p["model.encoder.embed_tokens.weight"], p["model.decoder.embed_tokens.weight"]
    return source, target, target if settings["tying"] == "target" else p["lm_head.weight"]


def transformer(p, settings, source, target_input):
    encoder_padding, decoder_combined, cross_padding = make_masks(source, target_input)
    source_table, target_table, output_table = tables(p, settings)

    memory = embedding(source_table, source, SOURCE_PAD)
    for i in range(settings["encoder_layers"]):
        memory = encoder_layer(p, f"model.encoder.layers.{i}", settings, memory, encoder_padding)
    if settings["norm"] == "pre":
        memory = layer_norm(p, "model.encoder.layer_norm", memory)

    state = embedding(target_table, target_input, TARGET_PAD)
    for i in range(settings["decoder_layers"]):
        state = decoder_layer(p, f"model.decoder.layers.{i}", settings, state, memory, decoder_combined,
                              cross_padding)
    if settings["norm"] == "pre":
        state = layer_norm(p, "model.decoder.layer_norm", state)
    return F.linear(state, output_table, p["final_logits_bias"])           # [B, T, V]


# --- src/layers/cross_entropy.hpp -------------------------------------------------------------------------------

def cross_entropy(logits, target_output, label_smoothing):
    """The mean over all expected tokens that are no padding."""
    return F.cross_entropy(logits.flatten(0, 1), target_output.flatten(), ignore_index=TARGET_PAD,
                           label_smoothing=label_smoothing)


# --- src/training/optimizer.hpp ---------------------------------------------------------------------------------

def clip_(parameters, clip_norm):
    """torch.nn.utils.clip_grad_norm_, but for the 1e-6 which that one adds to the norm: it would show at 1e-9."""
    norm = torch.nn.utils.get_total_norm([parameter.grad for parameter in parameters])
    if 0 < clip_norm < norm:
        for parameter in parameters:
            parameter.grad *= clip_norm / norm


def optimizers(p, settings):
    adam = {"lr": ADAM["learning_rate"], "betas": (ADAM["beta1"], ADAM["beta2"]), "eps": ADAM["epsilon"],
            "foreach": False}
    if settings.get("optimizer") != "muon":
        return [torch.optim.Adam(p.values(), **adam)]
    hidden = {name for name, tensor in p.items() if tensor.dim() == 2 and ".layers." in name}
    return [torch.optim.AdamW([p[name] for name in p if name not in hidden], **adam,
                              weight_decay=MUON["weight_decay"]),
            torch.optim.Muon([p[name] for name in p if name in hidden], lr=ADAM["learning_rate"], **MUON,
                             adjust_lr_fn="match_rms_adamw")]


def train_(p, settings, batch):
    """Ten updates. Gives the logits and gradients of the first, and the loss of each."""
    parameters = list(p.values())
    steps = optimizers(p, settings)
    first_logits, first_gradient, losses = None, None, []
    for update in range(UPDATES):
        for optimizer in steps:
            optimizer.zero_grad()
        logits = transformer(p, settings, batch["source"], batch["target_input"])
        loss = cross_entropy(logits, batch["target_output"], settings["label_smoothing"])
        loss.backward()
        losses.append(loss.item())
        if update == 0:
            first_logits = logits.detach().flatten(0, 1)
            first_gradient = {name: tensor.grad.clone() for name, tensor in p.items()}
        clip_(parameters, settings["clip_norm"])
        for optimizer in steps:
            optimizer.step()
    return first_logits, first_gradient, losses


# --- What goes in -----------------------------------------------------------------------------------------------

class RandomNumbers:
    """random() keeps its numbers from one Python to the next; its other functions need not."""

    def __init__(self, seed):
        self.generator = random.Random(seed)

    def choice(self, values):
        return values[int(self.generator.random() * len(values))]

    def tensor(self, shape, low, high):
        """Rounded to three decimals, which are short to write and, in double, read back as the very same."""
        numbers = [round(low + (high - low) * self.generator.random(), 3) for _ in range(math.prod(shape))]
        return torch.tensor(numbers).reshape(shape)


def vocabulary_sizes(settings):
    return 9, 9 if settings["tying"] == "all" else 7


def parameter_shapes(settings):
    """Name and shape of every tensor, as the checkpoint has them and in the order of the arena."""
    width, inner = settings["d_model"], settings["d_ff"]
    source_size, target_size = vocabulary_sizes(settings)

    def attention_shapes(name):
        for kind, shape in ("weight", (width, width)), ("bias", (width,)):
            for part in ("q_proj", "k_proj", "v_proj"):
                yield f"{name}.{part}.{kind}", shape
        yield from linear_shapes(name + ".out_proj", width, width)
        yield from norm_shapes(name + "_layer_norm")

    def linear_shapes(name, inputs, outputs):
        yield name + ".weight", (outputs, inputs)
        yield name + ".bias", (outputs,)

    def norm_shapes(name):
        yield name + ".weight", (width,)
        yield name + ".bias", (width,)

    if settings["tying"] == "all":
        yield "model.shared.weight", (source_size, width)
    else:
        yield "model.encoder.embed_tokens.weight", (source_size, width)
        yield "model.decoder.embed_tokens.weight", (target_size, width)
    if settings["tying"] == "none":
        yield "lm_head.weight", (target_size, width)
    yield "final_logits_bias", (target_size,)
    for side, sublayers in ("encoder", ("self_attn",)), ("decoder", ("self_attn", "encoder_attn")):
        for i in range(settings[side + "_layers"]):
            layer = f"model.{side}.layers.{i}"
            for sublayer in sublayers:
                yield from attention_shapes(f"{layer}.{sublayer}")
            yield from linear_shapes(layer + ".fc1", width, inner)
            yield from linear_shapes(layer + ".fc2", inner, width)
            yield from norm_shapes(layer + ".final_layer_norm")
    if settings["norm"] == "pre":
        yield from norm_shapes("model.encoder.layer_norm")
        yield from norm_shapes("model.decoder.layer_norm")


def make_parameters(settings, numbers):
    """All random, gains and biases too: a gain of 1 or a bias of 0 hides mistakes."""
    return {name: numbers.tensor(shape, *((0.5, 1.5) if name.endswith("norm.weight") else (-0.6, 0.6)))
            for name, shape in parameter_shapes(settings)}


def make_batch(settings, numbers):
    """Nine sentence pairs whose lengths are 1 to 9 on either side, and one whose source is nothing but padding."""
    source_size, target_size = vocabulary_sizes(settings)
    source_words = [i for i in range(source_size) if i != SOURCE_PAD]
    target_words = [i for i in range(target_size) if i not in (TARGET_PAD, BEGIN)]
    source, target_input, target_output = [], [], []
    for s, t in zip([9, 4, 7, 1, 8, 2, 6, 3, 5, 0], [5, 9, 2, 7, 1, 8, 4, 6, 3, 5]):
        ids = [numbers.choice(source_words) for _ in range(s - 1)] + [END] * min(s, 1)
        if s in (3, 6, 9):
            ids[s // 3] = SOURCE_PAD  # in the midst; no tokenizer does that, but a mask must bear it
        words = [numbers.choice(target_words) for _ in range(t - 1)]
        source.append(ids + [SOURCE_PAD] * (9 - s))
        target_input.append([BEGIN] + words + [TARGET_PAD] * (9 - t))
        target_output.append(words + [END] + [TARGET_PAD] * (9 - t))
    return {"source": torch.tensor(source), "target_input": torch.tensor(target_input),
            "target_output": torch.tensor(target_output)}


# --- The fixtures -----------------------------------------------------------------------------------------------

def make_fixture(name):
    settings, numbers = CASES[name], RandomNumbers(name)
    source_size, target_size = vocabulary_sizes(settings)
    batch, p = make_batch(settings, numbers), make_parameters(settings, numbers)
    fixture = {
        "made_with": {"torch": torch.__version__},
        "settings": settings,
        "vocabulary": {"source_size": source_size, "target_size": target_size, "source_pad": SOURCE_PAD,
                       "target_pad": TARGET_PAD},
        "adam": ADAM,
        **({"muon": MUON} if settings.get("optimizer") == "muon" else {}),
        **{key: ids.tolist() for key, ids in batch.items()},
        "parameters": {key: tensor.tolist() for key, tensor in p.items()},
    }
    for tensor in p.values():
        tensor.requires_grad_()
    logits, gradient, losses = train_(p, settings, batch)
    return {
        **fixture,
        "logits": logits.tolist(),
        "losses": losses,
        "gradient": {key: tensor.tolist() for key, tensor in gradient.items()},
        "updated_parameters": {key: tensor.tolist() for key, tensor in p.items()},
    }


def as_text(fixture):
    """JSON with a line for each row of a matrix, so that changes show."""
    def text(value):
        if isinstance(value, dict) and any(isinstance(inner, list) for inner in value.values()):
            return "{\n" + ",\n".join(f"{json.dumps(key)}: {text(inner)}" for key, inner in value.items()) + "\n}"
        if isinstance(value, list) and isinstance(value[0], list):
            return "[\n" + ",\n".join(json.dumps(row) for row in value) + "\n]"
        return json.dumps(value)

    return text(fixture) + "\n"


def computed_tensors(fixture):
    tensors = {"logits": fixture["logits"], "losses": fixture["losses"]}
    for part in "gradient", "updated_parameters":
        tensors.update((f"{part} of {name}", numbers) for name, numbers in fixture[part].items())
    return {name: torch.tensor(numbers) for name, numbers in tensors.items()}


def difference(old, new):
    """What is the first to differ by more than another processor's rounding, or None."""
    for key in ["settings", "vocabulary", "adam", "muon", "source", "target_input", "target_output", "parameters"]:
        if old.get(key) != new.get(key):
            return f"{key} differ from what the script says"
    old, new = computed_tensors(old), computed_tensors(new)
    largest_gradient = max(numbers.abs().max() for name, numbers in new.items() if name.startswith("gradient"))
    for name in {**old, **new}:
        if name not in old or name not in new or old[name].shape != new[name].shape:
            return f"{name} is missing or of another shape"
        # A bias of the keys has no gradient but rounding, which is to be small beside the other gradients.
        zero = name.startswith("gradient") and name.endswith("k_proj.bias")
        error = (old[name] - new[name]).abs().max() / (largest_gradient if zero else new[name].abs().max())
        if not error <= TOLERANCE:
            return f"{name} differs by {error:.1e} of its largest number"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a fixture is out of date")
    check = parser.parse_args().check

    torch.set_default_dtype(torch.float64)
    torch.Tensor.bfloat16 = lambda tensor: tensor.clone()  # Muon rounds its directions to 8 bits; here it shall not
    torch.set_num_threads(1)  # sums of several threads are added in another order
    for name in CASES:
        path, fixture = FIXTURES / f"{name}.json", make_fixture(name)
        if not check:
            FIXTURES.mkdir(exist_ok=True)
            path.write_text(as_text(fixture), encoding="ascii")
            continue
        found = difference(json.loads(path.read_text(encoding="ascii")), fixture) if path.exists() else "is missing"
        if found:
            print(f"{path.relative_to(PROJECT)}: {found}")
            return 1
    done = "agrees with" if check else "written with"
    print(f"{FIXTURES.relative_to(PROJECT)}: {len(CASES)} cases, {done} torch {torch.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
