"""Every metric of `score`, recomputed with the NumPy model.

The program computes in single precision, which rounds logits between 16 and 32 to multiples of 2e-6. All numbers before
them are rounded too. The log-probability of a token may differ by LOG_PROBABILITY, that of a line by as much per token.
"""

import json
import random

import numpy as np
import pytest
from metrics import LOG_PROBABILITY
from program import awkward_pairs, run, run_json, unequal_pairs, write_pairs, write_text
from reference import EOS


def recomputed(model, source, target):
    """The log-probability of each token of the target and of eos, with their ids."""
    ids = model.target.encode(target)
    return model.token_log_probabilities(model.source.encode(source), ids), [*ids, EOS]


class Scored:
    """Pairs of lines, and the log-probabilities that NumPy computes for each."""

    def __init__(self, model, pairs):
        self.model, self.pairs, self.known = model, pairs, {}

    def expected(self, pair):
        if pair not in self.known:
            self.known[pair] = recomputed(self.model, *pair)
        return self.known[pair]

    def check_text(self, out, pairs):
        lines = out.split("\n")
        assert lines.pop() == "" and len(lines) == len(pairs)
        for number, (line, pair) in enumerate(zip(lines, pairs)):
            tokens, _ = self.expected(pair)
            assert float(line) == pytest.approx(tokens.sum(), abs=LOG_PROBABILITY * len(tokens)), (number, pair)
            assert line == f"{float(line):.6f}"

    def check_json(self, out, pairs):
        lines = [json.loads(line) for line in out.splitlines()]
        assert len(lines) == len(pairs)
        for number, (line, pair) in enumerate(zip(lines, pairs)):
            tokens, ids = self.expected(pair)
            found = [token["log_probability"] for token in line["tokens"]]
            assert [token["id"] for token in line["tokens"]] == ids, (number, pair)
            assert [token["piece"] for token in line["tokens"]] == [self.model.target.words[i] for i in ids]
            assert found == pytest.approx(list(tokens), abs=LOG_PROBABILITY), (number, pair)
            assert line["log_probability"] == pytest.approx(sum(found), abs=1e-12)  # both sums are double precision


@pytest.fixture(scope="module")
def scored(half_trained_model):
    return Scored(half_trained_model, awkward_pairs(unequal_pairs(200, seed=3, name="valid"), seed=3))


def score(trained, files, *options):
    return run("score", trained.directory, "--source", files[0], "--target", files[1], *options)[0]


def test_each_token_and_each_line_has_the_log_probability_that_the_model_gives_it(half_trained, scored, tmp_path):
    files = write_pairs(tmp_path, "text", scored.pairs)
    scored.check_json(score(half_trained, files, "--json"), scored.pairs)
    scored.check_text(score(half_trained, files), scored.pairs)


def test_each_of_5000_lines_has_its_own_score(half_trained, scored, tmp_path):
    # In random order, because a pattern could hide a lost line.
    pairs = [("", ""), *random.Random(4).choices(scored.pairs, k=4998), ("", "")]
    files = write_pairs(tmp_path, "text", pairs)
    scored.check_text(score(half_trained, files), pairs)
    scored.check_json(score(half_trained, files, "--json"), pairs)


@pytest.mark.parametrize("count", [1, 4096, 4097])
def test_no_line_is_lost_between_chunks_of_the_text(half_trained, scored, tmp_path, count):
    pairs = random.Random(count).choices(scored.pairs, k=count)
    scored.check_text(score(half_trained, write_pairs(tmp_path, "text", pairs)), pairs)


def test_carriage_returns_a_byte_order_mark_and_a_missing_last_line_end_change_nothing(half_trained, scored, tmp_path):
    pairs = [*scored.pairs, scored.pairs[5]]
    files = [write_text(tmp_path / "source", [s for s, _ in pairs], "\r\n", byte_order_mark=True, ended=False),
             write_text(tmp_path / "target", [t for _, t in pairs], "\n", byte_order_mark=True)]
    scored.check_text(score(half_trained, files), pairs)
    files.reverse()
    scored.check_text(score(half_trained, files), [(target, source) for source, target in pairs])


def test_different_lines_have_different_scores(scored):
    """Without this, swapped lines could go unnoticed."""
    sums = sorted(scored.expected(pair)[0].sum() for pair in set(scored.pairs))
    assert len(sums) > 150 and (np.diff(sums) > 1e-3).mean() > 0.9


def test_scores_are_those_of_evaluate_and_of_the_n_best_list(half_trained, scored, tmp_path):
    sources = [source for source, _ in scored.pairs if source.strip()][:30]
    text = write_text(tmp_path / "source", sources)
    out, _ = run("translate", half_trained.directory, "--input", text, "--beam", 3, "--n-best", 1)
    listed = [line.split(" ||| ") for line in out.splitlines()]
    target = write_text(tmp_path / "target", [translation for _, translation, *_ in listed])
    found = list(map(float, score(half_trained, [text, target]).split()))
    compared = 0
    for value, (_, translation, log_probability, _) in zip(found, listed):
        tokens = len(translation.split()) + 1
        if "<unk>" in translation or tokens > 10:  # <unk> is read as a word; a longer one may have been cut off
            continue
        assert value == pytest.approx(float(log_probability.removeprefix("logprob= ")), abs=LOG_PROBABILITY * tokens)
        compared += 1
    assert compared > 15

    whole = [pair for pair in scored.pairs if all(side.strip() for side in pair)]
    files = write_pairs(tmp_path, "whole", whole)
    [test] = run_json("evaluate", half_trained.directory, "--source", files[0], "--reference", files[1])
    lines = [json.loads(line) for line in score(half_trained, files, "--json").splitlines()]
    tokens = sum(len(line["tokens"]) for line in lines)
    assert -sum(line["log_probability"] for line in lines) / tokens == pytest.approx(test["loss"], rel=1e-9)
