"""Epochs, and what ends training."""

import pytest
from program import train, unequal_pairs, write_pairs

LINES, EPOCHS = 60, 3
SETTINGS = {"training.max_updates": 0, "training.log_every": 1, "training.validation.every": 1,
            "training.validation.samples": 0, "training.checkpoints.keep": 100, "training.max_tokens": 200,
            "decoding.max_length_ratio": 0.1}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    directory = tmp_path_factory.mktemp("text")
    write_pairs(directory, "train", unequal_pairs(LINES, seed=21))
    write_pairs(directory, "valid", unequal_pairs(3, seed=22, name="valid"))
    return directory


@pytest.fixture(scope="module")
def whole(text, tmp_path_factory):
    return train(tmp_path_factory.mktemp("whole") / "run", text, {**SETTINGS, "training.max_epochs": EPOCHS})


@pytest.fixture(scope="module")
def updates(whole):
    """How many updates an epoch has."""
    found = len(whole.metrics("train")) // EPOCHS
    assert found > 2
    return found


def test_max_epochs_ends_training_and_predicts_the_time_left(whole, updates):
    lines, last = whole.metrics("train"), updates * EPOCHS
    assert [(line["update"], line["epoch"]) for line in lines] == [(u, (u - 1) // updates + 1) for u in range(1, last + 1)]
    assert f"finished at update {last}: reached training.max_epochs" in whole.log
    for line in lines:
        expected = line["minutes"] * (last / line["update"] - 1)
        assert line["minutes_left"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_validation_every_n_epochs(text, updates, tmp_path):
    done = train(tmp_path / "run", text, {**SETTINGS, "training.max_epochs": 5, "training.validation.unit": "epochs",
                                          "training.validation.every": 2})
    found = [(line["update"], line["epoch"]) for line in done.metrics("validation")]
    assert found == [(2 * updates, 2), (4 * updates, 4), (5 * updates, 5)]  # the last one because training ends


def test_a_run_stopped_within_an_epoch_continues_as_if_it_had_never_stopped(text, updates, tmp_path):
    settings = {**SETTINGS, "training.shards": 2}
    whole, stopped = (train(tmp_path / name, text, {**settings, "training.max_updates": last})
                      for name, last in (("whole", 2 * updates + 2), ("stopped", updates + 1)))
    assert stopped.progress()["epoch"] == 1 and stopped.progress()["batch"] == 1
    continued = train(tmp_path / "stopped", text, {**settings, "training.max_updates": 2 * updates + 2}, "--resume")
    for kind in ("train", "validation"):
        assert continued.without_times(kind) == whole.without_times(kind)
    assert (continued / "last/model.safetensors").read_bytes() == (whole / "last/model.safetensors").read_bytes()


def test_max_minutes_ends_training_after_the_update_that_exceeds_it(text, tmp_path):
    most = 0.01
    done = train(tmp_path / "run", text, {**SETTINGS, "training.max_minutes": most, "training.validation.every": 100000,
                                          "training.checkpoints.keep": 1})
    lines, [validation] = done.metrics("train"), done.metrics("validation")
    assert all(line["minutes"] < most for line in lines[:-1]) and validation["minutes"] >= most
    assert validation["update"] == lines[-1]["update"]
    assert f"finished at update {lines[-1]['update']}: reached training.max_minutes" in done.log
    for line in lines:
        assert line["minutes_left"] == pytest.approx(max(0, most - line["minutes"]), rel=1e-9, abs=1e-12)
