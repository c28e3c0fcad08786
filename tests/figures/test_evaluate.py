"""Every figure of `evaluate`, recomputed from its definition: loss, perplexity and accuracy with the NumPy
model; BLEU and exact match from what `translate` prints, with the implementations in text_metrics.py.
"""

import math
from statistics import mean

import numpy as np
import pytest
from figures import CLOSE, LOG_PROBABILITY, ROUNDING
from program import awkward_pairs, run, run_json, toy_pairs, train, unequal_pairs, variant, write_pairs
from reference import BOS, EOS, Model, log_softmax, read_lines, read_weights
from text_metrics import bleu, bleu_line, exact_match

KEYS = ["checkpoint", "beam", "length_penalty", "parameters", "name", "source", "reference", "pairs",
        "pairs_with_an_empty_side", "loss", "perplexity", "token_accuracy", "exact_match", "bleu", "bleu_signature"]


def with_capitals(line):
    """Like a printed sentence, with the case and punctuation that `lowercase` and 13a handle."""
    return line.capitalize().replace(" .", ".").replace(" ?", "?")


def printed(pairs):
    return [tuple(map(with_capitals, pair)) for pair in pairs]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    text = tmp_path_factory.mktemp("printed")
    write_pairs(text, "train", printed(toy_pairs("train")[:2000]))
    write_pairs(text, "valid", printed(toy_pairs("valid")[:50]))
    pairs = printed(unequal_pairs(150, seed=9, name="valid"))
    pairs[70] = tuple(" ".join(pair[side] for pair in pairs[:12]) for side in (0, 1))  # far longer than all others
    write_pairs(text, "awkward", awkward_pairs(pairs, seed=9), "\r\n")
    [(source, target)] = printed(toy_pairs("valid")[50:51])
    write_pairs(text, "reversed", [(source, " ".join(reversed(target.split())))])  # words match, but few n-grams
    trained = train(tmp_path_factory.mktemp("trained") / "run", text,
                    {"model.d_model": 32, "model.d_ff": 64, "model.heads": 4, "tokenizer.vocabulary_size": 300,
                     "training.max_tokens": 1000, "training.shards": 4, "training.max_updates": 300,
                     "training.schedule.warmup": 50, "training.schedule.learning_rate": 0.01,
                     "training.validation.every": 300, "data.tests": "[awkward, reversed]"})
    trained.text = text
    return trained


def teacher_forced(model, pairs):
    """The log-probabilities of each pair's tokens, and the fewest and the most tokens that may count as the most likely
    ones: if two logits are CLOSE, the program may take either."""
    log_probabilities, fewest, most = [], 0, 0
    for source, target in pairs:
        ids = np.array([*target, EOS])
        logits = model.logits(np.array([[*source, EOS]]), np.array([[BOS, *target]]))[0]
        tokens = np.arange(len(ids))
        log_probabilities.append(log_softmax(logits)[tokens, ids])
        lead = logits[tokens, ids].copy()
        logits[tokens, ids] = -np.inf
        lead -= logits.max(-1)
        fewest, most = fewest + (lead > CLOSE).sum(), most + (lead > -CLOSE).sum()
    return log_probabilities, fewest, most


def check(found, model, checkpoint, files, translations):
    """Checks every figure of one text."""
    assert list(found) == KEYS
    sources, references = map(read_lines, files)
    settings = model.config["evaluation"]
    pairs = [(model.source.encode(s), model.target.encode(r)) for s, r in zip(sources, references)]
    whole = [pair for pair in pairs if all(pair)]
    log_probabilities, fewest, most = teacher_forced(model, whole)
    tokens = sum(map(len, log_probabilities))

    assert [found["source"], found["reference"]] == list(map(str, files))
    assert found["checkpoint"] == str(checkpoint.resolve())
    assert found["parameters"] == sum(tensor.size for tensor in read_weights(checkpoint).values())
    assert found["pairs"] == len(pairs)
    assert found["pairs_with_an_empty_side"] == len(pairs) - len(whole)
    assert found["loss"] == pytest.approx(-np.concatenate(log_probabilities).mean(), abs=LOG_PROBABILITY)
    assert found["perplexity"] == pytest.approx(math.exp(found["loss"]), rel=1e-12)
    assert fewest <= round(found["token_accuracy"] * tokens, 6) <= most <= fewest + 2
    assert found["exact_match"] == pytest.approx(exact_match(translations, references), abs=1e-12)
    version = "|version:" + run("--version")[0].splitlines()[0].replace(" ", "-")
    expected = bleu(translations, references, settings["bleu_tokenizer"], settings["lowercase"])
    assert found["bleu"] == pytest.approx(expected["score"], rel=ROUNDING)
    assert found["bleu_signature"] == expected["signature"] + version


def translate(checkpoint, source, *options):
    return run("translate", checkpoint, "--input", source, *options)[0].split("\n")[:-1]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenizer", ["none", "13a"])
def test_every_figure_matches_its_definition(trained, tmp_path, tokenizer, lowercase):
    other = variant(trained, tmp_path / "run", {"evaluation.bleu_tokenizer": tokenizer,
                                                "evaluation.lowercase": lowercase,
                                                "data.tests": "[awkward, reversed]"})
    checkpoint, model = other / "best", Model(other / "best")
    tests = run_json("evaluate", other.directory)
    assert [test["name"] for test in tests] == ["awkward", "reversed"]
    for test in tests:
        files = [trained.text / f"{test['name']}.{language}" for language in ("en", "de")]
        check(test, model, checkpoint, files, translate(checkpoint, files[0]))
        assert (test["beam"], test["length_penalty"]) == (1, 1)


@pytest.mark.parametrize("beam, length_penalty", [(2, None), (4, 0.2), (4, 3)])
def test_translations_use_the_beam_and_length_penalty_of_the_options(trained, tmp_path, beam, length_penalty):
    options = ["--beam", beam, *(["--length-penalty", length_penalty] if length_penalty is not None else [])]
    files = [trained.text / f"awkward.{language}" for language in ("en", "de")]
    [test] = run_json("evaluate", trained.directory, "--source", files[0], "--reference", files[1], *options)
    check(test, Model(trained / "best"), trained / "best", files, translate(trained / "best", files[0], *options))
    assert (test["name"], test["beam"], test["length_penalty"]) == ("awkward.en", beam, length_penalty or 1)


def test_without_options_the_config_decides_how_to_search(trained, tmp_path):
    other = variant(trained, tmp_path / "run", {"decoding.beam": 3, "decoding.length_penalty": 0.5,
                                                "data.tests": "[awkward]"})
    [test] = run_json("evaluate", other.directory)
    assert (test["beam"], test["length_penalty"]) == (3, 0.5)
    source = trained.text / "awkward.en"
    translations = translate(other / "best", source, "--beam", 3, "--length-penalty", 0.5)
    check(test, Model(other / "best"), other / "best", [source, trained.text / "awkward.de"], translations)
    assert translations != translate(other / "best", source, "--beam", 3, "--length-penalty", 2)


def test_the_text_output_shows_the_same_figures_as_json(trained):
    out, _ = run("evaluate", trained.directory)
    expected = ""
    for test in run_json("evaluate", trained.directory):
        files = [trained.text / f"{test['name']}.{language}" for language in ("en", "de")]
        translations, references = translate(trained / "best", files[0]), read_lines(files[1])
        version = "|version:" + test["bleu_signature"].partition("|version:")[2]
        expected += (f"{test['name']}: {test['pairs']} pairs, loss {test['loss']:.4f}, "
                     f"perplexity {test['perplexity']:.3f}, token accuracy {100 * test['token_accuracy']:.2f}%, "
                     f"exact match {100 * test['exact_match']:.2f}%\n")
        if test["pairs_with_an_empty_side"] > 0:
            expected += ("  (loss, perplexity and token accuracy leave out "
                         f"{test['pairs_with_an_empty_side']} pairs with an empty side)\n")
        expected += f"  {bleu_line(bleu(translations, references, 'none', False), version)}\n"
    assert out == expected


def test_the_awkward_text_distinguishes_right_figures_from_wrong_ones(trained):
    """Without this, the previous tests could not fail."""
    source, reference = (trained.text / f"awkward.{language}" for language in ("en", "de"))
    model, references = Model(trained / "best"), read_lines(reference)
    translations = translate(trained / "best", source)
    whole = [pair for pair in ((model.source.encode(s), model.target.encode(r))
                               for s, r in zip(read_lines(source), references)) if all(pair)]
    log_probabilities, *_ = teacher_forced(model, whole)
    by_sentence = mean(tokens.mean() for tokens in log_probabilities)
    assert abs(np.concatenate(log_probabilities).mean() - by_sentence) > 0.01
    same = sum(t == r for t, r in zip(translations, references)) / len(references)
    assert 0 < same < exact_match(translations, references) < 0.9
    scores = [bleu(translations, references, tokenizer, lowercase)["score"]
              for tokenizer in ("none", "13a") for lowercase in (False, True)]
    assert min(scores) > 5 and np.diff(sorted(scores)).min() > 1e-3
