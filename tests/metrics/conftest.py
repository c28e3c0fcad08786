"""Models that several tests share. Each is trained once."""

import pytest
from program import PROGRAM, toy_pairs, train, unequal_pairs, write_pairs
from reference import Model


def pytest_configure():
    if not PROGRAM.exists():
        pytest.exit(f"{PROGRAM} is missing: build it first (scripts/dev/test_metrics.sh does)", returncode=2)


@pytest.fixture(scope="session")
def text(tmp_path_factory):
    """A directory with 300 pairs of very unequal length to train on, and 120 to validate on."""
    directory = tmp_path_factory.mktemp("text")
    write_pairs(directory, "train", unequal_pairs(300, seed=1))
    write_pairs(directory, "valid", unequal_pairs(120, seed=2, name="valid"))
    return directory


@pytest.fixture(scope="session")
def half_trained(tmp_path_factory):
    """A run whose model has learnt something, but not everything: some translations are right, and a beam finds
    others."""
    text = tmp_path_factory.mktemp("half_trained_text")
    write_pairs(text, "train", toy_pairs("train")[:2000])
    write_pairs(text, "valid", toy_pairs("valid")[:100])
    return train(tmp_path_factory.mktemp("half_trained") / "run", text,
                 {"model.d_model": 32, "model.d_ff": 64, "model.heads": 4, "tokenizer.vocabulary_size": 200,
                  "training.max_tokens": 1000, "training.shards": 4, "training.max_updates": 300,
                  "training.schedule.warmup": 50, "training.schedule.learning_rate": 0.01,
                  "training.validation.every": 100, "training.log_every": 100})


@pytest.fixture(scope="session")
def half_trained_model(half_trained):
    return Model(half_trained / "best")
