"""Every metric of `benchmark`, recomputed: counts from the text, speeds as counts divided by seconds. No test checks
how fast the program is. Metrics computed from the printed ones may differ by ROUNDING.
"""

import json
import os
import resource
import time
from collections import Counter
from pathlib import Path

import pytest
from metrics import ROUNDING, cells
from program import ROOT, awkward_pairs, run, set_options, train, unequal_pairs, write_pairs
from reference import Vocabulary, read_weights

SHAPE = {"d_model": 12, "heads": 3, "encoder_layers": 2, "decoder_layers": 1, "d_ff": 20}
MAX_TOKENS, MAX_LENGTH, VOCABULARY = 150, 25, 195
SETTINGS = {**{f"model.{key}": value for key, value in SHAPE.items()}, "tokenizer.vocabulary_size": VOCABULARY,
            "training.max_tokens": MAX_TOKENS, "data.max_length": MAX_LENGTH,
            "training.micro_batch_tokens": 100000}  # so that a shard's sentences are padded together
KEYS = ["source_tokens_per_second", "target_tokens_per_second", "padding_share", "seconds", "updates",
        "parameters", "peak_rss_bytes", "threads", "ranks", "instructions"]


@pytest.fixture(scope="module")
def awkward_text(tmp_path_factory):
    """82 pairs to train on, some empty, some too long; one is just short enough, and one just too long."""
    directory = tmp_path_factory.mktemp("awkward")
    pairs = awkward_pairs(unequal_pairs(80, seed=10), seed=10)
    pairs[10:10] = [("short", " ".join(["lang"] * MAX_LENGTH)), (" ".join(["long"] * (MAX_LENGTH + 1)), "kurz")]
    write_pairs(directory, "train", pairs, "\r\n")
    write_pairs(directory, "valid", pairs[20:30])
    return directory


def benchmark(text, settings, *options):
    return run("benchmark", ROOT / "configs/debug.yaml", *options, *set_options(text, {**SETTINGS, **settings}))[0]


def exported(text, settings, file):
    """The model, and the batches as lists of pairs of ids."""
    assert benchmark(text, settings, "--export-batches", file) == ""
    model, *batches = map(json.loads, Path(file).read_text(encoding="utf-8").splitlines())
    return model, [list(zip(batch["source"], batch["target"])) for batch in batches]


def tokens(pairs, side):
    """The tokens on one side, with eos or bos."""
    return sum(len(pair[side]) + 1 for pair in pairs)


def used_batches(batches, accumulation, updates):
    """The batches of all updates, epoch after epoch. The last update of an epoch has the batches that are left."""
    groups = [batches[first:first + accumulation] for first in range(0, len(batches), accumulation)]
    return [batch for update in range(updates) for batch in groups[update % len(groups)]]


# --- The batches ------------------------------------------------------------------------------------------------------
def vocabulary_of(file, size):
    """The most frequent words; ties are broken alphabetically."""
    counts = Counter(Path(file).read_text(encoding="utf-8").split())
    words = sorted(counts, key=lambda word: (-counts[word], word))[:size - 4]
    return {word: number for number, word in enumerate(words, 4)}


def test_the_exported_batches_hold_every_sentence_once_except_empty_and_long_ones(awkward_text, tmp_path):
    model, batches = exported(awkward_text, {}, tmp_path / "batches")
    encoded, unknown = [], 3
    for language in ("en", "de"):
        file = awkward_text / f"train.{language}"
        ids = vocabulary_of(file, size=VOCABULARY)
        lines = file.read_bytes().decode().split("\n")[:-1]
        encoded.append([[ids.get(word, unknown) for word in line.split()] for line in lines])
    pairs = [pair for pair in zip(*encoded) if all(pair)]
    expected = [pair for pair in pairs if max(map(len, pair)) <= MAX_LENGTH]
    assert len(expected) < len(pairs) < len(encoded[0])  # some are too long, and some are empty
    assert any(max(map(len, pair)) == MAX_LENGTH for pair in pairs)
    assert sorted(pair for batch in batches for pair in batch) == sorted(expected)
    assert {key: int(model[f"model.{key}"]) for key in SHAPE} == SHAPE and model["vocabulary"] == VOCABULARY


def test_no_batch_has_more_padded_tokens_on_its_larger_side_than_max_tokens(awkward_text, tmp_path):
    _, batches = exported(awkward_text, {}, tmp_path / "batches")
    padded = [len(batch) * (max(len(side) for pair in batch for side in pair) + 1) for batch in batches]
    assert max(padded) <= MAX_TOKENS and len(batches) > 5
    longest = 1 + max(len(side) for batch in batches for pair in batch for side in pair)
    assert max(padded) > MAX_TOKENS - longest  # batches are filled up to the limit


# --- The metrics ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("accumulation, threads", [(1, 1), (4, 2)])
def test_speeds_are_the_counts_of_the_batches_divided_by_the_seconds(
        awkward_text, tmp_path, monkeypatch, accumulation, threads):
    monkeypatch.setitem(os.environ, "OMP_NUM_THREADS", str(threads))
    settings = {"training.accumulation": accumulation}
    _, batches = exported(awkward_text, settings, tmp_path / "batches")
    start = time.monotonic()
    found = json.loads(benchmark(awkward_text, settings, "--seconds", 0.2))
    passed = time.monotonic() - start
    assert list(found) == KEYS and list(found["seconds"]) == ["total"]
    total = found["seconds"]["total"]
    assert 0 < total < passed

    used = used_batches(batches, accumulation, found["updates"])
    pairs = [pair for batch in used for pair in batch]
    assert found["updates"] > 0 and len(batches) % 4 != 0  # with accumulation 4, an epoch's last update has fewer
    assert found["source_tokens_per_second"] * total == pytest.approx(tokens(pairs, 0), rel=ROUNDING)
    assert found["target_tokens_per_second"] * total == pytest.approx(tokens(pairs, 1), rel=ROUNDING)
    assert tokens(pairs, 0) != tokens(pairs, 1)
    padded = sum(map(cells, used))
    assert found["padding_share"] == pytest.approx(1 - (tokens(pairs, 0) + tokens(pairs, 1)) / padded, rel=ROUNDING)
    assert (found["threads"], found["ranks"]) == (threads, 1)


def test_parameters_are_the_numbers_of_the_model_that_training_writes(awkward_text, tmp_path):
    trained = train(tmp_path / "run", awkward_text, {**SETTINGS, "training.max_updates": 1})
    weights = read_weights(trained / "best")
    found = json.loads(benchmark(awkward_text, {}, "--seconds", 0.01))
    assert found["parameters"] == sum(tensor.size for tensor in weights.values())
    sizes = [len(Vocabulary(trained / f"best/{side}.vocab.json").words) for side in ("source", "target")]
    assert sizes[0] < sizes[1] == VOCABULARY  # so that no metric can confuse them


def test_memory_is_at_least_what_weights_gradients_and_moments_need_and_at_most_what_the_system_saw(awkward_text):
    found = json.loads(benchmark(awkward_text, {}, "--seconds", 0.01))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024  # of all commands of these tests
    assert 4 * 4 * found["parameters"] < found["peak_rss_bytes"] <= most


@pytest.mark.parametrize("shards", [4, 100])
def test_shards_have_every_token_once_and_less_padding_even_if_they_outnumber_the_sentences(
        awkward_text, tmp_path, shards):
    settings = {"training.shards": shards}
    _, batches = exported(awkward_text, settings, tmp_path / "batches")
    assert 4 < max(map(len, batches)) < 100
    found = json.loads(benchmark(awkward_text, settings, "--seconds", 0.02))
    used = used_batches(batches, 1, found["updates"])
    pairs = [pair for batch in used for pair in batch]
    for side, speed in enumerate(("source_tokens_per_second", "target_tokens_per_second")):
        assert found[speed] * found["seconds"]["total"] == pytest.approx(tokens(pairs, side), rel=ROUNDING)
    unsharded = 1 - (tokens(pairs, 0) + tokens(pairs, 1)) / sum(map(cells, used))
    assert 0 <= found["padding_share"] < unsharded
