"""Every translation, and every metric of `translate --n-best`, recomputed with the NumPy model.

Two tokens or hypotheses that are almost equally likely may swap places in single precision. So the tests use sentences
whose closest decision is CLEAR. The model is half trained, and nearly all sentences qualify.
"""

import random
import re

import numpy as np
import pytest
from beam import beam_search, closest_decision
from metrics import LOG_PROBABILITY
from program import awkward_pairs, run, toy_pairs, train, unequal_pairs, variant, write_text
from reference import EOS, Model

CLEAR = 4 * LOG_PROBABILITY
CLEAR_SUMS = 1e-5  # for the log p of hypotheses, per token: 20 times the largest difference seen
SIX_DECIMALS = 1e-6


class Translated:
    """Source lines with their greedy translations by NumPy. An empty line has an empty translation."""

    def __init__(self, model, lines):
        self.translations = {}
        for line in dict.fromkeys(lines):
            source = model.source.encode(line)
            translation = model.greedy(source) if source else []
            if not source or closest_decision(model, source, translation) > CLEAR:
                self.translations[line] = model.target.decode(translation)
        assert len(self.translations) > 0.9 * len(set(lines))
        self.lines = list(self.translations)

    def check(self, out, lines):
        found = out.split("\n")
        assert found.pop() == "" and len(found) == len(lines)
        for number, (line, translation) in enumerate(zip(lines, found)):
            assert translation == self.translations[line], (number, line)


def awkward_lines(count, seed):
    return [source for source, _ in awkward_pairs(unequal_pairs(count, seed, name="valid"), seed)]


@pytest.fixture(scope="module")
def translated(half_trained_model):
    return Translated(half_trained_model, awkward_lines(150, seed=5) + [""])


@pytest.fixture(scope="module")
def long_text(translated):
    """5,000 lines that begin and end with empty ones. Their order is random: a pattern could hide a lost line."""
    return ["", "", *random.Random(6).choices(translated.lines + 5 * [""], k=4996), "", ""]


@pytest.fixture(scope="module")
def cut_off(half_trained, tmp_path_factory):
    """A model after one update, which hardly ever ends a sentence."""
    return train(tmp_path_factory.mktemp("cut_off") / "run", half_trained.config()["data"]["directory"],
                 {"training.max_updates": 1, "decoding.max_length_ratio": 1.5})


def translate(trained, lines, *options):
    return run("translate", trained.directory, *options, stdin="".join(line + "\n" for line in lines))[0]


def n_best(trained, lines, *options):
    """A list of (translation, log-probability, score) for each line. Checks the format, and that no line is missing."""
    found = []
    for line in translate(trained, lines, *options).splitlines():
        number, text, log_probability, score = re.fullmatch(
            r"(\d+) \|\|\| (.*) \|\|\| logprob= (-?\d+\.\d{6}) \|\|\| (-?\d+\.\d{6})", line).groups()
        assert int(number) in (len(found) - 1, len(found))
        if int(number) == len(found):
            found.append([])
        found[-1].append((text, float(log_probability), float(score)))
    assert len(found) == len(lines)
    return found


# --- One translation of each line -------------------------------------------------------------------------------------
def test_greedy_search_takes_the_most_likely_token_at_each_step(half_trained, translated):
    translated.check(translate(half_trained, translated.lines), translated.lines)


@pytest.mark.parametrize("batch", [2, 7, 64])
def test_each_of_5000_lines_has_its_own_translation(half_trained, translated, long_text, tmp_path, batch):
    text, output = write_text(tmp_path / "text", long_text), tmp_path / "output"
    out, _ = run("translate", half_trained.directory, "--batch", batch, "--input", text, "--output", output)
    assert out == ""
    translated.check(output.read_text(encoding="utf-8"), long_text)


def test_standard_input_and_output_work_like_files(half_trained, translated, long_text):
    translated.check(translate(half_trained, long_text[:300], "--batch", 2), long_text[:300])


@pytest.mark.parametrize("count", [1, 128, 129, 256])
def test_no_line_is_lost_after_64_full_batches(half_trained, translated, count):
    lines = random.Random(count).choices(translated.lines, k=count)
    translated.check(translate(half_trained, lines, "--batch", 2), lines)


def test_carriage_returns_a_byte_order_mark_and_a_missing_last_line_end_change_nothing(
        half_trained, translated, tmp_path):
    lines = [*translated.lines, next(filter(str.strip, translated.lines))]
    text = write_text(tmp_path / "text", lines, "\r\n", byte_order_mark=True, ended=False)
    translated.check(run("translate", half_trained.directory, "--input", text)[0], lines)


def test_a_translation_is_cut_off_at_the_longest_length_that_the_config_allows(cut_off):
    model = Model(cut_off / "best")
    expected = Translated(model, [source for source, _ in toy_pairs("valid")[:40]])
    expected.check(translate(cut_off, expected.lines), expected.lines)
    lengths = [len(translation.split()) for translation in expected.translations.values()]
    at_limit = [length == int(1.5 * len(line.split())) + 10 for line, length in zip(expected.lines, lengths)]
    assert np.mean(at_limit) > 0.5 and len(set(lengths)) > 3


# --- The N best -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("stopping, length_penalty", [("--early-stopping", 1), ("--early-stopping", 2),
                                                      ("--no-early-stopping", 0), ("--no-early-stopping", 0.6),
                                                      ("--no-early-stopping", 2)])
def test_beam_search_matches_its_definition(half_trained, half_trained_model, stopping, length_penalty):
    lines = awkward_lines(18, seed=7)
    found = n_best(half_trained, lines, "--beam", 3, "--n-best", 3, stopping, "--length-penalty", length_penalty)
    check_beams(half_trained_model, lines, found, 3, length_penalty, stopping == "--early-stopping")


def check_beams(model, lines, found, beam, length_penalty, early_stopping=False, count=None):
    """Compares the lines that are clear enough, and returns their hypotheses."""
    compared, clear = [], 0
    for line, translations in zip(lines, found):
        source = model.source.encode(line)
        if not source:
            assert translations == [("", 0, 0)]
            continue
        expected, closest = beam_search(model, source, beam, length_penalty, early_stopping)
        if closest > CLEAR_SUMS:
            clear += 1
            expected = expected[:count]
            compared += expected
            assert [text for text, *_ in translations] == [model.target.decode(h.ids) for h in expected], line
            for (_, log_probability, score), h in zip(translations, expected):
                tolerance = LOG_PROBABILITY * (len(h.ids) + 1)
                assert log_probability == pytest.approx(h.log_probability, abs=tolerance)
                assert score == pytest.approx(h.score(length_penalty), abs=tolerance)
    assert clear > 0.4 * sum(bool(line.strip()) for line in lines)
    return compared


def test_early_stopping_and_the_length_penalty_change_some_translations(half_trained):
    """Without this, the previous test could not fail."""
    lines = awkward_lines(18, seed=7)

    def found(*options):
        return n_best(half_trained, lines, "--beam", 3, "--n-best", 3, *options)

    assert found("--early-stopping", "--length-penalty", 2) != found("--no-early-stopping", "--length-penalty", 2)
    none, strong = ([line[0][0] for line in found("--length-penalty", penalty)] for penalty in (0, 2))
    assert none != strong


def test_a_translation_that_is_cut_off_has_no_eos_in_log_p_or_length(cut_off):
    lines = [source for source, _ in toy_pairs("valid")[:20]]
    found = n_best(cut_off, lines, "--beam", 2, "--n-best", 2, "--length-penalty", 0.8)
    compared = check_beams(Model(cut_off / "best"), lines, found, 2, 0.8)
    assert sum(not h.finished for h in compared) > 10


def test_log_p_and_score_of_the_n_best_are_those_of_teacher_forcing_and_the_best_is_the_translation(
        half_trained, half_trained_model, long_text):
    model, lines, penalty = half_trained_model, long_text[:300], 0.7
    options = "--beam", 4, "--length-penalty", penalty, "--batch", 2  # more than two times 64 batches
    found = n_best(half_trained, lines, *options, "--n-best", 4)
    assert translate(half_trained, lines, *options) == "".join(best[0][0] + "\n" for best in found)
    checked = {}
    for line, translations in zip(lines, found):
        assert checked.setdefault(line, translations) == translations  # in any batch
    for line, translations in checked.items():
        source, scores = model.source.encode(line), [score for *_, score in translations]
        assert scores == sorted(scores, reverse=True) and len({text for text, *_ in translations}) == len(translations)
        for text, log_probability, score in translations if source else []:
            ids = [*model.target.encode(text), EOS]
            if len(ids) <= model.longest(source):  # so it was not cut off
                expected = model.token_log_probabilities(source, ids[:-1]).sum()
                assert log_probability == pytest.approx(expected, abs=LOG_PROBABILITY * len(ids)), (line, text)
                assert score == pytest.approx(log_probability / len(ids) ** penalty, abs=SIX_DECIMALS)


def test_n_best_prints_fewer_than_the_beam_if_asked(half_trained, half_trained_model):
    lines = [source for source, _ in toy_pairs("valid")[40:60]]
    found = n_best(half_trained, lines, "--beam", 4, "--n-best", 2)
    assert all(len(translations) == 2 for translations in found)
    check_beams(half_trained_model, lines, found, 4, 1, count=2)


def test_greedy_search_reports_the_log_p_and_score_of_its_translation(half_trained, half_trained_model, translated):
    model, lines = half_trained_model, [line for line in translated.lines if line.strip()][:40]
    for line, [(text, log_probability, score)] in zip(lines, n_best(half_trained, lines, "--n-best", 1)):
        source, ids = model.source.encode(line), [*model.target.encode(text), EOS]
        if len(ids) > model.longest(source):
            continue  # it may have been cut off
        expected = model.token_log_probabilities(source, ids[:-1]).sum()
        assert log_probability == pytest.approx(expected, abs=LOG_PROBABILITY * len(ids))
        assert score == pytest.approx(log_probability / len(ids), abs=SIX_DECIMALS)


def test_without_options_the_config_decides_how_to_search(half_trained, tmp_path):
    lines = awkward_lines(18, seed=8)
    for stopping in (True, False):
        trained = variant(half_trained, tmp_path / str(stopping), {
            "decoding.beam": 3, "decoding.length_penalty": 2, "decoding.early_stopping": stopping})
        plain = n_best(trained, lines, "--n-best", 3)
        assert plain == n_best(trained, lines, "--n-best", 3, "--beam", 3, "--length-penalty", 2,
                               "--early-stopping" if stopping else "--no-early-stopping")
        assert plain != n_best(trained, lines, "--n-best", 3, "--beam", 3, "--length-penalty", 0.5)
        assert plain != n_best(trained, lines, "--n-best", 3, "--no-early-stopping" if stopping else "--early-stopping")
