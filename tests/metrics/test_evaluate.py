"""Every metric of `evaluate`, recomputed from its definition: loss, perplexity and accuracy with the NumPy
model; BLEU, chrF and exact match from what `translate` prints, with the implementations in text_metrics.py; unknown
tokens from the vocabularies.
"""

import math
import re
from collections import Counter
from statistics import mean

import numpy as np
import pytest
from metrics import CLOSE, LOG_PROBABILITY, ROUNDING
from program import Failed, awkward_pairs, run, run_json, toy_pairs, train, unequal_pairs, variant, write_pairs
from reference import BOS, EOS, PAD, UNK, Model, log_softmax, read_lines, read_weights
from text_metrics import bleu, bleu_line, chrf, chrf_line, exact_match

KEYS = ["checkpoint", "beam", "length_penalty", "early_stopping", "batch", "max_length_ratio", "parameters", "name",
        "source", "reference", "references", "pairs", "pairs_with_an_empty_side", "source_tokens",
        "unknown_source_tokens", "reference_tokens", "unknown_reference_tokens", "translation_tokens",
        "unknown_translation_tokens", "cut_off", "loss", "perplexity", "token_accuracy", "exact_match", "bleu",
        "bleu_signature", "chrf", "chrf_signature"]


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


def unknown(vocabulary, lines):
    """How many words there are, and those that are not in the vocabulary."""
    words = [word for line in lines for word in line.split()]
    return len(words), [word for word in words if vocabulary.encode(word) == [UNK]]


def check(found, model, checkpoint, files, translations, more_references=(), **settings):
    """Checks every metric of one text. `settings`: those of evaluation that differ from the model's config."""
    assert list(found) == KEYS
    sources, references = map(read_lines, files)
    settings = {**model.config["evaluation"], **settings}
    pairs = [(model.source.encode(s), model.target.encode(r)) for s, r in zip(sources, references)]
    whole = [pair for pair in pairs if all(pair)]
    log_probabilities, fewest, most = teacher_forced(model, whole)
    tokens = sum(map(len, log_probabilities))

    assert [found["source"], found["reference"]] == list(map(str, files))
    assert found["references"] == [str(files[1]), *map(str, more_references)]
    for side, (words, unknown_words) in {"source": unknown(model.source, sources),
                                         "reference": unknown(model.target, references)}.items():
        assert (found[f"{side}_tokens"], found[f"unknown_{side}_tokens"]) == (words, len(unknown_words))
    translated = [word for line in translations for word in line.split()]
    assert found["translation_tokens"] == len(translated)
    assert found["unknown_translation_tokens"] == translated.count("<unk>")
    at_limit = [len(translation.split()) == int(found["max_length_ratio"] * len(source)) + 10
                for (source, _), translation in zip(pairs, translations) if source]
    assert found["cut_off"] <= sum(at_limit)
    assert found["checkpoint"] == str(checkpoint.resolve())
    assert found["parameters"] == sum(tensor.size for tensor in read_weights(checkpoint).values())
    assert found["pairs"] == len(pairs)
    assert found["pairs_with_an_empty_side"] == len(pairs) - len(whole)
    assert found["loss"] == pytest.approx(-np.concatenate(log_probabilities).mean(), abs=LOG_PROBABILITY)
    assert found["perplexity"] == pytest.approx(math.exp(found["loss"]), rel=1e-12)
    assert fewest <= round(found["token_accuracy"] * tokens, 6) <= most <= fewest + 2
    references = [references, *map(read_lines, more_references)]
    assert found["exact_match"] == pytest.approx(exact_match(translations, references), abs=1e-12)
    version = "|version:" + run("--version")[0].splitlines()[0].replace(" ", "-")
    expected = bleu(translations, references, settings["bleu_tokenizer"], settings["lowercase"])
    assert found["bleu"] == pytest.approx(expected["score"], rel=ROUNDING)
    assert found["bleu_signature"] == expected["signature"] + version
    expected = chrf(translations, references, settings["lowercase"])
    assert found["chrf"] == pytest.approx(expected["score"], rel=ROUNDING)
    assert found["chrf_signature"] == expected["signature"] + version


def translate(checkpoint, source, *options):
    return run("translate", checkpoint, "--input", source, *options)[0].split("\n")[:-1]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenizer", ["none", "13a", "zh", "char"])
def test_every_metric_matches_its_definition(trained, tmp_path, tokenizer, lowercase):
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


@pytest.mark.parametrize("key, value", [("beam", 3), ("length_penalty", 0.3), ("early_stopping", "true"), ("batch", 3),
                                        ("max_length_ratio", 0.5)])
def test_every_key_of_decoding_can_be_set_and_is_reported(trained, key, value):
    files = [trained.text / f"awkward.{language}" for language in ("en", "de")]
    options = ["--set", f"decoding.{key}={value}", *(["--beam", 2] if key != "beam" else [])]
    [test] = run_json("evaluate", trained.directory, "--source", files[0], "--reference", files[1], *options)
    assert test[key] == (True if value == "true" else value)
    check(test, Model(trained / "best"), trained / "best", files, translate(trained / "best", files[0], *options))


@pytest.mark.parametrize("tokenizer", ["none", "13a", "zh", "char"])
def test_the_keys_of_evaluation_can_be_set(trained, tokenizer):
    files = [trained.text / f"awkward.{language}" for language in ("en", "de")]
    [test] = run_json("evaluate", trained.directory, "--source", files[0], "--reference", files[1],
                      "--set", f"evaluation.bleu_tokenizer={tokenizer}", "--set", "evaluation.lowercase=true")
    check(test, Model(trained / "best"), trained / "best", files, translate(trained / "best", files[0]),
          bleu_tokenizer=tokenizer, lowercase=True)


def test_several_references_count_for_bleu_chrf_and_exact_match_and_the_first_for_the_rest(trained, tmp_path):
    source, first = (trained.text / f"awkward.{language}" for language in ("en", "de"))
    translations, references = translate(trained / "best", source), read_lines(first)
    second = [translation if number % 3 == 0 else " ".join(reversed(reference.split()))
              for number, (translation, reference) in enumerate(zip(translations, references))]
    (tmp_path / "second.de").write_text("".join(line + "\n" for line in second), encoding="utf-8")
    (tmp_path / "third.de").write_text("".join(line.lower() + "\n" for line in references), encoding="utf-8")
    more = [tmp_path / "second.de", tmp_path / "third.de"]
    options = ["--source", source, "--reference", first, "--reference", more[0], "--reference", more[1]]
    [test] = run_json("evaluate", trained.directory, *options)
    check(test, Model(trained / "best"), trained / "best", [source, first], translations, more)
    [alone] = run_json("evaluate", trained.directory, *options[:4])
    assert test["loss"] == alone["loss"] and test["token_accuracy"] == alone["token_accuracy"]
    assert test["exact_match"] > alone["exact_match"] + 0.2 and test["bleu"] > alone["bleu"]
    out, _ = run("evaluate", trained.directory, *options)
    assert "are those of the first reference" in out and "|nrefs:3|" in out
    (tmp_path / "third.de").write_text("one line\n", encoding="utf-8")
    with pytest.raises(Failed, match="expected status 0, found 2\n.*third.de: expected 150 lines"):
        run("evaluate", trained.directory, *options)


def test_translations_that_are_cut_off_are_counted(trained):
    source, reference = (trained.text / f"awkward.{language}" for language in ("en", "de"))
    options = ["--source", source, "--reference", reference, "--set", "decoding.max_length_ratio=0"]
    [test] = run_json("evaluate", trained.directory, *options)
    model = Model(trained / "best")
    model.config["decoding"]["max_length_ratio"] = 0
    expected = 0
    for line in read_lines(source):
        ids = model.source.encode(line)
        translation = model.greedy(ids) if ids else []
        if ids and len(translation) == 10:
            logits = model.log_probabilities(ids, translation)[-1]
            logits[[PAD, BOS]] = -np.inf
            expected += int(logits.argmax()) != EOS
    assert abs(test["cut_off"] - expected) <= 1 and expected > 20
    out, _ = run("evaluate", trained.directory, *options)
    assert (f"  ({test['cut_off']} of 150 translations were cut off at the length limit, 0 * source tokens + 10; "
            "some references are longer: set decoding.max_length_ratio=") in out


def test_the_text_output_shows_the_same_metrics_as_json(trained):
    out, _ = run("evaluate", trained.directory)
    expected = ""
    for test in run_json("evaluate", trained.directory):
        files = [trained.text / f"{test['name']}.{language}" for language in ("en", "de")]
        translations, references = translate(trained / "best", files[0]), read_lines(files[1])
        version = "|version:" + test["bleu_signature"].partition("|version:")[2]
        model = Model(trained / "best")
        expected += (f"{test['name']}: {test['pairs']} pairs, loss {test['loss']:.4f}, "
                     f"perplexity {test['perplexity']:.3f}, token accuracy {100 * test['token_accuracy']:.2f}%, "
                     f"exact match {100 * test['exact_match']:.2f}%\n")
        if test["pairs_with_an_empty_side"] > 0:
            expected += ("  (loss, perplexity and token accuracy leave out "
                         f"{test['pairs_with_an_empty_side']} pairs with an empty side)\n")
        for side, vocabulary, lines in (("source", model.source, read_lines(files[0])),
                                        ("reference", model.target, references)):
            count, words = unknown(vocabulary, lines)
            most = sorted(Counter(words).items(), key=lambda word: (-word[1], word[0].encode()))[:5]
            examples = ", ".join(f"{word} ({times})" for word, times in most)
            if words:
                expected += (f"  (unknown to the model: {len(words)} of {count} {side} tokens "
                             f"({100 * len(words) / count:.2f}%), most often {examples})\n")
        if test["unknown_translation_tokens"] > 0:
            expected += (f"  ({test['unknown_translation_tokens']} of {test['translation_tokens']} tokens of the "
                         "translations are <unk>)\n")
        if test["cut_off"] > 0:
            assert f"\n  ({test['cut_off']} of {test['pairs']} translations were cut off" in out
            out = re.sub(r"  \(\d+ of \d+ translations were cut off.*\n", "", out, count=1)
        expected += f"  {bleu_line(bleu(translations, [references], 'none', False), version)}\n"
        expected += f"  {chrf_line(chrf(translations, [references], False), version)}\n"
    assert out == expected


def test_the_awkward_text_distinguishes_right_metrics_from_wrong_ones(trained):
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
    assert 0 < same < exact_match(translations, [references]) < 0.9
    scores = [bleu(translations, [references], tokenizer, lowercase)["score"]
              for tokenizer in ("none", "13a", "char") for lowercase in (False, True)]
    scores += [chrf(translations, [references], lowercase)["score"] for lowercase in (False, True)]
    assert min(scores) > 5 and np.diff(sorted(scores)).min() > 1e-3
