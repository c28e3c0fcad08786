"""Compares every kind of model with the NumPy model: logits, log-probabilities, loss, accuracy and translations.

Each model was trained for some updates with dropout and label smoothing, so that no gain is 1 and no bias is 0.
TOLERANCE, for a logit and for a token's log-probability, is ten times the largest difference seen. That was 1e-6: one
or two roundings in single precision for numbers between 4 and 8.
"""

import json
import os
import re

import numpy as np
import pytest
from beam import closest_decision
from metrics import CLOSE, LOG_PROBABILITY
from program import ROOT, run, run_json, toy_pairs, train, unequal_pairs
from reference import BOS, CHOICES, EOS, PAD, Model, log_softmax, read_lines

TOLERANCE = 1e-5
KINDS = [("post", "none", "relu", True), ("pre", "none", "gelu", False), ("post", "target", "gelu", True),
         ("pre", "target", "swish", True), ("post", "all", "swish", False), ("pre", "all", "relu", True),
         ("post", "target", "relu", False), ("pre", "none", "swish", True)]
LAYERS = {KINDS[-1]: (1, 3)}  # of the encoder and the decoder; all others have two each
# A function that none of them uses gets a model of its own. The first function of a key is its default.
USED = {word for kind in KINDS for word in kind}
KINDS += [("pre", "target", "relu", True, key, name) for key, functions in CHOICES.items()
          for name in list(functions)[1:] if name not in USED]
MASKS = ["encoder_padding", "look_ahead", "target_padding", "cross_padding"]


@pytest.fixture(scope="module")
def trained(text, tmp_path_factory):
    """trained(settings) trains a model with two layers on each side."""
    def make(settings):
        return train(tmp_path_factory.mktemp("model") / "run", text, {
            "model.d_model": 16, "model.heads": 4, "model.d_ff": 24, "model.encoder_layers": 2,
            "model.decoder_layers": 2, "model.dropout": 0.1, "model.embedding_dropout": 0.1,
            "model.attention_dropout": 0.1, "model.activation_dropout": 0.1, "training.label_smoothing": 0.1,
            "training.max_tokens": 500, "training.shards": 2, "training.max_updates": 40,
            "training.validation.every": 40, **settings})
    return make


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: "-".join(map(str, kind)))
def kind(request, trained):
    norm, tied, activation, scale, *choice = request.param
    encoder_layers, decoder_layers = LAYERS.get(request.param, (2, 2))
    model = trained({"model.norm": norm, "model.tied_embeddings": tied, "model.activation": activation,
                     "model.scale_embeddings": scale, "tokenizer.joint": tied == "all",
                     "model.encoder_layers": encoder_layers, "model.decoder_layers": decoder_layers,
                     **({f"model.{choice[0]}": choice[1]} if choice else {})})
    return model, Model(model / "best")


def explained(trained, pairs, file):
    """As `explain` shows them: the padded batch, its logits [B, T, V], and log p of each target's tokens and eos."""
    texts = [word for pair in pairs for word in ("--source", pair[0], "--target", pair[1])]
    run("explain", trained.directory, *texts, "--json", file, "--html", os.devnull)
    trace = json.loads(file.read_text(encoding="utf-8"))
    source, target_input = (np.array(trace["batch"][key]["ids"]) for key in ("source", "target_input"))
    [logits] = [tensor["values"] for tensor in trace["tensors"]
                if (tensor["part"], tensor["name"]) == ("decoder.output", "y")]
    log_p = [[-place["cross_entropy"] for place in row if place["counted"]] for row in trace["answer"]]
    return source, target_input, np.reshape(logits["numbers"], (*target_input.shape, logits["cols"])), log_p


def check_logits(trained, model, file, pairs=(), tolerance=TOLERANCE):
    pairs = pairs or [*unequal_pairs(5, seed=12, name="valid"), ("a cat unheardof", "eine katze unerhört")]
    source, target_input, logits, log_p = explained(trained, pairs, file)
    expected = model.logits(source, target_input)
    assert (source == PAD).any() and (target_input == PAD).any(), "there must be padding to mask"
    for row, (line, target) in enumerate(pairs):
        ids = [*model.source.encode(line), EOS]
        assert list(source[row]) == ids + [PAD] * (source.shape[1] - len(ids))
        ids = [BOS, *model.target.encode(target)]
        assert list(target_input[row]) == ids + [PAD] * (target_input.shape[1] - len(ids))
        tokens = log_softmax(expected[row])[np.arange(len(ids)), [*ids[1:], EOS]]
        assert log_p[row] == pytest.approx(list(tokens), abs=tolerance)
    assert logits == pytest.approx(expected, abs=tolerance)
    assert expected.std() > 1000 * tolerance
    return source, target_input, expected


@pytest.fixture(scope="module")
def files(text):
    return [text / f"valid.{language}" for language in ("en", "de")]


@pytest.fixture(scope="module")
def pairs(files):
    return list(zip(*map(read_lines, files)))


# --- The kinds --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("key", CHOICES)
def test_the_numpy_model_has_every_function_of_the_program(key):
    _, message = run("train", ROOT / "configs/debug.yaml", "--output", "/nowhere", "--set", f"model.{key}=[]", status=2)
    assert set(re.split(", | or ", re.search(": expected (.*), found", message)[1])) == set(CHOICES[key])


def test_logits_and_log_p_of_a_padded_batch_match_the_model(kind, tmp_path):
    check_logits(*kind, tmp_path / "trace.json")


def test_n_best_matches_the_log_probability_of_each_translation(kind, pairs):
    trained, model = kind
    lines, finished = [source for source, _ in pairs], 0
    text = "".join(line + "\n" for line in lines)
    for found in run("translate", trained.directory, "--beam", 4, "--n-best", 4, stdin=text)[0].splitlines():
        number, translation, log_p, _ = found.split(" ||| ")
        source, ids = model.source.encode(lines[int(number)]), model.target.encode(translation)
        if len(ids) < model.longest(source):  # so it was not cut off
            finished += 1
            expected = model.token_log_probabilities(source, ids).sum()
            tolerance = TOLERANCE * (len(ids) + 1)
            assert float(log_p.removeprefix("logprob= ")) == pytest.approx(expected, abs=tolerance), found
    assert finished > 0.5 * len(lines)


def test_evaluate_matches_loss_and_accuracy(kind, files, pairs):
    trained, model = kind
    losses, lead = [], []
    for source, target in pairs:
        ids = [*model.target.encode(target), EOS]
        table = model.log_probabilities(model.source.encode(source), ids[:-1])
        expected = table[np.arange(len(ids)), ids]
        losses += list(-expected)
        table[np.arange(len(ids)), ids] = -np.inf
        lead += list(expected - table.max(-1))
    [found] = run_json("evaluate", trained.directory, "--source", files[0], "--reference", files[1])
    assert found["loss"] == pytest.approx(np.mean(losses), abs=TOLERANCE)
    assert np.mean(np.array(lead) > CLOSE) <= found["token_accuracy"] <= np.mean(np.array(lead) > -CLOSE)
    assert 0 < found["token_accuracy"] < 1


def test_translate_takes_the_most_likely_token_at_each_step(kind, pairs):
    trained, model = kind
    lines = [source for source, _ in pairs[:10]]
    out, _ = run("translate", trained.directory, stdin="".join(line + "\n" for line in lines))
    compared = 0
    for line, found in zip(lines, out.splitlines()):
        source = model.source.encode(line)
        translation = model.greedy(source)
        if closest_decision(model, source, translation) > CLOSE:
            compared += 1
            assert found == model.target.decode(translation), line
    assert compared > 0.5 * len(lines)


def test_log_p_of_unlikely_tokens_matches_the_model(half_trained, half_trained_model, tmp_path):
    sources, targets = zip(*toy_pairs("valid")[:8])
    pairs = list(zip(sources, targets[1:] + targets[:1]))  # translations of other sentences
    check_logits(half_trained, half_trained_model, tmp_path / "trace.json", pairs, LOG_PROBABILITY)
    model = half_trained_model
    assert min(model.token_log_probabilities(model.source.encode(source), model.target.encode(target)).min()
               for source, target in pairs) < -15


# --- Masks ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("norm, off", [*(("post", [mask]) for mask in MASKS), ("pre", MASKS)],
                         ids=lambda value: "-".join(value) if isinstance(value, list) else value)
def test_a_mask_that_is_off_hides_nothing_and_the_others_still_hide(trained, tmp_path, norm, off):
    masked = trained({"model.norm": norm, **{f"masks.{mask}": False for mask in off}})
    model = Model(masked / "best")
    assert model.masks_on == {mask: mask not in off for mask in MASKS}
    source, target_input, logits = check_logits(masked, model, tmp_path / "trace.json")
    for mask in MASKS:  # switching any of them changes the logits
        model.masks_on = {**model.masks_on, mask: not model.masks_on[mask]}
        assert abs(model.logits(source, target_input) - logits).max() > 10 * TOLERANCE
        model.masks_on = {**model.masks_on, mask: not model.masks_on[mask]}
