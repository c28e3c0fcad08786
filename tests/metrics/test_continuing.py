"""A continued run reports and does the same as one that never stopped, unless its text has changed."""

import json
import shutil
import subprocess

import pytest
from program import PROGRAM, ROOT, Run, run, set_options, train, unequal_pairs, write_pairs

SETTINGS = {"model.dropout": 0.1, "training.label_smoothing": 0.1, "training.max_tokens": 170, "training.shards": 3,
            "training.accumulation": 2, "training.log_every": 3, "training.validation.every": 6,
            "training.max_updates": 24, "training.checkpoints.keep": 10, "training.validation.samples": 0,
            "decoding.max_length_ratio": 0.2, "tokenizer.vocabulary_size": 60}


@pytest.fixture(scope="module")
def whole(tmp_path_factory, text):
    """A run that was never stopped."""
    return train(tmp_path_factory.mktemp("whole") / "run", text, SETTINGS)


def best_of(done):
    return (done / "best").resolve().name


def check_same(continued, whole):
    assert [line["update"] for line in continued.metrics("validation")] == [6, 12, 18, 24]
    for kind in ("train", "validation"):
        assert continued.without_times(kind) == whole.without_times(kind)
    assert (continued / "last/model.safetensors").read_bytes() == (whole / "last/model.safetensors").read_bytes()
    minutes = [line["minutes"] for line in continued.metrics("train")]
    assert minutes == sorted(minutes), "the clock continues where it stopped"
    assert {**continued.progress(), "minutes": 0} == {**whole.progress(), "minutes": 0}
    assert best_of(continued) == best_of(whole) == continued.checkpoint(continued.progress()["best_update"]).name


def test_a_run_continued_within_an_epoch_reports_the_same_as_one_that_never_stopped(whole, text, tmp_path):
    stopped = train(tmp_path / "run", text, {**SETTINGS, "training.max_updates": 12})
    assert stopped.progress()["batch"] > 0, "it should stop within an epoch"
    check_same(train(tmp_path / "run", text, SETTINGS, "--resume"), whole)


def test_metrics_from_after_the_last_checkpoint_are_reported_once(whole, text, tmp_path):
    """A crash after update 18, before the next checkpoint, leaves lines that the continued run writes again."""
    shutil.copytree(whole.directory, tmp_path / "run", symlinks=True)
    crashed = Run(tmp_path / "run")
    shutil.rmtree(crashed.checkpoint(24))
    last = crashed.checkpoint(18)
    for link, target in (("last", last), ("best", crashed.checkpoint(crashed.progress(last.name)["best_update"]))):
        (crashed / link).unlink()
        (crashed / link).symlink_to(target.name)
    check_same(train(tmp_path / "run", text, SETTINGS, "--resume"), whole)


def test_skipped_updates_are_counted_across_a_stop_and_affect_no_metric(text, tmp_path):
    """With a learning rate that is far too high, every loss after the first update is NaN."""
    settings = {**SETTINGS, "training.schedule.learning_rate": 1e20, "training.schedule.warmup": 0,
                "training.schedule.kind": "constant", "training.max_skipped": 100, "training.log_every": 1,
                "training.validation.every": 3, "training.accumulation": 1}
    train(tmp_path / "run", text, {**settings, "training.max_updates": 4})
    done = train(tmp_path / "run", text, {**settings, "training.max_updates": 7}, "--resume")
    assert [line["update"] for line in done.metrics("train")] == [1]
    assert done.metrics("train")[0]["skipped"] == 0
    assert "update 7 is skipped: its loss is" in done.log
    assert done.progress()["skipped"] == done.progress()["skipped_in_row"] == 6
    for line in done.metrics("validation"):
        assert line["loss"] is None and line["perplexity"] is None and not line["best"]
    assert not (done / "best").exists() and "there is no best checkpoint" in done.log
    assert "-nan" not in (done / "train.log").read_text(encoding="utf-8")


# --- Text that has changed --------------------------------------------------------------------------------------------
@pytest.fixture
def stopped(text, tmp_path):
    """A run to continue, with its own copy of the text."""
    shutil.copytree(text, tmp_path / "text")
    return train(tmp_path / "run", tmp_path / "text", {**SETTINGS, "training.max_updates": 12}), tmp_path / "text"


def shift_words(file):
    """Moves the last word of the first line to the second, so that the words of the text stay the same."""
    first, second, *rest = file.read_text(encoding="utf-8").splitlines()
    *words, last = first.split()
    file.write_text("\n".join([" ".join(words), f"{last} {second}", *rest]) + "\n", encoding="utf-8")


def shift_to_the_other_side(source, target):
    """Moves the last word of the first line, and the space before it, to the start of the other file."""
    sides = [file.read_text(encoding="utf-8").splitlines() for file in (source, target)]
    cut = sides[0][0].rindex(" ")
    sides[0][0], sides[1][0] = sides[0][0][:cut], sides[0][0][cut:] + sides[1][0]
    for file, lines in zip((source, target), sides):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "de", "both"])
def test_moving_a_word_to_the_next_line_changes_the_training_text(stopped, language):
    done, text = stopped
    if language == "both":
        shift_to_the_other_side(text / "train.en", text / "train.de")
    else:
        shift_words(text / f"train.{language}")
    _, err = run("train", ROOT / "configs/debug.yaml", "--output", done.directory, "--resume",
                 *set_options(text, SETTINGS), status=2)
    assert "the training text has changed since this run started" in err


def test_when_the_validation_text_has_changed_the_search_for_the_best_restarts(stopped):
    done, text = stopped
    before = done.metrics("validation")
    rarest = json.loads((done / "last/target.vocab.json").read_text(encoding="utf-8"))[-1]
    write_pairs(text, "valid", [(source, f"{rarest} " * 5) for source, _ in unequal_pairs(30, seed=4)])
    done = train(done.directory, text, SETTINGS, "--resume")
    after = [line for line in done.metrics("validation") if line["update"] > 12]
    assert after[0]["loss"] > min(line["loss"] for line in before), "the new text should be harder"
    assert after[0]["best"]
    best = min(after, key=lambda line: line["loss"])
    assert (done / "best").resolve() == done.checkpoint(best["update"]).resolve()
    assert "the validation text has changed since this run started" in done.log


def test_moving_a_word_to_the_next_line_changes_the_validation_text(stopped):
    done, text = stopped
    shift_words(text / "valid.de")
    assert "the validation text has changed since this run started" in train(done.directory, text, SETTINGS,
                                                                                "--resume").log


def test_a_run_can_continue_with_the_same_text(stopped):
    done, text = stopped
    log = train(done.directory, text, SETTINGS, "--resume").log
    assert "has changed" not in log and f"resuming from {done.directory / 'step-00000012'}" in log


# --- Several ranks ----------------------------------------------------------------------------------------------------
MPIRUN = shutil.which("mpirun")
OPEN_MPI = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
            "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=none",
            "MPIEXEC_TIMEOUT=120", "OMP_NUM_THREADS=1"]


def ranks_on(texts, *arguments):
    """Runs a command with one rank for each text."""
    command = [*OPEN_MPI, MPIRUN]
    for number, text in enumerate(texts):
        command += [*([":"] if number else []), "-n", "1", PROGRAM, arguments[0], ROOT / "configs/debug.yaml",
                    *arguments[1:], *set_options(text, {**SETTINGS, "training.max_updates": 4})]
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=300)
    return done.returncode, done.stderr.decode()


@pytest.fixture(scope="module")
def mpi(tmp_path_factory, text):
    if MPIRUN is None:
        pytest.skip("SKIPPED: mpirun is not installed (on Debian: openmpi-bin)")
    status, err = ranks_on([text, text], "train", "--output", tmp_path_factory.mktemp("mpi") / "run")
    if "built without MPI" in err:
        pytest.skip("SKIPPED: this build has no MPI")
    return status, err


def test_ranks_whose_texts_differ_only_in_where_a_line_ends_do_not_train_together(mpi, text, tmp_path):
    status, err = mpi
    assert status == 0, err
    shutil.copytree(text, tmp_path / "text")
    shift_words(tmp_path / "text/train.en")
    for arguments in (["train", "--output", tmp_path / "run"], ["benchmark", "--seconds", "0.1"]):
        status, err = ranks_on([text, tmp_path / "text"], *arguments)
        assert status == 2, err
        assert "the training text: not the same on rank 1" in err
    assert not (tmp_path / "run").exists()
