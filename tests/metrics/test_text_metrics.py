"""Checks the second implementation of BLEU and chrF against the results of sacreBLEU for the same text: those in the
fixture, and those of the package, if it is installed."""

import json

import pytest
from program import ROOT
from text_metrics import TOKENIZE, bleu, bleu_line, chrf, chrf_line, exact_match

FIXTURE = json.loads((ROOT / "tests/fixtures/sacrebleu.json").read_text(encoding="utf-8"))
ROUNDING = 1e-9  # both compute a percentage in double precision, with a different order of operations
CORPORA = ([{**corpus, "references": [corpus["references"]]} for corpus in FIXTURE["corpora"]]
           + FIXTURE["several_references"])


@pytest.mark.parametrize("tokenizer", ["13a", "zh", "char"])
def test_every_line_is_split_as_sacrebleu_does(tokenizer):
    for example in FIXTURE["lines"]:
        line = example["line"] if tokenizer == "13a" else example["line"].rstrip()
        assert TOKENIZE[tokenizer](line).split() == example[f"tokens_{tokenizer}"], example["line"]


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus["name"])
def test_bleu_matches_sacrebleu_with_each_tokenizer_with_and_without_case(corpus):
    assert len(corpus["bleu"]) == 8
    for expected in corpus["bleu"]:
        found = bleu(corpus["hypotheses"], corpus["references"], expected["tokenizer"], expected["lowercase"])
        for key, value in found.items():
            assert value == (pytest.approx(expected[key], abs=ROUNDING) if key != "signature" else expected[key]), key
        assert bleu_line(found) == expected["line"]


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus["name"])
def test_chrf_matches_sacrebleu_with_and_without_case(corpus):
    assert len(corpus["chrf"]) == 2
    for expected in corpus["chrf"]:
        found = chrf(corpus["hypotheses"], corpus["references"], expected["lowercase"])
        assert found["score"] == pytest.approx(expected["score"], abs=ROUNDING)
        assert found["signature"] == expected["signature"]
        assert chrf_line(found) == expected["line"]


def test_the_package_still_gives_the_results_of_the_fixture():
    metrics = pytest.importorskip("sacrebleu.metrics")
    for corpus in CORPORA:
        for expected in corpus["bleu"]:
            metric = metrics.BLEU(tokenize=expected["tokenizer"], lowercase=expected["lowercase"], force=True)
            score = metric.corpus_score(corpus["hypotheses"], corpus["references"]).score
            assert score == pytest.approx(expected["score"], abs=ROUNDING)
        for expected in corpus["chrf"]:
            score = metrics.CHRF(lowercase=expected["lowercase"]).corpus_score(corpus["hypotheses"], corpus["references"])
            assert score.score == pytest.approx(expected["score"], abs=ROUNDING)


def test_exact_match_compares_whole_words_and_ignores_white_space():
    assert exact_match([" a  b\t", "a b", "", "A b"], [["a b", "ab", "", "a b"]]) == 2 / 4


def test_exact_match_needs_only_one_of_the_references():
    assert exact_match(["a", "b", "c"], [["a", "x", "x"], ["x", "b", "x"]]) == 2 / 3
