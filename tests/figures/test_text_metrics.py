"""Checks the second implementation of BLEU against the results of sacreBLEU for the same text."""

import json

import pytest
from program import ROOT
from text_metrics import bleu, bleu_line, exact_match, tokenize_13a

FIXTURE = json.loads((ROOT / "tests/fixtures/sacrebleu.json").read_text(encoding="utf-8"))
ROUNDING = 1e-9  # both compute a percentage in double precision, with a different order of operations


def test_13a_splits_every_line_as_sacrebleu_does():
    for example in FIXTURE["lines"]:
        assert tokenize_13a(example["line"]).split() == example["tokens_13a"], example["line"]


@pytest.mark.parametrize("corpus", FIXTURE["corpora"], ids=lambda corpus: corpus["name"])
def test_bleu_matches_sacrebleu_with_each_tokenizer_with_and_without_case(corpus):
    assert len(corpus["bleu"]) == 4
    for expected in corpus["bleu"]:
        found = bleu(corpus["hypotheses"], corpus["references"], expected["tokenizer"], expected["lowercase"])
        for key, value in found.items():
            assert value == (pytest.approx(expected[key], abs=ROUNDING) if key != "signature" else expected[key]), key
        assert bleu_line(found) == expected["line"]


def test_exact_match_compares_whole_words_and_ignores_white_space():
    assert exact_match([" a  b\t", "a b", "", "A b"], ["a b", "ab", "", "a b"]) == 2 / 4
