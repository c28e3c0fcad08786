"""Epochs, parts of a text that is larger than data.lines_in_memory, and what ends a training."""

import pytest
from figures import FLOAT, ROUNDING, Loss, encode, lengths
from program import train, unequal_pairs, write_pairs
from reference import Model

LINES, PART, PARTS, EPOCHS = 60, 25, 3, 3
SETTINGS = {"data.lines_in_memory": PART, "training.max_updates": 0, "training.log_every": 1,
            "training.validation.every": 1, "training.validation.samples": 0, "training.checkpoints.keep": 100,
            "training.max_tokens": 100000, "decoding.max_length_ratio": 0.1}  # a part is one batch


@pytest.fixture(scope="module")
def pairs():
    return unequal_pairs(LINES, seed=21)


@pytest.fixture(scope="module")
def text(pairs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("text")
    write_pairs(directory, "train", pairs)
    write_pairs(directory, "valid", unequal_pairs(3, seed=22, name="valid"))
    return directory


@pytest.fixture(scope="module")
def whole(text, tmp_path_factory):
    return train(tmp_path_factory.mktemp("whole") / "run", text, {**SETTINGS, "training.max_epochs": EPOCHS})


def test_every_epoch_uses_every_part_once(whole, pairs):
    """A part is told from the others by its tokens on each side; the loss is that of the part's sentences."""
    encoded = encode(Model(whole / "last"), pairs)
    assert len(encoded) == LINES
    parts = [encoded[begin:begin + PART] for begin in range(0, LINES, PART)]
    ratios = [source / target for source, target in (map(sum, zip(*map(lengths, part))) for part in parts)]
    used = []
    for line in whole.metrics("train"):
        found = line["source_tokens_per_second"] / line["target_tokens_per_second"]
        [part] = [part for part, ratio in enumerate(ratios) if found == pytest.approx(ratio, rel=ROUNDING)]
        used.append(part)
        if line["update"] > 1:
            loss = Loss(Model(whole.checkpoint(line["update"] - 1)), parts[part])
            assert line["loss"] == pytest.approx(loss.mean, rel=FLOAT)
    epochs = [used[begin:begin + PARTS] for begin in range(0, len(used), PARTS)]
    assert [sorted(epoch) for epoch in epochs] == [[0, 1, 2]] * EPOCHS


def test_max_epochs_ends_the_training_and_says_how_much_time_is_left(whole):
    lines, updates = whole.metrics("train"), PARTS * EPOCHS
    assert [(line["update"], line["epoch"]) for line in lines] == [(u, (u + 2) // PARTS) for u in range(1, updates + 1)]
    assert f"the end, at update {updates}: training.max_epochs are done" in whole.log
    for line in lines:
        expected = line["minutes"] * (updates / line["update"] - 1)
        assert line["minutes_left"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_validation_every_so_many_epochs(text, tmp_path):
    done = train(tmp_path / "run", text, {**SETTINGS, "training.max_epochs": 5, "training.validation.unit": "epochs",
                                          "training.validation.every": 2})
    found = [(line["update"], line["epoch"]) for line in done.metrics("validation")]
    assert found == [(2 * PARTS, 2), (4 * PARTS, 4), (5 * PARTS, 5)]  # the last one because the training ends


def test_a_training_stopped_within_a_part_goes_on_as_if_it_had_never_stopped(text, tmp_path):
    settings = {**SETTINGS, "training.max_tokens": 100, "training.shards": 2}
    whole, stopped = (train(tmp_path / name, text, {**settings, "training.max_updates": updates})
                      for name, updates in (("whole", 24), ("stopped", 11)))
    assert stopped.progress()["part"] > 0 and stopped.progress()["batch"] > 0, "it is to stop within a part"
    continued = train(tmp_path / "stopped", text, {**settings, "training.max_updates": 24}, "--resume")
    for kind in ("train", "validation"):
        assert continued.timeless(kind) == whole.timeless(kind)
    assert (continued / "last/model.safetensors").read_bytes() == (whole / "last/model.safetensors").read_bytes()
    assert whole.progress()["epoch"] > 0, "and go on into another epoch"


def test_max_minutes_ends_the_training_after_the_update_that_exceeds_them(text, tmp_path):
    most = 0.01
    done = train(tmp_path / "run", text, {**SETTINGS, "training.max_minutes": most, "training.validation.every": 100000,
                                          "training.checkpoints.keep": 1})
    lines, [validation] = done.metrics("train"), done.metrics("validation")
    assert all(line["minutes"] < most for line in lines[:-1]) and validation["minutes"] >= most
    assert validation["update"] == lines[-1]["update"]
    assert f"the end, at update {lines[-1]['update']}: training.max_minutes are over" in done.log
    for line in lines:
        assert line["minutes_left"] == pytest.approx(max(0, most - line["minutes"]), rel=1e-9, abs=1e-12)
